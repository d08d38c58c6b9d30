"""A label structure drawn by matplotlib: layers of labels, arrows from parents to children."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from mlfs.errors import UsageError, printable
from mlfs.plots.axes import axes_for
from mlfs.search.label_parents import Structure
from mlfs.search.structure_forms import headline

MAX_NAME = 14  # characters of a label's name
MAX_INCHES = 40.0


def label_structure(model: Any, ax: Any = None) -> Any:
    """Draw trees and polytrees in layers, chains as arcs over their labels; thick lines weigh more.

    Parameters
    ----------
    model : estimator or Structure
        A fitted model with one structure, or a structure itself.
    ax : matplotlib Axes, optional
        Where to draw; the current axes of pyplot by default.

    Returns
    -------
    matplotlib Axes
    """
    structure = getattr(model, "structure_", model)
    if not isinstance(structure, Structure):
        shown = printable(repr(model))
        raise UsageError(f"only a fitted model with one structure has a picture of it, not {shown}")
    ax = axes_for(ax, "a picture of a structure", inches_of_structure(structure))
    places = places_of(structure)
    weights = {edge: abs(structure.weights.get(edge, 0.0)) for edge in structure.edges}
    most = max(weights.values(), default=0.0)
    bend = "arc3" if _is_layered(structure) else "arc3,rad=-0.4"
    arrow: dict[str, Any] = {"arrowstyle": "-|>", "color": "#3b6ea5", "connectionstyle": bend}
    arrow |= {"shrinkA": 10, "shrinkB": 10}
    for (parent, child), weight in weights.items():
        width = 0.6 + 2.4 * weight / most if most else 1.2
        ax.annotate("", places[child], places[parent], arrowprops={**arrow, "lw": width})
    box = {"boxstyle": "square", "facecolor": "#f4f1ea", "edgecolor": "#1b1b1b"}
    words = {"ha": "center", "va": "center", "fontsize": 9, "parse_math": False}
    for (x, y), name in zip(places, structure.names, strict=True):
        ax.text(x, y, printable(name, MAX_NAME), bbox=box, color="#1b1b1b", **words)
    if len(places):
        (left, bottom), (right, top) = places.min(axis=0), places.max(axis=0)
        arcs = 0.0 if _is_layered(structure) else 0.25 * (right - left)
        ax.set_xlim(left - 0.6, right + 0.6)
        ax.set_ylim(bottom - 0.6, top + 0.6 + arcs)
    ax.set_axis_off()
    line = max(24, int(11 * ax.figure.get_size_inches()[0]))
    title = textwrap.fill(headline(structure), line, max_lines=4, placeholder=" …")
    ax.set_title(title, fontsize=9, parse_math=False)
    return ax


def inches_of_structure(structure: Structure) -> tuple[float, float]:
    """The size of a figure in which names do not meet."""
    places = places_of(structure)
    across, down = np.ptp(places, axis=0).tolist() if len(places) else (0.0, 0.0)
    arcs = 1.5 * (not _is_layered(structure))
    return (
        min(max(1.5 + 1.2 * across, 4.0), MAX_INCHES),
        min(1.5 + 0.9 * down + arcs, MAX_INCHES),
    )


def _is_layered(structure: Structure) -> bool:
    return structure.is_polytree and structure.kind != "chain" and bool(structure.edges)


def places_of(structure: Structure) -> np.ndarray:
    """Where each label stands: children below their parents, other structures in a row.

    Examples
    --------
    >>> places_of(Structure("tree", ("a", "b", "c"), (0, 1, 2), ((), (0,), (0,)))).tolist()
    [[0.0, 0.0], [-0.5, -1.0], [0.5, -1.0]]
    """
    places = np.zeros((structure.q, 2))
    if not _is_layered(structure):
        places[list(structure.order), 0] = np.arange(structure.q)
        return places
    parents = structure.parents
    for level in range(max(structure.levels) + 1):
        layer = [label for label in structure.order if structure.levels[label] == level]
        middles = [places[list(parents[label]), 0].mean() if level else 0.0 for label in layer]
        for place, i in enumerate(np.argsort(middles, kind="stable")):
            places[layer[i]] = place - (len(layer) - 1) / 2, 0 - level
    return places
