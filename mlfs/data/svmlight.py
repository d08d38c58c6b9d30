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

from typing import BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.files import decoded
from mlfs.data.metadata import (
    default_columns,
    dump,
    load,
    refuse_other_labels,
    wrong_position,
)
from mlfs.data.request import Request, exceeded, refuse_empty
from mlfs.data.sparse_rows import DIGITS, Rows, parse_rows, write_table
from mlfs.errors import ParseError

__all__ = ["read", "write"]

NOTE = "# mlfs "


def read(content: bytes, path: str, request: Request) -> Dataset:
    r"""Read an svmlight file.

    Examples
    --------
    >>> data = read(b"1,5 1:0.5 3:2\n 2:1 # no label\n5\n", "t.svm", Request())
    >>> data.X.toarray().tolist(), data.label_names, data.Y.toarray().tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], ['1', '5'], [[1, 1], [0, 0], [0, 1]])
    """
    limits = request.limits
    note: tuple[list[Column], list[Label]] | None = None
    lines: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(decoded(content, path, request.encoding).split("\n"), 1):
        if len(line) > limits.max_line_bytes:
            raise exceeded(limits, "max_line_bytes", len(line), "bytes in a line", path, number)
        if "#" in line:
            if not lines and note is None and line.startswith(NOTE):
                note = load(line[len(NOTE) :], path, limits, number)
            line = line.partition("#")[0]
            if not line.strip():
                continue
        line = line.removesuffix("\r")
        if line:
            lines.append(line)
            numbers.append(number)
    if not lines:
        raise ParseError("the file holds no row; a row is written as 1,5,10 3:0.5 7:1", path)
    rows = parse_rows(lines, numbers, path, limits)
    zero = bool((rows.X.indices == 0).any())
    first = 0 if zero and note is None else 1
    Y, labels = _labels(rows, note[1] if note else None, path, request)
    d = len(note[0]) if note else max(0, rows.X.shape[1] - first)
    if rows.X.shape[1] - first > d or (note and zero):
        raise ParseError(f"a row holds an index that is not from 1 to {d}, as the note says", path)
    if d > limits.max_attributes:
        raise exceeded(limits, "max_attributes", d, "features (the largest index)", path)
    if not d:
        raise ParseError("no row holds a feature; a feature is written as index:value", path)
    refuse_empty(limits, (len(lines), d, len(labels)), len(content), path)
    X = sp.csr_array((rows.X.data, rows.X.indices - first, rows.X.indptr), shape=(len(lines), d))
    X.eliminate_zeros()
    columns = tuple(note[0]) if note else default_columns(d, first)
    wrong = wrong_position(X, columns) if note else None
    if wrong is not None:
        raise ParseError(wrong.text, path, rows.lines[wrong.row])
    refuse_other_labels(request, columns, labels, path, "an svmlight file")
    notes = [] if note else [f"indices count from {'zero' if first == 0 else 'one'} in this file"]
    if rows.queries:
        notes.append("qid: entries are skipped")
    source = Source(path, "svmlight", labels_by="the ids in the file")
    return Dataset(X, Y, columns, labels, source=source, notes=tuple(notes))


def _labels(
    rows: Rows, known: list[Label] | None, path: str, request: Request
) -> tuple[sp.csr_array, tuple[Label, ...]]:
    counts = [len(ids) for ids in rows.labels]
    flat = np.array([i for ids in rows.labels for i in ids], dtype=np.int64)
    distinct = np.unique(flat)
    alone = bool(rows.labels) and set(counts) == {1} and known is None
    if alone and distinct[0] == -1 and set(distinct.tolist()) <= {-1, 1}:
        return sp.csr_array((flat == 1).astype(np.int8).reshape(-1, 1)), (Label("y0"),)
    if alone and request.classes and len(distinct) > 2:
        codes = np.searchsorted(distinct, flat).astype(np.int8 if len(distinct) < 128 else np.int32)
        return codes.reshape(-1, 1), (Label("y0", tuple(map(str, distinct.tolist()))),)
    if distinct.size and distinct[0] < 0:
        at = next(k for k, ids in enumerate(rows.labels) if min(ids, default=0) < 0)
        raise ParseError(
            f"{min(rows.labels[at])} is not a label id, a whole number from 0", path, rows.lines[at]
        )
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
    row = np.repeat(np.arange(len(counts)), counts)
    pairs = np.unique(np.stack([row, position]), axis=1)
    ones = np.ones(pairs.shape[1], np.int8)
    Y = sp.csr_array((ones, (pairs[0], pairs[1])), shape=(len(counts), len(labels)))
    Y.sort_indices()
    return Y, labels


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
    write_table(dataset, stream, "an svmlight file", f"{NOTE}{dump(dataset)}", ids, 1)
