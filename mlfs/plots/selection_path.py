"""The path of a selection: every pick with the terms of its score."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mlfs.api.selection import Ranking
from mlfs.errors import UnknownName
from mlfs.plots.axes import COLOURS, axes_for, selection_of

__all__ = ["SelectionPathDisplay"]

MOST = 40  # names that can be read side by side


class SelectionPathDisplay:
    """Each pick in order: what it is worth on its own, what the picks before it take or add.

    Parameters
    ----------
    ranking : Ranking
        The picks, of a selection or of one label.
    units : str
        The unit of the scores.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
        What was drawn on; there after `plot`.

    Examples
    --------
    >>> import mlfs
    >>> from mlfs.plots import SelectionPathDisplay
    >>> found = mlfs.select(([[0, 1], [1, 0], [1, 1], [0, 0]], [[0], [1], [1], [0]]), "mrmr", 2)
    >>> SelectionPathDisplay.from_selection(found).ranking.names
    ('x0', 'x1')
    """

    def __init__(self, ranking: Ranking, units: str = "nats") -> None:
        self.ranking = ranking
        self.units = units

    @classmethod
    def from_selection(cls, selection: Any, label: str | None = None) -> Self:
        """Of a `Selection` or a fitted `FeatureSelector`.

        Parameters
        ----------
        selection : Selection or FeatureSelector
            What was selected.
        label : str, optional
            Where each label has a ranking of its own: which one; the union by default.
        """
        found = selection_of(selection)
        if label is None:
            return cls(found, found.units)
        if label not in found.labels:
            raise UnknownName("label", label, found.labels)
        return cls(found.labels[label], found.units)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a figure of its own by default.
        """
        n = len(self.ranking)
        width = min(24.0, max(5.0, 0.32 * n + 1.5))
        self.ax_ = axes_for(ax, "a picture of a selection", (width, 4.2))
        self.figure_ = self.ax_.figure
        place = np.arange(1, n + 1)
        terms = self.ranking.terms
        parts = (
            ("relevance", terms["relevance"]),
            ("label correlation", terms["label_correlation"]),
            ("redundancy", -terms["redundancy"]),
        )
        above, below = np.zeros(n), np.zeros(n)
        for (name, values), colour in zip(parts, COLOURS, strict=False):
            if not np.any(values):
                continue
            base = np.where(values >= 0, above, below)
            self.ax_.bar(place, values, bottom=base, color=colour, alpha=0.75, label=name)
            above, below = above + np.maximum(values, 0), below + np.minimum(values, 0)
        self.ax_.plot(place, self.ranking.scores, color="#000000", marker="o", ms=3, label="score")
        self.ax_.axhline(0, color="#888888", lw=0.8)
        self.ax_.set_ylabel(self.units)
        if n <= MOST:
            self.ax_.set_xticks(place, self.ranking.names, rotation=60, ha="right", fontsize=8)
        else:
            self.ax_.set_xlabel("pick")
        self.ax_.legend(fontsize=8)
        return self
