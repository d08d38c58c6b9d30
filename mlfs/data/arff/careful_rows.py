"""Read any row of an ARFF file, one at a time, or refuse it with the fault and its place.

This is the definition of a row: quotes, dates, texts, weights. `fast_rows` reads the plain rows
alike, and leaves the others to this module.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from mlfs.data.arff.header import Attribute, Misfit, Token, date_seconds, group_text, tokenize
from mlfs.data.columns import ROUNDED, is_rounded
from mlfs.data.request import MISSING
from mlfs.errors import in_braces, printable

SLACK = 100_000
DIGITS = frozenset("0123456789+-.eE")


class Row(NamedTuple):
    """The values of a row: all of them, or those at `columns`; texts of the wanted columns."""

    columns: list[int] | None
    values: list[float]
    texts: dict[int, str | None]
    weight: float | None


class RowReader:
    """Reads rows one at a time; a line that is no row raises `Misfit` with its place.

    Parameters
    ----------
    attributes : sequence of Attribute
        The columns.
    text_columns : set of int
        The text columns whose texts are kept.
    """

    def __init__(self, attributes: Sequence[Attribute], text_columns: frozenset[int]) -> None:
        self.attributes = attributes
        self.text_columns = text_columns
        self.max_tokens = SLACK + 8 * len(attributes)
        positions: dict[int, dict[str, int]] = {}
        self.codes: list[dict[str, int]] = []
        for attribute in attributes:
            key = id(attribute.type)
            if key not in positions:
                positions[key] = {value: k for k, value in enumerate(attribute.type.values)}
            self.codes.append(positions[key])

    def read(self, line: str, sparse: bool) -> Row | None:
        """Read a line; None if it is blank or only a comment."""
        stripped = line.strip()
        if not stripped or stripped[0] == "%":
            return None
        is_row_sparse = stripped[0] == "{"
        if sparse and not is_row_sparse:
            raise Misfit("found a dense row in a sparse file, where a row starts with {", 0)
        if is_row_sparse and not sparse:
            raise Misfit("found a sparse row ({...}) in a dense file", line.index("{"))
        row_tokens = tokenize(line, self.max_tokens)
        return self._sparse(row_tokens, line) if sparse else self._dense(row_tokens, line)

    def _dense(self, row_tokens: list[Token], line: str) -> Row:
        width = len(self.attributes)
        row_tokens, weight = _split_weight(row_tokens)
        groups = _split_commas(row_tokens)
        if len(groups) == 1 and len(row_tokens) > 1:  # no commas: blanks stand between the values
            groups = [[token] for token in row_tokens]
        elif groups and not groups[-1]:
            groups.pop()
        values: list[float] = []
        texts: dict[int, str | None] = {}
        position = 0
        for j, group in enumerate(groups[:width]):
            if not group:
                raise Misfit(
                    f"the value of {self._name(j)} is empty; write ? for a missing value",
                    position + 1 if j else len(line) - len(line.lstrip()),
                )
            values.append(self._value(j, group, line, texts))
            position = group[-1].end
        if len(groups) != width:
            extra = groups[width] if len(groups) > width else []
            position = extra[0].start if extra else len(line.rstrip())
            noun = "value" if len(groups) == 1 else "values"
            raise Misfit(
                f"found {len(groups)} {noun}, expected {width}, one for each attribute", position
            )
        return Row(None, values, texts, weight)

    def _sparse(self, row_tokens: list[Token], line: str) -> Row:
        close = next((k for k, token in enumerate(row_tokens) if token.kind == "}"), None)
        if close is None:
            raise Misfit("this sparse row is never closed with }", len(line.rstrip()))
        tail, weight = _split_weight(row_tokens[close + 1 :])
        if [token.kind for token in tail] not in ([], [","]):
            shown = printable(tail[0].text)
            raise Misfit(f"unexpected {shown!r} after the sparse row", tail[0].start)
        groups = _split_commas(row_tokens[1:close])
        if groups and not groups[-1]:
            groups.pop()
        entries: dict[int, float] = {}
        texts: dict[int, str | None] = {}
        for group in groups:
            if not group:
                raise Misfit(
                    "found nothing between two commas, expected: index value",
                    _empty_place(row_tokens),
                )
            j = self._index(group[0])
            if len(group) == 1:
                raise Misfit(f"the index {j} has no value; expected: index value", group[0].end)
            if j in entries:
                raise Misfit(f"the index {j} ({self._name(j)}) is there twice", group[0].start)
            entries[j] = self._value(j, group[1:], line, texts)
        kept = [j for j in sorted(entries) if entries[j] != 0.0]
        return Row(kept, [entries[j] for j in kept], texts, weight)

    def _index(self, token: Token) -> int:
        width = len(self.attributes)
        text = token.text
        if token.kind != "word" or not (text.isascii() and text.isdigit()):
            raise Misfit(
                f"expected the index of an attribute, found {printable(text)!r}", token.start
            )
        if len(text.lstrip("0")) > 12 or int(text) >= width:
            raise Misfit(
                f"the index {printable(text, 30)} is beyond the {width} attributes, "
                f"whose indices are 0 to {width - 1}",
                token.start,
            )
        return int(text)

    def _value(self, j: int, group: list[Token], line: str, texts: dict[int, str | None]) -> float:
        text, quote = group_text(group, line)
        position = group[0].start
        kind = self.attributes[j].type.kind
        if group[0].kind in ("{", "}"):
            raise Misfit(f"unexpected {text!r} in place of the value of {self._name(j)}", position)
        missing = text == "?" and not quote
        if kind == "string":
            if j in self.text_columns:
                texts[j] = None if missing else text
            return math.nan
        if missing:
            return math.nan
        if kind == "numeric":
            return self._number(j, text, position)
        if kind == "date":
            moment = date_seconds(text, self.attributes[j].type.pattern)
            if moment is None:
                pattern = self.attributes[j].type.pattern
                raise Misfit(
                    f"{printable(text)!r} is not a date of the form {printable(pattern)!r}, "
                    f"which {self._name(j)} has",
                    position,
                )
            return moment
        code = self.codes[j].get(text)
        if code is None:
            declared = in_braces(self.attributes[j].type.values)
            raise Misfit(
                f"{printable(text)!r} is not a value of {self._name(j)}, which has {declared}",
                position,
            )
        return float(code)

    def _number(self, j: int, text: str, position: int) -> float:
        value = number(text)
        if math.isinf(value):
            raise Misfit(
                f"the number {printable(text, 30)} of {self._name(j)} is too large for a "
                "double; expected a finite number",
                position,
            )
        if is_rounded(text, value):
            raise Misfit(f"{self._name(j)} holds {printable(text, 30)}, {ROUNDED}", position)
        if math.isnan(value) and text not in MISSING:
            raise Misfit(
                f"expected a finite number for {self._name(j)}, found {printable(text)!r}", position
            )
        return value

    def _name(self, j: int) -> str:
        return f"the attribute {printable(self.attributes[j].name)!r}"


def number(text: str) -> float:
    """A number as written in digits; NaN for anything else."""
    if DIGITS.issuperset(text):
        try:
            return float(text)
        except ValueError:
            pass
    return math.nan


def _split_commas(row_tokens: list[Token]) -> list[list[Token]]:
    groups: list[list[Token]] = [[]]
    for token in row_tokens:
        if token.kind == ",":
            groups.append([])
        else:
            groups[-1].append(token)
    return groups


def _empty_place(row_tokens: list[Token]) -> int:
    for previous, token in pairwise(row_tokens):
        if token.kind == "," and previous.kind in (",", "{"):
            return token.start
    return row_tokens[0].start


def _split_weight(row_tokens: list[Token]) -> tuple[list[Token], float | None]:
    """Take the weight ``{w}`` off the end of a row."""
    if len(row_tokens) < 3 or [row_tokens[-3].kind, row_tokens[-1].kind] != ["{", "}"]:
        return row_tokens, None
    word = row_tokens[-2]
    weight = number(word.text) if word.kind == "word" else math.nan
    if not (math.isfinite(weight) and weight >= 0):
        raise Misfit(
            f"the weight of a row is a finite number from 0, not {printable(word.text)!r}",
            word.start,
        )
    return row_tokens[:-3], weight
