"""What one would write by hand: SCLS on binary data by scipy's products."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["scls"]


def scls(X: Any, Y: Any, n: int) -> list[int]:
    """Pick by sum_l I(f;l) (1 - sum_s I(f;s)/H(f)), the counts from X'Y and X's."""
    X = sp.csc_array(X, dtype=np.float64)
    rows, columns = X.shape
    n_f = np.asarray(X.sum(0)).ravel()
    n_l = np.asarray(sp.csc_array(Y, dtype=np.float64).sum(0)).ravel()
    met = (X.T @ sp.csr_array(Y, dtype=np.float64)).toarray()
    relevance = _information(met, n_f[:, None], n_l[None, :], rows).sum(1)
    h_f = (_clogc(np.array([rows])) - _clogc(n_f) - _clogc(rows - n_f)) / rows
    total, picked = np.zeros(columns), []
    for _ in range(n):
        kept = np.divide(total, h_f, out=np.zeros(columns), where=h_f > 0)
        score = np.where(h_f > 0, relevance * (1 - kept), -np.inf)
        score[picked] = -np.inf
        picked.append(int(score.argmax()))
        with_s = np.asarray(X.T @ X[:, [picked[-1]]].toarray()).ravel()
        total += _information(with_s, n_f, n_f[picked[-1]], rows)
    return picked


def _clogc(counts: np.ndarray) -> np.ndarray:
    return counts * np.log(np.maximum(counts, 1.0))


def _information(both: np.ndarray, n_f: np.ndarray, n_g: Any, rows: int) -> np.ndarray:
    cells = _clogc(both) + _clogc(n_f - both) + _clogc(n_g - both)
    cells += _clogc(rows - n_f - n_g + both)
    sides = _clogc(n_f) + _clogc(rows - n_f) + _clogc(n_g) + _clogc(rows - n_g)
    return (rows * np.log(rows) + cells - sides) / rows
