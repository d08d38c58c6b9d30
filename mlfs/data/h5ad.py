"""AnnData: the object in memory, or an h5ad file, by ``pip install 'mlfs-toolkit[h5ad]'``.

X, or the layer that ``layer=`` names, has the names of `var`. Labels are columns of `obs`: one
categorical column named alone gives a label for each category, as a column of lists does. Columns
of `obs` can also be held fixed (``given="batch"``); the others are not used. There is no writer.
"""

from __future__ import annotations

from typing import Any

from mlfs.data.arrays import from_arrays, split_labels
from mlfs.data.dataset import Dataset, Source
from mlfs.data.files import InputFile
from mlfs.data.request import Request, refuse_more, refuse_sparse
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


def is_anndata(data: Any) -> bool:
    """Whether an object has the attributes of one of AnnData.

    Examples
    --------
    >>> is_anndata([[1.0]])
    False
    """
    return all(hasattr(data, name) for name in ("X", "obs", "var_names"))


def read(source: bytes | InputFile, path: str, request: Request) -> Dataset:
    """Read an h5ad file."""
    try:
        import anndata
    except ImportError:
        raise MissingExtra("reading h5ad", "anndata", "h5ad") from None
    file = InputFile.of(source, path, request)
    if not file.is_on_disk or file.compression:
        raise ParseError("an h5ad file is read from a plain file: write it to one", path)
    try:
        _refuse_floats_as_places(path)
        data = anndata.read_h5ad(path)
    except Exception as error:
        if isinstance(error, MlfsError):
            raise
        fault = f"this is no h5ad file, or a damaged one: {printable(error, 200)}"
        raise ParseError(fault, path) from None
    return from_anndata(data, request, path)


def _refuse_floats_as_places(path: str) -> None:
    """Refuse sparse tables whose columns are numbered by floats, which would be cut."""
    import h5py

    with h5py.File(path) as file:
        tables = [file["X"], *file["layers"].values()] if "layers" in file else [file["X"]]
        for table in tables:
            for name in ("indices", "indptr"):
                if isinstance(table, h5py.Group) and table[name].dtype.kind not in "iu":
                    fault = f"{name} of {table.name} are {table[name].dtype}, not whole numbers"
                    raise ParseError(fault, path)


def from_anndata(data: Any, request: Request, path: str = "<memory>") -> Dataset:
    """The data set that an object of AnnData is."""
    names = [str(name) for name in data.var_names]
    repeated = len(set(names)) < len(names)
    if repeated:
        raise ParseError(
            "two names in var are the same: rename one, by adata.var_names_make_unique()", path
        )
    X = _table(data, request, path)
    cells = getattr(X, "shape", (0, 0))
    if hasattr(X, "nnz"):
        refuse_sparse(request.limits, cells[1:], path)
    else:
        refuse_more(request.limits, "max_cells", cells[0] * cells[1], "cells", path)
    obs = data.obs
    if request.labels is None and request.known is None:
        shown = ", ".join(printable(name, 40) for name in list(obs.columns)[:20]) or "none"
        raise UsageError(
            f"{printable(path, 400)}: no label columns are known; say which columns of obs are "
            f"labels with {setting('labels')}, of: {shown}"
        )
    chosen, Y = split_labels(obs, request, path)
    try:
        dataset = from_arrays(
            X,
            Y,
            feature_names=names,
            classes=request.classes,
            numeric_targets=request.numeric_targets,
        )
    except DataError as error:
        raise error.in_file(path) from None
    source = Source(path, "h5ad", labels_by=chosen.by)
    others = {str(name): obs[name] for name in obs.columns}
    return dataset.with_changes(
        source=source, notes=(*dataset.notes, *chosen.notes), row_columns=others
    )


def _table(data: Any, request: Request, path: str) -> Any:
    """X, or a layer."""
    layers = list(getattr(data, "layers", {}) or {})
    if request.layer:
        if request.layer not in layers:
            raise UnknownName("layer", request.layer, layers, path=path)
        return data.layers[request.layer]
    if data.X is None:
        listed = ", ".join(printable(name, 40) for name in layers) or "none"
        msg = f"there is no X: name one of its layers with {setting('layer')}: {listed}"
        raise ParseError(msg, path)
    return data.X
