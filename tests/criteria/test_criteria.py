"""Every criterion against the oracle, over all names, on random problems with every trap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlfs.api.prepared import prepare
from mlfs.criteria import available
from mlfs.errors import UsageError
from mlfs.search import networks as structure
from tests import naive
from tests.documents import ROOT
from tests.problems import problem, with_holes
from tests.walk import (
    NEAR,
    answers,
    check_best_first,
    check_greedy,
    check_never,
    check_terms,
    criterion,
    oracle,
    select,
)

FILES = sorted(p.stem for p in (ROOT / "criteria").glob("*.py"))
FILES.remove("blanket")  # tests, not scores, choose: tests/search/test_blankets.py
BEST_FIRST = [name for name in FILES if criterion(name).search != "greedy"]
SEEDS = st.integers(0, 2**32 - 1)
HOLES = [  # the share of missing values in X and in Y, and what those in X are
    (0.15, 0.0, "level"),
    (0.0, 0.15, "level"),
]
# A constant column causes a warning; here nearly every problem has one.
pytestmark = pytest.mark.filterwarnings("ignore")


def modest(examples):
    return settings(max_examples=examples)


def check(name, given_problem, *, missing="level", **options):
    """Run it with n = all (or to its own end) and walk every answer beside the oracle."""
    X, Y = given_problem.naive(missing)
    if (1 if options.get("per_label") else len(Y)) < criterion(name).least_labels:
        with pytest.raises(UsageError, match="needs at least 2 labels together"):
            select(given_problem, name, missing=missing, **options)
        return
    best_first = criterion(name).search != "greedy"
    n = None if best_first else len(X)
    selection = select(given_problem, name, n=n, missing=missing, **options)
    for answer in answers(selection, Y):
        check_terms(answer)
        if best_first:
            check_best_first(name, answer, X)
        else:
            check_greedy(name, answer, X, **options.get("parameters", {}))
            check_never(name, answer, X, n)


def test_every_file_has_its_oracle():
    assert FILES
    for name in FILES:
        assert callable(oracle(name)), (
            f"criteria/{name}.py has no oracle: write J_{name} in tests/naive_more.py first"
        )
    assert set(FILES) <= set(available())


@pytest.mark.parametrize("name", FILES)
@modest(8)
@given(SEEDS)
def test_every_pick_is_the_best_by_the_oracle(name, seed):
    check(name, problem(seed))


@pytest.mark.parametrize("name", BEST_FIRST)
@modest(5)
@given(SEEDS)
def test_a_number_makes_best_first_greedy(name, seed):
    """With n given there is no search: each pick is the best next one."""
    given_problem = problem(seed)
    X, Y = given_problem.naive()
    for answer in answers(select(given_problem, name, n=len(X)), Y):
        check_terms(answer)
        check_greedy(name, answer, X)
        check_never(name, answer, X, len(X))


@pytest.mark.parametrize("name", FILES)
@modest(2)
@given(SEEDS)
def test_per_label(name, seed):
    check(name, problem(seed), per_label=True)


@pytest.mark.parametrize("name", FILES)
@modest(4)
@given(SEEDS, st.sampled_from(HOLES))
def test_missing_values(name, seed, holes):
    x, y, missing = holes
    check(name, with_holes(problem(seed), seed, x=x, y=y), missing=missing)


@pytest.mark.parametrize("name", ["mlfs_global", "mlfs_local"])
@modest(4)
@given(SEEDS, st.floats(0, 2), st.floats(0, 2))
def test_weights_of_mlfs(name, seed, beta, gamma):
    check(name, problem(seed), parameters={"beta": beta, "gamma": gamma})


PARAMETERS = [
    ("betagamma", {"beta": 0.4, "gamma": 1.5}),
    ("mifs", {"beta": 0.7}),
    ("condred", {"gamma": 0.3}),
    ("mifs_u", {"beta": 0.5}),
    ("miq", {"floor": 0.1}),
    ("fcbf", {"delta": 0.1}),
    ("fimf", {"labels": 2}),
]


def test_every_parameter_is_tried():
    elsewhere = {"mlfs_global", "mlfs_local", "mlig"}  # above and below
    tried = {name for name, _ in PARAMETERS} | elsewhere
    for name in FILES:
        assert name in tried or not vars(criterion(name)), f"add {name} to PARAMETERS"


@pytest.mark.parametrize(("name", "parameters"), PARAMETERS, ids=[name for name, _ in PARAMETERS])
@modest(4)
@given(SEEDS)
def test_parameters(name, parameters, seed):
    given_problem = problem(seed)
    X, Y = given_problem.naive()
    selection = select(given_problem, name, n=len(X), parameters=parameters)
    for answer in answers(selection, Y):
        check_greedy(selection.criterion, answer, X, **selection.parameters)


@modest(8)
@given(SEEDS, st.sampled_from([0.05, 0.15, 0.3]))
def test_mlig_keeps_its_own_number(seed, r):
    given_problem = problem(seed)
    X, Y = given_problem.naive()
    selection = select(given_problem, "mlig", parameters={"r": r})
    sizes = [len(answer.picks) for answer in answers(selection, Y)]
    assert sizes == naive.mlig_sizes(Y, len(X), r)


@pytest.mark.parametrize("name", FILES)
@modest(3)
@given(SEEDS)
def test_fractional_weights_are_repetitions_in_a_ratio(name, seed):
    """Halves of integer weights: the oracle repeats the rows, the product weighs them."""
    given_problem = problem(seed)
    times = np.random.default_rng(seed).integers(0, 4, len(given_problem.Y))
    times[0] = 1
    if given_problem.Y.shape[1] < criterion(name).least_labels:
        return
    weighed = select(given_problem, name, n=3, sample_weight=times / 2)
    X, Y = type(given_problem)(
        np.repeat(given_problem.X, times, axis=0), np.repeat(given_problem.Y, times, axis=0)
    ).naive()
    for answer in answers(weighed, Y):
        check_terms(answer)
        check_greedy(name, answer, X)


def codes_info(given_problem):
    """The product's own Info on the codes, for the label structures."""
    return prepare((given_problem.X, given_problem.Y), nominal_limit=1000).info


def check_order(order, X, Y, *, second):
    assert sorted(order) == list(range(len(Y)))
    for k in range(len(order)):
        gains = {a: naive.order_gain(a, order[:k], X, Y, second=second) for a in order[k:]}
        assert gains[order[k]] >= max(gains.values()) - NEAR


@pytest.mark.parametrize("holes", [0.0, 0.15])
@modest(8)
@given(SEEDS)
def test_chain_order(holes, seed):
    given_problem = with_holes(problem(seed), seed, y=holes)
    X, Y = given_problem.naive()
    check_order(structure.chain_order_full(codes_info(given_problem)), X, Y, second=True)


@pytest.mark.parametrize("holes", [0.0, 0.15])
@modest(8)
@given(SEEDS)
def test_cheap_chain_order(holes, seed):
    """One column in three levels stands for all features, and there is no second term."""
    given_problem = with_holes(problem(seed), seed, y=holes)
    _, Y = given_problem.naive()
    component = np.random.default_rng(seed).integers(0, 3, len(Y[0]))
    order = structure.chain_order_cheap(codes_info(given_problem), component)
    check_order(order, [tuple(component.tolist())], Y, second=False)


@pytest.mark.parametrize("holes", [0.0, 0.15])
@modest(10)
@given(SEEDS, st.integers(0, 5))
def test_parents(holes, seed, k):
    given_problem = with_holes(problem(seed, labels=9), seed, y=holes)
    _, Y = given_problem.naive()
    order = np.random.default_rng(seed).permutation(len(Y)).tolist()
    network = structure.k_parents(codes_info(given_problem), tuple(order), k)
    for l, chosen in enumerate(network.parents):
        before = order[: order.index(l)]
        assert len(chosen) == min(k, len(before))
        picked = []
        while len(picked) < len(chosen):
            gains = {p: naive.parent_gain(p, l, picked, Y) for p in before if p not in picked}
            top = max(gains.values())
            best = min(p for p in gains if gains[p] >= top - NEAR)  # of equals the lowest
            assert best in chosen
            picked.append(best)
