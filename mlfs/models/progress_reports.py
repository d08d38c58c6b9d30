"""Messages of the logger ``mlfs.models``, at the level DEBUG: what a fit is doing."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
LOGGER = logging.getLogger("mlfs.models")
_STAGES: ContextVar[tuple[str, ...]] = ContextVar("stages", default=())


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Name what is done inside."""
    before = _STAGES.set((*_STAGES.get(), name))
    try:
        report()
        yield
    finally:
        _STAGES.reset(before)


def report(what: str = "", done: int = 0, total: int = 0) -> None:
    """Log what is done, and how much of it; 0 of 0 where that is not counted."""
    if is_heard():
        place = f" {done + 1} of {total}" if total else ""
        stages = [*_STAGES.get(), *([what] if what else [])]
        LOGGER.debug("%s%s", ": ".join(stages), place)


def report_each(what: str, items: Sequence[T]) -> Iterator[T]:
    """The items, each logged when it is begun."""
    for number, item in enumerate(items):
        report(what, number, len(items))
        yield item


def is_heard() -> bool:
    """Whether messages are logged, which cost something to make."""
    return LOGGER.isEnabledFor(logging.DEBUG)
