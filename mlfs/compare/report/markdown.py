"""The tables of a comparison as Markdown, and the summary for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.overlap import Overlap
from mlfs.compare.report.wording import (
    SHARED,
    STABILITY,
    Entry,
    average_ranks,
    caption,
    findings,
    left_out,
    pair_head,
    pair_table,
    rank_table,
    setting_rows,
    short,
    stability_table,
)
from mlfs.compare.results import Results
from mlfs.errors import printable

LONGEST = 2000
# Marks of emphasis may stay as they are; links and images may not.
SPECIAL = str.maketrans(
    {**{char: "\\" + char for char in "\\|[]`"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"}
)


def markdown(results: Results, compared: Sequence[Contest], shared: Sequence[Overlap]) -> str:
    """All tables, a section each."""
    lines = ["# Comparison", ""]
    lines += [f"- {name}: {_safe(value)}" for name, value in setting_rows(results)]
    lines += [f"- note: {_safe(note)}" for note in results.notes]
    if results.interrupted:
        lines.append("- interrupted: not all cells are done")
    for contest in compared:
        lines += ["", f"## {_safe(caption(contest))}", "", *_rank_rows(contest), ""]
        lines += map(_safe, findings(contest))
        head, title = pair_head(contest)
        if head:
            lines += ["", f"{title}:", "", *_table(head, pair_table(contest))]
    for overlap in shared:
        lines += [
            "",
            f"## Which features are chosen, n = {_safe(overlap.n)}",
            "",
            *_stability(overlap),
        ]
    failed = results.failed()
    lines += ["", "## Failed", ""] if failed else []
    for record in failed:
        names = ", ".join(f"{key} {value}" for key, value in record["cell"].items())
        lines.append(f"- {_safe(names)}: {_safe(record['note'])}")
    return "\n".join(lines) + "\n"


def _rank_rows(contest: Contest) -> list[str]:
    rows = [[name, *map(_entry, entries)] for name, entries in rank_table(contest)]
    return _table(["data", *contest.methods], [*rows, ["average rank", *average_ranks(contest)]])


def _entry(entry: Entry) -> str:
    text = f"**{entry.text}**" if entry.is_best else entry.text
    return f"{text} ({entry.rank})" if entry.rank else text


def _stability(overlap: Overlap) -> list[str]:
    lines = ["Stability over the splits:", "", *_table(STABILITY, stability_table(overlap))]
    if len(overlap.criteria) > 1:
        rows = [
            [name, *(short(value, 2) for value in row)]
            for name, row in zip(overlap.criteria, overlap.shared, strict=True)
        ]
        lines += ["", f"{SHARED}:", "", *_table(["", *overlap.criteria], rows)]
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(_safe(text) for text in line) + " |" for line in lines]


def _safe(text: str) -> str:
    """A name from a file must not end a cell of a table or a line, or become markup."""
    return " ".join(printable(text, LONGEST).translate(SPECIAL).split())


def summary(results: Results, compared: Sequence[Contest]) -> str:
    """The summary for a terminal: for every metric the methods with means and average ranks."""
    lines: list[str] = []
    lacking: dict[str, None] = {}
    across_models = any(not contest.model for contest in compared)  # models too, not only criteria
    several = len(results.settings.models) > 1 and across_models
    for contest in compared:
        if contest.n != compared[-1].n or (several and contest.model):
            continue
        lines.append(caption(contest))
        order = np.argsort(contest.average_ranks, kind="stable")
        width = max(len(name) for name in contest.methods)
        ranks = average_ranks(contest)
        for j in order.tolist():
            value = short(contest.means[j])
            lines.append(f"  {contest.methods[j]:<{width}}  {value}  rank {ranks[j]}")
        lines.append(f"  {findings(contest)[-1]}")
        lacking |= dict.fromkeys(left_out(contest))
    lines += lacking
    return "\n".join(lines) + "\n" if lines else "nothing is done yet\n"
