"""Row lists: walk the rows of a column or a label, and count which cells occur there.

A cell is a column at one of its codes but the mode. The lists have, for each row, the cells that
occur in it. All counts are whole numbers, so they may be added in any order.
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


class LabelCells(NamedTuple):
    """n(f, l) of the columns with labels of two levels, not at their modes."""

    co: np.ndarray  # (labels, cells)
    beside: np.ndarray  # (labels, columns): the rows in which f is not at its mode
    splits: np.ndarray  # (labels, columns): what counting the label apart adds to c log c of cells


class AnchorCells(NamedTuple):
    """The rows of an anchor s of any levels, alone and with labels of two levels."""

    codes: np.ndarray
    rows: np.ndarray  # in which s is not at its mode
    n: np.ndarray  # of each code; 0 at the mode
    n_l: np.ndarray  # (labels, codes): the same rows, in which the label is not at its mode


class WalkMemory(NamedTuple):
    """Memory for a walk; `co`, `apart` and `beside` are 0 before and after it."""

    co: np.ndarray  # (2, cells, codes of s): n(f,s) and n(f,s,l), s not at its mode
    apart: np.ndarray  # (2, cells): their sums over the codes of s
    beside: np.ndarray  # (2, columns, codes of s): their sums over the cells of f
    places: np.ndarray  # (2, cells times codes): the places in `co` that are not 0
    cells: np.ndarray  # the cells that occur with s
    pairs: np.ndarray  # the places in `beside` that are not 0


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


@wrapping
@compiled
def add_sums_with_labels(
    columns: Any,
    modes: Any,
    first: Any,
    n_f: Any,
    y_indptr: Any,
    y_labels: Any,
    place: Any,
    weights: Any,
    n_l: Any,
    total: int,
    xlogx: Any,
    co: Any,
    out: Any,
) -> None:
    """out[f] += the sums of c log c over n(f,l) of labels of two levels, column by column.

    `columns` are the lists of the columns (indptr, rows, codes), `y_labels` the labels by row, and
    place[l] is where label l stands in n_l, or behind them if it is not wanted. `co`, (1 + most
    cells, 1 + labels), is 0 before and after; the counts of one column stay in the cache.
    """
    indptr, rows, codes = columns
    for f in range(out.size):
        cells = first[f + 1] - first[f]
        for entry in range(indptr[f], indptr[f + 1]):
            row = rows[entry]
            cell = codes[entry] - (codes[entry] > modes[f])
            for k in range(y_indptr[row], y_indptr[row + 1]):
                co[cell, place[y_labels[k]]] += weights[row]
        sums = 0
        at_mode = total
        for cell in range(cells):
            n = n_f[first[f] + cell]
            at_mode -= n
            for i in range(n_l.size):
                fl = co[cell, i]
                sums += xlogx_of(fl, xlogx) + xlogx_of(n - fl, xlogx)
                co[cells, i] += fl
                co[cell, i] = 0
            co[cell, n_l.size] = 0
        for i in range(n_l.size):
            fl = n_l[i] - co[cells, i]
            sums += xlogx_of(fl, xlogx) + xlogx_of(at_mode - fl, xlogx)
            co[cells, i] = 0
        out[f] += sums


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
def _touch(lists: Lists, row: int, code: int, co: Any, places: Any, n_places: int) -> int:
    """Count one row, and keep a list of the cells that occur with a code of s."""
    r, s, levels = np.uint64(row), np.uint64(code), np.uint64(co.shape[1])
    weight = lists.weights[r]
    if weight == 0:
        return n_places
    for entry in range(np.uint64(lists.indptr[r]), np.uint64(lists.indptr[r + ONE])):
        cell = np.uint64(lists.cells[entry])
        if co[cell, s] == 0:
            places[np.uint64(n_places)] = cell * levels + s
            n_places += 1
        co[cell, s] += weight
    return n_places


@inner
def _split(n: int, part: int, xlogx: Any) -> int:
    """By how much c log c of a count grows where a part of it is counted apart."""
    return xlogx_of(part, xlogx) + xlogx_of(n - part, xlogx) - xlogx_of(n, xlogx)


@wrapping
@compiled
def cells_of_labels(first: Any, n_f: Any, co: Any, xlogx: Any, beside: Any, splits: Any) -> None:
    """Make the `LabelCells` of co-occurrences; n_f are the rows of the cells."""
    for i in range(co.shape[0]):
        for f in range(beside.shape[1]):
            rows = 0
            total = 0
            for cell in range(first[f], first[f + 1]):
                fl = co[i, cell]
                if fl > 0:
                    rows += fl
                    total += _split(n_f[cell], fl, xlogx)
            beside[i, f] = rows
            splits[i, f] = total


@inner
def _meet(lists: Lists, s: AnchorCells, memory: WalkMemory) -> tuple[int, int, int]:
    """Count the cells that occur with s: how many places, cells and pairs of f and a code."""
    levels = s.n.size
    n_places = 0
    co, places = memory.co[0], memory.places[0]
    for k in range(s.rows.size):
        row = s.rows[k]
        n_places = _touch(lists, row, s.codes[row], co, places, n_places)
    n_cells = 0
    n_pairs = 0
    for k in range(n_places):
        cell = memory.places[0, k] // levels
        code = memory.places[0, k] % levels
        fs = memory.co[0, cell, code]
        if memory.apart[0, cell] == 0:
            memory.cells[n_cells] = cell
            n_cells += 1
        memory.apart[0, cell] += fs
        f = lists.column[cell]
        if memory.beside[0, f, code] == 0:
            memory.pairs[n_pairs] = f * levels + code
            n_pairs += 1
        memory.beside[0, f, code] += fs
    return n_places, n_cells, n_pairs


@inner
def _add_met(
    lists: Lists,
    n_f: Any,
    s: AnchorCells,
    i: int,
    n_fl: Any,
    sizes: Any,
    met: Any,
    memory: WalkMemory,
    xlogx: Any,
    out: Any,
) -> None:
    """Add the terms of one label in which cells of f and s meet, in the place of `splits`.

    met[0, f] and met[1, f] become the rows in which neither is at its mode: all, and with l.
    """
    levels = s.n.size
    n_places, n_cells, n_pairs = sizes
    for k in range(n_places):
        cell = memory.places[1, k] // levels
        code = memory.places[1, k] % levels
        fsl = memory.co[1, cell, code]
        f = lists.column[cell]
        memory.co[1, cell, code] = 0
        memory.apart[1, cell] += fsl
        memory.beside[1, f, code] += fsl
        out[f] += _split(memory.co[0, cell, code], fsl, xlogx)
    for k in range(n_cells):
        cell = memory.cells[k]
        fl = n_fl[cell]
        if fl > 0:
            fsl = memory.apart[1, cell]
            memory.apart[1, cell] = 0
            change = _split(n_f[cell] - memory.apart[0, cell], fl - fsl, xlogx)
            out[lists.column[cell]] += change - _split(n_f[cell], fl, xlogx)
    for k in range(n_pairs):
        f = memory.pairs[k] // levels
        code = memory.pairs[k] % levels
        fs = memory.beside[0, f, code]
        fsl = memory.beside[1, f, code]
        memory.beside[1, f, code] = 0
        met[0, f] += fs
        met[1, f] += fsl
        change = _split(s.n[code] - fs, s.n_l[i, code] - fsl, xlogx)
        out[f] += change - _split(s.n[code], s.n_l[i, code], xlogx)


@wrapping
@compiled
def add_joint_of_levels(
    lists: Lists,
    n_f: Any,
    n_beside: Any,
    s: AnchorCells,
    n_l: Any,
    grouped: Any,
    first: Any,
    last: Any,
    fl: LabelCells,
    total: int,
    xlogx: Any,
    met: Any,
    memory: WalkMemory,
    out: Any,
) -> None:
    """Add what labels of two levels add to c log c over n(f,s), f and s of any levels.

    The rows in which s is not at its mode and the i-th label occurs are
    ``grouped[first[i]:last[i]]``: only these are walked. n_f are the rows of the cells, n_beside
    those in which each column is not at its mode. A count that no row of the label is in adds
    nothing; the others are split in two. Most columns of sparse data never meet s: theirs change
    in one count only, that of both modes. `met` is 0 before and after.
    """
    per_label = out.shape[0] > 1
    n_places, n_cells, n_pairs = _meet(lists, s, memory)
    n_s = s.n.sum()
    co, places = memory.co[1], memory.places[1]
    for i in range(n_l.size):
        totals = out[i if per_label else 0]
        n_both = 0
        for k in range(first[i], last[i]):
            row = grouped[k]
            n_both = _touch(lists, row, s.codes[row], co, places, n_both)
        sizes = n_both, n_cells, n_pairs
        _add_met(lists, n_f, s, i, fl.co[i], sizes, met, memory, xlogx, totals)
        alone = 0  # of a column that never meets s
        for code in range(s.n.size):
            alone += _split(s.n[code], s.n_l[i, code], xlogx)
        rest = total - n_s
        rest_l = n_l[i] - s.n_l[i].sum()
        for f in range(totals.size):
            modes = rest - n_beside[f] + met[0, f]
            modes_l = rest_l - fl.beside[i, f] + met[1, f]
            met[0, f] = 0
            met[1, f] = 0
            totals[f] += fl.splits[i, f] + alone + _split(modes, modes_l, xlogx)
    for k in range(n_places):
        memory.co[0, memory.places[0, k] // s.n.size, memory.places[0, k] % s.n.size] = 0
    for k in range(n_cells):
        memory.apart[0, memory.cells[k]] = 0
    for k in range(n_pairs):
        memory.beside[0, memory.pairs[k] // s.n.size, memory.pairs[k] % s.n.size] = 0
