"""Fit one base learner for each label on its columns of X and the true values of its parents.

Dense rows for the learners that take no sparse ones, within the memory that is free.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, SGDClassifier
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import ThreadpoolController

from mlfs.api.options import threads
from mlfs.counting.memory import bytes_of
from mlfs.errors import DataError, UsageError, plural, printable
from mlfs.models.problem import MISSING, Problem
from mlfs.models.progress_reports import report_each
from mlfs.search.label_parents import Structure

T = TypeVar("T")
CELL = 8
ROWS_AT_ONCE = 1 << 22  # cells of dense rows that are made at a time in prediction
GIGABYTE = 1_000_000_000


def wants_dense(estimator: Any) -> bool:
    """Whether a classifier says that it takes no sparse rows.

    Examples
    --------
    >>> from sklearn.naive_bayes import BernoulliNB, GaussianNB
    >>> wants_dense(GaussianNB()), wants_dense(BernoulliNB())
    (True, False)
    """
    if estimator is None:
        return False
    try:
        return not get_tags(estimator).input_tags.sparse
    except (AttributeError, TypeError):
        return False


def densify(x: Any, estimator: Any) -> Any:
    """Rows as a classifier takes them: sparse ones become dense where it asks for that.

    Refused where they would take more than half of the free memory. A pipeline whose first step
    takes sparse rows, such as one that reduces them to a few columns, gets them sparse then.

    Parameters
    ----------
    x : ndarray or csr_array
        The columns that the classifier looks at.
    estimator : classifier or None
        Fitted or not.
    """
    if not sp.issparse(x) or not wants_dense(estimator):
        return x
    size, free = CELL * x.shape[0] * x.shape[1], bytes_of(None)
    if size <= free:
        return x.toarray()
    if isinstance(estimator, Pipeline) and not wants_dense(estimator.steps[0][1]):
        return x
    name = printable(type(estimator).__name__)
    msg = (
        f"the base learner {name} takes no sparse data, and {plural(x.shape[0], 'row')} of "
        f"{plural(x.shape[1], 'column')} would take {size / GIGABYTE:.1f} GB as dense data, more "
        f"than half of the free memory ({free / GIGABYTE:.1f} GB)"
    )
    remedy = (
        "select fewer features (features and n; --features scls -n 100 in a shell), or use a "
        "learner that takes sparse data, such as LogisticRegression"
    )
    raise DataError(msg, remedy=remedy)


@dataclass(frozen=True)
class LinearParts:
    """A learner that decides by ``x @ of_x + parents @ of_parents + intercept > 0``.

    Parameters
    ----------
    of_x, of_parents : ndarray of float64
        The coefficients of its columns of X and of its parents.
    intercept : float
    logistic : bool
        The probability of 1 is the logistic function of the decision.
    """

    of_x: np.ndarray
    of_parents: np.ndarray
    intercept: float
    logistic: bool


@dataclass(frozen=True)
class Learner:
    """A fitted classifier of one label.

    Parameters
    ----------
    estimator : classifier or None
        Fitted on ``[X[:, columns], Y[:, parents]]``; None where the label is constant.
    constant : int
        The one value that was seen in training, where there is no estimator.
    columns : ndarray of int or None
        The columns of X that it looks at; None is all of them.
    parents : tuple of int
        The labels that it looks at, ascending.
    """

    estimator: Any
    constant: int
    columns: np.ndarray | None
    parents: tuple[int, ...]

    @property
    def probabilistic(self) -> bool:
        """Whether it knows probabilities; a constant does."""
        return self.estimator is None or hasattr(self.estimator, "predict_proba")


def linear_parts(learner: Learner) -> LinearParts | None:
    """The coefficients of a fitted classifier on columns of X and parents; None if not linear."""
    estimator, mixin = learner.estimator, LinearClassifierMixin
    if not isinstance(estimator, mixin):
        return None
    kind = type(estimator)
    own_decision = kind.decision_function is not mixin.decision_function
    if own_decision or kind.predict is not mixin.predict:
        return None
    logistic = _is_logistic(estimator)
    if hasattr(estimator, "predict_proba") and not logistic:
        return None
    coef = estimator.coef_
    coef = coef.toarray() if sp.issparse(coef) else np.asarray(coef)
    coef = coef.astype(np.float64).reshape(-1)
    n_of_x = coef.size - len(learner.parents)
    intercept = float(np.asarray(estimator.intercept_, dtype=np.float64).reshape(-1)[0])
    of_x = coef[: n_of_x if learner.columns is None else len(learner.columns)]
    return LinearParts(of_x, coef[n_of_x:], intercept, logistic)


def _is_logistic(estimator: Any) -> bool:
    if isinstance(estimator, SGDClassifier):
        sklearn_proba = type(estimator).predict_proba is SGDClassifier.predict_proba
        return sklearn_proba and estimator.loss == "log_loss"
    if not isinstance(estimator, (LogisticRegression, LogisticRegressionCV)):
        return False
    sklearn_proba = type(estimator).predict_proba is LogisticRegression.predict_proba
    return sklearn_proba and getattr(estimator, "multi_class", None) != "multinomial"


def fit_learners(
    problem: Problem,
    structure: Structure,
    weights: np.ndarray | None = None,
    like: tuple[Learner, ...] = (),
) -> tuple[Learner, ...]:
    """Fit all labels; the true parents are known in training, so all at the same time.

    Parameters
    ----------
    problem : Problem
        Rows, labels, columns per label and the base learner.
    structure : Structure
        The parents of each label.
    weights : ndarray, optional
        Weights of the rows instead of those of the problem.
    like : tuple of Learner, optional
        What was fitted before, whose choices are kept by base learners that make any.
    """
    n_jobs = min(threads(problem.n_jobs), problem.q)
    weights = problem.weights if weights is None else weights
    refuse_unweightable(problem.base_estimator, weights)
    estimators = [learner.estimator for learner in like] or [None] * problem.q
    tasks = [
        (problem, label, structure.parents[label], weights, estimators[label])
        for label in range(problem.q)
    ]
    kind = "threads" if _thread_safe(problem.base_estimator) else "processes"
    with _blas().limit(limits=1, user_api="blas"):  # for all threads of this process
        if n_jobs == 1:
            return tuple(fit_learner(*task) for task in report_each("classifiers", tasks))
        run = joblib.Parallel(n_jobs, prefer=kind)
        return tuple(run(joblib.delayed(with_one_thread)(fit_learner, *task) for task in tasks))


def with_one_thread(work: Callable[..., T], *arguments: Any) -> T:
    """Call a function with one thread of BLAS: its sums depend on how many threads it has."""
    with _blas().limit(limits=1, user_api="blas"):
        return work(*arguments)


def fit_learner(
    problem: Problem,
    label: int,
    parents: tuple[int, ...],
    weights: np.ndarray | None = None,
    like: Any = None,
) -> Learner:
    """Fit one label on the rows in which neither it nor a parent is missing."""
    columns = problem.features[label]
    labels = problem.Y[:, [label, *parents]]
    never = (labels == MISSING).all(axis=0)  # a label that nobody knows is predicted to be 0
    if never[1:].any():
        labels = np.where(never, 0, labels)
    known = (labels != MISSING).all(axis=1)
    if weights is not None:
        known &= weights > 0
    x = problem.X
    if not known.all():
        rows = np.flatnonzero(known)
        x, labels = x[rows], labels[rows]
        weights = None if weights is None else weights[rows]
    y = labels[:, 0].astype(np.intp)
    ones = int(y.sum())
    if ones in {0, y.size}:
        return Learner(None, int(ones > 0), columns, parents)
    name = printable(problem.names[label])
    check_neighbours(problem.base_estimator, y.size, f"the label {name!r}")
    if hasattr(like, "again"):  # as Switching and TunedLogistic have it
        return Learner(
            like.again(stacked(x, columns, labels[:, 1:]), y, weights), 0, columns, parents
        )
    estimator = clone(problem.base_estimator)
    matrix = stacked(x, columns, labels[:, 1:], estimator)
    keywords: dict[str, Any] = {} if weights is None else {weight_name(estimator): weights}
    if has_fit_parameter(estimator, "n_parents"):
        keywords["n_parents"] = len(parents)
    estimator.fit(matrix, y, **keywords)
    return Learner(estimator, 0, columns, parents)


def stacked(x: Any, columns: np.ndarray | None, parents: np.ndarray, estimator: Any = None) -> Any:
    """The columns of X that a label looks at and, after them, its parents.

    Sparse rows become dense if the estimator that they are for takes no others. Where there is
    nothing to look at, a column of zeros lets the base learner learn how frequent the label is.

    Examples
    --------
    >>> stacked(np.array([[0.5, 2.0]]), np.array([1]), np.array([[1]], np.int8)).tolist()
    [[2.0, 1.0]]
    """
    if columns is not None:
        x = x[:, columns]
    x = densify(x, estimator)
    if not parents.shape[1]:
        return x if x.shape[1] else np.zeros((x.shape[0], 1))
    if sp.issparse(x):
        return sp.hstack([x, sp.csr_array(parents, dtype=np.float64)], format="csr")
    width = x.shape[1]
    out = np.empty((len(x), width + parents.shape[1]))
    out[:, :width] = x
    out[:, width:] = parents
    return out


def weight_name(estimator: Any) -> str:
    """The name of the row weights in `fit`, of a pipeline that of its last step; empty if none."""
    if isinstance(estimator, Pipeline) and estimator.steps:
        name, last = estimator.steps[-1]
        return f"{name}__{weight_name(last)}" if weight_name(last) else ""
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else ""


def refuse_unweightable(estimator: Any, weights: np.ndarray | None) -> None:
    """Refuse weights of rows for a classifier that takes none."""
    if weights is not None and not weight_name(estimator):
        name = printable(type(estimator).__name__)
        msg = f"the base learner {name} takes no sample_weight: fit without, or use another one"
        raise UsageError(msg)


def _thread_safe(estimator: Any) -> bool:
    """Whether threads may fit it at the same time; the shuffles of liblinear share a state."""
    from mlfs.models.switching import Switching

    if isinstance(estimator, Switching):  # its only state is what it fits
        return _thread_safe(estimator.base)
    if isinstance(estimator, LinearSVC):
        return estimator.dual is False and estimator.penalty == "l2"
    if isinstance(estimator, LogisticRegression):
        l1_ratio = getattr(estimator, "l1_ratio", 1.0)  # LogisticRegressionCV has several
        shuffles = estimator.dual or estimator.penalty == "l1" or bool(l1_ratio)
        return estimator.solver != "liblinear" or not shuffles
    return False


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def check_neighbours(estimator: Any, n_rows: int, whose: str) -> None:
    """Refuse a learner that looks at more neighbours than it is given rows.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> check_neighbours(KNeighborsClassifier(n_neighbors=9), 4, "the label 'happy'")
    Traceback (most recent call last):
    mlfs.errors.UsageError: ... looks at 9 neighbours, but the label 'happy' has 4 rows to learn
    from: lower n_neighbors to 4 or less
    """
    if isinstance(estimator, Pipeline) and estimator.steps:
        estimator = estimator.steps[-1][1]
    n_neighbors = getattr(estimator, "n_neighbors", None)
    if (
        not hasattr(estimator, "kneighbors")
        or not isinstance(n_neighbors, int)
        or n_neighbors <= n_rows
    ):
        return
    raise UsageError(
        f"the base learner {printable(type(estimator).__name__)} looks at {n_neighbors} "
        f"neighbours, but {whose} has {plural(n_rows, 'row')} to learn from: lower "
        f"n_neighbors to {n_rows} or less"
    )
