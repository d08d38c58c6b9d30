"""The tables of a report, the same in all files; page, Markdown and LaTeX only write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.overlap import Overlap
from mlfs.compare.results import CsvRows

WIDE = 8  # methods that stand beside each other; more stand below each other
PAIRS = ("", "against", "wins-ties-losses", "Wilcoxon min(R+, R-)", "p", "p (Holm)")
PAIRS_OF_SPLITS = ("", "against", "wins-ties-losses", "t", "p", "p (Holm)")
POSTERIOR = ("P(better)", "P(equal)", "P(worse)")


class Cell(NamedTuple):
    """A cell: text, rank in brackets, whether it is bold, its rows in a file, its shade."""

    text: str
    rank: str = ""
    is_bold: bool = False
    rows: str = ""
    shade: float = math.nan


@dataclass(frozen=True)
class Table:
    """Rows of cells under a head, which may be empty.

    Parameters
    ----------
    head : sequence of str
        The names of the columns.
    rows : sequence of sequences of Cell
        As many cells as columns each.
    title : str
        What stands above it.
    file : str
        The file that the rows of its cells are in.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    file: str = "results.csv"


def table_of(head: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> Table:
    """A table of plain texts."""
    return Table(head, [list(map(Cell, row)) for row in rows], title)


def short(value: float, digits: int = 3) -> str:
    """A number as a table shows it.

    Examples
    --------
    >>> short(0.12345), short(float("nan")), short(1234.5)
    ('0.123', '-', '1234.500')
    """
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def rank_table(contest: Contest, csv_rows: CsvRows | None = None) -> Table:
    """Means, spreads and ranks; a row for each data set, or for each of many methods."""
    cells = [_entries(contest, row, csv_rows) for row in range(len(contest.data))]
    averages = [Cell(short(value, 2)) for value in contest.average_ranks]
    if len(contest.methods) <= WIDE:
        rows = [[Cell(name), *line] for name, line in zip(contest.data, cells, strict=True)]
        rows.append([Cell("average rank", is_bold=True), *averages])
        return Table(("data", *contest.methods), rows)
    order = np.argsort(contest.average_ranks, kind="stable").tolist()
    rows = [[Cell(contest.methods[j]), averages[j], *(line[j] for line in cells)] for j in order]
    return Table(("method", "average rank", *contest.data), rows)


def _entries(contest: Contest, row: int, csv_rows: CsvRows | None) -> list[Cell]:
    """The cells of a data set, one for each method."""
    means, sds = contest.mean[row], contest.sd[row]
    best = np.nanmax if contest.higher_is_better else np.nanmin
    top = best(means) if np.isfinite(means).any() else math.nan
    place = np.flatnonzero(contest.complete == row)
    ranks = contest.ranks[place[0]] if place.size else [math.nan] * means.size
    numbers = [""] * means.size
    if csv_rows is not None:
        data = contest.data[row]
        numbers = [
            csv_rows.numbers([(contest.metric, data, criterion, model, n) for n in sizes])
            for criterion, model, sizes in contest.parts
        ]
    return [
        Cell(
            short(mean) if math.isnan(sd) else f"{short(mean)} ± {short(sd)}",
            "" if math.isnan(rank) else f"{rank:g}",
            bool(mean == top),
            number,
        )
        for mean, sd, rank, number in zip(means, sds, ranks, numbers, strict=True)
    ]


def pair_table(contest: Contest) -> Table | None:
    """The tests of all pairs; None if no pair is tested."""
    if not (contest.pairs or contest.pairs_of_splits):
        return None
    head, tests = PAIRS, "Wilcoxon and Bayesian signed-rank tests of all pairs"
    if not contest.pairs:
        head = PAIRS_OF_SPLITS
        tests = "Corrected resampled and Bayesian t-tests of all pairs of methods"
    rows = [
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
    return table_of((*head, *POSTERIOR), rows, tests)


def stability_table(overlap: Overlap) -> Table:
    """How alike the selections of the splits are."""
    rows = [
        [data, criterion, *(short(value) for value in values)]
        for (data, criterion), values in overlap.stability.items()
    ]
    head = ("data", "criterion", "Nogueira", "Kuncheva", "Jaccard")
    return table_of(head, rows, "Stability over the splits")


def agreement_table(overlap: Overlap) -> Table | None:
    """Which criteria choose the same features; None of a single one."""
    if len(overlap.criteria) < 2:
        return None
    rows = [
        [Cell(name, is_bold=True), *(Cell(short(value, 2), shade=value) for value in row)]
        for name, row in zip(overlap.criteria, overlap.shared.tolist(), strict=True)
    ]
    return Table(("", *overlap.criteria), rows, "Shared features, |A and B| / |A or B|")
