"""The peak of a block is that of the block alone."""

from __future__ import annotations

import mmap

import pytest

from mlfs.compare.training_rows import REFERENCES, measured

MEGABYTE = bytes(1_000_000)


def taken(megabytes: int) -> mmap.mmap:
    """Memory that is new; an array could be made of what the process has freed before."""
    memory = mmap.mmap(-1, megabytes * len(MEGABYTE))
    for _ in range(megabytes):
        memory.write(MEGABYTE)
    return memory


@pytest.mark.skipif(not REFERENCES.exists(), reason="the system cannot reset a peak")
def test_the_peak_is_that_of_the_block() -> None:
    before = taken(80)
    with measured() as none:
        before.close()
        taken(50).close()
    with measured() as fifty:
        taken(50).close()
    assert none.peak_mb < 10
    assert 40 < fifty.peak_mb < 60
    assert fifty.seconds > 0
