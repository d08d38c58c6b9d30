"""Column groups: neighbouring columns in the layout that counts them fastest.

========== ================================================================================
RowLists   for each row the cells that occur in it: sparse data, any number of levels,
           weights; to count a co-occurrence costs the rows that two columns share
BitPlanes  one bit for each cell and row: dense data of few levels; to count a co-occurrence
           costs a sixty-fourth of the rows, in vector instructions
========== ================================================================================

A cell is a column at one of its codes but the mode. All count the co-occurrences of cells only,
as whole numbers; what is at a mode follows by subtraction (`mlfs._kernels.co_sums`).
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mlfs._kernels import co_sums, full_tables
from mlfs._kernels.row_walks import LabelCells, Lists, cells_of_labels
from mlfs.counting.codes import Codes
from mlfs.counting.entries import edges_of
from mlfs.counting.xlogx import XLogX, terms_of

if TYPE_CHECKING:
    from mlfs.counting.anchor import Anchor
    from mlfs.counting.label_columns import Labels


FEW_LEVELS = 16  # columns of more levels are never packed into planes
FEW_COLUMNS = 1 / 100  # a smaller share of columns is not worth planes of its own
SOME_COLUMNS = 1 / 4  # if fewer of those in planes are left over, they join them
COLUMNS_AT_ONCE = 8192  # keeps the table of a picked feature in the cache
WORD_COST = 1 / 800  # one row by a plane's vector instructions, against one walked in a list


class LayoutKind:
    """The kinds of columns, in the order in which they are counted."""

    BINARY_LISTS, BINARY_PLANES, PLANES, LISTS = range(4)
    NAMES = ("row lists, two levels", "bit planes, two levels", "bit planes", "row lists")


def kinds(features: Codes, labels: Codes, *, weighted: bool) -> np.ndarray:
    """Choose the kind of each column; weighted rows are counted through lists.

    A co-occurrence of f, s and l costs the rows in which none is at its mode through lists, and a
    sixty-fourth of all rows through planes; s is taken to be like f.
    """
    levels, n_rows = features.levels, max(1, features.n_rows)
    f_share = features.non_mode / n_rows
    l_share = labels.n_entries / (n_rows * len(labels)) if len(labels) else 1.0  # pairs alone
    packable = (levels > 1) & (levels <= FEW_LEVELS) & (not weighted)
    is_dense = (f_share**2 * l_share > WORD_COST) & packable
    for alike in (levels == 2, levels > 2):  # a layout of their own does not pay for a few columns
        if (is_dense & alike).sum() < len(levels) * FEW_COLUMNS:
            is_dense &= ~alike
        elif (packable & alike & ~is_dense).sum() < (is_dense & alike).sum() * SOME_COLUMNS:
            is_dense |= packable & alike
    return np.where(
        levels == 2,
        np.where(is_dense, LayoutKind.BINARY_PLANES, LayoutKind.BINARY_LISTS),
        np.where(is_dense, LayoutKind.PLANES, LayoutKind.LISTS),
    )


def cut(kind: np.ndarray, parts: np.ndarray) -> list[tuple[int, int]]:
    """Cut columns into groups of one kind, so that tables fit the cache and threads have work.

    `parts` says for each column into how many groups its kind is cut at least.
    """
    ends = np.flatnonzero(np.diff(kind)) + 1
    edges: list[tuple[int, int]] = []
    for first, last in itertools.pairwise([0, *ends.tolist(), kind.size]):
        least = min(int(parts[first]), last - first) if first < last else 1
        groups = max(-(-(last - first) // COLUMNS_AT_ONCE), least, 1)
        edges += itertools.pairwise(np.linspace(first, last, groups + 1).astype(int).tolist())
    return edges


class Triples(NamedTuple):
    """The facts about an anchor and labels of two levels before they are counted with features."""

    pairs: Any  # PairStatistics of the anchor
    group: int
    labels: Any  # Labels
    indices: np.ndarray  # which labels

    @property
    def n_sl(self) -> np.ndarray:
        """The rows of each of these labels with each cell of the anchor: (labels, cells)."""
        return self.pairs.n_sl[self.indices]


class ColumnGroup:
    """The interface of neighbouring columns.

    Parameters
    ----------
    levels, modes : ndarray
        Of each column.
    n : ndarray
        How often each code occurs, ragged.
    total : int
        The weight of all rows.
    """

    def __init__(self, levels: np.ndarray, modes: np.ndarray, n: np.ndarray, total: int) -> None:
        self.levels, self.modes, self.n, self.total = levels, modes, n, total
        self.size = int(levels.size)
        self.two_levels = bool((levels == 2).all()) and self.size > 0
        self.offsets = edges_of(levels)
        self.first = edges_of(levels - 1)
        self.small = np.int32 if total < 1 << 31 else np.int64
        is_cell = np.ones(n.size, bool)
        is_cell[self.offsets[:-1] + modes] = False
        self.n_cells = n[is_cell].astype(self.small)
        self.cells = int(self.n_cells.size)

    # ---- counting: what a layout must do ----------------------------------------------------

    def pairs(self, anchor: Any, out: np.ndarray) -> None:
        """Add the co-occurrences with an anchor: out[cell of s, cell]."""
        raise NotImplementedError

    def label_pairs(self, labels: Any, indices: np.ndarray, out: np.ndarray) -> None:
        """Add the co-occurrences with some labels of two levels: out[i, cell]."""
        raise NotImplementedError

    def triples(self, anchor: Any, labels: Any, indices: np.ndarray, out: np.ndarray) -> None:
        """Add the same with an anchor and some labels of two levels: out[i, cell of s, cell]."""
        raise NotImplementedError

    def triples_of(self, anchor: Any, labels: Any, label: int, out: np.ndarray) -> None:
        """Add the same with one label of any levels: out[cell of the label, cell of s, cell]."""
        raise NotImplementedError

    def co_with(self, anchor: Anchor) -> np.ndarray:
        """The co-occurrences with an anchor: (cells of s, cells)."""
        out = np.zeros((anchor.cells, self.cells), self.small)
        self.pairs(anchor, out)
        return out

    def co_with_labels(self, labels: Labels, indices: np.ndarray) -> np.ndarray:
        """The co-occurrences with some labels of two levels: (labels, cells)."""
        out = np.zeros((indices.size, self.cells), self.small)
        self.label_pairs(labels, indices, out)
        return out

    # ---- summing: the same for all layouts ---------------------------------------------------

    def add_counted_sums(self, anchor: Anchor, xlogx: XLogX, out: Any) -> np.ndarray | None:
        """Count an anchor: out[f] += the sum of c log c over n(f,s).

        Returns the co-occurrences, or None where a table of them would be much larger than the
        data.
        """
        if self.is_wide(anchor):
            self.add_walked_sums(anchor, xlogx, out)
            return None
        co = self.co_with(anchor)
        self.add_pair_sums(anchor, co, xlogx, out)
        return co

    def add_pair_sums(self, anchor: Any, co: np.ndarray, xlogx: XLogX, out: Any) -> None:
        """out[f] += the sum of c log c over n(f,s), from the co-occurrences."""
        if self.two_levels and anchor.cells == 1:
            sums = np.empty(self.size, np.int64)
            co_sums.pairs_of_two(self.n_cells, co[0], anchor.non_mode, self.total, xlogx, sums)
            out += sums
            return
        self._add_pairs_of_cells(co, anchor.n_cells, xlogx, out)

    def add_label_sums(self, n_l: np.ndarray, co: np.ndarray, xlogx: XLogX, out: Any) -> None:
        """out[f] += the sums of c log c over n(f,l) of labels of two levels."""
        if self.two_levels:
            co_sums.add_label_pairs_of_two(self.n_cells, co, n_l, self.total, xlogx, out)
            return
        for i in range(n_l.size):
            self._add_pairs_of_cells(co[i : i + 1], n_l[i : i + 1], xlogx, out)

    def add_sums_with_labels(
        self, labels: Labels, indices: np.ndarray, xlogx: XLogX, out: np.ndarray, at_once: int
    ) -> None:
        """Count with labels that are counted now, so many at once."""
        for start in range(0, indices.size, at_once):
            chunk = indices[start : start + at_once]
            self.add_label_sums(
                labels.n_cells[chunk], self.co_with_labels(labels, chunk), xlogx, out
            )

    def _add_pairs_of_cells(
        self, co: np.ndarray, n_s: np.ndarray, xlogx: XLogX, out: np.ndarray
    ) -> None:
        """out[f] += the sum of c log c over n(f,s), from the counts of the cells of s."""
        at_modes = np.empty(n_s.size, np.int64)
        sums = self.sums_of_cells(xlogx)
        co_sums.add_pairs_of_cells(
            self.first, self.n_cells, sums, co, n_s, at_modes, self.total, xlogx, out
        )

    has_planes = False  # whether bit planes of its columns are at hand

    def planes_of(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Bit planes in which some of its columns are, and the first plane of each."""
        raise NotImplementedError

    def columns_at_once(self, entries: int) -> int:
        """The number of columns that may be listed by row at a time, for so many entries."""
        raise NotImplementedError

    def lists(self, first: int, last: int) -> Any:
        """The cells of some of its columns by row: `Lists` in `mlfs._kernels.row_walks`."""
        raise NotImplementedError

    by_label = False  # whether triples are counted and summed one label after the other

    def needs_label_pairs(self, anchor: Anchor) -> bool:  # noqa: ARG002
        """Whether sums of triples with an anchor need the co-occurrences with the labels."""
        return True

    def walks_levels(self, anchor: Anchor) -> bool:  # noqa: ARG002
        """Whether `label_cells` take the place of the co-occurrences with the labels."""
        return False

    def label_cells(self, co_fl: np.ndarray, xlogx: XLogX) -> LabelCells:
        """The co-occurrences with some labels, and what is made of them for every anchor."""
        shape = len(co_fl), self.size
        cells = LabelCells(co_fl, np.empty(shape, self.small), np.empty(shape, np.int64))
        cells_of_labels(self.first, self.n_cells, co_fl, xlogx, cells.beside, cells.splits)
        return cells

    def add_triple_sums(self, triples: Triples, co_fl: Any, xlogx: XLogX, out: np.ndarray) -> None:
        """Add the sums of c log c over n(f,s,l): each label's to its row of `out`, or all to one.

        `co_fl` are the co-occurrences with the labels, if `needs_label_pairs`.
        """
        with self.triple_counts(triples) as co:
            if self.two_levels and triples.pairs.anchor.cells == 1:
                n_sl = triples.n_sl[:, 0]
                co_sums.joints_of_two(co[:, 0], self._two_levels(triples, co_fl), n_sl, xlogx, out)
                return
            self._add_joint(triples, co, co_fl, xlogx, out)

    def add_gini_sums(self, triples: Triples, co_fl: np.ndarray, unit: float, out: Any) -> None:
        """out[f] += the Gini impurity of all labels within the cells of f and the anchor."""
        with self.triple_counts(triples) as co:
            self._add_joint(triples, co, co_fl, co_sums.Impurity(unit), out[None])

    def _add_joint(self, triples: Triples, co: Any, co_fl: Any, how: Any, out: Any) -> None:
        anchor, indices = triples.pairs.anchor, triples.indices
        n = co_sums.Levels(
            self.total,
            self.n_cells,
            anchor.n_cells,
            triples.labels.n_cells[indices],
            triples.pairs.co(triples.group),
            co_fl,
            triples.n_sl,
        )
        cells = co.reshape(indices.size * anchor.cells, self.cells)
        at_modes = np.empty((2, anchor.levels), np.int64)
        co_sums.add_joint_of_cells(self.first, n, cells, at_modes[0], at_modes[1], how, out)

    @contextlib.contextmanager
    def triple_counts(self, triples: Triples) -> Iterator[np.ndarray]:
        """The co-occurrences with an anchor and some labels: (labels, cells of s, cells)."""
        anchor, indices = triples.pairs.anchor, triples.indices
        co = np.zeros((indices.size, anchor.cells, self.cells), self.small)
        self.triples(anchor, triples.labels, indices, co)
        yield co

    def _two_levels(self, triples: Triples, co_fl: np.ndarray) -> co_sums.TwoLevels:
        return co_sums.TwoLevels(
            self.total,
            self.n_cells,
            triples.pairs.anchor.non_mode,
            triples.labels.n_cells[triples.indices],
            triples.pairs.co(triples.group)[0],
            co_fl,
        )

    def sums_of_cells(self, xlogx: XLogX) -> np.ndarray:
        """The sum of c log c over the cells of each column."""
        if self._sums is None or self._sums[0] is not xlogx.table:
            terms = edges_of(terms_of(self.n_cells, xlogx))
            self._sums = xlogx.table, terms[self.first[1:]] - terms[self.first[:-1]]
        return self._sums[1]

    _sums: tuple[np.ndarray, np.ndarray] | None = None  # with the function that was summed

    # ---- columns of very many levels ---------------------------------------------------------

    def is_wide(self, anchor: Any) -> bool:  # noqa: ARG002
        """Whether the table of its cells and those of the anchor is much larger than the data."""
        return False

    def add_walked_sums(
        self, anchor: Any, xlogx: XLogX, out: np.ndarray, label: np.ndarray | None = None
    ) -> None:
        """out[f] += the sum of c log c over n(f,s), or over n(f,s,l) if the codes of l are given.

        Nothing is as large as the table of all cells.
        """
        raise NotImplementedError

    def known_sums(self, anchor: Any, valid: np.ndarray, xlogx: XLogX, *label: Any) -> np.ndarray:
        """The sums of `full_tables.pair_sums`, or `triple_sums` for a label and its valid codes."""
        raise NotImplementedError

    # ---- complete tables -----------------------------------------------------------------------

    def pair_table(self, anchor: Anchor, co: np.ndarray) -> np.ndarray:
        """n(f,s): (codes of all columns, codes of s)."""
        table = np.empty((int(self.offsets[-1]), anchor.levels), np.int64)
        full_tables.complete_pairs(
            co, self.n, anchor.n, self.offsets, self.modes, anchor.mode, table
        )
        return table

    def triple_table(
        self,
        anchor: Anchor,
        labels: Labels,
        label: int,
        n_fs: np.ndarray,
        n_fl: np.ndarray,
        n_sl: np.ndarray,
    ) -> np.ndarray:
        """n(f,s,l) of one label: (codes of all columns, codes of s, codes of l)."""
        levels = int(labels.levels[label])
        co = np.zeros((levels - 1, anchor.cells, self.cells), self.small)
        self.triples_of(anchor, labels, label, co)
        table = np.empty((int(self.offsets[-1]), anchor.levels, levels), np.int64)
        l_mode = int(labels.modes[label])
        full_tables.complete_triples(
            co, n_fs, n_fl, n_sl, self.offsets, self.modes, anchor.mode, l_mode, table
        )
        return table


def list_cells(codes: Codes, first: int, last: int, weights: np.ndarray) -> Lists:
    """The cells of the columns from `first` to `last`, row by row."""
    levels, modes = codes.levels[first:last], codes.mode[first:last]
    firsts = edges_of(levels - 1)
    indptr, cells, values = codes.by_row(first, last)
    column = np.arange(last - first, dtype=np.int32)
    if not ((levels == 2).all() and last > first):
        column = np.repeat(column, levels - 1)
        values -= values > modes[cells]
        cells = (values + firsts[cells]).astype(np.int32)
    return Lists(indptr, cells, weights, firsts, column)
