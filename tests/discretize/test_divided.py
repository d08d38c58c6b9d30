"""Binnings learned from several blocks of rows are those of the whole, bit for bit."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import declared_sizes, names_of
from mlfs.discretize import Binnings, learn
from mlfs.discretize.column_blocks import round_weights
from mlfs.discretize.divided import ColumnPart, learn_divided

N = 70


def table(rng: np.random.Generator) -> np.ndarray:
    kinds = [
        rng.normal(size=N) * 1e-3,
        rng.integers(0, 30, N),
        rng.integers(-3, 3, N),
        rng.choice([1e300, -1e300, 1e-300, 0.0, 5e-324, 1.0], N),
        np.full(N, 3.5),
        rng.choice([0.1, 0.7], N),
        np.where(rng.random(N) < 0.8, 0.0, rng.normal(size=N)),
        np.full(N, np.nan),
    ]
    return np.stack(kinds, axis=1)


@pytest.mark.parametrize(("method", "bins"), [("mean-sd", 3), ("width", 4), ("frequency", 5)])
@pytest.mark.parametrize("kind", ["plain", "missing", "sparse", "weighted"])
def test_any_blocks_of_rows(method: str, bins: int, kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for _ in range(8):
        X: Any = table(rng)
        weights = rng.random(N) * (rng.random(N) < 0.9) if kind == "weighted" else None
        if kind == "missing":
            X[rng.random(X.shape) < 0.2] = np.nan
        if kind == "sparse":
            X = sp.csr_array(np.nan_to_num(X))
        data = from_arrays(X, np.ones((N, 1)))
        n_bins = None if method == "mean-sd" else bins
        whole = learn(data, method, n_bins, 10, weights=weights)
        cuts = sorted({0, N, *rng.integers(0, N, 3).tolist()})
        mass = None if weights is None else round_weights(weights)

        def ask(columns: np.ndarray, question: str, *args: Any) -> list[Any]:
            answers = []
            for a, b in pairwise(cuts):  # noqa: B023  # used within the loop
                own = None if mass is None else mass[a:b]  # noqa: B023
                part = ColumnPart(data.table[a:b][:, columns], own)  # noqa: B023
                answers.append(pickle.loads(pickle.dumps(getattr(part, question)(*args))))
            return answers

        sizes, names = declared_sizes(data.columns), names_of(data.columns)
        made = learn_divided(ask, np.arange(8), sizes, names, method, bins, 10)
        made.fallback = whole.fallback
        assert made.named(names).knots.tobytes() == whole.knots.tobytes()
        assert list(made.named(names)) == list(whole)
        assert isinstance(made, Binnings)
