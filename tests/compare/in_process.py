"""A stand-in for the worker processes of a comparison: the jobs run where the test runs.

A worker takes about two seconds to start, so only the tests about workers start them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import pytest

from mlfs.compare.processes import Processes
from mlfs.compare.work import CellRunner

__all__ = ["use"]


class InProcess(Processes):
    """Runs the cells in order, as one worker does."""

    def run(self, numbers: Iterable[int]) -> Generator[dict[str, Any], None, None]:
        runner, cells = CellRunner(self._settings), self._settings.cells()
        for number in numbers:
            yield runner.run(cells[number])


def use(patch: pytest.MonkeyPatch) -> None:
    """Let comparisons run in this process until the patch is undone."""
    patch.setattr("mlfs.compare.running.Processes", InProcess)
