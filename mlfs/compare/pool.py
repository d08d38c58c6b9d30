"""The processes in which the cells of a comparison run.

Even a single one is a process of its own, so that running out of memory costs a cell and not the
whole run. The threads of an executor wait for them. They are started with `subprocess`, because
`multiprocessing` runs the user's script again, and starts nothing on a worker of dask.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from mlfs.compare.settings import Settings
from mlfs.compare.training_rows import BY_THE_CLOCK
from mlfs.compare.work import failure

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
PREPARING = 60.0  # seconds that reading and preparing may take, where there is a budget


class CellProcess:
    """A process that runs cells; when it has ended, the next cell starts another.

    Parameters
    ----------
    settings : Settings
        The comparison.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._cells = settings.cells()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()  # held while it runs a cell
        self._closed = False
        # a cell selects and trains, each with its budget
        self._patience = threading.TIMEOUT_MAX
        if settings.budget is not None:
            self._patience = PREPARING + 2 * BY_THE_CLOCK * settings.budget

    def run(self, number: int) -> dict[str, Any]:
        """The record of a cell, by its number in the table."""
        with self._lock:
            is_new = self._process is None
            process = self._process = self._process or _start()
            if self._closed:
                process.kill()
            began = time.monotonic()
            # code that never comes back to the interpreter does not notice that its time is over
            timer = threading.Timer(self._patience, process.kill)
            timer.daemon = True
            timer.start()
            try:
                assert process.stdin is not None
                assert process.stdout is not None
                if is_new:
                    pickle.dump(self._settings, process.stdin)
                process.stdin.write(b"%d\n" % number)
                process.stdin.flush()
                record: dict[str, Any] = pickle.load(process.stdout)  # noqa: S301 -- our child
            except (EOFError, OSError, pickle.UnpicklingError):  # it has ended
                why = self._end()
                if time.monotonic() - began >= self._patience:
                    why = f"gave no sign of life in {self._patience:g} s and was ended"
                return failure(self._cells[number], why)
            finally:
                timer.cancel()
            return record

    def _end(self) -> str:
        """End the process, by force if it has not ended; why it has."""
        process, self._process = self._process, None
        if process is None:
            return ""
        process.kill()
        with contextlib.suppress(OSError), process:
            pass  # its pipes are closed
        code = process.returncode
        if code >= 0:
            return f"the process that worked on it ended with code {code}"
        why = ", perhaps for want of memory" if code == -9 else ""
        return f"the process that worked on it was ended by signal {-code}{why}"

    def close(self) -> None:
        """End the process by force, while another thread waits for it too."""
        self._closed = True
        if (process := self._process) is not None:
            process.kill()
        with self._lock:
            self._end()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "mlfs.compare.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


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
        waiting: dict[Any, deque[tuple[int, ...]]] = {}
        jobs = jobs_of(self._settings, numbers)
        for fold, job in jobs:
            waiting.setdefault(fold, deque()).append(job)
        processes = [CellProcess(self._settings) for _ in range(min(self._size, len(jobs)))]
        executor = ThreadPoolExecutor(len(processes) or 1)
        running: dict[Future[dict[str, Any]], tuple[CellProcess, Iterator[int]]] = {}

        def go_on(process: CellProcess, numbers: Iterator[int]) -> None:
            if (number := next(numbers, None)) is not None:
                running[executor.submit(process.run, number)] = process, numbers

        try:
            begun: set[Any] = set()
            for process in processes:
                go_on(process, _numbers(waiting, begun))
            while running:
                # not for long, so that Ctrl-C gets through on every system
                for task in wait(running, HEARTBEAT, FIRST_COMPLETED).done:
                    go_on(*running.pop(task))
                    yield task.result()
        finally:
            for process in processes:
                process.close()
            executor.shutdown()


def jobs_of(settings: Settings, numbers: Iterable[int]) -> list[tuple[Any, tuple[int, ...]]]:
    """The cells that share a selection, by their numbers in the table, each with their fold."""
    cells = settings.cells()
    shared = itertools.groupby(numbers, lambda i: (cells[i].fold, str(cells[i].ranker)))
    return [(fold, tuple(group)) for (fold, _), group in shared]


def _numbers(waiting: dict[Any, deque[tuple[int, ...]]], begun: set[Any]) -> Iterator[int]:
    """The cells for one process: jobs of one fold, which it has prepared, as long as there are any.

    Then it begins a fold of its own; if others have begun all folds, it helps with the one that
    has most left.
    """
    fold = None
    while waiting:
        if fold not in waiting:
            new = [key for key in waiting if key not in begun]
            fold = new[0] if new else max(waiting, key=lambda key: len(waiting[key]))
        begun.add(fold)
        job = waiting[fold].popleft()
        if not waiting[fold]:
            del waiting[fold]
        yield from job
