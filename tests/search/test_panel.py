"""Panels: picks under constraints, held against a naive loop over the formulas of the docs."""

from __future__ import annotations

import numpy as np
import pytest

from mlfs import Info, UsageError
from mlfs.criteria import get
from mlfs.search.greedy import greedy
from mlfs.search.panel import Constraints, Demands
from tests import naive
from tests.problems import problem

TIE = 1e-9


def naive_panel(J, X, Y, n, *, at_least, tells, group_of, at_most, costs, budget, by_cost):
    """Each pick: the columns that may be picked, then the best of them, lowest column first."""
    S, out, d = [], [], len(X)

    def best(columns, S, worth):
        top = max(worth(f) for f in columns)
        return next(f for f in sorted(columns) if worth(f) >= top - TIE)

    def score(f):
        return J(f, S, X, Y)

    def worth(f):
        value = score(f)
        if not by_cost:
            return value
        c = costs[f] / min(costs)
        return value / c if value >= 0 else value * c

    while len(S) < n:
        left = [f for f in range(d) if f not in S]
        spent = sum(costs[s] for s in S)
        fitting = [
            f
            for f in left
            if spent + costs[f] <= budget + TIE
            and (
                group_of[f] < 0 or sum(group_of[s] == group_of[f] for s in S) < at_most[group_of[f]]
            )
        ]
        lacking = [label for label, k in at_least.items() if sum(tells[label][s] for s in S) < k]
        serving = [f for f in fitting if any(tells[label][f] for label in lacking)]
        candidates = serving or fitting
        if not candidates:
            break
        pick, free = best(candidates, S, worth), best(left, S, score)
        out.append((pick, score(pick), free, score(free) - score(pick)))
        S.append(pick)
    return out


CRITERIA = {"jmi": naive.J_jmi, "mrmr": naive.J_mrmr, "cmim": naive.J_cmim, "jmim": naive.J_jmim}


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", CRITERIA)
def test_panels_are_those_of_the_naive_loop(name, seed, lazy):
    given = problem(seed)
    info, random = Info.from_codes(given.X, given.Y), np.random.default_rng(seed)
    X, Y = [tuple(c) for c in np.asarray(given.X).T], [tuple(c) for c in np.asarray(given.Y).T]
    d = info.d
    constraints = {
        "at_least": {"a": 1 + seed % 2, "b": 2},
        "group_of": random.integers(-1, 2, d),
        "at_most": np.array([1, 2]),
        "costs": random.integers(1, 9, d) / 4.0,
        "budget": float(random.integers(3, 12)),
        "by_cost": bool(seed % 2),
    }
    tells = {label: random.random(d) < 0.4 for label in "ab"}
    panel = Constraints(
        Demands(groups=("g", "h"), **constraints), tells, np.arange(d), np.ones(d, bool)
    )
    result = greedy(get(name)[1], info, d, lazy=lazy, panel=panel, name=name)
    expected = naive_panel(CRITERIA[name], X, Y, d, tells=tells, **constraints)
    assert [pick.index for pick in result.picks] == [pick for pick, *_ in expected]
    assert result.picks.scores == pytest.approx([score for _, score, *_ in expected], abs=1e-9)
    for terms, (pick, _, free, price) in zip(panel.terms, expected, strict=True):
        assert terms.cost == constraints["costs"][pick]
        if free == pick:
            assert terms.bound == ()
        else:
            assert terms.bound
            assert (terms.instead_of, terms.price) == (free, pytest.approx(price, abs=1e-9))


def run(demands, tells=None, n=3, forced=(), d=4):
    class Given(type(get("mim")[1])):
        def relevance(self, info):
            return np.arange(d, 0.0, -1.0)[info.features]

    info = Info.from_codes(np.zeros((2, d), int), [[0], [1]])
    panel = Constraints(demands, tells or {}, np.arange(d), np.ones(d, bool))
    picks = greedy(Given(), info, n, forced=forced, panel=panel).picks
    return picks.columns.tolist(), panel


def test_a_full_group_is_closed_and_named_with_its_price():
    group = Demands(group_of=np.array([0, 0, 0, -1]), at_most=np.array([1]), groups=("probe",))
    columns, panel = run(group, n=3)
    assert columns == [0, 3]
    assert panel.terms[1].bound == ("at_most probe",)
    assert (panel.terms[1].instead_of, panel.terms[1].price) == (1, 2.0)
    assert panel.shortfall(3) == "2 of 3 features: the others are in full groups"


def test_a_label_that_lacks_picks_comes_first_and_then_the_criterion():
    tells = {"rare": np.array([False, False, True, True])}
    columns, panel = run(Demands({"rare": 1}, {"rare": 0}), tells)
    assert columns == [2, 0, 1]
    assert [terms.bound for terms in panel.terms] == [("at_least rare",), (), ()]
    assert panel.terms[0].tells == ("rare",)
    assert panel.shortfall(3) == ""


def test_a_panel_that_cannot_be_made_is_said_with_what_is_there():
    tells = {"rare": np.array([False, False, False, True])}
    columns, panel = run(Demands({"rare": 3}, {"rare": 0}), tells)
    assert columns == [3, 0, 1]
    assert panel.shortfall(3) == (
        "the panel cannot be made: it has 1 of 3 picks that tell about 'rare': "
        "1 of the candidates does, beyond chance"
    )
    tells = {"rare": np.zeros(4, bool)}
    _, panel = run(Demands({"rare": 1}, {"rare": 0}), tells)
    assert "0 of 1 pick that tell about 'rare': none of the candidates do" in panel.shortfall(3)


@pytest.mark.parametrize(
    ("by_cost", "expected"), [(False, [0, 3]), (True, [3, 1])], ids=["score", "ratio"]
)
def test_the_budget_is_never_exceeded(by_cost, expected):
    costs = np.array([9.0, 6.0, 4.0, 1.0])
    columns, panel = run(Demands(costs=costs, budget=10.0, by_cost=by_cost), n=4)
    assert columns == expected
    assert costs[columns].sum() <= 10
    assert "cost more than the" in panel.shortfall(4)


def test_tenths_that_add_up_to_the_budget_fit():
    columns, _ = run(Demands(costs=np.full(4, 0.1), budget=0.3), n=4)
    assert columns == [0, 1, 2]


def test_another_currency_gives_the_same_picks():
    costs = np.array([0.9, 0.4, 0.6, 0.1])
    first = run(Demands(costs=costs, by_cost=True), n=4)[0]
    assert run(Demands(costs=costs * 1e6, by_cost=True), n=4)[0] == first


def test_columns_that_are_picked_first_may_not_break_a_constraint():
    group = Demands(group_of=np.zeros(4, int), at_most=np.array([1]), groups=("g",))
    with pytest.raises(UsageError, match="at_most closes the group 'g' before all its columns"):
        run(group, forced=(1, 2))
    with pytest.raises(UsageError, match=r"budget is 3, but .* cost at least 4"):
        run(Demands(costs=np.full(4, 2.0), budget=3.0), forced=(1, 2))
