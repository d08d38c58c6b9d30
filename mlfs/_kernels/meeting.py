"""Columns of two levels that meet: counted through row lists, and finished at once.

Whatever has two levels is told by the rows in which it is off its base: `off_f`, `off_fs`,
`off_fl`, `off_l` and `off_sl` count these rows for a feature, a picked column and the labels,
alone and together. Which of the two codes the base is does not matter to any sum of c log c.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.finishing import looked_up
from mlfs._kernels.jit import compiled, inner, wrapping
from mlfs._kernels.planes import ONE

__all__ = [
    "add_label_sums",
    "group_rows",
    "joint_of_lists",
    "joint_of_meets",
    "joint_of_one",
    "meet_labels",
    "meet_rows",
    "pairs_of_two",
]


@inner
def _walk(indptr: Any, columns: Any, row: int, weight: int, out: Any) -> None:
    """out[f] += weight of one row, where f is off its base there.

    Unsigned places need no look whether they count from the end: half of the time.
    """
    at = np.uint64(row)
    for entry in range(np.uint64(indptr[at]), np.uint64(indptr[at + ONE])):
        out[np.uint64(columns[entry])] += weight


@compiled
def meet_rows(indptr: Any, columns: Any, rows: Any, weights: Any, out: Any) -> None:
    """out[f] += weight of the given rows in which f is off its base."""
    for i in range(rows.size):
        _walk(indptr, columns, rows[i], weights[rows[i]], out)


@compiled
def meet_labels(
    indptr: Any,
    columns: Any,
    label_indptr: Any,
    label_rows: Any,
    labels: Any,
    weights: Any,
    out: Any,
) -> None:
    """out[i, f] += weight of the rows in which f and labels[i] are off their bases."""
    for i in range(labels.size):
        for at in range(label_indptr[labels[i]], label_indptr[labels[i] + 1]):
            _walk(indptr, columns, label_rows[at], weights[label_rows[at]], out[i])


@compiled
def group_rows(
    rows: Any, indptr: Any, labels: Any, weights: Any, starts: Any, grouped: Any, off_sl: Any
) -> None:
    """Sort some rows by the labels that are off their bases there; starts is 0 at first.

    The rows of label l stand in ``grouped[starts[l]:starts[l + 1]]``, and off_sl[l] is their
    weight. `indptr` and `labels` are the labels row by row.
    """
    two = ONE + ONE
    for i in range(rows.size):
        row = np.uint64(rows[i])
        weight = weights[row]
        for at in range(np.uint64(indptr[row]), np.uint64(indptr[row + ONE])):
            label = np.uint64(labels[at])
            starts[label + two] += 1
            off_sl[label] += weight
    for end in range(2, starts.size):
        starts[end] += starts[end - 1]
    for i in range(rows.size):
        row = np.uint64(rows[i])
        for at in range(np.uint64(indptr[row]), np.uint64(indptr[row + ONE])):
            label = np.uint64(labels[at]) + ONE
            grouped[np.uint64(starts[label])] = rows[i]
            starts[label] += 1


@compiled
def pairs_of_two(off_f: Any, off_fs: Any, off_s: int, n_rows: int, clogc: Any, out: Any) -> None:
    """out[f] = the sum of c log c over n(f,s)."""
    for f in range(out.size):
        both = off_fs[f]
        alone = off_f[f]
        total = looked_up(n_rows - alone - off_s + both, clogc)
        total += looked_up(off_s - both, clogc)
        total += looked_up(alone - both, clogc)
        out[f] = total + looked_up(both, clogc)


@wrapping
@compiled
def add_label_sums(off_f: Any, off_fl: Any, off_l: Any, n_rows: int, clogc: Any, out: Any) -> None:
    """out[f] += the sum of c log c over n(f,l) of all labels."""
    for i in range(off_l.size):
        met = off_fl[i]
        label = off_l[i]
        for f in range(out.size):
            both = met[f]
            alone = off_f[f]
            total = looked_up(n_rows - alone - label + both, clogc)
            total += looked_up(label - both, clogc)
            total += looked_up(alone - both, clogc)
            out[f] += total + looked_up(both, clogc)


@inner
def _add_met(
    met: Any,
    off_f: Any,
    off_fs: Any,
    off_fl: Any,
    off_s: int,
    off_l: int,
    off_sl: int,
    n_rows: int,
    clogc: Any,
    out: Any,
) -> None:
    """out[f] += the sum of c log c over n(f,s,l) of one label."""
    only_l = off_l - off_sl
    only_s = off_s - off_sl
    neither = n_rows - off_s - only_l
    for f in range(out.size):
        all_three = met[f]
        only_fs = off_fs[f] - all_three
        only_fl = off_fl[f] - all_three
        only_f = off_f[f] - off_fs[f] - only_fl
        total = looked_up(neither - only_f, clogc)
        total += looked_up(only_l - only_fl, clogc)
        total += looked_up(only_s - only_fs, clogc)
        total += looked_up(off_sl - all_three, clogc)
        total += looked_up(only_f, clogc)
        total += looked_up(only_fl, clogc)
        total += looked_up(only_fs, clogc)
        out[f] += total + looked_up(all_three, clogc)


@inner
def _add_apart(
    off_f: Any,
    off_fs: Any,
    off_fl: Any,
    off_s: int,
    off_l: int,
    n_rows: int,
    clogc: Any,
    out: Any,
) -> None:
    """The like for a label that never meets s, but for the terms that no label changes."""
    neither = n_rows - off_s - off_l
    for f in range(out.size):
        fl = off_fl[f]
        only_f = off_f[f] - off_fs[f] - fl
        total = looked_up(neither - only_f, clogc)
        total += looked_up(off_l - fl, clogc)
        total += looked_up(only_f, clogc)
        out[f] += total + looked_up(fl, clogc)


@inner
def _add_alone(off_fs: Any, off_s: int, times: int, clogc: Any, out: Any) -> None:
    """The terms that no label changes, for so many labels."""
    for f in range(out.size):
        fs = off_fs[f]
        out[f] += times * (looked_up(off_s - fs, clogc) + looked_up(fs, clogc))


@wrapping
@compiled
def joint_of_lists(
    indptr: Any,
    columns: Any,
    first: Any,
    last: Any,
    rows: Any,
    weights: Any,
    off_f: Any,
    off_fs: Any,
    off_fl: Any,
    off_s: int,
    off_l: Any,
    off_sl: Any,
    n_rows: int,
    clogc: Any,
    met: Any,
    out: Any,
) -> None:
    """Add the sums of c log c over n(f,s,l) of some labels; `met` is 0 before and after.

    The rows from ``first[i]`` to ``last[i]`` are those in which s and the i-th label are off
    their bases. `out` has a row for each label, or one for all.
    """
    each = out.shape[0] > 1
    apart = 0
    for i in range(off_l.size):
        total = out[i if each else 0]
        if first[i] == last[i]:
            _add_apart(off_f, off_fs, off_fl[i], off_s, off_l[i], n_rows, clogc, total)
            apart += 1
            if each or i == off_l.size - 1:
                _add_alone(off_fs, off_s, apart, clogc, total)
                apart = 0
            continue
        for at in range(first[i], last[i]):
            _walk(indptr, columns, rows[at], weights[rows[at]], met)
        _add_met(met, off_f, off_fs, off_fl[i], off_s, off_l[i], off_sl[i], n_rows, clogc, total)
        met[:] = 0
    if apart:
        _add_alone(off_fs, off_s, apart, clogc, out[0])


@compiled
def joint_of_one(
    indptr: Any,
    columns: Any,
    s_rows: Any,
    label_rows: Any,
    weights: Any,
    off_f: Any,
    off_fs: Any,
    off_fl: Any,
    off_s: int,
    off_l: int,
    n_rows: int,
    clogc: Any,
    met: Any,
    out: Any,
) -> None:
    """The like for one label, from the rows in which it is off its base, and those of s."""
    off_sl = 0
    i = 0
    j = 0
    while i < s_rows.size and j < label_rows.size:
        row = s_rows[i]
        other = label_rows[j]
        if row == other:
            off_sl += weights[row]
            _walk(indptr, columns, row, weights[row], met)
        i += row <= other
        j += other <= row
    _add_met(met, off_f, off_fs, off_fl, off_s, off_l, off_sl, n_rows, clogc, out)


@wrapping
@compiled
def joint_of_meets(
    met: Any,
    off_f: Any,
    off_fs: Any,
    off_fl: Any,
    off_s: int,
    off_l: Any,
    off_sl: Any,
    n_rows: int,
    clogc: Any,
    out: Any,
) -> None:
    """The like where met[i, f] was counted before."""
    each = out.shape[0] > 1
    for i in range(off_l.size):
        total = out[i if each else 0]
        _add_met(met[i], off_f, off_fs, off_fl[i], off_s, off_l[i], off_sl[i], n_rows, clogc, total)
