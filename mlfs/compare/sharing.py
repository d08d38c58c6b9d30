"""Share what several metrics compute alike: the checked truth, the order of the labels of a row."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

__all__ = ["shared", "sharing"]

P = ParamSpec("P")
R = TypeVar("R")
_KEPT: ContextVar[dict[Any, Any] | None] = ContextVar("kept", default=None)


@contextlib.contextmanager
def sharing() -> Iterator[None]:
    """In this block a function that is `shared` is computed once for the same objects."""
    if _KEPT.get() is not None:
        yield
        return
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def shared(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose results are kept within `sharing`; nobody may write into them.

    Examples
    --------
    >>> made = shared(lambda values: list(values))
    >>> given = (1, 2)
    >>> with sharing():
    ...     made(given) is made(given)
    True
    >>> made(given) is made(given)
    False
    """

    @wraps(function)
    def once(*args: P.args, **kwargs: P.kwargs) -> R:
        kept = _KEPT.get()
        if kept is None:
            return function(*args, **kwargs)
        key = (function, *map(id, args), *((name, id(one)) for name, one in kwargs.items()))
        if key not in kept:
            kept[key] = args, kwargs, function(*args, **kwargs)  # what has an id must live on
        found: R = kept[key][2]
        return found

    return once
