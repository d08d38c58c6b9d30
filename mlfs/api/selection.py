"""The answer: which features, in which order, with which score and why; ready to be printed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlfs.discretize import Binning
from mlfs.search.networks import Network

__all__ = ["SCHEMA", "Chosen", "Ranking", "Selection"]

SCHEMA = 1
TERMS = ("relevance", "redundancy", "label_correlation")


@dataclass(frozen=True)
class Chosen:
    """One selected column.

    Parameters
    ----------
    rank : int
        Its place, from 1; the columns of one group share a rank.
    index, name : int, str
        The column of X, from 0, and its name.
    score, relevance, redundancy, label_correlation : float
        ``score = relevance + label_correlation - redundancy``.
    margin : float
        What it was ahead of the runner-up by; NaN without one.
    runner_up : int or None
        The next best column.
    ties : tuple of int
        Columns that were as good; the lowest column wins.
    forced : bool
        It was asked for, not chosen.
    group : str
        The group that it came with, or empty.
    labels : int
        In a union of subsets: how many labels picked it.
    """

    rank: int
    index: int
    name: str
    score: float
    relevance: float
    redundancy: float
    label_correlation: float
    margin: float = math.nan
    runner_up: int | None = None
    ties: tuple[int, ...] = ()
    forced: bool = False
    group: str = ""
    labels: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The record for JSON; what is not finite becomes null."""
        record: dict[str, Any] = {
            "rank": self.rank,
            "index": self.index,
            "name": self.name,
            "score": _finite(self.score),
            "terms": {term: _finite(getattr(self, term)) for term in TERMS},
            "margin": _finite(self.margin),
            "runner_up": self.runner_up,
            "ties": list(self.ties),
        }
        if self.forced:
            record["forced"] = True
        if self.group:
            record["group"] = self.group
        if self.labels:
            record["labels"] = self.labels
        return record


@dataclass(frozen=True)
class Ranking:
    """Selected columns in order, for all labels or for one."""

    chosen: tuple[Chosen, ...]
    label: str = ""
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def indices(self) -> tuple[int, ...]:
        """The columns, in pick order."""
        return tuple(one.index for one in self.chosen)

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(one.name for one in self.chosen)

    @property
    def scores(self) -> np.ndarray:
        """Their scores."""
        return np.array([one.score for one in self.chosen], dtype=np.float64)

    @property
    def margins(self) -> np.ndarray:
        """What each was ahead of its runner-up by."""
        return np.array([one.margin for one in self.chosen], dtype=np.float64)

    @property
    def runners_up(self) -> tuple[int | None, ...]:
        """The next best column of each."""
        return tuple(one.runner_up for one in self.chosen)

    @property
    def ties(self) -> tuple[tuple[int, ...], ...]:
        """The columns that were as good as each."""
        return tuple(one.ties for one in self.chosen)

    @property
    def terms(self) -> dict[str, np.ndarray]:
        """The parts of the scores: relevance, redundancy, label_correlation."""
        return {
            term: np.array([getattr(one, term) for one in self.chosen], dtype=np.float64)
            for term in TERMS
        }


@dataclass(frozen=True)
class Selection(Ranking):
    """The features that a criterion selected, and everything that was decided on the way.

    Parameters
    ----------
    criterion : str
        The name of the criterion.
    parameters : dict
        Its parameters.
    scope : str
        ``all labels`` or ``each label``.
    units : str
        ``nats`` or ``bits``; ``ratio`` where a criterion's scores have no unit.
    data : dict
        rows, features, labels: the shape of the data.
    labels : dict of str to Ranking
        For subsets per label: the ranking of each label.
    network : Network or None
        The parents of labels that the criterion used.
    binnings : sequence of Binning
        What was decided for each column of X.
    notes : tuple of str
        What a user should know.
    pair_terms : dict
        How many terms of one pick and one candidate were ``counted``, and how many a search makes
        that leaves none out (``eager``).
    """

    criterion: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    scope: str = "all labels"
    units: str = "nats"
    data: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, Ranking] = field(default_factory=dict)
    network: Network | None = None
    binnings: Sequence[Binning] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    pair_terms: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of ``mlfs select --format json``."""
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "criterion": self.criterion,
            "parameters": dict(self.parameters),
            "scope": self.scope,
            "units": self.units,
            "data": dict(self.data),
            "settings": dict(self.settings),
            "selected": [one.to_dict() for one in self.chosen],
        }
        if self.labels:
            document["labels"] = [
                {"name": name, "selected": [one.to_dict() for one in ranking.chosen]}
                for name, ranking in self.labels.items()
            ]
        if self.network is not None:
            document["network"] = {
                "kind": self.network.kind,
                "order": list(self.network.order),
                "parents": [list(pa) for pa in self.network.parents],
                "note": self.network.note,
            }
        document["binning"] = [binning.describe() for binning in self.binnings]
        document["pair_terms"] = dict(self.pair_terms)
        document["notes"] = list(self.notes)
        if self.interrupted:
            document["interrupted"] = True
        return document


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
