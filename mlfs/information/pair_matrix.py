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
from mlfs.counting.xlogx import XLogX, entropies, per_row, terms_of, terms_of_rows
from mlfs.information.table import Table
from mlfs.information.triples import Sums

ANCHORS_AT_ONCE = 64
TABLE_BYTES = 64 << 20  # of the complete tables of the columns that are counted together


class Side(NamedTuple):
    """Some columns of a table.

    Parameters
    ----------
    table : Table
        The table.
    positions : ndarray of int
        The positions of the columns among the counted ones.
    """

    table: Table
    positions: np.ndarray

    @property
    def codes(self) -> Codes:
        """The columns, in their order."""
        return self.table.counts.features.take(self.positions)

    @property
    def weights(self) -> np.ndarray | None:
        """The weights of the rows; None if every row counts once."""
        counts = self.table.counts
        return counts.given_weights


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
    h_sum = per_row(t.n - t.f, t.rows, xlogx) + per_row(t.n - t.s, t.rows, xlogx)
    mi = mutual_information(t, xlogx)
    return np.divide(2 * mi, h_sum, out=np.zeros_like(h_sum), where=h_sum > 0)


def conditional(sums: Sums, xlogx: XLogX) -> np.ndarray:
    """I(f;s|l)."""
    return per_row(sums.fsl + sums.l - sums.fl - sums.sl, sums.rows, xlogx)


def interaction(sums: Sums, xlogx: XLogX) -> np.ndarray:
    """I(f;s;l) = I(f;s) - I(f;s|l), all on the rows in which the three are known."""
    return entropies(sums.rows, sums.f + sums.s - sums.fs, xlogx) - conditional(sums, xlogx)


# ---- pairs ---------------------------------------------------------------------------------------


def fill_pairs(out: np.ndarray, x: Side, y: Side, quantity: PairQuantity, n_jobs: int) -> None:
    """Set out[i, j] to a symmetric quantity of column i of x and column j of y."""
    same = x.table is y.table and np.array_equal(x.positions, y.positions)
    tiles = _Tiles(out, x, y, quantity)
    if same:
        tiles.fill(Threads(n_jobs), same=True)
        columns = np.flatnonzero(~_in_planes(x))
        for part, values in _anchor_rows(x, columns, y, quantity):
            out[part] = values
            out[:, part] = values.T
        return
    if _in_planes(x).all() and _in_planes(y).all():
        tiles.fill(Threads(n_jobs), same=False)
    elif x.positions.size <= y.positions.size:
        for part, values in _anchor_rows(x, np.arange(x.positions.size), y, quantity):
            out[part] = values
    else:
        for part, values in _anchor_rows(y, np.arange(y.positions.size), x, quantity):
            out[:, part] = values.T


def _anchor_rows(
    anchors: Side, columns: np.ndarray, others: Side, quantity: PairQuantity
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """A quantity of some anchors and all columns of the other side, a few anchors at a time."""
    table = others.table
    for start in range(0, columns.size, ANCHORS_AT_ONCE):
        part = columns[start : start + ANCHORS_AT_ONCE]
        values = np.empty((part.size, others.positions.size))
        for row, position in zip(values, anchors.positions[part].tolist(), strict=True):
            pairs = table.statistics(anchors.table.anchor(position))
            sums = PairSums(
                pairs.rows,
                terms_of_rows(pairs.rows, table.counts.xlogx),
                pairs.t_fs,
                pairs.t_f,
                pairs.t_s,
            )
            row[:] = quantity(sums, table.counts.xlogx)[others.positions]
        yield part, values


def _binary_groups(table: Table) -> list[tuple[ColumnGroup, int]]:
    """The column groups that are bit planes of two levels, with their first column."""
    counts = table.counts
    if not table.f_all_valid:
        return []
    pairs = zip(counts.groups, counts.edges, strict=True)
    return [(group, a) for group, (a, _) in pairs if group.has_planes and group.two_levels]


def _in_planes(side: Side) -> np.ndarray:
    """Which columns are bit planes of two levels."""
    in_planes = np.zeros(side.table.d, bool)
    for group, a in _binary_groups(side.table):
        in_planes[a : a + group.size] = True
    return in_planes[side.positions]


class _Tiles:
    """Fills the part of a matrix in which both columns are bit planes of two levels."""

    def __init__(self, out: np.ndarray, x: Side, y: Side, quantity: PairQuantity) -> None:
        self._out, self._x, self._y, self._quantity = out, x, y, quantity

    def fill(self, threads: Threads, *, same: bool) -> None:
        """Fill it; `same` says that both sides are the same columns."""
        jobs: list[tuple[ColumnGroup, int, int, int, ColumnGroup, int, bool]] = []
        cost = 0
        for x_group, a in _binary_groups(self._x.table):
            for y_group, b in _binary_groups(self._y.table):
                if same and b < a:
                    continue
                for start in range(0, x_group.size, ANCHORS_AT_ONCE):
                    stop = min(start + ANCHORS_AT_ONCE, x_group.size)
                    jobs.append((x_group, a, start, stop, y_group, b, same))
                cost += x_group.size * y_group.size * x_group.total // 512
        threads.map(self._tile, jobs, max(cost, THREADED_FROM if len(jobs) > 8 else cost))

    def _tile(
        self,
        x_group: ColumnGroup,
        a: int,
        start: int,
        stop: int,
        y_group: ColumnGroup,
        b: int,
        same: bool,
    ) -> None:
        y_start = start if same and x_group is y_group else 0  # the rest is mirrored
        rows = self._columns(self._x, a + start, a + stop)
        columns = self._columns(self._y, b + y_start, b + y_group.size)
        if not (rows[0].size and columns[0].size):
            return
        counts = self._y.table.counts
        masks, _ = x_group.planes_of(np.zeros(0, np.int64))
        planes, _ = y_group.planes_of(np.zeros(0, np.int64))
        co = np.zeros((stop - start, y_group.size - y_start), np.int32)
        sweep(planes[y_start:], masks[start:stop], co)
        t_fs = np.empty(co.shape, np.int64)
        n_f, n_s = y_group.n_cells[y_start:], x_group.n_cells[start:stop]
        for i, n in enumerate(n_s.tolist()):
            co_sums.pairs_of_two(n_f, co[i], n, y_group.total, counts.xlogx, t_fs[i])
        table = self._y.table
        t_f = table.t_f[b + y_start : b + y_group.size]
        # sums of the other table may have another unit
        t_s = terms_of(n_s, counts.xlogx) + terms_of(y_group.total - n_s, counts.xlogx)
        sums = PairSums(table.rows, table.t_n, t_fs, t_f, t_s[:, None])
        values = self._quantity(sums, counts.xlogx)
        self._put(rows, columns, values)
        if same:
            self._put(columns, rows, values.T)

    def _columns(self, side: Side, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """Which columns of a side are at some counted positions, and which of these they are."""
        if side.positions.size == side.table.d and side.table.positions is None:
            return np.arange(start, stop), np.arange(stop - start)
        indices = np.flatnonzero((side.positions >= start) & (side.positions < stop))
        return indices, side.positions[indices] - start

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


def joint_codes(sides: Sequence[Side]) -> tuple[np.ndarray, int]:
    """Code several columns as one; -1 where a value that is left out is missing.

    Returns the codes, and how many there are.
    """
    codes: np.ndarray | None = None
    is_missing = np.zeros(0, bool)
    for side in sides:
        side_codes = side.codes
        for j in range(len(side_codes)):
            column = side_codes.column(j).astype(np.int64)
            missing = column == side_codes.missing[j] if side.table.ignore_missing else column < 0
            if codes is None:
                codes, is_missing = column, missing
            else:
                joint = codes * int(side_codes.levels[j]) + column
                codes = np.unique(joint, return_inverse=True)[1]
                is_missing = is_missing | missing
    assert codes is not None
    _, dense = np.unique(codes[~is_missing], return_inverse=True)
    out = np.full(codes.size, -1, np.int64)
    out[~is_missing] = dense
    return out, int(dense.max(initial=0)) + 1


def fill_triples(
    out: np.ndarray,
    x: Side,
    y: Side,
    condition: tuple[np.ndarray, int],
    quantity: TripleQuantity,
    n_jobs: int,
) -> None:
    """Set out[i, j] to a quantity of the columns i of x and j of y, symmetric in them, and z.

    `condition` is z: its codes and how many there are, as `joint_codes` returns them.
    """
    if x.positions.size > y.positions.size:
        x, y, out = y, x, out.T
    codes, size = condition
    z, mask_of = with_masks(code_labels(codes[:, None], [size]))
    label = np.array([0])
    levels = int(x.table.counts.levels[x.positions].max(initial=1))
    for columns in _column_parts(y, levels * (size + 1)):
        part = Side(y.table, y.positions[columns]).codes
        counts, positions = Counts.of(part, z, y.weights, n_jobs)
        table = Table(
            counts, 1, mask_of, ignore_missing=y.table.ignore_missing, positions=positions
        )
        for i, position in enumerate(x.positions.tolist()):
            pairs = table.statistics(x.table.anchor(position))
            values = quantity(table.triples.sums(pairs, label), counts.xlogx)[0]
            out[i, columns] = values if positions is None else values[positions]
        table.release()


def _column_parts(side: Side, cells: int) -> Iterator[np.ndarray]:
    """Some columns at a time, so that their complete tables are not too large."""
    sizes = side.table.counts.levels[side.positions].astype(np.int64) * (8 * cells)
    ends = np.cumsum(sizes) // TABLE_BYTES
    yield from np.split(np.arange(sizes.size), np.flatnonzero(np.diff(ends)) + 1)
