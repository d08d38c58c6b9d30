"""Parquet, by the optional package pyarrow: ``pip install 'mlfs-toolkit[parquet]'``.

Label columns are named as for CSV (``--labels``); a column of lists of text is a column of label
lists and may be named alone. Numbers, nullable integers and decimals are numeric; text,
dictionaries and booleans are nominal (a dictionary keeps the order of its values); null is
missing; dates, times, nested columns and the index of a pandas frame are left out with a reason.

`write` stores numbers as doubles, nominal columns as dictionaries and binary labels as 0/1, and
the names, kinds and values in the metadata ``mlfs``, by which a file of ours needs no
``--labels`` and reads back equal. Only that X was sparse is not kept, and weights are refused.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.assemble import refuse_collisions, without_weights
from mlfs.data.dataset import Dataset
from mlfs.data.metadata import dump
from mlfs.data.parquet_files import NOTE, pyarrow_for
from mlfs.data.parquet_pieces import ParquetPieces
from mlfs.data.request import Request

__all__ = ["read", "write"]


def read(content: bytes, path: str, request: Request) -> Dataset:
    """Read a Parquet file."""
    return ParquetPieces.of_content(content, path, request).dataset()


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a Parquet file: the features, then the labels."""
    pa = pyarrow_for("writing Parquet")
    without_weights(dataset, "a Parquet file")
    names = refuse_collisions(dataset, "a Parquet file")
    X = sp.csc_array(dataset.X) if dataset.is_sparse else dataset.X
    Y = sp.csc_array(dataset.Y) if sp.issparse(dataset.Y) else dataset.Y
    arrays = []
    for j, column in enumerate(dataset.columns):
        x = _column(X, j)
        if column.kind == "nominal":
            arrays.append(_dictionary(pa, x, np.isnan(x), column.values))
        else:
            arrays.append(pa.array(x, mask=np.isnan(x)))
    for j, label in enumerate(dataset.labels):
        y = _column(Y, j)
        if label.values == ("0", "1"):
            arrays.append(pa.array(y.astype(np.int8), mask=y < 0))
        else:
            arrays.append(_dictionary(pa, y, y < 0, label.values))
    table = pa.table(arrays, names=names).replace_schema_metadata({NOTE: dump(dataset).encode()})
    buffer = io.BytesIO()
    pa.parquet.write_table(table, buffer)
    stream.write(buffer.getbuffer())


def _column(matrix: Any, j: int) -> np.ndarray:
    column = matrix[:, [j]]
    return np.asarray(column.toarray() if sp.issparse(column) else column).ravel()


def _dictionary(pa: Any, codes: np.ndarray, missing: np.ndarray, values: tuple[str, ...]) -> Any:
    positions = pa.array(np.where(missing, 0, codes).astype(np.int32), mask=missing)
    return pa.DictionaryArray.from_arrays(positions, pa.array(values, type=pa.string()))
