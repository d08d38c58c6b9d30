"""Matrices of information: every column of one table with every column of another.

The columns of one side are anchors, one after the other, that are counted with all columns of the
other side. Bit planes of two levels are counted in tiles instead, many anchors at a time: all pairs
of 2,000 such columns then take a sixth of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mlfs._kernels import co_sums
from mlfs._kernels.planes import sweep
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import ColumnGroup
from mlfs.counting.counts import Counts
from mlfs.counting.label_columns import code_labels, with_masks
from mlfs.counting.parallel import THREADED_FROM, Threads
from mlfs.counting.xlogx import XLogX, entropies, of_rows, per_row, terms_of
from mlfs.information.table import Table
from mlfs.information.triples import Sums

__all__ = [
    "Side",
    "conditional",
    "fill_pairs",
    "fill_triples",
    "interaction",
    "joined",
    "joint_entropy",
    "mutual_information",
    "symmetrical_uncertainty",
]

ANCHORS_AT_ONCE = 64
TABLE_BYTES = 64 << 20  # of the complete tables of the columns that are counted together


class Side(NamedTuple):
    """Some columns of a table.

    Parameters
    ----------
    table : Table
        The table.
    places : ndarray of int
        The positions of the columns among the counted ones.
    """

    table: Table
    places: np.ndarray

    @property
    def codes(self) -> Codes:
        """The columns, in their order."""
        return self.table.counts.blocks[0].features.take(self.places)

    @property
    def weights(self) -> np.ndarray | None:
        """The weights of the rows; None if every row counts once."""
        counts = self.table.counts
        return None if counts.counts_rows else counts.blocks[0].weights


class PairSums(NamedTuple):
    """Rows, and sums of c log c over them and over the cells of tables; they broadcast."""

    rows: np.ndarray
    n: np.ndarray
    fs: np.ndarray
    f: np.ndarray
    s: np.ndarray


PairQuantity = Callable[[PairSums, XLogX], np.ndarray]
TripleQuantity = Callable[[Sums, XLogX], np.ndarray]


def mutual_information(t: PairSums, xlogx: XLogX) -> np.ndarray:
    """I(f;s)."""
    return per_row(t.n + t.fs - t.f - t.s, t.rows, xlogx)


def joint_entropy(t: PairSums, xlogx: XLogX) -> np.ndarray:
    """H(f,s)."""
    return per_row(t.n - t.fs, t.rows, xlogx)


def symmetrical_uncertainty(t: PairSums, xlogx: XLogX) -> np.ndarray:
    """SU(f,s), 0 where both entropies are 0."""
    both = per_row(t.n - t.f, t.rows, xlogx) + per_row(t.n - t.s, t.rows, xlogx)
    mi = mutual_information(t, xlogx)
    return np.divide(2 * mi, both, out=np.zeros_like(both), where=both > 0)


def conditional(sums: Sums, xlogx: XLogX) -> np.ndarray:
    """I(f;s|l)."""
    return per_row(sums.fsl + sums.l - sums.fl - sums.sl, sums.rows, xlogx)


def interaction(sums: Sums, xlogx: XLogX) -> np.ndarray:
    """I(f;s;l) = I(f;s) - I(f;s|l), all on the rows in which the three are known."""
    return entropies(sums.rows, sums.f + sums.s - sums.fs, xlogx) - conditional(sums, xlogx)


# ---- pairs ---------------------------------------------------------------------------------------


def fill_pairs(
    out: np.ndarray, x: Side, y: Side, quantity: PairQuantity, factor: float, n_jobs: int
) -> None:
    """Set out[i, j] to a symmetric quantity of column i of x and column j of y, times a factor."""
    same = x.table is y.table and np.array_equal(x.places, y.places)
    tiles = _Tiles(out, x, y, quantity, factor)
    if same:
        tiles.fill(Threads(n_jobs), same=True)
        others = np.flatnonzero(~_in_planes(x))
        for some, values in _rows(x, others, y, quantity, factor):
            out[some] = values
            out[:, some] = values.T
        return
    if _in_planes(x).all() and _in_planes(y).all():
        tiles.fill(Threads(n_jobs), same=False)
    elif x.places.size <= y.places.size:
        for some, values in _rows(x, np.arange(x.places.size), y, quantity, factor):
            out[some] = values
    else:
        for some, values in _rows(y, np.arange(y.places.size), x, quantity, factor):
            out[:, some] = values.T


def _rows(
    anchors: Side, chosen: np.ndarray, others: Side, quantity: PairQuantity, factor: float
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """A quantity of some anchors and all columns of the other side, a few anchors at a time."""
    table = others.table
    for first in range(0, chosen.size, ANCHORS_AT_ONCE):
        some = chosen[first : first + ANCHORS_AT_ONCE]
        values = np.empty((some.size, others.places.size))
        for row, at in zip(values, anchors.places[some].tolist(), strict=True):
            found = table.statistics(anchors.table.anchor(at))
            sums = PairSums(
                found.rows,
                of_rows(found.rows, table.counts.xlogx),
                found.t_fs,
                found.t_f,
                found.t_s,
            )
            row[:] = quantity(sums, table.counts.xlogx)[others.places]
        yield some, values * factor


def _binary_groups(table: Table) -> list[tuple[ColumnGroup, int]]:
    """The column groups that are bit planes of two levels, with their first column."""
    counts = table.counts
    if not table.f_all_valid:
        return []
    pairs = zip(counts.groups, counts.edges, strict=True)
    return [(group, a) for group, (a, _) in pairs if group.has_planes and group.two_levels]


def _in_planes(side: Side) -> np.ndarray:
    """Which columns are bit planes of two levels."""
    found = np.zeros(side.table.d, bool)
    for group, a in _binary_groups(side.table):
        found[a : a + group.size] = True
    return found[side.places]


class _Tiles:
    """Fills the part of a matrix in which both columns are bit planes of two levels."""

    def __init__(
        self, out: np.ndarray, x: Side, y: Side, quantity: PairQuantity, factor: float
    ) -> None:
        self._out, self._x, self._y = out, x, y
        self._quantity, self._factor = quantity, factor

    def fill(self, threads: Threads, *, same: bool) -> None:
        """Fill it; `same` says that both sides are the same columns."""
        jobs: list[tuple[ColumnGroup, int, int, int, ColumnGroup, int, bool]] = []
        cost = 0
        for one, a in _binary_groups(self._x.table):
            for other, b in _binary_groups(self._y.table):
                if same and b < a:
                    continue
                for first in range(0, one.size, ANCHORS_AT_ONCE):
                    last = min(first + ANCHORS_AT_ONCE, one.size)
                    jobs.append((one, a, first, last, other, b, same))
                cost += one.size * other.size * one.total // 512
        threads.map(self._tile, jobs, max(cost, THREADED_FROM if len(jobs) > 8 else cost))

    def _tile(
        self,
        one: ColumnGroup,
        a: int,
        first: int,
        last: int,
        other: ColumnGroup,
        b: int,
        same: bool,
    ) -> None:
        begin = first if same and one is other else 0  # the rest is mirrored
        rows = self._columns(self._x, a + first, a + last)
        columns = self._columns(self._y, b + begin, b + other.size)
        if not (rows[0].size and columns[0].size):
            return
        counts = self._y.table.counts
        masks, _ = one.planes_of(np.zeros(0, np.int64))
        planes, _ = other.planes_of(np.zeros(0, np.int64))
        co = np.zeros((last - first, other.size - begin), np.int32)
        sweep(planes[begin:], masks[first:last], co)
        t_fs = np.empty(co.shape, np.int64)
        n_f, n_s = other.n_cells[begin:], one.n_cells[first:last]
        for i, n in enumerate(n_s.tolist()):
            co_sums.pairs_of_two(n_f, co[i], n, other.total, counts.xlogx, t_fs[i])
        table = self._y.table
        t_f = table.t_f[b + begin : b + other.size]
        # sums of the other table may have another unit
        t_s = terms_of(n_s, counts.xlogx) + terms_of(other.total - n_s, counts.xlogx)
        sums = PairSums(table.rows, table.t_n, t_fs, t_f, t_s[:, None])
        values = self._quantity(sums, counts.xlogx)
        if self._factor != 1.0:
            values *= self._factor
        self._put(rows, columns, values)
        if same:
            self._put(columns, rows, values.T)

    def _columns(self, side: Side, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Which columns of a side are at some counted positions, and which of these they are."""
        if side.places.size == side.table.d and side.table.positions is None:
            return np.arange(first, last), np.arange(last - first)
        where = np.flatnonzero((side.places >= first) & (side.places < last))
        return where, side.places[where] - first

    def _put(
        self,
        rows: tuple[np.ndarray, np.ndarray],
        columns: tuple[np.ndarray, np.ndarray],
        values: np.ndarray,
    ) -> None:
        plain = all((np.diff(part) == 1).all() for pair in (rows, columns) for part in pair)
        if plain:
            spans = [slice(int(part[0]), int(part[-1]) + 1) for part in (*rows, *columns)]
            self._out[spans[0], spans[2]] = values[spans[1], spans[3]]
        else:
            self._out[np.ix_(rows[0], columns[0])] = values[np.ix_(rows[1], columns[1])]


# ---- triples -------------------------------------------------------------------------------------


def joined(sides: Sequence[Side]) -> tuple[np.ndarray, int]:
    """Code several columns as one; -1 where a value that is left out is missing.

    Returns the codes, and how many there are.
    """
    found: np.ndarray | None = None
    gone = np.zeros(0, bool)
    for side in sides:
        codes = side.codes
        for j in range(len(codes)):
            column = codes.column(j).astype(np.int64)
            lost = column == codes.missing[j] if side.table.ignore_missing else column < 0
            if found is None:
                found, gone = column, lost
            else:
                found = np.unique(found * int(codes.levels[j]) + column, return_inverse=True)[1]
                gone = gone | lost
    assert found is not None
    _, dense = np.unique(found[~gone], return_inverse=True)
    out = np.full(found.size, -1, np.int64)
    out[~gone] = dense
    return out, int(dense.max(initial=0)) + 1


def fill_triples(
    out: np.ndarray,
    x: Side,
    y: Side,
    given: tuple[np.ndarray, int],
    quantity: TripleQuantity,
    factor: float,
    n_jobs: int,
) -> None:
    """Set out[i, j] to a quantity of the columns i of x and j of y, symmetric in them, and z.

    `given` is z: its codes and how many there are, as `joined` returns them.
    """
    if x.places.size > y.places.size:
        x, y, out = y, x, out.T
    codes, size = given
    z, mask_of = with_masks(code_labels(codes[:, None], [size]))
    label = np.array([0])
    levels = int(x.table.counts.levels[x.places].max(initial=1))
    for chosen in _parts(y, levels * (size + 1)):
        part = Side(y.table, y.places[chosen]).codes
        counts, positions = Counts.of(part, z, y.weights, n_jobs, per_cell=y.table.counts.per_cell)
        table = Table(
            counts, 1, mask_of, ignore_missing=y.table.ignore_missing, positions=positions
        )
        for i, at in enumerate(x.places.tolist()):
            pairs = table.statistics(x.table.anchor(at))
            values = quantity(table.triples.sums(pairs, label), counts.xlogx)[0]
            out[i, chosen] = factor * (values if positions is None else values[positions])
        table.release()


def _parts(side: Side, cells: int) -> Iterator[np.ndarray]:
    """Some columns at a time, so that their complete tables are not too large."""
    sizes = side.table.counts.levels[side.places].astype(np.int64) * (8 * cells)
    ends = np.cumsum(sizes) // TABLE_BYTES
    yield from np.split(np.arange(sizes.size), np.flatnonzero(np.diff(ends)) + 1)
