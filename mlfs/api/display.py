"""Selections in a notebook: one line as text, a table with bars as HTML."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from mlfs.api.selection import Chosen, Ranking, Selection
from mlfs.data.html import details, pairs, table, text
from mlfs.errors import plural, printable

__all__ = ["as_html", "as_line"]

NAMES = 5  # in a line
ROWS, LABELS = 100, 20  # that are shown as HTML
HEAD = ("rank", "feature", "score", "relevance", "redundancy", "ties", "runner-up")
BLUE, ORANGE = "#4c78a8", "#f58518"


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
    noted = f"; {plural(len(selection.notes), 'note')}" if selection.notes else ""
    what = f"{len(selection)}{of}{each}{ended}: {names}{more}{noted}"
    return f"<Selection by {selection.criterion}: {what}>"


def as_html(selection: Selection) -> str:
    """Draw a selection for a notebook: notes, picks with bars, settings folded away."""
    data = selection.data
    shape = ", ".join(f"{data[key]:,} {key}" for key in ("rows", "features", "labels"))
    head = f"<b>{text(selection.criterion)}</b>: {len(selection)} features of {shape}"
    ended = "".join(f", <b>{word}</b>" for word in _ended(selection))
    parts = [f"<div><p>{head}{ended}, in {selection.units}</p>"]
    if selection.notes:
        parts.append(f"<ul>{''.join(f'<li>{text(note)}</li>' for note in selection.notes)}</ul>")
    if selection.labels:
        shown = list(selection.labels.items())[:LABELS]
        parts += [details(name, _table(ranking, selection)) for name, ranking in shown]
        left = len(selection.labels) - len(shown)
        parts += [f"<p>and {plural(left, 'label')} more</p>"] if left else []
    else:
        parts.append(_table(selection, selection))
    parts.append(details("settings", pairs({**selection.parameters, **selection.settings})))
    if selection.network is not None:
        parts.append(details("label network", selection.network._repr_html_()))
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


def _table(ranking: Ranking, selection: Selection) -> str:
    shown = ranking.chosen[:ROWS]
    sizes = [abs(part) for one in shown for part in (one.relevance, one.redundancy)]
    longest = max((size for size in sizes if math.isfinite(size)), default=0.0)
    binned = len(selection.binnings)
    others = {one.runner_up for one in shown if one.runner_up is not None}
    names = {j: selection.binnings[j].name for j in others if j < binned}
    names |= {one.index: one.name for one in ranking.chosen}
    left = len(ranking) - len(shown)
    more = f"<p>and {left:,} more: to_frame() has all</p>" if left else ""
    return table(HEAD, (_row(one, longest, names) for one in shown)) + more


def _row(one: Chosen, longest: float, names: Mapping[int, str]) -> list[str]:
    second = "" if one.runner_up is None else names.get(one.runner_up, f"column {one.runner_up}")
    return [
        str(one.rank) + (" (included)" if one.forced else ""),
        text(one.name),
        _number(one.score),
        _bar(one.relevance, longest, BLUE),
        _bar(one.redundancy, longest, ORANGE),
        str(len(one.ties)) if one.ties else "",
        text(second),
    ]


def _bar(value: float, longest: float, colour: str) -> str:
    """A number with a bar of its size."""
    share = abs(value) / longest if longest and math.isfinite(value) else 0.0
    style = f"display:inline-block;height:.7em;width:{6 * share:.2f}em;background:{colour}"
    return f'{_number(value)} <span style="{style}"></span>'


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else ""
