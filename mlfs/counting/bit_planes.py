"""Bit planes: one bit for each cell and row; co-occurrences are an AND and a popcount."""

from __future__ import annotations

import contextlib
import copy
import math
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs._kernels import planes
from mlfs._kernels.row_walks import Lists
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import ColumnGroup, RowSubset, Triples, list_cells
from mlfs.counting.entries import edges_of

if TYPE_CHECKING:
    from mlfs.counting.anchor import Anchor
    from mlfs.counting.label_columns import Labels

__all__ = ["BitPlanes", "pack_planes"]

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
        self._last_labels: tuple[Labels, np.ndarray] | None = None  # asked for in triples
        self._ahead: tuple[Anchor, Labels, np.ndarray, np.ndarray] | None = None
        self._lock = threading.Lock()  # on the memory that is used again

    def among_rows(self, subset: RowSubset) -> BitPlanes:
        """The same planes without the bits of the other rows."""
        co = np.zeros((1, self.cells), self.small)
        planes.sweep(self.planes, subset.plane[None], co)
        copied = copy.copy(self)
        n = self.n_of(co[0], subset.size)
        ColumnGroup.__init__(copied, self.levels, self.modes, n, subset.size)
        copied._set_planes(self.planes & subset.plane, subset.weights)  # noqa: SLF001  # same class
        return copied

    def pairs(self, anchor: Anchor, out: np.ndarray) -> None:
        """Sweep the planes of the anchor over all planes.

        If triples of the last anchor were asked for, those of this one with the same labels are
        swept with the pairs and kept for the question to come, where the masks are few.
        """
        last_labels, self._last_labels = self._last_labels, None
        if last_labels is None or anchor.cells * (1 + last_labels[1].size) > AT_ONCE:
            planes.sweep(self.planes, anchor.planes, out)
            return
        labels, indices = last_labels
        with self._lock:
            co = np.zeros((indices.size, anchor.cells, self.cells), self.small)
            self.pairs_and_triples(anchor, labels, indices, out, co)
        self._ahead = anchor, labels, indices, co

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

    def pairs_and_triples(
        self,
        anchor: Anchor,
        labels: Labels,
        indices: np.ndarray,
        pairs: np.ndarray,
        triples: np.ndarray,
    ) -> None:
        """Sweep both kinds of masks together, where they are few: each plane is read once."""
        n = anchor.cells * (1 + indices.size)
        if n > self._masks_at_once:
            super().pairs_and_triples(anchor, labels, indices, pairs, triples)
            return
        masks = np.concatenate([anchor.planes, _shared(labels.masks(indices), anchor)])
        co = np.zeros((n, self.cells), pairs.dtype)
        planes.sweep(self.planes, masks, co)
        pairs += co[: anchor.cells]
        triples += co[anchor.cells :].reshape(triples.shape)

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
        ahead, self._ahead, self._last_labels = self._ahead, None, (triples.labels, indices)
        is_same = ahead is not None and ahead[0] is anchor and ahead[1] is triples.labels
        if ahead is not None and is_same and np.array_equal(ahead[2], indices):
            yield ahead[3]
            return
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
    listed = codes if codes.packed is None else codes.take(np.arange(first, last))
    if listed is not codes:
        first, last = 0, last - first
    part = slice(listed.indptr[first], listed.indptr[last])
    indptr = listed.indptr[first : last + 1] - listed.indptr[first]
    planes.pack(indptr, listed.rows[part], listed.codes[part], listed.mode[first:last], edges, out)
    return out
