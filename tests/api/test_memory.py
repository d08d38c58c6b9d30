"""Memory is measured: max_memory holds, by default little is taken, refusals tell what fits."""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs import DataError, select
from mlfs.api.counted import MemoryEstimate
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


def fitting(X: object, Y: np.ndarray, most: int) -> int:
    with pytest.raises(DataError, match="would fit") as refused:
        select((X, Y), "mim", 2, max_memory=most)
    found = re.search(r"about ([\d,]+) of the ([\d,]+) rows would fit", str(refused.value))
    assert int(found[2].replace(",", "")) == X.shape[0]
    return int(found[1].replace(",", ""))


@pytest.mark.parametrize("levels", [2, 3, 8])
@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float64])
def test_as_many_rows_as_a_refusal_names_do_fit(levels, kind):
    generator = np.random.default_rng(levels)
    X = generator.integers(0, levels, (60_000, 30)).astype(kind)
    Y = (X[:, :1] > 0).astype(np.int8)
    fit = fitting(X, Y, 500_000)
    assert 1_000 < fit < 60_000
    assert len(select((X[:fit], Y[:fit]), "mim", 2, max_memory=500_000).indices) == 2


def test_so_do_rows_of_numbers_and_of_a_sparse_table():
    generator = np.random.default_rng(0)
    Y = generator.integers(0, 2, (60_000, 1)).astype(np.int8)
    dense = generator.standard_normal((60_000, 20))
    sparse = sp.random_array((60_000, 50), density=0.1, format="csr", rng=generator)
    for X, most in ((dense, 3_000_000), (sparse, 3_000_000)):
        fit = fitting(X, Y, most)
        assert 1_000 < fit < 60_000
        assert len(select((X[:fit], Y[:fit]), "mim", 2, max_memory=most).indices) == 2


def test_a_table_is_refused_before_anything_is_made_of_it(monkeypatch):
    def none(*_):
        raise AssertionError("the table was looked over")

    monkeypatch.setattr("mlfs.discretize.encoder.Survey.of", none)
    X = np.random.default_rng(0).integers(0, 2, (50_000, 100)).astype(np.uint8)
    with pytest.raises(DataError, match="counting takes at least"):
        select((X, X[:, 0]), "mim", 2, max_memory=300_000)


def test_columns_that_say_nothing_take_no_planes():
    X = np.zeros((50_000, 1_000), np.uint8)
    X[::2, :3] = 1
    assert select((X, X[:, 0]), "mim", 1, max_memory=5_000_000).indices == (0,)


def test_too_many_columns_are_reported():
    with pytest.raises(DataError, match="so many columns do not fit, whatever the rows"):
        MemoryEstimate(rows=10, fixed=10_000, of_rows=5).free(9_000)


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
