"""h5ad (AnnData), by the optional package h5py: ``pip install 'mlfs-toolkit[h5ad]'``.

X, or the layer that ``--layer`` names, dense or sparse by rows (CSR) or columns (CSC), is read
some rows or columns at a time. Features have the names of `var`. Labels are columns of `obs`,
which ``--labels`` names: one categorical column named alone gives a label for each category, as a
column of lists does. The other columns of `obs` are not read.

Links to other files, external and virtual data sets are refused; the sizes that the file declares
are checked against the limits before anything is read. There is no writer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

from mlfs.data.arrays import from_arrays
from mlfs.data.assemble import labels_of, texts_of
from mlfs.data.columns import ROUNDED, column_of, first_merged
from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.files import InputFile
from mlfs.data.labels.finding import first_duplicate, resolve
from mlfs.data.labels.label_values import stack_labels
from mlfs.data.matrices import as_counted
from mlfs.data.npy import packed
from mlfs.data.request import Request, WordMemory, refuse_empty, refuse_more, refuse_unpacked
from mlfs.data.row_stack import RowStack
from mlfs.errors import (
    DataError,
    MissingExtra,
    MlfsError,
    ParseError,
    UnknownName,
    UsageError,
    printable,
    setting,
)

AT_ONCE = 1 << 22  # cells, or entries of a sparse table
WORDS_AT_ONCE = 1 << 10
BROKEN = (OSError, RuntimeError, ValueError, TypeError, KeyError, OverflowError, AttributeError)


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    """Read an h5ad file."""
    try:
        import h5py
    except ImportError:
        raise MissingExtra("reading h5ad", "h5py", "h5ad") from None
    file = InputFile.of(source, path, request)
    with file.open() as stream:
        try:
            with h5py.File(stream, "r") as root:
                return _AnnData(h5py, root, file, request).dataset()
        except MlfsError:
            raise
        except BROKEN as error:
            fault = f"this is no h5ad file, or a damaged one: {printable(error)}"
            raise ParseError(fault, path) from None


class _AnnData:
    """The parts of an open file, each checked before it is read."""

    def __init__(self, h5py: Any, root: Any, file: InputFile, request: Request) -> None:
        self.h5py, self.root, self.size = h5py, root, file.size
        self.path, self.request, self.limits = file.path, request, request.limits
        self._memory = WordMemory(request.max_memory)
        self._unpacked = 0

    def dataset(self) -> Dataset:
        """The data set."""
        for part in ("obs", "var"):
            if not isinstance(self._part(self.root, part), self.h5py.Group):
                self._fail(f"{part} is of anndata before 0.7: read and write it with a newer one")
        names = self._names("var")
        obs = self._part(self.root, "obs")
        rows = self._array(obs, self._index(obs)).shape[0]
        Y, labels, by, notes = self._labels(obs, rows)
        X = self._x(names, rows)
        try:
            data = from_arrays(X, feature_names=names)
        except DataError as error:
            raise error.in_file(self.path) from None
        source = Source(self.path, "h5ad", labels_by=by)
        return data.with_changes(Y=Y, labels=labels, source=source, notes=(*data.notes, *notes))

    def _fail(self, fault: str) -> NoReturn:
        raise ParseError(fault, self.path)

    def _part(self, group: Any, name: str) -> Any:
        """A group or an array, which lies in this file."""
        link = group.get(name, getlink=True)
        if link is None:
            self._fail(f"there is no {group.name.strip('/')}/{printable(name)}".replace(" /", " "))
        if not isinstance(link, self.h5py.HardLink):
            self._fail(f"{printable(name)} is a link, which is not followed: copy the file whole")
        return group[name]

    def _array(self, group: Any, name: str) -> Any:
        """An array that is not read yet, within the limits."""
        array = self._part(group, name)
        if not isinstance(array, self.h5py.Dataset) or array.shape is None:
            self._fail(f"{printable(array.name)} is no array")
        if array.is_virtual or array.external:
            self._fail(f"{printable(array.name)} lies in another file, which is not opened")
        self._unpacked += array.size * array.dtype.itemsize
        refuse_unpacked(self.limits, self._unpacked, self.size, self.path, is_all=True)
        return array

    def _index(self, group: Any) -> str:
        name = group.attrs.get("_index", "_index")
        return str(name.decode() if isinstance(name, bytes) else name)

    def _texts(self, array: Any) -> list[Any]:
        """The texts, or numbers, of an array of one dimension."""
        if array.ndim != 1:
            self._fail(f"{printable(array.name)} has {array.ndim} dimensions; expected 1")
        if self.h5py.check_string_dtype(array.dtype) is None:
            if array.dtype.kind not in "biuf":
                self._fail(f"{printable(array.name)} is of type {array.dtype}, which is not read")
            return list(map(str, array[:].tolist()))
        texts: list[str] = []
        for start in range(0, array.shape[0], WORDS_AT_ONCE):
            part = array.asstr()[start : start + WORDS_AT_ONCE].tolist()
            self._memory.add(len(part), sum(map(len, part)))
            texts += part
        return texts

    def _names(self, part: str) -> list[str]:
        """The names of the features."""
        group = self._part(self.root, part)
        array = self._array(group, self._index(group))
        refuse_more(self.limits, "max_attributes", array.size, "columns", self.path)
        names = self._texts(array)
        duplicate = first_duplicate(names)
        if duplicate is not None:
            self._fail(
                f"two columns are named {printable(duplicate)!r} in {part}; rename one, "
                "in Python by adata.var_names_make_unique()"
            )
        return names

    def _labels(self, obs: Any, rows: int) -> tuple[Any, Any, str, tuple[str, ...]]:
        """Y and the labels: columns of obs."""
        refuse_more(self.limits, "max_rows", rows, "rows", self.path)
        index = self._index(obs)
        order = obs.attrs.get("column-order", ())
        listed = [name.decode() if isinstance(name, bytes) else str(name) for name in order]
        others = sorted(name for name in obs if name not in {*listed, index})
        names = [*listed, *others]
        if self.request.labels is None and self.request.known is None:
            shown = ", ".join(printable(name, 40) for name in names[:20]) or "none"
            raise UsageError(
                f"{printable(self.path, 400)}: no label columns are known; say which columns of "
                f"obs are labels with {setting('labels')}, of: {shown}"
            )
        chosen = resolve(names, self.request, self.path, with_features=False)
        Ys: list[Any] = []
        labels: list[Label] = []
        for name in (names[j] for j in chosen.columns):
            column, x = self._column(obs, name, rows)
            y, new = labels_of(
                column, x, partial(texts_of, column, x), chosen.lists, self.request, self.path
            )
            Ys.append(y)
            labels += new
        is_sparse = bool(Ys) and sp.issparse(Ys[0])
        return (
            Ys[0] if is_sparse else stack_labels(Ys, rows),
            tuple(labels),
            chosen.by,
            chosen.notes,
        )

    def _column(self, obs: Any, name: str, rows: int) -> tuple[Column, np.ndarray]:
        """A column of obs: categories, or an array that may have a mask."""
        part = self._part(obs, name)
        if not isinstance(part, self.h5py.Group):
            return self._plain(name, self._array(obs, name), rows)
        if "codes" in part:
            codes = self._array(part, "codes")
            values = self._texts(self._array(part, "categories"))
            x = codes[:].astype(np.float64)
            if x.shape != (rows,) or not ((x >= -1) & (x < len(values))).all():
                self._fail(f"the codes of {printable(name)} in obs do not fit its categories")
            if len(set(values)) < len(values):
                self._fail(f"two categories of {printable(name)} in obs are the same")
            return Column(name, "nominal", tuple(values)), np.where(x < 0, np.nan, x)
        if "values" not in part:
            self._fail(f"{printable(name)} in obs is of a kind that is not read")
        column, x = self._plain(name, self._array(part, "values"), rows)
        mask = self._array(part, "mask")[:]
        if mask.shape != (rows,):
            self._fail(f"the mask of {printable(name)} in obs does not fit its values")
        return column, np.where(mask.astype(bool), np.nan, x)

    def _plain(self, name: str, array: Any, rows: int) -> tuple[Column, np.ndarray]:
        if array.shape != (rows,):
            self._fail(f"{printable(name)} in obs has the shape {array.shape}; expected ({rows},)")
        values = array[:] if array.dtype.kind in "biuf" else np.array(self._texts(array), object)
        try:
            return column_of(name, values)
        except DataError as error:
            raise error.in_file(self.path) from None

    def _x(self, names: list[str], rows: int) -> Any:
        """X or a layer."""
        layer, group = self.request.layer, self.root
        layers = self.root.get("layers", {}) if "layers" in self.root else {}
        if layer:
            group = self._part(self.root, "layers") if layers else {}
            if layer not in group:
                raise UnknownName("layer", layer, list(group), path=self.path)
        elif "X" not in group:
            listed = ", ".join(printable(name, 40) for name in layers) or "none"
            self._fail(f"there is no X: name one of its layers with {setting('layer')}: {listed}")
        shape = rows, len(names)
        part = self._part(group, layer or "X")
        if isinstance(part, self.h5py.Group):
            return self._sparse(part, shape)
        table = self._array(group, layer or "X")
        if table.shape != shape or table.dtype.kind not in "biuf":
            self._fail(
                f"{layer or 'X'} is {table.shape} of {table.dtype}; expected {shape} numbers"
            )
        refuse_more(self.limits, "max_cells", table.size, "cells", self.path)
        return packed(_row_parts(table), names, self.request, self.path)

    def _sparse(self, group: Any, shape: tuple[int, int]) -> Any:
        """A sparse table, some rows or columns at a time."""
        form = group.attrs.get("encoding-type", group.attrs.get("h5sparse_format", ""))
        form = form.decode() if isinstance(form, bytes) else str(form)
        if form[:3] not in {"csr", "csc"}:
            self._fail(f"{printable(group.name)} is of the kind {printable(form)!r}: csr or csc")
        if tuple(group.attrs.get("shape", shape)) != shape:
            self._fail(f"{printable(group.name)} has another shape than obs and var have")
        refuse_empty(self.limits, shape, self.size, self.path)
        by_column = form.startswith("csc")
        lines, width = shape[::-1] if by_column else shape
        ends = self._array(group, "indptr")[:].astype(np.int64)
        values, places = self._array(group, "data"), self._array(group, "indices")
        total = len(values)
        if (
            ends.shape != (lines + 1,) or ends[0] or (np.diff(ends) < 0).any()
            or not ends[-1] == len(places) == total or values.dtype.kind not in "biuf"
        ):  # fmt: skip
            self._fail(f"the arrays of {printable(group.name)} do not make a sparse table")
        stack = RowStack(max_memory=self.request.max_memory)
        first = 0
        while first < lines:
            last = max(first + 1, int(np.searchsorted(ends, ends[first] + AT_ONCE, "right")) - 1)
            part = slice(int(ends[first]), int(ends[last]))
            data, columns = values[part], places[part]
            if first_merged(data) is not None:
                self._fail(f"{printable(group.name)} holds {ROUNDED}")
            if data.dtype != np.float32:
                data = data.astype(np.float64)
            if columns.size and (columns.min() < 0 or columns.max() >= width):
                self._fail(f"an entry of {printable(group.name)} stands outside of it")
            index = np.int32 if width < 2**31 and part.stop - part.start < 2**31 else np.int64
            rows = sp.csr_array(
                (data, columns.astype(index), (ends[first : last + 1] - ends[first]).astype(index)),
                shape=(last - first, width),
            )
            rows.sum_duplicates()
            rows.eliminate_zeros()
            stack.add(rows)
            first = last
        table = stack.finish(width)
        return sp.csr_array(table.T) if by_column else table


def _row_parts(table: Any) -> Iterator[np.ndarray]:
    step = max(64, AT_ONCE // max(1, table.shape[1]) // 64 * 64)
    for start in range(0, table.shape[0], step):
        yield as_counted(table[start : start + step])
