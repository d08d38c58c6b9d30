"""Lines, areas and words in a field of pixels, drawn as SVG or by matplotlib.

The SVG needs nothing from outside, and takes black for the colour of the text around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mlfs.data.html import text
from mlfs.errors import MissingExtra

INCHES, POINTS = 96, 0.75  # pixels of an inch, and points of a pixel
INK = "#000000"  # black on paper; a page draws it in the colour of its text
TEXT = "currentColor"  # black on paper, light in the dark
escaped = partial(text, limit=2000)  # in one line, without markup and control characters
ALIGN = {"start": "left", "middle": "center", "end": "right"}
# corners about the origin, y downwards, radius 4; none: a disc. Square, triangle, diamond, cross,
# plus, down, flat, tall
MARKS: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)),
    ((0, -4.6), (4.4, 3.4), (-4.4, 3.4)),
    ((0, -5), (4.4, 0), (0, 5), (-4.4, 0)),
    ((-4, -2.5), (-2.5, -4), (0, -1.5), (2.5, -4), (4, -2.5), (1.5, 0), (4, 2.5), (2.5, 4),
     (0, 1.5), (-2.5, 4), (-4, 2.5), (-1.5, 0)),
    ((-1.3, -4.5), (1.3, -4.5), (1.3, -1.3), (4.5, -1.3), (4.5, 1.3), (1.3, 1.3), (1.3, 4.5),
     (-1.3, 4.5), (-1.3, 1.3), (-4.5, 1.3), (-4.5, -1.3), (-1.3, -1.3)),
    ((0, 4.6), (4.4, -3.4), (-4.4, -3.4)),
    ((-5, -2), (5, -2), (5, 2), (-5, 2)),
    ((-2, -5), (2, -5), (2, 5), (-2, 5)),
)  # fmt: skip


@dataclass(frozen=True)
class Stroke:
    """A line through points, in pixels."""

    points: tuple[tuple[float, float], ...]
    width: float = 1.0


@dataclass(frozen=True)
class Lettering:
    """A text; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class Diagram:
    """A field of pixels, y downwards: the words are above the strokes."""

    title: str
    width: float
    height: float
    strokes: tuple[Stroke, ...]
    words: tuple[Lettering, ...]


def refuse_without_matplotlib(purpose: str) -> None:
    """Raise `MissingExtra` if matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtra(purpose, "matplotlib", "plot") from None


def draw_diagram(ax: Any, diagram: Diagram) -> None:
    """Draw a diagram on axes of matplotlib."""
    ax.set_xlim(0, diagram.width)
    ax.set_ylim(diagram.height, 0)
    ax.set_axis_off()
    for stroke in diagram.strokes:
        x, y = zip(*stroke.points, strict=True)
        width = stroke.width * POINTS
        ax.plot(x, y, color=INK, lw=width, solid_capstyle="butt", clip_on=False)
    for word in diagram.words:
        ax.text(word.x, word.y, word.text, ha=ALIGN[word.anchor], fontsize=9, parse_math=False)


def svg_of(diagram: Diagram) -> str:
    """A diagram as SVG."""
    image = Picture(diagram.width, diagram.height, diagram.title)
    for stroke in diagram.strokes:
        image.line(stroke.points, INK, stroke_width=stroke.width)
    for word in diagram.words:
        image.text(word.x, word.y, word.text, word.anchor)
    return image.markup()


@dataclass
class Picture:
    """Builds an SVG; black is the colour of the text around it.

    Parameters
    ----------
    width, height : float
        In pixels.
    title : str
        What it shows, for those who cannot see it.
    """

    width: float
    height: float
    title: str
    parts: list[str] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=dict, init=False)

    def line(self, points: Iterable[tuple[float, float]], stroke: str, **style: object) -> None:
        """A line through points, or with `fill` an area."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        fill = style.pop("fill", "")
        self.parts.append(
            f'<{"polygon" if fill else "polyline"} points="{path}" fill="{fill or "none"}" '
            f'stroke="{_ink(stroke)}"{_style(style)}/>'
        )

    def mark(
        self, x: float, y: float, fill: str, tip: str = "", shape: int = 0, rows: str = ""
    ) -> None:
        """A mark with a text that is shown when it is pointed at."""
        attribute = f' data-rows="{escaped(rows)}"' if rows else ""
        self.parts.append(
            f'<path class="mark"{attribute} transform="translate({x:.1f} {y:.1f})" '
            f'fill="{_ink(fill)}" d="{_shape(shape)}">{_title(tip)}</path>'
        )

    @contextmanager
    def series(self, method: int, values: Iterable[float]) -> Iterator[None]:
        """A group: all that is drawn inside belongs to one method, which a page can hide.

        Parameters
        ----------
        method : int
            Which method.
        values : iterable of float
            What must be seen of it on the vertical axis.
        """
        numbers = list(values)
        ends = f'data-low="{min(numbers)!r}" data-high="{max(numbers)!r}"'
        self.parts.append(f'<g class="series" data-series="{method}" {ends}>')
        yield
        self.parts.append("</g>")

    def text(
        self, x: float, y: float, words: str, anchor: str = "start", tip: str = "", **style: object
    ) -> None:
        """Words; `anchor` is start, middle or end; `tip` says more where they are pointed at."""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{_style(style)}>'
            f"{_title(tip)}{escaped(words)}</text>"
        )

    def markup(self) -> str:
        """The picture as text that stands in a page, or is a file."""
        data = "".join(f' data-{key}="{escaped(value)}"' for key, value in self.data.items())
        return (
            f'<svg viewBox="0 0 {self.width:.0f} {self.height:.0f}" width="{self.width:.0f}" '
            f'height="{self.height:.0f}" role="img" font-family="system-ui, sans-serif" '
            f'font-size="12" fill="{TEXT}" xmlns="http://www.w3.org/2000/svg"{data}>'
            f"<title>{escaped(self.title)}</title>{''.join(self.parts)}</svg>"
        )


def _title(tip: str) -> str:
    return f"<title>{escaped(tip)}</title>" if tip else ""


def _shape(shape: int) -> str:
    """The outline of a mark."""
    corners = MARKS[shape % len(MARKS)]
    if not corners:
        return "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z"
    return "M" + "L".join(f"{x:g},{y:g}" for x, y in corners) + "z"


def _ink(hue: str) -> str:
    return TEXT if hue == INK else hue


def _style(style: Mapping[str, object]) -> str:
    attributes = {
        key.replace("_", "-"): value for key, value in style.items() if value not in ("", None)
    }
    return "".join(f' {key}="{escaped(str(value))}"' for key, value in attributes.items())
