"""Lazy evaluation: leave terms uncounted that cannot change the picks.

For fixed picks a further term never raises a score, if the criterion says ``falls = True``. So the
score with the terms folded so far bounds the score with all of them, and a candidate whose
bound does not reach the second best score can neither be picked nor come second nor tie.
"""

from __future__ import annotations

import numpy as np

from mlfs._kernels import choosing
from mlfs.information.for_search import sweep_cost, view_of_some
from mlfs.search.checked import CheckedCriterion
from mlfs.search.scores import CandidateScores

__all__ = ["LazyScores"]

AT_ONCE = 64  # candidates that are updated first; then twice as many
FEWEST = 16
MOST = 4096
TRIALS = 4  # picks after which half of the terms must have been saved
PRICE = 75_000.0  # nanoseconds that a lazy step costs beside counting


class LazyScores(CandidateScores):
    """Candidate scores that are up to date only where they can matter.

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
        self._found = np.empty(d, np.int64)
        self._fresh = np.zeros(0, np.int64)
        self._at_once = min(AT_ONCE, max(2, d // 4))
        self._insist, self._is_lazy, self._worth = insist, True, 0.0

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
        wanted, fresh, at_once = self._first(bounds, is_open, forced), [], self._at_once
        while wanted.size:
            fresh.append(self._update(wanted, bounds))
            if len(self.picked) == 1 and not self._insist and self._worth < PRICE:
                self._switch_to_eager(bounds)
                break
            self._fresh = np.concatenate(fresh)
            second, slack = choosing.leaders_of(
                self._fresh, bounds, is_open, self.relevance, self.total, forced
            )
            wanted = self._stale(bounds, is_open, second - slack, at_once)
            at_once *= 2
        if not self._insist and len(self.picked) == TRIALS and 2 * self.counted > self.eager:
            self._switch_to_eager(bounds)
        return bounds

    def _switch_to_eager(self, bounds: np.ndarray) -> None:
        """Switch to eager evaluation."""
        behind = np.flatnonzero(self._folded < len(self.picked))
        if behind.size:
            self._sweep(behind, bounds)
        self._is_lazy = False

    def _first(self, bounds: np.ndarray, is_open: np.ndarray, forced: int) -> np.ndarray:
        """Choose the candidates to update first: those that were up to date before."""
        some = self._fresh[is_open[self._fresh]]
        if some.size < 2:
            some = self._stale(bounds, is_open, -np.inf, self._at_once)
        elif some.size > FEWEST:
            some = some[(-bounds[some]).argpartition(FEWEST)[:FEWEST]]
        if forced >= 0 and forced not in some:
            some = np.append(some, forced)
        return some

    def _stale(
        self, bounds: np.ndarray, is_open: np.ndarray, least: float, at_once: int
    ) -> np.ndarray:
        """Find the best of the stale candidates whose bound reaches `least`."""
        size = choosing.stale_ones(
            bounds, is_open, self._folded, len(self.picked), least, self._found
        )
        some = self._found[:size].copy()
        if size > at_once:
            unbounded = int((bounds[some] == np.inf).sum())  # these must be counted
            at_once = max(at_once, unbounded)
            if size > at_once:
                some = some[(-bounds[some]).argpartition(at_once - 1)[:at_once]]
        return some

    def _update(self, some: np.ndarray, bounds: np.ndarray) -> np.ndarray:
        """Update at least some candidates, and give all that were updated."""
        if 2 * some.size > self.info.d:
            return self._sweep(some, bounds)
        for at in range(0, some.size, MOST):
            self._fold(some[at : at + MOST], bounds)
        return some

    def _fold(self, some: np.ndarray, bounds: np.ndarray) -> None:
        """Fold the terms that some candidates lack, in the order of the picks."""
        some = some[self._folded[some].argsort(kind="stable")]
        folded, n = self._folded[some], len(self.picked)
        first = int(folded[0])
        picked, start = self.picked[first:], folded - first
        view = view_of_some(self.info, self.features[some], picked, start)
        checked, total = self.checked.on(view), self.total[some]
        sizes = folded.searchsorted(np.arange(first, n), side="right").tolist()
        checked.fold_terms(total, self.picked[first:], sizes)
        if np.isnan(np.maximum.reduce(total)):
            for s in self.picked[first:]:
                checked.term(s)  # raises, and names the column
        self.counted += sum(sizes)
        self.total[some] = total
        self._folded[some] = n
        bounds[some] = checked.score(self.relevance[some], total, self.picked)
        if n == 1:
            self._worth = sweep_cost(view)

    def _sweep(self, some: np.ndarray, bounds: np.ndarray) -> np.ndarray:
        """Do so with terms of all candidates, and update all that lack no earlier term."""
        first, n = int(self._folded[some].min()), len(self.picked)
        some = np.flatnonzero((self._folded >= first) & (self._folded < n))
        for i in range(first, n):
            lack = some[self._folded[some] <= i]
            term = self.checked.term(self.picked[i])
            self.total[lack] = self.checked.fold(self.total[lack], term[lack])
            self.counted += lack.size
        self._folded[some] = n
        bounds[some] = self.checked.score(self.relevance, self.total, self.picked)[some]
        return some
