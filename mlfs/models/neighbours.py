"""Base learners that look at neighbours: more of them than rows is refused when they are fitted.

scikit-learn fits such a learner, and says only when it is to predict that it cannot.
"""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from mlfs.errors import UsageError, plural, printable

__all__ = ["check_neighbours"]


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
    wanted = getattr(estimator, "n_neighbors", None)
    if not hasattr(estimator, "kneighbors") or not isinstance(wanted, int) or wanted <= n_rows:
        return
    raise UsageError(
        f"the base learner {printable(type(estimator).__name__)} looks at {wanted} neighbours, "
        f"but {whose} has {plural(n_rows, 'row')} to learn from: lower n_neighbors to {n_rows} "
        "or less"
    )
