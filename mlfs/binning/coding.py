"""The codes of a whole table: only the entries that differ from a column's commonest code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mlfs.binning import small
from mlfs.binning.blocks import Block, blocks
from mlfs.binning.record import Binning
from mlfs.errors import DataError

__all__ = ["Encoded", "codes_of", "counts_of", "encode"]

FEW = 4


class Encoded(NamedTuple):
    """Codes column by column: `base[j]` everywhere but in the rows that are listed.

    Parameters
    ----------
    indptr : ndarray of int64, shape (d + 1,)
        Column j has the entries indptr[j] to indptr[j + 1].
    rows, codes : ndarray of int32
        The row (rising within a column) and the code of each entry; never the base.
    base : ndarray of int32, shape (d,)
        The most frequent code of the column; of several, the lowest.
    levels : ndarray of int32, shape (d,)
        The number of codes.
    missing : ndarray of int32, shape (d,)
        The code of a missing value, -1 if there is none.
    """

    indptr: np.ndarray
    rows: np.ndarray
    codes: np.ndarray
    base: np.ndarray
    levels: np.ndarray
    missing: np.ndarray


def codes_of(block: Block, binnings: Sequence[Binning]) -> np.ndarray:
    """The code of every entry of a block, as each column's binning has it."""
    kinds: dict[str, list[int]] = {}
    for j, binning in enumerate(binnings):
        kinds.setdefault(_kind(binning), []).append(j)
    if len(kinds) == 1:
        return _HOW[next(iter(kinds))](block, binnings)
    codes = np.empty(block.values.shape, dtype=np.int32)
    for kind, members in kinds.items():
        columns = np.array(members)
        part = _HOW[kind](block.take(columns), [binnings[j] for j in members])
        codes[block.entries(columns)] = part
    return codes


def counts_of(
    block: Block, codes: np.ndarray, binnings: Sequence[Binning], weights: np.ndarray | None = None
) -> np.ndarray:
    """How many rows (or what weight) each code of each column has: shape (width, most levels)."""
    width = max((binning.n_levels for binning in binnings), default=1)
    place = block.spread(np.arange(block.width) * width) + codes
    mass = None
    if weights is not None:
        mass = np.broadcast_to(weights[block.row_index()], codes.shape).ravel()
    counts = np.bincount(place.ravel(), mass, block.width * width).reshape(block.width, width)
    if mass is not None:
        counts = counts.astype(np.float64, copy=False)  # of no entries np.bincount makes integers
    if block.implicit.any():
        zero = _codes_of_zero(binnings)
        counts[np.arange(block.width), zero] += block.implicit if mass is None else block.empty
    return counts


def encode(dataset: Any, binnings: Sequence[Binning]) -> Encoded:
    """The codes of a data set under binnings that were learned, from it or another.

    Dense and sparse tables of the same numbers give the same arrays; a sparse one is never
    written out.

    Parameters
    ----------
    dataset : Dataset
        Its X is coded.
    binnings : sequence of Binning
        One for each column.

    Examples
    --------
    >>> from mlfs.data.dataset import Column, Dataset, Label
    >>> data = Dataset(np.array([[0.0], [2.0], [0.0]]), np.ones((3, 1)), (Column("a"),),
    ...                (Label("y"),))
    >>> coded = encode(data, [Binning("a", "nominal", values=(0.0, 2.0))])
    >>> coded.rows.tolist(), coded.codes.tolist(), coded.base.tolist()
    ([1], [1], [0])
    """
    table = dataset.X
    if len(binnings) != table.shape[1]:
        raise DataError(
            f"{len(binnings)} binnings for {table.shape[1]} columns: there must be one for each"
        )
    if small.is_plain(table):
        return _encoded_plain(table, binnings)
    return _encoded(table, binnings)


def _encoded_plain(table: Any, binnings: Sequence[Binning]) -> Encoded:
    """Columns of small whole numbers in the short way, the others in the general one."""
    mine, sizes, rows, codes, bases = small.coded(table, binnings)
    others = np.setdiff1d(np.arange(len(binnings)), mine)
    if not others.size:
        indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return Encoded(indptr, rows, codes, bases, *_levels(binnings))
    rest = _encoded(table[:, others], [binnings[j] for j in others.tolist()])
    if not mine.size:
        return rest
    lengths = np.zeros(len(binnings), np.int64)
    lengths[mine], lengths[others] = sizes, np.diff(rest.indptr)
    base = np.zeros(len(binnings), np.int32)
    base[mine], base[others] = bases, rest.base
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    out_rows, out_codes = np.empty(int(indptr[-1]), np.int32), np.empty(int(indptr[-1]), np.int32)
    for places, own_rows, own_codes in ((mine, rows, codes), (others, rest.rows, rest.codes)):
        at = 0
        for j in places.tolist():
            part = slice(at, at + int(lengths[j]))
            whole = slice(int(indptr[j]), int(indptr[j + 1]))
            out_rows[whole], out_codes[whole] = own_rows[part], own_codes[part]
            at = part.stop
    return Encoded(indptr, out_rows, out_codes, base, *_levels(binnings))


def _levels(binnings: Sequence[Binning]) -> tuple[np.ndarray, np.ndarray]:
    return (
        np.array([binning.n_levels for binning in binnings], dtype=np.int32),
        np.array([binning.missing_code for binning in binnings], dtype=np.int32),
    )


def _encoded(table: Any, binnings: Sequence[Binning]) -> Encoded:
    lengths: list[np.ndarray] = []
    bases: list[np.ndarray] = []
    pieces: list[tuple[np.ndarray, np.ndarray]] = []
    for block in blocks(table):
        own = binnings[block.start : block.start + block.width]
        codes = codes_of(block, own)
        base = counts_of(block, codes, own).argmax(axis=1).astype(np.int32)
        length, rows, kept = _deviating(block, codes, base, own)
        lengths.append(length)
        bases.append(base)
        pieces.append((rows, kept))
    none = np.zeros(0, dtype=np.int64)
    indptr = np.concatenate([[0], np.cumsum(np.concatenate([none, *lengths]))]).astype(np.int64)
    rows, codes = _joined(pieces, int(indptr[-1]))
    return Encoded(
        indptr,
        rows,
        codes,
        np.concatenate([none, *bases]).astype(np.int32),
        *_levels(binnings),
    )


def _joined(
    pieces: list[tuple[np.ndarray, np.ndarray]], total: int
) -> tuple[np.ndarray, np.ndarray]:
    """All pieces one after the other, each let go as it is copied."""
    rows, codes = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int32)
    place = 0
    pieces.reverse()
    while pieces:
        some_rows, some_codes = pieces.pop()
        part = slice(place, place + some_rows.size)
        rows[part], codes[part] = some_rows, some_codes
        place = part.stop
    return rows, codes


def _deviating(
    block: Block, codes: np.ndarray, base: np.ndarray, binnings: Sequence[Binning]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The number of entries of each column that differ from its base; their rows and codes."""
    differs = codes != block.spread(base)
    length = block.reduce(np.add, differs.astype(np.int64), np.int64(0))
    if block.bounds is None:
        rows = np.concatenate([np.flatnonzero(each) for each in differs])
        return length, rows.astype(np.int32), codes[differs]
    rows, kept = block.row_index()[differs], codes[differs]
    zero = _codes_of_zero(binnings)
    strange = np.flatnonzero((zero != base) & (block.implicit > 0))
    if not strange.size:
        return length, rows.astype(np.int32), kept
    # The zeros that are not written out deviate here: these columns are written out, one by one.
    ends = np.concatenate([[0], np.cumsum(length)])
    parts = []
    for j in range(block.width):
        if zero[j] == base[j] or block.implicit[j] == 0:
            parts.append((rows[ends[j] : ends[j + 1]], kept[ends[j] : ends[j + 1]]))
            continue
        whole = binnings[j].apply(block.column(j))
        deviating = np.flatnonzero(whole != base[j])
        length[j] = deviating.size
        parts.append((deviating, whole[deviating]))
    rows = np.concatenate([part for part, _ in parts]).astype(np.int32)
    return length, rows, np.concatenate([part for _, part in parts])


def _codes_of_zero(binnings: Sequence[Binning]) -> np.ndarray:
    zero = np.zeros(1)
    known: dict[tuple[object, ...], int] = {}
    codes = []
    for binning in binnings:
        key = (binning.method, binning.edges, binning.values, binning.missing, binning.fallback)
        if key not in known:
            known[key] = int(binning.apply(zero)[0])
        codes.append(known[key])
    return np.array(codes, dtype=np.int32)


def _kind(binning: Binning) -> str:
    if binning.method != "nominal":
        return "edges" if len(binning.edges) <= FEW else "any"
    values = binning.values
    if values and values[-1] - values[0] == len(values) - 1 and values[0].is_integer():
        return "run"
    return "any"


def _by_edges(block: Block, binnings: Sequence[Binning]) -> np.ndarray:
    most = max(len(binning.edges) for binning in binnings)
    codes = np.zeros(block.values.shape, dtype=np.int32)
    for k in range(most):
        edge = [b.edges[k] if k < len(b.edges) else np.inf for b in binnings]
        codes += block.values > block.spread(np.array(edge))
    gone = np.isnan(block.values)
    if gone.any():
        unknown = block.spread(np.array([binning.unknown for binning in binnings], dtype=np.int32))
        codes[gone] = np.broadcast_to(unknown, codes.shape)[gone]
    return codes


def _by_run(block: Block, binnings: Sequence[Binning]) -> np.ndarray:
    """Values first, first + 1, ...: the code is the distance from the first."""
    first = np.array([binning.values[0] for binning in binnings])
    last = np.array([binning.values[-1] for binning in binnings])
    values = block.values
    if first.any():
        values = values - block.spread(first)
    strange = ~((values >= 0) & (values <= block.spread(last - first)))
    with np.errstate(invalid="ignore"):
        codes = values.astype(np.int32)
    strange |= codes != values
    if strange.any():
        unknown = block.spread(np.array([binning.unknown for binning in binnings], dtype=np.int32))
        codes[strange] = np.broadcast_to(unknown, codes.shape)[strange]
    return codes


def _one_by_one(block: Block, binnings: Sequence[Binning]) -> np.ndarray:
    codes = np.empty(block.values.shape, dtype=np.int32)
    for j, binning in enumerate(binnings):
        at = j if block.bounds is None else slice(block.bounds[j], block.bounds[j + 1])
        codes[at] = binning.apply(block.values[at])
    return codes


_HOW = {"edges": _by_edges, "run": _by_run, "any": _one_by_one}
