"""The two layouts: bit planes (an AND and a popcount) and row lists (the cells of each row)."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs._kernels import planes, row_walks
from mlfs._kernels.row_walks import Lists
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import ColumnGroup, Triples, list_cells
from mlfs.counting.entries import edges_of
from mlfs.counting.parallel import padded
from mlfs.counting.xlogx import XLogX, terms_of

if TYPE_CHECKING:
    from mlfs.counting.anchor import Anchor
    from mlfs.counting.label_columns import Labels


SHORT, MOST_CELLS = 1 << 16, 15  # what a short number holds, and the cells of a column
MASK_BYTES = 1 << 20  # of masks that are swept at a time: they stay in the cache
AT_ONCE = 4  # masks that are swept together, however large: each plane is read once for them


class BitPlanes(ColumnGroup):
    """Columns kept as bit planes; every row counts once.

    Parameters
    ----------
    codes : Codes
        The table of which they are the columns from `first` to `last`.
    first, last : int
        Which columns.
    n : ndarray
        How often each of their codes occurs.
    weights : ndarray of int
        The weight of each row, which is 1.
    """

    def __init__(
        self, codes: Codes, first: int, last: int, n: np.ndarray, weights: np.ndarray
    ) -> None:
        super().__init__(codes.levels[first:last], codes.mode[first:last], n, codes.n_rows)
        self._codes, self._begin = codes, first
        self._set_planes(pack_planes(codes, first, last), weights)

    def _set_planes(self, planes: np.ndarray, weights: np.ndarray) -> None:
        self.planes, self._weights = planes, weights
        self._words = self.planes.shape[1]
        self._room = _Room()  # for the counts of triples
        self._lock = threading.Lock()  # on the memory that is used again

    def pairs(self, anchor: Anchor, out: np.ndarray) -> None:
        """Sweep the planes of the anchor over all planes."""
        planes.sweep(self.planes, anchor.planes, out)

    def label_pairs(self, labels: Labels, indices: np.ndarray, out: np.ndarray) -> None:
        """Sweep the masks of the labels."""
        at_once = self._masks_at_once
        for start in range(0, indices.size, at_once):
            part = slice(start, start + at_once)
            planes.sweep(self.planes, labels.masks(indices[part]), out[part])

    def triples(self, anchor: Anchor, labels: Labels, indices: np.ndarray, out: np.ndarray) -> None:
        """Sweep what the anchor shares with each label."""
        at_once = max(1, self._masks_at_once // max(1, anchor.cells))
        for start in range(0, indices.size, at_once):
            part = slice(start, start + at_once)
            planes.sweep(
                self.planes, _shared(labels.masks(indices[part]), anchor), _as_rows(out[part])
            )

    def triples_of(self, anchor: Anchor, labels: Labels, label: int, out: np.ndarray) -> None:
        """Sweep what the anchor shares with each value of the label."""
        masks = pack_planes(labels.codes, label, label + 1)
        planes.sweep(self.planes, _shared(masks, anchor), _as_rows(out))

    def columns_at_once(self, entries: int) -> int:
        """The number of columns that have so many entries on average."""
        n_entries = int(self.n_cells.sum())
        return max(1, min(self.size, entries * self.size // max(1, n_entries), SHORT // MOST_CELLS))

    def lists(self, first: int, last: int) -> Lists:
        """The cells of some of its columns by row, in short numbers: there are many."""
        a, b = self._begin + first, self._begin + last
        lists = list_cells(self._codes, a, b, self._weights)
        return lists._replace(cells=lists.cells.astype(np.uint16))

    has_planes = True

    def planes_of(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All its planes, and the first plane of each of some columns."""
        return self.planes, self.first[columns]

    @contextlib.contextmanager
    def triple_counts(self, triples: Triples) -> Iterator[np.ndarray]:
        """The co-occurrences with an anchor and some labels, until the context ends."""
        anchor, indices = triples.pairs.anchor, triples.indices
        shape = indices.size, anchor.cells, self.cells
        with self._lock:
            co = self._room.zeros(shape, self.small)
            self.triples(anchor, triples.labels, indices, co)
            yield co

    @property
    def _masks_at_once(self) -> int:
        return max(AT_ONCE, MASK_BYTES // (8 * max(1, self._words)))


def _shared(masks: np.ndarray, anchor: Anchor) -> np.ndarray:
    """The rows of each mask and each cell of an anchor."""
    return _as_rows(masks[:, None, :] & anchor.planes)


def _as_rows(out: np.ndarray) -> np.ndarray:
    """Join all axes but the last; reshape(-1, ...) fails where there are no cells."""
    return out.reshape(math.prod(out.shape[:-1]), out.shape[-1])


class _Room:
    """Memory that every step uses again, because threads wait for one another to allocate."""

    def __init__(self) -> None:
        self._flat = np.zeros(0, np.int32)

    def zeros(self, shape: tuple[int, ...], kind: Any) -> np.ndarray:
        """Zeros, until the next call."""
        size = math.prod(shape)
        if self._flat.size < size or self._flat.dtype != kind:
            self._flat = np.empty(size, kind)
        array = self._flat[:size].reshape(shape)
        array[:] = 0
        return array


def pack_planes(codes: Codes, first: int, last: int) -> np.ndarray:
    """The planes of some columns, one column after the other; a view where they are stored so."""
    sizes = (codes.levels[first:last] - 1).astype(np.int64)
    edges = edges_of(sizes)
    if codes.packed is not None:
        begins = codes.packed.first[first:last]
        if ((begins >= 0) | (sizes == 0)).all():
            shifts = begins - edges[:-1]
            shift = int(shifts[0]) if shifts.size else 0
            if (shifts[sizes > 0] == shift).all() and shift >= 0:
                return codes.packed.planes[shift : shift + int(edges[-1])]
            rows = np.repeat(shifts, sizes) + np.arange(edges[-1])
            return codes.packed.planes[rows]
    out = np.zeros((int(edges[-1]), -(-codes.n_rows // 64)), np.uint64)
    if last - first == 1:  # such as a pick
        rows, values = codes.entries(first)
        planes.pack(np.array([0, rows.size]), rows, values, codes.mode[first:last], edges, out)
        return out
    plain = codes.packed is None and codes.has_codes
    listed = codes if plain else codes.take(np.arange(first, last))
    if listed is not codes:
        first, last = 0, last - first
    part = slice(listed.indptr[first], listed.indptr[last])
    indptr = listed.indptr[first : last + 1] - listed.indptr[first]
    planes.pack(indptr, listed.rows[part], listed.codes[part], listed.mode[first:last], edges, out)
    return out


START = np.zeros(1, np.int64)
COLUMN_CELLS = 256  # of a column whose counts with all labels are made at once
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

    def add_sums_with_labels(
        self, labels: Labels, indices: np.ndarray, xlogx: XLogX, out: np.ndarray, at_once: int
    ) -> None:
        """Walk column by column where they have more than two levels and their lists are kept."""
        cells = int(self.levels.max(initial=1))
        part, packed = slice(self._begin, self._begin + self.size), self._codes.packed
        are_packed = packed is not None and bool((packed.first[part] >= 0).any())
        if self.two_levels or are_packed or cells > COLUMN_CELLS:
            super().add_sums_with_labels(labels, indices, xlogx, out, at_once)
            return
        place = np.full(len(labels), indices.size)
        place[indices] = np.arange(indices.size)
        indptr, rows, codes = self._codes.lists_with_codes
        row_walks.add_sums_with_labels(
            (indptr[self._begin : self._begin + self.size + 1], rows, codes),
            self.modes,
            self.first,
            self.n_cells,
            *labels.by_row,
            place,
            self._lists.weights,
            labels.n_cells[indices],
            self.total,
            xlogx,
            padded((cells, indices.size + 1), np.int64),
            out,
        )

    def walks_levels(self, anchor: Anchor) -> bool:
        """Whether a column or the anchor has more than two levels, and the table is small."""
        return (not self.two_levels or anchor.cells != 1) and not self.is_wide(anchor)

    def columns_at_once(self, entries: int) -> int:  # noqa: ARG002  # they are at hand
        """The number of all its columns."""
        return max(1, self.size)

    def lists(self, first: int, last: int) -> row_walks.Lists:  # noqa: ARG002
        """The cells of all its columns by row."""
        return self._lists

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

    def add_triple_sums(self, triples: Triples, co_fl: Any, xlogx: XLogX, out: np.ndarray) -> None:
        """Count and sum label by label; where it `walks_levels`, from the cells of the labels."""
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
        if self.walks_levels(anchor):
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
        """Sort the joint codes of each column with the anchor, or with the anchor and the label."""
        codes = anchor.codes.astype(np.int64)
        if label is not None:
            codes = codes * (int(label.max(initial=0)) + 1) + label
        for f, x in enumerate(self._columns()):
            out[f] += self._sum_over(x, codes, slice(None), xlogx)

    def add_gini_sums(self, triples: Triples, co_fl: np.ndarray, unit: float, out: Any) -> None:
        """Sort the joint codes where the tables would be large."""
        anchor, y = triples.pairs.anchor, triples.labels.codes
        if not self.is_wide(anchor):
            super().add_gini_sums(triples, co_fl, unit, out)
            return
        weights, codes = self._lists.weights, anchor.codes.astype(np.int64)
        present = [weights * (y.column(label) > 0) for label in triples.indices.tolist()]
        for f, x in enumerate(self._columns()):
            for with_label in present:
                n, n_l = cells_of(joint(x, codes), weights, with_label)
                product = n_l.astype(float) * (n - n_l).astype(float)
                shares = (product + product) / np.maximum(n, 1) * unit
                out[f] += np.floor(shares + 0.5).astype(np.int64).sum()

    def known_sums(
        self, anchor: Anchor, valid: np.ndarray, xlogx: XLogX, *label: Any
    ) -> np.ndarray:
        """Sort the joint codes in the rows in which the column, the anchor and the label count."""
        s = anchor.codes.astype(np.int64)
        constant, others = np.zeros_like(s), [s]
        are_known = s < anchor.valid
        if label:
            codes, l_valid = label
            are_known &= codes < l_valid
            others = [s * l_valid + codes, s, codes]
        sums = np.zeros((2 + 2 * len(others), self.size), np.int64)
        for f, x in enumerate(self._columns()):
            rows = are_known & (x < valid[f])
            with_f = [self._sum_over(x, codes, rows, xlogx) for codes in others]
            alone = [self._sum_over(constant, codes, rows, xlogx) for codes in others]
            t_f = self._sum_over(x, constant, rows, xlogx)
            n_rows = self._lists.weights[rows].sum()
            sums[:, f] = n_rows, *with_f, *(alone[:1] if label else ()), t_f, *alone[bool(label) :]
        return sums

    def _columns(self) -> Iterator[np.ndarray]:
        for j in range(self._begin, self._begin + self.size):
            yield self._codes.column(j).astype(np.int64)

    def _sum_over(self, x: np.ndarray, codes: np.ndarray, rows: Any, xlogx: XLogX) -> int:
        """The sum of c log c over the joint codes of two columns in some rows."""
        (n,) = cells_of(joint(x[rows], codes[rows]), self._lists.weights[rows])
        return int(terms_of(n, xlogx).sum())

    def _add_joint_of_levels(
        self,
        triples: Triples,
        rows: np.ndarray,
        ends: tuple[np.ndarray, np.ndarray],
        cells: row_walks.LabelCells,
        xlogx: XLogX,
        out: np.ndarray,
    ) -> None:
        anchor, n_l = triples.pairs.anchor, triples.labels.n_cells[triples.indices]
        t_fs = triples.pairs.t_fs[self._begin : self._begin + self.size]
        out += t_fs if out.shape[0] > 1 else triples.indices.size * t_fs
        n, n_sl = np.zeros(anchor.levels, np.int64), np.zeros((n_l.size, anchor.levels), np.int64)
        n[anchor.non_modes], n_sl[:, anchor.non_modes] = anchor.n_cells, triples.n_sl
        scratch = vars(self).pop("_scratch", None)  # taken away: another thread makes its own
        if scratch is None or scratch.co.shape[2] != anchor.levels:
            places = self.cells * anchor.levels
            scratch = row_walks.WalkMemory(
                padded((2, self.cells, anchor.levels), self.small),
                padded((2, self.cells), self.small),
                padded((2, self.size, anchor.levels), self.small),
                np.empty((2, places), np.int64),
                np.empty(self.cells, np.int64),
                np.empty(self.size * anchor.levels, np.int64),
            )
        row_walks.add_joint_of_levels(
            self._lists,
            self.n_cells,
            self.total - self.n[self.offsets[:-1] + self.modes],
            row_walks.AnchorCells(anchor.codes, anchor.rows, n, n_sl),
            n_l,
            rows,
            *ends,
            cells,
            self.total,
            xlogx,
            padded((2, self.size), np.int64),
            scratch,
            out,
        )
        self._scratch = scratch


def joint(x: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """One code for each pair of codes that occurs."""
    return codes * (int(x.max(initial=0)) + 1) + x


def cells_of(codes: np.ndarray, *weights: np.ndarray) -> list[np.ndarray]:
    """The weight of the rows of each code that occurs, for some weights.

    Examples
    --------
    >>> cells_of(np.array([7, 2, 7]), np.array([1, 2, 3]))
    [array([2, 4])]
    """
    order = np.argsort(codes)
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return [np.add.reduceat(weight[order], starts) for weight in weights]
