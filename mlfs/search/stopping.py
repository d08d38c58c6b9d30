"""The automatic number of features: pick what tells more than chance and adds to all other picks.

Three rules decide. First, a candidate must tell more than chance alone, about one label or about
all of them; the share of false discoveries is controlled at `alpha` (Benjamini & Hochberg, 1995).
Second, the best candidate by the criterion is picked if it improves an additive model of the labels
by all picks so far: of m such candidates pick k needs a p-value of at most `alpha` k / m; else it
is closed. Two columns that tell more together than apart (`mlfs.search.pair_tests`) pass the first
rule, and the second one by their joint levels: then both are picked. Third, picks that later ones
have made superfluous leave again, the worst one first.
`mlfs.search.additive` has the tests.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlfs.information.for_search import relevance_interval
from mlfs.information.info import Info
from mlfs.search.additive import AdditiveModel, AdditiveTests
from mlfs.search.picks import Significance, Told

LEVEL = 0.95  # of the interval of relevance


class AutoStop:
    """Decides which candidates are worth picking.

    Parameters
    ----------
    info : Info
        The view that is searched, on all candidates.
    tests : AdditiveTests
        The tests of the candidates that can be picked.
    excluded : sequence of int
        Candidates that are never picked, and do not count as tested.
    alpha : float
        The accepted share of false discoveries.
    """

    def __init__(
        self, info: Info, tests: AdditiveTests, excluded: Sequence[int] = (), alpha: float = 0.05
    ) -> None:
        self._info, self._alpha = info, alpha
        self._excluded = np.asarray(excluded, np.int64)
        self._tests = tests
        columns = tests.labels.columns_of(np.array(info.labels))
        p_values = np.ones(info.d)
        p_values[tests.candidates] = tests.about(columns)[0]
        tested = np.setdiff1d(tests.candidates, np.asarray(excluded, np.int64))
        self.p_values, self.adjusted = p_values, np.ones(info.d)
        self.adjusted[tested] = adjusted(p_values[tested])
        self.informative = self.adjusted <= alpha
        self._pairs = [
            pair
            for pair in tests.found_pairs(columns, alpha)
            if not {pair.first, pair.second} & {*excluded}
        ]
        self._promised: dict[int, int] = {}  # partners of picks, which are picked with them
        for pair in self._pairs:
            self.informative[[pair.first, pair.second]] = True
        self.left_out = info.features[~self.informative]
        self._n_informative = max(1, int(self.informative.sum()))
        self._model = AdditiveModel(tests, columns)
        self._p_beside = np.full(info.d, np.nan)

    def force(self, candidate: int) -> None:
        """Take a candidate that is picked whatever it tells."""
        self._model.add(candidate)

    def accepts(self, candidate: int) -> bool:
        """Whether a candidate adds to the picks; then it is one of them."""
        model, least = self._model, self._threshold(len(self._model.picks) + 1)
        if candidate in self._promised:
            model.add(candidate, joint=self._tests.nothing())
            return True
        self._p_beside[candidate] = p = model.add(candidate, least)
        for pair in self._pairs if p > least else ():
            if candidate in pair[:2]:
                partner = pair.second if pair.first == candidate else pair.first
                joint = self._tests.joint(candidate, partner)
                if model.add(candidate, least, joint) <= least:
                    self._promised[partner] = candidate
                    return True
        return p <= least

    def closes(self, candidate: int) -> np.ndarray:
        """Take a pick; a mask of the candidates that add too little to all picks."""
        self._model.add(candidate)
        least, closed = self._threshold(len(self._model.picks) + 1), ~self.informative
        for j in np.flatnonzero(self.informative).tolist():
            closed[j] = self._model.p_value(j) > least
        return closed

    def sweep(self, forced: Sequence[int]) -> list[int]:
        """Drop the picks that others make superfluous, the worst first; give those that stay."""
        model = self._model
        while len(model.picks) > 1:
            p_values = self._p_of_picks()
            p_values[np.isin(model.picks, forced)] = 0.0
            worst = int(p_values.argmax())
            if p_values[worst] <= self._threshold(len(model.picks)):
                break
            pick = model.picks[worst]
            holder = self._promised.get(pick, pick)
            together = {holder} | {s for s, f in self._promised.items() if f == holder}
            for one in together & {*model.picks}:
                model.drop(model.picks.index(one))
        return list(model.picks)

    def _p_of_picks(self) -> np.ndarray:
        """The p-value of each pick beside all others; of two that were picked together one."""
        picks, p_values = self._model.picks, self._model.p_of_picks()
        for partner, holder in self._promised.items():
            if partner in picks and holder in picks:
                p_values[picks.index(partner)] = p_values[picks.index(holder)]
        return p_values

    def significance(self) -> Significance:
        """Give the tests of every candidate, alone and beside the picks."""
        info, p_beside = self._info, self._p_beside
        instead = np.full(info.d, -1)
        picks = self._model.picks
        for j in np.setdiff1d(np.flatnonzero(self.informative), picks).tolist():
            p_beside[j] = self._model.p_value(j)
            instead[j] = self._model.most_alike(j)
        p_beside[picks] = self._p_of_picks()
        interval = np.full((2, info.d), np.nan)
        ends = relevance_interval(info, info.features[self.informative], LEVEL)
        if ends is not None:
            interval[:, self.informative] = ends
        return Significance(
            info.features,
            np.array(info.mi_fL),
            self.p_values,
            self.adjusted,
            self.informative,
            p_beside,
            instead,
            *interval,
        )

    def told_by(self) -> dict[int, Told]:
        """For each label in play, the pick that tells most about it, or else the best candidate."""
        tests, out = self._tests, dict[int, Told]()
        for label in np.array(self._info.labels).tolist():
            columns = tests.labels.columns_of(np.array([label]))
            if not columns.size:
                continue
            p_values = np.ones(self._info.d)
            p_values[tests.candidates] = tests.about(columns)[0]
            partner = np.full(self._info.d, -1)
            for pair in self._pairs:
                p = pair.p_adjusted / self._info.d
                picked = {pair.first, pair.second} <= {*self._model.picks}
                if pair.label == label and picked and p < p_values[pair.first]:
                    p_values[pair.first], partner[pair.first] = p, pair.second
            p_values[self._excluded] = 1.0  # nobody is advised to include them
            picks = np.array(self._model.picks, np.int64)
            pick = int(picks[p_values[picks].argmin()]) if picks.size else -1
            best = int(p_values.argmin())
            if pick >= 0 and p_values[pick] * picks.size <= self._alpha:
                out[label] = Told(pick, float(p_values[pick]), True, int(partner[pick]))
            elif p_values[best] * tests.candidates.size <= self._alpha:
                out[label] = Told(best, float(p_values[best]), is_pick=False)
            else:
                out[label] = Told(-1, float(p_values[best]), is_pick=False)
        return out

    def looked_at_pairs(self) -> bool:
        """Whether all pairs of candidates were looked at."""
        return self._tests.looks_at_pairs(
            self._tests.labels.columns_of(np.array(self._info.labels))
        )

    def _threshold(self, rank: int) -> float:
        return self._alpha * rank / self._n_informative


def adjusted(p_values: np.ndarray) -> np.ndarray:
    """The least share of false discoveries at which each hypothesis is rejected.

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.5, 0.02])).round(3).tolist()
    [0.03, 0.5, 0.03]
    """
    order = np.argsort(p_values, kind="stable")[::-1]
    shares = p_values[order] * p_values.size / np.arange(p_values.size, 0, -1)
    out = np.empty(p_values.size)
    out[order] = np.minimum.accumulate(np.minimum(1.0, shares))
    return out
