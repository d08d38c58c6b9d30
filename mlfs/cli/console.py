"""Console output: data to stdout, everything else to stderr; colours, quiet and verbose."""

from __future__ import annotations

import errno
import io
import os
import sys
from dataclasses import dataclass
from typing import Any, TextIO

import click

__all__ = ["ClosedOutput", "Console", "console_of"]


class ClosedOutput(io.StringIO):
    """The stdout of a process that was started without one (``>&-``): nothing can be written."""

    def write(self, text: str) -> int:
        """Refuse, as the system does."""
        del text
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "stdout, which is closed")

    @property
    def buffer(self) -> Any:
        """The same for bytes."""
        return self


@dataclass
class Console:
    """What the user wants to hear, and how.

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

    def table(self, text: str, stream: TextIO | None = None) -> None:
        """Print a table with its first line bold where colours are wanted."""
        stream = stream or sys.stdout
        if self.colorful(stream):
            first, line_end, rest = text.partition("\n")
            text = click.style(first, bold=True) + line_end + rest
        stream.write(text)
        stream.flush()

    def note(self, text: str) -> None:
        """Say something that a user should know."""
        if not self.quiet:
            self._say("note", "yellow", text)

    def detail(self, text: str) -> None:
        """Say something that only the curious want to know."""
        if self.verbose and not self.quiet:
            self._say("", "", text)

    def error(self, text: str) -> None:
        """Say why it did not work."""
        self._say("error", "red", text)

    def _say(self, kind: str, colour: str, text: str) -> None:
        tag = f"{kind}: " if kind else ""
        if tag and self.colorful(sys.stderr):
            tag = click.style(tag, fg=colour, bold=True)
        sys.stderr.write(f"mlfs: {tag}{text}\n")
        sys.stderr.flush()


def console_of(context: click.Context) -> Console:
    """The console of a run."""
    return context.ensure_object(Console)
