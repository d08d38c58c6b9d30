"""What a criterion says of itself, checked before it is asked anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlfs.criteria._contract import NETWORKS, SCOPES, SEARCHES, UNITS, Criterion
from mlfs.errors import CriterionError, printable

__all__ = ["failure", "refuse_wrong_attributes"]


def _one_of(allowed: tuple[Any, ...]) -> tuple[Callable[[Any], bool], str]:
    def is_allowed(value: Any) -> bool:
        return any(type(value) is type(choice) and value == choice for choice in allowed)

    *most, last = map(repr, allowed)
    return is_allowed, f"{', '.join(most)} or {last}"


def _is_fold(value: Any) -> bool:
    return isinstance(value, np.ufunc) and "dd->d" in value.types


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 1


RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "scope": _one_of(SCOPES),
    "search": _one_of(SEARCHES),
    "network": _one_of(NETWORKS),
    "fold": (_is_fold, "a ufunc of numpy that takes two numbers, such as np.add or np.minimum"),
    "falls": _one_of((False, True)),
    "unit": _one_of(UNITS),
    "least_labels": (_is_count, "a whole number from 1"),
}


def refuse_wrong_attributes(criterion: Criterion, who: str) -> None:
    """Raise `CriterionError` if an attribute of the contract cannot be read, or has no meaning.

    Examples
    --------
    >>> refuse_wrong_attributes(Criterion(), "the criterion x")
    """
    for name, (is_good, words) in RULES.items():
        try:
            value = getattr(criterion, name)
        except (Exception, SystemExit) as error:  # a property of a third party may do anything
            raise CriterionError(f"{who} fails in {name}: {failure(error)}") from error
        if not is_good(value):
            raise CriterionError(f"{who} has {name} = {printable(repr(value))}: it must be {words}")


def failure(error: BaseException) -> str:
    """Describe an exception of a third party."""
    return f"{type(error).__name__}: {printable(error, 300)}"
