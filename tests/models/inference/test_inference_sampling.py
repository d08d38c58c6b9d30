"""Samples come from the joint probability; marginals are exact where they are said to be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from mlfs.models import inference
from mlfs.models.inference import has_exact_marginals, marginals, sample
from mlfs.models.inference.monte_carlo import draw_samples
from tests.any_conditionals import (
    Shape,
    Tabled,
    as_tuples,
    model,
    models,
    naive_joint,
    naive_marginals,
    vectors,
)

quick = settings(max_examples=25, deadline=None)


@quick
@given(models())
def test_marginals_are_exact_for_few_labels(one: Tabled) -> None:
    assert has_exact_marginals(one.structure)
    found = marginals(one)
    assert found == pytest.approx(naive_marginals(one), abs=1e-9)
    assert np.array_equal(found, marginals(one, method="exact"))
    assert found.min() >= 0
    assert found.max() <= 1


def window(q: int, k: int, n_rows: int = 3) -> Tabled:
    """A chain in which each label looks at the k before."""
    parents = tuple(tuple(range(max(0, i - k), i)) for i in range(q))
    rng = np.random.default_rng(q)
    ones = [rng.uniform(0.1, 0.9, (n_rows, 2 ** len(p))) for p in parents]
    return Tabled(Shape(tuple(map(str, range(q))), tuple(range(q)), parents), ones)


def test_a_long_chain_of_short_memory_has_exact_marginals() -> None:
    one = window(40, 3)
    assert has_exact_marginals(one.structure)
    found = marginals(one, method="exact")
    # naive: carry the joint of the last three labels along, vector by vector
    for row in range(one.n_rows):
        joint: dict[tuple[int, ...], float] = {(): 1.0}
        for label in range(40):
            longer: dict[tuple[int, ...], float] = {}
            for last, weight in joint.items():
                chance = one.ones[label][row, sum(v << b for b, v in enumerate(last))]
                for bit in (0, 1):
                    key = (*last, bit)[-3:]
                    share = weight * (chance if bit else 1 - chance)
                    longer[key] = longer.get(key, 0.0) + share
            joint = longer
            ones = sum(weight for key, weight in joint.items() if key[-1])
            assert found[row, label] == pytest.approx(ones, abs=1e-9)


def test_no_more_than_twelve_labels_may_be_open_at_a_time() -> None:
    assert has_exact_marginals(window(40, 11, n_rows=1).structure)
    assert not has_exact_marginals(window(40, 12, n_rows=1).structure)


def test_twelve_labels_are_enumerated_and_thirteen_are_sampled() -> None:
    twelve, thirteen = window(12, 12), window(13, 13)
    assert has_exact_marginals(twelve.structure)
    assert marginals(twelve) == pytest.approx(naive_marginals(twelve), abs=1e-9)
    assert not has_exact_marginals(thirteen.structure)
    found = marginals(thirteen, n_samples=4000)
    assert np.array_equal(found, marginals(thirteen, method="sample", n_samples=4000, seed=0))
    assert np.abs(found - naive_marginals(thirteen)).max() < 0.03
    assert not np.array_equal(found, marginals(thirteen, n_samples=4000, seed=1))
    with pytest.raises(ValueError, match=r"exact marginals of 13 labels need .*method='sample'"):
        marginals(thirteen, method="exact")


def test_marginals_of_big_trees_and_polytrees_are_exact() -> None:
    for kind in ("tree", "polytree"):
        one = model(kind, 200, "smooth", 3, n_rows=2)
        assert has_exact_marginals(one.structure)
        exact = marginals(one)
        assert np.abs(exact - marginals(one, method="sample", n_samples=6000)).max() < 0.03


@quick
@given(models(most=5))
def test_samples_follow_the_rule_of_each_label(one: Tabled) -> None:
    uniforms = np.random.default_rng(1).random((one.n_rows, 30, one.q))
    support, at, means = draw_samples(one, np.arange(one.n_rows), uniforms)
    chances = np.zeros((one.n_rows, one.q))
    for row in range(one.n_rows):
        seen: dict[tuple[int, ...], int] = {}
        for s in range(30):
            value: dict[int, int] = {}
            for label in one.structure.order:
                number = sum(value[p] << b for b, p in enumerate(one.structure.parents[label]))
                chance = one.ones[label][row, number]
                value[label] = int(uniforms[row, s, label] < chance)
                chances[row, label] += chance / 30
            vector = tuple(value[label] for label in range(one.q))
            assert tuple(support.labels[at[row, s]]) == vector
            assert support.rows[at[row, s]] == row
            seen[vector] = seen.get(vector, 0) + 1
        mine = support.rows == row
        found = zip(as_tuples(support.labels[mine]), support.weights[mine], strict=True)
        assert dict(found) == seen
    assert means == pytest.approx(chances)


def test_samples_come_as_often_as_they_are_probable() -> None:
    one = model("dag", 4, "smooth", 9, n_rows=2)
    n = 40_000
    found = sample(one, seed=3, n=n)
    assert found.shape == (n, 2, 4)
    for row in range(2):
        joint = naive_joint(one, row)
        numbers = found[:, row] @ (1 << np.arange(3, -1, -1))
        shares = np.bincount(numbers, minlength=16) / n
        for vector, share in zip(vectors(4), shares, strict=True):
            chance = math.exp(joint[vector])
            assert abs(share - chance) < 5 * math.sqrt(chance * (1 - chance) / n) + 1e-9


def test_samples_of_rows_are_independent_and_seeded() -> None:
    one = model("chain", 5, "smooth", 2, n_rows=1)
    twice = Tabled(one.structure, [np.repeat(values, 2000, axis=0) for values in one.ones])
    found = sample(twice, seed=0)[0]
    assert np.array_equal(found, sample(twice, seed=0)[0])
    assert not np.array_equal(found, sample(twice, seed=1)[0])
    assert np.abs(found.mean(axis=0) - naive_marginals(one)[0]).max() < 0.05
    assert len(np.unique(found, axis=0)) > 5


@pytest.mark.parametrize("loss", ["subset", "hamming", "f1", "ranking"])
def test_monte_carlo_is_seeded(loss: str) -> None:
    one = model("chain", 6, "smooth", 4, n_rows=50)
    first = inference.MonteCarlo(n_samples=5, loss=loss, random_state=1).predict(one)
    again = inference.MonteCarlo(n_samples=5, loss=loss, random_state=1).predict(one)
    other = inference.MonteCarlo(n_samples=5, loss=loss, random_state=2).predict(one)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_small_blocks_change_no_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    one = model("chain", 6, "smooth", 4, n_rows=23)
    rows, draws = marginals(one, method="sample"), sample(one, n=3)
    monkeypatch.setattr("mlfs.models.inference.monte_carlo.PAIRS", 2000)
    assert np.array_equal(marginals(one, method="sample"), rows)
    monkeypatch.setattr("mlfs.models.inference.monte_carlo.PAIRS", 12)
    assert np.array_equal(sample(one, n=3), draws)
