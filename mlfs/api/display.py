"""Selections in a notebook: one line as text, a table with bars as HTML."""

from __future__ import annotations

import math
from collections.abc import Iterable

from mlfs.api.selection import Chosen, ColumnNames, Ranking, Selection
from mlfs.api.text import certainty_text, told_by_lines
from mlfs.data.html import NOTE, details, pairs, table, text
from mlfs.errors import plural, printable

NAMES = 5  # in a line
ROWS, LABELS = 100, 20  # that are shown as HTML
HEAD = ("rank", "feature", "score", "relevance", "redundancy", "ties", "runner-up")
BLUE, ORANGE = "#4c78a8", "#f58518"


def as_line(selection: Selection) -> str:
    """Describe a selection in one line, with its notes below.

    Examples
    --------
    >>> import mlfs
    >>> mlfs.select(([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]), n=1)
    <Selection by scls: 1 of 2 features for 1 label: x0>
    """
    data = selection.data
    shape = f" of {plural(data['features'], 'feature')} for {plural(data['labels'], 'label')}"
    scope = ", for each label" if selection.labels else ""
    names = ", ".join(printable(name, 40) for name in selection.names[:NAMES])
    dots = ", ..." if len(selection) > NAMES else ""
    ended = "".join(f", {word}" for word in _endings(selection))
    noted = f"; {plural(len(selection.notes), 'note')}" if selection.notes else ""
    summary = f"{len(selection)}{shape}{scope}{ended}: {names}{dots}{noted}"
    notes = "".join(f"\n  note: {note}" for note in selection.notes)
    return f"<Selection by {selection.criterion}: {summary}>{notes}"


def as_html(selection: Selection) -> str:
    """Draw a selection for a notebook: notes, picks with bars, settings folded away."""
    data = selection.data
    shape = ", ".join(f"{data[key]:,} {key}" for key in ("rows", "features", "labels"))
    head = f"<b>{text(selection.criterion)}</b>: {len(selection)} features of {shape}"
    ended = "".join(f", <b>{word}</b>" for word in _endings(selection))
    blocks = [f"<div><p>{head}{ended}, in {selection.units}</p>"]
    if selection.notes:
        items = "".join(f"<li>{text(note, NOTE)}</li>" for note in selection.notes)
        blocks.append(f"<ul>{items}</ul>")
    if selection.labels:
        shown = list(selection.labels.items())[:LABELS]
        blocks += [details(name, _table(part, selection), is_open=True) for name, part in shown]
        n_hidden = len(selection.labels) - len(shown)
        blocks += [f"<p>and {plural(n_hidden, 'label')} more</p>"] if n_hidden else []
    else:
        blocks.append(_table(selection, selection))
    if len(selection.told_by) > 1:
        lines = "\n".join(told_by_lines(selection))
        blocks.append(details("labels", f"<pre>{text(lines, 100_000)}</pre>"))
    blocks.append(details("settings", pairs({**selection.parameters, **selection.settings})))
    if selection.network is not None:
        blocks.append(details("label network", selection.network._repr_html_()))
    return "".join(blocks) + "</div>"


def _endings(selection: Selection) -> Iterable[str]:
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
    sizes = [abs(term) for pick in shown for term in (pick.relevance, pick.redundancy)]
    longest = max((size for size in sizes if math.isfinite(size)), default=0.0)
    names = selection.column_names
    n_hidden = len(ranking) - len(shown)
    rest = f"<p>and {n_hidden:,} more: to_frame() has all</p>" if n_hidden else ""
    head, rows = [*HEAD], [_row(pick, longest, names) for pick in shown]
    if ranking.certainty:
        head.append("how sure")
        for row, pick in zip(rows, shown, strict=True):
            sure = pick.certainty
            row.append("" if sure is None else text(certainty_text(sure), 1000))
    return table(head, rows) + rest


def _row(pick: Chosen, longest: float, names: ColumnNames) -> list[str]:
    second = "" if pick.runner_up is None else names[pick.runner_up]
    return [
        str(pick.rank) + (" (included)" if pick.forced else ""),
        text(pick.name),
        _number(pick.score),
        _bar(pick.relevance, longest, BLUE),
        _bar(pick.redundancy, longest, ORANGE),
        str(len(pick.ties)) if pick.ties else "",
        text(second),
    ]


def _bar(value: float, longest: float, colour: str) -> str:
    """A number with a bar of its size."""
    share = abs(value) / longest if longest and math.isfinite(value) else 0.0
    style = f"display:inline-block;height:.7em;width:{6 * share:.2f}em;background:{colour}"
    return f'{_number(value)} <span style="{style}"></span>'


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else ""
