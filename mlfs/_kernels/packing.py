"""Bit slices: small integers of a dense table, bit by bit, 64 rows to the word.

Slice b of a column holds bit b of its values. `mlfs._kernels.planes` counts values by ANDs of
slices. The vector code is written by hand: a selection from 10,000 x 2,000 bytes takes 25 % more
time with loops that LLVM vectorizes itself if they are binary, and twice the time with 8 levels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

from mlfs._kernels.jit import compiled
from mlfs._kernels.planes import lowest

STRIP = 64  # rows to the word, and columns at a time
ONE = np.uint64(1)
CHUNK = 64 * STRIP  # columns at a time, so that the bytes of eight rows stay in a cache
# where the 64 columns lie in what `_words_of` writes: pairs, from each sixteen of them in turn
ORDER = np.array([16 * l + 2 * pair + k for pair in range(8) for l in range(4) for k in range(2)])
MISSING, ODD = 16, 32  # bytes for missing values, and for what is no small integer

if config.DISABLE_JIT:  # type: ignore[attr-defined]  # numba sets its options at run time

    def _eight(table: Any, at: int, stride: int) -> np.ndarray:
        return np.stack([table[at + r * stride : at + r * stride + STRIP] for r in range(8)])

    def _eight_rows(table: Any, at: int, stride: int, bit: int, out: Any, to: int) -> None:
        bits = (_eight(table, at, stride) >> bit) & 1
        out[to : to + STRIP] = np.packbits(bits, axis=0, bitorder="little")[0]

    def _first_bit(
        table: Any, at: int, stride: int, out: Any, to: int, top: Any, column: int
    ) -> None:
        top[column : column + STRIP] |= np.bitwise_or.reduce(_eight(table, at, stride), axis=0)
        _eight_rows(table, at, stride, 0, out, to)

    def _any_of(top: Any, column: int) -> int:
        return int(np.bitwise_or.reduce(top[column : column + STRIP]))

    def _words_of(rows: Any, at: int, stride: int, out: Any) -> None:
        bits = np.unpackbits(_eight(rows, at, stride), axis=0, bitorder="little")
        bits = bits.reshape(8, 8, STRIP).swapaxes(0, 1)  # row of eight, then bit
        place = np.arange(STRIP, dtype=np.uint64).reshape(8, 8)
        words = (bits.astype(np.uint64) << place.T[:, :, None]).sum(axis=(0, 1), dtype=np.uint64)
        out[:] = words[ORDER]

    def _word(table: Any, at: int, mask: int) -> Any:
        bits = np.packbits((table[at : at + STRIP] & np.uint8(mask)) != 0, bitorder="little")
        return np.uint64(int.from_bytes(bits.tobytes(), "little"))

else:  # pragma: no cover  # runs compiled only: it builds LLVM code
    _BYTE, _INDEX = ir.IntType(8), ir.IntType(32)
    _BYTES = ir.VectorType(_BYTE, STRIP)
    _WHOLE = types.int64

    def _place(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
        data = context.make_array(kind)(context, builder, array).data
        return builder.bitcast(builder.gep(data, [at]), _BYTES.as_pointer())

    def _splat(value: int) -> Any:
        return ir.Constant(_BYTES, [value] * STRIP)

    def _spread(builder: Any, byte: Any) -> Any:
        nothing = ir.Constant(_BYTES, ir.Undefined)
        one = builder.insert_element(nothing, byte, ir.Constant(_INDEX, 0))
        zeros = ir.Constant(ir.VectorType(_INDEX, STRIP), [0] * STRIP)
        return builder.shuffle_vector(one, nothing, zeros)

    def _having(builder: Any, values: Any, mask: Any) -> Any:
        return builder.icmp_unsigned("!=", builder.and_(values, mask), _splat(0))

    def _loaded(builder: Any, context: Any, kind: Any, array: Any, at: Any, stride: Any) -> Any:
        """Eight rows of 64 columns."""
        rows = []
        for _ in range(8):
            rows.append(builder.load(_place(context, builder, kind, array, at), align=1))
            at = builder.add(at, stride)
        return rows

    def _bit_by_bit(builder: Any, rows: Any, mask: Any) -> Any:
        """A byte for each column, with a bit for each row that has any of the bits of a mask."""
        total = _splat(0)
        for row, values in enumerate(rows):
            on = _having(builder, values, mask)
            total = builder.or_(total, builder.select(on, _splat(1 << row), _splat(0)))
        return total

    @intrinsic
    def _eight_rows(
        typing: Any,  # noqa: ARG001  # numba's signature
        table: Any,
        at: Any,  # noqa: ARG001
        stride: Any,  # noqa: ARG001
        bit: Any,  # noqa: ARG001
        out: Any,
        to: Any,  # noqa: ARG001
    ) -> Any:
        """Bit `bit` of eight rows of 64 columns: a byte for each column, a bit for each row."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            table, at, stride, bit, out, to = arguments
            mask = builder.shl(ir.Constant(_BYTE, 1), builder.trunc(bit, _BYTE))
            rows = _loaded(builder, context, signature.args[0], table, at, stride)
            total = _bit_by_bit(builder, rows, _spread(builder, mask))
            place = _place(context, builder, signature.args[4], out, to)
            builder.store(total, place, align=1)
            return context.get_dummy_value()

        return types.none(table, _WHOLE, _WHOLE, _WHOLE, out, _WHOLE), generate

    @intrinsic
    def _first_bit(
        typing: Any,  # noqa: ARG001  # numba's signature
        table: Any,
        at: Any,  # noqa: ARG001
        stride: Any,  # noqa: ARG001
        out: Any,
        to: Any,  # noqa: ARG001
        top: Any,
        column: Any,  # noqa: ARG001
    ) -> Any:
        """Transpose bit 0, while the rows are ORed into `top`.

        One pass for both: loading rows that cross cache lines takes most of the time.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            table, at, stride, out, to, top, column = arguments
            rows = _loaded(builder, context, signature.args[0], table, at, stride)
            place = _place(context, builder, signature.args[3], out, to)
            builder.store(_bit_by_bit(builder, rows, _splat(1)), place, align=1)
            place = _place(context, builder, signature.args[5], top, column)
            found = builder.load(place, align=1)
            for values in rows:
                found = builder.or_(found, values)
            builder.store(found, place, align=1)
            return context.get_dummy_value()

        return types.none(table, _WHOLE, _WHOLE, out, _WHOLE, top, _WHOLE), generate

    @intrinsic
    def _any_of(typing: Any, top: Any, column: Any) -> Any:  # noqa: ARG001  # numba's signature
        """64 bytes, ORed."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature.args[0], *arguments)
            shape = ir.FunctionType(_BYTE, [_BYTES])
            name = f"llvm.vector.reduce.or.v{STRIP}i8"
            reduce: Any = cgutils
            reduce = reduce.get_or_insert_function(builder.module, shape, name)
            found = builder.call(reduce, [builder.load(place, align=1)])
            return builder.zext(found, ir.IntType(64))

        return _WHOLE(top, _WHOLE), generate

    def _interleaved(builder: Any, one: Any, other: Any, size: int, upper: bool) -> Any:
        """Numbers of `size` bytes in turn, from a half of each sixteen bytes of both."""
        n, lane = STRIP // size, 16 // size
        kind = ir.VectorType(ir.IntType(8 * size), n)
        half = range(lane // 2, lane) if upper else range(lane // 2)
        order = [k for begin in range(0, n, lane) for i in half for k in (begin + i, n + begin + i)]
        mixed = builder.shuffle_vector(
            builder.bitcast(one, kind),
            builder.bitcast(other, kind),
            ir.Constant(ir.VectorType(_INDEX, n), order),
        )
        return builder.bitcast(mixed, _BYTES)

    @intrinsic
    def _words_of(typing: Any, rows: Any, at: Any, stride: Any, out: Any) -> Any:  # noqa: ARG001
        """From eight rows of 64 bytes the word of each column, columns as in `ORDER`."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            rows, at, stride, out = arguments
            loaded = _loaded(builder, context, signature.args[0], rows, at, stride)
            groups = [[one] for one in loaded]
            for size in (1, 2, 4):
                groups = [
                    [
                        _interleaved(builder, a, b, size, upper)
                        for a, b in zip(one, other, strict=True)
                        for upper in (False, True)
                    ]
                    for one, other in zip(groups[::2], groups[1::2], strict=True)
                ]
            data = context.make_array(signature.args[3])(context, builder, out).data
            data = builder.bitcast(data, _BYTES.as_pointer())
            for at_word, mixed in enumerate(groups[0]):
                builder.store(mixed, builder.gep(data, [ir.Constant(_INDEX, at_word)]), align=8)
            return context.get_dummy_value()

        return types.none(rows, _WHOLE, _WHOLE, out), generate

    @intrinsic
    def _word(typing: Any, table: Any, at: Any, mask: Any) -> Any:  # noqa: ARG001
        """Which of 64 bytes in a row have any of the bits of a mask."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            table, at, mask = arguments
            place = _place(context, builder, signature.args[0], table, at)
            mask = _spread(builder, builder.trunc(mask, _BYTE))
            on = _having(builder, builder.load(place, align=1), mask)
            return builder.bitcast(on, ir.IntType(64))

        return types.uint64(table, _WHOLE, _WHOLE), generate


@compiled
def slice_rows(flat: Any, first: int, last: int, origin: int, top: Any, slices: Any) -> None:
    """Slice the words `first` to `last` of rows that lie one after the other.

    `slices` has the shape (bits, columns, words) and holds zeros; the first row of `flat` belongs
    to the word `origin`. `top` collects the OR of each column. There are 64 columns or more.
    """
    d = top.size
    words = np.empty(STRIP, np.uint64)
    for first_column in range(0, d, CHUNK):
        strips = (min(d - first_column, CHUNK) + STRIP - 1) // STRIP
        width = strips * STRIP
        rows = np.empty(8 * width, np.uint8)  # eight of the rows that are sliced to a byte each
        for word in range(first, last):
            start = (word - origin) * STRIP * d
            for bit in range(slices.shape[0]):
                any_has = bit == 0
                for group in range(8):
                    row = start + group * 8 * d
                    for strip in range(strips):
                        column = min(first_column + strip * STRIP, d - STRIP)
                        to = group * width + strip * STRIP
                        if bit == 0:
                            _first_bit(flat, row + column, d, rows, to, top, column)
                        elif _any_of(top, column) >> bit & 1:
                            _eight_rows(flat, row + column, d, bit, rows, to)
                            any_has = True
                    if not any_has:
                        break
                if not any_has:
                    continue
                for strip in range(strips):
                    column = min(first_column + strip * STRIP, d - STRIP)
                    if _any_of(top, column) >> bit & 1:
                        _words_of(rows, strip * STRIP, width, words)
                        for k in range(STRIP):
                            slices[bit, column + ORDER[k], word] = words[k]


@compiled
def slice_columns(table: Any, first: int, top: Any, slices: Any) -> None:
    """Slice columns that are contiguous, a row of `table` for each; the first is column `first`."""
    n_rows = table.shape[1]
    flat = table.ravel()
    for c in range(table.shape[0]):
        all_bits = np.uint8(0)
        for row in range(n_rows):
            all_bits |= table[c, row]
        top[first + c] |= all_bits
        for bit in range(slices.shape[0]):
            if not all_bits >> bit & 1:
                continue
            for word in range(n_rows // STRIP):
                slices[bit, first + c, word] = _word(flat, c * n_rows + word * STRIP, 1 << bit)
            packed = np.uint64(0)
            for row in range(n_rows // STRIP * STRIP, n_rows):
                packed |= np.uint64(table[c, row] >> bit & 1) << np.uint64(row % STRIP)
            if n_rows % STRIP:
                slices[bit, first + c, n_rows // STRIP] = packed


@compiled
def as_bytes(values: Any, zero: Any, out: Any) -> None:
    """0 to 15 as they are, MISSING for NaN, ODD for everything else; `zero` is of their type."""
    for i in range(values.size):
        value = values[i]
        inside = (value >= 0) & (value < MISSING)
        kept = value if inside else zero
        integer = np.int32(kept)
        code = ODD if value == value else MISSING
        out[i] = np.uint8(integer if inside & (integer == kept) else code)


@compiled
def entries_of_labels(
    flat: Any, signed: Any, ends: Any, rows: Any, codes: Any, write: bool
) -> None:
    """Find the entries of a table of 64 bytes or more that are not 0, column by column.

    Without `write` they are only counted in `ends`. With it they are written from `ends`, which
    moves to the end of each column. Two kernels would take twice the time to compile.
    """
    d = ends.size
    for first in range(0, flat.size, STRIP):
        late = first + STRIP - flat.size  # the last strip begins before its first new byte
        if late < 0:  # noqa: PLR1730  # max is slow to compile
            late = 0
        word = _word(flat, first - late, 255) >> np.uint64(late)
        while word:
            cell = first + lowest(word)
            word &= word - ONE
            row = cell // d
            column = cell - row * d
            place = ends[column]
            ends[column] = place + 1
            if write:
                rows[place] = row
                codes[place] = signed[cell]
