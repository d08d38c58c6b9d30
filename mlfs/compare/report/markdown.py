"""The tables of a comparison as Markdown, and the summary for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.overlap import Overlap
from mlfs.compare.report.tables import (
    Cell,
    Table,
    agreement_table,
    pair_table,
    rank_table,
    short,
    stability_table,
)
from mlfs.compare.report.wording import caption, findings, left_out, setting_rows
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
        lines += ["", f"## {_safe(caption(contest))}", *_table(rank_table(contest)), ""]
        lines += map(_safe, findings(contest))
        lines += _table(pair_table(contest))
    for overlap in shared:
        lines += ["", f"## Which features are chosen, n = {_safe(overlap.n)}"]
        lines += _table(stability_table(overlap)) + _table(agreement_table(overlap))
    failed = results.failed()
    lines += ["", "## Failed", ""] if failed else []
    for record in failed:
        names = ", ".join(f"{key} {value}" for key, value in record["cell"].items())
        lines.append(f"- {_safe(names)}: {_safe(record['note'])}")
    return "\n".join(lines) + "\n"


def _table(table: Table | None) -> list[str]:
    """The lines of a table, after an empty one; none of no table."""
    if table is None:
        return []
    lines = ["", f"{table.title}:", ""] if table.title else [""]
    rows = [map(_safe, table.head), ["---"] * len(table.head)]
    rows += [map(_cell, row) for row in table.rows]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def _cell(cell: Cell) -> str:
    text = _safe(cell.text)
    text = f"**{text}**" if cell.is_bold else text
    return f"{text} ({cell.rank})" if cell.rank else text


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
        ranks = [short(value, 2) for value in contest.average_ranks]
        for j in order.tolist():
            value = short(contest.means[j])
            lines.append(f"  {contest.methods[j]:<{width}}  {value}  rank {ranks[j]}")
        lines.append(f"  {findings(contest)[-1]}")
        lacking |= dict.fromkeys(left_out(contest))
    lines += lacking
    return "\n".join(lines) + "\n" if lines else "nothing is done yet\n"
