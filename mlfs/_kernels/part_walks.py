"""Sums of c log c within parts of the rows, for information given many picks jointly.

The rows are divided into parts: those that agree in all picked columns. Within a part the cells of
its rows are walked once for all labels, and once more for the rows of each value of a label that
is not the label's mode. Columns that are constant within a part are never looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from mlfs._kernels.co_sums import xlogx_of
from mlfs._kernels.jit import compiled, inner, wrapping
from mlfs._kernels.row_walks import Lists


class Groups(NamedTuple):
    """The parts, and in each the rows of every value of a label that is not the label's mode.

    Part i has ``rows[edges[i]:edges[i + 1]]`` and the groups from ``first[i]`` to
    ``first[i + 1]``; group g is about ``label[g]`` and has
    ``group_rows[group_edges[g]:group_edges[g + 1]]``.
    """

    rows: Any
    edges: Any
    first: Any
    label: Any
    group_rows: Any
    group_edges: Any


class Room(NamedTuple):
    """Zeros for each cell and each column, and memory for lists of both."""

    part: Any
    left: Any
    group: Any
    f_part: Any
    f_left: Any
    f_group: Any
    cells: Any
    group_cells: Any
    columns: Any


@inner
def _count(rows: Any, a: int, b: int, x: Lists, counts: Any, cells: Any) -> tuple[int, int]:
    """Count the cells of some rows, and list them in `cells`: the weight, and how many cells."""
    n = 0
    size = 0
    for k in range(a, b):
        row = rows[k]
        weight = x.weights[row]
        n += weight
        for p in range(x.indptr[row], x.indptr[row + 1]):
            cell = x.cells[p]
            if counts[cell] == 0:
                cells[size] = cell
                size += 1
            counts[cell] += weight
    return n, size


@inner
def _columns(x: Lists, room: Room, size: int) -> int:
    """List the columns of the cells of a part, and add up the cells of each."""
    n_columns = 0
    for k in range(size):
        cell = room.cells[k]
        f = x.column[cell]
        if room.f_part[f] == 0:
            room.columns[n_columns] = f
            n_columns += 1
        room.f_part[f] += room.part[cell]
    return n_columns


@inner
def _add_group(
    groups: Groups, g: int, x: Lists, room: Room, n_columns: int, xlogx: Any, out: Any
) -> int:
    """Add the terms of one value of a label; the result is the weight of its rows."""
    n, size = _count(
        groups.group_rows,
        groups.group_edges[g],
        groups.group_edges[g + 1],
        x,
        room.group,
        room.group_cells,
    )
    for k in range(size):
        cell = room.group_cells[k]
        f = x.column[cell]
        count = room.group[cell]
        out[f] += xlogx_of(count, xlogx)
        room.left[cell] -= count
        room.f_group[f] += count
        room.group[cell] = 0
    for k in range(n_columns):
        f = room.columns[k]
        out[f] += xlogx_of(n - room.f_group[f], xlogx)
        room.f_left[f] -= room.f_group[f]
        room.f_group[f] = 0
    return n


@inner
def _add_label(
    groups: Groups, g: int, last: int, x: Lists, room: Room, sizes: Any, xlogx: Any, out: Any
) -> int:
    """Add the terms of a label in a part, from group g; the result is the next label's group."""
    n, size, n_columns = sizes
    label = groups.label[g]
    for k in range(size):
        room.left[room.cells[k]] = room.part[room.cells[k]]
    for k in range(n_columns):
        room.f_left[room.columns[k]] = room.f_part[room.columns[k]]
    alone = xlogx_of(n, xlogx)
    rest = n
    while g < last and groups.label[g] == label:
        n_group = _add_group(groups, g, x, room, n_columns, xlogx, out)
        alone -= xlogx_of(n_group, xlogx)
        rest -= n_group
        g += 1
    alone -= xlogx_of(rest, xlogx)
    for k in range(size):
        cell = room.cells[k]
        out[x.column[cell]] += xlogx_of(room.left[cell], xlogx) - xlogx_of(room.part[cell], xlogx)
    for k in range(n_columns):
        f = room.columns[k]
        change = xlogx_of(rest - room.f_left[f], xlogx) - xlogx_of(n - room.f_part[f], xlogx)
        out[f] += change + alone
    return g


@wrapping
@compiled
def add_given_parts(x: Lists, groups: Groups, room: Room, xlogx: Any, out: Any) -> None:
    """out[f] += the sums over fSl and S, less those over fS and Sl, of all labels."""
    for i in range(groups.edges.size - 1):
        g = groups.first[i]
        last = groups.first[i + 1]
        if g == last:  # no label varies
            continue
        n, size = _count(
            groups.rows, groups.edges[i], groups.edges[i + 1], x, room.part, room.cells
        )
        n_columns = _columns(x, room, size)
        while g < last:
            g = _add_label(groups, g, last, x, room, (n, size, n_columns), xlogx, out)
        for k in range(size):
            room.part[room.cells[k]] = 0
        for k in range(n_columns):
            room.f_part[room.columns[k]] = 0
