"""What a model that is being fitted is doing, for whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

__all__ = ["Progress", "Tell", "report", "reporting", "stage"]


class Progress(NamedTuple):
    """Where a fit is.

    Parameters
    ----------
    what : tuple of str
        What is done, from the outermost to the innermost: ``("tree 3", "EM step 5 of at most
        15")``.
    done, total : int
        How many parts of the innermost are done, of how many; 0 of 0 where that is not counted.
    """

    what: tuple[str, ...]
    done: int = 0
    total: int = 0


Tell = Callable[[Progress], None]
_TELL: ContextVar[Tell | None] = ContextVar("tell", default=None)
_STAGES: ContextVar[tuple[str, ...]] = ContextVar("stages", default=())


@contextmanager
def reporting(tell: Tell) -> Iterator[None]:
    """Call `tell` with a `Progress` whenever a model that is fitted inside begins something new.

    Labels that are fitted by other processes or threads are not counted.

    Examples
    --------
    >>> from mlfs.models import make
    >>> told = []
    >>> with reporting(told.append):
    ...     _ = make("ctbn").fit([[0.0], [1.0]] * 20, [[0, 0], [1, 1]] * 20)
    >>> told[1]
    Progress(what=('tree of labels',), done=1, total=2)
    """
    before = _TELL.set(tell)
    try:
        yield
    finally:
        _TELL.reset(before)


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
    """Say what is done, and how much of it."""
    tell = _TELL.get()
    if tell is not None:
        stages = _STAGES.get()
        tell(Progress((*stages, what) if what else stages, done, total))
