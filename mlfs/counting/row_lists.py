"""Row lists: for each row the cells that occur in it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs._kernels import co_sums, part_sums, row_walks
from mlfs.counting.bit_planes import pack_planes
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import ColumnGroup, RowSubset, Triples, list_cells
from mlfs.counting.entries import edges_of
from mlfs.counting.parallel import padded
from mlfs.counting.parts import room_of
from mlfs.counting.xlogx import XLogX

if TYPE_CHECKING:
    from mlfs.counting.anchor import Anchor
    from mlfs.counting.label_columns import Labels


START = np.zeros(1, np.int64)
WIDE = 16  # cells of a table for each entry of the lists


class RowLists(ColumnGroup):
    """Columns kept as row lists.

    Parameters
    ----------
    codes : Codes
        The table of which they are the columns from `first` to `last`.
    first, last : int
        Which columns.
    n : ndarray
        How often each of their codes occurs.
    weights : ndarray of int
        The weight of each row.
    """

    def __init__(
        self, codes: Codes, first: int, last: int, n: np.ndarray, weights: np.ndarray
    ) -> None:
        levels, modes = codes.levels[first:last], codes.mode[first:last]
        super().__init__(levels, modes, n, int(weights.sum()))
        self._codes, self._begin = codes, first
        self._lists = list_cells(codes, first, last, weights)

    by_label = True

    def needs_label_pairs(self, anchor: Anchor) -> bool:
        """Whether the rows of the anchor, and not those of the labels too, are walked."""
        return not self.is_wide(anchor)

    def columns_at_once(self, entries: int) -> int:  # noqa: ARG002  # they are at hand
        """The number of all its columns."""
        return max(1, self.size)

    def lists(self, first: int, last: int) -> row_walks.Lists:  # noqa: ARG002
        """The cells of all its columns by row."""
        return self._lists

    def among_rows(self, subset: RowSubset) -> RowLists:
        """The same lists, with other weights."""
        co = np.zeros((1, self.cells), self.small)
        rows = np.flatnonzero(subset.kept).astype(np.int32)
        row_walks.count_pairs(*self._lists[:3], rows, np.zeros(rows.size, np.int8), co)
        copied = copy.copy(self)
        n = self.n_of(co[0], subset.size)
        ColumnGroup.__init__(copied, self.levels, self.modes, n, subset.size)
        copied._lists = self._lists._replace(weights=subset.weights)  # noqa: SLF001  # same class
        return copied

    def planes_of(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The planes of some columns, made now."""
        table = self._codes.take(columns + self._begin)
        return pack_planes(table, 0, columns.size), edges_of(table.levels - 1)[:-1]

    def pairs(self, anchor: Anchor, out: np.ndarray) -> None:
        """Walk the rows in which the anchor is not at its mode."""
        row_walks.count_pairs(*self._lists[:3], anchor.rows, anchor.row_cells, out)

    def label_pairs(self, labels: Labels, indices: np.ndarray, out: np.ndarray) -> None:
        """Walk the rows of each label."""
        y = labels.codes
        row_walks.count_labels(*self._lists[:3], y.indptr, y.rows, indices, out)

    def triples(self, anchor: Anchor, labels: Labels, indices: np.ndarray, out: np.ndarray) -> None:
        """Walk the rows of each label."""
        for i, label in enumerate(indices.tolist()):
            self.triples_of(anchor, labels, label, out[i : i + 1])

    def triples_of(self, anchor: Anchor, labels: Labels, label: int, out: np.ndarray) -> None:
        """Walk the rows of the label."""
        rows, codes = labels.codes.entries(label)
        cells = codes - (codes > labels.modes[label])
        row_walks.count_triples(*self._lists[:3], anchor.all_cells, rows, cells, out)

    def add_triple_sums(
        self, triples: Triples, co_fl: np.ndarray, xlogx: XLogX, out: np.ndarray
    ) -> None:
        """Count and sum label by label."""
        anchor, indices = triples.pairs.anchor, triples.indices
        if self.is_wide(anchor):
            for i, label in enumerate(indices.tolist()):
                row = out[i if out.shape[0] > 1 else 0]
                self.add_walked_sums(anchor, xlogx, row, triples.labels.codes.column(label))
            return
        if indices.size == 1:
            label_rows, _ = triples.labels.codes.entries(int(indices[0]))
            rows = np.empty(anchor.rows.size, np.int32)
            ends = START, np.array([row_walks.shared_rows(anchor.rows, label_rows, rows)])
        else:
            rows, starts = triples.pairs.rows_by_label
            ends = starts[indices], starts[indices + 1]
        if not self.two_levels or anchor.cells != 1:
            self._add_joint_of_levels(triples, rows, ends, co_fl, xlogx, out)
            return
        co = padded((self.size,), self.small)
        n = self._two_levels(triples, co_fl)
        row_walks.add_joint_of_lists(self._lists, rows, *ends, n, xlogx, co, out)

    def is_wide(self, anchor: Anchor) -> bool:
        """Whether most cells of a table would be empty."""
        entries = self._lists.cells.size + self._lists.weights.size
        return anchor.cells * self.cells > WIDE * entries

    def add_walked_sums(
        self,
        anchor: Anchor,
        xlogx: XLogX,
        out: np.ndarray,
        label: np.ndarray | None = None,
    ) -> None:
        """Walk the rows of each value of the anchor, or of the anchor and the label."""
        codes = anchor.codes.astype(np.int64)
        if label is not None:
            codes = codes * (int(label.max(initial=0)) + 1) + label
        rows = np.flatnonzero(self._lists.weights)
        rows = rows[np.argsort(codes[rows], kind="stable")]
        ends = np.flatnonzero(np.diff(codes[rows])) + 1
        edges = np.concatenate([START, ends, [rows.size]])
        part_sums.add_sums_of_parts(self._lists, rows, edges, room_of(self._lists), xlogx, out)

    def add_gini_sums(self, triples: Triples, co_fl: np.ndarray, unit: float, out: Any) -> None:
        """Walk the rows of each value of the anchor where the tables would be large."""
        anchor, y = triples.pairs.anchor, triples.labels.codes
        if not self.is_wide(anchor):
            super().add_gini_sums(triples, co_fl, unit, out)
            return
        codes, counted = anchor.codes.astype(np.int64), np.flatnonzero(self._lists.weights)
        for label in triples.indices.tolist():
            key = 2 * codes + y.column(label)
            rows = counted[np.argsort(key[counted], kind="stable")]
            edges = np.append(np.flatnonzero(np.diff(codes[rows], prepend=-1)), rows.size)
            middle = np.searchsorted(key[rows], 2 * codes[rows[edges[:-1]]] + 1)
            room, impurity = room_of(self._lists), co_sums.Impurity(unit)
            part_sums.add_impurity(self._lists, rows, edges, middle, room, impurity, out)

    def known_sums(
        self, anchor: Anchor, valid: np.ndarray, xlogx: XLogX, *label: Any
    ) -> np.ndarray:
        """Walk the rows in which the anchor, and the label, are known."""
        s = anchor.codes.astype(np.int64)
        constant = np.zeros_like(s)
        rows_known = (s < anchor.valid) & (self._lists.weights > 0)
        if not label:
            rows, t_fs, t_s = self._known_sums(s, rows_known, valid, xlogx)
            t_f = self._known_sums(constant, rows_known, valid, xlogx)[1]
            return np.stack([rows, t_fs, t_f, t_s])
        codes, l_valid = label
        rows_known &= codes < l_valid
        rows, t_fsl, t_sl = self._known_sums(s * l_valid + codes, rows_known, valid, xlogx)
        _, t_fs, t_s = self._known_sums(s, rows_known, valid, xlogx)
        _, t_fl, t_l = self._known_sums(codes, rows_known, valid, xlogx)
        t_f = self._known_sums(constant, rows_known, valid, xlogx)[1]
        return np.stack([rows, t_fsl, t_fs, t_fl, t_sl, t_f, t_s, t_l])

    def _known_sums(
        self, codes: np.ndarray, rows_known: np.ndarray, valid: np.ndarray, xlogx: XLogX
    ) -> np.ndarray:
        """Rows, and the sums over n(f,x) and n(x), of some rows in which f is known."""
        rows = np.flatnonzero(rows_known)
        rows = rows[np.argsort(codes[rows], kind="stable")]
        ends = np.flatnonzero(np.diff(codes[rows])) + 1
        edges = np.concatenate([START, ends, [rows.size]])
        last = np.where(self.modes == valid, -2, self.first[:-1] + valid - (self.modes < valid))
        lost = np.where(valid < self.levels, last, -1)  # the cell left out: -2 the mode, -1 none
        out = np.zeros((3, self.size), np.int64)
        room = room_of(self._lists)
        part_sums.add_known_sums(self._lists, rows, edges, lost, room, xlogx, out)
        return out

    def _add_joint_of_levels(
        self,
        triples: Triples,
        rows: np.ndarray,
        ends: tuple[np.ndarray, np.ndarray],
        co_fl: np.ndarray,
        xlogx: XLogX,
        out: np.ndarray,
    ) -> None:
        anchor, cells = triples.pairs.anchor, triples.n_sl
        n_sl = np.empty((triples.indices.size, anchor.levels), np.int64)
        n_sl[:, anchor.non_modes] = cells
        n_sl[:, anchor.mode] = triples.labels.n_cells[triples.indices] - cells.sum(axis=1)
        scratch = vars(self).pop("_scratch", None)  # taken away: another thread makes its own
        if scratch is None or scratch.co.shape[1] != anchor.levels:
            scratch = row_walks.WalkMemory(
                padded((self.cells, anchor.levels), np.int64),
                np.empty(self.cells * anchor.levels, np.int64),
                padded((self.cells,), np.int64),
                padded((self.size,), np.int64),
                padded((self.size, anchor.levels), np.int64),
            )
        row_walks.add_joint_of_levels(
            self._lists,
            anchor.codes,
            anchor.mode,
            anchor.n,
            rows,
            *ends,
            co_fl,
            n_sl,
            triples.pairs.cells(triples.group),
            xlogx,
            scratch,
            out,
        )
        self._scratch = scratch
