"""`mlfs info`: what a data set is made of."""

from __future__ import annotations

from typing import Any

import click

from mlfs.cli.console import console_of
from mlfs.cli.help import Command
from mlfs.cli.matrix_output import OPTIONS, check_matrix, matrix_options, write_matrix
from mlfs.cli.shared_options import form_of, input_data, reading, talking

__all__ = ["info"]


@click.command(
    cls=Command,
    short_help="describe a data set",
    examples=[
        ("mlfs info data.arff", "rows, features, labels, imbalance, kinds, what is missing"),
        ("mlfs info --labels last:6 --format json x.csv", "the same for a script"),
        ("mlfs info --matrix mi.csv data.arff", "also I(f;l) of each feature and label"),
        ("mlfs info --matrix ff.npz --between features -j -1 data.arff", "and of all features"),
    ],
)
@click.argument("data", metavar="DATA")
@reading
@form_of("figures")
@matrix_options
@talking
@click.pass_context
def info(
    context: click.Context, /, data: str, form: str, matrix: str | None, **options: Any
) -> None:
    """Describe a data set: size, labels and their imbalance, columns, missing values."""
    from mlfs.api.describe import describe
    from mlfs.api.text import json_text

    console = console_of(context)
    of_matrix = {name: options.pop(name) for name in OPTIONS}
    check_matrix(context, matrix, data, of_matrix)
    dataset = input_data(data, options)
    if matrix is not None:
        write_matrix(dataset, matrix, of_matrix)
        if matrix == "-":
            return
    description = describe(dataset)
    if form == "json":
        console.data(json_text({"schema": 1, **description.to_dict()}))
    else:
        console.data(description.table() + "\n")
