"""Sums of ``c log c`` over the cells of n(f,s,l), the heart of every conditional information.

Where nothing is left out, all other sums that an information needs come from pairs and are at
hand; this one is all that has to be made for each triple. `meeting` has the like for columns
of two levels.
"""

from __future__ import annotations

from typing import Any

from mlfs._kernels.finishing import _clogc
from mlfs._kernels.jit import compiled

__all__ = ["LOW_BITS", "add_features", "joint_levels", "joint_tables"]

LOW_BITS = 30  # added apart from the rest, so that a sum over any number of features fits


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
            total = 0
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
            total = 0
            for cell in range(offsets[f], offsets[f + 1]):
                for s in range(s_levels):
                    for y in range(l_levels[i]):
                        total += _clogc(tables[i, cell, s, y], clogc)
            out[i, f] = total


@compiled
def add_features(t_fsl: Any, alone: Any, t_fl: Any, out: Any) -> None:
    """Add the informations of all features: out[0] has the high bits, out[1] the low ones."""
    high = 0
    low = 0
    for f in range(t_fsl.size):
        value = max(0, t_fsl[f] + alone[f] - t_fl[f])
        high += value >> LOW_BITS
        low += value & ((1 << LOW_BITS) - 1)
    out[0] += high
    out[1] += low
