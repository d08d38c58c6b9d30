"""Selectors of papers that a comparison takes by import path: rivals in published tables.

``-c benchmarks.selectors.grro:alpha=2`` names one; docs/baselines.md has their formulas.

================== ==========================================================================
name               worth of a feature f
================== ==========================================================================
ppt_relieff        ReliefF on label sets as classes, rare sets pruned (Read, 2008; Doquire &
                   Verleysen, 2011)
rf_br              ReliefF for each label, the mean of the labels (Spolaor et al., 2013)
relieff_ml         RReliefF with the distance between label sets (Spolaor et al., 2013)
ig_lp              I(f;Y) with the label set as one class
chi2_max, _mean    chi-square of the table of (binned) f and each label
f_max, f_mean      the F of an analysis of variance of f by each label
information_gain_  I(f;l)
max, _mean
gain_ratio_max,    I(f;l) / H(f)
_mean
ksg_mean           I(f;l) by nearest neighbours, without binning, the mean of the labels
cov                the sum of cov(f,l)^2, the diagonal of MDDM's matrix
forest             mean decrease of impurity in a random forest for all labels
l21                norms of the rows of a multi-task lasso
llsf               norms of the rows of the weights of LLSF (Huang et al., 2015)
qpfs               weights of a quadratic program of I(f;l) and I(f;s)
grro               weights of features for labels, of I(f;l) and I(f;s) (Zhang, 2020)
mfs_mcdm,          weights of a regression of the labels, see `regressions`
mifs_jian, mdfs,
mssl
================== ==========================================================================

Nominal columns of more than two values are columns of 0 and 1 here; a feature has the worth of its
columns together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.selectors import filters, relief
from benchmarks.selectors.regressions import mcdm, mifs
from benchmarks.selectors.regressions import mdfs as mdfs_weights
from benchmarks.selectors.regressions import mssl as mssl_weights
from mlfs.api.pairwise import mutual_information
from mlfs.api.prepared import prepared_of
from mlfs.compare.data_sources import dense
from mlfs.compare.filters import Filter, table_of_rows
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.dataset import Label
from mlfs.errors import DataError
from mlfs.information.for_search import plain_of

L21_SHARE = 0.05  # of the least penalty that leaves nothing
MOST_FEATURES = 20_000  # all pairs of them are 3.2 GB
MOST_STEPS = 20_000
CLOSE = 1e-10  # of the scale of the program: how far from the minimum it may end


def _standardise(X: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    mean = np.average(X, axis=0, weights=weights)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    return np.asarray((X - mean) / np.where(spread > 0, spread, 1.0))


def _impurities(X: np.ndarray, Y: np.ndarray, weights: Any, seed: int, *, trees: int) -> np.ndarray:
    """The mean decrease of impurity in a random forest that predicts all labels at once.

    Parameters
    ----------
    X, Y, weights : array
        The training rows, as models get them.
    seed : int
        Seeds the forest.
    trees : int
        How many trees.
    """
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(trees, random_state=seed).fit(X, Y, sample_weight=weights)
    return np.asarray(model.feature_importances_)


def _lasso_norms(X: np.ndarray, Y: np.ndarray, *_: Any) -> np.ndarray:
    """The squared norms of the rows of W in min ||XW - Y||^2 / 2N + a sum_f ||w_f||.

    Columns are standardised; a is 5 % of the least penalty for which W is zero.
    """
    from sklearn.linear_model import MultiTaskLasso

    X, centred = _standardise(X, None), Y - Y.mean(axis=0)
    most = float(np.sqrt(((X.T @ centred) ** 2).sum(axis=1)).max()) / len(X)
    if most == 0:
        return np.zeros(X.shape[1])
    model = MultiTaskLasso(alpha=L21_SHARE * most, max_iter=5000).fit(X, centred)
    return np.asarray((model.coef_**2).sum(axis=0))


def _llsf_norms(
    X: np.ndarray, Y: np.ndarray, weights: Any, _: int, *, alpha: float, beta: float
) -> np.ndarray:
    """The squared norms of the rows of the weights of LLSF, of standardised columns.

    Parameters
    ----------
    X, Y, weights : array
        The training rows, as models get them.
    alpha, beta : float
        How much correlated labels share weights, and how sparse they are, as for the model.
    """
    from mlfs.models.baselines.llsf import LLSF

    model = LLSF(alpha, beta).fit(_standardise(X, weights), Y, weights)
    return np.asarray((model.coef_**2).sum(axis=0))


def _covariances(X: np.ndarray, Y: np.ndarray, *_: Any) -> np.ndarray:
    """sum_l cov(f,l)^2, the diagonal of the matrix of MDDM (Zhang & Zhou, 2010).

    It depends on the scale of a column, as MDDM does.
    """
    covariances = (X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)) / len(X)
    return np.asarray((covariances**2).sum(axis=1))


def _by_neighbours(train: TrainingRows, seed: int, *, k: int) -> np.ndarray:
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
    return np.bincount(feature, np.mean(gains, axis=0), train.data.shape[1])


def _of_label_sets(train: TrainingRows, _: int) -> np.ndarray:
    """I(f;Y) with the label set as one class (label powerset), of binned columns."""
    data = train.data
    set_numbers = np.unique(dense(data.Y), axis=0, return_inverse=True)[1]
    set_numbers = set_numbers.reshape(-1)
    sets = Label("labels", tuple(map(str, range(int(set_numbers.max(initial=0)) + 1))))
    dtype = np.int32 if len(sets.values) > 127 else np.int8
    powerset = data.with_changes(Y=set_numbers.astype(dtype)[:, None], labels=(sets,))
    prepared = train.prepared
    options = {"missing": prepared.options["missing"]}
    prepared_sets = prepared_of(powerset, options, prepared.binnings)
    return np.asarray(prepared_sets.info.mi_fL)


def _program_weights(train: TrainingRows, _: int) -> np.ndarray:
    """The weights x that minimise (1 - a)/2 x'Qx - a F'x, with x >= 0 and sum x = 1.

    Q has I(i;j) of all pairs of features, its diagonal H(i); F has sum_l I(i;l); and
    a = q / (q + f), of the means q of Q and f of F. A feature of weight 0 is scored below 0, by
    what it lacks to get a weight.

    Parameters
    ----------
    train : TrainingRows
        The training rows.
    """
    relevance = np.asarray(plain_of(train.prepared.info).mi_fL, np.float64)  # as the pairs are
    return weights_of(_of_pairs("qpfs", train), relevance)


def _of_pairs(name: str, train: TrainingRows) -> np.ndarray:
    """I(i;j) of all pairs of features, for the baseline of that name."""
    features = train.prepared.features
    d = train.data.shape[1]
    if d > MOST_FEATURES:
        msg = (
            f"the baseline {name} compares all pairs of features, and takes at most "
            f"{MOST_FEATURES:,} of them, not {d:,}: take another one"
        )
        raise DataError(msg)
    return np.asarray(mutual_information(features, features))


def _grro_weights(train: TrainingRows, _: int, *, alpha: float, beta: float) -> np.ndarray:
    """GRRO (Zhang and others, 2020): the sums of the rows of the W that solves

    W + alpha Q W + beta W D = F, which is where ||W||^2 / 2 + alpha/2 tr(W'QW) + beta/2 tr(WDW')
    - tr(W'F) does not change. Q has I(f;s) and ones in its diagonal, F has I(f;l), and D the cosine
    distances of the labels, as in the authors' program; information in bits.

    Parameters
    ----------
    train : TrainingRows
        The training rows.
    alpha, beta : float
        How much redundancy, and how much labels that occur apart, count.
    """
    Q = _of_pairs("grro", train) / np.log(2)
    np.fill_diagonal(Q, 1.0)
    F = np.asarray(plain_of(train.prepared.info).mi_fl, np.float64) / np.log(2)
    Y = (dense(train.data.Y) > 0).astype(np.float64)
    size = np.linalg.norm(Y, axis=0)
    both = np.outer(size, size)
    D = np.where(both > 0, 1 - Y.T @ Y / np.where(both > 0, both, 1.0), 0.0)
    of_q, U = np.linalg.eigh(Q)
    of_d, V = np.linalg.eigh(D)
    by = 1 + alpha * of_q[:, None] + beta * of_d
    W = U @ np.divide(U.T @ F @ V, by, out=np.zeros(F.shape), where=np.abs(by) > CLOSE) @ V.T
    return np.round(W.sum(axis=1), 9)


def weights_of(Q: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Solve the program, by accelerated projected gradient.

    Parameters
    ----------
    Q : ndarray of float64, shape (d, d)
        Redundancy of the features.
    F : ndarray of float64, shape (d,)
        Their relevance.

    Examples
    --------
    >>> weights_of(np.eye(2), np.array([1.0, 1.0])).tolist()
    [0.5, 0.5]
    """
    q, f = float(Q.mean()), float(F.mean())
    share = q / (q + f) if q + f > 0 else 0.5
    bound = (1 - share) * float(np.abs(Q).sum(axis=1).max())  # of the eigenvalues
    x = ahead = np.full(F.size, 1 / F.size)
    slope = (1 - share) * (Q @ x) - share * F
    if bound <= 0:
        return np.where(slope > slope.min(), slope.min() - slope, 1.0)
    t = 1.0
    for _ in range(MOST_STEPS):
        before = x
        x = _on_simplex(ahead - slope / bound)
        last, t = t, (1 + np.sqrt(4 * t * t + 1)) / 2
        if slope @ (x - before) > 0:  # it went too far: begin again from here
            t, last = 1.0, 1.0
        ahead = x + (last - 1) / t * (x - before)
        slope = (1 - share) * (Q @ ahead) - share * F
        if np.abs(ahead - x).max() <= CLOSE and slope @ ahead - slope.min() <= CLOSE * bound:
            break
    slope = (1 - share) * (Q @ x) - share * F
    lacking = np.minimum(float(slope[x > 0].min()) - slope, 0.0)
    return np.round(np.where(x > 0, x, lacking), 9)


def _on_simplex(x: np.ndarray) -> np.ndarray:
    """The nearest point whose entries are not below 0 and add up to 1.

    Examples
    --------
    >>> _on_simplex(np.array([1.5, 0.5, -1.0])).tolist()
    [1.0, 0.0, 0.0]
    """
    ordered = -np.sort(-x)
    over = (np.cumsum(ordered) - 1) / np.arange(1, x.size + 1)
    return np.maximum(x - over[int(np.flatnonzero(ordered > over)[-1])], 0.0)


def _of_values(worth_of: Callable[..., np.ndarray], **parameters: float) -> Filter:
    """Score the columns as models get them; the worth of those of a feature is added."""

    def scores(train: TrainingRows, seed: int, **values: float) -> np.ndarray:
        X, Y, feature = table_of_rows(train)
        worth = worth_of(X, Y, train.data.weights, seed, **values)
        return np.bincount(feature, worth, train.data.shape[1])

    return Filter(scores, parameters=parameters)


def _regression(worth_of: Callable[..., np.ndarray], **parameters: float) -> Filter:
    """A regression of the labels on standardised columns."""

    def of_values(X: np.ndarray, Y: np.ndarray, *_: Any, **values: float) -> np.ndarray:
        return worth_of(_standardise(X, None), Y.astype(np.float64), **values)

    return _of_values(of_values, **parameters)


ppt_relieff = Filter(relief.ppt_relieff, parameters={"k": 10, "rows": 500, "prune": 6})
relieff_ml = Filter(relief.relieff_ml, parameters={"k": 10, "rows": 500})
rf_br = Filter(relief.rf_br, parameters={"k": 10, "rows": 500})
ig_lp = Filter(_of_label_sets, counts=True)
chi2_max, chi2_mean = (filters.over_labels(way, filters.chi2) for way in ("max", "mean"))
f_max, f_mean = (filters.over_labels(way, filters.f_ratio) for way in ("max", "mean"))
information_gain_max = filters.over_labels("max", filters.information_gain)
information_gain_mean = filters.over_labels("mean", filters.information_gain)
gain_ratio_max = filters.over_labels("max", filters.gain_ratio)
gain_ratio_mean = filters.over_labels("mean", filters.gain_ratio)
ksg_mean = Filter(_by_neighbours, parameters={"k": 3})
cov = _of_values(_covariances)
forest = _of_values(_impurities, trees=100)
l21 = _of_values(_lasso_norms)
llsf = _of_values(_llsf_norms, alpha=0.01, beta=0.01)
qpfs = Filter(_program_weights, counts=True)
grro = Filter(_grro_weights, counts=True, parameters={"alpha": 1.0, "beta": 1.0})
mfs_mcdm = _regression(mcdm, ridge=10.0)
mifs_jian = _regression(mifs, alpha=1.0, beta=1.0, gamma=1.0)
mdfs = _regression(mdfs_weights, alpha=1.0, beta=1.0, gamma=1.0)
mssl = _regression(mssl_weights, alpha=1.0, beta=1.0)

NAMES = {  # in published tables: import paths
    name.replace("_", "-"): f"{__name__}.{name}"
    for name, value in list(globals().items())
    if isinstance(value, Filter)
}


def path_of(name: str) -> str:
    """The import path of a selector by its name in a published table; others stay as they are.

    Examples
    --------
    >>> path_of("mfs-mcdm"), path_of("jmi")
    ('benchmarks.selectors.mfs_mcdm', 'jmi')
    """
    return NAMES.get(name, name)


def name_of(path: str) -> str:
    """The name in a published table of a selector by its import path."""
    return next((name for name, known in NAMES.items() if known == path), path)
