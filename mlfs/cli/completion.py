"""`mlfs completion`: what a shell needs to complete commands, and the values that it is offered."""

from __future__ import annotations

import csv
import glob
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlfs.cli.help import Command, argument
from mlfs.cli.model_options import OTHERS, STRUCTURED
from mlfs.cli.shared_options import place_of, talking
from mlfs.errors import MlfsError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["COMPLETE", "SHELLS", "completion", "values"]

COMPLETE = "_MLFS_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
HEADER = 1 << 20  # bytes in which the names of columns are looked for
MOST = 500
MODELS = (*STRUCTURED, *(f"{name}-ldf" for name in STRUCTURED), *OTHERS)
ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\S+)", re.IGNORECASE)


@click.command(
    cls=Command,
    short_help="print the script that completes commands in a shell",
    examples=[
        ('eval "$(mlfs completion bash)"', "in ~/.bashrc"),
        ('eval "$(mlfs completion zsh)"', "in ~/.zshrc, after compinit"),
        ("mlfs completion fish > ~/.config/fish/completions/mlfs.fish", "once"),
    ],
)
@argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
@talking
@click.pass_context
def completion(context: click.Context, /, shell: str) -> None:
    """Print a script that completes commands, options, criteria, models, files and columns.

    SHELL is bash, zsh or fish.
    """
    from click.shell_completion import get_completion_class

    from mlfs.cli.console import console_of

    kind = get_completion_class(shell)
    assert kind is not None
    # The version of bash on the PATH may not be that of the shell, so it is not looked at.
    maker = kind(context.find_root().command, {}, "mlfs", COMPLETE)
    console_of(context).data(maker.source_template % maker.source_vars() + "\n")


def values(
    parameter: click.Parameter, context: click.Context, text: str
) -> list[CompletionItem] | None:
    """What a value may be that starts with a text; None if nothing is known of it."""
    makers: dict[str, Callable[[click.Context, str], list[CompletionItem]]] = {
        "data": _data,
        "source": _data,
        "name": _names,
        "names": _names,
        "criterion": _criteria,
        "criteria": _criteria,
        "features": _criteria,
        "model": _models,
        "models": _models,
        "labels": _columns,
        "include": _columns,
        "exclude": _columns,
        "metrics": _metrics,
    }
    maker = makers.get(parameter.name or "")
    if parameter.name == "features" and isinstance(parameter, click.Argument):
        maker = _columns
    if parameter.name == "model" and isinstance(parameter, click.Argument):
        maker = _files
    if maker is None and parameter.metavar in ("FILE", "OUT"):
        maker = _files
    if maker is None and parameter.metavar == "FOLDER":
        maker = partial(_files, kind="dir")
    return None if maker is None else maker(context, text)


def _items(names: Iterable[str], text: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    fitting = (name for name in names if name.startswith(text) and name.isprintable())
    return [CompletionItem(name) for name, _ in zip(fitting, range(MOST), strict=False)]


def _files(_: click.Context, text: str, kind: str = "file") -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(text, type=kind)]


def _data(context: click.Context, text: str) -> list[CompletionItem]:
    """Files; names of data sets that are here where no file starts like that."""
    from mlfs.datasets import is_here, names
    from mlfs.datasets.listing import SMALL

    path = Path(text)
    if text and path.name == text and not any(Path().glob(glob.escape(text) + "*")):
        return _items([*SMALL, *filter(is_here, names())], text)
    return _files(context, text)


def _names(_: click.Context, text: str) -> list[CompletionItem]:
    from mlfs.datasets import names
    from mlfs.datasets.listing import SMALL

    return _items([*SMALL, *names()], text)


def _criteria(_: click.Context, text: str) -> list[CompletionItem]:
    from mlfs.criteria import available

    return _items(available(), text)


def _models(_: click.Context, text: str) -> list[CompletionItem]:
    return _items(MODELS, text)


def _metrics(_: click.Context, text: str) -> list[CompletionItem]:
    from mlfs.compare.metrics import METRICS

    return _items(METRICS, text)


def _columns(context: click.Context, text: str) -> list[CompletionItem]:
    """The columns of the data that the line names before; the last one after commas."""
    data = context.params.get("data") or context.params.get("source") or ()
    # Arguments before an option that has no value yet are still where click reads them from.
    paths = [*([data] if isinstance(data, str) else data), *context.args]
    done, comma, _ = text.rpartition(",")
    columns: list[str] = []
    for path in paths:
        with suppress(OSError, ValueError, MlfsError):
            columns += _header(place_of(path))
    words = [] if comma else ["first:", "last:"]
    return _items([done + comma + name for name in (*words, *dict.fromkeys(columns))], text)


def _header(path: str) -> list[str]:
    """The names of the columns of an ARFF, CSV or TSV file, from its first bytes."""
    with Path(path).open("rb") as stream:
        start = stream.read(HEADER).decode("utf-8", "replace").removeprefix("\ufeff")
    suffix = Path(path).suffix.lower()
    if suffix == ".arff":
        head = re.split(r"(?im)^\s*@data", start, maxsplit=1)[0]
        return [name.strip("'\"") for name in ATTRIBUTE.findall(head)]
    if suffix in (".csv", ".tsv", ".tab"):
        first = start.partition("\n")[0].rstrip("\r")
        return next(csv.reader([first], delimiter="," if suffix == ".csv" else "\t"), [])
    return []
