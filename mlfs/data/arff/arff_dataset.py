"""What the rows of an ARFF file mean: which columns are labels, and the data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.data.arff.header import Attribute, Header
from mlfs.data.assemble import dense_labels, sparse_labels
from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.labels.finding import LabelPositions, resolve
from mlfs.data.labels.label_values import is_binary, map_texts, split_lists
from mlfs.data.request import Request
from mlfs.errors import DataError, ParseError, printable

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
    return Dataset(
        X=body.X,
        Y=Y,
        columns=tuple(features),
        labels=tuple(labels),
        weights=body.weights,
        left_out=tuple((columns[j].name, TEXT) for j in roles.left_out),
        source=Source(path, "arff", header.relation, roles.label_columns.by),
        notes=roles.label_columns.notes,
    )


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
