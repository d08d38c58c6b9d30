"""The natural logarithm, the same on every machine.

That of the C library or of a vector library may differ in its last bit from one processor or
system to the next. Here are only operations that IEEE 754 defines to the last bit.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from mlfs._kernels.jit import inner

BITS = 90
ROOT_OF_HALF = math.sqrt(0.5)
STEPS = 128
FIRST, LAST = 90, 182  # i / STEPS, from the root of 1/2 to the root of 2


def _log_of(a: int, b: int) -> Fraction:
    """Log(a / b) to 80 bits, as 2 artanh z = 2 (z + z^3/3 + z^5/5 + ...)."""
    z = ((a - b) << BITS) // (a + b)
    square, power, total, odd = z * z >> BITS, z, 0, 1
    while power not in (0, -1):
        total += power // odd
        power, odd = power * square >> BITS, odd + 2
    return Fraction(total, 1 << (BITS - 1))


def _as_sum(value: Fraction, bits: int = 53) -> tuple[float, float]:
    """Two numbers with this sum, of which the first has so many bits."""
    m, e = math.frexp(float(value))
    first = math.ldexp(round(math.ldexp(m, bits)), e - bits)
    return first, float(value - Fraction(first))


LOGS = np.array([_as_sum(_log_of(i, STEPS)) for i in range(FIRST, LAST + 1)])
LN2_HI, LN2_LO = _as_sum(_log_of(2, 1), 33)  # so few bits that k LN2_HI is exact


@inner
def log(x: float) -> float:
    """Log x of a positive number that is not subnormal.

    It is log 2^k + log i / STEPS + 2 artanh z, with z below 0.003. From 2 on the last bit is
    right but for one number in thousands; near 1, three units of the last bit may be wrong.
    """
    m, k = math.frexp(x)
    if m < ROOT_OF_HALF:
        m, k = m * 2.0, k - 1
    i = min(max(int(m * STEPS + 0.5), FIRST), LAST)  # not outside, even if x is not a number
    near = i / STEPS
    z = (m - near) / (m + near)
    w = z * z
    artanh = z * (1.0 + w * (1 / 3 + w * (1 / 5 + w * (1 / 7))))
    a, b = k * LN2_HI, LOGS[i - FIRST, 0]
    hi = a + b
    rest = (a - (hi - (hi - a))) + (b - (hi - a))
    return hi + (rest + (LOGS[i - FIRST, 1] + k * LN2_LO + 2.0 * artanh))
