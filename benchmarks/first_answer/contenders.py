"""Our defaults and the rivals, each as its own documentation says, on one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

import mlfs
from benchmarks.first_answer.tables import Table

__all__ = ["RIVALS", "SLOW", "ours"]


def ours(**options: Any) -> Callable[[Table, int], list[int]]:
    """Make a run of mlfs with these options; ``n=True`` stands for the true number."""

    def run(table: Table, n: int) -> list[int]:
        asked = {**options, "n": n} if options.get("n") is True else options
        names = list(map(str, table.X.columns)) if isinstance(table.X, pd.DataFrame) else None
        given = () if table.given is None else table.given
        selection = mlfs.select(
            (table.X, table.Y), sample_weight=table.weights, given=given, **asked
        )
        return [*selection.indices] if names is None else list(map(names.index, selection.names))

    return run


def transformer(table: Table, n: int) -> list[int]:
    """`FeatureSelector` with no option at all."""
    del n
    given = () if table.given is None else table.given
    selector = mlfs.FeatureSelector(given=given)
    selector.fit(table.X, table.Y, sample_weight=table.weights)
    return list(np.flatnonzero(selector.get_support()))


def _numeric(table: Table, *, codes: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A table as rivals want it: medians for gaps, words as codes or one-hot, no dates.

    Gives the numbers, the column that each was made of, and which are categories.
    """
    if sp.issparse(table.X):
        d = table.X.shape[1]
        return table.X.toarray().astype(float), np.arange(d), np.zeros(d, bool)
    made, source, words = [], [], []
    for j, name in enumerate(table.X.columns):
        column = table.X[name]
        if column.dtype.kind == "M":
            continue
        if column.dtype.kind in "fiu":
            parts = [column.fillna(column.median()).to_numpy(float)]
        elif codes or column.nunique() > 1000:  # a one-hot of a key is no use to anybody
            parts = [column.astype("category").cat.codes.to_numpy(float)]
        else:
            parts = list(pd.get_dummies(column, dtype=float).to_numpy().T)
        made += parts
        source += [j] * len(parts)
        words += [column.dtype.kind not in "fiu"] * len(parts)
    return np.column_stack(made), np.array(source), np.array(words)


def _fastcan(table: Table, n: int) -> list[int]:
    from fastcan import FastCan

    X, source, _ = _numeric(table, codes=False)
    most = min(X.shape[1], X.shape[0] - 1, 3 * n)
    fitted = FastCan(most, verbose=0).fit(X, table.Y)
    return list(dict.fromkeys(source[fitted.indices_].tolist()))[:n]


def _mutual_information(table: Table, n: int) -> list[int]:
    from sklearn.feature_selection import SelectKBest, mutual_info_classif

    X, source, words = _numeric(table, codes=True)
    discrete = np.ones(X.shape[1], bool) if sp.issparse(table.X) else words

    def summed(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        del y
        return sum(
            mutual_info_classif(X, label, discrete_features=discrete, random_state=0)
            for label in table.Y.T
        )

    fitted = SelectKBest(summed, k=n).fit(X, table.Y[:, 0])
    return source[fitted.get_support()].tolist()


def _mrmr_selection(table: Table, n: int) -> list[int]:
    from mrmr import mrmr_classif

    X, source, words = _numeric(table, codes=True)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    categories = [f"c{j}" for j in np.flatnonzero(words)] or None
    return _in_turn(
        [
            [
                int(source[int(name[1:])])
                for name in mrmr_classif(
                    frame, pd.Series(y), K=n, cat_features=categories, show_progress=False, n_jobs=1
                )
            ]
            for y in table.Y.T
        ],
        n,
    )


def _feature_engine(table: Table, n: int) -> list[int]:
    from feature_engine.selection import MRMR

    X, source, _ = _numeric(table, codes=True)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    rankings = []
    for y in table.Y.T:
        fitted = MRMR(method="FCQ", max_features=n, regression=False).fit(frame, pd.Series(y))
        kept = set(frame.columns) - set(fitted.features_to_drop_)
        rankings.append([int(source[int(name[1:])]) for name in frame.columns if name in kept])
    return _in_turn(rankings, n)


def _in_turn(rankings: list[list[int]], n: int) -> list[int]:
    """The first n of rankings for single labels: all first ones, all second ones, and so on."""
    turns = [column for place in zip(*rankings, strict=False) for column in place]
    return list(dict.fromkeys(turns))[:n]


def _forest(table: Table, n: int) -> list[int]:
    from sklearn.ensemble import RandomForestClassifier

    X, source, _ = _numeric(table, codes=True)
    forest = RandomForestClassifier(200, random_state=0, n_jobs=1).fit(X, table.Y)
    return source[np.argsort(-forest.feature_importances_, kind="stable")[:n]].tolist()


def _boruta(table: Table, n: int) -> list[int]:
    """The columns that Boruta confirms for any label; it finds their number itself."""
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    del n
    X, source, _ = _numeric(table, codes=True)
    picks = set[int]()
    for y in table.Y.T:
        forest = RandomForestClassifier(n_jobs=1, class_weight="balanced", max_depth=5)
        fitted = BorutaPy(forest, n_estimators="auto", random_state=1).fit(X, y)
        picks |= {*source[fitted.support_].tolist()}
    return sorted(picks)


def _knockoffs(table: Table, n: int) -> list[int]:
    """The columns that Gaussian knockoffs find for any label; at .1 they need ten of them."""
    from knockpy.knockoff_filter import KnockoffFilter

    del n
    X, source, _ = _numeric(table, codes=False)
    varies = np.flatnonzero(X.std(axis=0) > 0)
    X = (X[:, varies] - X[:, varies].mean(axis=0)) / X[:, varies].std(axis=0)
    picks = set[int]()
    for y in table.Y.T:
        np.random.seed(0)  # noqa: NPY002  # the generator that knockpy draws with
        found = KnockoffFilter(ksampler="gaussian", fstat="lasso").forward(X, y, fdr=0.2)
        picks |= {*source[varies[found > 0]].tolist()}
    return sorted(picks)


RIVALS: dict[str, tuple[str, Callable[[Table, int], list[int]]]] = {
    "fastcan": ("fastcan", _fastcan),
    "scikit-learn MI": ("scikit-learn", _mutual_information),
    "mrmr_selection": ("mrmr_selection", _mrmr_selection),
    "forest importance": ("scikit-learn", _forest),
    "knockoffs": ("knockpy", _knockoffs),
    "boruta": ("Boruta", _boruta),
    "feature-engine": ("feature-engine", _feature_engine),
}
SLOW = {"boruta", "feature-engine"}
