"""`mlfs audit`: what is wrong with a table before a model is trusted."""

from __future__ import annotations

from typing import Any

import click

from mlfs.cli.console import Console, check_place, deliver, formed, pass_console
from mlfs.cli.help import Command
from mlfs.cli.shared_options import form_of, input_data, reading, talking, written

FOUND = 3  # the exit code where an error was found


@click.command(
    cls=Command,
    short_help="find leaks, identifiers, twins and useless columns",
    examples=[
        ("mlfs audit data.arff", "all checks; exit code 3 if one found an error"),
        ("mlfs audit --labels last:6 --ignore M203,M204 x.csv", "without constants and twins"),
        ("mlfs audit --against next.csv --select M401 x.csv", "what moved in newer data"),
        ("mlfs audit --format html -o audit.html x.csv", "a page"),
    ],
)
@click.argument("data", metavar="DATA")
@reading
@click.option("--select", metavar="CHECKS", help="Only these, such as M1 or M101,M205.")
@click.option("--ignore", metavar="CHECKS", help="All but these, such as M203.")
@click.option(
    "--against", metavar="FILE", help="Newer data of the same kind: what differs is M401."
)
@form_of("findings", "table", "json", "html")
@written("Write the findings to a file.")
@talking
@pass_console
def audit(
    console: Console,
    /,
    data: str,
    select: str | None,
    ignore: str | None,
    against: str | None,
    form: str,
    output: str | None,
    force: bool,
    **options: Any,
) -> int:
    """Check a data set: leaks, identifiers, twins, useless columns, labels and rows.

    Each finding has the number of its check, which the documentation explains. The exit code is 3
    if a finding of the level error is there.
    """
    from mlfs.auditing.auditor import audited
    from mlfs.auditing.findings import chosen

    checks = chosen(select, ignore or ())
    if output is not None:
        check_place(output, data, force=force)
    dataset = input_data(data, dict(options))
    with_dates = dataset
    if dataset.left_out and data != "-":
        with_dates = input_data(data, dict(options), dates="keep")
    other = None
    if against is not None:  # newer rows may have no labels yet
        other = input_data(against, {**options, "labels": None}, dataset.label_names)
    result = audited(dataset, with_dates, other, checks)
    deliver(console, formed(result, form), output, force=force)
    return FOUND if result.errors else 0
