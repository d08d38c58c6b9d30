"""The base of all displays: where they draw, and how a selection is recognised."""

from __future__ import annotations

from abc import ABC, abstractmethod
from io import BytesIO
from typing import Any, ClassVar, Self

from mlfs.api.selection import Selection
from mlfs.errors import MissingExtra, UsageError, printable


class Display(ABC):
    """A picture that is drawn by `plot`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
        What was drawn on; set by `plot`.
    """

    _subject: ClassVar[str] = "a picture of a comparison"
    _inches: Any = (7.0, 4.0)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a figure of its own by default.
        """
        self.ax_ = axes_for(ax, self._subject, self._inches)
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        return self

    def _repr_svg_(self) -> str | None:
        """The picture, for a notebook."""
        if not hasattr(self, "figure_"):
            return None
        target = BytesIO()
        self.figure_.savefig(target, format="svg")
        return target.getvalue().decode()

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on axes."""


def axes_for(ax: Any, subject: str, inches: tuple[float, float]) -> Any:
    """The axes to draw on: those that were given, or those of a new figure without a window.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        The caller's.
    subject : str
        What is drawn, for the message if matplotlib is not installed.
    inches : tuple of float
        The size of a new figure.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra(subject, "matplotlib", "plot") from None
    return Figure(figsize=inches, layout="constrained").add_subplot()


def selection_of(source: Any) -> Selection:
    """The selection itself, or the one of a fitted `FeatureSelector`."""
    selection = getattr(source, "selection_", source)
    if not isinstance(selection, Selection):
        shown = printable(repr(source))
        msg = f"a picture needs a Selection or a fitted FeatureSelector, not {shown}"
        raise UsageError(msg)
    return selection
