"""A label structure in a notebook: a drawing in SVG, made without matplotlib."""

from __future__ import annotations

import numpy as np

from mlfs.data.html import details, text
from mlfs.search.label_parents import Structure
from mlfs.search.structure_drawing import in_a_row, in_layers, is_layered, widths
from mlfs.search.structure_forms import as_text, headline

MOST_LABELS, MOST_EDGES = 120, 1000  # that can be looked at
ACROSS, DOWN = 118.0, 70.0  # between the middles of boxes
WIDE, HIGH = 104.0, 26.0  # a box
NAME = 14  # characters in a box
INK, LINE, PAPER = "#1b1b1b", "#3b6ea5", "#f4f1ea"
ARROW = 7.0
Point = tuple[float, float]


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


def _line(parent: Point, child: Point, stroke: float, *, layered: bool) -> str:
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
        f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="{stroke:.1f}" '
        f'stroke-opacity="0.8"></path><polygon points="{corners}" fill="{LINE}"></polygon>'
    )


def _box(center: Point, name: str) -> str:
    x, y = center
    return (
        f'<g><title>{text(name, 200)}</title><rect x="{x - WIDE / 2:.1f}" y="{y - HIGH / 2:.1f}" '
        f'width="{WIDE:.0f}" height="{HIGH:.0f}" rx="5" fill="{PAPER}" stroke="{INK}"></rect>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="{INK}">'
        f"{text(name, NAME)}</text></g>"
    )
