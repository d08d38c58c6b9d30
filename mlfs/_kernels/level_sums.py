"""Sums by the levels of a column: of labels, of strata, and of the parts of other columns.

A column stores a level for some rows, or for all of them (`rows` is empty then). All sums are whole
numbers, and exact in any order.
"""

from __future__ import annotations

from typing import Any

from mlfs._kernels.jit import compiled


@compiled
def cut_levels(values: Any, cuts: Any, out: Any) -> None:
    """Set out to the number of cuts below each value; of a missing one to the level after them."""
    for i in range(values.size):
        value = values[i]
        level = 0
        for k in range(cuts.size):
            level += value > cuts[k]
        out[i] = level if value == value else cuts.size + 1


@compiled
def label_sums(levels: Any, rows: Any, weights: Any, first: Any, labels: Any, out: Any) -> None:
    """Add to out[level, label] the weight of each row that has the label."""
    for i in range(levels.size):
        row = rows[i] if rows.size else i
        weight = weights[row] if weights.size else 1
        for k in range(first[row], first[row + 1]):
            out[levels[i], labels[k]] += weight


@compiled
def stratum_sums(levels: Any, rows: Any, weights: Any, strata: Any, out: Any) -> None:
    """Add to out[level, stratum] the weight of each row."""
    for i in range(levels.size):
        row = rows[i] if rows.size else i
        weight = weights[row] if weights.size else 1
        out[levels[i], strata[row]] += weight


@compiled
def part_sums(levels: Any, rows: Any, weights: Any, parts: Any, out: Any) -> None:
    """Add to out[level, part] the parts of other columns of each row, times its weight."""
    width = parts.shape[1]
    for i in range(levels.size):
        row = rows[i] if rows.size else i
        level = levels[i]
        if weights.size:
            weight = weights[row]
            for part in range(width):
                out[level, part] += weight * parts[row, part]
        else:
            for part in range(width):
                out[level, part] += parts[row, part]
