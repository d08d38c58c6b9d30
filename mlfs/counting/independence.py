"""Tests of conditional independence of coded columns, from their counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mlfs._kernels.expected_sums import add_expected
from mlfs.counting.xlogx import terms_of, xlogx_table

CONSTANT = 1e-9  # nats that chance gives where nothing varies within a stratum


class Independence:
    """Tests whether two columns are independent given some others; each test is made once.

    The statistic is G² = 2 N I(a;b|given). Its degrees of freedom are its mean over all
    permutations of b within the strata of `given`, which is computed exactly: where strata are
    large, that is what the number of levels says, where they are small, only what can occur.

    Parameters
    ----------
    column_of : callable
        Gives the codes of a column, and how many of them count: rows with others are left out.
    n_rows : int
        The rows.
    times : ndarray of int, optional
        How often each row counts.
    always : sequence of int
        Columns that are given in every test.
    """

    def __init__(
        self,
        column_of: Callable[[int], tuple[np.ndarray, int]],
        n_rows: int,
        times: np.ndarray | None = None,
        always: Sequence[int] = (),
    ) -> None:
        self._column_of, self._times, self._always = column_of, times, always
        n_rows = n_rows if times is None else int(times.sum())
        self._n_rows = n_rows
        self._columns: dict[int, tuple[np.ndarray, int, bool]] = {}
        self._tests: dict[tuple[int, ...], tuple[float, float]] = {}
        self._xlogx = xlogx_table(n_rows, 1.0)

    def __len__(self) -> int:
        return len(self._tests)

    def test(self, a: int, b: int, given: Sequence[int] = ()) -> tuple[float, float]:
        """The p-value of independence, and N times the information.

        Examples
        --------
        >>> x = np.array([0, 0, 0, 1, 1, 1] * 10)
        >>> tests = Independence(lambda j: ((x, 1 - x)[j], 2), 60)
        >>> [round(number, 3) for number in tests.test(0, 1)]
        [0.0, 41.589]
        >>> tests.test(0, 1, [1])
        (1.0, 0.0)
        """
        key = (min(a, b), max(a, b), *sorted(given))
        if key not in self._tests:
            self._tests[key] = self._test(key[0], key[1], key[2:])
        return self._tests[key]

    def _column(self, j: int) -> tuple[np.ndarray, int, bool]:
        if j not in self._columns:
            codes, levels = self._column_of(j)
            self._columns[j] = codes, levels, bool(codes.max(initial=0) >= levels)
        return self._columns[j]

    def _test(self, a: int, b: int, given: Sequence[int]) -> tuple[float, float]:
        columns = [self._column(j) for j in (a, b, *self._always, *given)]
        codes, times = [column[0] for column in columns], self._times
        if any(has_gaps for *_, has_gaps in columns):
            known = np.logical_and.reduce([codes < levels for codes, levels, _ in columns])
            codes = [each[known] for each in codes]
            times = None if times is None else times[known]
        (x, y), (n_x, n_y) = codes[:2], (columns[0][1], columns[1][1])
        stratum, strata = np.zeros(1, np.int64), 1
        for each, (_, levels, _) in zip(codes[2:], columns[2:], strict=True):
            stratum, strata = stratum * levels + each, strata * levels
            if strata > self._n_rows:
                present, stratum = np.unique(stratum, return_inverse=True)
                strata = present.size
        keys = (stratum * n_x + x) * n_y + y
        cells = np.bincount(keys, times, minlength=strata * n_x * n_y)
        cells = cells.astype(np.int64).reshape(strata, n_x, n_y)
        by_x, by_y = cells.sum(axis=2), cells.sum(axis=1)
        margins = self._sum(by_x) + self._sum(by_y) - self._sum(by_y.sum(axis=1))
        unit = self._xlogx.unit
        told = (self._sum(cells) - margins) / unit
        mean = (self._expected(by_x, by_y) - margins) / unit
        if mean <= CONSTANT:
            return 1.0, 0.0
        from scipy.special import gammaincc  # most selections do not need it

        return float(gammaincc(mean, max(told, 0.0))), told

    def _sum(self, counts: np.ndarray) -> int:
        return int(terms_of(counts.ravel(), self._xlogx).sum())

    def _expected(self, by_x: np.ndarray, by_y: np.ndarray) -> float:
        """The mean of the sum of c log c where b is permuted within the strata."""
        out = np.zeros(by_x.shape[1])
        times = np.ones(by_y.shape[1], np.int64)
        for x, y in zip(by_x, by_y, strict=True):
            if n := int(x.sum()):
                add_expected(x, y, times, n, self._xlogx, out)
        return float(out.sum())
