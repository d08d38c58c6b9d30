"""Names of a package that are imported when they are first used, so that a start is quick."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any


def lazily(
    package: str, home: Mapping[str, Sequence[str]], parts: Collection[str] = ()
) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package: its public names are imported when they are asked for.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    home : mapping
        From modules to the names that they have.
    parts : collection of str
        Modules and packages in it that are public too.
    """
    home_of = {name: module for module, names in home.items() for name in names}

    def get(name: str) -> Any:
        if name in home_of:
            value = getattr(importlib.import_module(home_of[name]), name)
            setattr(sys.modules[package], name, value)
            return value
        if name in parts:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get
