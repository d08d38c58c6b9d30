"""Count the rows in which values meet.

Only entries whose code is not the base of their column are walked; the rest of each table
follows by subtraction, exactly, because counts are integers.

A table of all features is kept ragged: feature f has the cells ``offsets[f]`` to
``offsets[f + 1]``, one for each of its codes; further axes (picked feature, label) come behind.
"""

from __future__ import annotations

from typing import Any

from mlfs._kernels.jit import compiled

__all__ = [
    "complete_given",
    "complete_pairs",
    "complete_triples",
    "count_given",
    "count_pairs",
    "count_triples",
]


@compiled
def count_pairs(
    indptr: Any,
    columns: Any,
    codes: Any,
    offsets: Any,
    rows: Any,
    groups: Any,
    weights: Any,
    out: Any,
) -> None:
    """out[cell of f, g] += weight, for the given rows, each in its group g."""
    for i in range(rows.size):
        row = rows[i]
        group = groups[i]
        weight = weights[row]
        for entry in range(indptr[row], indptr[row + 1]):
            out[offsets[columns[entry]] + codes[entry], group] += weight


@compiled
def count_triples(
    indptr: Any,
    columns: Any,
    codes: Any,
    offsets: Any,
    s_codes: Any,
    s_base: int,
    label_indptr: Any,
    label_rows: Any,
    label_codes: Any,
    labels: Any,
    weights: Any,
    out: Any,
) -> None:
    """out[i, cell of f, code of s, code of labels[i]] += weight, where nobody is at its base."""
    for i in range(labels.size):
        label = labels[i]
        for at in range(label_indptr[label], label_indptr[label + 1]):
            row = label_rows[at]
            s_code = s_codes[row]
            if s_code == s_base:
                continue
            l_code = label_codes[at]
            weight = weights[row]
            for entry in range(indptr[row], indptr[row + 1]):
                out[i, offsets[columns[entry]] + codes[entry], s_code, l_code] += weight


@compiled
def complete_pairs(table: Any, n_f: Any, n_g: Any, offsets: Any, bases: Any, g_base: int) -> None:
    """Fill the cells in which f or g is at its base."""
    n_groups = n_g.size
    for f in range(bases.size):
        base = offsets[f] + bases[f]
        for g in range(n_groups):
            if g != g_base:
                table[base, g] = n_g[g]
        for cell in range(offsets[f], offsets[f + 1]):
            if cell == base:
                continue
            rest = n_f[cell]
            for g in range(n_groups):
                if g != g_base:
                    rest -= table[cell, g]
                    table[base, g] -= table[cell, g]
            table[cell, g_base] = rest
        rest = n_f[base]
        for g in range(n_groups):
            if g != g_base:
                rest -= table[base, g]
        table[base, g_base] = rest


@compiled
def complete_triples(
    tables: Any,
    n_fs: Any,
    n_fl: Any,
    n_sl: Any,
    offsets: Any,
    bases: Any,
    s_base: int,
    l_levels: Any,
    l_bases: Any,
) -> None:
    """Fill the cells in which f, s or l is at its base; tables[i] belongs to n_fl[i]."""
    s_levels = tables.shape[2]
    for i in range(tables.shape[0]):
        l_base = l_bases[i]
        for f in range(bases.size):
            base = offsets[f] + bases[f]
            for c in range(s_levels):
                for y in range(l_levels[i]):
                    tables[i, base, c, y] = n_sl[i, c, y]
            for cell in range(offsets[f], offsets[f + 1]):
                if cell == base:
                    continue
                for y in range(l_levels[i]):
                    if y == l_base:
                        continue
                    rest = n_fl[i, cell, y]
                    for c in range(s_levels):
                        if c != s_base:
                            rest -= tables[i, cell, c, y]
                    tables[i, cell, s_base, y] = rest
                for c in range(s_levels):
                    rest = n_fs[cell, c]
                    for y in range(l_levels[i]):
                        if y != l_base:
                            rest -= tables[i, cell, c, y]
                    tables[i, cell, c, l_base] = rest
                for c in range(s_levels):
                    for y in range(l_levels[i]):
                        tables[i, base, c, y] -= tables[i, cell, c, y]


@compiled
def count_given(
    s_codes: Any,
    label_indptr: Any,
    label_rows: Any,
    label_codes: Any,
    labels: Any,
    weights: Any,
    out: Any,
) -> None:
    """out[i, code of s, code of labels[i]] += weight, where the label is not at its base."""
    for i in range(labels.size):
        for at in range(label_indptr[labels[i]], label_indptr[labels[i] + 1]):
            row = label_rows[at]
            out[i, s_codes[row], label_codes[at]] += weights[row]


@compiled
def complete_given(table: Any, n_s: Any, l_bases: Any) -> None:
    """Fill the cells in which the label is at its base."""
    for i in range(table.shape[0]):
        for s in range(n_s.size):
            rest = n_s[s]
            for y in range(table.shape[2]):
                rest -= table[i, s, y]
            table[i, s, l_bases[i]] = rest
