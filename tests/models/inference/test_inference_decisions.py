"""The best decision for each loss equals the best of all label vectors, tried one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlfs.errors import UnknownName, UsageError
from mlfs.models.inference import Exhaustive, MonteCarlo, decisions
from mlfs.models.inference.decisions import Support, best_of_sample
from tests.any_conditionals import (
    Tabled,
    as_tuples,
    model,
    models,
    naive_joint,
    naive_marginals,
    vectors,
)

LOSSES_WITH_A_FORMULA = [loss for loss in decisions.LOSSES if loss != "jaccard"]
quick = settings(max_examples=40, deadline=None)
Vector = tuple[int, ...]


def hamming_loss(truth: Vector, said: Vector) -> float:
    return sum(a != b for a, b in zip(truth, said, strict=True))


def subset_loss(truth: Vector, said: Vector) -> float:
    return float(truth != said)


def f1_loss(truth: Vector, said: Vector) -> float:
    if not any(truth) and not any(said):
        return 0.0
    return 1 - 2 * sum(a * b for a, b in zip(truth, said, strict=True)) / (sum(truth) + sum(said))


def ranking_loss(truth: Vector, said: Vector) -> float:
    loss = 0.0
    for i, relevant in enumerate(truth):
        for j, other in enumerate(truth):
            if relevant and not other:
                loss += 1.0 if said[j] > said[i] else 0.5 if said[j] == said[i] else 0.0
    return loss


def jaccard_loss(truth: Vector, said: Vector) -> float:
    either = sum(a or b for a, b in zip(truth, said, strict=True))
    return 1 - sum(a and b for a, b in zip(truth, said, strict=True)) / either if either else 0.0


def missed_twice(truths: np.ndarray, said: np.ndarray) -> np.ndarray:
    """A loss of the user's own: a label that is missed costs two, one too many costs one."""
    return 2.0 * (truths > said).sum(axis=1) + (said > truths).sum(axis=1)


def own_loss(truth: Vector, said: Vector) -> float:
    return float(missed_twice(np.array([truth]), np.array([said]))[0])


NAIVE = {
    "jaccard": jaccard_loss,
    "own": own_loss,
    "hamming": hamming_loss,
    "subset": subset_loss,
    "f1": f1_loss,
    "ranking": ranking_loss,
}


def expected(weights: dict[Vector, float], said: Vector, loss: str) -> float:
    return sum(w * NAIVE[loss](truth, said) for truth, w in weights.items())


@pytest.mark.parametrize("loss", [*decisions.LOSSES, "own"])
@quick
@given(one=models(most=5))
def test_exhaustive_decisions_have_least_expected_loss(loss: str, one: Tabled) -> None:
    given_loss = missed_twice if loss == "own" else loss
    found = as_tuples(Exhaustive(loss=given_loss).predict(one))
    for row in range(one.n_rows):
        weights = {vector: math.exp(score) for vector, score in naive_joint(one, row).items()}
        losses = {said: expected(weights, said, loss) for said in vectors(one.q)}
        assert losses[found[row]] == pytest.approx(min(losses.values()), abs=1e-8)


@st.composite
def supports(draw) -> Support:
    q = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    sizes = rng.integers(1, 6, size=3)
    rows = np.repeat(np.arange(3), sizes)
    labels = (rng.random((len(rows), q)) < rng.choice([0.1, 0.5, 0.9])).astype(np.int8)
    weights = rng.integers(1, 5, len(rows)).astype(float)
    return Support(3, rows, labels, weights)


@pytest.mark.parametrize("loss", ["jaccard", "own"])
@settings(max_examples=20, deadline=None)
@given(support=supports())
def test_no_drawn_vector_has_less_mean_loss(loss: str, support: Support) -> None:
    found = best_of_sample(support, missed_twice if loss == "own" else loss)
    for row in range(3):
        drawn = [
            (tuple(int(v) for v in support.labels[at]), support.weights[at])
            for at in np.flatnonzero(support.rows == row)
        ]
        losses = [sum(w * NAIVE[loss](truth, said) for truth, w in drawn) for said, _ in drawn]
        own = sum(w * NAIVE[loss](truth, as_tuples(found)[row]) for truth, w in drawn)
        assert own <= min(losses) + 1e-9


def test_sampled_and_exhaustive_decisions_agree_for_any_loss() -> None:
    one = model("chain", 4, "smooth", 3, n_rows=20)
    for loss in ("jaccard", missed_twice):
        exact = Exhaustive(loss=loss).predict(one)
        assert (MonteCarlo(5000, loss).predict(one) == exact).mean() > 0.9


def test_a_loss_that_cannot_be_is_refused() -> None:
    one = model("chain", 3, "smooth", 0)
    with pytest.raises(UsageError, match=r"returns float64 of shape \(\); it is given two arrays"):
        Exhaustive(loss=lambda Y, Z: np.mean(Y != Z)).predict(one)
    with pytest.raises(UsageError, match="returns nan: not finite"):
        MonteCarlo(10, loss=lambda Y, _: np.full(len(Y), np.nan)).predict(one)
    with pytest.raises(UsageError, match=r"refused for more than 11 labels \(here 12\)"):
        Exhaustive(loss="jaccard").predict(model("none", 12, "smooth", 0))
    with pytest.raises(UnknownName, match="unknown loss"):
        Exhaustive(loss="jacard").check()


@pytest.mark.parametrize("loss", LOSSES_WITH_A_FORMULA)
@settings(max_examples=40, deadline=None)
@given(support=supports())
def test_decisions_from_samples_have_least_mean_loss(loss: str, support: Support) -> None:
    q = support.labels.shape[1]
    if loss == "f1":
        found = decisions.f1(*support.sizes())
    elif loss == "subset":
        found = heaviest(support)
    else:
        found = getattr(decisions, loss)(support.marginals())
    for row in range(3):
        weights: dict[Vector, float] = {}
        for at in np.flatnonzero(support.rows == row):
            vector = tuple(int(v) for v in support.labels[at])
            weights[vector] = weights.get(vector, 0.0) + support.weights[at]
        losses = {said: expected(weights, said, loss) for said in vectors(q)}
        said = as_tuples(found)[row]
        assert losses[said] == pytest.approx(min(losses.values()), abs=1e-8)


def heaviest(support: Support) -> np.ndarray:
    """Distinct vectors, as sampling gives them."""
    rows, labels, weights = [], [], []
    for row in range(support.n_rows):
        mine = support.rows == row
        kinds, place = np.unique(support.labels[mine], axis=0, return_inverse=True)
        rows += [row] * len(kinds)
        labels.append(kinds)
        weights.append(np.bincount(place.ravel(), support.weights[mine]))
    joined = Support(
        support.n_rows, np.array(rows), np.concatenate(labels), np.concatenate(weights)
    )
    return decisions.subset(joined)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(0, 10_000), st.booleans())
def test_the_f_maximiser_is_exact(q: int, seed: int, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.full(2**q, 0.2 if sparse else 2.0))
    every = vectors(q)
    by_size = np.zeros((1, q, q))
    for vector, weight in zip(every, joint, strict=True):
        for label in range(q):
            if vector[label]:
                by_size[0, label, sum(vector) - 1] += weight
    said = as_tuples(decisions.f1(by_size, joint[:1]))[0]
    weights = dict(zip(every, joint, strict=True))
    losses = {other: expected(weights, other, "f1") for other in every}
    assert losses[said] == pytest.approx(min(losses.values()), abs=1e-10)


def test_ties_go_to_fewer_and_lower_labels() -> None:
    even = np.full((1, 3), 0.5)
    assert decisions.hamming(even).tolist() == [[0, 0, 0]]
    assert decisions.ranking(even).tolist() == [[0, 0, 0]]
    joint = np.zeros((1, 3, 3))
    joint[0, 1:, 0] = 0.5  # exactly one of the labels 1 and 2
    assert decisions.f1(joint, np.zeros(1)).tolist() == [[0, 1, 1]]
    joint[0, 1:, 0] = 1 / 3
    assert decisions.f1(joint, np.array([1 / 3])).tolist() == [[0, 1, 1]]
    lonely = np.zeros((1, 2, 2))
    lonely[0, :, 0] = 0.25
    assert decisions.f1(lonely, np.array([0.5])).tolist() == [[0, 0]]


@pytest.mark.parametrize("loss", decisions.LOSSES)
def test_monte_carlo_comes_near_the_best_decision(loss: str) -> None:
    one = model("chain", 5, "smooth", 12, n_rows=20)
    found = as_tuples(MonteCarlo(n_samples=5000, loss=loss).predict(one))
    regrets = []
    for row in range(one.n_rows):
        weights = {vector: math.exp(score) for vector, score in naive_joint(one, row).items()}
        losses = [expected(weights, said, loss) for said in vectors(5)]
        regrets.append(expected(weights, found[row], loss) - min(losses))
    assert max(regrets) < 0.05
    assert np.mean(regrets) < 0.01


@pytest.mark.parametrize("loss", decisions.LOSSES)
@pytest.mark.parametrize("how", [Exhaustive, MonteCarlo])
def test_sure_labels_are_taken_for_what_they_are(how: type, loss: str) -> None:
    one = model("chain", 4, "smooth", 0, n_rows=3)
    for label, value in enumerate([1e-12, 1 - 1e-12, 1e-12, 1 - 1e-12]):
        one.ones[label][:] = value
    assert as_tuples(how(loss=loss).predict(one)) == [(0, 1, 0, 1)] * 3


def test_marginals_of_hamming_agree_with_the_definition() -> None:
    one = model("dag", 6, "smooth", 1, n_rows=8)
    said = Exhaustive(loss="hamming").predict(one)
    assert np.array_equal(said, naive_marginals(one) > 0.5)


@pytest.mark.parametrize("how", [Exhaustive, MonteCarlo])
@pytest.mark.parametrize("loss", ["hammin", None])
def test_an_unknown_loss_is_named(how: type, loss: object) -> None:
    with pytest.raises(UnknownName, match="unknown loss"):
        how(loss=loss).predict(model("tree", 3, "smooth", 0))
