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
    >>> as_list = shared(lambda values: list(values))
    >>> values = (1, 2)
    >>> with sharing():
    ...     as_list(values) is as_list(values)
    True
    >>> as_list(values) is as_list(values)
    False
    """

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        results = _KEPT.get()
        if results is None:
            return function(*args, **kwargs)
        key = (function, *map(id, args), *((name, id(value)) for name, value in kwargs.items()))
        if key not in results:
            results[key] = args, kwargs, function(*args, **kwargs)  # what has an id must live on
        result: R = results[key][2]
        return result

    return wrapper
