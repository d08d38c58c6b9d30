"""Which two columns tell a label more together than apart? All pairs, tested for interaction.

The null hypothesis is the log-linear model without interaction of all three: each column may tell
the label, and the columns may depend on one another. Every pair is screened at a few levels of each
column (`mlfs._kernels.pair_tables`); those above the threshold are tested once more beside the
columns' own effects at the resolution of the data. Where counts are small, exact tests of tables of
two by two levels are asked too. Of the labels the best one counts (Bonferroni), and of all pairs
the share of false discoveries is controlled (Benjamini & Hochberg, 1995).
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from mlfs._kernels import pair_tables, planes
from mlfs.counting.parallel import Threads
from mlfs.discretize.rank_levels import N_RANKS, NO_ROWS, LevelColumn, LevelColumns
from mlfs.errors import LOGGER
from mlfs.search.label_columns import LabelColumns

N_QUARTERS = 4  # levels of a numeric column of many values
MAX_LEVELS = 7  # of another one, beside that of all others
MASKS_AT_ONCE, PLANES_AT_ONCE, LABELS_AT_ONCE = 64, 512, 64
MORE_THAN_ASKED = 5  # pairs that are tested at the resolution of the data, for each one wanted
MAX_DEGREES = 200
SMALL_COUNT = 5.0  # expected rows of a cell, below which chi-square is not trusted
SMALL_SHARE = 0.2  # of such cells (Cochran, 1954)
TOLERANCE = 0.02  # of what two columns tell each, which an interaction has to exceed
LEAST_VARIANCE = 1e-6  # of the rows with a label in a cell, below which it is certain
SCREENED = np.dtype([("f", int), ("s", int), ("label", int), ("ratio", float)])


class FoundPair(NamedTuple):
    """Two columns that tell more together than apart.

    Parameters
    ----------
    first, second : int
        The candidates.
    label : int
        The label that they tell most surely.
    column : int
        The column of it, where a label of several classes has some.
    statistic : float
        The likelihood ratio of the interaction, about this label.
    degrees : int
        Its degrees of freedom.
    p_value : float
        Of the best label, corrected for the number of labels.
    p_adjusted : float
        Corrected for all pairs.
    """

    first: int
    second: int
    label: int
    column: int
    statistic: float
    degrees: int
    p_value: float
    p_adjusted: float


class PairTests:
    """All pairs of candidates, as bits.

    Parameters
    ----------
    columns : LevelColumns
        The columns as levels.
    labels : LabelColumns
        The labels.
    candidates : ndarray of int
        The candidates that are asked about.
    n_jobs : int
        Threads; the answer does not depend on it.
    """

    def __init__(
        self, columns: LevelColumns, labels: LabelColumns, candidates: np.ndarray, n_jobs: int = 1
    ) -> None:
        self._columns, self.labels, self._n_jobs = columns, labels, n_jobs
        strata = labels.strata
        order = np.argsort(strata, kind="stable")
        words = -(-np.bincount(strata) // 64)
        within = np.arange(strata.size) - np.searchsorted(strata[order], strata[order])
        self._places = np.empty(strata.size, np.int64)
        self._places[order] = 64 * (np.cumsum(words) - words)[strata[order]] + within
        self._ends = np.cumsum(words)
        bits, kept, first = [], [], [0]
        for j, column in zip(candidates.tolist(), columns.several(candidates), strict=True):
            levels = self.coarse(j, column)[column.levels_of_rows(labels.n_rows)]
            n_levels = int(levels.max(initial=0)) + 1
            if n_levels > 1:
                kept.append(j)
                bits += [self._packed(levels == level) for level in range(1, n_levels)]
                first.append(len(bits))
        self.candidates, self._first = np.array(kept, np.int64), np.array(first, np.int64)
        every = np.array(bits, np.uint64).reshape(len(bits), int(self._ends[-1]))
        self._bits = [np.ascontiguousarray(x) for x in np.split(every, self._ends[:-1], axis=1)]
        self._weights, self._scale = list[np.ndarray](), 1.0
        if labels.weights.size:
            placed = np.zeros(64 * int(self._ends[-1]))
            placed[self._places] = labels.weights
            self._weights = np.split(placed, 64 * self._ends[:-1])
            self._scale = labels.n_effective / float(labels.weights.sum())

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return self.candidates.size * (self.candidates.size - 1) // 2

    def work(self) -> int:
        """The number of words that a look at all pairs reads."""
        return sum(x.size * len(x) for x in self._bits) * (1 + self.labels.q) // 2

    def coarse(self, candidate: int, column: LevelColumn) -> np.ndarray:
        """The coarse level of each level of a column, from 0 without gaps."""
        rows = self.labels.rows_of(column).sum(axis=1)
        if column.is_ranked:
            merged = (column.parts[:, 0].astype(np.int64) + N_RANKS) * N_QUARTERS // (2 * N_RANKS)
            merged[-1] = N_QUARTERS  # missing
        elif self._columns.is_ordered(candidate) and rows.size > N_QUARTERS + 1:
            middle = np.cumsum(rows) - rows / 2
            merged = np.floor(N_QUARTERS * middle / rows.sum()).astype(np.int64)
        else:
            frequent = np.argsort(-rows, kind="stable")[:MAX_LEVELS]
            merged = np.full(rows.size, MAX_LEVELS)
            merged[frequent] = np.arange(frequent.size)
        present = np.unique(merged[rows > 0])
        return np.searchsorted(present, merged).clip(max=max(0, present.size - 1)).astype(np.uint8)

    def _packed(self, rows: np.ndarray) -> np.ndarray:
        """A mask of rows as words, each stratum from a word of its own."""
        placed = np.zeros(64 * self._ends[-1], np.uint8)
        placed[self._places] = rows
        return np.packbits(placed, bitorder="little").view(np.uint64)

    def _common(self, masks: np.ndarray, stratum: int, some: slice) -> np.ndarray:
        """The rows that masks and planes have in common, (masks, planes)."""
        bits = self._bits[stratum][some]
        if not self._weights:
            out = np.zeros((len(masks), len(bits)), np.int64)
            planes.sweep(bits, masks, out)
            return out
        as_numbers = (
            np.unpackbits(x.view(np.uint8), axis=1, bitorder="little") for x in (masks, bits)
        )
        of_masks, of_planes = (numbers.astype(np.float64) for numbers in as_numbers)
        return (of_masks * self._weights[stratum]) @ of_planes.T * self._scale

    def _rows_of(self, masks: np.ndarray, stratum: int) -> np.ndarray:
        """The rows of masks."""
        bits = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little")
        return bits @ (self._weights[stratum] * self._scale) if self._weights else bits.sum(axis=1)

    def find(
        self, alpha: float = 0.05, wanted: int = 20, columns: np.ndarray | None = None
    ) -> list[FoundPair]:
        """The surest pairs, at most so many, at this share of false discoveries.

        Parameters
        ----------
        alpha : float
            The accepted share of false discoveries.
        wanted : int
            How many pairs are wanted at most.
        columns : ndarray of int, optional
            The columns of labels that are asked about; all by default.
        """
        from scipy.special import chdtrc, chdtri

        columns = np.arange(self.labels.q) if columns is None else columns
        q = columns.size
        n_tests = self.n_pairs * q
        if not n_tests:
            return []
        most = min(alpha, alpha * wanted / n_tests)
        least = chdtri(np.arange(1.0, MAX_DEGREES), most)
        least = np.r_[least[0], least]
        step = max(1, LABELS_AT_ONCE // self.labels.n_strata)
        rows = np.concatenate(
            [self._screened(columns[i : i + step], least) for i in range(0, q, step)]
        )
        width = np.diff(self._first)
        p_values = chdtrc(width[rows["f"]] * width[rows["s"]], rows["ratio"])
        surest = np.lexsort((rows["label"], rows["s"], rows["f"], -rows["ratio"], p_values))
        best: dict[tuple[int, int], FoundPair] = {}
        for f, s, label, _ in rows[surest[: MORE_THAN_ASKED * wanted]].tolist():
            ratio, n_free, p = self.test(f, s, label, most)
            p = min(1.0, p * q)
            pair = int(self.candidates[f]), int(self.candidates[s])
            if pair not in best or p < best[pair].p_value:
                of_label = int(self.labels.of_label[label])
                best[pair] = FoundPair(*pair, of_label, label, ratio, n_free, p, 1.0)
        ranked = sorted(best.values(), key=lambda found: (found.p_value, found.first, found.second))
        out, adjusted = list[FoundPair](), 1.0
        for rank in range(len(ranked), 0, -1):
            adjusted = min(adjusted, ranked[rank - 1].p_value * self.n_pairs / rank)
            if adjusted <= alpha:
                out.append(ranked[rank - 1]._replace(p_adjusted=adjusted))
        return out[::-1][:wanted]

    def _screened(self, labels: np.ndarray, least: np.ndarray) -> np.ndarray:
        """The pairs whose coarse levels interact about some columns of labels."""
        from scipy.special import xlogy

        masks, with_label, known = self._masks(labels)
        first, d, n_masks = self._first, self.candidates.size, len(masks[0])
        levels = first[:-1] + np.arange(d)  # the place of level 0 of each column
        others = np.setdiff1d(np.arange(first[-1] + d), levels)
        sides = np.zeros((len(self._bits), n_masks, first[-1] + d + 1))
        for stratum, (side, mask) in enumerate(zip(sides, masks, strict=True)):
            side[:, -1] = self._rows_of(mask, stratum)
            side[:, others] = self._common(mask, stratum, slice(None))
            side[:, levels] = side[:, -1:] - np.add.reduceat(side[:, others], first[:-1], axis=1)
        numbers = np.arange(0.0 if self._weights else self.labels.n_rows + 1.0)
        logs = xlogy(numbers, numbers)
        per_block = max(1, MASKS_AT_ONCE // (n_masks * int(np.diff(first).max(initial=1))))
        blocks = [np.arange(i, min(d, i + per_block)) for i in range(0, d, per_block)]
        n_columns = max(1, PLANES_AT_ONCE * d // max(1, int(first[-1])))
        chunks = [np.arange(i, min(d, i + n_columns)) for i in range(0, d, n_columns)]

        def look(anchors: np.ndarray) -> np.ndarray:
            if anchors[0] % (50 * per_block) == 0:
                LOGGER.info("pairs: %s of %s columns with all others", f"{anchors[0]:,}", f"{d:,}")
            mine = slice(first[anchors[0]], first[anchors[-1] + 1])
            found = [np.zeros(0, SCREENED)]
            joint = [
                (bits[mine][:, None] & mask).reshape(-1, mask.shape[1])
                for bits, mask in zip(self._bits, masks, strict=True)
            ]
            for columns in chunks:
                if columns[-1] <= anchors[0]:
                    continue
                theirs = slice(first[columns[0]], first[columns[-1] + 1])
                counts = np.array([self._common(m, i, theirs) for i, m in enumerate(joint)])
                counts = counts.reshape(len(joint), -1, n_masks, counts.shape[-1])
                out = np.zeros((anchors.size, columns.size, labels.size))
                pair_tables.interactions(
                    counts, anchors, columns, first, sides, with_label, known, least, logs, out
                )
                f, s, label = np.nonzero(out)
                some = np.zeros(f.size, SCREENED)
                some["f"], some["s"], some["label"] = anchors[f], columns[s], labels[label]
                some["ratio"] = out[f, s, label]
                found.append(some)
            return np.concatenate(found)

        return np.concatenate(
            Threads(self._n_jobs).map(look, [(block,) for block in blocks], self.work())
        )

    def _masks(self, labels: np.ndarray) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """Masks of rows in each stratum; those of rows with each label, and where it is known."""
        masks, number, places = list[np.ndarray](), dict[bytes, int](), list[int]()
        for label in labels.tolist():
            members, known = self.labels.members_of(label)
            for rows in (members, known):
                mask = self._packed(rows)
                places.append(number.setdefault(mask.tobytes(), len(number)))
                if len(number) > len(masks):
                    masks.append(mask)
        parts = np.split(np.array(masks), self._ends[:-1], axis=1)
        contiguous = [np.ascontiguousarray(part) for part in parts]
        return contiguous, np.array(places[::2]), np.array(places[1::2])

    def table(self, f: int, s: int, label: int) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """The rows by stratum, levels of two columns and class, and the coarse levels."""
        labels, (members, known) = self.labels, self.labels.members_of(label)
        columns = {j: self._columns[j] for j in self.candidates[[f, s]].tolist()}
        levels = [
            column.levels_of_rows(labels.n_rows).astype(np.int64) for column in columns.values()
        ]
        levels = [labels.strata.astype(np.int64), *levels]
        of_f, of_s = (self.coarse(j, column).astype(np.int64) for j, column in columns.items())
        merged = of_f, of_s
        shape = (labels.n_strata, *(coarse.size for coarse in merged), 2)
        places = np.ravel_multi_index((*(x[known] for x in levels), 1 * members[known]), shape)
        weights = labels.weights[known] * self._scale if labels.weights.size else None
        counts = np.bincount(places, weights, minlength=int(np.prod(shape)))
        return counts.reshape(shape).astype(np.float64), merged

    def coarse_table(
        self, f: int, s: int, label: int
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """The rows by coarse levels and class, and the coarse level of each row."""
        table, merged = self.table(f, s, label)
        out = np.zeros((*(int(coarse.max()) + 1 for coarse in merged), 2))
        np.add.at(out, np.ix_(*merged), table.sum(axis=0))
        fine = (
            self._columns[j].levels_of_rows(self.labels.n_rows) for j in self.candidates[[f, s]]
        )
        return out, (merged[0][next(fine)], merged[1][next(fine)])

    def joint(self, candidate: int, partner: int) -> LevelColumn:
        """A column of the coarse levels of two candidates together."""
        codes = [np.zeros(self.labels.n_rows, np.int64)]
        for j in (candidate, partner):
            column = self._columns[j]
            levels = self.coarse(j, column)[column.levels_of_rows(self.labels.n_rows)]
            codes.append(codes[-1] * (MAX_LEVELS + 1) + levels)
        levels, rows = np.unique(codes[-1], return_inverse=True, return_counts=True)[1:]
        parts = np.delete(np.eye(rows.size, dtype=np.int8), rows.argmax(), axis=1)
        return LevelColumn(levels.astype(np.uint8), NO_ROWS, -1, parts)

    def test(self, f: int, s: int, label: int, most: float = 1.0) -> tuple[float, int, float]:
        """The likelihood ratio beside the effects of all levels, its degrees of freedom, and p.

        Where p is above `most` before it is corrected for small counts, it is left so.
        """
        from scipy.special import xlogy

        table, merged = self.table(f, s, label)
        sizes = [int(coarse.max()) + 1 for coarse in merged]
        ratio, alone, n_free = 0.0, 0.0, 0
        expected, few = list[np.ndarray](), np.zeros((len(table), *sizes, 2))
        for cells, coarse in zip(table, few, strict=True):
            rows, fitted = cells.sum(axis=2), np.zeros((2, *cells.shape[:2]))
            labelled = np.ascontiguousarray(cells[..., 1])
            ratio += pair_tables.interaction(rows, labelled, *merged, np.zeros((2, *sizes)), fitted)
            expected.append(np.moveaxis(fitted, 0, 2))
            means = rows[..., None] * cells.sum(axis=(0, 1)) / max(1.0, cells.sum())
            alone += 2 * float(xlogy(expected[-1], expected[-1] / np.maximum(means, 1e-300)).sum())
            np.add.at(coarse, np.ix_(*merged), cells)
            some = coarse.sum(axis=2) > 0
            n_free += max(0, int(some.sum() - some.any(axis=0).sum() - some.any(axis=1).sum() + 1))
        if not n_free:
            return 0.0, 0, 1.0
        p = tail(ratio, n_free, TOLERANCE * alone)
        if p > most:
            return ratio, n_free, p
        excess, counts = 0.0, list[np.ndarray]()
        for cells, fitted, coarse in zip(table, expected, few, strict=True):
            excess += bartlett(cells.sum(axis=2), fitted[..., 1], *merged)
            wanted = np.zeros_like(coarse)
            np.add.at(wanted, np.ix_(*merged), fitted)
            counts.append(wanted[coarse.sum(axis=2) > 0].ravel())
        p = tail(ratio / (1 + max(0.0, excess) / n_free), n_free, TOLERANCE * alone)
        is_small = np.concatenate(counts) < SMALL_COUNT
        if np.concatenate(counts).min() < 1 or is_small.mean() > SMALL_SHARE:
            p = max(p, exact_p_value(np.rint(few)))
        return ratio, n_free, p


def tail(x: float, degrees: int, shift: float) -> float:
    """The chance that a noncentral chi-square variable is above x (Pearson, 1959).

    Examples
    --------
    >>> round(tail(3.84, 1, 0.0), 3), round(tail(30.0, 4, 10.0), 3)
    (0.05, 0.025)
    """
    from scipy.special import chdtrc

    scale = (degrees + 3 * shift) / (degrees + 2 * shift)
    free = (degrees + 2 * shift) / scale**2
    return float(chdtrc(free, (x + shift**2 / (degrees + 3 * shift)) / scale))


def bartlett(
    rows: np.ndarray, expected: np.ndarray, coarse_f: np.ndarray, coarse_s: np.ndarray
) -> float:
    """Excess of the mean of the likelihood ratio over its degrees of freedom.

    By the cumulants of the rows with the label in each cell (McCullagh & Nelder, 1989, 15.2).
    """
    f, s = (part.ravel() for part in np.indices(rows.shape))
    n, share = rows.ravel(), expected.ravel() / np.maximum(rows.ravel(), 1e-300)
    second = n * share * (1 - share)
    some = second > LEAST_VARIANCE
    f, s, second, share = f[some], s[some], second[some], share[some]
    third, fourth = second * (1 - 2 * share), second * (1 - 6 * share * (1 - share))
    alone = np.hstack([np.eye(coarse_f.size)[f], np.eye(coarse_s.size)[s]])
    joint = np.eye((coarse_f.max() + 1) * (coarse_s.max() + 1))
    joint = joint[coarse_f[f] * (coarse_s.max() + 1) + coarse_s[s]]
    means = []
    for design in (alone, np.hstack([alone, joint])):
        squares = (design.T * second) @ design
        covariance = design @ np.linalg.pinv(squares, rcond=1e-10, hermitian=True) @ design.T
        of_cells = covariance.diagonal()
        skewed = 3 * (third * of_cells) @ covariance @ (third * of_cells)
        skewed += 2 * third @ (covariance * covariance * covariance) @ third
        means.append((skewed - 3 * fourth @ of_cells**2) / 12)
    return float(means[1] - means[0])


def exact_p_value(tables: np.ndarray) -> float:
    """Test two levels of each column at a time, given the margins; the best of them, corrected.

    Parameters
    ----------
    tables : ndarray, shape (strata, levels, levels, 2)
        Whole numbers of rows.

    Examples
    --------
    >>> table = np.array([[[[9.0, 1], [1, 9]], [[1, 9], [9, 1]]]])
    >>> exact_p_value(table) < 1e-5, exact_p_value(np.ones((1, 2, 2, 2)))
    (True, 1.0)
    """
    from scipy.special import gammaln

    n_f, n_s = tables.shape[1:3]
    choices = [
        (two_f, two_s)
        for two_f in combinations(range(n_f), 2)
        for two_s in combinations(range(n_s), 2)
    ]
    sign = np.where(np.indices((2, 2, 2)).sum(axis=0) % 2, -1.0, 1.0)
    best = 1.0
    for two_f, two_s in choices:
        chances, place = np.ones(1), 0
        for cells in tables[:, two_f][:, :, two_s]:
            low, high = -int(cells[sign > 0].min()), int(cells[sign < 0].min())
            moved = cells + np.arange(low, high + 1)[:, None, None, None] * sign
            logs = -gammaln(moved + 1).sum(axis=(1, 2, 3))
            chances = np.convolve(chances, np.exp(logs - logs.max()))
            place -= low
        chances /= chances.sum()
        best = min(best, float(chances[chances <= chances[place] * (1 + 1e-7)].sum()))
    return min(1.0, best * len(choices))
