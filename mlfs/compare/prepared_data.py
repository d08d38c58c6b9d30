"""Prepared data in a comparison: their data sets, and the options with which they were made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mlfs.api.prepared import DEFAULTS, NO_MATTER, Prepared
from mlfs.errors import UsageError, printable

__all__ = ["unprepared"]


def unprepared(
    data: Any, options: Mapping[str, Any], known: Collection[str]
) -> tuple[Any, dict[str, Any]]:
    """Put data sets in the place of those that are prepared, and add the options of these.

    Every fold bins and counts its own training rows, with these options.

    Parameters
    ----------
    data : Any
        What is compared on.
    options : mapping
        The options that are given.
    known : collection of str
        The options that a comparison has.

    Examples
    --------
    >>> from mlfs import prepare
    >>> ready = prepare(([[0], [1]], [[0], [1]]), bins="width")
    >>> data, options = unprepared([ready], {}, ["bins"])
    >>> data == [ready.dataset], options
    (True, {'bins': 'width'})
    """
    several = isinstance(data, Sequence) and not isinstance(data, str)
    given = list(data.values()) if isinstance(data, Mapping) else data if several else [data]
    merged, all_ready = dict(options), [one for one in given if isinstance(one, Prepared)]
    for ready in all_ready:
        _merge(ready, merged, known)
    for ready in all_ready:
        ready.refuse_other(**{name: merged[name] for name in set(merged) & set(DEFAULTS)})
    if isinstance(data, Mapping):
        return {name: _opened(one) for name, one in data.items()}, merged
    return [_opened(one) for one in data] if several else _opened(data), merged


def _opened(one: Any) -> Any:
    return one.dataset if isinstance(one, Prepared) else one


def _merge(ready: Prepared, merged: dict[str, Any], known: Collection[str]) -> None:
    changed = [name for name in ready.options if not ready.made_with(**{name: DEFAULTS[name]})]
    for name in changed:
        value = ready.options[name]
        if name in known:
            if not ready.made_with(**{name: merged.setdefault(name, value)}):
                given, used = printable(repr(merged[name])), printable(repr(value))
                msg = f"is {given}, but data were prepared with {used}"
                raise UsageError(f"{msg}: leave it out, or compare on unprepared data", option=name)
        elif name not in NO_MATTER:
            msg = (
                "is an option with which the data were prepared, and a comparison, which prepares "
                "each fold, does not have it: prepare the data without it"
            )
            raise UsageError(msg, option=name)
