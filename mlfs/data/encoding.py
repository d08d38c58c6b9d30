"""The encodings of text files: UTF-8, or what the user says it is."""

from __future__ import annotations

import re

from mlfs.errors import ParseError, UsageError, printable

__all__ = ["UTF16", "decoded", "utf8"]

HALVES = re.compile("[\ud800-\udfff]")
UTF16 = (b"\xff\xfe", b"\xfe\xff")
BINARY = {
    b"PK\x03\x04": "a zip archive (.npz and .xlsx are such too)",
    b"\x1f\x8b": "a gzip file; give it the suffix .gz",
    b"BZh": "a bzip2 file; give it the suffix .bz2",
    b"\xfd7zXZ\x00": "an xz file; give it the suffix .xz",
    b"PAR1": "a Parquet file; say --from parquet",
    b"MATLAB 5.0": "a MATLAB file; say --from mat",
    b"\x89HDF": "an HDF5 file",
}


def utf8(content: bytes, path: str, encoding: str = "utf-8") -> bytes:
    """Bring the bytes of a text file to UTF-8 without a byte order mark.

    UTF-8 itself is *not* checked here (a reader checks the few names that it decodes);
    use `decoded` for a text that is decoded whole.

    Examples
    --------
    >>> utf8(b"\\xe9", "a.arff", "latin-1")
    b'\\xc3\\xa9'
    """
    if content.startswith(b"\xef\xbb\xbf"):
        return content[3:]
    name = encoding.lower().replace("_", "-")
    if name in ("utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii"):
        if content.startswith(UTF16):
            raise ParseError("this is UTF-16 text; say --encoding utf-16", path, 1, 1)
        return content
    return decoded(content, path, encoding).encode("utf-8")


def decoded(content: bytes, path: str, encoding: str = "utf-8") -> str:
    """Decode a text file whole, with the place of the first byte that does not decode.

    Examples
    --------
    >>> decoded(b"caf\\xc3\\xa9", "a.csv")
    'café'
    """
    if content.startswith(b"\xef\xbb\xbf"):
        content, encoding = content[3:], "utf-8"
    try:
        text = content.decode(encoding)
    except LookupError:
        raise UsageError(f"there is no encoding called {printable(encoding)!r}") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        remedy = "say which one it is with --encoding, for example --encoding latin-1"
        if content.startswith(UTF16):
            remedy = "say --encoding utf-16"
        binary = next((what for start, what in BINARY.items() if content.startswith(start)), None)
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
            "character; say which encoding it is with --encoding",
            path,
        )
    return text
