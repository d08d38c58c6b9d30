"""What the machine can do at best: words popcounted, bytes streamed, places hit in a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numba
import numpy as np
from numba.core import config, types
from numba.extending import intrinsic

__all__ = ["Limits", "measure"]

if config.DISABLE_JIT:

    def _popcount(word):
        return int(word).bit_count()

else:

    @intrinsic
    def _popcount(context, word):  # noqa: ARG001  # numba's signature
        """The number of ones in a word; LLVM makes vector instructions of a loop of these."""

        def generate(_, builder, __, arguments):
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), generate


@dataclass(frozen=True)
class Limits:
    """Of one thread.

    Parameters
    ----------
    words : float
        Words of 64 bits that are met with another and counted, from the cache.
    bytes : float
        Bytes read from memory.
    places : float
        Places of a small table that are counted up, in the order of a list.
    """

    words: float
    bytes: float
    places: float

    def to_dict(self) -> dict[str, float]:
        """For the record."""
        return asdict(self)


@numba.njit(cache=True)
def _count_words(planes: Any, one: Any, out: Any) -> None:
    for f in range(planes.shape[0]):
        total = np.uint64(0)
        for word in range(planes.shape[1]):
            total += _popcount(planes[f, word] & one[word])
        out[f] = total


@numba.njit(cache=True)
def _read(words: Any) -> int:
    total = np.uint64(0)
    for i in range(words.size):
        total ^= words[i]
    return total


@numba.njit(cache=True)
def _count_places(places: Any, out: Any) -> None:
    for i in range(places.size):
        out[places[i]] += 1


def measure(seconds: float = 0.3) -> Limits:
    """Measure them, each for so long; the best of several runs counts."""
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 1 << 62, (2000, 157)).astype(np.uint64)
    one, met = planes[0].copy(), np.zeros(2000, np.uint64)
    stream = np.ones(1 << 25, np.uint64)  # ones: pages of zeros may be one page
    places = rng.integers(0, 2000, 1 << 18).astype(np.int32)
    counted = np.zeros(2000, np.int64)
    return Limits(
        planes.size / _best(lambda: _count_words(planes, one, met), seconds),
        stream.nbytes / _best(lambda: _read(stream), seconds),
        places.size / _best(lambda: _count_places(places, counted), seconds),
    )


def _best(work: Callable[[], object], seconds: float) -> float:
    work()
    best, stop = np.inf, time.perf_counter() + seconds
    while time.perf_counter() < stop:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return float(best)
