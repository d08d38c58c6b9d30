"""The Bayesian tests of two methods, against loops and integrals written from the papers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special

from mlfs.compare.pairs import correlated_t, relative, signed_rank

DIFFERENCES = [0.3, -0.02, 0.004, 0.15, -0.2, 0.08, 0.011]


def naive_signed_rank(differences: list[float], rope: float, draws: int) -> list[float]:
    """Benavoli et al. (2014), with weights from the stick of gamma variates, pair by pair."""
    rng = np.random.default_rng(99)
    values = [0.0, *differences]
    won = [0, 0, 0]
    for _ in range(draws):
        gammas = [rng.gamma(0.5 if i == 0 else 1.0) for i in range(len(values))]
        whole = sum(gammas)
        mass = [0.0, 0.0, 0.0]
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                mean = (a + b) / 2
                case = 0 if mean > rope else 2 if mean < -rope else 1
                mass[case] += gammas[i] * gammas[j] / whole**2
        won[mass.index(max(mass))] += 1
    return [one / draws for one in won]


def test_the_signed_rank_posterior_is_that_of_loops() -> None:
    found = signed_rank(DIFFERENCES, rope=0.01)
    assert sum(found) == pytest.approx(1)
    assert found == pytest.approx(naive_signed_rank(DIFFERENCES, 0.01, 3000), abs=0.04)


def test_the_t_posterior_is_an_integral_of_the_density() -> None:
    differences, ratio, rope = np.array(DIFFERENCES), 0.25, 0.01
    n = differences.size
    variance = (1 / n + ratio) * differences.var(ddof=1)

    def density(x: float) -> float:
        v = n - 1
        head = special.gamma((v + 1) / 2) / special.gamma(v / 2) / np.sqrt(v * np.pi * variance)
        return float(head * (1 + (x - differences.mean()) ** 2 / variance / v) ** (-(v + 1) / 2))

    found = correlated_t(differences, ratio, rope)
    assert found.equal == pytest.approx(integrate.quad(density, -rope, rope)[0])
    assert found.worse == pytest.approx(integrate.quad(density, -np.inf, -rope)[0])
    assert sum(found) == pytest.approx(1)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=2, max_size=12))
def test_swapped_methods_swap_the_probabilities(differences: list[float]) -> None:
    given = np.array(differences)
    for posterior in (signed_rank, lambda d: correlated_t(d, 0.3)):
        there, back = posterior(given), posterior(-given)
        assert (there.better, there.equal, there.worse) == pytest.approx(
            (back.worse, back.equal, back.better), abs=1e-9
        )


def test_small_differences_are_practically_equal() -> None:
    assert signed_rank([0.001, -0.002, 0.003, 0.0, 0.001, 0.002]).equal > 0.99
    assert correlated_t([0.001, 0.001, 0.001], 0.5) == (0.0, 1.0, 0.0)


def test_a_lower_loss_is_better_by_the_share_of_the_greater() -> None:
    assert relative([0.1, 0.2], [0.2, 0.1], higher_is_better=False).tolist() == [0.5, -0.5]
