"""Where the real data sets lie; a missing one is a skip with a reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["SHARED", "shared_data"]

SHARED = Path(
    os.environ.get("MLFS_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)


def shared_data(name: str) -> Path:
    """The path of a real data file, or a skip."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"needs the benchmark file {name} (set MLFS_SHARED_DATA to its folder)")
    return path
