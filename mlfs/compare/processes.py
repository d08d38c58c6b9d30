"""The processes in which the cells of a comparison run: those of joblib (loky).

Cells that share a selection are a job. A process that ends costs the jobs under way a second run,
cell by cell; a cell that ends its process while it runs alone counts as failed.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from mlfs.compare.settings import Settings
from mlfs.compare.work import CellRunner, failure

Job = tuple[int, ...]  # cells, by their numbers in the table
Records = list[dict[str, Any]]
ENDED = "the process that worked on it ended, perhaps for want of memory"
# libraries whose order of summation depends on the number of threads
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "BLIS_NUM_THREADS",
    ),
    "1",
)
HEARTBEAT = 0.2  # seconds

_runner: CellRunner  # in a process of a run


def _begin(settings: Settings, parent: int) -> None:
    """In a new process: what its jobs share."""
    global _runner  # noqa: PLW0603  # the initializer of a process has no other place
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _runner = CellRunner(settings)


def _end_with(parent: int) -> None:
    while os.getppid() == parent or os.name != "posix":
        time.sleep(HEARTBEAT)
    os._exit(0)


def _run(job: Job) -> Records:
    with contextlib.redirect_stdout(sys.stderr):  # what models print is no output
        cells = _runner.settings.cells()
        return [_runner.run(cells[number]) for number in job]


def jobs_of(settings: Settings, numbers: Iterable[int]) -> list[Job]:
    """The cells that share a selection, by their numbers in the table."""
    cells = settings.cells()
    shared = itertools.groupby(numbers, lambda i: (cells[i].fold, str(cells[i].ranker)))
    return [tuple(group) for _, group in shared]


class Processes:
    """Processes on this machine.

    Parameters
    ----------
    settings : Settings
        The comparison.
    size : int
        How many at a time.
    """

    note = ""  # there is nothing to say of this machine

    def __init__(self, settings: Settings, size: int) -> None:
        self._settings = settings
        self._size = size

    def run(self, numbers: Iterable[int]) -> Generator[dict[str, Any], None, None]:
        """The records of cells, in the order in which they get finished."""
        yield from self._records(jobs_of(self._settings, numbers), self._size)

    def _records(
        self, jobs: Iterable[Job], size: int, *, alone: bool = False
    ) -> Generator[dict[str, Any], None, None]:
        """The records of all jobs; of jobs that end processes again and again, failures."""
        remaining = dict.fromkeys(jobs)
        while remaining:
            suspects: list[Job] = []
            with contextlib.closing(self._finished([*remaining], size, suspects)) as finished:
                for job, records in finished:
                    del remaining[job]
                    yield from records
            for job in suspects:
                del remaining[job]
            cells = [(number,) for job in suspects for number in job]
            if alone:
                yield from (failure(self._settings.cells()[number], ENDED) for (number,) in cells)
            elif cells:
                yield from self._records(cells, 1, alone=True)

    def _finished(
        self, jobs: list[Job], size: int, suspects: list[Job]
    ) -> Generator[tuple[Job, Records], None, None]:
        """The jobs as they get finished, until a process ends: those under way are suspects."""
        from joblib.externals.loky import ProcessPoolExecutor

        size = min(size, len(jobs))
        executor = ProcessPoolExecutor(
            size, initializer=_begin, initargs=(self._settings, os.getpid()), env=ONE_THREAD
        )
        waiting = iter(jobs)
        running: dict[Future[Records], Job] = {}
        try:
            while True:
                for job in itertools.islice(waiting, size - len(running)):
                    running[executor.submit(_run, job)] = job
                if not running:
                    return
                # not for long, so that Ctrl-C gets through on every system
                for task in wait(running, HEARTBEAT, FIRST_COMPLETED).done:
                    records = task.result()
                    yield running.pop(task), records
        except BrokenProcessPool:
            suspects += running.values()
        finally:
            executor.shutdown(wait=True, kill_workers=True)
