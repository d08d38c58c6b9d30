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
    names = [name for name in results.metrics if name in METRICS]
    summaries = {name: results.by_size(name) for name in names}
    keys = list(dict.fromkeys(key for by_key in summaries.values() for key in by_key))
    parts = [f"<p>{text(repr(results), 200)}</p>"]
    rows = [_row(key, summaries, keys) for key in keys[:ROWS]]
    parts.append(table(["data", "criterion", "model", "n", *map(text, names)], rows))
    if len(keys) > ROWS:
        parts.append(f"<p>and {len(keys) - ROWS:,} rows more: to_frame() has all</p>")
    if results.notes:
        notes = "".join(f"<li>{text(note, 400)}</li>" for note in results.notes)
        parts.append(details("notes", f"<ul>{notes}</ul>"))
    return f"<div>{''.join(parts)}</div>"


def _row(key: Key, summaries: dict[str, dict[Key, Summary]], keys: list[Key]) -> list[str]:
    cells = [text(part) for part in key]
    for name, by_key in summaries.items():
        summary = by_key.get(key)
        means = [by_key[other].mean for other in keys if other[0] == key[0] and other in by_key]
        best = max(means) if METRICS[name].higher_is_better else min(means)
        cells.append("" if summary is None else _cell(summary, best=summary.mean == best))
    return cells


def _cell(summary: Summary, *, best: bool) -> str:
    shown = f"{summary.mean:.4f}" + ("" if math.isnan(summary.sd) else f" ± {summary.sd:.4f}")
    return f"<b>{shown}</b>" if best else shown
