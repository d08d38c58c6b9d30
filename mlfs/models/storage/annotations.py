"""Check the fields of a dataclass of a model file against the types that it is annotated with."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, Union

import numpy as np

from mlfs.models.storage.storable import demand


def check_fields(cls: Any, state: Mapping[str, Any]) -> None:
    """Check the values of the fields of a dataclass against their annotations."""
    hints = _hints(cls)
    for name, value in state.items():
        demand(name in hints, f"a {cls.__name__} has no field {name[:40]!r}")
        demand(_matches(value, hints[name]), f"{name} of a {cls.__name__} is wrong")


@cache
def _hints(cls: Any) -> dict[str, Any]:
    unknown: dict[str, Any] = {}  # names that only a type checker imports: files hold None there
    while True:
        try:
            hints = typing.get_type_hints(cls, localns=unknown)
            break
        except NameError as error:
            unknown[str(error.name)] = type(None)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}


def _matches(value: Any, hint: Any) -> bool:
    if hint is Any:
        return True
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_matches(value, part) for part in inner)
    if origin is Literal:
        return isinstance(value, (str, int)) and value in inner
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(inner) == 2 and inner[1] is Ellipsis:
            return all(_matches(part, inner[0]) for part in value)
        pairs = zip(value, inner, strict=False)
        return len(value) == len(inner) and all(_matches(*pair) for pair in pairs)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _matches(k, inner[0]) and _matches(v, inner[1]) for k, v in value.items()
        )
    if isinstance(origin, type) and issubclass(origin, Sequence):
        plain = isinstance(value, Sequence) and not isinstance(value, str)
        return plain and all(_matches(part, inner[0]) for part in value)
    kind = origin or hint
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return isinstance(value, kind) if isinstance(kind, type) else value is None
