"""`mlfs datasets`: data sets by name, those that come with mlfs and public ones."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlfs.cli.console import Console, pass_console
from mlfs.cli.help import Group
from mlfs.cli.shared_options import form_of, stacked, talking

if TYPE_CHECKING:
    from mlfs.datasets import PublicDataset


HEAD = ("name", "rows", "features", "labels", "cardinality", "domain", "MB", "here")


@click.group(
    cls=Group,
    invoke_without_command=True,
    short_help="small data sets to try, and public ones to download",
    examples=[
        ("mlfs datasets", "all names, with sizes"),
        ("mlfs select -c scls -n 5 songs", "a data set that comes with mlfs, by its name"),
        ("mlfs datasets fetch yeast", "download a public data set"),
        ("mlfs select -c scls -n 20 yeast", "and use it by its name"),
        ('mlfs info "$(mlfs datasets path songs)"', "the file of a data set"),
    ],
)
@talking
@click.pass_context
def datasets(context: click.Context, /) -> None:
    """Find data sets by name: those that come with mlfs, and public ones to download.

    Every command takes the name of a data set where it takes a file, if there is no such file.
    Downloads are kept in the user's cache, or in the folder that MLFS_DATA names, and are checked
    against their SHA-256.
    """
    if context.invoked_subcommand is None:
        context.invoke(show_list, form="table")


_name = click.argument("name", metavar="NAME")
_from = stacked(
    click.option("--subset", type=click.Choice(["all", "train", "test"]), default="all",
        show_default=True, help="All rows, or one part of the split of the files' authors.",
    ),
    click.option("--mirror", type=click.IntRange(min=0), default=0, show_default=True,
        metavar="K", help="Which of the sources that `mlfs datasets info` lists.",
    ),
    click.option("--offline", is_flag=True, help="Download nothing."),
)  # fmt: skip


@datasets.command("list", short_help="list all data sets")
@form_of("list", "table", "names", "json")
@talking
@pass_console
def show_list(console: Console, /, form: str) -> None:
    """List the data sets that come with mlfs, and the public ones."""
    from mlfs.api.text import align, json_text
    from mlfs.datasets import info, names
    from mlfs.datasets.listing import SMALL

    if form == "names":
        console.data("".join(f"{name}\n" for name in (*SMALL, *names())))
    elif form == "json":
        records = [info(name).to_dict() for name in names()]
        console.data(json_text({"schema": 1, "datasets": records}))
    else:
        rows = [*map(_small_row, SMALL), *(_row(info(name)) for name in names())]
        console.table("\n".join([*align(HEAD, rows, left={0, 5, 7}), ""]))


def _row(dataset: PublicDataset) -> list[str]:
    from mlfs.datasets import is_here

    sizes = [f"{n:,}" for n in dataset.shape]
    size = f"{dataset.size / 1e6:.2f}"
    is_in_cache = "yes" if is_here(dataset.name) else "no"
    return [dataset.name, *sizes, f"{dataset.cardinality:.2f}", dataset.domain, size, is_in_cache]


def _small_row(name: str) -> list[str]:
    from mlfs.api.describe import describe
    from mlfs.datasets import fetch

    seen = describe(fetch(name))
    sizes = [f"{n:,}" for n in (seen.rows, seen.features, seen.labels)]
    return [name, *sizes, f"{seen.cardinality:.2f}", "invented", "", "yes"]


@datasets.command("info", short_help="origin, licence, citation and addresses of a data set")
@_name
@form_of("record")
@talking
@pass_console
def show_info(console: Console, /, name: str, form: str) -> None:
    """Show where a public data set comes from: size, licence, citation, addresses, digests."""
    from mlfs.api.text import json_text
    from mlfs.datasets import cache_folder, info, is_here
    from mlfs.datasets.listing import SMALL
    from mlfs.errors import UsageError

    if name in SMALL:
        raise UsageError(f"{name} comes with mlfs and is invented: mlfs info {name} describes it")
    dataset = info(name)
    if form == "json":
        console.data(json_text({"schema": 1, **dataset.to_dict()}))
        return
    lines = [
        ("name", name),
        ("about", dataset.about),
        ("domain", dataset.domain),
        ("rows", f"{dataset.rows:,}"),
        ("features", f"{dataset.features:,}"),
        ("labels", f"{dataset.labels:,}"),
        ("cardinality", f"{dataset.cardinality:.4f}"),
        ("licence", dataset.licence),
        ("cite", dataset.citation),
        ("in the cache", f"{'yes' if is_here(name) else 'no'} ({cache_folder() / name})"),
    ]
    for k, source in enumerate(dataset.sources):
        for part, file in source.items():
            field = f"mirror {k}, {part}" if k else part
            lines.append((field, f"{file.urls[0]} ({file.size:,} bytes)"))
            lines.append(("", f"SHA-256 {file.sha256}"))
    width = max(len(field) for field, _ in lines)
    for field, text in lines:
        wide = text if "://" in text else textwrap.fill(text, 90, subsequent_indent=" " * width)
        console.data(f"{field:<{width}}  {wide}\n")


@datasets.command(
    short_help="download a public data set into the cache",
    examples=[
        ("mlfs datasets fetch yeast", "afterwards: mlfs select -c scls -n 20 yeast"),
        ("mlfs datasets fetch birds scene enron", "several"),
        ("mlfs datasets fetch --subset test yeast", "the test rows of the authors"),
    ],
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@_from
@talking
@pass_console
def fetch(
    console: Console, /, names: tuple[str, ...], subset: str, mirror: int, offline: bool
) -> None:
    """Download public data sets, and check what is in the cache against the digests."""
    from mlfs.datasets import info
    from mlfs.datasets.listing import SMALL

    for name in names:
        if name not in SMALL:
            info(name)
    for name in names:
        console.note(f"{name} is {_path(console, name, subset, mirror, offline)}")


@datasets.command(short_help="print the file of a data set")
@_name
@_from
@talking
@pass_console
def path(console: Console, /, name: str, subset: str, mirror: int, offline: bool) -> None:
    """Print the path of a data set for other commands; download it if it is not in the cache."""
    console.data(f"{_path(console, name, subset, mirror, offline)}\n")


def _path(console: Console, name: str, subset: str, mirror: int, offline: bool) -> Path:
    from mlfs.datasets import path as find

    console.detail(f"looking for {name} in the cache, or downloading it")
    return find(name, subset, mirror=mirror, download=not offline)
