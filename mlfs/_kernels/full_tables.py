"""Complete tables n(f,s) and n(f,s,l), for what co-occurrences alone do not tell.

They are made where levels are left out (missing values) and for labels of more than two levels.
Column f has the codes ``offsets[f]`` to ``offsets[f + 1]``, one of them its
mode; its cells are the other codes. What is at a mode follows by subtraction, exactly.
"""

from __future__ import annotations

import math
from typing import Any

from mlfs._kernels.co_sums import xlogx_of
from mlfs._kernels.jit import compiled, inner


@compiled
def complete_pairs(
    co: Any, n_f: Any, n_s: Any, offsets: Any, modes: Any, s_mode: int, table: Any
) -> None:
    """Set table[code of f, code of s] from co[cell of s, cell of f]."""
    cell = 0
    for f in range(modes.size):
        mode = offsets[f] + modes[f]
        for s in range(n_s.size):
            table[mode, s] = n_s[s]
        for code in range(offsets[f], offsets[f + 1]):
            if code == mode:
                continue
            rest = n_f[code]
            k = 0
            for s in range(n_s.size):
                if s != s_mode:
                    table[code, s] = co[k, cell]
                    rest -= co[k, cell]
                    k += 1
            table[code, s_mode] = rest
            for s in range(n_s.size):
                table[mode, s] -= table[code, s]
            cell += 1


@inner
def _cell_of_triples(
    co: Any, cell: int, n_fs: Any, n_fl: Any, s_mode: int, l_mode: int, table: Any
) -> None:
    """Set table[code of s, code of l] of one cell of f."""
    k_l = 0
    for y in range(n_fl.size):
        if y == l_mode:
            continue
        rest = n_fl[y]
        k_s = 0
        for s in range(n_fs.size):
            if s != s_mode:
                table[s, y] = co[k_l, k_s, cell]
                rest -= table[s, y]
                k_s += 1
        table[s_mode, y] = rest
        k_l += 1
    for s in range(n_fs.size):
        rest = n_fs[s]
        for y in range(n_fl.size):
            if y != l_mode:
                rest -= table[s, y]
        table[s, l_mode] = rest


@compiled
def complete_triples(
    co: Any,
    n_fs: Any,
    n_fl: Any,
    n_sl: Any,
    offsets: Any,
    modes: Any,
    s_mode: int,
    l_mode: int,
    table: Any,
) -> None:
    """Set table[code of f, code of s, code of l] from co[cell of l, cell of s, cell of f]."""
    cell = 0
    for f in range(modes.size):
        mode = offsets[f] + modes[f]
        for s in range(n_sl.shape[0]):
            for y in range(n_sl.shape[1]):
                table[mode, s, y] = n_sl[s, y]
        for code in range(offsets[f], offsets[f + 1]):
            if code == mode:
                continue
            _cell_of_triples(co, cell, n_fs[code], n_fl[code], s_mode, l_mode, table[code])
            for s in range(n_sl.shape[0]):
                for y in range(n_sl.shape[1]):
                    table[mode, s, y] -= table[code, s, y]
            cell += 1


@compiled
def count_given(
    s_codes: Any, y_indptr: Any, y_rows: Any, y_codes: Any, weights: Any, out: Any
) -> None:
    """out[l, code of s, code of l] += weight, where the label is not at its mode."""
    for l in range(out.shape[0]):
        for at in range(y_indptr[l], y_indptr[l + 1]):
            row = y_rows[at]
            out[l, s_codes[row], y_codes[at]] += weights[row]


@compiled
def complete_given(table: Any, n_s: Any, l_modes: Any) -> None:
    """Fill the cells of n(s,l) in which the label is at its mode."""
    for i in range(table.shape[0]):
        for s in range(n_s.size):
            rest = n_s[s]
            for y in range(table.shape[2]):
                rest -= table[i, s, y]
            table[i, s, l_modes[i]] = rest


@compiled
def pair_sums(table: Any, offsets: Any, valid: Any, g_valid: int, xlogx: Any, out: Any) -> None:
    """out[f] = (rows, then the sums of c log c over fg, f, g)."""
    for f in range(valid.size):
        rows = 0
        t_fg = 0
        t_f = 0
        t_g = 0
        first = offsets[f]
        last = first + valid[f]
        for cell in range(first, last):
            n_f = 0
            for g in range(g_valid):
                n_f += table[cell, g]
                t_fg += xlogx_of(table[cell, g], xlogx)
            rows += n_f
            t_f += xlogx_of(n_f, xlogx)
        for g in range(g_valid):
            n_g = 0
            for cell in range(first, last):
                n_g += table[cell, g]
            t_g += xlogx_of(n_g, xlogx)
        out[f, 0] = rows
        out[f, 1] = t_fg
        out[f, 2] = t_f
        out[f, 3] = t_g


@inner
def _sums(
    table: Any, first: int, last: int, s_valid: int, l_valid: int, xlogx: Any
) -> tuple[int, int, int, int, int, int, int, int]:
    rows = 0
    t_fsl = 0
    t_fs = 0
    t_fl = 0
    t_sl = 0
    t_f = 0
    t_s = 0
    t_l = 0
    for cell in range(first, last):
        n_f = 0
        for s in range(s_valid):
            n_fs = 0
            for y in range(l_valid):
                n_fs += table[cell, s, y]
                t_fsl += xlogx_of(table[cell, s, y], xlogx)
            n_f += n_fs
            t_fs += xlogx_of(n_fs, xlogx)
        for y in range(l_valid):
            n_fl = 0
            for s in range(s_valid):
                n_fl += table[cell, s, y]
            t_fl += xlogx_of(n_fl, xlogx)
        rows += n_f
        t_f += xlogx_of(n_f, xlogx)
    for s in range(s_valid):
        n_s = 0
        for y in range(l_valid):
            n_sl = 0
            for cell in range(first, last):
                n_sl += table[cell, s, y]
            n_s += n_sl
            t_sl += xlogx_of(n_sl, xlogx)
        t_s += xlogx_of(n_s, xlogx)
    for y in range(l_valid):
        n_l = 0
        for s in range(s_valid):
            for cell in range(first, last):
                n_l += table[cell, s, y]
        t_l += xlogx_of(n_l, xlogx)
    return rows, t_fsl, t_fs, t_fl, t_sl, t_f, t_s, t_l


@compiled
def triple_sums(
    table: Any, offsets: Any, valid: Any, s_valid: int, l_valid: int, xlogx: Any, out: Any
) -> None:
    """Set out[:, f] to the rows, then the sums of c log c over fsl, fs, fl, sl, f, s, l."""
    for f in range(valid.size):
        first = offsets[f]
        sums = _sums(table, first, first + valid[f], s_valid, l_valid, xlogx)
        for k in range(8):
            out[k, f] = sums[k]


@inner
def _impurity_of(n_l: Any, l_valid: int, unit: float) -> int:
    """The impurity of a cell with so many rows of each value of a label."""
    n = 0
    for y in range(l_valid):
        n += n_l[y]
    product = 0.0
    for y in range(l_valid):
        product += float(n_l[y]) * float(n - n_l[y])
    if product == 0.0:
        return 0
    return math.floor(product / n * unit + 0.5)


@compiled
def gini_of_tables(
    table: Any, offsets: Any, valid: Any, s_valid: int, l_valid: int, unit: float, out: Any
) -> None:
    """Set out[:, f] to the rows, the impurity of all rows, and that of the cells (f, s).

    The table is that of `triple_sums`; out[3:] is memory for the counts
    of the label.
    """
    for f in range(valid.size):
        first = offsets[f]
        last = first + valid[f]
        rows = 0
        within = 0
        for y in range(l_valid):
            out[3 + y, f] = 0
        for cell in range(first, last):
            for s in range(s_valid):
                within += _impurity_of(table[cell, s], l_valid, unit)
                for y in range(l_valid):
                    out[3 + y, f] += table[cell, s, y]
        for y in range(l_valid):
            rows += out[3 + y, f]
        out[0, f] = rows
        out[1, f] = _impurity_of(out[3:, f], l_valid, unit)
        out[2, f] = within
