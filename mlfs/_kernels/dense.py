"""Columns of a few levels in bit planes, counted and finished in one pass.

A column is told by its planes, one for each code but its base. What is counted is how many rows
two planes have in common; everything about the bases follows by subtraction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.finishing import looked_up
from mlfs._kernels.jit import compiled, inner, wrapping
from mlfs._kernels.planes import popcount

__all__ = ["joint_of_planes", "pairs_of_planes"]

FEW_WORDS = 8


@inner
def _meet(planes: Any, p: int, masks: Any, start: int, out: Any, at: int) -> None:
    """out[at, k] = the number of rows that plane p and masks[start + k] have in common.

    Whole arrays and places are handed over: a view of a row would cost more than the row.
    """
    words = planes.shape[1]
    n = out.shape[1]
    if words <= FEW_WORDS:  # a loop of vector instructions would not pay
        for k in range(n):
            total = np.uint64(0)
            word = 0
            while word + 4 <= words:
                total += popcount(planes[p, word] & masks[start + k, word])
                total += popcount(planes[p, word + 1] & masks[start + k, word + 1])
                total += popcount(planes[p, word + 2] & masks[start + k, word + 2])
                total += popcount(planes[p, word + 3] & masks[start + k, word + 3])
                word += 4
            while word < words:
                total += popcount(planes[p, word] & masks[start + k, word])
                word += 1
            out[at, k] = total
        return
    k = 0
    while k + 4 <= n:
        one = start + k
        a = np.uint64(0)
        b = np.uint64(0)
        c = np.uint64(0)
        d = np.uint64(0)
        for word in range(words):
            bits = planes[p, word]
            a += popcount(bits & masks[one, word])
            b += popcount(bits & masks[one + 1, word])
            c += popcount(bits & masks[one + 2, word])
            d += popcount(bits & masks[one + 3, word])
        out[at, k] = a
        out[at, k + 1] = b
        out[at, k + 2] = c
        out[at, k + 3] = d
        k += 4
    while k < n:
        a = np.uint64(0)
        for word in range(words):
            a += popcount(planes[p, word] & masks[start + k, word])
        out[at, k] = a
        k += 1


@wrapping
@compiled
def pairs_of_planes(
    planes: Any,
    first: Any,
    off_f: Any,
    masks: Any,
    off_s: Any,
    n_rows: int,
    clogc: Any,
    met: Any,
    out: Any,
) -> None:
    """out[f] += the sum of c log c over n(f,s); met[p, k] = what plane p and masks[k] share.

    The planes of f are ``first[f]`` to ``first[f + 1]``; off_f and off_s count their rows.
    """
    size = masks.shape[0]
    rest_s = np.empty(size, np.int64)
    for f in range(out.size):
        for k in range(size):
            rest_s[k] = off_s[k]
        total = 0
        at_base = n_rows  # the rows in which f and s are both at their bases
        for k in range(size):
            at_base -= off_s[k]
        for p in range(first[f], first[f + 1]):
            _meet(planes, p, masks, 0, met, p)
            rest = off_f[p]
            for k in range(size):
                both = met[p, k]
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
    planes: Any,
    first: Any,
    off_f: Any,
    masks: Any,
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

    masks[i * codes + k] are the rows of code k of s in which the i-th label is off its base,
    off_sl[i, k] their number; met_fs is `met` of `pairs_of_planes`. `out` has a row for each
    label, or one for all.
    """
    codes = off_s.size
    each = out.shape[0] > 1
    met = np.empty((1, codes), np.int64)
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
                _meet(planes, p, masks, i * codes, met, 0)
                rest = off_f[p]
                rest_l = off_fl[i, p]
                for k in range(codes):
                    all_three = met[0, k]
                    both = met_fs[p, k]
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
