"""`mlfs convert`: any format into any other."""

from __future__ import annotations

from typing import Any

import click

from mlfs.cli.console import Console, check_format, check_place, pass_console
from mlfs.cli.help import Command
from mlfs.cli.shared_options import forced, input_data, reading, talking
from mlfs.formats import WRITTEN


@click.command(
    cls=Command,
    short_help="convert between file formats",
    examples=[
        ("mlfs convert data.arff data.csv", "with data.xml beside it, which names the labels"),
        ("mlfs convert --labels last:6 x.csv x.arff.gz", "compressed by the suffix"),
        ("mlfs convert --to svmlight data.arff -", "to stdout"),
        ("mlfs convert --features picks.json new.csv small.csv", "only the features picked before"),
    ],
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@reading
@click.option(
    "--to",
    metavar="FORMAT",
    help=f"The format of OUT: {' '.join(WRITTEN)}.",
)
@click.option(
    "--features",
    metavar="FILE",
    help="Keep the features that mlfs select picked, and wrote with -o picks.json.",
)
@forced
@talking
@pass_console
def convert(
    console: Console,
    /,
    source: str,
    target: str,
    to: str | None,
    features: str | None,
    force: bool,
    **options: Any,
) -> None:
    """Convert a data set to another file format."""
    from mlfs.api.candidates import columns_named
    from mlfs.api.selection_json import read_document
    from mlfs.data import write
    from mlfs.data.dataset import name_of_date
    from mlfs.errors import plural, printable

    check_place(target, source, force=force)
    check_format(target, to)
    document = {} if features is None else read_document(features)
    known = () if document else None  # new rows may have no labels
    dataset = input_data(source, options, known, dates="keep", numbers="plain")
    if document:
        picked, names = [str(pick["name"]) for pick in document["selected"]], {*dataset.names}
        picked = [name if name in names else name_of_date(name) for name in picked]
        dataset = dataset.reduced(sorted({*columns_named(picked, dataset.names, "features")}))
    for name, why in dataset.left_out:
        console.note(f"the column {printable(name)!r} is left out: {why}")
    console.note(*dataset.notes)
    console.note(*write(dataset, target, format=to, force=force))
    sizes = zip(dataset.shape, ("row", "feature", "label"), strict=True)
    size = ", ".join(plural(n, noun) for n, noun in sizes)
    console.detail(f"wrote {size} to {target}")
