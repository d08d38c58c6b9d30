"""The tables of a comparison as Markdown, and the summary for a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.overlap import Overlap
from mlfs.compare.report.wording import caption, cell, described, findings, pair_line, short
from mlfs.compare.results import Results

__all__ = ["markdown", "summary"]


def markdown(results: Results, fought: Sequence[Contest], shared: Sequence[Overlap]) -> str:
    """All tables, a section each."""
    lines = ["# Comparison", ""]
    lines += [f"- {name}: {value}" for name, value in described(results)]
    lines += [f"- note: {note}" for note in results.notes]
    if results.interrupted:
        lines.append("- interrupted: not all cells are done")
    for contest in fought:
        lines += ["", f"## {caption(contest)}", "", *_ranked(contest), ""]
        lines += findings(contest)
        if contest.pairs:
            lines += ["", *_pairs(contest)]
    for overlap in shared:
        lines += ["", f"## Which features are chosen, n = {overlap.n}", "", *_stability(overlap)]
    for record in results.failed():
        if record is results.failed()[0]:
            lines += ["", "## Failed", ""]
        names = ", ".join(f"{key} {value}" for key, value in record["cell"].items())
        lines.append(f"- {_safe(names)}: {_safe(record['note'])}")
    return "\n".join(lines) + "\n"


def _ranked(contest: Contest) -> list[str]:
    rows = []
    best = np.nanmin if not contest.higher_is_better else np.nanmax
    place = {int(row): at for at, row in enumerate(contest.complete)}
    for row, name in enumerate(contest.data):
        cells = []
        known = np.isfinite(contest.mean[row]).any()
        top = best(contest.mean[row]) if known else math.nan
        for column in range(len(contest.methods)):
            text = cell(contest, row, column)
            text = f"**{text}**" if contest.mean[row, column] == top else text
            if row in place:
                text += f" ({contest.ranks[place[row], column]:g})"
            cells.append(text)
        rows.append([name, *cells])
    average = [short(value, 2) for value in contest.average_ranks]
    return _table(["data", *contest.methods], [*rows, ["average rank", *average]])


def _pairs(contest: Contest) -> list[str]:
    head = ["", "against", "wins-ties-losses", "Wilcoxon min(R+, R-)", "p", "p (Holm)"]
    return _table(head, [pair_line(contest, at) for at in range(len(contest.pairs))])


def _stability(overlap: Overlap) -> list[str]:
    rows = [
        [data, criterion, *(short(value) for value in values)]
        for (data, criterion), values in overlap.stability.items()
    ]
    lines = ["Stability over the splits:", ""]
    lines += _table(["data", "criterion", "Nogueira", "Kuncheva", "Jaccard"], rows)
    if len(overlap.criteria) > 1:
        lines += ["", "Shared features, |A and B| / |A or B|:", ""]
        lines += _table(
            ["", *overlap.criteria],
            [
                [name, *(short(value, 2) for value in row)]
                for name, row in zip(overlap.criteria, overlap.shared, strict=True)
            ],
        )
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(_safe(text) for text in line) + " |" for line in lines]


def _safe(text: str) -> str:
    """A name from a file must not end a cell of a table, or become markup."""
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").split())


def summary(results: Results, fought: Sequence[Contest]) -> str:
    """What a terminal shows: for every metric the methods with their means and average ranks."""
    lines = []
    for contest in fought:
        if contest.n != fought[-1].n:
            continue
        if len(results.settings.models) > 1 and contest.model:
            continue
        lines.append(caption(contest))
        order = np.argsort(contest.average_ranks, kind="stable")
        width = max(len(name) for name in contest.methods)
        for j in order.tolist():
            value = np.nanmean(contest.mean[:, j]) if contest.complete.size else math.nan
            rank = short(contest.average_ranks[j], 2)
            lines.append(f"  {contest.methods[j]:<{width}}  {short(value)}  rank {rank}")
        lines.append(f"  {findings(contest)[-1]}")
    return "\n".join(lines) + "\n" if lines else "nothing is done yet\n"
