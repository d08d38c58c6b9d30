"""Blocks of rows that were coded apart: brought to the modes of all rows, and stacked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlfs.counting.codes import Codes
from mlfs.counting.entries import edges_of, join_entries

__all__ = ["stack_blocks", "with_modes"]


def with_modes(codes: Codes, modes: np.ndarray) -> Codes:
    """The same columns with other codes as their modes; planes are changed in place.

    Examples
    --------
    >>> made = with_modes(Codes.from_dense([[0], [0], [2]]), np.array([2], np.int32))
    >>> made.rows.tolist(), made.codes.tolist(), made.column(0).tolist()
    ([0, 1], [0, 0], [0, 0, 2])
    """
    changed = np.flatnonzero(modes != codes.mode)
    if not changed.size:
        return codes
    packed = codes.packed
    listed = []
    for j in changed.tolist():
        if codes.is_packed(j):
            _make_mode(codes, j, int(modes[j]))
        else:
            listed.append(j)
    indptr, rows, values = codes.lists_with_codes
    if listed:
        parts = [
            (rows[indptr[j] : indptr[j + 1]], values[indptr[j] : indptr[j + 1]])
            for j in range(len(codes))
        ]
        for j in listed:
            full = codes.column(j)
            non_mode = np.flatnonzero(full != modes[j])
            parts[j] = non_mode.astype(np.int32), full[non_mode].astype(np.int32)
        indptr = edges_of([non_mode.size for non_mode, _ in parts])
        rows, values = join_entries(parts)
    return Codes(
        codes.n_rows,
        indptr,
        rows,
        values,
        modes.astype(np.int32),
        codes.levels,
        codes.missing,
        packed=packed,
        counts=codes.counts,
    )


def stack_blocks(parts: Sequence[Codes]) -> Codes:
    """The rows of several blocks that are coded alike, one below the other."""
    first, begins = parts[0], np.cumsum([0, *(part.n_rows for part in parts)])
    if len(parts) == 1:
        return first
    columns = np.concatenate([part.column_of_entry for part in parts])
    order = np.argsort(columns, kind="stable")
    rows = [part.rows + begin for part, begin in zip(parts, begins.tolist(), strict=False)]
    return first.with_entries(
        np.add.reduce([part.indptr for part in parts]),
        np.concatenate(rows)[order].astype(np.int32),
        np.concatenate([part.codes for part in parts])[order],
        n_rows=int(begins[-1]),
    )


def _make_mode(codes: Codes, j: int, mode: int) -> None:
    """Make a code the mode of a column: its plane becomes that of the code that was the mode."""
    own_planes, old = codes.planes_of(j), int(codes.mode[j])
    others = [code for code in range(int(codes.levels[j])) if code != old]
    planes = dict(zip(others, own_planes.copy(), strict=True))
    mode_plane = ~np.bitwise_or.reduce(own_planes, axis=0)
    if codes.n_rows % 64 and mode_plane.size:
        mode_plane[-1] &= np.uint64((1 << codes.n_rows % 64) - 1)
    planes[old] = mode_plane
    own_planes[:] = [planes[code] for code in range(int(codes.levels[j])) if code != mode]
