"""Two files of numpy, ``X.npy`` and ``Y.npy``: the features and the labels.

The file of the labels is named with ``--labels @Y.npy``; else it is the one beside it whose name
has a Y in the place of the last X (``train_X.npy`` and ``train_Y.npy``, ``x.npy`` and ``y.npy``).
X is packed a few rows at a time. Pickles are never opened.
"""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from mlfs.data import npy
from mlfs.data.dataset import Dataset, Source
from mlfs.data.files import InputFile
from mlfs.data.metadata import from_parts
from mlfs.data.request import Request
from mlfs.errors import DataError, ParseError, UsageError, printable, setting

__all__ = ["read", "write"]


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    """Read a pair of files, of which the one of the features is named."""
    if not isinstance(source, InputFile) or not source.is_on_disk or source.compression:
        raise ParseError("an array of features is read from a plain file X.npy beside Y.npy", path)
    X, Y, labels = _array(source, request), None, _labels_file(path, request)
    if labels is not None:
        Y = _array(InputFile(labels, request.limits, request.max_memory), None)
    source.check_unchanged()
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


def _array(file: InputFile, request: Request | None) -> Any:
    """The array of a file: features, of which a request is known, or labels."""
    path = file.path
    try:
        with file.open() as stream:
            size = stream.seek(0, io.SEEK_END)
            stream.seek(0)
            if request is None:
                array = npy.array(stream.read())
            else:
                array = npy.matrix(stream, size, None, request, path)
    except npy.Pickled:
        raise ParseError(
            "the array holds Python objects (a pickle), which are never opened; save numbers", path
        ) from None
    except npy.Damaged as error:
        raise ParseError(f"the array {error}", path) from None
    if array.ndim == 0:
        raise ParseError("the array is a single value, not a matrix", path)
    return array
