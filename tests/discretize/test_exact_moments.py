"""Sums without rounding, against `math.fsum` and fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlfs.discretize.column_blocks import blocks
from mlfs.discretize.unsupervised import deviations, mean_sd

NUMBERS = st.one_of(
    st.floats(-1e300, 1e300, allow_nan=False),
    st.floats(-1.0, 1.0),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e-308, 1e-290, 2.0**-1000, 1e16, -1e16, 1.0]),
)


@settings(deadline=None)  # the first example loads the compiler
@given(
    st.integers(1, 4).flatmap(
        lambda d: st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=1)
    )
)
def test_sums_are_rounded_once(rows):
    table = np.array(rows, dtype=float)
    (block,) = blocks(table)
    sums = deviations(block, np.zeros(block.width), np.abs(table).max(axis=0))
    assert sums.tolist() == [math.fsum(column) for column in table.T.tolist()]


@pytest.mark.parametrize("scale", [1e-320, 1e-299, 1e-150, 1.0, 1e150, 1e299, 1e307])
def test_mean_and_deviation_at_the_ends_of_the_numbers(scale):
    values = np.random.default_rng(0).integers(1, 9, (40, 3)) * scale
    values[0] = scale * 1e-12
    (block,) = blocks(values)
    low, high = values.min(axis=0), values.max(axis=0)
    mean, sd = mean_sd(block, None, low, high, np.zeros(3))
    for column, m, s in zip(values.T.tolist(), mean.tolist(), sd.tolist(), strict=True):
        exact = [Fraction(x) / Fraction(scale) for x in column]
        middle = sum(exact) / len(exact)
        spread = math.sqrt(sum((x - middle) ** 2 for x in exact) / len(exact))
        few_bits = 1e-2 if scale < 1e-300 else 1e-14
        assert float(Fraction(m) / Fraction(scale)) == pytest.approx(float(middle), rel=few_bits)
        assert float(Fraction(s) / Fraction(scale)) == pytest.approx(spread, rel=few_bits)


def test_the_order_of_rows_does_not_matter():
    generator = np.random.default_rng(1)
    values = generator.standard_normal((5000, 6)) * 10.0 ** generator.integers(-200, 200, 6)
    shuffled = generator.permutation(values)
    found = []
    for table in (values, shuffled, np.asfortranarray(values)):
        (block,) = blocks(table)
        found.append(mean_sd(block, None, table.min(axis=0), table.max(axis=0), np.zeros(6)))
    assert all(np.array_equal(found[0], other) for other in found[1:])
