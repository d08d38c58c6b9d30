"""Rows, labels, weights and columns per label from which a structure or a model is learned.

A data set may be given in the place of X and y. Rows are cut by chance or by content, so that
neither order nor repetition matters: equal rows stay together, a row that counts twice is cut as
one that is there twice, and none is judged by its own copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.options import PREPARING, threads
from mlfs.api.prepared import NO_MATTER, Prepared, prepare
from mlfs.data.columns import force_nominal
from mlfs.data.dataset import Column, Dataset, Label, NumberedNames
from mlfs.data.frames import family
from mlfs.data.labels.finding import first_duplicate
from mlfs.errors import DataError, UsageError, printable

MISSING = -1


class Stream(IntEnum):
    """The streams of random numbers that a seed has; each is drawn from in one place.

    Members of an ensemble draw from streams of their own numbers, 0, 1, ...
    """

    ORDER = 1  # a random order of labels
    ROOT = 2  # the root of a tree of labels
    HELD_OUT = 3  # rows and seeds of held-out likelihoods
    VALIDATION = 31  # the rows by which a mixture is judged
    DRAWS = 32  # samples of a mixture
    NUMBER = 34  # the rows by which the number of features is chosen
    FIRST_ORDER = 41  # where the search for an order of labels begins
    SWAPS = 42  # the steps of that search
    PAYOFF = 43  # the rows by which an order is judged
    THRESHOLDS = 71  # the folds of thresholds
    FIRST_LAYER = 72  # the folds of a first layer
    LABELSETS = 73  # random sets of labels
    CLUSTERS = 74  # the first centres of clusters of labels


@dataclass(frozen=True)
class Problem:
    """Rows and labels as models see them, checked and coded.

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, d)
        The features as they were given.
    Y : ndarray of int8, shape (n, q)
        The labels: 0, 1, or -1 where missing.
    names : tuple of str
        The names of the labels.
    feature_names : tuple of str
        The names of the columns of X; ``x0, x1, ...`` by default.
    weights : ndarray of float64, optional
        How much each row counts; rows of weight 0 are left out beforehand.
    base_estimator : classifier, optional
        Cloned for every label that is to be fitted.
    features : tuple of (ndarray of int or None), optional
        The columns of X that each label may use; None is all of them.
    n_jobs : int, optional
        How many labels are fitted at the same time; the answer does not depend on it.
    seed : int
        Seeds every random choice.
    shared : list of Prepared
        What was prepared so far, for all problems on the same rows.

    Examples
    --------
    >>> problem = Problem(np.eye(3), np.array([[0], [1], [-1]], np.int8), ("sad",))
    >>> problem.q, problem.observed(0).tolist(), problem.features[0]
    (1, [0, 1], None)
    """

    X: Any
    Y: np.ndarray
    names: tuple[str, ...]
    feature_names: tuple[str, ...] = ()
    weights: np.ndarray | None = None
    base_estimator: Any = None
    features: tuple[np.ndarray | None, ...] = ()
    n_jobs: int | None = None
    seed: int = 0
    shared: list[Prepared] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.feature_names:
            names = tuple(f"x{j}" for j in range(self.X.shape[1]))
            object.__setattr__(self, "feature_names", names)
        if not self.features:
            object.__setattr__(self, "features", (None,) * self.q)

    def __getstate__(self) -> dict[str, Any]:
        # caches hold locks, so a worker prepares the data again
        return self.__dict__ | {"shared": []}

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.Y.shape[0])

    @property
    def q(self) -> int:
        """How many labels there are."""
        return int(self.Y.shape[1])

    def observed(self, *labels: int) -> np.ndarray:
        """The rows in which none of some labels is missing."""
        return np.flatnonzero((self.Y[:, list(labels)] != MISSING).all(axis=1))

    def generator(self, *stream: int) -> np.random.Generator:
        """A generator of random numbers that depends on the seed and the stream alone."""
        return np.random.default_rng([self.seed, *stream])

    def on(self, features: tuple[np.ndarray | None, ...]) -> Problem:
        """Give the problem with other columns for each label."""
        return replace(self, features=features)

    def on_sorted(self, features: tuple[np.ndarray | None, ...]) -> Problem:
        """Give the problem with other columns for each label, in the order of X."""
        return self.on(tuple(None if part is None else np.sort(part) for part in features))

    def named_columns(self, features: Sequence[np.ndarray | None]) -> dict[str, np.ndarray]:
        """The columns of each label by its name; all columns where there is None."""
        every = np.arange(self.X.shape[1])
        return {
            name: every if columns is None else columns
            for name, columns in zip(self.names, features, strict=True)
        }

    def rows(self, rows: np.ndarray, weights: np.ndarray | None = None) -> Problem:
        """The problem on some rows; with other weights if they are given (for these rows)."""
        row_weights = None if self.weights is None else self.weights[rows]
        return replace(
            self,
            X=self.X[rows],
            Y=self.Y[rows],
            weights=row_weights if weights is None else weights,
            shared=[],
        )

    def weighted(self, weights: np.ndarray) -> Problem:
        """The problem on the same rows, which count differently."""
        return replace(self, weights=weights, shared=[])

    def prepared(self, nominal: Sequence[str] = (), **options: Any) -> Prepared:
        """The data prepared with options of `mlfs.prepare`; made once for the same options.

        Parameters
        ----------
        nominal : sequence of str
            The columns of X that are taken as nominal, by name.
        **options
            Those of `mlfs.prepare`.

        Examples
        --------
        >>> problem = Problem(np.eye(3), np.array([[0], [1], [0]], np.int8), ("sad",))
        >>> problem.prepared() is problem.prepared(bins="mean-sd")
        True
        """
        options = PREPARING | options
        n_jobs = options["n_jobs"]
        options["n_jobs"] = threads(self.n_jobs if n_jobs is None else n_jobs)
        del options["sample_weight"]
        data = self.dataset()
        if nominal:
            _, columns = force_nominal(data.X, data.columns, nominal)
            data = data.with_changes(columns=tuple(columns))
            return prepare(data, sample_weight=self.weights, **options)
        settings = {name: value for name, value in options.items() if name not in NO_MATTER}
        for prepared in self.shared:
            if prepared.made_with(**settings):
                return prepared
        self.shared.append(prepare(data, sample_weight=self.weights, **options))
        return self.shared[-1]

    def dataset(self) -> Dataset:
        """The rows and labels as a data set of numeric columns."""
        columns = tuple(Column(name) for name in self.feature_names)
        return Dataset(self.X, self.Y, columns, tuple(Label(name) for name in self.names))


def open_arrays(
    data: Dataset | Prepared, y: Any, sample_weight: Any
) -> tuple[Any, Any, tuple[str, ...], tuple[str, ...], Prepared | None]:
    """The labels, weights, names of columns and labels of a data set, and what is counted already.

    Examples
    --------
    >>> from mlfs import prepare
    >>> open_arrays(prepare(([[0], [1]], [[0], [1]])), None, None)[0].tolist()
    [[0], [1]]
    """
    kind = type(data).__name__
    if y is not None:
        msg = f"is given beside a {kind}, which knows its labels: leave it out"
        raise UsageError(msg, option="y")
    prepared = data if isinstance(data, Prepared) else None
    if prepared is not None and sample_weight is not None:
        msg = "is given beside a Prepared, which knows its weights: prepare the data with it"
        raise UsageError(msg, option="sample_weight")
    dataset = data.dataset if isinstance(data, Prepared) else data
    weights = data.weights if sample_weight is None else sample_weight
    if prepared is not None and (weights is not None or prepared.options["estimator"] != "counts"):
        prepared = None  # nothing of it is used
    Y = dataset.Y
    if ((Y.data if sp.issparse(Y) else Y) < 0).any():  # -1 may be taken for a class
        codes = Y.toarray() if sp.issparse(Y) else Y
        Y = np.where(codes < 0, np.nan, codes)
    return Y, weights, tuple(dataset.feature_names), tuple(dataset.label_names), prepared


def open_rows(data: Dataset | Prepared) -> Any:
    """The features of a data set, all of which must be numbers."""
    dataset = data.dataset if isinstance(data, Prepared) else data
    words = [column.name for column in dataset.columns if column.values]
    if words:
        msg = (
            f"the column {printable(words[0])!r} is nominal, and a model takes numbers: encode it, "
            "or use `mlfs train`"
        )
        raise UsageError(msg)
    return dataset.X


def column_names(X: Any) -> tuple[str, ...] | None:
    """The names that the columns of a data set or a frame have; None if they are only numbered.

    Examples
    --------
    >>> from mlfs import data
    >>> column_names(data.from_arrays([[1, 2]], feature_names=["age", "size"]))
    ('age', 'size')
    """
    if isinstance(X, (Dataset, Prepared)):
        names = (X.dataset if isinstance(X, Prepared) else X).names
        return None if isinstance(names, NumberedNames) else tuple(names)
    if hasattr(X, "column_names"):  # of pyarrow
        return tuple(X.column_names)
    names = tuple(X.columns) if family(X, "X") else ()
    duplicate = first_duplicate(map(str, names))
    if duplicate is not None:
        raise DataError(f"X has two columns named {printable(duplicate)!r}: rename one")
    return names if names and all(isinstance(name, str) for name in names) else None


def refuse_other_columns(names: Sequence[str], known: Sequence[str]) -> None:
    """Raise `DataError` unless the columns of X are those of training, in the same order.

    Examples
    --------
    >>> refuse_other_columns(["size", "age"], ["age", "size"])
    Traceback (most recent call last):
    mlfs.errors.DataError: X has the column 'size' where training had 'age': put the columns in \
the order of training
    """
    names, known = list(names), list(known)
    if names == known:
        return
    pairs = zip(names, known, strict=False)
    j = next((j for j, (a, b) in enumerate(pairs) if a != b), min(len(names), len(known)))
    if j == len(names):
        said = f"X lacks the column {printable(known[j])!r}, which training had"
    elif j == len(known):
        said = f"X has the column {printable(names[j])!r}, which training did not have"
    else:
        said = f"X has the column {printable(names[j])!r} where training had "
        said += repr(printable(known[j]))
    if sorted(names) == sorted(known):
        raise DataError(f"{said}: put the columns in the order of training")
    raise DataError(f"{said}: give the columns of training, by the same names")


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
