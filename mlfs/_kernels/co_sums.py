"""From co-occurrences to sums of c log c: how the cells of a table follow by subtraction.

A column is described by its cells, one for each code but the mode, and by the rows of each.
`co` counts the rows in which cells of several columns occur together. The cells in which a
column is at its mode follow by subtraction, and which code the mode is does not matter to a sum.

The natural logarithm is here, too, the same on every machine. That of the C library or of a vector
library may differ in its last bit from one processor or system to the next; this one has only
operations that IEEE 754 defines to the last bit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from mlfs._kernels.jit import compiled, inner, wrapping

BITS = 90
ROOT_OF_HALF = math.sqrt(0.5)
STEPS = 128
FIRST, LAST = 90, 182  # i / STEPS, from the root of 1/2 to the root of 2


def _log_of(a: int, b: int) -> Fraction:
    """Log(a / b) to 80 bits, as 2 artanh z = 2 (z + z^3/3 + z^5/5 + ...)."""
    z = ((a - b) << BITS) // (a + b)
    square, power, total, odd = z * z >> BITS, z, 0, 1
    while power not in (0, -1):
        total += power // odd
        power, odd = power * square >> BITS, odd + 2
    return Fraction(total, 1 << (BITS - 1))


def _as_sum(value: Fraction, bits: int = 53) -> tuple[float, float]:
    """Two numbers with this sum, of which the first has so many bits."""
    m, e = math.frexp(float(value))
    first = math.ldexp(round(math.ldexp(m, bits)), e - bits)
    return first, float(value - Fraction(first))


LOGS = np.array([_as_sum(_log_of(i, STEPS)) for i in range(FIRST, LAST + 1)])
LN2_HI, LN2_LO = _as_sum(_log_of(2, 1), 33)  # so few bits that k LN2_HI is exact


@inner
def log(x: float) -> float:
    """Log x of a positive number that is not subnormal.

    It is log 2^k + log i / STEPS + 2 artanh z, with z below 0.003. From 2 on the last bit is
    right but for one number in thousands; near 1, three units of the last bit may be wrong.
    """
    m, k = math.frexp(x)
    if m < ROOT_OF_HALF:
        m, k = m * 2.0, k - 1
    i = min(max(int(m * STEPS + 0.5), FIRST), LAST)  # not outside, even if x is not a number
    near = i / STEPS
    z = (m - near) / (m + near)
    w = z * z
    artanh = z * (1.0 + w * (1 / 3 + w * (1 / 5 + w * (1 / 7))))
    a, b = k * LN2_HI, LOGS[i - FIRST, 0]
    hi = a + b
    rest = (a - (hi - (hi - a))) + (b - (hi - a))
    return hi + (rest + (LOGS[i - FIRST, 1] + k * LN2_LO + 2.0 * artanh))


class AllCounts(NamedTuple):
    """C log c, in units, of every count that there can be."""

    table: np.ndarray
    unit: float


class AnyCounts(NamedTuple):
    """C log c, in units: small counts are looked up, others computed."""

    table: np.ndarray
    unit: float


@compiled
def fill_xlogx(table: Any, unit: float) -> None:
    """table[c] = c log c in units."""
    for c in range(1, table.size):
        table[c] = math.floor(c * log(c) * unit + 0.5)


@inner
def _computed(c: int, xlogx: AnyCounts) -> int:
    return math.floor(c * log(c) * xlogx.unit + 0.5)


def _in_table(c: Any, xlogx: Any) -> Any:
    return xlogx.table[np.uint64(c)]  # unsigned, so its sign is not checked


def _in_table_or_computed(c: Any, xlogx: Any) -> Any:
    return xlogx.table[c] if c < xlogx.table.size else _computed(c, xlogx)


def xlogx_of(c: int, xlogx: AllCounts | AnyCounts) -> int:
    """C log c of a count; kernels are compiled for each of the two types."""
    return _in_table(c, xlogx) if isinstance(xlogx, AllCounts) else _in_table_or_computed(c, xlogx)


@overload(xlogx_of)
def _chosen(c: Any, xlogx: Any) -> Any:  # noqa: ARG001
    return _in_table if xlogx.instance_class is AllCounts else _in_table_or_computed


class Impurity(NamedTuple):
    """Gini impurity, in units, in the place of c log c.

    That of n rows, n_l of which have value l of a label, is sum_l n_l (n - n_l) / n: n times the
    probability that two of the rows, drawn with replacement, differ in the label.
    """

    unit: float


def _xlogx_of_cell(n: Any, n_l: Any, how: Any) -> Any:
    return xlogx_of(n_l, how) + xlogx_of(n - n_l, how)


def _impurity_of_cell(n: Any, n_l: Any, how: Any) -> Any:
    if n_l == 0 or n_l == n:
        return 0
    product = float(n_l) * float(n - n_l)
    return math.floor((product + product) / n * how.unit + 0.5)


def of_cell(n: int, n_l: int, how: AllCounts | AnyCounts | Impurity) -> int:
    """The addition of n rows to a sum, n_l of which have a label of two levels."""
    return (_impurity_of_cell if isinstance(how, Impurity) else _xlogx_of_cell)(n, n_l, how)


@overload(of_cell)
def _chosen_of_cell(n: Any, n_l: Any, how: Any) -> Any:  # noqa: ARG001
    return _impurity_of_cell if how.instance_class is Impurity else _xlogx_of_cell


@compiled
def singles(counts: Any, offsets: Any, valid: Any, xlogx: Any, out: Any) -> None:
    """out[f] = (rows, sum of c log c) of each column; codes from `valid` are left out."""
    for f in range(valid.size):
        rows = 0
        total = 0
        for code in range(offsets[f], offsets[f] + valid[f]):
            rows += counts[code]
            total += xlogx_of(counts[code], xlogx)
        out[f, 0] = rows
        out[f, 1] = total


@compiled
def terms(counts: Any, xlogx: Any, out: Any) -> None:
    """Set out[i] to c log c of counts[i]."""
    for i in range(counts.size):
        out[i] = xlogx_of(counts[i], xlogx)


LOW_BITS = 30  # added separately from the rest, so that a sum over any number of features fits


class TwoLevels(NamedTuple):
    """Rows of columns, an anchor and labels, all of two levels: of each cell and of two."""

    total: int
    f: np.ndarray
    s: int
    l: np.ndarray
    fs: np.ndarray
    fl: np.ndarray  # (labels, columns)


class Levels(NamedTuple):
    """The counts of columns and an anchor of any levels, with labels of two levels."""

    total: int
    f: np.ndarray  # (cells,)
    s: np.ndarray  # (cells of s,)
    l: np.ndarray
    fs: np.ndarray  # (cells of s, cells)
    fl: np.ndarray  # (labels, cells)
    sl: np.ndarray  # (labels, cells of s)


@compiled
def pairs_of_two(n_f: Any, co: Any, n_s: int, total: int, xlogx: Any, out: Any) -> None:
    """Set out[f] to the sum of c log c over n(f,s), both of two levels."""
    for f in range(out.size):
        fs = co[f]
        alone = n_f[f]
        t_fs = xlogx_of(total - alone - n_s + fs, xlogx)
        t_fs += xlogx_of(n_s - fs, xlogx)
        t_fs += xlogx_of(alone - fs, xlogx)
        out[f] = t_fs + xlogx_of(fs, xlogx)


@wrapping
@compiled
def add_label_pairs_of_two(n_f: Any, co: Any, n_l: Any, total: int, xlogx: Any, out: Any) -> None:
    """out[f] += the sum of c log c over n(f,l) of all labels, all of two levels."""
    for i in range(n_l.size):
        row = co[i]
        label = n_l[i]
        for f in range(out.size):
            fl = row[f]
            alone = n_f[f]
            t_fl = xlogx_of(total - alone - label + fl, xlogx)
            t_fl += xlogx_of(label - fl, xlogx)
            t_fl += xlogx_of(alone - fl, xlogx)
            out[f] += t_fl + xlogx_of(fl, xlogx)


@inner
def _never_together(co: Any, first: int, last: int) -> bool:
    for k in range(co.shape[0]):
        for p in range(first, last):
            if co[k, p] != 0:
                return False
    return True


@wrapping
@compiled
def add_pairs_of_cells(
    first: Any,
    n_f: Any,
    sums: Any,
    co: Any,
    n_s: Any,
    rest_s: Any,
    total: int,
    xlogx: Any,
    out: Any,
) -> None:
    """out[f] += the sum of c log c over n(f,s), of any levels.

    The cells of f are ``first[f]`` to ``first[f + 1]``, and sums[f] is the sum over n_f of them:
    a column that never occurs with s needs no more. `rest_s` is memory for as many numbers as
    n_s has. A kernel that makes no arrays counts no references, which is faster.
    """
    size = n_s.size
    alone = 0
    mode_s = total
    for k in range(size):
        alone += xlogx_of(n_s[k], xlogx)
        mode_s -= n_s[k]
    for f in range(out.size):
        modes = mode_s  # the rows in which f and s are at their modes
        if _never_together(co, first[f], first[f + 1]):
            for p in range(first[f], first[f + 1]):
                modes -= n_f[p]
            out[f] += sums[f] + alone + xlogx_of(modes, xlogx)
            continue
        for k in range(size):
            rest_s[k] = n_s[k]
        t_fs = 0
        for p in range(first[f], first[f + 1]):
            rest_f = n_f[p]
            for k in range(size):
                fs = co[k, p]
                rest_f -= fs
                rest_s[k] -= fs
                t_fs += xlogx_of(fs, xlogx)
            t_fs += xlogx_of(rest_f, xlogx)
            modes -= rest_f
        for k in range(size):
            t_fs += xlogx_of(rest_s[k], xlogx)
        out[f] += t_fs + xlogx_of(modes, xlogx)


@inner
def _add_disjoint(n: TwoLevels, i: int, xlogx: Any, out: Any) -> None:
    """Sum the terms of a label that never occurs with s, but for those that no label changes."""
    neither = n.total - n.s - n.l[i]
    label = n.l[i]
    n_fl = n.fl[i]
    for f in range(out.size):
        fl = n_fl[f]
        only_f = n.f[f] - n.fs[f] - fl
        t_fsl = xlogx_of(neither - only_f, xlogx)
        t_fsl += xlogx_of(label - fl, xlogx)
        t_fsl += xlogx_of(only_f, xlogx)
        out[f] += t_fsl + xlogx_of(fl, xlogx)


@inner
def add_alone(n: TwoLevels, times: int, xlogx: Any, out: Any) -> None:
    """The terms that no label changes, for as many labels that never occur with s."""
    for f in range(out.size):
        fs = n.fs[f]
        out[f] += times * (xlogx_of(n.s - fs, xlogx) + xlogx_of(fs, xlogx))


@inner
def _add_together(co: Any, n: TwoLevels, i: int, n_sl: int, xlogx: Any, out: Any) -> None:
    n_fl = n.fl[i]
    only_l = n.l[i] - n_sl
    only_s = n.s - n_sl
    neither = n.total - n.s - only_l
    for f in range(out.size):
        all_three = co[f]
        only_fs = n.fs[f] - all_three
        only_fl = n_fl[f] - all_three
        only_f = n.f[f] - n.fs[f] - only_fl
        t_fsl = xlogx_of(neither - only_f, xlogx)
        t_fsl += xlogx_of(only_l - only_fl, xlogx)
        t_fsl += xlogx_of(only_s - only_fs, xlogx)
        t_fsl += xlogx_of(n_sl - all_three, xlogx)
        t_fsl += xlogx_of(only_f, xlogx)
        t_fsl += xlogx_of(only_fl, xlogx)
        t_fsl += xlogx_of(only_fs, xlogx)
        out[f] += t_fsl + xlogx_of(all_three, xlogx)


@inner
def add_joint_of_two(co: Any, n: TwoLevels, i: int, n_sl: int, xlogx: Any, out: Any) -> int:
    """out[f] += the sum of c log c over n(f,s,l) of the i-th label, all of two levels.

    The result is 1 if `add_alone` has to add the rest.
    """
    if n_sl == 0:
        _add_disjoint(n, i, xlogx, out)
        return 1
    _add_together(co, n, i, n_sl, xlogx, out)
    return 0


@wrapping
@compiled
def joints_of_two(co: Any, n: TwoLevels, n_sl: Any, xlogx: Any, out: Any) -> None:
    """Add these sums, co[i, f] counted; `out` has a row for each label, or one for all."""
    per_label = out.shape[0] > 1
    disjoint = 0
    for i in range(n.l.size):
        disjoint += add_joint_of_two(co[i], n, i, n_sl[i], xlogx, out[i if per_label else 0])
        if disjoint and (per_label or i == n.l.size - 1):
            add_alone(n, disjoint, xlogx, out[i if per_label else 0])
            disjoint = 0


@inner
def _joint_of_cells(
    co: Any, first: int, last: int, n: Levels, i: int, how: Any, rest_s: Any, rest_sl: Any
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
        rest_f = n.f[p]
        rest_l = n.fl[i, p]
        for k in range(codes):
            all_three = co[i * codes + k, p]
            fs = n.fs[k, p]
            rest_f -= fs
            rest_l -= all_three
            rest_s[k] -= fs
            rest_sl[k] -= all_three
            total += of_cell(fs, all_three, how)
        total += of_cell(rest_f, rest_l, how)
        rest_s[codes] -= rest_f
        rest_sl[codes] -= rest_l
    for k in range(codes):
        total += of_cell(rest_s[k], rest_sl[k], how)
    return total


@wrapping
@compiled
def add_joint_of_cells(
    first: Any, n: Levels, co: Any, rest_s: Any, rest_sl: Any, how: Any, out: Any
) -> None:
    """Add the sums of c log c (or the impurity) over n(f,s,l), labels of two levels, f, s of any.

    co[i * cells of s + k, p] rows have cell k of s, cell p and the i-th label. `out` has a row
    for each label, or one for all. `rest_s` and `rest_sl` are memory for a number for each code
    of s; the last one is that of the mode.
    """
    codes = n.s.size
    per_label = out.shape[0] > 1
    for i in range(n.l.size):
        totals = out[i if per_label else 0]
        mode_sl = n.l[i]
        mode_s = n.total
        for k in range(codes):
            mode_sl -= n.sl[i, k]
            mode_s -= n.s[k]
        for f in range(totals.size):
            rest_s[codes] = mode_s
            rest_sl[codes] = mode_sl
            total = _joint_of_cells(co, first[f], first[f + 1], n, i, how, rest_s, rest_sl)
            totals[f] += total + of_cell(rest_s[codes], rest_sl[codes], how)


@compiled
def add_features(t_fsl: Any, alone: Any, t_fl: Any, out: Any) -> None:
    """Add the information of all features: out[0] has the high bits, out[1] the low ones.

    None is below 0.
    """
    high = 0
    low = 0
    for f in range(t_fsl.size):
        value = max(0, t_fsl[f] + alone[f] - t_fl[f])
        high += value >> LOW_BITS
        low += value & ((1 << LOW_BITS) - 1)
    out[0] += high
    out[1] += low
