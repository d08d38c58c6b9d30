"""Panels: constraints that a user gives, and what they are by the numbers of candidates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from mlfs.api.candidates import columns_named, features_named, grouping, groups_of_features
from mlfs.api.options import OPTIONS
from mlfs.api.prepared import Prepared
from mlfs.data.dataset import Dataset
from mlfs.errors import UnknownName, UsageError, plural, printable
from mlfs.search.panel import Demands


@dataclass(frozen=True)
class Panel:
    """The constraints of a selection: what it has to tell, what it may hold, and what it may cost.

    Parameters
    ----------
    at_least : mapping, optional
        Labels (by name or glob) to numbers of picks that are to tell something about them, beyond
        chance at the share `alpha` of false discoveries. Per label, each label's own number. Where
        each row has exactly one label, as cells have one type, a pick counts for the label of
        which it tells the greatest share.
    at_most : int or mapping, optional
        Pick at most so many columns of each group of `groups`, or of the groups that are named.
    groups : mapping or sequence, optional
        The groups of `at_most`: group names to columns, or one group name for each column. Their
        columns stay features of their own.
    cost : mapping or sequence, optional
        What each column costs: by name, glob or number (of several that name a column the last
        counts), or one cost for each column.
    budget : float, optional
        What all picks may cost: columns that cost more than what is left are not picked.
    rule : {"ratio", "score"}
        Pick by the score for each unit of cost, or by the score while the budget lasts.

    Examples
    --------
    >>> import mlfs
    >>> X, Y = [[0, 0, 5], [0, 1, 5], [1, 0, 6], [1, 1, 5]], [[0], [0], [1], [1]]
    >>> panel = mlfs.Panel(cost={"x0": 9, "x1": 1, "x2": 1}, budget=2)
    >>> mlfs.select((X, Y), "mim", 2, panel=panel).names
    ('x2', 'x1')
    """

    at_least: Mapping[str, int] | None = None
    at_most: int | Mapping[str, int] | None = None
    groups: Any = None
    cost: Any = None
    budget: float | None = None
    rule: str = "ratio"

    def __post_init__(self) -> None:
        for option in OPTIONS:
            if option.call == "Panel":
                name = option.argument or option.name
                object.__setattr__(self, name, option.read(getattr(self, name), name))
        if self.at_most is not None and self.groups is None:
            msg = "is given, and no groups are: say which columns belong together by groups"
            raise UsageError(msg, option="at_most")
        if self.at_most is None and self.groups is not None:
            msg = "is given, and no number of picks of a group is: give at_most"
            raise UsageError(msg, option="groups")
        if self.cost is None and self.budget is not None:
            msg = "is given, and no column costs anything: give the costs of columns as cost"
            raise UsageError(msg, option="budget")
        if self.cost is None and self.rule != "ratio":
            raise UsageError("is given, and no costs are: leave it out", option="rule")

    def settings(self) -> dict[str, Any]:
        """The constraints as plain values that JSON can hold."""
        return {name: getattr(self, name) for name in ("at_least", "at_most", "budget", "rule")}

    def demands(self, prepared: Prepared) -> Demands:
        """The constraints on the candidates of prepared data, by their numbers."""
        constraints: dict[str, Any] = {}
        if self.at_least is not None:
            constraints |= _at_least(self.at_least, prepared.dataset)
        if self.at_most is not None:
            constraints |= _at_most(self.at_most, self.groups, prepared)
        if self.cost is not None:
            costs = _costs(self.cost, prepared.dataset)
            members = prepared.grouping.members
            if not prepared.grouping.trivial:
                costs = np.array([math.fsum(costs[list(columns)]) for columns in members])
            by_cost = self.rule == "ratio"
            constraints |= {"costs": costs, "budget": self.budget, "by_cost": by_cost}
        return Demands(**constraints)


def _at_least(numbers: Mapping[str, int], data: Dataset) -> dict[str, Any]:
    names = data.label_names
    at_least, places = dict[str, int](), dict[str, int]()
    for label, number in numbers.items():
        for j in columns_named(label, names, "at_least", "label"):
            at_least[names[j]], places[names[j]] = number, j
    each = np.asarray((data.Y > 0).sum(axis=1))
    is_exclusive = data.shape[2] > 2 and bool((each == 1).all())
    return {"at_least": at_least, "numbers": places, "is_exclusive": is_exclusive}


def _at_most(at_most: Any, groups: Any, prepared: Prepared) -> dict[str, Any]:
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
