"""Output of the command: data to stdout, everything else to stderr, and where a report goes."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

import click

from mlfs.errors import Caution, CriterionError, MissingExtra, UsageError, printable
from mlfs.formats import FORMATS, WRITTEN

INTERRUPTED = 130  # the exit code


class ClosedOutput(io.StringIO):
    """The stdout of a process that was started without one (``>&-``): nothing can be written."""

    def write(self, text: str) -> int:
        """Refuse, as the system does."""
        del text
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "stdout, which is closed")

    @property
    def buffer(self) -> Any:
        """Give the stream for bytes, which refuses them too."""
        return self


@dataclass
class Console:
    """How much the command prints, and where.

    Parameters
    ----------
    quiet : bool
        No notes and no progress.
    verbose : int
        How often ``-v`` was given.
    color : str
        ``auto``, ``always`` or ``never``.
    debug : bool
        Show tracebacks.
    """

    quiet: bool = False
    verbose: int = 0
    color: str = "auto"
    debug: bool = False

    def colorful(self, stream: TextIO) -> bool:
        """Whether to colour what goes to a stream."""
        if self.color != "auto":
            return self.color == "always"
        return self.animated(stream) and not os.environ.get("NO_COLOR")

    @staticmethod
    def animated(stream: TextIO) -> bool:
        """Whether a stream is a terminal that can move its cursor."""
        return stream.isatty() and os.environ.get("TERM") != "dumb"

    def data(self, text: str) -> None:
        """Print what was asked for."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def table(self, text: str) -> None:
        """Print a table with its first line bold where colours are wanted."""
        if self.colorful(sys.stdout):
            first, line_end, rest = text.partition("\n")
            text = click.style(first, bold=True) + line_end + rest
        self.data(text)

    def note(self, *texts: str) -> None:
        """Print notes."""
        for text in () if self.quiet else texts:
            self._say("note", "yellow", text)

    def tell(self, notes: Iterable[str]) -> None:
        """Print notes, and those that a user should act on as warnings."""
        for text in () if self.quiet else notes:
            is_caution = isinstance(text, Caution)
            self._say("warning" if is_caution else "note", "yellow", text)

    def detail(self, *texts: str) -> None:
        """Print details, which are shown with --verbose only."""
        for text in texts if self.verbose and not self.quiet else ():
            self._say("", "", text)

    def error(self, text: str) -> None:
        """Print the reason of a failure."""
        self._say("error", "red", text)

    def _say(self, kind: str, colour: str, text: str) -> None:
        tag = f"{kind}: " if kind else ""
        if tag and self.colorful(sys.stderr):
            tag = click.style(tag, fg=colour, bold=True)
        sys.stderr.write(f"mlfs: {tag}{text}\n")
        sys.stderr.flush()


pass_console = click.make_pass_decorator(Console, ensure=True)
REPORTS = {".json": "json", ".csv": "csv"}


@dataclass(frozen=True)
class Output:
    """The meaning of ``-o`` and ``--format`` together.

    Parameters
    ----------
    kind : {"none", "report", "data"}
        What the file of ``-o`` holds; without ``-o`` none.
    path : str
        The file, ``-`` for stdout.
    form : str
        The form of the report.
    data_format : str or None
        The format of the data set, where the suffix does not tell.
    """

    kind: Literal["none", "report", "data"]
    path: str
    form: str
    data_format: str | None = None


def output_of(output: str | None, form: str | None, source: str, *, force: bool) -> Output:
    """Decide what goes where, before anything is computed.

    A data set is written when the suffix of ``-o`` says its format, unless it is that of a
    ``--format`` that was asked for; otherwise the report goes to the file.
    """
    from mlfs.data.files import split_suffix

    if output is None or output == "-":
        return Output("none", "-", form or "table")
    check_place(output, source, force=force)
    check_format(output, None, optional=True)
    suffix = split_suffix(output)[1]
    if suffix == ".txt" and form is None and split_suffix(source)[1] == ".txt":
        return Output("data", output, "table", "xmc")
    if suffix == ".json" or (form is not None and REPORTS.get(suffix) == form):
        return Output("report", output, form or "json")
    if any(suffix in file_format.suffixes for file_format in FORMATS.values()):
        return Output("data", output, form or "table", None)
    if form is None and suffix != ".txt":
        raise UsageError(
            f"what to write to {printable(output, 400)!r} does not follow from its suffix: "
            "name a .arff file for the reduced data, or say --format json for the ranking"
        )
    return Output("report", output, form or "table")


def check_place(path: str, source: str, *, force: bool) -> None:
    """Refuse a place that cannot be written, before anything is computed."""
    if path == "-":
        return
    shown = repr(printable(path, 400))
    place = Path(path)
    if not path:
        raise UsageError("the name of the output is empty")
    try:
        if place.is_dir():
            raise UsageError(f"cannot write {shown}: it is a folder")
        if not place.parent.is_dir():
            folder = printable(place.parent, 400)
            raise UsageError(f"cannot write {shown}: there is no folder {folder!r}")
        if not place.exists():
            return
        if source != "-" and Path(source).exists() and place.samefile(source):
            raise UsageError(f"{shown} is the input: write the output to another file")
    except (OSError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"cannot write {shown}: {error}") from None
    if not force and place.is_file():
        raise UsageError(f"{shown} is there already; say --force to replace it")


def check_format(path: str, to: str | None, *, optional: bool = False) -> None:
    """Refuse a format that is not said, unknown or needs a package that is not there.

    `optional`: what is written need not be data.
    """
    from importlib.util import find_spec

    from mlfs.data.files import split_suffix
    from mlfs.data.formats import PICKLES, format_of

    suffix = split_suffix(path)[1]
    by_suffix = (name for name, form in FORMATS.items() if suffix in form.suffixes)
    kind = next(by_suffix, None) if to is None else format_of(path, to)
    if kind is not None and (package := FORMATS[kind].package) and find_spec(package) is None:
        raise MissingExtra(f"writing {kind}", package, FORMATS[kind].extra)
    if kind is None and not optional and path != "-" and suffix not in {".txt", *PICKLES}:
        raise UsageError(
            f"the format of {printable(path, 400)!r} does not follow from its suffix: say it with "
            f"--to, which takes {', '.join(WRITTEN)}"
        )


def formed(answer: Any, form: str) -> str:
    """A report in the form that was asked for."""
    from mlfs.api.text import json_text

    if form == "json":
        return json_text(answer.to_dict())
    text: str = answer.table() if form == "table" else getattr(answer, f"to_{form}")()
    return text


@contextmanager
def code_of_users() -> Iterator[None]:
    """Run criteria and models of users: what they print goes to stderr, and the folder is kept."""
    with redirect_stdout(sys.stderr), chdir("."):
        try:
            yield
        except SystemExit as stop:
            msg = f"a criterion or a model ended the program (sys.exit({stop.code!r}))"
            raise CriterionError(f"{msg}: it has to raise an error, or return") from None


def deliver(console: Console, report: str, path: str | None, *, force: bool) -> None:
    """Write a report to a file, or to stdout where there is none to write."""
    if path is None or path == "-":
        console.data(report)
    else:
        from mlfs.data.whole_files import replacing

        with replacing(path, force) as stream:
            stream.write(report.encode("utf-8", "backslashreplace"))
        console.detail(f"wrote {path}")
