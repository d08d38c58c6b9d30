"""Selections in a notebook: one line as text, a table with bars as HTML."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from mlfs.api.selection import Chosen, Ranking, Selection
from mlfs.errors import plural, printable

__all__ = ["as_html", "as_line"]

NAMES = 5  # in a line
ROWS, LABELS = 100, 20  # that are shown as HTML
HEAD = ("rank", "feature", "score", "relevance", "redundancy", "ties", "runner-up")
BLUE, ORANGE = "#4c78a8", "#f58518"
STYLE = "text-align:left;padding:0 .8em 0 0;white-space:nowrap"


def as_line(selection: Selection) -> str:
    """Describe a selection in one line.

    Examples
    --------
    >>> import mlfs
    >>> mlfs.select(([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]), n=1)
    <Selection by mim: 1 of 2 features for 1 label: x0>
    """
    data = selection.data
    of = f" of {plural(data['features'], 'feature')} for {plural(data['labels'], 'label')}"
    each = ", for each label" if selection.labels else ""
    names = ", ".join(printable(name, 40) for name in selection.names[:NAMES])
    more = ", ..." if len(selection) > NAMES else ""
    ended = "".join(f", {word}" for word in _ended(selection))
    return f"<Selection by {selection.criterion}: {len(selection)}{of}{each}{ended}: {names}{more}>"


def as_html(selection: Selection) -> str:
    """Draw a selection for a notebook: picks with bars, settings and notes folded away."""
    data = selection.data
    shape = ", ".join(f"{data[key]:,} {key}" for key in ("rows", "features", "labels"))
    head = f"<b>{_text(selection.criterion)}</b>: {len(selection)} features of {shape}"
    ended = "".join(f", <b>{word}</b>" for word in _ended(selection))
    parts = [f"<div><p>{head}{ended}, in {selection.units}</p>"]
    if selection.labels:
        shown = list(selection.labels.items())[:LABELS]
        parts += [_folded(name, _table(ranking)) for name, ranking in shown]
        left = len(selection.labels) - len(shown)
        parts += [f"<p>and {plural(left, 'label')} more</p>"] if left else []
    else:
        parts.append(_table(selection))
    parts.append(_folded("settings", _pairs({**selection.parameters, **selection.settings})))
    if selection.notes:
        notes = "".join(f"<li>{_text(note)}</li>" for note in selection.notes)
        parts.append(_folded(plural(len(selection.notes), "note"), f"<ul>{notes}</ul>"))
    return "".join(parts) + "</div>"


def _ended(selection: Selection) -> Iterable[str]:
    return (
        word
        for word, holds in (
            ("interrupted", selection.interrupted),
            ("stopped by max_seconds", selection.timed_out),
        )
        if holds
    )


def _table(ranking: Ranking) -> str:
    shown = ranking.chosen[:ROWS]
    sizes = [abs(part) for one in shown for part in (one.relevance, one.redundancy)]
    longest = max((size for size in sizes if math.isfinite(size)), default=0.0)
    names = {one.index: one.name for one in ranking.chosen}
    rows = "".join(_row(one, longest, names) for one in shown)
    head = "".join(f'<th style="{STYLE}">{name}</th>' for name in HEAD)
    left = len(ranking) - len(shown)
    more = f"<p>and {left:,} more: to_frame() has all</p>" if left else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _row(one: Chosen, longest: float, names: Mapping[int, str]) -> str:
    second = "" if one.runner_up is None else names.get(one.runner_up, f"column {one.runner_up}")
    cells = [
        str(one.rank) + (" (included)" if one.forced else ""),
        _text(one.name),
        _number(one.score),
        _bar(one.relevance, longest, BLUE),
        _bar(one.redundancy, longest, ORANGE),
        str(len(one.ties)) if one.ties else "",
        _text(second),
    ]
    return "<tr>" + "".join(f'<td style="{STYLE}">{cell}</td>' for cell in cells) + "</tr>"


def _bar(value: float, longest: float, colour: str) -> str:
    """A number with a bar of its size."""
    share = abs(value) / longest if longest and math.isfinite(value) else 0.0
    style = f"display:inline-block;height:.7em;width:{6 * share:.2f}em;background:{colour}"
    return f'{_number(value)} <span style="{style}"></span>'


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else ""


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{_text(title)}</summary>{content}</details>"


def _pairs(values: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><td style="{STYLE}">{_text(key)}</td><td style="{STYLE}">{_text(value)}</td></tr>'
        for key, value in values.items()
    )
    return f"<table>{rows}</table>"


def _text(value: object) -> str:
    return escape(printable(value, 80))
