"""Learn how each column of a data set is binned: which columns are taken as they are, which cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from mlfs.data.uniform import declared, names_of
from mlfs.discretize import small
from mlfs.discretize.blocks import Block, blocks
from mlfs.discretize.coding import codes_of, counts_of, tallied
from mlfs.discretize.laim import laim
from mlfs.discretize.many import Binnings, Cuts
from mlfs.discretize.mdlp import mdlp
from mlfs.discretize.moments import on_grid
from mlfs.discretize.packing import FEW_LEVELS, Packing
from mlfs.discretize.record import Binning
from mlfs.discretize.targets import Classes, classes_of
from mlfs.discretize.unsupervised import equal_frequency, equal_width, mean_sd_edges
from mlfs.errors import DataError, UnknownName, UsageError, printable

__all__ = ["METHODS", "learn"]

METHODS = {
    "mean-sd": "three levels: below mean - sd, between, above mean + sd",
    "width": "intervals of equal width (3, or as many as are asked for)",
    "frequency": "levels as equally filled as ties allow (3, or as many as are asked for)",
    "mdlp": "cuts that make the labels purer (Fayyad & Irani, summed over the labels)",
    "laim": "cuts that maximise label-attribute interdependence (Cano et al.)",
}
COUNTED = ("width", "frequency")
MOST_BINS = 10_000
SUPERVISED = {"mdlp": mdlp, "laim": laim}
MASKED = 62


def learn(
    dataset: Any,
    method: str = "mean-sd",
    bins: int | None = None,
    nominal_limit: int = 10,
    Y: Any = None,
    weights: Any = None,
    survey: small.Survey | None = None,
) -> Binnings:
    """Learn a binning for each column of a data set.

    A nominal column is taken as it is, and so is a numeric one with at most `nominal_limit`
    distinct values, all integers. The others are cut by the method. The result does not depend
    on the order of the rows, nor on X being dense or sparse; integer weights give what repeated
    rows give, and a row of weight 0 is not there.

    Parameters
    ----------
    dataset : Dataset
        X may hold NaN, which gets a level of its own, but nothing infinite.
    method : {"mean-sd", "width", "frequency", "mdlp", "laim"}
        How numeric columns are cut.
    bins : int, optional
        How many levels, for ``"width"`` and ``"frequency"``; 3 by default.
    nominal_limit : int
        0 has every numeric column cut.
    Y : ndarray or sparse array, optional
        The labels that ``"mdlp"`` and ``"laim"`` look at, instead of the data set's.
    weights : array, optional
        One for each row, not negative.
    survey : Survey, optional
        What `small.surveyed` saw in X, if it was asked already.

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
    bins = _checked(method, bins, nominal_limit)
    table, labels = dataset.table, dataset.Y if Y is None else Y
    mass = None
    if weights is not None:
        mass, kept = _weights(weights, table.shape[0])
        if not kept.all():
            chosen = np.flatnonzero(kept)
            table, labels, mass = table[chosen], labels[chosen], mass[chosen]
    groups: list[Classes] = []
    if method in SUPERVISED:
        if labels.shape[0] != table.shape[0]:
            raise DataError(
                f"{labels.shape[0]} rows of labels for {table.shape[0]} rows of features: "
                f"{method} needs the labels of every row"
            )
        groups = list(classes_of(labels, mass))

    columns = dataset.columns
    sizes = declared(columns)
    mine = own_of = np.zeros(0, np.int64)
    own_shapes: list[Binning] = []
    ahead = None
    if mass is None:
        survey = small.surveyed(table) if survey is None else survey
        if survey is not None:
            ahead = survey.ahead
            mine, own_shapes, own_of = small.learned(survey, sizes, nominal_limit)
    if mine.size == len(columns):
        return Binnings(names_of(columns), own_shapes, own_of)
    left = np.ones(len(columns), bool)
    left[mine] = False
    rest = np.flatnonzero(left)
    if mine.size:
        table = table[:, rest]
    values: list[Binning] = []
    few = np.zeros(rest.size, bool)
    cuts: list[Cuts] = []
    for block in blocks(table, mass):
        at = slice(block.start, block.start + block.width)
        few[at], own, cut = _learn_block(
            block,
            names_of(columns),
            rest[at],
            sizes[rest[at]],
            method,
            bins,
            nominal_limit,
            groups,
            mass,
            ahead,
        )
        values += own
        cuts.append(cut)
    others = Binnings.made_of(values)
    shapes = [*own_shapes, *others.shapes]
    of = np.empty(len(columns), np.int64)
    of[mine], of[rest[few]] = own_of, others.of + len(own_shapes)
    of[rest[~few]] = len(shapes) + np.arange(rest.size - int(few.sum()))
    return Binnings(names_of(columns), shapes, of, _joined(cuts, method))


def _joined(cuts: list[Cuts], method: str) -> Cuts:
    width = max((cut.edges.shape[1] for cut in cuts), default=0)
    edges = np.full((sum(cut.sizes.size for cut in cuts), width), np.inf)
    start = 0
    for cut in cuts:
        edges[start : start + cut.sizes.size, : cut.edges.shape[1]] = cut.edges
        start += cut.sizes.size
    empty = np.zeros(0, np.int64)
    return Cuts(
        method,
        edges,
        np.concatenate([empty, *(cut.sizes for cut in cuts)]),
        np.concatenate([empty.astype(bool), *(cut.missing for cut in cuts)]),
        np.concatenate([empty, *(cut.fallback for cut in cuts)]),
    )


def _learn_block(
    block: Block,
    names: Sequence[str],
    where: np.ndarray,
    sizes: np.ndarray,
    method: str,
    bins: int,
    nominal_limit: int,
    groups: list[Classes],
    weights: np.ndarray | None,
    ahead: Packing | None,
) -> tuple[np.ndarray, list[Binning], Cuts]:
    """Which columns are taken as they are, their binnings, and the cuts of the others.

    These are coded to find their most frequent code; `ahead` takes the codes, if it can.
    """
    seen, lost = block.observed()
    values: dict[int, tuple[float, ...]] = {}
    for j in np.flatnonzero(sizes > 0).tolist():
        values[j] = _positions(int(sizes[j]))
    rest = np.flatnonzero(sizes <= 0)
    few = sizes > 0
    cut = np.zeros(0, np.int64)
    edges, n_edges = np.zeros((0, 0)), np.zeros(0, np.int64)
    if rest.size:
        part = seen.take(rest)
        low, high = _extremes(part)
        _refuse_infinite(low, high, where[rest], names)
        limits = np.where(sizes[rest] < 0, nominal_limit, part.n_rows)
        few_values = _few_values(part, block.take(rest), low, high, limits)
        values |= {int(rest[i]): found for i, found in few_values.items()}
        few[rest[list(few_values)]] = True
        at = np.flatnonzero(~few[rest])
        cut = rest[at]
        if cut.size and method == "mean-sd":
            edges = mean_sd_edges(part.take(at), low[at], high[at], weights)
            n_edges = np.full(cut.size, edges.shape[1])
        elif cut.size and method == "width":
            edges, n_edges = _padded(equal_width(low[at], high[at], bins))
        elif cut.size:
            found = [_cut_one(block, j, method, bins, groups, weights) for j in cut.tolist()]
            edges, n_edges = _padded(found)
        same = (low == high)[at]
        edges[same], n_edges[same] = np.inf, 0
    cuts = Cuts(method, edges, n_edges, (lost > 0)[cut], np.zeros(cut.size, np.int64))
    if cut.size:
        part = block.take(cut)
        codes, levels = cuts.codes_of(part), cuts.levels
        if ahead is not None and block.bounds is None and levels.max() <= FEW_LEVELS:
            most = ahead.add(where[cut], codes, levels)
        else:
            most = tallied(part, codes, levels, cuts.codes_of_zero(), weights).argmax(axis=1)
        cuts = cuts._replace(fallback=most)
    at = np.flatnonzero(few)
    own = [Binning("", "nominal", (), values[j], bool(lost[j] > 0)) for j in at.tolist()]
    if own:
        part = block.take(at)
        most = counts_of(part, codes_of(part, own), own, weights).argmax(axis=1)
        own = [
            replace(one, fallback=k) if k else one
            for one, k in zip(own, most.tolist(), strict=True)
        ]
    return few, own, cuts


def _padded(edges: list[tuple[float, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """Edges side by side, inf behind the last, and how many there are."""
    sizes = np.array([len(row) for row in edges])
    padded = np.full((sizes.size, int(sizes.max(initial=0))), np.inf)
    for one, row in zip(padded, edges, strict=True):
        one[: len(row)] = row
    return padded, sizes


def _cut_one(
    block: Block,
    j: int,
    method: str,
    bins: int,
    groups: list[Classes],
    weights: np.ndarray | None,
) -> tuple[float, ...]:
    """The edges of one column of a block that still has its missing values."""
    values = block.column(j)
    known = ~np.isnan(values)
    if not known.all():
        values = values[known]
        weights = None if weights is None else weights[known]
        groups = [group.rows(known, weights) for group in groups]
    if method == "frequency":
        return equal_frequency(values, weights, bins)
    return SUPERVISED[method](values, groups, weights)


def _few_values(
    block: Block, whole: Block, low: np.ndarray, high: np.ndarray, limits: np.ndarray
) -> dict[int, tuple[float, ...]]:
    """The distinct values of the columns that have few enough, all integers."""
    integral = (np.rint(low) == low) & (np.rint(high) == high)
    maybe = np.flatnonzero(integral)
    if maybe.size:
        part = block.take(maybe)
        whole_numbers = np.rint(part.values) == part.values
        integral[maybe] = part.reduce(np.logical_and, whole_numbers, np.True_)
    narrow = integral & (high - low <= MASKED)
    few: dict[int, tuple[float, ...]] = {}
    columns = np.flatnonzero(narrow)
    if columns.size:
        part = block.take(columns)
        shifts = (part.values - part.spread(low[columns])).astype(np.int64)
        masks = part.reduce(np.bitwise_or, np.left_shift(1, shifts), np.int64(0))
        hidden = part.implicit > 0
        zero = np.where(hidden, -low[columns], 0).astype(np.int64)
        masks |= np.where(hidden, np.left_shift(1, zero), 0)
        for j, start, mask in zip(
            columns.tolist(), low[columns].tolist(), masks.tolist(), strict=True
        ):
            if mask.bit_count() <= limits[j]:
                few[j] = _bits(start, mask)
    for j in np.flatnonzero(integral & ~narrow).tolist():
        distinct = np.unique(whole.column(j))
        distinct = distinct[~np.isnan(distinct)] + 0.0  # which makes -0.0 a 0.0
        if distinct.size <= limits[j]:
            few[j] = tuple(distinct.tolist())
    for j in np.flatnonzero(low > high).tolist():
        few[j] = ()
    return few


def _bits(start: float, mask: int) -> tuple[float, ...]:
    return tuple(start + k for k in range(mask.bit_length()) if mask >> k & 1)


@lru_cache(maxsize=256)
def _positions(count: int) -> tuple[float, ...]:
    return tuple(float(k) for k in range(count))


def _extremes(block: Block) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest value of each column; (inf, -inf) where there is none."""
    low = block.reduce(np.minimum, block.values, np.inf)
    high = block.reduce(np.maximum, block.values, -np.inf)
    hidden = block.implicit > 0
    low = np.where(hidden, np.minimum(low, 0.0), low)
    return low + 0.0, np.where(hidden, np.maximum(high, 0.0), high) + 0.0


def _refuse_infinite(
    low: np.ndarray, high: np.ndarray, where: np.ndarray, names: Sequence[str]
) -> None:
    for j in np.flatnonzero((low == -np.inf) | (high == np.inf)).tolist():
        raise DataError(
            f"the column {printable(names[where[j]])!r} holds an infinite value, which no "
            "binning can place: replace it, or mark it as missing"
        )


def _checked(method: str, bins: int | None, nominal_limit: int) -> int:
    if not isinstance(method, str) or method not in METHODS:
        raise UnknownName("binning", str(method), METHODS)
    for what, number in (("nominal_limit", nominal_limit), ("the number of bins", bins or 2)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise UsageError(f"{what} is a whole number, not {printable(repr(number))}")
    if nominal_limit < 0:
        raise UsageError(f"nominal_limit is {nominal_limit}: it must be 0 or more")
    if bins is None:
        return 3
    if method not in COUNTED:
        raise UsageError(
            f"the binning {method!r} finds the number of levels itself, so {bins} cannot be asked "
            f"for: leave the number away, or choose one of {', '.join(COUNTED)}"
        )
    if bins < 2:
        raise UsageError(f"{bins} bins: there must be 2 or more")
    if bins > MOST_BINS:
        raise UsageError(f"{bins} bins: there may be {MOST_BINS} at most")
    return int(bins)


def _weights(weights: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The weights on a common grid, and which rows are there at all."""
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n_rows,):
        raise DataError(f"{given.size} weights for {n_rows} rows: there must be one for each row")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise DataError("a weight is negative or not a finite number: weights are 0 or more")
    mass = on_grid(given)
    if not mass.any():
        raise DataError("all weights are 0: nothing is left to learn from")
    return mass, mass > 0
