"""A classifier for each value of the parents, instead of the parents as more inputs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from mlfs.errors import UsageError
from mlfs.models.base_learners import check_neighbours, refuse_unweightable, weight_name
from mlfs.models.classes import two_classes
from mlfs.models.inference.contract import whole
from mlfs.models.logistic import TunedLogistic
from mlfs.models.parameters import parameters

MIN_ROWS = 4


def base_has(method: str) -> Any:
    """Whether the classifier ``base`` of a base learner has a method."""
    return lambda learner: hasattr(learner.base, method)


@parameters
class Switching(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn has no types
    """One classifier for each value that the parents have in training (Batal et al., 2013).

    A base learner for the models of `mlfs.models`, which pass it how many of the last columns
    are parents. P(y | x, parents) then has weights of its own for each value of the parents,
    where one classifier on all columns has one weight for each parent. Without parents it is the
    base learner.

    Parameters
    ----------
    base_estimator : classifier, optional
        Cloned for each value; `mlfs.models.logistic.TunedLogistic` by default.
    min_rows : int, default=4
        Values that fewer rows have are predicted by a classifier of all rows that takes no
        parent as input, as are those that training did not have.

    Attributes
    ----------
    n_parents_ : int
        How many of the last columns are parents.
    configurations_ : ndarray of int8, shape (m, n_parents_)
        The values of the parents in training, ascending.
    estimators_ : list of classifier or None
        The classifier of each, None where there is none of its own.
    shares_ : ndarray of float64, shape (m,)
        P(second class) where all n rows of a value have one class: (k + 1/2) / (n + 1) with k rows
        of the second class; NaN elsewhere.
    rest_ : classifier or None
        That of all rows; None where all values have their own.
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> x, parent = np.tile([-1.0, 1.0], 8), np.repeat([0.0, 1.0], 8)
    >>> y = (x > 0) ^ (parent == 1)
    >>> X = np.column_stack([x, parent])
    >>> Switching(LogisticRegression()).fit(X, y, n_parents=1).score(X, y)
    1.0
    """

    base_estimator: Any = None
    min_rows: int = MIN_ROWS

    # ---- learning ---------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, n_parents: int = 0) -> Self:
        """Fit the classifiers.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d + n_parents)
            The rows; parents are the last columns.
        y : array, shape (n,)
            Two classes.
        sample_weight : array of shape (n,), optional
            How much each row counts.
        n_parents : int
            How many parents there are.
        """
        whole(self.min_rows, "min_rows")
        self.n_parents_ = whole(n_parents, "n_parents", 0)
        X, y = validate_data(self, X, y, **self._validation())
        self.classes_, codes = two_classes(y)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        return self._fit(X, codes, weights, {})

    def again(self, X: Any, codes: np.ndarray, weights: np.ndarray | None = None) -> Switching:
        """Another one fitted on these rows, with what was chosen for each classifier in `fit`.

        Nothing is checked: the rows are as a model hands them on, both classes among them, coded
        as 0 and 1.
        """
        like = {
            values.tobytes(): classifier
            for values, classifier in zip(self.configurations_, self.estimators_, strict=True)
            if classifier is not None
        }
        if self.rest_ is not None:
            like[b"rest"] = self.rest_
        switching = Switching(self.base_estimator, self.min_rows)
        switching.classes_, switching.n_features_in_ = self.classes_, X.shape[1]
        switching.n_parents_ = self.n_parents_
        return switching._fit(X, codes, weights, like)

    def untuned(self) -> Switching:
        """Put a base learner that chooses no parameters in its place, if there is one."""
        base = self.base
        plain = base.untuned() if hasattr(base, "untuned") else base
        return Switching(plain, self.min_rows)

    def _fit(
        self, X: Any, codes: np.ndarray, weights: np.ndarray | None, like: dict[bytes, Any]
    ) -> Self:
        counted = np.arange(codes.size) if weights is None else np.flatnonzero(weights)
        x, parents = self._split_columns(X)
        self.configurations_, group = _configurations(parents[counted])
        self.estimators_, self.shares_ = [], np.full(len(self.configurations_), np.nan)
        for number, values in enumerate(self.configurations_):
            rows = counted[group == number]
            ones, size = _count_ones(codes, weights, rows)
            classifier = None
            if size >= self.min_rows and ones in {0, size}:
                self.shares_[number] = one_class_share(ones, size)
            elif size >= self.min_rows:
                classifier = self._fit_classifier(
                    x, codes, weights, rows, like.get(values.tobytes())
                )
            self.estimators_.append(classifier)
        self.rest_ = self.rest_share_ = None
        fitted = [classifier is not None for classifier in self.estimators_]
        answered = fitted | np.isfinite(self.shares_)
        if not answered.all() or len(fitted) < 2**self.n_parents_:
            ones, size = _count_ones(codes, weights, counted)
            if ones in {0, size}:
                self.rest_share_ = one_class_share(ones, size)
            else:
                self.rest_ = self._fit_classifier(x, codes, weights, counted, like.get(b"rest"))
        return self

    def _fit_classifier(
        self, x: Any, codes: np.ndarray, weights: np.ndarray | None, rows: np.ndarray, like: Any
    ) -> Any:
        all_rows = rows.size == codes.size
        if hasattr(like, "again"):
            row_weights = None if weights is None else weights[rows]
            return like.again(x if all_rows else x[rows], codes[rows], row_weights)
        base = self.base if like is None else like
        refuse_unweightable(base, weights)
        keywords = {} if weights is None else {weight_name(base): weights[rows]}
        check_neighbours(base, rows.size, "one value of the parents (raise min_rows of Switching)")
        x, codes = (x, codes) if all_rows else (x[rows], codes[rows])
        return clone(base).fit(x, codes, **keywords)

    # ---- answering --------------------------------------------------------------------------

    @available_if(base_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of both classes, shape (n, 2)."""
        ones = self._answers(
            X, lambda classifier, x: classifier.predict_proba(x)[:, 1], lambda share: share
        )
        return np.column_stack([1.0 - ones, ones])

    @available_if(base_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision of the classifier in charge, positive for the second class; log odds."""
        return self._answers(X, lambda classifier, x: classifier.decision_function(x), logit)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, by the classifier in charge."""
        codes = self._answers(
            X, lambda classifier, x: classifier.predict(x), lambda share: share > 0.5
        )
        return self.classes_[codes.astype(np.intp)]

    def in_charge(self, values: np.ndarray) -> tuple[Any, float]:
        """The classifier for some values of the parents; or None and a share of ones."""
        matches = np.flatnonzero((self.configurations_ == values).all(axis=1))
        if matches.size:
            classifier, share = self.estimators_[matches[0]], float(self.shares_[matches[0]])
            if classifier is not None or np.isfinite(share):
                return classifier, share
        return self.rest_, np.nan if self.rest_share_ is None else self.rest_share_

    def _answers(self, X: Any, predict: Any, from_share: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self._validation())
        x, parents = self._split_columns(X)
        out = np.empty(x.shape[0])
        values_found, group = _configurations(parents)
        for number, values in enumerate(values_found):
            rows = group == number
            classifier, share = self.in_charge(values)
            if classifier is None:
                out[rows] = from_share(share)
            else:
                out[rows] = predict(classifier, x if len(values_found) == 1 else x[rows])
        return out

    def _split_columns(self, X: Any) -> tuple[Any, np.ndarray]:
        """The columns that the classifiers look at, and the values of the parents."""
        n_columns = X.shape[1] - self.n_parents_
        if n_columns < 0:
            msg = f"X has {X.shape[1]} columns, fewer than the {self.n_parents_} parents"
            raise UsageError(msg)
        x, last = X[:, :n_columns], X[:, n_columns:]
        parents = (last.toarray() if sp.issparse(last) else np.asarray(last)).astype(np.int8)
        return (x if n_columns else np.zeros((X.shape[0], 1))), parents

    @property
    def base(self) -> Any:
        """The classifier that is cloned for each value of the parents."""
        return TunedLogistic() if self.base_estimator is None else self.base_estimator

    def _validation(self) -> dict[str, Any]:
        nan = get_tags(self.base).input_tags.allow_nan
        return {
            "accept_sparse": "csr",
            "dtype": np.float64,
            "ensure_all_finite": "allow-nan" if nan else True,
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.base).input_tags
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags


def _configurations(parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values of the parents that occur, ascending, and their position for each row."""
    if parents.shape[1] == 1:  # twice as fast as by rows
        values, group = np.unique(parents[:, 0], return_inverse=True)
        return values[:, None], group
    values, group = np.unique(parents, axis=0, return_inverse=True)
    return values, group.reshape(-1)


def _count_ones(
    codes: np.ndarray, weights: np.ndarray | None, rows: np.ndarray
) -> tuple[float, float]:
    """The weighted number of ones among some rows, and of the rows."""
    shares = np.ones(rows.size) if weights is None else weights[rows]
    ones = codes[rows] == 1
    return float(shares.sum() if ones.all() else shares[ones].sum()), float(shares.sum())


def one_class_share(ones: float, size: float) -> float:
    """The smoothed share of ones where all rows are ones, or none is.

    Examples
    --------
    >>> one_class_share(0, 9), one_class_share(9, 9)
    (0.05, 0.95)
    """
    return (ones + 0.5) / (size + 1)
