"""Ensembles: a model many times, each on some of the rows and some of the columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from mlfs.api.options import checked_count
from mlfs.api.selection import Selection
from mlfs.errors import UnknownName, UsageError, printable
from mlfs.models.label_model import LabelModel, name_columns
from mlfs.models.problem import MISSING, Problem
from mlfs.models.splits import row_marks

__all__ = ["StructuredEnsemble"]

VOTES = ("majority", "mean")
SEEDS = 2**31 - 1


def _knows_shares(ensemble: Any) -> bool:
    return ensemble.vote != "mean" or ensemble._probabilistic()  # noqa: SLF001


class StructuredEnsemble(LabelModel):
    """A model fitted many times, each time on a random part of the rows and columns.

    Parameters
    ----------
    model : classifier for indicator matrices, optional
        Cloned for each member; by default a `StructuredClassifier` on a random chain (ECC).
    n_estimators : int, default=10
        How many members.
    rows, features : float, default=0.75, 0.5
        The share of the rows and of the columns that each member is given, drawn without
        replacement. Rows that are equal in everything are drawn together, so that an integer
        weight equals repetition, and the order of the rows does not matter.
    vote : {"majority", "mean"}, default="majority"
        ``majority``: what more than half of the members predict. ``mean``: what the mean of the
        members' marginals says.
    n_jobs : int, optional
        Handed to members that have it and leave it open.
    random_state : int or RandomState, default=0
        Seeds the draws and the members.

    Attributes
    ----------
    estimators_ : list of classifier
        The fitted members.
    estimators_features_ : list of ndarray
        The columns of X that each member was given.
    estimators_samples_ : list of ndarray
        The rows that each member was given (counted without rows of weight 0).
    classes_, label_names_, n_features_in_, feature_names_in_
        As for `StructuredClassifier`.

    Examples
    --------
    >>> from mlfs.models import StructuredEnsemble
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> Y = [[0, 0], [0, 1], [1, 1], [1, 1]]
    >>> ensemble = StructuredEnsemble(n_estimators=3, features=1.0, rows=1.0).fit(X, Y)
    >>> len(ensemble.estimators_), ensemble.predict([[0.0, 1.0], [3.0, 0.0]]).tolist()
    (3, [[0, 0], [1, 1]])
    """

    base_estimator = None

    def __init__(
        self,
        model: Any = None,
        n_estimators: int = 10,
        rows: float = 0.75,
        features: float = 0.5,
        vote: str = "majority",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.model = model
        self.n_estimators = n_estimators
        self.rows = rows
        self.features = features
        self.vote = vote
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit all members; see `StructuredClassifier.fit`."""
        count = checked_count(self.n_estimators, "n_estimators")
        if count is None:
            raise UsageError("n_estimators is a whole number from 1 on, not None")
        self._check_vote()
        rows, features = _share(self.rows, "rows"), _share(self.features, "features")
        model = self._model()
        if self.vote == "mean" and not self._probabilistic():
            name = printable(type(model).__name__)
            msg = f"the members ({name}) give no probabilities: use vote='majority'"
            raise UsageError(msg)
        if features < 1:
            _refuse_own_columns(model)
        problem = self._begin(X, y, sample_weight)
        marks = row_marks(problem.X, problem.Y)
        self.estimators_, self.estimators_features_, self.estimators_samples_ = [], [], []
        for member in range(count):
            draw = problem.generator(member)
            seed = int(draw.integers(SEEDS))
            chosen = _drawn_rows(draw, marks, problem.weights, rows)
            columns = _drawn(draw, problem.X.shape[1], features)
            fitted = _fitted(clone(model), problem, chosen, columns, seed)
            self.estimators_.append(fitted)
            self.estimators_features_.append(columns)
            self.estimators_samples_.append(chosen)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """What the members agree on: the second value where its share is above one half.

        Returns
        -------
        ndarray, shape (n, q)
            Of the values that Y had; 0 and 1 where it had booleans or sets.
        """
        return self._given((self._share_of_ones(X) > 0.5).astype(np.int8))

    @available_if(_knows_shares)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The mean of the members' marginals, or how many predict the second value.

        By majority it is (k + 1) / (m + 2) where k of m members do: never quite 0 or 1.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._shares(self._share_of_ones(X))

    def _share_of_ones(self, X: Any) -> np.ndarray:
        self._check_vote()
        x = self._rows(X)
        return self._mean_proba(x) if self.vote == "mean" else self._votes(x)

    def _votes(self, x: Any) -> np.ndarray:
        votes: Any = 0
        for member, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            votes = votes + _codes_of(member.predict(x[:, columns]))
        return np.asarray((votes + 1) / (len(self.estimators_) + 2))

    def _mean_proba(self, x: Any) -> np.ndarray:
        total: Any = 0.0
        for member, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            total = total + np.asarray(member.predict_proba(x[:, columns]))
        return np.asarray(total / len(self.estimators_))

    def _model(self) -> Any:
        if self.model is None:
            from mlfs.models.chain import StructuredClassifier
            from mlfs.models.structures import Chain

            return StructuredClassifier(Chain("random"))
        if isinstance(self.model, type) or not hasattr(self.model, "predict"):
            msg = (
                "model is a classifier for many labels, such as StructuredClassifier(), not "
                f"{printable(repr(self.model))}"
            )
            raise UsageError(msg)
        return self.model

    def _probabilistic(self) -> bool:
        return self.model is None or hasattr(self.model, "predict_proba")

    def _check_vote(self) -> None:
        if self.vote not in VOTES:
            raise UnknownName("vote", str(self.vote), VOTES)

    def _allows_nan(self) -> bool:
        return isinstance(self.model, LabelModel) and self.model._allows_nan()  # noqa: SLF001


def _fitted(model: Any, problem: Problem, rows: np.ndarray, columns: np.ndarray, seed: int) -> Any:
    """One member on its rows and columns."""
    settable = model.get_params(deep=False)
    if "random_state" in settable:
        model.set_params(random_state=seed)
    if "n_jobs" in settable and settable["n_jobs"] is None:
        model.set_params(n_jobs=problem.n_jobs)
    if isinstance(model, LabelModel):
        name_columns(model, [problem.feature_names[j] for j in columns], problem.names)
    x = problem.X[rows][:, columns]
    y = problem.Y[rows].astype(np.int64)
    if (y == MISSING).any():
        y = np.where(y == MISSING, np.nan, y)
    weights = None if problem.weights is None else problem.weights[rows]
    return model.fit(x, y) if weights is None else model.fit(x, y, sample_weight=weights)


def _refuse_own_columns(model: Any) -> None:
    if isinstance(getattr(model, "features", None), (Mapping, Selection)):
        msg = (
            "the members have features that are named for each label, but see only some of the "
            "columns: use features=1.0, or let a criterion select"
        )
        raise UsageError(msg)


def _codes_of(predicted: Any) -> np.ndarray:
    array = predicted.toarray() if hasattr(predicted, "toarray") else np.asarray(predicted)
    return array.astype(np.intp)


def _drawn(draw: np.random.Generator, total: int, share: float) -> np.ndarray:
    """Some of so many, ascending; at least one."""
    count = max(1, round(share * total))
    return np.sort(draw.permutation(total)[:count])


def _drawn_rows(
    draw: np.random.Generator, marks: np.ndarray, weights: np.ndarray | None, share: float
) -> np.ndarray:
    """Distinct rows at random until they have their share of the weight, ascending."""
    distinct, of = np.unique(marks, return_inverse=True)
    heavy = np.bincount(of, weights)[(order := draw.permutation(distinct.size))]
    before = np.cumsum(heavy) - heavy
    kept = np.zeros(distinct.size, dtype=bool)
    kept[order[before < share * heavy.sum() - heavy / 2]] = True
    kept[order[0]] = True
    return np.flatnonzero(kept[of])


def _share(value: Any, what: str) -> float:
    number = isinstance(value, (int, float, np.integer, np.floating))
    if not number or isinstance(value, bool) or not 0 < value <= 1:
        msg = f"{what} is the share that a member is given, in (0, 1], not {printable(repr(value))}"
        raise UsageError(msg)
    return float(value)
