"""What is read of the rows of an ARFF file, dense and sparse, with room that grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels import rows
from mlfs._kernels import tokens as kernel
from mlfs.data.arff.careful_rows import Row
from mlfs.data.arff.header import Attribute
from mlfs.data.assemble import compressed

__all__ = ["DenseRows", "Plan", "Rows", "SparseRows", "expected", "plan"]

PROBES = 256
LISTS = 1 << 12
NO_SINGLE, NUMBER = 0, 1
TRAPS = frozenset(b"'\"%,{}?\\")
KINDS = {"numeric": kernel.NUMERIC, "string": kernel.SKIPPED, "date": kernel.DATE}
HARD = 1 << 12
SAMPLE = 1 << 18
SLACK = 1.15


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


def expected(content: bytes, at: int, mark: bytes) -> int:
    """Estimate how often a mark stands behind `at`, from the text that comes first."""
    size = len(content) - at
    seen = min(size, SAMPLE)
    return int(content.count(mark, at, at + seen) / max(seen, 1) * size * SLACK) + 64


def _resized(array: np.ndarray, size: int) -> np.ndarray:
    """More room; unlike that of `resize`, not filled with zeros."""
    grown = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


class DenseRows:
    """Rows of all values; memory costs nothing until it is written.

    `counts` are rows and hard numbers so far and, when sparse, entries of X and of the others.

    Parameters
    ----------
    plan : Plan
        Where the values go.
    content, at : bytes and int
        The text and where the rows start.
    most : int
        The most rows that there may be.
    """

    def __init__(self, plan: Plan, content: bytes, at: int, most: int) -> None:
        self.plan, self.most = plan, most
        self.counts = np.zeros(4, dtype=np.int64)
        self.hard = np.empty((max(HARD, len(plan.places)), 4), dtype=np.int64)
        self.make(min(most, expected(content, at, b"\n")), content, at)

    def make(self, lines: int, content: bytes, at: int) -> None:  # noqa: ARG002  # for sparse rows
        """Make room for so many rows."""
        self.values: np.ndarray = np.empty((lines, self.plan.n_features))
        self.others: np.ndarray = np.empty((lines, self.plan.n_others))

    def read(self, text: np.ndarray, at: int, end: int, longest: int) -> tuple[int, int]:
        """Let the kernel go on from `at`."""
        return rows.dense_rows(text, at, end, longest, *self.plan.arrays, *self.filled())

    def filled(self) -> tuple[Any, ...]:
        """What the kernel fills."""
        return self.values, self.others, self.hard, self.counts

    def grow(self, status: int) -> bool:
        """Make room for what the kernel has no room for; False where there may be no more."""
        if status == kernel.FULL:
            size = min(2 * len(self.values), self.most)
            if size <= self.counts[0]:
                return False
            self.values = _resized(self.values, size)
            self.others = _resized(self.others, size)
        return True

    def settle(self, values: np.ndarray) -> None:
        """Put the numbers that float() had to read to their places."""
        at, to = self.hard[: len(values), 0], self.hard[: len(values), 1]
        inside = to >= 0
        self.values[at[inside], to[inside]] = values[inside]
        self.others[at[~inside], ~to[~inside]] = values[~inside]

    def add(self, row: Row) -> bool:
        """Add a row that was read with care, if there may be more."""
        i = int(self.counts[0])
        if i == len(self.values) and not self.grow(kernel.FULL):
            return False
        found = np.array(row.values)
        to = self.plan.places
        self.values[i, to[to >= 0]] = found[to >= 0]
        self.others[i, ~to[to < 0]] = found[to < 0]
        self.counts[0] = i + 1
        return True

    def tables(self) -> tuple[Any, Any]:
        """X and the others."""
        n_rows = int(self.counts[0])
        self.values.resize((n_rows, self.plan.n_features), refcheck=False)
        return self.values, self.others[:n_rows]


class SparseRows(DenseRows):
    """Rows of entries; `ends` holds how many of X and of the others there are up to each."""

    def make(self, lines: int, content: bytes, at: int) -> None:
        """Make room for so many rows and their entries."""
        entries = expected(content, at, b",") + lines
        self.values, self.others = np.empty(entries), np.empty(entries)
        self.columns = np.empty(entries, dtype=np.int32)
        self.other_columns = np.empty(entries, dtype=np.int32)
        self.ends = np.zeros((lines + 1, 2), dtype=np.int64)
        self.zeros = False
        self.quick = self.plan.quick

    def read(self, text: np.ndarray, at: int, end: int, longest: int) -> tuple[int, int]:
        """Let the kernel go on from `at`; the quick one until it meets the first other row."""
        if self.quick is not None:
            status, at = rows.sparse_rows(text, at, end, longest, *self.quick, *self.filled())
            if status != kernel.STOPPED:
                return status, at
            self.quick = None
        return rows.sparse_rows(text, at, end, longest, *self.plan.arrays, *self.filled())

    def filled(self) -> tuple[Any, ...]:
        """What the kernel fills."""
        return *super().filled(), self.columns, self.other_columns, self.ends[1:]

    def grow(self, status: int) -> bool:
        """Make room for what the kernel has no room for; False where there may be no more."""
        if status == kernel.OTHERS_FULL:
            self.others = _resized(self.others, 2 * len(self.others))
            self.other_columns = _resized(self.other_columns, len(self.others))
        elif status == kernel.FULL and self.counts[0] + 1 < len(self.ends):
            self.values = _resized(self.values, 2 * len(self.values))
            self.columns = _resized(self.columns, len(self.values))
        elif status == kernel.FULL:
            if self.counts[0] >= self.most:
                return False
            self.ends = _resized(self.ends, min(2 * len(self.ends), self.most + 1))
        return True

    def settle(self, values: np.ndarray) -> None:
        """Put the numbers that float() had to read to their places."""
        at, inside = self.hard[: len(values), 0], self.hard[: len(values), 1] >= 0
        self.values[at[inside]] = values[inside]
        self.others[at[~inside]] = values[~inside]
        self.zeros |= not values.all()

    def add(self, row: Row) -> bool:
        """Add a row that was read with care, if there may be more."""
        i, _, n, m = self.counts.tolist()
        if i + 1 == len(self.ends) and not self.grow(kernel.FULL):
            return False
        columns: Sequence[int] = row.columns or ()
        to = self.plan.places[list(columns)]
        found = np.array(row.values)
        inside = to >= 0
        size = int(inside.sum())
        while n + size > len(self.values):
            self.grow(kernel.FULL)
        while m + len(to) - size > len(self.others):
            self.grow(kernel.OTHERS_FULL)
        self.values[n : n + size], self.columns[n : n + size] = found[inside], to[inside]
        n, k = n + size, m + len(to) - size
        self.others[m:k], self.other_columns[m:k] = found[~inside], ~to[~inside]
        self.ends[i + 1] = n, k
        self.counts[:] = i + 1, 0, n, k
        return True

    def tables(self) -> tuple[Any, Any]:
        """X and the others."""
        n_rows, _, n, m = self.counts.tolist()
        ends = self.ends[: n_rows + 1]
        self.values.resize(n, refcheck=False)
        self.columns.resize(n, refcheck=False)
        X = compressed(self.values, self.columns, ends[:, 0], self.plan.n_features)
        others = self.others[:m], self.other_columns[:m]
        Z = compressed(*others, ends[:, 1], self.plan.n_others)
        if self.zeros:  # numbers too small for a double
            X.eliminate_zeros()
            Z.eliminate_zeros()
        return X, Z


Rows = DenseRows | SparseRows
