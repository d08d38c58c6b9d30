"""The quality of each label: means over the splits, from what is kept beside the cells."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from mlfs.compare.results import Results, plain_cell

MEASURES = ("positives", "f1", "auc", "pr_auc")


class LabelRow(NamedTuple):
    """A label of a data set with one method: means over the splits where it is defined, or NaN."""

    data: str
    criterion: str
    model: str
    n: str
    label: str
    positives: float
    f1: float
    auc: float
    pr_auc: float


def label_rows(results: Results) -> list[LabelRow]:
    """A row for each label and method, in the order of the table; none if nothing was kept."""
    by_key: dict[tuple[str, str, str, str], list[np.ndarray]] = {}
    names: dict[str, list[str]] = {}
    for record in results.records:
        if record["status"] != "ok":
            continue
        arrays = results.details(record, (*MEASURES, "label_names"))
        if arrays:
            cell = record["cell"]
            key = (cell["data"], cell["criterion"], cell["model"], cell["n"])
            by_key.setdefault(key, []).append(
                np.array([arrays[measure] for measure in MEASURES], float)
            )
            names[cell["data"]] = [str(label) for label in arrays["label_names"]]
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the mean of nothing is NaN here
        for key, splits in by_key.items():
            means = np.nanmean(splits, axis=0)
            labels = zip(names[key[0]], means.T.tolist(), strict=True)
            rows += [LabelRow(*key, label, *values) for label, values in labels]
    return rows


def labels_csv(rows: Iterable[LabelRow]) -> str:
    """The rows as CSV; an empty field where a measure is not defined.

    Examples
    --------
    >>> print(labels_csv([LabelRow("x", "mim", "br", "2", "y", 3.0, 0.5, 0.75, float("nan"))]))
    data,criterion,model,n,label,positives,f1,auc,pr_auc
    x,mim,br,2,y,3.0,0.5,0.75,
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(LabelRow._fields)
    for row in rows:
        writer.writerow(
            plain_cell(value) if isinstance(value, str) else "" if np.isnan(value) else repr(value)
            for value in row
        )
    return text.getvalue()


def widest(rows: Sequence[LabelRow], most: int) -> list[tuple[str, list[LabelRow]]]:
    """The labels of which the methods differ most in F1, with a row for each method.

    Parameters
    ----------
    rows : sequence of LabelRow
        Those of one data set, one model and one number of features.
    most : int
        How many labels.
    """
    by_label: dict[str, list[LabelRow]] = {}
    for row in rows:
        by_label.setdefault(row.label, []).append(row)
    spread = {
        label: max(row.f1 for row in label_rows) - min(row.f1 for row in label_rows)
        for label, label_rows in by_label.items()
        if not any(np.isnan(row.f1) for row in label_rows)
    }
    top_labels = sorted(spread, key=lambda label: -spread[label])[:most]
    return [(label, by_label[label]) for label in by_label if label in top_labels]
