"""What the rows of an ARFF file mean: which columns are labels, and the data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.data.arff.header import Attribute, Header
from mlfs.data.assemble import csr_rows, dense_labels, sparse_labels
from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.labels.finding import LabelPositions, resolve
from mlfs.data.labels.label_values import distinct_numbers, is_binary, map_texts, split_lists
from mlfs.data.request import Request
from mlfs.errors import DataError, ParseError, printable

__all__ = [
    "Body",
    "Roles",
    "UndeclaredValues",
    "dataset_of",
    "feature_columns",
    "find_valueless",
    "refuse_valueless",
]

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
    def of(
        cls,
        header: Header,
        request: Request,
        path: str,
        label_columns: LabelPositions | None = None,
    ) -> Roles:
        """Find the labels, unless they are known."""
        attributes = header.attributes
        if label_columns is None:
            names = [attribute.name for attribute in attributes]
            label_columns = resolve(names, request, path, relation=header.relation)
        strings = {j for j, attribute in enumerate(attributes) if attribute.type.kind == "string"}
        non_features = strings | set(label_columns.columns)
        features = [j for j in range(len(attributes)) if j not in non_features]
        plain = [j for j in label_columns.columns if j not in strings]
        text_columns = frozenset(strings & set(label_columns.columns))
        return cls(label_columns, features, plain, text_columns, sorted(strings - text_columns))


class UndeclaredValues(NamedTuple):
    """The values of label columns in some rows, where the header does not declare them.

    `numbers` are the numbers of the columns of `Roles.plain` (of a column of lists, the positions
    of its values), `texts` what the others hold.
    """

    numbers: dict[int, np.ndarray]
    texts: dict[int, list[str]]

    @classmethod
    def of(cls, body: Body, header: Header, roles: Roles) -> UndeclaredValues:
        """The values in some rows."""
        kinds = [header.attributes[j].type.kind for j in roles.plain]
        columns = [
            k for k, kind in enumerate(kinds) if kind != "nominal" or roles.label_columns.lists
        ]
        others = body.others.tocsc() if columns and sp.issparse(body.others) else body.others
        numbers = {k: _numbers(others, k) for k in columns}
        texts = {j: {text for text in body.text_column(j) if text is not None} for j in body.texts}
        return cls(numbers, {j: sorted(distinct) for j, distinct in texts.items()})

    @classmethod
    def union(cls, pieces: Sequence[UndeclaredValues]) -> UndeclaredValues:
        """The values in all rows."""
        numbers, texts = pieces[0]
        return cls(
            {k: np.unique(np.concatenate([piece.numbers[k] for piece in pieces])) for k in numbers},
            {j: sorted({text for piece in pieces for text in piece.texts[j]}) for j in texts},
        )

    def append_to(self, body: Body) -> Body:
        """Add rows to a body in which the labels have all these values; X stays as it is."""
        n = max([0, *map(len, self.numbers.values()), *map(len, self.texts.values())])
        width = body.others.shape[1]
        tail = np.full((n, width), np.nan)
        for k, values in self.numbers.items():
            tail[:, k] = np.resize(values, n) if values.size else np.nan
        texts = {}
        for j, cells in body.texts.items():
            choices: Sequence[str | None] = self.texts[j] or [None]
            texts[j] = {**cells, **{body.n_rows + i: choices[i % len(choices)] for i in range(n)}}
        others: Any
        if not sp.issparse(body.others):
            others = _ExtendedTable(body.others, tail)
        else:
            rows, columns = np.repeat(np.arange(n), width), np.tile(np.arange(width), n)
            kept = np.isin(columns, list(self.numbers))  # also those that are 0 are stored
            ends = np.zeros(n + 1, np.int64)
            np.cumsum(np.bincount(rows[kept], minlength=n), out=ends[1:])
            more_rows = csr_rows(tail.ravel()[kept], columns[kept], ends, width)
            others = sp.csr_array(sp.vstack([body.others, more_rows]))
        return replace(body, n_rows=body.n_rows + n, others=others, texts=texts)


def _numbers(others: Any, k: int) -> np.ndarray:
    """The different numbers of a column, rising."""
    if not sp.issparse(others):
        return np.array(distinct_numbers(np.asarray(others[:, k], np.float64))[0])
    stored = others.data[others.indptr[k] : others.indptr[k + 1]]
    zero = [0.0] * (stored.size < others.shape[0])
    return np.unique(np.concatenate([stored[~np.isnan(stored)], zero]))


class _ExtendedTable:
    """A dense table with more rows after its own, joined column by column."""

    def __init__(self, table: Any, tail: np.ndarray) -> None:
        self._table, self._tail = table, tail
        self.shape = len(table) + len(tail), tail.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: tuple[slice, Any]) -> np.ndarray:
        """Some columns, whole."""
        return np.concatenate([np.asarray(self._table[key]), self._tail[key]])


def dataset_of(
    body: Body,
    header: Header,
    roles: Roles,
    request: Request,
    path: str,
    undeclared: UndeclaredValues | None = None,
) -> Dataset:
    """The data set of what was read; `undeclared` is what the labels hold in all rows."""
    columns = [_column(attribute) for attribute in header.attributes]
    features = [columns[j] for j in roles.features]
    if not features:
        raise DataError(f"{printable(path, 400)}: no attribute is left as a feature")
    refuse_valueless(find_valueless(body.X, features), features, path)
    extended = body if undeclared is None else undeclared.append_to(body)
    Y, labels = _labels(extended, roles.label_columns, roles.plain, columns, request, path)
    return Dataset(
        X=body.X,
        Y=Y if undeclared is None else Y[: body.n_rows],
        columns=tuple(features),
        labels=tuple(labels),
        weights=body.weights,
        left_out=tuple((columns[j].name, TEXT) for j in roles.left_out),
        source=Source(path, "arff", header.relation, roles.label_columns.by),
        notes=roles.label_columns.notes,
    )


def feature_columns(header: Header, roles: Roles) -> list[Column]:
    """The columns of X."""
    return [_column(header.attributes[j]) for j in roles.features]


def find_valueless(X: Any, columns: Sequence[Column]) -> int | None:
    """Find the first column without values that a sparse row leaves out, which means the first."""
    if not sp.issparse(X):
        return None
    for k, column in enumerate(columns):
        if column.kind == "nominal" and not column.values and X[:, [k]].nnz < X.shape[0]:
            return k
    return None


def refuse_valueless(k: int | None, columns: Sequence[Column], path: str) -> None:
    """Raise for a column that `find_valueless` found."""
    if k is not None:
        raise ParseError(
            f"the attribute {printable(columns[k].name)!r} has no values, and a sparse row that "
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
