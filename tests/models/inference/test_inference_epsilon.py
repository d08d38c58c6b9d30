"""Epsilon-approximate search: Algorithm 2 as printed (and corrected), and its bound of regret."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlfs.errors import UsageError
from mlfs.models.inference import BestFirst, Exhaustive, Greedy, joint_log_proba
from tests.any_conditionals import Tabled, as_tuples, model, models, naive_joint

EPSILONS = [0.5, 0.25, 0.125, 2.0**-5, 0.3, 0.01, 0.7, 0.99, 1e-9]
quick = settings(max_examples=30, deadline=None)


def chance(one: Tabled, row: int, prefix: tuple[int, ...], bit: int) -> float:
    """P of the next label of the order, given the values of those before."""
    order = one.structure.order
    label = order[len(prefix)]
    value = dict(zip(order, prefix, strict=False))
    number = sum(value[p] << b for b, p in enumerate(one.structure.parents[label]))
    one_chance = float(one.ones[label][row, number])
    return one_chance if bit else 1 - one_chance


def greedy_below(one: Tabled, row: int, prefix: tuple[int, ...], weight: float):
    while len(prefix) < one.q:
        zero, both = chance(one, row, prefix, 0), chance(one, row, prefix, 1)
        bit = int(both > zero)
        prefix, weight = (*prefix, bit), weight * (both if bit else zero)
    return prefix, weight


def algorithm_2(one: Tabled, row: int, epsilon: float) -> float:
    """The probability of what Algorithm 2 returns; epsilon is 0 before its second loop."""
    open_nodes: list[tuple[float, tuple[int, ...]]] = [(1.0, ())]
    dead: list[tuple[float, tuple[int, ...]]] = []
    while open_nodes:
        open_nodes.sort(key=lambda pair: -pair[0])
        weight, prefix = open_nodes.pop(0)
        if len(prefix) == one.q:
            return weight
        children = [(weight * chance(one, row, prefix, bit), (*prefix, bit)) for bit in (0, 1)]
        kept = [child for child in children if child[0] >= epsilon * (1 - 1e-10)]
        open_nodes += kept
        if not kept:
            dead.append((weight, prefix))
    return max(greedy_below(one, row, prefix, weight)[1] for weight, prefix in dead)


@quick
@given(models(), st.sampled_from(EPSILONS))
def test_it_returns_what_algorithm_2_returns(one: Tabled, epsilon: float) -> None:
    found = np.exp(joint_log_proba(one, BestFirst(epsilon).predict(one)))
    for row in range(one.n_rows):
        assert found[row] == pytest.approx(algorithm_2(one, row, epsilon), rel=1e-7)


@quick
@given(models(), st.sampled_from(EPSILONS))
def test_the_regret_is_at_most_epsilon_less_the_least_mode(one: Tabled, epsilon: float) -> None:
    found = as_tuples(BestFirst(epsilon).predict(one))
    for row in range(one.n_rows):
        joint = naive_joint(one, row)
        best = math.exp(max(joint.values()))
        regret = best - math.exp(joint[found[row]])
        assert regret <= max(0.0, epsilon - 2.0**-one.q) + 1e-9
        if best >= epsilon:
            assert regret <= 1e-9


@quick
@given(models())
def test_epsilon_0_is_exact_and_so_is_a_tiny_one(one: Tabled) -> None:
    exact = Exhaustive().predict(one)
    assert np.array_equal(BestFirst(0).predict(one), exact)
    assert np.array_equal(BestFirst(0.0).predict(one), exact)
    tiny = joint_log_proba(one, BestFirst(2.0**-one.q * 0.999).predict(one))
    assert tiny == pytest.approx(joint_log_proba(one, exact), abs=1e-9)


@quick
@given(models(("chain", "dag")), st.sampled_from(EPSILONS))
def test_it_is_never_worse_than_greedy(one: Tabled, epsilon: float) -> None:
    found = joint_log_proba(one, BestFirst(epsilon).predict(one))
    assert (found >= joint_log_proba(one, Greedy().predict(one)) - 1e-9).all()


def test_the_algorithm_as_printed_would_return_an_inner_node() -> None:
    # all eight leaves are below epsilon: the correction is what makes the second loop count
    one = model("chain", 3, "smooth", 0, n_rows=1)
    for label in range(3):
        one.ones[label][:] = 0.55
    best = math.exp(max(naive_joint(one, 0).values()))
    assert best < 0.25
    assert as_tuples(BestFirst(0.25).predict(one)) == [(1, 1, 1)]


def test_less_epsilon_asks_for_more() -> None:
    one = model("chain", 8, "smooth", 3, n_rows=50)
    scores = [
        joint_log_proba(one, BestFirst(epsilon).predict(one)).mean()
        for epsilon in (0.5, 0.1, 0.01, 0)
    ]
    assert scores == sorted(scores)
    assert scores[0] < scores[-1]


@pytest.mark.parametrize("epsilon", [-0.1, 1, 2, "0.5", None, float("nan"), True])
def test_epsilon_is_a_probability(epsilon: object) -> None:
    one = model("chain", 3, "smooth", 0)
    with pytest.raises(UsageError, match="epsilon is a number from 0 to less than 1, not"):
        BestFirst(epsilon).predict(one)
