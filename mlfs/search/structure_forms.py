"""A label structure as text, DOT and JSON, and drawn by matplotlib or, for a notebook, as SVG.

Trees and polytrees are drawn in layers, chains as arcs over a row.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs.data.html import details, text
from mlfs.errors import DataError, MissingExtra, UsageError, printable
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


DRAWN_NAME = 18  # characters of a label's name
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
            printable(name, DRAWN_NAME),
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


MOST_LABELS, MOST_EDGES = 120, 1000  # that can be looked at
ACROSS, DOWN = 118.0, 70.0  # between the middles of boxes
WIDE, HIGH = 104.0, 26.0  # a box
BOX_NAME = 14  # characters in a box
SVG_INK, SVG_LINE, PAPER = "#1b1b1b", "#3b6ea5", "#f4f1ea"
ARROW = 7.0
Place = tuple[float, float]


def as_html(structure: Structure) -> str:
    """Draw a structure, with its table of parents, which a click opens.

    Examples
    --------
    >>> drawn = as_html(Structure("tree", ("a", "b"), (0, 1), ((), (0,))))
    >>> drawn.count("<rect"), drawn.count("<polygon")
    (2, 1)
    """
    head = f"<p>{text(headline(structure), 300)}</p>"
    listing = details("labels and parents", f"<pre>{text_of(structure)}</pre>")
    if not 0 < structure.q <= MOST_LABELS or len(structure.edges) > MOST_EDGES:
        return f"<div>{head}{listing}</div>"
    return f"<div>{head}{_svg(structure)}{listing}</div>"


def text_of(structure: Structure) -> str:
    """The table of labels and parents, line by line escaped."""
    return "\n".join(text(line, 1000) for line in as_text(structure).splitlines())


def _svg(structure: Structure) -> str:
    layered = is_layered(structure)
    places = in_layers(structure) if layered else in_a_row(structure)
    arc = 0.0 if layered else _highest(structure, places)
    places = (places - places.min(axis=0)) * (ACROSS, DOWN)
    places[:, 1] = places[:, 1].max() - places[:, 1]  # downwards
    margin, top = WIDE / 2 + 4, HIGH / 2 + 4 + arc
    centers = [(x + margin, y + top) for x, y in places.tolist()]
    width = max(x for x, _ in centers) + margin
    height = max(y for _, y in centers) + HIGH / 2 + 4
    elements = [
        _line(centers[parent], centers[child], stroke, layered=layered)
        for (parent, child), stroke in widths(structure).items()
    ]
    elements += [_box(center, name) for center, name in zip(centers, structure.names, strict=True)]
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" '
        f'aria-label="{text(headline(structure), 300)}" style="max-width:100%;height:auto" '
        f'font-family="sans-serif" font-size="11">{"".join(elements)}</svg>'
    )


def _highest(structure: Structure, places: np.ndarray) -> float:
    """The height of the highest arc over a row of labels."""
    spans = [abs(places[parent, 0] - places[child, 0]) for parent, child in structure.edges]
    return _rise(float(max(spans, default=0.0)) * ACROSS) / 2


def _rise(span: float) -> float:
    """How far the control point of an arc is above its ends; the arc reaches half of it."""
    return min(40.0 + 0.35 * span, 400.0)


def _line(parent: Place, child: Place, stroke: float, *, layered: bool) -> str:
    """A line with an arrow to the child: straight in layers, an arc over a row."""
    (x, y), (u, v) = parent, child
    v -= HIGH / 2
    y += HIGH / 2 if layered else -HIGH / 2
    bend = ((x + u) / 2, (y + v) / 2 if layered else y - _rise(abs(u - x)))
    path = f"M{x:.1f} {y:.1f}Q{bend[0]:.1f} {bend[1]:.1f} {u:.1f} {v:.1f}"
    along = np.array([u - bend[0], v - bend[1]])
    along /= max(float(np.hypot(*along)), 1e-9)
    base = np.array([u, v]) - ARROW * along
    side = np.array([-along[1], along[0]]) * ARROW / 2.5
    corners = " ".join(f"{a:.1f},{b:.1f}" for a, b in ((u, v), base + side, base - side))
    return (
        f'<path d="{path}" fill="none" stroke="{SVG_LINE}" stroke-width="{stroke:.1f}" '
        f'stroke-opacity="0.8"></path><polygon points="{corners}" fill="{SVG_LINE}"></polygon>'
    )


def _box(center: Place, name: str) -> str:
    x, y = center
    return (
        f'<g><title>{text(name, 200)}</title><rect x="{x - WIDE / 2:.1f}" y="{y - HIGH / 2:.1f}" '
        f'width="{WIDE:.0f}" height="{HIGH:.0f}" rx="5" fill="{PAPER}" stroke="{SVG_INK}"></rect>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="{SVG_INK}">'
        f"{text(name, BOX_NAME)}</text></g>"
    )
