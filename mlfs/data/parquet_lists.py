"""Columns of label lists in Parquet files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlfs.data.request import Limits, exceeded
from mlfs.errors import ParseError, printable

__all__ = ["check_texts", "damage_message", "list_chunk", "lists_of"]

PLACE = re.compile(r" at (string )?(index|position|slot) -?\d+")
LISTS_FROM = 1 << 20  # bytes of label lists from which they are held to the ratio


def list_chunk(pa: Any, file: Any, group: int, name: str, path: str) -> Any:
    """A row group of a column of lists, checked."""
    table = file.read_row_group(group, columns=[name], use_threads=False)
    if table.column_names.count(name) != 1:  # a name may be a path
        raise ParseError("the columns of the file are not those of its schema", path)
    column = table.column(name)
    try:
        column.validate(full=True)
    except pa.ArrowException as error:
        raise ParseError(damage_message(name, error), path) from None
    return column


def damage_message(name: str, error: Exception) -> str:
    """What is wrong with a column, without the place: pyarrow counts from the start of a batch."""
    why = PLACE.sub("", str(error).rpartition("Invalid: ")[2])
    if "UTF8" in why:
        return f"column {printable(name)!r} holds text that is not UTF-8"
    return f"column {printable(name)!r} is damaged: {printable(why)}"


def check_texts(
    words: Sequence[Any], counts: np.ndarray, name: str, size: int, path: str, limits: Limits
) -> None:
    """Refuse a column of label lists whose texts, written out, are too long for their file."""
    lengths = np.array([len(word) if isinstance(word, str) else 0 for word in words], np.int64)
    total = int(counts @ lengths)
    ratio = total // size
    if total > LISTS_FROM and ratio > limits.max_ratio:
        noun = f"bytes of the column {printable(name)} for each byte of the file"
        raise exceeded(limits, "max_ratio", ratio, noun, path)


def lists_of(pa: Any, column: Any) -> list[Any]:
    """The lists of a column, with one object for all that are the same text."""
    if not pa.types.is_dictionary(column.type.value_type):
        return list(column.to_pylist())
    rows: list[Any] = []
    for chunk in column.chunks:
        words = chunk.values.dictionary.to_pylist()
        flat = [None if k is None else words[k] for k in chunk.values.indices.to_pylist()]
        ends, is_valid = chunk.offsets.to_pylist(), chunk.is_valid().to_pylist()
        rows += [
            flat[start:end] if valid else None
            for start, end, valid in zip(ends, ends[1:], is_valid, strict=False)
        ]
    return rows
