"""Split the rows into training and test rows: folds, holdouts, and the split of the authors.

The splits depend on the data set and the seed, and are the same for all criteria and models.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, UsageError, check_name, plural, printable

__all__ = ["Folds", "Given", "Holdout", "Split", "Splitting"]

TURN = 1_000_003  # between the seeds of two repetitions


@dataclass(frozen=True)
class Split:
    """The training rows and the test rows, ascending."""

    train: np.ndarray
    test: np.ndarray


class Splitting:
    """What all ways to split rows share."""

    @property
    def note(self) -> str:
        """What a reader of the results should know about the splits."""
        return ""

    def __len__(self) -> int:
        raise NotImplementedError

    def count(self, data: str) -> int:
        """How many splits the data set of this name has."""
        del data
        return len(self)

    def for_data(self, data: str) -> Splitting:
        """The splitting for the data set of this name."""
        del data
        return self

    def check(self, data: Dataset) -> None:
        """Refuse a data set that cannot be split so."""

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """The splits of a data set."""
        raise NotImplementedError

    @property
    def test_to_train(self) -> float:
        """The ratio of test rows to training rows."""
        return 0.0

    def to_dict(self) -> dict[str, Any]:
        """What it is made of, as plain data."""
        parts = {
            attribute.name: getattr(self, attribute.name) for attribute in fields(cast(Any, self))
        }
        return {"kind": type(self).__name__, **parts}

    def identity(self, data: str) -> str:
        """A text that differs where the splits of the data set do."""
        del data
        return repr(self) + str(self.note)


@dataclass(frozen=True)
class Folds(Splitting):
    """k-fold cross-validation; every row is a test row once in each repetition.

    Parameters
    ----------
    k : int
        The number of folds.
    repeat : int
        How often.
    stratified : bool
        Keep the share of each label equal in all folds (Sechidis, Tsoumakas and Vlahavas, 2011),
        by the package iterative-stratification. Without the package the folds are plain
        shuffles, and `note` says so.
    groups : str
        A column: rows with the same value of it are in the same fold, which is then not
        stratified. Empty for none.
    """

    k: int = 5
    repeat: int = 1
    stratified: bool = True
    groups: str = ""

    def __post_init__(self) -> None:
        if self.k < 2:
            msg = f"cross-validation needs two folds or more, not {self.k}"
            raise UsageError(msg)

    def __str__(self) -> str:
        often = f", {self.repeat} times" if self.repeat > 1 else ""
        if self.groups:
            return f"{self.k}-fold cross-validation{often}, rows grouped by {self.groups}"
        return f"{self.k}-fold cross-validation{often}" + (" of plain shuffles" * bool(self.note))

    def __len__(self) -> int:
        return self.k * self.repeat

    @property
    def test_to_train(self) -> float:
        """The ratio of test rows to training rows."""
        return 1 / (self.k - 1)

    @property
    def note(self) -> str:
        """What a reader of the results should know about the splits."""
        if self.stratified and not self.groups and _stratifier() is None:
            return (
                "folds are plain shuffles, not stratified by labels: "
                "pip install 'mlfs-toolkit[compare]' for iterative stratification"
            )
        return ""

    def check(self, data: Dataset) -> None:
        """Refuse a data set that cannot be split so."""
        n, path = data.shape[0], printable(data.source.path, 400)
        if n < self.k:
            raise DataError(f"{path} has {plural(n, 'row')}, too few for {self.k} folds")
        if self.groups:
            n_groups = np.unique(_column(data, self.groups)).size
            if n_groups < self.k:
                msg = f"{path} has {plural(n_groups, 'group')} of {printable(self.groups)!r}"
                raise DataError(f"{msg}, too few for {self.k} folds")

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """The splits of a data set; repetition r depends on the seed and r alone."""
        self.check(data)
        n = data.shape[0]
        for turn in range(self.repeat):
            for test in self._tests(data, seed if turn == 0 else (seed + turn * TURN) % 2**32):
                yield _split(n, test)

    def _tests(self, data: Dataset, seed: int) -> list[np.ndarray]:
        n = data.shape[0]
        if self.groups:
            from sklearn.model_selection import GroupKFold

            grouped = GroupKFold(self.k, shuffle=True, random_state=seed)
            parts = grouped.split(np.zeros((n, 1)), groups=_column(data, self.groups))
            return [test for _, test in parts]
        kind = _stratifier() if self.stratified else None
        if kind is None:
            return np.array_split(np.random.default_rng(seed).permutation(n), self.k)
        folds = kind(n_splits=self.k, shuffle=True, random_state=seed)
        return [test for _, test in folds.split(np.zeros((n, 1)), _indicators(data.Y))]


@dataclass(frozen=True)
class Holdout(Splitting):
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

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            msg = f"the share of the rows that trains lies between 0 and 1, not {self.share}"
            raise UsageError(msg)
        if self.repeat < 1:
            msg = f"a holdout is repeated once or more, not {self.repeat} times"
            raise UsageError(msg)

    @property
    def test_to_train(self) -> float:
        """The ratio of test rows to training rows."""
        return (1 - self.share) / self.share

    def __str__(self) -> str:
        return f"holdout of {1 - self.share:.0%}, {self.repeat} times"

    def __len__(self) -> int:
        return self.repeat

    def check(self, data: Dataset) -> None:
        """Refuse a data set that cannot be split so."""
        if data.shape[0] < 2:
            path = printable(data.source.path, 400)
            msg = f"{path} has {plural(data.shape[0], 'row')}, too few to hold some out"
            raise DataError(msg)

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """The splits of a data set; repetition r depends on the seed and r alone."""
        self.check(data)
        n = data.shape[0]
        n_train = min(max(1, math.floor(self.share * n + 0.5)), n - 1)
        for turn in range(self.repeat):
            order = np.random.default_rng([seed, turn]).permutation(n)
            yield _split(n, order[n_train:])


@dataclass(frozen=True)
class Given(Splitting):
    """The authors' own split: the training rows first, then those of a second file.

    Parameters
    ----------
    n_train : int
        How many rows of the joined data set train, see `mlfs.data.dataset`.
    """

    n_train: int

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


def _split(n: int, test: np.ndarray) -> Split:
    tests = np.zeros(n, bool)
    tests[test] = True
    return Split(np.flatnonzero(~tests), np.flatnonzero(tests))


def _column(data: Dataset, name: str) -> np.ndarray:
    """The values of a column, none of them missing."""
    check_name(name, f"column of {printable(data.source.path, 400)}", data.feature_names)
    column = data.X[:, [data.feature_names.index(name)]]
    values = np.asarray(column.toarray() if sp.issparse(column) else column, float).ravel()
    if np.isnan(values).any():
        row = int(np.flatnonzero(np.isnan(values))[0]) + 1
        msg = f"{printable(data.source.path, 400)}: the group of row {row} is missing; rows are "
        raise DataError(msg + f"grouped by {printable(name)!r}, so every row needs a value")
    return values


def _indicators(labels: Any) -> np.ndarray:
    dense_labels = labels.toarray() if sp.issparse(labels) else np.asarray(labels)
    present = (dense_labels > 0).astype(np.int64)
    # the stratifier takes no single column
    return np.hstack([present, 1 - present]) if present.shape[1] == 1 else present


def _stratifier() -> Any:
    try:
        from iterstrat.ml_stratifiers import MultilabelStratifiedKFold
    except ModuleNotFoundError:
        return None
    return MultilabelStratifiedKFold
