"""Sums of c log c of columns and labels within strata of the rows, summed over the strata."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.co_sums import xlogx_of
from mlfs._kernels.jit import compiled, inner, wrapping
from mlfs._kernels.planes import popcount

NONE, ONE, TWO, FOUR = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4)


@inner
def _shared(plane: Any, mask: Any, first: Any, last: Any) -> int:
    n = NONE
    for word in range(first, last):  # unsigned: no look whether it counts from the end
        n += popcount(plane[word] & mask[word])
    return np.int64(n)  # type: ignore[return-value]


@compiled
def count_rows(planes: Any, words: Any, n: Any) -> None:
    """n[p, z] = the rows of plane p in the words of stratum z."""
    for p in range(planes.shape[0]):
        for z in range(words.size - 1):
            n[p, z] = _shared(planes[p], planes[p], words[z], words[z + 1])


@wrapping
@compiled
def add_planes(
    planes: Any, first: Any, labels: Any, n: Any, n_l: Any, words: Any, xlogx: Any, out: Any
) -> None:
    """out[f] += the sums over n(f,l,z) of all labels of two levels, less those over n(f,z).

    The rows of stratum z are in the words from ``words[z]`` on; n[p, z] are those of plane p, one
    for each code, and of a label that is constant in a stratum n_l[i, z] is 0.
    """
    strata = words.size - 1
    alone = np.zeros(strata, np.int64)
    for f in range(out.size):
        total = 0
        last = first[f + 1] - 1
        for z in range(strata):
            alone[z] = 0
            for p in range(first[f], last + 1):
                alone[z] += xlogx_of(n[p, z], xlogx)
        for i in range(labels.shape[0]):
            for z in range(strata):
                rest = n_l[i, z]
                if rest == 0:
                    continue
                total -= alone[z]
                for p in range(first[f], last):
                    both = _shared(planes[p], labels[i], words[z], words[z + 1])
                    rest -= both
                    total += xlogx_of(both, xlogx) + xlogx_of(n[p, z] - both, xlogx)
                total += xlogx_of(rest, xlogx) + xlogx_of(n[last, z] - rest, xlogx)
        out[f] += total


@inner
def _add(one: Any, two: Any, three: Any) -> tuple[Any, Any]:
    """The sums of three bits each: the lower bits, and the upper ones."""
    odd = one ^ two
    return odd ^ three, (one & two) | (odd & three)


@inner
def _sum_of_cell(plane: Any, mask: Any, levels: Any, depths: Any, table: Any) -> int:
    """The sum of c log c over the counts of a plane within a mask, of strata of up to 63 rows.

    A stratum is a bit of a word, and its rows are that bit of one word after the other: so 64
    strata are counted together, in numbers of six bits that lie in six words.
    """
    total = 0
    for number in range(depths.size):
        word = np.uint64(number)
        depth = np.uint64(depths[number])
        ones = twos = fours = eights = sixteens = most = NONE
        level = NONE
        while level + FOUR <= depth:
            a, b = levels[level] + word, levels[level + ONE] + word
            c, d = levels[level + TWO] + word, levels[level + TWO + ONE] + word
            ones, two = _add(ones, plane[a] & mask[a], plane[b] & mask[b])
            ones, other_two = _add(ones, plane[c] & mask[c], plane[d] & mask[d])
            twos, four = _add(twos, two, other_two)
            fours, eight = fours ^ four, fours & four
            eights, sixteen = eights ^ eight, eights & eight
            sixteens, most = sixteens ^ sixteen, most ^ (sixteens & sixteen)
            level += FOUR
        while level < depth:
            a = levels[level] + word
            one = plane[a] & mask[a]
            ones, two = ones ^ one, ones & one
            twos, four = twos ^ two, twos & two
            fours, eight = fours ^ four, fours & four
            eights, sixteen = eights ^ eight, eights & eight
            sixteens, most = sixteens ^ sixteen, most ^ (sixteens & sixteen)
            level += ONE
        for high in range(0, depths[number] + 1, 4):
            some = fours if high & 4 else ~fours
            some &= eights if high & 8 else ~eights
            some &= sixteens if high & 16 else ~sixteens
            some &= most if high & 32 else ~most
            if some:
                total += np.int64(popcount(some & ones & ~twos)) * table[high + 1]
                total += np.int64(popcount(some & twos & ~ones)) * table[high + 2]
                total += np.int64(popcount(some & twos & ones)) * table[high + 3]
                if high:
                    total += np.int64(popcount(some & ~(ones | twos))) * table[high]
    return total


@wrapping
@compiled
def add_small(
    planes: Any, first: Any, masks: Any, levels: Any, depths: Any, table: Any, out: Any
) -> None:
    """out[f] += the sums of c log c of the planes of f within some masks, strata by strata.

    Row `level` of the strata is in the words from ``levels[level]`` on, the largest strata first;
    depths[word] is the size of the largest stratum of a word. `table` has 64 values.
    """
    for f in range(out.size):
        total = 0
        for p in range(first[f], first[f + 1]):
            for i in range(masks.shape[0]):
                total += _sum_of_cell(planes[p], masks[i], levels, depths, table)
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
