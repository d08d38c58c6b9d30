"""A text file in pieces of whole lines, that can be read again from its start."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from mlfs.data.files import strip_compression
from mlfs.data.request import Limits
from mlfs.data.unpacking import chunks_of
from mlfs.errors import DataError, printable

__all__ = ["PIECE", "TextPieces", "is_plain"]

PIECE = 16 << 20  # bytes of text
PLAIN = frozenset({"utf-8", "utf8", "utf-8-sig"})  # encodings that need no decoding
BOM = b"\xef\xbb\xbf"
EXPECTED = 16  # bytes that a compressed byte may well stand for


def is_plain(encoding: str) -> bool:
    """Whether a text of this encoding needs no decoding."""
    return encoding.lower().replace("_", "-") in PLAIN


class TextPieces:
    """The pieces of a file: bytes that end with a line end, but for the last.

    Parameters
    ----------
    path : str
        A file on disk, compressed or not.
    limits : Limits
        How much a compressed file may unpack to.
    """

    def __init__(self, path: str, limits: Limits) -> None:
        self.path, self.limits = path, limits
        self.compression = strip_compression(path)[1]
        self._state = self._stat()

    @classmethod
    def of(cls, path: str, limits: Limits) -> TextPieces | None:
        """The pieces of a file that may have more than one; None for any other, and for a pipe."""
        if path == "-":
            return None
        try:
            found = Path(path).stat()
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        least = PIECE // EXPECTED if strip_compression(path)[1] else PIECE
        return cls(path, limits) if found.st_size > least else None

    def __iter__(self) -> Iterator[bytes]:
        try:
            self._check_unchanged()
            with Path(self.path).open("rb") as raw:
                yield from _whole_lines(self._chunks(raw))
            self._check_unchanged()
        except OSError as error:
            reason = error.strerror or str(error)
            raise DataError(f"cannot read {printable(self.path, 400)!r}: {reason}") from None

    def texts(self) -> Iterator[bytes]:
        """The pieces without a byte order mark."""
        start = True
        for piece in self:
            yield piece.removeprefix(BOM) if start else piece
            start = False

    @property
    def size(self) -> int:
        """The bytes of the file."""
        return self._state[0]

    def _chunks(self, raw: BinaryIO) -> Iterator[bytes]:
        if self.compression:
            yield from chunks_of(raw, self.compression, self.path, self.limits)
        else:
            while chunk := raw.read(PIECE):
                yield chunk

    def _check_unchanged(self) -> None:
        if self._stat() != self._state:
            raise DataError(f"{printable(self.path, 400)}: the file changed while it was read")

    def _stat(self) -> tuple[int, int]:
        found = os.stat(self.path)  # noqa: PTH116  # a name that is no path is refused by `of`
        return found.st_size, found.st_mtime_ns


def _whole_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size < PIECE:
            continue
        at = chunk.rfind(b"\n") + 1
        if at:
            held[-1] = chunk[:at]
            yield b"".join(held)
            rest = chunk[at:]
            held, size = [rest], len(rest)
    if size:
        yield b"".join(held)
