"""What must hold whatever the data: identities of the formulas, and the same answer to the same."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mlfs
from tests import naive
from tests.documents import ROOT
from tests.left_out import info_of_codes
from tests.problems import Problem, problem, with_holes
from tests.walk import NEAR, answers, check_greedy, close, criterion, same, select

FILES = sorted(p.stem for p in (ROOT / "criteria").glob("*.py"))
FOR_ONE_LABEL = [name for name in FILES if criterion(name).least_labels == 1]
PLAIN = [name for name in FILES if not criterion(name).network]
GREEDY = [name for name in FILES if criterion(name).search == "greedy"]
PLAIN_GREEDY = [name for name in PLAIN if name in GREEDY]
SEEDS = st.integers(0, 2**32 - 1)
# A constant column causes a warning; here nearly every problem has one.
pytestmark = pytest.mark.filterwarnings("ignore")


def modest(examples):
    return settings(max_examples=examples)


# Identities of the formulas ----------------------------------------------------------------------


@modest(6)
@given(SEEDS)
def test_mlfs_without_both_weights_is_mim(seed):
    given_problem = problem(seed)
    n = given_problem.X.shape[1]
    mlfs_global = select(given_problem, "mlfs_global", n=n, parameters={"beta": 0.0, "gamma": 0.0})
    mim = select(given_problem, "mim", n=n)
    assert tuple(mlfs_global.indices) == tuple(mim.indices)
    close(mlfs_global.scores, mim.scores)


@modest(6)
@given(SEEDS)
def test_mlfs_without_label_correlation_is_jmi(seed):
    given_problem = problem(seed)
    n = given_problem.X.shape[1]
    mlfs_global = select(given_problem, "mlfs_global", n=n, parameters={"beta": 0.0})
    jmi = select(given_problem, "jmi", n=n)
    assert tuple(mlfs_global.indices) == tuple(jmi.indices)
    close(mlfs_global.scores, jmi.scores)


@modest(6)
@given(SEEDS)
def test_local_mlfs_without_parents_is_jmi_of_each_label(seed):
    given_problem = problem(seed)
    n = given_problem.X.shape[1]
    local = select(given_problem, "mlfs_local", n=n, k=0)
    jmi = select(given_problem, "jmi", n=n, per_label=True)
    for mine, theirs in zip(local.labels.values(), jmi.labels.values(), strict=True):
        assert tuple(mine.indices) == tuple(theirs.indices)
        close(mine.scores, theirs.scores)


CLASSICAL = {
    "mim": lambda f, S, X, y: naive.I(X[f], y),
    "mrmr": lambda f, S, X, y: (
        naive.I(X[f], y) - sum(naive.I(X[f], X[s]) for s in S) / max(len(S), 1)
    ),
    "jmi": lambda f, S, X, y: (
        sum(naive.I(naive.joint(X[f], X[s]), y) for s in S) / len(S) if S else naive.I(X[f], y)
    ),
    "cmim": lambda f, S, X, y: min([naive.I(X[f], y), *(naive.I(X[f], y, X[s]) for s in S)]),
    "d2f": lambda f, S, X, y: (
        naive.I(X[f], y)
        - sum(naive.I(X[f], X[s]) for s in S)
        + sum(naive.I(X[f], X[s], y) for s in S)
    ),
}


@pytest.mark.parametrize("name", CLASSICAL)
@modest(6)
@given(SEEDS)
def test_with_one_label_it_is_the_classical_criterion(name, seed):
    """Brown et al. (2012), their table 1; CMIM with the first term of Fleuret (2004)."""
    given_problem = problem(seed, labels=1)
    X, (y,) = given_problem.naive()
    J = CLASSICAL[name]
    selection = select(given_problem, name, n=len(X))
    for k, f in enumerate(selection.indices):
        S = list(selection.indices[:k])
        assert selection.scores[k] == pytest.approx(J(f, S, X, y), abs=NEAR)
        assert all(J(g, S, X, y) <= selection.scores[k] + NEAR for g in range(len(X)) if g not in S)


@modest(6)
@given(SEEDS)
def test_nothing_is_left_to_tell_after_a_unique_id(seed):
    """The id is picked first, and I(f;l|id) = 0 for all others."""
    given_problem = problem(seed)
    n, _ = given_problem.X.shape
    unique = np.random.default_rng(seed).permutation(n)[:, None]
    assume(given_problem.Y.std(axis=0).any())
    selection = select(
        Problem(np.hstack([unique, given_problem.X]), given_problem.Y),
        "cmim",
        n=4,
        keep_identifiers=True,
    )
    assert selection.indices[0] == 0
    close(selection.scores[1:], 0)
    assert all(score >= 0 for score in selection.scores), "information is clipped at 0"


CASES = {  # a criterion with parameters, and the one that it is then
    "cife": ("betagamma", {}, "d2f"),
    "only relevance": ("betagamma", {"beta": 0, "gamma": 0}, "mim"),
    "no weight": ("mifs_u", {"beta": 0}, "mim"),
    "no pairs of labels": ("fimf", {"labels": 1}, "mim"),
}


@pytest.mark.parametrize("case", CASES)
@modest(4)
@given(SEEDS)
def test_cases_of_a_criterion(case, seed):
    name, parameters, other = CASES[case]
    given_problem = problem(seed)
    n = given_problem.X.shape[1]
    one = select(given_problem, name, n=n, parameters=parameters)
    two = select(given_problem, other, n=n)
    same(one, two)


@modest(4)
@given(SEEDS)
def test_with_one_pick_some_criteria_agree(seed):
    """The second pick: given one pick, joint with one pick."""
    given_problem = problem(seed)
    second = {name: select(given_problem, name, n=2).scores[1:] for name in ("d2f", "mri", "jmim")}
    close(second["d2f"], second["mri"])
    close(second["jmim"], select(given_problem, "jmi3", n=2).scores[1:])
    joint = select(given_problem, "cmi", n=2).scores[1:]
    if joint.size:
        close(joint, second["d2f"])


# The same answer to the same question ------------------------------------------------------------


def problem_for(name, seed):
    """A problem that has labels enough."""
    return problem(seed, labels=None if criterion(name).least_labels == 1 else 3)


def network_options(name):
    """The cheap order of the labels looks at the values of X; the full one only at their counts."""
    return {"order": "full"} if criterion(name).network in (True, "chain") else {}


@pytest.mark.parametrize("name", FILES)
@modest(2)
@given(SEEDS)
def test_order_of_the_rows(name, seed):
    given_problem = problem_for(name, seed)
    rows = np.random.default_rng(seed).permutation(len(given_problem.Y))
    shuffled = Problem(given_problem.X[rows], given_problem.Y[rows])
    same(select(given_problem, name, n=4), select(shuffled, name, n=4), bitwise=True)


@pytest.mark.parametrize("name", PLAIN)
@modest(2)
@given(SEEDS)
def test_order_of_the_labels(name, seed):
    given_problem = problem_for(name, seed)
    labels = np.random.default_rng(seed).permutation(given_problem.Y.shape[1])
    shuffled = Problem(given_problem.X, given_problem.Y[:, labels])
    one, other = select(given_problem, name, n=4), select(shuffled, name, n=4)
    if not one.labels:
        same(one, other)
    records = list(one.labels.values())
    for new, record in enumerate(other.labels.values()):
        same(records[labels[new]], record)


@pytest.mark.parametrize("name", GREEDY)
@modest(2)
@given(SEEDS)
def test_order_of_the_columns(name, seed):
    """The answer moves with the columns, up to ties: the oracle on the first data agrees."""
    given_problem = problem_for(name, seed)
    X, Y = given_problem.naive()
    new = np.random.default_rng(seed).permutation(len(X))
    selection = select(
        Problem(given_problem.X[:, new], Y=given_problem.Y), name, n=4, **network_options(name)
    )
    moved = [X[f] for f in new]
    for answer in answers(selection, Y):
        check_greedy(name, answer, moved)
    first = select(given_problem, name, n=1, **network_options(name))
    both = zip(answers(first, Y), answers(selection, Y), strict=True)
    for one, other in both:
        if one.P == other.P:
            close(one.record.scores[:1], other.record.scores[:1])


@pytest.mark.parametrize("name", FILES)
@modest(2)
@given(SEEDS)
def test_names_of_the_values(name, seed):
    given_problem = problem_for(name, seed)
    rng = np.random.default_rng(seed)
    renamed = given_problem.X.copy()
    for j, column in enumerate(given_problem.X.T):
        renamed[:, j] = rng.permutation(50)[column]
    options = network_options(name)
    one = select(given_problem, name, n=4, **options)
    same(one, select(Problem(renamed, given_problem.Y), name, n=4, **options))


@pytest.mark.parametrize("name", PLAIN_GREEDY)
@modest(2)
@given(SEEDS)
def test_a_copy_of_a_column(name, seed):
    """Nothing changes until the original is picked, it goes first, and the tie is reported."""
    given_problem = problem_for(name, seed)
    d = given_problem.X.shape[1]
    copied = int(np.random.default_rng(seed).integers(d))
    wider = Problem(np.hstack([given_problem.X, given_problem.X[:, [copied]]]), given_problem.Y)
    one, other = select(given_problem, name, n=d), select(wider, name, n=d + 1)
    for a, b in zip(
        list(one.labels.values()) or [one], list(other.labels.values()) or [other], strict=True
    ):
        before, after = list(a.indices), list(b.indices)
        if copied not in before:
            assert copied not in after
            assert d not in after
            continue
        k = before.index(copied)
        assert after[: k + 1] == before[: k + 1]
        close(a.scores[: k + 1], b.scores[: k + 1])
        assert d not in after or after.index(d) > k
        assert d in list(b.ties[k])


@pytest.mark.parametrize("name", FILES)
@modest(2)
@given(SEEDS)
def test_integer_weights_are_repetitions(name, seed):
    given_problem = problem_for(name, seed)
    times = np.random.default_rng(seed).integers(0, 4, len(given_problem.Y))
    times[0] = 1
    repeated = Problem(
        np.repeat(given_problem.X, times, axis=0), np.repeat(given_problem.Y, times, axis=0)
    )
    weighed = select(given_problem, name, n=4, sample_weight=times)
    same(weighed, select(repeated, name, n=4), bitwise=True)


@pytest.mark.parametrize("name", FILES)
@modest(2)
@given(SEEDS)
def test_dense_and_sparse(name, seed):
    given_problem = problem_for(name, seed)
    dense = select(given_problem, name, n=4)
    sparse = Problem(sp.csr_array(given_problem.X), given_problem.Y)
    same(dense, select(sparse, name, n=4), bitwise=True)
    both = Problem(sp.csr_matrix(given_problem.X), sp.csr_array(given_problem.Y))
    same(dense, select(both, name, n=4), bitwise=True)


@pytest.mark.parametrize("name", GREEDY)
@modest(2)
@given(SEEDS)
def test_a_ranking_is_a_prefix_of_a_longer_one(name, seed):
    given_problem = problem_for(name, seed)
    _, Y = given_problem.naive()
    longest = answers(select(given_problem, name, n=4), Y)
    for k in (1, 2, 3):
        shorter = answers(select(given_problem, name, n=k), Y)
        for a, b in zip(shorter, longest, strict=True):
            assert a.picks == b.picks[:k]
            np.testing.assert_array_equal(a.record.scores, b.record.scores[:k])


@pytest.mark.parametrize("name", [name for name in PLAIN if name in FOR_ONE_LABEL])
@modest(2)
@given(SEEDS)
def test_per_label_is_each_label_alone(name, seed):
    given_problem = problem_for(name, seed)
    together = select(given_problem, name, n=3, per_label=True)
    assert len(together.labels) == given_problem.Y.shape[1]
    for l, record in enumerate(together.labels.values()):
        alone = select(Problem(given_problem.X, given_problem.Y[:, [l]]), name, n=3)
        (only,) = list(alone.labels.values()) or [alone]
        same(record, only, bitwise=True)


# Missing values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
@modest(2)
@given(SEEDS)
def test_nothing_missing_is_the_same_in_all_modes(name, seed):
    given_problem = problem_for(name, seed)
    level = select(given_problem, name, n=4)
    same(level, select(given_problem, name, n=4, missing="error"), bitwise=True)


@pytest.mark.parametrize("name", ["mim", "scls"])
def test_missing_features_can_be_refused(name):
    given_problem = with_holes(problem(1), 1, x=0.2)
    with pytest.raises(mlfs.errors.MlfsError):
        select(given_problem, name, n=2, missing="error")


@pytest.mark.parametrize("name", FOR_ONE_LABEL)
@modest(2)
@given(SEEDS)
def test_a_row_without_any_label_known_counts_for_nothing(name, seed):
    """With one label, a row where it is missing might as well not be there."""
    given_problem = with_holes(problem(seed, labels=1), seed, y=0.3)
    known = ~np.isnan(given_problem.Y[:, 0])
    assume(known.any())
    fewer = Problem(given_problem.X[known], given_problem.Y[known])
    same(select(given_problem, name, n=3), select(fewer, name, n=3))


@pytest.mark.parametrize("name", ["nmifs", "mifs_u"])
@modest(4)
@given(SEEDS)
def test_a_ratio_inside_the_sum_is_one_of_the_rows_of_each_label(name, seed):
    holes = with_holes(problem(seed, labels=3), seed, y=0.3)
    info = mlfs.prepare((holes.X, holes.Y)).info
    of_all, term = np.zeros(info.d), criterion(name).term
    for label in info.labels:
        of_all += term(info.for_label(int(label)), 0)
    close(term(info, 0), of_all)


@modest(6)
@given(SEEDS)
def test_a_redundancy_is_a_share_where_values_are_left_out(seed):
    holes = with_holes(problem(seed, labels=1), seed, x=0.4)
    x, y = (np.nan_to_num(part, nan=-1).astype(int) for part in (holes.X, holes.Y))
    info = info_of_codes(x, y, ignore_missing=True)
    for s in range(info.d):
        assert (criterion("nmifs").term(info, s) <= 1 + 1e-9).all()
        assert (criterion("scls").term(info, s) <= info.mi_fL + 1e-9).all()


@pytest.mark.parametrize("name", FILES)
@modest(2)
@given(SEEDS)
def test_minus_one_is_a_missing_label(name, seed):
    given_problem = with_holes(problem_for(name, seed), seed, y=0.2)
    coded = Problem(given_problem.X, np.nan_to_num(given_problem.Y, nan=-1).astype(int))
    same(select(given_problem, name, n=3), select(coded, name, n=3), bitwise=True)


@pytest.mark.parametrize("name", FILES)
@modest(2)
@given(SEEDS)
def test_a_missing_level_is_a_value_like_any_other(name, seed):
    given_problem = with_holes(problem_for(name, seed), seed, x=0.2)
    filled = Problem(np.nan_to_num(given_problem.X, nan=99), given_problem.Y)
    options = network_options(name)
    same(select(given_problem, name, n=3, **options), select(filled, name, n=3, **options))
