"""ARFF files (Weka, Mulan, MEKA), dense and sparse, in linear time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.arff_body import Body, parse_body
from mlfs.data.arff_header import Attribute, read_header
from mlfs.data.arff_writer import write
from mlfs.data.assemble import dense_labels, sparse_features, sparse_labels
from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.files import utf8
from mlfs.data.labels import Chosen, is_binary, map_texts, resolve, split_lists
from mlfs.data.request import Request
from mlfs.errors import DataError, printable

__all__ = ["read", "write"]

TEXT = "a string attribute: free text is no feature"


def read(content: bytes, path: str, request: Request) -> Dataset:
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
    content = utf8(content, path, request.encoding)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    header = read_header(content, path, request.limits)
    attributes = header.attributes
    names = [attribute.name for attribute in attributes]
    chosen = resolve(names, request, path, relation=header.relation)
    strings = {j for j, attribute in enumerate(attributes) if attribute.type.kind == "string"}
    body = parse_body(
        content, header, frozenset(strings & set(chosen.columns)), path, request.limits
    )
    columns = [_column(attribute) for attribute in attributes]
    taken = strings | set(chosen.columns)
    features = [j for j in range(len(columns)) if j not in taken]
    if not features:
        raise DataError(f"{printable(path, 400)}: no attribute is left as a feature")
    X: Any
    table: Any = body.values
    if body.columns is None:
        X = np.ascontiguousarray(body.values[:, features])
    else:
        table = sp.csr_array(
            (body.values, body.columns, body.indptr), shape=(body.n_rows, len(columns))
        )
        X = sparse_features(table, np.array(features))
    Y, labels = _labels(body, table, chosen, columns, strings, request, path)
    return Dataset(
        X=X,
        Y=Y,
        columns=tuple(columns[j] for j in features),
        labels=tuple(labels),
        weights=body.weights,
        left_out=tuple((names[j], TEXT) for j in sorted(strings - set(chosen.columns))),
        source=Source(path, "arff", header.relation, chosen.by),
        notes=chosen.notes,
    )


def _column(attribute: Attribute) -> Column:
    if attribute.type.kind == "nominal":
        return Column(attribute.name, "nominal", attribute.type.values)
    return Column(attribute.name)


def _labels(
    body: Body,
    table: Any,
    chosen: Chosen,
    columns: Sequence[Column],
    strings: set[int],
    request: Request,
    path: str,
) -> tuple[Any, Sequence[Label]]:
    if chosen.lists:
        cells = _cells(body, table, chosen.columns[0], columns, strings)
        if cells is not None:
            return split_lists(columns[chosen.columns[0]].name, cells, request, path)
    plain = [j for j in chosen.columns if j not in strings]
    if body.columns is None:
        Y, labels = dense_labels(body.values, plain, columns, request, path)
    else:
        Y, labels = sparse_labels(table, plain, columns, request, path)
    if len(plain) == len(chosen.columns):
        return Y, labels
    by_column: dict[int, Any] = {j: (Y[:, [k]], labels[k]) for k, j in enumerate(plain)}
    for j in set(chosen.columns) - set(plain):
        y, label = map_texts(columns[j].name, body.text_column(j), request, path)
        by_column[j] = (y[:, None], label)
    pairs = [by_column[j] for j in chosen.columns]
    parts = [y.toarray() if sp.issparse(y) else y for y, _ in pairs]
    return np.hstack(parts), [label for _, label in pairs]


def _cells(
    body: Body, table: Any, j: int, columns: Sequence[Column], strings: set[int]
) -> list[str | None] | None:
    """The cells of a column of lists; None where the column is an ordinary label."""
    if j in strings:
        cells = body.text_column(j)
        present = {cell for cell in cells if cell is not None}
        return None if present and is_binary(present) else cells
    values = columns[j].values
    if columns[j].kind != "nominal" or is_binary(values):
        return None
    column = table[:, [j]].toarray().ravel() if sp.issparse(table) else table[:, j]
    return [None if math.isnan(code) else values[int(code)] for code in column]
