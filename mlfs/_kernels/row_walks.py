"""Row lists: walk the rows of a column or a label, and count which cells occur there.

A cell is a column at one of its codes but the mode. The lists have, for each row, the cells that
occur in it. All counts are whole numbers, so they may be added in any order.

Sums of c log c within parts of the rows, for information given many picks jointly.

The rows are divided into parts: those that agree in all picked columns. Within a part the cells of
its rows are walked once for all labels, and once more for the rows of each value of a label that
is not the label's mode. Columns that are constant within a part are never looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels.co_sums import TwoLevels, add_alone, add_joint_of_two, xlogx_of
from mlfs._kernels.jit import compiled, inner, wrapping
from mlfs._kernels.planes import ONE


class Lists(NamedTuple):
    """Cells by row: those of row r stand in ``cells[indptr[r]:indptr[r + 1]]``."""

    indptr: np.ndarray
    cells: np.ndarray
    weights: np.ndarray  # of the rows
    first: np.ndarray  # the first cell of each column, and the end of the last
    column: np.ndarray  # the column of each cell


class Pairs(NamedTuple):
    """n(f, s) of the columns with an anchor s of any levels."""

    cells: np.ndarray  # (cells, codes of s)
    modes: np.ndarray  # (columns, codes of s): the rows in which f is at its mode
    sums: np.ndarray  # (columns,): the sum of c log c over both


class WalkMemory(NamedTuple):
    """Memory for a walk; all but `touched` is 0 before and after it."""

    co: np.ndarray  # (cells, codes of s): n(f,s,l), s not at its mode
    touched: np.ndarray  # the places in `co` that are not 0
    apart: np.ndarray  # (cells,): the sum of `co` over the codes of s
    grown: np.ndarray  # (columns,): what the places in `co` add
    lost: np.ndarray  # (columns, codes of s): the sum of n(f,s,l) over the cells of f


@inner
def _walk(indptr: Any, cells: Any, row: int, weight: int, out: Any) -> None:
    """out[cell] += weight, for the cells of one row.

    Unsigned indices are not checked for being negative: that halves the time.
    """
    r = np.uint64(row)
    for entry in range(np.uint64(indptr[r]), np.uint64(indptr[r + ONE])):
        out[np.uint64(cells[entry])] += weight


@compiled
def count_pairs(indptr: Any, cells: Any, weights: Any, rows: Any, codes: Any, out: Any) -> None:
    """out[codes[i], cell] += the weight of rows[i], for the cells of that row."""
    for i in range(rows.size):
        _walk(indptr, cells, rows[i], weights[rows[i]], out[codes[i]])


@compiled
def count_labels(
    indptr: Any, cells: Any, weights: Any, y_indptr: Any, y_rows: Any, labels: Any, out: Any
) -> None:
    """out[i, cell] += the weight of the rows of labels[i], for the cells of these rows."""
    for i in range(labels.size):
        for entry in range(y_indptr[labels[i]], y_indptr[labels[i] + 1]):
            _walk(indptr, cells, y_rows[entry], weights[y_rows[entry]], out[i])


@compiled
def count_triples(
    indptr: Any, cells: Any, weights: Any, s_codes: Any, rows: Any, codes: Any, out: Any
) -> None:
    """out[codes[i], code of s, cell] += the weight of rows[i]; a code of -1 is not counted."""
    for i in range(rows.size):
        s = s_codes[rows[i]]
        if s >= 0:
            _walk(indptr, cells, rows[i], weights[rows[i]], out[codes[i], s])


@compiled
def group_rows(rows: Any, indptr: Any, labels: Any, starts: Any, grouped: Any) -> None:
    """Sort rows by the labels that occur in them; `starts` is 0 at first.

    The rows of label l stand in ``grouped[starts[l]:starts[l + 1]]``. `indptr` and `labels` are
    the labels by row.
    """
    two = ONE + ONE
    for i in range(rows.size):
        row = np.uint64(rows[i])
        for entry in range(np.uint64(indptr[row]), np.uint64(indptr[row + ONE])):
            starts[np.uint64(labels[entry]) + two] += 1
    for end in range(2, starts.size):
        starts[end] += starts[end - 1]
    for i in range(rows.size):
        row = np.uint64(rows[i])
        for entry in range(np.uint64(indptr[row]), np.uint64(indptr[row + ONE])):
            label = np.uint64(labels[entry]) + ONE
            grouped[np.uint64(starts[label])] = rows[i]
            starts[label] += 1


@compiled
def shared_rows(a: Any, b: Any, out: Any) -> int:
    """Write the rows that two ascending lists share, and give how many there are."""
    n = 0
    i = 0
    j = 0
    while i < a.size and j < b.size:
        if a[i] == b[j]:
            out[n] = a[i]
            n += 1
        step = a[i] <= b[j]
        j += b[j] <= a[i]
        i += step
    return n


@wrapping
@compiled
def add_joint_of_lists(
    lists: Lists, grouped: Any, first: Any, last: Any, n: TwoLevels, xlogx: Any, co: Any, out: Any
) -> None:
    """Add the sums of c log c over n(f,s,l), all of two levels; `co` is 0 before and after.

    The rows in which s and the i-th label occur are ``grouped[first[i]:last[i]]``. `out` has a
    row for each label, or one for all. Counting and summing label by label keeps `co` in the
    cache.
    """
    per_label = out.shape[0] > 1
    disjoint = 0
    for i in range(n.l.size):
        n_sl = 0
        for k in range(first[i], last[i]):
            row = grouped[k]
            n_sl += lists.weights[row]
            _walk(lists.indptr, lists.cells, row, lists.weights[row], co)
        disjoint += add_joint_of_two(co, n, i, n_sl, xlogx, out[i if per_label else 0])
        if disjoint and (per_label or i == n.l.size - 1):
            add_alone(n, disjoint, xlogx, out[i if per_label else 0])
            disjoint = 0
        if first[i] < last[i]:
            co[:] = 0


@inner
def _touch(lists: Lists, row: int, code: int, scratch: WalkMemory, n_touched: int) -> int:
    """Count one row, and keep a list of the cells that occur with a code of s."""
    co, touched = scratch.co, scratch.touched
    r, s, levels = np.uint64(row), np.uint64(code), np.uint64(co.shape[1])
    weight = lists.weights[r]
    for entry in range(np.uint64(lists.indptr[r]), np.uint64(lists.indptr[r + ONE])):
        cell = np.uint64(lists.cells[entry])
        if co[cell, s] == 0:
            touched[np.uint64(n_touched)] = cell * levels + s
            n_touched += 1
        co[cell, s] += weight
    return n_touched


@inner
def _split(n: int, part: int, xlogx: Any) -> int:
    """By how much c log c of a count grows where a part of it is counted apart."""
    return xlogx_of(part, xlogx) + xlogx_of(n - part, xlogx) - xlogx_of(n, xlogx)


@wrapping
@compiled
def add_joint_of_levels(
    lists: Lists,
    s_codes: Any,
    s_mode: int,
    n_s: Any,
    grouped: Any,
    first: Any,
    last: Any,
    co_fl: Any,
    n_sl: Any,
    pairs: Pairs,
    xlogx: Any,
    scratch: WalkMemory,
    out: Any,
) -> None:
    """Add the sums of c log c over n(f,s,l), labels of two levels, f and s of any.

    The rows in which s is not at its mode and the i-th label occurs are
    ``grouped[first[i]:last[i]]``: only these are walked. n_sl[i] is n(s,l) where that label is not
    at its mode. A count n(f,s) that no row of the label is in adds what it adds to n(f,s); the
    others are split in two.
    """
    per_label = out.shape[0] > 1
    co, touched, apart, grown, lost = scratch
    levels = n_sl.shape[1]
    plain = np.zeros(levels, np.int64)  # of a code that f is beside at its mode only
    for i in range(first.size):
        totals = out[i if per_label else 0]
        n_touched = 0
        for k in range(first[i], last[i]):
            row = grouped[k]
            if lists.weights[row] > 0:
                n_touched = _touch(lists, row, s_codes[row], scratch, n_touched)
        for k in range(n_touched):
            cell_of_s = touched[k] // levels
            code = touched[k] % levels
            column = lists.column[cell_of_s]
            fsl = co[cell_of_s, code]
            co[cell_of_s, code] = 0
            grown[column] += _split(pairs.cells[cell_of_s, code], fsl, xlogx)
            lost[column, code] += fsl
            apart[cell_of_s] += fsl
        for s in range(levels):
            plain[s] = _split(n_s[s], n_sl[i, s], xlogx)
        for f in range(totals.size):
            total = pairs.sums[f] + grown[f]
            grown[f] = 0
            for cell in range(lists.first[f], lists.first[f + 1]):
                fsl = co_fl[i, cell] - apart[cell]
                apart[cell] = 0
                if fsl > 0:
                    total += _split(pairs.cells[cell, s_mode], fsl, xlogx)
                    lost[f, s_mode] += fsl
            for s in range(levels):
                if pairs.modes[f, s] == n_s[s] and lost[f, s] == 0:
                    total += plain[s]
                elif n_sl[i, s] > 0:
                    total += _split(pairs.modes[f, s], n_sl[i, s] - lost[f, s], xlogx)
                    lost[f, s] = 0
            totals[f] += total


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
