"""Pictures as SVG, which need nothing from outside: axes, lines, marks and words in pixels.

Black is the colour of the text around a picture, so that a page can be light or dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from mlfs.data.html import text

# Okabe & Ito: distinguishable for colour-blind readers; dashes and marks distinguish more methods
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8B6F00")
DASHES = ("", "6 3", "2 2", "8 3 2 3")
INK, TEXT = "#000000", "currentColor"
# disc, square, triangle, diamond, cross, plus, down, flat, tall
MARKS = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "M-3.6,-3.6H3.6V3.6H-3.6z",
    "M0,-4.6L4.4,3.4H-4.4z",
    "M0,-5L4.4,0L0,5L-4.4,0z",
    "M-4,-2.5L-2.5,-4L0,-1.5L2.5,-4L4,-2.5L1.5,0L4,2.5L2.5,4L0,1.5L-2.5,4L-4,2.5L-1.5,0z",
    "M-1.3,-4.5H1.3V-1.3H4.5V1.3H1.3V4.5H-1.3V1.3H-4.5V-1.3H-1.3z",
    "M0,4.6L4.4,-3.4H-4.4z",
    "M-5,-2H5V2H-5z",
    "M-2,-5H2V5H-2z",
)
ROOM = 0.09  # of an axis, for the number at a mark
MAX_NAME = 26  # characters beside a chart
COLUMNS = 3  # of a legend

escaped = partial(text, limit=2000)  # in one line, without markup and control characters


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


def dashes(method: int) -> str:
    """The dashes of the line of a method, as SVG has them; none for a whole line."""
    return DASHES[method // len(COLOURS) % len(DASHES)]


@dataclass(frozen=True)
class Axis:
    """Numbers along a length of pixels.

    Parameters
    ----------
    low, high : float
        The least and the greatest number.
    name : str
        What stands at the axis.
    marks : tuple of (float, str)
        What is marked, and how; by default round numbers.
    logarithmic : bool
        Equal ratios are equally far apart.
    start, end : float
        The pixels where the least and the greatest number stand.
    """

    low: float
    high: float
    name: str = ""
    marks: tuple[tuple[float, str], ...] = ()
    logarithmic: bool = False
    start: float = 0.0
    end: float = 0.0

    def position(self, value: float) -> float:
        """The pixel of a number."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """The pixels of the marks, and their texts."""
        numbers = (log_ticks if self.logarithmic else ticks)(self.low, self.high)
        marks = self.marks or tuple((number, f"{number:.4g}") for number in numbers)
        return [(self.position(value), words) for value, words in marks]


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
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
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
    step = math.ceil(decades / 6)
    factors = (1, 2, 5) if decades < 2.2 else (1,)
    marks = [float(f"{m}e{p}") for p in powers if p % step == 0 for m in factors]
    marks = [mark for mark in marks if low <= mark <= high]
    return marks if len(marks) > 1 else ticks(low, high)


def marks_at(numbers: Sequence[float], low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Marks at numbers, without those for which there is no room after the one before.

    Examples
    --------
    >>> marks_at([5, 5.1, 10, 10], 0, 11)
    ((5, '5'), (10, '10'))
    """
    marks: list[tuple[float, str]] = []
    for number in sorted(set(numbers)):
        if not marks or number - marks[-1][0] > ROOM * (high - low):
            marks.append((number, f"{number:.4g}"))
    return tuple(marks)


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Ascending places moved until they are a gap apart, if there is room for that.

    Examples
    --------
    >>> spread([0.0, 1.0, 2.0, 9.0], 2, 0, 10), spread([9.0, 9.5], 2, 0, 10)
    ([0.0, 2.0, 4.0, 9.0], [8, 10])
    """
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap, low) if moved else max(place, low))
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], high - gap * (len(moved) - 1 - i))
    return moved


def cut(words: str, longest: int = MAX_NAME) -> str:
    """A text that is not longer than so many characters."""
    return words if len(words) <= longest else words[: longest - 1] + "…"


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
    data: str = ""

    def line(
        self, points: Iterable[tuple[float, float]], stroke: str = TEXT, **style: object
    ) -> None:
        """A line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{_ink(stroke)}"{_style(style)}/>'
        )

    def mark(
        self, x: float, y: float, fill: str, tip: str = "", shape: int = 0, rows: str = ""
    ) -> None:
        """A mark with a text that is shown when it is pointed at, and its rows in a file."""
        attribute = f' data-rows="{escaped(rows)}"' if rows else ""
        title = f"<title>{escaped(tip)}</title>" if tip else ""
        self.parts.append(
            f'<path class="mark"{attribute} transform="translate({x:.1f} {y:.1f})" '
            f'fill="{_ink(fill)}" d="{MARKS[shape % len(MARKS)]}">{title}</path>'
        )

    def text(self, x: float, y: float, words: str, anchor: str = "start", **style: object) -> None:
        """Words; `anchor` is start, middle or end."""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{_style(style)}>'
            f"{escaped(words)}</text>"
        )

    @contextmanager
    def group(self, attributes: str) -> Iterator[None]:
        """All that is drawn inside is one group."""
        self.parts.append(f"<g {attributes}>")
        yield
        self.parts.append("</g>")

    def axes(self, x: Axis, y: Axis) -> None:
        """Two axes with marks and names; the script of a page may stretch the vertical one."""
        self.data = f' data-x="{x.start!r} {x.end!r}"'
        if not y.marks:
            self.data += f' data-y="{y.low!r} {y.high!r} {y.start!r} {y.end!r}"'
        with self.group('class="ticks"'):
            for position, words in y.ticks():
                self.line([(x.start, position), (x.end, position)], stroke_opacity=0.15)
                self.text(x.start - 6, position + 4, cut(words), "end")
        for position, words in x.ticks():
            self.line([(position, y.start), (position, y.start + 4)], stroke_opacity=0.6)
            self.text(position, y.start + 17, words, "middle")
        self.line([(x.start, y.end), (x.start, y.start), (x.end, y.start)], stroke_opacity=0.6)
        self.text((x.start + x.end) / 2, y.start + 34, x.name, "middle")
        middle = (y.start + y.end) / 2
        self.text(14, middle, y.name, "middle", transform=f"rotate(-90 14 {middle:.1f})")

    def legend(self, lines: Sequence[tuple[str, str, str]], shapes: Sequence[str] = ()) -> None:
        """Names below, in columns: lines with colours and dashes, then the shapes of marks."""
        wide, top = (self.width - 58) / COLUMNS, self.height + 8
        keys = [*lines, *((name, "", "") for name in shapes)]
        for i, (name, hue, dashed) in enumerate(keys):
            x, y = 58 + wide * (i % COLUMNS), top + 18 * (i // COLUMNS)
            if hue:
                self.line([(x, y), (x + 24, y)], hue, stroke_width=2, stroke_dasharray=dashed)
            else:
                self.mark(x + 12, y, INK, shape=i - len(lines))
            self.text(x + 29, y + 4, cut(name, int((wide - 34) / 6.5)))
        self.height = top + 18 * math.ceil(len(keys) / COLUMNS)

    def markup(self) -> str:
        """The picture as text that stands in a page, or is a file."""
        return (
            f'<svg viewBox="0 0 {self.width:.0f} {self.height:.0f}" width="{self.width:.0f}" '
            f'height="{self.height:.0f}" role="img" font-family="system-ui, sans-serif" '
            f'font-size="12" fill="{TEXT}" xmlns="http://www.w3.org/2000/svg"{self.data}>'
            f"<title>{escaped(self.title)}</title>{''.join(self.parts)}</svg>"
        )


def _ink(hue: str) -> str:
    return TEXT if hue == INK else hue


def _style(style: dict[str, object]) -> str:
    return "".join(
        f' {key.replace("_", "-")}="{escaped(str(value))}"'
        for key, value in style.items()
        if value != ""
    )
