"""The greedy loop and best-first search: ties, margins, what is forced, refused and interrupted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mlfs.search.greedy
from mlfs import Criterion, CriterionError, Info
from mlfs.criteria import get
from mlfs.search.greedy import best_first, greedy
from tests import naive
from tests.problems import problem


class Fixed(Criterion):
    """A criterion with given relevance and terms of single columns."""

    def __init__(self, relevance, term=None, falls=False):
        self.values, self.terms, self.falls = np.asarray(relevance, float), term, falls

    def relevance(self, info):
        return self.values[info.features]

    def term(self, info, s):
        return 0.0 if self.terms is None else np.asarray(self.terms[s], float)[info.features]

    def score(self, relevance, total, picked):
        return relevance + total


def blank(d):
    """An Info of d columns for criteria that look at none of them."""
    return Info.from_codes(np.zeros((2, d), int), [[0], [1]])


def kept(call, *arguments, **options):
    """The answer of an interrupted call; the interrupt itself must not come through."""
    try:
        return call(*arguments, **options)
    except KeyboardInterrupt:
        pytest.fail("the interrupt came through")


def random_info(seed, **options):
    given = problem(seed, **options)
    return Info.from_codes(given.X, given.Y)


def picks(criterion, d, n, **options):
    return greedy(criterion, blank(d), n, **options).picks


def test_of_exact_ties_the_lowest_column_wins_and_the_others_are_reported():
    first, second = picks(Fixed([1, 2, 0, 2, 2]), 5, 2)
    assert (first.index, first.ties, first.runner_up, first.margin) == (1, (3, 4), 3, 0.0)
    assert (second.index, second.ties, second.runner_up) == (3, (4,), 4)


@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_what_differs_by_rounding_ties(scale):
    near, far = 5e-13 * scale, 2e-12 * scale
    (pick,) = picks(Fixed([scale, scale + near]), 2, 1)
    assert (pick.index, pick.ties) == (0, (1,))
    (pick,) = picks(Fixed([scale, scale + far]), 2, 1)
    assert (pick.index, pick.ties, pick.runner_up) == (1, (), 0)
    assert pick.margin == pytest.approx(far, rel=1e-3)


def test_ties_are_with_the_best_and_do_not_chain():
    (pick,) = picks(Fixed([1 - 1.6e-12, 1 - 0.8e-12, 1.0]), 3, 1)
    assert (pick.index, pick.ties) == (1, (2,))


def test_the_tolerance_grows_with_what_was_added_up():
    """Relevance 0 and a total of a million: a millionth of rounding decides nothing."""
    terms = {0: [0, 1e6, 1e6 + 1e-7]}
    first, second = picks(Fixed([1.0, 0, 0], terms), 3, 2)
    assert first.index == 0
    assert (second.index, second.ties) == (1, (2,))


def test_the_lowest_column_wins_however_the_candidates_are_named():
    path = greedy(Fixed([0, 1, 1, 1]), blank(4).only([3, 1, 2]), 3)
    assert [pick.index for pick in path.picks] == [1, 2, 3]


def test_the_runner_up_is_the_next_best():
    first, second, third = picks(Fixed([1, 5, 3]), 3, 3)
    assert (first.index, first.runner_up, first.margin) == (1, 2, 2.0)
    assert (second.index, second.runner_up, second.margin) == (2, 0, 2.0)
    assert (third.index, third.runner_up) == (0, None)
    assert np.isnan(third.margin)


@pytest.mark.parametrize("seed", range(20))
def test_scores_that_no_pick_changes_give_the_same_at_once_and_step_by_step(seed):
    """Near ties included: values that differ by less or more than the tolerance of a tie."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 15))
    values = rng.choice([0.0, 0.5, 1.0, 1000.0, -3.0, -np.inf], d)
    values = values * (1 + rng.integers(-4, 5, d) * rng.choice([1e-13, 5e-13, 1e-11]))
    bare = type("Bare", (Criterion,), {"relevance": lambda self, info: values[info.features]})()
    at_once = greedy(bare, blank(d), d)
    stepwise = greedy(bare, blank(d), d, closes=lambda s: np.zeros(d, bool))
    assert list(map(repr, at_once.picks)) == list(map(repr, stepwise.picks))


@pytest.mark.parametrize("name", ["mim", "jmi", "mrmr"])
def test_picks_that_tie_share_their_ties(name):
    X = np.zeros((40, 600), int)
    X[:, 7] = Y = np.arange(40) % 2
    found = greedy(get(name)[1], Info.from_codes(X, Y[:, None]), 300).picks
    assert found[0].ties == ()
    rest = [j for j in range(600) if j != 7]
    assert [pick.ties for pick in found[1:]] == [tuple(rest[k + 1 :]) for k in range(299)]
    assert found.tied.size <= 2 * 600


def test_forced_columns_come_first_and_in_their_order():
    path = picks(Fixed([4, 3, 2, 1]), 4, 3, forced=[3, 1])
    assert [(pick.index, pick.forced) for pick in path] == [(3, True), (1, True), (0, False)]
    assert path[0].score == 1
    assert (path[0].runner_up, path[0].margin) == (0, -3.0)


def test_forced_columns_bring_their_terms():
    terms = {3: [-10, 0, 0, 0]}
    path = picks(Fixed([4, 3, 2, 1], terms | {1: [0] * 4}), 4, 2, forced=[3])
    assert [pick.index for pick in path] == [3, 1]


def test_excluded_columns_are_never_picked_nor_reported():
    path = picks(Fixed([4, 4, 2, 1]), 4, 4, excluded=[0, 2])
    assert [pick.index for pick in path] == [1, 3]
    assert (path[0].ties, path[0].runner_up) == ((), 3)


def test_minus_infinity_means_never():
    path = greedy(Fixed([1, -np.inf, 0]), blank(3), 3)
    assert [pick.index for pick in path.picks] == [0, 2]
    assert path.exhausted
    assert path.picks[1].runner_up is None
    assert not greedy(Fixed([1, -np.inf, 0]), blank(3), 2).exhausted
    assert greedy(Fixed([-np.inf] * 3), blank(3), 1).picks == []


def test_negative_scores_do_not_stop_a_fixed_n():
    assert [pick.index for pick in picks(Fixed([-3, -1, -2]), 3, 3)] == [1, 2, 0]


def test_what_is_forced_may_be_what_is_never_picked():
    (pick,) = picks(Fixed([1, -np.inf]), 2, 1, forced=[1])
    assert (pick.index, pick.score, pick.redundancy) == (1, -np.inf, 0.0)


@pytest.mark.parametrize(
    ("criterion", "sentence"),
    [
        (
            Fixed([0, np.nan, 1]),
            "the criterion bad gives NaN as relevance of column 1",
        ),
        (
            Fixed([0, 1, 2], {2: [np.nan, 0, 0]}),
            "the criterion bad gives NaN as term of column 0 after the pick of column 2",
        ),
    ],
)
def test_nan_is_an_error_that_names_criterion_and_column(criterion, sentence):
    with pytest.raises(CriterionError) as error:
        greedy(criterion, blank(3), 2, name="bad")
    assert str(error.value) == sentence


def test_nan_is_named_by_its_column_in_a_view_too():
    with pytest.raises(CriterionError, match=r"column 2$"):
        greedy(Fixed([0, 0, np.nan]), blank(3).only([2, 0]), 1)


@pytest.mark.parametrize("what", ["relevance", "term", "score", "label_correlation", "start"])
@pytest.mark.parametrize("wrong", [np.zeros(2), np.zeros((3, 1)), np.zeros((3, 3))])
def test_a_wrong_shape_is_an_error(what, wrong):
    bad = type("Bad", (Fixed,), {what: lambda *_: wrong})([1, 2, 3])
    with pytest.raises(CriterionError, match=rf"gives {what} of shape .* for 3 candidates"):
        greedy(bad, blank(3), 2)


@pytest.mark.parametrize("wrong", ["text", ["a", "b", "c"], None])
def test_what_is_no_number_is_an_error(wrong):
    bad = type("Bad", (Fixed,), {"relevance": lambda *_: wrong})([1, 2, 3])
    with pytest.raises(CriterionError):
        greedy(bad, blank(3), 2)


def test_scalars_stand_for_all():
    bare = type("Bare", (Criterion,), {"relevance": lambda *_: 1.0})()
    assert [pick.index for pick in picks(bare, 3, 3)] == [0, 1, 2]


def test_odd_sizes():
    assert picks(Fixed([1]), 1, 0) == []
    assert [pick.index for pick in picks(Fixed([1]), 1, 5)] == [0]
    assert greedy(Fixed([1, 2]), blank(2).only([]), 2).picks == []
    assert greedy(Fixed([1, 2]), blank(2), 2, excluded=[0, 1]).picks == []


@pytest.mark.parametrize("where", ["term", "score"])
def test_an_interrupt_keeps_the_picks_so_far(where):
    def interrupt(*_):
        raise KeyboardInterrupt

    path = kept(greedy, type("Slow", (Fixed,), {where: interrupt})([1, 3, 2]), blank(3), 3)
    assert [pick.index for pick in path.picks] == [1]
    assert path.interrupted


def test_an_interrupt_before_the_first_pick_gives_an_empty_path():
    def interrupt(*_):
        raise KeyboardInterrupt

    slow = type("Slow", (Fixed,), {"relevance": interrupt})([1, 3, 2])
    path = kept(greedy, slow, blank(3), 3)
    assert path.picks == []
    assert path.interrupted


def test_an_interrupt_while_a_pick_is_reported_keeps_it():
    def tell(pick):
        if pick.index == 2:
            raise KeyboardInterrupt

    path = kept(greedy, Fixed([1, 3, 2]), blank(3), 3, on_pick=tell)
    assert [pick.index for pick in path.picks] == [1, 2]
    assert path.interrupted


def test_picks_are_reported_as_they_are_made():
    reported = []
    path = greedy(Fixed([1, 3, 2]), blank(3), 3, on_pick=reported.append)
    assert reported == path.picks


def test_candidates_that_are_not_accepted_are_passed_over():
    asked = []
    path = greedy(
        Fixed([4, 3, 2, 1]), blank(4), 4, accepts=lambda s: asked.append(s) or s not in {1, 3}
    )
    assert [pick.index for pick in path.picks] == [0, 2]
    assert asked == [0, 1, 2, 3]
    assert path.exhausted


@pytest.mark.parametrize("name", ["jmi", "mrmr", "cmim", "scls", "d2f"])
@pytest.mark.parametrize("seed", range(3))
def test_a_ranking_begins_with_every_shorter_one(name, seed):
    info, criterion = random_info(seed), get(name)[1]
    whole = greedy(criterion, info, info.d).picks
    for n in range(len(whole)):
        assert greedy(criterion, info, n).picks == whole[:n]
    started = greedy(criterion, info, info.d, forced=[pick.index for pick in whole[:2]]).picks
    assert [(p.index, p.score) for p in started] == [(p.index, p.score) for p in whole]


@pytest.mark.parametrize("name", ["mim", "jmi", "mrmr", "cmim", "jmim", "scls", "icap"])
@pytest.mark.parametrize("seed", range(3))
def test_a_view_on_some_candidates_picks_as_if_the_others_were_excluded(name, seed):
    info, criterion = random_info(seed), get(name)[1]
    some = list(range(0, info.d, 2))
    others = [f for f in range(info.d) if f not in some]
    there = greedy(criterion, info.only(some), len(some))
    here = greedy(criterion, info, len(some), excluded=others)
    assert list(map(repr, there.picks)) == list(map(repr, here.picks))  # NaN is not NaN


# Best first -----------------------------------------------------------------------------------


def columns(given):
    X, Y = given.naive()
    return X, Y, Info.from_codes(given.X, given.Y)


@pytest.mark.parametrize("seed", range(8))
def test_best_first_finds_the_best_of_all_sets_when_it_never_gives_up(monkeypatch, seed):
    monkeypatch.setattr(mlfs.search.greedy, "PATIENCE", 1000)
    given = problem(seed)
    X, Y, info = columns(type(given)(given.X[:, :5], given.Y))
    path = best_first(get("mlcfs_global")[1], info)
    sets = [s for n in range(len(X) + 1) for s in itertools.combinations(range(len(X)), n)]
    best = max(naive.merit(s, X, Y) for s in sets)
    found = sorted(pick.index for pick in path.picks)
    assert naive.merit(found, X, Y) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_best_first_gives_up_as_the_oracle_does(seed):
    X, Y, info = columns(problem(seed))
    path = best_first(get("mlcfs_global")[1], info)
    _, best = naive.best_first(X, Y)
    found = [pick.index for pick in path.picks]
    assert naive.merit(found, X, Y) == pytest.approx(best, abs=1e-9)
    for k, pick in enumerate(path.picks):
        assert pick.score == pytest.approx(naive.merit(found[: k + 1], X, Y), abs=1e-9)


def test_best_first_starts_from_what_is_forced_and_leaves_out_what_is_excluded():
    info = random_info(3)
    criterion = get("mlcfs_global")[1]
    free = [pick.index for pick in best_first(criterion, info).picks]
    path = best_first(criterion, info, forced=[info.d - 1], excluded=[free[0]])
    assert path.picks[0].index == info.d - 1
    assert [pick.forced for pick in path.picks] == [True] + [False] * (len(path.picks) - 1)
    assert free[0] not in [pick.index for pick in path.picks]


def test_best_first_on_nothing():
    criterion = get("mlcfs_global")[1]
    assert best_first(criterion, random_info(0).only([])).picks == []
    constant = Info.from_codes(np.ones((5, 3), int), np.ones((5, 2), int))
    assert best_first(criterion, constant).picks == []


class Slow(Criterion):
    search = "best first"

    def __init__(self, stops_at):
        self.stops_at, self.asked = stops_at, 0

    def relevance(self, info):
        return info.mi_fL

    def merit(self, info, picked):
        self.asked += 1
        if self.asked == self.stops_at:
            raise KeyboardInterrupt
        return info.mi_fL + len(picked)


@pytest.mark.parametrize("stops_at", range(1, 13))
def test_an_interrupted_best_first_search_says_so(stops_at):
    """Also when the interrupt comes while the set that was found is explained."""
    criterion = Slow(stops_at)
    path = kept(best_first, criterion, random_info(0))
    assert path.interrupted == (criterion.asked >= stops_at)


def test_an_interrupt_while_a_pick_of_best_first_is_reported_keeps_it():
    def tell(pick):
        raise KeyboardInterrupt

    path = kept(best_first, get("mlcfs_global")[1], random_info(0), on_pick=tell)
    assert len(path.picks) == 1
    assert path.interrupted
