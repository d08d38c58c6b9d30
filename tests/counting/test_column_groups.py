"""The layout in which a column is counted changes nothing that is counted."""

from __future__ import annotations

import itertools
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from select import select as wait_for

import numpy as np
import pytest
import scipy.sparse as sp
from numba.core import config

from mlfs import select
from mlfs.counting import column_groups, parallel
from mlfs.counting.codes import Codes
from mlfs.criteria import available, get
from mlfs.information.exact import ExactInfo
from mlfs.information.for_search import report, table_of, view_of_some
from mlfs.information.info import Info
from mlfs.search.greedy import best_first, greedy
from tests.left_out import info_of_codes

ONLY_PLANES, ONLY_LISTS = 0.0, float("inf")
CHAIN = [(), (0,), (0, 1), (2,)]


def table(seed: int, rows: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """Columns of two to twenty levels, some at their mode nearly everywhere, some missing."""
    generator = np.random.default_rng(seed)
    levels = generator.permutation([2, 2, 2, 2, 3, 4, 8, 16, 17, 20, 1])
    share = generator.choice([0.02, 0.3, 0.9], levels.size)
    on = generator.random((rows, levels.size)) < share
    features = np.where(on, generator.integers(0, levels, (rows, levels.size)), levels - 1)
    labels = (generator.random((rows, 4)) < [0.05, 0.4, 0.6, 0.9]).astype(int)
    labels[:, 0] ^= features[:, 0] == 0
    labels[:, 3] += generator.integers(0, 2, rows)
    if seed % 2:
        features[generator.random(features.shape) < 0.05] = -1
        labels[generator.random(labels.shape) < 0.05] = -1
    return features, labels


def told(name: str, info: Info) -> list[tuple[int, float, float]]:
    """All picks of a criterion, for each label where it wants that."""
    criterion = get(name)[1]
    each = criterion.scope == "each label"
    views = [info.for_label(label) for label in range(4)] if each else [info]
    paths = [
        best_first(criterion, view)
        if criterion.search == "best first"
        else greedy(criterion, view, 5)
        for view in views
    ]
    return [(pick.index, pick.score, pick.margin) for path in paths for pick in path.picks]


def problems() -> list[tuple[str, int]]:
    """Each criterion on every seed; without the compiler those that run all lines of kernels."""
    if config.DISABLE_JIT:
        names = ["mlfs_local", "icap", "nmifs", "jim", "ami", "mlcfs_global", "fcbf"]
        return [*zip(names, [2, 0, 3, 2, 0, 0, 1], strict=True)]
    return [*itertools.product(available(), range(4))]


@pytest.mark.parametrize(("name", "seed"), problems())
def test_planes_and_lists_give_the_same_bits(name, seed, monkeypatch):
    answers, forms = [], []
    for word_cost in (ONLY_PLANES, ONLY_LISTS):
        monkeypatch.setattr(column_groups, "WORD_COST", word_cost)
        info = info_of_codes(*table(seed), parents=CHAIN, ignore_missing=seed == 3)
        answers.append(told(name, info))
        forms.append(report(info)["layouts"])
    assert answers[0] == answers[1]
    assert any(form.startswith("bit planes") for form in forms[0])
    assert all(form.startswith("row lists") for form in forms[1])


def test_columns_of_all_kinds_stand_in_the_order_of_their_kinds():
    features, labels = (Codes.from_dense(part) for part in table(0))
    kind = column_groups.kinds(features, labels, weighted=False)
    assert set(kind.tolist()) == {0, 1, 2, 3}
    ordered, place = features.sorted_by(kind)
    assert (np.diff(column_groups.kinds(ordered, labels, weighted=False)) >= 0).all()
    for column in range(len(features)):
        assert (ordered.column(int(place[column])) == features.column(column)).all()


def test_weighted_rows_are_counted_through_lists():
    features, labels = (Codes.from_dense(part) for part in table(0))
    kind = column_groups.kinds(features, labels, weighted=True)
    assert set(kind.tolist()) <= {
        column_groups.LayoutKind.BINARY_LISTS,
        column_groups.LayoutKind.LISTS,
    }


def test_the_mode_may_be_any_code_and_rows_fill_no_word():
    generator = np.random.default_rng(7)
    for rows in (1, 63, 64, 65, 130):
        features = generator.integers(0, 2, (rows, 3)) | (generator.random((rows, 3)) < 0.5)
        labels = generator.integers(0, 2, (rows, 2))
        info = Info.from_codes(features.astype(int), labels)
        table = table_of(info)
        counts = table.counts
        for s in range(3):
            pairs = table.feature(s).complete_table
            for f in range(3):
                at = table.position(f)
                first, last = counts.offsets[at], counts.offsets[at + 1]
                known = np.zeros((last - first, pairs.shape[1]), int)
                codes = counts.features
                np.add.at(known, (codes.column(at), codes.column(s)), 1)
                assert (pairs[first:last] == known).all()


def test_weighted_rows_of_a_sparse_table_without_entries():
    labels, weights = np.array([[0], [1], [1]]), [1, 2, 1]
    dense, sparse = (
        select((x, labels), "mim", 2, sample_weight=weights)
        for x in (np.zeros((3, 2)), sp.csr_array((3, 2)))
    )
    assert dense.indices == sparse.indices
    assert dense.scores.tobytes() == sparse.scores.tobytes()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # that is what is tried
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_counts_without_the_threads_that_stayed_behind(monkeypatch):
    monkeypatch.setattr(parallel, "THREADED_FROM", 0)
    info = Info.from_codes(*table(0), n_jobs=2)
    before = info.mi_fs(0)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, np.array([info.mi_fs(1).sum()]).tobytes())
        os._exit(0)
    ready, _, _ = wait_for([read], [], [], 20)
    if not ready:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert ready
    assert np.frombuffer(os.read(read, 8))[0] == info.mi_fs(1).sum()
    assert before.shape == (11,)


def test_labels_in_any_order_are_distinguished():
    features, labels = table(0)
    info = Info.from_codes(features, labels)
    other = ExactInfo(table_of(info), labels=np.array([0, 2, 1, 3]))
    assert np.allclose(other.cmi_sL_given_f(1), info.cmi_sL_given_f(1), rtol=0, atol=1e-12)


@pytest.mark.parametrize("word_cost", [ONLY_PLANES, ONLY_LISTS])
def test_each_of_all_labels_is_counted_in_any_order(monkeypatch, word_cost):
    monkeypatch.setattr(column_groups, "WORD_COST", word_cost)
    generator = np.random.default_rng(5)
    X, Y = generator.integers(0, [[2, 3] * 4], (150, 8)), generator.integers(0, 2, (150, 4))
    counted, order = table_of(Info.from_codes(X, Y)), np.array([2, 0, 3, 1])
    for s in range(8):
        pairs = counted.feature(s)
        ordered = counted.triples.sums_of_each(pairs, np.arange(4))
        np.testing.assert_array_equal(counted.triples.sums_of_each(pairs, order), ordered[order])


@pytest.mark.skipif(config.DISABLE_JIT, reason="only kernels let two threads run at once")
@pytest.mark.parametrize("levels", [2, 4])
def test_two_threads_may_ask_one_table(levels):
    """What planes keep until the next call must not be another thread's."""
    generator = np.random.default_rng(levels)
    X, Y = generator.integers(0, levels, (3000, 1000)), generator.integers(0, 2, (3000, 3))
    picks = range(40)
    alone = Info.from_codes(X, Y)
    expected = [alone.cmi_sL_given_f(s) for s in picks]
    shared = Info.from_codes(X, Y)
    few = np.arange(0, 1000, 3)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(shared.cmi_sL_given_f, picks))
        views = pool.map(lambda s: view_of_some(shared, few, (), few[:0]).cmi_sL_given_f(s), picks)
        seen = list(views)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(seen, np.array(expected)[:, few])
