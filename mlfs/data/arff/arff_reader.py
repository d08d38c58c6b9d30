"""ARFF files (Weka, Mulan, MEKA), dense and sparse, in linear time."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np
import scipy.sparse as sp

from mlfs._kernels import tokens as kernel
from mlfs._kernels.tokens import PADDING
from mlfs.data.arff.arff_writer import write
from mlfs.data.arff.careful_rows import RowReader
from mlfs.data.arff.fast_rows import ColumnPlan, DenseRows, SparseRows, make_plan
from mlfs.data.arff.header import Attribute, Header, Misfit, line_text, parse_error, read_header
from mlfs.data.assemble import dense_labels, sparse_labels
from mlfs.data.columns import EXACT, is_rounded
from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.dates import with_dates
from mlfs.data.files import InputFile
from mlfs.data.labels.finding import LabelPositions, resolve
from mlfs.data.labels.label_values import is_binary, map_texts, split_lists
from mlfs.data.request import MISSING, Limits, Request, exceeded, refuse_sparse
from mlfs.data.row_stack import DenseStack, RowStack
from mlfs.errors import DataError, ParseError, printable

__all__ = ["read", "write"]

TEXT = "a string attribute: free text is no feature"


@dataclass
class Body:
    """The rows: features in X, the other wanted columns in `others`; both dense or csr_array."""

    n_rows: int
    X: Any
    others: Any
    weights: np.ndarray | None = None
    texts: dict[int, dict[int, str | None]] = field(default_factory=dict)

    def text_column(self, j: int) -> list[str | None]:
        """The texts of a wanted column; what a sparse row leaves out is empty."""
        column = self.texts[j]
        return [column.get(i, "") for i in range(self.n_rows)]


class Roles(NamedTuple):
    """The columns by role: features, plain labels, string labels, and strings that are left out.

    `features` and `plain` are columns in rising order, `text_columns` are string columns that are
    labels and `left_out` string columns that are not.
    """

    label_columns: LabelPositions
    features: list[int]
    plain: list[int]
    text_columns: frozenset[int]
    left_out: list[int]

    @classmethod
    def of(cls, header: Header, request: Request, path: str) -> Roles:
        """Find the labels."""
        attributes = header.attributes
        names = [attribute.name for attribute in attributes]
        label_columns = resolve(names, request, path, relation=header.relation)
        strings = {j for j, attribute in enumerate(attributes) if attribute.type.kind == "string"}
        non_features = strings | set(label_columns.columns)
        features = [j for j in range(len(attributes)) if j not in non_features]
        if not features:
            raise DataError(f"{printable(path, 400)}: no attribute is left as a feature")
        plain = [j for j in label_columns.columns if j not in strings]
        text_columns = frozenset(strings & set(label_columns.columns))
        return cls(label_columns, features, plain, text_columns, sorted(strings - text_columns))


def dataset_of(body: Body, header: Header, roles: Roles, request: Request, path: str) -> Dataset:
    """The data set of what was read."""
    columns = [_column(attribute) for attribute in header.attributes]
    features = [columns[j] for j in roles.features]
    _refuse_valueless(body.X, features, path)
    Y, labels = _labels(body, roles.label_columns, roles.plain, columns, request, path)
    given = sorted([*roles.features, *roles.left_out])
    data = Dataset(
        X=body.X,
        Y=Y,
        columns=tuple(features),
        labels=tuple(labels),
        weights=body.weights,
        left_out=tuple((columns[j].name, TEXT) for j in roles.left_out),
        source=Source(path, "arff", header.relation, roles.label_columns.by),
        notes=roles.label_columns.notes,
        places=np.searchsorted(given, roles.features).tolist() if roles.left_out else None,
    )
    kinds = [header.attributes[j].type.kind for j in roles.features]
    return with_dates(data, request.dates, [j for j, kind in enumerate(kinds) if kind == "date"])


def _refuse_valueless(X: Any, columns: Sequence[Column], path: str) -> None:
    """Refuse a column without values that a sparse row leaves out, which means the first."""
    for k, column in enumerate(columns if sp.issparse(X) else ()):
        if column.kind == "nominal" and not column.values and X[:, [k]].nnz < X.shape[0]:
            raise ParseError(
                f"the attribute {printable(column.name)!r} has no values, and a sparse row that "
                "leaves it out means the first one; declare one, as in {none}",
                path,
            )


def _column(attribute: Attribute) -> Column:
    if attribute.type.kind == "nominal":
        return Column(attribute.name, "nominal", attribute.type.values)
    return Column(attribute.name)


def _labels(
    body: Body,
    label_columns: LabelPositions,
    plain: Sequence[int],
    columns: Sequence[Column],
    request: Request,
    path: str,
) -> tuple[Any, Sequence[Label]]:
    if label_columns.lists:
        cells = _cells(body, columns[label_columns.columns[0]], label_columns.columns[0])
        if cells is not None:
            return split_lists(columns[label_columns.columns[0]].name, cells, request, path)
    kinds = [columns[j] for j in plain]
    map_labels = sparse_labels if sp.issparse(body.others) else dense_labels
    Y, labels = map_labels(body.others, range(len(plain)), kinds, request, path)
    if len(plain) == len(label_columns.columns):
        return Y, labels
    by_column: dict[int, Any] = {j: (Y[:, [k]], labels[k]) for k, j in enumerate(plain)}
    for j in body.texts:
        y, label = map_texts(columns[j].name, body.text_column(j), request, path)
        by_column[j] = (y[:, None], label)
    pairs = [by_column[j] for j in label_columns.columns]
    codes = [y.toarray() if sp.issparse(y) else y for y, _ in pairs]
    return np.hstack(codes), [label for _, label in pairs]


def _cells(body: Body, column: Column, j: int) -> list[str | None] | None:
    """The cells of a column of lists; None where the column is an ordinary label."""
    if j in body.texts:
        cells = body.text_column(j)
        present = {cell for cell in cells if cell is not None}
        return None if present and is_binary(present) else cells
    values = column.values
    if column.kind != "nominal" or is_binary(values):
        return None
    codes = body.others[:, [0]]
    codes = codes.toarray() if sp.issparse(codes) else np.asarray(codes)
    return [None if math.isnan(code) else values[int(code)] for code in codes.ravel().tolist()]


NEWLINE = 10
DATA = re.compile(rb"^[ \t]*@data(?![^\s%])", re.IGNORECASE | re.MULTILINE)
INK = re.compile(rb"\S")


def first_mark(content: bytes, position: int) -> bytes | None:
    """The first byte of a row, which is ``{`` if it is sparse; None if there is no row."""
    while (match := INK.search(content, position)) and match[0] == b"%":
        position = content.find(b"\n", match.start())
        if position < 0:
            return None
    return match[0] if match else None


def _float(text: bytes) -> float:
    """Convert the bytes of a word; NaN if they are not a number."""
    try:
        return math.nan if b"_" in text else float(text)
    except ValueError:
        return math.nan


class Parser:
    """Reads the rows of a piece of text.

    Parameters
    ----------
    content : bytes
        UTF-8, with ``\\n`` alone between lines.
    header : Header
        The attributes, and the place and line after which the rows start.
    plan : Plan
        Where the values go.
    path, limits
        For messages.
    size : int
        The bytes of the file.
    n_lines : int
        Its line ends.
    rows_before : int
        The rows of the pieces before.
    is_sparse : bool, optional
        Whether these are sparse, if there are any.
    """

    def __init__(
        self,
        content: bytes,
        header: Header,
        plan: ColumnPlan,
        path: str,
        limits: Limits,
        size: int,
        n_lines: int,
        rows_before: int = 0,
        is_sparse: bool | None = None,
    ) -> None:
        self.rows_before, self.size = rows_before, size
        self.content, self.path, self.limits = content, path, limits
        self.attributes = header.attributes
        self.width = len(header.attributes)
        self.position, self.line, self.counted_to = header.start, header.line + 1, header.start
        mark = first_mark(content, self.position) if is_sparse is None else None
        self.is_sparse = is_sparse if mark is None else mark == b"{"
        self.text_columns = plan.text_columns
        self.texts: dict[int, dict[int, str | None]] = {j: {} for j in plan.text_columns}
        self.weights: dict[int, float] = {}
        size = len(content) - self.position
        max_rows = n_lines + 1
        if not self.is_sparse:
            max_rows = min(max_rows, max(0, limits.max_cells // self.width - rows_before))
        kind = SparseRows if self.is_sparse else DenseRows
        self.rows: DenseRows = kind(plan, size, max_rows)

    @cached_property
    def reader(self) -> RowReader:
        """Reads the rows that the kernel does not."""
        return RowReader(self.attributes, self.text_columns)

    def is_text(self) -> bool:
        """Whether the kernel may skip the strings, which it does not decode: they are UTF-8."""
        kinds = {attribute.type.kind for attribute in self.attributes}
        if "string" not in kinds or self.content.isascii():
            return True
        try:
            str(memoryview(self.content)[self.position :], "utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def read_compiled(self) -> None:
        """Let the kernel read the rows that it can, and read the others with care.

        The last line ends are read in a copy with padding after it.
        """
        content, start = self.content, self.position
        cut = max(start, content.rfind(b"\n", start, max(start, len(content) - PADDING)) + 1)
        tail = content[cut:] + b"\n" * (PADDING + 1)
        self._segment(content, 0, cut)
        self._segment(tail, cut, len(content) + 1)

    def _segment(self, piece: bytes, base: int, stop: int) -> None:
        text = np.frombuffer(piece, dtype=np.uint8)
        rows = self.rows
        while self.position < stop:
            status, position = rows.read(text, self.position - base, stop - base)
            self.position = position + base
            self._convert_hard(base)
            if status in (kernel.STOPPED, kernel.FULL):
                self._read_line()

    def read_carefully(self) -> None:
        """Read every row with care, where the kernel cannot be used."""
        while self.position < len(self.content):
            if self.content[self.position] == NEWLINE:
                self.position += 1
            else:
                self._read_line()

    def _convert_hard(self, base: int) -> None:
        """Convert with float() the numbers that the kernel left; refuse a row with a wrong one."""
        rows, content = self.rows, self.content
        if not rows.counts[1]:
            return
        spans = (rows.hard[: rows.counts[1], 2:] + base).tolist()
        values = np.array([_float(content[start:stop]) for start, stop in spans])
        odd = np.flatnonzero(~np.isfinite(values)).tolist()
        texts = [content[slice(*spans[k])].decode("ascii", "replace") for k in odd]
        words = [k for k, text in zip(odd, texts, strict=True) if text not in MISSING]
        wrong = np.array(words, np.int64)
        for k in np.flatnonzero(np.abs(values) >= EXACT).tolist():
            start, stop = spans[k]
            if is_rounded(content[start:stop].decode("ascii", "replace"), values[k]):
                wrong = np.append(wrong, k)
        if len(wrong):
            self.position = content.rfind(b"\n", 0, spans[wrong.min()][0]) + 1
            self._read_line()
        rows.set_numbers(values)
        rows.counts[1] = 0

    def _read_line(self) -> None:
        stop = self.content.find(b"\n", self.position)
        stop = len(self.content) if stop < 0 else stop
        self.line += self.content.count(b"\n", self.counted_to, self.position)
        self.counted_to = self.position
        raw = self.content[self.position : stop]
        self.position = stop + 1
        try:
            row = self.reader.read(line_text(raw, self.path, self.line), bool(self.is_sparse))
        except Misfit as misfit:
            raise parse_error(misfit, self.path, self.line) from None
        if row is None:
            return
        i = int(self.rows.counts[0])
        if not self.rows.add(row):
            self._refuse_row()
        for j, text in row.texts.items():
            self.texts[j][i] = text
        if row.weight is not None:
            self.weights[i] = row.weight

    def _refuse_row(self) -> NoReturn:
        cells = (self.rows_before + int(self.rows.counts[0]) + 1) * self.width
        enough = max(2 * cells, self.size // 2 + self.width)  # a cell takes two bytes or more
        raise exceeded(
            self.limits, "max_cells", cells, "cells", self.path, self.line, enough=enough
        )

    def read(self) -> None:
        """Read all rows."""
        if kernel.is_compiled() and self.is_text():
            self.read_compiled()
        else:
            self.read_carefully()

    def body(self) -> Body:
        """The rows that were read."""
        n_rows = int(self.rows.counts[0])
        weights = None
        if self.weights:
            weights = np.ones(n_rows)
            weights[list(self.weights)] = list(self.weights.values())
        return Body(n_rows, *self.rows.tables(), weights, self.texts)


class ArffRows:
    """The rows of a file, which are read in pieces."""

    def __init__(self, file: InputFile, path: str, request: Request) -> None:
        self.file, self.path, self.request = file, path, request
        self.n_rows = self.n_lines = 0
        self.header: Header | None = None
        self.is_sparse: bool | None = None
        self._pending: list[bytes] = []
        self._whole: Body | None = None  # if there is one piece alone
        self._weights: list[tuple[int, np.ndarray]] = []

    def read(self) -> Dataset:
        """Read all of it."""
        for text in self.file.text(self.request.encoding):
            self._add(_with_line_feeds(text))
        if self.header is None:  # there is no @data, or an odd one
            self._read_header()
        assert self.header is not None
        if not self.n_rows:
            raise ParseError("there is no row after @data", self.path, self.header.line)
        if self.is_sparse:
            refuse_sparse(self.request.limits, (len(self.header.attributes),), self.path)
        body = self._whole or self._join()
        return dataset_of(body, self.header, self.roles, self.request, self.path)

    def _add(self, text: bytes) -> None:
        if self.header is not None:
            self._read_rows(text, self.header._replace(start=0, line=self.n_lines))
            return
        self._pending.append(text)
        if DATA.search(text):
            self._read_header()

    def _read_header(self) -> None:
        text = b"".join(self._pending)
        self._pending = []
        self.header = read_header(text, self.path)
        self.roles = roles = Roles.of(self.header, self.request, self.path)
        attributes = self.header.attributes
        self.plan = make_plan(attributes, roles.features, roles.plain, roles.text_columns)
        self._texts: dict[int, dict[int, str | None]] = {j: {} for j in roles.text_columns}
        self._read_rows(text, self.header)

    def _read_rows(self, text: bytes, header: Header) -> None:
        n_lines = text.count(b"\n")
        parser = Parser(
            text, header, self.plan, self.path, self.request.limits, self.file.size, n_lines,
            self.n_rows, self.is_sparse,
        )  # fmt: skip
        parser.read()
        self.n_lines += n_lines
        body = parser.body()
        if not body.n_rows:
            return
        if self.file.is_at_end and not self.n_rows and not parser.is_sparse:
            self._whole = body
        elif self.is_sparse is None:
            max_memory = self.request.max_memory
            if parser.is_sparse:
                self._X: Any = RowStack(max_memory=max_memory)
                self._others: Any = RowStack(keep_small=False)
            else:
                self._X, self._others = DenseStack(max_memory), DenseStack()
        self.is_sparse = parser.is_sparse
        if self._whole is None:
            self._keep(body)
        self.n_rows += body.n_rows

    def _keep(self, body: Body) -> None:
        self._X.add(body.X)
        if n_plain := len(self.roles.plain):
            self._others.add(body.others if self.is_sparse else body.others[:, :n_plain])
        for j, column in body.texts.items():
            self._texts[j].update({i + self.n_rows: cell for i, cell in column.items()})
        if body.weights is not None:
            self._weights.append((self.n_rows, body.weights))

    def _join(self) -> Body:
        weights, plan = None, self.plan
        if self._weights:
            weights = np.ones(self.n_rows)
            for first, part in self._weights:
                weights[first : first + part.size] = part
        if self.is_sparse:
            X = self._X.finish(plan.n_features)
            others: Any = sp.csr_array((self.n_rows, plan.n_others))
            if self.roles.plain:
                others = self._others.finish(plan.n_others)
        else:
            X, others = self._X.finish(), np.empty((self.n_rows, 0))
            if self.roles.plain:
                others = self._others.finish()
        return Body(self.n_rows, X, others, weights, self._texts)


def _with_line_feeds(text: bytes) -> bytes:
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    r"""Read an ARFF file.

    Numeric, integer and real attributes are numeric columns; so is a date, as seconds since
    1970 in UTC. A nominal attribute is a nominal column. A string attribute is left out of X.
    What a sparse row leaves out is the number 0, or the first value of a nominal attribute.

    Examples
    --------
    >>> text = b"@relation 't: -C 1'\n@attribute l {0,1}\n@attribute a real\n@data\n1,2.5\n"
    >>> data = read(text, "t.arff", Request())
    >>> data.X.tolist(), data.Y.tolist(), data.feature_names
    ([[2.5]], [[1]], ['a'])
    """
    return ArffRows(InputFile.of(source, path, request), path, request).read()
