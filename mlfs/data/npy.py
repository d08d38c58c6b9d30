"""One array as numpy writes it (.npy), read without trusting its header.

The header is not evaluated as Python (numpy does that): it is matched against the one form that
numpy writes. What it declares has to be what is there, byte for byte.
"""

from __future__ import annotations

import math
import re
import struct
from typing import NamedTuple

import numpy as np

__all__ = ["LONGEST", "Damaged", "Form", "Pickled", "array", "form_of"]

MAGIC = b"\x93NUMPY"
HEADER = re.compile(
    r"\{'descr': (?:'(?P<descr>[^'\\\\]{1,40})'|(?P<record>\[.*)), "
    r"'fortran_order': (?P<fortran>True|False), 'shape': \((?P<shape>[0-9, L]*)\),? *\}\s*",
    re.ASCII | re.DOTALL,
)
TYPE = re.compile(r"[<>|=]?([?bBiufcUSOmMV])([0-9]{0,10})(\[[^\]]*\])?", re.ASCII)
KINDS = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}
MOST_DIMENSIONS = 32
LONGEST = 1 << 16
LAST_CHARACTER = 0x10FFFF
HALVES = (0xD800, 0xDFFF)


class Damaged(Exception):
    """What is wrong with an array, in words that follow its name."""


class Pickled(Exception):
    """The array holds Python objects."""


def array(content: bytes) -> np.ndarray:
    """Read an array of numbers or text.

    Examples
    --------
    >>> import io
    >>> out = io.BytesIO()
    >>> np.save(out, np.eye(2))
    >>> array(out.getvalue()).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    form = form_of(content, len(content))
    dtype, shape = form.dtype, form.shape
    flat = np.frombuffer(content, dtype, offset=form.start)
    items = flat.reshape(shape[::-1]).T if form.by_column else flat.reshape(shape)
    if dtype.kind == "b":
        return items.view(np.uint8) != 0  # another byte than 0 and 1 would be another number
    if dtype.kind == "U":
        _check_characters(items.ravel(order="K"))
    return items.astype(dtype.newbyteorder("="), order="K", copy=True)


class Form(NamedTuple):
    """What the header of an array declares, and where its items start."""

    dtype: np.dtype
    shape: tuple[int, ...]
    by_column: bool
    start: int


def form_of(content: bytes, size: int) -> Form:
    """Read the header of an array.

    Parameters
    ----------
    content : bytes
        The file, or as much of it as has the header (`LONGEST` bytes and 12).
    size : int
        The bytes of the whole file.
    """
    header, start = _header(content)
    match = HEADER.fullmatch(header)
    if match is None:
        raise Damaged("cannot be read: its header is not what numpy writes")
    if match["record"]:
        raise Damaged("is a structured array; save a plain matrix")
    dtype = _dtype(match["descr"])
    shape = _shape(match["shape"])
    declared = dtype.itemsize * math.prod(shape)
    if declared != size - start:
        raise Damaged(f"declares {declared} bytes and holds {size - start}")
    if not dtype.itemsize:
        raise Damaged("holds items of no size")
    return Form(dtype, shape, match["fortran"] == "True", start)


def _header(content: bytes) -> tuple[str, int]:
    """The text of the header, and where the numbers start."""
    if not content.startswith(MAGIC) or len(content) < 12:
        raise Damaged("cannot be read: it does not start as a .npy file does")
    version = content[6]
    if version not in (1, 2, 3):
        raise Damaged(f"cannot be read: it is of version {version} of the .npy format")
    form, position = ("<H", 8) if version == 1 else ("<I", 8)
    (length,) = struct.unpack_from(form, content, position)
    start = position + struct.calcsize(form)
    if length > min(LONGEST, len(content) - start):
        raise Damaged("cannot be read: it ends in its header")
    return content[start : start + length].decode("latin-1"), start + length


def _dtype(descr: str) -> np.dtype:
    match = TYPE.fullmatch(descr)
    if match is None or match[3]:
        kind = match[1] if match else ""
        if kind not in ("m", "M"):
            raise Damaged("cannot be read: its header names no type of numbers or text")
    assert match is not None
    kind, size = match[1], int(match[2] or 0)
    if kind == "O":
        raise Pickled
    if kind in "mMV":
        raise Damaged(f"is of type {descr}; save numbers or text")
    if kind not in "US" and size not in KINDS.get(kind, ()):
        if kind == "f" and size in (12, 16):
            raise Damaged(f"is of type {descr}, which not every machine has; save it as float64")
        raise Damaged(f"cannot be read: there is no type {descr}")
    try:
        return np.dtype(descr)
    except (TypeError, ValueError, OverflowError):
        raise Damaged(f"cannot be read: there is no type {descr}") from None


def _shape(text: str) -> tuple[int, ...]:
    lengths = [length.strip().removesuffix("L") for length in text.split(",")]
    if lengths and not lengths[-1]:
        lengths.pop()
    if len(lengths) > MOST_DIMENSIONS or not all(
        length.isdigit() and len(length) < 19 for length in lengths
    ):
        raise Damaged("cannot be read: its header has no shape")
    return tuple(map(int, lengths))


def _check_characters(text: np.ndarray) -> None:
    codes = text.view(np.uint32) if text.dtype.isnative else text.byteswap().view(np.uint32)
    if codes.size and int(codes.max()) > LAST_CHARACTER:
        raise Damaged(f"holds the character {int(codes.max())}, which does not exist")
    if ((codes >= HALVES[0]) & (codes <= HALVES[1])).any():
        raise Damaged("holds half a surrogate pair, which is no character")
