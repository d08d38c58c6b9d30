r"""The text format of the extreme classification repository (XMC).

The first line is ``N D L``: the numbers of rows, features and labels. Then one row a line, as in
svmlight, features and labels counted from zero: ``1,5,10 0:0.5 7:1``. What the first line says is
checked against what is there.

The format carries neither names (features come back as ``x0``, ``x1``, ..., labels as ``y0``,
``y1``, ...) nor kinds: a nominal column is written as the positions of its values. Missing values,
missing labels, labels of several classes and weights are refused. X and Y come back sparse.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset, Label, Source
from mlfs.data.files import decoded
from mlfs.data.metadata import default_columns, refuse_other_labels
from mlfs.data.request import Request, exceeded, refuse_empty
from mlfs.data.sparse_rows import parse_rows, write_table
from mlfs.data.uniform import NumberedNames, UniformLabels
from mlfs.errors import ParseError, plural, printable

__all__ = ["read", "write"]


def read(content: bytes, path: str, request: Request) -> Dataset:
    r"""Read a file of the XMC repository.

    Examples
    --------
    >>> data = read(b"2 3 4\n0,3 0:0.5 2:1\n 1:1\n", "t.txt", Request())
    >>> data.shape, data.Y.toarray().tolist()
    ((2, 3, 4), [[1, 0, 0, 1], [0, 0, 0, 0]])
    """
    lines = [
        line.removesuffix("\r") for line in decoded(content, path, request.encoding).split("\n")
    ]
    longest = max(map(len, lines))
    if longest > request.limits.max_line_bytes:
        raise exceeded(request.limits, "max_line_bytes", longest, "bytes in a line", path)
    n, d, q = _header(lines[0], len(content), path, request)
    rows_text = lines[1:-1] if len(lines) > 1 and not lines[-1] else lines[1:]
    while len(rows_text) > n and not rows_text[-1].strip():
        rows_text.pop()
    if len(rows_text) != n:
        raise ParseError(
            f"the first line says {plural(n, 'row')} and {len(rows_text)} follow",
            path,
            min(len(lines), n + 2),
        )
    rows = parse_rows(rows_text, list(range(2, n + 2)), path, request.limits)
    if rows.X.shape[1] > d:
        entry = int(np.flatnonzero(rows.X.indices >= d)[0])
        row = int(np.searchsorted(rows.X.indptr, entry, side="right")) - 1
        raise ParseError(
            f"the first line says {d} features, counted from 0, and this row has the index "
            f"{rows.X.indices[entry]}", path, row + 2,
        )  # fmt: skip
    for k, ids in enumerate(rows.labels):
        if ids and (max(ids) >= q or min(ids) < 0):
            bad = max(ids) if max(ids) >= q else min(ids)
            raise ParseError(
                f"the first line says {q} labels, counted from 0, and this row has the label {bad}",
                path, k + 2, 1,
            )  # fmt: skip
    X = sp.csr_array((rows.X.data, rows.X.indices, rows.X.indptr), shape=(n, d))
    X.eliminate_zeros()
    sets = [sorted(set(ids)) for ids in rows.labels]
    indptr = np.concatenate([[0], np.cumsum([len(ids) for ids in sets], dtype=np.int64)])
    indices = np.array([j for ids in sets for j in ids], dtype=np.int32)
    Y = sp.csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(n, q))
    columns, labels = default_columns(d), UniformLabels(NumberedNames("y", q), Label(""))
    refuse_other_labels(request, columns, labels, path, "an XMC file")
    notes = ("qid: entries are skipped",) if rows.queries else ()
    source = Source(path, "xmc", labels_by="the ids in the file")
    return Dataset(X, Y, columns, labels, source=source, notes=notes)


def _header(line: str, size: int, path: str, request: Request) -> tuple[int, int, int]:
    parts = line.split()
    if len(parts) != 3 or not all(p.isascii() and p.isdigit() and len(p) < 19 for p in parts):
        raise ParseError(
            f"the first line is {printable(line)!r}; expected N D L: the numbers of rows, features "
            "and labels", path, 1, 1,
        )  # fmt: skip
    n, d, q = map(int, parts)
    limits = request.limits
    for name, found, what in (
        ("max_rows", n, "rows"), ("max_features", d, "features"),
        ("max_attributes", d, "features"), ("max_labels", q, "labels"),
    ):  # fmt: skip
        if found > getattr(limits, name):
            raise exceeded(limits, name, found, what, path, 1)
    refuse_empty(limits, (n, d, q), size, path)
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
