"""Features made for labels: LLSF (Huang et al., 2015) and LIFT (Zhang & Wu, 2015).

LLSF: sparse linear weights for each label, shared by correlated labels. LIFT: a base learner on
distances to clusters of its own label.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from mlfs.api.options import seed_of
from mlfs.models.baselines.bases import ColumnModel
from mlfs.models.classes import two_classes
from mlfs.models.features import FeaturePlan, Features
from mlfs.models.inference.contract import real, whole
from mlfs.models.label_model import default_learner
from mlfs.models.parameters import parameters
from mlfs.models.problem import MISSING, Problem
from mlfs.models.switching import base_has
from mlfs.search.label_parents import Structure

POWER_STEPS = 50
SAFE = 1.02  # the power iteration finds a little less than the norm
THRESHOLD = 0.5


class LLSF(ColumnModel):
    """Linear regression of labels with sparse weights that correlated labels share.

    Huang, Li, Huang & Wu, Learning label specific features for multi-label classification
    (ICDM 2015). W minimises ||Z W - Y||^2 / (2 n) + alpha / 2 tr(R W'W) + beta ||W||_1, where R
    is 1 less the cosine of two labels; a label is predicted where Z W is above 1/2. Solved by
    accelerated proximal gradient, as in the authors' program.

    Parameters
    ----------
    alpha : float, default=0.01
        How much correlated labels share weights. The paper's value is n times this one.
    beta : float, default=0.01
        How sparse the weights are. The paper's value is n times this one.
    standardise : bool, default=True
        Centre the columns and labels and scale the columns; the intercept follows. False takes X
        as it is, without an intercept, as the paper does.
    max_iter : int, default=200
        How many steps at most.
    features, n
        The columns of X, as for `StructuredClassifier`: those selected for any label.

    Attributes
    ----------
    coef_ : ndarray of float64, shape (q, n_columns)
        The weights of the columns of X as they are given.
    intercept_ : ndarray of float64, shape (q,)
        What is added.
    n_iter_ : int
        How many steps were taken.
    columns_ : ndarray of int or None
        The columns of X that it looks at; None is all of them.
    classes_, label_names_, n_features_in_, feature_names_in_
        As for `StructuredClassifier`.

    Examples
    --------
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]]
    >>> model = LLSF().fit(X, [[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> model.predict([[0.0, 1.0], [3.0, 1.0]]).tolist()
    [[0, 0], [1, 1]]
    """

    base_estimator = None
    n_jobs = None
    random_state = 0
    _mark = "coef_"

    def __init__(
        self,
        alpha: float = 0.01,
        beta: float = 0.01,
        standardise: bool = True,
        max_iter: int = 200,
        features: Any = None,
        n: Any = None,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.standardise = standardise
        self.max_iter = max_iter
        self.features = features
        self.n = n

    def _check(self) -> None:
        _check(self.alpha, self.beta)
        whole(self.max_iter, "max_iter")

    def _learn(self, problem: Problem) -> None:
        table = _Rows.of(problem, bool(self.standardise))
        weights, self.n_iter_ = label_specific_weights(table, self.alpha, self.beta, self.max_iter)
        self.coef_ = (weights / table.scale[:, None]).T.copy()
        self.intercept_ = table.means - self.coef_ @ table.centre

    def decision_function(self, X: Any) -> np.ndarray:
        """The regression of each label less 1/2.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._decisions(self._less_half(self._rows(X)))

    def _less_half(self, x: Any) -> np.ndarray:
        return np.asarray(x @ self.coef_.T) + self.intercept_ - THRESHOLD

    def _decide(self, x: Any) -> np.ndarray:
        return self._less_half(x) > 0


@parameters
class LLSFFeatures(FeaturePlan):
    """The columns of each label whose weight in `LLSF` is not 0, the greatest first.

    Parameters
    ----------
    alpha, beta, standardise, max_iter
        As for `LLSF`.
    most : int, optional
        How many columns of each label at most.

    Examples
    --------
    >>> Y = np.array([[0], [0], [1], [1]], np.int8)
    >>> problem = Problem(np.array([[0.0, 1], [0, 0], [1, 0], [1, 1]]), Y, ("a",))
    >>> LLSFFeatures().after(problem, None, (None,))
    (array([0]),)
    """

    alpha: float = 0.01
    beta: float = 0.01
    standardise: bool = True
    max_iter: int = 200
    most: int | None = None

    def after(self, problem: Problem, structure: Structure, before: Features) -> Features:
        """The columns of each label, in the order of their weights."""
        del structure, before
        _check(self.alpha, self.beta)
        most = None if self.most is None else whole(self.most, "most")
        table = _Rows.of(problem, bool(self.standardise))
        steps = whole(self.max_iter, "max_iter")
        sizes = np.abs(label_specific_weights(table, self.alpha, self.beta, steps)[0])
        order = np.argsort(-sizes.round(12), axis=0, kind="stable")
        return tuple(
            columns[size[columns] > 0][:most].astype(np.intp)
            for columns, size in zip(order.T, sizes.T, strict=True)
        )


def _check(alpha: Any, beta: Any) -> None:
    for name, value in (("alpha", alpha), ("beta", beta)):
        real(value, f"{name} is a number from 0 on", lambda x: 0 <= x < np.inf)


@dataclass(frozen=True)
class _Rows:
    """Rows, centred and scaled without making sparse ones dense, and their labels."""

    X: Any
    centre: np.ndarray
    scale: np.ndarray
    targets: np.ndarray  # less their means, 0 where missing
    means: np.ndarray
    shares: np.ndarray  # of each row and label, 0 where missing

    @classmethod
    def of(cls, problem: Problem, standardise: bool) -> _Rows:
        X, known = problem.X, problem.Y != MISSING
        weights = np.ones(problem.n_rows) if problem.weights is None else problem.weights
        weights = weights / weights.sum()
        shares = known * weights[:, None]
        centre, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        means = np.zeros(problem.q)
        if standardise:
            centre = np.asarray(X.T @ weights)
            squares = X.multiply(X) if sp.issparse(X) else (X - centre) ** 2
            spread = np.asarray(squares.T @ weights) - (centre**2 if sp.issparse(X) else 0.0)
            scale = np.where(spread > 1e-12 * (1 + centre**2), np.sqrt(np.abs(spread)), 1.0)
            total = np.maximum(shares.sum(axis=0), 1e-300)
            means = (shares * (problem.Y == 1)).sum(axis=0) / total
        targets = np.where(known, (problem.Y == 1) - means, 0.0)
        return cls(X, centre, scale, targets, means, shares)

    def times(self, W: np.ndarray) -> np.ndarray:
        scaled = W / self.scale[:, None]
        return np.asarray(self.X @ scaled) - self.centre @ scaled

    def back(self, R: np.ndarray) -> np.ndarray:
        product = np.asarray(self.X.T @ R) - np.outer(self.centre, R.sum(axis=0))
        return np.asarray(product / self.scale[:, None])

    def norm(self) -> float:
        """The greatest eigenvalue of Z'Z / n, by power iteration."""
        weights = self.shares.max(axis=1)[:, None]
        v = np.ones((self.scale.size, 1)) + np.arange(self.scale.size)[:, None] / self.scale.size
        eigenvalue = 0.0
        for _ in range(POWER_STEPS):
            size = float(np.linalg.norm(v))
            if not size:
                break
            v = self.back(weights * self.times(v / size))
            eigenvalue = float(np.linalg.norm(v))
        return SAFE * eigenvalue


def label_specific_weights(
    table: _Rows, alpha: float, beta: float, steps: int
) -> tuple[np.ndarray, int]:
    """The weights W of LLSF, shape (d, q), by accelerated proximal gradient; and its steps.

    Parameters
    ----------
    table : _Rows
        Rows and labels.
    alpha, beta : float
        How much is shared, and how sparse W is.
    steps : int
        How many steps at most; it ends where W moves by less than 1e-6 of its size.
    """
    labels = table.targets + np.where(table.shares > 0, table.means, 0.0)
    norms = np.maximum(np.linalg.norm(labels, axis=0), 1e-12)
    distance = 1 - (labels / norms).T @ (labels / norms)
    np.fill_diagonal(distance, 0.0)
    bound = np.sqrt(2 * (table.norm() ** 2 + (alpha * np.linalg.norm(distance, 2)) ** 2))
    W = W_before = np.zeros((table.scale.size, labels.shape[1]))
    t, done = 1.0, 0
    while done < (steps if bound > 0 else 0):
        done += 1
        t_before, t = t, (1 + np.sqrt(4 * t * t + 1)) / 2
        ahead = W + (t_before - 1) / t * (W - W_before)
        residual = table.shares * (table.times(ahead) - table.targets)
        point = ahead - (table.back(residual) + alpha * ahead @ distance) / bound
        W_before, W = W, np.sign(point) * np.maximum(np.abs(point) - beta / bound, 0.0)
        if np.linalg.norm(W - W_before) <= 1e-6 * np.linalg.norm(W):
            break
    return W, max(done, 1)


@parameters
class Lift(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn has no types
    """A classifier on the distances of a row to cluster centres of the label's own rows.

    Zhang & Wu, LIFT: multi-label learning with label-specific features, IEEE TPAMI 37 (2015).
    The rows with the label and those without it are clustered apart by k-means, each into
    ceil(ratio times the smaller number of them) clusters; the features of a row are its
    distances to all centres. A base learner: ``make("lift")`` has one for each label.

    Parameters
    ----------
    base_estimator : classifier, optional
        Fitted on the distances; by default logistic regression with C = 5.
    ratio : float, default=0.1
        How many clusters, as a share of the rows of the rarer class.
    scale : bool, default=False
        Divide each column by its range in training before distances are taken.
    random_state : int or RandomState, optional
        Seeds k-means; in a model None is the seed of the model.

    Attributes
    ----------
    centres_ : ndarray of float64, shape (m, n_features)
        The cluster centres, those of the second class first; scaled if `scale` is.
    ranges_ : ndarray of float64, shape (n_features,), or None
        What each column is divided by, if `scale` is.
    estimator_ : classifier
        The classifier on distances.
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> Lift(random_state=0).fit(X, [0, 0, 1, 1, 0, 0]).centres_.tolist()
    [[2.5], [2.5]]
    >>> model = Lift(ratio=1.0, random_state=0).fit(X, [0, 0, 1, 1, 0, 0])
    >>> model.predict([[0.5], [2.5], [4.5]]).tolist()
    [0, 1, 0]
    """

    base_estimator: Any = None
    ratio: float = 0.1
    scale: bool = False
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Cluster the rows of both classes, then fit the classifier on the distances.

        Parameters
        ----------
        X : array, shape (n, d)
            The rows.
        y : array, shape (n,)
            Two classes.
        """
        real(self.ratio, "ratio is a share of rows, in (0, 1]", lambda x: 0 < x <= 1)
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = two_classes(y)
        seed = seed_of(self.random_state)
        count = ceil(self.ratio * min(int(codes.sum()), int((1 - codes).sum())) - 1e-9)
        self.ranges_ = None
        if self.scale:
            ranges = X.max(axis=0) - X.min(axis=0)
            self.ranges_ = np.where(ranges > 0, ranges, 1.0)
            X = X / self.ranges_
        centres = [_centres(X[codes == value], count, seed) for value in (1, 0)]
        self.centres_ = np.concatenate(centres)
        self.estimator_ = clone(self.base).fit(euclidean_distances(X, self.centres_), codes)
        return self

    def _distances(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        X = X if self.ranges_ is None else X / self.ranges_
        return np.asarray(euclidean_distances(X, self.centres_))

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        x = self._distances(X)
        return self.classes_[np.asarray(self.estimator_.predict(x), dtype=np.intp)]

    @available_if(base_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of both classes, shape (n, 2)."""
        x = self._distances(X)
        return np.asarray(self.estimator_.predict_proba(x))

    @available_if(base_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision of each row, positive for the second class."""
        x = self._distances(X)
        return np.asarray(self.estimator_.decision_function(x))

    @property
    def base(self) -> Any:
        """The learner that is fitted on the distances."""
        return default_learner() if self.base_estimator is None else self.base_estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _centres(rows: np.ndarray, count: int, seed: int) -> np.ndarray:
    """The centres of so many clusters of rows, no more than there are distinct rows."""
    distinct = np.unique(rows, axis=0)
    if len(distinct) <= count:
        return distinct
    with threadpool_limits(limits=1):  # sums depend on the number of threads
        fitted = KMeans(count, n_init=1, random_state=seed).fit(rows)
    return np.asarray(fitted.cluster_centers_, dtype=np.float64)
