"""Read any row of an ARFF file, one at a time, or refuse it with the fault and its place.

This is the definition of a row: quotes, dates, texts, weights. `fast_rows` reads the plain rows
alike, and leaves the others to this module.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from mlfs.data.arff.header import Attribute
from mlfs.data.arff.syntax import Misfit, Token, date_seconds, joined, tokens
from mlfs.errors import printable

__all__ = ["Row", "RowReader", "number"]

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
    wanted : set of int
        The text columns whose texts are kept.
    """

    def __init__(self, attributes: Sequence[Attribute], wanted: frozenset[int]) -> None:
        self.attributes = attributes
        self.wanted = wanted
        self.most = SLACK + 8 * len(attributes)
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
        opened = stripped[0] == "{"
        if sparse and not opened:
            raise Misfit("found a dense row in a sparse file, where a row starts with {", 0)
        if opened and not sparse:
            raise Misfit("found a sparse row ({...}) in a dense file", line.index("{"))
        found = tokens(line, self.most)
        return self._sparse(found, line) if sparse else self._dense(found, line)

    def _dense(self, found: list[Token], line: str) -> Row:
        width = len(self.attributes)
        found, weight = _weighed(found)
        groups = _groups(found)
        if len(groups) == 1 and len(found) > 1:  # no commas: blanks stand between the values
            groups = [[token] for token in found]
        elif groups and not groups[-1]:
            groups.pop()
        values: list[float] = []
        texts: dict[int, str | None] = {}
        at = 0
        for j, group in enumerate(groups[:width]):
            if not group:
                raise Misfit(
                    f"the value of {self._name(j)} is empty; write ? for a missing value",
                    at + 1 if j else len(line) - len(line.lstrip()),
                )
            values.append(self._value(j, group, line, texts))
            at = group[-1].end
        if len(groups) != width:
            extra = groups[width] if len(groups) > width else []
            at = extra[0].start if extra else len(line.rstrip())
            what = "value" if len(groups) == 1 else "values"
            raise Misfit(
                f"found {len(groups)} {what}, expected {width}, one for each attribute", at
            )
        return Row(None, values, texts, weight)

    def _sparse(self, found: list[Token], line: str) -> Row:
        close = next((k for k, token in enumerate(found) if token.kind == "}"), None)
        if close is None:
            raise Misfit("this sparse row is never closed with }", len(line.rstrip()))
        rest, weight = _weighed(found[close + 1 :])
        if [token.kind for token in rest] not in ([], [","]):
            shown = printable(rest[0].text)
            raise Misfit(f"unexpected {shown!r} after the sparse row", rest[0].start)
        groups = _groups(found[1:close])
        if groups and not groups[-1]:
            groups.pop()
        entries: dict[int, float] = {}
        texts: dict[int, str | None] = {}
        for group in groups:
            if not group:
                raise Misfit(
                    "found nothing between two commas, expected: index value", _after(found)
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
        text, quote = joined(group, line)
        at = group[0].start
        kind = self.attributes[j].type.kind
        if group[0].kind in ("{", "}"):
            raise Misfit(f"unexpected {text!r} in place of the value of {self._name(j)}", at)
        missing = text == "?" and not quote
        if kind == "string":
            if j in self.wanted:
                texts[j] = None if missing else text
            return math.nan
        if missing:
            return math.nan
        if kind == "numeric":
            return self._number(j, text, at)
        if kind == "date":
            moment = date_seconds(text, self.attributes[j].type.pattern)
            if moment is None:
                pattern = self.attributes[j].type.pattern
                raise Misfit(
                    f"{printable(text)!r} is not a date of the form {printable(pattern)!r}, "
                    f"which {self._name(j)} has",
                    at,
                )
            return moment
        code = self.codes[j].get(text)
        if code is None:
            values = self.attributes[j].type.values
            shown = ", ".join(printable(value, 20) for value in values[:6])
            more = f", … ({len(values)} in all)" if len(values) > 6 else ""
            raise Misfit(
                f"{printable(text)!r} is not a value of {self._name(j)}, "
                f"which has {{{shown}{more}}}",
                at,
            )
        return float(code)

    def _number(self, j: int, text: str, at: int) -> float:
        value = number(text)
        if math.isinf(value):
            raise Misfit(
                f"the number {printable(text, 30)} of {self._name(j)} is too large for a "
                "double; expected a finite number",
                at,
            )
        if math.isnan(value):
            hint = ""
            if text.lower().strip("+-") in ("nan", "na", "null", "none", ""):
                hint = "; write ? for a missing value"
            raise Misfit(
                f"expected a finite number for {self._name(j)}, found {printable(text)!r}{hint}", at
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


def _groups(found: list[Token]) -> list[list[Token]]:
    groups: list[list[Token]] = [[]]
    for token in found:
        if token.kind == ",":
            groups.append([])
        else:
            groups[-1].append(token)
    return groups


def _after(found: list[Token]) -> int:
    for before, token in pairwise(found):
        if token.kind == "," and before.kind in (",", "{"):
            return token.start
    return found[0].start


def _weighed(found: list[Token]) -> tuple[list[Token], float | None]:
    """Take the weight ``{w}`` off the end of a row."""
    if len(found) < 3 or [found[-3].kind, found[-1].kind] != ["{", "}"]:
        return found, None
    word = found[-2]
    weight = number(word.text) if word.kind == "word" else math.nan
    if not (math.isfinite(weight) and weight >= 0):
        raise Misfit(
            f"the weight of a row is a finite number from 0, not {printable(word.text)!r}",
            word.start,
        )
    return found[:-3], weight
