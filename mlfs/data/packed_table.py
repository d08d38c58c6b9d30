"""A dense table made of pieces: bits of its small whole numbers, and a spool of the rest.

A reader gives rows, some at a time, and they are packed at once: 0 and 1 take one bit. So a file
is read in pieces and no table of its numbers is ever made, unless somebody asks for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs._kernels.packing import MISSING, STRIP
from mlfs.data.bit_slices import MISSING_BIT, Slices, count_slices, slice_into
from mlfs.data.request import refuse_memory
from mlfs.data.spool import Spool

AT_ONCE = 1 << 22  # cells that are unpacked at a time
COLUMNS_AT_ONCE = 1 << 20  # those of whole columns, which are then sorted


@dataclass(frozen=True)
class _PackedRows:
    """Consecutive rows.

    Parameters
    ----------
    first, n_rows : int
        The rows of the table; `first` is a multiple of 64.
    places : ndarray of int
        The row of `planes` of each column, or ``~k`` for column k of the spool.
    planes : list of ndarray of uint64, or None
        A slice of the small columns for each bit; None where none has the bit.
    spool_start : int
        Where its part of the spool begins.
    """

    first: int
    n_rows: int
    places: np.ndarray
    planes: list[np.ndarray | None]
    spool_start: int


class Packer:
    """Packs rows as they come; `finish` makes the table.

    Parameters
    ----------
    max_memory : int, optional
        The most bytes that they may take in memory.

    Attributes
    ----------
    is_beyond : bool
        Whether a number is known to be beyond 2**53.
    """

    def __init__(self, max_memory: int | None = None) -> None:
        self._max_memory, self._nbytes = max_memory, 0
        self._pieces: list[_PackedRows] = []
        self._remainder: np.ndarray | None = None
        self._spool: Spool | None = None
        self._n_packed = self.n_rows = 0
        self.is_beyond = False

    def add(self, rows: np.ndarray) -> None:
        """Pack some rows, all of the same width; the table has a type that holds all of them."""
        self.n_rows += len(rows)
        if self._spool is not None and rows.dtype != self._spool.dtype:
            rows = self._widen(self._spool, rows)
        self._add(rows, last=False)

    def _widen(self, spool: Spool, rows: np.ndarray) -> np.ndarray:
        """Convert the rows so far, and these, to a type that holds both."""
        kind = np.promote_types(spool.dtype, rows.dtype)
        if kind != spool.dtype:
            self._spool = Spool(kind, self._max_memory)
            for start in range(0, spool.size, AT_ONCE):
                self._spool.append(spool.read(start, min(AT_ONCE, spool.size - start)).astype(kind))
            assert self._remainder is not None
            self._remainder = self._remainder.astype(kind)
        return rows.astype(kind)

    def finish(self) -> PackedTable:
        """The table of all rows, of which there is one at least."""
        if self._remainder is not None:
            self._add(self._remainder[:0], last=True)
        assert self._spool is not None
        size = self._pieces[0].places.size
        table = PackedTable(self._pieces, self._spool, np.arange(size), {})
        table.is_beyond = self.is_beyond
        return table

    def _add(self, rows: np.ndarray, *, last: bool) -> None:
        if self._spool is None:
            self._spool = Spool(rows.dtype, self._max_memory)
        blocks, remainder = [], self._remainder
        if remainder is not None and len(remainder):
            missing = STRIP - len(remainder)
            remainder, rows = np.concatenate([remainder, rows[:missing]]), rows[missing:]
            if len(remainder) < STRIP and not last:
                self._remainder = remainder
                return
            blocks.append(remainder)
        n_whole = len(rows) // STRIP * STRIP
        self._remainder = np.array(rows[n_whole:])
        if n_whole:
            blocks.append(rows[:n_whole])
        if blocks:
            self._pack(blocks)

    def _pack(self, blocks: list[np.ndarray]) -> None:
        spool = self._spool
        assert spool is not None
        n_rows, d = sum(map(len, blocks)), blocks[0].shape[1]
        bits = MISSING_BIT + (spool.dtype.kind == "f")
        planes = np.zeros((bits, max(d, STRIP), -(-n_rows // STRIP)), np.uint64)
        top, word = np.zeros(max(d, STRIP), np.uint8), 0
        for block in blocks:
            slice_into(block, word, top, planes)
            word += len(block) // STRIP
        top = top[:d]
        is_small = top < 1 << bits
        small, odd = np.flatnonzero(is_small), np.flatnonzero(~is_small)
        places = np.empty(d, np.int64)
        places[small], places[odd] = np.arange(small.size), ~np.arange(odd.size)
        bits_present = int(np.bitwise_or.reduce(top[small], initial=0))
        present_planes = [
            planes[b].take(small, axis=0) if bits_present >> b & 1 else None for b in range(bits)
        ]
        spool_start = spool.size
        if odd.size:
            columns = np.concatenate([block[:, odd].T for block in blocks], axis=1)
            spool.append(columns.reshape(-1))
        self._nbytes += sum(plane.nbytes for plane in present_planes if plane is not None)
        refuse_memory(self._nbytes + spool.nbytes, self._max_memory)
        self._pieces.append(
            _PackedRows(self._n_packed, n_rows, places, present_planes, spool_start)
        )
        self._n_packed += n_rows


class PackedTable:
    """A table, or some of its columns, in pieces.

    It has as much of the interface of an array as data need: `shape`, `dtype`, columns
    (``table[:, columns]``, packed too) and rows (``table[rows]``, an array).

    Parameters
    ----------
    pieces : list
        The pieces of the table.
    spool : Spool
        The columns of a piece that hold other than small whole numbers, one after the other.
    columns : ndarray of int
        The columns of the pieces that are in the table.
    meaning : dict of int to ndarray
        For a column of the pieces: the number for which each number in the pieces stands.

    Examples
    --------
    >>> packer = Packer()
    >>> packer.add(np.array([[0.0, 2.5], [1.0, np.nan]]))
    >>> packer.add(np.array([[1.0, -3.0]]))
    >>> table = packer.finish()
    >>> table.shape, table[1:].tolist(), table[:, [1]].toarray().ravel().tolist()
    ((3, 2), [[1.0, nan], [1.0, -3.0]], [2.5, nan, -3.0])
    """

    ndim = 2
    is_beyond = False  # whether a number is beyond 2**53

    def __init__(
        self,
        pieces: list[_PackedRows],
        spool: Spool,
        columns: np.ndarray,
        meaning: dict[int, np.ndarray],
    ) -> None:
        self._pieces, self._spool, self._columns, self._meaning = pieces, spool, columns, meaning
        self.shape = pieces[-1].first + pieces[-1].n_rows, int(columns.size)

    @property
    def dtype(self) -> np.dtype:
        """The type of its numbers."""
        return np.dtype(np.float64) if self._meaning else self._spool.dtype

    @property
    def size(self) -> int:
        """The number of its cells."""
        return self.shape[0] * self.shape[1]

    @property
    def nbytes(self) -> int:
        """The bytes that its pieces take in memory."""
        planes = (p for piece in self._pieces for p in piece.planes if p is not None)
        return sum(plane.nbytes for plane in planes) + self._spool.nbytes

    @property
    def on_disk(self) -> int:
        """The bytes of the temporary file."""
        return self._spool.on_disk

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.toarray() if dtype is None else self.toarray().astype(dtype, copy=False)

    def __reduce__(self) -> Any:
        return np.asarray, (self.toarray(),)  # the spool stays in this process

    def meaning(self, meaning: dict[int, np.ndarray]) -> PackedTable:
        """The same where the numbers of some columns are replaced: ``meaning[j][number]``."""
        replaced = {
            int(self._columns[j]): np.asarray(values, np.float64) for j, values in meaning.items()
        }
        return PackedTable(self._pieces, self._spool, self._columns, {**self._meaning, **replaced})

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            return self._rows(key)
        rows, columns = key
        if isinstance(columns, (int, np.integer)):
            column = self.column(int(columns))
            return column if _is_all(rows) else column[rows]
        positions = np.arange(self.shape[1])[columns]
        subtable = PackedTable(self._pieces, self._spool, self._columns[positions], self._meaning)
        return subtable if _is_all(rows) else subtable[rows]

    def _rows(self, key: Any) -> np.ndarray:
        if isinstance(key, slice):
            first, last, step = key.indices(self.shape[0])
            if step == 1:
                return self._read_rows(first, max(first, last))
        rows = np.arange(self.shape[0])[key]
        if rows.ndim == 0:
            return self._read_rows(int(rows), int(rows) + 1)[0]
        out = np.empty((rows.size, self.shape[1]), self.dtype)
        order = np.argsort(rows, kind="stable")
        rising = rows[order]
        for first, part in self.row_parts():
            a, b = np.searchsorted(rising, (first, first + len(part)))
            out[order[a:b]] = part[rising[a:b] - first]
        return out

    def toarray(self) -> np.ndarray:
        """The whole table as an array."""
        return self._read_rows(0, self.shape[0])

    def row_parts(self, *, in_bytes: bool = False) -> Iterator[tuple[int, np.ndarray]]:
        """The rows as arrays, some at a time, and the first of each.

        With `in_bytes`, rows of small whole numbers are arrays of bytes, whatever `dtype` is.
        """
        step = max(1, AT_ONCE // max(1, self.shape[1]) // STRIP) * STRIP
        for piece in self._pieces:
            for first in range(0, piece.n_rows, step):
                last = min(piece.n_rows, first + step)
                part = self._read_piece(piece, first, last, in_bytes=in_bytes)
                yield piece.first + first, part.T

    def _read_rows(self, first: int, last: int) -> np.ndarray:
        out = np.empty((last - first, self.shape[1]), self.dtype)
        step = max(1, AT_ONCE // max(1, self.shape[1]) // STRIP) * STRIP
        for piece in self._pieces:
            low, high = max(0, first - piece.first), min(piece.n_rows, last - piece.first)
            for a in range(low // STRIP * STRIP, high, step):
                b = min(high, a + step)
                part = self._read_piece(piece, a, b)
                skip = max(0, low - a)
                start = piece.first + a + skip - first
                out[start : start + b - a - skip] = part[:, skip:].T
        return out

    def column(self, j: int) -> np.ndarray:
        """One column."""
        return self.columns(j, j + 1)[0]

    def columns(self, first: int, last: int) -> np.ndarray:
        """Neighbouring columns, a row of the result for each."""
        if (first, last) != (0, self.shape[1]):
            subtable: PackedTable = self[:, first:last]
            return subtable.columns(0, last - first)
        out = np.empty((self.shape[1], self.shape[0]), self.dtype)
        for piece in self._pieces:
            out[:, piece.first : piece.first + piece.n_rows] = self._read_piece(
                piece, 0, piece.n_rows
            )
        return out

    def column_parts(self) -> Iterator[tuple[int, np.ndarray]]:
        """The columns, some at a time as rows of an array, and the first of each."""
        width = max(1, COLUMNS_AT_ONCE // max(1, self.shape[0]))
        for first in range(0, self.shape[1], width):
            yield first, self.columns(first, min(self.shape[1], first + width))

    def _read_piece(
        self, piece: _PackedRows, first: int, last: int, *, in_bytes: bool = False
    ) -> np.ndarray:
        """Some rows of a piece, from a multiple of 64 on; a row of the result for each column."""
        places = piece.places[self._columns]
        small = np.flatnonzero(places >= 0)
        unpacked = self._unpack_bits(piece, places[small], first, last)
        if in_bytes and small.size == places.size and not self._meaning:
            return unpacked  # of `dtype`, if a value is missing
        out = np.empty((self.shape[1], last - first), self.dtype)
        out[small] = unpacked
        self._unspool(piece, places, first, last, out)
        for j, original in enumerate(self._columns.tolist()):
            values = self._meaning.get(original)
            if values is not None:
                out[j] = values[out[j].astype(np.int64)]
        return out

    def _unpack_bits(
        self, piece: _PackedRows, small_columns: np.ndarray, first: int, last: int
    ) -> np.ndarray:
        words = slice(first // STRIP, -(-last // STRIP))
        values: Any = None
        for bit, planes in enumerate(piece.planes):
            if planes is not None:
                part = np.ascontiguousarray(planes[small_columns, words]).view(np.uint8)
                bits = np.unpackbits(part, axis=1, bitorder="little")
                values = bits if bit == 0 else (bits << bit) | (0 if values is None else values)
        if values is None:
            values = np.zeros((small_columns.size, (words.stop - words.start) * STRIP), np.uint8)
        values = values[:, : last - first]
        if len(piece.planes) <= MISSING_BIT or piece.planes[MISSING_BIT] is None:
            return values
        numbers = values.astype(self.dtype)
        numbers[values == MISSING] = np.nan
        return numbers

    def _unspool(
        self, piece: _PackedRows, places: np.ndarray, first: int, last: int, out: np.ndarray
    ) -> None:
        odd = np.flatnonzero(places < 0)
        n, k = piece.n_rows, 0
        while k < odd.size:
            run = k + 1  # neighbours are read together
            while run < odd.size and places[odd[run]] == places[odd[run - 1]] - 1:
                run += 1
            if last - first < n:
                run = k + 1
            start = piece.spool_start + int(~places[odd[k]]) * n + first
            cells = self._spool.read(start, (run - k - 1) * n + last - first)
            out[odd[k:run]] = cells.reshape(run - k, -1)
            k = run

    def slices(self) -> Slices:
        """The bit slices of the whole table, which are the caller's own."""
        n_rows, d = self.shape
        bits = MISSING_BIT + (self.dtype.kind == "f")
        planes = np.zeros((bits, d, -(-n_rows // STRIP)), np.uint64)
        is_small = np.logical_and.reduce([piece.places >= 0 for piece in self._pieces])
        is_small = is_small[self._columns]
        recoded = np.isin(self._columns, list(self._meaning))
        top = np.zeros(d, np.uint8)
        plain = np.flatnonzero(is_small & ~recoded)
        for piece in self._pieces:
            places = piece.places[self._columns[plain]]
            word = piece.first // STRIP
            words = slice(word, word - (-piece.n_rows // STRIP))
            for bit, plane in enumerate(piece.planes):
                if plane is not None:
                    part = plane[places]
                    planes[bit, plain, words] = part
                    top[plain[part.any(axis=1)]] |= np.uint8(1 << bit)
        for j in np.flatnonzero(recoded).tolist():
            self._slice_recoded(j, top, planes)
        top[~is_small & ~recoded] = 1 << bits
        return count_slices(planes, top, n_rows)

    def _slice_recoded(self, j: int, top: np.ndarray, planes: np.ndarray) -> None:
        """Slice a column whose numbers stand for others."""
        column = np.ascontiguousarray(self.column(j))[:, None]
        column_top = np.zeros(STRIP, np.uint8)
        column_planes = np.zeros((planes.shape[0], STRIP, planes.shape[2]), np.uint64)
        slice_into(column, 0, column_top, column_planes)
        top[j], planes[:, j] = column_top[0], column_planes[:, 0]


def _is_all(rows: Any) -> bool:
    return isinstance(rows, slice) and rows == slice(None)


def recoded(table: Any, meaning: dict[int, np.ndarray]) -> Any:
    """A table, or an array that may be changed, with other numbers: ``meaning[j][number]``."""
    if isinstance(table, PackedTable):
        return table.meaning(meaning) if meaning else table
    for j, values in meaning.items():
        table[:, j] = values[table[:, j].astype(np.int64)]
    return table
