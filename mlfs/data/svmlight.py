"""svmlight with several labels a row: ``1,5,10 3:0.5 7:1 # comment``.

- The labels of the data set are the distinct ids that are there, in the order of their numbers. A
  row without labels starts with a blank; a line of blanks is a row without labels and features.
- Indices count from one, unless the index 0 is there: then from zero (a note says which).
- ``qid:`` is skipped, and a note says so. An index twice in a row, NaN and infinities are errors.
- A file whose rows all have the one id -1 or +1 holds one binary label.

The format itself has no names, no kinds, and no trace of a feature or label that occurs in no
row. So `write` starts with a comment ``# mlfs {...}`` (see `mlfs.data.metadata`) that other readers
skip and with which everything reads back equal. Missing values, missing labels, labels of several
classes and weights have no place in it and are refused. X and Y come back sparse.

The text format of the extreme classification repository (XMC) is here, too. The first line is
``N D L``: the numbers of rows, features and labels. Then one row a line, as in svmlight, features
and labels counted from zero: ``1,5,10 0:0.5 7:1``. What the first line says is checked against what
is there.

The format carries neither names (features come back as ``x0``, ``x1``, ..., labels as ``y0``,
``y1``, ...) nor kinds: a nominal column is written as the positions of its values. Missing values,
missing labels, labels of several classes and weights are refused. X and Y come back sparse.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.assemble import csr_rows
from mlfs.data.dataset import Column, Dataset, Label, NumberedNames, Source, Uniform
from mlfs.data.files import InputFile, decode
from mlfs.data.metadata import (
    default_columns,
    dump,
    load,
    refuse_other_labels,
    wrong_position,
)
from mlfs.data.request import Request, refuse_sparse
from mlfs.data.sparse_rows import DIGITS, SparseText, label_rows, write_table
from mlfs.errors import ParseError, plural, printable

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
    note = None
    text = SparseText(path, has_comments=True, max_memory=request.max_memory)
    pieces = InputFile.of(source, path, request).text(request.encoding)
    for piece in pieces:
        if note is None and not text.n_rows:
            note = _note(piece, path, text.n_lines)
        text.add(piece)
    if not text.n_rows:
        raise ParseError("the file holds no row; a row is written as 1,5,10 3:0.5 7:1", path)
    first = 0 if text.lowest == 0 and note is None else 1
    Y, labels = _labels(text, note[1] if note else None, path, request)
    d = len(note[0]) if note else max(0, text.top + 1 - first)
    if text.top + 1 - first > d or (note and text.lowest == 0):
        raise ParseError(f"a row holds an index that is not from 1 to {d}, as the note says", path)
    if not d:
        raise ParseError("no row holds a feature; a feature is written as index:value", path)
    refuse_sparse(request.limits, (d, len(labels)), path)
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


def _note(text: bytes, path: str, lines_before: int) -> Note | None:
    """The note about the columns, if it is among the comments before the first row."""
    start, number = 0, lines_before
    while start < len(text):
        stop = text.find(b"\n", start)
        stop = len(text) if stop < 0 else stop
        line, number = text[start:stop], number + 1
        if line.startswith(NOTE):
            return load(decode(line, path, "utf-8", number - 1)[len(NOTE) :], path, number)
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


def read_xmc(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    r"""Read a file of the XMC repository.

    Examples
    --------
    >>> data = read_xmc(b"2 3 4\n0,3 0:0.5 2:1\n 1:1\n", "t.txt", Request())
    >>> data.shape, data.Y.toarray().tolist()
    ((2, 3, 4), [[1, 0, 0, 1], [0, 0, 0, 0]])
    """
    file = InputFile.of(source, path, request)
    pieces = file.text(request.encoding)
    text = SparseText(path, has_comments=False, max_memory=request.max_memory)
    start = next(pieces, b"")
    line, end, start = start.partition(b"\n")
    n, d, q = _header(decode(line, path).removesuffix("\r"), path, request)
    text.n_lines, has_end = 1, bool(end)
    for piece in chain([start] if start else [], pieces):
        text.add(piece)
        has_end = piece.endswith(b"\n")
    X = text.table(max(d, text.top + 1))
    flat, counts = text.ids()
    faults = [
        _row_fault(n, X, counts, path, has_end=has_end),
        _index_fault(d, X, text, path),
        _label_fault(q, flat, counts, path),
    ]
    known = [fault for fault in faults if fault is not None]
    if known:
        raise min(known, key=lambda fault: fault.line or 0)
    columns, labels = default_columns(d), Uniform(NumberedNames("y", q), Label(""))
    refuse_other_labels(request, columns, labels, path, "an XMC file")
    X = csr_rows(X.data, X.indices, X.indptr[: n + 1], d)  # what follows are blank lines
    Y = label_rows(flat, counts[:n], q)
    notes = ("qid: entries are skipped",) if text.queries else ()
    by = Source(path, "xmc", labels_by="the ids in the file")
    return Dataset(X, Y, columns, labels, source=by, notes=notes)


def _row_fault(
    n: int, X: Any, counts: np.ndarray, path: str, *, has_end: bool
) -> ParseError | None:
    """The fault where not as many rows follow as the first line says; blank lines may come after.

    `has_end` says whether the last line has one.
    """
    n_rows = X.shape[0]
    filled = np.flatnonzero((np.diff(X.indptr) > 0) | (counts > 0))
    shown = n_rows if n_rows <= n else max(n, int(filled.max(initial=-1)) + 1)
    if shown == n:
        return None
    msg = f"the first line says {plural(n, 'row')} and {shown} follow"
    return ParseError(msg, path, min(1 + n_rows + has_end, n + 2))


def _index_fault(d: int, X: Any, text: SparseText, path: str) -> ParseError | None:
    """The fault where the first line knows fewer features."""
    if text.top < d:
        return None
    index, row = text.top, text.top_row  # of a zero, which is not kept
    beyond = np.flatnonzero(X.indices >= d)
    if beyond.size:
        first = int(np.searchsorted(X.indptr, beyond[0], side="right")) - 1
        if first < row:
            index, row = int(X.indices[beyond[0]]), first
    return ParseError(
        f"the first line says {d} features, counted from 0, and this row has the index {index}",
        path, row + 2,
    )  # fmt: skip


def _label_fault(q: int, flat: np.ndarray, counts: np.ndarray, path: str) -> ParseError | None:
    """The fault where the first line knows fewer labels."""
    bad = np.flatnonzero((flat < 0) | (flat >= q))
    if not bad.size:
        return None
    row = int(np.searchsorted(np.cumsum(counts), bad[0], side="right"))
    return ParseError(
        f"the first line says {q} labels, counted from 0, and this row has the label "
        f"{flat[bad[0]]}", path, row + 2, 1,
    )  # fmt: skip


def _header(line: str, path: str, request: Request) -> tuple[int, int, int]:
    words = line.split()
    if len(words) != 3 or not all(p.isascii() and p.isdigit() and len(p) < 19 for p in words):
        raise ParseError(
            f"the first line is {printable(line)!r}; expected N D L: the numbers of rows, features "
            "and labels", path, 1, 1,
        )  # fmt: skip
    n, d, q = map(int, words)
    refuse_sparse(request.limits, (d, q), path)
    if not (n and d):
        raise ParseError(
            f"the first line says {n} rows and {d} features; there is nothing", path, 1
        )
    return n, d, q


def write_xmc(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a file of the XMC repository.

    Examples
    --------
    >>> import io
    >>> from mlfs.data.arrays import from_arrays
    >>> out = io.BytesIO()
    >>> write_xmc(from_arrays([[0.5, 0], [0, 2]], [{"a"}, set()]), out)
    >>> print(out.getvalue().decode(), end="")
    2 2 1
    0 0:0.5
     1:2
    """
    n, d, q = dataset.shape
    ids = [str(j) for j in range(q)]
    write_table(dataset, stream, "an XMC file", f"{n} {d} {q}", ids, 0)
