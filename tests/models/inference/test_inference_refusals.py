"""What inference refuses, it refuses in one sentence with the remedy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlfs.errors import UnknownName, UsageError
from mlfs.models import inference
from mlfs.models.inference import (
    Beam,
    BestFirst,
    Exhaustive,
    MaxSum,
    MonteCarlo,
    anneal,
    joint_log_proba,
    marginals,
    mode,
    sample,
)
from tests.any_conditionals import Shape, Tabled, model

CHAIN = model("chain", 4, "smooth", 0)
SURE = Tabled(CHAIN.structure, CHAIN.ones, probabilistic=False)


@pytest.mark.parametrize(
    "ask",
    [
        *(inference.make(name).predict for name in inference.INFERENCES if name != "greedy"),
        marginals,
        mode,
        sample,
        lambda one: joint_log_proba(one, np.zeros((4, 4))),
    ],
)
def test_what_needs_probabilities_says_so(ask: Any) -> None:
    with pytest.raises(UsageError, match=r"needs probabilities.*Greedy\(\), or .*LogisticRegr"):
        ask(SURE)


def test_which_inferences_need_probabilities() -> None:
    without = {name for name, one in inference.INFERENCES.items() if not one.needs_probabilities}
    assert without == {"greedy"}


def independent(q: int) -> Tabled:
    return model("none", q, "smooth", 0, n_rows=1)


@pytest.mark.parametrize(
    ("loss", "remedy"), [("subset", r"BestFirst\(\)"), ("f1", r"MonteCarlo\(loss='f1'\)")]
)
def test_exhaustion_is_refused_above_its_limit(loss: str, remedy: str) -> None:
    message = rf"2\*\*16 label vectors .* more than 15 labels: use {remedy}, or raise limit"
    with pytest.raises(UsageError, match=message):
        Exhaustive(loss=loss).predict(independent(16))
    assert Exhaustive(limit=16, loss=loss).predict(independent(16)).shape == (1, 16)
    with pytest.raises(UsageError, match="more than 2 labels"):
        Exhaustive(limit=2, loss=loss).predict(independent(3))


def test_max_sum_names_the_edge_that_closes_a_cycle() -> None:
    structure = Shape(("a", "b", "c"), (0, 1, 2), ((), (0,), (0, 1)))
    one = Tabled(structure, [np.full((1, 2**i), 0.5) for i in range(3)])
    message = r"edge between 'b' and 'c' closes a cycle: use BestFirst\(\)"
    with pytest.raises(UsageError, match=message):
        MaxSum().predict(one)


def test_max_sum_takes_no_more_than_twelve_parents() -> None:
    parents = (*[()] * 13, tuple(range(13)))
    structure = Shape(tuple(map(str, range(14))), tuple(range(14)), parents)
    one = Tabled(structure, [np.full((1, 2 ** len(p)), 0.5) for p in structure.parents])
    with pytest.raises(UsageError, match="at most 12 parents for a label, and '13' has 13"):
        MaxSum().predict(one)
    assert mode(one).tolist() == [[0] * 14]


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (BestFirst(max_nodes=0), "max_nodes is a whole number from 1 on, not 0"),
        (Beam(width=0), "width is a whole number from 1 on, not 0"),
        (Beam(width=2.5), r"width is a whole number from 1 on, not 2\.5"),
        (MonteCarlo(n_samples=0), "n_samples is a whole number from 1 on, not 0"),
        (MonteCarlo(random_state=-1), "random_state is a whole number of at least 0"),
        (Exhaustive(limit=True), "limit is a whole number from 1 on, not True"),
    ],
)
def test_parameters_are_checked(one: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        one.predict(CHAIN)


@pytest.mark.parametrize("Y", [np.zeros((4, 3)), np.zeros(4), np.zeros((3, 4))])
def test_label_vectors_of_another_shape_are_refused(Y: np.ndarray) -> None:
    with pytest.raises(UsageError, match=r"not \(4, 4\): one for each row"):
        joint_log_proba(CHAIN, Y)


@pytest.mark.parametrize("value", [-1, 2, 0.5])
def test_label_vectors_hold_zeros_and_ones(value: float) -> None:
    with pytest.raises(UsageError, match="values other than 0 and 1"):
        joint_log_proba(CHAIN, np.full((4, 4), value))


def test_label_vectors_that_are_missing_are_refused() -> None:
    with pytest.raises(UsageError, match="values other than 0 and 1"):
        joint_log_proba(CHAIN, np.full((4, 4), np.nan))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_steps": -1}, "n_steps is a whole number from 0 on, not -1"),
        ({"hot": 0}, "the temperature hot is a number above 0, not 0"),
        ({"cold": float("inf")}, "the temperature cold is a number above 0, not inf"),
    ],
)
def test_annealing_checks_its_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        anneal(lambda Y: Y.sum(axis=1), np.zeros((1, 2, 3), np.int8), **options)


def test_starts_have_three_dimensions() -> None:
    with pytest.raises(UsageError, match=r"the starts have shape \(2, 3\), not"):
        anneal(lambda Y: Y.sum(axis=1), np.zeros((2, 3), np.int8))


def test_unknown_names_get_a_hint() -> None:
    with pytest.raises(UnknownName, match="did you mean 'beam'"):
        inference.make("baem")
    with pytest.raises(UsageError, match="beam inference has no parameter 'size': it has width"):
        inference.make("beam", size=3)
    with pytest.raises(UnknownName, match="unknown method 'exac'"):
        marginals(CHAIN, method="exac")
