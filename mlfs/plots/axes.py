"""The axes to draw on, and what is drawn: helpers of all pictures."""

from __future__ import annotations

from typing import Any

from mlfs.api.selection import Ranking, Selection
from mlfs.errors import MissingExtra, UsageError, check_name, printable

CELLS_WITH_NUMBERS = 30  # of a row or a column, that are wide enough for a number


def axes_for(ax: Any, subject: str, inches: tuple[float, float]) -> Any:
    """The axes to draw on: those that were given, or the current ones of pyplot.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        The caller's.
    subject : str
        What is drawn, for the message if matplotlib is not installed.
    inches : tuple of float
        The size of a figure, if none is open.
    """
    if ax is not None:
        return ax
    refuse_without_matplotlib(subject)
    from matplotlib import pyplot as plt

    if not plt.get_fignums():
        plt.figure(figsize=inches, layout="constrained")
    return plt.gca()


def refuse_without_matplotlib(subject: str) -> None:
    """Raise `MissingExtra` if matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtra(subject, "matplotlib", "plot") from None


def inches_of(cells: int) -> float:
    """The length of so many cells: few are drawn large enough for their numbers."""
    few = min(cells, CELLS_WITH_NUMBERS)
    return min(21.0, 0.3 * few + 0.16 * (cells - few))


def selection_of(source: Any) -> Selection:
    """The selection itself, or the one of a fitted `FeatureSelector`."""
    selection = getattr(source, "selection_", source)
    if not isinstance(selection, Selection):
        shown = printable(repr(source))
        raise UsageError(f"a picture needs a Selection or a fitted FeatureSelector, not {shown}")
    return selection


def ranking_of(source: Any, label: str | None) -> Ranking:
    """The ranking of a label, or the selection itself."""
    selection = selection_of(source)
    if label is None:
        return selection
    check_name(label, "label with a ranking of its own", selection.labels)
    return selection.labels[label]
