"""What an automatic number of features computes is in the result."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mlfs

RNG = np.random.default_rng(5)
X = RNG.integers(0, 2, (300, 10))
Y = np.column_stack([X[:, 2] ^ (RNG.random(300) < 0.1), X[:, 6] ^ (RNG.random(300) < 0.2)])


def test_all_candidates_have_a_place_among_shuffles() -> None:
    found = mlfs.select((X, Y), "jmi", "auto", units="bits")
    tested = found.significance
    assert tested is not None
    assert tested.columns.tolist() == list(range(10))
    plain = mlfs.select((X, Y), "mim", 10, units="bits")
    by_column = dict(zip(plain.indices, plain.scores.tolist(), strict=True))
    assert tested.relevance.tolist() == pytest.approx([by_column[j] for j in range(10)])
    assert np.flatnonzero(tested.informative).tolist() == [2, 6]
    assert set(found.indices) <= {2, 6}
    # the mean of I under independence is near (levels - 1)^2 / 2N nats for each label
    assert tested.chance_mean == pytest.approx(2 / 600 / np.log(2), rel=0.4)
    assert (np.argsort(tested.adjusted[[2, 6, 0]])[:2] < 2).all()
    assert (tested.adjusted[tested.informative] <= 0.05).all()
    assert ((tested.p_values >= 0) & (tested.p_values <= 1)).all()
    order = np.argsort(tested.p_values, kind="stable")
    assert (np.diff(tested.adjusted[order]) >= 0).all()


def test_the_json_has_it_for_all_labels_or_for_each() -> None:
    whole = json.loads(json.dumps(mlfs.select((X, Y), "mim", "auto").to_dict(), allow_nan=False))
    assert whole["significance"]["shuffles"] == 100
    assert len(whole["significance"]["p_value"]) == 10
    each = mlfs.select((X, Y), "mim", "auto", per_label=True)
    records = each.to_dict()["labels"]
    first, second = (np.flatnonzero(one["significance"]["informative"]) for one in records)
    assert (first.tolist(), second.tolist()) == ([2], [6])
    assert each.significance is None
    assert mlfs.select((X, Y), "mim", 3).significance is None


def test_a_group_stands_for_its_first_column() -> None:
    found = mlfs.select((X, Y), "mim", "auto", groups={"g": [6, 1]})
    assert found.significance is not None
    assert found.significance.columns.tolist() == [0, 1, 2, 3, 4, 5, 7, 8, 9]
