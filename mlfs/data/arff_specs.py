"""How the kernel takes the columns of an ARFF file: kinds, places, and tables of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels import tokens as kernel
from mlfs.data.arff_header import Attribute

__all__ = ["Plan", "plan"]

PROBES = 256
LISTS = 1 << 12
NO_SINGLE, NUMBER = 0, 1
TRAPS = frozenset(b"'\"%,{}?\\")
KINDS = {"numeric": kernel.NUMERIC, "string": kernel.SKIPPED, "date": kernel.DATE}


class Plan(NamedTuple):
    """What each column is to the kernel and where its values go.

    `places` is the column of X, or ``~k`` for column k of the others; `arrays` are the arguments
    of the kernels from `specs` to `letters`. Where all values are names of one byte, `quick` are
    arguments with which the kernel reads rows of nothing else.
    """

    places: np.ndarray
    n_features: int
    n_others: int
    wanted: frozenset[int]
    arrays: tuple[Any, ...]
    quick: tuple[Any, ...] | None


def plan(
    attributes: Sequence[Attribute],
    features: Sequence[int],
    others: Sequence[int],
    wanted: frozenset[int],
) -> Plan:
    """Say where the values go: `features` to X, `others` apart, what is left behind these."""
    places = np.full(len(attributes), ~len(others), dtype=np.int64)
    places[list(features)] = np.arange(len(features))
    places[list(others)] = ~np.arange(len(others))
    n_others = len(others) + (len(features) + len(others) < len(attributes))
    specs, lists = _specs(attributes)
    specs[list(wanted)] = kernel.WANTED
    tables = _tables(lists, specs)
    values = (specs, *_singles(specs, lists), places)
    names = tables[2]
    plain = specs.min(initial=0) >= 0 and names[-1] == len(names) - 1 and len(lists) <= LISTS
    quick = (*values, *[None] * len(tables)) if plain else None
    return Plan(places, len(features), n_others, wanted, (*values, *tables), quick)


def _specs(attributes: Sequence[Attribute]) -> tuple[np.ndarray, list[tuple[str, ...]]]:
    """For each column what the kernel takes it for, and the distinct value lists."""
    kinds: dict[int, int] = {}
    lists: list[tuple[str, ...]] = []
    keys = [id(attribute.type) for attribute in attributes]
    for key, attribute in dict(zip(keys, attributes, strict=True)).items():
        if attribute.type.kind == "nominal":
            kinds[key] = len(lists)
            lists.append(attribute.type.values)
        else:
            kinds[key] = KINDS[attribute.type.kind]
    return np.fromiter(map(kinds.__getitem__, keys), np.int64, len(keys)), lists


def _singles(specs: np.ndarray, lists: Sequence[tuple[str, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """What a value of one byte means: where its table starts for each column; the tables."""
    singles = np.full((2 + min(len(lists), LISTS), 256), kernel.UNSEEN)
    singles[1:, ord("?")] = np.nan
    singles[NUMBER, ord("0") : ord("9") + 1] = np.arange(10)
    for t, values in enumerate(lists[:LISTS], 2):
        for code, value in enumerate(values):
            if len(value) == 1 and " " < value < "\x7f" and ord(value) not in TRAPS:
                singles[t, ord(value)] = code
    rows = np.where((specs >= 0) & (specs < LISTS), specs + 2, NO_SINGLE)
    rows[specs == kernel.NUMERIC] = NUMBER
    return rows * 256, singles.ravel()


class _Crowded(Exception):
    """Values made to share a hash: not for the kernel, whose time would not be linear."""


def _fill(slots: np.ndarray, texts: list[bytes], first: int) -> None:
    """Put the numbers of the values, from `first`, into their slots."""
    mask = len(slots) - 1
    for k, text in enumerate(texts, first):
        code = 2166136261
        for byte in text:
            code = ((code ^ byte) * 16777619) & 0xFFFFFFFF
        slot = code & mask
        probes = 0
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
            probes += 1
            if probes > PROBES:
                raise _Crowded
        slots[slot] = k


def _tables(
    lists: list[tuple[str, ...]], specs: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Hash tables from the bytes of a value to its number, all in flat arrays."""
    texts = [value.encode("utf-8", "surrogatepass") for values in lists for value in values]
    bounds = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in texts], out=bounds[1:])
    letters = np.frombuffer(b"".join(texts) or b" ", dtype=np.uint8)
    sizes = [1 << (2 * len(values) + 1).bit_length() for values in lists]
    tables = np.zeros((len(lists), 3), dtype=np.int64)
    slots = np.full(sum(sizes) + 1, -1, dtype=np.int64)
    base = first = 0
    for t, (values, size) in enumerate(zip(lists, sizes, strict=True)):
        tables[t] = base, size - 1, first
        try:
            _fill(slots[base : base + size], texts[first : first + len(values)], first)
        except _Crowded:
            specs[specs == t] = kernel.DATE
        base, first = base + size, first + len(values)
    return tables, slots, bounds, letters
