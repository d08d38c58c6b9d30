"""The rows that train in one split, prepared once for all criteria; data that come prepared."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mlfs.api.prepared import DEFAULTS, NO_MATTER, Prepared, prepare
from mlfs.compare.measure import Cost, measured
from mlfs.data.dataset import Dataset
from mlfs.errors import UsageError, printable

PREPARATION = ("bins", "n_bins", "nominal_limit", "missing", "correction")


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
        """The same rows binned and counted, for every criterion and filter that counts."""
        options = {key: value for key, value in self.options.items() if key in PREPARATION}
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
        _merge(prepared, merged, supported)
    for prepared in all_prepared:
        _refuse_others(prepared, merged, options)
    if isinstance(data, Mapping):
        return {name: _unwrap(item) for name, item in data.items()}, merged
    return [_unwrap(item) for item in data] if several else _unwrap(data), merged


def _unwrap(item: Any) -> Any:
    return item.dataset if isinstance(item, Prepared) else item


def _merge(prepared: Prepared, merged: dict[str, Any], supported: Collection[str]) -> None:
    changed = [
        name for name in prepared.options if not prepared.made_with(**{name: DEFAULTS[name]})
    ]
    for name in changed:
        if name in supported:
            merged.setdefault(name, prepared.options[name])
        elif name not in NO_MATTER:
            msg = (
                "is an option with which the data were prepared, and a comparison, which prepares "
                "each fold, does not have it: prepare the data without it"
            )
            raise UsageError(msg, option=name)


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
