"""The path of a selection: every pick with the terms of its score."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mlfs.api.selection import Ranking
from mlfs.compare.report.charts import COLOURS
from mlfs.errors import check_name
from mlfs.plots.axes import Display, selection_of

__all__ = ["SelectionPathDisplay"]

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
