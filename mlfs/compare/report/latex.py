"""The tables of a comparison as LaTeX, with booktabs."""

from __future__ import annotations

from collections.abc import Sequence

from mlfs.compare.contest import Contest
from mlfs.compare.report.wording import (
    Entry,
    average_ranks,
    caption,
    findings,
    pair_head,
    pair_table,
    rank_table,
)
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
        lines += ["", *_table(contest)]
    return "\n".join(lines) + "\n"


def _table(contest: Contest) -> list[str]:
    columns = "l" + "r" * len(contest.methods)
    sentence = " ".join([caption(contest) + ".", *findings(contest)])
    lines = [
        r"\begin{table}",
        rf"\caption{{{_safe(sentence)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(["data", *map(_safe, contest.methods)]) + r" \\",
        r"\midrule",
    ]
    for name, entries in rank_table(contest):
        lines.append(" & ".join([_safe(name), *map(_entry, entries)]) + r" \\")
    lines += [
        r"\midrule",
        " & ".join(["average rank", *average_ranks(contest)]) + r" \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return [*lines, *_pairs(contest)]


def _pairs(contest: Contest) -> list[str]:
    """The tests of pairs as a table; none if nothing is tested."""
    head, title = pair_head(contest)
    if not head:
        return []
    rows = pair_table(contest)
    if len(rows) > MOST:
        return ["", f"% {title}: {len(rows)} rows, which are in tables.md"]
    body = [" & ".join(map(_safe, row)) + r" \\" for row in rows]
    return [
        "",
        r"\begin{table}",
        rf"\caption{{{_safe(f'{caption(contest)}. {title}.')}}}",
        rf"\begin{{tabular}}{{ll{'r' * (len(head) - 2)}}}",
        r"\toprule",
        " & ".join(map(_safe, head)) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _entry(entry: Entry) -> str:
    mean, plus_minus, sd = entry.text.partition(" ± ")
    if mean == "-":
        return "--"
    shown = rf"\mathbf{{{mean}}}" if entry.is_best else mean
    rank = f" ({entry.rank})" if entry.rank else ""
    return (rf"${shown}\pm {sd}$" if plus_minus else f"${shown}$") + rank


def _safe(text: str) -> str:
    return printable(text, LONGEST).translate(SPECIAL)
