"""The values of columns of text or of dictionaries, numbered as they come and coded at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.data.columns import column_of, is_missing
from mlfs.data.dataset import Column
from mlfs.errors import DataError, printable

__all__ = ["Coded", "Words", "code_words"]


class Words:
    """The different values of a column, numbered from 1; 0 is a missing one."""

    def __init__(self) -> None:
        self.words: list[Any] = []
        self.is_seen: list[bool] = []  # in a row, and not only in a dictionary
        self._place: dict[Any, int] = {}
        self._last: Any = None  # the dictionary whose values were numbered last

    def __getstate__(self) -> tuple[list[Any], list[bool]]:
        return self.words, self.is_seen

    def __setstate__(self, state: tuple[list[Any], list[bool]]) -> None:
        self.words, self.is_seen = state
        self._place = {word: k for k, word in enumerate(self.words, 1)}
        self._last = None

    def _number(self, word: Any, *, is_seen: bool) -> int:
        if is_missing(word):
            return 0
        place = self._place.setdefault(word, len(self.words) + 1)
        if place > len(self.words):
            self.words.append(word)
            self.is_seen.append(False)
        self.is_seen[place - 1] |= is_seen
        return place

    def join(self, other: Words) -> None:
        """Add the values of other rows."""
        for word, is_seen in zip(other.words, other.is_seen, strict=True):
            self._number(word, is_seen=is_seen)

    def number(self, pa: Any, array: Any, *, is_ordered: bool) -> np.ndarray:
        """The numbers of some cells; the order of a dictionary is kept if it means something."""
        if pa.types.is_null(array.type):
            return np.zeros(len(array), np.int32)
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        dictionary = array.dictionary
        if is_ordered and not (self._last is not None and dictionary.equals(self._last)):
            for word in dictionary.to_pylist():
                self._number(word, is_seen=False)
            self._last = dictionary
        codes = (
            array.indices.fill_null(len(dictionary)).to_numpy(zero_copy_only=False).astype(np.int64)
        )
        present = np.flatnonzero(np.bincount(codes, minlength=len(dictionary))[: len(dictionary)])
        numbers = np.zeros(len(dictionary) + 1, np.int32)
        words = dictionary.take(pa.array(present)).to_pylist()
        numbers[present] = [self._number(word, is_seen=True) for word in words]
        return numbers[codes]


@dataclass(frozen=True)
class Coded:
    """A column, and the code of each of its values."""

    column: Column
    codes: dict[Any, float]

    def of(self, words: Words) -> np.ndarray:
        """The code for each number of `words`."""
        return np.array([np.nan, *(self.codes.get(word, np.nan) for word in words.words)])


def code_words(name: str, words: Words, values: Sequence[str] | None, *, is_ordered: bool) -> Coded:
    """Code the values of a column: as declared, in the order of the file if that is one, or sorted.

    `values` are those that the metadata of the file declare.
    """
    distinct = words.words
    seen = [word for word, is_seen in zip(distinct, words.is_seen, strict=True) if is_seen]
    if not all(isinstance(word, str) for word in distinct):
        plain = np.empty(len(seen), object)
        plain[:] = seen
        column, codes = column_of(name, plain, force_nominal=True)
        return Coded(column, dict(zip(seen, codes.tolist(), strict=True)))
    declared = list(values) if values is not None else distinct if is_ordered else sorted(seen)
    position = {value: float(k) for k, value in enumerate(declared)}
    if any(word not in position for word in seen):
        raise DataError(
            f"column {printable(name)!r} holds a value that its metadata do not declare"
        )
    return Coded(Column(name, "nominal", tuple(declared)), position)
