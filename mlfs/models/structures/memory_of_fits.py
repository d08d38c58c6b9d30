"""Coefficients of regressions that are solved again on the same rows with other weights.

Each tree of a mixture is searched for on rows that count by how badly the trees so far predict
them. Its regressions are those of the tree before, and begin where these ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mlfs.models.structures.logistic import Logistic

if TYPE_CHECKING:
    from mlfs.models.problem import Problem

__all__ = ["Memory", "Part"]

MOST_KEPT = 1 << 23  # coefficients in a fold for each value of a label


class Part(NamedTuple):
    """What one label learns from in one fold, and the rows that are held out there."""

    label: int
    fold: int
    rows: np.ndarray
    test: np.ndarray


class Memory(NamedTuple):
    """The coefficients of a label's regressions in a fold, kept for the same rows reweighted."""

    problem: Problem
    part: Part
    width: int

    @property
    def _fitted(self) -> dict[tuple[int, ...], np.ndarray]:
        """The coefficients on the same columns; a tree may have columns of its own."""
        columns_before, fitted = (self.problem.memory or {}).get(self.part.label, (None, {}))
        columns = self.problem.features[self.part.label]
        if columns_before is None or columns is None:
            return fitted if columns_before is columns else {}
        return fitted if np.array_equal(columns_before, columns) else {}

    def starts(self, fits: Sequence[tuple[int, ...]]) -> Logistic:
        """The coefficients found before; NaN where there are none."""
        fitted = self._fitted
        out = np.full((self.width + 1, len(fits)), np.nan)
        for k, fit in enumerate(fits):
            out[:, k] = fitted.get((self.part.fold, *fit), np.nan)
        return Logistic(out[:-1], out[-1])

    def keep(self, fits: Sequence[tuple[int, ...]], solved: Logistic) -> None:
        """Keep the coefficients in single precision, unless they are too many."""
        if self.problem.memory is None or self.width * self.problem.q**2 > MOST_KEPT:
            return
        fitted = self._fitted
        for fit, coefficients in zip(fits, np.vstack([*solved]).T.astype(np.float32), strict=True):
            fitted[self.part.fold, *fit] = coefficients
        label = self.part.label
        self.problem.memory[label] = self.problem.features[label], fitted
