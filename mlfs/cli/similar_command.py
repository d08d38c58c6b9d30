"""`mlfs similar`: clusters of columns that say the same."""

from __future__ import annotations

from typing import Any

import click

from mlfs.cli.console import Console, check_place, deliver, formed, pass_console
from mlfs.cli.help import Command
from mlfs.cli.shared_options import declared, form_of, input_data, reading, talking, written

PREPARING = ("bins", "n_bins", "nominal_limit", "n_jobs", "max_memory")


@click.command(
    cls=Command,
    short_help="find clusters of columns that say the same",
    examples=[
        ("mlfs similar data.arff", "columns that share 0.8 of their information"),
        ("mlfs similar --threshold 0.5 --format csv -o clusters.csv x.csv", "a table of them"),
        ("mlfs select --group clusters.csv --at-most 1 x.csv", "one of each is picked"),
    ],
)
@click.argument("data", metavar="DATA")
@click.option("--threshold", type=click.FloatRange(0, 1, min_open=True), default=0.8,
    show_default=True, metavar="SU",
    help="The least symmetrical uncertainty of any two columns of a cluster.",
)  # fmt: skip
@declared(*PREPARING)
@reading
@form_of("clusters", "table", "csv", "json")
@written("Write the clusters to a file.")
@talking
@pass_console
def similar(
    console: Console,
    /,
    data: str,
    threshold: float,
    form: str,
    output: str | None,
    force: bool,
    **options: Any,
) -> int:
    """Find clusters of columns of which any two share most of their information.

    The representative of a cluster tells most about the labels. The CSV is what --group of
    mlfs select reads.
    """
    from mlfs.api.as_dataset import AsGiven
    from mlfs.api.similar import similar as clustered

    if output is not None:
        check_place(output, data, force=force)
    dataset = input_data(data, options)
    settings = {name: options[name] for name in PREPARING}
    clusters = clustered(AsGiven(dataset), threshold, **settings)
    deliver(console, formed(clusters, form), output, force=force)
    return 0
