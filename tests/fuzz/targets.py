"""The targets by name; the module of one is imported when it is first used."""

from __future__ import annotations

import importlib

from tests.fuzz.cases import Target

# name: (module, class)
TARGETS: dict[str, tuple[str, str]] = {
    "model": ("tests.fuzz.models.stored", "StoredModels"),
    "mat": ("tests.fuzz.readers.mat", "Mat"),
}
_made: dict[str, Target] = {}


def target(name: str) -> Target:
    """The target of a name, prepared once in each process."""
    if name not in _made:
        module, kind = TARGETS[name]
        _made[name] = getattr(importlib.import_module(module), kind)()
        _made[name].prepare()
    return _made[name]
