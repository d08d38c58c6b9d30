"""What a user asks of a reader, whatever the format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mlfs.data.limits import Limits

__all__ = ["Request"]


@dataclass(frozen=True)
class Request:
    """The options that every reader gets: ``read(content, path, request)``.

    Parameters
    ----------
    labels : str or sequence of str, optional
        Which columns are labels. A text is what ``--labels`` takes (see `mlfs.data.labels`);
        a sequence holds exact names.
    classes : bool
        Take label columns with more than two values as classes instead of refusing them.
    separator : str
        What stands between the labels in a column of lists.
    limits : Limits
        How large the file may be.
    encoding : str
        The encoding of a text file.
    binary_path : Path, optional
        The file on disk, for readers that want a path and for the files beside it;
        None for standard input.
    known : tuple of str, optional
        The labels of a model, where `labels` says nothing: columns of these names are labels,
        and none of them needs to be there.

    Examples
    --------
    >>> Request(labels="last:6").separator
    '|'
    """

    labels: str | Sequence[str] | None = None
    classes: bool = False
    separator: str = "|"
    limits: Limits = field(default_factory=Limits)
    encoding: str = "utf-8"
    binary_path: Path | None = None
    known: tuple[str, ...] | None = None
