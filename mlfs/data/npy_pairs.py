"""Two files of numpy, ``X.npy`` and ``Y.npy``: the features and the labels.

The file of the labels is named with ``--labels @Y.npy``; else it is the one beside it whose name
has a Y in the place of the last X (``train_X.npy`` and ``train_Y.npy``, ``x.npy`` and ``y.npy``).
X is packed a few rows at a time. Pickles are never opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from mlfs.data import npy
from mlfs.data.dataset import Dataset, Source
from mlfs.data.files import read_bytes
from mlfs.data.metadata import from_parts
from mlfs.data.npz_pieces import pack_array
from mlfs.data.request import Request
from mlfs.errors import DataError, ParseError, UsageError, printable, setting

__all__ = ["read", "read_apart", "write"]


def read_apart(files: Sequence[str], path: str, request: Request) -> Dataset:
    """Read a pair of files, of which the one of the features is named."""
    if len(files) > 1:
        raise UsageError(
            f"{printable(path, 400)!r} stands for {len(files)} files, and a table of numpy is one "
            "file: name that of the features"
        )
    with Path(files[0]).open("rb") as stream:
        X = pack_array(stream, Path(files[0]).stat().st_size, request, path)
    if X is None:
        X = _array(files[0], request)
    Y = None
    labels = _labels_file(files[0], request)
    if labels is not None:
        Y = _array(labels, request)
    data = from_parts(
        X,
        Y,
        replace(request, labels=None),
        path,
        "a pair of .npy files",
        names=(None, None),
        weights=None,
        nominal=None,
        values=None,
    )
    by = "no file" if labels is None else f"the file {printable(labels, 400)}"
    return data.with_changes(source=Source(path, "npy", labels_by=by))


def read(content: bytes, path: str, request: Request) -> Dataset:  # noqa: ARG001  # as all readers
    """Refuse an array that is not in a plain file: its labels would be in no file beside it."""
    raise ParseError("an array of features is read from a plain file X.npy beside Y.npy", path)


def write(dataset: Dataset, stream: BinaryIO) -> None:  # noqa: ARG001  # as all writers
    """Refuse to write two files where one is asked for."""
    raise DataError(".npy holds features or labels alone: write .npz, which holds both")


def _labels_file(path: str, request: Request) -> str | None:
    """The file of the labels; None if the labels of a model are known and there is no file."""
    labels = request.labels
    if isinstance(labels, str) and labels.startswith("@") and labels.endswith(".npy"):
        return labels[1:]
    if labels is not None:
        raise UsageError(
            f"{printable(path, 400)}: the labels of an array are in a file of their own; name it "
            f"with {setting('labels', '@Y.npy')}"
        )
    file = Path(path)
    for letter, label_letter in (("X", "Y"), ("x", "y")):
        before, match, after = file.stem.rpartition(letter)
        labels_path = file.with_name(f"{before}{label_letter}{after}{file.suffix}")
        if match and labels_path.is_file():
            return str(labels_path)
    if request.known is not None:
        return None
    raise UsageError(
        f"{printable(path, 400)}: there is no file of labels beside it; name it with "
        f"{setting('labels', '@Y.npy')}"
    )


def _array(path: str, request: Request) -> Any:
    content = read_bytes(path, request.limits)
    try:
        array = npy.array(content)
    except npy.Pickled:
        raise ParseError(
            "the array holds Python objects (a pickle), which are never opened; save numbers", path
        ) from None
    except npy.Damaged as error:
        raise ParseError(f"the array {error}", path) from None
    if array.ndim == 0:
        raise ParseError("the array is a single value, not a matrix", path)
    return array
