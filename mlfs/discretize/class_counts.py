"""The class memberships that the supervised binnings count, and their cumulative counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["Classes", "Ladder", "classes_of"]

LABELS_AT_ONCE = 64


@dataclass(frozen=True)
class Classes:
    """The classes of some labels and the rows in each.

    Parameters
    ----------
    member : ndarray of bool, shape (N, K)
        A column for each class of each label.
    label : ndarray of int64, shape (K,)
        Rising: the label of each column, counted from 0 within the group.
    positive : ndarray of bool, shape (K,)
        Whether LAIM counts the class: all but the class 0 of a binary label.
    is_labelled : ndarray of bool, shape (N,)
        Whether any label of the row is known.
    totals : ndarray, shape (K,)
        The number (weight) of the rows in each class.
    """

    member: np.ndarray
    label: np.ndarray
    positive: np.ndarray
    is_labelled: np.ndarray
    totals: np.ndarray

    def rows(self, kept: np.ndarray, weights: np.ndarray | None) -> Classes:
        """The same for some of the rows, with their weights."""
        member = self.member[kept]
        totals = totals_of(member, weights)
        return Classes(member, self.label, self.positive, self.is_labelled[kept], totals)


def classes_of(
    labels: Any, weights: np.ndarray | None = None, at_once: int = LABELS_AT_ONCE
) -> Iterator[Classes]:
    """Yield the classes of some labels at a time; the value -1 is in no class.

    Examples
    --------
    >>> [group] = classes_of(np.array([[0, 2], [1, 1], [-1, 0]]))
    >>> group.member.astype(int).tolist()
    [[1, 0, 0, 0, 1], [0, 1, 0, 1, 0], [0, 0, 1, 0, 0]]
    >>> group.label.tolist()
    [0, 0, 1, 1, 1]
    """
    table = sp.csc_array(labels) if sp.issparse(labels) else np.asarray(labels)
    for first in range(0, table.shape[1], at_once):
        part: Any = table[:, first : first + at_once]
        dense = part.toarray() if sp.issparse(part) else part
        if not dense.size:
            continue
        highest = np.maximum(dense.max(axis=0), 1)
        label = np.repeat(np.arange(dense.shape[1]), highest + 1)
        value = np.concatenate([np.arange(top + 1) for top in highest.tolist()])
        positive = (value > 0) | (highest[label] > 1)
        member = dense[:, label] == value
        is_labelled = (dense >= 0).any(axis=1)
        yield Classes(member, label, positive, is_labelled, totals_of(member, weights))


def totals_of(member: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """How many rows (or what weight) each class has; exact for weights on a grid."""
    return member.sum(axis=0) if weights is None else (member * weights[:, None]).sum(axis=0)


@dataclass(frozen=True)
class Ladder:
    """Cumulative counts of the rows over the distinct values of a column.

    Parameters
    ----------
    distinct : ndarray, shape (m,)
        The values, rising.
    rows : ndarray, shape (m + 1,)
        The number (weight) of rows below distinct[0], below distinct[1], ..., of all.
    members : list of ndarray, shape (m + 1, K)
        The same within each class, for each group of labels.
    """

    distinct: np.ndarray
    rows: np.ndarray
    members: list[np.ndarray]

    @classmethod
    def of(
        cls, values: np.ndarray, groups: list[Classes], weights: np.ndarray | None, is_counted: Any
    ) -> Ladder:
        """Count over the values of the rows that are counted."""
        counted = np.flatnonzero(is_counted)
        order = counted[np.argsort(values[counted], kind="stable")]
        distinct, first_rows, counts = np.unique(
            values[order], return_index=True, return_counts=True
        )
        if not distinct.size:
            return cls(distinct, np.zeros(1, dtype=np.int64), [])
        mass = np.ones(order.size, dtype=np.int32) if weights is None else weights[order]
        rows = _climb(np.add.reduceat(mass, first_rows))
        # The counts of the most frequent value (0 in a sparse column) are those left by the others.
        common = int(counts.argmax())
        start, end = first_rows[common], first_rows[common] + counts[common]
        others = np.concatenate([order[:start], order[end:]])
        starts = np.delete(first_rows, common)
        starts[common:] -= counts[common]
        mass_of_others = np.concatenate([mass[:start], mass[end:]])[:, None]
        members = []
        for group in groups:
            steps = np.zeros((distinct.size, group.totals.size), dtype=group.totals.dtype)
            if starts.size:
                sums = np.add.reduceat(group.member[others] * mass_of_others, starts, axis=0)
                steps[:common], steps[common + 1 :] = sums[:common], sums[common:]
            steps[common] = group.totals - steps.sum(axis=0)
            members.append(_climb(steps))
        return cls(distinct, rows, members)


def _climb(steps: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros_like(steps[:1]), np.cumsum(steps, axis=0)])
