"""The rows divided by the joint values of several columns, refined column by column.

A row that shares its values with no other row tells nothing about any label given these values:
it is dropped, and so what is left to count becomes less with every column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mlfs._kernels.part_walks import Groups, Room, add_given_parts
from mlfs.counting.entries import edges_of
from mlfs.counting.parallel import padded

if TYPE_CHECKING:
    from mlfs._kernels.row_walks import Lists
    from mlfs.counting.codes import Codes
    from mlfs.counting.counts import Counts
    from mlfs.counting.memory import Cache


COST = 2  # nanoseconds for each row and column


class Parts(NamedTuple):
    """Rows that share their values with others, and where each part of them begins.

    Parameters
    ----------
    rows : ndarray of int
        The rows, part by part.
    edges : ndarray of int
        Part i has ``rows[edges[i]:edges[i + 1]]``.
    """

    rows: np.ndarray
    edges: np.ndarray

    @classmethod
    def of_all(cls, n_rows: int, kept: np.ndarray | None = None) -> Parts:
        """All rows as one part; or those of a mask, where the others have no weight.

        Examples
        --------
        >>> Parts.of_all(4).refined(np.array([1, 0, 1, 2])).rows.tolist()
        [0, 2]
        """
        rows = np.arange(n_rows) if kept is None else np.flatnonzero(kept)
        return cls(rows, np.array([0, rows.size] if rows.size > 1 else [0]))

    def refined(self, codes: np.ndarray, valid: int | None = None) -> Parts:
        """Divide each part by the codes of a column; rows with codes from `valid` are dropped."""
        part = np.repeat(np.arange(self.edges.size - 1), np.diff(self.edges))
        rows, values = self.rows[: part.size], codes[self.rows[: part.size]]
        if valid is not None:
            is_known = values < valid
            part, rows, values = part[is_known], rows[is_known], values[is_known]
        key = part * (int(values.max(initial=0)) + 1) + values
        order = np.argsort(key, kind="stable")
        sizes = _run_lengths(key[order])
        kept = np.repeat(sizes > 1, sizes)
        return Parts(rows[order][kept], edges_of(sizes[sizes > 1]))

    def groups(self, y: Codes, labels: np.ndarray) -> Groups:
        """The rows of each value of some labels in each part, but the mode of the label.

        A label that is constant in a part has no rows there.

        Parameters
        ----------
        y : Codes
            The labels.
        labels : ndarray of int
            Which labels.
        """
        n, size = self.edges.size - 1, np.diff(self.edges)
        part_of = np.full(y.n_rows, -1)
        part_of[self.rows] = np.repeat(np.arange(n), size)
        keys, members, q = [], [], labels.size
        width = int(y.levels[labels].max(initial=1))
        for i, label in enumerate(labels.tolist()):
            rows, codes = y.entries(label)
            part = part_of[rows]
            there = part >= 0
            keys.append((part[there] * q + i) * width + codes[there])
            members.append(rows[there].astype(np.int64))
        key, member = np.concatenate(keys), np.concatenate(members)
        order = np.argsort(key, kind="stable")
        key, member = key[order], member[order]
        sizes = _run_lengths(key)
        first = key[np.cumsum(sizes) - sizes]
        varies = sizes < size[first // (width * q)]
        member, first = member[np.repeat(varies, sizes)], first[varies]
        begin = np.searchsorted(first // (width * q), np.arange(n + 1))
        label = first // width % q
        return Groups(self.rows, self.edges, begin, label, member, edges_of(sizes[varies]))


def _run_lengths(key: np.ndarray) -> np.ndarray:
    starts = np.flatnonzero(np.diff(key, prepend=key[:1] - 1))
    return np.diff(starts, append=key.size)


def information_given(
    counts: Counts, parts: Parts, labels: np.ndarray, cache: Cache, entries: int
) -> np.ndarray:
    """N sum_l I(f;l|S) of each feature, S being the columns that made the parts.

    In the rows of the parts no feature and no label may have a code that is left out. The result
    is in units of `counts.xlogx`.

    Parameters
    ----------
    counts : Counts
        The data.
    parts : Parts
        The rows that share their values in S.
    labels : ndarray of int
        The labels.
    cache : Cache
        Keeps the features by row for the next S.
    entries : int
        About how many cells of columns are listed by row at a time.
    """
    groups = parts.groups(counts.label_codes, labels)
    out = np.zeros(counts.d, np.int64)

    def work(i: int, a: int, b: int) -> None:
        group, total = counts.groups[i], out[a:b]
        step = group.columns_at_once(entries)
        for first in range(0, b - a, step):
            last = min(first + step, b - a)
            key = "by row", i, first, last
            x = cache.find(key)
            if x is None:
                x = cache.keep(key, group.lists(first, last))
            add_given_parts(x, groups, room_of(x), counts.xlogx, total[first:last])

    counts.parallel.over_groups(work, COST * parts.rows.size * counts.d)
    return out


def room_of(x: Lists) -> Room:
    """Memory for counting the parts of some rows."""
    cells, columns = x.column.size, x.first.size - 1
    zeros = [padded((size,), np.int64) for size in (cells,) * 3 + (columns,) * 3]
    return Room(*zeros, *(np.empty(size, np.int64) for size in (cells, cells, columns)))
