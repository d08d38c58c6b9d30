"""Gini impurity within the cells of tables, as whole numbers that may be added in any order.

The impurity of a cell with n rows, n_l of them with value l of a label, is sum_l n_l (n - n_l) / n:
n times the probability that two of its rows, drawn with replacement, differ in the label.
"""

from __future__ import annotations

import math
from typing import Any

from mlfs._kernels.co_sums import Levels
from mlfs._kernels.jit import compiled, inner, wrapping

__all__ = ["add_gini_of_cells", "gini_of_tables"]


@inner
def _impurity(n: int, n_l: int, unit: float) -> int:
    """The impurity of n rows, n_l of which have a label of two levels."""
    if n_l == 0 or n_l == n:
        return 0
    product = float(n_l) * float(n - n_l)
    return math.floor((product + product) / n * unit + 0.5)


@inner
def _gini_of_cells(
    co: Any, first: int, last: int, n: Levels, i: int, unit: float, rest_s: Any, rest_sl: Any
) -> int:
    """The sum over the cells (f, s) of one column and label, but for f and s at their modes.

    `rest_s` and `rest_sl` become the rows in which f is at its mode and s is not.
    """
    codes = n.s.size
    total = 0
    for k in range(codes):
        rest_s[k] = n.s[k]
        rest_sl[k] = n.sl[i, k]
    for p in range(first, last):
        rest = n.f[p]
        rest_l = n.fl[i, p]
        for k in range(codes):
            all_three = co[i * codes + k, p]
            both = n.fs[k, p]
            rest -= both
            rest_l -= all_three
            rest_s[k] -= both
            rest_sl[k] -= all_three
            total += _impurity(both, all_three, unit)
        total += _impurity(rest, rest_l, unit)
        rest_s[codes] -= rest
        rest_sl[codes] -= rest_l
    for k in range(codes):
        total += _impurity(rest_s[k], rest_sl[k], unit)
    return total


@wrapping
@compiled
def add_gini_of_cells(
    first: Any, n: Levels, co: Any, rest_s: Any, rest_sl: Any, unit: float, out: Any
) -> None:
    """Add the impurity of the cells (f, s) for all labels of two levels to out[f].

    The arguments are those of `mlfs._kernels.co_sums.add_joint_of_cells`.
    """
    codes = n.s.size
    for i in range(n.l.size):
        mode_sl = n.l[i]
        mode_s = n.total
        for k in range(codes):
            mode_sl -= n.sl[i, k]
            mode_s -= n.s[k]
        for f in range(out.size):
            rest_s[codes] = mode_s
            rest_sl[codes] = mode_sl
            total = _gini_of_cells(co, first[f], first[f + 1], n, i, unit, rest_s, rest_sl)
            out[f] += total + _impurity(rest_s[codes], rest_sl[codes], unit)


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

    The table is that of `mlfs._kernels.full_tables.triple_sums`; out[3:] is memory for the counts
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
