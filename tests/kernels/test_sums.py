"""Sums that are rounded once: the same bits as math.fsum."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mlfs._kernels.sums import exact_sums

NUMBERS = st.one_of(
    st.floats(-1e290, 1e290, allow_nan=False),
    st.builds(math.ldexp, st.integers(-3, 3).map(float), st.integers(-60, 60)),
)


@settings(deadline=None)
@given(st.lists(st.lists(NUMBERS, min_size=5, max_size=5), min_size=1, max_size=6))
def test_a_sum_is_rounded_once(rows):
    out = np.empty(len(rows))
    exact_sums(np.array(rows), out)
    assert out.tolist() == [math.fsum(row) for row in rows]


def test_what_is_below_decides_ties():
    rows = [[1.0, 2.0**-53, 2.0**-106], [1.0, 2.0**-53, -(2.0**-106)], [1.0, 2.0**-53, 0.0]]
    out = np.empty(3)
    exact_sums(np.array(rows), out)
    assert out.tolist() == [math.fsum(row) for row in rows]
    assert out[0] != out[1] == out[2]
