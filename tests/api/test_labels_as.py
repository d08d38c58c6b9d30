"""The label set as one class: every criterion on it, rare sets pruned."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs import DataError, UsageError
from mlfs.data import from_arrays, label_sets
from tests import naive
from tests.walk import same


def problem(seed=0, rows=150):
    generator = np.random.default_rng(seed)
    Y = (generator.random((rows, 4)) < [0.5, 0.4, 0.3, 0.1]).astype(int)
    X = generator.integers(0, 3, (rows, 7))
    X[:, 2] = Y[:, 0] ^ Y[:, 1]  # informative about the label set, not about a label alone
    X[:, 5] = np.where(generator.random(rows) < 0.8, Y[:, 2], X[:, 5])
    return X, Y


def as_one_column(Y, fewest, times=None):
    """The sets as values of one column; None in rows of rare sets and with a missing label."""
    sets = [None if -1 in row else row for row in map(tuple, Y.tolist())]
    often = Counter()
    for one, n in zip(sets, [1] * len(sets) if times is None else times, strict=True):
        often[one] += n
    return tuple(one if one is not None and often[one] >= fewest else None for one in sets)


def of_sets(X, Y, fewest=6, **options):
    return label_sets(from_arrays(X, Y), fewest, **options)


@pytest.mark.parametrize("fewest", [6, 2, 1])
@pytest.mark.parametrize("name", ["mim", "mrmr", "jmi", "cmim"])
def test_a_criterion_sees_the_label_set(name, fewest):
    X, Y = problem()
    found = mlfs.select(of_sets(X, Y, fewest), name, 4)
    x, y = [tuple(column) for column in X.T.tolist()], [as_one_column(Y, fewest)]
    J = getattr(naive, f"J_{name}")
    for k, (f, score) in enumerate(zip(found.indices, found.scores, strict=True)):
        before = list(found.indices[:k])
        every = {g: J(g, before, x, y) for g in range(7) if g not in before}
        assert score == pytest.approx(every[f], abs=1e-12)
        assert every[f] == pytest.approx(max(every.values()), abs=1e-12)
    assert found.data["labels"] == 1
    assert found.indices[0] == 2


def test_what_is_pruned_is_said():
    X, Y = problem()
    wanted = as_one_column(Y, 6)
    gone = sum(one is None for one in wanted)
    assert gone > 1
    notes = mlfs.select(of_sets(X, Y), "mim", 2).notes
    assert notes[0] == (
        f"the labels are taken as {len({*wanted} - {None})} label sets; {gone} rows with a rarer "
        "set (in fewer than 6 rows) are left out of what is about labels"
    )
    assert "left out" not in mlfs.select(of_sets(X, Y, 1), "mim", 2).notes[0]
    holes = Y.astype(float)
    holes[3, 1] = np.nan
    notes = mlfs.select(of_sets(X, holes, 1), "mim", 2).notes
    assert any(
        note.endswith("; 1 row with a missing label is left out of what is about labels")
        for note in notes
    )


def test_sparse_labels_and_weights_give_the_same():
    X, Y = problem()
    one = mlfs.select(of_sets(X, Y), "jmi", 4)
    same(mlfs.select(of_sets(sp.csr_array(X), sp.csr_array(Y)), "jmi", 4), one)
    times = np.where(np.arange(150) % 5 == 0, 3, 1)
    weighed = mlfs.select(of_sets(X, Y, weights=times), "jmi", 4, sample_weight=times)
    repeated = np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0)
    same(weighed, mlfs.select(of_sets(*repeated), "jmi", 4), bitwise=True)
    fitted = mlfs.FeatureSelector("jmi", 4).fit(mlfs.prepare(of_sets(X, Y)))
    assert fitted.indices_.tolist() == list(one.indices)
    assert mlfs.explain(of_sets(X, Y), one, [1])[0].rank is None


@pytest.mark.parametrize("weighted", [False, True])
def test_expected_leaves_rows_without_a_set_out_of_everything(weighted):
    X, Y = problem()
    holes = Y.astype(float)
    holes[3, 1] = np.nan
    weights = np.where(np.arange(150) % 5 == 0, 3, 1) if weighted else None
    sets = as_one_column(np.where(holes >= 0, Y, -1), 8, weights)
    kept = np.array([one is not None for one in sets])
    options = {"criterion": "jmi", "n": 4, "correction": "expected"}
    found = mlfs.select(of_sets(X, holes, 8, weights=weights), sample_weight=weights, **options)
    own = None if weights is None else weights[kept]
    some = of_sets(X[kept], Y[kept], 8, weights=own)
    wanted = mlfs.select(some, sample_weight=own, **options)
    same(found, wanted, bitwise=True)
    assert found.data["rows"] == kept.sum() < 149
    gone = 150 - kept.sum()
    note = f"{gone} rows without a label are left out of everything, because the correction"
    assert any(text.startswith(note) for text in found.notes)


def test_wrong_values_are_refused():
    for wrong in (0, 2.5, "2", True):
        with pytest.raises(UsageError, match="fewest is a whole number of at least 1"):
            of_sets(*problem(), wrong)
    with pytest.raises(DataError, match="fewest is 151, but no label set is in at least 151 rows"):
        of_sets(*problem(), 151)
