"""A table whose columns several hold answers as one table does, to the last bit."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from mlfs import criteria
from mlfs.counting.codes import Codes
from mlfs.counting.counts import Counts
from mlfs.counting.label_columns import with_masks
from mlfs.information.adjusted import AdjustedInfo
from mlfs.information.columns_info import AdjustedColumnsInfo, ColumnsInfo, Question
from mlfs.information.exact import ExactInfo
from mlfs.information.for_search import cmi_given_features, with_parents
from mlfs.information.held_columns import HeldColumns
from mlfs.information.info import UnansweredError
from mlfs.information.table import Table
from mlfs.search.greedy import best_first, greedy

N, D, Q = 400, 30, 4
PARENTS = ((), (0,), (0, 1), (2,))


def adjusted(table: Table) -> AdjustedInfo:
    return AdjustedInfo(ExactInfo(table))


class Here:
    """Holders in this process; every message is pickled."""

    def __init__(self, x: Codes, y: Codes, cuts: list[int], **settings: Any) -> None:
        y, mask_of = with_masks(y)
        counting = {"weights": settings.pop("weights")}
        self.edges, self.held = [0, *cuts, len(x)], list[HeldColumns]()
        for a, b in zip(self.edges, self.edges[1:], strict=False):
            counts, positions = Counts.of(x.take(np.arange(a, b)), y, **counting)
            table = Table(counts, Q, mask_of, positions=positions, **settings)
            self.held.append(pickle.loads(pickle.dumps(HeldColumns(table, a))))
        self.of_labels = Table(Counts.of(x.take(np.arange(0)), y, **counting)[0], Q, mask_of)
        tables = [held.table for held in self.held]
        orders = [slice(None) if t.positions is None else t.positions for t in tables]
        levels = [t.counts.levels[o] for t, o in zip(tables, orders, strict=True)]
        self.levels = np.concatenate(levels)
        self.size = len(self.held)

    def ask(
        self, question: Question, columns: Sequence[int], asked: Sequence[int] | None = None
    ) -> list[Any]:
        owner = np.searchsorted(self.edges, columns, side="right") - 1
        lent = {s: self.held[i].lent(s) for i, s in zip(owner.tolist(), columns, strict=True)}
        sent = pickle.dumps((question, lent))
        chosen = range(self.size) if asked is None else asked
        return [self.held[i].answer(*pickle.loads(sent)) for i in chosen]


def table(missing: float) -> tuple[Codes, Codes]:
    rng = np.random.default_rng(3)
    levels = np.r_[np.full(12, 2), rng.integers(3, 9, 12), np.full(6, 40)]
    X = rng.integers(0, levels, (N, D))
    X[:, 25] = X[:, 3]
    Y = ((X[:, :Q] + X[:, 14 : 14 + Q] + rng.integers(0, 3, (N, Q))) > 3).astype(int)
    X[rng.random(X.shape) < missing], Y[rng.random(Y.shape) < missing] = -1, -1
    return Codes.from_dense(X), Codes.from_dense(Y)


PLAIN: dict[str, Any] = {"weights": None}
WAYS: dict[str, tuple[float, Any, dict[str, Any]]] = {
    "plain": (0.0, ExactInfo, PLAIN),
    "missing": (0.05, ExactInfo, PLAIN),
    "weights": (0.05, ExactInfo, {**PLAIN, "weights": np.arange(N) % 4}),
    "expected": (0.0, adjusted, PLAIN),
    "expected, unequal weights": (0.0, adjusted, {**PLAIN, "weights": np.arange(1, N + 1) << 20}),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_criterion_picks_the_same(way: str) -> None:
    missing, make, settings = WAYS[way]
    codes = table(missing)
    one: Any = with_parents(make(Here(*codes, [], **settings).held[0].table), PARENTS)
    kind = ColumnsInfo if make is ExactInfo else AdjustedColumnsInfo
    many = kind(Here(*codes, [7, 20], **settings), np.arange(Q), parents=PARENTS)
    for name in criteria.available():
        criterion = criteria.get(name)[1]
        for own, other in ((one, many), (one.for_label(1), many.for_label(1))):
            if own.q < criterion.least_labels or (criterion.scope == "each label" and own is one):
                continue
            search = best_first if criterion.search == "best first" else greedy
            more = () if search is best_first else (6,)
            try:
                expected = search(criterion, own, *more).picks  # type: ignore[arg-type]
            except (UnansweredError, ValueError):
                continue
            found = search(criterion, other, *more).picks  # type: ignore[arg-type]
            for left, right in zip(expected.arrays, found.arrays, strict=True):
                np.testing.assert_array_equal(left, right, err_msg=name)


@pytest.mark.parametrize("way", ["plain", "missing"])
def test_the_order_of_a_chain_on_all_features_is_the_same(way: str) -> None:
    missing, _, settings = WAYS[way]
    codes = table(missing)
    one = Here(*codes, [], **settings).held[0].info
    many = ColumnsInfo(Here(*codes, [5, 6, 20], **settings), np.arange(Q))
    np.testing.assert_array_equal(cmi_given_features(one), cmi_given_features(many))


def test_picks_may_be_asked_jointly_in_any_order() -> None:
    missing, _, settings = WAYS["missing"]
    codes = table(missing)
    one = Here(*codes, [], **settings).held[0].info
    many = ColumnsInfo(Here(*codes, [7, 20], **settings), np.arange(Q))
    for picked in ([1, 25, 9, 14, 3], [1, 25], [8], [8, 2, 22, 1, 29, 13, 4, 5, 6, 10, 11, 12]):
        np.testing.assert_array_equal(one.cmi_fL_given_S(picked), many.cmi_fL_given_S(picked))
        np.testing.assert_array_equal(one.su_fS(picked), many.su_fS(picked))
        assert one.su_SS(picked) == many.su_SS(picked)
    some = [4, 29, 0]
    np.testing.assert_array_equal(one.mi_fs(8)[some], many.only(some).mi_fs(8))
