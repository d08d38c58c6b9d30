"""What a comparison says, in sentences for the top of its page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlfs.compare.contest import AREA, MEAN, Contest
from mlfs.compare.metrics import METRICS
from mlfs.compare.report.wording import left_out
from mlfs.compare.results import Results

__all__ = ["conclusions"]

SHOWN = 5  # names in a sentence


def conclusions(results: Results, compared: Sequence[Contest]) -> list[str]:
    """The sentences; none if nothing is finished."""
    chosen = [found for metric in results.metrics if (found := _widest(metric, compared))]
    lines = [line for contest in chosen for line in [_order(contest)]]
    if not lines:
        return []
    if results.interrupted:
        lines.append("The comparison was interrupted: all of this is about the finished cells.")
    if any(contest.doubt for contest in chosen) and chosen[0].ranked.size > 1:
        lines.append(_untested(chosen[0]))
    lines += dict.fromkeys(line for contest in chosen for line in left_out(contest))
    reached = [_reached(results, chosen[0].metric, str(model)) for model in results.settings.models]
    return lines + [line for line in reached if line]


def _widest(metric: str, compared: Sequence[Contest]) -> Contest | None:
    """The contest of all methods, or of those of the first model, at all numbers of features."""
    mine = [one for one in compared if one.metric == metric and one.complete.size]
    mine = [one for one in mine if not one.model] or mine
    mine = [one for one in mine if one.model == mine[0].model]
    return next((one for one in mine if one.n == MEAN), mine[-1] if mine else None)


def _order(contest: Contest) -> str:
    """Which method is best, which is last, and whether the difference is significant."""
    means, average, k = contest.means, contest.average_ranks, contest.ranked.size
    order = np.argsort(average, kind="stable").tolist()[:k]  # those without a rank are last
    best = [j for j in order if average[j] == average[order[0]]]
    over = {MEAN: ", mean over all numbers of features", AREA: ", area under the curve"}
    at = over.get(contest.n, f", n = {contest.n}") + (f", {contest.model}" if contest.model else "")
    way = "higher" if contest.higher_is_better else "lower"
    head = f"{contest.metric} ({way} is better{at}): "

    def of(j: int) -> str:
        rank = f", average rank {average[j]:.2f}" if contest.complete.size > 1 else ""
        return f"{_named(contest.methods[j])} ({means[j]:.3f}{rank})"

    if k == 1:
        return f"{head}{of(0)}; there is nothing to compare it with."
    if len(best) == k:
        return f"{head}all methods are equal."
    if len(best) > 1:
        return f"{head}{_some([of(j) for j in best])} share the best rank; last is {of(order[-1])}."
    then = f", then {of(order[1])}" if k > 2 else ""
    return (
        f"{head}best is {of(best[0])}{then}; last is {of(order[-1])}. {_tested(contest, best[0])}"
    )


def _tested(contest: Contest, best: int) -> str:
    test, name = contest.friedman, _named(contest.methods[best])
    if test is not None:
        if not test.f_p < 0.05:
            return f"The differences are not significant (Friedman, p = {test.f_p:.2g})."
        with_it = {j for group in contest.groups if best in group for j in group} - {best}
        if not with_it:
            return f"By Nemenyi's test {name} differs significantly from all others."
        near = _some([_named(contest.methods[j]) for j in sorted(with_it)])
        return f"By Nemenyi's test {name} does not differ significantly from {near}."
    pairs = [one for one in contest.pairs_of_splits if best in {one.first, one.second}]
    if not pairs:
        return ""
    apart = [one for one in pairs if one.p_holm < 0.05]
    test_of = "on this data set, by the corrected resampled t-test with Holm's correction"
    if len(apart) == len(pairs):
        return f"{name} differs significantly from all others {test_of}."
    if not apart:
        return f"{name} differs significantly from none of them {test_of}."
    names = _some([_named(contest.methods[one.second if one.first == best else one.first])
                   for one in apart])  # fmt: skip
    return f"{name} differs significantly from {names} {test_of}, and from no other."


def _untested(contest: Contest) -> str:
    n = contest.complete.size
    if n == 1:
        return (
            "This is one data set: the order may be another on the next one. A test over data "
            "sets needs six or more."
        )
    return (
        f"These are {n} data sets, too few for a test over data sets, which needs six: the order "
        "describes these data, and may be chance."
    )


def _reached(results: Results, metric: str, model: str) -> str:
    """The fewest features with which a criterion is as good as all features are."""
    table = results.by_size(metric)
    names = [source.name for source in results.settings.sources]

    def mean(criterion: str, n: str) -> float:
        found = [table.get((name, criterion, model, n)) for name in names]
        return float(np.mean([one.mean if one else math.nan for one in found]))

    rankers = results.settings.rankers
    if "all" not in map(str, rankers) or math.isnan(whole := mean("all", "all")):
        return ""
    sized = [str(one) for one in rankers if one.name not in {"all", "own", "random"}]
    way = 1 if METRICS[metric].higher_is_better else -1
    asked = list(map(str, results.settings.sizes))
    known = [(way * mean(name, n), name, n) for n in asked for name in sized]
    known = [one for one in known if not math.isnan(one[0])]
    if not known:
        return ""
    for n in asked:
        good = [one for one in known if one[2] == n and one[0] >= way * whole]
        if good:
            value, name, _ = max(good)
            said = f"{name} gives {way * value:.3f} at n = {n}"
            break
    else:
        value, name, n = max(known)
        said = f"no criterion reaches this; {name} comes nearest, {way * value:.3f} at n = {n}"
    where = "mean over the data sets and splits" if len(names) > 1 else "mean over the splits"
    whole_is = f"With {model}, the {metric} of all features is {whole:.3f}"
    return f"{whole_is} ({where}); {said}."


def _named(method: str) -> str:
    """A method in a sentence, where the baseline `all` could be read as a word."""
    return f"all features{method[3:]}" if method == "all" or method.startswith("all + ") else method


def _some(names: Sequence[str]) -> str:
    if len(names) > SHOWN:
        names = [*names[:SHOWN], f"{len(names) - SHOWN} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
