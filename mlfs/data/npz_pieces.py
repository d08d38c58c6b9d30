"""Read a large npz file in pieces: X is packed a few rows at a time, the rest is read as always.

A sparse X, one whose columns are contiguous, and one with numbers that need a closer look (infinite
ones, and those beyond 2^53) are left to `npz`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mlfs.data import npy
from mlfs.data.dataset import Dataset
from mlfs.data.files import TextPieces
from mlfs.data.matrices import COUNTED_TYPES, EXACT, needs_check
from mlfs.data.metadata import check_limits
from mlfs.data.npz import BROKEN, Archive, dataset_of
from mlfs.data.packed_table import PackedTable, Packer
from mlfs.data.request import Request
from mlfs.errors import MlfsError

__all__ = ["pack_array", "read_pieces"]

AT_ONCE = 4 << 20  # bytes


def read_pieces(pieces: TextPieces, path: str, request: Request) -> Dataset | None:
    """Read an npz file; None if it is one that has to be read whole."""
    if pieces.compression:
        return None
    with Path(path).open("rb") as file:
        archive = Archive(file, pieces.size, path, request.limits)
        X = _pack_x(archive, request)
        return None if X is None else dataset_of(archive, X, request, path)


def _pack_x(archive: Archive, request: Request) -> PackedTable | None:
    """The array X; None if it has to be read whole."""
    if "X" not in archive.entries or "X_indptr" in archive.entries:
        return None
    try:
        with archive.open_entry("X") as stream:
            return pack_array(stream, archive.entries["X"].file_size, request, archive.path)
    except MlfsError:
        raise
    except BROKEN:
        return None


def pack_array(stream: Any, size: int, request: Request, path: str) -> PackedTable | None:
    """The array in a stream of so many bytes, by rows; None if it has to be read whole."""
    packer = Packer(request.max_memory)
    try:
        head = stream.read(npy.LONGEST + 12)
        form = npy.form_of(head, size)
    except (npy.Damaged, npy.Pickled):
        return None
    is_counted = form.dtype.newbyteorder("=") in COUNTED_TYPES
    if form.by_column or len(form.shape) != 2 or not is_counted or not math.prod(form.shape):
        return None
    declared = np.broadcast_to(np.zeros((), form.dtype), form.shape)
    check_limits(declared, None, request.limits, path)
    for rows in _rows(stream, head[form.start :], form):
        if _is_odd(rows):
            return None
        packer.add(rows)
    return packer.finish() if packer.n_rows == form.shape[0] else None


def _rows(stream: Any, content: bytes, form: npy.Form) -> Iterator[np.ndarray]:
    """The rows of an array, some at a time."""
    row = form.dtype.itemsize * form.shape[1]
    step = max(1, AT_ONCE // row) * row
    while True:
        if len(content) < step:
            content += stream.read(step - len(content))
        size = len(content) // row * row
        if not size:
            return
        rows = np.frombuffer(content[:size], form.dtype).reshape(-1, form.shape[1])
        content = content[size:]
        if form.dtype.kind == "b":
            yield rows.view(np.uint8) != 0  # another byte than 0 and 1 would be another number
        else:
            yield rows.astype(form.dtype.newbyteorder("="), copy=False)


def _is_odd(rows: np.ndarray) -> bool:
    """Whether a number is infinite or beyond what a float holds exactly."""
    if not needs_check(rows):
        return False
    if rows.dtype.kind != "f":
        return True
    present = rows[~np.isnan(rows)]
    return bool((np.abs(present) > EXACT).any())
