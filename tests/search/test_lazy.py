"""The lazy loop gives what the eager one gives, bit for bit, and counts less."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mlfs
import mlfs.search.scores
from mlfs import Criterion, CriterionError, Info
from mlfs.counting.column_groups import LayoutKind
from mlfs.criteria import available, get
from mlfs.information.for_search import table_of, view_of_some
from mlfs.search.greedy import greedy
from tests.left_out import info_of_codes
from tests.problems import Problem, problem, with_holes

FALLING = sorted(name for name in available() if get(name)[1].falls)
KINDS = ("plain", "levels", "ignored", "labels", "weighted", "view")


class Discounted(Criterion):
    """J(f) = R(f) / (1 + sum_{s in S} I(f;s)), as a third party might write it."""

    falls = True

    def relevance(self, info):
        return info.mi_fL

    def term(self, info, s):
        return info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance / (1 + total)


class Overlapping(Criterion):
    """J(f) = min_s sum_l max(0, I(f;l) - I(f;s) / 2), through blocks of labels."""

    fold = np.minimum
    falls = True

    def relevance(self, info):
        return info.mi_fL

    def term(self, info, s):
        return info.sum_over_labels(lambda block: np.maximum(0, block.mi_fl - block.mi_fs(s) / 2))

    def score(self, relevance, total, picked):
        return np.minimum(relevance, total)


class Rising(Criterion):
    """J(f) = R(f) + sum_{s in S} I(f;s), which does not fall whatever it says."""

    falls = True

    def relevance(self, info):
        return info.mi_fL

    def term(self, info, s):
        return info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance + total


OWN = [Discounted(), Overlapping()]


def wider(seed: int) -> Problem:
    """A small problem; at times with copies and noise beside it, at times with few rows."""
    base, rng = problem(seed), np.random.default_rng([seed, 7])
    X, Y = base.X, base.Y
    if rng.random() < 0.6:
        noise = rng.integers(0, 2, (len(X), 16))
        X = np.concatenate([X, noise, X[:, rng.permutation(X.shape[1])]], axis=1)
    rows = int(rng.integers(2, 9)) if rng.random() < 0.25 else len(X)
    return Problem(X[:rows], Y[:rows])


def codes(table: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(table), -1, table).astype(int)


def info_of(seed: int, kind: str) -> Info:
    base, rng = wider(seed), np.random.default_rng([seed, 8])
    X, Y = base.X, base.Y
    if kind in {"levels", "ignored"}:
        X = codes(with_holes(base, seed, x=0.1).X)
    if kind == "labels":
        Y = codes(with_holes(base, seed, y=0.1).Y)
    weights = rng.integers(1, 5, len(X)) if kind == "weighted" else None
    info = info_of_codes(X, Y, weights=weights, ignore_missing=kind == "ignored")
    if kind == "view":
        info = info.only(rng.permutation(info.d)[: info.d // 2 + 2])
    return info


def both(criterion: Criterion, info: Info, n: int, **options):
    eager = greedy(criterion, info, n, lazy=False, **options)
    lazy = greedy(criterion, info, n, lazy=True, **options)
    assert list(map(repr, lazy.picks)) == list(map(repr, eager.picks))  # NaN is not NaN
    assert (lazy.exhausted, lazy.eager) == (eager.exhausted, eager.eager)
    assert lazy.counted <= eager.counted == eager.eager
    return lazy, eager


def sides(info: Info, seed: int) -> dict[str, list[int]]:
    """What is forced and what is excluded."""
    rng = np.random.default_rng([seed, 9])
    order = rng.permutation(info.features).tolist()
    forced, excluded = int(rng.integers(0, 3)), int(rng.integers(0, 2))
    return {"forced": order[:forced], "excluded": order[-excluded:] if excluded else []}


def some_of(info, features):
    """A view whose terms are counted without the other columns."""
    return view_of_some(info, np.asarray(features), (), np.zeros(0, np.int64))


@pytest.fixture(params=["lists", "planes"])
def form(request, monkeypatch):
    """Small problems are dense and sparse columns at once, so both forms are tried."""
    monkeypatch.setattr(
        mlfs.counting.column_groups, "WORD_COST", 2.0 if request.param == "lists" else -1.0
    )
    return request.param


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("form")
def test_lazy_is_eager_on_random_problems(kind):
    for seed in range(4):
        info = info_of(seed, kind)
        every = [*(get(name)[1] for name in FALLING), *OWN]
        for criterion in every[seed % 4 :: 4]:  # each on a quarter of the problems
            both(criterion, info, info.d, **sides(info, seed))


@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.sampled_from(FALLING))
@settings(max_examples=40, deadline=None)
def test_lazy_is_eager_whatever_the_problem(seed, kind, name):
    info = info_of(seed, kind)
    both(get(name)[1], info, info.d, **sides(info, seed))


@pytest.mark.parametrize("name", FALLING)
def test_lazy_is_eager_among_exact_ties(name):
    """Copies of a few columns, and columns that tell nothing."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (16, 5))[:, rng.integers(0, 5, 40)]
        X[:, rng.integers(0, 40, 3)] = 1
        info = Info.from_codes(X, rng.integers(0, 2, (16, 2)))
        lazy, _ = both(get(name)[1], info, 30)
        assert any(pick.ties for pick in lazy.picks)


@pytest.mark.parametrize("name", FALLING)
def test_closed_candidates_stay_closed(name):
    info = info_of(3, "plain")
    odd = info.features % 2 == 1
    both(get(name)[1], info, info.d, closes=lambda s: odd & (info.features > s))


@pytest.mark.parametrize("name", sorted({*FALLING} - {"jmim", "njmim"}))
@pytest.mark.usefixtures("form")
def test_noise_is_left_uncounted(name):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    good = y[:, None] ^ (rng.random((400, 6)) < [0.05, 0.1, 0.15, 0.2, 0.25, 0.3])
    noise = rng.integers(0, 2, (400, 300))
    info = Info.from_codes(np.concatenate([noise, good], axis=1), y[:, None])
    before = table_of(info).pairs_counted
    lazy, eager = both(get(name)[1], info, 4)
    assert lazy.counted < eager.counted / 2
    assert table_of(info).pairs_counted - before <= eager.counted + 2 * lazy.counted


def test_a_minimum_that_begins_with_the_first_term_is_lazy_by_itself():
    """JMIM and NJMIM need the first term of everybody, and later ones of few."""
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 3, (200, 20_000)), rng.integers(0, 2, (200, 1))
    X[:, :20] = (X[:, :20] + 2 * Y) % 3
    info = Info.from_codes(X, Y)
    auto = greedy(get("njmim")[1], info, 12)
    assert auto.counted < auto.eager / 2
    assert list(map(repr, auto.picks)) == list(
        map(repr, greedy(get("njmim")[1], info, 12, lazy=False).picks)
    )


def test_many_rows_and_few_columns_are_lazy():
    """There a term takes as long alone as in a sweep, so laziness goes on while it saves any."""
    rng = np.random.default_rng(0)
    levels = rng.integers(3, 9, 60)
    X = np.column_stack([rng.integers(0, k, 50_000) for k in levels])
    X[:, 30:40] = X[:, :10]
    signal = X[:, :20] > levels[:20] / 2
    y = (signal @ rng.random(20) > 5) ^ (rng.random(50_000) < 0.1)
    info = Info.from_codes(X, y[:, None].astype(int))
    auto = greedy(get("cmim")[1], info, 30)
    assert auto.counted < 0.75 * auto.eager


def test_auto_is_eager_too():
    for seed in range(6):
        info = info_of(seed, "plain")
        for name in FALLING:
            auto = greedy(get(name)[1], info, info.d)
            eager = greedy(get(name)[1], info, info.d, lazy=False)
            assert list(map(repr, auto.picks)) == list(map(repr, eager.picks))
            assert auto.counted <= auto.eager


def test_a_criterion_without_falls_is_never_lazy():
    info = info_of(1, "plain")
    path = greedy(get("jmi")[1], info, 4, lazy=True)
    assert path.counted == path.eager == 3 * info.d


def test_mim_has_no_terms():
    path = greedy(get("mim")[1], info_of(1, "plain"), 4, lazy=True)
    assert (path.counted, path.eager) == (0, 0)


def test_an_interrupt_keeps_the_picks_so_far():
    class Slow(Discounted):
        asked = 0

        def term(self, info, s):
            self.asked += 1
            if self.asked == 5:
                raise KeyboardInterrupt
            return super().term(info, s)

    info = info_of(0, "plain")
    path = greedy(Slow(), info, info.d, lazy=True)
    whole = greedy(Discounted(), info, info.d)
    assert path.interrupted
    assert 0 < len(path.picks) < len(whole.picks)
    assert path.picks == whole.picks[: len(path.picks)]


def test_picks_are_reported_as_they_are_made():
    reported = []
    info = info_of(0, "plain")
    path = greedy(get("mrmr")[1], info, 5, lazy=True, on_pick=reported.append)
    assert reported == path.picks


def test_what_falls_must_fall():
    with pytest.raises(CriterionError, match="says falls = True"):
        mlfs.criteria.check_criterion(Rising)
    for kind in (Discounted, Overlapping):
        mlfs.criteria.check_criterion(kind)


@pytest.mark.parametrize("where", ["term", "score"])
def test_an_error_names_the_method_at_fault(where):
    class Faulty(Discounted):
        def term(self, info, s):
            return np.full(info.d, np.nan) if where == "term" else super().term(info, s)

        def score(self, relevance, total, picked):
            return (
                relevance * np.nan if where == "score" else super().score(relevance, total, picked)
            )

    with pytest.raises(CriterionError, match=f"the criterion odd gives NaN as {where} of column"):
        greedy(Faulty(), info_of(0, "plain"), 3, name="odd", lazy=True)


WORDS_OF_S = ["mi_fs", "cmi_fL_given_s", "cmi_sL_given_f", "joint_fsL", "su_fs"]
WORDS_OF_S += ["h_f_where_s", "h_s_where_f"]


# Views that are counted alone --------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS[:-1])
@pytest.mark.usefixtures("form")
def test_a_view_that_is_counted_alone_gives_the_same_bits(kind):
    for seed in range(2):
        info = info_of(seed, kind)
        some = np.random.default_rng(seed).permutation(info.d)[:3]
        views = [(info, some_of(info, some))]
        views.append((info.for_label(0), some_of(info, some).for_label(0)))
        for whole, view in views:
            for s in range(info.d):
                for word in WORDS_OF_S:
                    np.testing.assert_array_equal(
                        getattr(whole, word)(s)[some], getattr(view, word)(s), word
                    )
                for word in ("cmi_sl_given_f", "cmi_fl_given_s", "interaction_fsl", "h_fsl"):

                    def ask(block, word=word, s=s):
                        return getattr(block, word)(s)

                    np.testing.assert_array_equal(
                        whole.sum_over_labels(ask)[some], view.sum_over_labels(ask), word
                    )
            for word in ("h_f", "mi_fL", "mi_fl"):
                np.testing.assert_array_equal(getattr(whole, word)[some], getattr(view, word))


def test_a_small_view_on_many_columns_counts_these_alone():
    rng = np.random.default_rng(0)
    info = Info.from_codes(rng.integers(0, 3, (50, 1100)), rng.integers(0, 2, (50, 1)))
    view = info.only(range(7))
    np.testing.assert_array_equal(view.cmi_fL_given_s(500), info.cmi_fL_given_s(500)[:7])
    before = table_of(info).pairs_counted
    view.mi_fs(600)
    assert table_of(info).pairs_counted - before == 7


def test_columns_of_both_forms_are_counted_alone():
    """Planes and lists in one view, and picks of both."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (300, 12))
    X[:, ::3] = rng.random((300, 4)) < 0.02
    info = Info.from_codes(X, rng.integers(0, 2, (300, 2)))
    assert len(set(table_of(info).counts.kinds)) > 1
    assert LayoutKind.LISTS not in table_of(info).counts.kinds
    some = [0, 1, 2, 4, 5, 9]
    view = some_of(info, some)
    for s in range(12):
        np.testing.assert_array_equal(view.mi_fs(s), info.mi_fs(s)[some])
        np.testing.assert_array_equal(view.cmi_fL_given_s(s), info.cmi_fL_given_s(s)[some])
