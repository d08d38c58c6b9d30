"""Pictures of label structures: trees and polytrees in layers, chains as arcs over a row."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs.errors import MissingExtra, UsageError, printable
from mlfs.search.label_parents import Structure
from mlfs.search.structure_forms import headline

if TYPE_CHECKING:
    from matplotlib.figure import Figure


NAME = 18  # characters of a label's name
MOST_INCHES = 40.0
HALF_BOX = 0.17  # of the distance of two layers
INK, LINE = "#1b1b1b", "#3b6ea5"
BOX = {"boxstyle": "round,pad=0.3", "facecolor": "#f4f1ea", "edgecolor": INK, "linewidth": 0.8}


def draw(structure: Structure, ax: Any = None) -> Figure:
    """Draw a structure; thicker lines weigh more.

    Parameters
    ----------
    structure : Structure
        Trees and polytrees are drawn in layers, parents above their children; anything else with
        arcs over the labels in their order, from parent to child.
    ax : matplotlib Axes, optional
        Where to draw; a figure of its own by default.

    Returns
    -------
    matplotlib Figure
        It belongs to no window: ``savefig`` it, or show it in a notebook.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("a picture of a structure", "matplotlib", "plot") from None
    if not isinstance(structure, Structure):
        msg = f"only a Structure can be drawn, not {printable(repr(structure))}"
        raise UsageError(msg)
    layered = is_layered(structure)
    places = in_layers(structure) if layered else in_a_row(structure)
    if ax is None:
        size = _inches(structure, places, layered=layered)
        ax = Figure(figsize=size, layout="constrained").add_subplot()
    figure: Figure = ax.figure
    _draw_edges(ax, structure, places, layered=layered)
    for (x, y), name in zip(places.tolist(), structure.names, strict=True):
        style = {} if layered else {"rotation": 90, "va": "top"}
        ax.text(
            x,
            y,
            printable(name, NAME),
            **({"ha": "center", "va": "center"} | style),
            bbox=BOX,
            color=INK,
            fontsize=9,
            parse_math=False,
            zorder=3,
        )
    if structure.q:
        _frame(ax, places, structure, layered=layered)
    wide = max(24, int(11 * figure.get_size_inches()[0]))
    title = textwrap.fill(headline(structure), wide, max_lines=4, placeholder=" …")
    ax.set_title(title, fontsize=9, color=INK, parse_math=False)
    ax.set_axis_off()
    return figure


def is_layered(structure: Structure) -> bool:
    """Whether a structure is drawn in layers, and not as arcs over a row."""
    return structure.is_polytree and structure.kind != "chain" and bool(structure.edges)


def _inches(structure: Structure, places: np.ndarray, *, layered: bool) -> tuple[float, float]:
    if not structure.q:
        return 4.0, 1.0
    wide, high = np.ptp(places, axis=0).tolist()
    if layered:
        return min(2.0 + 1.4 * (wide + 1), MOST_INCHES), min(1.0 + 0.9 * (high + 1), MOST_INCHES)
    width = min(2.0 + 0.5 * (wide + 1), MOST_INCHES)
    return width, 2.5 if not structure.edges else 2.5 + width / 4


def widths(structure: Structure) -> dict[tuple[int, int], float]:
    """Lines from thin to thick by weight; all the same where nothing was measured."""
    weights = [structure.weights[edge] for edge in structure.edges if edge in structure.weights]
    low, high = min(weights, default=0.0), max(weights, default=0.0)
    if high <= low:
        return dict.fromkeys(structure.edges, 1.2)
    return {
        edge: 0.6 + 2.4 * (structure.weights.get(edge, low) - low) / (high - low)
        for edge in structure.edges
    }


def _draw_edges(ax: Any, structure: Structure, places: np.ndarray, *, layered: bool) -> None:
    strokes = widths(structure)
    many = len(strokes) > 6 * structure.q
    off = np.array([0.0, HALF_BOX if layered else 0.0])
    for parent, child in structure.edges:
        start, end = (places[parent] - off).tolist(), (places[child] + off).tolist()
        ax.annotate(
            "",
            xy=end,
            xytext=start,
            zorder=2,
            arrowprops={
                "arrowstyle": "-|>",
                "color": LINE,
                "alpha": 0.35 if many else 0.9,
                "linewidth": strokes[parent, child],
                "shrinkA": 0.0,
                "shrinkB": 0.0,
                "connectionstyle": "arc3,rad=0" if layered else "arc3,rad=-0.5",
            },
        )


def _frame(ax: Any, places: np.ndarray, structure: Structure, *, layered: bool) -> None:
    (first_x, low), (last_x, high) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    ax.set_xlim(first_x - 0.8, last_x + 0.8)
    if layered:
        ax.set_ylim(low - 0.6, high + 0.6)
        return
    span = max((abs(places[p, 0] - places[c, 0]) for p, c in structure.edges), default=0.0)
    ax.set_ylim(-0.5, max(0.5, 0.3 * float(span)))


# ---- where the labels are placed ------------------------------------------------------------


def in_a_row(structure: Structure) -> np.ndarray:
    """The labels side by side in their order: (q, 2), x and y."""
    places = np.zeros((structure.q, 2))
    places[list(structure.order), 0] = np.arange(structure.q)
    return places


def in_layers(structure: Structure) -> np.ndarray:
    """The labels of a polytree in layers, parents above their children: (q, 2), x and y.

    Labels of a layer stand at least 1 apart, each near the middle of its neighbours.

    Examples
    --------
    >>> in_layers(Structure("tree", ("a", "b", "c"), (0, 1, 2), ((), (0,), (0,)))).tolist()
    [[0.5, 0.0], [0.0, -1.0], [1.0, -1.0]]
    """
    depth = _depths(structure)
    wish = _middles(structure)
    places = np.zeros((structure.q, 2))
    for level in sorted(set(depth)):
        layer = [label for label in range(structure.q) if depth[label] == level]
        layer.sort(key=lambda label: (wish[label], label))
        xs = _spread([wish[label] for label in layer])
        for label, x in zip(layer, xs, strict=True):
            places[label] = x, -level
    return places


def _depths(structure: Structure) -> list[int]:
    """The levels, each label as low as its children allow."""
    depth = list(structure.levels)
    for label in reversed(structure.order):
        below = [depth[child] for child in structure.children[label]]
        if below:
            depth[label] = max(depth[label], min(below) - 1)
    return depth


def _middles(structure: Structure) -> list[float]:
    """Leaves of the tree one after another, every other label in the middle of its children."""
    neighbours = [
        (*parents, *children)
        for parents, children in zip(structure.parents, structure.children, strict=True)
    ]
    middle = [0.0] * structure.q
    seen = [False] * structure.q
    ends = 0
    for root in structure.order:
        if seen[root]:
            continue
        seen[root] = True
        order: list[int] = []
        below: dict[int, list[int]] = {root: []}
        stack = [root]
        while stack:
            label = stack.pop()
            order.append(label)
            for neighbour in neighbours[label]:
                if not seen[neighbour]:
                    seen[neighbour] = True
                    below[label].append(neighbour)
                    below[neighbour] = []
            stack += reversed(below[label])
        for label in order:
            if not below[label]:
                middle[label], ends = float(ends), ends + 1
        for label in reversed(order):
            if below[label]:
                middle[label] = float(np.mean([middle[neighbour] for neighbour in below[label]]))
    return middle


def _spread(wishes: list[float]) -> list[float]:
    """Rising places at least 1 apart, in runs around the mean of their preferred positions."""
    runs: list[tuple[float, int]] = []  # where a run starts, and its length
    for wish in wishes:
        start, size = wish, 1
        while runs and start < runs[-1][0] + runs[-1][1]:
            before, n = runs.pop()
            start = (before * n + (start - n) * size) / (n + size)
            size += n
        runs.append((start, size))
    return [start + k for start, size in runs for k in range(size)]
