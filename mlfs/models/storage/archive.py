r"""One file of a JSON header and raw arrays, with a digest over every byte.

==============================  =================================================================
``\x93MLFS\r\n\x1a``            8 bytes that say what it is and notice a changed line end
version, header, body           three little-endian 64-bit numbers: the format's version and the
                                lengths of what follows
the header                      JSON in UTF-8; ``"arrays"`` lists type, order and shape of each
the body                        the arrays, one after the other, each padded to 8 bytes
SHA-256                         32 bytes, of everything before them
==============================  =================================================================

The sizes are checked against the size of the file before anything is read, the digest before
anything is parsed, and the shapes against the length of the body before any array is made.
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

from mlfs.errors import DataError, UsageError, printable

MAGIC = b"\x93MLFS\r\n\x1a"
VERSION = 2
SIZES = struct.Struct("<QQQ")
START = len(MAGIC) + SIZES.size
DIGEST = hashlib.sha256().digest_size
MAX_HEADER = 64 << 20
MOST_NODES = 4_000_000  # values, objects and lists of a header, which take memory when read
MAX_DIMENSIONS = 8
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
    listed = [[_type(array), _order(array), list(array.shape)] for array in arrays]
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

    def put(piece: Any) -> None:
        digest.update(piece)
        stream.write(piece)

    body = sum(_padded_size(array.nbytes) for array in arrays)
    put(MAGIC + SIZES.pack(VERSION, len(content), body) + content)
    for array in arrays:
        plain = np.ascontiguousarray(array.T if _order(array) == "F" else array, array.dtype)
        plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
        put(plain.tobytes() + bytes(_padded_size(array.nbytes) - array.nbytes))
    stream.write(digest.digest())


def _nodes(header: bytes) -> int:
    """An upper bound of the number of values in a header, without parsing it."""
    return sum(header.count(sign) for sign in (b",", b"[", b"{"))


def _type(array: np.ndarray) -> str:
    return array.dtype.newbyteorder("<").str


def _order(array: np.ndarray) -> str:
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _padded_size(size: int) -> int:
    return -(-size // STEP) * STEP


def read_archive(path: str) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Read what `write_archive` wrote; anything else is refused in one sentence."""
    content, header_size = _read_checked(path)
    end = START + header_size
    text = bytes(content[START:end])
    if _nodes(text) > MOST_NODES:
        raise _damaged(path, f"its header has {_nodes(text)} values of at most {MOST_NODES}")
    try:
        header = json.loads(
            text.decode(), parse_constant=_no_constant, object_pairs_hook=_without_twins
        )
    except (ValueError, RecursionError):
        raise _damaged(path, "its header is not the JSON that mlfs writes") from None
    if not isinstance(header, dict) or not isinstance(header.get("arrays"), list):
        raise _damaged(path, "its header is not the JSON that mlfs writes")
    return header, _arrays(header["arrays"], content[end:-DIGEST], path)


def _read_checked(path: str) -> tuple[memoryview, int]:
    """The bytes of a file whose start, sizes and digest are right, and the header's length."""
    shown = repr(printable(path, 400))
    try:
        _refuse_pipe(path, shown)
        with Path(path).open("rb") as stream:
            status = os.fstat(stream.fileno())
            start = stream.read(START)
            header, body = _sizes(start, path)
            size = START + header + body + DIGEST
            if status.st_size != size:
                word = "shorter" if status.st_size < size else "longer"
                message = f"{status.st_size} bytes, {word} than the {size} that it declares"
                raise _damaged(path, message)
            if header > MAX_HEADER:
                raise _damaged(path, f"its header has {header} bytes of at most {MAX_HEADER}")
            content = memoryview(bytearray(size))
            content[:START] = start
            if stream.readinto(content[START:]) != size - START:
                raise _damaged(path, "it changed while it was read")
    except FileNotFoundError:
        raise UsageError(f"there is no file {shown}") from None
    except IsADirectoryError:
        raise UsageError(f"{shown} is a folder, not a file") from None
    except OSError as error:
        raise DataError(f"cannot read {shown}: {error.strerror or error}") from None
    except ValueError as error:
        if isinstance(error, (DataError, UsageError)):
            raise
        raise UsageError(f"{shown} is not the name of a file") from None
    if hashlib.sha256(content[:-DIGEST]).digest() != content[-DIGEST:]:
        raise _damaged(path, "its bytes do not agree with their digest")
    version = SIZES.unpack(start[len(MAGIC) :])[0]
    if version != VERSION:
        raise DataError(
            f"{shown} is a model file of version {version}, and this mlfs reads version {VERSION}: "
            f"{'upgrade mlfs' if version > VERSION else 'train the model again'}"
        )
    return content, header


def _refuse_pipe(path: str, shown: str) -> None:
    """Refuse a pipe before it is opened, which would wait for its writer."""
    mode = Path(path).stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UsageError(f"{shown} is no ordinary file: a model is read from one")


def _sizes(start: bytes, path: str) -> tuple[int, int]:
    shown = repr(printable(path, 400))
    if len(start) == START and start.startswith(MAGIC):
        _, header, body = SIZES.unpack(start[len(MAGIC) :])
        return int(header), int(body)
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


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a name is there twice")
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _arrays(listed: list[Any], body: memoryview, path: str) -> list[np.ndarray]:
    """The arrays, once all of their sizes are known to fill the body."""
    plans: list[tuple[np.dtype[Any], str, tuple[int, ...], int]] = []
    total = 0
    for description in listed:
        plan = _plan(description)
        if plan is None:
            raise _damaged(path, f"{printable(json.dumps(description))} describes no array")
        total += _padded_size(plan[3])
        if total > len(body):
            raise _damaged(path, "its arrays declare more bytes than it holds")
        plans.append(plan)
    if total != len(body):
        raise _damaged(path, f"its arrays take {total} of the {len(body)} bytes of its body")
    arrays: list[np.ndarray] = []
    position = 0
    for dtype, order, shape, size in plans:
        flat = np.frombuffer(
            body[position : position + size], np.uint8 if dtype.kind == "b" else dtype
        )
        if dtype.kind == "b":
            if (flat > 1).any():
                raise _damaged(path, "a truth value is neither 0 nor 1")
            flat = flat.view(bool)
        array = flat.reshape(shape[::-1]).T if order == "F" else flat.reshape(shape)
        arrays.append(array.astype(dtype.newbyteorder("="), order="K", copy=True))
        position += _padded_size(size)
    return arrays


def _plan(description: Any) -> tuple[np.dtype[Any], str, tuple[int, ...], int] | None:
    if not (isinstance(description, list) and len(description) == 3):
        return None
    name, order, shape = description
    if not (isinstance(name, str) and name in TYPES and order in ("C", "F")):
        return None
    if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
        return None
    if not all(type(length) is int and 0 <= length < 1 << 48 for length in shape):
        return None
    # numpy multiplies the lengths in the same way
    if math.prod(max(length, 1) for length in shape) >= 1 << 48:
        return None
    return TYPES[name], order, tuple(shape), TYPES[name].itemsize * math.prod(shape)
