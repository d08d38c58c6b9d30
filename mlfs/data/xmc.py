r"""The text format of the extreme classification repository (XMC).

The first line is ``N D L``: the numbers of rows, features and labels. Then one row a line, as in
svmlight, features and labels counted from zero: ``1,5,10 0:0.5 7:1``. What the first line says is
checked against what is there.

The format carries neither names (features come back as ``x0``, ``x1``, ..., labels as ``y0``,
``y1``, ...) nor kinds: a nominal column is written as the positions of its values. Missing values,
missing labels, labels of several classes and weights are refused. X and Y come back sparse.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from mlfs.data.assemble import compressed
from mlfs.data.dataset import Dataset, Label, Source
from mlfs.data.files import UTF16, TextPieces, decoded, is_plain, utf8_text
from mlfs.data.metadata import default_columns, refuse_other_labels
from mlfs.data.request import Request, exceeded, refuse_empty
from mlfs.data.sparse_rows import SparseText, label_rows, write_table
from mlfs.data.uniform import NumberedNames, UniformLabels
from mlfs.errors import ParseError, plural, printable

__all__ = ["read", "read_pieces", "write"]


def read(content: bytes, path: str, request: Request) -> Dataset:
    r"""Read a file of the XMC repository.

    Examples
    --------
    >>> data = read(b"2 3 4\n0,3 0:0.5 2:1\n 1:1\n", "t.txt", Request())
    >>> data.shape, data.Y.toarray().tolist()
    ((2, 3, 4), [[1, 0, 0, 1], [0, 0, 0, 0]])
    """
    text = utf8_text(content, path, request.encoding)
    return _read(iter([text]), len(content), path, request)


def read_pieces(pieces: TextPieces, path: str, request: Request) -> Dataset | None:
    """Read a large XMC file; None if it is one that has to be read whole."""
    if not is_plain(request.encoding) or pieces.compression:
        return None
    texts = pieces.texts()
    first = next(texts, b"")
    if first.startswith(UTF16):
        return None
    return _read(chain([first], texts), pieces.size, path, request)


def _read(texts: Iterator[bytes], size: int, path: str, request: Request) -> Dataset:
    limits = request.limits
    text = next(texts)
    head, end, text = text.partition(b"\n")
    if len(head) > limits.max_line_bytes:
        raise exceeded(limits, "max_line_bytes", len(head), "bytes in a line", path)
    n, d, q = _header(decoded(head, path).removesuffix("\r"), size, path, request)
    rows, last = SparseText(path, limits, has_comments=False, most=request.max_memory), end
    rows.before = 1
    for part in chain([text], texts):
        rows.add(part)
        last = part or last
    X = rows.table(max(d, rows.top + 1))
    flat, counts = rows.ids()
    _check_rows(n, X, counts, path, ends_line=last.endswith(b"\n"))
    if rows.top >= d:
        raise ParseError(
            f"the first line says {d} features, counted from 0, and this row has the index "
            f"{rows.top}", path, rows.top_row + 2,
        )  # fmt: skip
    _check_ids(q, flat, counts, path)
    X = compressed(X.data, X.indices, X.indptr[: n + 1], d)
    Y = label_rows(flat, counts[:n], q)
    columns, labels = default_columns(d), UniformLabels(NumberedNames("y", q), Label(""))
    refuse_other_labels(request, columns, labels, path, "an XMC file")
    notes = ("qid: entries are skipped",) if rows.queries else ()
    source = Source(path, "xmc", labels_by="the ids in the file")
    return Dataset(X, Y, columns, labels, source=source, notes=notes)


def _check_rows(n: int, X: Any, counts: np.ndarray, path: str, *, ends_line: bool) -> None:
    """Check that n rows follow, and nothing but blank lines behind them."""
    found = counts.size
    if found > n:
        filled = np.flatnonzero((np.diff(X.indptr) > 0) | (counts > 0))
        found = max(n, int(filled[-1]) + 1 if filled.size else 0)
    if found != n:
        raise ParseError(
            f"the first line says {plural(n, 'row')} and {found} follow",
            path,
            min(1 + counts.size + ends_line, n + 2),
        )


def _check_ids(q: int, flat: np.ndarray, counts: np.ndarray, path: str) -> None:
    """Check that the label ids are within what the first line says."""
    bad = np.flatnonzero((flat < 0) | (flat >= q))
    if bad.size:
        row = int(np.searchsorted(np.cumsum(counts), bad[0], side="right"))
        raise ParseError(
            f"the first line says {q} labels, counted from 0, and this row has the label "
            f"{flat[bad[0]]}", path, row + 2, 1,
        )  # fmt: skip


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
