"""`parameters`: the constructor of an estimator from its annotated parameters."""

from __future__ import annotations

import dataclasses
from typing import TypeVar, dataclass_transform

Kind = TypeVar("Kind", bound=type)


@dataclass_transform(eq_default=False)
def parameters(cls: Kind) -> Kind:
    """Make the constructor of an estimator from its annotated parameters: a decorator."""
    dataclasses.dataclass(eq=False, repr=False)(cls)
    return cls
