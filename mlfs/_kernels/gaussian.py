"""Information of normal variables, from the correlations of their columns; normal scores.

A variable is a block of columns of variance 1. I(f;t|z) is half the logarithm of how much more of
t varies given z than given z and f. A direction that other columns determine is left out. Sums of
products of normal scores are whole numbers.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels.co_sums import log
from mlfs._kernels.jit import compiled, inner, reassociating

NONE = 1e-9  # of a variance of 1: less is determined by the other columns
LEAST = 1e-12  # of what varies: the most that a prediction can take


class Candidates(NamedTuple):
    """The candidates: where the columns of each begin, and the correlations within each."""

    first: np.ndarray
    own: np.ndarray  # the correlations, one candidate after the other
    own_first: np.ndarray


class Condition(NamedTuple):
    """The picks so far: their factor, see `factor`, and its correlations with the candidates."""

    lower: np.ndarray
    f: np.ndarray  # (columns of the candidates, given columns)


class Targets(NamedTuple):
    """The targets: where the columns of each begin, and how they vary with the rest."""

    first: np.ndarray
    f: np.ndarray  # (columns of the candidates, columns of the targets)
    z: np.ndarray  # (columns of the targets, given columns), solved by the factor of what is given
    lower: np.ndarray  # (targets, most columns, most columns): factors of the targets given z


class Scratch(NamedTuple):
    """Memory for one candidate."""

    u: np.ndarray  # (most columns of a candidate, given columns)
    r: np.ndarray  # (most columns of a candidate, the same)
    v: np.ndarray  # (most columns of a candidate, most columns of a target)
    s: np.ndarray  # (most columns of a target, the same)


@inner
def _factor(a: Any, size: int) -> None:
    for j in range(size):
        pivot = a[j, j]
        for k in range(j):
            pivot -= a[j, k] * a[j, k]
        a[j, j] = math.sqrt(pivot) if pivot > NONE else 0.0
        for i in range(j + 1, size):
            value = a[i, j]
            for k in range(j):
                value -= a[i, k] * a[j, k]
            a[i, j] = value / a[j, j] if a[j, j] > 0.0 else 0.0


@inner
def _solve(lower: Any, size: int, row: Any) -> None:
    for j in range(size):
        value = row[j]
        for k in range(j):
            value -= lower[j, k] * row[k]
        row[j] = value / lower[j, j] if lower[j, j] > 0.0 else 0.0


@compiled
def factor(a: Any) -> None:
    """Replace a correlation matrix by its lower factor, with zeros for determined columns."""
    _factor(a, a.shape[0])


@compiled
def solve(lower: Any, rows: Any) -> None:
    """Solve lower x = row for each row, in its place; 0 where a column is determined."""
    for i in range(rows.shape[0]):
        _solve(lower, lower.shape[0], rows[i])


@inner
def _log_det(s: Any, size: int) -> float:
    total = 0.0
    for j in range(size):
        pivot = s[j, j]
        for k in range(j):
            pivot -= s[j, k] * s[j, k]
        pivot = max(pivot, LEAST)
        total += log(pivot)
        s[j, j] = math.sqrt(pivot)
        for i in range(j + 1, size):
            value = s[i, j]
            for k in range(j):
                value -= s[i, k] * s[j, k]
            s[i, j] = value / s[j, j]
    return total


@inner
def _prepare(f: int, c: Candidates, given: Condition, scratch: Scratch) -> None:
    """Set u to what z explains of a candidate's columns, and r to the factor of the rest."""
    begin = c.first[f]
    size = c.first[f + 1] - begin
    n_given = given.lower.shape[0]
    for i in range(size):
        for j in range(n_given):
            scratch.u[i, j] = given.f[begin + i, j]
        _solve(given.lower, n_given, scratch.u[i])
        for j in range(i + 1):
            value = c.own[c.own_first[f] + i * size + j]
            for k in range(n_given):
                value -= scratch.u[i, k] * scratch.u[j, k]
            scratch.r[i, j] = value
    _factor(scratch.r, size)


@inner
def _explained(
    f: int, t: int, c: Candidates, n_given: int, targets: Targets, scratch: Scratch
) -> float:
    """I(f;t|z) of a candidate that is prepared."""
    begin = c.first[f]
    size = c.first[f + 1] - begin
    start = targets.first[t]
    width = targets.first[t + 1] - start
    for i in range(size):
        for j in range(width):
            value = targets.f[begin + i, start + j]
            for k in range(n_given):
                value -= scratch.u[i, k] * targets.z[start + j, k]
            scratch.v[i, j] = value
        _solve(targets.lower[t], width, scratch.v[i])
        for j in range(width):
            value = scratch.v[i, j]
            for k in range(i):
                value -= scratch.r[i, k] * scratch.v[k, j]
            scratch.v[i, j] = value / scratch.r[i, i] if scratch.r[i, i] > 0.0 else 0.0
    for j in range(width):
        for l in range(j + 1):
            value = 1.0 if j == l else 0.0
            for i in range(size):
                value -= scratch.v[i, j] * scratch.v[i, l]
            scratch.s[j, l] = value
    return max(0.0, -0.5 * _log_det(scratch.s, width))


@compiled
def add_information(
    c: Candidates,
    given: Condition,
    targets: Targets,
    scratch: Scratch,
    begin: int,
    end: int,
    out: Any,
) -> None:
    """Add I(f;t|z) of the candidates from begin to end to out[f, t], or of all targets to one."""
    per_target = out.shape[1] > 1
    for f in range(begin, end):
        _prepare(f, c, given, scratch)
        for t in range(targets.first.size - 1):
            information = _explained(f, t, c, given.lower.shape[0], targets, scratch)
            out[f, t if per_target else 0] += information


@compiled
def score_column(values: Any, order: Any, weights: Any, table: Any, out: Any) -> int:
    """out[row] = the score of the mid-rank of a value; 0 where it is missing.

    `order` sorts the values, with those that are missing (NaN) last, and `weights` says how often
    each row counts, or is empty. table[r] is the score of the mid-rank r / 2. Returns the number of
    different values.
    """
    n = order.size
    first = 0
    before = 0
    distinct = 0
    while first < n:
        value = values[order[first]]
        last = first
        run = 0
        while last < n and values[order[last]] == value:
            run += weights[order[last]] if weights.size else 1
            last += 1
        if last == first:  # NaN equals nothing
            break
        score = table[2 * before + run + 1]
        for i in range(first, last):
            out[order[i]] = score
        before += run
        first = last
        distinct += 1
    for i in range(first, n):
        out[order[i]] = 0
    return distinct


@reassociating
def products(values: Any, rows: Any, others: Any, out: Any) -> None:
    """out[i, j] = the sum of products of values[rows[i]] and others[j].

    All are whole numbers whose sums fit a float exactly, so that any order gives the same bits.
    Four rows are read at a time.
    """
    size = rows.size
    n = values.shape[1]
    for i in range(0, size, 4):
        one = values[rows[i]]
        two = values[rows[min(i + 1, size - 1)]]
        three = values[rows[min(i + 2, size - 1)]]
        four = values[rows[min(i + 3, size - 1)]]
        for j in range(others.shape[0]):
            other = others[j]
            a = 0.0
            b = 0.0
            c = 0.0
            d = 0.0
            for k in range(n):
                x = other[k]
                a += one[k] * x
                b += two[k] * x
                c += three[k] * x
                d += four[k] * x
            out[i, j] = a
            if i + 1 < size:
                out[i + 1, j] = b
            if i + 2 < size:
                out[i + 2, j] = c
            if i + 3 < size:
                out[i + 3, j] = d
