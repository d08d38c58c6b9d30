"""The cached table of entropies and informations: counts each thing once.

`Table` finishes counts into numbers for all features at once; `Info` (in info.py) is the
vocabulary in which criteria ask for them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

import numpy as np

from mlfs._kernels import finishing
from mlfs.coding import Codes
from mlfs.counts import Counts, Given

__all__ = ["Cache", "PairInfo", "Table"]

CACHE_BYTES = 512 << 20
CLOGC_SIZE = 1 << 22  # larger counts (fine weights, millions of rows) take the logarithm itself
CELLS_AT_ONCE = 1 << 19  # triple counts that are made before they are finished


class Cache:
    """Arrays by key; the longest unused go first when the bytes run out."""

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self.limit, self.bytes = limit, 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value under a key, made if it is not there."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        value = make()
        arrays = value if isinstance(value, tuple) else (value,)
        size = sum(array.nbytes for array in arrays)
        if size <= self.limit // 2:
            self._kept[key] = value, size
            self.bytes += size
            while self.bytes > self.limit:
                _, (_, gone) = self._kept.popitem(last=False)
                self.bytes -= gone
        return value


class PairInfo(tuple[np.ndarray, np.ndarray, np.ndarray]):
    """I(f;g), H(f) and H(g) of every feature f, on the rows in which both are known."""

    __slots__ = ()

    @property
    def mi(self) -> np.ndarray:
        """I(f;g)."""
        return self[0]

    @property
    def h_f(self) -> np.ndarray:
        """H(f)."""
        return self[1]

    @property
    def su(self) -> np.ndarray:
        """Symmetrical uncertainty 2 I(f;g) / (H(f) + H(g)), 0 where both entropies are 0."""
        both = self[1] + self[2]
        return np.divide(2 * self[0], both, out=np.zeros_like(both), where=both > 0)


class Table:
    """Informations of all features with anything, finished from counts and cached.

    Parameters
    ----------
    counts : Counts
        The counts of the data. Label columns from `q` on are masks of missing labels.
    q : int
        Number of labels.
    mask_of : ndarray of int
        The mask column of each label, or -1 for a label without missing values.
    ignore_missing : bool
        Leave out rows in which a feature is missing, instead of counting them as a level.
    cache_bytes : int
        What may be kept.
    """

    def __init__(
        self,
        counts: Counts,
        q: int,
        mask_of: np.ndarray,
        *,
        ignore_missing: bool = False,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self.counts, self.q, self.mask_of = counts, q, mask_of
        self.d = counts.d
        self.ignore_missing = ignore_missing
        self.f_valid = counts.features[0].valid(ignore_missing=ignore_missing)
        self.l_valid = counts.labels[0].valid(ignore_missing=True)
        self.cache = Cache(cache_bytes)
        self.clogc = np.zeros(max(1, min(counts.total + 1, CLOGC_SIZE)))
        finishing.fill_clogc(self.clogc)
        self.triples_counted = 0
        self.pairs_counted = 0

    @cached_property
    def h_f(self) -> np.ndarray:
        """H(f)."""
        return self._entropies(self.counts.n_f, self.counts.offsets, self.f_valid)

    @cached_property
    def h_l(self) -> np.ndarray:
        """H(l), missing values left out."""
        n_l, offsets = self.counts.n_l, self.counts.l_offsets
        return self._entropies(n_l, offsets, self.l_valid)[: self.q]

    def _entropies(self, n: np.ndarray, offsets: np.ndarray, valid: np.ndarray) -> np.ndarray:
        out = np.empty((valid.size, 2))
        finishing.singles(n, offsets, valid, self.clogc, out)
        return _entropy(out[:, 0], out[:, 1], self.clogc)

    def feature(self, s: int) -> Given:
        """A picked feature, to be held against all."""
        given = self.counts.feature(s)
        return Given(given.codes, given.base, given.levels, int(self.f_valid[s]))

    def label(self, p: int) -> Given:
        """A label, to be held against all."""
        return self.counts.label(p)

    def n_fs(self, s: int) -> np.ndarray:
        """Counts of all features with a picked one."""

        def make() -> np.ndarray:
            self.pairs_counted += self.d
            return self.counts.pairs(self.feature(s))

        found: np.ndarray = self.cache.get(("n_fs", s), make)
        return found

    def n_fl(self, label: int) -> np.ndarray:
        """Counts of all features with a label."""
        found: np.ndarray = self.cache.get(
            ("n_fl", label), lambda: self.counts.pairs_with_label(label)
        )
        return found

    def pair_with_label(self, label: int) -> PairInfo:
        """I(f;l) and the entropies."""
        return PairInfo(
            self.cache.get(
                ("fl", label), lambda: self._pair(self.n_fl(label), int(self.l_valid[label]))
            )
        )

    def _pair(self, table: np.ndarray, g_valid: int) -> tuple[np.ndarray, ...]:
        sums = np.empty((self.d, 4))

        def work(_: int, a: int, b: int) -> None:
            offsets, where = self.counts.cells(a, b)
            finishing.pair_sums(
                table[where], offsets, self.f_valid[a:b], g_valid, self.clogc, sums[a:b]
            )

        self.counts.over_stripes(work)
        rows, t_fg, t_f, t_g = sums.T
        t_n = _of_rows(rows, self.clogc)
        mi = _per_row(t_n + t_fg - t_f - t_g, rows)
        return mi, _per_row(t_n - t_f, rows), _per_row(t_n - t_g, rows)

    def pair_in_context(self, given: Given, key: Hashable, labels: np.ndarray) -> PairInfo:
        """I(f;g) as it stands inside terms about labels: the mean over the labels in play.

        A row in which a label is missing is left out of everything inside a term about that
        label. Without missing labels this is plain I(f;g).
        """
        kind, at = key  # type: ignore[misc]  # ("s", feature) or ("p", label)
        masks, times = np.unique(self.mask_of[labels], return_counts=True)
        table = self.n_fs(at) if kind == "s" else self.n_fl(at)

        def plain() -> tuple[np.ndarray, ...]:
            return self._pair(table, given.valid)

        def masked(mask: int) -> tuple[np.ndarray, ...]:
            sums = self.triple_sums(given, table, np.array([mask]))[0]
            rows, _, t_fs, _, _, t_f, t_s, _ = sums.T
            t_n = _of_rows(rows, self.clogc)
            mi = _per_row(t_n + t_fs - t_f - t_s, rows)
            return mi, _per_row(t_n - t_f, rows), _per_row(t_n - t_s, rows)

        def of(mask: int) -> tuple[np.ndarray, ...]:
            make = plain if mask < 0 else lambda: masked(mask)
            found: tuple[np.ndarray, ...] = self.cache.get(("pair", key, mask), make)
            return found

        parts = [of(mask) for mask in masks.tolist()]
        if len(parts) == 1:
            return PairInfo(parts[0])
        return PairInfo(
            sum(n * part[i] for n, part in zip(times.tolist(), parts, strict=True)) / labels.size
            for i in range(3)
        )

    def entropy_in_context(self, labels: np.ndarray) -> np.ndarray:
        """H(f) as it stands inside terms about labels: the mean over the labels in play."""
        masks, times = np.unique(self.mask_of[labels], return_counts=True)
        parts = [
            self.h_f if mask < 0 else self.pair_with_label(mask).h_f for mask in masks.tolist()
        ]
        if len(parts) == 1:
            return parts[0]
        weighted = [n * part for n, part in zip(times.tolist(), parts, strict=True)]
        total: np.ndarray = sum(weighted[1:], weighted[0]) / labels.size
        return total

    def _blocks(self, labels: np.ndarray, given: Given, cells: int) -> list[np.ndarray]:
        width = int(self.counts.labels[0].levels[labels].max(initial=1))
        size = max(1, CELLS_AT_ONCE // max(1, cells * given.levels * width))
        return [labels[i : i + size] for i in range(0, labels.size, size)]

    def _triples(
        self,
        given: Given,
        n_fs: np.ndarray,
        labels: np.ndarray,
        finish: Callable[[int, int, np.ndarray, np.ndarray, np.ndarray], None],
    ) -> None:
        """Count n(f, s, l) stripe by stripe and block by block, and finish each."""
        levels = self.counts.labels[0].levels
        tables = {int(label): self.n_fl(int(label)) for label in labels}
        self.triples_counted += self.d * labels.size

        def work(i: int, a: int, b: int) -> None:
            offsets, where = self.counts.cells(a, b)
            done = 0
            for block in self._blocks(labels, given, int(offsets[-1])):
                width = int(levels[block].max())
                n_fl = np.zeros((block.size, int(offsets[-1]), width), np.int64)
                for at, label in enumerate(block.tolist()):
                    n_fl[at, :, : levels[label]] = tables[label][where]
                counts = self.counts.triples(given, block, n_fs[where], n_fl, i)
                finish(a, b, np.arange(done, done + block.size), offsets, counts)
                done += block.size

        self.counts.over_stripes(work)

    def triple_sums(self, given: Given, n_fs: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Rows and sums of c log c over fsl, fs, fl, sl, f, s, l: (labels, features, 8)."""
        out = np.empty((labels.size, self.d, 8))
        valid = self.l_valid[labels]

        def finish(
            a: int, b: int, at: np.ndarray, offsets: np.ndarray, counts: np.ndarray
        ) -> None:
            part = np.empty((at.size, b - a, 8))
            finishing.triple_sums(
                counts, offsets, self.f_valid[a:b], given.valid, valid[at], self.clogc, part
            )
            out[at, a:b] = part

        self._triples(given, n_fs, labels, finish)
        return out

    def cmi_sums(
        self, given: Given, n_fs: np.ndarray, labels: np.ndarray, shares: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """sum_l share_l I(s;l|f) and sum_l share_l I(f;l|s), label after label."""
        sl_given_f, fl_given_s = np.zeros(self.d), np.zeros(self.d)
        valid = self.l_valid[labels]

        def finish(
            a: int, b: int, at: np.ndarray, offsets: np.ndarray, counts: np.ndarray
        ) -> None:
            finishing.triple_cmi(
                counts,
                offsets,
                self.f_valid[a:b],
                given.valid,
                valid[at],
                shares[at],
                self.clogc,
                sl_given_f[a:b],
                fl_given_s[a:b],
            )

        self._triples(given, n_fs, labels, finish)
        return sl_given_f, fl_given_s

    @cached_property
    def among_labels(self) -> Table:
        """The same table with the labels in the place of the features."""
        blocks = self.counts.labels
        counts = Counts(blocks, blocks, self.counts.weights)
        return Table(counts, self.q, self.mask_of, ignore_missing=True)


def _of_rows(rows: np.ndarray, clogc: np.ndarray) -> np.ndarray:
    """N log N of every feature; all have the same N unless missing values are left out."""
    sizes, where = np.unique(rows, return_inverse=True)
    out = np.empty((sizes.size, 2))
    finishing.singles(
        sizes.astype(np.int64),
        np.arange(sizes.size + 1),
        np.ones(sizes.size, np.int32),
        clogc,
        out,
    )
    return out[where, 1]


def _entropy(rows: np.ndarray, t_f: np.ndarray, clogc: np.ndarray) -> np.ndarray:
    return _per_row(_of_rows(rows, clogc) - t_f, rows)


def _per_row(total: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Divide by the number of rows; no rows, no information; rounding below 0 is clipped."""
    out = np.divide(total, rows, out=np.zeros_like(total), where=rows > 0)
    return np.maximum(out, 0.0, out=out)
