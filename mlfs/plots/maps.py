"""Maps: of the features that labels picked, and of columns that say the same."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mlfs.api.similar import Similar
from mlfs.errors import UsageError, printable
from mlfs.plots.displays import FEW, Display, length_of, selection_of

MOST = 200  # similar columns of a map
NAMED = 60  # names that can be read side by side


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
    def from_selection(cls, selection: Any, most: int = 100, ax: Any = None) -> Self:
        """The map of a selection with a ranking for each label.

        Parameters
        ----------
        selection : Selection or FeatureSelector
            What was selected.
        most : int
            The greatest number of features; the first of the union are shown.
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own by default.
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
        return cls(ranks, tuple(picked.labels), tuple(picked.names[:most])).plot(ax)

    @property
    def _inches(self) -> tuple[float, float]:
        rows, columns = self.ranks.shape
        return 3 + length_of(columns), 1.8 + length_of(rows)

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
        if columns <= NAMED:
            ax.set_xticks(np.arange(columns), self.features, rotation=90, fontsize=7)
        else:
            ax.set_xlabel("features, the best of any label first")
        if rows <= NAMED:
            ax.set_yticks(np.arange(rows), self.labels, fontsize=7)
        else:
            ax.set_ylabel("labels")


class SimilarityMapDisplay(Display):
    """A matrix of similar columns: cluster beside cluster, the representative of each first.

    A cell is the symmetrical uncertainty of two columns, where it reaches the threshold.

    Parameters
    ----------
    similar : Similar
        What `mlfs.similar` returned, with one cluster or more. Of more than 200 columns, those of
        the first clusters are shown.
    """

    _subject = "a map of similar columns"

    def __init__(self, similar: Similar) -> None:
        if not len(similar):
            threshold = f"{similar.threshold:g}"
            raise UsageError(f"no two columns have SU >= {threshold}: lower the threshold")
        self.similar = similar
        order: list[int] = []
        for representative, members in zip(similar.representatives, similar.members, strict=True):
            if order and len(order) + len(members) > MOST:
                break
            order += [representative, *(j for j in members if j != representative)][:MOST]
        self.order = tuple(order)

    @classmethod
    def from_similar(cls, similar: Similar, ax: Any = None) -> Self:
        """The map of what `mlfs.similar` returned.

        Parameters
        ----------
        similar : Similar
            The clusters.
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own by default.
        """
        return cls(similar).plot(ax)

    @property
    def _inches(self) -> tuple[float, float]:
        side = min(12.0, max(4.0, 0.18 * len(self.order) + 1.5))
        return side + 0.8, side

    def _draw(self, ax: Any) -> None:
        order = list(self.order)
        shared = self.similar.pairs[order][:, order].toarray()
        np.fill_diagonal(shared, 1.0)
        shown = np.where(shared > 0, shared, np.nan)
        image = ax.imshow(shown, vmin=0.0, vmax=1.0, cmap="Blues", interpolation="nearest")
        ax.figure.colorbar(image, ax=ax, label="symmetrical uncertainty", shrink=0.8)
        names = [printable(self.similar.names[j], 24) for j in order]
        if len(order) <= NAMED:
            ax.set_yticks(range(len(order)), names, fontsize=6)
            ax.set_xticks(range(len(order)), names, fontsize=6, rotation=90)
        else:
            ax.set_xticks([])
            ax.set_yticks([])
        edge = -0.5
        for members in self.similar.members:
            if edge + 0.5 >= len(order):
                break
            size = min(len(members), len(order))
            box = [edge, edge + size, edge + size, edge, edge]
            ax.plot(box, [edge, edge, edge + size, edge + size, edge], color="0.3", linewidth=0.8)
            edge += size
        ax.set_title(f"columns with SU >= {self.similar.threshold:g}", fontsize=9)
