"""Methods compared on one metric: means, ranks, and whether differences are significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from mlfs.compare.pairs import Pair, resampled_all, wilcoxon_all
from mlfs.compare.ranks import (
    Friedman,
    bonferroni_dunn,
    cliques,
    friedman,
    nemenyi,
    ranks,
    underpowered,
)
from mlfs.compare.results import Results, Summary, finite
from mlfs.compare.settings import ALL, Size
from mlfs.metrics import METRICS

MEAN = "mean"  # instead of one number of features: the mean over all of them
AREA = "area"  # the area under the curve over the shares of the features, as a mean height


@dataclass(frozen=True)
class Contest:
    """One metric at one number of features.

    Parameters
    ----------
    metric : str
        Its name.
    n : str
        The number of features as asked for, ``"mean"`` for the mean over all numbers, or
        ``"area"`` for the area under the curve over the shares of the features.
    model : str
        The model that all methods share, or an empty string if models differ too.
    methods : tuple of str
        The columns.
    data : tuple of str
        The rows.
    mean, sd : ndarray, shape (data sets, methods)
        Over the splits; NaN where a split failed or is not finished: a method has a value on a
        data set only if it has one on every split, at every number of features that is asked for.
    splits : ndarray, shape (splits, methods)
        The values on each split of a single data set, NaN for methods without; empty otherwise.
    test_to_train : float
        The ratio of test rows to training rows in a split.
    own : tuple of int
        The methods that are compared with all others; empty if all pairs are.
    parts : tuple of (str, str, tuple of str)
        Of each method the criterion, the model and the numbers of features.
    criterion : str
        The criterion that all methods share where models differ, or an empty string.
    reasons : mapping of (str, str) to (str, str)
        By data set and method what is wrong with the first cell without a value, and why.
    """

    metric: str
    n: str
    model: str
    methods: tuple[str, ...]
    data: tuple[str, ...]
    mean: np.ndarray
    sd: np.ndarray
    splits: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    test_to_train: float = 0.0
    own: tuple[int, ...] = ()
    parts: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    criterion: str = ""
    reasons: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    @property
    def higher_is_better(self) -> bool:
        """Whether greater values are better."""
        return METRICS[self.metric].higher_is_better

    @cached_property
    def _ranked_subset(self) -> tuple[np.ndarray, np.ndarray]:
        """The data sets and the methods that are ranked, with a value of each method on each.

        What lacks the largest share of its values is left out first, of equals the data set.
        """
        has_value = np.isfinite(self.mean)
        rows, columns = (np.arange(size) for size in has_value.shape)
        while not (kept := has_value[np.ix_(rows, columns)]).all():
            row_shares, column_shares = kept.mean(axis=1), kept.mean(axis=0)
            if row_shares.min() <= column_shares.min():
                rows = np.delete(rows, row_shares.argmin())
            else:
                columns = np.delete(columns, column_shares.argmin())
        return rows, columns

    @property
    def complete(self) -> np.ndarray:
        """The data sets that are ranked and tested: every ranked method has a value on them."""
        return self._ranked_subset[0]

    @property
    def ranked(self) -> np.ndarray:
        """The methods that are ranked and tested."""
        return self._ranked_subset[1]

    @property
    def _table(self) -> np.ndarray:
        """The values that are ranked and tested."""
        return self.mean[np.ix_(self.complete, self.ranked)]

    @cached_property
    def ranks(self) -> np.ndarray:
        """The rank of each method on each complete data set, 1 for the best; NaN if not ranked."""
        rank_table = np.full((self.complete.size, len(self.methods)), np.nan)
        if rank_table.size:
            rank_table[:, self.ranked] = ranks(self._table, higher_is_better=self.higher_is_better)
        return rank_table

    @property
    def average_ranks(self) -> np.ndarray:
        """The mean rank of each method; NaN if it is not ranked."""
        if not self.complete.size:
            return np.full(len(self.methods), np.nan)
        means: np.ndarray = self.ranks.mean(axis=0)
        return means

    @cached_property
    def means(self) -> np.ndarray:
        """The mean of each method over the ranked data sets; over its own if it is not ranked."""
        means = np.full(len(self.methods), np.nan)
        means[self.ranked] = self._table.mean(axis=0) if self.complete.size else np.nan
        for j in np.flatnonzero(np.isnan(means) & np.isfinite(self.mean).any(axis=0)).tolist():
            means[j] = np.nanmean(self.mean[:, j])
        return means

    @property
    def incomplete(self) -> dict[str, list[str]]:
        """The methods without a value, by data set."""
        return {
            name: [self.methods[j] for j in np.flatnonzero(np.isnan(row)).tolist()]
            for name, row in zip(self.data, self.mean, strict=True)
            if np.isnan(row).any()
        }

    @property
    def doubt(self) -> str:
        """Why nothing is tested; empty if tests make sense."""
        if self.ranked.size < 2:
            return "one method: nothing to compare"
        return underpowered(int(self.complete.size))

    @property
    def doubt_of_pairs(self) -> str:
        """Why no pair can differ significantly; empty if one can."""
        k = self.ranked.size
        pairs = k - 1 if self.own else k * (k - 1) // 2
        return underpowered(int(self.complete.size), pairs)

    @cached_property
    def friedman(self) -> Friedman | None:
        """Friedman's test that all methods are equal."""
        if self.doubt:
            return None
        return friedman(self._table, higher_is_better=self.higher_is_better)

    @property
    def doubt_of_differences(self) -> str:
        """Why no critical difference means anything; empty if one does."""
        test = self.friedman
        if test is None or test.f_p < 0.05:
            return self.doubt
        return f"Friedman's test does not tell the methods apart (p = {test.f_p:.2g})"

    @property
    def nemenyi(self) -> float:
        """Nemenyi's critical difference of average ranks at 0.05."""
        return nemenyi(self.ranked.size, int(self.complete.size))

    @property
    def bonferroni_dunn(self) -> float:
        """The critical difference of Bonferroni and Dunn at 0.05, against one method."""
        return bonferroni_dunn(self.ranked.size, int(self.complete.size))

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The methods that Nemenyi's test cannot tell apart."""
        groups = cliques(self.average_ranks[self.ranked], self.nemenyi)
        return [tuple(self.ranked[list(group)].tolist()) for group in groups]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Wilcoxon's signed-rank test of all pairs, corrected by Holm; none if underpowered."""
        if self.doubt:
            return []
        table, better = self._table, self.higher_is_better
        if not self.own:
            return self._among_all(wilcoxon_all(table, higher_is_better=better))
        positions = [i for i, j in enumerate(self.ranked.tolist()) if j in self.own]
        pair_lists = [wilcoxon_all(table, higher_is_better=better, against=i) for i in positions]
        return self._among_all([pair for pairs in pair_lists for pair in pairs])

    @cached_property
    def pairs_of_splits(self) -> list[Pair]:
        """The corrected resampled t-test of all pairs on a single data set, corrected by Holm."""
        if self.own or self.splits.shape[0] < 2 or self.ranked.size < 2:
            return []
        pairs = resampled_all(
            self.splits[:, self.ranked], self.test_to_train, higher_is_better=self.higher_is_better
        )
        return self._among_all(pairs)

    def _among_all(self, pairs: list[Pair]) -> list[Pair]:
        """Pairs of ranked methods, numbered among all methods."""
        ranked = self.ranked.tolist()
        return [
            replace(pair, first=ranked[pair.first], second=ranked[pair.second]) for pair in pairs
        ]

    def to_dict(self) -> dict[str, Any]:
        """Give the contest and its statistics as plain data."""
        document: dict[str, Any] = {
            "metric": self.metric,
            "higher_is_better": self.higher_is_better,
            "n": self.n,
            "model": self.model,
            "criterion": self.criterion,
            "methods": list(self.methods),
            "data": list(self.data),
            "mean": _plain(self.mean),
            "sd": _plain(self.sd),
            "ranked_data": [self.data[i] for i in self.complete.tolist()],
            "ranked_methods": [self.methods[j] for j in self.ranked.tolist()],
            "average_ranks": _plain(self.average_ranks),
            "incomplete_data": self.incomplete,
            "doubt": self.doubt,
        }
        if self.friedman is not None:
            test = asdict(self.friedman)
            test["critical_f_0.05"] = test.pop("critical")
            document["friedman"] = {**test, "f": finite(self.friedman.f)}
            document["nemenyi_cd_0.05"] = self.nemenyi
            document["bonferroni_dunn_cd_0.05"] = self.bonferroni_dunn
            document["not_apart"] = [[self.methods[j] for j in group] for group in self.groups]
            document["wilcoxon"] = self._pair_dicts(self.pairs)
        if self.pairs_of_splits:
            document["corrected_resampled_t"] = self._pair_dicts(self.pairs_of_splits)
        return document

    def _pair_dicts(self, pairs: list[Pair]) -> list[dict[str, Any]]:
        return [
            {
                **asdict(pair),
                "statistic": finite(pair.statistic),
                "effect": finite(pair.effect),
                "first": self.methods[pair.first],
                "second": self.methods[pair.second],
            }
            for pair in pairs
        ]


def sizes_of(results: Results) -> list[str]:
    """The numbers of features at which methods are compared."""
    sizes = [str(size) for size in results.settings.sizes]
    sized = any(ranker.name not in {"all", "own"} for ranker in results.settings.rankers)
    if not sized:
        return ["all"]
    if len(sizes) < 2:
        return sizes
    return [*sizes, MEAN, AREA] if len(_shares(results)) > 1 else [*sizes, MEAN]


def _shares(results: Results) -> dict[str, float]:
    """The sizes that are shares of the features, with the weights of the trapezoidal rule."""
    sizes = sorted(
        (float(size.text), str(size)) for size in results.settings.sizes if size.is_share
    )
    if len(sizes) < 2:
        return {}
    shares = np.array([share for share, _ in sizes])
    steps = np.diff(shares, prepend=shares[0], append=shares[-1])
    weights = (steps[:-1] + steps[1:]) / 2 / (shares[-1] - shares[0])
    return {name: float(weight) for (_, name), weight in zip(sizes, weights, strict=True)}


def contests(results: Results, metrics: Sequence[str] | None = None) -> list[Contest]:
    """Every metric at every number of features: for each model the criteria, then all methods."""
    models = [str(model) for model in results.settings.models]
    several = len(results.settings.rankers) > 1
    result = []
    for metric in metrics or results.metrics:
        table = results.by_size(metric)
        for n in sizes_of(results):
            candidates = [
                _contest(results, table, metric, n, [model]) for model in models if several
            ]
            if not results.own and (len(models) > 1 or not several):
                candidates.append(_contest(results, table, metric, n, models))
            result += [contest for contest in candidates if np.isfinite(contest.mean).any()]
    return result


def _contest(
    results: Results, table: dict[Any, Summary], metric: str, n: str, models: list[str]
) -> Contest:
    settings, done = results.settings, results.splits_done()
    methods = [(c, m) for c, m in settings.methods if str(m) in models]
    data = tuple(source.name for source in settings.sources)
    mean, sd = np.full((2, len(data), len(methods)), np.nan)
    splits: dict[int, np.ndarray] = {}
    for row, name in enumerate(data):
        for column, (ranker, model) in enumerate(methods):
            sizes = settings.sizes_of(ranker)
            weights = _weights(results, n, sizes)
            keys = [(name, str(ranker), str(model), size) for size in weights]
            if all(done[key] == settings.protocol.count(name) and key in table for key in keys):
                shares = np.array(list(weights.values()))
                values = _split_means([table[key] for key in keys], shares)
                mean[row, column] = shares @ [table[key].mean for key in keys]
                sd[row, column] = np.std(values, ddof=1) if values.size > 1 else np.nan
                splits[column] = values
    same_splits = len(data) == 1 and len({values.size for values in splits.values()}) == 1
    split_table = np.zeros((0, 0))
    if same_splits:
        none = np.full(next(iter(splits.values())).size, np.nan)
        split_table = np.column_stack([splits.get(j, none) for j in range(len(methods))])
    names = method_names(methods)
    one_model, criteria = len(models) == 1, {str(ranker) for ranker, _ in methods}
    return Contest(
        metric,
        n,
        models[0] if one_model else "",
        names,
        data,
        mean,
        sd,
        split_table,
        settings.protocol.test_to_train,
        tuple(i for i, (ranker, _) in enumerate(methods) if str(ranker) in results.own),
        tuple(
            (str(ranker), str(model), tuple(_weights(results, n, settings.sizes_of(ranker))))
            for ranker, model in methods
        ),
        "" if one_model or len(criteria) > 1 else criteria.pop(),
        _reasons(results, metric, methods, names),
    )


def method_names(methods: Sequence[tuple[Any, Any]]) -> tuple[str, ...]:
    """Names of pairs of criterion and model, without what all of them share.

    Examples
    --------
    >>> method_names([("all", "br"), ("all", "cc")]), method_names([("mim", "br"), ("all", "br")])
    (('br', 'cc'), ('mim', 'all'))
    """
    criteria, models = ({str(part) for part in parts} for parts in zip(*methods, strict=True))
    if len(models) == 1:
        return tuple(str(criterion) for criterion, _ in methods)
    if len(criteria) == 1:
        return tuple(str(model) for _, model in methods)
    return tuple(f"{criterion} + {model}" for criterion, model in methods)


def _reasons(
    results: Results, metric: str, methods: Sequence[tuple[Any, Any]], names: Sequence[str]
) -> dict[tuple[str, str], tuple[str, str]]:
    """By data set and method what is wrong with the first cell without a value, and why."""
    name_of = {(str(c), str(m)): name for (c, m), name in zip(methods, names, strict=True)}
    reasons: dict[tuple[str, str], tuple[str, str]] = {}
    for record in results.records:
        cell, values = record["cell"], record.get("metrics", {})
        name = name_of.get((cell["criterion"], cell["model"]))
        if name is None or values.get(metric) is not None:
            continue
        if record["status"] != "ok":
            reason = "failed", f" ({record.get('note', '')})"
        else:
            need = METRICS[metric].needs
            given = any(
                values.get(other) is not None for other in METRICS if METRICS[other].needs == need
            )
            kind = "joint probabilities" if need == "joint" else need
            reason = f"has no {metric}" if given else f"gives no {kind}", ""
        reasons.setdefault((cell["data"], name), reason)
    return reasons


def _weights(results: Results, n: str, sizes: Sequence[Size]) -> dict[str, float]:
    """The sizes that make up a value, with their weights; those of ``all`` stand for all sizes."""
    if ALL in sizes:
        return {str(ALL): 1.0}
    if n == AREA:
        return _shares(results)
    names = [str(size) for size in sizes] if n == MEAN else [n]
    return dict.fromkeys(names, 1 / len(names))


def _split_means(summaries: Sequence[Summary], weights: np.ndarray) -> np.ndarray:
    """The mean of each split over the numbers of features; none if a split has no value."""
    if len({len(summary.values) for summary in summaries}) > 1:
        return np.zeros(0)
    means: np.ndarray = weights @ np.array([summary.values for summary in summaries])
    return means


def _plain(values: np.ndarray) -> Any:
    """Nested lists, with None for what is not finite."""
    return [_plain(row) for row in values] if values.ndim else finite(float(values))
