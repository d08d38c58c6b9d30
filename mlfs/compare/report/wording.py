"""The sentences of a report, the same in all files.

What a comparison says, in sentences for the top of its page.

How a report was made: when, by which command, with which versions.
"""

from __future__ import annotations

import math
import platform
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import numpy as np

import mlfs
from mlfs.compare.contest import AREA, MEAN, Contest
from mlfs.compare.data_sources import DataSource
from mlfs.compare.resampling import Folds, GivenSplit, Holdout
from mlfs.compare.results import Results
from mlfs.compare.running import DEFAULT_METRICS
from mlfs.compare.settings import Settings
from mlfs.metrics import METRICS


def caption(contest: Contest) -> str:
    """The subject of a table."""
    direction = "higher is better" if contest.higher_is_better else "lower is better"
    return f"{contest.metric}{_setting(contest)} ({direction})"


def _setting(contest: Contest) -> str:
    """The model or the criterion, where there is one, and the number of features."""
    everything = contest.criterion == "all"
    shared = contest.model or ("all features" if everything else contest.criterion)
    size = {
        MEAN: "mean over all numbers of features",
        AREA: "area under the curve over the shares of the features",
    }.get(contest.n, f"n = {contest.n}")
    return "".join(f", {part}" for part in (shared, "" if everything else size) if part)


def findings(contest: Contest) -> list[str]:
    """The results of the tests, or why nothing is tested."""
    lines = left_out(contest)
    test = contest.friedman
    if test is None:
        if contest.ranked.size < 2:
            return [*lines, f"Not tested: {contest.doubt}."]
        if contest.pairs_of_splits:
            lines.append(
                "The methods are compared on this data set alone, in pairs, by the corrected "
                "resampled t-test."
            )
        return [*lines, f"Not tested over data sets: {contest.doubt}."]
    verdict = "differ" if test.f_p < 0.05 else "do not differ significantly"
    f = "infinite" if math.isinf(test.f) else f"{test.f:.3f}"
    lines.append(
        f"Friedman test over {contest.complete.size} data sets: chi-square = {test.chi2:.3f} "
        f"(p = {test.chi2_p:.2g}), F_F = {f} on ({test.degrees[0]}, {test.degrees[1]}) degrees "
        f"of freedom (p = {test.f_p:.2g}), critical value {test.critical:.3f} at 0.05: the methods "
        f"{verdict}."
    )
    lines.append(
        f"Critical difference of average ranks at 0.05: {contest.nemenyi:.3f} by Nemenyi (all "
        f"pairs), {contest.bonferroni_dunn:.3f} by Bonferroni-Dunn (against one method)."
    )
    if test.f_p < 0.05:
        groups = [", ".join(contest.methods[j] for j in group) for group in contest.groups]
        lines.append(
            "Not told apart by Nemenyi's test: "
            + "; ".join(f"{{{group}}}" for group in groups)
            + "."
            if groups
            else "Nemenyi's test tells all of them apart."
        )
    if contest.doubt_of_pairs:
        lines.append(f"Pairs are {contest.doubt_of_pairs}.")
    return lines


def left_out(contest: Contest) -> list[str]:
    """Which data sets are ranked for no method, and which methods are not ranked, and why."""
    ranked = {contest.methods[j] for j in contest.ranked.tolist()}
    complete = {contest.data[i] for i in contest.complete.tolist()}
    lines: list[str] = []
    lacking: dict[str, list[str]] = {}
    for name, methods in contest.incomplete.items():
        affected = [method for method in methods if method in ranked]
        if name not in complete and affected:
            why = _reason(contest, [(name, method) for method in affected], "there")
            lines.append(f"{name} is ranked for no method: {_joined(affected)} {why}.")
        for method in methods:
            if method not in ranked:
                lacking.setdefault(method, []).append(name)
    for method, data in lacking.items():
        why = _reason(contest, [(name, method) for name in data], f"on {_joined(data)}")
        lines.append(f"{method} is not ranked: it {why}.")
    return lines


def _reason(contest: Contest, cells: Sequence[tuple[str, str]], where: str) -> str:
    """The fault of cells somewhere, with the first reason."""
    reasons = [contest.reasons[cell] for cell in cells if cell in contest.reasons]
    verb, why = reasons[0] if reasons else ("is not finished", "")
    return f"{verb} {where}{why}"


def _data_names(results: Results) -> list[str]:
    """The name of each data set with its size, where it is known."""
    sizes = shapes(results)
    words = []
    for source in results.settings.sources:
        size_text = (
            "{} rows, {} features, {} labels; ".format(*sizes[source.name])
            if source.name in sizes
            else ""
        )
        words.append(f"{source.name} ({size_text}{source.digest[:12]})")
    return words


def setting_rows(results: Results) -> list[tuple[str, str]]:
    """The settings that produced it, a name and a value each."""
    settings = results.settings
    done, failed = len(results.records), len(results.failed())
    total = len(settings.cells())
    rows = [
        ("data", ", ".join(_data_names(results))),
        ("criteria", ", ".join(map(str, settings.rankers))),
        ("models", ", ".join(map(str, settings.models))),
        ("numbers of features", ", ".join(map(str, settings.sizes))),
        ("protocol", str(settings.protocol)),
        ("seed", str(settings.seed)),
        ("cells", f"{done} of {total} done, {failed} of them failed"),
        ("mlfs", str(settings.to_dict()["mlfs"])),
    ]
    options = ", ".join(f"{key} = {value}" for key, value in settings.options.items())
    return [*rows, ("selection", options)] if options else rows


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
    direction = "higher" if contest.higher_is_better else "lower"
    head = f"{contest.metric} ({direction} is better{_setting(contest)}): "

    def describe(j: int) -> str:
        rank = f", average rank {average[j]:.2f}" if contest.complete.size > 1 else ""
        return f"{_method_name(contest.methods[j])} ({means[j]:.3f}{rank})"

    if k == 1:
        return f"{head}{describe(0)}; there is nothing to compare it with."
    if len(best) == k:
        return f"{head}all methods are equal."
    last = f"last is {describe(order[-1])}."
    if len(best) > 1:
        return f"{head}{_joined([describe(j) for j in best])} share the best rank; {last}"
    second = f", then {describe(order[1])}" if k > 2 else ""
    return f"{head}best is {describe(best[0])}{second}; {last} {_test_sentence(contest, best[0])}"


def _test_sentence(contest: Contest, best: int) -> str:
    test, name = contest.friedman, _method_name(contest.methods[best])
    if test is not None:
        if not test.f_p < 0.05:
            return f"The differences are not significant (Friedman, p = {test.f_p:.2g})."
        peers = {j for group in contest.groups if best in group for j in group} | {best}
        worse = [j for j in contest.ranked.tolist() if j not in peers]
        return _differs(contest, name, worse, len(peers) == 1, "by Nemenyi's test")
    pairs = [pair for pair in contest.pairs_of_splits if best in {pair.first, pair.second}]
    if not pairs:
        return ""
    significant = [pair for pair in pairs if pair.p_holm < 0.05]
    test_of = "on this data set, by the corrected resampled t-test with Holm's correction"
    others = [pair.second if pair.first == best else pair.first for pair in significant]
    return _differs(contest, name, others, len(significant) == len(pairs), test_of)


def _differs(contest: Contest, name: str, others: Sequence[int], all_of: bool, test: str) -> str:
    """Whom a method differs from, by a test."""
    if all_of:
        return f"{name} differs significantly from all others {test}."
    if not others:
        return f"{name} differs significantly from none of them {test}."
    names = _joined([_method_name(contest.methods[j]) for j in others])
    return f"{name} differs significantly from {names} {test}, and from no other."


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


def _joined(names: Sequence[str]) -> str:
    """Names in a sentence, the first of many."""
    if len(names) > SHOWN:
        names = [*names[:SHOWN], f"{len(names) - SHOWN} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")
OPTIONS = {"bins": "mean-sd", "n_bins": None, "correction": "auto"}  # those of the command


def provenance(results: Results) -> list[tuple[str, str]]:
    """Date, command and versions, a name and a value each."""
    versions = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    rows = [("report written", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"))]
    command_line = command(results)
    rows += [("command", command_line)] if command_line else []
    return [*rows, ("with", ", ".join(versions))]


def shapes(results: Results) -> dict[str, tuple[int, int, int]]:
    """Rows, features and labels of the data sets of which they were recorded."""
    by_data = {
        record["cell"]["data"]: record["shape"] for record in results.records if record.get("shape")
    }
    return {name: (n, d, q) for name, (n, d, q) in by_data.items()}


def command(results: Results) -> str:
    """The command line that makes the same comparison; empty if no command does.

    Files are named without their folders.
    """
    settings = results.settings
    split = _split(settings)
    objects = any("(" in method.name for method in (*settings.rankers, *settings.models))
    if results.own or split is None or objects or set(settings.options) - set(OPTIONS):
        return ""
    words = ["mlfs", "compare"]
    for flag, values in (("-c", settings.rankers), ("-m", settings.models)):
        words += [word for method in values for word in (flag, str(method))]
    words += ["-n", ",".join(map(str, settings.sizes)), *split]
    if results.metrics != DEFAULT_METRICS:
        words += [word for metric in results.metrics for word in ("--metric", metric)]
    words += ["--seed", str(settings.seed)] if settings.seed else []
    bins, number, correction = ({**OPTIONS, **settings.options}[name] for name in OPTIONS)
    counted = f"{bins}:{number}" if number else bins
    words += ["--bins", counted] if counted != OPTIONS["bins"] else []
    words += ["--correction", correction] if correction != OPTIONS["correction"] else []
    first = settings.sources[0]
    words += ["--labels", first.labels] if first.labels else []
    groups = getattr(settings.protocol, "groups", "")
    words += [
        word for column in first.exclude if column != groups for word in ("--exclude", column)
    ]
    words += ["--keep-identifiers"] if settings.keep_identifiers else []
    words += ["--budget", f"{settings.budget:g}"] if settings.budget else []
    return shlex.join([*words, "-o", "report", *map(_file, settings.sources)])


def _split(settings: Settings) -> list[str] | None:
    """The options of the protocol; None if no option says it."""
    protocol = settings.protocol
    if isinstance(protocol, GivenSplit):
        return ["--split", "given"]
    if isinstance(protocol, Holdout):
        return ["--holdout", f"{protocol.share:g}", "--repeat", str(protocol.repeat)]
    if not isinstance(protocol, Folds):
        return None
    words = ["--folds", str(protocol.k)]
    words += ["--repeat", str(protocol.repeat)] if protocol.repeat > 1 else []
    return [*words, "--groups", protocol.groups] if protocol.groups else words


def _file(source: DataSource) -> str:
    path = Path(source.path)
    ours = Path(mlfs.__file__).parent in path.parents  # which has a name in every command
    return source.name if ours or not path.name else path.name
