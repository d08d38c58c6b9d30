"""Learn how each column of a data set is binned: which columns are taken as they are, which cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from mlfs.binning import small
from mlfs.binning.blocks import Block, blocks
from mlfs.binning.coding import codes_of, counts_of
from mlfs.binning.laim import laim
from mlfs.binning.many import Binnings
from mlfs.binning.mdlp import mdlp
from mlfs.binning.moments import on_grid
from mlfs.binning.record import Binning
from mlfs.binning.targets import Classes, classes_of
from mlfs.binning.unsupervised import equal_frequency, equal_width, mean_sd_edges
from mlfs.data.alike import Alike
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
    mine, found = np.zeros(0, np.int64), Binnings((), (), np.zeros(0, np.int64))
    if mass is None:
        survey = small.surveyed(table) if survey is None else survey
        if survey is not None:
            mine, found = small.learned(survey, columns, nominal_limit)
    if mine.size == len(columns):
        return found
    left = np.ones(len(columns), bool)
    left[mine] = False
    rest = np.flatnonzero(left)
    if mine.size:
        table = table[:, rest]
    more: list[Binning] = []
    for block in blocks(table, mass):
        where = rest[block.start : block.start + block.width].tolist()
        those = [columns[j] for j in where]
        own = _learn_block(block, those, method, bins, nominal_limit, groups, mass)
        most = counts_of(block, codes_of(block, own), own, mass).argmax(axis=1).tolist()
        more += [
            replace(binning, fallback=k) if k else binning
            for binning, k in zip(own, most, strict=True)
        ]
    others = Binnings.made_of(more)
    of = np.empty(len(columns), np.int64)
    of[mine], of[rest] = found.of, others.of + len(found.shapes)
    names = columns.names if isinstance(columns, Alike) else [column.name for column in columns]
    return Binnings(names, [*found.shapes, *others.shapes], of)


def _learn_block(
    block: Block,
    columns: Sequence[Any],
    method: str,
    bins: int,
    nominal_limit: int,
    groups: list[Classes],
    weights: np.ndarray | None,
) -> list[Binning]:
    seen, lost = block.observed()
    missing = (lost > 0).tolist()
    values: dict[int, tuple[float, ...]] = {}
    for j, column in enumerate(columns):
        if column.kind == "nominal" and column.values:
            values[j] = _positions(len(column.values))
    rest = np.array([j for j in range(block.width) if j not in values], dtype=np.int64)
    edges: dict[int, tuple[float, ...]] = {}
    if rest.size:
        part = seen.take(rest)
        low, high = _extremes(part)
        _refuse_infinite(low, high, [columns[j].name for j in rest.tolist()])
        limits = [
            part.n_rows if columns[j].kind == "nominal" else nominal_limit for j in rest.tolist()
        ]
        few_values = _few_values(part, block.take(rest), low, high, limits)
        pairs = zip(rest.tolist(), few_values, strict=True)
        values |= {j: few for j, few in pairs if few is not None}
        cut = np.array([i for i, j in enumerate(rest.tolist()) if j not in values], dtype=np.int64)
        if cut.size:
            chosen = rest[cut]
            if method == "mean-sd":
                found = mean_sd_edges(part.take(cut), low[cut], high[cut], weights)
            elif method == "width":
                found = equal_width(low[cut], high[cut], bins)
            else:
                found = [_cut_one(block, j, method, bins, groups, weights) for j in chosen.tolist()]
            constant = (low == high)[cut].tolist()
            for j, cuts, same in zip(chosen.tolist(), found, constant, strict=True):
                edges[j] = () if same else cuts
    return [
        Binning(column.name, "nominal", (), values[j], missing[j])
        if j in values
        else Binning(column.name, method, edges[j], (), missing[j])
        for j, column in enumerate(columns)
    ]


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
    block: Block, whole: Block, low: np.ndarray, high: np.ndarray, limits: list[int]
) -> list[tuple[float, ...] | None]:
    """The distinct values of each column that has few enough, all integers; else None."""
    integral = block.reduce(np.logical_and, np.rint(block.values) == block.values, np.True_)
    narrow = integral & (high - low <= MASKED)
    few: list[tuple[float, ...] | None] = [None] * block.width
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
        distinct = distinct[~np.isnan(distinct)]
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


def _refuse_infinite(low: np.ndarray, high: np.ndarray, names: list[str]) -> None:
    for j in np.flatnonzero((low == -np.inf) | (high == np.inf)).tolist():
        raise DataError(
            f"the column {printable(names[j])!r} holds an infinite value, which no binning can "
            "place: replace it, or mark it as missing"
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
