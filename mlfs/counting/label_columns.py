"""Labels: coded by what is not 0, and as the layouts count features with them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import full_tables, packing, planes, row_walks
from mlfs.counting.anchor import Anchor
from mlfs.counting.codes import Codes
from mlfs.counting.entries import edges_of
from mlfs.counting.layouts import pack_planes


def code_labels(labels: Any, n_values: list[int]) -> Codes:
    """Code the labels of a data set: positions of values, -1 for missing.

    Parameters
    ----------
    labels : ndarray or sparse array, shape (N, q)
        Y of a `Dataset`.
    n_values : list of int
        The number of values of each label.
    """
    n_rows, q = labels.shape
    if sp.issparse(labels):
        stored = sp.csc_array(labels)
        stored.sort_indices()
        kept = stored.data != 0
        counts = edges_of(kept)
        indptr = counts[stored.indptr].astype(np.int64)
        rows = stored.indices[kept].astype(np.int32)
        codes = stored.data[kept].astype(np.int32)
    else:
        indptr, rows, codes = _nonzero_entries(np.asarray(labels))
    levels = np.asarray(n_values, np.int32)
    missing = np.full(q, -1, np.int32)
    is_missing = codes < 0
    if is_missing.any():
        label_of = np.repeat(np.arange(q), np.diff(indptr))
        missing[np.unique(label_of[is_missing])] = levels[np.unique(label_of[is_missing])]
        codes[is_missing] = missing[label_of[is_missing]]
        levels = (levels + (missing >= 0)).astype(np.int32)
    return Codes(n_rows, indptr, rows, codes, np.zeros(q, np.int32), levels, missing)


def _nonzero_entries(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The entries of a dense table that are not 0, column by column."""
    q = labels.shape[1]
    if labels.dtype == np.int8:
        flat = np.ascontiguousarray(labels).reshape(-1)
        if flat.size < packing.STRIP:
            flat = np.concatenate([flat, np.zeros(packing.STRIP, np.int8)])
        unsigned = flat.view(np.uint8)
        sizes, none = np.zeros(q, np.int64), np.zeros(0, np.int32)
        packing.entries_of_labels(unsigned, flat, sizes, none, none, False)
        indptr = edges_of(sizes)
        rows, codes = np.empty(int(indptr[-1]), np.int32), np.empty(int(indptr[-1]), np.int32)
        packing.entries_of_labels(unsigned, flat, indptr[:-1].copy(), rows, codes, True)
        return indptr, rows, codes
    flipped = np.ascontiguousarray(labels.T)
    column, where = np.nonzero(flipped)
    indptr = edges_of(np.bincount(column, minlength=q))
    return indptr, where.astype(np.int32), flipped[column, where].astype(np.int32)


def with_masks(labels: Codes) -> tuple[Codes, np.ndarray]:
    """Append a mask for each pattern of missing values; also return the mask of each column.

    A mask is 0 where the columns of the pattern are known and missing elsewhere.
    """
    mask_of = np.full(len(labels), -1, np.int64)
    mask_by_rows: dict[bytes, int] = {}
    masks: list[np.ndarray] = []
    for j in np.flatnonzero(labels.missing >= 0).tolist():
        rows, codes = labels.entries(j)
        missing_rows = rows[codes == labels.missing[j]]
        if labels.missing[j] == labels.mode[j]:
            missing_rows = np.setdiff1d(np.arange(labels.n_rows, dtype=np.int32), rows)
        key = missing_rows.tobytes()
        if key not in mask_by_rows:
            mask_by_rows[key] = len(labels) + len(masks)
            masks.append(missing_rows.astype(np.int32))
        mask_of[j] = mask_by_rows[key]
    if not masks:
        return labels, mask_of
    n = len(masks)
    ends = labels.indptr[-1] + np.cumsum([missing_rows.size for missing_rows in masks])
    return Codes(
        labels.n_rows,
        np.concatenate([labels.indptr, ends]).astype(np.int64),
        np.concatenate([labels.rows, *masks]).astype(np.int32),
        np.concatenate([labels.codes, np.ones(int(ends[-1] - labels.indptr[-1]), np.int32)]),
        np.concatenate([labels.mode, np.zeros(n, np.int32)]),
        np.concatenate([labels.levels, np.full(n, 2, np.int32)]),
        np.concatenate([labels.missing, np.ones(n, np.int32)]),
    ), mask_of


MASKS_KEPT = 16 << 20  # bytes


class Labels:
    """The labels of a table; those behind the labels proper are masks of missing ones.

    Parameters
    ----------
    codes : Codes
        The coded labels; the mode of a label is its first code.
    weights : ndarray of int
        The weight of each row.
    n : ndarray
        How often each code of each label occurs, ragged.
    """

    def __init__(self, codes: Codes, weights: np.ndarray, n: np.ndarray) -> None:
        self.codes, self.weights, self.n, self.most_masks = codes, weights, n, MASKS_KEPT
        self.levels, self.modes, self.offsets = codes.levels, codes.mode, codes.offsets
        self.two_levels = self.levels == 2
        self.all_two_levels = bool(self.two_levels.all())
        self._last_masks: tuple[bytes, np.ndarray] | None = None

    def __len__(self) -> int:
        return int(self.levels.size)

    @cached_property
    def n_cells(self) -> np.ndarray:
        """The number of rows in which each label of two levels is not at its mode; 0 for others."""
        out = np.zeros(len(self), np.int64)
        labels = np.flatnonzero(self.two_levels)
        out[labels] = self.n[self.offsets[labels] + 1 - self.modes[labels]]
        return out

    def limit_masks(self, most: int) -> None:
        """Keep the bit planes of all labels only if they take at most so many bytes."""
        self.most_masks = min(self.most_masks, most)

    @cached_property
    def by_row(self) -> tuple[np.ndarray, np.ndarray]:
        """The labels that are not at their modes, by row: where each row begins, and labels."""
        indptr, columns, _ = self.codes.by_row(0, len(self))
        return indptr, columns

    @cached_property
    def _all_planes(self) -> np.ndarray | None:
        """The bit planes of all labels, where all have two levels and there is room.

        Planes count rows: there are none where rows have weights.
        """
        words = -(-self.codes.n_rows // 64)
        if not self.all_two_levels or 8 * words * len(self) > self.most_masks:
            return None
        if (self.weights != 1).any():
            return None
        return pack_planes(self.codes, 0, len(self))

    def masks(self, labels: np.ndarray) -> np.ndarray:
        """The bit planes of some labels, one label after the other."""
        all_masks = self._all_planes
        if all_masks is not None:
            in_order = labels.size == len(self) and (labels[1:] > labels[:-1]).all()
            return all_masks if in_order else all_masks[labels]
        last, key = self._last_masks, labels.tobytes()
        if last is None or last[0] != key:
            part = self.codes.take(labels)
            last = self._last_masks = key, pack_planes(part, 0, len(part))
        return last[1]

    def anchor(self, j: int, valid: int) -> Anchor:
        """One label, to be counted with all features."""
        return Anchor(self.codes, j, valid, self.n[self.offsets[j] : self.offsets[j + 1]])

    def co_occurrences(self, anchor: Anchor) -> np.ndarray:
        """The rows of each cell of an anchor with each label."""
        out = np.zeros((anchor.cells, len(self)), np.int64)
        if "_all_planes" in vars(self) and self._all_planes is not None:
            planes.sweep(self._all_planes, anchor.planes, out)
        else:
            indptr, columns = self.by_row
            row_walks.count_pairs(indptr, columns, self.weights, anchor.rows, anchor.row_cells, out)
        return out

    def tables(self, anchor: Anchor) -> np.ndarray:
        """n(s, l) for every label, not yet complete: 0 where the label is at its mode."""
        out = np.zeros((len(self), anchor.levels, int(self.levels.max(initial=1))), np.int64)
        y = self.codes
        full_tables.count_given(anchor.codes, y.indptr, y.rows, y.codes, self.weights, out)
        return out
