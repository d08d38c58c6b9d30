"""A stand-in for the worker processes of a comparison: the jobs run where the test runs.

A worker takes about two seconds to start, so only the tests about workers start them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from mlfs.compare.settings import Job, Settings
from mlfs.compare.work import JobRunner

__all__ = ["use"]


class InProcess(AbstractContextManager["InProcess", None]):
    """Does the jobs in order, as one worker does."""

    report = ""

    def __init__(self, settings: Settings, place: Any) -> None:
        self._settings = settings

    def __exit__(self, *_: object) -> None:
        pass

    def do(self, jobs: Iterable[Job]) -> Iterator[dict[str, Any]]:
        runner = JobRunner(self._settings)
        for job in jobs:
            yield from runner.do(job)


def use(patch: pytest.MonkeyPatch) -> None:
    """Let comparisons run in this process until the patch is undone."""
    patch.setattr("mlfs.compare.running.WorkerPool", InProcess)
