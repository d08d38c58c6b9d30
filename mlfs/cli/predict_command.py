"""`mlfs predict` and `mlfs evaluate`: a model file opened, and data that fit it.

`predict` writes the labels of new rows as CSV; `evaluate` every metric on rows whose labels are
known.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mlfs.cli.console import Console, check_place, deliver, pass_console
from mlfs.cli.help import Command
from mlfs.cli.shared_options import form_of, input_data, reading_known, talking, written
from mlfs.errors import DataError, MlfsError, UsageError, plural, printable

if TYPE_CHECKING:
    import numpy as np


T = TypeVar("T")
unseen_values = click.option("--unseen", type=click.Choice(["error", "missing"]), default="error",
    show_default=True,
    help="A nominal value that training did not have is refused, or taken as missing.",
)  # fmt: skip


def opened(path: str) -> Any:
    """The contents of a model file."""
    from mlfs.models.model_files import load_stored

    if path == "-":
        raise UsageError("a model is not read from stdin: name its file")
    return load_stored(path)


def data_of(data: str, options: dict[str, Any], **columns: Any) -> Any:
    """Read the data set of the options; an error about labels names no option of `select`."""
    from mlfs.data.labels.label_values import REMEDIES

    try:
        return input_data(data, options, **columns)
    except DataError as error:
        if error.remedy not in REMEDIES:
            raise
        remedy = "a model learns labels that are there or not; choose other columns with --labels"
        raise error.advising(remedy) from None


def rows_of(
    console: Console, stored: Any, data: str, options: dict[str, Any], *, classes: bool = False
) -> tuple[Any, Any]:
    """A data set, and its rows as the model wants them; with `classes`, labels do not matter."""
    unseen, table = options.pop("unseen"), stored.table
    needed = [field.name for field in table.fields]
    dataset = data_of(data, {**options, "classes": classes}, known=table.labels, needed=needed)
    X, notes = table.matrix(dataset, unseen)
    console.note(*notes)
    return dataset, X


def _refuse_other_formats(output: str) -> None:
    """Refuse a name that says another format than CSV."""
    from mlfs.data.files import split_suffix
    from mlfs.formats import FORMATS

    suffix = split_suffix(output)[1]
    others = {one for form in FORMATS.values() for one in form.suffixes} | {".json"}
    if suffix in others - {*FORMATS["csv"].suffixes}:
        msg = f"predictions are written as CSV, and {printable(output, 400)!r} ends in {suffix}: "
        raise UsageError(f"{msg}give a name such as predicted.csv")


def answer(
    console: Console, path: str, ask: Callable[[], T], shape: tuple[int, ...] | None = None
) -> T:
    """Call a stored model; raise a one-line error if it fails."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")  # we matched
            answers = ask()
        answer_shape = getattr(answers, "shape", None)
        if shape is not None and answer_shape != shape:
            raise ValueError(f"an answer of shape {answer_shape}")
    except (MlfsError, MemoryError, OSError):
        raise
    except Exception as error:
        if console.debug:
            raise
        shown = f"{type(error).__name__}: {printable(error, 200)}"
        why = "it was stored by another version of scikit-learn, or is not what mlfs train wrote"
        if isinstance(error, (ValueError, IndexError)):
            why = f"its base learner, with its parameters, cannot take these rows; or {why}"
        raise DataError(
            f"the model of {printable(path, 400)!r} cannot answer ({shown}): {why}"
        ) from None
    return answers


@click.command(
    cls=Command,
    short_help="predict the labels of new rows, as CSV",
    examples=[
        ("mlfs predict model.mlfs new.csv", "0 and 1 for each label, a line for each row"),
        ("mlfs predict --proba -o p.csv model.mlfs new.arff", "probabilities, into a file"),
        ("zcat new.csv.gz | mlfs predict model.mlfs -", "in a pipe"),
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@click.option(
    "--proba",
    is_flag=True,
    help="Write the marginal probability of each label.",
)
@written("Output file; by default stdout.", default="-")
@unseen_values
@reading_known
@talking
@pass_console
def predict(
    console: Console,
    /,
    model: str,
    data: str,
    proba: bool,
    output: str,
    force: bool,
    **options: Any,
) -> None:
    """Predict the labels of rows with a model that `mlfs train` wrote.

    Columns are matched by name, in any order. The data need not contain labels; if they do, the
    labels are ignored.
    """
    from mlfs.api.text import csv_of
    from mlfs.models.label_model import probabilistic

    check_place(output, data, force=force)
    check_place(output, model, force=force)
    _refuse_other_formats(output)
    stored = opened(model)
    if proba and not hasattr(stored.model, "predict_proba"):
        if probabilistic(stored.model):  # it is the model itself
            msg = "a model of this kind gives no probabilities: leave --proba out, or train another"
            raise DataError(f"{msg}, such as --model br")
        raise DataError(
            "this model's base learner gives no probabilities: train it with one that does, such "
            "as --learner logistic"
        )
    _, X = rows_of(console, stored, data, options, classes=True)
    of_columns, labels = _of_columns(stored.model), stored.table.labels
    ask = partial(of_columns.predict_proba if proba else of_columns.predict, X)
    answers = answer(console, model, ask, (X.shape[0], len(labels)))
    lines = map(_line, answers.astype(float if proba else int).tolist())
    deliver(console, csv_of([labels]) + "".join(lines), output, force=force)


def _line(row: list[float]) -> str:
    """A line of CSV, numbers as short as read back equal."""
    return ",".join(map(repr, row)) + "\n"


def _of_columns(model: Any) -> Any:
    """The model with a column for its label, where it was trained on a target of one dimension."""
    model = copy.copy(model)
    model._labels = replace(model._labels, target=None)  # noqa: SLF001
    return model


PATTERN = "*?[,:@"


@click.command(
    cls=Command,
    short_help="compute the metrics of a model on labelled rows",
    examples=[
        ("mlfs evaluate model.mlfs test.arff", "a table of all metrics"),
        ("mlfs evaluate --format json model.mlfs test.csv", "the same for a script"),
        ("mlfs evaluate --per-label model.mlfs test.csv", "each label too"),
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@form_of("figures")
@click.option("--per-label", is_flag=True, help="Also F1 and AUC of each label.")
@click.option(
    "--propensities",
    metavar="FILE",
    help="The rows that the model was trained on: also propensity-scored metrics, in which rare "
    "labels count more.",
)
@unseen_values
@reading_known
@talking
@pass_console
def evaluate(
    console: Console,
    /,
    model: str,
    data: str,
    form: str,
    per_label: bool,
    propensities: str | None,
    **options: Any,
) -> None:
    """Compare the predictions of a model with the labels of the data.

    The labels are the columns of the model's label names, unless --labels says otherwise. Use
    rows that the model was not trained on.
    """
    from mlfs.api.text import json_text

    stored = opened(model)
    spec = options.get("labels")
    shares = None
    if propensities is not None:
        from mlfs.metrics.top import propensities as shares_of

        reading = {name: value for name, value in options.items() if name != "unseen"}
        rows = data_of(propensities, {**reading, "classes": False}, known=stored.table.labels)
        shares = shares_of(stored.table.truth(rows, absent_is_no=_lists(spec, rows))[0])
    dataset, X = rows_of(console, stored, data, options)
    Y, notes = stored.table.truth(dataset, absent_is_no=_lists(spec, dataset))
    console.note(*notes)
    document = _measured(console, model, stored, X, Y, shares, per_label=per_label)
    console.note(*document["notes"])
    console.data(json_text(document) if form == "json" else _table(document))


def _lists(spec: str | None, dataset: Any) -> bool:
    """Whether the labels are named by a column of lists."""
    return spec is not None and not set(spec) & set(PATTERN) and spec not in dataset.label_names


def _measured(
    console: Any,
    path: str,
    stored: Any,
    X: Any,
    Y: np.ndarray,
    rare: np.ndarray | None,
    *,
    per_label: bool,
) -> dict[str, Any]:
    import numpy as np

    from mlfs.metrics import METRICS, label_auc, label_f1, tally
    from mlfs.metrics import evaluate as measure

    model, shape = _of_columns(stored.model), Y.shape
    notes: list[str] = []
    predicted = answer(console, path, lambda: model.predict(X), shape)
    scores, by = _scores(console, path, model, X, shape)
    joint = _joint(console, path, model, X, Y, notes)
    shares = scores if by == "predict_proba" else None
    metrics = measure(Y, predicted, scores, joint, probabilities=shares, propensities=rare)
    names = [
        name
        for name, metric in METRICS.items()
        if rare is not None or metric.needs != "propensities"
    ]
    document: dict[str, Any] = {
        "schema": 1,
        "model": stored.settings,
        "data": tally(Y),
        "scores": by,
        "metrics": {name: _number(metrics.get(name)) for name in names},
        "higher_is_better": {name: METRICS[name].higher_is_better for name in names},
        "notes": notes,
    }
    absent = [name for name in names if name not in metrics]
    if absent:
        kind = "joint probabilities" if shares is not None else "probabilities"
        notes.append(f"the model gives no {kind}, so there is no {', '.join(absent)}")
    undefined = [name for name, value in metrics.items() if math.isnan(value)]
    if undefined:
        notes.append(f"not defined on these rows: {', '.join(undefined)}")
    if per_label:
        f1 = label_f1(Y, predicted)
        auc = np.full(shape[1], np.nan) if scores is None else label_auc(Y, scores)
        document["labels"] = [
            {
                "name": name,
                "rows": int((Y[:, j] >= 0).sum()),
                "positives": int((Y[:, j] == 1).sum()),
                "f1": _number(f1[j]),
                "auc": _number(auc[j]),
            }
            for j, name in enumerate(stored.table.labels)
        ]
    return document


def _scores(
    console: Any, path: str, model: Any, X: Any, shape: tuple[int, int]
) -> tuple[Any, str | None]:
    """A score for each label, and where it is from."""
    for name in ("predict_proba", "decision_function"):
        ask = getattr(model, name, None)
        if ask is not None:
            return answer(console, path, partial(ask, X), shape), name
    return None, None


def _joint(
    console: Any, path: str, model: Any, X: Any, Y: np.ndarray, notes: list[str]
) -> np.ndarray | None:
    """Log P(y|x) of the rows whose labels are all known."""
    import numpy as np

    ask = getattr(model, "joint_log_proba", None)
    if ask is None:
        return None
    complete_rows = np.flatnonzero((Y >= 0).all(axis=1))
    joint = np.full(len(Y), np.nan)
    if not complete_rows.size:
        return joint
    try:
        joint[complete_rows] = answer(
            console, path, lambda: ask(X[complete_rows], Y[complete_rows]), (len(complete_rows),)
        )
    except MlfsError as error:
        notes.append(f"there is no cll_loss: {error}")
        return None
    return joint


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.6f}"


def _table(document: dict[str, Any]) -> str:
    """The figures for people."""
    data, metrics = document["data"], document["metrics"]
    width = max(map(len, metrics))
    name = printable(document["model"].get("model", "model"), 40)
    lines = [f"{name}: {plural(data['rows'], 'row')}, {plural(data['labels'], 'label')}"]
    for key, value in metrics.items():
        better = "higher is better" if document["higher_is_better"][key] else "lower is better"
        lines.append(f"{key:<{width}}  {_shown(value):>14}  {better}")
    labels = document.get("labels", [])
    if labels:
        names = [printable(label["name"], 60) for label in labels]
        wide = max(len("label"), *map(len, names))
        lines += ["", f"{'label':<{wide}}  positives        f1       auc"]
        for shown, label in zip(names, labels, strict=True):
            figures = f"{_shown(label['f1']):>8}  {_shown(label['auc']):>8}"
            lines.append(f"{shown:<{wide}}  {label['positives']:>9}  {figures}")
    return "\n".join([*lines, ""])
