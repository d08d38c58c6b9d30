"""The tables and sentences of a report, the same in all files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlfs.compare.contest import AREA, MEAN, Contest
from mlfs.compare.overlap import Overlap
from mlfs.compare.report.provenance import shapes
from mlfs.compare.results import Results

__all__ = [
    "SHARED",
    "STABILITY",
    "average_ranks",
    "caption",
    "findings",
    "left_out",
    "pair_head",
    "pair_table",
    "rank_table",
    "setting_rows",
    "short",
    "stability_table",
]

POSTERIOR = ("P(better)", "P(equal)", "P(worse)")
PAIRS = ("", "against", "wins-ties-losses", "Wilcoxon min(R+, R-)", "p", "p (Holm)", *POSTERIOR)
PAIRS_OF_SPLITS = ("", "against", "wins-ties-losses", "t", "p", "p (Holm)", *POSTERIOR)
STABILITY = ("data", "criterion", "Nogueira", "Kuncheva", "Jaccard")
SHOWN = 5  # names in a sentence
SHARED = "Shared features, |A and B| / |A or B|"


def short(value: float, digits: int = 3) -> str:
    """A number as a table shows it.

    Examples
    --------
    >>> short(0.12345), short(float("nan")), short(1234.5)
    ('0.123', '-', '1234.500')
    """
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


class Entry(NamedTuple):
    """An entry of a rank table: mean and spread, rank (may be empty), and whether it is best."""

    text: str
    rank: str
    is_best: bool


def rank_table(contest: Contest) -> list[tuple[str, list[Entry]]]:
    """The name of each data set with an entry for each method."""
    rank_row = {int(row): i for i, row in enumerate(contest.complete)}
    best = np.nanmax if contest.higher_is_better else np.nanmin
    rows = []
    for row, name in enumerate(contest.data):
        means, sds = contest.mean[row], contest.sd[row]
        top = best(means) if np.isfinite(means).any() else math.nan
        ranks = contest.ranks[rank_row[row]] if row in rank_row else [math.nan] * means.size
        entries = [
            Entry(
                short(mean) if math.isnan(sd) else f"{short(mean)} ± {short(sd)}",
                "" if math.isnan(rank) else f"{rank:g}",
                bool(mean == top),
            )
            for mean, sd, rank in zip(means, sds, ranks, strict=True)
        ]
        rows.append((name, entries))
    return rows


def average_ranks(contest: Contest) -> list[str]:
    """The average rank of each method."""
    return [short(value, 2) for value in contest.average_ranks]


def stability_table(overlap: Overlap) -> list[list[str]]:
    """Data set, criterion and the measures of `STABILITY`, a row each."""
    return [
        [data, criterion, *(short(value) for value in values)]
        for (data, criterion), values in overlap.stability.items()
    ]


def caption(contest: Contest) -> str:
    """What a table is about."""
    direction = "higher is better" if contest.higher_is_better else "lower is better"
    size_text = {
        MEAN: "mean over all numbers of features",
        AREA: "area under the curve over the shares of the features",
    }.get(contest.n, f"n = {contest.n}")
    model_text = f", {contest.model}" if contest.model else ""
    return f"{contest.metric}{model_text}, {size_text} ({direction})"


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
        f"of freedom, critical value {test.critical:.3f} at 0.05: the methods {verdict}."
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
            lines.append(f"{name} is ranked for no method: {_join_names(affected)} {why}.")
        for method in methods:
            if method not in ranked:
                lacking.setdefault(method, []).append(name)
    for method, data in lacking.items():
        why = _reason(contest, [(name, method) for name in data], f"on {_join_names(data)}")
        lines.append(f"{method} is not ranked: it {why}.")
    return lines


def _reason(contest: Contest, cells: Sequence[tuple[str, str]], where: str) -> str:
    """Whether cells failed somewhere, with the first reason, or are not finished."""
    reasons = [contest.reasons[cell] for cell in cells if cell in contest.reasons]
    return f"failed {where} ({reasons[0]})" if reasons else f"is not finished {where}"


def _join_names(names: Sequence[str]) -> str:
    n_more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {n_more} more" if n_more > 0 else "")


def pair_table(contest: Contest) -> list[list[str]]:
    """A row for each pair of methods, under the head `PAIRS` or `PAIRS_OF_SPLITS`."""
    return [
        [
            contest.methods[pair.first],
            contest.methods[pair.second],
            f"{pair.wins}-{pair.ties}-{pair.losses}",
            f"{pair.statistic:g}",
            f"{pair.p:.3g}",
            f"{pair.p_holm:.3g}",
            *(f"{share:.2f}" for share in (pair.p_better, pair.p_equal, pair.p_worse)),
        ]
        for pair in contest.pairs or contest.pairs_of_splits
    ]


def pair_head(contest: Contest) -> tuple[tuple[str, ...], str]:
    """The head of the table of pairs, and its title; empty if no pair is tested."""
    if contest.pairs:
        return PAIRS, "Wilcoxon and Bayesian signed-rank tests of all pairs"
    if contest.pairs_of_splits:
        return PAIRS_OF_SPLITS, "Corrected resampled and Bayesian t-tests of all pairs of methods"
    return (), ""


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
