"""Parquet written: see `mlfs.data.parquet.parquet_reader` for what comes back."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.assemble import refuse_collisions, row_block, without_weights
from mlfs.data.dataset import Dataset
from mlfs.data.metadata import dump
from mlfs.data.parquet.parquet_schema import NOTE, pyarrow_for
from mlfs.errors import DataError

AT_ONCE = 1 << 24  # cells of a row group
LEAST = 1 << 10  # rows
WIDEST = 200_000  # columns: each costs pyarrow about 5 kB and 45 microseconds


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a Parquet file: the features, then the labels."""
    pa = pyarrow_for("writing Parquet")
    without_weights(dataset, "a Parquet file")
    names = refuse_collisions(dataset, "a Parquet file")
    if len(names) > WIDEST:
        msg = f"a Parquet file of {len(names):,} columns takes gigabytes of memory to write, so at "
        raise DataError(f"{msg}most {WIDEST:,} are written: write .npz or .svm instead")
    X = dataset.table.tocsr() if dataset.is_sparse else dataset.table
    Y = dataset.Y.tocsr() if sp.issparse(dataset.Y) else dataset.Y
    step = max(LEAST, AT_ONCE // max(1, len(names)))
    writer, metadata = None, {NOTE: dump(dataset).encode()}
    for start in range(0, dataset.shape[0], step):
        rows = row_block(X, start, start + step), row_block(Y, start, start + step)
        table = pa.table(_columns(pa, dataset, *rows), names=names).replace_schema_metadata(
            metadata
        )
        if writer is None:
            writer = pa.parquet.ParquetWriter(stream, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _columns(pa: Any, dataset: Dataset, X: np.ndarray, Y: np.ndarray) -> list[Any]:
    """Some rows as columns."""
    arrays = []
    for x, column in zip(X.T.astype(np.float64), dataset.columns, strict=True):
        if column.kind == "nominal":
            arrays.append(_dictionary(pa, x, np.isnan(x), column.values))
        else:
            arrays.append(pa.array(x, mask=np.isnan(x)))
    for y, label in zip(Y.T, dataset.labels, strict=True):
        if label.values == ("0", "1"):
            arrays.append(pa.array(y.astype(np.int8), mask=y < 0))
        else:
            arrays.append(_dictionary(pa, y, y < 0, label.values))
    return arrays


def _dictionary(pa: Any, codes: np.ndarray, missing: np.ndarray, values: tuple[str, ...]) -> Any:
    positions = pa.array(np.where(missing, 0, codes).astype(np.int32), mask=missing)
    return pa.DictionaryArray.from_arrays(positions, pa.array(values, type=pa.string()))
