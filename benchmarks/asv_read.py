"""For asv: reading files, ordering labels, and the start of the command."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import mlfs
from benchmarks.asv_select import FOLDER
from benchmarks.files import COMMAND
from benchmarks.inputs import SHAPES, load
from mlfs.api.prepared import prepare
from mlfs.data import from_arrays
from mlfs.search.networks import chain_order_full

__all__ = ["Order", "Read", "Start"]


def _written(source: str, path: Path) -> None:
    data = load(SHAPES[source], FOLDER)
    if not sp.issparse(data.X):
        data = data.cut(2_000, data.X.shape[1])
    X = data.X if sp.issparse(data.X) else data.X.astype(np.float64)
    mlfs.write(from_arrays(X, data.Y), path)


class _InAFolder:
    def setup(self, source: str, suffix: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / f"data.{suffix}"
        _written(source, self.path)
        mlfs.read(self.path, labels="y*")

    def teardown(self, source: str, suffix: str) -> None:
        del source, suffix
        self.folder.cleanup()


class Read(_InAFolder):
    """Read a dense and a sparse file."""

    params = (["disc10k", "bibtexlike"], ["arff", "csv"])
    param_names = ("source", "format")

    def time_read(self, source: str, suffix: str) -> None:
        del source, suffix
        mlfs.read(self.path, labels="y*")


class Start(_InAFolder):
    """The command from its start, kernels cached."""

    params = (["bibtexlike"], ["arff"])
    param_names = ("source", "format")

    def time_command(self, source: str, suffix: str) -> None:
        del source, suffix
        options = ["select", "-c", "scls", "-n", "20", "--labels", "y*", str(self.path)]
        subprocess.run([sys.executable, "-c", COMMAND, *options], check=True, capture_output=True)


class Order:
    """The order of a chain by Algorithm 2 in full."""

    def setup(self) -> None:
        data = load(SHAPES["bibtexlike"], FOLDER)
        self.data = (data.X, data.Y)
        chain_order_full(prepare(self.data).info)

    def time_full(self) -> None:
        chain_order_full(prepare(self.data).info)
