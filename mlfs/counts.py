"""Contingency counts: the only thing that looks at rows, additive over blocks of rows."""

from __future__ import annotations

import copy
import itertools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from mlfs._kernels import counting
from mlfs.coding import Codes
from mlfs.stripes import Kind, Meeting, Stripe, kinds, stripe_of

__all__ = ["Counts", "Given"]

Result = TypeVar("Result")
COLUMNS_AT_ONCE = 8192  # keeps the table of a picked feature in the cache
_here = threading.local()
THREADED_FROM = 1 << 20  # entries; below, handing work to threads costs more than it saves


@dataclass(frozen=True)
class Given:
    """A column that is held against all features: a picked feature or a parent label."""

    codes: list[np.ndarray]  # in full, one for each block of rows
    base: int
    levels: int
    valid: int
    alone: np.ndarray  # how often each code occurs

    @property
    def nbytes(self) -> int:
        """What keeping it costs."""
        return sum(int(part.nbytes) for part in self.codes)


class Counts:
    """Counts of the values of features, and of their meetings with other columns.

    Parameters
    ----------
    features, labels : sequence of Codes
        One of each for every block of rows, all coded alike.
    weights : sequence of ndarray of int64, optional
        The weights of the rows on a common grid.
    n_jobs : int
        Threads; the counts, being integers, do not depend on it.
    """

    def __init__(
        self,
        features: Sequence[Codes],
        labels: Sequence[Codes],
        weights: Sequence[np.ndarray] | None = None,
        n_jobs: int = 1,
    ) -> None:
        self.features, self.labels = features, labels
        self.weights = (
            [np.ones(block.n_rows, np.int64) for block in features] if weights is None else weights
        )
        first = features[0]
        self.d, self.q = len(first), len(labels[0])
        self.levels, self.base = first.levels, first.base
        self.offsets = np.concatenate([[0], np.cumsum(first.levels)]).astype(np.int64)
        self.total = sum(int(w.sum()) for w in self.weights)
        entries = sum(block.rows.size for block in features)
        share = n_jobs if n_jobs > 1 and entries >= THREADED_FROM else 1
        kind = kinds(features, labels, weights is not None)
        if (np.diff(kind) < 0).any():  # not sorted by Codes.by_kind: take them as they come
            kind[:] = Kind.BINARY_LISTS if (first.levels == 2).all() else Kind.LISTS
        self.edges = _stripes(kind, share)
        self.kinds = [int(kind[a]) if a < b else Kind.LISTS for a, b in self.edges]
        self.binary = [k in {Kind.BINARY_LISTS, Kind.BINARY_PLANES} for k in self.kinds]
        self._pool = ThreadPoolExecutor(n_jobs) if n_jobs > 1 and len(self.edges) > 1 else None
        self._process = os.getpid()
        self._stripes = [
            [stripe_of(block, a, b, k) for (a, b), k in zip(self.edges, self.kinds, strict=True)]
            for block in features
        ]
        self.n_f = self.alone(features)
        # n(f=1) of the columns of two levels, stripe by stripe
        self.ones = [
            self.n_f[self.cells(a, b)[1]][1::2].copy() if binary else np.zeros(0, np.int64)
            for (a, b), binary in zip(self.edges, self.binary, strict=True)
        ]
        self.n_l = _counted(labels, self.weights)
        self.l_offsets = np.concatenate([[0], np.cumsum(labels[0].levels)]).astype(np.int64)

    @property
    def stripes(self) -> list[Stripe]:
        """The columns of the first block of rows, stripe by stripe."""
        return self._stripes[0]

    def forms(self) -> dict[str, int]:
        """How many columns are counted in which form."""
        told: dict[str, int] = {}
        for (a, b), kind in zip(self.edges, self.kinds, strict=True):
            told[Kind.NAMES[kind]] = told.get(Kind.NAMES[kind], 0) + b - a
        return told

    def shuffled(self, generator: np.random.Generator) -> Counts:
        """The same features with the rows of labels shuffled within each block."""
        other = copy.copy(self)
        other.labels = [block.shuffled(generator) for block in self.labels]
        if any((weight != 1).any() for weight in self.weights):
            other.n_l = _counted(other.labels, self.weights)
        return other

    def alone(self, codes: Sequence[Codes]) -> np.ndarray:
        """How often each code of each column occurs, ragged."""
        return _counted(codes, self.weights)

    def over_stripes(self, work: Callable[[int, int, int], Result]) -> list[Result]:
        """Call work(stripe, first column, last column) for all, in threads if there are any."""
        jobs = [(i, a, b) for i, (a, b) in enumerate(self.edges)]
        waits_for_itself = getattr(_here, "at_work", False)
        forked = os.getpid() != self._process  # the threads of the pool stayed behind
        if self._pool is None or waits_for_itself or forked:
            return [work(*job) for job in jobs]

        def mark_and_work(job: tuple[int, int, int]) -> Result:
            _here.at_work = True
            return work(*job)

        return list(self._pool.map(mark_and_work, jobs))

    def cells(self, first: int, last: int) -> tuple[np.ndarray, slice]:
        """Offsets from 0 of a stripe of columns, and where its cells lie among all."""
        offsets = self.offsets[first : last + 1]
        return offsets - offsets[0], slice(int(offsets[0]), int(offsets[-1]))

    def feature(self, j: int, valid: int) -> Given:
        """A feature, to be held against all; codes from `valid` on are left out."""
        alone = self.n_f[self.offsets[j] : self.offsets[j + 1]]
        return _given(self.features, j, valid, alone)

    def label(self, j: int, valid: int) -> Given:
        """A label, to be held against all; codes from `valid` on are left out."""
        alone = self.n_l[self.l_offsets[j] : self.l_offsets[j + 1]]
        return _given(self.labels, j, valid, alone)

    def other(self, codes: np.ndarray) -> Given:
        """Any coded column, to be held against all."""
        parts, first = [], 0
        for block in self.features:
            parts.append(codes[first : first + block.n_rows])
            first += block.n_rows
        levels = int(codes.max(initial=0)) + 1
        base = int(np.bincount(codes).argmax()) if codes.size else 0
        alone = np.zeros(levels, np.int64)
        for part, weight in zip(parts, self.weights, strict=True):
            np.add.at(alone, part, weight)
        return Given(parts, base, levels, levels, alone)

    def pairs(self, given: Given) -> np.ndarray:
        """n(f, g) for all features and one given column: (cells, levels of g)."""
        meets = [np.flatnonzero(codes != given.base) for codes in given.codes]
        groups = [codes[rows] for codes, rows in zip(given.codes, meets, strict=True)]
        return self._pairs(meets, groups, given.levels, given.base, given.alone)

    def pairs_with_label(self, label: int) -> np.ndarray:
        """n(f, l) for all features and one label: (cells, levels of l)."""
        entries = [block.entries(label) for block in self.labels]
        first = self.labels[0]
        n_l = self.n_l[self.l_offsets[label] : self.l_offsets[label + 1]]
        return self._pairs(
            [rows for rows, _ in entries],
            [codes for _, codes in entries],
            int(first.levels[label]),
            int(first.base[label]),
            n_l,
        )

    def _pairs(
        self,
        rows: list[np.ndarray],
        groups: list[np.ndarray],
        levels: int,
        base: int,
        n_g: np.ndarray,
    ) -> np.ndarray:
        table = np.zeros((int(self.offsets[-1]), levels), np.int64)

        def work(i: int, a: int, b: int) -> None:
            offsets, where = self.cells(a, b)
            part = table[where]
            for block, stripes in enumerate(self._stripes):
                stripes[i].pairs(rows[block], groups[block], self.weights[block], part)
            counting.complete_pairs(part, self.n_f[where], n_g, offsets, self.base[a:b], base)

        self.over_stripes(work)
        return table

    def triples(
        self,
        given: Given,
        labels: np.ndarray,
        n_sl: np.ndarray,
        n_fs: np.ndarray,
        n_fl: np.ndarray,
        i: int,
    ) -> np.ndarray:
        """n(f, s, l) of one stripe of features, for some labels.

        Parameters
        ----------
        given : Given
            s.
        labels : ndarray of int
            The labels l.
        n_sl : ndarray
            The pairs of s with each label (labels, levels of s, most levels of l).
        n_fs, n_fl : ndarray
            The pairs of the stripe's features with s (cells, levels of s), and with
            each label (labels, cells, most levels of l).
        i : int
            The stripe.
        """
        a, b = self.edges[i]
        offsets, _ = self.cells(a, b)
        tables = np.zeros((labels.size, n_fs.shape[0], given.levels, n_fl.shape[2]), np.int64)
        for block, stripes in enumerate(self._stripes):
            stripes[i].triples(self._meeting(given, labels, block), tables)
        y = self.labels[0]
        counting.complete_triples(
            tables,
            n_fs,
            n_fl,
            n_sl,
            offsets,
            self.base[a:b],
            given.base,
            y.levels[labels],
            y.base[labels],
        )
        return tables

    def _meeting(self, given: Given, labels: np.ndarray, block: int) -> Meeting:
        y, weights = self.labels[block], self.weights[block]
        return Meeting(given.codes[block], given.base, y, labels, weights)

    def given_with_labels(self, given: Given) -> np.ndarray:
        """n(s, l) for one column and every label: (labels, levels of s, most levels of l)."""
        first = self.labels[0]
        labels = np.arange(len(first))
        n_sl = np.zeros((labels.size, given.levels, int(first.levels.max(initial=1))), np.int64)
        for codes, y, weights in zip(given.codes, self.labels, self.weights, strict=True):
            counting.count_given(codes, y.indptr, y.rows, y.codes, labels, weights, n_sl)
        counting.complete_given(n_sl, given.alone, first.base)
        return n_sl

    def meets_of_levels(self, given: Given, labels: np.ndarray, i: int) -> np.ndarray:
        """In how many rows f, s and l are off their bases: (labels, cells, levels of s)."""
        a, b = self.edges[i]
        cells = int(self.offsets[b] - self.offsets[a])
        met = np.zeros((labels.size, cells, given.levels), np.int64)
        for block, stripes in enumerate(self._stripes):
            stripes[i].meets_of_levels(self._meeting(given, labels, block), met)
        return met

    def meets(self, given: Given, labels: np.ndarray, i: int) -> np.ndarray:
        """In how many rows f, s and l are off their bases, all of two levels: (labels, f)."""
        a, b = self.edges[i]
        met = np.zeros((labels.size, b - a), np.int64)
        for block, stripes in enumerate(self._stripes):
            stripes[i].meets(self._meeting(given, labels, block), met)
        return met


def _stripes(kind: np.ndarray, share: int) -> list[tuple[int, int]]:
    """Cut columns of one kind so that threads have work and tables fit the cache."""
    ends = np.flatnonzero(np.diff(kind)) + 1
    cut: list[tuple[int, int]] = []
    for first, last in itertools.pairwise([0, *ends.tolist(), kind.size]):
        stripes = max(-(-(last - first) // COLUMNS_AT_ONCE), min(share, last - first), 1)
        edges = np.linspace(first, last, stripes + 1).astype(int).tolist()
        cut += itertools.pairwise(edges)
    return cut


def _given(blocks: Sequence[Codes], j: int, valid: int, alone: np.ndarray) -> Given:
    first = blocks[0]
    columns = [block.column(j) for block in blocks]
    return Given(columns, int(first.base[j]), int(first.levels[j]), valid, alone)


def _counted(blocks: Sequence[Codes], weights: Sequence[np.ndarray]) -> np.ndarray:
    first = blocks[0]
    offsets = np.concatenate([[0], np.cumsum(first.levels)]).astype(np.int64)
    out = np.zeros(int(offsets[-1]), np.int64)
    total = 0
    for block, weight in zip(blocks, weights, strict=True):
        cells = offsets[block.column_of_entry] + block.codes
        if (weight == 1).all():
            out += np.bincount(cells, minlength=out.size)
        else:  # np.bincount adds weights as floats, which would round above 2**53
            np.add.at(out, cells, weight[block.rows])
        total += int(weight.sum())
    at_base = offsets[:-1] + first.base
    out[at_base] = total - np.add.reduceat(out, offsets[:-1]) if first.base.size else 0
    return out
