"""The ways to select features in a comparison: criteria, baselines and selectors of others.

A ranker sees the training rows and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mlfs import criteria
from mlfs.api.options import SELECTING
from mlfs.api.selecting import select_silently
from mlfs.compare.filters import Filter
from mlfs.compare.named import Named, foreign_scores, import_path, is_foreign, make_estimator
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, UnknownName, UsageError, printable
from mlfs.models.training_table import TrainingTable

BASELINES = {
    "all": "every feature, in the order of the columns",
    "random": "features in a random order, another one in each split",
    "own": "no selection: every feature goes to the model, which may select for itself",
}


@dataclass(frozen=True)
class Ranked:
    """Features in the order in which they were selected.

    Parameters
    ----------
    orders : tuple of tuple of int
        One order for all labels, or one for each label.
    n_features : int
        How many columns there are.
    imposed : bool
        Whether the model must use these features only; otherwise it gets all of them.
    note : str
        A note for the reader of the results.
    """

    orders: tuple[tuple[int, ...], ...]
    n_features: int
    imposed: bool = True
    note: str = ""

    def first(self, n: int) -> Ranked:
        """Only the first n, of each label where there are several orders."""
        return Ranked(
            tuple(order[:n] for order in self.orders), self.n_features, self.imposed, self.note
        )

    @property
    def union(self) -> tuple[int, ...]:
        """The columns of all orders; in the order of selection if there is only one."""
        if len(self.orders) == 1:
            return self.orders[0]
        return tuple(sorted({j for order in self.orders for j in order}))

    @property
    def mean_size(self) -> float:
        """The mean number of columns of a label."""
        return float(np.mean([len(order) for order in self.orders]))

    def cut(self, data: Dataset) -> Dataset:
        """The data with the selected columns only, in the order of the data."""
        if not self.imposed:
            return data
        if not self.union:
            msg = "no feature is selected on the training rows of a split, and a model needs at "
            raise DataError(f"{msg}least one: take another criterion")
        return data.reduced(sorted(self.union))

    def for_model(self, table: TrainingTable) -> dict[int, list[int]] | str:
        """The columns of each label among those that the model gets, or "all", or "own"."""
        if not self.imposed:
            return "own"
        if len(self.orders) == 1:
            return "all"
        ends = np.cumsum([len(field.names) for field in table.fields]).tolist()
        positions = {
            column: range(end - len(field.names), end)
            for column, field, end in zip(sorted(self.union), table.fields, ends, strict=True)
        }
        return {
            label: [position for column in sorted(order) for position in positions[column]]
            for label, order in enumerate(self.orders)
        }


@dataclass(frozen=True)
class Ranker:
    """A way to rank features.

    Parameters
    ----------
    rank : callable
        ``rank(train, n, seed)`` chooses n features (for each label, if it chooses per label).
    counts : bool
        Whether it uses the rows binned and counted, not the values themselves.
    nested : bool
        Whether n features are the first n of more.
    """

    rank: Callable[[TrainingRows, int, int], Ranked]
    counts: bool = False
    nested: bool = True


def _by_criterion(name: Any, parameters: Mapping[str, Any]) -> Ranker:
    _, criterion = criteria.get(name, parameters)

    def rank(train: TrainingRows, n: int, _: int) -> Ranked:  # no seed: it only shuffles labels
        options = {name: value for name, value in train.options.items() if name in SELECTING}
        if criterion.network is False:
            options.pop("network", None)
        elif options.get("network", criterion.network) in (True, "chain"):
            chain = {name: train.options[name] for name in ("order", "k") if name in train.options}
            options["network"] = train.prepared.network("chain", **chain)
        selection = select_silently(train.prepared, name, n, parameters=parameters, **options)
        note = "; ".join(note for note in selection.notes if "fewer" in note)
        selections = [selection] if selection.scope == "all labels" else selection.labels.values()
        orders = tuple(tuple(part.indices) for part in selections)
        return Ranked(orders, train.data.shape[1], note=note)

    return Ranker(rank, counts=True, nested=criterion.search == "greedy")


def _baseline(name: str) -> Ranker:
    def rank(train: TrainingRows, n: int, seed: int) -> Ranked:
        d = train.data.shape[1]
        if name == "random":
            order = np.random.default_rng(seed).permutation(d)[:n].tolist()
            return Ranked((tuple(order),), d)
        return Ranked((tuple(range(d)),), d, imposed=name == "all")

    return Ranker(rank)


def _by_scores(scores_of: Callable[[TrainingRows, int, int], np.ndarray], **kind: bool) -> Ranker:
    def rank(train: TrainingRows, n: int, seed: int) -> Ranked:
        scores = scores_of(train, n, seed)
        order = np.lexsort((np.arange(scores.size), -scores))[:n]
        return Ranked((tuple(order.tolist()),), scores.size)

    return Ranker(rank, **kind)


def _filter_of(name: str) -> Filter | None:
    """The filter of an import path; None if that is something else."""
    if "." not in name or name.endswith(".py"):
        return None
    found = import_path(name, "criterion")
    return found if isinstance(found, Filter) else None


def known_rankers() -> list[str]:
    """The names of all rankers."""
    return sorted({*criteria.available(), *BASELINES})


def ranker(spec: Named) -> Ranker:
    """The ranker of a name; criteria of third parties too.

    Examples
    --------
    >>> ranker(Named("random")).nested
    True
    """
    if spec.name in BASELINES:
        if spec.parameters:
            raise UsageError(f"{spec.name} takes no parameters")
        return _baseline(spec.name)
    if spec.estimator is None and (found := _filter_of(spec.name)) is not None:
        values = found.read(spec.parameters)
        return _by_scores(
            lambda train, _, seed: found.scores(train, seed, **values), counts=found.counts
        )
    if spec.name.endswith(".py"):
        return _by_criterion(criteria.typed(spec.name), spec.parameters)
    if is_foreign(spec):
        own = {name: value for name, value in spec.parameters.items() if name != "over"}
        over = spec.parameters.get("over", "mean")
        if over not in ("mean", "max"):
            raise UsageError(f"the selector {printable(spec.name)!r} takes over=mean or over=max")
        spec = replace(spec, parameters=own)
        make_estimator(spec)
        # not nested: some selectors must know the number of features
        return _by_scores(partial(foreign_scores, spec, over), nested=False)
    if "." in spec.name:
        return _by_criterion(criteria.typed(spec.name), spec.parameters)
    if spec.name not in known_rankers() and spec.name not in criteria.ALIASES:
        raise UnknownName("criterion", spec.name, [*known_rankers(), *criteria.ALIASES])
    return _by_criterion(spec.name, spec.parameters)
