"""Which columns of a table hold only the integers 0 to 15 and missing values, and how often each.

Such columns are learned and coded from these counts, dense ones from their bit slices and sparse
ones row by row. Selecting from 10,000 x 2,000 bytes takes 5 ms this way and 310 ms in the general
way, from a sparse table of the size of bibtex 11 and 22 ms. The binnings and codes are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import column_values
from mlfs._kernels.column_values import SMALL
from mlfs._kernels.planes import flip, write_planes
from mlfs.counting.codes import Codes, Packed
from mlfs.counting.entries import edges_of
from mlfs.data.bit_slices import Slices, slice_table
from mlfs.data.packed_table import PackedTable
from mlfs.discretize.binning import Binnings

_Lists = tuple[np.ndarray, np.ndarray, np.ndarray | None]


@dataclass
class Survey:
    """The values of a table.

    Parameters
    ----------
    table : ndarray or sparse array
        The table.
    counts : ndarray of int32, shape (d, 17)
        The number of rows in which each column has the values 0 to 15, and a missing one.
    small : ndarray of bool, shape (d,)
        Whether that is all that the column holds.
    slices : Slices, optional
        The bits of a dense table.
    encoder : Encoder, optional
        The codes of the other columns, if they were made while their binnings were learned.
    """

    table: Any
    counts: np.ndarray
    small: np.ndarray
    slices: Slices | None = None
    encoder: Any = None

    @classmethod
    def of(cls, table: Any, n_jobs: int = 1) -> Survey:
        """Survey a table; it can be encoded once, as its bits can become the planes of the codes.

        In a sparse table that is not CSR no column counts as small.
        """
        n_rows, d = table.shape
        has_numbers = n_rows > 0 and d > 0 and table.dtype.kind in "biuf"
        if has_numbers and not sp.issparse(table):
            is_packed = isinstance(table, PackedTable)
            bits = table.slices() if is_packed else slice_table(table, n_jobs)
            return cls(table, bits.counts, bits.small, bits)
        counts = np.zeros((d, SMALL + 2), np.int32)
        if not (has_numbers and table.format == "csr" and table.has_canonical_format):
            return cls(table, counts[:, :-1], np.zeros(d, bool))
        column_values.count_stored(table.indices, _stored(table), counts)
        counts[:, 0] += n_rows - counts.sum(axis=1)
        return cls(table, counts[:, :-1], counts[:, -1] == 0)


def learn_small(
    survey: Survey, declared: np.ndarray, nominal_limit: int
) -> tuple[np.ndarray, Binnings]:
    """Learn the columns of small integers that are taken as they are.

    Parameters
    ----------
    survey : Survey
        The table.
    declared : ndarray of int
        The number of values that each column declares, -1 for a numeric one.
    nominal_limit : int
        The number of distinct values up to which a numeric column is taken as it is.

    Returns
    -------
    columns : ndarray
        These columns.
    binnings : Binnings
        Their binnings, without names.
    """
    d = declared.size
    columns, knots, starts = np.empty(d, np.int64), np.empty(SMALL * d), np.zeros(d + 1, np.int64)
    missing, fallback = np.empty(d, bool), np.empty(d, np.int64)
    n = column_values.learn_values(
        survey.counts,
        survey.small,
        declared,
        nominal_limit,
        columns,
        knots,
        starts,
        missing,
        fallback,
    )
    methods, knots = np.full(n, "nominal"), knots[: starts[n]]
    return columns[:n], Binnings((), methods, knots, starts[: n + 1], missing[:n], fallback[:n])


def encode_small(survey: Survey, binnings: Binnings) -> tuple[np.ndarray, Codes]:
    """Code the nominal columns of small integers.

    Parameters
    ----------
    survey : Survey
        The table.
    binnings : Binnings
        One for each column of the table.

    Returns
    -------
    columns : ndarray
        These columns.
    codes : Codes
        Their codes.
    """
    n_rows = int(survey.table.shape[0])
    is_coded = survey.small & binnings.is_nominal & (binnings.levels <= SMALL + 1)
    columns = np.flatnonzero(is_coded)
    if columns.size < is_coded.size:
        binnings = binnings.take(columns)
    codes = np.empty((columns.size, SMALL + 1), np.uint8)
    unknown = binnings.unknown.astype(np.uint8)
    column_values.code_values(binnings.knots, binnings.starts, unknown, codes)
    offsets = edges_of(binnings.levels)
    counts, modes = np.zeros(int(offsets[-1]), np.int64), np.empty(columns.size, np.int32)
    column_values.sum_counts(survey.counts, columns, codes, offsets, counts, modes)
    packed, no_rows = None, np.zeros(0, np.int32)
    lists: _Lists = np.zeros(columns.size + 1, np.int64), no_rows, no_rows
    if survey.slices is not None:
        packed = _pack(survey.slices, columns, codes, modes, binnings.levels)
    elif columns.size:
        indptr = edges_of(n_rows - counts[offsets[:-1] + modes])
        has_codes = bool((binnings.levels > 2).any())
        lists = _lists(survey.table, columns, codes, modes, indptr, has_codes=has_codes)
    result = Codes(
        n_rows,
        *lists,
        modes,
        binnings.levels,
        binnings.missing_codes,
        packed=packed,
        counts=counts,
    )
    return columns, result


def _stored(table: Any) -> np.ndarray:
    return np.asarray(table.data.view(np.uint8) if table.dtype == bool else table.data)


def _lists(
    table: Any,
    columns: np.ndarray,
    codes: np.ndarray,
    modes: np.ndarray,
    indptr: np.ndarray,
    *,
    has_codes: bool,
) -> _Lists:
    """The row lists of some columns of a CSR table; without codes where two levels need none."""
    d, size = table.shape[1], int(indptr[-1])
    places, listed = np.full(d, -1, np.int64), np.full(d, -1, np.int64)
    table_codes, table_modes = np.zeros((d, SMALL + 1), np.uint8), np.zeros(d, np.uint8)
    places[columns], listed[columns[codes[:, 0] != modes]] = indptr[:-1], 0
    table_codes[columns], table_modes[columns] = codes, modes
    rows, row_codes = np.empty(size, np.int32), np.empty(size if has_codes else 0, np.int32)
    column_values.write_entries(
        table.indptr,
        table.indices,
        _stored(table),
        table_codes,
        table_modes,
        places,
        listed,
        rows,
        row_codes,
    )
    return indptr, rows, row_codes if has_codes else None


def _pack(
    bits: Slices, columns: np.ndarray, codes: np.ndarray, modes: np.ndarray, levels: np.ndarray
) -> Packed:
    """The planes of some columns of a dense table."""
    is_plain = (codes[:, 0] == 0) & (codes[:, 1] == 1) & (levels == 2)
    if columns.size == bits.top.size and (is_plain & (bits.top == 1)).all():
        planes = bits.planes[0]  # binary columns: the bits are the planes
        flip(planes, modes, bits.last)
        return Packed(planes, np.arange(columns.size))
    planes = code_planes(bits, columns, codes, modes, levels)
    return Packed(planes, edges_of(levels - 1)[:-1])


def code_planes(
    bits: Slices, columns: np.ndarray, codes: np.ndarray, modes: np.ndarray, levels: np.ndarray
) -> np.ndarray:
    """The planes of some columns: one for each code but the mode.

    Parameters
    ----------
    bits : Slices
        The bits of the values.
    columns : ndarray of int64
        The columns.
    codes : ndarray of uint8, shape (columns, 17)
        The code of each value.
    modes, levels : ndarray of int32
        The most frequent code and the number of codes.
    """
    first_planes = edges_of(levels - 1)
    planes = np.empty((int(first_planes[-1]), bits.planes.shape[2]), np.uint64)
    write_planes(
        bits.planes,
        bits.top,
        bits.counts,
        bits.last,
        columns,
        codes,
        modes,
        first_planes[:-1],
        planes,
    )
    return planes
