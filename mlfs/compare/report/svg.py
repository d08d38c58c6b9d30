"""Small figures as SVG: axes, lines and text, without external resources."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mlfs.errors import printable

__all__ = ["COLOURS", "Axis", "Picture", "escaped", "ticks"]

# Okabe & Ito: distinguishable for colour-blind readers; dashes and marks distinguish more methods
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8B6F00")
DASHES = ("", "6 3", "2 2", "8 3 2 3")
MARKS = "●○■□"
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
    """The colour of the line of a method."""
    return COLOURS[at % len(COLOURS)]


def dash(at: int) -> str:
    """The dashes of the line of a method."""
    return DASHES[at // len(COLOURS) % len(DASHES)]


def mark(at: int) -> str:
    """The mark of a method: the first eight have dots, the next rings, then squares.

    Examples
    --------
    >>> [mark(at) for at in (0, 8, 16, 24, 32)]
    ['●', '○', '■', '□', '●']
    """
    return MARKS[at // len(COLOURS) % len(MARKS)]


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers between two numbers.

    Examples
    --------
    >>> ticks(0.12, 0.47)
    [0.2, 0.3, 0.4]
    """
    if not high > low:
        return [low]
    raw = (high - low) / about
    scale = 10 ** math.floor(math.log10(raw))
    step = scale * next((s for s in (1, 2, 5, 10) if s * scale >= raw), 10)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


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
        if self.logarithmic:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            found = [10.0**p for p in powers if self.low <= 10.0**p <= self.high]
            found = found if len(found) > 1 else [self.low, self.high]
        else:
            found = ticks(self.low, self.high)
        return [(self.at(value), f"{value:.4g}") for value in found]


@dataclass
class Picture:
    """Builds an SVG.

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

    def line(self, points: Iterable[tuple[float, float]], stroke: str, **style: object) -> None:
        """A line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{stroke}"{_style(style)}/>'
        )

    def band(self, points: Sequence[tuple[float, float]], fill: str) -> None:
        """An area, lightly filled."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon points="{path}" fill="{fill}" fill-opacity="0.12"/>')

    def dot(self, x: float, y: float, fill: str, tip: str, radius: float = 3.5) -> None:
        """A dot with a text that is shown when it is pointed at."""
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}">'
            f"<title>{escaped(tip)}</title></circle>"
        )

    def mark(self, x: float, y: float, at: int, tip: str) -> None:
        """The mark of a method in its colour, with a text that is shown when it is pointed at."""
        self.parts.append(
            f'<text class="mark" x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" '
            f'fill="{colour(at)}">{mark(at)}<title>{escaped(tip)}</title></text>'
        )

    def text(self, x: float, y: float, words: str, anchor: str = "start", **style: object) -> None:
        """Words; `anchor` is start, middle or end."""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{_style(style)}>'
            f"{escaped(words)}</text>"
        )

    def axes(self, x: Axis, y: Axis, x_name: str, y_name: str) -> None:
        """Two axes with marks and names."""
        for place, words in y.ticks():
            self.line([(x.start, place), (x.end, place)], "#ddd")
            self.text(x.start - 6, place + 4, words, "end")
        for place, words in x.ticks():
            self.line([(place, y.start), (place, y.start + 4)], "#888")
            self.text(place, y.start + 17, words, "middle")
        self.line([(x.start, y.end), (x.start, y.start), (x.end, y.start)], "#888")
        self.text((x.start + x.end) / 2, y.start + 34, x_name, "middle")
        middle = (y.start + y.end) / 2
        self.text(14, middle, y_name, "middle", transform=f"rotate(-90 14 {middle:.1f})")

    def markup(self) -> str:
        """The picture as text that stands in a page."""
        return (
            f'<svg viewBox="0 0 {self.width:.0f} {self.height:.0f}" width="{self.width:.0f}" '
            f'height="{self.height:.0f}" role="img" xmlns="http://www.w3.org/2000/svg">'
            f"<title>{escaped(self.title)}</title>{''.join(self.parts)}</svg>"
        )


def _style(style: Mapping[str, object]) -> str:
    given = {
        key.replace("_", "-"): value for key, value in style.items() if value not in ("", None)
    }
    return "".join(f' {key}="{escaped(str(value))}"' for key, value in given.items())
