"""The results of a comparison: the tidy table, means in a notebook, the quality of each label."""

from __future__ import annotations

import math
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from mlfs.api.text import csv_of
from mlfs.compare.cell_folder import CELLS, SECONDS, unpack
from mlfs.compare.settings import Settings
from mlfs.data.frames import pandas
from mlfs.data.html import details, table, text
from mlfs.errors import DataError, UsageError, check_name, first_of, printable
from mlfs.metrics import METRICS

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "'", "＝", "＋", "－", "＠")
NEEDS = {name: (name,) for name in ("scores", "probabilities", "joint")} | {
    "labels": ("predicted",),
    "propensities": ("scores", "propensities"),
}
# in the table only if they are asked for
SELDOM = {name for name, metric in METRICS.items() if metric.needs == "propensities"}
COSTS = (*SECONDS, "peak_mb")
COLUMNS = (
    *("data", "criterion", "model", "n", "features", "split", "metric", "value"),
    *COSTS,
    *("status", "note"),
)


@dataclass(frozen=True, repr=False)
class Results:
    """The results of a comparison.

    Parameters
    ----------
    settings : Settings
        What was compared.
    records : tuple of dict
        One for each finished cell, in the order of the table.
    metrics : tuple of str
        The metrics that reports show.
    interrupted : bool
        Whether the run was ended before all cells were finished.
    notes : tuple of str
        Notes for the reader.
    folder : path, optional
        The folder in which predictions and the quality of each label are kept.
    own : tuple of str
        The criteria that are compared with a reference; empty if all are compared with all.
    """

    settings: Settings
    records: tuple[dict[str, Any], ...]
    metrics: tuple[str, ...]
    interrupted: bool = False
    notes: tuple[str, ...] = field(default=())
    folder: Path | None = None
    own: tuple[str, ...] = ()

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows of the table."""
        for record in self.records:
            common = {
                **record["cell"],
                "features": record.get("features"),
                **{cost: record.get(cost) for cost in COSTS},
                "status": record["status"],
                "note": record.get("note", ""),
            }
            if record["status"] != "ok":
                yield {**common, "metric": "", "value": None}
            for metric, value in record.get("metrics", {}).items():
                if metric in SELDOM and metric not in self.metrics:
                    continue
                yield {**common, "metric": metric, "value": value}

    def to_csv(self) -> str:
        """The table as CSV; numbers in full, an empty field where there is none.

        A text that a spreadsheet would take for a formula has ``'`` before it.
        """
        rows = ([_field(row[column]) for column in COLUMNS] for row in self.rows())
        return csv_of([COLUMNS, *rows])

    def to_frame(self) -> Any:
        """The table as a frame of pandas."""
        return pandas().DataFrame(list(self.rows()), columns=list(COLUMNS))

    def __repr__(self) -> str:
        total, failed = len(self.settings.cells()), len(self.failed())
        ended = ", interrupted" if self.interrupted else ""
        return f"<Results: {len(self.records)} of {total} cells, {failed} failed{ended}>"

    def _repr_html_(self) -> str:

        return as_html(self)

    def failed(self) -> list[dict[str, Any]]:
        """The records of cells that failed."""
        return [record for record in self.records if record["status"] != "ok"]

    def details(
        self, record: Mapping[str, Any], names: Sequence[str] | None = None
    ) -> dict[str, np.ndarray]:
        """The arrays that are kept beside the record of a cell, by name; empty if none are.

        ``truth``, ``predicted``, ``scores``, ``probabilities`` and ``joint`` of the test rows,
        ``f1``, ``auc``, ``pr_auc`` and ``positives`` of each label, and ``label_names``.

        Parameters
        ----------
        record : mapping
            One of `records`.
        names : sequence of str, optional
            Only these arrays.
        """
        if self.folder is None:
            return {}
        path = self.folder / CELLS / f"{record['key']}.npz"
        try:
            return unpack(path.read_bytes(), names)
        except FileNotFoundError:
            return {}
        except (BadZipFile, EOFError, KeyError, OSError, ValueError, zlib.error):
            msg = f"{printable(path, 400)!r} is damaged: delete it and the .json of that name, and "
            raise DataError(f"{msg}run the comparison again, which computes that cell") from None

    def measured(
        self, metric: Callable[[Any, Any], float], needs: str = "labels"
    ) -> list[tuple[dict[str, Any], float]]:
        """A metric of your own for every cell, from the predictions that were kept.

        Parameters
        ----------
        metric : callable
            ``metric(Y, what it needs)``, as those of `mlfs.compare.METRICS`.
        needs : {"labels", "scores", "propensities", "probabilities", "joint"}
            What its second argument is, as in `mlfs.compare.Metric`. Cells without it are left out.

        Returns
        -------
        list of (cell, value)
        """
        check_name(needs, "kind of prediction", NEEDS)
        values = []
        for record in self.records:
            arrays = self.details(record) if record["status"] == "ok" else {}
            if arrays.keys() >= set(NEEDS[needs]):
                arguments = [arrays[name] for name in NEEDS[needs]]
                value = metric(
                    arrays["truth"], arguments[0] if len(arguments) == 1 else tuple(arguments)
                )
                values.append((dict(record["cell"]), float(value)))
        if not values:
            msg = f"no {needs} were kept: give the comparison a folder, without --no-predictions"
            raise UsageError(msg)
        return values

    def methods(self) -> list[tuple[str, str]]:
        """Criterion and model of each method, in the order in which they were given."""
        return [(str(criterion), str(model)) for criterion, model in self.settings.methods]

    def splits_done(self) -> Counter[tuple[str, str, str, str]]:
        """The number of splits that did not fail, by (data, criterion, model, n)."""
        done = (record["cell"] for record in self.records if record["status"] == "ok")
        return Counter((cell["data"], cell["criterion"], cell["model"], cell["n"]) for cell in done)

    def by_size(self, metric: str) -> dict[tuple[str, str, str, str], Summary]:
        """Mean and spread over the splits, by (data, criterion, model, n)."""
        check_name(metric, "metric", METRICS)
        by_key: dict[tuple[str, str, str, str], list[Mapping[str, Any]]] = {}
        for record in self.records:
            if record["status"] == "ok" and record["metrics"].get(metric) is not None:
                cell = record["cell"]
                key = (cell["data"], cell["criterion"], cell["model"], cell["n"])
                by_key.setdefault(key, []).append(record)
        return {
            key: Summary(
                key[3],
                float(np.mean([record["features"] for record in records])),
                tuple(record["metrics"][metric] for record in records),
            )
            for key, records in by_key.items()
        }

    def curves(self, metric: str, data: str, model: str) -> dict[str, list[Summary]]:
        """By criterion, the summary of the splits at each number of features, ascending."""
        lines: dict[str, list[Summary]] = {str(ranker): [] for ranker in self.settings.rankers}
        for (name, criterion, model_name, _), summary in self.by_size(metric).items():
            if (name, model_name) == (data, model):
                lines[criterion].append(summary)
        return {
            name: sorted(line, key=lambda summary: summary.features)
            for name, line in lines.items()
            if line
        }

    def costs(
        self, metric: str, model: str = ""
    ) -> dict[tuple[str, str, str], tuple[float, float, float]]:
        """Mean seconds, metric and peak of memory in MB of all cells, by (criterion, model, n).

        Parameters
        ----------
        metric : str
            Its name.
        model : str
            Only this one; by default all.
        """
        costs: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
        for record in self.records:
            value, cell = record.get("metrics", {}).get(metric), record["cell"]
            if value is not None and model in {"", cell["model"]}:
                key = (cell["criterion"], cell["model"], cell["n"])
                costs.setdefault(key, []).append((seconds_of(record), value, record["peak_mb"]))
        means = {key: np.mean(values, axis=0).tolist() for key, values in costs.items()}
        return {key: (max(spent, 1e-4), value, mb) for key, (spent, value, mb) in means.items()}


@dataclass(frozen=True)
class Summary:
    """The values of one method on the splits of one data set.

    Parameters
    ----------
    n : str
        The number of features as asked for.
    features : float
        How many there were, in the mean.
    values : tuple of float
        The metric on each split.
    """

    n: str
    features: float
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over the splits."""
        return float(np.mean(self.values))

    @property
    def sd(self) -> float:
        """The standard deviation over the splits, with n - 1; NaN of one."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else float("nan")


def seconds_of(record: Mapping[str, Any]) -> float:
    """The seconds of a cell, with those of preparing the training rows."""
    return sum(record.get(step) or 0.0 for step in SECONDS)


def finite(value: float) -> float | None:
    """A number that JSON can hold; None for NaN and infinity."""
    return float(value) if math.isfinite(value) else None


def _field(value: Any) -> Any:
    if isinstance(value, str):
        return plain_cell(value)
    if value is None or value != value:  # noqa: PLR0124  # a NaN
        return ""
    return repr(value) if isinstance(value, float) else value


def plain_cell(text: str) -> str:
    """A text as a cell that no spreadsheet takes for a formula: with ``'`` before it, if need be.

    This is what OWASP advises. A text that starts with ``'`` gets another one, so that
    `text_of_cell` gives every text back.

    Examples
    --------
    >>> plain_cell("=1+1"), plain_cell("jmi"), text_of_cell(plain_cell("=1+1"))
    ("'=1+1", 'jmi', '=1+1')
    """
    return f"'{text}" if text.startswith(FORMULAS) else text


def text_of_cell(cell: str) -> str:
    """The text of a cell that `plain_cell` made."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULAS) else cell


ROWS = 60
HtmlKey = tuple[str, str, str, str]


def as_html(results: Results) -> str:
    """Show means and standard deviations of the metrics that reports show, by data set."""
    names = [name for name in results.metrics if name in METRICS]
    summaries = {name: results.by_size(name) for name in names}
    keys = list(dict.fromkeys(key for by_key in summaries.values() for key in by_key))
    parts = [f"<p>{text(repr(results), 200)}</p>"]
    rows = [_row(key, summaries, keys) for key in keys[:ROWS]]
    parts.append(table(["data", "criterion", "model", "n", *map(text, names)], rows))
    if len(keys) > ROWS:
        parts.append(f"<p>and {len(keys) - ROWS:,} rows more: to_frame() has all</p>")
    if results.notes:
        notes = "".join(f"<li>{text(note, 400)}</li>" for note in results.notes)
        parts.append(details("notes", f"<ul>{notes}</ul>"))
    return f"<div>{''.join(parts)}</div>"


def _row(
    key: HtmlKey, summaries: dict[str, dict[HtmlKey, Summary]], keys: list[HtmlKey]
) -> list[str]:
    cells = [text(part) for part in key]
    for name, by_key in summaries.items():
        summary = by_key.get(key)
        means = [by_key[other].mean for other in keys if other[0] == key[0] and other in by_key]
        best = max(means) if METRICS[name].higher_is_better else min(means)
        cells.append("" if summary is None else _cell(summary, best=summary.mean == best))
    return cells


def _cell(summary: Summary, *, best: bool) -> str:
    shown = f"{summary.mean:.4f}" + ("" if math.isnan(summary.sd) else f" ± {summary.sd:.4f}")
    return f"<b>{shown}</b>" if best else shown


CsvKey = tuple[str, str, str, str, str]
MOST_ROWS = 60  # rows that are listed for one number


class CsvRows:
    """The rows of results.csv by what they are about; its heading is row 1.

    Parameters
    ----------
    rows : iterable of dict
        Those of the table; of none, nothing is said.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self._rows: dict[CsvKey, list[int]] = {}
        for number, row in enumerate(rows, 2):
            key = (row["metric"], row["data"], row["criterion"], row["model"], row["n"])
            self._rows.setdefault(key, []).append(number)

    def numbers(self, keys: Iterable[CsvKey]) -> str:
        """The numbers of the rows that a mean is made of, as text.

        Parameters
        ----------
        keys : iterable of (metric, data, criterion, model, n)
            What the rows are about.
        """
        rows = sorted(row for key in keys for row in self._rows.get(key, []))
        return first_of(map(str, rows[:MOST_ROWS]), len(rows))


NO_ROWS = CsvRows()
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
    return csv_of([LabelRow._fields, *(map(_field, row) for row in rows)])


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
