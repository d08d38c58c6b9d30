"""Every file that once failed, and some new ones, for each reader of data: none may fail."""

from __future__ import annotations

import random
import sys

import pytest

from mlfs.formats import FORMATS
from tests.fuzz import runner
from tests.fuzz.cases import corpus, seeded, stored
from tests.fuzz.mutation import mutate
from tests.fuzz.targets import TARGETS, target

READERS = [name for name, (module, _) in TARGETS.items() if ".readers." in module]
NEW = 1000

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory need Linux")


def test_the_corpus_and_new_files_are_read_or_refused() -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    report = runner.replay(READERS, cases=NEW // len(READERS) + 1, start=10**9)
    stories = [f"{one.case}: {one.kind}\n{one.story}" for one in report.found.values()]
    assert not stories, "\n".join(stories)
    for name in READERS:
        tally = report.tallies[name]
        assert tally.accepted, f"{name} accepts nothing: the generator tries nothing"
        assert tally.refused, f"{name} refuses nothing"
        assert tally.tried == len(corpus(name)) + NEW // len(READERS) + 1


def test_every_format_is_tried() -> None:
    read_by_others = {"mat", "h5ad"}  # by scipy, and by anndata: a damaged file may end the process
    missing = {*FORMATS.ours} - {*READERS} - read_by_others
    assert not missing, "add a target to tests/fuzz/readers/ and its line to tests/fuzz/targets.py"


def test_the_harness_notices_every_kind_of_fault() -> None:
    name = "tests.fuzz.faulty:Faulty"
    report = runner.replay([name], cases=12)
    kinds = " ".join(one.kind for one in report.found.values())
    for kind in ("this is wrong", "KeyError", "SIGSEGV", "too slow", "memory"):
        assert kind in kinds
    assert report.tallies[name].tried == 12


def test_a_seed_makes_the_same_case() -> None:
    one = target("xmc")
    assert seeded(one, 3) == seeded(one, 3) != seeded(one, 4)
    rng = random.Random(1)
    assert mutate(rng, b"1,2,3\n") == mutate(random.Random(1), b"1,2,3\n")


def test_a_case_of_the_corpus_keeps_its_options() -> None:
    for name in READERS:
        for path in corpus(name):
            assert stored(path).content == path.read_bytes()
    with_options = next(p for p in corpus("csv"))
    assert stored(with_options).options["labels"] == "last:1"
