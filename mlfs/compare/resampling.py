"""Split the rows into training and test rows: folds, holdouts, and the split of the authors.

The splits depend on the data set and the seed, and are the same for all criteria and models.

Folds that are stored in files, so that others use the same ones.

A file has a line for each row of a data set: the fold in which it is a test row, from 0. Lines
that start with ``#`` are comments. A folder of them has a file ``SHA256SUMS``, as `sha256sum`
writes it, and files that differ from it are refused.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from mlfs.compare.cell_folder import content_of
from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, UsageError, check_name, plural, printable

TURN = 1_000_003  # between the seeds of two repetitions


@dataclass(frozen=True)
class Split:
    """The training rows and the test rows, ascending."""

    train: np.ndarray
    test: np.ndarray


class Splitting:
    """The base of all ways to split rows."""

    @property
    def note(self) -> str:
        """A note on the splits for a reader of the results."""
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
        """Its parameters, as plain data."""
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
        """A note on the splits for a reader of the results."""
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
class GivenSplit(Splitting):
    """The authors' own split: the training rows first, then those of a second file.

    Parameters
    ----------
    n_train : int
        How many rows of the joined data set train, see `mlfs.data.dataset`.
    """

    n_train: int

    def __str__(self) -> str:
        return "the split that the files give"

    def to_dict(self) -> dict[str, Any]:
        """As in reports."""
        return {"kind": "Given", "n_train": self.n_train}

    def identity(self, data: str) -> str:
        """As in the keys of cells."""
        del data
        return f"Given(n_train={self.n_train})"

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


SUMS = "SHA256SUMS"


@dataclass(frozen=True)
class StoredFolds(Splitting):
    """Cross-validation with folds that are given.

    Parameters
    ----------
    folds : mapping
        By data set the fold of each row.
    digests : mapping
        By data set the SHA-256 of its file.
    used : mapping
        By data set how many of its folds are test rows in turn, the first ones; all by default.
    name : str
        The data set that `splits` is asked about.
    k : int
        How many folds a data set has at most, where `folds` does not say so.
    """

    folds: Mapping[str, np.ndarray] = field(repr=False, compare=False)
    digests: Mapping[str, str]
    used: Mapping[str, int] = field(default_factory=dict)
    name: str = ""
    k: int = 2

    def __str__(self) -> str:
        return f"stored folds of {plural(len(self.digests), 'data set')}"

    def to_dict(self) -> dict[str, Any]:
        """The digests and counts; the folds themselves are in their files."""
        counts = {name: self.count(name) for name in self.digests}
        most = round(1 / self.test_to_train) + 1
        return {"kind": "StoredFolds", "digests": dict(self.digests), "used": counts, "k": most}

    def _folds_of(self, data: str) -> np.ndarray:
        if data not in self.folds:
            names = ", ".join(sorted(self.folds))
            msg = f"there are no stored folds of the data set {printable(data)!r}, only of {names}"
            raise DataError(msg)
        return self.folds[data]

    def count(self, data: str) -> int:
        """How many splits the data set of this name has."""
        return self.used.get(data) or int(self._folds_of(data).max(initial=-1)) + 1

    def identity(self, data: str) -> str:
        """The digest of the folds of this data set."""
        return (
            f"stored folds {self.digests[data] if data in self.digests else self._folds_of(data)}"
        )

    def for_data(self, data: str) -> StoredFolds:
        """These folds for one data set."""
        return replace(self, name=data)

    @property
    def test_to_train(self) -> float:
        """The ratio of test rows to training rows."""
        k = max((int(rows.max(initial=0)) + 1 for rows in self.folds.values()), default=self.k)
        return 1 / max(1, k - 1)

    def check(self, data: Dataset) -> None:
        """Refuse a data set of another size."""
        rows = self._folds_of(self.name)
        if rows.size != data.shape[0]:
            msg = f"the data set {printable(self.name)!r} has {plural(data.shape[0], 'row')}, "
            raise DataError(f"{msg}and its stored folds are of {rows.size}: it is another one")

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """The splits of the data set; the seed is not used."""
        del seed
        self.check(data)
        rows = self._folds_of(self.name)
        for fold in range(self.count(self.name)):
            yield Split(np.flatnonzero(rows != fold), np.flatnonzero(rows == fold))


def stored_folds(folder: Path, used: Mapping[str, int] | None = None) -> StoredFolds:
    """Read a folder of folds, and check it by its digests.

    Parameters
    ----------
    folder : path
        With a file ``NAME.txt`` for each data set, and ``SHA256SUMS``.
    used : mapping, optional
        How many folds of a data set are used.
    """
    folds, digests = {}, {}
    for line in content_of(folder / SUMS).decode("ascii", "replace").splitlines():
        expected, _, name = line.partition("  ")
        if name != Path(name).name:
            shown = printable(folder / SUMS, 400)
            raise DataError(f"{shown} names {printable(name)!r}, which is no file beside it")
        content = content_of(folder / name)
        digest = hashlib.sha256(content).hexdigest()
        shown = printable(folder / name, 400)
        if digest != expected:
            msg = f"{shown} differs from its digest in {SUMS}: take the file that belongs to it"
            raise DataError(msg)
        lines = content.decode("ascii", "replace").splitlines()
        numbers = [line for line in lines if not line.startswith("#")]
        if not numbers or not all(number.isdigit() and len(number) < 4 for number in numbers):
            raise DataError(f"{shown} is no file of folds: it has a number from 0 in each line")
        stem = Path(name).stem
        folds[stem], digests[stem] = np.array(numbers, dtype=np.int64), digest
    return StoredFolds(folds, digests, dict(used or {}))
