"""Pictures of a selection and of label structures."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mlfs.api.selection import Ranking
from mlfs.compare.report.charts import COLOURS
from mlfs.errors import UsageError, check_name, printable
from mlfs.plots.axes import Display, selection_of
from mlfs.search.label_parents import Structure
from mlfs.search.structure_drawing import draw

MOST = 40  # names that can be read side by side


class SelectionPathDisplay(Display):
    """Each pick in order: its relevance, and the terms with the picks before it.

    Redundancy is drawn below zero. Where it is negative, the pick and those before it say more
    about the labels together than each alone: this is drawn above zero, as complementarity.

    Parameters
    ----------
    ranking : Ranking
        The picks, of a selection or of one label.
    units : str
        The unit of the scores.

    Examples
    --------
    >>> import mlfs
    >>> from mlfs.plots import SelectionPathDisplay
    >>> selection = mlfs.select(([[0, 1], [1, 0], [1, 1], [0, 0]], [[0], [1], [1], [0]]), "mrmr", 2)
    >>> SelectionPathDisplay.from_selection(selection).ranking.names
    ('x0', 'x1')
    """

    _subject = "a picture of a selection"

    def __init__(self, ranking: Ranking, units: str = "nats") -> None:
        self.ranking = ranking
        self.units = units

    @classmethod
    def from_selection(cls, selection: Any, label: str | None = None) -> Self:
        """The display of a `Selection` or a fitted `FeatureSelector`.

        Parameters
        ----------
        selection : Selection or FeatureSelector
            What was selected.
        label : str, optional
            Where each label has a ranking of its own: which one; the union by default.
        """
        selected = selection_of(selection)
        if label is None:
            return cls(selected, selected.units)
        check_name(label, "label", selected.labels)
        return cls(selected.labels[label], selected.units)

    @property
    def _inches(self) -> tuple[float, float]:
        return min(24.0, max(5.0, 0.32 * len(self.ranking) + 1.5)), 4.2

    def _draw(self, ax: Any) -> None:
        n = len(self.ranking)
        ranks = np.arange(1, n + 1)
        terms = self.ranking.terms
        parts = (
            ("relevance", terms["relevance"]),
            ("label correlation", terms["label_correlation"]),
            ("redundancy", -np.maximum(terms["redundancy"], 0)),
            ("complementarity", np.maximum(-terms["redundancy"], 0)),
        )
        ax.use_sticky_edges = False  # a bar that starts at the top of another would end the axis
        above, below = np.zeros(n), np.zeros(n)
        for (name, values), colour in zip(parts, COLOURS, strict=False):
            if not np.any(values):
                continue
            base = np.where(values >= 0, above, below)
            ax.bar(ranks, values, bottom=base, color=colour, alpha=0.75, label=name)
            above, below = above + np.maximum(values, 0), below + np.minimum(values, 0)
        ax.plot(ranks, self.ranking.scores, color="#000000", marker="o", ms=3, label="score")
        ax.axhline(0, color="#888888", lw=0.8)
        ax.set_ylabel(self.units)
        if n <= MOST:
            ax.set_xticks(ranks, self.ranking.names, rotation=60, ha="right", fontsize=8)
        else:
            ax.set_xlabel("pick")
        ax.legend(fontsize=8)


MOST_OF_MAP = 60  # names that can be read side by side
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
        if columns <= MOST_OF_MAP:
            ax.set_xticks(np.arange(columns), self.features, rotation=90, fontsize=7)
        else:
            ax.set_xlabel("features, the best of any label first")
        if rows <= MOST_OF_MAP:
            ax.set_yticks(np.arange(rows), self.labels, fontsize=7)
        else:
            ax.set_ylabel("labels")


def _length(cells: int) -> float:
    """The inches for so many cells: few are drawn large enough for their numbers."""
    return min(21.0, 0.3 * min(cells, FEW) + 0.16 * max(cells - FEW, 0))


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
