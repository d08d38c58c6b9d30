"""Columns of any number of levels in row lists: only what meets is looked at closely.

Most features of a sparse table never meet a rare label off their base. For these one sum, of
the rows in which they are at their base, tells all; the others are completed cell by cell.
"""

from __future__ import annotations

from typing import Any

from mlfs._kernels.finishing import looked_up
from mlfs._kernels.jit import compiled, wrapping

__all__ = ["joint_of_levels", "off_base_sums", "pairs_of_levels"]


@compiled
def off_base_sums(table: Any, offsets: Any, bases: Any, clogc: Any, out: Any) -> None:
    """out[f] = the sum of c log c over the cells of a table in which f is off its base."""
    for f in range(bases.size):
        base = offsets[f] + bases[f]
        total = 0
        for cell in range(offsets[f], offsets[f + 1]):
            if cell != base:
                for s in range(table.shape[1]):
                    total += looked_up(table[cell, s], clogc)
        out[f] = total


@compiled
def pairs_of_levels(
    indptr: Any,
    columns: Any,
    codes: Any,
    offsets: Any,
    bases: Any,
    n_f: Any,
    t_off: Any,
    rows: Any,
    off: Any,
    weights: Any,
    n_s: Any,
    s_base: int,
    clogc: Any,
    met: Any,
    touched: Any,
    seen: Any,
    out: Any,
) -> None:
    """out[f] = the sum of c log c over n(f,s); s has the codes `off` in `rows`, else its base.

    `met`, of a row for each cell of f and a column for each code of s, and `seen` are 0 before
    and after.
    """
    found = 0
    for i in range(rows.size):
        row = rows[i]
        weight = weights[row]
        for entry in range(indptr[row], indptr[row + 1]):
            f = columns[entry]
            if seen[f] == 0:
                seen[f] = 1
                touched[found] = f
                found += 1
            met[offsets[f] + codes[entry], off[i]] += weight
    n_off = 0
    alone = 0
    for s in range(n_s.size):
        if s != s_base:
            n_off += n_s[s]
            alone += looked_up(n_s[s], clogc)
    for f in range(bases.size):
        if seen[f] == 0:
            rest = n_f[offsets[f] + bases[f]] - n_off
            out[f] = t_off[f] + alone + looked_up(rest, clogc)
    for k in range(found):
        f = touched[k]
        base = offsets[f] + bases[f]
        total = 0
        at_base = n_f[base]  # of those, the rows in which s is at its base
        for cell in range(offsets[f], offsets[f + 1]):
            if cell != base:
                rest = n_f[cell]
                for s in range(n_s.size):
                    total += looked_up(met[cell, s], clogc)
                    rest -= met[cell, s]
                total += looked_up(rest, clogc)
        for s in range(n_s.size):
            if s != s_base:
                rest = n_s[s]
                for cell in range(offsets[f], offsets[f + 1]):
                    rest -= met[cell, s]
                    met[cell, s] = 0
                total += looked_up(rest, clogc)
                at_base -= rest
        out[f] = total + looked_up(at_base, clogc)
        seen[f] = 0


@wrapping
@compiled
def joint_of_levels(
    indptr: Any,
    columns: Any,
    codes: Any,
    offsets: Any,
    bases: Any,
    s_codes: Any,
    label_indptr: Any,
    label_rows: Any,
    labels: Any,
    weights: Any,
    n_fs: Any,
    at_base: Any,
    t_off: Any,
    n_sl: Any,
    clogc: Any,
    met: Any,
    touched: Any,
    seen: Any,
    out: Any,
) -> None:
    """Add the sums of c log c over n(f,s,l) of labels of two levels; see `pairs_of_levels`.

    at_base[f] is n(f,s) where f is at its base, t_off[f] the sum over the other cells of n(f,s);
    n_sl[i] is n(s,l) where labels[i] is off its base. `out` has a row for each label, or one.
    """
    s_levels = n_fs.shape[1]
    each = out.shape[0] > 1
    for i in range(labels.size):
        totals = out[i if each else 0]
        found = 0
        for at in range(label_indptr[labels[i]], label_indptr[labels[i] + 1]):
            row = label_rows[at]
            s = s_codes[row]
            weight = weights[row]
            for entry in range(indptr[row], indptr[row + 1]):
                f = columns[entry]
                if seen[f] == 0:
                    seen[f] = 1
                    touched[found] = f
                    found += 1
                met[offsets[f] + codes[entry], s] += weight
        alone = 0
        for s in range(s_levels):
            alone += looked_up(n_sl[i, s], clogc)
        for f in range(bases.size):
            if seen[f] == 0:
                total = alone + t_off[f]
                for s in range(s_levels):
                    total += looked_up(at_base[f, s] - n_sl[i, s], clogc)
                totals[f] += total
        for k in range(found):
            f = touched[k]
            base = offsets[f] + bases[f]
            total = 0
            for s in range(s_levels):
                rest = n_sl[i, s]
                for cell in range(offsets[f], offsets[f + 1]):
                    if cell != base:
                        both = met[cell, s]
                        met[cell, s] = 0
                        rest -= both
                        total += looked_up(n_fs[cell, s] - both, clogc)
                        total += looked_up(both, clogc)
                total += looked_up(rest, clogc)
                total += looked_up(at_base[f, s] - rest, clogc)
            totals[f] += total
            seen[f] = 0
