"""MATLAB files up to version 7, as scipy reads them: ``data`` and ``target``, or two parts.

- ``data`` is N x D, ``target`` Q x N or N x Q: what fits the rows of ``data`` decides, and where
  both fit (N = Q) it is Q x N, as such files have it. A ``data`` that only fits as D x N
  is transposed.
- ``train_data``, ``train_target``, ``test_data`` and ``test_target`` are stacked, train first.
- Labels are 0/1 or -1/+1; NaN is missing. Sparse matrices stay sparse.
- Version 7.3 (HDF5) is refused with the remedy. Other variables are not read; a note names them.

`write` keeps besides ``data`` (N x D) and ``target`` (Q x N): ``feature_names`` and
``label_names`` as cell arrays of text, ``nominal_columns`` with ``nominal_values`` (the values of
nominal columns, whose positions stand in ``data``, with the column of each, from one),
``label_columns`` with ``label_values`` (the same for the labels; -1 is then a missing label) and
``weights``. So everything reads back equal.
"""

from __future__ import annotations

import io
import math
import struct
import warnings
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset, Source, stack
from mlfs.data.files import InputFile
from mlfs.data.metadata import from_parts, pairs, values_of
from mlfs.data.request import Request, refuse_more, refuse_sparse, refuse_unpacked
from mlfs.errors import DataError, MlfsError, ParseError, printable

MATRICES = ("data", "target", "train_data", "train_target", "test_data", "test_target")
TEXTS = ("feature_names", "label_names", "nominal_values", "label_values")
NUMBERS = ("nominal_columns", "label_columns", "weights")
KNOWN = frozenset((*MATRICES, *TEXTS, *NUMBERS))
WORDS = ("cell", "char")
OTHERS = (*WORDS, "struct", "object", "opaque", "function", "unknown")
EIGHT = 8  # bytes of a number, at most
MOST = 1 << 31


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    """Read a MATLAB file.

    Examples
    --------
    >>> import scipy.io
    >>> out = io.BytesIO()
    >>> scipy.io.savemat(out, {"data": np.eye(3), "target": np.array([[1, -1, 1], [-1, -1, 1]])})
    >>> read(out.getvalue(), "t.mat", Request()).Y.tolist()
    [[1, 0], [0, 0], [1, 1]]
    """
    arrays, others = _load(InputFile.of(source, path, request))
    notes: list[str] = []
    bare = request.known is not None and "data" in arrays and "target" not in arrays
    if bare:
        arrays["target"] = np.zeros((arrays["data"].shape[0], 0))
        arrays.pop("label_names", None)
    X, Y = _matrices(arrays, path, notes)
    if others:
        shown = ", ".join(printable(name, 30) for name in others[:10])
        notes.append(f"not read from the file: {shown}")
    d = int(X.shape[1])
    feature_names = _texts(arrays, "feature_names", d, path)
    label_names = _texts(arrays, "label_names", Y.shape[1], path)
    weights = arrays.get("weights")
    nominal = _values(arrays, "nominal", d, path)
    values = _values(arrays, "label", Y.shape[1], path)
    data = from_parts(
        X,
        None if bare else Y,
        request,
        path,
        "a .mat file",
        names=(feature_names, label_names),
        weights=None if weights is None else np.ravel(weights),
        nominal=nominal,
        values=values,
    )
    by = Source(path, "mat", labels_by="the variable target")
    return data.with_changes(source=by, notes=(*notes, *data.notes))


def _load(file: InputFile) -> tuple[dict[str, Any], list[str]]:
    """The variables we know, and the names of the others."""
    from scipy.io import loadmat, whosmat

    path, limits = file.path, file.limits
    try:
        with file.open() as stream, warnings.catch_warnings():
            warnings.simplefilter("error")  # of a variable that is there twice
            found = whosmat(stream)
            for name, shape, kind in found:
                _check_variable(name, kind, path)
                if name in KNOWN and kind == "sparse":
                    refuse_sparse(limits, shape, path)
                elif name in KNOWN:
                    refuse_more(limits, "max_cells", math.prod(shape), f"cells of {name}", path)
                    refuse_unpacked(limits, EIGHT * math.prod(shape), file.size, path)
            stream.seek(0)
            arrays = loadmat(stream, variable_names=[*KNOWN], spmatrix=False)
            read = {key: arrays[key] for key in KNOWN if key in arrays}
            for key in {*TEXTS} & {*read}:
                read[key] = _texts_in(key, read[key])
    except NotImplementedError:
        raise ParseError(
            "this is a MATLAB 7.3 file (HDF5), which is not read; save it in MATLAB with "
            "save('file.mat', 'data', 'target', '-v7')",
            path,
        ) from None
    except Exception as error:
        if isinstance(error, MlfsError):
            raise
        fault = f"this is not a MATLAB file of version 4 to 7: {printable(error)}"
        raise ParseError(fault, path) from None
    return read, [name for name, _, _ in found if name not in KNOWN and name]


def _check_variable(name: str, kind: str, path: str) -> None:
    """Refuse a variable of ours that is of another class than it should be."""
    is_right = kind in WORDS if name in TEXTS else kind not in OTHERS
    if name not in KNOWN or is_right:
        return
    wanted = "a cell array of text" if name in TEXTS else "a matrix of numbers"
    raise ParseError(f"the variable {name} is of class {kind}; {wanted} is expected", path)


def _texts_in(name: str, cells: np.ndarray) -> list[str]:
    """The texts of a cell array, or the rows of a matrix of characters."""
    texts = []
    for cell in cells.ravel(order="F").tolist():
        parts = [cell] if isinstance(cell, str) else np.ravel(cell).tolist()
        if len(parts) > 1 or not all(isinstance(part, str) for part in parts):
            raise ValueError(f"a cell of {name} holds other than one text")
        texts.append("".join(parts))
    return texts


def _matrices(arrays: dict[str, Any], path: str, notes: list[str]) -> tuple[Any, Any]:
    has_whole = {"data", "target"} <= arrays.keys()
    prefixes = [
        prefix
        for prefix in ("train_", "test_")
        if {prefix + "data", prefix + "target"} <= arrays.keys()
    ]
    if has_whole and prefixes:
        raise ParseError("data and target are there, and train_data and so on too; keep one", path)
    if not has_whole and not prefixes:
        present = ", ".join(name for name in MATRICES if name in arrays)
        raise ParseError(
            "the variables data and target (or train_data, train_target, test_data, test_target) "
            f"are expected; of these the file holds: {present or 'none'}",
            path,
        )
    oriented = [_orient(arrays, prefix, path, notes) for prefix in (prefixes or [""])]
    if len(oriented) == 1:
        return oriented[0]
    (X, Y), (X2, Y2) = oriented
    if X.shape[1] != X2.shape[1] or Y.shape[1] != Y2.shape[1]:
        raise ParseError(
            f"train has {X.shape[1]} features and {Y.shape[1]} labels, test has {X2.shape[1]} and "
            f"{Y2.shape[1]}; they must agree",
            path,
        )
    notes.append(f"rows: {X.shape[0]} of train_data, then {X2.shape[0]} of test_data")
    return stack(X, X2), stack(Y, Y2)


def _orient(arrays: dict[str, Any], prefix: str, path: str, notes: list[str]) -> tuple[Any, Any]:
    X, Y = arrays[prefix + "data"], arrays[prefix + "target"]
    if X.ndim != 2 or Y.ndim != 2:
        raise ParseError(f"{prefix}data and {prefix}target are matrices of two dimensions", path)
    n = X.shape[0]
    if n not in Y.shape and X.shape[1] in Y.shape:
        notes.append(f"{prefix}data is D x N in this file and was transposed")
        X, n = X.T, X.shape[1]
    if n not in Y.shape:
        raise ParseError(
            f"{prefix}data is {X.shape[0]} x {X.shape[1]} and {prefix}target {Y.shape[0]} x "
            f"{Y.shape[1]}; one side of the target must be the number of rows",
            path,
        )
    if Y.shape[0] == Y.shape[1] and "label_values" not in arrays:
        notes.append(f"{prefix}target is square and was taken as labels by rows (Q x N)")
    return X, Y.T if Y.shape[1] == n else Y


def _texts(arrays: dict[str, Any], key: str, length: int, path: str) -> list[str] | None:
    """The names of columns."""
    names: list[str] | None = arrays.get(key)
    if names is not None and len(names) != length:
        raise ParseError(f"{key} holds {len(names)} names for {length} columns", path)
    return names


def _values(
    arrays: dict[str, Any], key: str, width: int, path: str
) -> list[tuple[str, ...]] | None:
    columns = arrays.get(f"{key}_columns")
    if columns is not None:
        columns = _positions(columns, f"{key}_columns", path)
    return values_of(columns, arrays.get(f"{key}_values"), key, width, path)


def _positions(columns: Any, key: str, path: str) -> np.ndarray:
    """Positions that count from one in the file, and from zero here."""
    flat = np.ravel(columns.toarray() if sp.issparse(columns) else columns)
    if ((flat < 1) | (flat > MOST) | (flat != np.floor(flat))).any():
        raise ParseError(f"{key} names a column that is not there", path)
    return flat.astype(np.int64) - 1


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a MATLAB file of version 5.

    Examples
    --------
    >>> out = io.BytesIO()
    >>> from mlfs.data.arrays import from_arrays
    >>> write(from_arrays([[0.5], [2.0]], [[0, 1], [1, 0]]), out)
    >>> read(out.getvalue(), "t.mat", Request()).label_names
    ['y0', 'y1']
    """
    from scipy.io import savemat

    Y = dataset.Y.T
    arrays: dict[str, Any] = {
        "data": sp.csc_matrix(dataset.X) if dataset.is_sparse else dataset.X,
        "target": sp.csc_matrix(Y, dtype=np.float64) if sp.issparse(Y) else Y,
        "feature_names": _cells(dataset.feature_names),
        "label_names": _cells(dataset.label_names),
    }
    for key, columns in (
        ("nominal", [column.values for column in dataset.columns]),
        ("label", [label.values for label in dataset.labels]),
    ):
        positions, values = pairs(columns)
        if values:
            arrays[f"{key}_columns"] = positions + 1.0
            arrays[f"{key}_values"] = _cells(values)
    if dataset.weights is not None:
        arrays["weights"] = dataset.weights.reshape(-1, 1)
    buffer = io.BytesIO()
    try:
        savemat(buffer, arrays, do_compression=True)
    except (ValueError, OverflowError, struct.error) as error:
        raise DataError(
            f"the data do not fit into a MATLAB 5 file ({printable(error)}): write .npz instead"
        ) from None
    stream.write(buffer.getbuffer())


def _cells(texts: Sequence[str]) -> np.ndarray:
    odd = next((text for text in texts if "\0" in text), None)
    if odd is not None:
        raise DataError(f"the name {printable(odd)!r} holds a NUL, which .mat drops: rename it")
    cells = np.empty((len(texts), 1), dtype=object)
    cells[:, 0] = texts
    return cells
