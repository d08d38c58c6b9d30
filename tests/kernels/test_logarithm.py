"""The logarithm is right to the last digits, and made of operations that every machine has."""

from __future__ import annotations

import ast
import inspect
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from mlfs._kernels import co_sums

CALLS = {"frexp", "int", "min", "max"}  # beside sums, products and quotients


def logs(counts: np.ndarray, unit: float) -> list[int]:
    """c log c in units, which are coarse enough for c log c to tell what log c was."""
    table = np.zeros(int(counts.max()) + 1, np.int64)
    co_sums.fill_xlogx(table, unit)
    return [int(table[c]) for c in counts.tolist()]


@pytest.mark.parametrize("unit", [2.0**20, 2.0**30])
def test_c_log_c_is_right_to_the_last_bit_of_a_float(unit: float) -> None:
    counts = np.r_[np.arange(2, 300), np.random.default_rng(0).integers(300, 200_000, 500)]
    with localcontext(prec=60):
        for c, found in zip(counts.tolist(), logs(counts, unit), strict=True):
            exact = Decimal(c) * Decimal(c).ln() * Decimal(unit)
            assert abs(found - exact) <= Decimal("0.5") + exact * Decimal(2) ** -52


def test_powers_of_two_are_multiples_of_one_logarithm() -> None:
    powers = 2 ** np.arange(1, 18)
    unit = 2.0**33
    wanted = [round(c * math.log(2.0) * k * unit) for k, c in enumerate(powers.tolist(), 1)]
    np.testing.assert_allclose(logs(powers, unit), wanted, rtol=2e-16)


def test_only_operations_that_are_the_same_everywhere_are_used() -> None:
    function = getattr(co_sums.log, "py_func", co_sums.log)
    tree = ast.parse(inspect.getsource(function))
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert {call.attr if isinstance(call, ast.Attribute) else call.id for call in calls} <= CALLS
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Pow)]
