"""Define the group of commands, and turn errors into one sentence and an exit code."""

from __future__ import annotations

import errno
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from mlfs import __version__
from mlfs.cli.audit_command import audit
from mlfs.cli.compare_command import compare
from mlfs.cli.console import INTERRUPTED, ClosedOutput, Console
from mlfs.cli.convert_command import convert
from mlfs.cli.datasets_command import datasets
from mlfs.cli.explain_command import explain
from mlfs.cli.explore_command import explore
from mlfs.cli.help import Group
from mlfs.cli.info_command import criteria, info
from mlfs.cli.pairs_command import pairs
from mlfs.cli.predict_command import evaluate, predict
from mlfs.cli.select_command import select
from mlfs.cli.shared_options import of_program
from mlfs.cli.similar_command import similar
from mlfs.cli.structure_command import structure
from mlfs.cli.train_command import train
from mlfs.cli.warm_command import warm
from mlfs.errors import MlfsError, UnknownName, UsageError, printable

CLOSED_PIPE = 141
COMPLETE = "_MLFS_COMPLETE"  # by which a shell asks click for completions
NOTE = 10_000  # characters: the remedy is at the end
LONG = re.compile(r"\w{81,}")  # digits and letters of a value, not a path with its folders


class _Root(Group):
    """The group itself; however it is started, nothing leaves as a traceback."""

    def main(self, args: Sequence[str] | None = None, *_: Any, **settings: Any) -> Any:
        """Run and leave, as click has it."""
        if not settings.get("standalone_mode", True):
            return super().main(args, **settings)
        sys.exit(run(sys.argv[1:] if args is None else list(args)))


@click.group(
    cls=_Root,
    invoke_without_command=True,
    examples=[
        ("mlfs info data.arff", "the size, the labels and the columns of the data"),
        ("mlfs select -c scls -n 80 data.arff", "the 80 best features"),
        ("mlfs select -c jmi --per-label -n 10 data.csv", "ten features for each label"),
        ("mlfs select -c mrmr -n 0.1 -o smaller.arff data.arff", "keep a tenth of the features"),
        ("mlfs explain -c scls -n 5 data.arff", "the reasons and the runners-up"),
        ("mlfs train --model occ -o model.mlfs data.arff", "train a model and store it"),
        ("mlfs predict model.mlfs new.csv", "predict the labels of new rows"),
        ("mlfs compare -c scls -c random -m br -o report data.arff", "compare criteria"),
    ],
)
@click.version_option(__version__, "--version", "-V", prog_name="mlfs", message="mlfs %(version)s")
@of_program
@click.pass_context
def cli(context: click.Context) -> None:
    """Select features for multi-label data.

    Data go to stdout, everything else to stderr; `-` is stdin or stdout.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(2)


COMMANDS = (
    select, similar, pairs, audit, info, criteria, explain, train, predict, evaluate, structure,
    compare, explore, convert, datasets, warm,
)  # fmt: skip
for command in COMMANDS:
    cli.add_command(command)


def run(arguments: list[str]) -> int:
    """Run the command line and give the exit code.

    Examples
    --------
    >>> run(["--version"])
    mlfs ...
    0
    """
    console = Console(debug="--debug" in arguments)
    if COMPLETE in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "mlfs", COMPLETE, os.environ[COMPLETE])
    _open_streams()
    with warnings.catch_warnings():
        warnings.showwarning = _as_note(console)
        return _guarded(arguments, console)


def _open_streams() -> None:
    """Give closed streams a place, and pipes and files UTF-8, whatever the locale.

    What should go to a stdout that is closed is an error, as on a full disk.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None and name == "stdout":
            sys.stdout = ClosedOutput()
        elif stream is None:
            nowhere = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115  # until the end
            setattr(sys, name, nowhere)
        elif mode == "w" and hasattr(stream, "reconfigure"):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _as_note(console: Console) -> Callable[..., None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        console.note(printable(message, NOTE))

    return show


def _guarded(arguments: list[str], console: Console) -> int:
    try:
        with cli.make_context("mlfs", arguments, obj=console) as context:
            code = cli.invoke(context)
            sys.stdout.flush()
            return code if isinstance(code, int) else 0
    except click.exceptions.Exit as stop:
        return _flushed(stop.exit_code)
    except KeyboardInterrupt:
        console.error("interrupted before there was anything to keep")
        return INTERRUPTED
    except click.Abort:
        return INTERRUPTED
    except click.UsageError as error:
        console.error(_plain(error))
        if error.ctx is not None:
            sys.stderr.write(f"try: {error.ctx.command_path} -h\n")
        return 2
    except click.ClickException as error:
        console.error(error.format_message())
        return error.exit_code
    except MlfsError as error:
        if console.debug:
            raise
        console.error(str(error))
        return 2 if isinstance(error, (UsageError, UnknownName)) else 1
    except BrokenPipeError:
        _forget_stdout()
        return CLOSED_PIPE
    except MemoryError:
        console.error("the machine has not enough memory for this")
        return 1
    except OSError as error:
        if console.debug:
            raise
        _forget_stdout()
        place = f" {printable(error.filename, 400)!r}" if error.filename else ""
        if error.errno in (errno.ENOSPC, errno.EDQUOT) and not place:
            place = " the output"
        did = "write" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "read or write"
        console.error(f"cannot {did}{place}: {error.strerror or error}")
        return 1
    except Exception as error:  # a bug of ours must not look like an error of the user
        if console.debug:
            raise
        shown = printable(error, 400)
        if not isinstance(error, ImportError):  # which is of an installation that is broken
            shown = f"{type(error).__name__}: {printable(error, 200)}"
            shown = f"internal error ({shown}); run mlfs --debug to see where"
        console.error(shown)
        return 1


def _plain(error: click.UsageError) -> str:
    """Format a message of click like ours: lower case, no full stop, long values cut."""
    text = LONG.sub(lambda match: printable(match[0]), error.format_message().strip())
    text = printable(text.removesuffix("."), 400)
    return text[:1].lower() + text[1:]


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
        return CLOSED_PIPE
    return code


def _forget_stdout() -> None:
    """Redirect stdout to the null device, so that the flush at exit cannot fail again."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):  # a stdout without a file behind it, as in tests
        return
