"""The map of columns that say the same."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mlfs.api.similar import Similar
from mlfs.errors import UsageError, printable
from mlfs.plots.displays import Display

MOST = 200  # columns of a map
NAMED = 60  # columns whose names fit beside it


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
