"""What small whole numbers a table holds: learned and coded without looking at columns singly.

Dense tables become bit slices, sparse ones are counted as they lie. Columns are learned and coded
exactly as in the general way; columns that hold other values are left to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlfs._kernels import slices, sparse
from mlfs._kernels import survey as kernel
from mlfs.counting.codes import FEW, Codes, Packed
from mlfs.counting.entries import edges_of, listed
from mlfs.discretize.many import Binnings
from mlfs.discretize.packing import Packing
from mlfs.discretize.record import Binning
from mlfs.discretize.slicing import Slices, counted

__all__ = ["Survey", "coded", "learned", "surveyed"]

SMALL = kernel.SMALL
MANY = 4  # of as many columns one at most is turned into lists


@dataclass(frozen=True)
class Survey:
    """The values of a table.

    Parameters
    ----------
    table : ndarray or csr_array
        The table.
    counts : ndarray of int32, shape (d, 17)
        How often each column has the values 0 to 15, and how often none.
    small : ndarray of bool, shape (d,)
        Whether that is all that the column holds.
    slices : Slices, optional
        The bits of a dense table.
    ahead : Packing
        Columns that were coded while their binnings were learned.
    """

    table: Any
    counts: np.ndarray
    small: np.ndarray
    slices: Slices | None = None
    ahead: Packing = field(default_factory=lambda: Packing(0))


def surveyed(table: Any, n_jobs: int = 1) -> Survey | None:
    """Look a table over; None if it is of a form that is left to the general way.

    A survey may be coded once: its bits can become the planes of the codes.
    """
    n_rows, d = table.shape
    if not n_rows or not d or table.dtype.kind not in "biuf":
        return None
    if isinstance(table, np.ndarray):
        bits = counted(table, n_jobs)
        return Survey(table, bits.counts, bits.small, bits, Packing(n_rows))
    if table.format != "csr" or not table.has_canonical_format:
        return None
    counts = np.zeros((d, SMALL + 2), np.int32)
    values = table.data.view(np.uint8) if table.dtype == bool else table.data
    sparse.count_values(table.indices, values, counts)
    counts[:, 0] += n_rows - counts.sum(axis=1)
    return Survey(table, counts[:, : SMALL + 1], counts[:, SMALL + 1] == 0)


def learned(
    survey: Survey, sizes: np.ndarray, nominal_limit: int
) -> tuple[np.ndarray, list[Binning], np.ndarray]:
    """Which columns are taken as they are, the binnings of all such, and which each has.

    Parameters
    ----------
    survey : Survey
        What was seen.
    sizes : ndarray of int
        How many values each column declares, -1 for a numeric one.
    nominal_limit : int
        How many distinct values a numeric column may have to be taken as it is.
    """
    d = sizes.size
    mine, of, shapes = (np.empty(d, np.int64) for _ in range(3))
    room = np.full(1 << int(2 * d).bit_length(), -1, np.int64)
    named, found = kernel.name_shapes(
        survey.counts, survey.small, sizes, nominal_limit, room, mine, of, shapes
    )
    return mine[:named], [_shape(key) for key in shapes[:found].tolist()], of[:named]


def _shape(key: int) -> Binning:
    values = [v for v in range(SMALL) if key >> v & 1]
    most = len(values) if key >> kernel.GONE & 1 else values.index(key >> kernel.OFTEN)
    missing = bool(key >> SMALL & 1)
    return Binning("", "nominal", (), tuple(map(float, values)), missing, most)


def coded(survey: Survey, binnings: Binnings) -> tuple[np.ndarray, Codes]:
    """Which columns are coded here, and their codes.

    Parameters
    ----------
    survey : Survey
        What was seen.
    binnings : Binnings
        One for each column.
    """
    n_rows = int(survey.table.shape[0])
    tables = [_code_table(shape) for shape in binnings.shapes]
    able = np.zeros(int(binnings.of.max(initial=0)) + 1, bool)
    able[: len(tables)] = [table is not None for table in tables]
    nothing = np.zeros(SMALL + 1, np.int64)
    whole_table = [nothing if table is None else table for table in tables]
    codes = np.array(whole_table, np.int64).reshape(-1, SMALL + 1)
    mine = np.flatnonzero(survey.small & able[binnings.of])
    whole = mine.size == len(binnings)
    shapes = binnings.of if whole else binnings.of[mine]
    levels = binnings.levels if whole else binnings.levels[mine]
    missing = binnings.missing_codes if whole else binnings.missing_codes[mine]
    offsets = edges_of(levels)
    counts, base = np.zeros(int(offsets[-1]), np.int64), np.empty(mine.size, np.int32)
    kernel.count_codes(survey.counts, mine, shapes, codes, levels, counts, base)
    if survey.slices is None:
        off = n_rows - counts[offsets[:-1] + base]
        lists, packed = _sparse(survey.table, mine, shapes, codes, base, levels, off)
    else:
        packed = _packed(survey, survey.slices, mine, shapes, codes, base, levels)
        none = np.zeros(0, np.int32)
        lists = np.zeros(mine.size + 1, np.int64), none, none
    return mine, Codes(n_rows, *lists, base, levels, missing, packed=packed, counts=counts)


def _sparse(
    table: Any,
    mine: np.ndarray,
    shapes: np.ndarray,
    codes: np.ndarray,
    base: np.ndarray,
    levels: np.ndarray,
    off: np.ndarray,
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], Packed | None]:
    """Row lists; planes for columns whose base is not what is left out of a sparse table."""
    zero = codes[shapes, 0]
    strange = zero != base
    few = np.flatnonzero(strange).tolist()
    few = few if len(few) <= FEW and MANY * len(few) < strange.size else []
    indptr = edges_of(off if few else np.where(strange, 0, off))
    first = edges_of(np.where(strange, levels - 1, 0))
    planes = np.zeros((int(first[-1]), -(-table.shape[0] // 64)), np.uint64)
    d = table.shape[1]
    places, of, bases = np.full(d, -1, np.int64), np.zeros(d, np.int64), np.zeros(d, np.int32)
    places[mine], of[mine], bases[mine] = indptr[:-1], shapes, base
    rows, entries = np.empty(int(indptr[-1]), np.int32), np.empty(int(indptr[-1]), np.int32)
    begins, implicit = np.full(d, -1, np.int64), np.zeros(d, np.int64)
    begins[mine[strange]] = first[:-1][strange]
    implicit[mine] = first[:-1] + zero - (zero > base)
    last = np.uint64((1 << ((table.shape[0] - 1) % 64 + 1)) - 1)
    for plane in implicit[mine[strange]].tolist():
        planes[plane] = ~planes[plane]
        planes[plane, -1] = last
    values = table.data.view(np.uint8) if table.dtype == bool else table.data
    sparse.write_entries(
        table.indptr,
        table.indices,
        values,
        codes,
        of,
        bases,
        places,
        rows,
        entries,
        begins,
        implicit,
        planes,
    )
    for j in few:  # a form of their own does not pay
        own = slice(indptr[j], indptr[j + 1])
        rows[own], entries[own] = listed(planes[first[j] : first[j + 1]], int(base[j]))
    lists = indptr, rows, entries
    if few or not strange.any():
        return lists, None
    return lists, Packed(planes, np.where(strange, first[:-1], -1))


def _packed(
    survey: Survey,
    bits: Slices,
    mine: np.ndarray,
    shapes: np.ndarray,
    codes: np.ndarray,
    base: np.ndarray,
    levels: np.ndarray,
) -> Packed:
    plain = (codes[:, 0] == 0) & (codes[:, 1] == 1)
    if mine.size == bits.top.size and (plain[shapes] & (levels == 2) & (bits.top == 1)).all():
        planes = bits.planes[0]
        slices.turn(planes, base, bits.last)
        return Packed(planes, np.arange(mine.size))
    first = edges_of(levels - 1)
    planes = np.empty((int(first[-1]), bits.planes.shape[2]), np.uint64)
    slices.write_planes(
        bits.planes,
        bits.top,
        survey.counts,
        bits.last,
        mine,
        shapes,
        codes,
        base,
        first[:-1],
        planes,
    )
    return Packed(planes, first[:-1])


def _code_table(binning: Binning) -> np.ndarray | None:
    """The code of each small value, and of a missing one; None where a value is not small."""
    values = binning.values
    if binning.method != "nominal" or len(values) > SMALL:
        return None
    if not all(0 <= value < SMALL and value == int(value) for value in values):
        return None
    codes = np.full(SMALL + 1, binning.unknown, np.int64)
    for code, value in enumerate(values):
        codes[int(value)] = code
    return codes
