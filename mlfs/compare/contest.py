"""Methods compared on one metric: means, ranks, and whether differences are significant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mlfs.compare.metrics import METRICS
from mlfs.compare.pairs import Pair, wilcoxon_all
from mlfs.compare.ranks import (
    Friedman,
    bonferroni_dunn,
    cliques,
    friedman,
    nemenyi,
    ranks,
    underpowered,
)
from mlfs.compare.results import Results, finite

__all__ = ["MEAN", "Contest", "contests", "sizes_of"]

MEAN = "mean"  # instead of one number of features: the mean over all of them


@dataclass(frozen=True)
class Contest:
    """One metric at one number of features.

    Parameters
    ----------
    metric : str
        Which.
    n : str
        The number of features as asked for, or ``"mean"`` for the mean over all numbers.
    model : str
        The model that all methods share, or an empty string if models differ too.
    methods : tuple of str
        The columns.
    data : tuple of str
        The rows.
    mean, sd : ndarray, shape (data sets, methods)
        Over the splits; NaN where there is none.
    """

    metric: str
    n: str
    model: str
    methods: tuple[str, ...]
    data: tuple[str, ...]
    mean: np.ndarray
    sd: np.ndarray

    @property
    def higher_is_better(self) -> bool:
        """Whether great values are good."""
        return METRICS[self.metric].higher_is_better

    @cached_property
    def complete(self) -> np.ndarray:
        """The data sets on which every method has a value: ranks and tests are about these."""
        return np.flatnonzero(np.isfinite(self.mean).all(axis=1))

    @cached_property
    def ranks(self) -> np.ndarray:
        """The rank of each method on each complete data set, 1 for the best."""
        if not self.complete.size:
            return np.zeros((0, len(self.methods)))
        return ranks(self.mean[self.complete], higher_is_better=self.higher_is_better)

    @property
    def average_ranks(self) -> np.ndarray:
        """The mean rank of each method; NaN if no data set is complete."""
        if not self.complete.size:
            return np.full(len(self.methods), np.nan)
        means: np.ndarray = self.ranks.mean(axis=0)
        return means

    @property
    def doubt(self) -> str:
        """Why nothing is tested; empty if tests make sense."""
        if len(self.methods) < 2:
            return "one method: nothing to compare"
        return underpowered(int(self.complete.size))

    @cached_property
    def friedman(self) -> Friedman | None:
        """Friedman's test that all methods are equal."""
        if self.doubt:
            return None
        return friedman(self.mean[self.complete], higher_is_better=self.higher_is_better)

    @property
    def nemenyi(self) -> float:
        """Nemenyi's critical difference of average ranks at 0.05."""
        return nemenyi(len(self.methods), int(self.complete.size))

    @property
    def bonferroni_dunn(self) -> float:
        """The critical difference of Bonferroni and Dunn at 0.05, against one method."""
        return bonferroni_dunn(len(self.methods), int(self.complete.size))

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The methods that Nemenyi's test cannot tell apart."""
        return cliques(self.average_ranks, self.nemenyi)

    @cached_property
    def pairs(self) -> list[Pair]:
        """Wilcoxon's signed-rank test of all pairs, corrected by Holm; none if underpowered."""
        if self.doubt:
            return []
        return wilcoxon_all(self.mean[self.complete], higher_is_better=self.higher_is_better)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, with the statistics."""
        document: dict[str, Any] = {
            "metric": self.metric,
            "higher_is_better": self.higher_is_better,
            "n": self.n,
            "model": self.model,
            "methods": list(self.methods),
            "data": list(self.data),
            "mean": _plain(self.mean),
            "sd": _plain(self.sd),
            "ranked_data": [self.data[i] for i in self.complete.tolist()],
            "average_ranks": _plain(self.average_ranks),
            "doubt": self.doubt,
        }
        if self.friedman is not None:
            test = asdict(self.friedman)
            test["critical_f_0.05"] = test.pop("critical")
            document["friedman"] = {**test, "f": finite(self.friedman.f)}
            document["nemenyi_cd_0.05"] = self.nemenyi
            document["bonferroni_dunn_cd_0.05"] = self.bonferroni_dunn
            document["not_apart"] = [[self.methods[j] for j in group] for group in self.groups]
            document["wilcoxon"] = [
                {
                    **asdict(pair),
                    "first": self.methods[pair.first],
                    "second": self.methods[pair.second],
                }
                for pair in self.pairs
            ]
        return document


def sizes_of(results: Results) -> list[str]:
    """The numbers of features at which methods are compared."""
    asked = [str(one) for one in results.settings.sizes]
    sized = any(one.name not in {"all", "own"} for one in results.settings.rankers)
    if not sized:
        return ["all"]
    return [*asked, MEAN] if len(asked) > 1 else asked


def contests(results: Results, metrics: Sequence[str] | None = None) -> list[Contest]:
    """Every metric at every number of features: for each model the criteria, then all methods."""
    models = [str(one) for one in results.settings.models]
    several = len(results.settings.rankers) > 1
    found = []
    for metric in metrics or results.metrics:
        table = results.by_size(metric)
        for n in sizes_of(results):
            made = [_contest(results, table, metric, n, [model]) for model in models if several]
            if len(models) > 1 or not several:
                made.append(_contest(results, table, metric, n, models))
            found += [one for one in made if np.isfinite(one.mean).any()]
    return found


def _contest(
    results: Results, table: dict[Any, Any], metric: str, n: str, models: list[str]
) -> Contest:
    settings = results.settings
    methods = [(c, m) for c, m in results.methods() if m in models]
    data = tuple(source.name for source in settings.sources)
    mean = np.full((len(data), len(methods)), np.nan)
    sd = np.full((len(data), len(methods)), np.nan)
    for row, name in enumerate(data):
        for column, (criterion, model) in enumerate(methods):
            wanted = [str(one) for one in settings.sizes] if n == MEAN else [n]
            found = [
                table[name, criterion, model, size]
                for size in [*wanted, "all"]
                if (name, criterion, model, size) in table
            ]
            if found and (n != MEAN or len(found) in {1, len(wanted)}):
                mean[row, column] = np.mean([one.mean for one in found])
                sd[row, column] = np.mean([one.sd for one in found])
    one_model = len(models) == 1
    names = tuple(c if one_model else f"{c} + {m}" for c, m in methods)
    return Contest(metric, n, models[0] if one_model else "", names, data, mean, sd)


def _plain(values: np.ndarray) -> Any:
    """Nested lists, with None for what is not finite."""
    return [_plain(one) for one in values] if values.ndim else finite(float(values))
