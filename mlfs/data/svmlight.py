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

from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.files import InputFile, decode
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

NOTE = b"# mlfs "
Note = tuple[list[Column], list[Label]]


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    r"""Read an svmlight file.

    Examples
    --------
    >>> data = read(b"1,5 1:0.5 3:2\n 2:1 # no label\n5\n", "t.svm", Request())
    >>> data.X.toarray().tolist(), data.label_names, data.Y.toarray().tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], ['1', '5'], [[1, 1], [0, 0], [0, 1]])
    """
    limits, note = request.limits, None
    text = SparseText(path, limits, has_comments=True, max_memory=request.max_memory)
    pieces = InputFile.of(source, path, request).text(request.encoding)
    for piece in pieces:
        if note is None and not text.n_rows:
            note = _note(piece, path, limits, text.n_lines)
        text.add(piece, pieces)
    if not text.n_rows:
        raise ParseError("the file holds no row; a row is written as 1,5,10 3:0.5 7:1", path)
    first = 0 if text.lowest == 0 and note is None else 1
    Y, labels = _labels(text, note[1] if note else None, path, request)
    d = len(note[0]) if note else max(0, text.top + 1 - first)
    if text.top + 1 - first > d or (note and text.lowest == 0):
        raise ParseError(f"a row holds an index that is not from 1 to {d}, as the note says", path)
    if d > limits.max_attributes:
        raise exceeded(limits, "max_attributes", d, "features (the largest index)", path)
    if not d:
        raise ParseError("no row holds a feature; a feature is written as index:value", path)
    refuse_empty(limits, (text.n_rows, d, len(labels)), text.size, path)
    X = text.table(d, first)
    wrong = None if note is None else wrong_position(X, note[0])
    if wrong is not None:
        raise ParseError(wrong.text, path, text.line(wrong.row))
    columns = tuple(note[0]) if note else default_columns(d, first)
    refuse_other_labels(request, columns, labels, path, "an svmlight file")
    start = "zero" if first == 0 else "one"
    notes = [] if note else [f"indices count from {start} in this file"]
    if text.queries:
        notes.append("qid: entries are skipped")
    by = Source(path, "svmlight", labels_by="the ids in the file")
    return Dataset(X, Y, columns, labels, source=by, notes=tuple(notes))


def _note(text: bytes, path: str, limits: Limits, lines_before: int) -> Note | None:
    """The note about the columns, if it is among the comments before the first row."""
    start, number = 0, lines_before
    while start < len(text):
        stop = text.find(b"\n", start)
        stop = len(text) if stop < 0 else stop
        line, number = text[start:stop], number + 1
        if len(line) > limits.max_line_bytes:
            raise exceeded(limits, "max_line_bytes", len(line), "bytes in a line", path, number)
        if line.startswith(NOTE):
            return load(decode(line, path, "utf-8", number - 1)[len(NOTE) :], path, limits, number)
        if line.removesuffix(b"\r") and (b"#" not in line or line.partition(b"#")[0].strip()):
            return None
        start = stop + 1
    return None


def _labels(
    text: SparseText, declared: list[Label] | None, path: str, request: Request
) -> tuple[Any, tuple[Label, ...]]:
    """Y, and the labels; a file of one id a row may hold one label whose values are the ids."""
    flat, counts = text.ids()
    distinct = np.unique(flat)
    is_single = declared is None and bool((counts == 1).all())
    if is_single and distinct[0] == -1 and set(distinct.tolist()) <= {-1, 1}:
        return sp.csr_array((flat == 1).astype(np.int8).reshape(-1, 1)), (Label("y0"),)
    if is_single and request.classes and len(distinct) > 2:
        kind = np.int8 if len(distinct) < 128 else np.int32
        codes = np.searchsorted(distinct, flat).astype(kind).reshape(-1, 1)
        return codes, (Label("y0", tuple(map(str, distinct.tolist()))),)
    if distinct.size and distinct[0] < 0:
        ends = np.cumsum(counts)
        row = int(np.searchsorted(ends, np.flatnonzero(flat < 0)[0], side="right"))
        least = int(flat[ends[row] - counts[row] : ends[row]].min())
        raise ParseError(f"{least} is not a label id, a whole number from 0", path, text.line(row))
    if declared is not None:
        labels, present = tuple(declared), distinct
        distinct = np.array(label_ids([label.name for label in declared]), dtype=np.int64)
        if not np.isin(present, distinct).all():
            raise ParseError("a row holds a label id that the note '# mlfs' does not name", path)
    else:
        labels = tuple(Label(str(i)) for i in distinct.tolist())
    if len(labels) > request.limits.max_labels:
        raise exceeded(request.limits, "max_labels", len(labels), "labels", path)
    order = np.argsort(distinct)
    places = order[np.searchsorted(distinct, flat, sorter=order)] if flat.size else flat
    return label_rows(places, counts, len(labels)), labels


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
