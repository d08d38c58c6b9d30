"""A label structure as text, DOT and JSON, and as a diagram for matplotlib or a notebook.

Trees and polytrees are drawn in layers, chains as arcs over a row.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs.data.drawing import (
    INCHES,
    POINTS,
    Diagram,
    Lettering,
    Stroke,
    draw_diagram,
    refuse_without_matplotlib,
    svg_of,
)
from mlfs.data.html import details, text
from mlfs.errors import DataError, UsageError, printable
from mlfs.search.label_parents import Edge, Structure, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure


NAME = 200
FORMAT, VERSION = "mlfs structure", 1
FIELDS = ("format", "version", "kind", "names", "order", "parents", "weights", "note")


def headline(structure: Structure) -> str:
    """One line: kind, size, and how it was made."""
    q, n = structure.q, sum(map(len, structure.parents))
    counted = f"{q} label{'s' * (q != 1)}, {n} edge{'s' * (n != 1)}"
    note = f" ({printable(structure.note, NAME)})" if structure.note else ""
    return f"{printable(structure.kind)}: {counted}{note}"


def as_text(structure: Structure) -> str:
    """The labels in order, each with its parents; in parentheses what the learner measured."""
    names = [printable(name, NAME) for name in structure.names]

    def written(parent: int, child: int) -> str:
        weight = structure.weights.get((parent, child))
        name = "alone" if parent == child else names[parent]
        return name if weight is None else f"{name} ({weight:.4g})"

    width = max(len("label"), *(len(name) for name in names), 0)
    lines = [headline(structure), f"place  {'label':<{width}}  parents"]
    for place, label in enumerate(structure.order, start=1):
        parents = [written(p, label) for p in structure.parents[label]]
        if (label, label) in structure.weights:
            parents = [written(label, label)]
        lines.append(f"{place:>5}  {names[label]:<{width}}  {', '.join(parents) or '-'}")
    return "\n".join(lines)


def as_dot(structure: Structure) -> str:
    """A directed graph; nodes are numbered and carry the names of the labels as text."""
    lines = ["digraph labels {", f"  label={_quote(headline(structure))};"]
    lines += [f"  n{label} [label={_quote(structure.names[label])}];" for label in structure.order]
    for parent, child in structure.edges:
        weight = structure.weights.get((parent, child))
        text = "" if weight is None else f' [label="{weight:.3g}"]'
        lines.append(f"  n{parent} -> n{child}{text};")
    return "\n".join([*lines, "}", ""])


def _quote(name: str) -> str:
    r"""A name as a DOT text: no control characters, no escapes or entities of DOT's own.

    Examples
    --------
    >>> _quote('a "b" \\n &lt;')
    '"a \\"b\\" \\\\n &amp;lt;"'
    """
    text = printable(name, NAME).replace("&", "&amp;")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_dict(structure: Structure) -> dict[str, Any]:
    """The parts of a structure as JSON takes them."""
    weights = [[a, b, weight] for (a, b), weight in sorted(structure.weights.items())]
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": structure.kind,
        "names": list(structure.names),
        "order": list(structure.order),
        "parents": [list(label_parents) for label_parents in structure.parents],
        "weights": weights,
        "note": structure.note,
    }


def from_dict(stored: Any) -> Structure:
    """The structure that `as_dict` wrote; anything else is refused with one sentence."""
    _check_fields(stored)
    pairs: dict[Edge, float] = {}
    for entry in stored["weights"]:
        if not isinstance(entry, list) or len(entry) != 3:
            msg = f"not a label structure: a weight is [parent, child, w], not {shown(entry)}"
            raise DataError(msg)
        if not all(isinstance(i, int) for i in entry[:2]) or tuple(entry[:2]) in pairs:
            msg = f"not a label structure: the weight {shown(entry)} is of no edge, or twice"
            raise DataError(msg)
        pairs[entry[0], entry[1]] = entry[2]
    names, order = tuple(stored["names"]), tuple(stored["order"])
    parents = tuple(map(tuple, stored["parents"]))
    try:
        return Structure(stored["kind"], names, order, parents, pairs, stored["note"])
    except UsageError as error:
        msg = f"not a label structure: {error}"
        raise DataError(msg) from error


def _check_fields(stored: Any) -> None:
    """Refuse a stored structure whose fields are not what they should be."""
    if not isinstance(stored, dict):
        msg = f"not a label structure: a JSON object is wanted, not {shown(stored)}"
        raise DataError(msg)
    for name in (*FIELDS, *stored):
        if name not in stored or name not in FIELDS:
            fault = "is missing" if name in FIELDS else "is unknown"
            msg = f"not a label structure: the field {shown(name)} {fault}"
            raise DataError(msg)
    if stored["format"] != FORMAT or type(stored["version"]) is not int:
        msg = f"not a label structure: the format is {shown(stored['format'])}, not {FORMAT!r}"
        raise DataError(msg)
    if stored["version"] != VERSION:
        msg = (
            f"the label structure has version {shown(stored['version'])}, and this mlfs reads "
            f"version {VERSION}: write it again, or update mlfs"
        )
        raise DataError(msg)
    for name in ("names", "order", "parents", "weights"):
        if not isinstance(stored[name], list):
            msg = f"not a label structure: {name} is a list, not {shown(stored[name])}"
            raise DataError(msg)
    for entry in stored["parents"]:
        if not isinstance(entry, list):
            msg = f"not a label structure: the parents of a label are a list, not {shown(entry)}"
            raise DataError(msg)


DRAWN_NAME = 14  # characters of a label's name
MOST_INCHES = 40.0
WIDE, HIGH = 104.0, 26.0  # a box, in pixels
ACROSS, DOWN = 118.0, 70.0  # between the middles of boxes in layers
BESIDE = 38.0  # between the middles of upright boxes in a row
MARGIN = 4.0
LINE, PAPER, DARK = "#3b6ea5", "#f4f1ea", "#1b1b1b"  # arrows; boxes, and what is in them
HEAD = 7.0  # the length of the head of an arrow
ARC = 25  # points of an arc
SMALLER = 'style="max-width:100%;height:auto"'  # where a notebook is narrow


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
    refuse_without_matplotlib("a picture of a structure")
    from matplotlib.figure import Figure

    if not isinstance(structure, Structure):
        msg = f"only a Structure can be drawn, not {printable(repr(structure))}"
        raise UsageError(msg)
    diagram = as_diagram(structure)
    if ax is None:
        ax = Figure(figsize=inches_of(diagram), layout="constrained").add_subplot()
    draw_diagram(ax, diagram)
    figure: Figure = ax.figure
    line = max(24, int(11 * figure.get_size_inches()[0]))
    title = textwrap.fill(headline(structure), line, max_lines=4, placeholder=" …")
    ax.set_title(title, fontsize=9, parse_math=False)
    return figure


def inches_of(diagram: Diagram) -> tuple[float, float]:
    """The size of a figure for a diagram and its title."""
    wide, high = max(4.0, diagram.width / INCHES), 0.7 + diagram.height / INCHES
    return min(wide, MOST_INCHES), min(high, MOST_INCHES)


def as_diagram(structure: Structure) -> Diagram:
    """Boxes of labels and arrows from parents to children, in layers or as arcs over a row."""
    layered = is_layered(structure)
    if not structure.q:
        return Diagram(headline(structure), WIDE, HIGH, (), ())
    places = in_layers(structure) if layered else in_a_row(structure)
    places = (places - places.min(axis=0)) * ((ACROSS, DOWN) if layered else (BESIDE, 0.0))
    size = (WIDE, HIGH) if layered else (HIGH, WIDE)
    x = places[:, 0] + size[0] / 2 + MARGIN
    y = places[:, 1].max() - places[:, 1] + size[1] / 2 + MARGIN  # downwards
    spans = {edge: abs(float(x[edge[0]] - x[edge[1]])) for edge in structure.edges}
    rises = {edge: 0.0 if layered else min(40 + 0.35 * span, 400.0) for edge, span in spans.items()}
    y += max(rises.values(), default=0.0) / 2  # a curve reaches half of its control point
    many = len(spans) > 6 * structure.q
    strokes: list[Stroke] = []
    for (parent, child), stroke in _widths(structure).items():
        start = x[parent], y[parent] + (size[1] if layered else -size[1]) / 2
        end = x[child], y[child] - size[1] / 2
        strokes += _arrow(start, end, rises[parent, child], stroke, 0.35 if many else 0.8)
    words = []
    for px, py, name in zip(x.tolist(), y.tolist(), structure.names, strict=True):
        sides = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        corners = tuple((px + a * size[0] / 2, py + b * size[1] / 2) for a, b in sides)
        strokes.append(Stroke(corners, 1.0, DARK, fill=PAPER))
        shown, tip = printable(name, DRAWN_NAME), printable(name, NAME)
        words.append(Lettering(px, py + 4 * layered, shown, "middle", DARK, not layered, tip))
    width, height = float(x.max()) + size[0] / 2 + MARGIN, float(y.max()) + size[1] / 2 + MARGIN
    return Diagram(headline(structure), width, height, tuple(strokes), tuple(words))


def _arrow(
    start: tuple[Any, Any], end: tuple[Any, Any], rise: float, width: float, opacity: float
) -> list[Stroke]:
    """A line, or an arc whose control point is `rise` above its middle, and the head of it."""
    first, last = np.array(start), np.array(end)
    bend = (first + last) / 2 - (0.0, rise)
    t = np.linspace(0, 1, ARC if rise else 2)[:, None]
    curve = (1 - t) ** 2 * first + 2 * t * (1 - t) * bend + t**2 * last
    along = HEAD * (last - bend) / max(float(np.hypot(*(last - bend))), 1e-9)
    side = np.array([-along[1], along[0]]) / 2.5
    head = np.array([last, last - along + side, last - along - side])
    return [
        Stroke(tuple(map(tuple, curve.tolist())), width / POINTS, LINE, opacity),
        Stroke(tuple(map(tuple, head.tolist())), 0.0, LINE, fill=LINE),
    ]


def is_layered(structure: Structure) -> bool:
    """Whether a structure is drawn in layers, and not as arcs over a row."""
    return structure.is_polytree and structure.kind != "chain" and bool(structure.edges)


def _widths(structure: Structure) -> dict[tuple[int, int], float]:
    """Lines from thin to thick by weight; all the same where nothing was measured."""
    weights = [structure.weights[edge] for edge in structure.edges if edge in structure.weights]
    low, high = min(weights, default=0.0), max(weights, default=0.0)
    if high <= low:
        return dict.fromkeys(structure.edges, 1.2)
    return {
        edge: 0.6 + 2.4 * (structure.weights.get(edge, low) - low) / (high - low)
        for edge in structure.edges
    }


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


MOST_LABELS, MOST_EDGES = 120, 1000  # that can be looked at


def as_html(structure: Structure) -> str:
    """Draw a structure, with its table of parents, which a click opens.

    Examples
    --------
    >>> drawn = as_html(Structure("tree", ("a", "b"), (0, 1), ((), (0,))))
    >>> drawn.count("<polygon"), drawn.count("<polyline")  # two boxes and an arrow
    (3, 1)
    """
    head = f"<p>{text(headline(structure), 300)}</p>"
    lines = "\n".join(text(line, 1000) for line in as_text(structure).splitlines())
    listing = details("labels and parents", f"<pre>{lines}</pre>")
    if not 0 < structure.q <= MOST_LABELS or len(structure.edges) > MOST_EDGES:
        return f"<div>{head}{listing}</div>"
    drawn = svg_of(as_diagram(structure)).replace("<svg", f"<svg {SMALLER}", 1)
    return f"<div>{head}{drawn}{listing}</div>"
