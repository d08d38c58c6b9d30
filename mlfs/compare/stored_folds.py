"""Folds that are stored in files, so that others use the same ones.

A file has a line for each row of a data set: the fold in which it is a test row, from 0. Lines
that start with ``#`` are comments. A folder of them has a file ``SHA256SUMS``, as `sha256sum`
writes it, and files that differ from it are refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from mlfs.compare.cell_folder import content_of
from mlfs.compare.resampling import Split, Splitting
from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, plural, printable

__all__ = ["SUMS", "StoredFolds", "fold_text", "stored_folds"]

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

    def __len__(self) -> int:
        return max((self.count(name) for name in self.digests), default=0)

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


def fold_text(folds: np.ndarray, about: str) -> str:
    """The text of a file of folds.

    Examples
    --------
    >>> fold_text(np.array([0, 1]), "two rows")
    '# two rows\\n0\\n1\\n'
    """
    return f"# {about}\n" + "".join(f"{fold}\n" for fold in folds.tolist())


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
