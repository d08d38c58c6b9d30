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
    contests = [
        contest for metric in results.metrics if (contest := _widest_contest(metric, compared))
    ]
    lines = [_order_sentence(contest) for contest in contests]
    if not lines:
        return []
    if results.interrupted:
        lines.append("The comparison was interrupted: all of this is about the finished cells.")
    if any(contest.doubt for contest in contests) and contests[0].ranked.size > 1:
        lines.append(_caution(contests[0]))
    lines += dict.fromkeys(line for contest in contests for line in left_out(contest))
    sentences = [
        _fewest_features(results, contests[0].metric, str(model))
        for model in results.settings.models
    ]
    return lines + [line for line in sentences if line]


def _widest_contest(metric: str, compared: Sequence[Contest]) -> Contest | None:
    """The contest of all methods, or of those of the first model, at all numbers of features."""
    candidates = [
        contest for contest in compared if contest.metric == metric and contest.complete.size
    ]
    candidates = [contest for contest in candidates if not contest.model] or candidates
    candidates = [contest for contest in candidates if contest.model == candidates[0].model]
    return next(
        (contest for contest in candidates if contest.n == MEAN),
        candidates[-1] if candidates else None,
    )


def _order_sentence(contest: Contest) -> str:
    """Which method is best, which is last, and whether the difference is significant."""
    means, average, k = contest.means, contest.average_ranks, contest.ranked.size
    order = np.argsort(average, kind="stable").tolist()[:k]  # those without a rank are last
    best = [j for j in order if average[j] == average[order[0]]]
    size_texts = {MEAN: ", mean over all numbers of features", AREA: ", area under the curve"}
    setting = size_texts.get(contest.n, f", n = {contest.n}")
    setting += f", {contest.model}" if contest.model else ""
    direction = "higher" if contest.higher_is_better else "lower"
    head = f"{contest.metric} ({direction} is better{setting}): "

    def describe(j: int) -> str:
        rank = f", average rank {average[j]:.2f}" if contest.complete.size > 1 else ""
        return f"{_method_name(contest.methods[j])} ({means[j]:.3f}{rank})"

    if k == 1:
        return f"{head}{describe(0)}; there is nothing to compare it with."
    if len(best) == k:
        return f"{head}all methods are equal."
    last = f"last is {describe(order[-1])}."
    if len(best) > 1:
        return f"{head}{_join_names([describe(j) for j in best])} share the best rank; {last}"
    second = f", then {describe(order[1])}" if k > 2 else ""
    return f"{head}best is {describe(best[0])}{second}; {last} {_test_sentence(contest, best[0])}"


def _test_sentence(contest: Contest, best: int) -> str:
    test, name = contest.friedman, _method_name(contest.methods[best])
    if test is not None:
        if not test.f_p < 0.05:
            return f"The differences are not significant (Friedman, p = {test.f_p:.2g})."
        peers = {j for group in contest.groups if best in group for j in group} - {best}
        if not peers:
            return f"By Nemenyi's test {name} differs significantly from all others."
        peer_names = _join_names([_method_name(contest.methods[j]) for j in sorted(peers)])
        return f"By Nemenyi's test {name} does not differ significantly from {peer_names}."
    pairs = [pair for pair in contest.pairs_of_splits if best in {pair.first, pair.second}]
    if not pairs:
        return ""
    significant = [pair for pair in pairs if pair.p_holm < 0.05]
    test_of = "on this data set, by the corrected resampled t-test with Holm's correction"
    if len(significant) == len(pairs):
        return f"{name} differs significantly from all others {test_of}."
    if not significant:
        return f"{name} differs significantly from none of them {test_of}."
    others = [pair.second if pair.first == best else pair.first for pair in significant]
    names = _join_names([_method_name(contest.methods[j]) for j in others])
    return f"{name} differs significantly from {names} {test_of}, and from no other."


def _caution(contest: Contest) -> str:
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


def _fewest_features(results: Results, metric: str, model: str) -> str:
    """The fewest features with which a criterion is as good as all features are."""
    table = results.by_size(metric)
    names = [source.name for source in results.settings.sources]

    def mean(criterion: str, n: str) -> float:
        summaries = [table.get((name, criterion, model, n)) for name in names]
        return float(np.mean([summary.mean if summary else math.nan for summary in summaries]))

    rankers = results.settings.rankers
    if "all" not in map(str, rankers) or math.isnan(baseline := mean("all", "all")):
        return ""
    criteria = [str(ranker) for ranker in rankers if ranker.name not in {"all", "own", "random"}]
    sign = 1 if METRICS[metric].higher_is_better else -1
    sizes = list(map(str, results.settings.sizes))
    scores = [(sign * mean(name, n), name, n) for n in sizes for name in criteria]
    scores = [score for score in scores if not math.isnan(score[0])]
    if not scores:
        return ""
    for n in sizes:
        good = [score for score in scores if score[2] == n and score[0] >= sign * baseline]
        if good:
            value, name, _ = max(good)
            verdict = f"{name} gives {sign * value:.3f} at n = {n}"
            break
    else:
        value, name, n = max(scores)
        verdict = f"no criterion reaches this; {name} comes nearest, {sign * value:.3f} at n = {n}"
    where = "mean over the data sets and splits" if len(names) > 1 else "mean over the splits"
    opening = f"With {model}, the {metric} of all features is {baseline:.3f}"
    return f"{opening} ({where}); {verdict}."


def _method_name(method: str) -> str:
    """A method in a sentence, where the baseline `all` could be read as a word."""
    return f"all features{method[3:]}" if method == "all" or method.startswith("all + ") else method


def _join_names(names: Sequence[str]) -> str:
    if len(names) > SHOWN:
        names = [*names[:SHOWN], f"{len(names) - SHOWN} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
