"""Labels as they are counted: only what is not 0 is written down."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import packing
from mlfs.counting.codes import Codes
from mlfs.counting.entries import edges_of

__all__ = ["code_labels", "with_masks"]


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
        counts = np.concatenate([[0], np.cumsum(kept)])
        indptr = counts[stored.indptr].astype(np.int64)
        rows = stored.indices[kept].astype(np.int32)
        codes = stored.data[kept].astype(np.int32)
    else:
        indptr, rows, codes = _off_zero(np.asarray(labels))
    levels = np.asarray(n_values, np.int32)
    missing = np.full(q, -1, np.int32)
    gone = codes < 0
    if gone.any():
        which = np.repeat(np.arange(q), np.diff(indptr))
        missing[np.unique(which[gone])] = levels[np.unique(which[gone])]
        codes[gone] = missing[which[gone]]
        levels = (levels + (missing >= 0)).astype(np.int32)
    return Codes(n_rows, indptr, rows, codes, np.zeros(q, np.int32), levels, missing)


def _off_zero(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The entries of a dense table that are not 0, column by column."""
    q = labels.shape[1]
    if labels.dtype == np.int8:
        flat = np.ascontiguousarray(labels).reshape(-1)
        if flat.size < packing.STRIP:
            flat = np.concatenate([flat, np.zeros(packing.STRIP, np.int8)])
        given = flat.view(np.uint8), flat
        sizes, none = np.zeros(q, np.int64), np.zeros(0, np.int32)
        packing.entries_of_labels(*given, sizes, none, none, False)
        indptr = edges_of(sizes)
        rows, codes = np.empty(int(indptr[-1]), np.int32), np.empty(int(indptr[-1]), np.int32)
        packing.entries_of_labels(*given, indptr[:-1].copy(), rows, codes, True)
        return indptr, rows, codes
    flipped = np.ascontiguousarray(labels.T)
    column, where = np.nonzero(flipped)
    indptr = edges_of(np.bincount(column, minlength=q))
    return indptr, where.astype(np.int32), flipped[column, where].astype(np.int32)


def with_masks(labels: Codes) -> tuple[Codes, np.ndarray]:
    """Append a mask for each pattern of missing values, and tell each column's mask.

    A mask is 0 where the columns of the pattern are known and missing elsewhere.
    """
    mask_of = np.full(len(labels), -1, np.int64)
    known: dict[bytes, int] = {}
    masks: list[np.ndarray] = []
    for j in np.flatnonzero(labels.missing >= 0).tolist():
        rows, codes = labels.entries(j)
        gone = rows[codes == labels.missing[j]]
        if labels.missing[j] == labels.mode[j]:
            gone = np.setdiff1d(np.arange(labels.n_rows, dtype=np.int32), rows)
        key = gone.tobytes()
        if key not in known:
            known[key] = len(labels) + len(masks)
            masks.append(gone.astype(np.int32))
        mask_of[j] = known[key]
    if not masks:
        return labels, mask_of
    n = len(masks)
    ends = labels.indptr[-1] + np.cumsum([gone.size for gone in masks])
    return Codes(
        labels.n_rows,
        np.concatenate([labels.indptr, ends]).astype(np.int64),
        np.concatenate([labels.rows, *masks]).astype(np.int32),
        np.concatenate([labels.codes, np.ones(int(ends[-1] - labels.indptr[-1]), np.int32)]),
        np.concatenate([labels.mode, np.zeros(n, np.int32)]),
        np.concatenate([labels.levels, np.full(n, 2, np.int32)]),
        np.concatenate([labels.missing, np.ones(n, np.int32)]),
    ), mask_of
