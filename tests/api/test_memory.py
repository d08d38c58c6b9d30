"""Memory is measured: max_memory holds, by default little is taken, refusals tell what it takes."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs import DataError, select
from mlfs.api.prepared import prepare
from mlfs.counting.memory import Budget, Cache
from mlfs.information.for_search import table_of
from mlfs.information.table import Table
from tests.documents import ROOT

MB = 1 << 20
SLACK = 16 * MB
CLEARED = Path("/proc/self/clear_refs")
measured = pytest.mark.skipif(not CLEARED.exists(), reason="the system cannot reset a peak")


def peaks(case: str, *amounts: object) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "tests.peak", case, *map(str, amounts)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@measured
@pytest.mark.parametrize(("case", "most"), [("planes", 60), ("lists", 24), ("labels", 24)])
def test_a_tight_limit_holds_and_changes_no_bit(case, most):
    tight, roomy = peaks(case, most * MB, 4 << 30)
    assert tight["bits"] == roomy["bits"]
    assert tight["peak"] <= most * MB + SLACK


@measured
def test_by_default_little_is_kept_beside_the_data():
    default, asked = peaks("lists", "default", 4 << 30)
    packed = int(3_000 * 30_000 * 0.003) * 4
    assert default["bits"] == asked["bits"]
    assert default["peak"] <= 2 * packed + 64 * MB


@pytest.mark.parametrize("estimator", ["counts", "gaussian"])
def test_too_little_memory_is_refused_with_what_counting_takes(estimator):
    X = np.random.default_rng(0).integers(0, 2, (50_000, 100)).astype(np.uint8)
    with pytest.raises(DataError, match=r"max_memory is 300 kB, but counting takes at least \d"):
        select((X, X[:, 0]), "mim", 2, max_memory=300_000, estimator=estimator)


@pytest.mark.parametrize("free", [0, 1, 1_000, 10**6, 10**8, 10**12])
@pytest.mark.parametrize("beside", [None, 0, 10**7])
def test_parts_are_not_more_than_the_whole(free, beside):
    budget = Budget.of(free, beside)
    parts = {**vars(budget), "among labels": budget.among_labels().cache}
    assert sum(parts.values()) + budget.masks <= free  # there may be two sets of masks


def test_what_grows_in_a_cache_is_counted():
    cache = Cache(100)
    for key in "abc":
        cache.keep(key, np.zeros(20, np.uint8))
    cache.grow("c", 50)
    assert cache.bytes == 90
    assert cache.find("a") is None
    assert cache.find("c") is not None
    cache.grow("a", 10**6)  # gone already
    assert cache.bytes == 90


def test_a_table_of_counts_is_reported_to_the_cache_when_it_is_made():
    generator = np.random.default_rng(0)
    X = generator.integers(0, 3, (200, 5)) * (generator.random((200, 5)) < 0.1)
    table = table_of(prepare((sp.csr_array(X.astype(float)), X[:, :1] > 0)).info)
    held, before = table.feature(0), table.cache.bytes
    held.table(0)
    assert table.cache.bytes == before + held.table(0).nbytes


@pytest.mark.parametrize("criterion", ["mim", "mrmr", "jmi", "pmu", "scls", "mlfs_local", "mlcfs"])
def test_a_finished_selection_lets_its_memory_go(criterion, monkeypatch):
    made = []
    begin = Table.__init__

    def noted(table, *arguments, **options):
        begin(table, *arguments, **options)
        made.append(weakref.ref(table))

    monkeypatch.setattr(Table, "__init__", noted)
    generator = np.random.default_rng(0)
    X = (generator.random((150, 30)) < 0.3).astype(int)
    gc.disable()
    try:
        for data in ((X, X[:, :3]), (sp.csr_array(X), X[:, :3])):
            mlfs.select(data, criterion, 3)
        assert made
        assert all(one() is None for one in made)
    finally:
        gc.enable()
