"""A registry of extensions: ours by name, and those that installed packages offer.

A package offers a file format by an entry point in the group ``mlfs.formats``. Criteria have a
registry of their own, `mlfs.criteria`, which also finds files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import metadata
from typing import Any, TypeVar

from mlfs.errors import UsageError, printable

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """The extensions of one kind by name; ours first, and nothing takes the name of ours.

    What is installed is looked at when a name is asked for that is not ours, or for a list.

    Parameters
    ----------
    kind : str
        In the plural, such as ``formats``.
    ours : mapping
        Our own ones.

    Examples
    --------
    >>> formats = Registry("formats", {"arff": 1})
    >>> formats["arff"], "arf" in formats, list(formats)
    (1, False, ['arff'])
    """

    def __init__(self, kind: str, ours: Mapping[str, T]) -> None:
        self.kind, self.ours = kind, dict(ours)
        self._loaded: dict[str, Any] = {}

    @cached_property
    def _installed(self) -> dict[str, metadata.EntryPoint]:
        points = sorted(metadata.entry_points(group=f"mlfs.{self.kind}"), key=lambda p: p.value)
        return {point.name: point for point in reversed(points) if point.name not in self.ours}

    def __getitem__(self, name: str) -> T:
        if name in self.ours:
            return self.ours[name]
        if name not in self._loaded:
            self._loaded[name] = self._load(self._installed[name])
        loaded: T = self._loaded[name]
        return loaded

    def __contains__(self, name: object) -> bool:
        return name in self.ours or name in self._installed

    def __iter__(self) -> Iterator[str]:
        yield from self.ours
        yield from filter(self._is_sound, self._installed)

    def _is_sound(self, name: str) -> bool:
        """Whether it can be imported; one that cannot is named when it is asked for."""
        try:
            return self[name] is not None
        except UsageError:
            return False

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _load(self, point: metadata.EntryPoint) -> Any:
        try:
            return point.load()
        except Exception as error:
            owner = point.dist.name if point.dist is not None else "an unknown distribution"
            shown = f"{printable(point.name)!r} of the distribution {printable(owner)}"
            why = f"{type(error).__name__}: {printable(error, 200)}"
            msg = f"{shown}, one of the {self.kind} that are installed, cannot be imported: {why}"
            raise UsageError(msg) from error
