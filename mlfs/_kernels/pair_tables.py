"""Tables of two columns and a label of two classes: a bound of their interaction, and its model.

A table has the rows of each two levels, in all and with the label. The log-linear model without
interaction of all three has no closed form. Kirkwood's superposition, which has one, fits worse, so
that its likelihood ratio is a bound (Wan and others, 2010: BOOST), and independence of the label
fits worse than either. Only a table above both bounds is fitted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled, inner

MAX_STEPS = 60
CLOSE = 1e-5  # of a count, where fitting ends


@inner
def _n_log_n(n: Any, logs: Any) -> Any:
    if logs.size:
        return logs[np.int64(n)]
    return n * np.log(n) if n > 0.0 else 0.0


@inner
def _scale(wanted: float, have: float) -> float:
    return wanted / have if have > 0.0 else 0.0


@inner
def _fit(rows: Any, labelled: Any, coarse_f: Any, coarse_s: Any, sums: Any, out: Any) -> float:
    """Fit out[k, a, b]: the rows without (0) and with the label; its likelihood ratio.

    The model keeps the three margins of two, and those of coarse levels with the label where `sums`
    has any (iterative proportional fitting: Deming & Stephan, 1940).
    """
    n_f, n_s = rows.shape
    for k in range(2):
        for a in range(n_f):
            for b in range(n_s):
                out[k, a, b] = 0.5 * rows[a, b]
    for _ in range(MAX_STEPS):
        for k in range(2):
            for a in range(n_f):
                wanted, have = 0.0, 0.0
                for b in range(n_s):
                    wanted += labelled[a, b] if k else rows[a, b] - labelled[a, b]
                    have += out[k, a, b]
                factor = _scale(wanted, have)
                for b in range(n_s):
                    out[k, a, b] *= factor
            for b in range(n_s):
                wanted, have = 0.0, 0.0
                for a in range(n_f):
                    wanted += labelled[a, b] if k else rows[a, b] - labelled[a, b]
                    have += out[k, a, b]
                factor = _scale(wanted, have)
                for a in range(n_f):
                    out[k, a, b] *= factor
            if sums.size:
                for a in range(sums.shape[1]):
                    for b in range(sums.shape[2]):
                        sums[0, a, b], sums[1, a, b] = 0.0, 0.0
                for a in range(n_f):
                    for b in range(n_s):
                        wanted = labelled[a, b] if k else rows[a, b] - labelled[a, b]
                        sums[0, coarse_f[a], coarse_s[b]] += wanted
                        sums[1, coarse_f[a], coarse_s[b]] += out[k, a, b]
                for a in range(n_f):
                    for b in range(n_s):
                        to_f, to_s = coarse_f[a], coarse_s[b]
                        out[k, a, b] *= _scale(sums[0, to_f, to_s], sums[1, to_f, to_s])
        most = 0.0
        for a in range(n_f):
            for b in range(n_s):
                have = out[0, a, b] + out[1, a, b]
                most = max(most, abs(rows[a, b] - have))
                out[0, a, b] *= _scale(rows[a, b], have)
                out[1, a, b] *= _scale(rows[a, b], have)
        if most < CLOSE:
            break
    total = 0.0
    for a in range(n_f):
        for b in range(n_s):
            cell = labelled[a, b]
            if cell > 0.0:
                total += cell * np.log(cell / out[1, a, b])
            cell = rows[a, b] - cell
            if cell > 0.0:
                total += cell * np.log(cell / out[0, a, b])
    return 2.0 * total


@compiled
def interaction(
    rows: Any, labelled: Any, coarse_f: Any, coarse_s: Any, sums: Any, out: Any
) -> float:
    """Fit the model without interaction; its ratio to the one where coarse levels interact."""
    wider = _fit(rows, labelled, coarse_f, coarse_s, sums, out)
    return _fit(rows, labelled, coarse_f, coarse_s, np.zeros((0, 0, 0)), out) - wider


@inner
def _degrees(rows: Any) -> int:
    """The degrees of freedom of an interaction: of the cells that have rows."""
    cells, in_f, in_s = 0, 0, 0
    for a in range(rows.shape[0]):
        filled = 0
        for b in range(rows.shape[1]):
            filled += rows[a, b] > 0.0
        cells += filled
        in_f += filled > 0
    for b in range(rows.shape[1]):
        filled = 0
        for a in range(rows.shape[0]):
            filled += rows[a, b] > 0.0
        in_s += filled > 0
    return max(0, cells - in_f - in_s + 1)


@inner
def _fill(
    counts: Any, stratum: int, i: int, j: int, n_f: int, n_s: int,
    sides: Any, at_f: int, at_s: int, mask: int, to: int, tables: Any,
) -> None:  # fmt: skip
    """Fill a table of two columns: what was counted, and level 0 by what is missing."""
    corner = sides[stratum, mask, at_s]
    for b in range(1, n_s):
        tables[stratum, to, 0, b] = sides[stratum, mask, at_s + b]
    for a in range(1, n_f):
        rest = sides[stratum, mask, at_f + a]
        for b in range(1, n_s):
            cell = counts[stratum, i + a - 1, mask, j + b - 1]
            tables[stratum, to, a, b] = cell
            tables[stratum, to, 0, b] -= cell
            rest -= cell
        tables[stratum, to, a, 0] = rest
        corner -= rest
    tables[stratum, to, 0, 0] = corner


@inner
def _less_by_kirkwood(rows: Any, labelled: Any, logs: Any, sums: Any) -> float:
    """Difference of the bound by Kirkwood's superposition to the one by independence."""
    n_f, n_s = rows.shape
    n, with_label = 0.0, 0.0
    for b in range(n_s):
        sums[0, b], sums[1, b] = 0.0, 0.0
        for a in range(n_f):
            sums[0, b] += rows[a, b]
            sums[1, b] += labelled[a, b]
        n += sums[0, b]
        with_label += sums[1, b]
    out, share = 0.0, 0.0
    for a in range(n_f):
        all_f, with_f = 0.0, 0.0
        for b in range(n_s):
            all_f += rows[a, b]
            with_f += labelled[a, b]
        out += _n_log_n(all_f, logs) - _n_log_n(with_f, logs) - _n_log_n(all_f - with_f, logs)
        for b in range(n_s):
            if rows[a, b] > 0.0:
                expected = _scale(with_f * sums[1, b], with_label)
                expected += _scale((all_f - with_f) * (sums[0, b] - sums[1, b]), n - with_label)
                share += rows[a, b] * expected / (all_f * sums[0, b])
    for b in range(n_s):
        out += _n_log_n(sums[0, b], logs) - _n_log_n(sums[1, b], logs)
        out -= _n_log_n(sums[0, b] - sums[1, b], logs)
    out += 2 * (_n_log_n(with_label, logs) + _n_log_n(n - with_label, logs) - _n_log_n(n, logs))
    return out + (n * np.log(share) if share > 0.0 else 0.0)


@compiled
def interactions(
    counts: Any,
    anchors: Any,
    columns: Any,
    first: Any,
    sides: Any,
    masks: Any,
    known: Any,
    least: Any,
    logs: Any,
    out: Any,
) -> None:
    """out[i, j, label] = likelihood ratio of the interaction of two columns; 0 if it is small.

    Parameters
    ----------
    counts : (strata, planes of the anchors, masks, planes of the columns)
        The rows that two planes and a mask have in common.
    anchors, columns : (n,) each
        Neighbours, ascending; a column is asked about those before it.
    first : (d + 1,)
        The first plane of each column; level 0 has none.
    sides : (strata, masks, planes + d + 1)
        The rows of each level of each column in each mask; the last entry has those of the mask.
    masks, known : (labels,) each
        The mask of the rows that have a label, and of those where it is known.
    least : (degrees,)
        The least likelihood ratio that counts.
    logs : (n + 1,) or (0,)
        n log n, where all counts are whole numbers.
    """
    n_strata = counts.shape[0]
    widest = (first[1:] - first[:-1]).max() + 1
    tables = np.zeros((n_strata, 2, widest, widest))  # all rows, and those with the label
    fitted, margins = np.zeros((2, widest, widest)), np.zeros((2, widest))
    of_all = np.zeros(n_strata)
    none, nothing = np.zeros(0, np.int64), np.zeros((0, 0, 0))
    for i in range(anchors.size):
        f = anchors[i]
        n_f, at_f, in_f = first[f + 1] - first[f] + 1, first[f] + f, first[f] - first[anchors[0]]
        for j in range(columns.size):
            s, last = columns[j], -1
            n_s, at_s, in_s = (
                first[s + 1] - first[s] + 1,
                first[s] + s,
                first[s] - first[columns[0]],
            )
            for label in range(masks.size if s > f else 0):
                bound = 0.0
                for stratum in range(n_strata):
                    if known[label] != last:
                        _fill(
                            counts, stratum, in_f, in_s, n_f, n_s, sides, at_f, at_s, known[label],
                            0, tables,
                        )  # fmt: skip
                        of_all[stratum] = 0.0
                        for a in range(n_f):
                            for b in range(n_s):
                                of_all[stratum] += _n_log_n(tables[stratum, 0, a, b], logs)
                    _fill(
                        counts, stratum, in_f, in_s, n_f, n_s, sides, at_f, at_s, masks[label], 1,
                        tables,
                    )  # fmt: skip
                    n = sides[stratum, known[label], -1]
                    with_label = sides[stratum, masks[label], -1]
                    bound += _n_log_n(n, logs) - of_all[stratum]
                    bound -= _n_log_n(with_label, logs) + _n_log_n(n - with_label, logs)
                    for a in range(n_f):
                        for b in range(n_s):
                            cell = tables[stratum, 1, a, b]
                            bound += _n_log_n(cell, logs)
                            bound += _n_log_n(tables[stratum, 0, a, b] - cell, logs)
                last = known[label]
                out[i, j, label] = 0.0
                if 2 * bound < least[1]:
                    continue
                for stratum in range(n_strata):
                    bound += _less_by_kirkwood(
                        tables[stratum, 0, :n_f, :n_s],
                        tables[stratum, 1, :n_f, :n_s],
                        logs,
                        margins,
                    )
                if 2 * bound < least[1]:
                    continue
                degrees, ratio = 0, 0.0
                for stratum in range(n_strata):
                    rows, labelled = tables[stratum, 0, :n_f, :n_s], tables[stratum, 1, :n_f, :n_s]
                    degrees += _degrees(rows)
                    ratio += _fit(rows, labelled, none, none, nothing, fitted)
                if degrees and ratio >= least[min(degrees, least.size - 1)]:
                    out[i, j, label] = ratio
