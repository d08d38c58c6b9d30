"""The tables and sentences of a report, the same in all files."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mlfs.compare.contest import MEAN, Contest
from mlfs.compare.overlap import Overlap
from mlfs.compare.results import Results

__all__ = [
    "PAIRS",
    "SHARED",
    "STABILITY",
    "average_ranks",
    "caption",
    "described",
    "findings",
    "pair_table",
    "rank_table",
    "short",
    "stability_table",
]

PAIRS = ("", "against", "wins-ties-losses", "Wilcoxon min(R+, R-)", "p", "p (Holm)")
STABILITY = ("data", "criterion", "Nogueira", "Kuncheva", "Jaccard")
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
    at = "mean over all numbers of features" if contest.n == MEAN else f"n = {contest.n}"
    of = f", {contest.model}" if contest.model else ""
    return f"{contest.metric}{of}, {at} ({way})"


def findings(contest: Contest) -> list[str]:
    """The results of the tests, or why nothing is tested."""
    left_out = len(contest.data) - int(contest.complete.size)
    lines = []
    if left_out:
        sets = "1 data set lacks" if left_out == 1 else f"{left_out} data sets lack"
        lines.append(f"{sets} a value of some method and is not ranked.")
    test = contest.friedman
    if test is None:
        return [*lines, f"Not tested: {contest.doubt}."]
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
    return lines


def pair_table(contest: Contest) -> list[list[str]]:
    """A row for each pair of methods, under the head `PAIRS`."""
    return [
        [
            contest.methods[pair.first],
            contest.methods[pair.second],
            f"{pair.wins}-{pair.ties}-{pair.losses}",
            f"{pair.statistic:g}",
            f"{pair.p:.3g}",
            f"{pair.p_holm:.3g}",
        ]
        for pair in contest.pairs
    ]


def described(results: Results) -> list[tuple[str, str]]:
    """The settings that produced it, a name and a value each."""
    settings = results.settings
    done, failed = len(results.records), len(results.failed())
    total = len(settings.cells())
    rows = [
        ("data", ", ".join(f"{one.name} ({one.digest[:12]})" for one in settings.sources)),
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
