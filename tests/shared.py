"""The folder of the real data sets; a test that needs a missing file is skipped with a reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["SHARED", "shared_data"]

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
SHARED = Path(os.environ.get("MLFS_SHARED_DATA") or BESIDE)
os.environ["MLFS_SHARED_DATA"] = str(SHARED)  # the benchmarks read it: both see the same files


def shared_data(name: str) -> Path:
    """Return the path of a real data file, or skip the test that asks for it."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"needs the benchmark file {name} (set MLFS_SHARED_DATA to its folder)")
    return path
