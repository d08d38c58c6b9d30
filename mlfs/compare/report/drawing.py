"""What a figure shows, in numbers: the page draws it as SVG, `mlfs.plots` with matplotlib.

Colours, dashes, marks, ranges, ticks and the places of lines are decided here and in charts.py;
svg.py and on_axes.py only draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "COLOURS",
    "FLAT",
    "INCHES",
    "INK",
    "MARKS",
    "Chart",
    "Diagram",
    "Point",
    "Range",
    "Series",
    "Stroke",
    "Word",
    "colour",
    "dashes",
    "log_ticks",
    "ticks",
    "with_room",
]

# Okabe & Ito: distinguishable for colour-blind readers; dashes and marks distinguish more methods
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8B6F00")
DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (2, 2), (8, 3, 2, 3))
INCHES = 96  # pixels
FLAT = (7.0, 4.0)  # of a method with a fixed number of features
INK = "#000000"  # black on paper; a page draws it in the colour of its text
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


def colour(method: int) -> str:
    """The colour of a method: eight hues, then the same lighter, then darker.

    Examples
    --------
    >>> colour(0), colour(8), colour(16), colour(24)
    ('#0072B2', '#73b1d5', '#00446b', '#0072B2')
    """
    hue, turn = COLOURS[method % len(COLOURS)], method // len(COLOURS) % 3
    if not turn:
        return hue
    parts = [int(hue[i : i + 2], 16) for i in (1, 3, 5)]
    mixed = [round(0.55 * part + 0.45 * 255) if turn == 1 else round(0.6 * part) for part in parts]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def dashes(method: int) -> tuple[float, ...]:
    """The dashes of the line of a method, as lengths in pixels; none for a whole line."""
    return DASHES[method // len(COLOURS) % len(DASHES)]


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers between two numbers.

    Examples
    --------
    >>> ticks(0.12, 0.47), ticks(-0.2, 1.05)
    ([0.2, 0.3, 0.4], [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    if not high > low:
        return [low]
    raw = (high - low) / count
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
        candidates = [float(f"{m}e{p}") for p in powers for m in (1, 2, 5)]
        marks = [mark for mark in candidates if low <= mark <= high]
        return marks if len(marks) > 1 else ticks(low, high)
    step = math.ceil(decades / 6)
    return [float(f"1e{p}") for p in powers if p % step == 0 and low <= float(f"1e{p}") <= high]


@dataclass(frozen=True)
class Range:
    """The numbers along an axis, and what they are.

    Parameters
    ----------
    low, high : float
        The least and the greatest number.
    name : str
        What stands at the axis.
    logarithmic : bool
        Equal ratios are equally far apart.
    """

    low: float
    high: float
    name: str = ""
    logarithmic: bool = False

    def ticks(self) -> list[float]:
        """Round numbers to mark."""
        return (log_ticks if self.logarithmic else ticks)(self.low, self.high)


def with_room(values: Sequence[float], name: str) -> Range:
    """The range of some numbers with room at both ends."""
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or max(abs(high) * 0.05, 0.01)
    return Range(low - room, high + room, name)


@dataclass(frozen=True)
class Point:
    """A mark, with a bar of one standard deviation to both sides if it is finite.

    Parameters
    ----------
    x, y, sd : float
        Where it stands.
    tip : str
        What is said of it.
    rows : str
        Its rows in results.csv.
    shape : int
        Which of `MARKS`.
    """

    x: float
    y: float
    sd: float = math.nan
    tip: str = ""
    rows: str = ""
    shape: int = 0


@dataclass(frozen=True)
class Series:
    """What is drawn of one method.

    Parameters
    ----------
    method : int
        Which method: decides colour and dashes.
    name : str
        What it is called in a legend.
    points : tuple of Point
        From left to right.
    kind : {"curve", "level", "marks"}
        A line through the points, a level line at the first, or only marks.
    shift : float
        So many pixels to the right, so that bars stand side by side.
    """

    method: int
    name: str
    points: tuple[Point, ...]
    kind: str = "curve"
    shift: float = 0.0

    @property
    def colour(self) -> str:
        """Its colour."""
        return colour(self.method)

    @property
    def dashes(self) -> tuple[float, ...]:
        """The dashes of its line."""
        return FLAT if self.kind == "level" else dashes(self.method)

    @property
    def width(self) -> float:
        """The width of its line in pixels."""
        return 2.4 if self.kind == "level" else 2.0

    @property
    def ends(self) -> list[float]:
        """What must be seen of it on the vertical axis."""
        spread = [point.sd if math.isfinite(point.sd) else 0.0 for point in self.points]
        return [
            point.y + side * sd
            for point, sd in zip(self.points, spread, strict=True)
            for side in (-1, 1)
        ]


@dataclass(frozen=True)
class Chart:
    """Series in axes.

    Parameters
    ----------
    title : str
        What it shows, for those who cannot see it.
    x, y : Range
        The axes.
    series : tuple of Series
        In the order of the legend.
    shapes : tuple of str
        What the marks of these shapes are called, where shapes differ.
    """

    title: str
    x: Range
    y: Range
    series: tuple[Series, ...]
    shapes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stroke:
    """A black line through points, in pixels."""

    points: tuple[tuple[float, float], ...]
    width: float = 1.0


@dataclass(frozen=True)
class Word:
    """A text; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class Diagram:
    """Lines and words in a field of pixels, y downwards."""

    title: str
    width: float
    height: float
    strokes: tuple[Stroke, ...]
    words: tuple[Word, ...]
