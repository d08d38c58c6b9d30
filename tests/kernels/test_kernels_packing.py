"""Bit slices of dense tables are what numpy packs, at the edges of words, strips and chunks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba.core import config

from mlfs._kernels import packing
from mlfs._kernels.packing import CHUNK, MISSING, STRIP
from mlfs.data.bit_slices import slice_table as bit_slices
from tests.in_full import words

WIDTHS = [STRIP, STRIP + 1, 2 * STRIP - 1, CHUNK, CHUNK + 1, CHUNK + STRIP + 1, 2 * CHUNK + 1]
ROWS = [1, 63, 64, 65, 511, 513, 577]
if config.DISABLE_JIT:  # fewer, as each takes a hundred times as long
    WIDTHS, ROWS = [STRIP, STRIP + 1, CHUNK + 1], [1, 65]


def sliced(rows, bits):
    """The words of each bit, column by column."""
    return np.stack([words((rows >> bit & 1).T.astype(bool)) for bit in range(bits)])


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize(("most", "share"), [(1, 1.0), (15, 0.5), (15, 0.0005), (31, 0.002)])
def test_rows_are_sliced_as_numpy_packs_them(d, most, share):
    generator = np.random.default_rng(d + most)
    n_words, first, last, origin, bits = 3, 2, 4, 1, 4
    values = generator.integers(0, most + 1, (n_words * STRIP, d))
    rows = np.where(generator.random(values.shape) < share, values, 0).astype(np.uint8)
    top, out = np.zeros(d, np.uint8), np.zeros((bits, d, last + 2), np.uint64)
    packing.slice_rows(rows.ravel(), first, last, origin, top, out)
    part = rows[(first - origin) * STRIP : (last - origin) * STRIP]
    np.testing.assert_array_equal(top, np.bitwise_or.reduce(part))
    np.testing.assert_array_equal(out[:, :, first:last], sliced(part, bits))
    assert not out[:, :, :first].any()
    assert not out[:, :, last:].any()


@pytest.mark.parametrize("n_rows", ROWS)
@pytest.mark.parametrize("d", [1, 63, 64, 65, 129])
def test_a_table_of_any_edge_is_sliced_alike(n_rows, d, monkeypatch):
    generator = np.random.default_rng(n_rows + d)
    table = generator.integers(0, generator.integers(1, 17, d), (n_rows, d)).astype(np.int8)
    gaps = generator.random(table.shape) < 0.1
    holey = np.where(gaps, np.nan, table)
    marked = np.where(gaps, MISSING, table)
    for chunk, (given, plain) in itertools.product(
        (1, 1 << 22), ((table, table), (table.astype(np.int64), table), (holey, marked))
    ):
        monkeypatch.setattr("mlfs.data.bit_slices.BYTES", chunk)
        monkeypatch.setattr("mlfs.data.bit_slices.CHUNK", chunk)
        for laid in (given, np.asfortranarray(given), given[::-1, ::-1].copy()[::-1, ::-1]):
            found = bit_slices(laid)
            np.testing.assert_array_equal(found.planes, sliced(plain, len(found.planes)))
            known = (plain != MISSING).sum(axis=0)
            np.testing.assert_array_equal(found.counts[:, :MISSING].sum(axis=1), known)
