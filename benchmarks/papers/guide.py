"""The table of "choosing a criterion": fifteen ways to select, ten real data sets, one model.

``python -m benchmarks.papers.guide`` runs what is missing in ``--cells`` and writes
``results/guide.tsv`` (each data set) and ``guide.md`` (average ranks). Logistic regression for
each label, 3 stratified folds, 10 and 30 features.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import mlfs
from benchmarks.files import SkipCase, real_file
from benchmarks.selectors import name_of, path_of
from mlfs.compare.contest import MEAN, contests
from mlfs.compare.ranks import nemenyi, ranks
from mlfs.compare.results import Results
from mlfs.compare.running import run
from mlfs.data import Dataset

__all__ = ["Row", "load", "main", "page", "read_rows", "rows_of"]

RESULTS = Path(__file__).with_name("results")
DATA = {
    "flags": "flags/flags.arff",
    "emotions": "emotions/emotions.arff",
    "chd_49": "chd_49/CHD_49.arff",
    "water-quality": "water-quality/Water-quality.arff",
    "yeast": "yeast/yeast.arff",
    "image": "image/Image-train.arff",
    "birds": "birds/birds-train.arff",
    "genbase": "genbase/genbase.arff",
    "medical": "medical/medical.arff",
    "enron": "enron/enron.arff",
}
WAYS = (
    *("all", "mlfs_local", "scls", "cmim", "ami", "mlcfs_global", "jmi", "mrmr", "mlfs_global"),
    *("mdmr", "information-gain-max", "d2f", "mim", "f-mean", "random"),
)
METRICS = {
    "micro_f1": "Micro-F1",
    "macro_f1": "Macro-F1",
    "hamming_loss": "Hamming loss",
    "ranking_loss": "ranking loss",
    "exact_match": "exact match",
}
LOSSES = {"hamming_loss", "ranking_loss"}


class Row(NamedTuple):
    """A metric of one way on one data set: the mean over folds and numbers of features."""

    data: str
    metric: str
    way: str
    mean: float


def main(given: list[str]) -> int:
    """Run what is missing, and write table and page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers.guide", description=__doc__)
    parser.add_argument("--cells", type=Path, default=Path("benchmark-results/guide"))
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    parser.add_argument("-j", "--jobs", type=int, default=1)
    asked = parser.parse_args(given)
    try:
        data = {name: load(name) for name in DATA}
    except SkipCase as why:
        parser.error(str(why))
    results = run(
        data,
        list(map(path_of, WAYS)),
        "br",
        [10, 30],
        folds=3,
        jobs=asked.jobs,
        folder=asked.cells,
        on_cell=lambda done, of, _: print(f"{done}/{of}", flush=True) if done % 50 == 0 else None,
    )
    for record in results.failed():
        print(record["cell"], record["note"], flush=True)
    if results.interrupted or results.failed():
        return 1
    rows = rows_of(results)
    asked.output.mkdir(parents=True, exist_ok=True)
    lines = ["\t".join(Row._fields), *("\t".join([*row[:3], f"{row.mean:.6f}"]) for row in rows)]
    table = asked.output / "guide.tsv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (asked.output / "guide.md").write_text(page(read_rows(table)), encoding="utf-8")
    return 0


def load(name: str) -> Dataset:
    """A data set; genbase without the column that names each protein."""
    data = mlfs.read(real_file(DATA[name]))
    kept = [j for j, column in enumerate(data.columns) if column.name != "protein"]
    return data.reduced(kept) if name == "genbase" else data


def rows_of(results: Results) -> list[Row]:
    """The mean over the numbers of features of each way."""
    return [
        Row(data, contest.metric, name_of(way), float(contest.mean[i, j]))
        for contest in contests(results, list(METRICS))
        if contest.n == MEAN
        for i, data in enumerate(contest.data)
        for j, way in enumerate(contest.methods)
    ]


def read_rows(path: Path) -> list[Row]:
    """The rows that `main` wrote."""
    parts = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return [Row(*one[:3], float(one[3])) for one in parts]


def page(rows: Sequence[Row]) -> str:
    """The average ranks in Markdown, the best way in the mean of all metrics first."""
    ways = list(dict.fromkeys(row.way for row in rows))
    placed = {metric: _average_ranks(rows, metric, ways) for metric in METRICS}
    order = np.argsort(np.mean(list(placed.values()), axis=0), kind="stable")
    lines = [f"| | {' | '.join(METRICS.values())} |", "|---|" + "---|" * len(METRICS)]
    for j in order.tolist():
        title = "`all` (no selection)" if ways[j] == "all" else f"`{ways[j]}`"
        lines.append(f"| {title} | {' | '.join(f'{one[j]:.1f}' for one in placed.values())} |")
    n_data = len({row.data for row in rows})
    gap = nemenyi(len(ways), n_data)
    size = f"{len(ways)} ways on {n_data} data sets"
    lines += ["", f"Nemenyi's critical difference of {size} is {gap:.1f}."]
    return "\n".join(lines) + "\n"


def _average_ranks(rows: Iterable[Row], metric: str, ways: Sequence[str]) -> np.ndarray:
    found = {(row.data, row.way): row.mean for row in rows if row.metric == metric}
    names = list(dict.fromkeys(data for data, _ in found))
    table = np.array([[found[data, way] for way in ways] for data in names])
    means: np.ndarray = ranks(table, higher_is_better=metric not in LOSSES).mean(axis=0)
    return means


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
