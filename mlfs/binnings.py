"""The ways to bin numeric columns, by name; what they do is in `mlfs.discretize`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlfs.extensions import Registry


@dataclass(frozen=True)
class BinningMethod:
    """A way to bin numeric columns.

    Parameters
    ----------
    by_labels : bool
        Whether it looks at the labels.
    takes_number : bool
        Whether it takes a number of bins.
    edges : callable, optional
        Of a method that an installed package offers: the rising cut points of one column.
        ``edges(values, weights, bins)``, where values are not missing, weights are None where all
        rows count the same, and bins is the number of bins that is asked for.
    """

    by_labels: bool = False
    takes_number: bool = False
    edges: Callable[[Any, Any, int], tuple[float, ...]] | None = None


BINNINGS = Registry(
    "binnings",
    {
        "mean-sd": BinningMethod(),
        "width": BinningMethod(takes_number=True),
        "frequency": BinningMethod(takes_number=True),
        "mdlp": BinningMethod(by_labels=True),
        "laim": BinningMethod(by_labels=True),
    },
)
WITHOUT_LABELS = tuple(name for name, method in BINNINGS.ours.items() if not method.by_labels)
COUNTED = tuple(name for name, method in BINNINGS.ours.items() if method.takes_number)
