"""Normal scores, and sums of their products, which are whole numbers."""

from __future__ import annotations

from typing import Any

from mlfs._kernels.jit import compiled, reassociating


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
