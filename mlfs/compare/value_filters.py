"""Baselines that look at the values as a model gets them, or at label sets as classes.

Nominal columns of more than two values are columns of 0 and 1 here; a feature has the worth of its
columns together.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mlfs.api.prepared import prepare
from mlfs.compare.data_sources import dense
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.dataset import Label
from mlfs.errors import DataError
from mlfs.models.training_table import TrainingTable

__all__ = [
    "covariance",
    "forest",
    "ig_lp",
    "ksg_mean",
    "l21",
    "llsf",
    "sum_by_feature",
    "table_of_rows",
]

L21_SHARE = 0.05  # of the least penalty that leaves nothing


def table_of_rows(train: TrainingRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The values as models get them, the labels, and the feature of each column."""
    table = TrainingTable.learn(train.data)
    X, _ = table.matrix(train.data)
    Y = dense(train.data.Y)
    if (Y < 0).any():
        msg = "this baseline takes no missing labels: leave such rows out, or take another one"
        raise DataError(msg)
    feature = np.repeat(np.arange(len(table.fields)), [len(f.names) for f in table.fields])
    return np.asarray(X.toarray() if sp.issparse(X) else X, np.float64), Y, feature


def sum_by_feature(worth: np.ndarray, feature: np.ndarray, d: int) -> np.ndarray:
    """Add the worth of the columns of each feature."""
    return np.bincount(feature, worth, minlength=d)


def _standardise(X: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    mean = np.average(X, axis=0, weights=weights)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    return np.asarray((X - mean) / np.where(spread > 0, spread, 1.0))


def forest(train: TrainingRows, seed: int, *, trees: int) -> np.ndarray:
    """The mean decrease of impurity in a random forest that predicts all labels at once.

    Parameters
    ----------
    train : TrainingRows
        The training rows.
    seed : int
        Seeds the forest.
    trees : int
        How many trees.
    """
    from sklearn.ensemble import RandomForestClassifier

    X, Y, feature = table_of_rows(train)
    model = RandomForestClassifier(trees, random_state=seed)
    model.fit(X, Y, sample_weight=train.data.weights)
    return sum_by_feature(model.feature_importances_, feature, train.data.shape[1])


def l21(train: TrainingRows, _: int) -> np.ndarray:
    """The squared norms of the rows of W in min ||XW - Y||^2 / 2N + a sum_f ||w_f||.

    Columns are standardised; a is 5 % of the least penalty for which W is zero.
    """
    from sklearn.linear_model import MultiTaskLasso

    X, Y, feature = table_of_rows(train)
    X = _standardise(X, None)
    centred = Y - Y.mean(axis=0)
    most = float(np.sqrt(((X.T @ centred) ** 2).sum(axis=1)).max()) / len(X)
    if most == 0:
        return np.zeros(train.data.shape[1])
    model = MultiTaskLasso(alpha=L21_SHARE * most, max_iter=5000).fit(X, centred)
    return sum_by_feature((model.coef_**2).sum(axis=0), feature, train.data.shape[1])


def llsf(train: TrainingRows, _: int, *, alpha: float, beta: float) -> np.ndarray:
    """The squared norms of the rows of the weights of LLSF, of standardised columns.

    Parameters
    ----------
    train : TrainingRows
        The training rows.
    alpha, beta : float
        How much correlated labels share weights, and how sparse they are, as for the model.
    """
    from mlfs.models.baselines.llsf import LLSF

    X, Y, feature = table_of_rows(train)
    weights = train.data.weights
    model = LLSF(alpha, beta).fit(_standardise(X, weights), Y, weights)
    return sum_by_feature((model.coef_**2).sum(axis=0), feature, train.data.shape[1])


def covariance(train: TrainingRows, _: int) -> np.ndarray:
    """sum_l cov(f,l)^2, the diagonal of the matrix of MDDM (Zhang & Zhou, 2010).

    It depends on the scale of a column, as MDDM does.
    """
    X, Y, feature = table_of_rows(train)
    covariances = (X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)) / len(X)
    return sum_by_feature((covariances**2).sum(axis=1), feature, train.data.shape[1])


def ksg_mean(train: TrainingRows, seed: int, *, k: int) -> np.ndarray:
    """The mean over the labels of I(f;l) by nearest neighbours (Ross, 2014), without binning.

    Parameters
    ----------
    train : TrainingRows
        The training rows.
    seed : int
        Seeds the tiny noise that tells equal values apart.
    k : int
        Neighbours.
    """
    from sklearn.feature_selection import mutual_info_classif

    X, Y, feature = table_of_rows(train)
    numeric = np.array([column.kind == "numeric" for column in train.data.columns])[feature]
    gains = [
        mutual_info_classif(X, y, discrete_features=~numeric, n_neighbors=k, random_state=seed)
        for y in Y.T
    ]
    return sum_by_feature(np.mean(gains, axis=0), feature, train.data.shape[1])


def ig_lp(train: TrainingRows, _: int) -> np.ndarray:
    """I(f;Y) with the label set as one class (label powerset), of binned columns."""
    data = train.data
    set_numbers = np.unique(dense(data.Y), axis=0, return_inverse=True)[1]
    set_numbers = set_numbers.reshape(-1)
    sets = Label("labels", tuple(map(str, range(int(set_numbers.max(initial=0)) + 1))))
    dtype = np.int32 if len(sets.values) > 127 else np.int8
    powerset = data.with_changes(Y=set_numbers.astype(dtype)[:, None], labels=(sets,))
    prepared = train.prepared
    prepared_sets = prepare(
        powerset, binnings=prepared.binnings, missing=prepared.options["missing"]
    )
    return np.asarray(prepared_sets.info.mi_fL)
