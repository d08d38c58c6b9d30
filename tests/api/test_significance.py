"""What an automatic number of features computes is in the result."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mlfs

RNG = np.random.default_rng(5)
X = RNG.integers(0, 2, (300, 10))
Y = np.column_stack([X[:, 2] ^ (RNG.random(300) < 0.1), X[:, 6] ^ (RNG.random(300) < 0.2)])


def test_all_candidates_are_tested() -> None:
    found = mlfs.select((X, Y), "jmi", "auto")
    tested = found.significance
    assert tested is not None
    assert tested.columns.tolist() == list(range(10))
    plain = mlfs.select((X, Y), "mim", 10)
    by_column = dict(zip(plain.indices, plain.scores.tolist(), strict=True))
    assert tested.relevance.tolist() == pytest.approx([by_column[j] for j in range(10)])
    assert np.flatnonzero(tested.informative).tolist() == [2, 6]
    assert set(found.indices) <= {2, 6}
    assert np.isnan(tested.p_beside).tolist() == (~tested.informative).tolist()
    assert (tested.p_beside[[2, 6]] < 1e-6).all()
    assert tested.instead.tolist() == [-1] * 10
    assert (np.argsort(tested.adjusted[[2, 6, 0]])[:2] < 2).all()
    assert (tested.adjusted[tested.informative] <= 0.05).all()
    assert ((tested.p_values >= 0) & (tested.p_values <= 1)).all()
    order = np.argsort(tested.p_values, kind="stable")
    assert (np.diff(tested.adjusted[order]) >= 0).all()


def test_the_json_has_it_for_all_labels_or_for_each() -> None:
    whole = json.loads(json.dumps(mlfs.select((X, Y), "mim", "auto").to_dict(), allow_nan=False))
    assert whole["told_by"][0]["name"] == "x2"
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


@pytest.mark.parametrize("per_label", [True, False])
def test_informative_columns_have_an_interval_of_their_relevance(per_label: bool) -> None:
    found = mlfs.select((X, Y), "mim", "auto", per_label=per_label)
    rankings = [*found.labels.values()] if per_label else [found]
    sure = mlfs.information.mutual_information((X, Y), interval=0.95)
    for l, ranking in enumerate(rankings):
        tested, labels = ranking.significance, [l] if per_label else [0, 1]
        assert tested is not None
        assert (np.isnan(tested.low) == ~tested.informative).all()
        for j in np.flatnonzero(tested.informative).tolist():
            low, high = sure.low[j, labels].sum(), sure.high[j, labels].sum()
            if per_label:
                assert (tested.low[j], tested.high[j]) == pytest.approx((low, high))
            else:  # the labels may depend on one another in any way
                assert tested.low[j] < tested.relevance[j] < tested.high[j]
                assert tested.high[j] - tested.low[j] == pytest.approx(high - low, rel=0.1)
    weighted = mlfs.select((X, Y), "mim", "auto", sample_weight=np.arange(300) % 3 + 1)
    assert np.isnan(weighted.significance.low).all()
    read = mlfs.Selection.from_json(json.dumps(found.to_dict()))
    one, other = (s if not per_label else s.labels["y0"] for s in (found, read))
    np.testing.assert_array_equal(other.significance.low, one.significance.low)
    assert {"low", "high"} <= set(one.significance.to_frame().columns)


def test_the_interval_within_strata_is_that_of_their_mean() -> None:
    site = np.arange(300) % 2
    tested = mlfs.select((X, Y[:, :1]), "mim", "auto", given=site).significance
    parts = [
        mlfs.information.mutual_information((X[site == z, 2:3], Y[site == z, :1]), interval=0.95)
        for z in (0, 1)
    ]
    mean = (parts[0].mean + parts[1].mean).item() / 2
    sd = np.hypot(parts[0].sd, parts[1].sd).item() / 2
    assert (tested.low[2], tested.high[2]) == pytest.approx(
        (mean - 1.96 * sd, mean + 1.96 * sd), abs=0.2 * sd
    )
