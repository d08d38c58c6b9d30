"""`mlfs train`: a model that knows its labels' structure, in one file."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from mlfs.cli.console import Console, check_place, console_of
from mlfs.cli.help import Command, topical
from mlfs.cli.model_options import made, modelling, settings_of
from mlfs.cli.progress import Waiting
from mlfs.cli.shared_options import reading_labels, talking
from mlfs.cli.stored_models import data_of
from mlfs.errors import DataError, MlfsError, UsageError, plural, printable

UNSETTLED = "did not converge: raise their limit, as with -P max_iter=1000"


@click.command(
    cls=Command,
    short_help="train a model and store it in a file",
    examples=[
        (
            "mlfs train --model occ -o model.mlfs train.arff",
            "chain, features for each label",
        ),
        ("mlfs train --model pcc -l logistic -P C=0.5 -o m.mlfs x.csv", "another base learner"),
        ("mlfs train --model kcc -k 3 --features scls -n 80 -o m.mlfs x.arff", "on 80 features"),
        ("mlfs train --model ecc -p n_estimators=25 -o m.mlfs x.arff", "an ensemble of 25"),
        ("mlfs predict m.mlfs new.csv", "and use it"),
    ],
)
@click.argument("data", metavar="DATA")
@modelling
@reading_labels
@topical(
    "Data",
    "--exclude",
    metavar="NAME",
    multiple=True,
    help="A column, or a glob, that is left out. Repeatable.",
)
@topical(
    "Data",
    "--missing",
    type=click.Choice(["fill", "keep", "error"]),
    default="fill",
    show_default=True,
    help="A missing value becomes the column's mean (or most frequent value), is handed to "
    "the base learner, or is refused.",
)
@topical("Output", "-o", "--output", metavar="FILE", required=True, help="The model file.")
@topical("Output", "--force", is_flag=True, help="Overwrite an existing file.")
@talking
@click.pass_context
def train(
    context: click.Context,
    /,
    data: str,
    output: str,
    force: bool,
    exclude: tuple[str, ...],
    missing: str,
    **options: Any,
) -> int:
    """Train a model on a data set and store it in a file.

    The file contains arrays and names but no code; `mlfs predict`, `mlfs evaluate` and
    `mlfs structure` read it, and so does `mlfs.models.load`.
    """
    if output == "-":
        raise UsageError("a model file is not written to stdout: say where with -o FILE")
    check_place(output, data, force=force)
    console = console_of(context)
    name, settings = options["model"], settings_of(options, missing)
    model = made(options)
    import numpy as np

    from mlfs.models.classes import as_written
    from mlfs.models.label_model import name_columns
    from mlfs.models.model_files import check_place_of_model, check_storable, save
    from mlfs.models.progress_reports import reporting
    from mlfs.models.training_table import TrainingTable

    check_place_of_model(output)
    check_storable(model)
    began = time.perf_counter()
    dataset = data_of(data, options)
    console.note(*dataset.notes)
    dataset = _without(dataset, exclude)
    table = TrainingTable.learn(dataset, missing)
    X, notes = table.matrix(dataset)
    console.note(*notes, *_wider(table))
    Y = as_written(table.truth(dataset)[0])
    name_columns(model, table.feature_names, table.labels)
    counted = zip((*X.shape, Y.shape[1]), ("row", "feature", "label"), strict=True)
    sizes = ", ".join(plural(n, noun) for n, noun in counted)
    task, on = f"training {name}", f" on {sizes}"
    weights = {} if dataset.weights is None else {"sample_weight": dataset.weights}
    line = Waiting(console, task, on)
    with line, reporting(line.tell) if line.shown else nullcontext():
        _fit(console, model, X, Y, weights)
    _tell_number(console, model)
    model.feature_names_in_ = np.array(table.feature_names, dtype=object)  # to refuse other frames
    save(model, output, table=table, settings=settings, force=force)
    _tell(console, output, task + on, time.perf_counter() - began)
    return 0


def _tell_number(console: Console, model: Any) -> None:
    """Which number of features was chosen, of several."""
    model = getattr(model, "model_", model)  # what thresholds were added to
    if hasattr(model, "n_scores_"):
        pairs = zip(model.n, model.n_scores_, strict=True)
        tried = ", ".join(f"{n} ({score:.3f})" for n, score in pairs)
        console.note(
            f"n = {model.n_}: of {tried} the one of the best exact match on 30 % of the rows, "
            "trained on the others; -n takes one without trying"
        )


def _fit(console: Console, model: Any, X: Any, Y: Any, weights: dict[str, Any]) -> None:
    """Fit; an error of a base learner is shown in its own words, a warning once."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, Y, **weights)
    except MlfsError:
        raise
    except (ArithmeticError, TypeError, ValueError) as error:
        if console.debug:
            raise
        words = " ".join(printable(str(error).partition("\n")[0], 300).split())
        if type(error).__name__ == "InvalidParameterError":
            raise UsageError(f"the base learner refuses its parameters: {words}") from None
        raise DataError(f"the base learner refuses these data or its parameters: {words}") from None
    warnings_ = Counter(_warned(warning) for warning in caught)
    for words, times in warnings_.items():
        many = f"{times} base learners" if times > 1 else "1 base learner"
        console.note(f"{many} {words}" if words == UNSETTLED else words)


def _warned(warning: warnings.WarningMessage) -> str:
    if warning.category.__name__ == "ConvergenceWarning":
        return UNSETTLED
    return printable(" ".join(str(warning.message).split()), 300)


def _without(dataset: Any, exclude: tuple[str, ...]) -> Any:
    from mlfs.api.candidates import columns_named

    if not exclude:
        return dataset
    gone = set(columns_named(exclude, dataset.feature_names, "exclude"))
    kept = [j for j in range(len(dataset.columns)) if j not in gone]
    if not kept:
        raise UsageError("--exclude leaves no column to learn from")
    return dataset.reduced(kept)


def _wider(table: Any) -> list[str]:
    """Notes on nominal columns."""
    wide = [field for field in table.fields if field.indicators]
    if not wide:
        return []
    width = sum(len(field.names) for field in wide)
    first = printable(wide[0].name, 40)
    count = f"{len(wide)} nominal columns" if len(wide) > 1 else "1 nominal column"
    return [f"{count} of more than two values ({first!r} ...) become {width} columns of 0 and 1"]


def _tell(console: Console, output: str, task: str, seconds: float) -> None:
    size = Path(output).stat().st_size
    console.detail(f"{task} took {seconds:.2f} s; wrote {size} bytes to {printable(output, 400)}")
