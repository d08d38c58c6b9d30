"""The options of a panel, as constraints on candidates by their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from mlfs.api.candidates import columns_named, features_named, grouping, groups_of_features
from mlfs.api.prepared import Prepared
from mlfs.data.dataset import Dataset
from mlfs.errors import UnknownName, UsageError, plural, printable, setting
from mlfs.search.panel import Demands


def groups_to_merge(options: Mapping[str, Any]) -> Any:
    """The groups whose columns count as one feature: none where `at_most` counts their columns."""
    return None if options["at_most"] is not None else options["groups"]


def demands_of(options: Mapping[str, Any], prepared: Prepared) -> Demands | None:
    """The constraints of a panel; None if there are none.

    Parameters
    ----------
    options : mapping
        The options of `mlfs.select`.
    prepared : Prepared
        The data, with columns that are merged to candidates.
    """
    if options["cost"] is None and options["budget"] is not None:
        msg = "is given, and no column costs anything: give the costs of columns as "
        raise UsageError(f"{msg}{setting('cost')}", option="budget")
    if options["cost"] is None and options["cost_rule"] != "ratio":
        raise UsageError("is given, and no costs are: leave it out", option="cost_rule")
    if all(options[name] is None for name in ("at_least", "at_most", "cost")):
        return None
    if options["resamples"] is not None:
        msg = "is given, and the picks of a panel are not resampled: leave it out"
        raise UsageError(msg, option="resamples")
    constraints: dict[str, Any] = {}
    if options["at_least"] is not None:
        constraints |= _at_least(options["at_least"], prepared.dataset)
    if options["at_most"] is not None:
        constraints |= _at_most(options["at_most"], options["groups"], prepared)
    if options["cost"] is not None:
        costs = _costs(options["cost"], prepared.dataset)
        members = prepared.grouping.members
        if not prepared.grouping.trivial:
            costs = np.array([math.fsum(costs[list(columns)]) for columns in members])
        by_cost = options["cost_rule"] == "ratio"
        constraints |= {"costs": costs, "budget": options["budget"], "by_cost": by_cost}
    return Demands(**constraints)


def _at_least(numbers: Mapping[str, int], data: Dataset) -> dict[str, Any]:
    names = data.label_names
    at_least, places = dict[str, int](), dict[str, int]()
    for label, number in numbers.items():
        for j in columns_named(label, names, "at_least", "label"):
            at_least[names[j]], places[names[j]] = number, j
    return {"at_least": at_least, "numbers": places}


def _at_most(at_most: Any, groups: Any, prepared: Prepared) -> dict[str, Any]:
    if groups is None:
        msg = "is given, and no groups are: say which columns belong together by "
        raise UsageError(f"{msg}{setting('groups')}", option="at_most")
    if not prepared.grouping.trivial:
        msg = "counts the columns of groups, but the data were prepared with groups, which merges "
        raise UsageError(f"{msg}them: prepare the data without groups", option="at_most")
    read = grouping(groups_of_features(groups, prepared.dataset), prepared.dataset.names)
    names = [name for name in read.names if name]
    numbers = dict.fromkeys(names, at_most) if isinstance(at_most, int) else at_most
    for name in numbers:
        if name not in names:
            raise UnknownName("group in {}", name, names, option="at_most")
    limited = [name for name in names if name in numbers]
    group_of = np.full(len(prepared.dataset.names), -1)
    for name, columns in zip(read.names, read.members, strict=True):
        if name in numbers:
            group_of[list(columns)] = limited.index(name)
    rooms = np.array([numbers[name] for name in limited], np.int64)
    return {"group_of": group_of, "at_most": rooms, "groups": tuple(limited)}


def _costs(cost: Any, data: Dataset) -> np.ndarray:
    """The cost of each column of X."""
    if isinstance(cost, Mapping) or hasattr(cost, "items"):
        costs = np.full(len(data.names), np.nan)
        for column, value in cost.items():
            costs[features_named(column, data, "cost", strict=False)] = _cost(value, column)
        missing = np.flatnonzero(np.isnan(costs))
        if missing.size:
            name = printable(repr(data.names[missing[0]]))
            others = f" and {plural(missing.size - 1, 'other column')}" if missing.size > 1 else ""
            msg = f"names none for {name}{others}: give one, or one for '*' before all others"
            raise UsageError(msg, option="cost")
        return costs
    values = [] if isinstance(cost, str) or not isinstance(cost, Iterable) else list(cost)
    if len(values) != data.n_given:
        msg = f"maps columns to costs, or has one for each of {plural(data.n_given, 'column')}, "
        raise UsageError(f"{msg}not {printable(repr(cost))}", option="cost")
    costs = np.array([_cost(value, j) for j, value in enumerate(values)])
    return costs if data.places is None else costs[data.given]


def _cost(value: Any, column: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < math.inf:
        shown = printable(repr(value.item() if isinstance(value, np.generic) else value))
        msg = f"of {printable(repr(column))} is a number above 0, not {shown}"
        raise UsageError(msg, option="cost")
    return float(value)
