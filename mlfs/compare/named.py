"""A criterion or a model of a comparison: its name with its parameters."""

from __future__ import annotations

import importlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mlfs.api.value_kinds import literal
from mlfs.errors import UsageError, printable

__all__ = ["Named", "import_path", "named"]


@dataclass(frozen=True)
class Named:
    """What takes part, as it is written: ``jmi``, or ``mlfs_local:beta=0.5,gamma=0``.

    Parameters
    ----------
    name : str
        A name that is known, or the import path of a classifier, or of a selector with its
        parameters in brackets.
    parameters : mapping
        Keyword arguments, plain values.

    Examples
    --------
    >>> str(named("occ:k=5,features=mlfs_local"))
    'occ:features=mlfs_local,k=5'
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        parameters = ",".join(
            f"{key}={_as_text(self.parameters[key])}" for key in sorted(self.parameters)
        )
        return f"{self.name}:{parameters}" if parameters else self.name

    def alternatives(self) -> list[Named]:
        """The same with each of the values that are separated by ``|``, in all combinations.

        Examples
        --------
        >>> [str(one) for one in named("br:C=0.1|1").alternatives()]
        ['br:C=0.1', 'br:C=1']
        """
        names = list(self.parameters)
        choices = [_values(self.parameters[name]) for name in names]
        return [
            Named(self.name, dict(zip(names, values, strict=True)))
            for values in itertools.product(*choices)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"name": self.name, "parameters": dict(self.parameters)}


def named(value: Any) -> Named:
    """Read a name with parameters: from text, a pair, or plain data.

    Examples
    --------
    >>> named(("jmi", {})), named("sgd:alpha=0.1").parameters
    (Named(name='jmi', parameters={}), {'alpha': 0.1})
    """
    if isinstance(value, Named):
        return value
    if isinstance(value, Mapping):
        value = (value.get("name"), value.get("parameters", {}))
    if isinstance(value, str):
        split = max(value.rfind(")"), 0)  # what stands in brackets belongs to the name
        name, _, rest = value[split:].partition(":")
        name = value[:split] + name
        value = (name.strip(), dict(_pair(text, value) for text in rest.split(",") if rest))
    if isinstance(value, (tuple, list)) and len(value) == 2:
        name, parameters = value
        if isinstance(name, str) and name and isinstance(parameters, Mapping):
            return Named(name, dict(parameters))
    msg = f"{printable(repr(value))} is no name, and no name with a mapping of parameters"
    raise UsageError(msg)


def _values(value: Any) -> list[Any]:
    """What a parameter may be: a text with ``|`` has several values."""
    if isinstance(value, str) and "|" in value:
        return [literal(text.strip()) for text in value.split("|")]
    return [value]


def _pair(text: str, full_text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        msg = (
            f"{printable(text)!r} in {printable(full_text)!r} is no parameter: write name:key=value"
        )
        raise UsageError(msg)
    return key.strip(), literal(value.strip())


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=repr)


def import_path(path: str, kind: str) -> Any:
    """Import a criterion or a model that is known by its import path only."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        msg = f"the {kind} {printable(path)!r} cannot be imported: {printable(error, 200)}"
        raise UsageError(msg) from error
