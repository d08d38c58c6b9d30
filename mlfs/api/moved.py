"""Arguments that functions had once, and where they are now: kept until 0.4."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import NoReturn, ParamSpec, TypeVar

from mlfs.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")
_PANEL = "is an argument of mlfs.Panel now, which select takes as panel="
_CERTAINTY = "is an argument of mlfs.certainty(selection, data) now"
_NETWORK = "is an argument of mlfs.label_network(data, 'chain') now, whose result is network="
_FOLDS = "is an argument of mlfs.compare.number_of_features(data, criterion) now, as "
MOVED = {
    "at_least": _PANEL,
    "at_most": f"{_PANEL}, with its groups",
    "cost": _PANEL,
    "budget": _PANEL,
    "cost_rule": "is the argument rule of mlfs.Panel now, which select takes as panel=",
    "resamples": _CERTAINTY,
    "permutations": _CERTAINTY,
    "order": _NETWORK,
    "k": _NETWORK,
    "cv_model": f"{_FOLDS}model",
    "cv_metric": f"{_FOLDS}metric",
    "cv_folds": f"{_FOLDS}folds",
    "target_bins": "is gone: select from what mlfs.data.bin_targets(dataset, 'frequency:5') gives",
    "labels_as": "is gone: select from what mlfs.data.label_sets(dataset, fewest=6) gives",
    "binnings": "is gone: prepare all rows, and take some of them by Prepared.among_rows",
    "start": "is an argument of mlfs.select, not of a transformer",
    "cluster": "is an argument of mlfs.prepare, whose result fit takes",
    "units": "is gone: all numbers are in nats, and a bit is log 2 of them",
    "lazy": "is gone: what is counted lazily is decided inside, and changes no answer",
    "drop_constant": "is gone: name the constant features, which a note tells, in exclude=",
    "min_gain": "is gone: the least gain of a pick by n='auto' is no option",
}


def refuse_unknown(function: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse arguments that a function does not have, and say where those are that it had.

    Examples
    --------
    >>> refuse_unknown("select", ["resamples"], ["n"])
    Traceback (most recent call last):
    mlfs.errors.UsageError: resamples is an argument of mlfs.certainty(selection, data) now
    """
    for name in names:
        if name not in known and name in MOVED:
            raise UsageError(MOVED[name], option=name)
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


def naming_moved(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function say where arguments are that it had once."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> R:
        refuse_unknown(function.__name__, named, known)
        return function(*args, **named)

    return call


def refuse_preparing(names: Iterable[str]) -> NoReturn:
    """Refuse options of preparing beside data that are prepared."""
    given = tuple(sorted(names))
    verb, it = ("is", "it") if len(given) == 1 else ("are", "them")
    msg = f"{verb} for mlfs.prepare, and the data are prepared already: leave {it} out, or prepare "
    raise UsageError(f"{msg}the data with {it}", option=given)
