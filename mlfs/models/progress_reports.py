"""Report what a model that is being fitted is doing, so that it can be shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

from mlfs.errors import UsageError, printable

T = TypeVar("T")


class Progress(NamedTuple):
    """The progress of a fit; as text, one line.

    Parameters
    ----------
    what : tuple of str
        What is done, from the outermost to the innermost: ``("tree 3", "EM step 5 of at most
        15")``.
    done, total : int
        How many parts of the innermost are done, of how many; 0 of 0 where that is not counted.
    left : float or None
        How many seconds the innermost will go on, by how long its first parts took.

    Examples
    --------
    >>> print(Progress(("tree 3", "classifiers"), 2, 8, 90.0))
    tree 3: classifiers 3 of 8 (1 min 30 s left of this)
    """

    what: tuple[str, ...]
    done: int = 0
    total: int = 0
    left: float | None = None

    @property
    def words(self) -> str:
        """The part that is done, without the time."""
        place = f" {self.done + 1} of {self.total}" if self.total else ""
        return ": ".join(self.what) + place

    def __str__(self) -> str:
        if self.left is None:
            return self.words
        return f"{self.words} ({duration(self.left)} left of this)"


Tell = Callable[[Progress], object]


_LISTENER: ContextVar[Callable[[tuple[str, ...], int, int], None] | None] = ContextVar(
    "listener", default=None
)
_STAGES: ContextVar[tuple[str, ...]] = ContextVar("stages", default=())


@contextmanager
def reporting(tell: Tell, every: float = 0.0) -> Iterator[None]:
    """Call `tell` with a `Progress` whenever a model that is fitted inside begins something new.

    It reaches every model of mlfs that is fitted inside the block, also within a pipeline, an
    ensemble or a cross-validation. Parts that other processes or threads work on are not counted.

    Parameters
    ----------
    tell : callable
        Called with each `Progress`: ``print`` writes lines.
    every : float, default=0.0
        Seconds between two calls at least; 0 calls each time.

    Examples
    --------
    >>> from mlfs.models import make
    >>> with reporting(print):
    ...     _ = make("ecc", n_estimators=2).fit([[0.0], [1.0]] * 9, [[0], [1]] * 9)
    member 1 of 2
    member 1 of 2: classifiers 1 of 1
    member 2 of 2
    member 2 of 2: classifiers 1 of 1
    """
    if not callable(tell):
        raise UsageError(f"tell is a function, such as print, not {printable(repr(tell))}")
    part, began, reported_at = Progress(()), 0.0, -every

    def hear(what: tuple[str, ...], done: int, total: int) -> None:
        """Report a new part, unless something was reported just before."""
        nonlocal part, began, reported_at
        now = time.perf_counter()
        if what != part.what or done < part.done:
            began = now
        remaining = (now - began) / done * (total - done) if done and total else None
        part = Progress(what, done, total, remaining)
        if now - reported_at >= every:
            reported_at = now
            tell(part)

    before = _LISTENER.set(hear)
    try:
        yield
    finally:
        _LISTENER.reset(before)


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
    """Report what is done, and how much of it."""
    listener = _LISTENER.get()
    if listener is not None:
        stages = _STAGES.get()
        listener((*stages, what) if what else stages, done, total)


def report_each(what: str, items: Sequence[T]) -> Iterator[T]:
    """The items, each reported as a part when it is begun."""
    for number, item in enumerate(items):
        report(what, number, len(items))
        yield item


def is_heard() -> bool:
    """Whether anyone listens to reports that cost something to make."""
    return _LISTENER.get() is not None


def duration(seconds: float) -> str:
    """A span of time in words.

    Examples
    --------
    >>> duration(5.2), duration(130), duration(7300)
    ('5 s', '2 min 10 s', '2 h 01 min')
    """
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    if rounded < 3600:
        return f"{rounded // 60} min {rounded % 60:02d} s"
    return f"{rounded // 3600} h {rounded % 3600 // 60:02d} min"
