"""`mlfs explore`: a page on which one can try selections."""

from __future__ import annotations

from typing import Any

import click

from mlfs.cli.console import Console, check_place, deliver, pass_console
from mlfs.cli.help import Command
from mlfs.cli.shared_options import declared, input_data, reading, talking, written

PREPARING = ("bins", "n_bins", "nominal_limit", "n_jobs", "max_memory")
SURE = ("resamples", "seed")


@click.command(
    cls=Command,
    short_help="write a page on which columns can be forbidden and forced",
    examples=[
        ("mlfs explore -c jmi -n 20 -o page.html data.arff", "open page.html in a browser"),
        ("mlfs explore --resamples 200 -o page.html data.arff", "with what could stand instead"),
        ("mlfs explore --most 500 -o page.html data.arff", "more candidates, a larger page"),
    ],
)
@click.argument("data", metavar="DATA")
@declared("criterion")
@click.option(
    "-n",
    "--number",
    "n",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many picks the page shows at first.",
)
@click.option(
    "--most",
    type=click.IntRange(min=2),
    default=200,
    show_default=True,
    metavar="N",
    help="The candidates: so many features of greatest relevance, and all picks.",
)
@declared(*PREPARING, *SURE)
@reading
@written("The page to write.", required=True)
@talking
@pass_console
def explore(
    console: Console,
    /,
    data: str,
    criterion: str,
    n: int,
    most: int,
    output: str,
    force: bool,
    **options: Any,
) -> int:
    """Write a page on which one can try what happens when columns are forbidden or forced.

    The page is one file that needs no network. It selects as mlfs select does, from the candidates
    that it embeds, without correction.
    """
    from mlfs.api.as_dataset import AsGiven
    from mlfs.explorer.exploring import explore as explored

    check_place(output, data, force=force)
    dataset = input_data(data, options)
    settings = {name: options[name] for name in (*PREPARING, *SURE)}
    page = explored(AsGiven(dataset), criterion, n, most=most, **settings)
    deliver(console, page.to_html(), output, force=force)
    return 0
