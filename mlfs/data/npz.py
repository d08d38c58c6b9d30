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
out and the notes are not kept. The sizes that the archive and the arrays declare are checked
against the limits and against each other before anything is allocated.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data import npy
from mlfs.data.dataset import Dataset, Source
from mlfs.data.files import InputFile
from mlfs.data.labels.finding import first_duplicate
from mlfs.data.metadata import from_parts, pairs, values_of
from mlfs.data.request import Request, refuse_empty, refuse_unpacked
from mlfs.errors import DataError, MlfsError, ParseError, listed, printable

BROKEN = (
    zipfile.BadZipFile, ValueError, OSError, EOFError, zlib.error, RuntimeError,
    NotImplementedError, struct.error, OverflowError,
)  # fmt: skip
SPARSE = ("data", "indices", "indptr", "shape")


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    """Read an npz file.

    Examples
    --------
    >>> out = io.BytesIO()
    >>> np.savez(out, X=np.array([[0.5], [2.0]]), Y=np.array([[0, 1], [1, 0]]))
    >>> read(out.getvalue(), "t.npz", Request()).label_names
    ['y0', 'y1']
    """
    with InputFile.of(source, path, request).open() as stream:
        archive = Archive(stream, path, request)
        feature_names = archive.texts("feature_names")
        has_labels = {"Y", "Y_indptr"} & archive.entries.keys()
        for key in ("X",) if request.known is not None else ("X", "Y"):
            archive.demand(key)
        X = archive.matrix("X", feature_names)
        Y = archive.matrix("Y") if has_labels else None
        label_names, weights = archive.texts("label_names"), archive.get("weights")
        nominal = archive.values("nominal", int(X.shape[1]) if X.ndim == 2 else 0)
        width = int(Y.shape[1]) if Y is not None and Y.ndim == 2 else 0
        values = None if Y is None else archive.values("label", width)
    data = from_parts(
        X,
        Y,
        request,
        path,
        "an npz file",
        names=(feature_names, label_names),
        weights=weights,
        nominal=nominal,
        values=values,
    )
    return data.with_changes(source=Source(path, "npz", labels_by="the array Y"))


class Archive:
    """The arrays of a zip file, each checked before it is read.

    Parameters
    ----------
    file : binary file
        What is read.
    path, request
        As for `read`.
    """

    def __init__(self, file: Any, path: str, request: Request) -> None:
        self.path, self.request, self.limits = path, request, request.limits
        limits, start = self.limits, file.read(6)
        self.size = file.seek(0, io.SEEK_END)
        try:
            self.zip = zipfile.ZipFile(file)
        except BROKEN:
            noun = "one .npy array" if start == b"\x93NUMPY" else "no npz (zip) file"
            raise ParseError(
                f"this is {noun}; write one with numpy.savez(file, X=X, Y=Y)", path
            ) from None
        entries = self.zip.infolist()
        total = sum(entry.file_size for entry in entries)
        refuse_unpacked(limits, total, self.size, path, is_all=True)
        if entries and not any(entry.filename.endswith(".npy") for entry in entries):
            shown = listed([entry.filename for entry in entries], 3)
            raise ParseError(f"this is a zip archive of {shown}, not of arrays: unpack it", path)
        names = [entry.filename.removesuffix(".npy") for entry in entries]
        duplicate = first_duplicate(names)
        if duplicate is not None:
            raise ParseError(f"the array {printable(duplicate)} is there twice; keep one", path)
        self.entries = dict(zip(names, entries, strict=True))

    def get(self, key: str, names: Sequence[str] | None = None) -> Any:
        """One array, or None if it is not there; `names` are those of its columns."""
        entry = self.entries.get(key)
        if entry is None:
            return None
        try:
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise npy.DamagedArray("cannot be read: it is packed otherwise than numpy does")
            if entry.header_offset < 0:
                raise npy.DamagedArray("cannot be read: it stands outside of the archive")
            size = entry.file_size
            with self.zip.open(entry) as stream:
                if key == "X":
                    return npy.matrix(stream, size, names, self.path)
                return npy.array(stream.read(size + 1), size)
        except MlfsError:
            raise
        except npy.Pickled:
            raise ParseError(
                f"the array {key} holds Python objects (a pickle), which are never opened; "
                "save numbers, or text with .astype(str)",
                self.path,
            ) from None
        except npy.DamagedArray as error:
            raise ParseError(f"the array {key} {error}", self.path) from None
        except BROKEN as error:
            msg = f"the array {key} cannot be read: {printable(error)}"
            raise ParseError(msg, self.path) from None

    def demand(self, key: str) -> None:
        """Refuse a file without a matrix."""
        if not {key, f"{key}_indptr"} & self.entries.keys():
            raise self._missing(key)

    def matrix(self, key: str, names: Sequence[str] | None = None) -> Any:
        """X or Y, dense or from the parts of a CSR matrix."""
        self.demand(key)
        if f"{key}_indptr" not in self.entries:
            array = self.get(key, names)
            if array.ndim == 0:
                raise ParseError(f"the array {key} is a single value, not a matrix", self.path)
            return array
        if key in self.entries:
            raise ParseError(f"{key} is there dense and as {key}_indptr; keep one", self.path)
        parts = {part: self.get(f"{key}_{part}") for part in SPARSE}
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
        refuse_empty(self.limits, (n, d), self.size, self.path)
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
        if self.entries.keys() >= {"format", "indptr"}:
            return ParseError(
                "this is one sparse matrix from scipy.sparse.save_npz, so Y is missing; save both: "
                "numpy.savez(file, X_data=X.data, X_indices=X.indices, X_indptr=X.indptr, "
                "X_shape=X.shape, Y=Y)",
                self.path,
            )
        names = ", ".join(printable(name, 20) for name in list(self.entries)[:10])
        return ParseError(
            f"there is no array {key} (nor {key}_data, {key}_indices, {key}_indptr, {key}_shape); "
            f"the file holds: {names or 'nothing'}",
            self.path,
        )

    def texts(self, key: str) -> list[str] | None:
        """An array of texts as a list, or None if it is not there."""
        array = self.get(key)
        if array is None:
            return None
        if array.ndim != 1 or array.dtype.kind != "U":
            raise ParseError(f"the array {key} is not a list of texts", self.path)
        return [str(text) for text in array.tolist()]

    def values(self, key: str, width: int) -> list[tuple[str, ...]] | None:
        """The values of each column, empty for a column that has none; None if not there."""
        texts, columns = self.texts(f"{key}_values"), self.get(f"{key}_columns")
        return values_of(columns, texts, key, width, self.path)


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write an npz file that holds everything.

    Examples
    --------
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
