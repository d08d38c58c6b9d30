"""Does a column add to an additive model of the labels? Tests for each column, and beside picks.

Every column counts by a few parts (see `mlfs.discretize.rank_levels`), every label by an indicator
of each class. A column is tested by the share of what is left of each label that its parts explain,
beside the parts of the picks and the means of the strata: partial correlations, whose sums are
whole numbers. `mlfs.search.share_tests` has their p-values.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mlfs._kernels import level_sums
from mlfs.counting.parallel import Threads
from mlfs.discretize.rank_levels import NO_ROWS, LevelColumn, LevelColumns
from mlfs.errors import LOGGER
from mlfs.search.label_columns import LEAST_SPREAD, LabelColumns, LabelMoments
from mlfs.search.pair_tests import FoundPair, PairTests
from mlfs.search.share_tests import (
    FEW_PARTS,
    Evidence,
    PartSums,
    evidence,
    p_by_label,
    p_values,
)

FEWEST_FREE = 5  # rows beyond the parameters of the model
RIDGE = 1e-9  # of a correlation, so that picks that are all but collinear have a factor
COLUMNS_AT_ONCE = 256
MAX_STRATA = 8  # in each of which a column may have another effect
MAX_LEVELS_IN_STRATA = 255
PAIRS_LOOKED_AT = 500_000  # times labels: a tenth of a second
MAX_PAIRS = 10  # that can be picked


class AdditiveTests:
    """Tests of candidates about labels, each alone; what is counted once serves all labels.

    Parameters
    ----------
    columns : LevelColumns
        The columns as levels.
    labels : LabelColumns
        The labels.
    candidates : ndarray of int
        The candidates that may be picked: no others are tested.
    n_jobs : int
        Threads; the answer does not depend on it.
    """

    def __init__(
        self, columns: LevelColumns, labels: LabelColumns, candidates: np.ndarray, n_jobs: int = 1
    ) -> None:
        self.columns, self.labels, self.candidates = columns, labels, candidates
        self.n, self._n_jobs = labels.n_effective - labels.n_strata, n_jobs
        self._targets = labels.targets(np.arange(labels.q))
        self._n_forms = 1 + (1 < labels.n_strata <= MAX_STRATA)
        self._evidence = [self._test(form, n_jobs) for form in range(self._n_forms)]

    def forms(self, column: LevelColumn) -> list[LevelColumn]:
        """A column, and one whose effect may be another in each stratum, if there are a few."""
        labels, n_strata = self.labels, self.labels.n_strata
        if self._n_forms == 1 or len(column.parts) * n_strata > MAX_LEVELS_IN_STRATA:
            return [column]
        levels = column.levels_of_rows(labels.n_rows) * np.uint8(n_strata)
        parts = np.kron(column.parts, np.eye(n_strata, dtype=np.int8))
        return [column, LevelColumn((levels + labels.strata).astype(np.uint8), NO_ROWS, -1, parts)]

    def _test(self, form: int, n_jobs: int) -> Evidence:
        """Test each candidate in one of its forms."""
        columns, candidates, d, q = (
            self.columns, self.candidates, self.candidates.size, self.labels.q,
        )  # fmt: skip
        score, parts, fourth = np.zeros((d, q)), np.zeros(d), np.zeros(d)
        skewness = np.full((d, FEW_PARTS), np.nan)

        def test(first: int) -> None:
            LOGGER.info("n = auto: %s of %s candidates tested", f"{first:,}", f"{d:,}")
            by_size: dict[int, tuple[list[int], list[tuple[Any, ...]]]] = {}
            some = candidates[first : first + COLUMNS_AT_ONCE]
            for place, column in enumerate(columns.several(some), start=first):
                sums = self.sums_of(self.forms(column)[-1] if form else column)
                places, several = by_size.setdefault(sums.size.size, ([], []))
                places.append(place)
                several.append(sums)
            for size, (places, several) in by_size.items():
                if size:
                    stacked = PartSums(*map(np.array, zip(*several, strict=True)))
                    found = evidence(stacked, self._targets.total, self._targets, self.n)
                    score[places], parts[places] = found.score, found.parts
                    fourth[places], skewness[places] = found.fourth, found.skewness

        jobs = [(first,) for first in range(0, d, COLUMNS_AT_ONCE)]
        Threads(n_jobs).map(test, jobs, 20 * self.labels.n_rows * d)
        return Evidence(score, parts, fourth, skewness, self.n)

    def sums_of(self, column: LevelColumn) -> PartSums:
        """The sums of one column alone."""
        labels, parts = self.labels, column.parts.astype(np.float64)
        rows = labels.rows_of(column)
        counts = rows.sum(axis=1)
        in_strata = parts.T @ rows
        own = (parts.T * counts) @ parts - in_strata @ (in_strata / labels.rows_of_strata).T
        n = counts.sum()
        centred = parts - counts @ parts / n
        squared = centred**2
        second = counts @ squared / n
        skewness = counts @ (squared * centred) / (n * np.maximum(second, LEAST_SPREAD) ** 1.5)
        fourth = 0.0
        if parts.shape[1] > FEW_PARTS:
            scaled = counts * (labels.n_effective / n)
            metric = np.linalg.pinv((centred * scaled[:, None]).T @ centred, hermitian=True)
            leverage = np.einsum("lk,kj,lj->l", centred, metric, centred)
            fourth = float(scaled @ leverage**2)
        about = parts.T @ labels.sums_of(column, rows)
        return PartSums(own.diagonal(), own, about, skewness, np.array(fourth))

    @cached_property
    def pairs(self) -> PairTests:
        """All pairs of candidates."""
        return PairTests(self.columns, self.labels, self.candidates, self._n_jobs)

    def looks_at_pairs(self, columns: np.ndarray) -> bool:
        """Whether there are few enough pairs for some columns of labels."""
        d = self.candidates.size
        return d * (d - 1) // 2 * columns.size <= PAIRS_LOOKED_AT

    def found_pairs(self, columns: np.ndarray, alpha: float) -> list[FoundPair]:
        """The pairs that tell some columns of labels more together, where there are few pairs."""
        return self.pairs.find(alpha, MAX_PAIRS, columns) if self.looks_at_pairs(columns) else []

    def joint(self, candidate: int, partner: int) -> LevelColumn:
        """The levels of two columns of a pair together."""
        return self.pairs.joint(candidate, partner)

    def nothing(self) -> LevelColumn:
        """A column without parts."""
        levels = np.zeros(self.labels.n_rows, np.uint8)
        return LevelColumn(levels, NO_ROWS, -1, np.zeros((1, 0), np.int8))

    def about(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The p-values of candidates about some columns of labels: together, and by label."""
        targets = self.labels.targets(columns)
        moments, n = LabelMoments.of(targets.products), len(self._evidence)
        together, by_label = np.ones(self.candidates.size), np.ones(1)
        for every in self._evidence:
            found = every._replace(score=every.score[:, columns])
            together = np.minimum(together, n * p_values(found, targets, moments))
            by_label = np.minimum(by_label, n * p_by_label(found, targets))
        return together, by_label


class AdditiveModel:
    """An additive model of labels by picks, to which candidates are added if they improve it.

    Parameters
    ----------
    tests : AdditiveTests
        The candidates and labels.
    columns : ndarray of int
        The columns of labels in play.
    """

    def __init__(self, tests: AdditiveTests, columns: np.ndarray) -> None:
        self._tests, self._targets = tests, tests.labels.targets(columns)
        self.picks: list[int] = []
        self._slices: list[slice] = []
        self._sums: list[PartSums] = []
        self._rows = np.zeros((tests.labels.n_rows, 0), np.int8)
        self._own = np.zeros((0, 0))
        self._about = np.zeros((0, columns.size))
        self._in_strata = np.zeros((0, tests.labels.n_strata))
        self._solve()

    def _solve(self) -> None:
        """Factorise the sums of the picks, and compute what they leave of the labels."""
        from scipy.linalg.lapack import dtrtri

        p = len(self._own)
        size = np.diag(self._own)
        varies = size > LEAST_SPREAD * size.max(initial=0.0)
        scale = np.where(varies, np.sqrt(np.where(varies, size, 1.0)), 1.0)
        correlation = self._own / np.outer(scale, scale)
        correlation[~varies], correlation[:, ~varies] = 0.0, 0.0
        correlation += np.diag(np.where(varies, RIDGE, 1.0))
        self._inverse = (
            dtrtri(np.linalg.cholesky(correlation), lower=1)[0] / scale if p else self._own
        )
        self._explained = self._inverse @ self._about
        products = self._targets.products - self._explained.T @ self._explained
        self._left, self._moments = np.maximum(np.diag(products), 0.0), LabelMoments.of(products)
        self._n = self._tests.n - p

    def _beside(self, column: LevelColumn) -> tuple[PartSums, np.ndarray]:
        """The sums of a column alone, and those of its parts with those of the picks."""
        tests, labels = self._tests, self._tests.labels
        sums, rows = tests.sums_of(column), labels.rows_of(column)
        sums = sums._replace(about=sums.about[:, self._targets.columns])
        parts, totals = column.parts.astype(np.float64), self._in_strata.sum(axis=1)
        width = len(self._own)
        cross = column.sums(level_sums.part_sums, totals, labels.weights, self._rows[:, :width])
        expected = (parts.T @ rows / labels.rows_of_strata) @ self._in_strata.T
        return sums, parts.T @ cross - expected

    def _best_form(
        self, candidate: int, joint: LevelColumn | None = None
    ) -> tuple[float, LevelColumn, PartSums, np.ndarray]:
        """The form of a candidate that adds most to the picks, with its p-value and its sums."""
        forms = [joint] if joint else self._tests.forms(self._tests.columns[candidate])
        sums = [self._beside(column) for column in forms]
        p_values = [self._p_value(*one) for one in sums]
        best = int(np.argmin(p_values))
        return min(1.0, len(forms) * p_values[best]), forms[best], *sums[best]

    def p_value(self, candidate: int) -> float:
        """The p-value of what a candidate adds to the picks."""
        return self._best_form(candidate)[0]

    def _p_value(self, sums: PartSums, cross: np.ndarray) -> float:
        shared = self._inverse @ cross.T
        own, about = sums.own - shared.T @ shared, sums.about - shared.T @ self._explained
        one = PartSums(*(a[None] for a in sums._replace(own=own, about=about)))
        return float(self._p(one, self._left, self._n)[0])

    def _p(self, sums: PartSums, left: np.ndarray, n: float) -> np.ndarray:
        """The p-values of some columns of equally many parts."""
        if not sums.size.size or n - sums.size.shape[1] < FEWEST_FREE:
            return np.ones(len(sums.size))
        found = evidence(sums, left, self._targets, n)
        return p_values(found, self._targets, self._moments)

    def add(self, candidate: int, most: float = 1.0, joint: LevelColumn | None = None) -> float:
        """Add a candidate to the picks if its p-value is at most so much; the p-value.

        Where `joint` is given the candidate counts by it: by its levels with those of a partner,
        or by nothing.
        """
        p, column, sums, cross = self._best_form(candidate, joint)
        if p > most:
            return p
        width, size = len(self._own), sums.size.size
        if self._rows.shape[1] < width + size:
            room = np.zeros((len(self._rows), 2 * (width + size)), np.int8)
            room[:, :width] = self._rows[:, :width]
            self._rows = room
        self._rows[:, width : width + size] = column.rows_of_parts(len(self._rows))
        rows = self._tests.labels.rows_of(column)
        self._in_strata = np.r_[self._in_strata, column.parts.astype(np.float64).T @ rows]
        self._own = np.block([[self._own, cross.T], [cross, sums.own]])
        self._about = np.r_[self._about, sums.about]
        self.picks.append(candidate)
        self._slices.append(slice(width, width + size))
        self._sums.append(sums)
        self._solve()
        return p

    def p_of_picks(self) -> np.ndarray:
        """The p-value of each pick beside all others."""
        inverse = self._inverse.T @ self._inverse
        coefficients, out = inverse @ self._about, np.ones(len(self.picks))
        sizes = np.array([part.stop - part.start for part in self._slices], np.int64)
        for size in np.unique(sizes[sizes > 0]).tolist():
            places = np.flatnonzero(sizes == size)
            rows = np.array(
                [np.arange(self._slices[i].start, self._slices[i].stop) for i in places]
            )
            own = np.linalg.inv(inverse[rows[:, :, None], rows[:, None, :]])
            about = own @ coefficients[rows]
            left = self._left + (about * coefficients[rows]).sum(axis=1)
            sums = PartSums(*map(np.array, zip(*(self._sums[i] for i in places), strict=True)))
            out[places] = self._p(sums._replace(own=own, about=about), left, self._n + size)
        return out

    def drop(self, place: int) -> None:
        """Drop the pick at a place."""
        part = self._slices[place]
        kept = np.delete(np.arange(len(self._own)), part)
        self._own, self._about = self._own[np.ix_(kept, kept)], self._about[kept]
        self._in_strata, self._rows = self._in_strata[kept], self._rows[:, kept]
        size = part.stop - part.start
        moved = [slice(s.start - size, s.stop - size) for s in self._slices[place + 1 :]]
        self._slices[place:] = moved
        del self.picks[place], self._sums[place]
        self._solve()

    def most_alike(self, candidate: int) -> int:
        """The pick that explains most of a candidate's parts; -1 without picks."""
        sums, cross = self._beside(self._tests.columns[candidate])
        best, most = -1, 0.0
        for pick, part, of_pick in zip(self.picks, self._slices, self._sums, strict=True):
            shared = cross[:, part] ** 2 / np.outer(
                np.maximum(sums.size, 1e-300), np.maximum(of_pick.size, 1e-300)
            )
            if shared.max(initial=0.0) > most:
                best, most = pick, float(shared.max())
        return best
