"""Small figures as SVG: axes, lines and text, without external resources."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from mlfs.errors import printable

__all__ = [
    "COLOURS", "INK", "MARKS", "Axis", "Picture", "colour", "dash", "escaped", "log_ticks", "ticks",
]  # fmt: skip

# Okabe & Ito: distinguishable for colour-blind readers; dashes and marks distinguish more methods
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8B6F00")
DASHES = ("", "6 3", "2 2", "8 3 2 3")
# of radius 4 about the origin: disc, square, triangle, diamond, cross, plus, down, flat, tall
MARKS = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-3.6,-3.6h7.2v7.2h-7.2z", "M0,-4.6L4.4,3.4H-4.4z",
    "M0,-5L4.4,0L0,5L-4.4,0z", ("M-4,-2.5L-2.5,-4L0,-1.5L2.5,-4L4,-2.5L1.5,0L4,2.5L2.5,4L0,1.5"
    "L-2.5,4L-4,2.5L-1.5,0z"), "M-1.3,-4.5h2.6v3.2h3.2v2.6h-3.2v3.2h-2.6v-3.2h-3.2v-2.6h3.2z",
    "M0,4.6L4.4,-3.4H-4.4z", "M-5,-2h10v4h-10z", "M-2,-5h4v10h-4z",
)  # fmt: skip
INK = "currentColor"  # black on paper, light in the dark
LONGEST = 2000


def escaped(text: str) -> str:
    """A text as it may stand in HTML and XML: no markup, no control characters, one line.

    Examples
    --------
    >>> escaped("a<b\\x1b\\n")
    'a&lt;b\\\\x1b\\\\n'
    """
    return html.escape(printable(text, LONGEST))


def colour(at: int) -> str:
    """The colour of a method: eight hues, then the same lighter, then darker.

    Examples
    --------
    >>> colour(0), colour(8), colour(16), colour(24)
    ('#0072B2', '#73b1d5', '#00446b', '#0072B2')
    """
    hue, turn = COLOURS[at % len(COLOURS)], at // len(COLOURS) % 3
    if not turn:
        return hue
    parts = [int(hue[i : i + 2], 16) for i in (1, 3, 5)]
    mixed = [round(0.55 * one + 0.45 * 255) if turn == 1 else round(0.6 * one) for one in parts]
    return "#" + "".join(f"{one:02x}" for one in mixed)


def dash(at: int) -> str:
    """The dashes of the line of a method."""
    return DASHES[at // len(COLOURS) % len(DASHES)]


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers between two numbers.

    Examples
    --------
    >>> ticks(0.12, 0.47), ticks(-0.2, 1.05)
    ([0.2, 0.3, 0.4], [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    if not high > low:
        return [low]
    raw = (high - low) / about
    scale = 10 ** math.floor(math.log10(raw))
    step = scale * next((s for s in (1, 2, 2.5, 5, 10) if s * scale >= raw), 10)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers between two positive numbers, equally far apart as ratios where possible.

    Examples
    --------
    >>> log_ticks(0.003, 20), log_ticks(0.3, 8), log_ticks(1e-4, 1e5)
    ([0.01, 0.1, 1.0, 10.0], [0.5, 1.0, 2.0, 5.0], [0.0001, 0.01, 1.0, 100.0, 10000.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    decades = math.log10(high) - math.log10(low)
    if decades < 2.2:
        powers_of = [float(f"{m}e{p}") for p in powers for m in (1, 2, 5)]
        found = [one for one in powers_of if low <= one <= high]
        return found if len(found) > 1 else ticks(low, high)
    step = math.ceil(decades / 6)
    return [float(f"1e{p}") for p in powers if p % step == 0 and low <= float(f"1e{p}") <= high]


@dataclass(frozen=True)
class Axis:
    """Numbers along a length of pixels.

    Parameters
    ----------
    low, high : float
        The least and the greatest number.
    start, end : float
        Where these stand.
    logarithmic : bool
        Equal ratios are equally far apart.
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Where a number stands."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Where marks stand and what they say."""
        found = log_ticks(self.low, self.high) if self.logarithmic else ticks(self.low, self.high)
        return [(self.at(value), f"{value:.4g}") for value in found]


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
        """A line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{_ink(stroke)}"{_style(style)}/>'
        )

    def mark(self, x: float, y: float, fill: str, tip: str = "", shape: int = 0) -> None:
        """A mark with a text that is shown when it is pointed at."""
        title = f"<title>{escaped(tip)}</title>" if tip else ""
        self.parts.append(
            f'<path class="mark" transform="translate({x:.1f} {y:.1f})" fill="{_ink(fill)}" '
            f'd="{MARKS[shape % len(MARKS)]}">{title}</path>'
        )

    @contextmanager
    def series(self, at: int, values: Iterable[float]) -> Iterator[None]:
        """What is drawn inside belongs to one method, which a page can hide.

        Parameters
        ----------
        at : int
            Which method.
        values : iterable of float
            What must be seen of it on the vertical axis.
        """
        found = list(values)
        ends = f'data-low="{min(found)!r}" data-high="{max(found)!r}"'
        self.parts.append(f'<g class="series" data-series="{at}" {ends}>')
        yield
        self.parts.append("</g>")

    def text(self, x: float, y: float, words: str, anchor: str = "start", **style: object) -> None:
        """Words; `anchor` is start, middle or end."""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{_style(style)}>'
            f"{escaped(words)}</text>"
        )

    def axes(self, x: Axis, y: Axis, x_name: str, y_name: str) -> None:
        """Two axes with marks and names."""
        self.data["y"] = " ".join(f"{one!r}" for one in (y.low, y.high, y.start, y.end))
        self.data["x"] = f"{x.start!r} {x.end!r}"
        self.parts.append('<g class="ticks">')
        for place, words in y.ticks():
            self.line([(x.start, place), (x.end, place)], INK, stroke_opacity=0.15)
            self.text(x.start - 6, place + 4, words, "end")
        self.parts.append("</g>")
        for place, words in x.ticks():
            self.line([(place, y.start), (place, y.start + 4)], INK, stroke_opacity=0.6)
            self.text(place, y.start + 17, words, "middle")
        frame = [(x.start, y.end), (x.start, y.start), (x.end, y.start)]
        self.line(frame, INK, stroke_opacity=0.6)
        self.text((x.start + x.end) / 2, y.start + 34, x_name, "middle")
        middle = (y.start + y.end) / 2
        self.text(14, middle, y_name, "middle", transform=f"rotate(-90 14 {middle:.1f})")

    def markup(self) -> str:
        """The picture as text that stands in a page, or is a file."""
        data = "".join(f' data-{key}="{escaped(value)}"' for key, value in self.data.items())
        return (
            f'<svg viewBox="0 0 {self.width:.0f} {self.height:.0f}" width="{self.width:.0f}" '
            f'height="{self.height:.0f}" role="img" font-family="system-ui, sans-serif" '
            f'font-size="12" fill="{INK}" xmlns="http://www.w3.org/2000/svg"{data}>'
            f"<title>{escaped(self.title)}</title>{''.join(self.parts)}</svg>"
        )


def _ink(hue: str) -> str:
    return INK if hue == "#000000" else hue


def _style(style: Mapping[str, object]) -> str:
    given = {
        key.replace("_", "-"): value for key, value in style.items() if value not in ("", None)
    }
    return "".join(f' {key}="{escaped(str(value))}"' for key, value in given.items())
