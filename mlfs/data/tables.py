"""Named columns, some of them labels, become a `Dataset`: what CSV and Parquet share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.assemble import side_by_side
from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.labels import Chosen, is_binary, map_label, map_numbers, split_lists
from mlfs.data.request import Request
from mlfs.errors import DataError, printable

__all__ = ["assemble", "label_cells", "refuse_collisions", "row_block", "without_weights"]

Texts = Callable[[int], list[str | None]]
Cells = tuple[Column, np.ndarray] | str
FEW = 10


def assemble(
    columns: Sequence[Cells],
    names: Sequence[str],
    chosen: Chosen,
    texts: Texts,
    request: Request,
    source: tuple[str, str],
    notes: Sequence[str] = (),
) -> Dataset:
    """Take the labels out of a table of columns and map their values.

    Parameters
    ----------
    columns : sequence of (Column, ndarray) or str
        Every column coded, or the reason why it cannot be a feature.
    names : sequence of str
        The names of all columns.
    chosen : Chosen
        Which are labels (see `mlfs.data.labels.resolve`).
    texts : callable
        Gives the texts of one column (None where missing), for a column of lists.
    source : (path, format)
        Where the table came from.
    """
    path, form = source
    labels: list[Label] = []
    parts: list[Any] = []
    for j in chosen.columns:
        part, found = _labels(columns[j], names[j], partial(texts, j), chosen.lists, request, path)
        parts.append(part)
        labels.extend(found)
    taken = set(chosen.columns)
    rest = [
        (name, cells)
        for j, (name, cells) in enumerate(zip(names, columns, strict=True))
        if j not in taken
    ]
    left_out = tuple((name, cells) for name, cells in rest if isinstance(cells, str))
    features = [cells for _, cells in rest if not isinstance(cells, str)]
    if not features:
        raise DataError(f"{printable(path, 400)}: no column is left that can be a feature")
    n_rows = len(features[0][1])
    X = side_by_side([x for _, x in features])
    told = [*chosen.notes, *notes, *_notes(features, left_out)]
    return Dataset(
        X,
        parts[0] if parts and sp.issparse(parts[0]) else _stacked(parts, n_rows),
        tuple(column for column, _ in features),
        tuple(labels),
        left_out=left_out,
        source=Source(path, form, labels_by=chosen.by),
        notes=tuple(told),
    )


def _labels(
    cells: Cells,
    name: str,
    texts: Callable[[], list[str | None]],
    lists: bool,
    request: Request,
    path: str,
) -> tuple[Any, tuple[Label, ...]]:
    if isinstance(cells, str):
        raise DataError(
            f"{printable(path, 400)}: the column {printable(name)!r} cannot be a label: {cells}"
        )
    column, x = cells
    if lists:
        present = texts()
        if not is_binary({text for text in present if text}):
            return split_lists(name, present, request, path)
    if column.kind == "numeric":
        codes, label = map_numbers(name, x, request, path)
    else:
        positions = np.where(np.isnan(x), -1, x).astype(np.int64)
        codes, label = map_label(name, column.values, positions, request, path)
    return codes.reshape(-1, 1), (label,)


def _stacked(parts: list[np.ndarray], n_rows: int) -> np.ndarray:
    if not parts:
        return np.zeros((n_rows, 0), np.int8)
    kind = np.int32 if any(part.dtype == np.int32 for part in parts) else np.int8
    return np.hstack(parts).astype(kind)


def _notes(
    features: Sequence[tuple[Column, np.ndarray]], left_out: Sequence[tuple[str, str]]
) -> list[str]:
    notes = [f"column {printable(name)!r} is left out of X: {why}" for name, why in left_out]
    notes.extend(
        f"column {printable(column.name)!r} has a different text in every row: it looks like an "
        "identifier (--exclude leaves it out)"
        for column, x in features
        if column.kind == "nominal" and len(column.values) == len(x) > FEW
    )
    return notes


def without_weights(dataset: Dataset, form: str) -> None:
    """Refuse to write weights into a format that has no place for them."""
    if dataset.weights is not None:
        raise DataError(
            f"the rows have weights, which {form} cannot hold: write .arff or .npz instead"
        )


def refuse_collisions(dataset: Dataset, form: str) -> list[str]:
    """Give the names of all columns, features first; a name used twice is refused."""
    names = [*dataset.feature_names, *dataset.label_names]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(
                f"two columns are named {printable(name)!r}, which {form} cannot hold: rename one"
            )
        seen.add(name)
    return names


def row_block(matrix: Any, start: int, stop: int) -> np.ndarray:
    """Some rows as a dense array."""
    block = matrix[start:stop]
    return block.toarray() if sp.issparse(block) else np.asarray(block)


def label_cells(dataset: Dataset, j: int) -> list[str | None]:
    """The texts of one label, None where it is missing."""
    column = dataset.Y[:, [j]]
    codes = (column.toarray() if sp.issparse(column) else column).ravel().tolist()
    values: tuple[str | None, ...] = (*dataset.labels[j].values, None)
    return [values[code] for code in codes]
