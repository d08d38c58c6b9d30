"""The gain in Gini impurity of a label, which the criterion jim takes in place of information."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mlfs._kernels.full_tables import gini_of_tables
from mlfs.counting.column_groups import Triples
from mlfs.counting.xlogx import wrap_int64

if TYPE_CHECKING:
    from mlfs.counting.anchor import PairStatistics
    from mlfs.information.table import Table


def gini_gain(table: Table, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
    """sum_l G(f,s;l) of all features f with an anchor s.

    G(x;l) = sum_xl p(x,l)^2 / p(x) - sum_l p(l)^2, on the rows in which f, s and l are known.
    """
    counts, unit = table.counts, table.counts.xlogx.unit
    if not (table.all_valid(labels, pairs.anchor) and counts.labels.two_levels[labels].all()):
        return _gain_of_tables(table, pairs, labels)
    within = np.zeros(table.d, np.int64)

    def work(i: int, a: int, b: int) -> None:
        step = table.triples.labels_at_once(i, pairs)
        for start in range(0, labels.size, step):
            triples = Triples(pairs, i, counts.labels, labels[start : start + step])
            co_fl = table.label_pairs.co(i, triples.indices)
            counts.groups[i].add_gini_sums(triples, co_fl, unit, within[a:b])

    counts.parallel.over_groups(work, anchor=pairs.anchor, labels=labels)
    n, n_l = float(table.rows), counts.labels.n_cells[labels].astype(float)
    constant = sum(
        np.floor(2 * n_l * (n - n_l) / max(1.0, n) * unit + 0.5).astype(np.int64).tolist()
    )
    gain: np.ndarray = np.maximum(wrap_int64(constant) - within, 0) / (max(1.0, n) * unit)
    return gain


def _gain_of_tables(table: Table, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
    """sum_l G(f,s;l) from complete tables."""
    counts, unit = table.counts, table.counts.xlogx.unit
    added = np.zeros(table.d)
    valid = table.l_valid[labels]

    def work(i: int, a: int, b: int) -> None:
        for k, full, offsets in table.triples.tables(pairs, labels, i):
            l_valid = int(valid[k])
            out = np.empty((3 + l_valid, b - a), np.int64)
            gini_of_tables(
                full, offsets, table.f_valid[a:b], pairs.anchor.valid, l_valid, unit, out
            )
            rows, alone, within = out[:3]
            added[a:b] += np.maximum(alone - within, 0) / (np.maximum(rows, 1) * unit)

    counts.parallel.over_groups(work)
    return added
