r"""One file of a JSON header and raw arrays, with a digest over every byte.

==============================  =================================================================
``\x93MLFS\r\n\x1a``            8 bytes that say what it is and notice a changed line end
version, header, body           three little-endian 64-bit numbers: the format's version and the
                                lengths of what follows
the header                      JSON in UTF-8; ``"arrays"`` lists type, order and shape of each
the body                        the arrays, one after the other, each padded to 8 bytes
SHA-256                         32 bytes, of everything before them
==============================  =================================================================

The sizes are checked against the size of the file before the rest is read, the digest before
anything is parsed, and a shape against the length of the body before its array is made.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mlfs.data.files import telling
from mlfs.errors import DataError, UsageError, printable

MAGIC = b"\x93MLFS\r\n\x1a"
VERSION = 2
SIZES = struct.Struct("<QQQ")
START = len(MAGIC) + SIZES.size
DIGEST = hashlib.sha256().digest_size
MAX_HEADER = 64 << 20
MOST_NODES = 4_000_000  # values, objects and lists of a header, which take memory when read
STEP = 8
TYPES = {
    np.dtype(name).str.replace("=", "<"): np.dtype(name).newbyteorder("<")
    for name in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
}
FOREIGN = {
    b"PK\x03\x04": "a zip file (npz, skops)",
    b"\x80": "a pickle, which is never opened, for it can run any code",
    b"x\x9c": "a compressed pickle (joblib), which is never opened",
    b"\x1f\x8b": "a gzip file",
    b"\x93NUMPY": "a numpy array",
}


def write_archive(stream: BinaryIO, header: dict[str, Any], arrays: Sequence[np.ndarray]) -> None:
    """Write a header and arrays of the types in `TYPES`.

    Examples
    --------
    >>> import io
    >>> out = io.BytesIO()
    >>> write_archive(out, {"a": 1}, [np.arange(3, dtype=np.int32)])
    >>> out.getvalue()[32:66]
    b'{"a":1,"arrays":[["<i4","C",[3]]]}'
    """
    listed: list[tuple[str, Any, list[int]]] = []
    for array in arrays:
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        listed.append((array.dtype.newbyteorder("<").str, order, list(array.shape)))
    content = json.dumps(
        {**header, "arrays": listed}, allow_nan=False, separators=(",", ":"), check_circular=False
    ).encode()
    if len(content) > MAX_HEADER or _nodes(content) > MOST_NODES:
        raise DataError(
            f"the model is too large for a file: its description takes {len(content)} bytes of at "
            f"most {MAX_HEADER} with {_nodes(content)} values of at most {MOST_NODES}; train with "
            "fewer labels, or with fewer or smaller learners"
        )
    digest = hashlib.sha256()

    def put(piece: bytes) -> None:
        digest.update(piece)
        stream.write(piece)

    body = sum(_padded_size(array.nbytes) for array in arrays)
    put(MAGIC + SIZES.pack(VERSION, len(content), body) + content)
    for array, (dtype, layout, _) in zip(arrays, listed, strict=True):
        put(array.astype(TYPES[dtype], copy=False).tobytes(layout))
        put(bytes(_padded_size(array.nbytes) - array.nbytes))
    stream.write(digest.digest())


def _nodes(header: bytes) -> int:
    """An upper bound of the number of values in a header, without parsing it."""
    return sum(header.count(sign) for sign in (b",", b"[", b"{"))


def _padded_size(size: int) -> int:
    return -(-size // STEP) * STEP


def read_archive(path: str) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Read what `write_archive` wrote; anything else is refused in one sentence."""
    content, header_size = _read_checked(path)
    end = START + header_size
    text = content[START:end]
    if _nodes(text) > MOST_NODES:
        raise _damaged(path, f"its header has {_nodes(text)} values of at most {MOST_NODES}")
    try:
        header = json.loads(text.decode())
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or not isinstance(header.get("arrays"), list):
        raise _damaged(path, "its header is not the JSON that mlfs writes")
    return header, _arrays(header["arrays"], memoryview(content)[end:-DIGEST], path)


def _read_checked(path: str) -> tuple[bytes, int]:
    """The bytes of a file whose start, sizes and digest are right, and the header's length."""
    shown = repr(printable(path, 400))
    with telling(path):
        mode = Path(path).stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # to open a pipe waits for its writer
        raise UsageError(f"{shown} is no ordinary file: a model is read from one")
    with telling(path), Path(path).open("rb") as stream:
        start = stream.read(START)
        version, header, body = _sizes(start, path)
        actual, size = os.fstat(stream.fileno()).st_size, START + header + body + DIGEST
        if actual != size:
            word = "shorter" if actual < size else "longer"
            raise _damaged(path, f"{actual} bytes, {word} than the {size} that it declares")
        if header > MAX_HEADER:
            raise _damaged(path, f"its header has {header} bytes of at most {MAX_HEADER}")
        stream.seek(0)
        content = stream.read()
    if hashlib.sha256(memoryview(content)[:-DIGEST]).digest() != content[-DIGEST:]:
        raise _damaged(path, "its bytes do not agree with their digest")
    if version != VERSION:
        raise DataError(
            f"{shown} is a model file of version {version}, and this mlfs reads version {VERSION}: "
            f"{'upgrade mlfs' if version > VERSION else 'train the model again'}"
        )
    return content, header


def _sizes(start: bytes, path: str) -> tuple[int, int, int]:
    """The version, and the lengths of header and body, from the first bytes."""
    shown = repr(printable(path, 400))
    if len(start) == START and start.startswith(MAGIC):
        return SIZES.unpack(start[len(MAGIC) :])
    if not start:
        raise DataError(f"{shown} is empty: a model file is what mlfs train writes")
    if start.startswith(MAGIC[: len(start)]):
        raise _damaged(path, "it ends within its first bytes")
    if start.startswith(MAGIC[:5]):
        raise _damaged(path, "its first bytes are changed, as a transfer as text does")
    kind = next((name for magic, name in FOREIGN.items() if start.startswith(magic)), "")
    message = f"{shown} is {kind}" if kind else f"{shown} does not start as a model file does"
    raise DataError(f"{message}: a model file is what mlfs train writes")


def _damaged(path: str, fault: str) -> DataError:
    return DataError(f"the model file {printable(path, 400)!r} is damaged: {fault}")


def _arrays(listed: list[Any], body: memoryview, path: str) -> list[np.ndarray]:
    """The arrays, each once its size is known to be within the body."""
    arrays: list[np.ndarray] = []
    position = 0
    for description in listed:
        plan = _plan(description)
        if plan is None:
            raise _damaged(path, f"{printable(json.dumps(description))} describes no array")
        dtype, order, shape = plan
        count = math.prod(shape)
        end = position + _padded_size(dtype.itemsize * count)
        if end > len(body):
            raise _damaged(path, "its arrays declare more bytes than it holds")
        flat = np.frombuffer(body, "u1" if dtype.kind == "b" else dtype, count, position)
        if dtype.kind == "b" and (flat > 1).any():
            raise _damaged(path, "a truth value is neither 0 nor 1")
        array = flat.reshape(shape, order=order)
        arrays.append(array.astype(dtype.newbyteorder("="), order="K", copy=True))
        position = end
    if position != len(body):
        raise _damaged(path, f"its arrays take {position} of the {len(body)} bytes of its body")
    return arrays


def _plan(description: Any) -> tuple[np.dtype[Any], Any, tuple[int, ...]] | None:
    """The type, order and shape of an array; None if it is not described as one."""
    match description:
        case [str(name), "C" | "F" as order, list(shape)] if name in TYPES:
            lengths = all(type(length) is int and length >= 0 for length in shape)
            # numpy multiplies the lengths in the same way
            if lengths and len(shape) <= 8 and math.prod(max(n, 1) for n in shape) < 1 << 48:
                return TYPES[name], order, tuple(shape)
    return None
