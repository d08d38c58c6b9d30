"""npz: the arrays ``X`` and ``Y`` in one file; a pickle is never opened.

===============================================  ==============================================
``X``                                            rows by features, numbers, booleans or text
``X_data X_indices X_indptr X_shape``            the same as a scipy CSR matrix (without
                                                 ``X_data``, every entry is 1)
``Y``, or ``Y_data Y_indices Y_indptr Y_shape``  the labels, in any shape of `label_arrays`
``feature_names label_names``                    text, optional
``weights``                                      the weights of the rows, optional
``nominal_columns nominal_values``               optional: text by text, the column and its value;
                                                 X then holds positions in these values
``label_columns label_values``                   the same for Y; -1 is then a missing label
===============================================  ==============================================

`write` stores all of these, so everything reads back equal, sparse as sparse. Only what was left
out and the notes are not kept.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset, Source
from mlfs.data.files import InputFile
from mlfs.data.labels.finding import first_duplicate
from mlfs.data.metadata import from_parts, pairs, values_of
from mlfs.data.request import Request, refuse_sparse, refuse_unpacked
from mlfs.errors import DataError, ParseError, listed, printable

SPARSE = ("data", "indices", "indptr", "shape")
KNOWN = (
    *("X", "Y", *(f"{key}_{part}" for key in "XY" for part in SPARSE)),
    *("feature_names", "label_names", "weights"),
    *("nominal_columns", "nominal_values", "label_columns", "label_values"),
)


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    """Read an npz file.

    Examples
    --------
    >>> import io
    >>> out = io.BytesIO()
    >>> np.savez(out, X=np.array([[0.5], [2.0]]), Y=np.array([[0, 1], [1, 0]]))
    >>> read(out.getvalue(), "t.npz", Request()).label_names
    ['y0', 'y1']
    """
    file = InputFile.of(source, path, request)
    with file.open() as stream:
        archive = Archive(stream, file)
        for key in ("X",) if request.known is not None else ("X", "Y"):
            archive.demand(key)
        X = archive.matrix("X")
        Y = archive.matrix("Y") if {"Y", "Y_indptr"} & {*archive.arrays} else None
    nominal = archive.values("nominal", int(X.shape[1]) if X.ndim == 2 else 0)
    width = int(Y.shape[1]) if Y is not None and Y.ndim == 2 else 0
    data = from_parts(
        X,
        Y,
        request,
        path,
        "an npz file",
        names=(archive.texts("feature_names"), archive.texts("label_names")),
        weights=archive.arrays.get("weights"),
        nominal=nominal,
        values=None if Y is None else archive.values("label", width),
    )
    return data.with_changes(source=Source(path, "npz", labels_by="the array Y"))


class Archive:
    """The arrays of a zip file, as `numpy.load` reads them.

    Parameters
    ----------
    stream : binary file
        What is read.
    file : InputFile
        Its path, size and limits.
    """

    def __init__(self, stream: BinaryIO, file: InputFile) -> None:
        self.path, self.limits = file.path, file.limits
        try:
            entries = zipfile.ZipFile(stream).infolist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            stream.seek(0)
            noun = "one .npy array" if stream.read(6) == b"\x93NUMPY" else "no npz (zip) file"
            remedy = "write one with numpy.savez(file, X=X, Y=Y)"
            raise ParseError(f"this is {noun}; {remedy}", self.path) from None
        unpacked = sum(entry.file_size for entry in entries)
        refuse_unpacked(self.limits, unpacked, file.size, self.path)
        if entries and not any(entry.filename.endswith(".npy") for entry in entries):
            shown = listed([entry.filename for entry in entries], 3)
            raise ParseError(
                f"this is a zip archive of {shown}, not of arrays: unpack it", self.path
            )
        duplicate = first_duplicate(entry.filename for entry in entries)
        if duplicate is not None:
            name = printable(duplicate.removesuffix(".npy"))
            raise ParseError(f"the array {name} is there twice; keep one", self.path)
        self.names = [entry.filename.removesuffix(".npy") for entry in entries]
        self.arrays: dict[str, np.ndarray] = {}
        for key in KNOWN:
            if key in self.names:
                self.arrays[key] = self._array(stream, key)

    def _array(self, stream: BinaryIO, key: str) -> np.ndarray:
        try:
            stream.seek(0)
            array: np.ndarray = np.load(stream, allow_pickle=False)[key]
            if array.dtype.kind == "U" and array.dtype.itemsize:
                "".join(array.ravel().tolist()).encode()  # half a surrogate pair is no character
        except Exception as error:  # noqa: BLE001 -- damaged headers and streams fail in any way
            if "allow_pickle" in str(error):
                fault = (
                    "holds Python objects (a pickle), which are never opened; save numbers, or "
                    "text with .astype(str)"
                )
            else:
                fault = "cannot be read: it is damaged, or not as numpy writes it"
            raise ParseError(f"the array {key} {fault}", self.path) from None
        if array.dtype.kind in "OV" or not array.dtype.itemsize:
            fault = f"is of type {array.dtype}; save numbers or text"
            raise ParseError(f"the array {key} {fault}", self.path)
        return array.view(np.uint8) != 0 if array.dtype.kind == "b" else array

    def demand(self, key: str) -> None:
        """Refuse a file without a matrix."""
        if not {key, f"{key}_indptr"} & {*self.arrays}:
            raise self._missing(key)

    def matrix(self, key: str) -> Any:
        """X or Y, dense or from the parts of a CSR matrix."""
        if f"{key}_indptr" not in self.arrays:
            if self.arrays[key].ndim == 0:
                raise ParseError(f"the array {key} is a single value, not a matrix", self.path)
            return self.arrays.pop(key)
        if key in self.arrays:
            raise ParseError(f"{key} is there dense and as {key}_indptr; keep one", self.path)
        parts = {part: self.arrays.get(f"{key}_{part}") for part in SPARSE}
        absent = [part for part in ("indices", "shape") if parts[part] is None]
        if absent:
            raise ParseError(
                f"the array {key}_{absent[0]} of a CSR matrix is missing beside {key}_indptr",
                self.path,
            )
        return self._sparse(key, parts)

    def _sparse(self, key: str, parts: dict[str, Any]) -> sp.csr_array:
        shape, indptr, indices = parts["shape"], parts["indptr"], parts["indices"]
        are_integers = all(
            parts[part].dtype.kind in "iu" for part in ("shape", "indptr", "indices")
        )
        if not are_integers or shape.shape != (2,) or indptr.ndim != 1 or indices.ndim != 1:
            raise ParseError(
                f"{key}_shape, {key}_indptr and {key}_indices are not those of a CSR matrix",
                self.path,
            )
        n, d = (int(length) for length in shape)
        if min(n, d) < 0:
            raise ParseError(f"{key}_shape is {n} x {d}", self.path)
        refuse_sparse(self.limits, (d,), self.path)
        data = np.ones(len(indices)) if parts["data"] is None else parts["data"]
        try:
            matrix = sp.csr_array((data, indices, indptr), shape=(n, d))
            matrix.check_format(full_check=True)
            if (
                matrix.indptr[1:] < matrix.indptr[:-1]
            ).any():  # scipy looks only where there are entries
                raise ValueError("indptr must be a non-decreasing sequence")
        except (ValueError, TypeError, OverflowError) as error:
            raise ParseError(
                f"{key}_indptr, {key}_indices and {key}_shape do not make a CSR matrix: "
                f"{printable(error)}",
                self.path,
            ) from None
        return matrix

    def _missing(self, key: str) -> ParseError:
        if {*self.names} >= {"format", "indptr"}:
            return ParseError(
                "this is one sparse matrix from scipy.sparse.save_npz, so Y is missing; save both: "
                "numpy.savez(file, X_data=X.data, X_indices=X.indices, X_indptr=X.indptr, "
                "X_shape=X.shape, Y=Y)",
                self.path,
            )
        names = ", ".join(printable(name, 20) for name in self.names[:10])
        return ParseError(
            f"there is no array {key} (nor {key}_data, {key}_indices, {key}_indptr, {key}_shape); "
            f"the file holds: {names or 'nothing'}",
            self.path,
        )

    def texts(self, key: str) -> list[str] | None:
        """An array of texts as a list, or None if it is not there."""
        array = self.arrays.get(key)
        if array is None:
            return None
        if array.ndim != 1 or array.dtype.kind != "U":
            raise ParseError(f"the array {key} is not a list of texts", self.path)
        return [str(text) for text in array.tolist()]

    def values(self, key: str, width: int) -> list[tuple[str, ...]] | None:
        """The values of each column, empty for a column that has none; None if not there."""
        texts, columns = self.texts(f"{key}_values"), self.arrays.get(f"{key}_columns")
        return values_of(columns, texts, key, width, self.path)


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write an npz file that holds everything.

    Examples
    --------
    >>> import io
    >>> out = io.BytesIO()
    >>> from mlfs.data.arrays import from_arrays
    >>> write(from_arrays([[0.5], [2.0]], [[0, 1], [1, 0]]), out)
    >>> sorted(np.load(io.BytesIO(out.getvalue())))[:3]
    ['X', 'Y', 'feature_names']
    """
    arrays: dict[str, Any] = {}
    for key, matrix in (("X", dataset.table), ("Y", dataset.Y)):
        if sp.issparse(matrix):
            for part in SPARSE:
                arrays[f"{key}_{part}"] = np.asarray(getattr(matrix, part))
        else:
            arrays[key] = matrix
    arrays["feature_names"] = _unicode(dataset.feature_names)
    arrays["label_names"] = _unicode(dataset.label_names)
    if dataset.weights is not None:
        arrays["weights"] = dataset.weights
    nominal = [column.values for column in dataset.columns]
    for key, column_values in (
        ("nominal", nominal),
        ("label", [label.values for label in dataset.labels]),
    ):
        if any(column_values):
            arrays[f"{key}_columns"], texts = pairs(column_values)
            arrays[f"{key}_values"] = _unicode(texts)
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, array in arrays.items():
            with archive.open(f"{key}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)


def _unicode(texts: Sequence[str]) -> np.ndarray:
    odd = next((text for text in texts if text.endswith("\0")), None)
    if odd is not None:
        raise DataError(f"the name {printable(odd)!r} ends in a NUL, which npz drops: rename it")
    return np.array(list(texts), dtype=np.str_)
