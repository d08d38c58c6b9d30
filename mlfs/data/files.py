"""Read files, whole or in pieces: compression by suffix, bounded in size."""

from __future__ import annotations

import glob
import os
import re
import stat
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from mlfs.data.request import Limits, exceeded
from mlfs.data.unpacking import MAGIC, read_chunks, unpack
from mlfs.errors import DataError, ParseError, UsageError, printable, setting

__all__ = [
    "BOM",
    "PIECE",
    "UTF16",
    "TextPieces",
    "decode",
    "files_of",
    "has_pattern",
    "is_plain",
    "read_bytes",
    "read_small",
    "size_of",
    "split_suffix",
    "strip_compression",
    "utf8",
    "utf8_text",
]

HALVES = re.compile("[\ud800-\udfff]")
BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
BINARY = {
    b"PK\x03\x04": "a zip archive (.npz and .xlsx are such too)",
    b"\x1f\x8b": "a gzip file; give it the suffix .gz",
    b"BZh": "a bzip2 file; give it the suffix .bz2",
    b"\xfd7zXZ\x00": "an xz file; give it the suffix .xz",
    b"PAR1": f"a Parquet file; say {setting('format', 'parquet')}",
    b"MATLAB 5.0": f"a MATLAB file; say {setting('format', 'mat')}",
    b"\x89HDF": "an HDF5 file",
}
PATIENCE = 1.0


def utf8(content: bytes, path: str, encoding: str = "utf-8") -> bytes:
    """Bring the bytes of a text file to UTF-8 without a byte order mark.

    UTF-8 itself is *not* checked here (a reader checks the few names that it decodes);
    use `decode` for a text that is decoded whole.

    Examples
    --------
    >>> utf8(b"\\xe9", "a.arff", "latin-1")
    b'\\xc3\\xa9'
    """
    if content.startswith(BOM):
        return content[3:]
    name = encoding.lower().replace("_", "-")
    if name in ("utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii"):
        if content.startswith(UTF16):
            raise ParseError(
                f"this is UTF-16 text; say {setting('encoding', 'utf-16')}", path, 1, 1
            )
        return content
    return decode(content, path, encoding).encode("utf-8")


def utf8_text(content: bytes, path: str, encoding: str) -> bytes:
    """Like `utf8`, where all of another encoding than UTF-8 is checked."""
    if encoding.lower() in ("ascii", "us-ascii"):
        return decode(content, path, encoding).encode("utf-8")
    return utf8(content, path, encoding)


def decode(content: bytes, path: str, encoding: str = "utf-8", lines_before: int = 0) -> str:
    """Decode a text file whole, with the place of the first byte that does not decode.

    `lines_before` is the number of lines of the file before these.

    Examples
    --------
    >>> decode(b"caf\\xc3\\xa9", "a.csv")
    'café'
    """
    if not lines_before and content.startswith(BOM):
        content, encoding = content[3:], "utf-8"
    try:
        text = content.decode(encoding)
    except LookupError:
        raise UsageError(f"there is no encoding called {printable(encoding)!r}") from None
    except UnicodeDecodeError as error:
        line = lines_before + content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        remedy = f"say which one it is, for example {setting('encoding', 'latin-1')}"
        if content.startswith(UTF16):
            remedy = f"say {setting('encoding', 'utf-16')}"
        binary = next((kind for magic, kind in BINARY.items() if content.startswith(magic)), None)
        if binary is not None:
            raise ParseError(f"this is no text but {binary}", path) from None
        raise ParseError(
            f"byte 0x{content[error.start]:02x} is not {printable(encoding)} text; {remedy}",
            path,
            line,
            column,
        ) from None
    except ValueError:
        raise UsageError(f"{printable(encoding)!r} is not an encoding of text files") from None
    if encoding != "utf-8" and not text.isascii() and HALVES.search(text):
        raise ParseError(
            f"read as {printable(encoding)}, the text holds half a surrogate pair, which is no "
            f"character; say which encoding it is with {setting('encoding')}",
            path,
        )
    return text


def strip_compression(path: str) -> tuple[str, str]:
    """Split the suffix of a compression off a path.

    Examples
    --------
    >>> strip_compression("data/bibtex.arff.XZ")
    ('data/bibtex.arff', '.xz')
    >>> strip_compression("bibtex.arff")
    ('bibtex.arff', '')
    """
    suffix = Path(path).suffix
    return (path[: -len(suffix)], suffix.lower()) if suffix.lower() in MAGIC else (path, "")


def split_suffix(path: str) -> tuple[str, str]:
    """Split the suffix of the format, in lower case, off a path; a compression does not count.

    Examples
    --------
    >>> split_suffix("data/bibtex.ARFF.xz")
    ('data/bibtex', '.arff')
    """
    plain = strip_compression(path)[0]
    suffix = Path(plain).suffix
    return plain.removesuffix(suffix), suffix.lower()


def has_pattern(path: str) -> bool:
    """Whether a path is a pattern (``*``, ``?``, ``[...]``) and not the name of a file."""
    return glob.has_magic(path) and not Path(path).exists()


def files_of(path: str) -> list[str]:
    """The plain files that a path or a pattern names, in the order of their names.

    There are none for standard input, a pipe, a compressed file and a file that is not there.
    """
    if has_pattern(path):
        names = sorted(glob.glob(path))  # noqa: PTH207  # as a shell finds them
        if not names:
            raise UsageError(f"no file matches {printable(path, 400)!r}")
        return names
    try:
        is_plain = stat.S_ISREG(Path(path).stat().st_mode) and not strip_compression(path)[1]
    except (OSError, ValueError):
        return []
    return [path] if is_plain and path != "-" else []


def size_of(path: str) -> int:
    """The bytes of a plain file, 0 for any other."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) and path != "-" else 0


def read_bytes(path: str, limits: Limits | None = None) -> bytes:
    """Read a file whole, decompressed by its suffix; ``-`` is standard input.

    Standard input, a pipe and a device without a suffix are decompressed by their first bytes.
    What is unpacked, and what comes from a pipe, is bounded by
    ``limits.max_decompressed``.
    """
    limits = limits or Limits()
    if path == "-":
        return unpack(sys.stdin.buffer, "", "-", limits, sniff=True)
    try:
        with _open_file(path) as raw:
            compression = strip_compression(path)[1]
            regular = stat.S_ISREG(os.fstat(raw.fileno()).st_mode)
            if regular and not compression:
                return raw.read()
            return unpack(raw, compression, path, limits, sniff=not regular)
    except FileNotFoundError:
        raise UsageError(f"there is no file {printable(path, 400)!r}{_hint(path)}") from None
    except IsADirectoryError:
        if not path:
            raise UsageError("the name of the file is empty") from None
        raise UsageError(f"{printable(path, 400)!r} is a folder, not a file") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"cannot read {printable(path, 400)!r}: {reason}") from None
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise UsageError(f"{printable(path, 400)!r} is not the name of a file") from None


def _hint(path: str) -> str:
    """A hint, where a path may be meant as the name of a data set."""
    if not re.fullmatch(r"[A-Za-z][\w-]*", path):
        return ""
    return "; mlfs.datasets has data sets by name, as in mlfs.datasets.load_songs()"


def _open_file(path: str) -> BinaryIO:
    """Open a file; warn if it is a named pipe without a writer, since opening waits for one."""
    if not Path(path).is_fifo():
        return Path(path).open("rb")
    waiting = f"{printable(path, 400)!r} is a pipe into which nothing writes yet: waiting for that"
    note = threading.Timer(PATIENCE, warnings.warn, (waiting,))
    note.daemon = True
    note.start()
    try:
        return Path(path).open("rb")
    finally:
        note.cancel()


def read_small(file: str, limits: Limits) -> bytes:
    """Read a file that says which columns are labels, bounded by ``limits.max_xml_bytes``."""
    shown = repr(printable(file, 400))
    try:
        with _open_file(file) as stream:
            content = stream.read(limits.max_xml_bytes + 1)
            size = max(len(content), os.fstat(stream.fileno()).st_size)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot read the labels from {shown}: {reason}") from None
    if len(content) > limits.max_xml_bytes:
        raise exceeded(limits, "max_xml_bytes", size, "bytes of label names", file)
    return content


PIECE = 16 << 20  # bytes of text
LEAST_PIECE = 1 << 18
LOOK_BACK = 1 << 16  # bytes, to find where a line begins
SHARE = 64  # of a limit of memory: what is made of a piece takes some ten times its bytes
PLAIN = frozenset({"utf-8", "utf8", "utf-8-sig"})  # encodings that need no decoding
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
    max_memory : int, optional
        The most bytes that the rows may take in memory: pieces are small if it is little.
    """

    def __init__(self, path: str, limits: Limits, max_memory: int | None = None) -> None:
        self.path, self.limits = path, limits
        most = PIECE if max_memory is None else max(LEAST_PIECE, max_memory // SHARE)
        self._piece = min(PIECE, most)
        self.compression = strip_compression(path)[1]
        self._state = self._stat()

    @classmethod
    def of(cls, path: str, limits: Limits, max_memory: int | None = None) -> TextPieces | None:
        """The pieces of a file that may have more than one; None for any other, and for a pipe."""
        if path == "-":
            return None
        try:
            status = Path(path).stat()
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        pieces = cls(path, limits, max_memory)
        least = pieces._piece // (EXPECTED if pieces.compression else 1)
        return pieces if status.st_size > least else None

    def __iter__(self) -> Iterator[bytes]:
        return (text for _, text in self.read_between(0, len(self.sizes)))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The bytes of each piece; a compressed file is one that is read part by part."""
        if self.compression:
            return (self.size,)
        n_full, remainder = divmod(self.size, self._piece)
        return (self._piece,) * n_full + (remainder,) * bool(remainder)

    def read_between(self, first: int, last: int) -> Iterator[tuple[int, bytes]]:
        """The pieces from `first` to before `last`, each with its number.

        A piece has the lines that end in its bytes, and the last one the rest. Without such a line
        it is left out.
        """
        is_end = last >= len(self.sizes)
        if first >= last:
            return
        try:
            self._check_unchanged()
            with Path(self.path).open("rb") as raw:
                raw.seek(self._line_start(raw, first))
                chunks = self._chunks(raw, None if is_end else last * self._piece, first)
                for k, text in _whole_lines(chunks, self._piece, to_end=is_end):
                    yield first + k, text
            self._check_unchanged()
        except OSError as error:
            reason = error.strerror or str(error)
            raise DataError(f"cannot read {printable(self.path, 400)!r}: {reason}") from None

    def start(self) -> bytes:
        """The first piece, without a byte order mark."""
        return next(iter(self), b"").removeprefix(BOM)

    def read_after(self, piece: int) -> Iterator[bytes]:
        """The pieces after one."""
        first = 0 if self.compression else piece + 1
        return (text for k, text in self.read_between(first, len(self.sizes)) if k > piece)

    def begins_file(self, first: int) -> bool:
        """Whether the lines from a piece on are all lines of the file."""
        with Path(self.path).open("rb") as raw:
            return self._line_start(raw, first) == 0

    def _line_start(self, raw: BinaryIO, first: int) -> int:
        """Where the line begins that goes on in a piece, or that begins there."""
        stop = first * self._piece
        while stop:
            start = max(0, stop - LOOK_BACK)
            raw.seek(start)
            if offset := raw.read(stop - start).rfind(b"\n") + 1:
                return start + offset
            stop = start
        return 0

    @property
    def size(self) -> int:
        """The bytes of the file."""
        return self._state[0]

    def _chunks(self, raw: BinaryIO, stop: int | None, first: int) -> Iterator[bytes]:
        """The text to before `stop`, cut where pieces are; first what is left of piece `first`."""
        if self.compression:
            yield from read_chunks(raw, self.compression, self.path, self.limits)
            return
        position, end = raw.tell(), (first + 1) * self._piece
        while (stop is None or position < stop) and (chunk := raw.read(end - position)):
            yield chunk
            position, end = end, end + self._piece

    def _check_unchanged(self) -> None:
        """Raise if the file is missing or is another one now."""
        if self._stat() != self._state:
            raise DataError(f"{printable(self.path, 400)}: the file changed while it was read")

    def _stat(self) -> tuple[int, int]:
        status = os.stat(self.path)  # noqa: PTH116  # a name that is no path is refused by `of`
        return status.st_size, status.st_mtime_ns


def _whole_lines(
    chunks: Iterator[bytes], least: int, *, to_end: bool
) -> Iterator[tuple[int, bytes]]:
    """Whole lines of at least so many bytes, with the number of the chunk in which they end.

    What follows the last of them has a number of its own.
    """
    pending: list[bytes] = []
    k = size = 0
    for k, chunk in enumerate(chunks):
        pending.append(chunk)
        size += len(chunk)
        if size < least:
            continue
        if end := chunk.rfind(b"\n") + 1:
            pending[-1] = chunk[:end]
            yield k, b"".join(pending)
            pending, size = [chunk[end:]], len(chunk) - end
    if size and to_end:
        yield k + 1, b"".join(pending)
