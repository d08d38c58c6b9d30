"""Maps: of features that labels picked, of similar columns, and of pairs of columns."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from mlfs.api.pairs import Pairs
from mlfs.api.similar import Similar
from mlfs.errors import UsageError, printable
from mlfs.plots.axes import CELLS_WITH_NUMBERS, axes_for, inches_of, selection_of

MAX_COLUMNS = 200  # of a map of similar columns
MAX_NAMES = 60  # that can be read side by side


def label_feature_map(selection: Any, most: int = 100, ax: Any = None) -> Any:
    """Draw a row for each label and a column for each feature: the rank among the label's picks.

    Parameters
    ----------
    selection : Selection or FeatureSelector
        A selection with a ranking for each label.
    most : int
        The greatest number of features; the first of the union are shown.
    ax : matplotlib Axes, optional
        Where to draw; the current axes of pyplot by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import mlfs
    >>> from mlfs import plots
    >>> X, Y = [[0, 1], [1, 0], [1, 1], [0, 0]], [[0, 1], [1, 0], [1, 1], [0, 0]]
    >>> ax = plots.label_feature_map(mlfs.select((X, Y), "jmi", 1, per_label=True))
    >>> ax.images[0].get_array().filled(0).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    picked = selection_of(selection)
    if not picked.labels:
        msg = "the selection has one ranking for all labels: select with per_label=True"
        raise UsageError(msg)
    position = {column: i for i, column in enumerate(picked.indices[:most])}
    ranks = np.full((len(picked.labels), len(position)), np.nan)
    for row, ranking in enumerate(picked.labels.values()):
        for pick in ranking.chosen:
            if pick.index in position:
                ranks[row, position[pick.index]] = pick.rank
    rows, columns = ranks.shape
    inches = 3 + inches_of(columns), 1.8 + inches_of(rows)
    ax = axes_for(ax, "a map of labels and features", inches)
    from matplotlib.ticker import MaxNLocator

    image = ax.imshow(ranks, aspect="auto", cmap="viridis", interpolation="nearest")
    if columns <= CELLS_WITH_NUMBERS:
        middle = np.nanmean([np.nanmin(ranks), np.nanmax(ranks)])
        for row, column in np.argwhere(~np.isnan(ranks)):
            rank = ranks[row, column]
            hue = "white" if rank < middle else "black"
            ax.text(column, row, f"{rank:.0f}", ha="center", va="center", color=hue, size=7)
    ax.figure.colorbar(image, ax=ax, label="rank of the pick", ticks=MaxNLocator(integer=True))
    if columns <= MAX_NAMES:
        ax.set_xticks(np.arange(columns), picked.names[:most], rotation=90, fontsize=7)
    else:
        ax.set_xlabel("features, the best of any label first")
    if rows <= MAX_NAMES:
        ax.set_yticks(np.arange(rows), list(picked.labels), fontsize=7)
    else:
        ax.set_ylabel("labels")
    return ax


def similarity_map(similar: Similar, ax: Any = None) -> Any:
    """Draw a matrix of similar columns: cluster beside cluster, the representative of each first.

    A cell is the symmetrical uncertainty of two columns, where it reaches the threshold.

    Parameters
    ----------
    similar : Similar
        What `mlfs.similar` returned, with one cluster or more. Of more than 200 columns, those of
        the first clusters are shown.
    ax : matplotlib Axes, optional
        Where to draw; the current axes of pyplot by default.

    Returns
    -------
    matplotlib Axes
    """
    if not len(similar):
        threshold = f"{similar.threshold:g}"
        raise UsageError(f"no two columns have SU >= {threshold}: lower the threshold")
    order: list[int] = []
    edges = [-0.5]
    for representative, members in zip(similar.representatives, similar.members, strict=True):
        if order and len(order) + len(members) > MAX_COLUMNS:
            break
        order += [representative, *(j for j in members if j != representative)][:MAX_COLUMNS]
        edges.append(len(order) - 0.5)
    side = min(12.0, max(4.0, 0.18 * len(order) + 1.5))
    ax = axes_for(ax, "a map of similar columns", (side + 0.8, side))
    shared = similar.pairs[order][:, order].toarray()
    np.fill_diagonal(shared, 1.0)
    shown = np.where(shared > 0, shared, np.nan)
    image = ax.imshow(shown, vmin=0.0, vmax=1.0, cmap="Blues", interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="symmetrical uncertainty", shrink=0.8)
    names = [printable(similar.names[j], 24) for j in order] if len(order) <= MAX_NAMES else []
    ax.set_yticks(range(len(names)), names, fontsize=6)
    ax.set_xticks(range(len(names)), names, fontsize=6, rotation=90)
    for low, high in pairwise(edges):
        box = [low, high, high, low, low]
        ax.plot(box, [low, low, high, high, low], color="0.3", linewidth=0.8)
    ax.set_title(f"columns with SU >= {similar.threshold:g}", fontsize=9)
    return ax


def pair_map(pairs: Pairs, ax: Any = None) -> Any:
    """Draw the synergy of pairs of columns: a cell for each pair that was found.

    Parameters
    ----------
    pairs : Pairs
        What `mlfs.pairs` returned, with one pair or more.
    ax : matplotlib Axes, optional
        Where to draw; the current axes of pyplot by default.

    Returns
    -------
    matplotlib Axes
    """
    if not len(pairs):
        raise UsageError("no pair of columns tells more together than apart: nothing is drawn")
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    synergy = np.full((len(names), len(names)), np.nan)
    for pair in pairs:
        ends = names.index(pair.first), names.index(pair.second)
        synergy[max(ends), min(ends)] = pair.synergy
    side = 3 + inches_of(len(names))
    ax = axes_for(ax, "a map of pairs", (side + 0.8, side))
    image = ax.imshow(synergy, vmin=0.0, cmap="viridis", interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="synergy about the label (nats)", shrink=0.8)
    if len(names) <= MAX_NAMES:
        shown = [printable(name, 24) for name in names]
        ax.set_xticks(range(len(names)), shown, fontsize=6, rotation=90)
        ax.set_yticks(range(len(names)), shown, fontsize=6)
    ax.set_title("columns that tell more together than apart", fontsize=9)
    return ax
