"""Columns of a few levels in bit planes: what these share is finished into sums of c log c.

A column is told by its planes, one for each code but its base. How many rows two planes have in
common is counted by `sweeping`; everything about the bases follows by subtraction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.finishing import looked_up
from mlfs._kernels.jit import compiled, wrapping

__all__ = ["joint_of_planes", "pairs_of_planes"]


@wrapping
@compiled
def pairs_of_planes(
    first: Any, off_f: Any, met: Any, off_s: Any, n_rows: int, clogc: Any, out: Any
) -> None:
    """out[f] += the sum of c log c over n(f,s); met[k, p] rows have code k of s and plane p.

    The planes of f are ``first[f]`` to ``first[f + 1]``; off_f and off_s count their rows.
    """
    size = off_s.size
    rest_s = np.empty(size, np.int64)
    for f in range(out.size):
        for k in range(size):
            rest_s[k] = off_s[k]
        total = 0
        at_base = n_rows  # the rows in which f and s are both at their bases
        for k in range(size):
            at_base -= off_s[k]
        for p in range(first[f], first[f + 1]):
            rest = off_f[p]
            for k in range(size):
                both = met[k, p]
                rest -= both
                rest_s[k] -= both
                total += looked_up(both, clogc)
            total += looked_up(rest, clogc)
            at_base -= rest
        for k in range(size):
            total += looked_up(rest_s[k], clogc)
        out[f] += total + looked_up(at_base, clogc)


@wrapping
@compiled
def joint_of_planes(
    first: Any,
    off_f: Any,
    met: Any,
    off_s: Any,
    n_rows: int,
    met_fs: Any,
    off_fl: Any,
    off_l: Any,
    off_sl: Any,
    clogc: Any,
    out: Any,
) -> None:
    """Add the sums of c log c over n(f,s,l) of labels of two levels.

    met[i * codes + k, p] rows have code k of s and plane p, and the i-th label is off its base;
    off_sl[i, k] is the like without p. met_fs is `met` of `pairs_of_planes`. `out` has a row for
    each label, or one for all.
    """
    codes = off_s.size
    each = out.shape[0] > 1
    rest_s = np.empty(codes, np.int64)
    rest_sl = np.empty(codes, np.int64)
    for i in range(off_l.size):
        totals = out[i if each else 0]
        base_l = off_l[i]
        base_s = n_rows
        for k in range(codes):
            base_l -= off_sl[i, k]
            base_s -= off_s[k]
        for f in range(totals.size):
            total = 0
            at_base_l = base_l
            at_base = base_s
            for k in range(codes):
                rest_s[k] = off_s[k]
                rest_sl[k] = off_sl[i, k]
            for p in range(first[f], first[f + 1]):
                rest = off_f[p]
                rest_l = off_fl[i, p]
                for k in range(codes):
                    all_three = met[i * codes + k, p]
                    both = met_fs[k, p]
                    rest -= both
                    rest_l -= all_three
                    rest_s[k] -= both
                    rest_sl[k] -= all_three
                    total += looked_up(all_three, clogc)
                    total += looked_up(both - all_three, clogc)
                total += looked_up(rest_l, clogc)
                total += looked_up(rest - rest_l, clogc)
                at_base_l -= rest_l
                at_base -= rest
            for k in range(codes):
                total += looked_up(rest_sl[k], clogc)
                total += looked_up(rest_s[k] - rest_sl[k], clogc)
            total += looked_up(at_base_l, clogc)
            totals[f] += total + looked_up(at_base - at_base_l, clogc)
