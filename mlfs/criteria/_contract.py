"""The contract of a criterion: `Criterion` for greedy and `SetCriterion` for best-first search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from mlfs.errors import printable

if TYPE_CHECKING:
    from mlfs.information.info import Info

__all__ = [
    "NETWORKS",
    "SCOPES",
    "SEARCHES",
    "UNITS",
    "Criterion",
    "PairCriterion",
    "SetCriterion",
    "checked_number",
]

SCOPES = ("all labels", "each label")
SEARCHES = ("greedy", "best first", "blanket")
NETWORKS = (False, True, "chain", "tree")
UNITS = ("information", "ratio")
IDENTITIES: dict[np.ufunc, float] = {
    np.minimum: np.inf,
    np.maximum: -np.inf,
}  # of folds for which numpy has none


class Criterion:
    """A greedy criterion: a score for each candidate, given the picks so far.

    The score is ``score(relevance, total, picked)``, where total is the fold of ``term(info, s)``
    over the picks s. A subclass defines `relevance`, and what else differs from the defaults.

    Examples
    --------
    >>> class Plain(Criterion):
    ...     def relevance(self, info):
    ...         return info.mi_fL
    >>> Plain().search
    'greedy'
    """

    scope: ClassVar[Literal["all labels", "each label"]] = "all labels"
    search: ClassVar[Literal["greedy", "best first", "blanket"]] = "greedy"
    network: ClassVar[bool | str] = False
    fold: ClassVar[np.ufunc] = np.add
    falls: ClassVar[bool] = False
    unit: ClassVar[Literal["information", "ratio"]] = "information"
    least_labels: ClassVar[int] = 1

    def relevance(self, info: Info) -> Any:
        """Compute the worth of each candidate on its own, for the first pick; -inf means never."""
        raise NotImplementedError

    def label_correlation(self, info: Info) -> Any:  # noqa: ARG002  # for overriding
        """Compute the part of `relevance` that comes from correlations between labels."""
        return 0.0

    def start(self, info: Info) -> Any:  # noqa: ARG002  # for overriding
        """Give the value from which the fold starts: by default its identity."""
        return IDENTITIES.get(self.fold, self.fold.identity or 0.0)

    def term(self, info: Info, s: int) -> Any:  # noqa: ARG002  # for overriding
        """Compute the term of the pick s for each candidate; called once for each s."""
        return 0.0

    def score(self, relevance: Any, total: Any, picked: list[int]) -> Any:  # noqa: ARG002
        """Compute the score of each candidate after at least one pick."""
        return relevance

    def size(self, info: Info) -> int | None:  # noqa: ARG002  # for overriding
        """Suggest the number of features; None leaves it to the user."""
        return None


class PairCriterion(Criterion):
    """A greedy criterion that also looks at the picks two at a time.

    The score is ``pair_score(relevance, total, pairs, picked)``, where pairs is the sum of
    ``pair_term(info, s, t)`` over all pairs of picks, s being the later one.

    Examples
    --------
    >>> class Together(PairCriterion):
    ...     def relevance(self, info):
    ...         return info.mi_fL
    ...
    ...     def pair_term(self, info, s, t):
    ...         return info.joint_fssL(s, t)
    ...
    ...     def pair_score(self, relevance, total, pairs, picked):
    ...         return relevance + pairs
    >>> Together().falls
    False
    """

    def pair_term(self, info: Info, s: int, t: int) -> Any:
        """Compute the term of two picks for each candidate; called once for each pair."""
        raise NotImplementedError

    def pair_score(self, relevance: Any, total: Any, pairs: Any, picked: list[int]) -> Any:
        """Compute the score of each candidate after at least one pick."""
        raise NotImplementedError


class SetCriterion(Criterion):
    """A criterion of whole sets: best-first search looks for the set of greatest merit.

    A subclass defines `merit`, and `relevance`, which is reported for each pick. `term` and
    `score` are not used. With a given number of features the set grows greedily, and always where
    ``search = "greedy"``.

    Examples
    --------
    >>> class MeanRelevance(SetCriterion):
    ...     def relevance(self, info):
    ...         return info.mi_fL
    ...
    ...     def merit(self, info, picked):
    ...         return (info.only(picked).mi_fL.sum() + info.mi_fL) / (len(picked) + 1)
    >>> MeanRelevance().search
    'best first'
    """

    search: ClassVar[Literal["greedy", "best first", "blanket"]] = "best first"

    def merit(self, info: Info, picked: list[int]) -> Any:
        """Compute the merit of the set ``picked + [f]`` for each candidate f."""
        raise NotImplementedError

    def merit_of_nothing(self, info: Info) -> float:  # noqa: ARG002  # for overriding
        """Compute the merit of the set with which the search starts."""
        return 0.0


def checked_number(name: str, value: Any, low: float = 0.0, high: float = np.inf) -> float:
    """Check a parameter of a criterion: a finite number from `low` to `high`.

    Parameters
    ----------
    name : str
        The name of the parameter, for the error.
    value : object
        Its value.
    low, high : float
        The least and the greatest value that is allowed.

    Returns
    -------
    float

    Examples
    --------
    >>> checked_number("beta", 0.5)
    0.5
    """
    good = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not (good and low <= value <= high and np.isfinite(value)):
        until = "" if high == np.inf else f" to {high:g}"
        msg = f"{name} is a number from {low:g}{until}, not {printable(repr(value))}"
        raise ValueError(msg)
    return float(value)
