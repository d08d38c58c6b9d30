"""The labels as the supervised binnings count them: one column of 0 and 1 for each class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["Classes", "classes_of"]

LABELS_AT_ONCE = 64


@dataclass(frozen=True)
class Classes:
    """Some labels: which rows lie in which class.

    Parameters
    ----------
    member : ndarray of bool, shape (N, K)
        A column for each class of each label.
    label : ndarray of int64, shape (K,)
        Rising: the label of each column, counted from 0 within the group.
    positive : ndarray of bool, shape (K,)
        Whether LAIM counts the class: all but the class 0 of a binary label.
    """

    member: np.ndarray
    label: np.ndarray
    positive: np.ndarray


def classes_of(labels: Any, at_once: int = LABELS_AT_ONCE) -> Iterator[Classes]:
    """The classes of the labels, some labels at a time; -1 is in no class.

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
        yield Classes(dense[:, label] == value, label, positive)
