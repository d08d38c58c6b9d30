"""The peak of a block is that of the block alone."""

from __future__ import annotations

import gc

import pytest

from mlfs.compare.measure import REFERENCES, measured


@pytest.mark.skipif(not REFERENCES.exists(), reason="the system cannot reset a peak")
def test_the_peak_is_that_of_the_block() -> None:
    gc.collect()  # what is freed inside the block would count against it
    before = bytearray(80_000_000)
    with measured() as large:
        del before
        kept = bytearray(50_000_000)
    del kept
    with measured() as small:
        kept = bytearray(50_000_000)
        del kept
    assert large.peak_mb < 10
    assert 40 < small.peak_mb < 60
    assert small.seconds > 0
