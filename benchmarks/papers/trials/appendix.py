"""Write docs/published-trials.md: `appendix.md` with the tables of the trials in it."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

from benchmarks.papers.published import printed
from benchmarks.papers.reasons import entries
from benchmarks.papers.run import stored
from benchmarks.papers.trials.studies import STUDIES
from benchmarks.papers.trials.study import Study

__all__ = ["PAGE", "appendix", "table"]

PAGE = Path(__file__).resolve().parents[3] / "docs" / "published-trials.md"
TEXT = Path(__file__).with_name("appendix.md")
TABLES = {
    "occ": "Sun & Kudo (oCC)",
    "pacc": "Sun, Kudo & Kimura (PACC)",
    "mixture": "Hong, Batal & Hauskrecht (MC)",
    "pcc": "Dembczynski, Waegeman & Huellermeier (PCC)",
    "scls": "Lee & Kim (SCLS), tables 2 to 4",
}
NAMES = {
    "exact_match": "exact match",
    "subset_loss": "subset 0/1 loss",
    "hamming_score": "Hamming score",
    "hamming_loss": "Hamming loss",
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "micro_f1": "micro-F1",
    "cll_loss": "CLL-loss",
}


def appendix() -> str:
    """The whole page."""
    text = TEXT.read_text(encoding="utf-8").replace("<!-- not run -->", _not_run())
    return re.sub(r"<!-- table: (\S+) (\S+) -->", lambda found: table(*found.groups()), text)


def _not_run() -> str:
    """The cells of the tables that were not run, and why."""
    lines = ["| tables of | data | method | not run, because |", "|---|---|---|---|"]
    for one in entries("not_run"):
        method = "all" if one["method"] == "*" else one["method"].replace("|", ", ")
        data = one["data"].replace("|", ", ")
        lines.append(f"| {TABLES[one['paper']]} | {data} | {method} | {one['why']} |")
    return "\n".join(lines)


def table(name: str, data: str) -> str:
    """The readings of one study on one data set, the published values above them.

    Parameters
    ----------
    name : str
        The study, as the command calls it.
    data : str
        The data set.
    """
    study = STUDIES[name]
    heads = " | ".join(NAMES[metric] for metric in study.metrics)
    lines = [
        f"| {data}: {study.title} | folds | {heads} |",
        f"|---|---:|{'---:|' * len(study.metrics)}",
        *_published(study, data),
    ]
    cells = stored(study.name)["cells"]
    for reading in study.recipes:
        folds = cells.get(f"{data}/{reading}", {"folds": []})["folds"]
        if folds:
            means = (statistics.fmean(fold[metric] for fold in folds) for metric in study.metrics)
            values = " | ".join(
                _digits(metric, mean) for metric, mean in zip(study.metrics, means, strict=True)
            )
            lines.append(f"| {reading} | {len(folds)} | {values} |")
    return "\n".join(lines)


def _published(study: Study, data: str) -> list[str]:
    found = {
        cell.metric: cell
        for cell in printed(study.number)
        if (cell.data, cell.method) == (data, study.method)
    }
    if not found:
        return []
    values = []
    for metric in study.metrics:
        cell = found.get(metric)
        spread = f" ± {_digits(metric, cell.spread)}" if cell and cell.spread else ""
        values.append(f"{_digits(metric, cell.mean)}{spread}" if cell else "–")
    return [f"| *published* | | {' | '.join(values)} |"]


def _digits(metric: str, value: float) -> str:
    return f"{value:.1f}" if metric == "cll_loss" else f"{value:.3f}"
