"""Walks the product's picks beside the oracle: each pick's score, and that no other beats it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mlfs
from mlfs.api.options import PREPARING
from mlfs.criteria import get
from tests import naive, naive_more

if TYPE_CHECKING:
    from tests.problems import Problem

NEAR = 1e-9


def criterion(name: str) -> Any:
    """What the criterion declares: its scope, its search, whether it wants a network."""
    return get(name)[1]


def oracle(name: str) -> Any:
    """The formula of a criterion, from scratch; None if there is none yet."""
    of = f"J_{name}"
    return getattr(naive, of, None) or getattr(naive_more, of, None)


def select(given: Problem, name: str, **options: Any) -> Any:
    """`mlfs.select` with the integers taken as they are."""
    options.setdefault("nominal_limit", 1000)
    chain = {key: options.pop(key) for key in ("order", "k") if key in options}
    if not chain:
        return mlfs.select((given.X, given.Y), criterion=name, **options)
    preparing = {key: options.pop(key) for key in PREPARING if key in options}
    ready = mlfs.prepare((given.X, given.Y), **preparing)
    return mlfs.select(ready, name, network=mlfs.label_network(ready, **chain), **options)


@dataclass(frozen=True)
class Answer:
    """One ranking with what the oracle needs to judge it: its labels and their parents."""

    record: Any
    Y: list[Any]
    P: list[list[Any]]
    label: int | None

    @property
    def picks(self) -> list[int]:
        return [int(f) for f in self.record.indices]


def answers(selection: Any, Y: list[Any]) -> list[Answer]:
    """One answer for all labels, or one for each."""
    network = selection.network
    parents = [network.parents[l] if network else () for l in range(len(Y))]
    P = [[Y[p] for p in own] for own in parents]
    if not selection.labels:
        return [Answer(selection, Y, P, None)]
    assert len(selection.labels) == len(Y)
    return [Answer(record, [Y[l]], [P[l]], l) for l, record in enumerate(selection.labels.values())]


def near(a: float, b: float) -> bool:
    return abs(a - b) <= NEAR


def check_terms(answer: Answer) -> None:
    terms = answer.record.terms
    total = terms["relevance"] + terms["label_correlation"] - terms["redundancy"]
    assert len(answer.record.scores) == len(answer.picks)
    np.testing.assert_allclose(answer.record.scores, total, rtol=0, atol=NEAR)


def check_greedy(name: str, answer: Answer, X: list[Any], **parameters: Any) -> None:
    """Each pick has the score of the oracle, and no open candidate has a better one."""
    J = oracle(name)
    picks = answer.picks
    assert len(set(picks)) == len(picks)
    for k, f in enumerate(picks):
        rest = [g for g in range(len(X)) if g not in picks[:k]]
        by_oracle = {g: J(g, picks[:k], X, answer.Y, answer.P, **parameters) for g in rest}
        step = f"{name} label {answer.label} step {k + 1} pick {f} of {picks}"
        assert near(answer.record.scores[k], by_oracle[f]), f"{step}: {by_oracle[f]}"
        best = max(by_oracle, key=by_oracle.get)
        assert by_oracle[f] >= by_oracle[best] - NEAR, f"{step}: {best} has {by_oracle[best]}"


def check_never(name: str, answer: Answer, X: list[Any], n: int) -> None:
    """Fewer than n come back only when all that is left may never be taken."""
    J = oracle(name)
    assert len(answer.picks) <= n
    if len(answer.picks) < n:
        rest = set(range(len(X))) - set(answer.picks)
        assert all(J(g, answer.picks, X, answer.Y, answer.P) == float("-inf") for g in rest)


def check_best_first(name: str, answer: Answer, X: list[Any]) -> None:
    """The merit is that of the set, and what naive best-first search finds."""
    P = answer.P if criterion(name).network else None
    merit = naive.merit(answer.picks, X, answer.Y, P)
    found, best = naive.best_first(X, answer.Y, P)
    step = f"{name} label {answer.label}: {answer.picks} with {merit}, naive {found} with {best}"
    if answer.picks:
        assert answer.record.scores[-1] == pytest.approx(merit, abs=NEAR), step
    assert near(merit, best), step


def same(one: Any, other: Any, *, bitwise: bool = False) -> None:
    """Two selections with the same answer (`other` may be a record of one label)."""
    assert tuple(one.indices) == tuple(other.indices)
    compare = np.testing.assert_array_equal if bitwise else close
    compare(one.scores, other.scores)
    for term, values in one.terms.items():
        compare(values, other.terms[term])
    mine, theirs = getattr(one, "labels", None) or {}, getattr(other, "labels", None) or {}
    assert len(mine) == len(theirs)
    for a, b in zip(mine.values(), theirs.values(), strict=True):
        same(a, b, bitwise=bitwise)


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=0, atol=NEAR)
