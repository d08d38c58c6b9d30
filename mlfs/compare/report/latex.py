"""The tables of a comparison as LaTeX, with booktabs."""

from __future__ import annotations

from collections.abc import Sequence

from mlfs.compare.contest import Contest
from mlfs.compare.report.tables import Cell, Table, pair_table, rank_table
from mlfs.compare.report.wording import caption, findings
from mlfs.compare.results import Results
from mlfs.errors import printable

LONGEST = 2000
MOST = 60  # rows of a table that a page of paper holds
SPECIAL = str.maketrans(
    {
        **{char: "\\" + char for char in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "±": r"$\pm$",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


def latex(results: Results, compared: Sequence[Contest]) -> str:
    """A table for each metric, number of features and model."""
    version = str(results.settings.to_dict()["mlfs"])
    lines = [f"% made by mlfs {version}; needs \\usepackage{{booktabs}}"]
    for contest in compared:
        title = f"{caption(contest)}."
        lines += _table(rank_table(contest), " ".join([title, *findings(contest)]))
        pairs = pair_table(contest)
        if pairs is not None and len(pairs.rows) > MOST:
            lines += ["", f"% {pairs.title}: {len(pairs.rows)} rows, which are in tables.md"]
        elif pairs is not None:
            lines += _table(pairs, f"{title} {pairs.title}.")
    return "\n".join(lines) + "\n"


def _table(table: Table, sentence: str) -> list[str]:
    """The lines of a table, after an empty one; rows with a bold name are set apart."""
    rows = []
    for row in table.rows:
        rows += [r"\midrule"] if row[0].is_bold else []
        rows.append(" & ".join(map(_cell, row)) + r" \\")
    return [
        "",
        r"\begin{table}",
        rf"\caption{{{_safe(sentence)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"\toprule",
        " & ".join(map(_safe, table.head)) + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _cell(cell: Cell) -> str:
    mean, plus_minus, sd = cell.text.partition(" ± ")
    rank = f" ({cell.rank})" if cell.rank else ""
    if plus_minus:
        return (rf"$\mathbf{{{mean}}}\pm {sd}$" if cell.is_bold else rf"${mean}\pm {sd}$") + rank
    text = "--" if cell.text == "-" else _safe(cell.text)
    return (rf"\textbf{{{text}}}" if cell.is_bold else text) + rank


def _safe(text: str) -> str:
    return printable(text, LONGEST).translate(SPECIAL)
