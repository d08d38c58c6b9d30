"""Small pieces of HTML for notebooks; every text in them is escaped."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset
from mlfs.errors import plural, printable

ROWS, COLUMNS, LABELS = 5, 8, 30
BAR = 8  # em, of a label that all rows have


STYLE = "text-align:left;padding:0 .8em 0 0;white-space:nowrap"


NOTE = 10_000  # characters: the remedy is at the end


def text(value: object, limit: int = 80) -> str:
    """A value as text, control characters and markup escaped.

    Examples
    --------
    >>> text("<b>")
    '&lt;b&gt;'
    """
    return escape(printable(value, limit))


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are HTML."""
    heads = "".join(f'<th style="{STYLE}">{cell}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="{STYLE}">{cell}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return _scrolling(f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody>")


def _scrolling(content: str) -> str:
    """A table that scrolls on its own where the page is narrow."""
    return f'<div style="overflow-x:auto"><table>{content}</table></div>'


def details(title: object, content: str, *, is_open: bool = False) -> str:
    """Content that opens, or closes, by a click on its title."""
    state = " open" if is_open else ""
    return f"<details{state}><summary>{text(title)}</summary>{content}</details>"


def page(title: str, style: str, script: str, body: str) -> str:
    """A page of one file: a browser runs this one script, and fetches nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{title}</title><style>{style}</style></head>"
        f"<body>{body}<script>{script}</script></body></html>\n"
    )


def pairs(values: Mapping[str, Any]) -> str:
    """A table of names and values."""
    rows = "".join(
        f'<tr><td style="{STYLE}">{text(key)}</td><td style="{STYLE}">{text(value)}</td></tr>'
        for key, value in values.items()
    )
    return _scrolling(rows)


def as_html(data: Dataset) -> str:
    """Show the size and the frequency of labels; the first rows are folded away."""
    rows, features, labels = data.shape
    kind = "sparse" if data.is_sparse else "dense"
    size = f"{plural(rows, 'row')}, {plural(features, 'feature')} ({kind})"
    elements = [
        f"<p><b>{text(data.title)}</b>: {size}, {plural(labels, 'label')}</p>",
        _labels(data),
    ]
    elements.append(details("first rows", _first_rows(data)))
    elements += [f"<p>{text(note, NOTE)}</p>" for note in data.notes]
    return f"<div>{''.join(elements)}</div>"


def _labels(data: Dataset) -> str:
    """How many rows have each label, with bars."""
    rows, _, labels = data.shape
    has_label = data.Y[:, :LABELS] > 0
    counts = np.asarray(has_label.sum(axis=0)).ravel().tolist()
    lines = []
    for name, count in zip(data.label_names[:LABELS], counts, strict=True):
        style = f"display:inline-block;height:.7em;width:{BAR * count / max(rows, 1):.2f}em;"
        lines.append([text(name), f'{count:,} <span style="{style}background:#4c78a8"></span>'])
    remainder = f"<p>and {plural(labels - LABELS, 'label')} more</p>" if labels > LABELS else ""
    return table(["label", "rows"], lines) + remainder


def _first_rows(data: Dataset) -> str:
    columns = [*data.columns[:COLUMNS]]
    cells = _dense(data.table[:ROWS])[:, :COLUMNS].tolist()
    lines = [
        [text(_value(x, column.values)) for x, column in zip(row, columns, strict=True)]
        for row in cells
    ]
    head = [text(column.name, 30) for column in columns]
    if len(data.columns) > COLUMNS:
        head.append(f"and {len(data.columns) - COLUMNS:,} more")
    return table(head, lines)


def _dense(part: Any) -> np.ndarray:
    if sp.issparse(part):
        return np.asarray(sp.csr_array(part).toarray(), dtype=np.float64)
    return np.asarray(part, dtype=np.float64)


def _value(number: float, values: tuple[str, ...]) -> str:
    if math.isnan(number):
        return "?"
    return values[int(number)] if values else f"{number:g}"
