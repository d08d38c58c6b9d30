"""Decompress files, and read pipes, within limits."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from mlfs.data.request import Limits, exceeded
from mlfs.errors import DataError, printable

__all__ = ["MAGIC", "read_chunks", "unpack"]

MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00"}
CHUNK = 1 << 20
RATIO_FROM = 16 << 20


def unpack(
    raw: BinaryIO, compression: str, path: str, limits: Limits, *, sniff: bool = False
) -> bytes:
    """Read a stream to its end; see `read_chunks` for the parameters."""
    return b"".join(read_chunks(raw, compression, path, limits, sniff=sniff))


def read_chunks(
    raw: BinaryIO, compression: str, path: str, limits: Limits, *, sniff: bool = False
) -> Iterator[bytes]:
    """Read a stream to its end, a chunk at a time.

    Parameters
    ----------
    raw : binary stream
        What is read.
    compression : {"", ".gz", ".bz2", ".xz"}
        How it is compressed.
    path : str
        What a user calls it.
    limits : Limits
        How much it may be.
    sniff : bool
        Find the compression by the first bytes where `compression` is empty.
    """
    import lzma
    import zlib

    start = b""
    if sniff and not compression:
        start = raw.read(8)
        compression = next(
            (suffix for suffix, magic in MAGIC.items() if start.startswith(magic)), ""
        )
    counted = _Counted(raw, start)
    stream = _decompressor(counted, compression) if compression else counted
    size = 0
    try:
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            if size > limits.max_decompressed:
                noun = "unpacked bytes"
                raise exceeded(limits, "max_decompressed", size, noun, path, enough=2 * size)
            ratio = size // max(1, counted.size)
            if compression and size > RATIO_FROM and ratio > limits.max_ratio:
                noun = "bytes for each compressed byte"
                raise exceeded(limits, "max_ratio", ratio, noun, path, enough=10 * ratio)
            yield chunk
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        if not compression:
            raise
        shown = printable(path, 400)
        raise DataError(f"{shown} is not a whole {compression} file: {error}") from None


def _decompressor(raw: Any, compression: str) -> Any:
    if compression == ".gz":
        import gzip

        return gzip.GzipFile(fileobj=raw)
    return _Streams(raw, compression)


class _Streams:
    """Decompresses .bz2 or .xz streams that follow each other.

    The readers of the standard library drop whatever follows the first stream and is not one,
    so a file damaged between its streams would lose rows silently.
    """

    def __init__(self, raw: Any, compression: str) -> None:
        import bz2
        import lzma

        self.raw = raw
        self.make: Any = bz2.BZ2Decompressor if compression == ".bz2" else lzma.LZMADecompressor
        self.stream: Any = self.make()
        self.first = True

    def read(self, size: int) -> bytes:
        """At most `size` bytes more, none at the end."""
        import lzma

        while True:
            if self.stream.eof:
                packed = self.stream.unused_data.lstrip(b"\0")  # zeros may pad a stream
                while not packed:
                    packed = self.raw.read(CHUNK)
                    if not packed:
                        return b""
                    packed = packed.lstrip(b"\0")
                self.stream, self.first = self.make(), False
            else:
                packed = self.raw.read(CHUNK) if self.stream.needs_input else b""
                if self.stream.needs_input and not packed:
                    raise EOFError("it ends too early")
            try:
                chunk: bytes = self.stream.decompress(packed, size)
            except (OSError, ValueError, EOFError, lzma.LZMAError) as error:
                prefix = "" if self.first else "what follows its first stream is damaged: "
                raise OSError(f"{prefix}{error}") from None
            if chunk:
                return chunk


class _Counted(io.RawIOBase):
    """A raw stream that counts the bytes read from it; `start` was read already."""

    def __init__(self, raw: BinaryIO, start: bytes) -> None:
        self.raw, self.start, self.size = raw, start, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            data, self.start = self.start + self.raw.read(), b""
        else:
            data, self.start = self.start[:size], self.start[size:]
            if len(data) < size:
                data += self.raw.read(size - len(data))
        self.size += len(data)
        return data

    def seekable(self) -> bool:
        return False
