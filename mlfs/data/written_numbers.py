"""Numbers written for people, such as "€ 1,234.50", "5 %" and "93.8 GB".

A column of words is one of numbers if all its values are written in one way: with one currency or
unit, or none, and so that it is plain which sign is the decimal one. "1,234" beside "950" or
"12,345,678" has thousands; alone it could be either, and stays a word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import number_text
from mlfs.data.dataset import Column, Dataset
from mlfs.errors import Caution, UsageError, plural, printable

HOWS = ("read", "plain")
FEW = 10
LOOKED_AT, MOSTLY = 1000, 0.9  # values of a column, and the share of them that are numbers
HEX = re.compile(r"0[xX][0-9a-fA-F]+")
PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
SPACE = "[ \u00a0\u2009\u202f]"
WRITTEN = re.compile(
    r"(?P<sign>[+\-\u2212]?)(?P<before>[$€£¥₹]|EUR|USD|GBP|CHF|JPY|)S?(?P<minus>[-\u2212]?)"
    r"(?:(?P<whole>[1-9]\d{0,2}(?P<group>[,.'\u2019]|S)\d{3}(?:(?P=group)\d{3})*|\d+)"
    r"(?:(?P<point>[.,])(?P<part>\d+))?|[.](?P<bare>\d+))"
    r"S?(?P<after>[%‰€$£¥₹]|[°µ]?[^\W\d_]{1,8}(?:/[^\W\d_]{1,8})?|)".replace("S", SPACE)
)


def check_numbers(how: Any) -> None:
    """Refuse what is not a way to take numbers."""
    if not isinstance(how, str) or how not in HOWS:
        raise UsageError(f"is 'read' or 'plain', not {how!r}", option="numbers")


def written_numbers(values: Sequence[str]) -> list[float] | None:
    """The numbers that some words are; None if they are not written in one plain way.

    Examples
    --------
    >>> written_numbers(["€ 1,234.50", "€ 17"]), written_numbers(["1.234,5 kg", "-2 kg"])
    ([1234.5, 17.0], [1234.5, -2.0])
    >>> written_numbers(["1,234", "950"]), written_numbers(["1,234", "2,500"])
    ([1234.0, 950.0], None)
    >>> written_numbers(["5 GB", "512 MB"]), written_numbers(["1", "2"])
    (None, None)
    """
    matches = []
    dress: tuple[str, str] | None = None
    for value in values:
        match = WRITTEN.fullmatch(value.strip())
        if match is None or dress not in (None, (match["before"], match["after"])):
            return None
        dress = match["before"], match["after"]
        matches.append(match)
    if all(map(PLAIN.fullmatch, values)):
        return None
    points = {match["point"] or "." for match in matches if match["part"] or match["bare"]}
    grouped = [match for match in matches if match["group"]]
    unsure = {m["group"] for m in grouped if len(m["whole"]) < 8 and not m["point"]} & {".", ","}
    sure = {m["group"] for m in grouped if len(m["whole"]) > 7 or m["point"]} | (
        {m["group"] for m in grouped} - {".", ","}
    )
    if unsure and not (points or sure):
        lengths = {
            len(match["whole"]) for match in matches if match["whole"] and not match["group"]
        }
        if len(unsure) > 1 or not lengths or max(lengths) > 3:
            return None
        sure = unsure
    points |= unsure - sure if sure else unsure & points
    sure |= unsure - points
    if len(points) > 1 or len(sure) > 1 or points & sure:
        return None
    return [_number(match, points) for match in matches]


def numbers_among(words: Sequence[str]) -> dict[str, float]:
    """The numbers that some of the words are, where all that look like one are written in one way.

    Examples
    --------
    >>> numbers_among(["$1,234.50", "n.a.", "$17"])
    {'$1,234.50': 1234.5, '$17': 17.0}
    """
    alike = [word for word in words if WRITTEN.fullmatch(word.strip())]
    return dict(zip(alike, written_numbers(alike) or [], strict=False))


def _number(match: re.Match[str], points: set[str]) -> float:
    whole, part = match["whole"] or "0", match["part"] or match["bare"] or "0"
    if match["group"] in points:
        whole, _, part = whole.partition(match["group"])
    elif match["group"]:
        whole = whole.replace(match["group"], "")
    number = float(f"{whole}.{part}")
    return -number if match["minus"] or match["sign"] not in ("", "+") else number


def with_written_numbers(dataset: Dataset, how: str) -> Dataset:
    """A data set whose numbers in words are numbers, with notes that say so.

    Other columns that look like numbers, and are not, have a note with the remedy. Sparse tables,
    and columns that are all alike, are taken as they are.

    Examples
    --------
    >>> from mlfs.data.dataset import Label
    >>> load = Column("load", "nominal", ("12 %", "5 %"))
    >>> data = Dataset(np.array([[0.0], [1.0]]), np.ones((2, 1)), (load,), (Label("x"),))
    >>> read = with_written_numbers(data, "read")
    >>> read.X.tolist(), read.notes
    ([[12.0], [5.0]], ("column 'load' is read as numbers, '12 %' as 12; ...",))
    """
    if sp.issparse(dataset.table) or hasattr(dataset.columns, "template"):
        return dataset
    columns, notes = list(dataset.columns), list(dataset.notes)
    X: Any = None
    for j, column in enumerate(columns):
        if column.kind != "nominal" or not column.values:
            continue
        numbers = written_numbers(column.values) if how == "read" else None
        if numbers is None:
            note = note_on_numbers(column, dataset.table, j)
            notes += [note] if note else []
            continue
        X = np.array(dataset.X) if X is None else X
        codes = np.where(np.isnan(X[:, j]), -1, X[:, j]).astype(np.int64)
        X[:, j] = np.append(numbers, np.nan)[codes]
        columns[j] = Column(column.name)
        name = printable(column.name)
        notes = [note for note in notes if not note.startswith(f"column {name!r} has a different")]
        notes.append(
            f"column {name!r} is read as numbers, {printable(column.values[0], 40)!r} as "
            f"{number_text(numbers[0])}; numbers='plain' (--numbers plain) keeps the words"
        )
    changes = {} if X is None else {"X": X, "columns": tuple(columns)}
    is_same = not changes and len(notes) == len(dataset.notes)
    return dataset if is_same else dataset.with_changes(**changes, notes=tuple(notes))


def note_on_numbers(column: Column, X: Any, position: int) -> str:
    """A note on a nominal column that would be numeric but for some words, or how it is written."""
    if column.kind != "nominal" or len(column.values) <= FEW:
        return ""
    looked_at = np.unique(np.linspace(0, len(column.values) - 1, LOOKED_AT).astype(int)).tolist()
    ends = {*range(FEW), *range(len(column.values) - FEW, len(column.values))}  # words, if sorted
    places = sorted(ends.union(looked_at))
    values = [column.values[k] for k in places]
    plain = [bool(PLAIN.fullmatch(value)) for value in values]
    written = [bool(WRITTEN.fullmatch(v.strip()) or HEX.fullmatch(v)) for v in values]
    if sum(map(max, plain, written)) < MOSTLY * len(values):
        return ""
    words = [k for k, *is_number in zip(places, plain, written, strict=True) if not any(is_number)]
    name = printable(column.name)
    text = f"column {name!r} is nominal with {len(column.values):,} values, "
    shown = ", ".join(repr(printable(column.values[k], 40)) for k in words[:FEW])
    if all(map(max, plain, [k in words for k in places])):
        text += f"all numbers but {shown} "
    else:
        examples = {re.sub(r"\d+", "1", value): value for value in reversed(values)}
        two = " and ".join(repr(printable(value, 40)) for value in sorted(examples.values())[:2])
        text += f"which look like numbers, such as {two}: write them in one way, with one unit and "
        text += "one decimal sign"
        if not words:
            return Caution(f"{text}, so that the column is numeric")
        text += f"; {shown} "
    if not words:
        return ""
    rows = np.flatnonzero(np.isin(np.asarray(X[:, position]).ravel(), words))
    where = f"in {plural(rows.size, 'row')}, first in row {rows[0] + 1}" if rows.size else "nowhere"
    return Caution(
        f"{text}({where}): leave these cells empty where they mean missing, or name the words "
        "(--missing-values), so that the column is numeric"
    )
