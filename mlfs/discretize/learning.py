"""Learn how each column of a data set is binned: taken as it is, or cut by a method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels import column_values
from mlfs.binnings import BINNINGS, COUNTED
from mlfs.counting.entries import edges_of
from mlfs.data.columns import check_weights
from mlfs.discretize.binning import Binnings, join, ranges
from mlfs.discretize.column_blocks import Block, blocks, round_weights
from mlfs.discretize.encoder import Encoder, Survey, learn_small, modes_of
from mlfs.discretize.supervised import ClassRows, classes_of, laim, mdlp
from mlfs.discretize.unsupervised import equal_frequency, equal_width, mean_sd_edges
from mlfs.errors import DataError, UsageError, check_name, printable

MOST_BINS = 10_000
METHODS = BINNINGS  # the public name
# Our own methods that look at one column at a time, by their names in BINNINGS.
CUTS: dict[str, Callable[..., tuple[float, ...]]] = {"frequency": equal_frequency}
CUTS_BY_LABELS = {"mdlp": mdlp, "laim": laim}


def learn(
    dataset: Any,
    method: str = "mean-sd",
    bins: int | None = None,
    nominal_limit: int = 10,
    Y: Any = None,
    weights: Any = None,
    survey: Survey | None = None,
) -> Binnings:
    """Learn a binning for each column of a data set.

    A nominal column is taken as it is, and so is a numeric one with at most `nominal_limit`
    distinct values, all integers. The others are cut by the method. The result does not depend
    on the order of the rows, nor on X being dense or sparse; integer weights give what repeated
    rows give, and rows of weight 0 are left out.

    Parameters
    ----------
    dataset : Dataset
        X may hold NaN, which gets a level of its own, but nothing infinite.
    method : str
        How numeric columns are cut: one of `METHODS`, such as ``"frequency"`` or ``"mdlp"``.
    bins : int, optional
        How many levels, for a method that takes a number; 3 by default.
    nominal_limit : int
        The most distinct values of a numeric column that is taken as it is; 0: all are cut.
    Y : ndarray or sparse array, optional
        The labels that a method may look at, instead of the data set's.
    weights : array, optional
        One for each row, not negative.
    survey : Survey, optional
        The survey of X, if there is one; it keeps what learning has coded.

    Examples
    --------
    >>> from mlfs.data.dataset import Column, Dataset, Label
    >>> X = np.array([[0.5, 0], [1.5, 1], [2.5, 1], [9.5, 0]])
    >>> data = Dataset(X, np.ones((4, 1)), (Column("size"), Column("flag")), (Label("y"),))
    >>> for binning in learn(data):
    ...     print(binning.method, binning.levels())
    mean-sd ['x <= -0.0355339', '-0.0355339 < x <= 7.03553', '7.03553 < x']
    nominal ['0', '1']
    """
    bins = check_method(method, bins, nominal_limit)
    table, labels = dataset.table, dataset.Y if Y is None else Y
    row_weights = None
    if weights is not None:
        row_weights = round_weights(check_weights(weights, table.shape[0]))
        if not row_weights.all():
            rows = np.flatnonzero(row_weights)
            table, labels, row_weights = table[rows], labels[rows], row_weights[rows]
    groups: list[ClassRows] = []
    if BINNINGS[method].by_labels:
        if labels.shape[0] != table.shape[0]:
            raise DataError(
                f"{labels.shape[0]} rows of labels for {table.shape[0]} rows of features: "
                f"{method} needs the labels of every row"
            )
        groups = list(classes_of(labels, row_weights))

    names, sizes = dataset.names, dataset.sizes
    small, learned = np.zeros(0, np.int64), [Binnings.of(())]
    if row_weights is None:
        survey = Survey.of(table) if survey is None else survey
        small, small_binnings = learn_small(survey, sizes, nominal_limit)
        if small.size == sizes.size:
            return small_binnings.named(names)
        learned.append(small_binnings)
    others = np.delete(np.arange(sizes.size), small)
    encoder = None
    if row_weights is None and survey is not None and (sizes[others] < 0).all():
        # Learning a column codes it: coding it again would make a selection from 10,000 x 2,000
        # floats take 220 ms instead of 150.
        encoder = survey.encoder = Encoder(table.shape[0])
    settings = _Settings(method, bins, nominal_limit, groups, row_weights)
    for block in blocks(table[:, others] if small.size else table):
        columns = others[block.start : block.start + block.width]
        binnings = _learn_block(block, columns, sizes[columns], names, settings)
        if encoder is None:
            binnings.fallback = modes_of(block, binnings, row_weights)
        else:
            binnings.fallback = encoder.add(columns, block, binnings)
        learned.append(binnings)
    return join(learned).take(np.concatenate([small, others]).argsort()).named(names)


class _Settings(NamedTuple):
    """How columns are binned, see `learn`."""

    method: str
    bins: int
    nominal_limit: int
    groups: list[ClassRows]
    weights: np.ndarray | None


def _learn_block(
    block: Block, columns: np.ndarray, sizes: np.ndarray, names: Sequence[str], settings: _Settings
) -> Binnings:
    """The binnings of the columns of a block, without names and fallbacks."""
    low, high, n_missing = block.extremes()
    is_free = sizes <= 0
    _refuse_infinite_columns(low[is_free], high[is_free], columns[is_free], names)
    limits = np.where(sizes > 0, 0, np.diff(block.bounds) + 1)
    limits[sizes < 0] = np.minimum(limits[sizes < 0], settings.nominal_limit)
    starts, n_values = edges_of(limits), np.empty(sizes.size, np.int64)
    values = np.empty(int(starts[-1]))
    column_values.distinct_integers(
        block.values, block.bounds, block.n_rows, limits, starts, values, n_values
    )
    few = np.flatnonzero(is_free & (n_values >= 0))
    cut = np.flatnonzero(is_free & (n_values < 0))
    edges = _edges(block, cut, low[cut], high[cut], n_missing[cut], settings)
    flat = values[ranges(starts[few], n_values[few])]
    n_values[~is_free] = -1
    return _make_binnings(sizes, (low, high, n_missing), flat, n_values, edges, settings.method)


def _make_binnings(
    sizes: np.ndarray,
    extremes: tuple[np.ndarray, np.ndarray, np.ndarray],
    values: np.ndarray,
    n_values: np.ndarray,
    edges: np.ndarray,
    method: str,
) -> Binnings:
    """The binnings of some columns, without names and fallbacks.

    Parameters
    ----------
    sizes : ndarray of int
        The number of values that each column declares; 0 or less if it declares none.
    extremes : tuple of ndarray
        The least and the greatest value of each column, and how many are missing.
    values : ndarray
        The distinct values of the columns that have few, one column after the other.
    n_values : ndarray of int
        How many each has; -1 for a column that declares them or is cut.
    edges : ndarray
        Those of the columns that are cut, a row for each, padded with inf.
    method : str
        How these are cut.
    """
    low, high, n_missing = extremes
    listed, few = np.flatnonzero(sizes > 0), np.flatnonzero((sizes <= 0) & (n_values >= 0))
    cut = np.flatnonzero((sizes <= 0) & (n_values < 0))
    n_edges = (edges < np.inf).sum(axis=1)
    n_edges[low[cut] == high[cut]] = 0
    order = np.concatenate([listed, few, cut])
    binnings = Binnings(
        (),
        np.where(np.arange(order.size) < listed.size + few.size, "nominal", method),
        np.concatenate(
            [
                ranges(np.zeros(listed.size, np.int64), sizes[listed]),
                values,
                edges[np.arange(edges.shape[1]) < n_edges[:, None]],
            ]
        ),
        edges_of(np.concatenate([sizes[listed], n_values[few], n_edges])),
        n_missing[order] > 0,
        np.zeros(order.size, np.int64),
    )
    return binnings.take(order.argsort())


def _edges(
    block: Block,
    columns: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    n_missing: np.ndarray,
    settings: _Settings,
) -> np.ndarray:
    """The edges of some columns, a row for each, padded with inf."""
    if settings.method == "mean-sd":
        edges = mean_sd_edges(block.take(columns), settings.weights, low, high, n_missing)
    elif settings.method == "width":
        edges = equal_width(low, high, settings.bins)
    else:
        cuts = [_cut_column(block, j, settings) for j in columns.tolist()]
        edges = np.full((columns.size, max(map(len, cuts), default=0)), np.inf)
        for row, column_cuts in zip(edges, cuts, strict=True):
            row[: len(column_cuts)] = column_cuts
    return edges


def _cut_column(block: Block, j: int, settings: _Settings) -> tuple[float, ...]:
    """The edges of one column by a method that looks at one column at a time."""
    values, weights, groups = block.column(j), settings.weights, settings.groups
    is_known = ~np.isnan(values)
    if not is_known.all():
        values = values[is_known]
        weights = None if weights is None else weights[is_known]
        groups = [group.rows(is_known, weights) for group in groups]
    method, bins = settings.method, settings.bins
    if method in CUTS_BY_LABELS:
        return CUTS_BY_LABELS[method](values, groups, weights)
    number = (bins,) if BINNINGS[method].takes_number else ()
    return CUTS[method](values, weights, *number)


def _refuse_infinite_columns(
    low: np.ndarray, high: np.ndarray, columns: np.ndarray, names: Sequence[str]
) -> None:
    """Raise `DataError` if a column holds an infinite value."""
    for j in np.flatnonzero((low == -np.inf) | (high == np.inf)).tolist():
        raise DataError(
            f"the column {printable(names[columns[j]])!r} holds an infinite value, which no "
            "binning can place: replace it, or mark it as missing"
        )


def check_method(method: str, bins: int | None, nominal_limit: int) -> int:
    """The number of bins, or an error that names the option that is wrong."""
    check_name(method, "binning", BINNINGS)
    for option, number in (("nominal_limit", nominal_limit), ("n_bins", bins or 2)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise UsageError(f"is a whole number, not {printable(repr(number))}", option=option)
    if nominal_limit < 0:
        raise UsageError(f"is {nominal_limit}: it must be 0 or more", option="nominal_limit")
    if bins is None:
        return 3
    if not BINNINGS[method].takes_number:
        raise UsageError(
            f"is for the binnings {', '.join(COUNTED)}; {method!r} finds the number of levels "
            "itself: leave it out",
            option="n_bins",
        )
    if bins < 2:
        raise UsageError(f"is {bins}: there must be 2 bins or more", option="n_bins")
    if bins > MOST_BINS:
        raise UsageError(f"is {bins}: there may be {MOST_BINS} bins at most", option="n_bins")
    return int(bins)
