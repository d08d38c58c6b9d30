"""The rows of a data set as a model wants them, some at a time where there are many.

All rows are matched once to find what a model refuses, and what is filled, before the first of
them are handed out; then again, some at a time. So no table of all numbers is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import number_text
from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, listed, plural, printable, setting
from mlfs.models.training_table import (
    SHOWN,
    TrainingTable,
    codes_of,
    fill_columns,
    same,
    spread,
)

CELLS = 1 << 22  # of a table, or entries of a sparse one, that are matched at a time
MOST_ROWS = 1 << 16  # that are matched at a time


class MatchedRows:
    """The rows of a data set in the columns of a model.

    Parameters
    ----------
    table : TrainingTable
        The columns of the training data.
    dataset : Dataset
        With these columns, in any order; labels do not matter.
    unseen : {"error", "missing"}
        A nominal value that training did not have is refused, or taken as missing.
    at_once : int, optional
        How many rows are matched at a time; by default as many as make some million cells.

    Attributes
    ----------
    notes : list of str
        What a user should know.

    Examples
    --------
    >>> from mlfs.data import from_arrays
    >>> table = TrainingTable.learn(from_arrays([[0.5], [np.nan], [1.5]], [[0], [1], [1]]))
    >>> rows = MatchedRows(table, from_arrays([[np.nan], [7.0], [2.0]], None), at_once=2)
    >>> [part.tolist() for part in rows], rows.notes
    ([[[1.0], [7.0]], [[2.0]]], ['1 missing value is filled with the mean, or the most frequent \
value, of training'])
    """

    def __init__(
        self,
        table: TrainingTable,
        dataset: Dataset,
        unseen: str = "error",
        at_once: int | None = None,
    ) -> None:
        self.table, self.dataset = table, dataset
        self.where, self.notes = table.found(dataset)
        self.n_rows = int(dataset.table.shape[0])
        self.at_once = at_once or self._at_once()
        table.refuse_too_wide(dataset, min(self.at_once, self.n_rows))
        self._only: Any = None  # all rows, where they are matched together
        self._check(unseen)

    def __iter__(self) -> Iterator[Any]:
        """The rows, some at a time: arrays of float64, or csr_arrays."""
        if self._only is not None:
            yield self._only
            return
        for start in range(0, self.n_rows, self.at_once):
            X, _ = self._match(start)
            yield self._fill(X)

    def _at_once(self) -> int:
        table = self.dataset.table
        width = max(table.shape[1], len(self.table.feature_names), 1)
        if self.dataset.is_sparse:
            width = -(-int(table.nnz) // max(1, self.n_rows))
        return min(MOST_ROWS, max(64, CELLS // max(1, width) // 64 * 64))

    def _part(self, start: int) -> Dataset:
        if self.n_rows <= self.at_once:
            return self.dataset
        rows = self.dataset.table[start : start + self.at_once]
        return replace(self.dataset, X=rows, Y=self.dataset.Y[:0])

    def _match(self, start: int) -> tuple[Any, dict[int, tuple[int, int]]]:
        """Some rows, with NaN for gaps; of each field with unseen values the first row, and cells.

        Fields are numbered in the order of the training data.
        """
        part = self._part(start)
        X, pieces, run = part.X, [], []
        lost: dict[int, tuple[int, int]] = {}
        for k, (field, j) in enumerate(zip(self.table.fields, self.where, strict=True)):
            if j >= 0 and not field.indicators and same(field, part.columns[j]):
                run.append(j)
                continue
            if run:
                pieces.append(_take_columns(X, run))
                run = []
            codes = np.zeros(X.shape[0]) if j < 0 else codes_of(field, part, j)
            unknown = np.isneginf(codes)
            if unknown.any():
                lost[k] = start + int(unknown.argmax()), int(unknown.sum())
                codes[unknown] = np.nan
            pieces.append(spread(field, codes))
        if run:
            pieces.append(_take_columns(X, run))
        return _join_pieces(pieces, part), lost

    def _check(self, unseen: str) -> None:
        """Refuse values that the model does not take, and note which gaps are filled."""
        rows: dict[int, int] = {}
        cells: dict[int, int] = {}
        starts = np.array([k == 0 for field in self.table.fields for k in range(len(field.names))])
        gaps, gap = 0, -1
        for start in range(0, max(1, self.n_rows), self.at_once):
            X, lost = self._match(start)
            for k, (row, count) in lost.items():
                rows.setdefault(k, row)
                cells[k] = cells.get(k, 0) + count
            gap_columns = _gap_columns(X)
            gaps += int(np.count_nonzero(starts[gap_columns]))  # one for each cell of the data
            gap = int(gap_columns[0]) if gap < 0 and gap_columns.size else gap
        if rows and unseen != "missing":
            self._refuse_unseen(min(rows), rows[min(rows)])
        if cells:
            names = [self.table.fields[k].name for k in sorted(cells)]
            shown, how_many = listed(names, SHOWN), plural(sum(cells.values()), "cell")
            self.notes.append(f"{shown}: unseen values taken as missing in {how_many}")
        if gap >= 0 and self.table.missing != "keep":
            self._note_gaps(gaps, gap)
        if self.n_rows <= self.at_once:
            self._only = self._fill(X)

    def _refuse_unseen(self, k: int, row: int) -> None:
        field, j = self.table.fields[k], self.where[k]
        value = self.dataset.table[[row]][:, [j]]
        number = float(np.asarray(value.toarray() if sp.issparse(value) else value).ravel()[0])
        values = self.dataset.columns[j].values
        shown = values[int(number)] if values else number_text(number)
        values_known = listed(field.values, SHOWN) if field.values else "numbers"
        raise DataError(
            f"{printable(self.dataset.source.path, 400)}: column {printable(field.name)!r} holds "
            f"{printable(shown)!r} in row {row + 1}, which training did not have "
            f"(known: {values_known}); {setting('unseen', 'missing')} takes it as missing"
        )

    def _note_gaps(self, gaps: int, column: int) -> None:
        if self.table.missing == "error":
            name = self.table.feature_names[column]
            raise DataError(
                f"{printable(self.dataset.source.path, 400)}: column {printable(name)!r} has "
                f"missing values, and the model was trained to refuse them "
                f"({setting('missing', 'error')})"
            )
        cells = "1 missing value is" if gaps == 1 else f"{gaps} missing values are"
        self.notes.append(f"{cells} filled with the mean, or the most frequent value, of training")

    def _fill(self, X: Any) -> Any:
        data = X.data if sp.issparse(X) else X
        gaps = np.isnan(data)
        if gaps.any() and self.table.missing != "keep":
            fills = [fill for field in self.table.fields for fill in fill_columns(field)]
            data[gaps] = np.array(fills)[_gap_columns(X)]
        return X


def _gap_columns(X: Any) -> np.ndarray:
    """The columns of the missing values, in the order of the rows."""
    return X.indices[np.isnan(X.data)] if sp.issparse(X) else np.nonzero(np.isnan(X))[1]


def _join_pieces(pieces: list[Any], dataset: Dataset) -> Any:
    if dataset.is_sparse:
        X = sp.csr_array(sp.hstack([sp.csr_array(piece) for piece in pieces], format="csr"))
        if max(X.nnz, *X.shape) < 1 << 31:  # some learners take no wider indices
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        return X
    matrix = pieces[0] if len(pieces) == 1 else np.hstack(pieces)
    return np.ascontiguousarray(matrix, dtype=np.float64)


def _take_columns(X: Any, columns: list[int]) -> Any:
    """A copy of some columns."""
    return X[:, columns] if sp.issparse(X) else np.take(X, columns, axis=1)
