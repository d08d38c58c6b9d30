"""Columns in full, the forms in which kernels take them, and tables filled row by row.

The table of ``c log c`` may hold any numbers here: a sum is right only if every count is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mlfs._kernels.co_sums import AllCounts

__all__ = ["Column", "T", "any_table", "by_row", "drawn", "edges", "n", "starts", "words"]


@dataclass
class Column:
    """A column in full, and the forms in which the kernels take it."""

    full: np.ndarray
    levels: int
    mode: int
    off: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.off = [code for code in range(self.levels) if code != self.mode]

    @property
    def planes(self) -> np.ndarray:
        """Whether a row has a code, for each code but the mode."""
        return self.full == np.array(self.off, int)[:, None]

    @property
    def rows(self) -> np.ndarray:
        return np.flatnonzero(self.full != self.mode).astype(np.int32)

    @property
    def key(self) -> tuple[int, ...]:
        return tuple(self.full.tolist())


def drawn(generator, n_rows, levels, share=0.5):
    full = np.where(generator.random(n_rows) < share, generator.integers(0, levels, n_rows), 0)
    return Column(full, levels, int(generator.integers(levels)))


def words(planes):
    """Rows to bits, 64 to the word, the first one lowest."""
    planes = np.atleast_2d(planes)
    whole = np.zeros((planes.shape[0], -(-planes.shape[1] // 64) * 64), bool)
    whole[:, : planes.shape[1]] = planes
    return np.packbits(whole, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def n(*columns, weights=1):
    table = np.zeros([column.levels for column in columns], np.int64)
    np.add.at(table, tuple(column.full for column in columns), weights)
    return table


def T(xlogx, *columns, weights=1):
    return xlogx.table[n(*columns, weights=weights)].sum()


def any_table(generator, total):
    """What stands for c log c, but 0 for no rows."""
    table = generator.integers(-(1 << 56), 1 << 56, total + 1)
    table[0] = 0
    return AllCounts(table, 1.0)


def starts(generator, shape):
    """Sums that are under way, many of them about to leave 64 bits."""
    return generator.choice([0, np.iinfo(np.int64).max, np.iinfo(np.int64).min], shape)


def by_row(features):
    """The columns off their bases row by row, and their codes."""
    off = np.stack([f.full != f.mode for f in features], axis=1)
    indptr = np.concatenate([[0], np.cumsum(off.sum(axis=1))])
    codes = np.stack([f.full for f in features], axis=1)[off]
    return indptr, np.nonzero(off)[1].astype(np.int32), codes.astype(np.int32)


def edges(sizes):
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
