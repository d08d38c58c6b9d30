"""The ways to bin numeric columns, by name; what they do is in `mlfs.discretize`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BinningMethod:
    """A way to bin numeric columns.

    Parameters
    ----------
    by_labels : bool
        Whether it looks at the labels.
    takes_number : bool
        Whether it takes a number of bins.
    """

    by_labels: bool = False
    takes_number: bool = False


BINNINGS = {
    "mean-sd": BinningMethod(),
    "width": BinningMethod(takes_number=True),
    "frequency": BinningMethod(takes_number=True),
    "mdlp": BinningMethod(by_labels=True),
    "laim": BinningMethod(by_labels=True),
}
WITHOUT_LABELS = tuple(name for name, method in BINNINGS.items() if not method.by_labels)
COUNTED = tuple(name for name, method in BINNINGS.items() if method.takes_number)
