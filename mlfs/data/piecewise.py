"""A data set in one or several files, of which any pieces can be read, on any machine.

Pieces are numbered in the order of their rows. To read some of them (`FilePieces.read`) gives
`ReadRows`, whose `summary` says in little memory what they hold, so that it can be sent. The
summaries of all of them (`FilePieces.combine`) decide the columns and labels of the whole, and with
them rows become a `Dataset` (`ReadRows.dataset`). Such data sets, one under the other, are what
`mlfs.read` returns for the whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, UsageError, printable

__all__ = ["FilePieces", "FileState", "ReadRows"]


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
            status = Path(path).stat()
        except FileNotFoundError:
            raise UsageError(f"there is no file {shown}") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise DataError(f"cannot read {shown}: {reason}") from None
        return cls(path, status.st_size, status.st_mtime_ns)

    def check(self) -> None:
        """Raise if the file is missing or is another one now."""
        if FileState.of(self.path) != self:
            shown = printable(self.path, 400)
            raise DataError(f"{shown}: the file changed while it was read")

    def open(self) -> BinaryIO:
        """Open the file, if it is still the same."""
        self.check()
        return Path(self.path).open("rb")


class ReadRows(ABC):
    """The rows of some pieces, in memory.

    Attributes
    ----------
    n_rows : int
        How many there are.
    summary : object
        What `FilePieces.combine` needs to know of them.
    """

    n_rows: int
    summary: Any

    @abstractmethod
    def dataset(self, common: Any) -> Dataset:
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
    def combine(self, summaries: Sequence[Any]) -> Any:
        """What the columns and labels are, by the summaries of all pieces, in their order."""

    def dataset(self) -> Dataset:
        """Read all pieces here."""
        rows = self.read(0, len(self))
        return rows.dataset(self.combine([rows.summary]))

    def refine(self, summaries: Sequence[Any]) -> FilePieces:  # noqa: ARG002  # mostly not needed
        """The pieces, to be read again with what is known now; these themselves if that is all."""
        return self

    def accepts(self, rows: ReadRows) -> bool:  # noqa: ARG002
        """Whether rows that were read before need not be read again."""
        return True

    def shares(self, n: int) -> list[tuple[int, int]]:
        """Share the pieces out: at most n ranges ``(first, last)`` of about the same size.

        Examples
        --------
        >>> from mlfs.data.file_pieces import open_pieces
        >>> open_pieces("docs/examples/songs.arff").shares(3)
        [(0, 21), (21, 43), (43, 64)]
        """
        edges = np.concatenate([[0], np.cumsum(self.sizes)])
        targets = np.arange(1, n) * (edges[-1] / n)
        above = np.searchsorted(edges, targets, side="left")
        cuts = above - (targets - edges[above - 1] < edges[above] - targets)  # the nearest edges
        bounds = sorted({0, *cuts.tolist(), len(self)})
        return list(pairwise(bounds))
