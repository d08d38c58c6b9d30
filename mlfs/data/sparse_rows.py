"""Lines of ``labels index:value index:value ...`` become sparse rows, a piece of text at a time.

svmlight and the XMC repository share this. A row may hold its indices in any order, each once.
Nothing is guessed: what does not read as it should is an error with line and column.

A kernel reads the lines. What it saves: 91 MB of svmlight are read in 0.6 s with it, and token by
token in 12 s. A line that it does not read is read token by token, to say what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import pair_rows as kernel
from mlfs._kernels import tokens
from mlfs._kernels.tokens import PADDING
from mlfs.data.assemble import csr_rows, row_blocks, without_weights
from mlfs.data.columns import ROUNDED, is_rounded, number_text
from mlfs.data.dataset import Dataset
from mlfs.data.files import valid_lines
from mlfs.data.row_stack import RowStack
from mlfs.errors import DataError, ParseError, printable

STEP = 4096
HARD = 1 << 12
SMALL = 1 << 12  # bytes; below, the kernel is not worth loading
DIGITS = 18  # of a label id or an index, which a 64-bit integer holds
TOKEN = re.compile(r"\S+")


class SparseText:
    """The rows of the pieces of a text so far.

    Parameters
    ----------
    path : str
        The file, for messages.
    has_comments : bool
        Whether ``#`` starts a comment and an empty line is no row, as in svmlight.
    max_memory : int, optional
        The most bytes that the rows may take in memory.

    Attributes
    ----------
    n_rows, n_lines, top : int
        The rows and the lines of text, and the largest index.
    top_row : int
        The first row that has the largest index, which may stand before a zero that is not kept.
    lowest : int
        The least index, or a larger number than any if there is none.
    queries : bool
        Whether a ``qid:`` was there (and skipped).
    """

    def __init__(self, path: str, *, has_comments: bool, max_memory: int | None = None) -> None:
        self.path, self.has_comments = path, has_comments
        self.n_rows = self.n_lines = 0
        self.top, self.top_row, self.lowest = -1, 0, 1 << 62
        self.queries = False
        self._stack = RowStack(max_memory=max_memory)
        self._room: kernel.PairRows | None = None
        self._ids: list[np.ndarray] = []
        self._counts: list[np.ndarray] = []
        self._lines: list[np.ndarray] = []

    def add(self, text: bytes) -> None:
        """Read some whole lines more."""
        lines_before, n_lines = self.n_lines, text.count(b"\n")
        self.n_lines += n_lines
        text, fault = valid_lines(text, self.path, lines_before)
        faults = [] if fault is None else [fault]
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").removesuffix(b"\r")
        self._room = _room(self._room, len(text), n_lines + 1)
        piece = _Piece(self, text, lines_before, self._room)
        try:
            piece.read()
        except ParseError as error:
            faults.insert(0, error)
        counts, out = piece.out.counts, piece.out
        n, entries, ids = (int(counts[k]) for k in (kernel.ROWS, kernel.ENTRIES, kernel.IDS))
        ends, lines = out.ends[:n], out.lines[:n] + (lines_before + 1)
        columns, values = out.columns[:entries], out.values[:entries]
        self._note_indices(columns, ends)
        indptr = np.concatenate([np.zeros(1, np.int64), ends[:, 0]])
        rows = csr_rows(values, columns, indptr, self.top + 1)
        if counts[kernel.UNSORTED]:
            rows.has_sorted_indices = False
            faults += _sort(rows, lines, self.path)
        if faults:
            raise min(faults, key=lambda fault: fault.line or 0)
        if counts[kernel.ODD] and not values.all():
            rows.eliminate_zeros()
        self.n_rows += n
        self._stack.add(rows, small=None if counts[kernel.ODD] else True)
        self._ids.append(out.ids[:ids].copy())
        self._counts.append(np.diff(ends[:, 1], prepend=0).astype(np.int32))
        self._lines.append(lines)

    def _note_indices(self, columns: np.ndarray, ends: np.ndarray) -> None:
        """Note the least and the largest index."""
        if not columns.size:
            return
        entry = int(columns.argmax())
        if columns[entry] > self.top:
            self.top = int(columns[entry])
            self.top_row = self.n_rows + int(np.searchsorted(ends[:, 0], entry, side="right"))
        self.lowest = min(self.lowest, int(columns.min()))

    def line(self, row: int) -> int:
        """The line of a row, counted from one."""
        for lines in self._lines:
            if row < len(lines):
                return int(lines[row])
            row -= len(lines)
        raise IndexError(row)

    def ids(self) -> tuple[np.ndarray, np.ndarray]:
        """The label ids of all rows, and how many each row has."""
        label_ids = np.concatenate([np.zeros(0, np.int64), *self._ids])
        return label_ids, np.concatenate([np.zeros(0, np.int32), *self._counts])

    def table(self, width: int, first: int = 0) -> Any:
        """X, where `first` is the index of the first column; it can be taken once."""
        return self._stack.finish(width, first)


def _room(room: kernel.PairRows | None, size: int, n_lines: int) -> kernel.PairRows:
    """Room for what a text may hold: `room` itself if it suffices."""
    entries, ids = size // 4 + 1, size // 2 + 1  # as in " 1:1" and "1,"
    if room is None or room.columns.size < entries or room.lines.size < n_lines:
        room = kernel.PairRows(
            np.empty(entries),
            np.empty(entries, np.int32),
            np.empty(ids, np.int64),
            np.empty((n_lines, 2), np.int64),
            np.empty(n_lines, np.int64),
            np.empty((HARD, 3), np.int64),
            np.zeros(7, np.int64),
        )
    room.counts[:] = 0
    return room


class _Piece:
    """The lines of a piece."""

    def __init__(
        self, target: SparseText, text: bytes, lines_before: int, out: kernel.PairRows
    ) -> None:
        self.target, self.text, self.lines_before, self.out = target, text, lines_before, out

    def read(self) -> None:
        """Read all lines."""
        is_quick = tokens.is_compiled() and len(self.text) >= SMALL
        size, start = len(self.text), 0
        if is_quick:
            padded = self.text + b"\n" * (not self.text.endswith(b"\n"))
            size = len(padded)
            bytes_ = np.frombuffer(padded + b"\n" * (PADDING + 1), np.uint8)
        while start < size:
            status = tokens.STOPPED
            if is_quick:
                status, start = kernel.pair_rows(
                    bytes_, start, size, self.target.has_comments, self.out
                )
                self._convert_hard()
            if status == tokens.STOPPED or (status == tokens.HARD and self._is_crowded(start)):
                start = self._read_carefully(start)

    def fault(self, row: int) -> ParseError:
        """The fault of a row that was read."""
        line = int(self.out.lines[row])
        text = self.text.split(b"\n", line + 1)[line].decode()
        try:
            self._tokens(text.partition("#")[0], self.lines_before + line + 1)
        except ParseError as error:
            return error
        raise AssertionError(row)

    def _is_crowded(self, start: int) -> bool:
        """Whether one line has more numbers for `float` than there is room for."""
        stop = self.text.find(b"\n", start)
        return self.text.count(b":", start, stop if stop >= 0 else len(self.text)) > HARD

    def _convert_hard(self) -> None:
        """Convert with `float` the numbers that the kernel left."""
        counts, hard = self.out.counts, self.out.hard
        for entry, start, stop in hard[: counts[kernel.HARDS]].tolist():
            text = self.text[start:stop].decode()
            value = _float(text)
            if value is None or not np.isfinite(value) or is_rounded(text, value):
                row = int(np.searchsorted(self.out.ends[: counts[0], 0], entry, side="right"))
                raise self.fault(row)
            self.out.values[entry] = value
        counts[kernel.HARDS] = 0

    def _read_carefully(self, start: int) -> int:
        """Read one line token by token: where the next one starts."""
        target, out, counts = self.target, self.out, self.out.counts
        stop = self.text.find(b"\n", start)
        stop = len(self.text) if stop < 0 else stop
        number = self.lines_before + int(counts[kernel.LINES]) + 1
        line = self.text[start:stop].decode()
        is_row = True
        if target.has_comments:
            plain = line.partition("#")[0]
            is_row = bool(plain.strip()) if "#" in line else bool(plain)
            line = plain
        if is_row:
            ids, columns, values = self._tokens(line, number)
            counts[kernel.ODD] = 1
            i, n, m = (int(counts[k]) for k in (0, 1, 2))
            out.ids[m : m + len(ids)] = ids
            out.columns[n : n + len(columns)] = columns
            out.values[n : n + len(values)] = values
            out.ends[i] = n + len(columns), m + len(ids)
            out.lines[i] = counts[kernel.LINES]
            counts[0], counts[1:3] = i + 1, out.ends[i]
            if any(a >= b for a, b in pairwise(columns)):
                counts[kernel.UNSORTED] = 1
        counts[kernel.LINES] += 1
        return stop + 1

    def _tokens(self, line: str, number: int) -> tuple[list[int], list[int], list[float]]:
        """The labels, indices and values of a line."""
        path = self.target.path
        ids: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        for k, match in enumerate(TOKEN.finditer(line)):
            token, column = match.group(), match.start() + 1
            if k == 0 and ":" not in token and column == 1:
                ids = _ids(token, path, number, column)
            elif token.startswith("qid:"):
                self.target.queries = True
            else:
                j, value = _pair(token, path, number, column)
                if j > kernel.LARGEST:
                    raise ParseError(f"the index {j} is too large", path, number, column)
                columns.append(j)
                values.append(value)
        return ids, columns, values


def _float(text: str) -> float | None:
    try:
        return float(text if text.isascii() and "_" not in text else "?")
    except ValueError:
        return None


def _ids(token: str, path: str, line: int, column: int) -> list[int]:
    ids = []
    for part in token.split(","):
        if not re.fullmatch(r"[+-]?[0-9]{1,18}(\.0*)?", part):
            raise ParseError(
                f"{printable(part)!r} is not a label id; labels are whole numbers of at most "
                f"{DIGITS} digits with commas and no blanks between them, as in 1,5,10 3:0.5",
                path, line, column,
            )  # fmt: skip
        ids.append(int(part.partition(".")[0]))
        column += len(part) + 1
    return ids


def _pair(token: str, path: str, line: int, column: int) -> tuple[int, float]:
    key, colon, text = token.partition(":")
    if not colon:
        raise ParseError(
            f"{printable(token)!r} is not index:value (a blank inside the list of labels?)",
            path, line, column,
        )  # fmt: skip
    if not (key.isascii() and key.isdigit()):
        raise ParseError(
            f"{printable(key)!r} is not the index of a feature, a whole number from 0",
            path, line, column,
        )  # fmt: skip
    position = column + len(key) + 1
    value = _float(text)
    if value is None:
        raise ParseError(f"{printable(text)!r} is not a number", path, line, position)
    if not np.isfinite(value):
        raise ParseError(
            f"{printable(text)} cannot be used as a value; this format has no missing values: "
            "leave the entry out if it is 0, or use .arff or .csv",
            path, line, position,
        )  # fmt: skip
    if is_rounded(text, value):
        raise ParseError(f"{printable(text)} is {ROUNDED}", path, line, position)
    return int(key.lstrip("0")[: DIGITS + 1] or "0"), value


def _sort(rows: sp.csr_array, lines: np.ndarray, path: str) -> list[ParseError]:
    """Bring the entries of each row into the order of their indices; a fault if one is twice."""
    rows.sort_indices()
    repeated = np.flatnonzero(np.diff(rows.indices) == 0) + 1
    repeated = repeated[~np.isin(repeated, rows.indptr)]
    if not repeated.size:
        return []
    row = int(np.searchsorted(rows.indptr, repeated[0], side="right")) - 1
    index = rows.indices[repeated[0]]
    return [ParseError(f"the index {index} is there twice in this row", path, int(lines[row]))]


def label_rows(positions: np.ndarray, counts: np.ndarray, width: int) -> sp.csr_array:
    """Y of the positions of the labels that rows have, one row after the other."""
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    ones = np.ones(positions.size, np.int8)
    Y = sp.csr_array((ones, positions, ends), shape=(counts.size, width))
    Y.sum_duplicates()
    Y.data[:] = 1
    return Y


def write_table(
    dataset: Dataset, stream: BinaryIO, form: str, head: str, ids: Sequence[str], first: int
) -> None:
    """Write a first line and the rows, or refuse what the format cannot hold.

    Parameters
    ----------
    form : str
        What an error calls the format.
    head : str
        The first line.
    ids : sequence of str
        What each label is called in the rows.
    first : int
        The index of the first feature.
    """
    without_weights(dataset, form)
    X, Y = dataset.table, sp.csr_array(dataset.Y)
    X = X.tocsr() if dataset.is_sparse else X
    remedy = "write .arff or .npz instead"
    blocks = [X.data] if dataset.is_sparse else row_blocks(X)
    if any(np.isnan(block).any() for block in blocks):
        raise DataError(f"X has missing values, which {form} cannot hold: {remedy}")
    if (Y.data == -1).any():
        raise DataError(f"Y has missing labels, which {form} cannot hold: {remedy}")
    if any(label.values != ("0", "1") for label in dataset.labels):
        raise DataError(f"Y has labels of several classes, which {form} cannot hold: {remedy}")
    stream.write(f"{head}\n".encode())
    stream.writelines(
        _rows_text(sp.csr_array(X[start : start + STEP]), Y[start : start + STEP], ids, first)
        for start in range(0, X.shape[0], STEP)
    )


def _rows_text(X: sp.csr_array, Y: sp.csr_array, ids: Sequence[str], first: int) -> bytes:
    Y.eliminate_zeros()
    Y.sort_indices()
    labels = np.split(Y.indices, Y.indptr[1:-1])
    columns, values = np.split(X.indices, X.indptr[1:-1]), np.split(X.data, X.indptr[1:-1])
    lines = []
    for row_labels, index, row in zip(labels, columns, values, strict=True):
        entries = zip(index.tolist(), row.tolist(), strict=True)
        pairs = " ".join(f"{j + first}:{number_text(v)}" for j, v in entries)
        lines.append(",".join(ids[j] for j in row_labels.tolist()) + " " + pairs + "\n")
    return "".join(lines).encode()
