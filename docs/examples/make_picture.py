"""Draw picks.svg: the score and the redundancy of the first picks on the example songs.

Run it as ``python docs/examples/make_picture.py``; ``--check`` only tests whether it is current.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

import mlfs

HERE = Path(__file__).parent
PICTURE = HERE / "picks.svg"
CRITERION, PICKS = "scls", 8
LEFT, TOP, WIDE, ROW = 170, 76, 470, 30
SCORE, REPEATED, INK, FAINT = "#1f6f8b", "#f0c987", "#22282d", "#6b747b"


def rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    """Return a filled rectangle."""
    place = f"x='{x}' y='{y}' width='{width:.1f}' height='{height}'"
    return f"<rect {place} fill='{fill}'/>"


def text(x: float, y: float, words: str, fill: str, more: str = "") -> str:
    """Return a line of text."""
    return f"<text x='{x:.1f}' y='{y}' fill='{fill}' {more}>{escape(words)}</text>"


def draw(names: list[str], relevance: list[float], scores: list[float]) -> str:
    """Draw one bar for each pick: its relevance, divided into score and redundancy."""
    scale = WIDE / max(relevance)
    height = TOP + ROW * len(names) + 20
    box = f"xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {LEFT + WIDE + 120} {height}'"
    parts = [f"<svg {box} font-family='system-ui, sans-serif' font-size='14'>"]
    parts += [rect(0, 0, LEFT + WIDE + 120, height, "#fff")]
    command = f"$ mlfs select -c {CRITERION} -n {PICKS} docs/examples/songs.arff"
    parts += [text(20, 30, command, INK, "font-family='ui-monospace, monospace'")]
    legend = (
        (SCORE, "score: new information"),
        (REPEATED, "redundancy: known from earlier picks"),
    )
    for place, (colour, meaning) in enumerate(legend):
        x = LEFT + 240 * place
        parts += [rect(x, 46, 12, 12, colour), text(x + 18, 57, meaning, FAINT)]
    for rank, (name, worth, score) in enumerate(zip(names, relevance, scores, strict=True)):
        y, end = TOP + ROW * rank, LEFT + scale * worth
        parts += [
            text(LEFT - 12, y + 15, f"{rank + 1}. {name}", INK, "text-anchor='end'"),
            rect(LEFT, y, scale * worth, 20, REPEATED),
            rect(LEFT, y, scale * max(score, 0), 20, SCORE),
            text(end + 8, y + 15, f"{score:.3f}", FAINT),
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def picture() -> str:
    """Select features of the example songs and draw the picks."""
    selection = mlfs.select(mlfs.read(HERE / "songs.arff"), CRITERION, PICKS)
    relevance = [float(value) for value in selection.terms["relevance"]]
    return draw(list(selection.names), relevance, [float(score) for score in selection.scores])


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if PICTURE.read_text(encoding="utf-8") == picture() else f"{PICTURE} is old")
    PICTURE.write_text(picture(), encoding="utf-8")
