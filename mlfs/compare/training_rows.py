"""The rows that train in one split, prepared once for all criteria, and what work on them costs.

Seconds and peak memory are measured, and time is limited.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from mlfs.api.options import PREPARING
from mlfs.api.prepared import NO_MATTER, Prepared, prepare
from mlfs.data.dataset import Dataset
from mlfs.errors import UsageError, printable

PREPARATION = ("bins", "n_bins", "nominal_limit", "missing", "correction", "given")
STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass
class Cost:
    """Wall-clock seconds, and the peak of resident memory in megabytes above its start."""

    seconds: float = 0.0
    peak_mb: float = 0.0


@contextlib.contextmanager
def measured() -> Iterator[Cost]:
    """Measure a block.

    On Linux it is the peak of the block alone; elsewhere it is the increase of the peak of the
    whole process, which may be 0.

    Examples
    --------
    >>> with measured() as cost:
    ...     kept = bytearray(50_000_000)
    >>> cost.seconds > 0
    True
    """
    cost = Cost()
    exact = _forget_peak()
    before = _resident_mb("VmRSS") if exact else _peak_mb()
    began = time.perf_counter()
    try:
        yield cost
    finally:
        cost.seconds = time.perf_counter() - began
        after = _resident_mb("VmHWM") if exact else _peak_mb()
        cost.peak_mb = max(0.0, after - before)


def _forget_peak() -> bool:
    try:
        REFERENCES.write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _resident_mb(field: str) -> float:
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0


def _peak_mb() -> float:
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return 0.0
    import sys

    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


class OverBudget(BaseException):
    """A cell took longer than its budget.

    It is no `Exception`, so that a classifier that catches these does not swallow it.
    """


AGAIN = 1.0  # seconds after which it is raised again, where something swallowed it


@contextlib.contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise `OverBudget` where the block takes longer.

    It has an effect in the main thread of a process on a POSIX system, while the interpreter runs;
    elsewhere there is no limit.

    Examples
    --------
    >>> with limited(0.05):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    mlfs.compare.training_rows.OverBudget: takes more than the budget of 0.05 s
    """
    main = threading.current_thread() is threading.main_thread()
    if seconds is None or not main or not hasattr(signal, "setitimer"):
        yield
        return

    def end(*_: object) -> None:
        raise OverBudget(f"takes more than the budget of {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass
class TrainingRows:
    """The rows that train.

    Parameters
    ----------
    data : Dataset
        The rows, with their labels.
    options : mapping
        How selections are made; those of `mlfs.prepare` are used here.
    preparing : Cost
        What binning and counting cost; nothing until `prepared` is used.
    """

    data: Dataset
    options: Mapping[str, Any] = field(default_factory=dict)
    preparing: Cost = field(default_factory=Cost)

    @cached_property
    def prepared(self) -> Prepared:
        """Bin and count the rows, for every criterion and filter that counts."""
        options = {key: value for key, value in self.options.items() if key in PREPARATION}
        options["keep_identifiers"] = True  # the data set has lost its own
        with measured() as self.preparing:
            return prepare(self.data, **options)


def unprepared(
    data: Any, options: Mapping[str, Any], supported: Collection[str]
) -> tuple[Any, dict[str, Any]]:
    """Put data sets in the place of those that are prepared, and add the options of these.

    Every fold bins and counts its own training rows, with these options.

    Parameters
    ----------
    data : Any
        What is compared on.
    options : mapping
        The options that are given.
    supported : collection of str
        The options that a comparison has.

    Examples
    --------
    >>> from mlfs import prepare
    >>> prepared = prepare(([[0], [1]], [[0], [1]]), bins="width")
    >>> data, options = unprepared([prepared], {}, ["bins"])
    >>> data == [prepared.dataset], options
    (True, {'bins': 'width'})
    """
    several = isinstance(data, Sequence) and not isinstance(data, str)
    items = list(data.values()) if isinstance(data, Mapping) else data if several else [data]
    merged, all_prepared = dict(options), [item for item in items if isinstance(item, Prepared)]
    for prepared in all_prepared:
        for name in PREPARING:
            value = prepared.options[name]
            if prepared.made_with(**{name: PREPARING[name]}):
                continue
            if name in supported:
                merged.setdefault(name, value)
            elif name not in NO_MATTER:
                msg = (
                    "is an option with which the data were prepared, and a comparison, which "
                    "prepares each fold, does not have it: prepare the data without it"
                )
                raise UsageError(msg, option=name)
    for prepared in all_prepared:
        _refuse_others(prepared, merged, options)
    if isinstance(data, Mapping):
        return {name: _unwrap(item) for name, item in data.items()}, merged
    return [_unwrap(item) for item in data] if several else _unwrap(data), merged


def _unwrap(item: Any) -> Any:
    return item.dataset if isinstance(item, Prepared) else item


def _refuse_others(prepared: Prepared, merged: Mapping[str, Any], given: Collection[str]) -> None:
    """Refuse data that were prepared with other options than those given, or than other data."""
    for name in PREPARATION:
        if name not in merged or prepared.made_with(**{name: merged[name]}):
            continue
        one, other = printable(repr(merged[name])), printable(repr(prepared.options[name]))
        if name in given:
            msg = f"is {one}, but data were prepared with {other}: leave it out"
        else:
            msg = f"is {one} in some of the data that are prepared, and {other} in others: prepare "
            msg += "them alike"
        raise UsageError(f"{msg}, or compare on unprepared data", option=name)
