"""Ensembles: a model many times, each on some of the rows and some of the columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from mlfs.api.options import SEEDS
from mlfs.api.selection import Selection
from mlfs.api.value_kinds import checked_count
from mlfs.errors import UsageError, check_name, printable
from mlfs.models.inference.contract import real
from mlfs.models.label_model import LabelModel, name_columns
from mlfs.models.parameters import parameters
from mlfs.models.problem import MISSING, Problem, row_marks
from mlfs.models.progress_reports import stage

VOTES = ("majority", "half", "mean")


def _probabilistic(ensemble: Any) -> bool:
    return ensemble.model is None or hasattr(ensemble.model, "predict_proba")


def _decides_by_function(ensemble: Any) -> bool:
    return not _probabilistic(ensemble) and hasattr(ensemble.model, "decision_function")


@parameters
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
    vote : {"majority", "half", "mean"}, default="majority"
        What `predict` returns: the labels that more than half of the members predict, those that
        half of them or more predict, or those whose mean probability is above one half. With
        "majority", where exactly half of the members predict a label, their mean probability
        decides (their mean decision value, where they give no probabilities). Probabilities are
        always means.
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

    model: Any = None
    n_estimators: int = 10
    rows: float = 0.75
    features: float = 0.5
    vote: str = "majority"
    n_jobs: int | None = None
    random_state: Any = 0

    base_estimator = None
    _mark = "estimators_"

    def _check(self) -> None:
        if checked_count(self.n_estimators, "n_estimators") is None:
            raise UsageError("n_estimators is a whole number from 1 on, not None")
        model = self._model()
        whose = f"the members ({printable(type(model).__name__)}) give"
        check_vote(self.vote, whose, _probabilistic(self))
        _share(self.rows, "rows")
        if _share(self.features, "features") < 1:
            _refuse_own_columns(model)

    def _learn(self, problem: Problem) -> None:
        marks = row_marks(problem.X, problem.Y)
        models, members_columns, members_rows = [], [], []
        for member in range(self.n_estimators):
            draw = problem.generator(member)
            seed = int(draw.integers(SEEDS))
            rows = _draw_rows(draw, marks, problem.weights, float(self.rows))
            columns = _draw_positions(draw, problem.X.shape[1], float(self.features))
            with stage(f"member {member + 1} of {self.n_estimators}"):
                model = clone(self._model())
                fitted = fit_member(model, problem, rows, columns, seed)
            models.append(fitted)
            members_columns.append(columns)
            members_rows.append(rows)
        self.estimators_, self.estimators_features_ = models, members_columns
        self.estimators_samples_ = members_rows

    def used_columns(self) -> np.ndarray | None:
        """The columns of X that some member looks at."""
        members = zip(self.estimators_, self.estimators_features_, strict=True)
        return np.unique(np.concatenate([columns[_used_by(one)] for one, columns in members]))

    def narrow(self, columns: np.ndarray) -> None:
        """Let the members take rows of some columns of X."""
        super().narrow(columns)
        narrowed = []
        for model, own in zip(self.estimators_, self.estimators_features_, strict=True):
            kept = np.flatnonzero(np.isin(own, columns))
            if len(kept) < len(own):
                model.narrow(kept)
            narrowed.append(np.searchsorted(columns, own[kept]))
        self.estimators_features_ = narrowed

    def predict(self, X: Any) -> np.ndarray:
        """The labels that the members agree on: by majority, or by their mean probability.

        Where half of the members vote for a label, their mean probability (or decision value)
        decides.

        Returns
        -------
        ndarray, shape (n, q)
            0 and 1 for each label; shape (n,), of the values of y, where that had one dimension.
        """
        check_vote(self.vote)
        x = self._rows(X)
        if self.vote == "mean":
            return self._decode((self._mean(x, ones_of) > 0.5).astype(np.int8))
        share = self._mean(x, _votes_of)
        if self.vote == "half":
            return self._decode((share >= 0.5).astype(np.int8))
        tied = share == 0.5
        rows = tied.any(axis=1)
        if rows.any() and (_probabilistic(self) or _decides_by_function(self)):
            scores_of, middle = (ones_of, 0.5) if _probabilistic(self) else (_decisions_of, 0.0)
            share[rows] += tied[rows] * (self._mean(x[rows], scores_of) > middle)
        return self._decode((share > 0.5).astype(np.int8))

    @available_if(_probabilistic)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The mean of the members' marginal probabilities, whatever the vote.

        With other votes than "mean" a prediction may differ from the rounded mean.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._shares(self._mean(self._rows(X), ones_of))

    @available_if(_decides_by_function)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The mean of the members' decision values, where these give no probabilities.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._decisions(self._mean(self._rows(X), _decisions_of))

    def _mean(self, x: Any, answer: Callable[[Any, Any, int], np.ndarray]) -> np.ndarray:
        """The mean of the members' answers."""
        total: Any = 0.0
        for member, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            total = total + answer(member, x[:, columns], len(self.label_names_))
        return np.asarray(total / len(self.estimators_))

    def _model(self) -> Any:
        from mlfs.models.chain import StructuredClassifier
        from mlfs.models.structures import Chain

        return model_or_default(self.model, StructuredClassifier(Chain("random")))

    @property
    def _poor_score(self) -> bool:
        return bool(self.vote == "majority")


def _used_by(model: Any) -> Any:
    """The columns that a member looks at, of those that it was given; at least one."""
    used = model.used_columns() if isinstance(model, LabelModel) else None
    return slice(None) if used is None else used if used.size else slice(1)


def check_vote(vote: Any, whose: str = "", probabilistic: bool = True) -> None:
    """Refuse an unknown vote, and one by probabilities where the members have none."""
    check_name(vote, "vote", VOTES)
    if vote == "mean" and not probabilistic:
        raise UsageError(f"{whose} no probabilities: use vote='majority'")


def model_or_default(model: Any, default: Any) -> Any:
    """The model that an ensemble or thresholds are made of; a default where None is given."""
    if model is None:
        return default
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
        msg = (
            "model is a classifier for many labels, such as StructuredClassifier(), not "
            f"{printable(repr(model))}"
        )
        raise UsageError(msg)
    return model


def fit_member(
    model: Any,
    problem: Problem,
    rows: np.ndarray,
    columns: np.ndarray,
    seed: int | None = None,
) -> Any:
    """Fit a model on some rows and columns of a problem; with its own seed if none is given.

    Parameters
    ----------
    model : classifier
        Is changed and returned.
    problem, rows, columns
        What it is fitted on.
    seed : int, optional
        Its ``random_state``.
    """
    y = problem.Y[rows].astype(np.int64)
    if (y == MISSING).any():
        y = np.where(y == MISSING, np.nan, y)
    x = problem.X[rows][:, columns]
    keywords: dict[str, Any] = {}
    if problem.weights is not None:
        keywords["sample_weight"] = problem.weights[rows]
    settable = model.get_params(deep=False)
    if "random_state" in settable and seed is not None:
        model.set_params(random_state=seed)
    if "n_jobs" in settable and settable["n_jobs"] is None:
        model.set_params(n_jobs=problem.n_jobs)
    if isinstance(model, LabelModel):
        name_columns(model, [problem.feature_names[j] for j in columns], problem.names)
    return model.fit(x, y, **keywords)


def _refuse_own_columns(model: Any) -> None:
    if isinstance(getattr(model, "features", None), (Mapping, Selection)):
        msg = (
            "the members have features that are named for each label, but see only some of the "
            "columns: use features=1.0, or let a criterion select"
        )
        raise UsageError(msg)


def ones_of(member: Any, x: Any, q: int) -> np.ndarray:
    """P(1) of each of q labels, from a classifier with one array, or one for each label."""
    probabilities = member.predict_proba(x)
    if hasattr(probabilities, "toarray"):
        probabilities = probabilities.toarray()
    if not isinstance(probabilities, list):
        probabilities = np.asarray(probabilities, dtype=np.float64)
        return probabilities[:, 1:] if q == 1 and probabilities.shape[1:] == (2,) else probabilities
    columns = [
        _share_of_ones(part, classes)
        for part, classes in zip(probabilities, member.classes_, strict=True)
    ]
    return np.column_stack(columns)


def _share_of_ones(shares: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """P(1) from the probabilities of the values that training had."""
    position = np.flatnonzero(np.asarray(classes) == 1)
    return shares[:, position[0]] if position.size else np.zeros(len(shares))


def _votes_of(member: Any, x: Any, q: int) -> np.ndarray:
    predicted = member.predict(x)
    array = predicted.toarray() if hasattr(predicted, "toarray") else np.asarray(predicted)
    return array.reshape(-1, q).astype(np.float64)


def _decisions_of(member: Any, x: Any, q: int) -> np.ndarray:
    return np.asarray(member.decision_function(x), dtype=np.float64).reshape(-1, q)


def _draw_positions(draw: np.random.Generator, total: int, share: float) -> np.ndarray:
    """A share of the positions below a total, at least one, ascending."""
    count = max(1, round(share * total))
    return np.sort(draw.permutation(total)[:count])


def _draw_rows(
    draw: np.random.Generator, marks: np.ndarray, weights: np.ndarray | None, share: float
) -> np.ndarray:
    """Draw distinct rows until they have their share of the weight; ascending."""
    distinct, mark_of_row = np.unique(marks, return_inverse=True)
    mark_weights = np.bincount(mark_of_row, weights)[(order := draw.permutation(distinct.size))]
    weight_before = np.cumsum(mark_weights) - mark_weights
    kept = np.zeros(distinct.size, dtype=bool)
    kept[order[weight_before < share * mark_weights.sum() - mark_weights / 2]] = True
    kept[order[0]] = True
    return np.flatnonzero(kept[mark_of_row])


def _share(value: Any, name: str) -> float:
    return real(
        value, f"{name} is the share that a member is given, in (0, 1]", lambda x: 0 < x <= 1
    )
