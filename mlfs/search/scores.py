"""Where the candidates stand: their scores, given what is picked so far."""

from __future__ import annotations

import numpy as np

from mlfs._kernels import choosing
from mlfs.search.checked import Asked
from mlfs.search.picks import Pick

__all__ = ["Fixed", "Merits", "Standing"]


class Standing:
    """The scores of all candidates, from relevances and a fold over the picks.

    Parameters
    ----------
    asked : Asked
        The criterion on its view of the data.
    """

    def __init__(self, asked: Asked) -> None:
        self._begin(asked)
        self.relevance = asked.relevance()
        self.correlation = asked.label_correlation()
        self.total = asked.start()

    def _begin(self, asked: Asked) -> None:
        self.asked, self.info = asked, asked.info
        self.features = asked.info.features
        self.picked: list[int] = []
        self.counted = self.eager = 0  # terms that were made, and that could have been

    def scores(self, is_open: np.ndarray, forced: int) -> np.ndarray:  # noqa: ARG002
        """The scores; exact for the best of the open ones, the next, and the forced one."""
        if not self.picked:
            return self.relevance
        return self.asked.score(self.relevance, self.total, self.picked)

    def take(self, s: int) -> None:
        """Pick a column."""
        self.picked.append(s)
        self.total = self.asked.fold(self.total, self.asked.term(s))
        self.eager += self.info.d
        self.counted += self.info.d

    def among(self, is_open: np.ndarray) -> np.ndarray | None:  # noqa: ARG002
        """The candidates of which the next pick must be one; None for all."""
        return None

    def pick(self, is_open: np.ndarray, forced: int) -> Pick | None:
        """The next pick: the best, or the candidate that is forced, given by its position."""
        scores = self.scores(is_open, forced)
        some = self.among(is_open) if forced < 0 else None
        if some is None:
            return self._pick(self.features, scores, is_open, self.relevance, self.total, forced)
        return self._pick(
            self.features[some],
            scores[some],
            is_open[some],
            self.relevance[some],
            self.total[some],
            forced,
            some,
        )

    def _pick(
        self,
        features: np.ndarray,
        scores: np.ndarray,
        is_open: np.ndarray,
        relevance: np.ndarray,
        total: np.ndarray,
        forced: int,
        some: np.ndarray | None = None,
    ) -> Pick | None:
        here, second, tied, least = choosing.leaders(
            scores, is_open, features, relevance, total, bool(self.picked), forced
        )
        if here < 0:
            return None
        ties: tuple[int, ...] = ()
        if tied:
            near = features[(scores >= least) & is_open]
            ties = tuple(np.sort(near)[1:].tolist())
        score = float(scores[here])
        correlation = float(self.correlation[here if some is None else some[here]])
        alone = float(relevance[here]) - correlation
        margin, runner_up = float("nan"), None
        if second >= 0:
            runner_up, margin = int(features[second]), score - float(scores[second])
            if forced < 0:  # of picks that are tied the lower column may be behind by rounding
                margin = max(0.0, margin)
        finite = abs(score) < np.inf and abs(alone) < np.inf
        return Pick(
            int(features[here]),
            score,
            alone,
            alone + correlation - score if finite else 0.0,
            correlation,
            ties,
            runner_up,
            margin,
            forced >= 0,
        )


class Merits(Standing):
    """Scores that are merits of whole sets."""

    def __init__(self, asked: Asked) -> None:
        self._begin(asked)
        self.total = self.correlation = np.zeros(asked.info.d)
        self.relevance = asked.relevance()

    def scores(self, is_open: np.ndarray, forced: int) -> np.ndarray:  # noqa: ARG002
        """The merits of the picked set with each candidate."""
        return self.asked.merit(self.picked)

    def take(self, s: int) -> None:
        """Pick a column."""
        self.picked.append(s)


class Fixed(Standing):
    """Scores that no pick changes: sorted once, then read off."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self._order = np.lexsort((self.features, -self.relevance))
        self._first = 0

    def scores(self, is_open: np.ndarray, forced: int) -> np.ndarray:  # noqa: ARG002
        """The relevances."""
        return self.relevance

    def take(self, s: int) -> None:
        """Pick a column."""
        self.picked.append(s)

    def among(self, is_open: np.ndarray) -> np.ndarray:
        """The open candidates that are as good as the best, and the next one."""
        while self._first < self._order.size and not is_open[self._order[self._first]]:
            self._first += 1
        found: list[int] = []
        for at in self._order[self._first :]:
            if is_open[at]:
                found.append(int(at))
                relevance = self.relevance[found[0]]
                slack = choosing.TIE * max(1.0, abs(relevance) + self._scale(found[0]))
                if self.relevance[at] < relevance - slack:
                    break
        return np.array(found, np.int64)

    def _scale(self, at: int) -> float:
        total = abs(float(self.total[at])) if self.picked else 0.0
        return total if total < np.inf else 0.0
