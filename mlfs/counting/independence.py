"""Tests of conditional independence of coded columns, from their counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mlfs._kernels.expected_sums import add_expected_tables, add_table
from mlfs.counting.xlogx import xlogx_table

MOST_KEPT = 1 << 24  # cells of strata
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
        self._column_of, self._always = column_of, tuple(always)
        self._times = np.zeros(0, np.int64) if times is None else np.asarray(times, np.int64)
        n_rows = n_rows if times is None else int(times.sum())
        self._n_rows = n_rows
        self._columns: dict[int, tuple[np.ndarray, int]] = {}
        self._kept_strata: dict[tuple[int, ...], tuple[np.ndarray, int]] = {}
        self._tests: dict[tuple[int, ...], tuple[float, float]] = {}
        self._bounds: dict[tuple[int, ...], float] = {}  # of p-values that were not needed exactly
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
            self._test(key, -1.0)
        return self._tests[key]

    def greater(self, least: float, a: int, b: int, given: Sequence[int] = ()) -> float:
        """The p-value of independence where it is greater than `least`, or `least`.

        A bound from the levels often suffices, which takes a fraction of the time.
        """
        key = (min(a, b), max(a, b), *sorted(given))
        if key not in self._tests:
            if key not in self._bounds:
                self._test(key, least)
            if self._bounds.get(key, 1.0) <= least:
                return least
        return max(least, self.test(a, b, given)[0])

    def _column(self, j: int) -> tuple[np.ndarray, int]:
        if j not in self._columns:
            codes, levels = self._column_of(j)
            self._columns[j] = codes.astype(np.uint32), levels
        return self._columns[j]

    def _test(self, key: tuple[int, ...], least: float) -> None:
        """Make a test; where the p-value is at most `least`, a bound of it may be kept instead."""
        (x, n_x), (y, n_y) = self._column(key[0]), self._column(key[1])
        stratum, strata = self._strata((*self._always, *key[2:]), x.size)
        cells, sums = np.zeros((strata, n_x, n_y), np.int64), np.zeros(4, np.int64)
        by_x, by_y = np.zeros((strata, n_x), np.int64), np.zeros((strata, n_y), np.int64)
        most = add_table(x, y, stratum, self._times, cells, by_x, by_y, self._xlogx, sums)
        in_cells, in_x, in_y, in_strata = sums.tolist()
        unit, in_margins = self._xlogx.unit, in_x + in_y - in_strata
        told = (in_cells - in_margins) / unit
        from scipy.special import gammaincc  # most selections do not need it

        if most > CONSTANT and told > 0:
            bound = float(gammaincc(most, told))
            if bound <= least:
                self._bounds[key] = bound
                return
        out = np.zeros(n_x)
        add_expected_tables(by_x, by_y, self._xlogx, out)
        mean = (float(out.sum()) - in_margins) / unit
        if mean <= CONSTANT:
            self._tests[key] = 1.0, 0.0
        else:
            self._tests[key] = float(gammaincc(mean, max(told, 0.0))), told

    def _strata(self, given: tuple[int, ...], rows: int) -> tuple[np.ndarray, int]:
        """The stratum of each row, beyond all where a value is not known, and their number."""
        if given in self._kept_strata:
            return self._kept_strata[given]
        if not given:
            stratum, strata = np.zeros(rows, np.int64), 1
        else:
            stratum, strata = self._strata(given[:-1], rows)
            codes, levels = self._column(given[-1])
            is_known = (stratum < strata) & (codes < levels)
            stratum = np.where(is_known, stratum.astype(np.int64) * levels + codes, -1)
            strata *= levels
            if strata > self._n_rows:
                present, stratum = np.unique(stratum, return_inverse=True)
                stratum, strata = stratum + min(int(present[0]), 0), int((present >= 0).sum())
        stratum = stratum.astype(np.uint32)
        if len(self._kept_strata) * rows >= MOST_KEPT:
            self._kept_strata.clear()
        self._kept_strata[given] = stratum, strata
        return stratum, strata
