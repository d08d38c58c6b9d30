"""Sweeps over bit planes: several masks at a time, so that each plane is read once.

Four sums are kept in registers; LLVM turns the loop over words into vector popcounts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.jit import compiled
from mlfs._kernels.planes import popcount

__all__ = ["sweep", "sweep_across"]


@compiled
def sweep(planes: Any, masks: Any, out: Any) -> None:
    """out[i, p] += the number of rows that plane p and masks[i] have in common."""
    words = planes.shape[1]
    n = masks.shape[0]
    for p in range(planes.shape[0]):
        plane = planes[p]
        i = 0
        while i + 4 <= n:
            one = masks[i]
            two = masks[i + 1]
            three = masks[i + 2]
            four = masks[i + 3]
            a = np.uint64(0)
            b = np.uint64(0)
            c = np.uint64(0)
            d = np.uint64(0)
            for word in range(words):
                bits = plane[word]
                a += popcount(bits & one[word])
                b += popcount(bits & two[word])
                c += popcount(bits & three[word])
                d += popcount(bits & four[word])
            out[i, p] += np.int64(a)
            out[i + 1, p] += np.int64(b)
            out[i + 2, p] += np.int64(c)
            out[i + 3, p] += np.int64(d)
            i += 4
        while i < n:
            one = masks[i]
            a = np.uint64(0)
            for word in range(words):
                a += popcount(plane[word] & one[word])
            out[i, p] += np.int64(a)
            i += 1


@compiled
def sweep_across(turned: Any, masks: Any, out: Any) -> None:
    """The like where words are few: turned[word, p], so that LLVM takes several planes at once."""
    for i in range(masks.shape[0]):
        met = out[i]
        for word in range(masks.shape[1]):
            mask = masks[i, word]
            bits = turned[word]
            for p in range(met.size):
                met[p] += np.int64(popcount(bits[p] & mask))
