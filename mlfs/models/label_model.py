"""The base class of all models: reading X and Y, names and classes, scikit-learn's tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_regressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from mlfs.api.column_selector import page_of
from mlfs.api.options import NAMED, seed_of
from mlfs.api.prepared import Prepared
from mlfs.data.columns import check_weights
from mlfs.data.dataset import Dataset
from mlfs.data.frames import family
from mlfs.data.matrices import check_places
from mlfs.errors import DataError, UsageError, printable
from mlfs.models.classes import BINARY, Classes, ClassList, read_labels
from mlfs.models.problem import Problem, column_names, open_arrays, open_rows, refuse_other_columns
from mlfs.search.label_parents import Structure

ROUNDING = 1e-9  # by which a sum of shares may leave 0 to 1


def default_learner() -> LogisticRegression:
    """Logistic regression with the penalty of Sun, Kudo & Kimura (lambda = 0.1 is C = 5)."""
    return LogisticRegression(C=5.0, solver="liblinear")


def probabilistic(model: Any) -> bool:
    """Whether the base learner of a model gives probabilities."""
    return model.base_estimator is None or hasattr(model.base_estimator, "predict_proba")


def name_columns(model: LabelModel, features: Sequence[str], labels: Sequence[str]) -> None:
    """Set the names of the columns of X and Y for the next `fit`, where both are arrays."""
    model._next_names = tuple(features), tuple(labels)  # noqa: SLF001


def names_known(model: Any) -> tuple[str, ...] | None:
    """The names of the columns of the frame or data set that a model was trained on."""
    names = getattr(model, "feature_names_in_", getattr(model, "_data_names", None))
    return None if names is None else tuple(names)


class LabelModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn has no types
    """The base of all models: a subclass has ``base_estimator, n_jobs, random_state``.

    A subclass has ``_check``, which refuses wrong parameters before the data are read, and
    ``_learn(problem)``, which learns and leaves the attribute ``_mark``. It calls ``_rows`` in
    `predict`, ``_decode`` on what it predicts (int8 of 0 and 1), ``_shares`` on probabilities,
    ``_decisions`` on decision values, ``_codes`` on labels that it is to score. Where Y has one
    dimension, it is one label, and all is as of any binary classifier.

    Attributes
    ----------
    classes_ : list of ndarray
        The values of each label; where Y had one dimension, the values of that label.
    label_names_ : tuple of str
        The names of the labels: the columns of Y where it is a frame, else ``y0, y1, ...``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    """

    base_estimator: Any
    n_jobs: Any
    random_state: Any
    _labels: Classes
    _next_names: tuple[tuple[str, ...], tuple[str, ...]]
    _data_names: np.ndarray | None = None  # of the columns, after `fit` on a data set that has them
    _mark = "label_names_"
    _poor_score: Any = False  # whether a prediction may differ from rounded marginals

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows and their labels.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n, d); or Dataset or Prepared
            The features. What is prepared is not counted again, where features are selected or
            the label structure is learned with the same options.
        y : array, sparse matrix or frame, shape (n, q)
            The labels; left out with a Dataset or a Prepared, which know theirs.
        sample_weight : array of shape (n,), optional
            How much each row counts, in all that is learned.

        Returns
        -------
        self
        """
        self._check()
        self._learn(self._begin(X, y, sample_weight))
        return self

    def _check(self) -> None:
        """Refuse invalid parameters."""

    def _learn(self, problem: Problem) -> None:
        raise NotImplementedError

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of the base learner also where it is the default one.

        Parameters
        ----------
        **params
            As for any estimator of scikit-learn, such as ``base_estimator__C=0.5``.
        """
        inner = any(name.startswith("base_estimator__") for name in params)
        if inner and "base_estimator" in self._get_param_names() and self.base_estimator is None:
            self.base_estimator = self._default_learner()
        model: Self = super().set_params(**params)
        return model

    def used_columns(self) -> np.ndarray | None:
        """The columns of X that a prediction depends on, ascending; None is all of them."""
        return None

    def narrow(self, columns: np.ndarray) -> None:
        """Let the fitted model take only some columns of X, among them all `used_columns`.

        Parameters
        ----------
        columns : ndarray of int
            Ascending.
        """
        self.n_features_in_ = len(columns)
        self.__dict__.pop("feature_names_in_", None)
        self._data_names = None

    def __sklearn_is_fitted__(self) -> bool:
        return self._mark in self.__dict__

    @property
    def classes_(self) -> Any:
        """The values of each label; of the one label where Y had one dimension."""
        if "_labels" not in self.__dict__:
            msg = f"this {type(self).__name__} is not fitted: call fit(X, Y) first"
            raise AttributeError(msg)
        target = self._labels.target
        return ClassList([BINARY] * len(self._labels.names)) if target is None else target

    def _get_doc_link(self) -> str:
        """The page that scikit-learn's HTML of an estimator links to."""
        return page_of(type(self))

    def _repr_html_inner(self) -> str:
        return f"{super()._repr_html_inner()}{self._drawing()}"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] += self._drawing()
        return bundle

    def _drawing(self) -> str:
        """The structure of the labels as HTML, once there is one."""
        structure = getattr(self, "structure_", None)
        return structure._repr_html_() if isinstance(structure, Structure) else ""

    def _begin(self, X: Any, Y: Any, sample_weight: Any = None) -> Problem:
        """Check the training data and code the labels."""
        prepared = names = labels = None
        if isinstance(X, (Dataset, Prepared)):
            Y, sample_weight, names, labels, prepared = open_arrays(X, Y, sample_weight)
        names, labels = self.__dict__.pop("_next_names", (names, labels))
        if Y is None:
            msg = (
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None: give the labels of each row"
            )
            raise DataError(msg)
        NAMED["n_jobs"].read(self.n_jobs)
        seed = seed_of(self.random_state)
        self._learner(seed)  # refused before the data are read
        matrix = self._matrix(X, reset=True)
        codes, self._labels = read_labels(Y, matrix.shape[0], labels)
        self.label_names_ = self._labels.names
        if names is None:
            names = getattr(self, "feature_names_in_", X.columns if family(X) else ())
        problem = self._weighted_problem(
            matrix, codes, sample_weight, seed, tuple(str(name) for name in names)
        )
        return problem if prepared is None else replace(problem, shared=[prepared])

    def _weighted_problem(
        self,
        matrix: Any,
        codes: np.ndarray,
        sample_weight: Any,
        seed: int,
        columns: tuple[str, ...],
    ) -> Problem:
        """The problem without rows of weight 0."""
        weights = None if sample_weight is None else check_weights(sample_weight, len(codes))
        if weights is not None and not weights.all():
            kept = np.flatnonzero(weights)
            matrix, codes, weights = matrix[kept], codes[kept], weights[kept]
        if weights is not None and (weights == 1).all():
            weights = None
        learner, names = self._learner(seed), self._labels.names
        return Problem(
            matrix, codes, names, columns, weights, learner, n_jobs=self.n_jobs, seed=seed
        )

    def _learner(self, seed: int) -> Any:
        """The base learner, with the seed for each of its random states that is None."""
        base = self.base_estimator
        if base is None:
            base = self._default_learner()
        if isinstance(base, type) or not (hasattr(base, "fit") and hasattr(base, "predict")):
            msg = (
                "base_estimator is a classifier of scikit-learn's kind, such as "
                f"LogisticRegression(), not {printable(repr(base))}"
            )
            raise UsageError(msg)
        if is_regressor(base):
            msg = f"base_estimator is a classifier, and {printable(repr(base))} is a regressor, "
            raise UsageError(
                f"{msg}which predicts quantities: use one such as LogisticRegression()"
            )
        learner = clone(base)
        unseeded = [
            key
            for key, value in learner.get_params(deep=True).items()
            if key.split("__")[-1] == "random_state" and value is None
        ]
        return learner.set_params(**dict.fromkeys(unseeded, seed)) if unseeded else learner

    def _default_learner(self) -> Any:
        return default_learner()

    def _rows(self, X: Any) -> Any:
        """Check the rows that are to be predicted: ndarray of float64 or csr."""
        check_is_fitted(self)
        return self._matrix(X, reset=False)

    def _matrix(self, X: Any, *, reset: bool) -> Any:
        names, is_dataset = column_names(X), isinstance(X, (Dataset, Prepared))
        if is_dataset:
            X = open_rows(X)
        if sp.issparse(X):
            check_places(X, "X")
        checks: dict[str, Any] = {
            "accept_sparse": "csr",
            "dtype": np.float64,
            "order": "C",
            "ensure_all_finite": "allow-nan" if self._allows_nan() else True,
        }
        if reset:
            self._data_names = np.array(names, dtype=object) if is_dataset and names else None
        known = None if reset else names_known(self)
        if names is None or known is None or not (is_dataset or self._data_names is not None):
            matrix = validate_data(self, X, reset=reset, **checks)  # compares those of two frames
        else:
            refuse_other_columns(names, known)
            matrix = check_array(X, estimator=self, input_name="X", **checks)
        if not sp.issparse(matrix):
            return matrix
        matrix = sp.csr_array(matrix)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return _narrow_indices(matrix)

    def _allows_nan(self) -> bool:
        inner = getattr(self, "model", None)
        if isinstance(inner, LabelModel):
            return inner._allows_nan()  # noqa: SLF001
        base = self.base_estimator
        if isinstance(base, Pipeline) and base.steps:
            base = base.steps[0][1]
        try:
            return base is not None and bool(get_tags(base).input_tags.allow_nan)
        except (AttributeError, TypeError):
            return False

    def _decode(self, codes: np.ndarray) -> np.ndarray:
        """The user's own values for predicted 0 and 1."""
        self._demand((codes == 0) | (codes == 1), codes, "prediction", "neither 0 nor 1")
        return self._labels.decode(codes)

    def _shares(self, ones: np.ndarray) -> np.ndarray:
        """P(1) of each label; where Y had one dimension, P(0) and P(1) as of any classifier."""
        inside = (ones >= -ROUNDING) & (ones <= 1 + ROUNDING)
        self._demand(inside, ones, "probability", "no number from 0 to 1")
        if self._labels.target is None:
            return ones
        return np.column_stack([1 - ones[:, 0], ones[:, 0]])

    def _demand(self, fits: np.ndarray, values: np.ndarray, what: str, why: str) -> None:
        """Refuse an answer that cannot be one: of a learner that diverged, or of a forged file."""
        if not fits.all():
            row, label = np.argwhere(~fits)[0]
            msg = f"a {what} of the label {printable(self.label_names_[label])!r} is "
            raise DataError(f"{msg}{values[row, label]}, {why}: its base learner is not to be used")

    def _decisions(self, values: np.ndarray) -> np.ndarray:
        """Decision values of each label; where Y had one dimension, as of any classifier."""
        return values if self._labels.target is None else values[:, 0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Exact match: the share of rows in which every label that is known is right.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n, d)
            The rows.
        y : array, sparse matrix or frame, shape (n, q)
            Their labels.
        sample_weight : array of shape (n,), optional
            How much each row counts.

        Returns
        -------
        float
        """
        predicted = self.predict(X)
        true = self._labels.codes(y, len(predicted))
        predicted_codes = self._labels.codes(predicted, len(predicted))
        right = ((true == predicted_codes) | (true < 0)).all(axis=1)
        weights = None if sample_weight is None else check_weights(sample_weight, len(predicted))
        return float(np.average(right, weights=weights))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        # scikit-learn's checks have no other tag to say that labels are decided together
        tags.classifier_tags.poor_score = self._poor_score
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_nan()
        return tags


def _narrow_indices(matrix: Any) -> Any:
    """The matrix with 32-bit indices where they fit: liblinear takes no wider ones."""
    if matrix.indices.dtype == np.int32 == matrix.indptr.dtype:
        return matrix
    if max(matrix.nnz, *matrix.shape) > np.iinfo(np.int32).max:
        return matrix
    indices = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return sp.csr_array((matrix.data, *indices), matrix.shape)
