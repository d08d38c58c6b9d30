"""Read the plain rows of an ARFF file with a kernel: nearly every row of nearly every file.

What it saves: bibtex is read in 13 to 18 ms with it and in 1,550 ms row by row with care,
delicious in 43 to 60 and 1,850 ms. Rows that it does not read (quotes with escapes, dates, wanted
texts, weights, indices that do not rise) are read by `careful_rows`, in the same run.

Of sparse rows the kernel is compiled without tables of names first, where every value is a single
byte: that reads no faster, but it is compiled in half the time, and so the first run on bibtex
takes 1.4 s and not 2.0 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mlfs._kernels import rows
from mlfs._kernels import tokens as kernel
from mlfs._kernels.rows import ColumnRoles, Dense, Sparse
from mlfs._kernels.tokens import Names
from mlfs.data.arff.careful_rows import Row
from mlfs.data.arff.header import Attribute
from mlfs.data.assemble import csr_rows

PROBES = 256
LISTS = 1 << 12
NO_SINGLE, NUMBER = 0, 1
TRAPS = frozenset(b"'\"%,{}?\\")
KINDS = {"numeric": kernel.NUMERIC, "string": kernel.SKIPPED, "date": kernel.DATE}
HARD = 1 << 12
SHORTEST = 4  # bytes of an entry of a sparse row, as in "1 1,"


class ColumnPlan(NamedTuple):
    """The role of each column for the kernel, and where its values go.

    `places` holds the column of X, or ``~k`` for column k of the others; `is_plain` says that the
    name of every value is a single byte.
    """

    places: np.ndarray
    n_features: int
    n_others: int
    text_columns: frozenset[int]
    columns: ColumnRoles
    names: Names
    is_plain: bool


def make_plan(
    attributes: Sequence[Attribute],
    features: Sequence[int],
    others: Sequence[int],
    text_columns: frozenset[int],
) -> ColumnPlan:
    """Decide where values go: `features` to X, `others` to a second table, then all the rest."""
    places = np.full(len(attributes), ~len(others), dtype=np.int64)
    places[list(features)] = np.arange(len(features))
    places[list(others)] = ~np.arange(len(others))
    n_others = len(others) + (len(features) + len(others) < len(attributes))
    specs, lists = _specs(attributes)
    specs[list(text_columns)] = kernel.WANTED
    names = _names(lists, specs)
    columns = ColumnRoles(specs, *_singles(specs, lists), places)
    single = names.bounds[-1] == len(names.bounds) - 1 and len(lists) <= LISTS
    is_plain = bool(specs.min(initial=0) >= 0 and single)
    return ColumnPlan(places, len(features), n_others, text_columns, columns, names, is_plain)


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
    """The meaning of a value of one byte: where its table starts for each column; the tables."""
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
    """Too many values share a hash: the kernel would not take linear time."""


def _fill(slots: np.ndarray, texts: list[bytes], first_number: int) -> None:
    """Put the numbers of the values, from `first_number`, into their slots."""
    mask = len(slots) - 1
    for k, text in enumerate(texts, first_number):
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


def _names(lists: list[tuple[str, ...]], specs: np.ndarray) -> Names:
    """Make the hash tables from the bytes of a value to its position."""
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
    return Names(tables, slots, bounds, letters)


class DenseRows:
    """Rows of all values, with room for all of a text.

    Memory costs nothing until it is written.

    Parameters
    ----------
    plan : Plan
        Where the values go.
    size : int
        The bytes of the text.
    max_rows : int
        The most rows that there may be.
    """

    def __init__(self, plan: ColumnPlan, size: int, max_rows: int) -> None:
        self.plan, self.max_rows = plan, max_rows
        self.counts = np.zeros(4, dtype=np.int64)
        self.hard = np.empty((max(HARD, len(plan.places)), 4), dtype=np.int64)
        self.arrays = [np.empty(shape, kind) for shape, kind in self.shapes(size)]

    def shapes(self, size: int) -> list[tuple[tuple[int, ...], Any]]:
        """The shapes and types of the arrays."""
        del size
        kinds = self.plan.n_features, self.plan.n_others
        return [((self.max_rows, n), np.float64) for n in kinds]

    def read(self, text: np.ndarray, start: int, end: int) -> tuple[int, int]:
        """Let the kernel go on from `start`: why it stopped, and where."""
        columns, names = self.plan.columns, self.plan.names
        room = [array[: self.max_rows] for array in self.arrays]
        out = Dense._make([*room, self.hard, self.counts])
        return rows.dense_rows(text, start, end, columns, names, out)

    def set_numbers(self, values: np.ndarray) -> None:
        """Put the numbers that float() had to read into their places."""
        i, place = self.hard[: len(values), 0], self.hard[: len(values), 1]
        inside = place >= 0
        self.arrays[0][i[inside], place[inside]] = values[inside]
        self.arrays[1][i[~inside], ~place[~inside]] = values[~inside]

    def add(self, row: Row) -> bool:
        """Add a row that was read with care, if there may be more."""
        i = int(self.counts[0])
        if i == self.max_rows:
            return False
        values = np.array(row.values)
        places = self.plan.places
        self.arrays[0][i, places[places >= 0]] = values[places >= 0]
        self.arrays[1][i, ~places[places < 0]] = values[places < 0]
        self.counts[0] = i + 1
        return True

    def tables(self) -> tuple[Any, Any]:
        """X, and the table of the other columns."""
        n_rows = int(self.counts[0])
        return self.arrays[0][:n_rows], self.arrays[1][:n_rows]


class SparseRows(DenseRows):
    """Rows of entries."""

    def shapes(self, size: int) -> list[tuple[tuple[int, ...], Any]]:
        """The shapes and types of the arrays: values and columns, of X and the others, and ends."""
        self.is_plain = self.plan.is_plain
        self.zeros = False
        entries = (size // SHORTEST + 1,)
        kinds = (np.float64, np.float64, np.int32, np.int32)
        return [*((entries, kind) for kind in kinds), ((self.max_rows, 2), np.int64)]

    def read(self, text: np.ndarray, start: int, end: int) -> tuple[int, int]:
        """Let the kernel go on from `start`; without names until it meets the first other row."""
        names = None if self.is_plain else self.plan.names
        *entries, ends = self.arrays
        out = Sparse._make([*entries, ends[: self.max_rows], self.hard, self.counts])
        status, start = rows.sparse_rows(text, start, end, self.plan.columns, names, out)
        if status != kernel.STOPPED or not self.is_plain:
            return status, start
        self.is_plain = False
        return self.read(text, start, end)

    def set_numbers(self, values: np.ndarray) -> None:
        """Put the numbers that float() had to read into their places."""
        entry, inside = self.hard[: len(values), 0], self.hard[: len(values), 1] >= 0
        self.arrays[0][entry[inside]] = values[inside]
        self.arrays[1][entry[~inside]] = values[~inside]
        self.zeros |= not values.all()

    def add(self, row: Row) -> bool:
        """Add a row that was read with care, if there may be more."""
        i, _, n, m = self.counts.tolist()
        if i == self.max_rows:
            return False
        places = self.plan.places[list(row.columns or ())]
        values = np.array(row.values)
        inside = places >= 0
        n_end = n + int(inside.sum())
        m_end = m + len(places) - (n_end - n)
        own, others, columns, other_columns, ends = self.arrays
        own[n:n_end], columns[n:n_end] = values[inside], places[inside]
        others[m:m_end], other_columns[m:m_end] = values[~inside], ~places[~inside]
        ends[i] = n_end, m_end
        self.counts[:] = i + 1, 0, n_end, m_end
        return True

    def tables(self) -> tuple[Any, Any]:
        """X, and the table of the other columns."""
        n_rows, _, n, m = self.counts.tolist()
        own, others, columns, other_columns, row_ends = self.arrays
        ends = np.zeros((n_rows + 1, 2), dtype=np.int64)
        ends[1:] = row_ends[:n_rows]
        X = csr_rows(own[:n], columns[:n], ends[:, 0], self.plan.n_features)
        Z = csr_rows(others[:m], other_columns[:m], ends[:, 1], self.plan.n_others)
        if self.zeros:  # numbers too small for a double
            X.eliminate_zeros()
            Z.eliminate_zeros()
        return X, Z
