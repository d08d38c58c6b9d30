"""Contingency counts: the only thing that looks at rows, additive over blocks of rows."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from mlfs._kernels import counting, sweeping
from mlfs.counting.anchor import Given, one_column
from mlfs.counting.bit_planes import Planes, packed_planes
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import Kind, Meeting, Stripe, cut, kinds
from mlfs.counting.row_lists import Lists
from mlfs.counting.sharing import Shares

__all__ = ["Counts", "Given"]

MASKS_KEPT = 16 << 20  # bytes


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
    kind : ndarray, optional
        The kind of each column, if it is known; see `mlfs.counting.column_groups.kinds`.
    """

    def __init__(
        self,
        features: Sequence[Codes],
        labels: Sequence[Codes],
        weights: Sequence[np.ndarray] | None = None,
        n_jobs: int = 1,
        kind: np.ndarray | None = None,
    ) -> None:
        self.features, self.labels, self.most_masks = features, labels, MASKS_KEPT
        self.weights = (
            [np.ones(block.n_rows, np.int64) for block in features] if weights is None else weights
        )
        first = features[0]
        self.d, self.q = len(first), len(labels[0])
        self.levels, self.base = first.levels, first.base
        self.offsets = np.concatenate([[0], np.cumsum(first.levels)]).astype(np.int64)
        self.total = sum(int(w.sum()) for w in self.weights)
        self.n_entries = sum(block.n_entries for block in features)
        kind = kinds(features, labels, weights is not None) if kind is None else kind
        if (np.diff(kind) < 0).any():  # not sorted by Codes.by_kind: take them as they come
            kind[:] = Kind.BINARY_LISTS if (first.levels == 2).all() else Kind.LISTS
        self.shares = Shares(self, kind, n_jobs)
        self.edges = cut(kind, self.shares.parts)
        self.kinds = [int(kind[a]) if a < b else Kind.LISTS for a, b in self.edges]
        self.is_planes = [k in {Kind.BINARY_PLANES, Kind.PLANES} for k in self.kinds]
        self.only_binary_lists = all(k == Kind.BINARY_LISTS for k in self.kinds)
        self.binary = [k in {Kind.BINARY_LISTS, Kind.BINARY_PLANES} for k in self.kinds]
        self.blocks = [
            [_stripe_of(block, a, b, k) for (a, b), k in zip(self.edges, self.kinds, strict=True)]
            for block in features
        ]
        self.n_f = self.alone(features)
        self.small = np.int32 if self.total < 1 << 31 else np.int64
        # how often each code but the base occurs, stripe by stripe; not of lists of many levels
        self.off_f = [self._off(i) for i in range(len(self.edges))]
        self.n_l = _counted(labels, self.weights)
        self.l_offsets = np.concatenate([[0], np.cumsum(labels[0].levels)]).astype(np.int64)

    def _off(self, i: int) -> np.ndarray:
        (a, b), stripe = self.edges[i], self.stripes[i]
        if self.kinds[i] == Kind.LISTS:
            return np.zeros(0, self.small)
        if isinstance(stripe, Planes):
            return self.n_f[self.offsets[a] + stripe.cells].astype(self.small)
        return self.n_f[self.offsets[a:b] + 1 - self.base[a:b]].astype(self.small)

    @cached_property
    def off_l(self) -> np.ndarray:
        """In how many rows the labels of two levels are off their bases; 0 for the others."""
        y = self.labels[0]
        out = np.zeros(len(y), self.small)
        two = y.levels == 2
        first, base = self.l_offsets[:-1][two], y.base[two]
        out[two] = self.n_l[first + 1 - base]
        return out

    @cached_property
    def labels_by_row(self) -> tuple[np.ndarray, np.ndarray]:
        """The labels that are off their bases, row by row."""
        y = self.labels[0]
        indptr, columns, _ = y.by_row(0, len(y))
        return indptr, columns

    @property
    def stripes(self) -> list[Stripe]:
        """The columns of the first block of rows, stripe by stripe."""
        return self.blocks[0]

    def forms(self) -> dict[str, int]:
        """How many columns are counted in which form."""
        told: dict[str, int] = {}
        for (a, b), kind in zip(self.edges, self.kinds, strict=True):
            told[Kind.NAMES[kind]] = told.get(Kind.NAMES[kind], 0) + b - a
        return told

    def shuffled(self, generator: np.random.Generator) -> Counts:
        """The same features with the rows of labels shuffled within each block."""
        other = copy.copy(self)
        for made_of_labels in ("off_l", "labels_by_row", "label_masks"):
            vars(other).pop(made_of_labels, None)
        other.labels = [block.shuffled(generator) for block in self.labels]
        if any((weight != 1).any() for weight in self.weights):
            other.n_l = _counted(other.labels, self.weights)
        return other

    def alone(self, codes: Sequence[Codes]) -> np.ndarray:
        """How often each code of each column occurs, ragged."""
        return _counted(codes, self.weights)

    def cells(self, first: int, last: int) -> tuple[np.ndarray, slice]:
        """Offsets from 0 of a stripe of columns, and where its cells lie among all."""
        offsets = self.offsets[first : last + 1]
        return offsets - offsets[0], slice(int(offsets[0]), int(offsets[-1]))

    def feature(self, j: int, valid: int) -> Given:
        """A feature, to be held against all; codes from `valid` on are left out."""
        alone = self.n_f[self.offsets[j] : self.offsets[j + 1]]
        return Given(self.features, j, valid, alone)

    def label(self, j: int, valid: int) -> Given:
        """A label, to be held against all; codes from `valid` on are left out."""
        alone = self.n_l[self.l_offsets[j] : self.l_offsets[j + 1]]
        return Given(self.labels, j, valid, alone)

    def other(self, codes: np.ndarray) -> Given:
        """Any coded column, to be held against all."""
        sizes = [block.n_rows for block in self.features]
        parts = np.split(codes, np.cumsum(sizes)[:-1])
        levels = int(codes.max(initial=0)) + 1
        base = int(np.bincount(codes).argmax()) if codes.size else 0
        alone = np.zeros(levels, np.int64)
        for part, weight in zip(parts, self.weights, strict=True):
            np.add.at(alone, part, weight)
        blocks = [one_column(part, base, levels) for part in parts]
        return Given(blocks, 0, levels, alone)

    def pairs(self, given: Given) -> np.ndarray:
        """n(f, g) for all features and one given column: (cells, levels of g)."""
        table = np.zeros((int(self.offsets[-1]), given.levels), np.int64)

        def work(i: int, a: int, b: int) -> None:
            self.pairs_of(i, given, table[self.cells(a, b)[1]])

        self.shares.over_stripes(work, self.shares.cost_of(given))
        return table

    def pairs_of(self, i: int, given: Given, part: np.ndarray) -> np.ndarray:
        """n(f, g) for one stripe of features, written into zeros: (cells, levels of g)."""
        a, b = self.edges[i]
        offsets, where = self.cells(a, b)
        for block, stripes in enumerate(self.blocks):
            stripes[i].pairs(given, block, self.weights[block], part)
        counting.complete_pairs(
            part, self.n_f[where], given.alone, offsets, self.base[a:b], given.base
        )
        return part

    def add_pair_sums_of(self, i: int, given: Given, clogc: np.ndarray, out: np.ndarray) -> bool:
        """Add to out[f] the sum over n(f, g) for one stripe, if there is a short way."""
        stripe = self.stripes[i]
        if len(self.features) > 1:
            return False
        if isinstance(stripe, Planes):
            off_s = given.alone[given.others]
            stripe.add_pair_sums(given, off_s, self.off_f[i], clogc, out)
            return True
        assert isinstance(stripe, Lists)
        a, b = self.edges[i]
        features = self.n_f[self.cells(a, b)[1]], self.base[a:b]
        own, alone = (given.rows[0], given.off[0]), (given.alone, given.base)
        stripe.pair_sums(own, alone, features, self.weights[0], clogc, out)
        return True

    def add_label_sums_of(
        self, i: int, labels: np.ndarray, clogc: np.ndarray, out: np.ndarray
    ) -> bool:
        """Add to out[f] the sums over n(f, l) of labels of two levels, if there is a short way."""
        a, b = self.edges[i]
        stripe = self.stripes[i]
        if isinstance(stripe, Planes):
            if self.label_masks is None:
                return False
            masks, off_l = self.label_masks[labels], self.off_l[labels]
            stripe.add_label_sums(masks, off_l, self.off_f[i], clogc, out)
            return True
        n_f, off_l = self.n_f[self.cells(a, b)[1], None], self.off_l[labels, None]
        nothing = Meeting(self._nothing, 0, self.labels[0], labels, self.weights[0], None)
        assert isinstance(stripe, Lists)
        stripe.add_joint_of_levels(nothing, self.base[a:b], n_f, off_l, clogc, out[None])
        return True

    @cached_property
    def _nothing(self) -> Given:
        """A column that says nothing."""
        return self.other(np.zeros(sum(block.n_rows for block in self.features), np.int32))

    @cached_property
    def label_masks(self) -> np.ndarray | None:
        """The labels as bit planes, all of two levels, where that is the way to count them."""
        y = self.labels[0]
        if not any(self.is_planes) or len(self.labels) > 1 or (y.levels != 2).any():
            return None
        words = -(-y.n_rows // 64)
        return packed_planes(y, 0, len(y)) if 8 * words * len(y) <= self.most_masks else None

    def off_pairs(self, i: int, given: Given) -> np.ndarray:
        """In how many rows f and g are off their bases, both of two levels, for one stripe."""
        a, b = self.edges[i]
        out = np.zeros(b - a, self.small)
        for block, stripes in enumerate(self.blocks):
            stripes[i].off_pairs(given, block, self.weights[block], out)
        return out

    def off_labels(self, i: int, labels: np.ndarray) -> np.ndarray:
        """The like for some labels of two levels: (labels, codes but the base)."""
        out = np.zeros((labels.size, self.off_f[i].size), self.small)
        for block, stripes in enumerate(self.blocks):
            masks = None if self.label_masks is None else self.label_masks[labels]
            stripes[i].off_labels(self.labels[block], labels, masks, self.weights[block], out)
        return out

    def pairs_with_label(self, label: int) -> np.ndarray:
        """n(f, l) for all features and one label: (cells, levels of l)."""
        return self.pairs(self.label(label, int(self.labels[0].levels[label])))

    def given_with_labels(self, given: Given) -> np.ndarray:
        """n(s, l) for one column and every label: (labels, levels of s, most levels of l)."""
        first = self.labels[0]
        labels = np.arange(len(first))
        masks = self.label_masks
        if masks is not None:
            return self._given_with_masks(given, masks)
        n_sl = np.zeros((labels.size, given.levels, int(first.levels.max(initial=1))), np.int64)
        for codes, y, weights in zip(given.codes, self.labels, self.weights, strict=True):
            counting.count_given(codes, y.indptr, y.rows, y.codes, labels, weights, n_sl)
        counting.complete_given(n_sl, given.alone, first.base)
        return n_sl

    def _given_with_masks(self, given: Given, masks: np.ndarray) -> np.ndarray:
        y, labels = self.labels[0], np.arange(self.q)
        met = np.zeros((given.levels - 1, labels.size), np.int64)
        sweeping.sweep(masks, given.masks[0], met)
        n_sl = np.zeros((labels.size, given.levels, 2), np.int64)
        n_sl[labels[:, None], given.others, 1 - y.base[:, None]] = met.T
        n_sl[labels, given.base, 1 - y.base] = self.off_l - met.sum(axis=0)
        counting.complete_given(n_sl, given.alone, y.base)
        return n_sl


def _stripe_of(codes: Codes, first: int, last: int, kind: int) -> Stripe:
    form = Planes if kind in {Kind.BINARY_PLANES, Kind.PLANES} else Lists
    return form(codes, first, last)


def _counted(blocks: Sequence[Codes], weights: Sequence[np.ndarray]) -> np.ndarray:
    if all((weight == 1).all() for weight in weights):
        return sum((block.counts for block in blocks[1:]), blocks[0].counts)
    first = blocks[0]
    offsets = np.concatenate([[0], np.cumsum(first.levels)]).astype(np.int64)
    out = np.zeros(int(offsets[-1]), np.int64)
    total = 0
    for block, weight in zip(blocks, weights, strict=True):
        cells = offsets[block.column_of_entry] + block.codes
        np.add.at(out, cells, weight[block.rows])  # np.bincount would round above 2**53
        total += int(weight.sum())
    at_base = offsets[:-1] + first.base
    out[at_base] = total - np.add.reduceat(out, offsets[:-1]) if first.base.size else 0
    return out
