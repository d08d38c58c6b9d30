"""Small pieces of HTML for notebooks; every text in them is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from mlfs.errors import printable

__all__ = ["STYLE", "details", "pairs", "table", "text"]

STYLE = "text-align:left;padding:0 .8em 0 0;white-space:nowrap"


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
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def details(title: object, content: str) -> str:
    """Content that opens by a click on its title."""
    return f"<details><summary>{text(title)}</summary>{content}</details>"


def pairs(values: Mapping[str, Any]) -> str:
    """A table of names and values."""
    rows = "".join(
        f'<tr><td style="{STYLE}">{text(key)}</td><td style="{STYLE}">{text(value)}</td></tr>'
        for key, value in values.items()
    )
    return f"<table>{rows}</table>"
