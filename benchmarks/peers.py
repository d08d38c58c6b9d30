"""The peers on PyPI, how each is called, and for what its picks can be trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks import byhand

__all__ = ["PEERS", "Peer"]

Run = Callable[[np.ndarray, np.ndarray, int], list[int] | None]


@dataclass(frozen=True)
class Peer:
    """One peer on one criterion.

    Parameters
    ----------
    distribution : str
        Its name on PyPI; empty for what is written here.
    criterion : str
        Ours that it is timed beside.
    run : callable
        Takes X, y and a number, gives the picks in order where it has an order.
    most : tuple of int
        Rows, columns and picks that it finishes in seconds; greater inputs are cut to them,
        for both.
    differs : str
        Why its picks are not ours; empty where they must be.
    many_labels : bool
        It takes a matrix of labels.
    slow : bool
        It takes so long to start that the quick run leaves it out.
    """

    distribution: str
    criterion: str
    run: Run
    most: tuple[int, int, int]
    differs: str = ""
    many_labels: bool = False
    slow: bool = False

    @property
    def install(self) -> str:
        """The line that installs it."""
        return f"python -m pip install {self.distribution}"


def _scikit_learn(X: np.ndarray, y: np.ndarray, n: int) -> list[int]:
    from sklearn.feature_selection import mutual_info_classif

    score = mutual_info_classif(X, y, discrete_features=True)
    return np.argsort(-score, kind="stable")[:n].tolist()


def _scikit_learn_labels(X: np.ndarray, Y: np.ndarray, n: int) -> list[int]:
    from sklearn.feature_selection import mutual_info_classif

    score = np.zeros(X.shape[1])
    for label in range(Y.shape[1]):
        score += mutual_info_classif(X, Y[:, label], discrete_features=True)
    return np.argsort(-score, kind="stable")[:n].tolist()


def _fast_select(X: np.ndarray, y: np.ndarray, n: int) -> list[int]:
    from fast_select import mRMR

    model = mRMR(n_features_to_select=n, method="MID", backend="cpu")
    return model.fit(X, y).top_features_.tolist()


def _feature_engine(X: np.ndarray, y: np.ndarray, n: int) -> None:
    import pandas as pd
    from feature_engine.selection import MRMR

    MRMR(method="MID", max_features=n, discrete_features=True, random_state=0).fit(
        pd.DataFrame(X), pd.Series(y)
    )


def _skfeature(X: np.ndarray, y: np.ndarray, n: int) -> list[int]:
    from skfeature.function.information_theoretical_based import CMIM

    return CMIM.cmim(X, y, mode="index", n_selected_features=n).tolist()


def _itmo(measure: str) -> Run:
    def run(X: np.ndarray, y: np.ndarray, n: int) -> list[int]:
        from ITMO_FS.filters.multivariate import MultivariateFilter

        model = MultivariateFilter(measure, n)
        model.fit(X, y)
        return model.selected_features.tolist()

    return run


def _fastcan(X: np.ndarray, y: np.ndarray, n: int) -> list[int]:
    from fastcan import FastCan

    return FastCan(n, verbose=0).fit(X.astype(float), y).indices_.tolist()


def _mrmr_selection(X: np.ndarray, y: np.ndarray, n: int) -> list[int]:
    import pandas as pd
    from mrmr import mrmr_classif

    table = pd.DataFrame(X.astype(float))
    picks = mrmr_classif(table, pd.Series(y), K=n, show_progress=False, n_jobs=1)
    return [int(j) for j in picks]


CORRELATION = "picks by correlation, not by information"
UNCAPPED = "its minimum leaves out I(f;l) itself"
FEW = (2_000, 40, 5)

PEERS = (
    Peer("scikit-learn", "mim", _scikit_learn, (100_000, 2_000, 50)),
    Peer("scikit-learn", "mim", _scikit_learn_labels, (1_000, 50, 10), many_labels=True),
    Peer("fast-select", "mrmr", _fast_select, (10_000, 2_000, 50), slow=True),
    Peer("feature-engine", "mrmr", _feature_engine, FEW, "gives a set without an order", slow=True),
    Peer("fastcan", "mrmr", _fastcan, (10_000, 2_000, 50), CORRELATION),
    Peer("mrmr-selection", "mrmr", _mrmr_selection, (10_000, 500, 50), CORRELATION, slow=True),
    Peer("skfeature-chappers", "cmim", _skfeature, FEW, UNCAPPED),
    Peer("ITMO-FS", "mim", _itmo("MIM"), FEW),
    Peer("ITMO-FS", "mrmr", _itmo("MRMR"), FEW),
    Peer("ITMO-FS", "cmim", _itmo("CMIM"), FEW, UNCAPPED),
    Peer("ITMO-FS", "jmi", _itmo("JMI"), FEW),
    Peer("fastcan", "scls", _fastcan, (8_000, 500, 50), CORRELATION, many_labels=True),
    Peer("", "scls", byhand.scls, (1 << 40, 1 << 40, 1 << 40), many_labels=True),
)
