"""Tables that are not here: files that workers read, and collections of dask."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.cluster.connection import Connection
from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Column, Dataset
from mlfs.data.files import files_of
from mlfs.data.formats import read
from mlfs.data.request import UNNEEDED
from mlfs.errors import Caution, DataError, UsageError, plural, printable

PARQUET = (".parquet", ".pq")
TEXTS = ("string", "large_string", "string_view")


@dataclass(frozen=True)
class Elsewhere:
    """The X of a data set whose columns workers get themselves.

    Parameters
    ----------
    n_rows : int
        The number of all rows.
    names : sequence of str
        The names of its columns.
    kept : ndarray of int, optional
        The rows that count; all by default.
    """

    n_rows: int
    names: Sequence[str]
    kept: np.ndarray | None = None

    dtype = np.dtype(np.float64)
    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows if self.kept is None else self.kept.size, len(self.names)

    def __getitem__(self, rows: Any) -> Elsewhere:
        kept = np.asarray(rows, np.int64)
        return replace(self, kept=kept if self.kept is None else self.kept[kept])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        msg = "X was read by the workers of a cluster and is not here: leave cluster out"
        raise UsageError(msg)

    def part(self, columns: Sequence[int]) -> Elsewhere:
        """Some columns, which a worker gets."""
        raise NotImplementedError

    def sent(self, connection: Connection) -> Any:
        """The argument of a task that needs it: itself, or a future of it."""
        raise NotImplementedError

    def dataset(self) -> Dataset:
        """The columns; its labels do not matter."""
        raise NotImplementedError

    def notes(self, head: Sequence[str], parts: Sequence[str]) -> tuple[str, ...]:
        """Facts about the whole: about its head, and of the parts of all workers."""
        cautions = [note for note in parts if isinstance(note, Caution)]
        return tuple(dict.fromkeys([*cautions, *head, *parts]))

    def whole(self) -> Any:
        """X, which this process gets as a worker does."""
        table = self.dataset().table
        return table if self.kept is None else table[self.kept]


class TablePart:
    """Some columns of a table that is here; see `Elsewhere`."""

    def __init__(self, table: Any, columns: Any = None) -> None:
        self._table, self._columns = table, columns

    def sent(self, connection: Connection) -> Any:
        """A future of it."""
        return connection.send(self)

    def dataset(self) -> Dataset:
        """The columns."""
        table = sp.csr_array(self._table) if sp.issparse(self._table) else self._table
        return Dataset(table, np.zeros((table.shape[0], 1), np.int8), self._columns, ())


@dataclass(frozen=True)
class _InFiles(Elsewhere):
    """Files, which all workers see under the same names.

    Parameters
    ----------
    place : str
        A path, or a pattern.
    options : mapping
        The options of `mlfs.read`.
    sizes : tuple of int
        The bytes of the files.
    """

    place: str = ""
    options: Mapping[str, Any] = ()  # type: ignore[assignment]
    sizes: tuple[int, ...] = ()

    def part(self, columns: Sequence[int]) -> Elsewhere:
        return replace(self, names=[self.names[j] for j in columns], kept=None)

    def notes(self, head: Sequence[str], parts: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*head, *parts]))

    def sent(self, connection: Connection) -> Any:
        """Itself: the worker reads the columns."""
        del connection
        return self

    def dataset(self) -> Dataset:
        """Read them, if the files are still what they were."""
        if -1 in _sizes(self.place):
            msg = f"a worker on {platform.node()} sees no file {printable(self.place, 400)!r}"
            raise DataError(f"{msg}: workers see files under the same names as you do")
        data = read(self.place, needed=self.names, **self.options)
        if _sizes(self.place) != self.sizes or data.shape[0] != self.n_rows:
            raise DataError("the file changed while it was read").in_file(self.place)
        place = {name: j for j, name in enumerate(data.names)}
        notes = tuple(note for note in data.notes if not note.endswith(UNNEEDED))
        return data.reduced([place[name] for name in self.names]).with_changes(notes=notes)


@dataclass(frozen=True)
class _InChunks(Elsewhere):
    """A collection of dask.

    Parameters
    ----------
    collection : Any
        An array or a frame.
    connection : Connection
        The cluster that computes it.
    """

    collection: Any = None
    connection: Any = None

    def part(self, columns: Sequence[int]) -> Elsewhere:
        table, numbers = self.collection, list(columns)
        if hasattr(table, "columns"):
            place = {str(name): j for j, name in enumerate(table.columns)}
            table = table[[table.columns[place[self.names[j]]] for j in numbers]]
        elif numbers != list(range(table.shape[1])):
            table = table[:, numbers]
        return replace(self, collection=table, names=[self.names[j] for j in numbers])

    def sent(self, connection: Connection) -> Any:
        """The future of their values, see `as_dataset`."""
        return connection.client.compute(self.collection)

    def dataset(self) -> Dataset:
        """Fetch them."""
        part = self.part(range(len(self.names)))
        return as_dataset(part.sent(self.connection).result(), self.names)


def as_dataset(part: Any, names: Sequence[str]) -> Dataset:
    """The data set of what a task got: a part, or computed columns of some names."""
    if isinstance(part, (Elsewhere, TablePart)):
        return part.dataset()
    known = None if hasattr(part, "columns") else names
    return from_arrays(part, np.zeros((part.shape[0], 1), np.int8), feature_names=known)


def part_of(dataset: Dataset, table: Any, columns: Sequence[int]) -> Elsewhere | TablePart:
    """Some columns of a data set, wherever they are; a sparse table is given by columns."""
    if isinstance(table, Elsewhere):
        return table.part(columns)
    first, n = columns[0], len(columns)
    is_run = list(columns) == list(range(first, first + n))
    part = table[:, first : first + n] if is_run else table[:, list(columns)]
    return TablePart(part, tuple(dataset.columns[j] for j in columns))


def is_elsewhere(data: Any) -> bool:
    """Whether workers can get the data themselves."""
    x = data[0] if isinstance(data, tuple) and data else data
    is_file = isinstance(data, (str, os.PathLike)) and os.fspath(data) != "-"
    return is_file or hasattr(x, "__dask_graph__")


def elsewhere(data: Any, cluster: Any, **options: Any) -> Dataset:
    """The data set without X, which workers get.

    Parameters
    ----------
    data : path or (X, Y)
        Files, which all workers see under the same names, or collections of dask.
    cluster : Any
        The cluster.
    **options
        Those of `mlfs.read`.
    """
    if not isinstance(data, (str, os.PathLike)):
        return _in_chunks(data, cluster, **options)
    name = os.fspath(data)
    place = os.path.abspath(name)  # noqa: PTH100  # a pattern is no path
    sizes, head = _sizes(place), _head_of_parquet(name, options)
    if head is None:
        head = read(name, **options)
    table = _InFiles(head.shape[0], head.names, place=place, options=options, sizes=sizes)
    return head.with_changes(X=table, notes=())  # workers will note the same


def _head_of_parquet(place: str, options: Mapping[str, Any]) -> Dataset | None:
    """Parquet files without reading more than texts and three features; None if all have to be."""
    form = options.get("format")
    if form != "parquet" and (form is not None or Path(place).suffix.lower() not in PARQUET):
        return None
    try:
        from pyarrow import parquet

        schema = parquet.read_schema(files_of(place)[0])
        names = [str(name) for name in schema.names]
        few = [names[0], names[len(names) // 2], names[-1]]
        few += [field.name for field in schema if str(field.type) in TEXTS]  # may be dates
        head = read(place, needed=few, **options)
    except Exception:  # noqa: BLE001 -- to read all says what is wrong; or these three are labels
        return None
    there = {*head.names, *(name for name, why in head.left_out if why == UNNEEDED)}
    left_out = tuple((name, why) for name, why in head.left_out if why != UNNEEDED)
    given = [name for name in names if name in {*there, *(name for name, _ in left_out)}]
    return head.with_changes(
        columns=tuple(Column(name) for name in given if name in there),
        left_out=left_out,
        places=[j for j, name in enumerate(given) if name in there] if left_out else None,
    )


def _sizes(place: str) -> tuple[int, ...]:
    """The bytes of files; -1 for one that is not there."""
    files = [Path(file) for file in files_of(place) or [place]]
    return tuple(file.stat().st_size if file.exists() else -1 for file in files)


def _in_chunks(
    data: Any, cluster: Any, *, labels: Any = None, numeric_targets: bool = False, **_: Any
) -> Dataset:
    if not (isinstance(data, tuple) and len(data) == 2) or labels is not None:
        msg = "collections of dask are given as (X, Y): leave labels out, and take Y from the frame"
        raise UsageError(msg)
    X, Y = data
    if getattr(X, "ndim", 2) != 2:
        raise DataError(f"X has {plural(X.ndim, 'axis')}, and a table has two")
    connection = Connection(cluster)
    y = connection.client.compute(Y).result() if hasattr(Y, "__dask_graph__") else Y
    sample = X._meta_nonempty if hasattr(X, "columns") else np.zeros((1, X.shape[1]))  # noqa: SLF001
    head = from_arrays(sample, np.zeros((sample.shape[0], 1), np.int8))
    labelled = from_arrays(np.zeros((len(y), 1)), y, numeric_targets=numeric_targets)
    table = _InChunks(len(y), list(head.names), collection=X, connection=connection)
    return labelled.with_changes(
        X=table, columns=head.columns, left_out=head.left_out, places=head.places
    )
