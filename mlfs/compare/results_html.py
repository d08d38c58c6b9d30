"""The results of a comparison in a notebook: a table of means, the best ones bold."""

from __future__ import annotations

import math

from mlfs.compare.metrics import METRICS
from mlfs.compare.results import Results, Summary
from mlfs.data.html import details, table, text

__all__ = ["as_html"]

ROWS = 60
Key = tuple[str, str, str, str]


def as_html(results: Results) -> str:
    """Show means and standard deviations of the metrics that reports show, by data set."""
    shown = [name for name in results.metrics if name in METRICS]
    found = {name: results.by_size(name) for name in shown}
    keys = list(dict.fromkeys(key for one in found.values() for key in one))
    parts = [f"<p>{text(repr(results), 200)}</p>"]
    rows = [_row(key, found, keys) for key in keys[:ROWS]]
    parts.append(table(["data", "criterion", "model", "n", *map(text, shown)], rows))
    if len(keys) > ROWS:
        parts.append(f"<p>and {len(keys) - ROWS:,} rows more: to_frame() has all</p>")
    if results.notes:
        notes = "".join(f"<li>{text(note, 400)}</li>" for note in results.notes)
        parts.append(details("notes", f"<ul>{notes}</ul>"))
    return f"<div>{''.join(parts)}</div>"


def _row(key: Key, found: dict[str, dict[Key, Summary]], keys: list[Key]) -> list[str]:
    cells = [text(part) for part in key]
    for name, by in found.items():
        mine = by.get(key)
        beside = [by[other].mean for other in keys if other[0] == key[0] and other in by]
        best = max(beside) if METRICS[name].higher_is_better else min(beside)
        cells.append("" if mine is None else _cell(mine, best=mine.mean == best))
    return cells


def _cell(one: Summary, *, best: bool) -> str:
    said = f"{one.mean:.4f}" + ("" if math.isnan(one.sd) else f" ± {one.sd:.4f}")
    return f"<b>{said}</b>" if best else said
