"""Sums of c log c are whole numbers: exact in any order, and wide enough for all labels."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import config

from mlfs import Info
from mlfs._kernels import co_sums
from mlfs.counting import column_groups, xlogx
from mlfs.counting.xlogx import entropies, per_row, wrap_int64, xlogx_table
from mlfs.information.for_search import table_of


@given(st.lists(st.integers(0, 500), min_size=1, max_size=30), st.randoms())
@settings(max_examples=60, deadline=None)
def test_an_entropy_is_that_of_its_definition_in_any_order(cells, random):
    total = sum(cells)
    table = xlogx_table(total, 1.0)
    told = []
    for _ in range(2):
        random.shuffle(cells)
        t = np.array([sum(int(table.table[c]) for c in cells)])
        told.append(float(entropies(np.array([total]), t, table)[0]))
    expected = -sum(c / total * math.log(c / total) for c in cells if c) if total else 0.0
    assert told[0] == told[1]
    assert told[0] == pytest.approx(expected, rel=0, abs=1e-12)


@given(st.integers(0, 10**13), st.floats(0, 1e6))
@settings(max_examples=60, deadline=None)
def test_the_sums_fit_into_64_bits(total, nats):
    unit = xlogx_table(total, nats, size=4).unit
    assert total * max(1.0, math.log(max(1, total))) * unit <= 2.0**xlogx.BITS
    assert total * nats * unit <= 2.0**62


def test_counts_behind_the_table_are_made_alike():
    long, short = xlogx_table(1000, 1.0), xlogx_table(1000, 1.0, size=10)
    assert (short.table.size, short.unit) == (11, long.unit)
    counts, edges = np.arange(1001), np.arange(1002)
    ones, out = np.ones(1001, np.int32), np.empty((2, 1001, 2), np.int64)
    for table, part in zip((long, short), out, strict=True):
        co_sums.singles(counts, edges, ones, table, part)
    assert (out[0] == out[1]).all()


@given(st.integers(-(1 << 200), 1 << 200))
def test_wrapped_numbers_differ_by_whole_rounds(number):
    assert (int(wrap_int64(number)) - number) % (1 << 64) == 0


def test_no_rows_tell_nothing_and_nothing_is_below_zero():
    table = xlogx_table(9, 1.0)
    assert per_row(np.array([7, -3, 4]), np.array([0, 9, 9]), table)[:2].tolist() == [0, 0]
    assert per_row(np.array([-3]), np.array(9), table).tolist() == [0]


@pytest.mark.parametrize(
    ("word_cost", "levels"),
    [(0.0, 2), (math.inf, 3)]
    if config.DISABLE_JIT
    else [*itertools.product([0.0, math.inf], [2, 3])],
)
def test_sums_over_labels_may_leave_64_bits_on_the_way(monkeypatch, levels, word_cost):
    monkeypatch.setattr(column_groups, "WORD_COST", word_cost)
    generator = np.random.default_rng(0)
    rows = 300 if config.DISABLE_JIT else 900
    X = np.where(generator.random((rows, 5)) < 0.02, generator.integers(1, levels, (rows, 5)), 0)
    Y = generator.random((rows, 120)) < 0.03
    said = []
    for bits in (xlogx.BITS, 58):
        monkeypatch.setattr(xlogx, "BITS", bits)
        monkeypatch.setattr(xlogx, "SPARE_BITS", 62 - bits)
        info = Info.from_codes(X, Y.astype(int))
        parts = [info.mi_fL, info.interaction_fLL, info.cmi_sL_given_f(1), info.cmi_fL_given_s(2)]
        said.append(np.stack(parts))
    at_once = 120 * int(table_of(info).t_f.max())
    assert at_once > 1 << 63
    np.testing.assert_allclose(said[0], said[1], rtol=0, atol=1e-11)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [2, 4])
def test_counts_beyond_the_table_change_no_bit(monkeypatch, weighted, levels):
    generator = np.random.default_rng(levels)
    X, Y = generator.integers(0, levels, (300, 9)), generator.integers(0, 2, (300, 4))
    X[:, :4] *= generator.random((300, 4)) < 0.1
    weights = generator.integers(1, 5, 300) if weighted else None

    def answers():
        info = Info.from_codes(X, Y, weights=weights)
        words = info.h_f, info.mi_fL, info.mi_fs(2), info.interaction_fLL
        of_some = info.only(np.array([1, 7]))
        return [*words, info.cmi_fL_given_s(1), info.joint_fsL(5), of_some.cmi_fL_given_s(1)]

    whole = answers()
    monkeypatch.setattr(xlogx.xlogx_table, "__defaults__", (20, 0.0))
    for one, other in zip(whole, answers(), strict=True):
        assert np.array_equal(one, other)
