"""The page of the results: every number and every sentence is made of the results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.reference.config import entries, protocol
from mlfs.compare.contest import AREA, Contest, contests
from mlfs.compare.overlap import overlaps
from mlfs.compare.pairs import Pair, wilcoxon_all
from mlfs.compare.ranks import underpowered
from mlfs.compare.report.charts import rank_chart
from mlfs.compare.results import Results

__all__ = ["choosing", "diagrams", "page"]

TITLES = {"macro_f1": "Macro-F1", "hamming_loss": "Hamming loss", "ranking_loss": "ranking loss"}
STABLE = "0.1"  # the number of features at which stability is shown
PROBABLE = 0.95
PICTURES = "assets/reference"  # in docs/


def page(results: Results, lacking: Sequence[str]) -> str:
    """The page in Markdown."""
    lines = [*_data(results), ""]
    for model, large, part, failed in _parts(results):
        title = f"### {model}{', the large data sets' * large}"
        lines += [title, "", *_of_model(part, failed), ""]
        for contest in contests(part):
            if contest.n == AREA and not contest.doubt_of_differences:
                about = f"Average ranks in {TITLES[contest.metric]}; a bar connects methods that "
                about += "do not differ significantly"
                lines += [f"![{about}]({PICTURES}/{_picture(model, large, contest.metric)})", ""]
    lines += ["### What is not there", ""]
    lines += [f"- {one}: not finished in the time that there was" for one in lacking]
    lines += [f"- {one}" for one in _failed(results)] or ["- no cell failed"]
    return "\n".join(lines) + "\n"


def choosing(results: Results) -> str:
    """The results that help to choose a criterion, in Markdown."""
    lines = ["| model | data sets | first five | last five | rank of `all`, `random` |"]
    lines.append("|---|---|---|---|---|")
    for model, large, part, _ in _parts(results):
        if large:
            continue
        found = [one for one in contests(part) if one.n == AREA]
        methods = found[0].methods
        ranks = np.mean([one.average_ranks for one in found], axis=0)
        order = [j for j in np.argsort(ranks, kind="stable").tolist() if methods[j] != "all"]
        base = [f"{ranks[methods.index(one)]:.1f}" for one in ("all", "random") if one in methods]
        shown = [_code([methods[j] for j in some]) for some in (order[:5], order[-5:])]
        first = found[0]
        row = (f"`{model}`", first.complete.size, *shown, f"{', '.join(base)} of {len(methods)}")
        lines.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines) + "\n"


def diagrams(results: Results) -> Iterator[tuple[str, str]]:
    """The name and the content of each critical-difference diagram of the page."""
    for model, large, part, _ in _parts(results):
        for contest in contests(part):
            if contest.n == AREA and (chart := rank_chart(contest)):
                yield _picture(model, large, contest.metric), chart + "\n"


def _picture(model: str, large: bool, metric: str) -> str:
    return f"ranks-{model}{'-large' * large}-{metric}.svg"


def _data(results: Results) -> list[str]:
    shapes = {one.name: one.dataset.shape for one in results.settings.sources if one.dataset}
    models: dict[str, list[str]] = {name: [] for name in shapes}
    for record in results.records:
        cell = record["cell"]
        if cell["model"] not in models[cell["data"]]:
            models[cell["data"]].append(cell["model"])
    about = {one.name: one for one in entries()}
    lines = ["| data set | domain | rows | features | labels | splits | models |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name, (n, d, q) in shapes.items():
        one = about[name]
        row = (name, one.domain, n, d, q, f"{one.used} of {protocol()['folds']}",
               ", ".join(models[name]))  # fmt: skip
        lines.append("| " + " | ".join(map(str, row)) + " |")
    cells = len(results.records)
    return [*lines, "", f"{cells:,} cells; the columns that identify rows or labels are left out."]


def _parts(results: Results) -> Iterator[tuple[str, bool, Results, list[str]]]:
    """Model, whether the data sets are large, results, and methods that failed on some of them."""
    named = {one.name for one in entries() if one.large}
    for model in map(str, results.settings.models):
        for large in (False, True):
            part = _part(results, model, named, large)
            if part is not None:
                yield model, large, *part


def _part(
    results: Results, model: str, large: set[str], group: bool
) -> tuple[Results, list[str]] | None:
    """The results of a model on one group of data sets, and the methods that failed on some."""
    records = [
        record
        for record in results.records
        if record["cell"]["model"] == model and (record["cell"]["data"] in large) == group
    ]
    if not records:
        return None
    failed = sorted({r["cell"]["criterion"] for r in records if r["status"] != "ok"})
    there = {record["cell"]["criterion"] for record in records} - set(failed)
    settings = replace(
        results.settings,
        sources=tuple(
            one
            for one in results.settings.sources
            if one.name in {record["cell"]["data"] for record in records}
        ),
        rankers=tuple(one for one in results.settings.rankers if str(one) in there),
        models=tuple(one for one in results.settings.models if str(one) == model),
    )
    kept = tuple(record for record in records if record["cell"]["criterion"] in there)
    return Results(settings, kept, results.metrics), failed


def _of_model(results: Results, failed: Sequence[str]) -> list[str]:
    found = {one.metric: one for one in contests(results) if one.n == AREA}
    methods = found[results.metrics[0]].methods
    ranks = np.array([found[metric].average_ranks for metric in results.metrics])
    order = np.lexsort((np.arange(len(methods)), ranks.mean(axis=0)))
    stability, seconds = _stability(results), _seconds(results)
    heads = [TITLES[metric] for metric in results.metrics]
    lines = [*_said(found, methods, order, failed), ""]
    lines.append(f"| | {' | '.join(heads)} | mean | stability | selection, s |")
    lines.append("|---|" + "---|" * (len(heads) + 3))
    for j in order.tolist():
        name = methods[j]
        shown = [f"{one:.1f}" for one in (*ranks[:, j], ranks[:, j].mean())]
        stable = stability.get(name, math.nan)
        last = ["-" if math.isnan(stable) else f"{stable:.2f}", f"{seconds[name]:.3f}"]
        lines.append(f"| `{name}` | {' | '.join([*shown, *last])} |")
    return lines


def _said(
    found: dict[str, Contest], methods: Sequence[str], order: np.ndarray, failed: Sequence[str]
) -> list[str]:
    """What the results say, in sentences."""
    first = next(iter(found.values()))
    n, k = int(first.complete.size), len(methods)
    data = ", ".join(first.data[i] for i in first.complete.tolist())
    leaders = ", ".join(f"`{methods[j]}`" for j in order[:3].tolist())
    about = f"{k} methods on {n} data sets ({data}); average ranks at the area under the curve "
    about += "from 1 % to 20 % of the features, 1 is best. "
    lines = [f"{about}First in the mean of the three metrics: {leaders}.", ""]
    if failed:
        lines += [f"Over the budget on some data set, and so not ranked: {_code(failed)}.", ""]
    for metric, contest in found.items():
        lines.append(f"- {TITLES[metric]}: {_tests(contest, methods)}")
    return lines


def _tests(contest: Contest, methods: Sequence[str]) -> str:
    test = contest.friedman
    if test is None:
        return f"not tested, {contest.doubt}."
    text = (
        f"Friedman's test, F_F = {test.f:.2f} (p = {test.f_p:.2g}); Nemenyi's critical "
        f"difference is {contest.nemenyi:.1f}."
    )
    if "random" not in methods:
        return text
    pairs = wilcoxon_all(
        contest.mean[contest.complete],
        higher_is_better=contest.higher_is_better,
        against=list(methods).index("random"),
    )
    return f"{text} {_significant(contest, methods, pairs)} {_likely(methods, pairs)}"


def _significant(contest: Contest, methods: Sequence[str], pairs: Sequence[Pair]) -> str:
    doubt = underpowered(int(contest.complete.size), len(pairs))
    if doubt:
        return f"Comparisons with `random` by Wilcoxon and Holm are {doubt}."
    better = [methods[pair.second] for pair in pairs if pair.p_holm < 0.05]
    if better:
        return f"Different from `random` by Wilcoxon with Holm: {_code(better)}."
    least = min(pair.p_holm for pair in pairs)
    return f"No method differs from `random` by Wilcoxon with Holm (least p {least:.2g})."


def _likely(methods: Sequence[str], pairs: Sequence[Pair]) -> str:
    """The methods that are probably better than `random`, or all but those that are not."""
    likely = [methods[pair.second] for pair in pairs if pair.p_worse > PROBABLE]
    others = [methods[pair.second] for pair in pairs if pair.p_worse <= PROBABLE]
    said = f"with a probability above {PROBABLE} (Bayesian signed rank)"
    if not likely:
        return f"None is better than `random` {said}."
    if not others:
        return f"All are better than `random` {said}."
    if len(others) < len(likely):
        return f"Better than `random` {said}: all but {_code(others)}."
    return f"Better than `random` {said}: {_code(likely)}."


def _code(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _stability(results: Results) -> dict[str, float]:
    """Nogueira's measure, the mean over the data sets with two splits or more."""
    values: dict[str, list[float]] = {}
    for overlap in overlaps(results, 0):
        if overlap.n == STABLE:
            for (_, criterion), (nogueira, _, _) in overlap.stability.items():
                if not math.isnan(nogueira):
                    values.setdefault(criterion, []).append(nogueira)
    return {name: float(np.mean(found)) for name, found in values.items()}


def _seconds(results: Results) -> dict[str, float]:
    """The median seconds of a selection, over data sets and splits."""
    found: dict[str, dict[Any, float]] = {}
    for record in results.records:
        cell = record["cell"]
        of = found.setdefault(cell["criterion"], {})
        of[cell["data"], cell["split"]] = record.get("select_seconds") or 0.0
    return {name: float(np.median(list(of.values()))) for name, of in found.items()}


def _failed(results: Results) -> list[str]:
    """The methods that failed, by data set and model, with the first reason."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for record in results.records:
        if record["status"] != "ok" and not record["note"].startswith("left out"):
            cell = record["cell"]
            key = (cell["data"], cell["model"], record["note"].split(":")[0])
            groups.setdefault(key, []).append(cell["criterion"])
    return [
        f"{data} with {model}: {_code(list(dict.fromkeys(names)))}, {why}"
        for (data, model, why), names in groups.items()
    ]
