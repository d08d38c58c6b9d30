"""The cached table of entropies and informations: counts each thing once.

`Table` finishes counts into numbers for all features at once; `Info` (in info.py) is the
vocabulary in which criteria ask for them.
"""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mlfs._kernels import finishing
from mlfs.counts import Counts, Given
from mlfs.held import Held
from mlfs.triples import Triples

if TYPE_CHECKING:
    from mlfs.packed import Packed

__all__ = ["Cache", "PairInfo", "Table", "entropies"]

CACHE_BYTES = 512 << 20
RECENT_BYTES = 32 << 20
CLOGC_SIZE = 1 << 22  # larger counts (fine weights, millions of rows) take the logarithm itself


class Cache:
    """Arrays by key; the longest unused go first when the bytes run out."""

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self.limit, self.bytes = limit, 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value under a key, made if it is not there."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
        value = make()  # outside the lock: two threads may both make it, and make the same
        arrays = value if isinstance(value, tuple) else (value,)
        size = sum(array.nbytes for array in arrays)
        with self._lock:
            if size <= self.limit // 2 and key not in self._kept:
                self._kept[key] = value, size
                self.bytes += size
                while self.bytes > self.limit:
                    _, (_, gone) = self._kept.popitem(last=False)
                    self.bytes -= gone
        return value


class PairInfo(NamedTuple):
    """I(f;g), H(f) and H(g) of every feature f, on the rows in which both are known."""

    mi: np.ndarray
    h_f: np.ndarray
    h_g: np.ndarray

    @property
    def su(self) -> np.ndarray:
        """Symmetrical uncertainty 2 I(f;g) / (H(f) + H(g)), 0 where both entropies are 0."""
        both = self.h_f + self.h_g
        return np.divide(2 * self.mi, both, out=np.zeros_like(both), where=both > 0)


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
    place : ndarray of int, optional
        Where each column of the data stands among the counted columns; the arrays of a table
        are in the order of the counted ones.
    cache_bytes : int
        What may be kept.
    clogc : ndarray, optional
        c log c of every count, if another table of the same rows has it.
    """

    packed: Packed | None = None  # what `mlfs.packed.Packed.of` makes of it

    def __init__(
        self,
        counts: Counts,
        q: int,
        mask_of: np.ndarray,
        *,
        ignore_missing: bool = False,
        place: np.ndarray | None = None,
        cache_bytes: int = CACHE_BYTES,
        clogc: np.ndarray | None = None,
    ) -> None:
        self.place = place
        self.counts, self.q, self.mask_of = counts, q, mask_of
        self.d = counts.d
        self.ignore_missing = ignore_missing
        self.f_valid = counts.features[0].valid(ignore_missing=ignore_missing)
        self.f_whole = bool((self.f_valid == counts.levels).all())
        self.l_valid = counts.labels[0].valid(ignore_missing=True)
        self.cache = Cache(cache_bytes)
        self.recent = Cache(min(RECENT_BYTES, cache_bytes))  # what is asked for within one step
        if clogc is None:
            clogc = np.zeros(max(1, min(counts.total + 1, CLOGC_SIZE)))
            finishing.fill_clogc(clogc)
        self.clogc = clogc
        self.pairs_counted = 0
        self.no_masks = bool((mask_of < 0).all())

    def position(self, column: int) -> int:
        """Where a column of the data stands among the counted columns."""
        return int(column) if self.place is None else int(self.place[column])

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
        return entropies(out[:, 0], out[:, 1], self.clogc)

    def feature(self, s: int) -> Held:
        """A picked feature, beside all features."""

        def make() -> Held:
            self.pairs_counted += self.d
            return self.held(self.counts.feature(s, int(self.f_valid[s])))

        found: Held = self.cache.get(("s", s), make)
        return found

    def label(self, p: int) -> Held:
        """A label, beside all features."""

        def make() -> Held:
            given = self.counts.label(p, int(self.l_valid[p]))
            return self.held(given, self.n_fl(p))

        found: Held = self.cache.get(("p", p), make)
        return found

    def held(self, given: Given, pairs: np.ndarray | None = None) -> Held:
        """Any column, beside all features."""
        pairs = self.counts.pairs(given) if pairs is None else pairs
        return Held(self.counts, given, pairs, self.pair_sums(pairs, given.valid))

    def n_fl(self, label: int) -> np.ndarray:
        """Counts of all features with a label."""
        found: np.ndarray = self.cache.get(
            ("n_fl", label), lambda: self.counts.pairs_with_label(label)
        )
        return found

    def pair_with_label(self, label: int) -> PairInfo:
        """I(f;l) and the entropies."""
        found: PairInfo = self.cache.get(
            ("fl", label), lambda: self._pair(self.n_fl(label), int(self.l_valid[label]))
        )
        return found

    def label_sums(self, label: int) -> np.ndarray:
        """The sums of c log c over n(f,l) of every feature."""

        def make() -> np.ndarray:
            return self.pair_sums(self.n_fl(label), int(self.l_valid[label]))[:, 1].copy()

        found: np.ndarray = self.cache.get(("t_fl", label), make)
        return found

    def _pair(self, table: np.ndarray, g_valid: int) -> PairInfo:
        return self._informed(*self.pair_sums(table, g_valid).T)

    def _informed(
        self, rows: np.ndarray, t_fg: np.ndarray, t_f: np.ndarray, t_g: np.ndarray
    ) -> PairInfo:
        t_n = _of_rows(rows, self.clogc)
        mi = _per_row(t_n + t_fg - t_f - t_g, rows)
        return PairInfo(mi, _per_row(t_n - t_f, rows), _per_row(t_n - t_g, rows))

    def pair_sums(self, table: np.ndarray, g_valid: int) -> np.ndarray:
        """Rows and sums of c log c over fg, f, g: (features, 4)."""
        sums = np.empty((self.d, 4))

        def work(_: int, a: int, b: int) -> None:
            offsets, where = self.counts.cells(a, b)
            finishing.pair_sums(
                table[where], offsets, self.f_valid[a:b], g_valid, self.clogc, sums[a:b]
            )

        self.counts.over_stripes(work)
        return sums

    def masks_of(self, labels: np.ndarray) -> list[tuple[int, int]]:
        """The masks of missing values of some labels, each with the number of its labels."""
        if self.no_masks:
            return [(-1, int(labels.size))]
        masks, times = np.unique(self.mask_of[labels], return_counts=True)
        return list(zip(masks.tolist(), times.tolist(), strict=True))

    def pair_with_feature(self, s: int, labels: np.ndarray) -> PairInfo:
        """I(f;s) and the entropies, as they stand inside terms about labels."""
        return self._in_context(("fs", s), labels, lambda: self.feature(s))

    def su_with_feature(self, s: int, labels: np.ndarray) -> np.ndarray:
        """SU(f,s), as it stands inside terms about labels."""
        key = ("su", s, tuple(self.masks_of(labels)))
        found: np.ndarray = self.cache.get(key, lambda: self.pair_with_feature(s, labels).su)
        return found

    def pair_with_parent(self, p: int, labels: np.ndarray) -> PairInfo:
        """I(f;p) and the entropies, as they stand inside terms about labels."""
        return self._in_context(("fp", p), labels, lambda: self.label(p))

    def _in_context(
        self, key: tuple[str, int], labels: np.ndarray, held: Callable[[], Held]
    ) -> PairInfo:
        """The mean over the labels in play of what their own rows say.

        A row in which a label is missing is left out of everything inside a term about that
        label. Without missing labels this is the plain pair.
        """

        def plain() -> PairInfo:
            column = held()
            return self._informed(column.rows, column.t_fs, column.t_f, column.t_s)

        def masked(mask: int) -> PairInfo:
            sums = self.triples.sums(held(), np.array([mask]))
            rows, t_fs, t_f, t_s = (part[0] for part in (sums.rows, sums.fs, sums.f, sums.s))
            return self._informed(rows, t_fs, t_f, t_s)

        masks = self.masks_of(labels)
        parts = [
            self.cache.get((key, mask), plain if mask < 0 else functools.partial(masked, mask))
            for mask, _ in masks
        ]
        if len(parts) == 1:
            only: PairInfo = parts[0]
            return only
        return PairInfo(
            *(
                sum(n * part[i] for (_, n), part in zip(masks, parts, strict=True)) / labels.size
                for i in range(3)
            )
        )

    def entropy_in_context(self, labels: np.ndarray) -> np.ndarray:
        """H(f) as it stands inside terms about labels: the mean over the labels in play."""
        masks = self.masks_of(labels)
        parts = [self.h_f if mask < 0 else self.pair_with_label(mask).h_f for mask, _ in masks]
        if len(parts) == 1:
            return parts[0]
        weighted = [n * part for (_, n), part in zip(masks, parts, strict=True)]
        total: np.ndarray = sum(weighted[1:], weighted[0]) / labels.size
        return total

    @cached_property
    def triples(self) -> Triples:
        """What is said about triples of a feature, a picked column and a label."""
        return Triples(self)

    @cached_property
    def among_labels(self) -> Table:
        """The same table with the labels in the place of the features."""
        blocks = self.counts.labels
        counts = Counts(blocks, blocks, self.counts.weights)
        return Table(counts, self.q, self.mask_of, ignore_missing=True)


def _of_rows(rows: np.ndarray, clogc: np.ndarray) -> np.ndarray:
    """N log N of every feature; all have the same N unless missing values are left out."""
    if rows.size and (rows == rows[0]).all():
        sizes, where = rows[:1], np.zeros(rows.size, np.intp)
    else:
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


def entropies(rows: np.ndarray, t_f: np.ndarray, clogc: np.ndarray) -> np.ndarray:
    """(N log N - sum of c log c) / N, for any number of N at once."""
    return _per_row(_of_rows(rows, clogc) - t_f, rows)


def _per_row(total: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Divide by the number of rows; no rows, no information; rounding below 0 is clipped."""
    out = np.divide(total, rows, out=np.zeros_like(total), where=rows > 0)
    return np.maximum(out, 0.0, out=out)
