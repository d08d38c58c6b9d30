"""Cut rows by chance or by content, so that neither order nor repetition matters.

Equal rows stay together: a row that counts twice is cut as one that is there twice, and none is
judged by its own copy.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.models.problem import Problem


def row_marks(X: Any, Y: np.ndarray) -> np.ndarray:
    """A hash of each row's content, equal for rows with equal X and Y."""
    matrix = sp.csr_array(X, copy=True)
    matrix.eliminate_zeros()
    bounds = matrix.indptr.tolist()
    indices, values = matrix.indices.astype(np.int64), matrix.data
    marks = np.empty(matrix.shape[0], dtype=np.uint64)
    for row in range(marks.size):
        entries = slice(bounds[row], bounds[row + 1])
        content = indices[entries].tobytes() + values[entries].tobytes() + Y[row].tobytes()
        marks[row] = int.from_bytes(blake2b(content, digest_size=8).digest(), "little")
    return marks


def distinct_rows(problem: Problem) -> np.ndarray:
    """A number for each row from 0 on, equal where X and Y are.

    Examples
    --------
    >>> Y = np.zeros((3, 1), np.int8)
    >>> distinct_rows(Problem(np.array([[1.0], [2.0], [1.0]]), Y, ("l",))).tolist() in (
    ...     [0, 1, 0],
    ...     [1, 0, 1],
    ... )
    True
    """
    return np.unique(row_marks(problem.X, problem.Y), return_inverse=True)[1]


def random_folds(problem: Problem, folds: int, stream: int) -> list[tuple[Any, Any]]:
    """The rows to learn from and those held out of each fold; none if all rows are equal.

    Parameters
    ----------
    problem : Problem
        The rows.
    folds : int
        How many folds; no more than there are distinct rows.
    stream : int
        Of the random numbers of the problem.
    """
    mark = distinct_rows(problem)
    count = int(mark.max()) + 1
    fold = (problem.generator(stream).permutation(count) % folds)[mark]
    numbers = range(min(folds, count) if count > 1 else 0)
    return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in numbers]


def stratified_folds(X: Any, y: np.ndarray, n_folds: int) -> np.ndarray:
    """The fold of each row: of the distinct rows of each class, one after another in each fold.

    Examples
    --------
    >>> folds = stratified_folds(np.array([[1.0], [2.0], [3.0], [1.0]]), np.array([0, 1, 1, 0]), 2)
    >>> bool(folds[0] == folds[3]), bool(folds[1] == folds[2])
    (True, False)
    """
    folds = np.empty(len(y), dtype=np.intp)
    marks = row_marks(X, np.asarray(y, dtype=np.int64))
    start = 0
    for value in np.unique(y):
        rows = y == value
        mark = np.unique(marks[rows], return_inverse=True)[1]
        folds[rows] = (start + mark) % n_folds
        start += int(mark.max()) + 1
    return folds


def split_aside(problem: Problem, share: float, stream: int) -> tuple[Problem, Problem]:
    """The rows to learn from, and a share of the distinct rows that is kept aside.

    At least one is on either side; where there is only one distinct row, it is on both.

    Parameters
    ----------
    problem : Problem
        The rows.
    share : float
        How much is kept aside, between 0 and 1.
    stream : int
        Of the random numbers of the problem.
    """
    mark = distinct_rows(problem)
    count = int(mark.max()) + 1
    if count < 2:
        return problem, problem
    aside = np.zeros(count, dtype=bool)
    size = min(count - 1, max(1, round(share * count)))
    aside[problem.generator(stream).permutation(count)[:size]] = True
    return problem.rows(np.flatnonzero(~aside[mark])), problem.rows(np.flatnonzero(aside[mark]))


ERRORS, NATS = 5.0, 10.0


def clearly_less(differences: np.ndarray, weights: np.ndarray) -> bool:
    """Whether the sum of differences, in nats, is clearly less than 0.

    That is: below by 10 nats and five standard errors, so that further rows will not make up
    for it.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=100)
    >>> clearly_less(draws - 1, np.ones(100)), clearly_less(draws - 0.5, np.ones(100))
    (True, False)
    """
    total = float(weights.sum())
    if total <= 0:
        return False
    behind = float(weights @ differences)
    variance = float(weights @ (differences - behind / total) ** 2)
    return behind < -NATS - ERRORS * float(np.sqrt(variance))
