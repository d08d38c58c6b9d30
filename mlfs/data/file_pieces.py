"""Open files whose pieces can be read separately; see `piecewise`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.files import files_of
from mlfs.data.formats import kind_by_name, read_request, request_of
from mlfs.data.packed_table import PackedTable, Packer
from mlfs.data.piecewise import FilePieces, FileState, ReadRows
from mlfs.data.request import Limits, Request
from mlfs.errors import DataError, UsageError, printable

__all__ = ["FilePieces", "ReadRows", "open_pieces"]

SHARES = 64  # pieces of a file that has to be read whole


@dataclass(frozen=True)
class _Common:
    """What all rows have in common: fields of a `Dataset`."""

    columns: Sequence[Column]
    labels: Sequence[Label]
    left_out: tuple[tuple[str, str], ...]
    source: Source
    notes: tuple[str, ...]


class _WholeFile(FilePieces):
    """A file of a format that is read whole: its pieces are shares of the rows."""

    def __init__(self, path: str, form: str | None, request: Request) -> None:
        self.path, self.form, self.request = path, form, request
        self.states = [FileState.of(file) for file in files_of(path)]
        self.sizes = (1,) * SHARES

    def read(self, first: int, last: int) -> ReadRows:
        """Read the file, and keep the rows of the pieces."""
        for state in self.states:
            state.check()
        data = read_request(self.path, self.form, self.request)
        n = data.shape[0]
        return _RowRange(data, first * n // SHARES, last * n // SHARES)

    def combine(self, summaries: Sequence[Any]) -> Any:
        """The summary, which is the same for all rows."""
        if any(summary != summaries[0] for summary in summaries):
            raise DataError(f"{printable(self.path, 400)}: the file changed while it was read")
        return summaries[0]


class _RowRange(ReadRows):
    """Rows of a data set."""

    def __init__(self, data: Dataset, first: int, last: int) -> None:
        names = ("columns", "labels", "left_out", "source", "notes")
        self.summary = _Common(*(getattr(data, name) for name in names))
        rows = slice(first, last)
        weights = None if data.weights is None else data.weights[rows]
        X = _slice_rows(data.table, first, last)
        self._data = replace(data, X=X, Y=data.Y[rows], weights=weights)
        self.n_rows = last - first

    def dataset(self, common: Any) -> Dataset:  # noqa: ARG002  # it is the summary
        """The rows."""
        return self._data


def _slice_rows(table: Any, first: int, last: int) -> Any:
    """Some rows of a table; those of a packed one stay packed."""
    if not isinstance(table, PackedTable) or first == last:
        return table[first:last]
    packer = Packer()
    for begin, part in table.row_parts():
        rows = part[max(0, first - begin) : max(0, last - begin)]
        if len(rows):
            packer.add(rows)
    return packer.finish()


def open_pieces(
    path: str | os.PathLike[str],
    *,
    labels: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002 - the word that users expect
    limits: Limits | None = None,
    classes: bool = False,
    separator: str = "|",
    encoding: str = "utf-8",
    numbers: bool = False,
    delimiter: str = "",
    decimal: str = ".",
) -> FilePieces:
    """Open a data set whose pieces are to be read; no row is read yet.

    Parameters
    ----------
    path : str or path
        A file, or a pattern for several, which every machine that reads pieces sees under this
        name.
    labels, format, limits, classes, separator, encoding, numbers, delimiter, decimal
        See `mlfs.read`.

    Examples
    --------
    >>> pieces = open_pieces("docs/examples/songs.arff")
    >>> rows = [pieces.read(first, last) for first, last in pieces.shares(2)]
    >>> common = pieces.combine([part.summary for part in rows])
    >>> [part.dataset(common).shape for part in rows]
    [(120, 24, 6), (120, 24, 6)]
    """
    name = os.fspath(path)
    if name == "-":
        raise UsageError("standard input cannot be read in pieces on workers: name a file")
    request = request_of(
        name,
        labels=labels,
        limits=limits,
        classes=classes,
        separator=separator,
        encoding=encoding,
        numbers=numbers,
        delimiter=delimiter,
        decimal=decimal,
    )
    kind_by_name(name, format, request)
    return _WholeFile(name, format, request)
