"""Columns of a table as bit planes, so that single candidates can be met with single picks."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs._kernels import few
from mlfs.counting.bit_planes import Planes, packed_planes
from mlfs.information.triples import Sums

if TYPE_CHECKING:
    from mlfs.counting.codes import Codes
    from mlfs.information.table import Table

__all__ = ["Meetings", "Part"]

Part = tuple[np.ndarray | None, np.ndarray, np.ndarray]
_pairs: Any = few.few_pairs  # no type checker counts through several stars
_triples: Any = few.few_triples
MOST_LEVELS = 64
WORD, FINISH = 0.12, 12.0  # nanoseconds: of two words that meet, of a table that is finished


class Meetings:
    """The planes of a table, wherever they lie; those of picked columns are kept together.

    Parameters
    ----------
    table : Table
        Whose columns. Its features are whole, and every row counts once, or it does not fit.
    """

    def __init__(self, table: Table) -> None:
        counts = table.counts
        self._table, self._counts = table, counts
        self.fits = (
            len(counts.features) == 1
            and counts.total > 0
            and table.in_table
            and table.f_whole
            and counts.total == counts.features[0].n_rows
            and all(bool((weights == 1).all()) for weights in counts.weights)
            and int(max(counts.levels.max(initial=1), counts.labels[0].levels.max(initial=1)))
            <= MOST_LEVELS
        )
        self._words = -(-counts.features[0].n_rows // 64)
        self._edges = np.array([a for a, _ in counts.edges], np.int64)
        sizes = [b - a for a, b in counts.edges]
        self._stripe_of = np.repeat(np.arange(len(sizes)), sizes)
        is_plane = [isinstance(stripe, Planes) for stripe in counts.stripes]
        self._is_plane = np.repeat(is_plane, sizes)
        packed = counts.features[0].packed
        self._all_packed = packed is not None and bool((packed.first >= 0).all())
        self._all_planes = all(is_plane)
        columns = (counts.levels, counts.base, counts.offsets[:-1], table.t_f)
        self._of_column = np.array(columns, np.int64)  # what kernels want to know of each
        self._t_f = self._of_column[3]
        self._scale = float(counts.total) * 2.0 ** int(table.clogc[-1])
        self._lock = threading.Lock()  # on the planes that are kept
        self._of_pick: dict[int, int] = {}
        planes = int(counts.offsets[-1]) - counts.d
        self._room = min(planes, table.budget.picked // (8 * max(1, self._words)))
        self._all_fit = self._room == planes
        self._picked = np.empty((0, self._words), np.uint64)
        self._used = 0
        self._of_labels: tuple[bytes, np.ndarray, np.ndarray] | None = None

    @staticmethod
    def of(table: Table) -> Meetings:
        """The planes of a table, made once."""
        if table.meetings is None:
            table.meetings = Meetings(table)
        return table.meetings

    def cost(self, labels: np.ndarray, *, triples: bool) -> float:
        """About how many nanoseconds a term takes for all candidates."""
        counts = self._counts
        d, off = counts.d, int(counts.offsets[-1]) - counts.d
        if not self.mostly_planes(np.arange(d)):
            return 0.0  # lists: what a sweep walks is less than planes would be
        met = off * max(1.0, off / max(1, d))
        cells = int(counts.offsets[-1]) * max(2.0, float(counts.levels.mean())) / 4
        plain = met * self._words * WORD + cells * FINISH
        with_labels = float((counts.labels[0].levels[labels] - 1).sum()) if triples else 0.0
        return plain * (1.0 + with_labels)

    # ---- planes -----------------------------------------------------------------------------

    def parts(self, where: np.ndarray) -> Iterator[Part]:
        """Of columns of one stripe each: which of `where`, the planes, the first of each."""
        packed = self._counts.features[0].packed
        if packed is not None:  # the planes of all columns that have any lie together
            first = packed.first[where]
            if self._all_packed or (first >= 0).all():
                yield None, packed.planes, first
                return
        stripe_of = self._stripe_of[where]
        one = int(stripe_of[0]) if where.size else -1
        alike = (stripe_of == one).all()
        for i in [one] * (one >= 0) if alike else np.unique(stripe_of).tolist():
            some = None if alike else np.flatnonzero(stripe_of == i)
            columns = where if some is None else where[some]
            stripe = self._counts.stripes[i]
            if isinstance(stripe, Planes):
                yield some, stripe.planes, stripe.first[columns - self._edges[i]]
            else:
                yield some, *_packed(self._counts.features[0].take(columns))

    def _slots(self, picks: Sequence[int]) -> np.ndarray:
        """The first planes of picked columns, among those that are kept."""
        new = [s for s in picks if s not in self._of_pick]
        if new:
            size = int((self._counts.levels[new] - 1).sum())
            if self._used + size > self._room:
                self._of_pick, self._used = {}, 0
                new = list(picks)
                size = int((self._counts.levels[new] - 1).sum())
            if self._used + size > self._picked.shape[0]:
                most = max(self._room, size)  # what is not written to takes no memory
                grown = np.empty((most, self._words), np.uint64)
                grown[: self._used] = self._picked[: self._used]
                self._picked = grown
            for s in new:
                for _, words, first in self.parts(np.array([s])):
                    n, at = int(self._counts.levels[s]) - 1, self._used
                    self._picked[at : at + n] = words[first[0] : first[0] + n]
                    self._used += n
                    self._of_pick[s] = at  # last, so that an interrupt names nothing half made
        return np.array([self._of_pick[s] for s in picks], np.int64)

    def _label_planes(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y = self._counts.labels[0]
        if self._bytes(y.levels) <= self._table.budget.masks:
            if self._of_labels is None:
                self._of_labels = b"", *_packed(y)
            return self._of_labels[1], self._of_labels[2][labels]
        key = labels.tobytes()
        if self._of_labels is None or self._of_labels[0] != key:
            self._of_labels = key, *_packed(y.take(labels))
        return self._of_labels[1:]

    def has_room(self, labels: np.ndarray) -> bool:
        """Whether the planes of some labels may be there together."""
        return self._bytes(self._counts.labels[0].levels[labels]) <= self._table.budget.masks

    def _bytes(self, levels: np.ndarray) -> int:
        return int((levels - 1).sum()) * self._words * 8

    def _cuts(self, picks: Sequence[int], start: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """As many picks at a time as may be there together, and where each candidate begins."""
        if self._all_fit:
            yield slice(None), start
            return
        ends = np.cumsum(self._counts.levels[picks] - 1)
        first = 0
        while first < len(picks):
            before = int(ends[first - 1]) if first else 0
            last = int(ends.searchsorted(before + self._room, side="right"))
            some = slice(first, max(first + 1, last))
            yield some, np.clip(start - first, 0, some.stop - first)
            first = some.stop

    # ---- terms ------------------------------------------------------------------------------

    def _picks(self, picks: Sequence[int]) -> tuple[np.ndarray, ...]:
        slots = self._slots(picks)
        levels, base, offsets, t_f = self._of_column.take(picks, axis=1)
        return self._picked, slots, levels, base, self._counts.n_f, offsets, t_f

    def _columns(
        self, where: np.ndarray, start: np.ndarray, parts: Sequence[Part]
    ) -> Iterator[tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]]:
        counts = self._counts
        for some, words, first in parts:
            columns = where if some is None else where[some]
            levels, base, offsets, t_f = self._of_column.take(columns, axis=1)
            yield (
                (words, first, levels, base, counts.n_f, offsets, t_f),
                start if some is None else start[some],
                np.arange(where.size) if some is None else some,
            )

    def mostly_planes(self, where: np.ndarray) -> bool:
        """Whether most of some columns are counted as planes anyway."""
        return self._all_planes or bool(2 * np.count_nonzero(self._is_plane[where]) >= where.size)

    def pairs(
        self, where: np.ndarray, picks: Sequence[int], start: np.ndarray, parts: Sequence[Part]
    ) -> np.ndarray:
        """I(f;s) of each pick and each candidate; 0 before the candidate's first pick."""
        table, out = self._table, np.zeros((len(picks), where.size))
        if where.size:
            for some, later in self._cuts(picks, start):
                with self._lock:
                    s = self._picks(picks[some])
                    for f, begins, at in self._columns(where, later, parts):
                        told = self._counts.total, self._scale, table.clogc, out[some]
                        _pairs(*f, *s, begins, at, *told)
        table.pairs_counted += int((len(picks) - start).sum())
        return out

    def informations(
        self,
        where: np.ndarray,
        picks: Sequence[int],
        start: np.ndarray,
        labels: np.ndarray,
        parts: Sequence[Part],
    ) -> tuple[np.ndarray, np.ndarray]:
        """The sums over labels of I(s;l|f) and I(f;l|s), of each pick and each candidate."""
        out = np.zeros((2, len(picks), where.size))
        with self._lock:
            none = np.zeros((4, 0, 0, 0), np.int64)
            self._triples(where, picks, start, labels, out, none, parts)
        return out[0], out[1]

    def sums(
        self,
        where: np.ndarray,
        picks: Sequence[int],
        start: np.ndarray,
        labels: np.ndarray,
        parts: Sequence[Part],
    ) -> list[Sums]:
        """All sums, for each pick."""
        table = self._table
        sums = np.zeros((4, len(picks), labels.size, where.size), np.int64)
        out = np.zeros((2, len(picks), where.size))
        with self._lock:
            self._triples(where, picks, start, labels, out, sums, parts)
        alike = (labels.size, where.size)
        t_f = np.broadcast_to(self._t_f[where], alike)
        t_l = np.broadcast_to(table.t_l[labels, None], alike)
        made = []
        for s, (t_fsl, t_fs, t_fl, t_sl) in zip(picks, np.moveaxis(sums, 1, 0), strict=True):
            t_s = np.broadcast_to(self._t_f[s], alike)
            made.append(Sums(table.rows, t_fsl, t_fs, t_fl, t_sl, t_f, t_s, t_l))
        return made

    def _triples(
        self,
        where: np.ndarray,
        picks: Sequence[int],
        start: np.ndarray,
        labels: np.ndarray,
        out: np.ndarray,
        sums: np.ndarray,
        parts: Sequence[Part],
    ) -> None:
        table, counts = self._table, self._counts
        pairs = int((len(picks) - start).sum())
        table.pairs_counted += pairs
        table.triples.counted += pairs * labels.size
        if not where.size or not labels.size:
            return
        y = counts.labels[0]
        l = (
            *self._label_planes(labels),
            y.levels[labels],
            y.base[labels],
            counts.n_l,
            counts.l_offsets[labels],
        )
        for some, later in self._cuts(picks, start):
            s = self._picks(picks[some])
            for f, begins, at in self._columns(where, later, parts):
                every = self._all_fit or not sums.size
                told = sums if every else np.zeros_like(sums[:, some])  # kernels want one piece
                own = out[0, some], out[1, some], told
                _triples(*f, *s, begins, at, self._scale, table.clogc, *l, *own)
                if not every:
                    sums[:, some] += told


def _packed(codes: Codes) -> tuple[np.ndarray, np.ndarray]:
    """All columns of some codes as planes, and the first plane of each."""
    sizes = codes.levels - 1
    return packed_planes(codes, 0, len(codes)), np.cumsum(sizes) - sizes
