"""Where to draw: the caller's axes, or a figure of its own that belongs to no window."""

from __future__ import annotations

from typing import Any

from mlfs.api.selection import Selection
from mlfs.errors import MissingExtra, UsageError, printable

__all__ = ["COLOURS", "axes_for", "selection_of"]

# Okabe & Ito: told apart by colour-blind readers too
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8B6F00")


def axes_for(ax: Any, what: str, inches: tuple[float, float] = (7.0, 4.0)) -> Any:
    """The axes to draw on.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        The caller's.
    what : str
        What is drawn, for the message if matplotlib is not installed.
    inches : tuple of float
        The size of a figure of its own.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra(what, "matplotlib", "plot") from None
    return Figure(figsize=inches, layout="constrained").add_subplot()


def selection_of(given: Any) -> Selection:
    """A selection, or that of a fitted `FeatureSelector`."""
    found = getattr(given, "selection_", given)
    if not isinstance(found, Selection):
        shown = printable(repr(given))
        msg = f"a picture needs a Selection or a fitted FeatureSelector, not {shown}"
        raise UsageError(msg)
    return found
