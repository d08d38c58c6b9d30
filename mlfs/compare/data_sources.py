"""The data sets of a comparison: files or data in memory, with a name and a digest each."""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.as_dataset import as_dataset
from mlfs.compare.resampling import Splitting
from mlfs.data.dataset import Dataset, join_datasets
from mlfs.data.labels.label_values import REMEDIES
from mlfs.datasets.fetching import place_of
from mlfs.errors import DataError, UnknownName, UsageError, printable, setting

PARTS = (("-train", "-test"), ("_train", "_test"), (".train", ".test"))


@dataclass(frozen=True)
class DataSource:
    """One data set of a comparison.

    Parameters
    ----------
    name : str
        Its name in tables and figures.
    path : str
        The file; empty for a data set in memory.
    test_path : str
        The file of the test rows, for a split of the authors.
    labels : str or None
        Which columns are labels, as in `mlfs.read`.
    digest : str
        The digest of its content.
    exclude : tuple of str
        Columns that are left out, by name or glob, if it has them.
    dataset : Dataset, optional
        A data set in memory.
    """

    name: str
    path: str = ""
    test_path: str = ""
    labels: str | None = None
    digest: str = ""
    exclude: tuple[str, ...] = ()
    dataset: Dataset | None = field(default=None, compare=False, repr=False)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it is read from."""
        return tuple(path for path in (self.path, self.test_path) if path)

    def absolute(self) -> DataSource:
        """Give the source whole paths, for processes in other folders."""
        paths = [str(Path(path).absolute()) if path else "" for path in (self.path, self.test_path)]
        return replace(self, path=paths[0], test_path=paths[1])

    def read(self) -> tuple[Dataset, int]:
        """The data, and the number of training rows at its start for a given split (else 0)."""
        data = read_file(self.path, self.labels) if self.dataset is None else self.dataset
        n_train = data.shape[0] if self.test_path else 0
        if self.test_path:
            data = join_datasets(data, read_file(self.test_path, self.labels))
        return _check_labels(data, self.name), n_train

    def check(self, protocol: Splitting) -> None:
        """Refuse data that cannot be split or trained on, before anything is computed."""
        data, _ = self.read()
        excluded_columns(data, self.exclude, self.name)
        protocol.check(data)

    def to_dict(self) -> dict[str, Any]:
        """Its identity, as plain data."""
        document = {"name": self.name, "labels": self.labels, "digest": self.digest}
        return {**document, "exclude": list(self.exclude)} if self.exclude else document


def sources(
    data: Any,
    *,
    labels: str | None = None,
    exclude: tuple[str, ...] = (),
    given_split: bool = False,
) -> list[DataSource]:
    """Find the data sets of a comparison and give each a name of its own.

    Parameters
    ----------
    data : path, Dataset, sequence of them, or mapping from names to them
        The data sets; in a mapping also pairs (X, Y).
    labels : str, optional
        Which columns are labels, in all of them.
    exclude : tuple of str
        Columns that are left out, by name or glob, of those that have them.
    given_split : bool
        Each is the training half of a split: ``x-train.arff`` has ``x-test.arff`` beside it.
    """
    if isinstance(data, Mapping):
        pairs = [
            (str(name), as_dataset(item) if isinstance(item, tuple) else item)
            for name, item in data.items()
        ]
    elif isinstance(data, (str, os.PathLike, Dataset)):
        pairs = [("", data)]
    elif isinstance(data, Sequence):
        pairs = [("", item) for item in data]
    else:
        kind = printable(type(data).__name__)
        msg = f"data is a path, a Dataset, a sequence or a mapping of them, not {kind}"
        raise UsageError(msg)
    if not pairs:
        raise UsageError("a comparison needs a data set")
    found = [_source(name, item, labels, given_split) for name, item in pairs]
    by_digest: dict[str, DataSource] = {}
    for source in found:
        first = by_digest.setdefault(source.digest, source)
        if first is not source:
            msg = f"{printable(first.name)!r} and {printable(source.name)!r} are the same data: "
            raise UsageError(f"{msg}tests over data sets count each once, so leave one out")
    names = unique_names(source.name for source in found)
    return [
        replace(source, name=name, exclude=exclude)
        for source, name in zip(found, names, strict=True)
    ]


def _source(name: str, item: Any, labels: str | None, given_split: bool) -> DataSource:
    if isinstance(item, Dataset):
        if given_split:
            raise UsageError(
                f"{setting('split', 'given')} is about files: join the parts of a Dataset yourself"
            )
        name = name or item.source.relation or Path(item.source.path).stem
        return DataSource(name, labels=labels, digest=content_digest(item), dataset=item)
    if not isinstance(item, (str, os.PathLike)):
        kind = printable(type(item).__name__)
        msg = f"a data set is a path, a Dataset, a Prepared, or (X, Y) in a mapping, not {kind}"
        raise UsageError(msg)
    path = Path(place_of(item) if isinstance(item, str) else item)
    test = _test_half(path) if given_split else None
    shown = name or (_common_name(path) if given_split else _stem(path))
    digest = digest_of_files([path] + ([] if test is None else [test]))
    return DataSource(shown, str(path), "" if test is None else str(test), labels, digest)


def read_file(path: str, labels: str | None) -> Dataset:
    """Read a file; messages about labels name only options that a comparison has."""
    from mlfs.data.formats import read

    try:
        return read(path, labels=labels)
    except UnknownName as error:
        error.args = (f"{printable(path, 400)}: {error}",)
        raise
    except DataError as error:
        if error.remedy not in REMEDIES:
            raise
        remedy = "a comparison is about labels of two values; choose other columns with "
        remedy += setting("labels")
        raise error.advising(remedy) from None


def _stem(path: Path) -> str:
    return path.name.split(".")[0] or path.name


def _common_name(path: Path) -> str:
    stem = _stem(path)
    for train, _ in PARTS:
        stem = stem.removesuffix(train)
    return stem


def _test_half(path: Path) -> Path:
    for train, test in PARTS:
        for train_part, test_part in ((train, test), (train.title(), test.title())):
            before, separator, after = path.name.rpartition(train_part)
            if separator and (path.parent / (before + test_part + after)).exists():
                return path.parent / (before + test_part + after)
    msg = (
        f"{printable(path, 400)} has no file of test rows beside it: a given split is a pair such "
        "as x-train.arff and x-test.arff, named by the first"
    )
    raise DataError(msg)


def unique_names(names: Iterable[str]) -> Iterator[str]:
    """Number the names that would be the same, but for capitals.

    Examples
    --------
    >>> list(unique_names(["a-b", "A-b"]))
    ['a-b', 'A-b-2']
    """
    used_names: set[str] = set()
    for name in names:
        count = 1
        while (unique := name if count == 1 else f"{name}-{count}").lower() in used_names:
            count += 1
        used_names.add(unique.lower())
        yield unique


def digest_of_files(paths: Iterable[str | Path]) -> str:
    """The SHA-256 of some files and of the lists of labels beside them."""
    digest = hashlib.sha256()
    for path in map(Path, paths):
        for part in (path, path.with_suffix(".xml")):  # the labels of a Mulan file lie beside it
            if part != path and not part.exists():
                continue
            if part.is_fifo():
                again = "a comparison reads its data again and again: give files, not a pipe"
                raise UsageError(f"{printable(part, 400)!r}: {again}")
            try:
                with part.open("rb") as stream:
                    digest.update(hashlib.file_digest(stream, "sha256").digest())
            except FileNotFoundError:
                raise UsageError(f"there is no file {printable(part, 400)!r}") from None
            except OSError as error:
                shown = printable(part, 400)
                raise DataError(f"cannot read {shown}: {error.strerror}") from None
    return digest.hexdigest()


def content_digest(data: Dataset) -> str:
    """The SHA-256 of values, columns, labels and weights."""
    digest = hashlib.sha256()
    for table in (data.X, data.Y):
        parts = [table]
        if sp.issparse(table):
            ordered = sp.csr_array(table)
            parts = [ordered.indptr, ordered.indices, ordered.data]
        for part in parts:
            digest.update(str((part.shape, part.dtype)).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
    digest.update(repr((tuple(data.columns), tuple(data.labels))).encode())
    if data.weights is not None:
        digest.update(np.ascontiguousarray(data.weights).tobytes())
    return digest.hexdigest()


def _check_labels(data: Dataset, name: str) -> Dataset:
    """Refuse what no model of a comparison can learn."""
    for label in data.labels:
        if len(label.values) > 2:
            shown = printable(label.name)
            msg = f"the label {shown!r} of {printable(name)} has {len(label.values)} values: "
            raise DataError(msg + "a comparison is about labels of two values")
    if data.shape[2] == 0:
        raise DataError(f"{printable(name)} has no label columns: name them with labels")
    return data


def excluded_columns(data: Dataset, patterns: Sequence[str], name: str) -> list[str]:
    """The columns of a data set that are named by patterns, as globs if no column has the name."""
    names = data.feature_names
    matched = set()
    for pattern in patterns:
        matched |= {pattern} if pattern in names else set(fnmatch.filter(names, pattern))
    if len(matched) == len(set(names)):
        shown = printable(name)
        raise DataError(f"no column of {shown} is left when the excluded ones are gone (--exclude)")
    return [name for name in names if name in matched]


def drop_columns(data: Dataset, names: Sequence[str]) -> Dataset:
    """A data set without some of its columns."""
    if not names:
        return data
    gone = set(names)
    return data.reduced([j for j, name in enumerate(data.feature_names) if name not in gone])


def rows_of(data: Dataset, rows: np.ndarray) -> Dataset:
    """Some rows of a data set."""
    weights = None if data.weights is None else data.weights[rows]
    others = {name: np.asarray(column)[rows] for name, column in data.row_columns.items()}
    return replace(data, X=data.X[rows], Y=data.Y[rows], weights=weights, row_columns=others)


def dense(labels: Any) -> np.ndarray:
    """The labels of a data set as a plain array."""
    return np.asarray(labels.toarray() if sp.issparse(labels) else labels)
