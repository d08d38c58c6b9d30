"""Informations of a few features with some picked ones, straight from their bit planes.

The sums of ``c log c`` are whole numbers and put together as a sweep over all features puts them
together, so every information has the bits that the sweep gives it. A column has one plane for
each code but its base, in the order of the codes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled, inner, wrapping
from mlfs._kernels.planes import popcount

__all__ = ["few_pairs", "few_triples"]


@inner
def _meet(one: Any, other: Any) -> Any:
    total = np.uint64(0)
    for word in range(one.size):
        total += popcount(one[word] & other[word])
    return np.int64(total)


@inner
def _meet_into(one: Any, other: Any, out: Any) -> Any:
    total = np.uint64(0)
    for word in range(one.size):
        both = one[word] & other[word]
        out[word] = both
        total += popcount(both)
    return np.int64(total)


@inner
def _complete(
    table: Any,
    n_f: Any,
    f_at: int,
    levels: int,
    base: int,
    n_s: Any,
    s_at: int,
    s_levels: int,
    s_base: int,
) -> None:
    """Fill the cells of n(f, s) in which f or s is at its base."""
    for a in range(levels):
        if a != base:
            rest = n_f[f_at + a]
            for c in range(s_levels):
                if c != s_base:
                    rest -= table[a, c]
            table[a, s_base] = rest
    for c in range(s_levels):
        rest = n_s[s_at + c]
        for a in range(levels):
            if a != base:
                rest -= table[a, c]
        table[base, c] = rest


@inner
def _sum(table: Any, levels: int, s_levels: int, clogc: Any) -> int:
    total = 0
    for a in range(levels):
        for c in range(s_levels):
            total += clogc[table[a, c]]
    return total


@compiled
def few_pairs(
    planes: Any,
    first: Any,
    levels: Any,
    base: Any,
    n_f: Any,
    f_at: Any,
    t_f: Any,
    s_planes: Any,
    s_first: Any,
    s_levels: Any,
    s_base: Any,
    n_s: Any,
    s_at: Any,
    t_s: Any,
    start: Any,
    where: Any,
    n_rows: int,
    scale: float,
    clogc: Any,
    out: Any,
) -> None:
    """out[j, where[i]] = I(f;s) of the i-th feature and the picks j from start[i] on.

    n_f[f_at[i] + code] and n_s[s_at[j] + code] are how often each code occurs.
    """
    table = np.zeros((levels.max(), s_levels.max()), np.int64)
    t_n = clogc[n_rows]
    for i in range(first.size):
        l_f = levels[i]
        b_f = base[i]
        for j in range(start[i], s_first.size):
            l_s = s_levels[j]
            b_s = s_base[j]
            if l_f == 2 and l_s == 2:
                off = _meet(planes[first[i]], s_planes[s_first[j]])
                f_1 = n_f[f_at[i] + 1]
                s_1 = n_s[s_at[j] + 1]
                # what was met is f and s off their bases; turn it into f = s = 1
                if b_s:
                    off = n_f[f_at[i] + 1 - b_f] - off
                if b_f:
                    off = s_1 - off
                t_fs = clogc[n_rows - f_1 - s_1 + off] + clogc[s_1 - off]
                t_fs += clogc[f_1 - off]
                t_fs += clogc[off]
            else:
                plane = first[i]
                for a in range(l_f):
                    if a != b_f:
                        s_plane = s_first[j]
                        for c in range(l_s):
                            if c != b_s:
                                table[a, c] = _meet(planes[plane], s_planes[s_plane])
                                s_plane += 1
                        plane += 1
                _complete(table, n_f, f_at[i], l_f, b_f, n_s, s_at[j], l_s, b_s)
                t_fs = _sum(table, l_f, l_s, clogc)
            out[j, where[i]] = max(0.0, (t_n + t_fs - t_f[i] - t_s[j]) / scale)


@wrapping
@compiled
def few_triples(
    planes: Any,
    first: Any,
    levels: Any,
    base: Any,
    n_f: Any,
    f_at: Any,
    t_f: Any,
    s_planes: Any,
    s_first: Any,
    s_levels: Any,
    s_base: Any,
    n_s: Any,
    s_at: Any,
    t_s: Any,
    start: Any,
    where: Any,
    scale: float,
    clogc: Any,
    l_planes: Any,
    l_first: Any,
    l_levels: Any,
    l_base: Any,
    n_l: Any,
    l_at: Any,
    sl_given_f: Any,
    fl_given_s: Any,
    sums: Any,
) -> None:
    """Set the sums over the labels of I(s;l|f) and I(f;l|s), of features and picks as above.

    If `sums` has any size, sums[:, j, k, where[i]] are the sums of c log c over n(f,s,l) of the
    k-th label, n(f,s), n(f,l) and n(s,l).
    """
    most_f = levels.max()
    most_s = s_levels.max()
    most_l = l_levels.max()
    n_labels = l_first.size
    n_picks = s_first.size
    n_fs = np.zeros((most_f, most_s), np.int64)
    n_fl = np.zeros((n_labels, most_f, most_l), np.int64)
    n_sl = np.zeros((n_picks, n_labels, most_s, most_l), np.int64)
    cells = np.zeros((n_labels, most_f, most_s, most_l), np.int64)
    t_fl = np.zeros(n_labels, np.int64)
    t_sl = np.zeros((n_picks, n_labels), np.int64)
    both = np.zeros(planes.shape[1], np.uint64)
    for j in range(start.min(), n_picks):
        for k in range(n_labels):
            s_plane = s_first[j]
            for c in range(s_levels[j]):
                if c != s_base[j]:
                    l_plane = l_first[k]
                    for y in range(l_levels[k]):
                        if y != l_base[k]:
                            n_sl[j, k, c, y] = _meet(s_planes[s_plane], l_planes[l_plane])
                            l_plane += 1
                    s_plane += 1
            _complete(
                n_sl[j, k],
                n_s,
                s_at[j],
                s_levels[j],
                s_base[j],
                n_l,
                l_at[k],
                l_levels[k],
                l_base[k],
            )
            t_sl[j, k] = _sum(n_sl[j, k], s_levels[j], l_levels[k], clogc)
    for i in range(first.size):
        l_f = levels[i]
        b_f = base[i]
        if start[i] == n_picks:
            continue
        for k in range(n_labels):
            plane = first[i]
            for a in range(l_f):
                if a != b_f:
                    l_plane = l_first[k]
                    for y in range(l_levels[k]):
                        if y != l_base[k]:
                            n_fl[k, a, y] = _meet(planes[plane], l_planes[l_plane])
                            l_plane += 1
                    plane += 1
            _complete(n_fl[k], n_f, f_at[i], l_f, b_f, n_l, l_at[k], l_levels[k], l_base[k])
            t_fl[k] = _sum(n_fl[k], l_f, l_levels[k], clogc)
        for j in range(start[i], n_picks):
            l_s = s_levels[j]
            b_s = s_base[j]
            plane = first[i]
            for a in range(l_f):
                if a != b_f:
                    s_plane = s_first[j]
                    for c in range(l_s):
                        if c != b_s:
                            n_fs[a, c] = _meet_into(planes[plane], s_planes[s_plane], both)
                            for k in range(n_labels):
                                l_plane = l_first[k]
                                rest = n_fs[a, c]
                                for y in range(l_levels[k]):
                                    if y != l_base[k]:
                                        met = _meet(both, l_planes[l_plane])
                                        cells[k, a, c, y] = met
                                        rest -= met
                                        l_plane += 1
                                cells[k, a, c, l_base[k]] = rest
                            s_plane += 1
                    plane += 1
            _complete(n_fs, n_f, f_at[i], l_f, b_f, n_s, s_at[j], l_s, b_s)
            t_fs = _sum(n_fs, l_f, l_s, clogc)
            total_sl = n_labels * (t_f[i] - t_fs)
            total_fl = n_labels * (t_s[j] - t_fs)
            for k in range(n_labels):
                for y in range(l_levels[k]):
                    for a in range(l_f):
                        if a != b_f:
                            rest = n_fl[k, a, y]
                            for c in range(l_s):
                                if c != b_s:
                                    rest -= cells[k, a, c, y]
                            cells[k, a, b_s, y] = rest
                    for c in range(l_s):
                        rest = n_sl[j, k, c, y]
                        for a in range(l_f):
                            if a != b_f:
                                rest -= cells[k, a, c, y]
                        cells[k, b_f, c, y] = rest
                t_fsl = 0
                for a in range(l_f):
                    for c in range(l_s):
                        for y in range(l_levels[k]):
                            t_fsl += clogc[cells[k, a, c, y]]
                total_sl += t_fsl - t_fl[k]
                total_fl += t_fsl - t_sl[j, k]
                if sums.size:
                    sums[0, j, k, where[i]] = t_fsl
                    sums[1, j, k, where[i]] = t_fs
                    sums[2, j, k, where[i]] = t_fl[k]
                    sums[3, j, k, where[i]] = t_sl[j, k]
            sl_given_f[j, where[i]] = max(0.0, total_sl / scale)
            fl_given_s[j, where[i]] = max(0.0, total_fl / scale)
