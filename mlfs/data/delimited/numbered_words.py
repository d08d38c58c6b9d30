"""The cells of a column of words, numbered as they come and coded at the end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mlfs.data.dataset import Column
from mlfs.data.delimited.records import MISSING, Quoted, number_in

__all__ = ["Word", "WordSummary", "Words"]


class Word(NamedTuple):
    """What a cell means: a value of a nominal column, a number (None: neither), a list."""

    value: str | None
    number: float | None
    item: str | None

    @classmethod
    def of(cls, cell: str, *, quoted_header: bool) -> Word:
        """What a cell of a column of words means."""
        text = cell.strip()
        if isinstance(cell, Quoted):
            value = str(cell) if cell or not quoted_header else None
        else:
            value = None if text in MISSING else text
        return cls(value, number_in(str(cell)), None if text and text in MISSING else text)


@dataclass
class Words:
    """The different cells of a column, numbered as they come."""

    quoted_header: bool
    place: dict[tuple[str, bool], int] = field(default_factory=dict)
    words: list[Word] = field(default_factory=list)

    def number(self, cell: str) -> int:
        """The number of a cell."""
        key = str(cell), isinstance(cell, Quoted)
        place = self.place.setdefault(key, len(self.words))
        if place == len(self.words):
            self.words.append(Word.of(cell, quoted_header=self.quoted_header))
        return place

    def summarize(self) -> WordSummary:
        """What the combination of all rows needs to know of them."""
        numbers = [word.number for word in self.words]
        finite = [number for number in numbers if number is not None]
        is_text = len(finite) < len(numbers)
        values = sorted({word.value for word in self.words if word.value is not None})
        return WordSummary(is_text, not is_text and any(map(math.isinf, finite)), values)

    def codes(self, column: Column) -> np.ndarray:
        """The number of each word in a column that holds all of them."""
        if column.kind == "numeric":
            return np.array([word.number for word in self.words], np.float64)
        place: dict[str | None, float] = {value: float(k) for k, value in enumerate(column.values)}
        place[None] = math.nan
        return np.array([place[word.value] for word in self.words])


class WordSummary(NamedTuple):
    """The words of a column in some rows.

    Parameters
    ----------
    is_text : bool
        Whether one is neither a number nor missing.
    is_infinite : bool
        Whether one is an infinite number.
    values : list of str
        The different values, if the column is nominal, sorted.
    """

    is_text: bool
    is_infinite: bool
    values: list[str]

    @staticmethod
    def column(name: str, pieces: Sequence[WordSummary]) -> Column:
        """The column that holds the words of all parts."""
        if not any(piece.is_text for piece in pieces):
            return Column(name)
        values = pieces[0].values
        if len(pieces) > 1:
            values = sorted({value for piece in pieces for value in piece.values})
        return Column(name, "nominal", tuple(values))
