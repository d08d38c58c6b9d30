"""`mlfs convert`: any format into any other."""

from __future__ import annotations

from typing import Any

import click

from mlfs.cli.console import check_format, check_place, check_suffix, console_of
from mlfs.cli.help import Command, topical
from mlfs.cli.shared_options import input_data, reading, talking


@click.command(
    cls=Command,
    short_help="convert between file formats",
    examples=[
        ("mlfs convert data.arff data.csv", "with data.xml beside it, which names the labels"),
        ("mlfs convert --labels last:6 x.csv x.arff.gz", "compressed by the suffix"),
        ("mlfs convert --to svmlight data.arff -", "to stdout"),
    ],
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@reading
@topical(
    "Output",
    "--to",
    metavar="FORMAT",
    help="The format of OUT: arff csv tsv svmlight xmc npz mat parquet.",
)
@topical("Output", "--force", is_flag=True, help="Overwrite existing files.")
@talking
@click.pass_context
def convert(
    context: click.Context, /, source: str, target: str, to: str | None, force: bool, **options: Any
) -> None:
    """Convert a data set to another file format."""
    from mlfs.data import write
    from mlfs.errors import plural, printable

    console = console_of(context)
    check_place(target, source, force=force)
    check_format(target, to)
    check_suffix(target, to)
    dataset = input_data(source, options, dates="keep")
    for name, why in dataset.left_out:
        console.note(f"the column {printable(name)!r} is left out: {why}")
    console.note(*dataset.notes)
    console.note(*write(dataset, target, format=to, force=force))
    sizes = zip(dataset.shape, ("row", "feature", "label"), strict=True)
    size = ", ".join(plural(n, noun) for n, noun in sizes)
    console.detail(f"wrote {size} to {target}")
