"""`mlfs predict`: the labels of new rows, as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import click

from mlfs.cli.console import check_place, console_of, write_report
from mlfs.cli.help import Command, argument, topical
from mlfs.cli.shared_options import reading_known, talking
from mlfs.cli.stored_models import answer, opened, rows_of, unseen_values
from mlfs.errors import DataError, plural

__all__ = ["predict"]


@click.command(
    cls=Command,
    short_help="predict the labels of new rows, as CSV",
    examples=[
        ("mlfs predict model.mlfs new.csv", "0 and 1 for each label, a line for each row"),
        ("mlfs predict --proba -o p.csv model.mlfs new.arff", "probabilities, into a file"),
        ("zcat new.csv.gz | mlfs predict model.mlfs -", "in a pipe"),
    ],
)
@argument("model", metavar="MODEL")
@argument("data", metavar="DATA")
@topical(
    "Output",
    "--proba",
    is_flag=True,
    help="Write the marginal probability of each label.",
)
@topical(
    "Output", "-o", "--output", metavar="FILE", default="-", help="Output file; by default stdout."
)
@topical("Output", "--force", is_flag=True, help="Overwrite an existing file.")
@unseen_values
@reading_known
@talking
@click.pass_context
def predict(
    context: click.Context,
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
    check_place(output, data, force=force)
    check_place(output, model, force=force)
    console = console_of(context)
    stored = opened(model)
    if proba and not hasattr(stored.model, "predict_proba"):
        raise DataError(
            "this model's base learner gives no probabilities: train it with one that does, such "
            "as --learner logistic"
        )
    _, X = rows_of(console, stored, data, options, classes=True)
    ask = stored.model.predict_proba if proba else stored.model.predict
    found = answer(console, model, lambda: ask(X), (X.shape[0], len(stored.table.labels)))
    text = _table(stored.table.labels, found.astype(float if proba else int).tolist())
    if output == "-":
        console.data(text)
    else:
        write_report(text, output, force=force)
        console.detail(f"wrote {plural(len(found), 'row')} to {output}")


def _table(names: Sequence[str], rows: Sequence[Sequence[float]]) -> str:
    """A header of names and the rows, numbers as short as read back equal."""
    header = io.StringIO()
    csv.writer(header, lineterminator="\n").writerow(names)
    lines = [",".join(map(repr, row)) for row in rows]
    return header.getvalue() + "".join(f"{line}\n" for line in lines)
