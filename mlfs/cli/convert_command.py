"""`mlfs convert`: any format into any other; `mlfs generate`: data whose answer is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from mlfs.cli.console import Console, check_format, check_place, pass_console
from mlfs.cli.help import Command, topical
from mlfs.cli.shared_options import forced, input_data, reading, talking, written
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
@topical(
    "Output",
    "--to",
    metavar="FORMAT",
    help=f"The format of OUT: {' '.join(WRITTEN)}.",
)
@topical(
    "Output",
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
    dataset = input_data(source, options, known, dates="keep")
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


F = TypeVar("F", bound=Callable[..., Any])
SIZES = ("rows", "features", "labels")


def _size(name: str, metavar: str = "N", **settings: Any) -> Callable[[F], F]:
    return topical("Data to make", f"--{name}", metavar=metavar, **settings)


@click.command(
    cls=Command,
    short_help="generate data with known relevant features",
    examples=[
        ("mlfs generate data40-10 -o data.arff", "a set of the PACC-LDF paper's table 3"),
        ("mlfs generate --rows 500 --features 40 --labels 10 -o x.csv", "your own size"),
        ("mlfs generate data80-10 --noise 0 | mlfs info -", "without label noise, into a pipe"),
    ],
)
@click.argument("preset", metavar="[PRESET]", required=False)
@_size("rows", type=int, help="How many rows.")
@_size("features", type=int, help="How many features.")
@_size("labels", type=int, help="How many labels.")
@_size(
    "noise",
    "P",
    type=float,
    default=0.02,
    show_default=True,
    help="The probability that a label is flipped.",
)
@_size("redundant", type=int, help="Copies of other features; by default a quarter.")
@_size("irrelevant", type=int, help="Irrelevant features; by default a quarter.")
@_size("relevant-per-label", type=int, help="Relevant features of each label; by default all.")
@_size(
    "seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The seed; the same seed gives the same data.",
)
@written("The output file; by default stdout, as ARFF.", default="-")
@topical("Output", "--to", metavar="FORMAT", help="The format, if not given by the suffix.")
@talking
@pass_console
def generate(
    console: Console,
    /,
    preset: str | None,
    output: str,
    to: str | None,
    force: bool,
    **options: Any,
) -> None:
    """Generate hypercube data with relevant, irrelevant and redundant features and noisy labels.

    PRESET is a size of the PACC-LDF paper's table 3: data40-10, data80-10, data120-20,
    data160-20, data400-60, data800-60. The options --rows, --features and --labels change it.
    """
    from mlfs.data import write
    from mlfs.data.generated import PRESETS, hypercubes
    from mlfs.errors import UnknownName, UsageError

    check_place(output, "-", force=force)
    check_format(output, to)
    if preset is not None and preset not in PRESETS:
        raise UnknownName("data set to generate", preset, PRESETS)
    sizes = {size: options.pop(size) for size in SIZES}
    if preset is not None:
        sizes = {
            size: getattr(PRESETS[preset], size) if value is None else value
            for size, value in sizes.items()
        }
    lacking = [f"--{size}" for size, value in sizes.items() if value is None]
    if lacking:
        presets = ", ".join(PRESETS)
        raise UsageError(f"say {' and '.join(lacking)}, or name a data set: {presets}")
    dataset = hypercubes(
        sizes["rows"],
        sizes["features"],
        sizes["labels"],
        relation=preset or "hypercubes",
        **options,
    )
    console.note(*write(dataset, output, format=to, force=force))
    console.detail(*dataset.notes)
