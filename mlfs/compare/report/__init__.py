"""The report of a comparison: a folder with tables to read on and a page to look at.

├── results.csv    one row for each data set, criterion, model, n, split and metric
├── labels.csv     the quality of each label, means over the splits
├── results.json   the same with settings, statistics and stability (schema versioned)
├── tables.md      rank tables and tests, for a readme
├── tables.tex     the same, for a paper
├── figures/       the figures of the page as SVG, a file each
├── explorer-*.html  a page for each data set on which selections can be tried out
└── index.html     curves, diagrams and tables on one page that needs no network

The files: `page`, `tables` (Markdown and LaTeX), `charts` (what figures show, drawn by `svg`).
The pages of data sets: `explorers`. What the page says in sentences: `wording`.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from mlfs.compare.cell_folder import FIGURES
from mlfs.compare.contest import contests
from mlfs.compare.overlap import overlaps
from mlfs.compare.report.charts import figures
from mlfs.compare.report.explorers import explorers
from mlfs.compare.report.page import page
from mlfs.compare.report.tables import PARTS, latex, markdown, summary
from mlfs.compare.results import Results, label_rows, labels_csv
from mlfs.compare.settings import SCHEMA
from mlfs.data.whole_files import replacing
from mlfs.errors import UsageError, printable

__all__ = ["write_report"]


def write_report(results: Results, folder: Path, *, tables: Collection[str] = PARTS) -> str:
    """Write all files, each whole or not at all, and give a summary for the terminal.

    Parameters
    ----------
    results : Results
        A comparison; an interrupted one too.
    folder : path
        Where the files go.
    tables : collection of str
        What the cells of `tables.md` and `tables.tex` show: some of mean, sd and rank.
    """
    check_parts(tables)
    compared = contests(results)
    shared = overlaps(results)
    labels = label_rows(results)
    document = {
        "schema": SCHEMA,
        "settings": results.settings.to_dict(),
        "interrupted": results.interrupted,
        "metrics": list(results.metrics),
        "own": list(results.own),
        "notes": list(results.notes),
        "contests": [contest.to_dict() for contest in compared],
        "overlaps": [overlap.to_dict() for overlap in shared],
        "records": list(results.records),
    }
    explored = explorers(results)
    links = {data: name for data, (name, _) in explored.items()}
    (folder / FIGURES).mkdir(parents=True, exist_ok=True)
    written = (
        ("results.csv", results.to_csv()),
        *([("labels.csv", labels_csv(labels))] if labels else []),
        ("results.json", json.dumps(document, indent=1, allow_nan=False) + "\n"),
        ("tables.md", markdown(results, compared, shared, tables)),
        ("tables.tex", latex(results, compared, tables)),
        *((f"{FIGURES}/{name}", chart) for name, chart in figures(results, compared)),
        *explored.values(),
        ("index.html", page(results, compared, shared, labels, links)),
    )
    for name, content in written:
        with replacing(str(folder / name), force=True) as stream:
            # the name of a file need not be UTF-8
            stream.write(content.encode(errors="backslashreplace"))
    return summary(results, compared)


def check_parts(tables: Collection[str]) -> None:
    """Refuse parts of cells that are none, or spreads alone."""
    unknown = sorted({*tables} - {*PARTS})
    if unknown or {*tables} <= {"sd"}:
        msg = f"is some of mean, sd and rank, and not sd alone, not {printable(','.join(tables))!r}"
        raise UsageError(msg, option="tables")
