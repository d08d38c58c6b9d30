"""Learn binnings where the rows of a table are in several places: small answers go to one place.

`ColumnPart` answers about the rows of one place, and `learn_divided` asks all places. Numbers are
merged exactly, so the binnings are those of the whole table, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels import column_values
from mlfs.counting.entries import edges_of
from mlfs.discretize.binning import Binnings
from mlfs.discretize.column_blocks import Block, blocks
from mlfs.discretize.encoder import code_counts
from mlfs.discretize.learning import make_binnings, refuse_infinite_columns
from mlfs.discretize.moments import Terms, column_terms, known_amount, shift_values
from mlfs.discretize.unsupervised import equal_width, mean_sd_edges, midpoints

__all__ = ["DIVIDED", "ColumnPart", "learn_divided"]

DIVIDED = ("mean-sd", "width", "frequency")  # the methods that look at no labels
PIVOTS = 31  # values at a time whose ranks are asked for
Ask = Callable[..., list[Any]]


class ColumnSummary(NamedTuple):
    """What some columns hold: extremes, missing values, and distinct integers if they are few."""

    low: np.ndarray
    high: np.ndarray
    n_missing: np.ndarray
    values: list[np.ndarray | None]


class ColumnPart:
    """Some columns of the rows of one place.

    Parameters
    ----------
    table : ndarray, PackedTable or sparse array
        The rows, with these columns only.
    weights : ndarray, optional
        Their weights, on a common grid; rows of weight 0 are left out.
    """

    def __init__(self, table: Any, weights: np.ndarray | None) -> None:
        if weights is not None and not weights.all():
            rows = np.flatnonzero(weights)
            table, weights = table[rows], weights[rows]
        self._table, self._weights = table, weights
        self._sorted: list[tuple[np.ndarray, np.ndarray]] | None = None

    def _blocks(self) -> Iterator[tuple[slice, Block]]:
        for block in blocks(self._table):
            yield slice(block.start, block.start + block.width), block

    def summarize(self, sizes: np.ndarray, nominal_limit: int) -> ColumnSummary:
        """The extremes of each column, and its distinct integers where these are few.

        Parameters
        ----------
        sizes : ndarray of int
            The number of values that each column declares, -1 for a numeric one.
        nominal_limit : int
            The most distinct values of a numeric column that is taken as it is.
        """
        width = sizes.size
        low, high = np.full(width, np.inf), np.full(width, -np.inf)
        n_missing, distinct = np.zeros(width, np.int64), []
        for columns, block in self._blocks():
            low[columns], high[columns], n_missing[columns] = block.extremes()
            limits = np.where(sizes[columns] > 0, 0, np.diff(block.bounds) + 1)
            limits[sizes[columns] < 0] = np.minimum(limits[sizes[columns] < 0], nominal_limit)
            starts, n_values = edges_of(limits), np.empty(block.width, np.int64)
            values = np.empty(int(starts[-1]))
            column_values.distinct_integers(
                block.values, block.bounds, block.n_rows, limits, starts, values, n_values
            )
            for start, n in zip(starts.tolist(), n_values.tolist(), strict=False):
                distinct.append(None if n < 0 else values[start : start + n].copy())
        return ColumnSummary(low, high, n_missing, distinct)

    def amount(self) -> np.ndarray:
        """The number (weight) of the rows of each column that are not missing."""
        amounts = [
            known_amount(block, block.extremes()[2], self._weights) for _, block in self._blocks()
        ]
        return np.concatenate(amounts)

    def terms(
        self, shift: np.ndarray, center: np.ndarray, bound: np.ndarray, squared: bool
    ) -> Terms:
        """See `column_terms`."""
        common: list[np.ndarray] = []
        extra: dict[int, list[float]] = {}
        for columns, block in self._blocks():
            shifted_block = shift_values(block, shift[columns])
            terms = column_terms(
                shifted_block, center[columns], bound[columns], self._weights, squared=squared
            )
            common.append(np.array(terms.common))
            extra |= {columns.start + j: values for j, values in terms.extra.items()}
        all_terms = np.concatenate(common, axis=1)
        return Terms(list(all_terms[all_terms.any(axis=1)]), extra)

    def codes(self, binnings: Binnings) -> np.ndarray:
        """The number (weight) of rows with each code, column by column."""
        counts = [
            code_counts(block, binnings.take(np.arange(columns.start, columns.stop)), self._weights)
            for columns, block in self._blocks()
        ]
        return np.concatenate(counts)

    # ---- ranks ----------------------------------------------------------------------------------

    def _ordered(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The known values of each column, rising, and the number (weight) of those before each."""
        if self._sorted is None:
            self._sorted = []
            for _, block in self._blocks():
                for j in range(block.width):
                    values, weights = block.column(j), self._weights
                    is_known = ~np.isnan(values)
                    order = np.argsort(values[is_known], kind="stable")
                    mass = np.ones(order.size, np.int64) if weights is None else weights[is_known]
                    ranks = np.concatenate([[0], np.cumsum(mass[order])])
                    self._sorted.append((values[is_known][order], ranks))
        return self._sorted

    def ranks(self, pivots: np.ndarray) -> np.ndarray:
        """The number (weight) of values of each column up to each of its pivots."""
        return np.array(
            [
                ranks[np.searchsorted(values, column_pivots, side="right")]
                for (values, ranks), column_pivots in zip(self._ordered(), pivots, strict=True)
            ]
        )

    def around(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
        """For values of each column: the next lower and higher one, and the ranks below and at."""
        lower, higher = np.full(values.shape, -np.inf), np.full(values.shape, np.inf)
        ranks_of = [ranks.dtype for _, ranks in self._ordered()]
        below, upto = (np.zeros(values.shape, max(ranks_of, default=np.int64)) for _ in range(2))
        for j, (column, ranks) in enumerate(self._ordered()):
            first = np.searchsorted(column, values[j], side="left")
            last = np.searchsorted(column, values[j], side="right")
            below[j], upto[j] = ranks[first], ranks[last]
            padded = np.concatenate([[-np.inf], column, [np.inf]])
            lower[j], higher[j] = padded[first], padded[last + 1]
        return lower, higher, below, upto


class _DividedSums:
    """`mlfs.discretize.moments.Sums` of columns whose rows are in several places."""

    def __init__(self, ask: Ask, columns: np.ndarray) -> None:
        self._ask, self._columns = ask, columns

    def amount(self, n_missing: np.ndarray) -> np.ndarray:
        """The number (weight) of the rows of each column that are not missing."""
        del n_missing  # each place counts its own
        total: np.ndarray = np.add.reduce(self._ask(self._columns, "amount"))
        return total

    def of(
        self, shift: np.ndarray, center: np.ndarray, bound: np.ndarray, *, squared: bool
    ) -> np.ndarray:
        """The sums of the deviations of the shifted columns."""
        answers = self._ask(self._columns, "terms", shift, center, bound, squared)
        return Terms.join(answers).round(center.size)


def learn_divided(
    ask: Ask,
    columns: np.ndarray,
    sizes: np.ndarray,
    names: Sequence[str],
    method: str,
    bins: int,
    nominal_limit: int,
) -> Binnings:
    """Learn the binnings of some columns, without names and fallbacks; see `learn`.

    Parameters
    ----------
    ask : callable
        Gives the answers of the `ColumnPart` of each place for some columns: it is called with
        these, the name of a method, and its arguments.
    columns : ndarray of int
        The columns.
    sizes : ndarray of int
        The number of values that each of them declares, -1 for a numeric one.
    names : sequence of str
        The names of all columns.
    method, bins, nominal_limit
        See `learn`; the method is one of `DIVIDED`.
    """
    summaries: list[ColumnSummary] = ask(columns, "summarize", sizes, nominal_limit)
    low = np.minimum.reduce([summary.low for summary in summaries])
    high = np.maximum.reduce([summary.high for summary in summaries])
    n_missing = np.add.reduce([summary.n_missing for summary in summaries])
    is_free = sizes <= 0
    refuse_infinite_columns(low[is_free], high[is_free], columns[is_free], names)
    values = [
        _union(
            [summary.values[j] for summary in summaries], nominal_limit if sizes[j] < 0 else None
        )
        if is_free[j]
        else None
        for j in range(sizes.size)
    ]
    cut = np.flatnonzero(is_free & np.array([distinct is None for distinct in values], bool))
    extremes = low[cut], high[cut]
    if not cut.size:
        edges = np.zeros((0, 0))
    elif method == "mean-sd":
        edges = mean_sd_edges(_DividedSums(ask, columns[cut]), *extremes, n_missing[cut])
    elif method == "width":
        edges = equal_width(*extremes, bins)
    else:
        edges = _frequency(ask, columns[cut], *extremes, bins)
    n_values = np.array(
        [-1 if distinct is None else distinct.size for distinct in values], np.int64
    )
    few = [distinct for distinct in values if distinct is not None]
    flat = np.concatenate(few) if few else np.zeros(0)
    return make_binnings(sizes, (low, high, n_missing), flat, n_values, edges, method)


def _union(parts: Sequence[np.ndarray | None], limit: int | None) -> np.ndarray | None:
    """The distinct integers of a column in all places; None if these are more than the limit."""
    present = [part for part in parts if part is not None]
    if len(present) < len(parts):
        return None
    union: np.ndarray = np.unique(np.concatenate(present))
    return None if limit is not None and union.size > limit else union


def _frequency(
    ask: Ask, columns: np.ndarray, low: np.ndarray, high: np.ndarray, bins: int
) -> np.ndarray:
    """The edges of equally filled levels, a row for each column; see `equal_frequency`."""
    total = np.add.reduce(ask(columns, "ranks", high[:, None]))[:, 0]
    goals = total[:, None] * np.arange(1, bins)
    low_keys = np.repeat(_keys(low)[:, None], bins - 1, axis=1)
    high_keys = np.repeat(_keys(high)[:, None], bins - 1, axis=1)
    # Between the keys is the least value of which enough values are below.
    while (low_keys < high_keys).any():
        span = (high_keys - low_keys).astype(np.uint64)
        steps = [low_keys + (span // PIVOTS * k + span % PIVOTS * k // PIVOTS).astype(np.int64)
                 for k in range(PIVOTS)]  # fmt: skip
        keys = np.stack(steps, axis=2)
        pivots = _floats(keys).reshape(columns.size, -1)
        ranks = np.add.reduce(ask(columns, "ranks", pivots)).reshape(keys.shape)
        n_less = (ranks * bins < goals[:, :, None]).sum(axis=2)
        before = np.take_along_axis(keys, np.maximum(n_less - 1, 0)[:, :, None], 2)[:, :, 0]
        after = np.take_along_axis(keys, np.minimum(n_less, PIVOTS - 1)[:, :, None], 2)[:, :, 0]
        high_keys = np.where(n_less < PIVOTS, after, high_keys)
        low_keys = np.where(n_less > 0, before + 1, low_keys)
    goal_values = _floats(low_keys)
    answers = ask(columns, "around", goal_values)
    lower = np.maximum.reduce([answer[0] for answer in answers])
    higher = np.minimum.reduce([answer[1] for answer in answers])
    below, upto = (np.add.reduce([answer[k] for answer in answers]) for k in (2, 3))
    is_last, is_first = np.isinf(higher), np.isinf(lower)
    nearer = np.abs(below * bins - goals) <= np.abs(upto * bins - goals)
    is_lower = is_last | (nearer & ~is_first)
    start, end = np.where(is_lower, lower, goal_values), np.where(is_lower, goal_values, higher)
    is_single = is_first & is_last  # a single value
    start[is_single], end[is_single] = 0.0, 0.0
    edges = midpoints(start, end)
    edges[is_single] = np.inf
    edges.sort(axis=1)
    edges[:, 1:][edges[:, 1:] == edges[:, :-1]] = np.inf
    edges.sort(axis=1)
    return edges


def _keys(values: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of the values; neighbouring floats are neighbouring numbers."""
    bits = (values + 0.0).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def _floats(keys: np.ndarray) -> np.ndarray:
    """The floats of `_keys`."""
    return np.where(keys < 0, np.int64(-(2**63)) - keys, keys).view(np.float64)
