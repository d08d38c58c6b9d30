"""The picture: a bar for each case on a logarithmic axis, its floor and its goal; plain SVG."""

from __future__ import annotations

import math
from typing import Any
from xml.sax.saxutils import escape

from benchmarks.machine import line

__all__ = ["svg"]

LEFT, WIDTH, ROW, TOP = 230, 620, 18, 64
BAR, FLOOR, GOAL, INK = "#4477aa", "#bbbbbb", "#cc3311", "#555555"


def svg(document: dict[str, Any]) -> str:
    """Draw all timed cases."""
    timed = [record for record in document["cases"] if record.get("seconds")]
    if not timed:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>\n'
    least = min(min(r["seconds"], r.get("floor") or r["seconds"]) for r in timed)
    most = max(max(r["seconds"], r.get("goal") or 0) for r in timed)
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most))
    high = max(high, low + 1)

    def x(seconds: float) -> float:
        return LEFT + WIDTH * (math.log10(seconds) - low) / (high - low)

    height = TOP + ROW * len(timed) + 30
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 90} {height}" '
            f'font-family="sans-serif" font-size="11" role="img" fill="{INK}">'
        ),
        "<title>Time of each case, beside its goal and the floor of the machine</title>",
        _text(8, 16, "time (bar), goal (red line), floor of the machine (grey line)", "start"),
        _text(8, 32, line(document["machine"]), "start", size=8),
    ]
    for power in range(low, high + 1):
        at = x(10.0**power)
        parts.append(_line(at, TOP - 6, at, height - 24, FLOOR, 0.5))
        parts.append(_text(at, height - 10, _decade(power), "middle"))
    for row, record in enumerate(timed):
        parts += _row(record, TOP + row * ROW, x, 10.0**low)
    return "\n".join([*parts, "</svg>", ""])


def _row(record: dict[str, Any], y: float, x: Any, origin: float) -> list[str]:
    end = x(record["seconds"])
    parts = [
        _text(LEFT - 6, y + 11, record["case"], "end"),
        _rectangle(x(origin), y + 2, end - x(origin), ROW - 6),
        _text(end + 4, y + 11, f"{record['seconds'] * 1e3:,.3g} ms", "start"),
    ]
    for key, colour in (("floor", "#222222"), ("goal", GOAL)):
        if record.get(key):
            at = x(record[key])
            parts.append(_line(at, y, at, y + ROW - 2, colour, 2))
    return parts


def _decade(power: int) -> str:
    return f"{10**power:g} s" if power >= 0 else f"{10.0 ** (power + 3):g} ms"


def _text(x: float, y: float, words: str, anchor: str, size: int = 11) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
        f"{escape(words)}</text>"
    )


def _rectangle(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" fill="{BAR}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="{width}"/>'
    )
