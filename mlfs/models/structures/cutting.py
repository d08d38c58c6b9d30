"""Cut the rows of a problem into those to learn from and those held out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import has_fit_parameter

from mlfs.errors import DataError, UsageError, printable
from mlfs.models.structures.held_out import STREAM, HeldOut
from mlfs.models.structures.logistic import MOST_COLUMNS

if TYPE_CHECKING:
    from mlfs.models.problem import Problem

__all__ = ["held_out"]

SPARSE = 0.2  # the share of values other than 0 up to which zeros are not stored


def held_out(problem: Problem, folds: Any) -> HeldOut:
    """Cut the rows of a problem.

    Parameters
    ----------
    problem : Problem
        What is learned from; its seed draws the rows.
    folds : int or float
        So many folds, each held out once; or, below 1, the share of the rows that is held out in
        a single split, as in the papers.
    """
    _refuse(problem)
    n = problem.n_rows
    shuffled = problem.generator(STREAM).permutation(n)
    whole = isinstance(folds, (int, np.integer)) and not isinstance(folds, bool)
    if whole and folds >= 2:
        parts = [np.sort(part) for part in np.array_split(shuffled, min(int(folds), n))]
    elif isinstance(folds, (float, np.floating)) and 0 < folds < 1:
        parts = [np.sort(shuffled[: min(max(1, round(float(folds) * n)), n - 1)])]
    else:
        msg = (
            "folds is a number of folds from 2 on, or a share of the rows between 0 and 1, "
            f"not {printable(repr(folds))}"
        )
        raise UsageError(msg)
    every = np.arange(n)
    if hasattr(problem.base_estimator, "untuned"):
        problem = replace(problem, base_estimator=problem.base_estimator.untuned())
    splits = [(np.setdiff1d(every, part, assume_unique=True), part) for part in parts]
    return HeldOut(replace(problem, X=_stored(problem), shared={}), splits)


def _stored(problem: Problem) -> Any:
    """X, without its zeros where it is wide, mostly zeros, and the base learner takes both."""
    x = problem.X
    estimator = problem.base_estimator
    inner = getattr(estimator, "base_estimator", estimator)
    if sp.issparse(x) or type(inner) is not LogisticRegression:
        return x
    if x.shape[1] <= MOST_COLUMNS or np.count_nonzero(x) > SPARSE * x.size:
        return x
    return sp.csr_array(x)


def _refuse(problem: Problem) -> None:
    estimator = problem.base_estimator
    name = printable(type(estimator).__name__)
    if not hasattr(estimator, "predict_proba"):
        msg = (
            f"this structure is learned from probabilities, and {name} has no predict_proba: use "
            "LogisticRegression, or learn the structure from counts, as OneParent() does"
        )
        raise UsageError(msg)
    if problem.weights is not None and not has_fit_parameter(estimator, "sample_weight"):
        msg = f"the base learner {name} takes no sample_weight: fit without, or use another one"
        raise UsageError(msg)
    if problem.n_rows < 2:
        msg = "this structure needs rows to hold out, and there is only 1 sample"
        raise DataError(msg)
