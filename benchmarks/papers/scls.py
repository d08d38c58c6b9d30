"""Tables 2 to 4 of the SCLS paper (Lee & Kim) run again by ``mlfs compare``, beside the printed.

``python -m benchmarks.papers.scls`` runs what is missing in ``--cells`` and writes
``results/scls.tsv`` and ``results/scls.md``. The printed numbers are in
``results/scls_published.tsv``.

The protocol is the paper's: 80 % of the rows train, ten times; LAIM; ceil(sqrt(N)) features;
naive Bayes. It is run in two readings. *Ours* is what `mlfs compare` says. *Theirs* is the
reading that gives the printed numbers best: labels without an example among the rows that train
come first in every ranking and are never predicted, and coverage counts ranks from one.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

import mlfs
from benchmarks.files import SkipCase, real_file
from benchmarks.papers.scls_page import METRICS, Row, page, read_rows, write_rows
from benchmarks.selectors import name_of, path_of
from mlfs.compare.naive_bayes import MLNB
from mlfs.compare.running import run
from mlfs.data.dataset import Column, Dataset

__all__ = ["DATA", "TheirBayes", "leaking", "load", "main"]

RESULTS = Path(__file__).with_name("results")
DATA = {
    "bibtex": "bibtex/bibtex.arff",
    "delicious": "delicious/delicious.arff",
    "enron": "enron/enron.arff",
    "genbase": "genbase/genbase.arff",
    "languagelog": "languagelog/langlog.arff",
    "medical": "medical/medical.arff",
    "medical+labels": "medical/medical.arff",
    "yeast": "yeast/yeast.arff",
    "rcv1subset1": "rcv1subset1/rcv1subset1.mat",
    "yahoo-arts": "yahoo-arts/yahoo-arts-raw.arff.xz",
}
FREQUENT = {"yahoo-arts": 1157}  # the paper keeps the words that are in the most documents
CRITERIA = ("scls", "ami", "mdmr", "mlcfs_global", "ppt-relieff", "mim", "mrmr")
READINGS = {
    "ours": ("mlnb", {"kind": "binned"}),
    "theirs": ("benchmarks.papers.scls.TheirBayes", {}),
}


class TheirBayes(MLNB):
    """Naive Bayes in which a label that no row of training has comes first in every ranking.

    Without smoothing of the labels its probability is 0 / 0, and Matlab sorts NaN before all
    numbers; NaN is not greater than 0.5, so that the label is never predicted.

    Parameters
    ----------
    smoothing : float
        The smoothing of the levels.
    """

    def __init__(self, smoothing: float = 1.0) -> None:
        super().__init__("binned", smoothing)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count, and keep which labels are absent."""
        self._absent = ~(np.asarray(y) > 0).any(axis=0)
        super().fit(X, y, sample_weight)
        return self

    def predict_log_odds(self, X: Any) -> np.ndarray:
        """The log odds, which rank; those of absent labels are before all others."""
        return np.where(self._absent, np.finfo(float).max, super().predict_log_odds(X))

    def predict(self, X: Any) -> np.ndarray:
        """The labels that are likelier than not, none of the absent."""
        return np.where(self._absent, 0, super().predict(X))


def load(name: str) -> Dataset:
    """A data set as the paper has it."""
    data = mlfs.read(real_file(DATA[name]))
    if name in FREQUENT:
        shown = np.bincount(sp.csr_array(data.X).indices, minlength=data.shape[1])
        most = np.lexsort((np.arange(shown.size), -shown))[: FREQUENT[name]]
        return data.reduced(sorted(most.tolist()))
    if name == "genbase":  # the name of the protein is no feature: the paper has 1,185
        return data.reduced([j for j, one in enumerate(data.columns) if one.name != "protein"])
    return leaking(data) if name == "medical+labels" else data


def leaking(data: Dataset) -> Dataset:
    """The same with its labels among the features, as the paper's 1,494 of medical must be."""
    Y = np.asarray(data.Y.toarray() if sp.issparse(data.Y) else data.Y, float)
    names = tuple(Column(f"label {one.name}", "nominal", ("0", "1")) for one in data.labels)
    both = sp.csr_array(sp.hstack([sp.csr_array(data.X), sp.csr_array(Y)]))
    return replace(data, X=both, columns=(*data.columns, *names))


def main(given: list[str]) -> int:
    """Run what is missing and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers.scls", description=__doc__)
    parser.add_argument("--data", action="append", choices=list(DATA), help="repeatable")
    parser.add_argument("--cells", type=Path, default=Path("benchmark-results/scls"))
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    asked = parser.parse_args(given)
    asked.output.mkdir(parents=True, exist_ok=True)
    table = asked.output / "scls.tsv"
    for name in asked.data or DATA:
        try:
            rows = measured(name, load(name), asked.cells / name)
        except SkipCase as why:
            print(f"{name}: skipped, {why}", flush=True)
            continue
        known = [row for row in read_rows(table) if row.data != name]
        write_rows(table, sorted([*known, *rows], key=lambda row: list(DATA).index(row.data)))
        for row in rows:
            print(*row[:4], f"{row.mean:.3f}", flush=True)
    text = page(read_rows(table), read_rows(RESULTS / "scls_published.tsv"))
    (asked.output / "scls.md").write_text(text, encoding="utf-8")
    return 0


def measured(name: str, data: Dataset, folder: Path, repeat: int = 10) -> list[Row]:
    """Run a data set, or take its finished cells, in both readings."""
    results = run(
        {name: data},
        list(map(path_of, CRITERIA)),
        list(READINGS.values()),
        "sqrt",
        holdout=0.8,
        repeat=repeat,
        folder=folder,
        bins="laim",
    )
    for record in results.failed():
        print(record["cell"], record["note"], flush=True)
    # counted from one, the last rank of a row is greater by one, where the row has labels
    step = float((np.asarray(_dense(data.Y)) > 0).any(axis=1).mean()) / data.shape[2]
    rows = []
    for metric in METRICS:
        for (_, criterion, model, _), one in results.by_size(metric).items():
            reading = "theirs" if "TheirBayes" in model else "ours"
            more = step if (metric, reading) == ("normalised_coverage", "theirs") else 0.0
            rows.append(Row(name, metric, name_of(criterion), reading, one.mean + more, one.sd))
    return rows


def _dense(labels: Any) -> Any:
    return labels.toarray() if sp.issparse(labels) else labels


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
