"""Helpers of the commands that use a model file: opening it, and data that fit it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mlfs.cli.console import Console
from mlfs.cli.help import topical
from mlfs.cli.shared_options import input_data
from mlfs.errors import DataError, MlfsError, UsageError, printable

if TYPE_CHECKING:
    from mlfs.models.matched_rows import MatchedRows


T = TypeVar("T")
unseen_values = topical(
    "Data", "--unseen", type=click.Choice(["error", "missing"]), default="error",
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


def rows_of(console: Console, stored: Any, data: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """A data set, and its rows as the model wants them."""
    unseen = options.pop("unseen")
    dataset = data_of(data, {**options, "classes": False}, **_columns_of(stored))
    X, notes = stored.table.matrix(dataset, unseen)
    console.note(*notes)
    return dataset, X


def _columns_of(stored: Any) -> dict[str, Any]:
    """The labels of a model, and the columns that it needs."""
    return {
        "known": stored.table.labels,
        "needed": [field.name for field in stored.table.fields],
    }


def parts_of(console: Console, stored: Any, data: str, options: dict[str, Any]) -> MatchedRows:
    """The rows of a data set as the model wants them, some at a time; labels do not matter."""
    from mlfs.models.matched_rows import MatchedRows

    unseen = options.pop("unseen")
    dataset = data_of(data, {**options, "classes": True}, **_columns_of(stored))
    rows = MatchedRows(stored.table, dataset, unseen)
    console.note(*rows.notes)
    return rows


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
