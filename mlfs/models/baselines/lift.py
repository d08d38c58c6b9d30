"""LIFT: a base learner on distances to clusters of its own label (Zhang & Wu, 2015)."""

from __future__ import annotations

from math import ceil
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from mlfs.api.options import seed_of
from mlfs.models.classes import two_classes
from mlfs.models.inference.contract import real
from mlfs.models.label_model import default_learner
from mlfs.models.storage.storable import parameters, storable


def _has(method: str) -> Any:
    return lambda lift: hasattr(lift.base, method)


@storable
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

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of both classes, shape (n, 2)."""
        x = self._distances(X)
        return np.asarray(self.estimator_.predict_proba(x))

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
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
