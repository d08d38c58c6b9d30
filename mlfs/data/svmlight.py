r"""svmlight with several labels a row: ``1,5,10 3:0.5 7:1 # comment``.

- The labels of the data set are the distinct ids that are there, in the order of their numbers. A
  row without labels starts with a blank; a line of blanks is a row without labels and features.
- Indices count from one, unless the index 0 is there: then from zero (a note says which).
- ``qid:`` is skipped, and a note says so. An index twice in a row, NaN and infinities are errors.
- A file whose rows all have the one id -1 or +1 holds one binary label.

The format itself has no names, no kinds, and no trace of a feature or label that occurs in no
row. So `write` starts with a comment ``# mlfs {...}`` (see `mlfs.data.metadata`) that other readers
skip and with which everything reads back equal. Missing values, missing labels, labels of several
classes and weights have no place in it and are refused. X and Y come back sparse.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.files import UTF16, TextPieces, decoded, is_plain, utf8_text
from mlfs.data.metadata import (
    default_columns,
    dump,
    load,
    refuse_other_labels,
    wrong_position,
)
from mlfs.data.request import Limits, Request, exceeded, refuse_empty
from mlfs.data.sparse_rows import DIGITS, SparseText, label_rows, write_table
from mlfs.errors import ParseError

__all__ = ["read", "read_pieces", "write"]

NOTE = b"# mlfs "
Note = tuple[list[Column], list[Label]]


def read(content: bytes, path: str, request: Request) -> Dataset:
    r"""Read an svmlight file.

    Examples
    --------
    >>> data = read(b"1,5 1:0.5 3:2\n 2:1 # no label\n5\n", "t.svm", Request())
    >>> data.X.toarray().tolist(), data.label_names, data.Y.toarray().tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], ['1', '5'], [[1, 1], [0, 0], [0, 1]])
    """
    return _read([utf8_text(content, path, request.encoding)], path, request)


def read_pieces(pieces: TextPieces, path: str, request: Request) -> Dataset | None:
    """Read a large svmlight file; None if it is one that has to be read whole."""
    if not is_plain(request.encoding):
        return None
    texts = pieces.texts()
    first = next(texts, b"")
    return None if first.startswith(UTF16) else _read(chain([first], texts), path, request)


def _read(texts: Iterable[bytes], path: str, request: Request) -> Dataset:
    limits = request.limits
    rows = SparseText(path, limits, has_comments=True, most=request.max_memory)
    note: Note | None = None
    for text in texts:
        note = note if rows.size else _note(text, path, limits)
        rows.add(text)
    if not rows.n_rows:
        raise ParseError("the file holds no row; a row is written as 1,5,10 3:0.5 7:1", path)
    first = 0 if rows.lowest == 0 and note is None else 1
    Y, labels = _labels(rows, note[1] if note else None, path, request)
    d = len(note[0]) if note else max(0, rows.top + 1 - first)
    if rows.top + 1 - first > d or (note and rows.lowest == 0):
        raise ParseError(f"a row holds an index that is not from 1 to {d}, as the note says", path)
    if d > limits.max_attributes:
        raise exceeded(limits, "max_attributes", d, "features (the largest index)", path)
    if not d:
        raise ParseError("no row holds a feature; a feature is written as index:value", path)
    refuse_empty(limits, (rows.n_rows, d, len(labels)), rows.size, path)
    X = rows.table(d, first)
    columns = tuple(note[0]) if note else default_columns(d, first)
    wrong = wrong_position(X, columns) if note else None
    if wrong is not None:
        raise ParseError(wrong.text, path, rows.line(wrong.row))
    refuse_other_labels(request, columns, labels, path, "an svmlight file")
    notes = [] if note else [f"indices count from {'zero' if first == 0 else 'one'} in this file"]
    if rows.queries:
        notes.append("qid: entries are skipped")
    source = Source(path, "svmlight", labels_by="the ids in the file")
    return Dataset(X, Y, columns, labels, source=source, notes=tuple(notes))


def _note(text: bytes, path: str, limits: Limits) -> Note | None:
    """The note about the columns, if it is among the comments before the first row."""
    at = number = 0
    while at < len(text):
        stop = text.find(b"\n", at)
        stop = len(text) if stop < 0 else stop
        line, number = text[at:stop], number + 1
        if len(line) > limits.max_line_bytes:
            raise exceeded(limits, "max_line_bytes", len(line), "bytes in a line", path, number)
        if line.startswith(NOTE):
            return load(decoded(line, path, "utf-8", number - 1)[len(NOTE) :], path, limits, number)
        if line.removesuffix(b"\r") and (b"#" not in line or line.partition(b"#")[0].strip()):
            return None
        at = stop + 1
    return None


def _labels(
    rows: SparseText, known: list[Label] | None, path: str, request: Request
) -> tuple[Any, tuple[Label, ...]]:
    flat, counts = rows.ids()
    distinct = np.unique(flat)
    alone = bool((counts == 1).all()) and known is None
    if alone and distinct[0] == -1 and set(distinct.tolist()) <= {-1, 1}:
        return sp.csr_array((flat == 1).astype(np.int8).reshape(-1, 1)), (Label("y0"),)
    if alone and request.classes and len(distinct) > 2:
        codes = np.searchsorted(distinct, flat).astype(np.int8 if len(distinct) < 128 else np.int32)
        return codes.reshape(-1, 1), (Label("y0", tuple(map(str, distinct.tolist()))),)
    if distinct.size and distinct[0] < 0:
        ends = np.cumsum(counts)
        row = int(np.searchsorted(ends, np.flatnonzero(flat < 0)[0], side="right"))
        least = flat[ends[row] - counts[row] : ends[row]].min()
        raise ParseError(f"{least} is not a label id, a whole number from 0", path, rows.line(row))
    if known is not None:
        labels = tuple(known)
        distinct = np.array(label_ids([label.name for label in known]), dtype=np.int64)
        if not np.isin(flat, distinct).all():
            raise ParseError("a row holds a label id that the note '# mlfs' does not name", path)
    else:
        labels = tuple(Label(str(i)) for i in distinct.tolist())
    if len(labels) > request.limits.max_labels:
        raise exceeded(request.limits, "max_labels", len(labels), "labels", path)
    order = np.argsort(distinct)
    position = order[np.searchsorted(distinct, flat, sorter=order)] if flat.size else flat
    return label_rows(position, counts, len(labels)), labels


def label_ids(names: list[str]) -> list[int]:
    """The ids under which labels are written: their names if these are ids, else 0, 1, ..."""
    if all(
        name.isascii() and name.isdigit() and len(name) <= DIGITS and str(int(name)) == name
        for name in names
    ):
        return [int(name) for name in names]
    return list(range(len(names)))


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write an svmlight file, indices from one, with a comment that holds the names.

    Examples
    --------
    >>> import io
    >>> from mlfs.data.arrays import from_arrays
    >>> out = io.BytesIO()
    >>> write(from_arrays([[0.5, 0], [0, 2]], [{"a"}, set()]), out)
    >>> print(out.getvalue().decode(), end="")
    # mlfs {"features": ["x0", "x1"], "nominal": {}, "labels": ["a"], "values": {}}
    0 1:0.5
     2:2
    """
    ids = [str(i) for i in label_ids(dataset.label_names)]
    write_table(dataset, stream, "an svmlight file", f"{NOTE.decode()}{dump(dataset)}", ids, 1)
