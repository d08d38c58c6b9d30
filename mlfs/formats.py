"""The file formats by name; they are found, read and written in `mlfs.data`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlfs.extensions import Registry


@dataclass(frozen=True)
class Format:
    """A format: its suffixes and the module that reads and writes it, imported when used.

    Parameters
    ----------
    suffixes : tuple of str
        Those that mean this format.
    module : str
        Has ``read(source, path, request)`` and, if it is written, ``write(dataset, stream)``.
    sidecar : bool
        A Mulan XML is written beside the file, to say which columns are labels.
    variant : str
        What the names of the two functions end in, where a module has two formats.
    package : str
        The optional package by which it is read and written.
    extra : str
        The extra that installs this package.
    is_written : bool
        Whether it is written, too.
    """

    suffixes: tuple[str, ...]
    module: str
    sidecar: bool = False
    variant: str = ""
    package: str = ""
    extra: str = ""
    is_written: bool = True

    def function(self, name: str) -> Callable[..., Any]:
        """Import the module and take its `read` or `write`."""
        module = importlib.import_module(self.module)
        function: Callable[..., Any] = getattr(module, name + self.variant)
        return function


OURS = {
    "arff": Format((".arff",), "mlfs.data.arff.arff_reader", sidecar=True),
    "csv": Format((".csv",), "mlfs.data.delimited.csv_reader", sidecar=True),
    "tsv": Format((".tsv", ".tab"), "mlfs.data.delimited.csv_reader", sidecar=True, variant="_tsv"),
    "svmlight": Format((".svm", ".svmlight", ".libsvm"), "mlfs.data.svmlight"),
    "xmc": Format((".xmc",), "mlfs.data.svmlight", variant="_xmc"),  # .txt too, see sniff_format
    "npz": Format((".npz",), "mlfs.data.npz"),
    "mat": Format((".mat",), "mlfs.data.mat"),
    "parquet": Format((".parquet", ".pq"), "mlfs.data.parquet", package="pyarrow", extra="parquet"),
    "h5ad": Format((".h5ad",), "mlfs.data.h5ad", package="anndata", extra="h5ad", is_written=False),
}
FORMATS = Registry("formats", OURS)
WRITTEN = tuple(name for name, form in OURS.items() if form.is_written)
