"""Information of a few features with some anchors, straight from their bit planes.

The sums of c log c are whole numbers, put together as a count of all features puts them together,
so each result has the same bits. A column has one plane for each code but its mode, in the order
of the codes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels.co_sums import xlogx_of
from mlfs._kernels.jit import compiled, inner, wrapping
from mlfs._kernels.planes import popcount


class PlaneColumns(NamedTuple):
    """Columns as bit planes: n[at[j] + code] is how often column j has a code."""

    planes: np.ndarray
    first: np.ndarray  # the first plane of each
    levels: np.ndarray
    modes: np.ndarray
    at: np.ndarray
    sums: np.ndarray  # of c log c over n
    n: np.ndarray


class Tables(NamedTuple):
    """Memory for the counts of one feature, one anchor and the labels."""

    fs: np.ndarray
    fl: np.ndarray  # (labels, codes of f, codes of l)
    sl: np.ndarray  # (anchors, labels, codes of s, codes of l)
    fsl: np.ndarray  # (labels, codes of f, codes of s, codes of l)
    t_fl: np.ndarray
    t_sl: np.ndarray
    both: np.ndarray  # a plane

    @classmethod
    def of(cls, f: int, s: int, l: int, anchors: int, labels: int, words: int) -> Tables:
        """Tables for so many levels of a feature, an anchor and a label, anchors and labels."""
        return cls(
            np.zeros((f, s), np.int64),
            np.zeros((labels, f, l), np.int64),
            np.zeros((anchors, labels, s, l), np.int64),
            np.zeros((labels, f, s, l), np.int64),
            np.zeros(labels, np.int64),
            np.zeros((anchors, labels), np.int64),
            np.zeros(words, np.uint64),
        )


class SubsetSums(NamedTuple):
    """Sums over the labels of I(s;l|f) and I(f;l|s), and, if it has any size, what they are of.

    sums[:, j, k, i] are the sums of c log c over n(f,s,l), n(f,s), n(f,l) and n(s,l).
    """

    sl_given_f: np.ndarray
    fl_given_s: np.ndarray
    sums: np.ndarray


@inner
def _together(a: Any, b: Any) -> Any:
    total = np.uint64(0)
    for word in range(a.size):
        total += popcount(a[word] & b[word])
    return np.int64(total)


@inner
def _together_into(a: Any, b: Any, out: Any) -> Any:
    total = np.uint64(0)
    for word in range(a.size):
        common = a[word] & b[word]
        out[word] = common
        total += popcount(common)
    return np.int64(total)


@inner
def _complete(table: Any, f: PlaneColumns, i: int, s: PlaneColumns, j: int) -> None:
    """Fill the cells of n(f, s) in which f or s is at its mode."""
    f_mode = f.modes[i]
    s_mode = s.modes[j]
    for a in range(f.levels[i]):
        if a != f_mode:
            rest = f.n[f.at[i] + a]
            for c in range(s.levels[j]):
                if c != s_mode:
                    rest -= table[a, c]
            table[a, s_mode] = rest
    for c in range(s.levels[j]):
        rest = s.n[s.at[j] + c]
        for a in range(f.levels[i]):
            if a != f_mode:
                rest -= table[a, c]
        table[f_mode, c] = rest


@inner
def _sum(table: Any, f_levels: int, s_levels: int, xlogx: Any) -> int:
    total = 0
    for a in range(f_levels):
        for c in range(s_levels):
            total += xlogx_of(table[a, c], xlogx)
    return total


@inner
def _pair(table: Any, f: PlaneColumns, i: int, s: PlaneColumns, j: int, xlogx: Any) -> int:
    """Count n(f, s), and give its sum of c log c."""
    plane = f.first[i]
    for a in range(f.levels[i]):
        if a != f.modes[i]:
            s_plane = s.first[j]
            for c in range(s.levels[j]):
                if c != s.modes[j]:
                    table[a, c] = _together(f.planes[plane], s.planes[s_plane])
                    s_plane += 1
            plane += 1
    _complete(table, f, i, s, j)
    return _sum(table, f.levels[i], s.levels[j], xlogx)


@inner
def _non_mode(f: PlaneColumns, i: int) -> int:
    """The rows in which a column of two levels is not at its mode."""
    return f.n[f.at[i] + 1 - f.modes[i]]


@inner
def _sum_of_two(n_f: int, n_s: int, co: int, n_rows: int, xlogx: Any) -> int:
    """The sum of c log c over n(f, s), both of two levels, of which `co` rows are at no mode."""
    total = xlogx_of(n_rows - n_f - n_s + co, xlogx) + xlogx_of(n_s - co, xlogx)
    return total + xlogx_of(n_f - co, xlogx) + xlogx_of(co, xlogx)


@compiled
def subset_pairs(
    f: PlaneColumns,
    s: PlaneColumns,
    start: Any,
    where: Any,
    n_rows: int,
    scale: float,
    xlogx: Any,
    table: Any,
    out: Any,
) -> None:
    """out[j, where[i]] = I(f;s) of the i-th feature and the anchors j from start[i].

    `table` is memory for n(f,s). The kernels here make no arrays, so numba counts no references.
    """
    t_n = xlogx_of(n_rows, xlogx)
    for i in range(f.first.size):
        for j in range(start[i], s.first.size):
            if f.levels[i] == 2 and s.levels[j] == 2:
                co = _together(f.planes[f.first[i]], s.planes[s.first[j]])
                t_fs = _sum_of_two(_non_mode(f, i), _non_mode(s, j), co, n_rows, xlogx)
            else:
                t_fs = _pair(table, f, i, s, j, xlogx)
            out[j, where[i]] = max(0.0, (t_n + t_fs - f.sums[i] - s.sums[j]) / scale)


@inner
def _count_cells(
    f: PlaneColumns, i: int, s: PlaneColumns, j: int, l: PlaneColumns, tables: Tables
) -> None:
    """Count n(f,s) and n(f,s,l) where f and s are not at their modes."""
    plane = f.first[i]
    for a in range(f.levels[i]):
        if a != f.modes[i]:
            s_plane = s.first[j]
            for c in range(s.levels[j]):
                if c != s.modes[j]:
                    n_fs = _together_into(f.planes[plane], s.planes[s_plane], tables.both)
                    tables.fs[a, c] = n_fs
                    for k in range(l.first.size):
                        l_plane = l.first[k]
                        rest = n_fs
                        for y in range(l.levels[k]):
                            if y != l.modes[k]:
                                n = _together(tables.both, l.planes[l_plane])
                                tables.fsl[k, a, c, y] = n
                                rest -= n
                                l_plane += 1
                        tables.fsl[k, a, c, l.modes[k]] = rest
                    s_plane += 1
            plane += 1


@inner
def _joint(
    f: PlaneColumns, i: int, s: PlaneColumns, j: int, l: PlaneColumns, k: int, tables: Tables
) -> None:
    """Fill the cells of n(f,s,l) in which f or s is at its mode."""
    cells = tables.fsl[k]
    f_mode = f.modes[i]
    s_mode = s.modes[j]
    for y in range(l.levels[k]):
        for a in range(f.levels[i]):
            if a != f_mode:
                rest = tables.fl[k, a, y]
                for c in range(s.levels[j]):
                    if c != s_mode:
                        rest -= cells[a, c, y]
                cells[a, s_mode, y] = rest
        for c in range(s.levels[j]):
            rest = tables.sl[j, k, c, y]
            for a in range(f.levels[i]):
                if a != f_mode:
                    rest -= cells[a, c, y]
            cells[f_mode, c, y] = rest


@inner
def _sum_of_joint(cells: Any, f_levels: int, s_levels: int, l_levels: int, xlogx: Any) -> int:
    total = 0
    for a in range(f_levels):
        for c in range(s_levels):
            for y in range(l_levels):
                total += xlogx_of(cells[a, c, y], xlogx)
    return total


@inner
def _triple(
    f: PlaneColumns,
    i: int,
    s: PlaneColumns,
    j: int,
    l: PlaneColumns,
    tables: Tables,
    scale: float,
    xlogx: Any,
    place: int,
    out: SubsetSums,
) -> None:
    """Write what one feature, one anchor and the labels give."""
    labels = l.first.size
    _count_cells(f, i, s, j, l, tables)
    _complete(tables.fs, f, i, s, j)
    t_fs = _sum(tables.fs, f.levels[i], s.levels[j], xlogx)
    total_sl = labels * (f.sums[i] - t_fs)
    total_fl = labels * (s.sums[j] - t_fs)
    for k in range(labels):
        _joint(f, i, s, j, l, k, tables)
        t_fsl = _sum_of_joint(tables.fsl[k], f.levels[i], s.levels[j], l.levels[k], xlogx)
        total_sl += t_fsl - tables.t_fl[k]
        total_fl += t_fsl - tables.t_sl[j, k]
        if out.sums.size:
            out.sums[0, j, k, place] = t_fsl
            out.sums[1, j, k, place] = t_fs
            out.sums[2, j, k, place] = tables.t_fl[k]
            out.sums[3, j, k, place] = tables.t_sl[j, k]
    out.sl_given_f[j, place] = max(0.0, total_sl / scale)
    out.fl_given_s[j, place] = max(0.0, total_fl / scale)


@inner
def _triple_of_two(
    f: PlaneColumns,
    i: int,
    s: PlaneColumns,
    j: int,
    l: PlaneColumns,
    tables: Tables,
    scale: float,
    xlogx: Any,
    place: int,
    out: SubsetSums,
) -> None:
    """Count columns of two levels: the other cells of a table follow by subtraction."""
    labels = l.first.size
    n_rows = f.n[f.at[i]] + f.n[f.at[i] + 1]
    n_f = _non_mode(f, i)
    n_s = _non_mode(s, j)
    n_fs = _together_into(f.planes[f.first[i]], s.planes[s.first[j]], tables.both)
    t_fs = _sum_of_two(n_f, n_s, n_fs, n_rows, xlogx)
    total_sl = labels * (f.sums[i] - t_fs)
    total_fl = labels * (s.sums[j] - t_fs)
    for k in range(labels):
        all_three = _together(tables.both, l.planes[l.first[k]])
        n_l = _non_mode(l, k)
        only_fs = n_fs - all_three
        only_fl = tables.fl[k, 1 - f.modes[i], 1 - l.modes[k]] - all_three
        only_sl = tables.sl[j, k, 1 - s.modes[j], 1 - l.modes[k]] - all_three
        only_f = n_f - n_fs - only_fl
        only_s = n_s - n_fs - only_sl
        only_l = n_l - all_three - only_fl - only_sl
        t_fsl = xlogx_of(n_rows - n_f - only_s - only_sl - only_l, xlogx)
        t_fsl += xlogx_of(only_f, xlogx) + xlogx_of(only_s, xlogx) + xlogx_of(only_l, xlogx)
        t_fsl += xlogx_of(only_fs, xlogx) + xlogx_of(only_fl, xlogx) + xlogx_of(only_sl, xlogx)
        t_fsl += xlogx_of(all_three, xlogx)
        total_sl += t_fsl - tables.t_fl[k]
        total_fl += t_fsl - tables.t_sl[j, k]
        if out.sums.size:
            out.sums[0, j, k, place] = t_fsl
            out.sums[1, j, k, place] = t_fs
            out.sums[2, j, k, place] = tables.t_fl[k]
            out.sums[3, j, k, place] = tables.t_sl[j, k]
    out.sl_given_f[j, place] = max(0.0, total_sl / scale)
    out.fl_given_s[j, place] = max(0.0, total_fl / scale)


@wrapping
@compiled
def subset_triples(
    f: PlaneColumns,
    s: PlaneColumns,
    l: PlaneColumns,
    start: Any,
    where: Any,
    scale: float,
    xlogx: Any,
    tables: Tables,
    out: SubsetSums,
) -> None:
    """Write the results of the features where[i], and of the anchors j from start[i]."""
    labels = l.first.size
    anchors = s.first.size
    earliest = anchors
    for i in range(start.size):
        earliest = start[i] if start[i] < earliest else earliest  # noqa: FURB136  # no array
    two_levels = True
    for k in range(labels):
        two_levels &= l.levels[k] == 2
    for j in range(earliest, anchors):
        for k in range(labels):
            tables.t_sl[j, k] = _pair(tables.sl[j, k], s, j, l, k, xlogx)
    for i in range(f.first.size):
        if start[i] < anchors:
            for k in range(labels):
                tables.t_fl[k] = _pair(tables.fl[k], f, i, l, k, xlogx)
            for j in range(start[i], anchors):
                if two_levels and f.levels[i] == 2 and s.levels[j] == 2:
                    _triple_of_two(f, i, s, j, l, tables, scale, xlogx, where[i], out)
                else:
                    _triple(f, i, s, j, l, tables, scale, xlogx, where[i], out)
