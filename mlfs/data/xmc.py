r"""The text format of the extreme classification repository (XMC).

The first line is ``N D L``: the numbers of rows, features and labels. Then one row a line, as in
svmlight, features and labels counted from zero: ``1,5,10 0:0.5 7:1``. What the first line says is
checked against what is there.

The format carries neither names (features come back as ``x0``, ``x1``, ..., labels as ``y0``,
``y1``, ...) nor kinds: a nominal column is written as the positions of its values. Missing values,
missing labels, labels of several classes and weights are refused. X and Y come back sparse.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from mlfs.data.assemble import csr_rows
from mlfs.data.dataset import Dataset, Label, NumberedNames, Source, Uniform
from mlfs.data.files import InputFile, decode
from mlfs.data.metadata import default_columns, refuse_other_labels
from mlfs.data.request import Request, exceeded, refuse_empty
from mlfs.data.sparse_rows import SparseText, label_rows, write_table
from mlfs.errors import ParseError, plural, printable


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    r"""Read a file of the XMC repository.

    Examples
    --------
    >>> data = read(b"2 3 4\n0,3 0:0.5 2:1\n 1:1\n", "t.txt", Request())
    >>> data.shape, data.Y.toarray().tolist()
    ((2, 3, 4), [[1, 0, 0, 1], [0, 0, 0, 0]])
    """
    file = InputFile.of(source, path, request)
    limits, pieces = request.limits, file.text(request.encoding)
    text = SparseText(path, limits, has_comments=False, max_memory=request.max_memory)
    start = next(pieces, b"")
    line, end, start = start.partition(b"\n")
    if len(line) > limits.max_line_bytes:
        raise exceeded(limits, "max_line_bytes", len(line), "bytes in a line", path)
    n, d, q = _header(decode(line, path).removesuffix("\r"), path, request)
    if not file.compression:
        refuse_empty(limits, (n, d, q), file.size, path)
    text.n_lines, text.size, has_end = 1, len(line) + len(end), bool(end)
    for piece in chain([start] if start else [], pieces):
        text.add(piece, pieces)
        has_end = piece.endswith(b"\n")
    refuse_empty(limits, (n, d, q), text.size, path)
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
    limits = request.limits
    for name, count, noun in (
        ("max_rows", n, "rows"), ("max_features", d, "features"),
        ("max_attributes", d, "features"), ("max_labels", q, "labels"),
    ):  # fmt: skip
        if count > getattr(limits, name):
            raise exceeded(limits, name, count, noun, path, 1)
    if not (n and d):
        raise ParseError(
            f"the first line says {n} rows and {d} features; there is nothing", path, 1
        )
    return n, d, q


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a file of the XMC repository.

    Examples
    --------
    >>> import io
    >>> from mlfs.data.arrays import from_arrays
    >>> out = io.BytesIO()
    >>> write(from_arrays([[0.5, 0], [0, 2]], [{"a"}, set()]), out)
    >>> print(out.getvalue().decode(), end="")
    2 2 1
    0 0:0.5
     1:2
    """
    n, d, q = dataset.shape
    ids = [str(j) for j in range(q)]
    write_table(dataset, stream, "an XMC file", f"{n} {d} {q}", ids, 0)
