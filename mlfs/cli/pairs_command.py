"""`mlfs pairs`: two columns that tell the labels more together than apart."""

from __future__ import annotations

from typing import Any

import click

from mlfs.cli.console import Console, check_place, deliver, formed, pass_console
from mlfs.cli.help import Command
from mlfs.cli.shared_options import declared, form_of, input_data, reading, talking, written

PREPARING = ("given", "n_jobs")


@click.command(
    cls=Command,
    short_help="find pairs of columns that tell more together than apart",
    examples=[
        ("mlfs pairs data.arff", "the twenty surest pairs"),
        ("mlfs pairs --most 100 --format csv -o pairs.csv x.csv", "a table of them"),
    ],
)
@click.argument("data", metavar="DATA")
@click.option("--most", type=click.IntRange(1), default=20, show_default=True, metavar="N",
    help="The greatest number of pairs.",
)  # fmt: skip
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True), default=0.05,
    show_default=True, metavar="SHARE", help="The accepted share of false discoveries.",
)  # fmt: skip
@declared(*PREPARING)
@reading
@form_of("pairs", "table", "csv", "json", "html")
@written("Write the pairs to a file.")
@talking
@pass_console
def pairs(
    console: Console,
    /,
    data: str,
    most: int,
    alpha: float,
    form: str,
    output: str | None,
    force: bool,
    **options: Any,
) -> int:
    """Look at all pairs of columns, and find those that tell more together than apart.

    Columns that tell nothing alone, as in an exclusive or, are found too.
    """
    from mlfs.api.as_dataset import AsGiven
    from mlfs.api.pairs import pairs as pairs_of

    if output is not None:
        check_place(output, data, force=force)
    dataset = input_data(data, options)
    settings = {name: options[name] for name in PREPARING}
    found = pairs_of(AsGiven(dataset), most, alpha=alpha, **settings)
    deliver(console, formed(found, form), output, force=force)
    return 0
