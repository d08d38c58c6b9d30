"""Products of features whose rows workers have, in the order of additions of one process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Column
from mlfs.data.first_component import Numbers, nominal_columns

__all__ = ["RemoteProducts"]


class RemoteProducts:
    """What `RowProducts` computes, of rows that workers have.

    A sum goes from worker to worker, and each adds its rows to it: the order of additions, and so
    the last bit, is that of one process. Rows that were let go are read again.

    Parameters
    ----------
    table : RemoteTable
        The rows.
    columns : sequence of Column
        What its columns are.
    share : ndarray of float64, optional
        How much each row counts; 1 by default.
    """

    def __init__(self, table: Any, columns: Sequence[Column], share: np.ndarray | None) -> None:
        self._session, self._parts = table.session, table.parts
        self._edges, self._share = table.edges, share
        self._numbers = self._learn_numbers(nominal_columns(columns))
        self.n_rows, self.d = table.shape[0], self._numbers.n_columns(table.shape[1])

    def _learn_numbers(self, nominal: list[int]) -> Numbers:
        questions = [("missing_and_greatest", part, nominal) for part in self._parts]
        answers = self._session.call("read", questions)
        missing = sorted({j for columns, _ in answers for j in columns})
        greatest = max(value for _, value in answers)
        return Numbers.from_columns(nominal, missing, greatest, lru_cache(1)(self._column))

    def _column(self, j: int) -> np.ndarray:
        questions = [("columns", part, np.array([j])) for part in self._parts]
        arrays = [
            values.toarray() if sp.issparse(values) else np.asarray(values)
            for values in self._session.call("read", questions)
        ]
        return np.concatenate(arrays).ravel().astype(np.float64)

    def _question(self, i: int, question: str, *args: Any) -> tuple[Any, ...]:
        share = self._share
        part_share = None if share is None else share[self._edges[i] : self._edges[i + 1]]
        return "products", self._parts[i], self._numbers, part_share, question, *args

    def _ask(self, i: int, question: str, *args: Any) -> Any:
        return self._session.call_some("read", {i: self._question(i, question, *args)})[0]

    def sums(self, out: np.ndarray) -> np.ndarray:
        """Add the sum of each column to `out`, and return it."""
        for i in range(len(self._parts)):
            out = self._ask(i, "sums", out)
        return out

    def gram(
        self, vector: np.ndarray, shift: float, out: np.ndarray, total: float
    ) -> tuple[np.ndarray, float]:
        """Add all rows by their projections to `out`, and the projections to `total`."""
        for i in range(len(self._parts)):
            out, total = self._ask(i, "gram", vector, shift, out, total)
        return out, total

    def project(self, vector: np.ndarray, shift: float) -> np.ndarray:
        """The product of each row with a vector, less `shift`; the workers then let X go."""
        n = len(self._parts)
        questions = [self._question(i, "project", vector, shift) for i in range(n)]
        projections = np.concatenate(self._session.call("read", questions))
        self._session.call("read", [("release", part) for part in self._parts])
        return projections
