"""Candidate scores: what a criterion gives every candidate after the picks so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlfs._kernels import choosing
from mlfs.information.for_search import sweep_cost, view_of_some
from mlfs.search.checked import CheckedCriterion
from mlfs.search.picks import Pick, Picks, Ties


class CandidateScores:
    """The scores of all candidates, from relevance and the folded terms of the picks.

    Parameters
    ----------
    checked : CheckedCriterion
        The criterion on its view of the data.
    """

    has_terms = True

    def __init__(self, checked: CheckedCriterion) -> None:
        self._begin(checked)
        self.correlation = checked.label_correlation()
        self.total = checked.start()

    def _begin(self, checked: CheckedCriterion) -> None:
        self.checked, self.info = checked, checked.info
        self.features = np.array(checked.info.features)  # compiled code wants it writable
        self._ascending = bool((self.features[1:] > self.features[:-1]).all())
        self.relevance = checked.relevance()
        self.picked: list[int] = []
        self.counted = self.eager = 0  # terms that were computed, and those of an eager search
        self._steps: list[tuple[Any, ...]] = []
        self._ties = Ties()
        self._values = self.relevance  # the scores of the last step
        self._by_cost = False

    def scores(self, is_open: np.ndarray, forced: int) -> np.ndarray:  # noqa: ARG002
        """Compute the scores; exact for the two best open candidates and the forced one."""
        if not self.picked:
            return self.relevance
        return self.checked.score(self.relevance, self.total, self.picked)

    def take(self, s: int) -> None:
        """Add a column to the picks."""
        self.picked.append(s)
        if self.has_terms:
            self.total = self.checked.fold(self.total, self.checked.term(s))
            self.eager += self.info.d
            self.counted += self.info.d

    def settled(self, is_open: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """The scores of this step again; exact for the two best of other open candidates."""
        return self._values

    def pick(
        self,
        is_open: np.ndarray,
        forced: int,
        costs: np.ndarray | None = None,
        *,
        again: bool = False,
    ) -> int:
        """Pick the best open candidate, or the one at the position `forced` unless it is -1.

        With costs, the best is the one with the greatest score for each unit of cost. A pick is
        tried `again` where no candidate was left in this step, with others.

        Returns the position of the pick, or -1 if no candidate is left.
        """
        values = self.settled(is_open) if again else self.scores(is_open, forced)
        self._values = values
        compared = values if costs is None else by_cost(values, costs)
        self._by_cost = costs is not None
        best, second, tied, least = choosing.leaders(
            compared, is_open, self.features, self.relevance, self.total, bool(self.picked), forced
        )
        if best >= 0:
            ties = (0, 0)
            if tied:
                group = self.features[(compared >= least) & is_open]
                ties = self._ties.add(group if self._ascending else np.sort(group))
            # numpy makes an array of Python's floats faster than one of its own
            scores = values.item(best), values.item(second)
            step = (best, second, *scores, forced >= 0, *ties)
            self._steps.append(step)
        return int(best)

    def undo(self) -> None:
        """Take the last pick back, before `take` counts its terms."""
        self._steps.pop()

    def best(self, is_open: np.ndarray) -> int:
        """The position of the best open candidate, which is not picked; -1 if there is none."""
        state = self.features, self.relevance, self.total, bool(self.picked), -1
        return int(choosing.leaders(self.settled(is_open), is_open, *state)[0])

    def last(self, position: int) -> float:
        """The score of a candidate that was the best or picked in this step."""
        return self._values.item(position)

    def picks(self, start: int = 0) -> Picks:
        """Give the picks from the index `start` on."""
        if len(self._steps) == start:
            return Picks.empty()
        columns = map(np.array, zip(*self._steps[start:], strict=True))
        return self._explain(*columns, self._ties.columns)

    def _explain(
        self,
        best: np.ndarray,
        second: np.ndarray,
        scores: np.ndarray,
        next_scores: np.ndarray,
        forced: np.ndarray,
        *ties: np.ndarray,
    ) -> Picks:
        """Explain picks and their runners-up, which are given by positions and scores."""
        correlation = self.correlation[best]
        relevance = self.relevance[best] - correlation
        redundancy = np.zeros(best.size)
        finite = np.isfinite(scores) & np.isfinite(relevance)
        np.subtract(relevance + correlation, scores, out=redundancy, where=finite)
        margins = np.full(best.size, np.nan)
        np.subtract(scores, next_scores, out=margins, where=second >= 0)
        # the lowest of tied columns may be behind the runner-up by rounding
        margins = np.where(forced | self._by_cost, margins, np.maximum(0.0, margins))
        return Picks(
            self.features[best],
            scores,
            relevance,
            redundancy,
            correlation,
            margins,
            np.where(second < 0, -1, self.features[second]),
            forced,
            *ties,
        )


def by_cost(scores: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Scores for each unit of cost: J/c, and J c where J is below 0, so that less is better.

    Examples
    --------
    >>> by_cost(np.array([6.0, -6.0]), np.array([2.0, 2.0])).tolist()
    [3.0, -12.0]
    """
    weighed: np.ndarray = np.where(scores >= 0, scores / costs, scores * costs)
    return weighed


class PairScores(CandidateScores):
    """Scores that depend on the picks two at a time as well."""

    def __init__(self, checked: CheckedCriterion) -> None:
        super().__init__(checked)
        self._pairs = np.zeros(checked.info.d)

    def scores(self, is_open: np.ndarray, forced: int) -> np.ndarray:  # noqa: ARG002
        """Compute the scores of all candidates."""
        if not self.picked:
            return self.relevance
        return self.checked.pair_score(self.relevance, self.total, self._pairs, self.picked)

    def take(self, s: int) -> None:
        """Add a column to the picks, and its terms with all picks before it."""
        before = list(self.picked)
        super().take(s)
        for t in before:
            self._pairs = self._pairs + self.checked.pair_term(s, t)


class SetScores(CandidateScores):
    """Scores that are merits of whole sets."""

    has_terms = False

    def __init__(self, checked: CheckedCriterion) -> None:
        self._begin(checked)
        self.total = self.correlation = np.zeros(checked.info.d)

    def scores(self, is_open: np.ndarray, forced: int) -> np.ndarray:  # noqa: ARG002
        """Compute the merits of the picked set with each candidate."""
        return self.checked.merit(self.picked)


class FixedScores(CandidateScores):
    """Scores that no pick changes: sorting the relevance once gives all picks."""

    has_terms = False
    _sorted_picks: Picks | None = None

    def pick_rest(
        self, is_open: np.ndarray, n: int, on_pick: Callable[[Pick], object] | None
    ) -> None:
        """Make all remaining picks, at most `n`.

        Candidates whose relevance differs from the next one by rounding form a cluster. If all of
        a cluster tie with its best one, they are picked in the order of their columns.
        """
        order = np.flatnonzero(is_open & (self.relevance > -np.inf))
        order = order[np.lexsort((self.features[order], -self.relevance[order]))]
        relevance = self.relevance[order]
        limits = relevance - choosing.TIE * np.maximum(1.0, np.abs(relevance))
        firsts = np.flatnonzero(np.append(True, relevance[1:] < limits[:-1])[: order.size])
        lasts = np.append(firsts[1:], order.size)[: firsts.size][firsts < n]
        firsts = firsts[: lasts.size]
        size = int(lasts.max(initial=0))
        end = np.repeat(lasts, lasts - firsts)
        best = order[np.lexsort((self.features[order[:size]], end))]
        following, order_or_none = np.arange(1, size + 1), np.append(order, -1)
        second = np.where(following < end, np.append(best[1:], -1)[:size], order_or_none[end])
        ties_from, ties_to, ties = following, end.copy(), Ties(self.features[best])
        for i in np.flatnonzero(relevance[lasts - 1] < limits[firsts]):
            part = slice(firsts[i], lasts[i])
            steps = _pick_cluster(self.features[order[part]], relevance[part], limits[part], ties)
            picked, runners_up, ties_from[part], ties_to[part] = np.array(steps).T
            best[part], second[part] = order[part][picked], order_or_none[firsts[i] + runners_up]
        best, second = best[:n], second[:n]
        picks = self._explain(
            best,
            second,
            self.relevance[best],
            self.relevance[second],
            np.zeros(best.size, bool),
            ties_from[:n],
            ties_to[:n],
            ties.columns,
        )
        self._sorted_picks, stopped = picks.report(on_pick)
        if stopped:
            raise KeyboardInterrupt

    def picks(self, start: int = 0) -> Picks:
        """Give the picks from the index `start` on."""
        picks = super().picks(start)
        return (
            picks if self._sorted_picks is None else Picks.concatenate([picks, self._sorted_picks])
        )


def _pick_cluster(
    columns: np.ndarray, scores: np.ndarray, limits: np.ndarray, ties: Ties
) -> list[tuple[int, int, int, int]]:
    """Pick all candidates of a cluster: for each step pick, runner-up and where its ties are."""
    steps = []
    remaining = list(range(columns.size))
    while remaining:
        tied = []
        for i in remaining:
            if scores[i] < limits[remaining[0]]:
                break
            tied.append(i)
        tied.sort(key=columns.__getitem__)
        runner_up = (
            tied[1] if len(tied) > 1 else remaining[1] if len(remaining) > 1 else columns.size
        )
        steps.append((tied[0], runner_up, *ties.add(columns[tied])))
        remaining.remove(tied[0])
    return steps


AT_ONCE = 64  # candidates that are updated first; then twice as many
FEWEST = 16
MOST = 4096
ALONE = 400.0  # nanoseconds that a term takes longer alone than in a sweep
WIDE = 8192  # candidates from which a fold is lazy that needs the first term of everybody
PRICE = 75_000.0  # nanoseconds that a lazy step costs beside counting


class LazyScores(CandidateScores):
    """Candidate scores that are up to date only where they can matter.

    For fixed picks a further term never raises a score, if the criterion says ``falls = True``. So
    the score with the terms folded so far bounds the score with all of them, and a candidate whose
    bound does not reach the second best score can neither be picked nor come second nor tie.

    Parameters
    ----------
    checked : CheckedCriterion
        A criterion whose scores fall.
    insist : bool
        Stay lazy even where eager evaluation is faster.
    """

    def __init__(self, checked: CheckedCriterion, *, insist: bool = False) -> None:
        super().__init__(checked)
        d = self.info.d
        self.total = np.array(self.total)  # changed in place
        self._folded = np.zeros(d, np.int64)  # terms in the total of each candidate
        self._buffer = np.empty(d, np.int64)
        self._fresh = np.zeros(0, np.int64)  # the candidates that the last step updated
        self._at_once = min(AT_ONCE, max(2, d // 4))
        self._insist, self._is_lazy = insist, True
        self._waits = False  # whether nothing bounds a candidate before its first term
        self._n_stale = 0  # candidates that may still matter in this step
        self._alone = 0  # terms that were computed without those of the other candidates
        self._sweep_cost = np.inf  # nanoseconds of a term for all candidates, once it is known
        self._price = PRICE

    def take(self, s: int) -> None:
        """Add a column to the picks."""
        if self._is_lazy:
            self.picked.append(s)
            self.eager += self.info.d
        else:
            super().take(s)

    def scores(self, is_open: np.ndarray, forced: int) -> np.ndarray:
        """Compute the scores, or bounds where these are too low to matter."""
        if not self.picked or not self._is_lazy:
            return super().scores(is_open, forced)
        bounds = self.checked.bound(self.relevance, self.total, self.picked)
        if len(self.picked) == 1:
            self._waits = bool((bounds == np.inf).any())
            if self._waits and not self._insist and self.info.d < WIDE:
                self._switch_to_eager(bounds)
                return bounds
        stale, at_once = self._first_candidates(bounds, is_open, forced), self._at_once
        fresh: list[np.ndarray] = []
        while stale.size:
            fresh.append(self._update(stale, bounds, whole=not fresh))
            if not self._insist and (self._sweep_cost < self._price or self._saves_little()):
                self._switch_to_eager(bounds)
                break
            self._fresh = np.concatenate(fresh)
            second, slack = choosing.leaders_of(
                self._fresh, bounds, is_open, self.relevance, self.total, forced
            )
            stale = self._find_stale(bounds, is_open, second - slack, at_once)
            if self._waits and not self._insist and 2 * self._n_stale > self.info.d:
                self._switch_to_eager(bounds)
                break
            at_once *= 2
        return bounds

    def _saves_little(self) -> bool:
        """Whether the terms computed so far took longer than all would have taken in sweeps."""
        in_sweep = self._sweep_cost / self.info.d
        return self._alone * (in_sweep + ALONE) > self.eager * in_sweep

    def settled(self, is_open: np.ndarray) -> np.ndarray:
        """The scores of this step again, counted where they can be among the two best."""
        while self.picked and self._is_lazy:
            exact = np.flatnonzero(is_open & (self._folded == len(self.picked)))
            second, slack = choosing.leaders_of(
                exact, self._values, is_open, self.relevance, self.total, -1
            )
            stale = self._find_stale(self._values, is_open, second - slack, self._at_once)
            if not stale.size:
                break
            self._update(stale, self._values, whole=True)
        return self._values

    def _switch_to_eager(self, bounds: np.ndarray) -> None:
        """Switch to eager evaluation."""
        behind = np.flatnonzero(self._folded < len(self.picked))
        if behind.size:
            self._sweep(behind, bounds, len(self.picked))
        self._is_lazy = False

    def _first_candidates(self, bounds: np.ndarray, is_open: np.ndarray, forced: int) -> np.ndarray:
        """Choose the candidates to update first: those that were up to date before."""
        candidates = self._fresh[is_open[self._fresh]]
        if candidates.size < 2:
            candidates = self._find_stale(bounds, is_open, -np.inf, self._at_once)
        elif candidates.size > FEWEST:
            candidates = candidates[(-bounds[candidates]).argpartition(FEWEST)[:FEWEST]]
        if forced >= 0 and forced not in candidates:
            candidates = np.append(candidates, forced)
        return candidates

    def _find_stale(
        self, bounds: np.ndarray, is_open: np.ndarray, least: float, at_once: int
    ) -> np.ndarray:
        """Find the best of the stale candidates whose bound reaches `least`."""
        size = choosing.stale_ones(
            bounds, is_open, self._folded, len(self.picked), least, self._buffer
        )
        candidates, self._n_stale = self._buffer[:size].copy(), size
        if size > at_once:
            unbounded = int((bounds[candidates] == np.inf).sum())  # these must be counted
            at_once = max(at_once, unbounded)
            if size > at_once:
                candidates = candidates[(-bounds[candidates]).argpartition(at_once - 1)[:at_once]]
        return candidates

    def _update(self, candidates: np.ndarray, bounds: np.ndarray, *, whole: bool) -> np.ndarray:
        """Fold terms into some candidates, perhaps with others; return those that lack none now.

        Unless they are to be updated as a `whole`, many candidates get the earliest of the terms
        that they lack: most of them need no more to be ruled out.
        """
        folded, n = self._folded[candidates], len(self.picked)
        end = n
        if not whole:
            terms = np.bincount(folded, minlength=n).cumsum().cumsum()  # up to each pick
            end = max(int(folded.min()) + 1, int(terms.searchsorted(AT_ONCE * n, side="right")))
            candidates = candidates[folded < end]
        if 2 * candidates.size > self.info.d:
            candidates = self._sweep(candidates, bounds, end)
        else:
            for start in range(0, candidates.size, MOST):
                self._fold(candidates[start : start + MOST], bounds, end)
        return candidates if end == n else candidates[:0]

    def _fold(self, candidates: np.ndarray, bounds: np.ndarray, end: int) -> None:
        """Fold the terms of the picks before `end` that some candidates lack, in their order."""
        candidates = candidates[self._folded[candidates].argsort(kind="stable")]
        folded = self._folded[candidates]
        earliest = int(folded[0])
        picked, start = self.picked[earliest:end], folded - earliest
        view = view_of_some(self.info, self.features[candidates], picked, start)
        checked, total = self.checked.on(view), self.total[candidates]
        sizes = folded.searchsorted(np.arange(earliest, end), side="right").tolist()
        checked.fold_terms(total, picked, sizes)
        if np.isnan(np.maximum.reduce(total)):
            for s in picked:
                checked.term(s)  # raises, and names the column
        self._alone += sum(sizes)
        self.counted += sum(sizes)
        self.total[candidates] = total
        self._folded[candidates] = end
        bounds[candidates] = checked.score(self.relevance[candidates], total, self.picked)
        if self._sweep_cost == np.inf:
            self._sweep_cost, slower = sweep_cost(view)
            self._price = PRICE * slower

    def _sweep(self, candidates: np.ndarray, bounds: np.ndarray, end: int) -> np.ndarray:
        """Compute for all candidates the terms that some of them lack, pick by pick before `end`.

        This updates every candidate that lacks no term of an earlier pick than these do.
        """
        earliest = int(self._folded[candidates].min())
        candidates = np.flatnonzero((self._folded >= earliest) & (self._folded < end))
        for i in range(earliest, end):
            lack = candidates[self._folded[candidates] <= i]
            term = self.checked.term(self.picked[i])
            self.total[lack] = self.checked.fold(self.total[lack], term[lack])
            self.counted += lack.size
        self._folded[candidates] = end
        bounds[candidates] = self.checked.score(self.relevance, self.total, self.picked)[candidates]
        return candidates
