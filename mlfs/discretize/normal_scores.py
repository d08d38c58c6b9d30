"""Columns as normal scores, for the information of normal variables: nothing is binned.

A numeric column becomes the normal scores of its mid-ranks, so that only the order of its values
matters. A nominal column becomes a column of 0 and 1 for each of its values but the most frequent
one. Missing values of a numeric column get such a column too, and the known ones are ranked among
themselves. Scores are rounded to whole numbers of a unit that is so coarse that all sums of
products are exact: they do not depend on the order of the rows, on threads, nor on a table being
dense or sparse.
"""

from __future__ import annotations

import functools
import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs._kernels.gaussian import score_column
from mlfs.counting.entries import edges_of
from mlfs.counting.parallel import THREADED_FROM, Threads
from mlfs.errors import DataError

MOST_VALUES = 32  # of a nominal column; the others count as one
MOST_ROWS = 1 << 22
EXACT_BITS, SCORE_BITS = 53, 21  # of a sum, and of a score in 32 bits
COLUMNS_AT_ONCE = 32
NO_WEIGHTS = np.zeros(0, np.int64)


class Scores(NamedTuple):
    """Variables as blocks of columns of whole numbers.

    Parameters
    ----------
    values : ndarray of float32, shape (columns, rows)
        The columns.
    first : ndarray of int64
        Where the columns of each variable begin.
    merged : tuple of int
        The nominal variables of which rare values count as one.
    """

    values: np.ndarray
    first: np.ndarray
    merged: tuple[int, ...] = ()


def normal_scores(
    table: Any, sizes: np.ndarray, weights: np.ndarray | None = None, n_jobs: int = 1
) -> Scores:
    """Turn the columns of a table into normal scores.

    Parameters
    ----------
    table : ndarray or sparse array, shape (N, d)
        X of a data set, of any type of numbers.
    sizes : ndarray of int
        The number of values of each nominal column, -1 for a numeric one.
    weights : ndarray of int64, optional
        How often each row counts.
    n_jobs : int
        Threads.

    Examples
    --------
    >>> scores = normal_scores(np.array([[3.0], [1.0], [1.0]]), np.array([-1]))
    >>> bool(scores.values[0, 1] == scores.values[0, 2] < 0 < scores.values[0, 0])
    True
    """
    n, d = table.shape
    total = n if weights is None else int(weights.sum())
    if total > MOST_ROWS:
        msg = f"normal scores are made of at most {MOST_ROWS:,} rows, and there are {total:,}"
        raise DataError(msg)
    row_weights = NO_WEIGHTS if weights is None else weights
    bits = min(SCORE_BITS, (EXACT_BITS - math.ceil(math.log2(max(2, total)))) // 2)
    stored = sp.csc_array(table) if sp.issparse(table) else table
    numeric = (sizes < 0).all()
    values = np.empty((d, n), np.float32) if numeric else None

    def work(first: int, last: int) -> list[tuple[np.ndarray, bool]]:
        part = stored[:, first:last]
        dense = part if isinstance(part, np.ndarray) else part.toarray()
        columns = np.ascontiguousarray(dense.T, dtype=np.float64)
        variables = []
        for j, column in enumerate(columns, start=first):
            if sizes[j] >= 0:
                variables.append(indicators(np.where(np.isnan(column), -1, column), row_weights))
                continue
            out = np.empty(n, np.float32) if values is None else values[j]
            is_missing = np.isnan(column)
            has_missing, known = is_missing.any(), total
            if has_missing:
                known = int((~is_missing if weights is None else weights[~is_missing]).sum())
            table = _score_table(known, bits)
            score_column(column, np.argsort(column), row_weights, table, out)
            block = out[None, :]
            if has_missing:
                block = np.concatenate([block, is_missing[None, :].astype(np.float32)])
            variables.append((block, False))
        return variables

    edges = [*range(0, d, COLUMNS_AT_ONCE), d]
    jobs = list(pairwise(edges)) if d else []
    results = Threads(n_jobs).map(work, jobs, max(THREADED_FROM, 50 * n * d))
    blocks = [block for part in results for block in part]
    first = edges_of([len(block) for block, _ in blocks])
    merged = tuple(j for j, (_, rare) in enumerate(blocks) if rare)
    if values is not None and int(first[-1]) == d:
        return Scores(values, first)
    arrays = [block for block, _ in blocks] or [np.zeros((0, n), np.float32)]
    return Scores(np.concatenate(arrays), first, merged)


def indicators(codes: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, bool]:
    """A column of 0 and 1 for each value but the most frequent; also whether some were merged."""
    values, positions = np.unique(codes, return_inverse=True)
    counts = np.bincount(positions, weights=weights if weights.size else None)
    order = np.argsort(-counts, kind="stable")[1:]
    merged = order.size > MOST_VALUES
    if merged:
        positions = np.where(np.isin(positions, order[MOST_VALUES:]), values.size, positions)
        order = np.append(order[:MOST_VALUES], values.size)
    return (positions == order[:, None]).astype(np.float32), merged


@functools.lru_cache(maxsize=8)
def _score_table(known: int, bits: int) -> np.ndarray:
    """The score of each mid-rank r / 2 of so many known values, in units of 2**-bits."""
    from scipy.special import ndtri  # most selections do not need it

    lower = ndtri(np.arange(2, known + 2) / (2.0 * (known + 1)))  # up to the middle
    table = np.zeros(2 * known + 2, np.float32)
    table[2 : known + 2] = np.rint(lower * 2.0**bits) + 0.0
    table[known + 1 :] = -table[known + 1 : 0 : -1]
    return table
