"""Pictures of a ranking: the terms of its scores, and what could stand in the place of a pick."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.errors import UsageError, printable
from mlfs.plots.axes import axes_for, inches_of, ranking_of, selection_of

MAX_NAMES = 40  # that can be read side by side
READABLE = 0.08  # the least share whose bar is wide enough for a name


def selection_path(selection: Any, label: str | None = None, ax: Any = None) -> Any:
    """Draw each pick in order: its relevance, and the terms with the picks before it.

    Redundancy is drawn below zero. Where it is negative, the pick and those before it say more
    about the labels together than each alone: this is drawn above zero, as complementarity.

    Parameters
    ----------
    selection : Selection or FeatureSelector
        What was selected.
    label : str, optional
        Where each label has a ranking of its own: which one; the union by default.
    ax : matplotlib Axes, optional
        Where to draw; the current axes of pyplot by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import mlfs
    >>> from mlfs import plots
    >>> plots.selection_path(mlfs.select("songs", "mrmr", 4)).get_ylabel()
    'nats'
    """
    ranking = ranking_of(selection, label)
    n, terms = len(ranking), ranking.terms
    ax = axes_for(ax, "a picture of a selection", (min(24.0, max(5.0, 0.32 * n + 1.5)), 4.2))
    ranks = np.arange(1, n + 1)
    parts = {
        "relevance": terms["relevance"],
        "label correlation": terms["label_correlation"],
        "redundancy": -np.maximum(terms["redundancy"], 0),
        "complementarity": np.maximum(-terms["redundancy"], 0),
    }
    ax.use_sticky_edges = False  # a bar that starts at the top of another would end the axis
    above, below = np.zeros(n), np.zeros(n)
    for i, (name, values) in enumerate(parts.items()):
        if np.any(values):
            base = np.where(values >= 0, above, below)
            ax.bar(ranks, values, bottom=base, color=f"C{i}", alpha=0.75, label=name)
            above, below = above + np.maximum(values, 0), below + np.minimum(values, 0)
    ax.plot(ranks, ranking.scores, color="black", marker="o", ms=3, label="score")
    ax.axhline(0, color="grey", lw=0.8)
    ax.set_ylabel("nats")
    if n <= MAX_NAMES:
        ax.set_xticks(ranks, ranking.names, rotation=60, ha="right", fontsize=8)
    else:
        ax.set_xlabel("pick")
    ax.legend(fontsize=8)
    return ax


def substitutes(selection: Any, label: str | None = None, ax: Any = None) -> Any:
    """Draw how often each pick is kept on half of the rows, and what comes in its place.

    Parameters
    ----------
    selection : Selection or FeatureSelector
        What `mlfs.certainty` returned.
    label : str, optional
        Where each label has a ranking of its own: which one.
    ax : matplotlib Axes, optional
        Where to draw; the current axes of pyplot by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import mlfs
    >>> from mlfs import plots
    >>> sure = mlfs.certainty(mlfs.select("songs", "mrmr", 2), "songs", resamples=20)
    >>> [text.get_text() for text in plots.substitutes(sure).get_yticklabels()]
    ['drums', 'brightness']
    """
    ranking = ranking_of(selection, label)
    if not any(sure and sure.kept is not None for sure in ranking.certainty):
        by_label = selection_of(selection).labels and label is None
        remedy = "name a label" if by_label else "give what mlfs.certainty returns"
        raise UsageError(f"the ranking was not resampled: {remedy}")
    chosen = ranking.chosen
    ax = axes_for(ax, "a picture of a selection", (8.0, 1.2 + inches_of(len(ranking))))
    for row, pick in enumerate(chosen):
        if pick.certainty is None or pick.certainty.kept is None:
            continue
        left = pick.certainty.kept
        ax.barh(row, left, color="C0")
        for i, entry in enumerate(pick.certainty.substitutes):
            ax.barh(row, entry.share, left=left, color=f"{0.7 + 0.1 * (i % 2):.1f}")
            if entry.share >= READABLE:
                name = printable(entry.name, int(100 * entry.share))
                style = {"ha": "center", "va": "center", "size": 7, "clip_on": True}
                ax.text(left + entry.share / 2, row, name, parse_math=False, **style)
            left += entry.share
    ax.set_yticks(np.arange(len(chosen)), [printable(p.name, 40) for p in chosen], fontsize=8)
    ax.set_ylim(len(chosen) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of the resamples: the pick is kept (colour), or another comes (grey)")
    return ax
