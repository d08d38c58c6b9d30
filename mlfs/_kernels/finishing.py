"""Finish integer counts into the sums that entropies and informations are made of.

Every quantity is made of sums of ``c log c`` over the cells of one table. They are added as
integers (see `mlfs.information.xlogx`): the order does not matter, and a count that was made in
another way gives the same bits. Levels behind the valid ones (missing values left out) are not
looked at.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled, inner, spliced

__all__ = ["fill_clogc", "looked_up", "pair_sums", "singles", "triple_sums"]


@compiled
def fill_clogc(table: Any, unit: float) -> None:
    """table[c] = c log c in units; np.log is avoided, its last bit depends on vector width."""
    for c in range(1, table.size - 1):
        table[c] = math.floor(c * math.log(c) * unit + 0.5)


@inner
def _clogc(c: int, table: Any) -> int:
    last = table.size - 1  # where the shift stands
    if c < last:
        return table[c]
    return math.floor(math.ldexp(c * math.log(c), int(table[last])) + 0.5)


@spliced
def looked_up(c: int, table: Any) -> int:
    """What stands in the table; a count is never negative, so no index is wrapped around."""
    return table[np.uint64(c)]


@compiled
def singles(counts: Any, offsets: Any, valid: Any, clogc: Any, out: Any) -> None:
    """out[f] = (rows, sum of c log c) of each column."""
    for f in range(valid.size):
        rows = 0
        total = 0
        for cell in range(offsets[f], offsets[f] + valid[f]):
            rows += counts[cell]
            total += _clogc(counts[cell], clogc)
        out[f, 0] = rows
        out[f, 1] = total


@compiled
def pair_sums(table: Any, offsets: Any, valid: Any, g_valid: int, clogc: Any, out: Any) -> None:
    """out[f] = (rows, then the sums of c log c over fg, f, g)."""
    for f in range(valid.size):
        rows = 0
        t_fg = 0
        t_f = 0
        t_g = 0
        first = offsets[f]
        last = first + valid[f]
        if g_valid == 2 and valid[f] == 2:  # the same sums in the same order, without the loops
            n_00 = table[first, 0]
            n_01 = table[first, 1]
            n_10 = table[first + 1, 0]
            n_11 = table[first + 1, 1]
            out[f, 0] = n_00 + n_01 + n_10 + n_11
            t_fg = _clogc(n_00, clogc) + _clogc(n_01, clogc)
            out[f, 1] = t_fg + _clogc(n_10, clogc) + _clogc(n_11, clogc)
            out[f, 2] = _clogc(n_00 + n_01, clogc) + _clogc(n_10 + n_11, clogc)
            out[f, 3] = _clogc(n_00 + n_10, clogc) + _clogc(n_01 + n_11, clogc)
            continue
        for cell in range(first, last):
            n_f = 0
            for g in range(g_valid):
                n_f += table[cell, g]
                t_fg += _clogc(table[cell, g], clogc)
            rows += n_f
            t_f += _clogc(n_f, clogc)
        for g in range(g_valid):
            n_g = 0
            for cell in range(first, last):
                n_g += table[cell, g]
            t_g += _clogc(n_g, clogc)
        out[f, 0] = rows
        out[f, 1] = t_fg
        out[f, 2] = t_f
        out[f, 3] = t_g


@compiled
def _sums(
    table: Any, first: int, last: int, s_valid: int, l_valid: int, clogc: Any
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
                t_fsl += _clogc(table[cell, s, y], clogc)
            n_f += n_fs
            t_fs += _clogc(n_fs, clogc)
        for y in range(l_valid):
            n_fl = 0
            for s in range(s_valid):
                n_fl += table[cell, s, y]
            t_fl += _clogc(n_fl, clogc)
        rows += n_f
        t_f += _clogc(n_f, clogc)
    for s in range(s_valid):
        n_s = 0
        for y in range(l_valid):
            n_sl = 0
            for cell in range(first, last):
                n_sl += table[cell, s, y]
            n_s += n_sl
            t_sl += _clogc(n_sl, clogc)
        t_s += _clogc(n_s, clogc)
    for y in range(l_valid):
        n_l = 0
        for s in range(s_valid):
            for cell in range(first, last):
                n_l += table[cell, s, y]
        t_l += _clogc(n_l, clogc)
    return rows, t_fsl, t_fs, t_fl, t_sl, t_f, t_s, t_l


@compiled
def triple_sums(
    tables: Any, offsets: Any, valid: Any, s_valid: int, l_valid: Any, clogc: Any, out: Any
) -> None:
    """out[i, f] = (rows, then the sums of c log c over fsl, fs, fl, sl, f, s, l)."""
    for i in range(tables.shape[0]):
        for f in range(valid.size):
            first = offsets[f]
            sums = _sums(tables[i], first, first + valid[f], s_valid, l_valid[i], clogc)
            out[i, f, 0] = sums[0]
            out[i, f, 1] = sums[1]
            out[i, f, 2] = sums[2]
            out[i, f, 3] = sums[3]
            out[i, f, 4] = sums[4]
            out[i, f, 5] = sums[5]
            out[i, f, 6] = sums[6]
            out[i, f, 7] = sums[7]
