"""Bit planes of single columns: a few candidates counted with a few anchors, without a sweep."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mlfs._kernels.plane_subsets import (
    PlaneColumns,
    SubsetSums,
    Tables,
    subset_pairs,
    subset_triples,
)
from mlfs.counting.codes import Codes
from mlfs.counting.entries import edges_of
from mlfs.counting.layouts import pack_planes

if TYPE_CHECKING:
    from mlfs.counting.counts import Counts
    from mlfs.counting.memory import Budget


MOST_LEVELS = 64
SMALL = 1 << 18  # bytes of tables that are kept for the next call


class PlanePart(NamedTuple):
    """Columns whose planes lie together."""

    members: np.ndarray | None  # which of the columns that were asked for; None for all
    planes: np.ndarray
    first: np.ndarray  # the first plane of each


class SubsetPlanes:
    """The planes of a table, wherever they are; those of anchors are kept together.

    Parameters
    ----------
    counts : Counts
        The table; no level of its features is left out.
    t_f : ndarray
        The sums of c log c of its features.
    budget : Budget
        The memory that may be taken.
    """

    def __init__(self, counts: Counts, t_f: np.ndarray, budget: Budget) -> None:
        self._counts, self._budget = counts, budget
        most = counts.levels.max(initial=1), counts.labels.levels.max(initial=1)
        self._most_levels = int(most[0]), int(most[1])
        self.fits = (
            counts.total > 0 and counts.counts_rows and max(self._most_levels) <= MOST_LEVELS
        )
        self._words = -(-counts.n_rows // 64)
        self._edges = np.array([a for a, _ in counts.edges], np.int64)
        sizes = [b - a for a, b in counts.edges]
        self._group_of = np.repeat(np.arange(len(sizes)), sizes)
        has_planes = [group.has_planes for group in counts.groups]
        self._has_planes, self._all_planes = np.repeat(has_planes, sizes), all(has_planes)
        self._codes = counts.features
        packed = self._codes.packed
        self._all_packed = packed is not None and bool((packed.first >= 0).all())
        columns = (counts.levels, counts.modes, counts.offsets[:-1], t_f)
        self._column_facts = np.array(columns, np.int64)
        self._scale = float(counts.total) * counts.xlogx.unit
        self._lock = threading.Lock()  # on the planes that are kept
        self._slot_of: dict[int, int] = {}
        planes = int(counts.offsets[-1]) - counts.d
        self._room = min(planes, budget.picked // (8 * max(1, self._words)))
        self._all_fit = self._room == planes
        self._anchors = np.empty((0, self._words), np.uint64)
        self._used = 0
        self._last_label_planes: tuple[bytes, np.ndarray, np.ndarray] | None = None
        self._in_play: tuple[np.ndarray, PlaneColumns] | None = None  # the labels asked for last
        self._has_room: tuple[np.ndarray, bool] | None = None
        self._tables: Tables | None = None

    def cost(self, labels: np.ndarray, *, triples: bool) -> float:
        """Estimate the nanoseconds of a term for all candidates; 0 where lists are faster."""
        return self._counts.sweep_cost(labels, triples=triples)

    def mostly_planes(self, candidates: np.ndarray) -> bool:
        """Whether most of some columns are kept as planes."""
        if self._all_planes:
            return True
        return bool(2 * np.count_nonzero(self._has_planes[candidates]) >= candidates.size)

    # ---- planes -----------------------------------------------------------------------------

    def parts(self, positions: np.ndarray) -> Iterator[PlanePart]:
        """The planes of some columns, those that lie together at once."""
        packed = self._codes.packed
        if packed is not None:  # the planes of all columns that have any lie together
            first = packed.first[positions]
            if self._all_packed or (first >= 0).all():
                yield PlanePart(None, packed.planes, first)
                return
        group_of = self._group_of[positions]
        group = int(group_of[0]) if positions.size else -1
        same = (group_of == group).all()
        groups = [group] * (group >= 0) if same else np.unique(group_of).tolist()
        for i in groups:
            members = None if same else np.flatnonzero(group_of == i)
            columns = positions if members is None else positions[members]
            yield PlanePart(members, *self._counts.groups[i].planes_of(columns - self._edges[i]))

    def _slots(self, anchors: Sequence[int]) -> np.ndarray:
        """The first planes of anchors, among those that are kept."""
        new = [s for s in anchors if s not in self._slot_of]
        if new:
            size = int((self._counts.levels[new] - 1).sum())
            if self._used + size > self._room:
                self._slot_of, self._used = {}, 0
                new = list(anchors)
                size = int((self._counts.levels[new] - 1).sum())
            if self._used + size > self._anchors.shape[0]:
                most = max(self._room, size)  # memory that is not written to is not taken
                grown = np.empty((most, self._words), np.uint64)
                grown[: self._used] = self._anchors[: self._used]
                self._anchors = grown
            for s in new:
                for _, words, first in self.parts(np.array([s])):
                    n, slot = int(self._counts.levels[s]) - 1, self._used
                    self._anchors[slot : slot + n] = words[first[0] : first[0] + n]
                    self._used += n
                    self._slot_of[s] = slot  # last, so that an interrupt leaves nothing half made
        return np.array([self._slot_of[s] for s in anchors], np.int64)

    def _label_planes(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y = self._counts.label_codes
        if self._bytes(y.levels) <= self._budget.masks:
            if self._last_label_planes is None:
                self._last_label_planes = b"", *_planes_of(y)
            return self._last_label_planes[1], self._last_label_planes[2][labels]
        key = labels.tobytes()
        if self._last_label_planes is None or self._last_label_planes[0] != key:
            self._last_label_planes = key, *_planes_of(y.take(labels))
        return self._last_label_planes[1:]

    def has_room(self, labels: np.ndarray) -> bool:
        """Whether the planes of some labels may be kept together."""
        if self._has_room is None or self._has_room[0] is not labels:  # the last ones, mostly
            fit = self._bytes(self._counts.labels.levels[labels]) <= self._budget.masks
            self._has_room = labels, fit
        return self._has_room[1]

    def _bytes(self, levels: np.ndarray) -> int:
        return int((levels - 1).sum()) * self._words * 8

    def _cuts(
        self, anchors: Sequence[int], start: np.ndarray
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """As many anchors at a time as may be kept together, and where each candidate begins."""
        if self._all_fit:
            yield slice(None), start
            return
        ends = np.cumsum(self._counts.levels[anchors] - 1)
        first = 0
        while first < len(anchors):
            before = int(ends[first - 1]) if first else 0
            last = int(ends.searchsorted(before + self._room, side="right"))
            cut = slice(first, max(first + 1, last))
            yield cut, np.clip(start - first, 0, cut.stop - first)
            first = cut.stop

    # ---- terms ------------------------------------------------------------------------------

    def _columns(self, planes: np.ndarray, first: np.ndarray, columns: Any) -> PlaneColumns:
        levels, modes, offsets, sums = self._column_facts.take(columns, axis=1)
        return PlaneColumns(planes, first, levels, modes, offsets, sums, self._counts.n_f)

    def _picked(self, anchors: Sequence[int]) -> PlaneColumns:
        slots = self._slots(anchors)
        return self._columns(self._anchors, slots, anchors)

    def _candidates(
        self, candidates: np.ndarray, start: np.ndarray
    ) -> Iterator[tuple[PlaneColumns, np.ndarray, np.ndarray]]:
        """Candidates whose planes lie together: their columns, their starts and which they are."""
        for members, planes, first in self.parts(candidates):
            columns = candidates if members is None else candidates[members]
            yield (
                self._columns(planes, first, columns),
                start if members is None else start[members],
                np.arange(candidates.size) if members is None else members,
            )

    def pairs(
        self, candidates: np.ndarray, anchors: Sequence[int], start: np.ndarray
    ) -> np.ndarray:
        """I(f;s) of each anchor and each candidate; 0 before the candidate's first anchor."""
        counts, out = self._counts, np.zeros((len(anchors), candidates.size))
        if candidates.size:
            for cut, later in self._cuts(anchors, start):
                with self._lock:
                    s = self._picked(anchors[cut])
                    for f, begins, members in self._candidates(candidates, later):
                        table = np.zeros((int(f.levels.max()), int(s.levels.max())), np.int64)
                        subset_pairs(
                            f,
                            s,
                            begins,
                            members,
                            counts.total,
                            self._scale,
                            counts.xlogx,
                            table,
                            out[cut],
                        )
        return out

    def triples(
        self,
        candidates: np.ndarray,
        anchors: Sequence[int],
        start: np.ndarray,
        labels: np.ndarray,
        *,
        with_sums: bool = False,
    ) -> SubsetSums:
        """The sums over labels of I(s;l|f) and I(f;l|s), of each anchor and each candidate."""
        shape = (len(anchors), labels.size, candidates.size) if with_sums else (0, 0, 0)
        sums = np.zeros((4, *shape), np.int64)
        out = np.zeros((2, len(anchors), candidates.size))
        if candidates.size and labels.size:
            with self._lock:
                l = self._labels(labels)
                for cut, later in self._cuts(anchors, start):
                    s = self._picked(anchors[cut])
                    for f, begins, members in self._candidates(candidates, later):
                        in_place = self._all_fit or not sums.size
                        cut_sums = sums if in_place else np.zeros_like(sums[:, cut])  # in one piece
                        results = SubsetSums(out[0, cut], out[1, cut], cut_sums)
                        tables, xlogx = self._tables_for(f, s, l), self._counts.xlogx
                        subset_triples(
                            f, s, l, begins, members, self._scale, xlogx, tables, results
                        )
                        if not in_place:
                            sums[:, cut] += cut_sums
        return SubsetSums(out[0], out[1], sums)

    def _tables_for(self, f: PlaneColumns, s: PlaneColumns, l: PlaneColumns) -> Tables:
        """Memory for the counts of some columns: that of the last call, if there is enough."""
        anchors, labels, kept = s.first.size, l.first.size, self._tables
        if kept is not None and len(kept.t_sl) >= anchors and kept.t_fl.size >= labels:
            return kept
        levels, of_label = self._most_levels
        room = 2 * anchors  # anchors become more with each pick
        if 8 * labels * levels * of_label * (room + levels + 1) <= SMALL:
            self._tables = Tables.of(levels, levels, of_label, room, labels, self._words)
            return self._tables
        most_f, most_s, most_l = (int(columns.levels.max()) for columns in (f, s, l))
        return Tables.of(most_f, most_s, most_l, anchors, labels, self._words)

    def _labels(self, labels: np.ndarray) -> PlaneColumns:
        if self._in_play is None or self._in_play[0] is not labels:
            y, none = self._counts.labels, np.zeros(labels.size, np.int64)
            planes, first = self._label_planes(labels)
            levels, modes = y.levels[labels].astype(np.int64), y.modes[labels].astype(np.int64)
            columns = PlaneColumns(planes, first, levels, modes, y.offsets[labels], none, y.n)
            self._in_play = labels, columns
        return self._in_play[1]


def _planes_of(codes: Codes) -> tuple[np.ndarray, np.ndarray]:
    """All columns of some codes as planes, and the first plane of each."""
    return pack_planes(codes, 0, len(codes)), edges_of(codes.levels - 1)[:-1]
