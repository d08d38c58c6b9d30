"""Simple filters extended to many labels, the baselines of comparisons.

============================ ================================================================
name                         worth of a feature f
============================ ================================================================
chi2-max, chi2-mean          chi-square of the table of (binned) f and each label
f-max, f-mean                the F of an analysis of variance of f by each label
information-gain-max, -mean  I(f;l)
gain-ratio-max, -mean        I(f;l) / H(f)
ppt-relieff                  ReliefF on label sets as classes, rare sets pruned (Read, 2008;
                             Doquire & Verleysen, 2011)
rf-br                        ReliefF for each label, the mean of the labels (Spolaor et al., 2013)
relieff-ml                   RReliefF with the distance between label sets (Spolaor et al., 2013)
ig-lp                        I(f;Y) with the label set as one class
ksg-mean                     I(f;l) by nearest neighbours, without binning, the mean of the labels
cov                          the sum of cov(f,l)^2, the diagonal of MDDM's matrix
forest                       mean decrease of impurity in a random forest for all labels
l21                          norms of the rows of a multi-task lasso
llsf                         norms of the rows of the weights of LLSF (Huang et al., 2015)
qpfs                         weights of a quadratic program of I(f;l) and I(f;s)
grro                         weights of features for labels, of I(f;l) and I(f;s) (Zhang, 2020)
mfs-mcdm, mifs-jian, mdfs,   weights of a regression of the labels, see
mssl                         `mlfs.compare.regressions`
============================ ================================================================

max and mean run over the labels; a label that is constant says nothing.

Baselines that look at the values as a model gets them, or at label sets as classes.

Nominal columns of more than two values are columns of 0 and 1 here; a feature has the worth of its
columns together.

QPFS: features weighted by a quadratic program (Rodriguez-Lujan et al., 2010).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.pairwise import mutual_information
from mlfs.api.prepared import prepared_of
from mlfs.api.value_kinds import Number, checked_count
from mlfs.compare.data_sources import dense
from mlfs.compare.regressions import mcdm, mdfs, mifs, mssl
from mlfs.compare.relief import ppt_relieff, relieff_ml, rf_br
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.dataset import Label
from mlfs.errors import DataError, UsageError, printable
from mlfs.information.for_search import plain_of, table_of
from mlfs.models.training_table import TrainingTable

if TYPE_CHECKING:
    from mlfs.compare.training_rows import TrainingRows


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


def _standardise(X: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    mean = np.average(X, axis=0, weights=weights)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    return np.asarray((X - mean) / np.where(spread > 0, spread, 1.0))


def forest(X: np.ndarray, Y: np.ndarray, weights: Any, seed: int, *, trees: int) -> np.ndarray:
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


def l21(X: np.ndarray, Y: np.ndarray, *_: Any) -> np.ndarray:
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


def llsf(
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


def covariance(X: np.ndarray, Y: np.ndarray, *_: Any) -> np.ndarray:
    """sum_l cov(f,l)^2, the diagonal of the matrix of MDDM (Zhang & Zhou, 2010).

    It depends on the scale of a column, as MDDM does.
    """
    covariances = (X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)) / len(X)
    return np.asarray((covariances**2).sum(axis=1))


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
    return np.bincount(feature, np.mean(gains, axis=0), train.data.shape[1])


def ig_lp(train: TrainingRows, _: int) -> np.ndarray:
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


MOST_FEATURES = 20_000  # all pairs of them are 3.2 GB
MOST_STEPS = 20_000
CLOSE = 1e-10  # of the scale of the program: how far from the minimum it may end


def qpfs(train: TrainingRows, _: int) -> np.ndarray:
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


def grro(train: TrainingRows, _: int, *, alpha: float, beta: float) -> np.ndarray:
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


@dataclass(frozen=True)
class Filter:
    """A way to score each feature on its own.

    Parameters
    ----------
    scores : callable
        ``scores(train, seed, **parameters)`` gives the worth of each feature.
    counts : bool
        Whether it uses the rows binned and counted, not the values themselves.
    parameters : mapping
        The parameters, with their defaults.
    """

    scores: Callable[..., np.ndarray]
    counts: bool = False
    parameters: Mapping[str, float] = field(default_factory=dict)

    def check(self, values: Mapping[str, Any]) -> None:
        """Refuse parameters that this filter does not have."""
        for name, value in values.items():
            if name not in self.parameters:
                takes = ", ".join(self.parameters) or "none"
                msg = f"there is no parameter {printable(name)!r} here; known are: {takes}"
                raise UsageError(msg)
            if isinstance(self.parameters[name], int):
                checked_count(value, name)
            else:
                Number().read(name, value)


def filter_scores(name: str, train: TrainingRows, seed: int, **parameters: Any) -> np.ndarray:
    """Score every feature; the greater, the better.

    Parameters
    ----------
    name : str
        One of `FILTERS`.
    train : TrainingRows
        The training rows.
    seed : int
        ReliefF looks at a random sample of the rows.
    **parameters
        Of the filter.
    """
    kind = FILTERS[name]
    return kind.scores(train, seed, **{**kind.parameters, **parameters})


def _information_gain(train: TrainingRows) -> np.ndarray:
    return train.prepared.info.mi_fl


def _gain_ratio(train: TrainingRows) -> np.ndarray:
    info = train.prepared.info
    gain, entropy = info.mi_fl, info.h_f[:, None]
    return np.divide(gain, entropy, out=np.zeros_like(gain), where=entropy > 0)


def _chi2(train: TrainingRows) -> np.ndarray:
    table = table_of(train.prepared.info)
    first = np.asarray(table.counts.offsets[:-1])
    scores = np.zeros((table.d, table.q))
    for label in range(table.q):
        n_fl = table.label(label).complete_table[:, : int(table.l_valid[label])].astype(float)
        n_f = n_fl.sum(axis=1)
        n_l = np.add.reduceat(n_fl, first, axis=0)  # of each feature, where values may be missing
        feature = np.repeat(np.arange(table.d), np.diff(table.counts.offsets))
        expected = n_f[:, None] * n_l[feature] / np.maximum(n_l.sum(axis=1), 1)[feature, None]
        off = (n_fl - expected) ** 2
        parts = np.divide(off, expected, out=np.zeros_like(off), where=expected > 0)
        scores[:, label] = np.add.reduceat(parts.sum(axis=1), first)
    return scores if table.positions is None else scores[table.positions]


def _f(train: TrainingRows) -> np.ndarray:
    """F of two groups, from sums; 0 where a group is empty or nothing varies."""
    data = train.data
    X = sp.csr_array(data.X) if sp.issparse(data.X) else np.asarray(data.X, float)
    stored = X.data if sp.issparse(X) else X
    if np.isnan(stored).any():
        msg = "the F filter takes no missing values: use information-gain or chi2"
        raise DataError(msg)
    weights = np.ones(X.shape[0]) if data.weights is None else data.weights
    Y = dense(data.Y)
    scores = np.zeros((X.shape[1], Y.shape[1]))
    squares = X * X
    for label in range(Y.shape[1]):
        sides = [(Y[:, label] == value) * weights for value in (0, 1)]
        n = [side.sum() for side in sides]
        if min(n) <= 0 or sum(n) <= 2:
            continue
        sums = [side @ X for side in sides]
        total = (sides[0] + sides[1]) @ squares
        within = total - sums[0] ** 2 / n[0] - sums[1] ** 2 / n[1]
        between = (sums[0] / n[0] - sums[1] / n[1]) ** 2 * n[0] * n[1] / (n[0] + n[1])
        varies = within > 1e-12 * np.maximum(total, 1e-300)
        np.divide(between * (sum(n) - 2), within, out=scores[:, label], where=varies)
        perfect = ~varies & (between > 1e-12 * total)
        scores[perfect, label] = np.inf
    return np.where(np.isinf(scores), np.finfo(float).max / (2 * Y.shape[1]), scores)


def _over_labels(statistic: str, label_scores: Callable[[TrainingRows], np.ndarray]) -> Filter:
    combine = np.max if statistic == "max" else np.mean

    def scores(train: TrainingRows, _: int) -> np.ndarray:
        return np.asarray(combine(label_scores(train), axis=1))

    return Filter(scores, counts=label_scores is not _f)


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


FILTERS: dict[str, Filter] = {
    **{
        f"{name}-{way}": _over_labels(way, scores)
        for name, scores in (
            ("chi2", _chi2),
            ("f", _f),
            ("information-gain", _information_gain),
            ("gain-ratio", _gain_ratio),
        )
        for way in ("max", "mean")
    },
    "ppt-relieff": Filter(ppt_relieff, parameters={"k": 10, "rows": 500, "prune": 6}),
    "relieff-ml": Filter(relieff_ml, parameters={"k": 10, "rows": 500}),
    "rf-br": Filter(rf_br, parameters={"k": 10, "rows": 500}),
    "ig-lp": Filter(ig_lp, counts=True),
    "ksg-mean": Filter(ksg_mean, parameters={"k": 3}),
    "cov": _of_values(covariance),
    "forest": _of_values(forest, trees=100),
    "l21": _of_values(l21),
    "llsf": _of_values(llsf, alpha=0.01, beta=0.01),
    "qpfs": Filter(qpfs, counts=True),
    "grro": Filter(grro, counts=True, parameters={"alpha": 1.0, "beta": 1.0}),
    "mfs-mcdm": _regression(mcdm, ridge=10.0),
    "mifs-jian": _regression(mifs, alpha=1.0, beta=1.0, gamma=1.0),
    "mdfs": _regression(mdfs, alpha=1.0, beta=1.0, gamma=1.0),
    "mssl": _regression(mssl, alpha=1.0, beta=1.0),
}
