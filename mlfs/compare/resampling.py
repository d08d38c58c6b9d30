"""Split the rows into training and test rows: folds, holdouts, and the split of the authors.

The splits depend on the data set and the seed, and are the same for all criteria and models.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Dataset, Label
from mlfs.errors import DataError, UsageError, plural, printable

__all__ = ["Folds", "Given", "Holdout", "Protocol", "Split", "joined"]


@dataclass(frozen=True)
class Split:
    """The training rows and the test rows, ascending."""

    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Folds:
    """k-fold cross-validation; every row is a test row once.

    Parameters
    ----------
    k : int
        The number of folds.
    stratified : bool
        Keep the share of each label, and of pairs of labels, equal in all folds (Sechidis,
        Tsoumakas and Vlahavas, 2011), by the package iterative-stratification. Without the
        package the folds are plain shuffles, and `note` says so.
    """

    k: int = 5
    stratified: bool = True

    def __post_init__(self) -> None:
        if self.k < 2:
            msg = f"cross-validation needs two folds or more, not {self.k}"
            raise UsageError(msg)

    def __str__(self) -> str:
        return f"{self.k}-fold cross-validation" + (" of plain shuffles" if self.note else "")

    def __len__(self) -> int:
        return self.k

    @property
    def note(self) -> str:
        """What a reader of the results should know about the splits."""
        if self.stratified and _stratifier() is None:
            return (
                "folds are plain shuffles, not stratified by labels: "
                "pip install 'mlfs-toolkit[compare]' for iterative stratification"
            )
        return ""

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """The splits of a data set."""
        n = data.shape[0]
        if n < self.k:
            path = printable(data.source.path, 400)
            msg = f"{path} has {plural(n, 'row')}, too few for {self.k} folds"
            raise DataError(msg)
        kind = _stratifier() if self.stratified else None
        if kind is None:
            order = np.random.default_rng(seed).permutation(n)
            tests = np.array_split(order, self.k)
        else:
            folds = kind(n_splits=self.k, shuffle=True, random_state=seed)
            tests = [test for _, test in folds.split(np.zeros((n, 1)), _indicators(data.Y))]
        for test in tests:
            yield _split(n, test)


@dataclass(frozen=True)
class Holdout:
    """A random share of the rows trains, the rest tests; repeated.

    Parameters
    ----------
    share : float
        The share of the rows that trains.
    repeat : int
        How often.
    """

    share: float = 0.8
    repeat: int = 10
    note: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            msg = f"the share of the rows that trains lies between 0 and 1, not {self.share}"
            raise UsageError(msg)
        if self.repeat < 1:
            msg = f"a holdout is repeated once or more, not {self.repeat} times"
            raise UsageError(msg)

    def __str__(self) -> str:
        return f"holdout of {1 - self.share:.0%}, {self.repeat} times"

    def __len__(self) -> int:
        return self.repeat

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """The splits of a data set; repetition r depends on the seed and r alone."""
        n = data.shape[0]
        n_train = min(max(1, math.floor(self.share * n + 0.5)), n - 1)
        if n < 2:
            path = printable(data.source.path, 400)
            msg = f"{path} has {plural(n, 'row')}, too few to hold some out"
            raise DataError(msg)
        for turn in range(self.repeat):
            order = np.random.default_rng([seed, turn]).permutation(n)
            yield _split(n, order[n_train:])


@dataclass(frozen=True)
class Given:
    """The authors' own split: the training rows first, then those of a second file.

    Parameters
    ----------
    n_train : int
        How many rows of the joined data set train, see `joined`.
    """

    n_train: int
    note: ClassVar[str] = ""

    def __str__(self) -> str:
        return "the split that the files give"

    def __len__(self) -> int:
        return 1

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """The one split; the seed is not used."""
        del seed
        n = data.shape[0]
        if not 0 < self.n_train < n:
            msg = f"{self.n_train} of {n} rows train: both parts need rows"
            raise DataError(msg)
        yield _split(n, np.arange(self.n_train, n))


Protocol = Folds | Holdout | Given


def joined(train: Dataset, test: Dataset) -> Dataset:
    """Join two data sets: the training rows, then the test rows.

    The columns and labels must be the same, in the same order.
    """
    _refuse_others(train, test, "columns", train.columns, test.columns)
    _refuse_others(train, test, "labels", train.labels, test.labels)
    weights = None
    if train.weights is not None and test.weights is not None:
        weights = np.concatenate([train.weights, test.weights])
    return replace(
        train,
        X=_stacked(train.X, test.X),
        Y=_stacked(train.Y, test.Y),
        weights=weights,
        notes=tuple(dict.fromkeys([*train.notes, *test.notes])),
    )


def _refuse_others(
    train: Dataset,
    test: Dataset,
    kind: str,
    ours: Sequence[Column | Label],
    theirs: Sequence[Column | Label],
) -> None:
    if tuple(ours) == tuple(theirs):
        return
    where = (printable(train.source.path, 400), printable(test.source.path, 400))
    differ = [a.name for a, b in zip(ours, theirs, strict=False) if a != b]
    first = f", the first is {printable(differ[0])!r}" if differ else ""
    msg = f"{where[0]} and {where[1]} differ in their {kind} ({len(ours)}, {len(theirs)}){first}"
    raise DataError(msg)


def _stacked(first: Any, second: Any) -> Any:
    if sp.issparse(first) or sp.issparse(second):
        return sp.vstack([sp.csr_array(first), sp.csr_array(second)]).tocsr()
    return np.concatenate([first, second])


def _split(n: int, test: np.ndarray) -> Split:
    tests = np.zeros(n, bool)
    tests[test] = True
    return Split(np.flatnonzero(~tests), np.flatnonzero(tests))


def _indicators(labels: Any) -> np.ndarray:
    full = labels.toarray() if sp.issparse(labels) else np.asarray(labels)
    return (full > 0).astype(np.int64)


def _stratifier() -> Any:
    try:
        from iterstrat.ml_stratifiers import MultilabelStratifiedKFold
    except ModuleNotFoundError:
        return None
    return MultilabelStratifiedKFold
