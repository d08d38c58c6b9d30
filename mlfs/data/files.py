"""Files that are read: decompressed by their suffix, bounded in size, text in pieces."""

from __future__ import annotations

import contextlib
import glob
import io
import re
import stat
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from mlfs.data.request import Limits, Request, refuse_memory, refuse_unpacked
from mlfs.errors import DataError, ParseError, UsageError, printable, setting

MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00"}
CHUNK = 1 << 20
HALVES = re.compile("[\ud800-\udfff]")
BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
BINARY = {
    b"PK\x03\x04": "a zip archive (.npz and .xlsx are such too)",
    b"\x1f\x8b": "a gzip file; give it the suffix .gz",
    b"BZh": "a bzip2 file; give it the suffix .bz2",
    b"\xfd7zXZ\x00": "an xz file; give it the suffix .xz",
    b"(\xb5/\xfd": "a zstd file; unpack it, or pack it as .gz, .bz2 or .xz",
    b"PAR1": f"a Parquet file; say {setting('format', 'parquet')}",
    b"MATLAB 5.0": f"a MATLAB file; say {setting('format', 'mat')}",
    b"\x89HDF": f"an HDF5 file; say {setting('format', 'h5ad')} if it is AnnData",
}
PATIENCE = 1.0


PIECE = 8 << 20  # bytes of text
LEAST_PIECE = 1 << 18
SHARE = 64  # of a limit of memory: what is made of a piece takes some ten times its bytes
HEAD = 1 << 16  # bytes that tell a format
PLAIN = frozenset({"utf-8", "utf8", "utf-8-sig"})  # encodings that need no decoding


class InputFile:
    """A file that is read from its start to its end, or bytes in memory.

    Standard input, a pipe and a device are read at once; without a suffix they are decompressed by
    their first bytes.

    Parameters
    ----------
    path : str
        What the user calls it; ``-`` is standard input.
    limits : Limits
        How much it may unpack to.
    max_memory : int, optional
        The most bytes that the rows may take in memory: pieces are small if it is little.
    content : bytes, optional
        What it holds, if that is in memory already.

    Attributes
    ----------
    size : int
        Its bytes, as they are stored.
    is_at_end : bool
        Whether the piece of text that came last is known to be the last one.
    """

    def __init__(
        self,
        path: str,
        limits: Limits,
        max_memory: int | None = None,
        content: bytes | None = None,
    ) -> None:
        self.path, self.limits, self.max_memory = path, limits, max_memory
        share = PIECE if max_memory is None else max(LEAST_PIECE, max_memory // SHARE)
        self.piece = min(PIECE, share)
        self.compression, self.is_at_end = "", False
        self._content = content
        if content is None and path == "-":
            self._content = b"".join(read_chunks(sys.stdin.buffer, "", "-", limits))
        if self._content is None:
            with telling(path, _hint(path)):
                self._state = Path(path).stat()
                self.compression = strip_compression(path)[1]
                if not stat.S_ISREG(self._state.st_mode):
                    with _open_file(path) as raw:
                        chunks = read_chunks(raw, self.compression, path, limits)
                        self._content = b"".join(chunks)
        self.size = self._state.st_size if self._content is None else len(self._content)

    @classmethod
    def of(cls, source: bytes | InputFile, path: str, request: Request) -> InputFile:
        """The file that a reader is given, which may be bytes."""
        if isinstance(source, InputFile):
            return source
        return cls(path, request.limits, request.max_memory, source)

    @property
    def is_on_disk(self) -> bool:
        """Whether it is a regular file."""
        return self._content is None

    def chunks(self, size: int | None = None) -> Iterator[bytes]:
        """Its content, unpacked, some bytes at a time."""
        size = size or self.piece
        if self._content is not None:
            for start in range(0, len(self._content), size):
                yield self._content[start : start + size]
            return
        with telling(self.path), Path(self.path).open("rb") as raw:
            if self.compression:
                packed = self._state.st_size
                yield from read_chunks(raw, self.compression, self.path, self.limits, packed=packed)
            else:
                while chunk := raw.read(size):
                    yield chunk
        self.check_unchanged()

    def check_unchanged(self) -> None:
        """Raise if the file is another one now, or longer."""
        if self._content is None:
            with telling(self.path):
                now, before = Path(self.path).stat(), self._state
            if (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
                raise DataError(f"{printable(self.path, 400)}: the file changed while it was read")

    def head(self) -> bytes:
        """The first bytes, none of an empty file."""
        return next(self.chunks(HEAD), b"")[:HEAD]

    def content(self) -> bytes:
        """All bytes, unpacked."""
        if self._content is not None:
            return self._content
        if self.size > PIECE:
            refuse_memory(self.size, self.max_memory)
        return b"".join(self.chunks())

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """A stream of the unpacked bytes in which one can seek."""
        if self.compression or self._content is not None:
            yield io.BytesIO(self.content())
            return
        with telling(self.path):
            raw = Path(self.path).open("rb")  # noqa: SIM115  # what reads it has errors of its own
        with raw:
            yield raw
        self.check_unchanged()

    def text(self, encoding: str) -> Iterator[bytes]:
        """The text as UTF-8 without a byte order mark, in pieces of whole lines.

        UTF-8 itself is *not* checked here: a reader checks what it decodes.
        """
        self.is_at_end, is_first = False, True
        chunks = self.chunks()
        if encoding.lower().replace("_", "-") not in PLAIN:
            text = utf8(self.content(), self.path, encoding)
            chunks, is_first = InputFile("", self.limits, self.max_memory, text).chunks(), False
        for piece in self._whole_lines(chunks):
            yield utf8(piece, self.path) if is_first else piece
            is_first = False

    def _whole_lines(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        pending: list[bytes] = []
        size = 0
        for chunk in chunks:
            pending.append(chunk)
            size += len(chunk)
            if size >= self.piece and (end := chunk.rfind(b"\n") + 1):
                pending[-1] = chunk[:end]
                yield b"".join(pending)
                pending, size = [chunk[end:]], len(chunk) - end
        self.is_at_end = True
        if size:
            yield b"".join(pending)


@contextlib.contextmanager
def telling(path: str, hint: str = "") -> Iterator[None]:
    """Say in a sentence why a file cannot be read; a hint goes with one that is not there."""
    shown = repr(printable(path, 400))
    try:
        yield
    except FileNotFoundError:
        raise UsageError(f"there is no file {shown}{hint}") from None
    except IsADirectoryError:
        fault = f"{shown} is a folder, not a file" if path else "the name of the file is empty"
        raise UsageError(fault) from None
    except OSError as error:
        raise DataError(f"cannot read {shown}: {error.strerror or error}") from None
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise UsageError(f"{shown} is not the name of a file") from None


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
    if encoding.lower().replace("_", "-") not in PLAIN:
        return decode(content, path, encoding).encode("utf-8")
    if content.startswith(UTF16):
        raise ParseError(f"this is UTF-16 text; say {setting('encoding', 'utf-16')}", path, 1, 1)
    return content


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
        remedy = f"say which one it is, for example {setting('encoding', 'cp1252')}"
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


def valid_lines(text: bytes, path: str, lines_before: int) -> tuple[bytes, ParseError | None]:
    """The lines of a piece before the first byte that is no UTF-8, and the error for that one."""
    try:
        if not text.isascii():
            text.decode()
    except UnicodeDecodeError as error:
        try:
            decode(text, path, "utf-8", lines_before)
        except ParseError as fault:
            return text[: text.rfind(b"\n", 0, error.start) + 1], fault
    return text, None


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


def files_of(path: str) -> list[str]:
    """The files that a pattern (``*``, ``?``, ``[...]``) names, in the order of their names.

    What is no pattern is the name of one file.
    """
    if not glob.has_magic(path) or Path(path).exists():
        return [path]
    names = sorted(glob.glob(path))  # noqa: PTH207  # as a shell finds them
    if not names:
        raise UsageError(f"no file matches {printable(path, 400)!r}")
    return names


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


def read_small(file: str) -> bytes:
    """Read a file that says which columns are labels."""
    try:
        with _open_file(file) as stream:
            return stream.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        shown = repr(printable(file, 400))
        raise UsageError(f"cannot read the labels from {shown}: {reason}") from None


def read_chunks(
    raw: Any, compression: str, path: str, limits: Limits, *, packed: int = 0
) -> Iterator[bytes]:
    """Read a stream to its end, a chunk at a time.

    Parameters
    ----------
    raw : binary stream
        What is read.
    compression : {"", ".gz", ".bz2", ".xz"}
        How it is compressed; if it is empty, the first bytes say it.
    path : str
        What a user calls it.
    limits : Limits
        How much it may be.
    packed : int
        Its bytes, if they are known.
    """
    import bz2
    import gzip
    import lzma
    import zlib

    raw = raw if hasattr(raw, "peek") else io.BufferedReader(raw)
    start = raw.peek(8)[:8] if not compression else b""
    compression = compression or next(
        (suffix for suffix, magic in MAGIC.items() if start.startswith(magic)), ""
    )
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    stream = openers[compression](raw) if compression else raw
    size = 0
    try:
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            refuse_unpacked(limits, size, packed, path)
            yield chunk
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        if not compression:
            raise
        shown = printable(path, 400)
        raise DataError(f"{shown} is not a whole {compression} file: {error}") from None
