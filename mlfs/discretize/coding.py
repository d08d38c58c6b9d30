"""The codes of a whole table: only the entries that differ from a column's commonest code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlfs.counting.codes import Codes
from mlfs.counting.entries import edges_of
from mlfs.discretize import small
from mlfs.discretize.blocks import Block, blocks
from mlfs.discretize.many import Binnings
from mlfs.discretize.packing import FEW_LEVELS, Packing
from mlfs.discretize.record import Binning
from mlfs.discretize.slicing import counted
from mlfs.errors import DataError

__all__ = ["Encoded", "coded", "codes_of", "counts_of", "encode"]

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
    levels = np.array([binning.n_levels for binning in binnings])
    return tallied(block, codes, levels, _codes_of_zero(binnings), weights)


def tallied(
    block: Block,
    codes: np.ndarray,
    levels: np.ndarray,
    zero: np.ndarray,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """The same where the levels and the codes of 0 are known."""
    width = int(levels.max(initial=1))
    if weights is None and block.bounds is None and width <= FEW_LEVELS and codes.size:
        return counted(codes.astype(np.uint8, copy=False).T).counts[:, :width].astype(np.int64)
    place = block.spread(np.arange(block.width) * width) + codes
    mass = None
    if weights is not None:
        mass = np.broadcast_to(weights[block.row_index()], codes.shape).ravel()
    counts = np.bincount(place.ravel(), mass, block.width * width).reshape(block.width, width)
    if mass is not None:
        counts = counts.astype(np.float64, copy=False)  # of no entries np.bincount makes integers
    if block.implicit.any():
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
    codes = coded(dataset.table, binnings)
    return Encoded(codes.indptr, codes.rows, codes.codes, codes.base, codes.levels, codes.missing)


def coded(table: Any, binnings: Sequence[Binning], survey: small.Survey | None = None) -> Codes:
    """The codes of a table, in the form that is counted.

    Parameters
    ----------
    table : ndarray or sparse array
        X, of any type of numbers.
    binnings : sequence of Binning
        One for each column.
    survey : Survey, optional
        What `small.surveyed` saw in the table, if it was asked already.
    """
    d = table.shape[1]
    if len(binnings) != d:
        raise DataError(f"{len(binnings)} binnings for {d} columns: there must be one for each")
    many = Binnings.made_of(binnings)
    survey = small.surveyed(table) if survey is None else survey
    if survey is None:
        return _joined(table, many, [], np.arange(d), Packing(0))
    mine, codes = small.coded(survey, many)
    if mine.size == d:
        return codes
    left = np.ones(d, bool)
    left[mine] = False
    parts = [(mine, codes)] if mine.size else []
    return _joined(table, many, parts, np.flatnonzero(left), survey.ahead)


def _joined(
    table: Any,
    many: Binnings,
    parts: list[tuple[np.ndarray, Codes]],
    others: np.ndarray,
    ahead: Packing,
) -> Codes:
    """Code what is left in the general way, and put all columns back into their order."""
    few = (many.levels[others] <= FEW_LEVELS) & (not sp.issparse(table))
    cut = many.of[others] >= len(many.shapes)
    for which in (few & cut, few & ~cut, ~few & cut, ~few & ~cut):
        columns = others[which]
        if columns.size and ahead.holds(columns):  # learning them has coded them
            codes = ahead.codes(many.levels[columns], many.missing_codes[columns])
            parts.append((columns, codes))
        elif columns.size or (not parts and not others.size):
            whole = columns.size == table.shape[1]
            own = Binnings(range(columns.size), many.shapes, many.of[columns], many.cuts)  # type: ignore[arg-type]
            parts.append((columns, _general(table if whole else table[:, columns], own)))
    codes = parts[0][1]
    if len(parts) == 1:
        return codes
    place = np.empty(table.shape[1], np.int64)
    place[np.concatenate([columns for columns, _ in parts])] = np.arange(place.size)
    for _, more in parts[1:]:
        codes = codes.beside(more)
    return codes.take(place)


def _general(table: Any, many: Binnings) -> Codes:
    """Columns that are all cut or all not; of few levels and written out, or listed."""
    n_rows, levels = int(table.shape[0]), many.levels
    if not sp.issparse(table) and n_rows > 0 and bool((levels <= FEW_LEVELS).all()):
        packing = Packing(n_rows)
        for block in blocks(table):
            at = slice(block.start, block.start + block.width)
            codes = _Coder(many, at).codes_of(block)
            packing.add(np.arange(at.start, at.stop), codes, levels[at])
        return packing.codes(levels, many.missing_codes)
    return _listed(table, many)


def _listed(table: Any, many: Binnings) -> Codes:
    """The rows and codes off the bases."""
    levels = many.levels
    bases, counts = np.empty(levels.size, np.int32), [np.zeros(0, np.int64)]
    lengths: list[np.ndarray] = [np.zeros(0, np.int64)]
    pieces: list[tuple[np.ndarray, np.ndarray]] = []
    for block in blocks(table):
        at = slice(block.start, block.start + block.width)
        coder = _Coder(many, at)
        codes = coder.codes_of(block)
        occurs = tallied(block, codes, levels[at], coder.zero)
        bases[at] = occurs.argmax(axis=1)
        counts.append(occurs[np.arange(occurs.shape[1]) < levels[at, None]])
        length, rows, kept = _deviating(block, codes, bases[at], coder)
        lengths.append(length)
        pieces.append((rows, kept))
    indptr = edges_of(np.concatenate(lengths))
    return Codes(
        int(table.shape[0]),
        indptr,
        *_one_after_the_other(pieces, int(indptr[-1])),
        bases,
        levels,
        many.missing_codes,
        counts=np.concatenate(counts),
    )


class _Coder:
    """How some neighbouring columns are coded."""

    def __init__(self, many: Binnings, at: slice) -> None:
        of = many.of[at]
        self.cuts = None
        if many.cuts is not None and of.size and of[0] >= len(many.shapes):
            self.cuts = many.cuts.take(of - len(many.shapes))
            self.zero = self.cuts.codes_of_zero()
        else:
            self.binnings = many.take(np.arange(len(many))[at])
            self.zero = _codes_of_zero(self.binnings)

    def codes_of(self, block: Block) -> np.ndarray:
        """The code of every entry."""
        if self.cuts is not None:
            return self.cuts.codes_of(block)
        return codes_of(block, self.binnings)

    def apply(self, j: int, values: np.ndarray) -> np.ndarray:
        """The codes of values of one column."""
        one = self.binnings[j] if self.cuts is None else self.cuts.one(j)
        return one.apply(values)


def _one_after_the_other(
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
    block: Block, codes: np.ndarray, base: np.ndarray, coder: _Coder
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The number of entries of each column that differ from its base; their rows and codes."""
    differs = codes != block.spread(base)
    length = block.reduce(np.add, differs.astype(np.int64), np.int64(0))
    if block.bounds is None:
        rows = np.concatenate([np.flatnonzero(each) for each in differs])
        return length, rows.astype(np.int32), codes[differs]
    rows, kept = block.row_index()[differs], codes[differs]
    zero = coder.zero
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
        whole = coder.apply(j, block.column(j))
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
