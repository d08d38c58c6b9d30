"""Feature-by-label arrays of a few labels, for what does not commute with the sum over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlfs.counting.memory import Budget
from mlfs.counting.xlogx import entropies
from mlfs.information.table import Table
from mlfs.information.triples import Sums

LABELS_AT_ONCE = 32
BLOCK_BYTES = 80  # of a feature and a label in a block: their sums, and what is made of these


class LabelBlock:
    """The (f, block of labels) arrays that `Info.sum_over_labels` hands to its function.

    Parameters
    ----------
    table : Table
        The counts.
    labels : ndarray of int
        The labels of the block.
    positions : ndarray of int or None
        The positions of the candidates among the counted columns; None for all in order.
    """

    def __init__(self, table: Table, labels: np.ndarray, positions: np.ndarray | None) -> None:
        self._table, self._labels, self._positions = table, labels, positions
        self.q = int(labels.size)
        self._last_sums: dict[int, Sums] = {}

    @property
    def mi_fl(self) -> np.ndarray:
        """I(f;l)."""
        values = [self._table.pair_with_label(label).mi for label in self._labels.tolist()]
        return self._cut(np.stack(values))

    def cmi_sl_given_f(self, s: int) -> np.ndarray:
        """I(s;l|f)."""
        return self._cut(self._sums(s).sl_given_f(self._table.counts.xlogx))

    def cmi_fl_given_s(self, s: int) -> np.ndarray:
        """I(f;l|s)."""
        return self._cut(self._sums(s).fl_given_s(self._table.counts.xlogx))

    def interaction_fsl(self, s: int) -> np.ndarray:
        """I(f;s;l) = I(f;l) - I(f;l|s), both on the rows in which all three are known."""
        return self._mi_fl(s) - self.cmi_fl_given_s(s)

    def joint_fsl(self, s: int) -> np.ndarray:
        """I(f,s;l) = I(f;l) + I(s;l|f), both on the rows in which all three are known."""
        return self._mi_fl(s) + self.cmi_sl_given_f(s)

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s) on the rows in which each label is known."""
        sums = self._sums(s)
        return self._entropy(sums.rows, sums.f + sums.s - sums.fs)

    def h_fsl(self, s: int) -> np.ndarray:
        """H(f,s,l)."""
        sums = self._sums(s)
        return self._entropy(sums.rows, sums.fsl)

    def _mi_fl(self, s: int) -> np.ndarray:
        sums = self._sums(s)
        return self._entropy(sums.rows, sums.f + sums.l - sums.fl)

    def _sums(self, s: int) -> Sums:
        if s not in self._last_sums:
            pairs = self._table.feature(self._table.position(s))
            self._last_sums = {s: self._table.triples.sums(pairs, self._labels)}
        return self._last_sums[s]

    def _entropy(self, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        return self._cut(entropies(rows, t, self._table.counts.xlogx))

    def _cut(self, values: np.ndarray) -> np.ndarray:
        return (values if self._positions is None else values[:, self._positions]).T


def sum_over_labels(
    d: int,
    labels: np.ndarray,
    budget: Budget,
    block_of: Callable[[np.ndarray], Any],
    g: Callable[[Any], np.ndarray],
) -> np.ndarray:
    """Sum g(block) over the labels, as many at a time as memory allows."""
    total = np.zeros(d)
    step = min(LABELS_AT_ONCE, max(1, budget.block // (BLOCK_BYTES * max(1, d))))
    for start in range(0, labels.size, step):
        block = block_of(labels[start : start + step])
        values = g(block)
        for i in range(block.q):
            total += values[:, i]
    return total
