"""The numbers along the axes of a chart: ranges, what is marked, and room for names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ROOM = 0.09  # of an axis, for the number at a mark


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
    marks : tuple of (float, str)
        What is marked, and how; by default round numbers.
    """

    low: float
    high: float
    name: str = ""
    logarithmic: bool = False
    marks: tuple[tuple[float, str], ...] = ()

    def ticks(self) -> list[tuple[float, str]]:
        """The marks along the axis, and their texts."""
        numbers = (
            [] if self.marks else (log_ticks if self.logarithmic else ticks)(self.low, self.high)
        )
        return [*self.marks, *((number, f"{number:.4g}") for number in numbers)]


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


def with_room(values: Sequence[float], name: str) -> Range:
    """The range of some numbers with room at both ends."""
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or max(abs(high) * 0.05, 0.01)
    return Range(low - room, high + room, name)
