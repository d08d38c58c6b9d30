"""The page of the SCLS paper's tables: ours beside the printed, with ranks and tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mlfs.compare.ranks import bonferroni_dunn, friedman, ranks

__all__ = ["METHODS", "METRICS", "Row", "page", "read_rows", "write_rows"]

METHODS = {
    "scls": "SCLS",
    "ami": "AMI",
    "mdmr": "MDMR",
    "mlcfs_global": "MLCFS",
    "ppt-relieff": "PPT+RF",
}
METRICS = {
    "hamming_loss": "Hamming loss (table 2)",
    "ranking_loss": "Ranking loss (table 3)",
    "normalised_coverage": "Normalised coverage (table 4)",
}
LEAK = "medical+labels"
# what the printed columns turn out to be: our criterion, and the data where medical's differ
FOUND = {
    "SCLS": "mrmr",
    "AMI": "mim",
    "MDMR": "mdmr",
    "MLCFS": "mlcfs_global",
    "PPT+RF": "ppt-relieff",
}


class Row(NamedTuple):
    """One number: ours by criterion and reading, theirs by method."""

    data: str
    metric: str
    method: str
    reading: str
    mean: float
    sd: float


def read_rows(path: Path) -> list[Row]:
    """The rows of a table that `write_rows` wrote; none if there is no file."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    parts = [line.split("\t") for line in lines]
    return [Row(*part[:4], float(part[4]), float(part[5])) for part in parts]


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write the table at once."""
    text = ["\t".join(Row._fields)]
    text += ["\t".join([*row[:4], f"{row.mean:.5f}", f"{row.sd:.5f}"]) for row in rows]
    scratch = path.with_suffix(".part")
    scratch.write_text("\n".join(text) + "\n", encoding="utf-8")
    scratch.replace(path)


def page(ours: Sequence[Row], printed: Sequence[Row]) -> str:
    """The tables in Markdown: what anybody gets, then what the printed columns turn out to be."""
    mine = {(row.data, row.metric, row.method, row.reading): row.mean for row in ours}
    theirs = {(row.data, row.metric, row.method): row.mean for row in printed}
    names = [name for name in dict.fromkeys(row.data for row in ours) if name != LEAK]
    lines: list[str] = []
    for metric, title in METRICS.items():
        lines += [f"#### {title}", "", "Printed / ours.", ""]
        lines += _head(METHODS.values())
        old = _table(theirs, names, metric, METHODS.values())
        new = _table(mine, names, metric, METHODS, "ours")
        lines += _body(names, old, new)
        lines += ["", *_tested("printed", old), *_tested("ours", new), ""]
    lines += ["### What the printed columns turn out to be", ""]
    shown = [f"{name} as {FOUND[name]}" for name in FOUND]
    for metric, title in METRICS.items():
        lines += [f"#### {title}, in the paper's reading", "", "Printed / ours.", ""]
        lines += _head(shown)
        old = _table(theirs, names, metric, FOUND)
        source = [LEAK if name == "medical" else name for name in names]
        new = _table(mine, source, metric, FOUND.values(), "theirs")
        lines += _body(source, old, new)
        formula = _table(mine, source, metric, METHODS, "theirs")
        lines += ["", _distance(old, new, formula), ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(
    cells: dict[tuple[str, ...], float],
    names: Sequence[str],
    metric: str,
    methods: Iterable[str],
    *reading: str,
) -> np.ndarray:
    chosen = list(methods)
    return np.array(
        [[cells.get((name, metric, one, *reading), np.nan) for one in chosen] for name in names]
    )


def _head(columns: Iterable[str]) -> list[str]:
    shown = list(columns)
    return [f"| data | {' | '.join(shown)} |", "|---|" + "---|" * len(shown)]


def _body(names: Sequence[str], old: np.ndarray, new: np.ndarray) -> list[str]:
    lines = []
    for name, theirs, ours in zip(names, old, new, strict=True):
        cells = [f"{a:.3f} / {b:.3f}" for a, b in zip(theirs, ours, strict=True)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    averages = zip(_ranks(old), _ranks(new), strict=True)
    cells = [f"**{a:.2f} / {b:.2f}**" for a, b in averages]
    return [*lines, f"| **average rank** | {' | '.join(cells)} |"]


def _ranks(table: np.ndarray) -> np.ndarray:
    means: np.ndarray = ranks(_whole(table), higher_is_better=False).mean(axis=0)
    return means


def _whole(table: np.ndarray) -> np.ndarray:
    return table[np.isfinite(table).all(axis=1)]


def _tested(what: str, table: np.ndarray) -> list[str]:
    whole = _whole(table)
    test = friedman(whole, higher_is_better=False)
    n, k = whole.shape
    order = np.argsort(_ranks(table), kind="stable")
    best = _ranks(table)[order[0]]
    gap = bonferroni_dunn(k, n)
    names = list(METHODS.values())
    worse = [names[j] for j in order if _ranks(table)[j] - best > gap]
    verdict = f"worse than {names[order[0]]}: {', '.join(worse)}" if worse else "nothing is apart"
    return [
        f"- {what}: {' < '.join(names[j] for j in order)}",
        f"    - Friedman F = {test.f:.1f} (critical {test.critical:.2f}, p = {test.f_p:.2g})",
        f"    - Bonferroni-Dunn CD = {gap:.2f} on {n} data sets: {verdict}",
    ]


def _distance(old: np.ndarray, new: np.ndarray, formula: np.ndarray) -> str:
    def off(table: np.ndarray, columns: list[int]) -> str:
        gaps = np.abs(np.log(table[:, columns] / old[:, columns]))
        return f"{np.exp(np.nanmedian(gaps)) - 1:.0%}"

    return (
        f"The median distance of a cell from the printed: SCLS {off(new, [0])} as mrmr, "
        f"{off(formula, [0])} by the formula; AMI {off(new, [1])} as mim, {off(formula, [1])} by "
        f"the formula; MDMR {off(new, [2])}, MLCFS {off(new, [3])}, PPT+RF {off(new, [4])}."
    )
