"""Dense rows for the learners that take no sparse ones, within the memory that is free."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from mlfs.counting.memory import bytes_of
from mlfs.errors import DataError, plural, printable

__all__ = ["ROWS_AT_ONCE", "densify", "wants_dense"]

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
