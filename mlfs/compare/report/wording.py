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
    "described",
    "findings",
    "left_out",
    "pair_head",
    "pair_table",
    "rank_table",
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
    place = {int(row): at for at, row in enumerate(contest.complete)}
    best = np.nanmax if contest.higher_is_better else np.nanmin
    rows = []
    for row, name in enumerate(contest.data):
        means, sds = contest.mean[row], contest.sd[row]
        top = best(means) if np.isfinite(means).any() else math.nan
        ranks = contest.ranks[place[row]] if row in place else [math.nan] * means.size
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
    way = "higher is better" if contest.higher_is_better else "lower is better"
    at = {
        MEAN: "mean over all numbers of features",
        AREA: "area under the curve over the shares of the features",
    }.get(contest.n, f"n = {contest.n}")
    of = f", {contest.model}" if contest.model else ""
    return f"{contest.metric}{of}, {at} ({way})"


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
        together = [", ".join(contest.methods[j] for j in group) for group in contest.groups]
        lines.append(
            "Not told apart by Nemenyi's test: " + "; ".join(f"{{{one}}}" for one in together) + "."
            if together
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
        if name not in complete and (own := [one for one in methods if one in ranked]):
            why = _why(contest, [(name, one) for one in own], "there")
            lines.append(f"{name} is ranked for no method: {_some(own)} {why}.")
        for method in methods:
            if method not in ranked:
                lacking.setdefault(method, []).append(name)
    for method, data in lacking.items():
        why = _why(contest, [(name, method) for name in data], f"on {_some(data)}")
        lines.append(f"{method} is not ranked: it {why}.")
    return lines


def _why(contest: Contest, cells: Sequence[tuple[str, str]], where: str) -> str:
    """Whether cells failed somewhere, with the first reason, or are not finished."""
    known = [contest.reasons[one] for one in cells if one in contest.reasons]
    return f"failed {where} ({known[0]})" if known else f"is not finished {where}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


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
            *(f"{one:.2f}" for one in (pair.p_better, pair.p_equal, pair.p_worse)),
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


def _sized(results: Results) -> list[str]:
    """The name of each data set with its size, where it is known."""
    known = shapes(results)
    words = []
    for one in results.settings.sources:
        size = (
            "{} rows, {} features, {} labels; ".format(*known[one.name])
            if one.name in known
            else ""
        )
        words.append(f"{one.name} ({size}{one.digest[:12]})")
    return words


def described(results: Results) -> list[tuple[str, str]]:
    """The settings that produced it, a name and a value each."""
    settings = results.settings
    done, failed = len(results.records), len(results.failed())
    total = len(settings.cells())
    rows = [
        ("data", ", ".join(_sized(results))),
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
