"""Sums of c log c of columns and labels within strata of the rows, summed over the strata."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.co_sums import xlogx_of
from mlfs._kernels.jit import compiled, inner, wrapping
from mlfs._kernels.planes import popcount


@inner
def _shared(plane: Any, mask: Any, first: int, last: int) -> int:
    n = np.uint64(0)
    for word in range(first, last):
        n += popcount(plane[word] & mask[word])
    return np.int64(n)  # type: ignore[return-value]


@wrapping
@compiled
def add_planes(
    planes: Any, first: Any, labels: Any, n_l: Any, words: Any, all_rows: Any, xlogx: Any, out: Any
) -> None:
    """out[f] += the sums over n(f,l,z) of all labels of two levels, less those over n(f,z).

    The rows of stratum z are in the words from ``words[z]`` on; `all_rows` has a bit for each row.
    """
    strata = words.size - 1
    n_fz = np.zeros((16, strata), np.int64)
    alone = np.zeros(strata, np.int64)
    for f in range(out.size):
        cells = first[f + 1] - first[f]
        for z in range(strata):
            rest = _shared(all_rows, all_rows, words[z], words[z + 1])
            alone[z] = 0
            for p in range(cells):
                n = _shared(planes[first[f] + p], all_rows, words[z], words[z + 1])
                n_fz[p, z] = n
                rest -= n
                alone[z] += xlogx_of(n, xlogx)
            n_fz[cells, z] = rest
            alone[z] += xlogx_of(rest, xlogx)
        total = 0
        for i in range(labels.shape[0]):
            for z in range(strata):
                rest_l = n_l[i, z]
                if rest_l == 0:
                    continue
                total -= alone[z]
                for p in range(cells):
                    n = _shared(planes[first[f] + p], labels[i], words[z], words[z + 1])
                    rest_l -= n
                    total += xlogx_of(n, xlogx) + xlogx_of(n_fz[p, z] - n, xlogx)
                total += xlogx_of(rest_l, xlogx) + xlogx_of(n_fz[cells, z] - rest_l, xlogx)
        out[f] += total


@wrapping
@compiled
def add_groups(groups: Any, labels: Any, levels: Any, counts: Any, xlogx: Any, out: Any) -> None:
    """out[f] += the same for any levels, where groups[f] has the joint codes of f and strata."""
    for f in range(out.size):
        n_groups = 0
        for row in range(groups.shape[1]):
            n_groups = max(n_groups, groups[f, row] + 1)
        total = 0
        for i in range(labels.shape[0]):
            size = levels[i]
            for cell in range(n_groups * size):
                counts[cell] = 0
            for row in range(groups.shape[1]):
                counts[groups[f, row] * size + labels[i, row]] += 1
            for group in range(n_groups):
                n = 0
                for cell in range(group * size, group * size + size):
                    n += counts[cell]
                    total += xlogx_of(counts[cell], xlogx)
                total -= xlogx_of(n, xlogx)
        out[f] += total
