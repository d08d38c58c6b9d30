"""Does a column add to an additive model of the labels? Tests for each column, and beside picks.

Every column counts by a few parts (see `mlfs.discretize.rank_levels`), every label by an indicator
of each class. A column is tested by the share of what is left of each label that its parts explain,
beside the parts of the picks and the means of the strata: partial correlations, whose sums are
whole numbers. Where parts and labels are rare the shares are far from normal. One or two parts are
therefore corrected for the skewness that a share has over all orders of the rows (Pearson's type
III, by the cube root of Wilson & Hilferty, 1931); of more parts the sum of shares is a gamma
variable with the mean and the variance that it has over all orders of the rows (Kazi-Aoual and
others, 1995). The p-value joins the best label (Bonferroni) and the sum over labels, for which a
chi-square variable has the first three moments of a sum over labels that depend on one another.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import level_sums
from mlfs.counting.parallel import Threads
from mlfs.discretize.rank_levels import NO_ROWS, LevelColumn, LevelColumns
from mlfs.errors import LOGGER

COLLINEAR = 1e-4  # of the variance of a part, below which the picks explain all of it
LEFT = 1e-9  # of a label, below which nothing is left to explain
FEW_PARTS = 2  # parts of a column that are corrected for skewness one by one
RARE = 2.0  # skewness of a count whose mean is a quarter
LEAST_SPREAD = 1e-12  # of a column or a label, below which it is constant
LEAST = 1e-100  # of a moment, below which nothing varies
FEWEST_FREE = 5  # rows beyond the parameters of the model
RIDGE = 1e-9  # of a correlation, so that picks that are all but collinear have a factor
COLUMNS_AT_ONCE = 256
MAX_STRATA = 8  # in each of which a column may have another effect
MAX_LEVELS_IN_STRATA = 255
NO_WEIGHTS = np.zeros(0, np.int64)


class LabelColumns:
    """The classes of the labels as columns of 0 and 1, and what the strata tell of them.

    Parameters
    ----------
    Y : ndarray or sparse array of int, shape (N, q)
        The codes of the labels; -1 is missing.
    strata : ndarray of int, optional
        The stratum of each row.
    weights : ndarray of int, optional
        The weights of the rows on a common grid.
    n_effective : float, optional
        How many rows the weights stand for; all of them without weights.
    """

    def __init__(
        self,
        Y: Any,
        strata: np.ndarray | None = None,
        weights: np.ndarray | None = None,
        n_effective: float | None = None,
    ) -> None:
        self.n_rows = Y.shape[0]
        self.weights = NO_WEIGHTS if weights is None else weights
        w = np.ones(self.n_rows) if weights is None else weights.astype(np.float64)
        self.n_effective = float(self.n_rows) if n_effective is None else n_effective
        codes = np.zeros(self.n_rows, np.int64) if strata is None else strata
        self.strata = np.unique(codes, return_inverse=True)[1].astype(np.int32)
        self.rows_of_strata = np.bincount(self.strata, w)
        self.n_strata = self.rows_of_strata.size
        table = sp.csc_array(Y)
        rows, of_label = list[np.ndarray](), list[int]()
        self.known: dict[int, np.ndarray] = {}
        for label in range(Y.shape[1]):
            part = slice(table.indptr[label], table.indptr[label + 1])
            stored, values = table.indices[part], np.asarray(table.data[part])
            classes, counts = np.unique(values, return_counts=True)
            n_zero = self.n_rows - int(counts[classes != 0].sum())
            present = [int(c) for c in classes if c > 0]
            if n_zero and len(present) > 1:
                present = [0, *present]
            elif not n_zero:
                present = present[1:] if len(present) == 2 else present
            is_missing = stored[values < 0]
            for c in present:
                if c:
                    members = stored[values == c]
                else:
                    members = np.setdiff1d(np.arange(self.n_rows), stored[values != 0])
                if is_missing.size:
                    known = np.ones(self.n_rows, bool)
                    known[is_missing] = False
                    self.known[len(rows)] = known
                rows.append(np.sort(members))
                of_label.append(label)
        self.of_label, self.q = np.array(of_label, np.int64), len(rows)
        self._count(rows, w)

    def columns_of(self, labels: np.ndarray) -> np.ndarray:
        """The columns of some labels."""
        return np.flatnonzero(np.isin(self.of_label, labels))

    def rows_of(self, column: LevelColumn) -> np.ndarray:
        """The weight of the rows of each level of a column in each stratum."""
        return column.sums(level_sums.stratum_sums, self.rows_of_strata, self.weights, self.strata)

    def sums_of(self, column: LevelColumn, rows: np.ndarray) -> np.ndarray:
        """The weight of the rows of each level that have a label, beyond that of its stratum."""
        sums = column.sums(
            level_sums.label_sums, self.totals, self.weights, self.first, self.labels
        )
        by_chance = rows @ self.means
        for j, known in self.known.items():
            by_chance[:, j] = self._rows_known(column, known) @ self.means[:, j]
        return np.asarray(sums - by_chance)

    def _rows_known(self, column: LevelColumn, known: np.ndarray) -> np.ndarray:
        """The weight of the rows of each level in each stratum where a label is known."""
        levels = column.levels_of_rows(self.n_rows).astype(np.int64)
        weights = self.weights[known] if self.weights.size else None
        size = len(column.parts), self.n_strata
        places = levels[known] * self.n_strata + self.strata[known]
        return np.bincount(places, weights, minlength=size[0] * size[1]).reshape(size)

    def _count(self, rows: list[np.ndarray], w: np.ndarray) -> None:
        """PartSums of the labels: by stratum, of their products, and of their fourth powers."""
        sizes = [part.size for part in rows]
        indptr = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        indices = np.concatenate([np.zeros(0, np.int64), *rows])
        shape = (self.n_rows, self.q)
        columns = sp.csc_array((np.ones(indices.size), indices, indptr), shape=shape)
        weighted = sp.csc_array(columns.multiply(w[:, None])) if self.weights.size else columns
        by_row = sp.csr_array(columns)
        self.first, self.labels = by_row.indptr.astype(np.int64), by_row.indices.astype(np.int32)
        in_strata = sp.csr_array(
            (np.ones(self.n_rows), (self.strata, np.arange(self.n_rows))),
            shape=(self.n_strata, self.n_rows),
        )
        self.totals = np.asarray(weighted.sum(axis=0), np.float64).ravel()
        by_stratum = np.asarray((in_strata @ weighted).toarray(), np.float64)  # (strata, q)
        rows_known = np.repeat(self.rows_of_strata[:, None], self.q, axis=1)
        for column, known in self.known.items():
            rows_known[:, column] = np.bincount(self.strata, w * known, minlength=self.n_strata)
        self.means = by_stratum / np.maximum(rows_known, 1e-300)
        products = np.asarray((columns.T @ weighted).toarray(), np.float64)
        for stratum in range(self.n_strata) if not self.known else ():
            mean = self.means[stratum]
            products -= self.rows_of_strata[stratum] * np.outer(mean, mean)
        if self.known:  # rows where a label is not known count as its mean
            centred = columns.toarray() - self.means[self.strata]
            for column, known in self.known.items():
                centred[~known, column] = 0.0
            products = centred.T @ (w[:, None] * centred)
        self.products = products
        p = np.clip(self.totals / np.maximum(1e-300, rows_known.sum(axis=0)), 0.0, 1.0)
        self._share, self._spread = p, np.maximum(p * (1 - p), LEAST_SPREAD)
        self._by_row = by_row

    def targets(self, columns: np.ndarray) -> LabelTargets:
        """Gather the facts about some of the columns that a test about them needs."""
        n, p, spread = self.n_effective, self._share[columns], self._spread[columns]
        together = 0.0
        if columns.size > 1:
            varies = spread > LEAST_SPREAD
            weights, constant = np.zeros(self.q), float((p**2 / spread)[varies].sum())
            weights[columns] = np.where(varies, (1 - 2 * p) / spread, 0.0)
            squares = (self._by_row @ weights + constant) ** 2
            rows = self.weights if self.weights.size else None
            together = float(np.average(squares, weights=rows)) / n
        return LabelTargets(
            columns,
            self.products[np.ix_(columns, columns)],
            (1 - 2 * p) / np.sqrt(spread),
            (1 - 3 * p * (1 - p)) / (n * spread),
            together,
            n,
        )


class LabelTargets(NamedTuple):
    """The columns of labels that a test is about.

    Parameters
    ----------
    columns : ndarray of int
        Their numbers.
    products : ndarray
        PartSums of products of the labels, within strata.
    skewness, fourth : ndarray
        Of each label: the skewness, and the sum of its standardised fourth powers.
    fourth_together : float
        The sum over rows of the square of the sum over labels of standardised squares.
    n : float
        The effective number of rows.
    """

    columns: np.ndarray
    products: np.ndarray
    skewness: np.ndarray
    fourth: np.ndarray
    fourth_together: float
    n: float

    @property
    def total(self) -> np.ndarray:
        """The sum of squares of each label."""
        return np.maximum(np.diag(self.products), 0.0)


class LabelMoments(NamedTuple):
    """PartSums of powers of the eigenvalues of the correlations of the labels."""

    first: int
    second: float
    third: float

    @classmethod
    def of(cls, products: np.ndarray) -> LabelMoments:
        """The moments of labels with these sums of products."""
        scale = np.sqrt(np.maximum(np.diag(products), 0.0))
        varies = scale > 0
        R = products[np.ix_(varies, varies)] / np.outer(scale[varies], scale[varies])
        squared = R @ R
        return cls(int(varies.sum()), float(np.trace(squared)), float((squared * R).sum()))


class PartSums(NamedTuple):
    """PartSums of products of the parts of some columns, with one another and with the labels.

    Parameters
    ----------
    size : ndarray, shape (columns, parts)
        The sum of squares of each part.
    own : ndarray, shape (columns, parts, parts)
        PartSums of products of the parts of each column, beside the picks.
    about : ndarray, shape (columns, parts, labels)
        Those with the labels.
    skewness : ndarray, shape (columns, parts)
        The skewness of each part.
    fourth : ndarray, shape (columns,)
        The sum of squared leverages of the rows.
    """

    size: np.ndarray
    own: np.ndarray
    about: np.ndarray
    skewness: np.ndarray
    fourth: np.ndarray


class Evidence(NamedTuple):
    """Shares of the labels that some columns explain.

    Parameters
    ----------
    score : ndarray, shape (columns, labels)
        About a chi-square variable, by chance.
    parts : ndarray of int
        Its degrees of freedom: the parts of each column that the picks leave.
    fourth : ndarray
        The sum of squared leverages of the rows.
    skewness : ndarray, shape (columns, FEW_PARTS)
        That of each part that counts, where there are few; else NaN.
    n : float
        The rows less what the model has.
    """

    score: np.ndarray
    parts: np.ndarray
    fourth: np.ndarray
    skewness: np.ndarray
    n: float


def evidence(sums: PartSums, left: np.ndarray, targets: LabelTargets, n: float) -> Evidence:
    """Test some columns of equally many parts.

    Parameters
    ----------
    sums : PartSums
        Of the columns beside the picks.
    left : ndarray
        What is left of each label to explain.
    targets : LabelTargets
        The labels.
    n : float
        The rows less the strata and the parts of the picks.
    """
    own, about = sums.own, sums.about
    m, k, q = about.shape
    parts, explained, corrected = np.zeros(m), np.zeros((m, q)), np.zeros((m, q))
    start, skewed = np.maximum(left, 1e-300), np.full((m, FEW_PARTS), np.nan)
    for part in range(k):  # one after the other, as Cholesky does
        size = own[:, part, part]
        counts = size > COLLINEAR * np.maximum(sums.size[:, part], 1e-300)
        root = np.where(counts, np.sqrt(np.where(counts, size, 1.0)), np.inf)
        shared = about[:, part] / root[:, None]
        if k <= FEW_PARTS:
            free = np.maximum(1.0, n - 1 - parts)[:, None]
            share = np.minimum(shared**2 / np.maximum(start - explained, 1e-300), 1 - 1e-12)
            z = np.sqrt(-free * np.log1p(-share)) * (8 * free + 1) / (8 * free + 3)
            skewness = np.outer(sums.skewness[:, part], targets.skewness) / np.sqrt(targets.n)
            skewed[counts, part] = sums.skewness[counts, part]
            corrected += normal(np.copysign(z, shared), skewness) ** 2 * counts[:, None]
        explained += shared**2
        parts += counts
        factor = own[:, part] / np.where(counts, size, np.inf)[:, None]
        about = about - factor[:, :, None] * about[:, part][:, None, :]
        own = own - factor[:, :, None] * own[:, part][:, None, :]
    score = corrected if k <= FEW_PARTS else explained / start * n
    score[:, left <= LEFT * np.maximum(targets.total, 1e-300)] = 0.0
    return Evidence(score, parts, sums.fourth, skewed, n)


def normal(z: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """The normal deviate of a standardised gamma variable of some skewness; if great, of a count.

    Examples
    --------
    >>> normal(np.array([2.0, 4.0]), np.array([0.0, 1.0])).round(2).tolist()
    [2.0, 2.82]
    """
    z, s = np.broadcast_arrays(z, np.where(np.abs(skewness) < 1e-6, 1e-6, skewness))
    out = np.asarray((np.cbrt(np.maximum(0.0, 1 + z * s / 2)) - 1 + s**2 / 36) * 6 / s)
    rare = np.abs(s) > RARE
    if rare.any():  # a count of Poisson, most often 0
        from scipy.special import gammainc, ndtri

        rate = s[rare] ** -2.0
        count = np.maximum(rate + z[rare] * np.sign(s[rare]) * np.sqrt(rate), 1e-9)
        out[rare] = -ndtri(np.maximum(gammainc(count, rate), 1e-300) / 2) * np.sign(s[rare])
    return out


def p_values(found: Evidence, targets: LabelTargets, moments: LabelMoments) -> np.ndarray:
    """The p-value of each column about all targets together: the best of them, or their sum.

    Parameters
    ----------
    found : Evidence
        What the columns explain.
    targets : LabelTargets
        The labels.
    moments : LabelMoments
        Those of what is left of the labels.
    """
    from scipy.special import gammaincc  # most selections do not need it

    q = targets.columns.size
    some = found.parts > 0
    out = np.ones(some.size)
    if not q or not some.any():
        return out
    best = p_by_label(found, targets).min(axis=1) * q
    if q == 1:
        return np.where(some, np.minimum(1.0, best), out)
    total, parts = found.score.sum(axis=1), np.maximum(found.parts, 1)
    mean, second, third = np.empty(some.size), np.ones(some.size), np.ones(some.size)
    many = found.parts > FEW_PARTS
    by_chance = chance_of_squares(found.skewness[~many], targets)
    mean[~many] = by_chance[0]
    second[~many], third[~many] = by_chance[1] * moments.second, by_chance[2] * moments.third
    if many.any():
        labels = (float(q), moments.second, targets.fourth_together)
        spread = found.n**2 * variance(found.n + 1, parts[many], found.fourth[many], *labels)
        mean[many], second[many] = parts[many] * q, spread
        third[many] = 2 * spread**2 / mean[many]
    some &= (second > LEAST) & (third > LEAST)
    second, third = np.where(some, second, 1.0), np.where(some, third, 1.0)
    free = 4 * second**3 / third**2  # Pearson's type III
    summed = gammaincc(free, np.maximum(0.0, free + (total - mean) * 2 * second / third))
    return np.where(some, np.minimum(1.0, 2 * np.minimum(best, summed)), out)


def chance_of_squares(skewness: np.ndarray, targets: LabelTargets) -> np.ndarray:
    """Three moments by chance of the sum over parts and labels: mean, variance, third one.

    They are those of independent labels, divided by the number of labels but for the mean.
    """
    out = np.zeros((3, len(skewness)))
    grid, table = squares_of_poisson()
    of_labels = np.abs(targets.skewness) / np.sqrt(targets.n)
    for part in skewness.T:
        counts = ~np.isnan(part)
        position = np.outer(np.abs(part[counts]), of_labels)
        for row, values in zip(out, table, strict=True):
            row[counts] += np.interp(position, grid, values).sum(axis=1)
    out[1:] /= max(1, targets.columns.size)
    return out


@cache
def squares_of_poisson() -> tuple[np.ndarray, np.ndarray]:
    """LabelMoments of the square of a count that was made normal, for each skewness of a count.

    A rare value meets a rare label so often as a Poisson variable says. What `normal` makes of its
    few values is not normal: its square has a smaller mean than 1.
    """
    grid = np.concatenate([[0.0], np.geomspace(0.02, 50.0, 120)])
    table = np.empty((3, grid.size))
    table[:, 0] = 1.0, 2.0, 8.0
    for i, skewness in enumerate(grid[1:], start=1):
        rate = skewness**-2.0
        counts = np.arange(int(rate + 12 * np.sqrt(rate) + 30))
        logs = counts * np.log(rate) - rate - np.cumsum(np.log(np.maximum(counts, 1)))
        share = np.exp(logs)
        squares = normal((counts - rate) * skewness, np.full(counts.size, skewness)) ** 2
        mean = float(share @ squares)
        table[:, i] = mean, share @ (squares - mean) ** 2, share @ (squares - mean) ** 3
    return grid, table


def p_by_label(found: Evidence, targets: LabelTargets) -> np.ndarray:
    """The p-value of each column about each target: (columns, targets)."""
    from scipy.special import erfc, gammaincc

    p = np.ones(found.score.shape)
    one, two, many = found.parts == 1, found.parts == 2, found.parts > FEW_PARTS
    p[one], p[two] = erfc(np.sqrt(found.score[one] / 2)), np.exp(-found.score[two] / 2)
    if many.any():
        parts, fourth = found.parts[many][:, None], found.fourth[many][:, None]
        labels = (1.0, 1.0, targets.fourth)
        spread = found.n**2 * variance(found.n + 1, parts, fourth, *labels)
        p[many] = gammaincc(parts**2 / spread, found.score[many] * parts / spread)
    single = np.flatnonzero(one)
    if single.size:  # of rare values and labels the smallest count is not far from the mean
        skewness = np.nansum(np.abs(found.skewness[single]), axis=1)
        skewness = np.outer(skewness, np.abs(targets.skewness)) / np.sqrt(targets.n)
        least = normal(-1 / np.maximum(skewness, 1e-6), np.minimum(skewness, RARE))
        p[single] *= np.where(found.score[single] > least**2, 0.5, 1.0)
    return p


def variance(n: float, parts: Any, fourth: Any, first: Any, second: Any, of_labels: Any) -> Any:
    """The variance, over all orders of the rows, of a sum of shares: of trace(H K).

    H projects on the parts of a column: its trace and that of its square are their number, the sum
    of its squared diagonal is `fourth`. K is of standardised labels: its trace, the trace of its
    square, and the sum of its squared diagonal.
    """
    regular = 2 * ((n - 1) * parts - parts**2) * ((n - 1) * second - first**2)
    regular = regular / ((n - 1) ** 2 * (n + 1) * (n - 2))
    of_parts = n * (n + 1) * fourth - (n - 1) * (parts**2 + 2 * parts)
    about = n * (n + 1) * of_labels - (n - 1) * (first**2 + 2 * second)
    excess = of_parts * about / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return np.maximum(regular + excess, 0.1 * regular)


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
        self.n = labels.n_effective - labels.n_strata
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
        p = len(self._own)
        size = np.diag(self._own)
        varies = size > LEAST_SPREAD * size.max(initial=0.0)
        scale = np.where(varies, np.sqrt(np.where(varies, size, 1.0)), 1.0)
        correlation = self._own / np.outer(scale, scale)
        correlation[~varies], correlation[:, ~varies] = 0.0, 0.0
        correlation += np.diag(np.where(varies, RIDGE, 1.0))
        self._inverse = np.linalg.inv(np.linalg.cholesky(correlation)) / scale
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

    def _best_form(self, candidate: int) -> tuple[float, LevelColumn, PartSums, np.ndarray]:
        """The form of a candidate that adds most to the picks, with its p-value and its sums."""
        forms = self._tests.forms(self._tests.columns[candidate])
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
        return self._p(sums._replace(own=own, about=about), self._left, self._n)

    def _p(self, sums: PartSums, left: np.ndarray, n: float) -> float:
        if not sums.size.size or n - sums.size.size < FEWEST_FREE:
            return 1.0
        one = PartSums(*(array[None] for array in sums))
        found = evidence(one, left, self._targets, n)
        return float(p_values(found, self._targets, self._moments)[0])

    def add(self, candidate: int, most: float = 1.0) -> float:
        """Add a candidate to the picks if its p-value is at most so much; the p-value."""
        p, column, sums, cross = self._best_form(candidate)
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
        for i, (part, sums) in enumerate(zip(self._slices, self._sums, strict=True)):
            if part.stop > part.start:
                own = np.linalg.inv(inverse[part, part])
                about = own @ coefficients[part]
                explained = (about * coefficients[part]).sum(axis=0)
                n = self._n + part.stop - part.start
                out[i] = self._p(sums._replace(own=own, about=about), self._left + explained, n)
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
