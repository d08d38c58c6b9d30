"""Groups and the constraints of a panel, which are texts and files on the command line."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlfs.api.value_kinds import literal
from mlfs.errors import DataError, UsageError, printable

MOST_BYTES = 1 << 26  # of a table of columns


def pair(text: str, option: str, example: str) -> tuple[str, str]:
    """The two sides of ``key=value``."""
    key, equals, value = text.partition("=")
    if not (equals and key.strip() and value.strip()):
        raise UsageError(f"{option} is given as {example}, not {printable(text)!r}")
    return key.strip(), value.strip()


def read_panel(settings: dict[str, Any]) -> None:
    """Read groups and constraints: a panel, and the groups whose columns count as one feature."""
    groups: dict[str, list[str]] = {}
    for text in settings["groups"]:
        if text.endswith(".csv") and "=" not in text:
            for column, name in _table_of(text, "--group").items():
                groups.setdefault(name, []).append(column)
            continue
        name, columns = pair(text, "--group", "NAME=GLOB, or as a table of columns, groups.csv")
        groups.setdefault(name, []).append(columns)
    settings["groups"] = groups or None
    panel: dict[str, Any] = {"budget": settings["budget"]}
    panel["at_least"] = _numbers(settings["at_least"], "--at-least", "LABEL=N") or None
    at_most = settings["at_most"]
    if len(at_most) == 1 and "=" not in at_most[0]:
        panel["at_most"] = _whole(at_most[0], "--at-most")
    else:
        panel["at_most"] = _numbers(at_most, "--at-most", "N or GROUP=N") or None
    if panel["at_most"] is not None:  # its groups stay columns of their own
        panel["groups"], settings["groups"] = settings["groups"], None
    costs = _table_of(settings["cost"], "--cost")
    numbers = {column: literal(text) for column, text in costs.items()}
    head = next(iter(costs), "")
    if isinstance(numbers.get(head), str):  # the names of the columns of the table
        del numbers[head]
    panel["cost"] = numbers or None
    settings["panel"] = None
    if any(value is not None for value in panel.values()):
        from mlfs.api.panels import Panel

        settings["panel"] = Panel(**panel)


def _table_of(path: str | None, option: str) -> dict[str, str]:
    """The two first columns of a CSV file: a name, and what belongs to it."""
    if path is None:
        return {}
    shown = printable(repr(path))
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise UsageError(f"{shown} of {option} has more than {MOST_BYTES:,} bytes")
        text = content.decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except (OSError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read {shown} of {option}: {reason}") from None
    if option == "--group" and rows and rows[0][:2] == ["column", "group"]:
        rows = rows[1:]
    for number, row in enumerate(rows, 1):
        if len(row) < 2:
            msg = f"row {number} of {shown} has one cell: {option} takes a table of columns and "
            raise DataError(f"{msg}{option.removeprefix('--')}")
    if not rows:
        raise DataError(f"{shown} of {option} is empty: give a row for each column")
    return {row[0]: row[1] for row in rows}


def _whole(text: str, option: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit()):
        raise UsageError(f"{option} takes a whole number of picks, not {printable(repr(text))}")
    return int(text)


def _numbers(texts: Sequence[str], option: str, example: str) -> dict[str, int]:
    numbers = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        if not (equals and name):
            raise UsageError(f"{option} is given as {example}, not {printable(text)!r}")
        numbers[name] = _whole(number, option)
    return numbers
