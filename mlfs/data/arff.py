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
from mlfs.data.assemble import dense_labels, sparse_labels
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
    taken = strings | set(chosen.columns)
    features = [j for j in range(len(attributes)) if j not in taken]
    plain = [j for j in chosen.columns if j not in strings]
    wanted = frozenset(strings & set(chosen.columns))
    body = parse_body(content, header, features, plain, wanted, path, request.limits)
    columns = [_column(attribute) for attribute in attributes]
    if not features:
        raise DataError(f"{printable(path, 400)}: no attribute is left as a feature")
    Y, labels = _labels(body, chosen, plain, columns, request, path)
    return Dataset(
        X=body.X,
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
    chosen: Chosen,
    plain: Sequence[int],
    columns: Sequence[Column],
    request: Request,
    path: str,
) -> tuple[Any, Sequence[Label]]:
    if chosen.lists:
        cells = _cells(body, columns[chosen.columns[0]], chosen.columns[0])
        if cells is not None:
            return split_lists(columns[chosen.columns[0]].name, cells, request, path)
    kinds = [columns[j] for j in plain]
    map_labels = sparse_labels if sp.issparse(body.others) else dense_labels
    Y, labels = map_labels(body.others, range(len(plain)), kinds, request, path)
    if len(plain) == len(chosen.columns):
        return Y, labels
    by_column: dict[int, Any] = {j: (Y[:, [k]], labels[k]) for k, j in enumerate(plain)}
    for j in body.texts:
        y, label = map_texts(columns[j].name, body.text_column(j), request, path)
        by_column[j] = (y[:, None], label)
    pairs = [by_column[j] for j in chosen.columns]
    parts = [y.toarray() if sp.issparse(y) else y for y, _ in pairs]
    return np.hstack(parts), [label for _, label in pairs]


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
    codes = codes.toarray() if sp.issparse(codes) else codes
    return [None if math.isnan(code) else values[int(code)] for code in codes.ravel().tolist()]
