"""Writing ARFF files: dense or sparse as X is, labels first or last."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.arff.header import quote
from mlfs.data.assemble import row_blocks
from mlfs.data.dataset import Dataset
from mlfs.data.labels.finding import first_duplicate, plain_relation
from mlfs.errors import DataError, printable

BLOCK = 1024


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a file that needs no XML: labels first, their number in the relation (MEKA)."""
    relation = f"{_relation(dataset)}: -C {dataset.shape[2]}"
    _write(dataset, stream, relation, labels_first=True)


def write_labels_last(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a file with the labels last, for Mulan (an XML beside it) and for MEKA (``-C -q``)."""
    relation = f"{_relation(dataset)}: -C -{dataset.shape[2]}"
    _write(dataset, stream, relation, labels_first=False)


def _relation(dataset: Dataset) -> str:
    name = plain_relation(dataset.source.relation) or "data"
    return name.replace(":", "_") if ":" in name else name


def _check(dataset: Dataset) -> None:
    names = dataset.feature_names + dataset.label_names
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise DataError(
            f"two columns are called {printable(duplicate)!r}: rename one before writing"
        )
    if "" in names:
        raise DataError(f"column {names.index('')} has no name: ARFF wants one; name it first")
    blocks = [dataset.table.data] if dataset.is_sparse else row_blocks(dataset.table)
    if any(np.isinf(block).any() for block in blocks):
        raise DataError("X holds infinite values, which ARFF cannot; replace them before writing")


def _write(dataset: Dataset, stream: BinaryIO, relation: str, *, labels_first: bool) -> None:
    _check(dataset)
    features = [_attribute(c.name, c.values if c.kind == "nominal" else None)
                for c in dataset.columns]  # fmt: skip
    labels = [
        _attribute(label.name, None if label.numbers else label.values) for label in dataset.labels
    ]
    lines = [f"@relation {_always_quote(relation)}", ""]
    lines += labels + features if labels_first else features + labels
    stream.write(("\n".join([*lines, "", "@data"]) + "\n").encode("utf-8"))
    texts = [list(map(quote, c.values)) if c.kind == "nominal" else None for c in dataset.columns]
    label_texts = [list(map(quote, label.values)) for label in dataset.labels]
    rows = _sparse_rows if dataset.is_sparse else _dense_rows
    row_lines = rows(dataset, texts, label_texts, labels_first)
    if dataset.weights is not None:
        weights = map(_number, dataset.weights.tolist())
        row_lines = (f"{row},{{{weight}}}" for row, weight in zip(row_lines, weights, strict=True))
    while block := list(islice(row_lines, BLOCK)):
        stream.write(("\n".join(block) + "\n").encode("utf-8"))


def _always_quote(text: str) -> str:
    result = quote(text)
    return result if result.startswith("'") else f"'{result}'"


def _attribute(name: str, values: tuple[str, ...] | None) -> str:
    kind = "numeric" if values is None else "{" + ",".join(map(quote, values)) + "}"
    return f"@attribute {quote(name)} {kind}"


def _number(value: float) -> str:
    """The shortest text that reads back as the same double."""
    if math.isnan(value):
        return "?"
    text = repr(value)
    return text.removesuffix(".0")


def _cell(value: float, texts: list[str] | None) -> str:
    if texts is None or math.isnan(value):
        return _number(value)
    return texts[int(value)]


def _label_rows(dataset: Dataset) -> Iterator[np.ndarray]:
    Y = dataset.Y
    for i in range(dataset.shape[0]):
        yield np.asarray(Y[[i], :].toarray()).ravel() if sp.issparse(Y) else Y[i]


def _dense_rows(
    dataset: Dataset,
    texts: list[list[str] | None],
    label_texts: list[list[str]],
    labels_first: bool,
) -> Iterator[str]:
    numbers = chain.from_iterable(block.astype(float) for block in row_blocks(dataset.table))
    for x, y in zip(numbers, _label_rows(dataset), strict=True):
        features = [_cell(value, text) for value, text in zip(x.tolist(), texts, strict=True)]
        labels = [
            "?" if code < 0 else text[code]
            for code, text in zip(y.tolist(), label_texts, strict=True)
        ]
        yield ",".join(labels + features if labels_first else features + labels)


def _sparse_rows(
    dataset: Dataset,
    texts: list[list[str] | None],
    label_texts: list[list[str]],
    labels_first: bool,
) -> Iterator[str]:
    X: Any = dataset.table.tocsr()
    if not X.has_sorted_indices:
        X = X.sorted_indices()
    _, d, q = dataset.shape
    shift, label_shift = (q, 0) if labels_first else (0, d)
    for i, y in enumerate(_label_rows(dataset)):
        part = slice(X.indptr[i], X.indptr[i + 1])
        features = [
            f"{j + shift} {_cell(float(value), texts[j])}"
            for j, value in zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
            if value != 0.0
        ]
        labels = [
            f"{k + label_shift} {'?' if y[k] < 0 else label_texts[k][y[k]]}"
            for k in np.flatnonzero(y).tolist()
        ]
        yield "{" + ",".join(labels + features if labels_first else features + labels) + "}"
