"""Data that workers read: files, and collections of dask; X stays with them."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.cluster.clusters import cluster_of
from mlfs.api.cluster.part_reader import ChunkPieces, Head, RowsPart
from mlfs.api.cluster.remote_products import RemoteProducts
from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Dataset, Source
from mlfs.data.file_pieces import open_pieces
from mlfs.data.piecewise import FilePieces
from mlfs.errors import Caution, DataError, UsageError, plural

__all__ = ["RemoteTable", "is_remote", "remote_dataset", "stack_rows"]


class RemoteTable:
    """An X of which workers have some rows each.

    Parameters
    ----------
    session : Session
        The workers.
    parts : list of RowsPart
        What each of them has read.
    sizes : list of int
        The rows of each part.
    d : int
        The number of columns.
    """

    dtype = np.dtype(np.float64)
    ndim = 2

    def __init__(self, session: Any, parts: list[RowsPart], sizes: list[int], d: int) -> None:
        self.session, self.parts, self.sizes = session, parts, sizes
        self.shape = (sum(sizes), d)

    @property
    def edges(self) -> list[int]:
        """Where each part begins, and the end of the last."""
        return [0, *np.cumsum(self.sizes).tolist()]

    def first_missing(self) -> tuple[int, int, int]:
        """How many values are missing, and the row and the column of the first."""
        counts = self.session.call("read", [("missing", part) for part in self.parts])
        parts_and_edges = zip(counts, self.edges, strict=False)
        row, column = next(((edge + i, j) for (n, i, j), edge in parts_and_edges if n), (0, 0))
        return sum(n for n, _, _ in counts), row, column

    def __getitem__(self, rows: Any) -> RemoteTable:
        numbers, edges = np.asarray(rows, np.int64), self.edges
        bounds = np.searchsorted(numbers, edges)
        parts, sizes = [], []
        for i, part in enumerate(self.parts):
            kept = numbers[bounds[i] : bounds[i + 1]] - edges[i]
            parts.append(replace(part, kept=kept))
            sizes.append(kept.size)
        return RemoteTable(self.session, parts, sizes, self.shape[1])

    def row_products(self, columns: Any, share: np.ndarray | None) -> RemoteProducts:
        """Products of its rows with vectors."""
        return RemoteProducts(self, columns, share)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        msg = "X was read by the workers of a cluster and is not here: leave cluster out"
        raise UsageError(msg)


def is_remote(data: Any) -> bool:
    """Whether workers can read the data themselves."""
    x = data[0] if isinstance(data, tuple) and data else data
    return isinstance(data, (str, os.PathLike, FilePieces)) or hasattr(x, "__dask_graph__")


def remote_dataset(data: Any, labels: Any, cluster: Any, *, numbers: bool = False) -> Dataset:
    """The data set whose rows workers read.

    Parameters
    ----------
    data : path, FilePieces or (X, Y)
        Files, which all workers see under the same names, or collections of dask.
    labels : str or sequence of str, optional
        Which columns of files are labels.
    cluster : Any
        The cluster, see `cluster_of`.
    numbers : bool
        Whether numeric targets keep their numbers.
    """
    if hasattr(data[0] if isinstance(data, tuple) else data, "__dask_graph__"):
        return _dataset_of_chunks(data, labels, cluster, numbers=numbers)
    pieces = data
    if not isinstance(data, FilePieces):
        pieces = open_pieces(data, labels=labels, numbers=numbers)
    workers = cluster_of(cluster)
    try:
        shares = pieces.shares(workers.n_blocks)
        session = workers.session(len(shares))
        parts = _agree(session, pieces, [RowsPart(pieces, share) for share in shares])
        heads: list[Head] = session.call("read", [("head", part) for part in parts])
    except BaseException:
        workers.close()
        raise
    first = heads[0].fields
    weights = [head.fields["weights"] for head in heads]
    joined = {
        "Y": stack_rows([head.fields["Y"] for head in heads]),
        "weights": None if weights[0] is None else np.concatenate(weights),
    }
    table = RemoteTable(session, parts, [head.n_rows for head in heads], len(first["columns"]))
    return Dataset(X=table, **{**first, **joined})


def _agree(session: Any, pieces: FilePieces, parts: list[RowsPart]) -> list[RowsPart]:
    """The parts, knowing what the columns of the whole are."""
    while True:
        looks = session.call("read", [("look", part) for part in parts])
        columns = [look for _, look in looks]
        refined = pieces.refine(columns)
        if refined is pieces:
            break
        pieces, parts = refined, [replace(part, pieces=refined) for part in parts]
    common = pieces.combine(columns)
    return [replace(part, common=common) for part in parts]


def stack_rows(parts: list[Any]) -> Any:
    """One table of the rows of several; sparse if one of them is."""
    if any(sp.issparse(part) for part in parts):
        return sp.csr_array(sp.vstack([sp.csr_array(part) for part in parts]))
    return np.concatenate(parts)


def _dataset_of_chunks(data: Any, labels: Any, cluster: Any, *, numbers: bool) -> Dataset:
    if not (isinstance(data, tuple) and len(data) == 2) or labels is not None:
        msg = "collections of dask are given as (X, Y): leave labels out, and take Y from the frame"
        raise UsageError(msg)
    X, Y = data
    if getattr(X, "ndim", 2) != 2:
        raise DataError(f"X has {plural(X.ndim, 'axis')}, and a table has two")
    workers = cluster_of(cluster)
    try:
        y = workers.compute(Y) if hasattr(Y, "__dask_graph__") else Y
        chunks = workers.chunks(X)
        filled = [chunk for chunk, n in zip(chunks, workers.rows_of(chunks), strict=True) if n]
        chunks = filled or chunks[:1]
        n = len(chunks)
        groups = [
            chunks[n * i // workers.n_blocks : n * (i + 1) // workers.n_blocks]
            for i in range(workers.n_blocks)
        ]
        groups = [group for group in groups if group]
        session = workers.session(len(groups), groups)
        pieces = ChunkPieces(len(groups))
        parts = [RowsPart(pieces, (i, i + 1)) for i in range(len(groups))]
        parts = _agree(session, pieces, parts)
        heads: list[Head] = session.call("read", [("head", part) for part in parts])
        sizes = [head.n_rows for head in heads]
        if len(y) != sum(sizes):
            msg = f"X has {plural(sum(sizes), 'row')} and Y has {plural(len(y), 'row')}"
            raise DataError(msg)
        labelled = from_arrays(np.zeros((len(y), 1)), y, numbers=numbers)
    except BaseException:
        workers.close()
        raise
    first = heads[0].fields
    table = RemoteTable(session, parts, sizes, len(first["columns"]))
    notes_of_x = dict.fromkeys(note for head in heads for note in head.fields["notes"])
    cautions = [note for note in notes_of_x if isinstance(note, Caution)]
    notes = tuple(dict.fromkeys([*cautions, *labelled.notes, *notes_of_x]))
    fields = {name: first[name] for name in ("columns", "left_out")}
    return Dataset(
        X=table, Y=labelled.Y, labels=labelled.labels, source=Source(), notes=notes, **fields
    )
