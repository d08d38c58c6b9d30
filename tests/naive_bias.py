"""Corrections for bias, from the formulas: Miller-Madow, and the expectation by every count."""

from __future__ import annotations

from collections import Counter
from math import comb, fsum, log

from tests import naive


def h(*columns):
    """H + (m - 1) / 2N, where m is the number of different rows (Miller, 1955)."""
    n = len(columns[0])
    return naive.H(*columns) + (len(set(zip(*columns, strict=True))) - 1) / (2 * n)


def mi(a, b, *given):
    """I(a;b|given) of such entropies."""
    found = h(a, *given) + h(b, *given) - h(a, b, *given)
    return found - h(*given) if given else found


def expected(a, b):
    """E I(a;b) over all permutations of b: Vinh, Epps & Bailey (2010), equation (24a)."""
    n = len(a)
    terms = []
    for n_a in Counter(a).values():
        for n_b in Counter(b).values():
            for k in range(max(1, n_a + n_b - n), min(n_a, n_b) + 1):
                chance = comb(n_b, k) * comb(n - n_b, n_a - k) / comb(n, n_a)
                terms.append(chance * k / n * log(n * k / (n_a * n_b)))
    return fsum(terms)


def adjusted(a, b):
    return naive.I(a, b) - expected(a, b)
