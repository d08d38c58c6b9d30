"""Thresholds of labels, learned from rows held out: `ThresholdedClassifier` for any model."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from mlfs.errors import UsageError, check_name, printable
from mlfs.models.ensemble import fit_member, model_or_default, ones_of
from mlfs.models.inference.contract import real, whole
from mlfs.models.label_model import LabelModel
from mlfs.models.parameters import parameters
from mlfs.models.problem import MISSING, Problem, Stream, random_folds
from mlfs.models.progress_reports import stage

RULES = {
    "scut": "for each label, the threshold of greatest F1 (macro-F1)",
    "pcut": "for each label, as many positives as there are in the training rows",
    "micro-f1": "one threshold for all labels, of greatest micro-F1",
    "cardinality": "one threshold for all labels, as many labels as there are in the training rows",
}
TOGETHER = {"micro-f1", "cardinality"}
OF_F1 = {"scut", "micro-f1"}


def _has(name: str) -> Callable[[Any], bool]:
    return lambda thresholded: hasattr(thresholded._inner_model(), name)  # noqa: SLF001


def _decides_by_function(thresholded: Any) -> bool:
    return _has("decision_function")(thresholded) and not _has("predict_proba")(thresholded)


@parameters
class ThresholdedClassifier(LabelModel):
    """A model that predicts the labels whose score is above a threshold of their own.

    A score is a probability, or a decision value where the model has no probabilities. The
    thresholds are learned on the training rows alone: each row is scored by a model that was
    trained without it, and then the model is trained on all rows.

    Parameters
    ----------
    model : classifier for indicator matrices, optional
        Any model with ``predict_proba`` or ``decision_function``; by default one logistic
        regression for each label.
    rule : {"scut", "pcut", "micro-f1", "cardinality"} or float, default="scut"
        ``scut``: for each label the threshold of greatest F1. ``pcut``: for each label the
        threshold above which there are as many rows as have the label. ``micro-f1``,
        ``cardinality``: the same with one threshold for all labels. A number is the threshold of
        all labels, and nothing is learned.
    folds : int, default=5
        How often the model is trained on a part of the rows.
    random_state : int or RandomState, default=0
        Seeds the folds.

    Attributes
    ----------
    model_ : classifier
        The model, trained on all rows.
    thresholds_ : ndarray of float64, shape (q,)
        The threshold of each label. A label for which no threshold is better than another, such
        as one without positives, keeps 0.5 (0 for decision values).
    classes_, label_names_, n_features_in_, feature_names_in_
        As for `StructuredClassifier`.

    Notes
    -----
    Of equally good thresholds the highest is taken, in the middle between two scores. Equal rows
    are in one fold, so that an integer weight equals repetition. SCut and PCut: Yang, A study of
    thresholding strategies for text categorization (2001); one threshold by cardinality: Read,
    Pfahringer, Holmes & Frank, Classifier chains for multi-label classification (2011).

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.models import ThresholdedClassifier
    >>> X = np.arange(40.0)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 35, X[:, 0] % 2 == 0]).astype(int)
    >>> model = ThresholdedClassifier(rule="scut").fit(X, Y)
    >>> model.thresholds_.shape, model.predict([[39.0]]).shape
    ((2,), (1, 2))
    """

    model: Any = None
    rule: Any = "scut"
    folds: int = 5
    random_state: Any = 0

    base_estimator = None
    n_jobs = None
    _mark = "model_"
    _poor_score = True

    def _check(self) -> None:
        checked_rule(self.rule)
        whole(self.folds, "folds", 2)
        model = self._inner_model()
        if not (hasattr(model, "predict_proba") or hasattr(model, "decision_function")):
            name = printable(type(model).__name__)
            raise UsageError(f"the model {name} gives no scores, so it can have no thresholds")

    def used_columns(self) -> np.ndarray | None:
        """The columns of X that the model looks at."""
        return self.model_.used_columns() if isinstance(self.model_, LabelModel) else None

    def narrow(self, columns: np.ndarray) -> None:
        """Let the model take rows of some columns of X."""
        super().narrow(columns)
        self.model_.narrow(columns)

    def _learn(self, problem: Problem) -> None:
        rule, model = checked_rule(self.rule), self._inner_model()
        columns = np.arange(problem.X.shape[1])
        if isinstance(rule, str):
            scores = self._held_out(model, problem, columns)
            usual = 0.5 if hasattr(model, "predict_proba") else 0.0
            self.thresholds_ = learned_thresholds(
                rule, scores, problem.Y, problem.weights, usual=usual
            )
        else:
            self.thresholds_ = np.full(problem.q, rule)
        with stage("all rows"):
            self.model_ = fit_member(clone(model), problem, np.arange(problem.n_rows), columns)

    def _held_out(self, model: Any, problem: Problem, columns: np.ndarray) -> np.ndarray:
        """The score of each row by a model that was trained without it; NaN where there is none."""
        scores = np.full(problem.Y.shape, np.nan)
        folds = random_folds(problem, self.folds, Stream.THRESHOLDS)
        for number, (learn, test) in enumerate(folds):
            with stage(f"fold {number + 1} of {len(folds)}"):
                fitted = fit_member(clone(model), problem, learn, columns)
            scores[test] = _scores_of(fitted, problem.X[test], problem.q)
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """The labels whose score is above their threshold.

        Returns
        -------
        ndarray, shape (n, q)
            0 and 1 for each label; shape (n,), of the values of y, where that had one dimension.
        """
        scores = self._scores(X)
        return self._decode((scores > self.thresholds_).astype(np.int8))

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the model, which the thresholds apply to."""
        return self._shares(self._scores(X))

    @available_if(_decides_by_function)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision values of the model less the thresholds, where it has no probabilities."""
        return self._decisions(self._scores(X) - self.thresholds_)

    @available_if(_has("joint_log_proba"))  # type: ignore[untyped-decorator]
    def joint_log_proba(self, X: Any, Y: Any) -> np.ndarray:
        """Log P(Y | x) of one label vector for each row, of the model."""
        x = self._rows(X)
        codes = self._labels.codes(Y, x.shape[0]).astype(np.int64)
        labels = np.where(codes == MISSING, np.nan, codes) if (codes == MISSING).any() else codes
        return np.asarray(self.model_.joint_log_proba(x, labels))

    def _scores(self, X: Any) -> np.ndarray:
        """The scores of the model; the rows are checked first."""
        x = self._rows(X)
        return _scores_of(self.model_, x, len(self.label_names_))

    def _inner_model(self) -> Any:
        from mlfs.models.chain import StructuredClassifier

        return model_or_default(self.model, StructuredClassifier())


def checked_rule(rule: Any) -> str | float:
    """A rule by its name, or a number.

    Examples
    --------
    >>> checked_rule("scut"), checked_rule(0.3)
    ('scut', 0.3)
    """
    if isinstance(rule, str):
        check_name(rule, "threshold", RULES)
        return rule
    return real(rule, f"a threshold is a number or one of {', '.join(RULES)}", math.isfinite)


def learned_thresholds(
    rule: str,
    scores: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    usual: float = 0.5,
) -> np.ndarray:
    """The threshold of each label by a rule, from scores of rows whose labels are known.

    Parameters
    ----------
    rule : str
        One of `RULES`.
    scores : ndarray of float64, shape (n, q)
        NaN leaves a cell out.
    codes : ndarray of int8, shape (n, q)
        The labels: 0, 1, or -1 where missing.
    weights : ndarray of float64, shape (n,), optional
        How much each row counts.
    usual : float, default=0.5
        The threshold of a label for which none is better.

    Examples
    --------
    >>> scores = np.array([[0.1], [0.2], [0.4], [0.3]])
    >>> learned_thresholds("scut", scores, np.array([[0], [0], [1], [1]])).tolist()
    [0.25]
    """
    row_weights = np.ones(len(codes)) if weights is None else weights
    row_weights = np.broadcast_to(row_weights[:, None], codes.shape)
    usable = (codes != MISSING) & ~np.isnan(scores)
    if rule in TOGETHER:
        threshold = _threshold(rule, scores[usable], codes[usable] == 1, row_weights[usable], usual)
        return np.full(codes.shape[1], threshold)
    return np.array(
        [
            _threshold(rule, scores[k, l], codes[k, l] == 1, row_weights[k, l], usual)
            for l, k in enumerate(usable.T)
        ]
    )


def _threshold(
    rule: str, scores: np.ndarray, positive: np.ndarray, weights: np.ndarray, usual: float
) -> float:
    """The best threshold of some cells; of equals the highest."""
    total = float(weights[positive].sum())
    if not total:
        return usual
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    ends = np.flatnonzero(np.append(falling[:-1] != falling[1:], True))
    sorted_weights = weights[order]
    predicted = np.append(0.0, np.cumsum(sorted_weights)[ends])
    true_positives = np.append(0.0, np.cumsum(sorted_weights * positive[order])[ends])
    values = (
        2 * true_positives / (predicted + total) if rule in OF_F1 else -np.abs(predicted - total)
    )
    best = int(np.argmax(values >= values.max() - TIE * total))
    # `best` of the distinct scores are above the threshold
    distinct = falling[ends]
    if best == 0:
        return float(distinct[0])
    lower = distinct[best] if best < distinct.size else np.nextafter(distinct[-1], -np.inf)
    middle = (distinct[best - 1] + lower) / 2
    return float(middle if lower <= middle < distinct[best - 1] else lower)


TIE = 1e-12


def _scores_of(model: Any, x: Any, q: int) -> np.ndarray:
    """The probabilities of a fitted model, or its decision values."""
    if hasattr(model, "predict_proba"):
        return ones_of(model, x, q)
    return np.asarray(model.decision_function(x), dtype=np.float64).reshape(-1, q)
