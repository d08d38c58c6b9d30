"""Read a case in small pieces, as a large file is: the answer has to be that of the whole."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data import files
from mlfs.data.dataset import Dataset
from mlfs.data.files import InputFile
from mlfs.data.request import Request
from mlfs.errors import MlfsError
from mlfs.formats import FORMATS
from tests.fuzz.cases import Finding

MANY = 10_000  # columns that are not made one by one
SIZES = (1, 7, 16, 33, 64, 100, 200, 500)


class InPieces:
    """Reads files of one format in pieces whose size follows from the content."""

    def __init__(self, form: str, suffix: str) -> None:
        self.reading = FORMATS[form].function("read")
        self.module: Any = sys.modules[self.reading.__module__]
        self.folder = tempfile.TemporaryDirectory(prefix="mlfs-fuzz-")
        self.file = Path(self.folder.name) / f"t{suffix}"

    def chosen(self, content: bytes) -> bool:
        """Whether it is one of the cases that are read in pieces: that takes longer than whole."""
        return zlib.adler32(content) % 3 == 0

    def read(self, content: bytes, path: str, request: Request) -> Dataset | str:
        """The data set, or the sentence that refuses it.

        `path` is what the sentence calls it.
        """
        self.file.write_bytes(content)
        with _small(self.module, SIZES[zlib.crc32(content) % len(SIZES)]):
            try:
                file = InputFile(str(self.file), request.limits, request.max_memory)
                return self.reading(file, str(self.file), request)
            except MlfsError as error:
                return str(error).replace(str(self.file), path)


@contextlib.contextmanager
def _small(module: Any, size: int) -> Iterator[None]:
    """Let pieces be small."""
    changes: list[tuple[Any, str, int]] = [(files, "PIECE", size)]
    changes += [(module, "AT_ONCE", size)] * hasattr(module, "AT_ONCE")
    before = [getattr(where, name) for where, name, _ in changes]
    for where, name, value in changes:
        setattr(where, name, value)
    try:
        yield
    finally:
        for (where, name, _), value in zip(changes, before, strict=True):
            setattr(where, name, value)


def same(one: Dataset | str, other: Dataset | str) -> None:
    """Hold two readings of one file to the same answer, bit for bit, or the same sentence."""
    if isinstance(one, str) or isinstance(other, str):
        if isinstance(one, Dataset) or isinstance(other, Dataset):
            refused = one if isinstance(one, str) else other
            raise Finding(f"one reader refuses what the other takes: {refused}")
        if one != other:
            raise Finding(f"two readers refuse otherwise: {one!r} and {other!r}")
        return
    if one.is_sparse != other.is_sparse:
        raise Finding("one reader gives a sparse table, the other none")
    for name, a, b in (("X", one.X, other.X), ("Y", one.Y, other.Y)):
        if sp.issparse(a) != sp.issparse(b):
            raise Finding(f"two readers store {name} otherwise")
        if sp.issparse(a) and a.indices.tolist() != b.indices.tolist():
            raise Finding(f"two readers store {name} otherwise")
        a, b = (m.toarray() if sp.issparse(m) else np.asarray(m) for m in (a, b))
        alike = a.shape == b.shape and a.dtype == b.dtype
        if not alike or a.tobytes() != b.tobytes():
            nans = alike and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
            if not nans:
                raise Finding(f"two readers read {name} otherwise")
    for what in ("columns", "labels", "left_out", "notes"):
        ours, theirs = getattr(one, what), getattr(other, what)
        many = len(ours) > MANY and type(ours) is type(theirs)
        if len(ours) != len(theirs) or (not many and tuple(ours) != tuple(theirs)):
            raise Finding(f"two readers give other {what}")
    weights = one.weights, other.weights
    if (weights[0] is None) != (weights[1] is None) or (
        weights[0] is not None and not np.array_equal(*weights)
    ):
        raise Finding("two readers give other weights")


__all__ = ["InPieces", "same"]
