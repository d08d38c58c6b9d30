"""The tables with a known truth, and how picks are scored on them."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.first_answer.correlated import HARDER
from benchmarks.first_answer.tables import TABLES, Table

ALL = {**TABLES, **HARDER}


def test_a_copy_is_a_false_pick():
    table = Table(np.zeros((1, 4)), np.zeros((1, 1)), [frozenset({0, 1}), frozenset({2})])
    assert table.score([0, 2]) == 1.0
    assert table.score([1, 2]) == 1.0
    assert table.score([0, 1]) == 0.5
    assert table.score([]) == 0.0


@pytest.mark.parametrize("name", sorted(ALL))
def test_tables_are_seeded_and_every_label_has_both_classes(name):
    first, again = (ALL[name](np.random.default_rng(3)) for _ in range(2))
    assert (first.Y == again.Y).all()
    assert first.truth == again.truth
    assert ((first.Y.mean(axis=0) > 0) & (first.Y.mean(axis=0) < 1)).all()
    assert all(0 <= j < first.X.shape[1] for factor in first.truth for j in factor)


def test_there_are_at_least_twelve():
    assert len(ALL) >= 28


def test_false_picks_are_proxies_or_noise():
    table = HARDER["near_copies"](np.random.default_rng(0))
    true = [next(iter(factor)) for factor in table.truth]
    proxies, noise = table.false_picks([*range(50)])
    assert proxies + noise == 50 - len(true)
    assert proxies >= 10
    assert table.false_picks(true) == (0, 0)
