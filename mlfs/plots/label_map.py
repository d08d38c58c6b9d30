"""The map of labels and features: which label picked which feature, and when."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mlfs.errors import UsageError
from mlfs.plots.axes import Display, selection_of

__all__ = ["LabelFeatureMapDisplay"]

MOST = 60  # names that can be read side by side
FEW = 30  # columns whose cells are wide enough for a number


class LabelFeatureMapDisplay(Display):
    """A row for each label, a column for each feature that any label picked.

    Parameters
    ----------
    ranks : ndarray, shape (labels, features)
        The place of the feature among the picks of the label; NaN if it was not picked.
    labels, features : tuple of str
        The names of the rows and columns.

    Examples
    --------
    >>> import mlfs
    >>> from mlfs.plots import LabelFeatureMapDisplay
    >>> X, Y = [[0, 1], [1, 0], [1, 1], [0, 0]], [[0, 1], [1, 0], [1, 1], [0, 0]]
    >>> selection = mlfs.select((X, Y), "jmi", 1, per_label=True)
    >>> LabelFeatureMapDisplay.from_selection(selection).ranks.tolist()
    [[1.0, nan], [nan, 1.0]]
    """

    _subject = "a map of labels and features"

    def __init__(
        self, ranks: np.ndarray, labels: tuple[str, ...], features: tuple[str, ...]
    ) -> None:
        self.ranks = ranks
        self.labels = labels
        self.features = features

    @classmethod
    def from_selection(cls, selection: Any, most: int = 100) -> Self:
        """The map of a selection with a ranking for each label.

        Parameters
        ----------
        selection : Selection or FeatureSelector
            What was selected.
        most : int
            The greatest number of features; the first of the union are shown.
        """
        picked = selection_of(selection)
        if not picked.labels:
            msg = "the selection has one ranking for all labels: select with per_label=True"
            raise UsageError(msg)
        columns = picked.indices[:most]
        position = {column: i for i, column in enumerate(columns)}
        ranks = np.full((len(picked.labels), len(columns)), np.nan)
        for row, ranking in enumerate(picked.labels.values()):
            for pick in ranking.chosen:
                if pick.index in position:
                    ranks[row, position[pick.index]] = pick.rank
        return cls(ranks, tuple(picked.labels), tuple(picked.names[:most]))

    @property
    def _inches(self) -> tuple[float, float]:
        rows, columns = self.ranks.shape
        return 3 + _length(columns), 1.8 + _length(rows)

    def _draw(self, ax: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        rows, columns = self.ranks.shape
        image = ax.imshow(self.ranks, aspect="auto", cmap="viridis", interpolation="nearest")
        if columns <= FEW:
            middle = np.nanmean([np.nanmin(self.ranks), np.nanmax(self.ranks)])
            for row, column in np.argwhere(~np.isnan(self.ranks)):
                rank = self.ranks[row, column]
                colour = "white" if rank < middle else "black"
                ax.text(column, row, f"{rank:.0f}", ha="center", va="center", color=colour, size=7)
        ax.figure.colorbar(image, ax=ax, label="rank of the pick", ticks=MaxNLocator(integer=True))
        if columns <= MOST:
            ax.set_xticks(np.arange(columns), self.features, rotation=90, fontsize=7)
        else:
            ax.set_xlabel("features, the best of any label first")
        if rows <= MOST:
            ax.set_yticks(np.arange(rows), self.labels, fontsize=7)
        else:
            ax.set_ylabel("labels")


def _length(cells: int) -> float:
    """The inches for so many cells: few are drawn large enough for their numbers."""
    return min(21.0, 0.3 * min(cells, FEW) + 0.16 * max(cells - FEW, 0))
