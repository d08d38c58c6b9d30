"""The tables of a comparison as LaTeX, with booktabs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.report.wording import caption, findings, short
from mlfs.compare.results import Results

__all__ = ["latex"]

SPECIAL = str.maketrans(
    {
        **{char: "\\" + char for char in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "±": r"$\pm$",
    }
)


def latex(results: Results, fought: Sequence[Contest]) -> str:
    """A table for each metric, number of features and model."""
    made = str(results.settings.to_dict()["mlfs"])
    lines = [f"% made by mlfs {made}; needs \\usepackage{{booktabs}}"]
    for contest in fought:
        lines += ["", *_table(contest)]
    return "\n".join(lines) + "\n"


def _table(contest: Contest) -> list[str]:
    columns = "l" + "r" * len(contest.methods)
    told = " ".join([caption(contest) + ".", *findings(contest)])
    best = np.nanmax if contest.higher_is_better else np.nanmin
    lines = [
        r"\begin{table}",
        rf"\caption{{{_safe(told)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(["data", *map(_safe, contest.methods)]) + r" \\",
        r"\midrule",
    ]
    for row, name in enumerate(contest.data):
        known = np.isfinite(contest.mean[row]).any()
        top = best(contest.mean[row]) if known else math.nan
        cells = [_cell(contest, row, column, top) for column in range(len(contest.methods))]
        lines.append(" & ".join([_safe(name), *cells]) + r" \\")
    average = [short(value, 2) for value in contest.average_ranks]
    lines += [
        r"\midrule",
        " & ".join(["average rank", *average]) + r" \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return lines


def _cell(contest: Contest, row: int, column: int, top: float) -> str:
    mean, sd = contest.mean[row, column], contest.sd[row, column]
    if math.isnan(mean):
        return "--"
    spread = "" if math.isnan(sd) else rf"\pm {short(sd)}"
    shown = rf"\mathbf{{{short(mean)}}}" if mean == top else short(mean)
    return f"${shown}{spread}$"


def _safe(text: str) -> str:
    return text.translate(SPECIAL)
