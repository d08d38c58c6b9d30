"""`mlfs predict`: the labels of new rows, as CSV."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import click

from mlfs.cli.console import Console, check_place, console_of, csv_line, write_texts
from mlfs.cli.help import Command, topical
from mlfs.cli.shared_options import reading_known, talking
from mlfs.cli.stored_models import answer, opened, parts_of, unseen_values
from mlfs.errors import DataError, plural

IN_MEMORY = 64 << 20  # bytes of text
AT_ONCE = 1 << 20


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
    rows = parts_of(console, stored, data, options)
    ask = stored.model.predict_proba if proba else stored.model.predict
    labels = stored.table.labels

    def texts() -> Iterator[str]:
        yield csv_line(labels)
        for X in rows:
            answers = answer(console, model, partial(ask, X), (X.shape[0], len(labels)))
            yield _lines(answers.astype(float if proba else int).tolist())

    if output == "-":
        _print(console, texts())
    else:
        write_texts(texts(), output, force=force)
        console.detail(f"wrote {plural(rows.n_rows, 'row')} to {output}")


def _print(console: Console, texts: Iterator[str]) -> None:
    """Print what is predicted when all of it is there: beyond some size it waits in a file."""
    with tempfile.SpooledTemporaryFile(
        IN_MEMORY, "w+", encoding="utf-8", errors="surrogatepass", newline=""
    ) as kept:
        kept.writelines(texts)
        kept.seek(0)
        while text := kept.read(AT_ONCE):
            console.data(text)


def _lines(rows: Sequence[Sequence[float]]) -> str:
    """A line for each row, numbers as short as read back equal."""
    return "".join([",".join(map(repr, row)) + "\n" for row in rows])
