"""A data set in one or several files, of which any pieces can be read, on any machine.

Pieces are numbered in the order of their rows. Whoever reads some of them (`FilePieces.read`) gets
`ReadRows`, whose `found` says what was seen in them: small, and made to be sent. All that was found
together (`FilePieces.agreed`) decides the columns and labels of the whole, and with these rows
become a `Dataset` (`ReadRows.dataset`). Such data sets, one under the other, are what `mlfs.read`
returns for the whole.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.formats import read_request, request_of
from mlfs.data.request import Limits, Request
from mlfs.errors import DataError, UsageError, printable

__all__ = ["Agreed", "FilePieces", "FileState", "ReadRows", "open_pieces"]

SHARES = 64  # pieces of a file that has to be read whole


@dataclass(frozen=True)
class FileState:
    """A file as it was when its pieces were counted.

    Parameters
    ----------
    path : str
        Where it is, on every machine that reads pieces of it.
    size, changed : int
        Its bytes, and when it was changed, in nanoseconds.
    """

    path: str
    size: int
    changed: int

    @classmethod
    def of(cls, path: str) -> FileState:
        """The file as it is now."""
        shown = repr(printable(path, 400))
        try:
            found = Path(path).stat()
        except FileNotFoundError:
            raise UsageError(f"there is no file {shown}") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise DataError(f"cannot read {shown}: {reason}") from None
        return cls(path, found.st_size, found.st_mtime_ns)

    def check(self) -> None:
        """Raise if the file is missing or is another one now."""
        if FileState.of(self.path) != self:
            shown = printable(self.path, 400)
            raise DataError(f"{shown}: the file changed while it was read")


@dataclass(frozen=True)
class Agreed:
    """What all rows have in common: fields of a `Dataset`."""

    columns: Sequence[Column]
    labels: Sequence[Label]
    left_out: tuple[tuple[str, str], ...]
    source: Source
    notes: tuple[str, ...]


class ReadRows(ABC):
    """The rows of some pieces, in memory.

    Attributes
    ----------
    n_rows : int
        How many there are.
    found : object
        What `FilePieces.agreed` needs to know of them.
    """

    n_rows: int
    found: Any

    @abstractmethod
    def dataset(self, agreed: Any) -> Dataset:
        """The rows, with the columns and labels of all."""


class FilePieces(ABC):
    """The pieces of a data set, which can be sent to where they are read.

    Attributes
    ----------
    sizes : tuple of int
        How large each piece is, to share them out evenly: rows or bytes.
    """

    sizes: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.sizes)

    @abstractmethod
    def read(self, first: int, last: int) -> ReadRows:
        """Read the pieces from `first` to before `last`."""

    @abstractmethod
    def agreed(self, found: Sequence[Any]) -> Any:
        """What the columns and labels are, by what was found in all pieces, in their order."""

    def shares(self, n: int) -> list[tuple[int, int]]:
        """Share the pieces out: at most n ranges ``(first, last)`` of about the same size.

        Examples
        --------
        >>> from mlfs.data.file_pieces import open_pieces
        >>> open_pieces("docs/examples/songs.arff").shares(3)
        [(0, 22), (22, 43), (43, 64)]
        """
        ends = np.cumsum(self.sizes)
        cuts = np.searchsorted(ends, np.arange(1, n) * (ends[-1] / n), side="left")
        bounds = sorted({0, *(cuts + 1).tolist(), len(ends)})
        return list(pairwise(bounds))


class _WholeFile(FilePieces):
    """A file of a format that is read whole: its pieces are shares of the rows."""

    def __init__(self, path: str, form: str | None, request: Request) -> None:
        self.path, self.form, self.request = path, form, request
        self.state = FileState.of(path)
        self.sizes = (1,) * SHARES

    def read(self, first: int, last: int) -> ReadRows:
        """Read the file, and keep the rows of the pieces."""
        self.state.check()
        whole = read_request(self.path, self.form, self.request)
        n = whole.shape[0]
        return _SomeRows(whole, first * n // SHARES, last * n // SHARES)

    def agreed(self, found: Sequence[Any]) -> Any:
        """What was found, which is the same for all rows."""
        if any(one != found[0] for one in found):
            raise DataError(f"{printable(self.path, 400)}: the file changed while it was read")
        return found[0]


class _SomeRows(ReadRows):
    """Rows of a data set."""

    def __init__(self, whole: Dataset, first: int, last: int) -> None:
        names = ("columns", "labels", "left_out", "source", "notes")
        self.found = Agreed(*(getattr(whole, name) for name in names))
        rows = slice(first, last)
        weights = None if whole.weights is None else whole.weights[rows]
        self._data = replace(whole, X=whole.table[rows], Y=whole.Y[rows], weights=weights)
        self.n_rows = last - first

    def dataset(self, agreed: Any) -> Dataset:  # noqa: ARG002  # it is what was found
        """The rows."""
        return self._data


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
) -> FilePieces:
    """Open a data set whose pieces are to be read; no row is read yet.

    Parameters
    ----------
    path : str or path
        A file, which every machine that reads pieces of it sees under this name.
    labels, format, limits, classes, separator, encoding, numbers
        See `mlfs.read`.

    Examples
    --------
    >>> pieces = open_pieces("docs/examples/songs.arff")
    >>> rows = [pieces.read(first, last) for first, last in pieces.shares(2)]
    >>> agreed = pieces.agreed([some.found for some in rows])
    >>> [some.dataset(agreed).shape for some in rows]
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
    )
    return _WholeFile(name, format, request)
