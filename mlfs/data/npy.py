"""Arrays as numpy writes them: one alone, and the pair ``X.npy`` and ``Y.npy`` as a data set.

The file of the labels is named with ``--labels @Y.npy``; else it is the one beside it whose name
has a Y in the place of the last X (``train_X.npy`` and ``train_Y.npy``, ``x.npy`` and ``y.npy``).
A large X is packed a few rows at a time.

No header is trusted: what it declares has to be what is there, byte for byte. A pickle is never
opened.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mlfs.data.columns import refuse_infinite, refuse_merged
from mlfs.data.dataset import Dataset, NumberedNames, Source
from mlfs.data.files import InputFile
from mlfs.data.matrices import COUNTED_TYPES, needs_check
from mlfs.data.metadata import from_parts
from mlfs.data.request import Request
from mlfs.data.row_stack import DenseStack
from mlfs.errors import DataError, ParseError, UsageError, printable, setting


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    """Read a pair of files, of which the one of the features is named."""
    if not isinstance(source, InputFile) or not source.is_on_disk or source.compression:
        raise ParseError("an array of features is read from a plain file X.npy beside Y.npy", path)
    X, Y, labels = _array(source, request), None, _labels_file(path, request)
    if labels is not None:
        Y = _array(InputFile(labels, request.limits, request.max_memory), None)
    source.check_unchanged()
    data = from_parts(X, Y, replace(request, labels=None), path, "a pair of .npy files")
    by = "no file" if labels is None else f"the file {printable(labels, 400)}"
    return data.with_changes(source=Source(path, "npy", labels_by=by))


def _labels_file(path: str, request: Request) -> str | None:
    """The file of the labels; None if the labels of a model are known and there is no file."""
    labels = request.labels
    if isinstance(labels, str) and labels.startswith("@") and labels.endswith(".npy"):
        return labels[1:]
    if labels is not None:
        raise UsageError(
            f"{printable(path, 400)}: the labels of an array are in a file of their own; name it "
            f"with {setting('labels', '@Y.npy')}"
        )
    file = Path(path)
    for letter, label_letter in (("X", "Y"), ("x", "y")):
        before, match, after = file.stem.rpartition(letter)
        labels_path = file.with_name(f"{before}{label_letter}{after}{file.suffix}")
        if match and labels_path.is_file():
            return str(labels_path)
    if request.known is not None:
        return None
    raise UsageError(
        f"{printable(path, 400)}: there is no file of labels beside it; name it with "
        f"{setting('labels', '@Y.npy')}"
    )


def _array(file: InputFile, request: Request | None) -> Any:
    """The array of a file: features, of which a request is known, or labels."""
    path = file.path
    try:
        with file.open() as stream:
            size = stream.seek(0, io.SEEK_END)
            stream.seek(0)
            table = array(stream.read()) if request is None else matrix(stream, size, None, path)
    except Pickled:
        raise ParseError(
            "the array holds Python objects (a pickle), which are never opened; save numbers", path
        ) from None
    except DamagedArray as error:
        raise ParseError(f"the array {error}", path) from None
    if table.ndim == 0:
        raise ParseError("the array is a single value, not a matrix", path)
    return table


LONGEST = 1 << 16  # bytes, more than numpy reads of a header
MOST_DIMENSIONS = 32
FLOATS = {"f": (2, 4, 8), "c": (8, 16)}
UNLIKE_NUMPY = "cannot be read: its header is not what numpy writes"
LAST_CHARACTER = 0x10FFFF
HALVES = (0xD800, 0xDFFF)


class DamagedArray(Exception):
    """The fault of an array, in words that follow its name."""


class Pickled(Exception):
    """The array holds Python objects."""


def matrix(stream: Any, size: int, names: Sequence[str] | None, path: str) -> Any:
    """X in a stream of so many bytes.

    Parameters
    ----------
    names : sequence of str, optional
        The names of its columns.
    path : str
        The file, for messages.
    """
    head = stream.read(LONGEST + 12)
    form = form_of(head, size)
    is_counted = form.dtype.newbyteorder("=") in COUNTED_TYPES
    is_table = len(form.shape) == 2 and is_counted and bool(np.prod(form.shape))
    d = form.shape[1] if len(form.shape) == 2 else 0
    if names is None or len(names) != d:
        names = NumberedNames("x", d)
    whole = array(head + stream.read(size - len(head) + 1), size)
    if is_table:
        _refuse_numbers(whole, names, 0, path)
    return whole


def packed(
    parts: Iterable[np.ndarray], names: Sequence[str], request: Request, path: str
) -> np.ndarray:
    """Stack the rows of a table as they come; its columns have these names."""
    stack = DenseStack(request.max_memory)
    for rows in parts:
        _refuse_numbers(rows, names, stack.n_rows, path)
        stack.add(rows)
    return stack.finish()


def _refuse_numbers(rows: np.ndarray, names: Sequence[str], rows_before: int, path: str) -> bool:
    """Refuse numbers that cannot be used; whether there may be great ones."""
    if not needs_check(rows):
        return False
    try:
        refuse_merged(rows, names, rows_before)
        refuse_infinite(rows, names, rows_before)
    except DataError as error:
        raise error.in_file(path) from None
    return True


def array(content: bytes, size: int | None = None) -> np.ndarray:
    """Read an array of numbers or text.

    Examples
    --------
    >>> import io
    >>> out = io.BytesIO()
    >>> np.save(out, np.eye(2))
    >>> array(out.getvalue()).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if size is not None and len(content) != size:
        raise DamagedArray("cannot be read: it is not as long as the archive says")
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
    """The declaration in the header of an array, and where its items start."""

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
    stream = io.BytesIO(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that Python 2 wrote it
            is_first = np.lib.format.read_magic(stream) == (1, 0)
            form = np.lib.format
            read_header = form.read_array_header_1_0 if is_first else form.read_array_header_2_0
            shape, by_column, dtype = read_header(stream)
    except Exception:  # noqa: BLE001 -- it parses a header as Python, and that fails in any way
        raise DamagedArray(UNLIKE_NUMPY) from None
    if dtype.hasobject:
        raise Pickled
    if dtype.fields is not None:
        raise DamagedArray("is a structured array; save a plain matrix")
    if dtype.kind in "mMV":
        raise DamagedArray(f"is of type {dtype.str}; save numbers or text")
    if dtype.kind in "fc" and dtype.itemsize not in FLOATS[dtype.kind]:
        msg = f"is of type {dtype.str}, which not every machine has; save it as float64"
        raise DamagedArray(msg)
    if len(shape) > MOST_DIMENSIONS or min(shape, default=0) < 0:
        raise DamagedArray(UNLIKE_NUMPY)
    declared, held = dtype.itemsize * math.prod(shape), size - stream.tell()
    if declared != held:
        raise DamagedArray(f"declares {declared} bytes and holds {held}")
    if not dtype.itemsize:
        raise DamagedArray("holds items of no size")
    return Form(dtype, shape, by_column, stream.tell())


def _check_characters(text: np.ndarray) -> None:
    codes = text.view(np.uint32) if text.dtype.isnative else text.byteswap().view(np.uint32)
    if codes.size and int(codes.max()) > LAST_CHARACTER:
        raise DamagedArray(f"holds the character {int(codes.max())}, which does not exist")
    if ((codes >= HALVES[0]) & (codes <= HALVES[1])).any():
        raise DamagedArray("holds half a surrogate pair, which is no character")
