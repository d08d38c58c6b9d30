"""The structure of the labels: which labels are parents of which."""

from __future__ import annotations

from typing import Any, Self

from mlfs.errors import UsageError, printable
from mlfs.plots.axes import Display
from mlfs.search.label_parents import Structure
from mlfs.search.structure_drawing import draw

__all__ = ["LabelStructureDisplay"]


class LabelStructureDisplay(Display):
    """Trees and polytrees in layers, chains as arcs over their labels.

    Parameters
    ----------
    structure : Structure
        What is drawn.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
        What was drawn on; there after `plot`.
    """

    def __init__(self, structure: Structure) -> None:
        self.structure = structure

    @classmethod
    def from_estimator(cls, model: Any) -> Self:
        """The display of a fitted model, or of a structure itself."""
        structure = getattr(model, "structure_", model)
        if not isinstance(structure, Structure):
            shown = printable(repr(model))
            msg = f"only a fitted model with one structure has a picture of it, not {shown}"
            raise UsageError(msg)
        return cls(structure)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; by default a figure of its own, as large as the structure needs.
        """
        self.figure_ = draw(self.structure, ax)
        self.ax_ = self.figure_.axes[0] if ax is None else ax
        return self

    def _draw(self, ax: Any) -> None:
        draw(self.structure, ax)
