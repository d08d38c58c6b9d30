"""Neighbouring columns in the form that counts them fastest.

====== =================================================================================
Lists  for each row the columns that are not at their base there: sparse data, any number
       of levels, weights; a meeting costs what both have off their bases
Planes for each column and code a bit a row: dense data of few levels; a meeting costs a
       sixty-fourth of the rows, in vector instructions
====== =================================================================================

Both count the meetings off the bases only, as integers; the rest follows by subtraction.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mlfs.counting.codes import Codes

__all__ = ["Column", "Kind", "Meeting", "Stripe", "TwoLevels", "cut", "kinds"]

FEW_LEVELS = 16
FEW_COLUMNS = 1 / 100
SOME_COLUMNS = 1 / 4
COLUMNS_AT_ONCE = 8192  # keeps the table of a picked feature in the cache
WORD_COST = 1 / 800  # one row by a plane's vector instructions, against one walked in a list


class Kind:
    """The kinds of columns, in the order in which they are counted."""

    BINARY_LISTS, BINARY_PLANES, PLANES, LISTS = range(4)
    NAMES = ("row lists, two levels", "bit planes, two levels", "bit planes", "row lists")


def kinds(features: Sequence[Codes], labels: Sequence[Codes], weighted: bool) -> np.ndarray:
    """The kind of each column; weighted rows are counted through lists.

    A meeting of f, s and l costs the rows in which all are off their bases through lists, and a
    sixty-fourth of all rows through planes; s is taken to be like f.
    """
    levels = features[0].levels
    n_rows = max(1, sum(block.n_rows for block in features))
    f_off = sum(block.off for block in features) / n_rows
    l_off = sum(block.n_entries for block in labels) / (n_rows * max(1, len(labels[0])))
    may = (levels > 1) & (levels <= FEW_LEVELS) & (not weighted)
    is_dense = (f_off**2 * l_off > WORD_COST) & may
    for alike in (levels == 2, levels > 2):  # a form of their own does not pay for a few columns
        if (is_dense & alike).sum() < len(levels) * FEW_COLUMNS:
            is_dense &= ~alike
        elif (may & alike & ~is_dense).sum() < (is_dense & alike).sum() * SOME_COLUMNS:
            is_dense |= may & alike
    return np.where(
        levels == 2,
        np.where(is_dense, Kind.BINARY_PLANES, Kind.BINARY_LISTS),
        np.where(is_dense, Kind.PLANES, Kind.LISTS),
    )


def cut(kind: np.ndarray, share: np.ndarray) -> list[tuple[int, int]]:
    """Cut columns into stripes of one kind, so that tables fit the cache and threads have work.

    `share` is into how many parts the columns of each kind are cut at the least.
    """
    ends = np.flatnonzero(np.diff(kind)) + 1
    edges: list[tuple[int, int]] = []
    for first, last in itertools.pairwise([0, *ends.tolist(), kind.size]):
        least = min(int(share[first]), last - first) if first < last else 1
        stripes = max(-(-(last - first) // COLUMNS_AT_ONCE), least, 1)
        edges += itertools.pairwise(np.linspace(first, last, stripes + 1).astype(int).tolist())
    return edges


class Column(Protocol):
    """A column that is held against others, block by block of the rows."""

    base: int
    levels: int

    @property
    def rows(self) -> list[np.ndarray]:
        """The rows in which it is off its base."""

    @property
    def off(self) -> list[np.ndarray]:
        """Its codes there."""

    @property
    def codes(self) -> list[np.ndarray]:
        """The column in full."""

    @property
    def masks(self) -> list[np.ndarray]:
        """A bit plane for each code but the base."""


@dataclass(frozen=True)
class Meeting:
    """A column s and some labels, in one block of rows."""

    given: Column
    block: int
    y: Codes
    labels: np.ndarray
    weights: np.ndarray
    masks: np.ndarray | None  # the labels as bit planes, if that was made

    @property
    def s_codes(self) -> np.ndarray:
        """The column s in full."""
        return self.given.codes[self.block]

    @property
    def s_base(self) -> int:
        """The base of s."""
        return self.given.base


@dataclass(frozen=True)
class TwoLevels:
    """A column s and some labels, all of two levels, told by the rows off their bases."""

    given: Column
    labels: np.ndarray
    rows: np.ndarray  # where s and a label are off their bases, label after label
    first: np.ndarray  # where those of each label begin,
    last: np.ndarray  # and where they end
    weights: np.ndarray
    off_s: int
    off_l: np.ndarray
    off_sl: np.ndarray
    off_fs: np.ndarray  # of the features of the stripe
    off_fl: np.ndarray  # (labels, features)


class Stripe(Protocol):
    """What Counts asks of neighbouring columns; every table has a cell for each code."""

    def pairs(self, given: Column, block: int, weights: np.ndarray, table: np.ndarray) -> None:
        """Add to table[cell, code of s] the rows in which s is off its base."""

    def triples(self, m: Meeting, tables: np.ndarray) -> None:
        """Add to tables[i, cell, code of s, code of labels[i]] the rows off all bases."""

    def off_pairs(self, given: Column, block: int, weights: np.ndarray, out: np.ndarray) -> None:
        """Where all have two levels: add to out[column] the rows in which s is off its base."""

    def off_labels(
        self,
        y: Codes,
        labels: np.ndarray,
        masks: np.ndarray | None,
        weights: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Where all have two levels: add to out[i, column] the rows of labels[i]."""

    def add_joint(
        self,
        parts: TwoLevels,
        masks: np.ndarray | None,
        off_f: np.ndarray,
        n_rows: int,
        clogc: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Where all have two levels: add the sums over n(f,s,l), each label's or one of all."""
