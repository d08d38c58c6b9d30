"""Sums of ``c log c`` over the cells of n(f,s,l), the heart of every conditional information.

Where nothing is left out, all other sums that an information needs come from pairs and are at
hand; this one is all that has to be made for each triple. Its terms are added in the order of
the codes of f, s and l, as `finishing.triple_sums` adds them, so that both give the same bits.
"""

from __future__ import annotations

from typing import Any

from mlfs._kernels.finishing import _clogc
from mlfs._kernels.jit import compiled

__all__ = ["add_informations", "joint_binary", "joint_levels", "joint_tables"]


@compiled
def joint_binary(
    met: Any,
    f_base: Any,
    n_f: Any,
    s_base: int,
    n_s: int,
    n_fs: Any,
    l_bases: Any,
    n_l: Any,
    n_fl: Any,
    n_sl: Any,
    n_rows: int,
    clogc: Any,
    out: Any,
) -> None:
    """Set out[i, f] to the sum over n(f, s, l) of the i-th label, all of two levels.

    Counts with a name of one or two letters are of code 1 of each; met[i, f] is in how many
    rows f, s and l are all off their bases.
    """
    for i in range(met.shape[0]):
        l_base = l_bases[i]
        l_alone = n_l[i]
        sl = n_sl[i]
        only_l = l_alone - sl
        only_s = n_s - sl
        neither = n_rows - n_s - l_alone + sl
        for f in range(n_f.size):
            fs = n_fs[f]
            fl = n_fl[i, f]
            base = f_base[f]
            # what was met is f, s and l off their bases; turn it into f = s = l = 1
            fsl = met[i, f]
            if l_base:
                off = n_s - fs if base else fs  # f off its base, s = 1
                if s_base:
                    off = (n_rows - n_f[f] if base else n_f[f]) - off
                fsl = off - fsl
            if s_base:
                fsl = (l_alone - fl if base else fl) - fsl
            if base:
                fsl = sl - fsl
            total = clogc[neither - n_f[f] + fs + fl - fsl]
            total += clogc[only_l - fl + fsl]
            total += clogc[only_s - fs + fsl]
            total += clogc[sl - fsl]
            total += clogc[n_f[f] - fs - fl + fsl]
            total += clogc[fl - fsl]
            total += clogc[fs - fsl]
            total += clogc[fsl]
            out[i, f] = total


@compiled
def joint_levels(
    met: Any,
    offsets: Any,
    f_base: Any,
    s_base: int,
    n_fs: Any,
    l_bases: Any,
    n_fl: Any,
    n_sl: Any,
    clogc: Any,
    out: Any,
) -> None:
    """Set out[i, f] to the sum over n(f, s, l) of the i-th label, which has two levels.

    met[i, cell of f, code of s] is in how many rows f, s and l are all off their bases; it is
    turned into n(f, s, l=1) in place. n_fl and n_sl are of l=1.
    """
    s_levels = met.shape[2]
    for i in range(met.shape[0]):
        l_base = l_bases[i]
        for f in range(f_base.size):
            first = offsets[f]
            last = offsets[f + 1]
            base = first + f_base[f]
            for s in range(s_levels):
                met[i, base, s] = n_sl[i, s]
            for cell in range(first, last):
                if cell == base:
                    continue
                rest = n_fl[i, cell]
                for s in range(s_levels):
                    if s != s_base:
                        if l_base:
                            met[i, cell, s] = n_fs[cell, s] - met[i, cell, s]
                        rest -= met[i, cell, s]
                        met[i, base, s] -= met[i, cell, s]
                met[i, cell, s_base] = rest
                met[i, base, s_base] -= rest
            total = 0.0
            for cell in range(first, last):
                for s in range(s_levels):
                    fsl = met[i, cell, s]
                    total += clogc[n_fs[cell, s] - fsl]
                    total += clogc[fsl]
            out[i, f] = total


@compiled
def joint_tables(tables: Any, offsets: Any, l_levels: Any, clogc: Any, out: Any) -> None:
    """out[i, f] = the sum over the complete table n(f, s, labels[i])."""
    s_levels = tables.shape[2]
    for i in range(tables.shape[0]):
        for f in range(out.shape[1]):
            total = 0.0
            for cell in range(offsets[f], offsets[f + 1]):
                for s in range(s_levels):
                    for y in range(l_levels[i]):
                        total += _clogc(tables[i, cell, s, y], clogc)
            out[i, f] = total


@compiled
def add_informations(
    t_fsl: Any,
    t_f: Any,
    t_fs: Any,
    t_fl: Any,
    t_sl: Any,
    t_s: float,
    n_rows: int,
    shares: Any,
    sl_given_f: Any,
    fl_given_s: Any,
) -> None:
    """Add up label after label, each with its share: I(s;l|f) and I(f;l|s)."""
    for i in range(t_fsl.shape[0]):
        share = shares[i]
        for f in range(t_f.size):
            value = (t_fsl[i, f] + t_f[f] - t_fs[f] - t_fl[i, f]) / n_rows
            sl_given_f[f] += share * max(0.0, value)
            value = (t_fsl[i, f] + t_s - t_fs[f] - t_sl[i]) / n_rows
            fl_given_s[f] += share * max(0.0, value)
