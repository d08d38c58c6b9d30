"""The inputs: tables of known shapes made from seeds, kept in a folder between cases."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["SHAPES", "Input", "Shape", "load", "quick"]


@dataclass(frozen=True)
class Shape:
    """The size of an input and what its values are like.

    Parameters
    ----------
    name : str
        What tables call it.
    rows, columns, labels : int
        Its size.
    seed : int
        Makes it.
    levels : tuple of int
        Dense input: the least and greatest number of values of a column.
    informative, copies : int
        Dense input: columns that depend on the class, and noisy copies of them; the rest is noise.
    density, cardinality : float
        Sparse input: the share of ones in X, and labels a row.
    """

    name: str
    rows: int
    columns: int
    labels: int
    seed: int
    levels: tuple[int, int] = (2, 2)
    informative: int = 0
    copies: int = 0
    density: float = 0.0
    cardinality: float = 0.0

    @property
    def key(self) -> str:
        """A file name that differs wherever the content does."""
        parts = (self.rows, self.columns, self.labels, self.seed, self.density)
        return "-".join([self.name, *map(str, parts)])


@dataclass(frozen=True)
class Input:
    """An input in memory: uint8 arrays, X in CSR form where it is sparse."""

    shape: Shape
    X: Any
    Y: Any

    def cut(self, rows: int, columns: int) -> Input:
        """Its first rows and columns."""
        shape = replace(
            self.shape,
            rows=min(rows, self.X.shape[0]),
            columns=min(columns, self.X.shape[1]),
        )
        X = self.X[:rows, :columns]
        return Input(shape, X if sp.issparse(X) else np.ascontiguousarray(X), self.Y[:rows])


def _dense(name: str, rows: int, columns: int, levels: tuple[int, int], *rest: int) -> Shape:
    seed, informative, copies = rest
    return Shape(name, rows, columns, 1, seed, levels, informative, copies)


def _sparse(
    name: str, rows: int, columns: int, labels: int, density: float, cardinality: float, seed: int
) -> Shape:
    return Shape(name, rows, columns, labels, seed, density=density, cardinality=cardinality)


SHAPES = {
    shape.name: shape
    for shape in (
        _dense("bin10k", 10_000, 2_000, (2, 2), 1, 100, 200),
        _dense("disc10k", 10_000, 2_000, (3, 8), 2, 100, 200),
        _dense("wide200", 200, 50_000, (3, 3), 3, 300, 3_000),
        _dense("tallbin", 1_000_000, 100, (2, 2), 6, 20, 20),
        _dense("tall38", 1_000_000, 100, (3, 8), 9, 20, 20),
        _sparse("bibtexlike", 7_395, 1_836, 159, 0.0374, 2.4, 4),
        _sparse("deliciouslike", 16_105, 500, 983, 0.036, 19, 5),
        _sparse("emotionslike", 593, 72, 6, 0.3, 1.9, 7),
        _sparse("medicallike", 978, 1_449, 45, 0.0094, 1.25, 8),
        _sparse("million", 1_000_000, 100_000, 1_000, 0.0005, 3.0, 10),
    )
}


def quick(shape: Shape) -> Shape:
    """A smaller relative, for a run of about a minute."""
    return replace(
        shape,
        rows=max(shape.rows // 5, min(shape.rows, 200)),
        columns=max(shape.columns // 5, min(shape.columns, 50)),
        labels=max(shape.labels // 5, min(shape.labels, 6)),
        informative=shape.informative // 5,
        copies=shape.copies // 5,
    )


def load(shape: Shape, folder: Path | None = None) -> Input:
    """An input, from the folder when it lies there, else made and put there."""
    if folder is None:
        return _made(shape)
    path = folder / f"{shape.key}.npz"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        scratch = folder / f"{shape.key}.{os.getpid()}.npz"
        np.savez(scratch, **_parts(_made(shape)))
        scratch.replace(path)
    with np.load(path) as parts:
        return Input(shape, _matrix(parts, "X"), _matrix(parts, "Y"))


def _parts(data: Input) -> dict[str, np.ndarray]:
    parts = {}
    for name, matrix in (("X", data.X), ("Y", data.Y)):
        if sp.issparse(matrix):
            parts |= {f"{name}_indptr": matrix.indptr, f"{name}_indices": matrix.indices}
            parts[f"{name}_shape"] = np.array(matrix.shape)
        else:
            parts[name] = matrix
    return parts


def _matrix(parts: Any, name: str) -> Any:
    if name in parts:
        return parts[name]
    indptr, indices = parts[f"{name}_indptr"], parts[f"{name}_indices"]
    ones = np.ones(indices.size, np.uint8)
    return sp.csr_array((ones, indices, indptr), shape=tuple(parts[f"{name}_shape"].tolist()))


def _made(shape: Shape) -> Input:
    from benchmarks.generate import binary_rows, many_rows, one_class

    if not shape.density:
        return Input(shape, *one_class(shape))
    return Input(shape, *(many_rows if shape.rows > 100_000 else binary_rows)(shape))
