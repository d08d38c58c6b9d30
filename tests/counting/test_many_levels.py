"""Columns that tell nearly every row apart are counted without tables of their pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.information.info import Info
from tests import naive, naive_bias

ROWS = 70


def problem(classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(classes)
    X = np.stack([rng.permutation(ROWS) % (ROWS - few) for few in range(6)], axis=1)
    X = np.hstack([X, rng.integers(0, 3, (ROWS, 2))])
    return X, np.stack([rng.integers(0, classes, ROWS), X[:, 7] > 0], axis=1).astype(int)


def columns(table: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(column) for column in table.T.tolist()]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_words_agree_with_their_formulas(classes: int, weighted: bool) -> None:
    X, Y = problem(classes)
    times = np.random.default_rng(1).integers(0 if classes == 2 else 1, 3, ROWS)
    times = times if weighted else np.ones(ROWS, int)
    x, y = columns(np.repeat(X, times, axis=0)), columns(np.repeat(Y, times, axis=0))
    info = Info.from_codes(X, Y, weights=times if weighted else None)
    for s in (0, 5, 7):
        wanted = [naive.I(f, x[s]) for f in x]
        np.testing.assert_allclose(info.mi_fs(s), wanted, atol=1e-12)
        wanted = [sum(naive.I(f, l, x[s]) for l in y) for f in x]
        np.testing.assert_allclose(info.cmi_fL_given_s(s), wanted, atol=1e-12)
        each = info.sum_over_labels(lambda block, s=s: np.maximum(block.interaction_fsl(s), 0))  # type: ignore[misc]
        wanted = [sum(max(0.0, naive.interaction(f, x[s], l)) for l in y) for f in x]
        np.testing.assert_allclose(each, wanted, atol=1e-12)


@pytest.mark.parametrize("correction", ["none", "expected"])
def test_layouts_and_threads_change_no_bit(correction: str) -> None:
    X, Y = problem()
    options = {"nominal_limit": ROWS, "correction": correction}
    first = mlfs.select((X, Y), "jmi", 5, **options)
    others = [
        mlfs.select((sp.csr_array(X.astype(float)), Y), "jmi", 5, **options),
        mlfs.select((X, Y), "jmi", 5, n_jobs=2, **options),
    ]
    for other in others:
        assert other.indices == first.indices
        np.testing.assert_array_equal(other.scores, first.scores)


def test_the_expected_information_is_subtracted() -> None:
    X, Y = problem()
    x, y = columns(X), columns(Y)
    info = mlfs.prepare((X, Y), nominal_limit=ROWS, correction="expected").info
    both = [sum(naive_bias.adjusted(naive.joint(f, x[1]), l) for l in y) for f in x]
    np.testing.assert_allclose(info.joint_fsL(1), both, atol=1e-12)


def test_no_table_is_made_of_the_pairs_of_levels() -> None:
    rng = np.random.default_rng(0)
    X = np.stack([rng.permutation(6_000) for _ in range(4)], axis=1)  # one table: 0.4 GB
    y = rng.integers(0, 2, 6_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mlfs.counting.column_groups.ColumnGroup.co_with", None)  # what would make it
        found = mlfs.select((X, y), "jmi", 3, nominal_limit=10_000)
    assert found.indices == (0, 1, 2)


@pytest.mark.parametrize("case", ["features", "labels", "both", "weights", "mode", "none"])
@pytest.mark.parametrize("name", ["jmi", "mrmr", "icap", "jim"])
def test_missing_values_and_impurity_give_what_tables_give(case: str, name: str) -> None:
    """Sums that are walked are those of complete tables, bit for bit."""
    rng = np.random.default_rng(3)
    X, Y = (part.astype(float) for part in problem())
    if case in {"features", "both", "weights", "mode"}:
        X[rng.random(X.shape) < 0.1] = np.nan
    if case == "mode":  # missing is the most frequent code
        X[:20, 0] = X[:9, 6] = np.nan
    if case in {"labels", "both"}:
        Y[rng.random(Y.shape) < 0.1] = np.nan
    options: dict[str, Any] = {"nominal_limit": ROWS}
    if case == "weights":
        options["sample_weight"] = rng.integers(0, 3, ROWS)
    walked = mlfs.select((X, Y), name, 5, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mlfs.counting.layouts.RowLists.is_wide", lambda self, anchor: False)
        made = mlfs.select((X, Y), name, 5, **options)
    assert walked.indices == made.indices
    np.testing.assert_array_equal(walked.scores, made.scores)
