"""A few candidates counted with a few anchors in one block of rows, plane by plane."""

from __future__ import annotations

import numpy as np

from mlfs._kernels.planes import sweep
from mlfs.counting.bit_planes import pack_planes
from mlfs.counting.blocks import Block
from mlfs.counting.codes import Codes
from mlfs.counting.entries import edges_of
from mlfs.counting.remote.wire import PackedCounts, pack_counts

__all__ = ["SubsetSweeps", "wanted_cells"]

MOST_BYTES = 256 << 20  # of the planes of anchors that are kept


def wanted_cells(
    f_levels: np.ndarray, s_levels: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which cells of anchors and of candidates are counted: candidate i with anchors from start[i].

    Returns
    -------
    begins : ndarray of int
        The first cell of each anchor, and the end of the last.
    mask : ndarray of bool, shape (cells of anchors, cells of candidates)
        Which of their co-occurrences are counted.
    """
    begins = edges_of(s_levels - 1)
    anchor_of = np.repeat(np.arange(s_levels.size), s_levels - 1)
    return begins, anchor_of[:, None] >= np.repeat(start, f_levels - 1)


class SubsetSweeps:
    """Counts candidates with anchors by their planes; those of anchors are kept together.

    Parameters
    ----------
    block : Block
        Its rows count once each.
    """

    def __init__(self, block: Block) -> None:
        self._features, self._block = block.features, block
        self._words = -(-block.n_rows // 64)
        cells = int((self._features.levels - 1).sum())
        room = max(1, min(cells, MOST_BYTES // (8 * max(1, self._words))))
        self._kept = np.empty((room, self._words), np.uint64)  # not taken until it is written to
        self._place: dict[int, int] = {}
        self._used = 0

    def counts(
        self,
        candidates: np.ndarray,
        anchors: np.ndarray,
        start: np.ndarray,
        labels: np.ndarray | None,
    ) -> tuple[PackedCounts, ...]:
        """The co-occurrences of candidates and anchors; with labels those of all kinds.

        These are n(f,s) where `wanted_cells` says so, n(f,l), n(s,l) and n(f,s,l), cells only.
        """
        levels = self._features.levels
        begins, mask = wanted_cells(levels[candidates], levels[anchors], start)
        masks = self._anchors(anchors, begins)
        planes, ends = self._planes_of_candidates(candidates)
        first = begins[start]  # the first cell of an anchor that each candidate is counted with
        pairs = self._swept(planes, ends, masks, first)
        if labels is None:
            return (pack_counts(pairs[mask]),)
        masks_l = self._block.labels.masks(labels)
        f_l = self._swept(planes, ends, masks_l, np.zeros_like(first))
        s_l = np.zeros((labels.size, len(masks)), np.int64)
        sweep(masks, masks_l, s_l)
        joint = np.zeros((labels.size, *pairs.shape), np.int64)
        for k, label in enumerate(masks_l):
            joint[k] = self._swept(planes, ends, masks & label, first)
        return tuple(map(pack_counts, (pairs[mask], f_l, s_l, joint[:, mask])))

    def _swept(
        self, planes: list[np.ndarray], ends: np.ndarray, masks: np.ndarray, first: np.ndarray
    ) -> np.ndarray:
        out = np.zeros((len(masks), int(ends[-1])), np.int64)
        for i, candidate in enumerate(planes):
            begin = int(first[i])
            if begin < len(masks):
                sweep(candidate, masks[begin:], out[begin:, ends[i] : ends[i + 1]])
        return out

    def _planes_of_candidates(self, candidates: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        planes = [_planes_of(self._features, j) for j in candidates.tolist()]
        return planes, edges_of([len(candidate) for candidate in planes])

    def _anchors(self, anchors: np.ndarray, begins: np.ndarray) -> np.ndarray:
        """The planes of anchors; where they were asked for in this order before, not copied."""
        columns = anchors.tolist()
        for again in (False, True):
            if again:
                self._place, self._used = {}, 0
            size = sum(int(self._features.levels[j]) - 1 for j in columns if j not in self._place)
            if self._used + size <= len(self._kept):
                break
        else:
            return np.concatenate([_planes_of(self._features, j) for j in columns])
        for j in columns:
            if j not in self._place:
                new_planes = _planes_of(self._features, j)
                self._kept[self._used : self._used + len(new_planes)] = new_planes
                self._place[j] = self._used
                self._used += len(new_planes)
        places = np.array([self._place[j] for j in columns], np.int64)
        if (places - begins[:-1] == places[0]).all():
            return self._kept[places[0] : places[0] + begins[-1]]
        cells = np.diff(begins)
        return self._kept[np.repeat(places - begins[:-1], cells) + np.arange(begins[-1])]


def _planes_of(codes: Codes, j: int) -> np.ndarray:
    return codes.planes_of(j) if codes.is_packed(j) else pack_planes(codes, j, j + 1)
