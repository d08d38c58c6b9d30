"""The worker processes of a comparison, from the parent's side.

Even a single worker is a process of its own, so that running out of memory costs a cell and not
the whole run.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Self

from mlfs.compare.settings import Job, Settings
from mlfs.compare.work import failure
from mlfs.compare.worker import receive, send

__all__ = ["WorkerPool"]

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
HEARTBEAT = 0.2


class WorkerPool:
    """Some worker processes; use it in a ``with`` block, at the end of which all are gone.

    Parameters
    ----------
    settings : Settings
        The comparison.
    size : int
        How many processes.
    """

    def __init__(self, settings: Settings, size: int) -> None:
        self._settings = settings
        self._size = size
        self._records: queue.SimpleQueue[dict[str, Any] | BaseException | None] = (
            queue.SimpleQueue()
        )
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._waiting: dict[Any, deque[Job]] = {}
        self._begun: set[Any] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._closed = True
            for process in self._processes:
                process.kill()

    def do(self, jobs: Iterable[Job]) -> Iterator[dict[str, Any]]:
        """The records of the cells in the order in which they get finished."""
        number = 0
        for job in jobs:
            self._waiting.setdefault(job.fold, deque()).append(job)
            number += 1
        threads = [
            threading.Thread(target=self._feed, daemon=True) for _ in range(min(self._size, number))
        ]
        for thread in threads:
            thread.start()
        busy = len(threads)
        while busy:
            with contextlib.suppress(queue.Empty):
                found = self._records.get(timeout=HEARTBEAT)  # short, so that Ctrl-C gets through
                if found is None:
                    busy -= 1
                elif isinstance(found, BaseException):
                    raise found
                else:
                    yield found

    def _feed(self) -> None:
        """Give jobs to a worker process until none is left, and replace it when it dies."""
        process, fold = None, None
        try:
            while not self._closed and (job := self._next(fold)) is not None:
                process, fold = process or self._start(), job.fold
                if not self._hand_over(process, job):
                    process = None
        except BaseException as error:  # noqa: BLE001 -- raised in the main thread
            if not self._closed:
                self._records.put(error)
        finally:
            if process is not None:
                self._end(process)
            self._records.put(None)

    def _next(self, fold: Any) -> Job | None:
        """The next job for a worker that has prepared a fold: of that fold if there is one.

        Else it begins a fold of its own; if others have begun all folds, it helps with the one
        that has most left.
        """
        with self._lock:
            if not self._waiting:
                return None
            if fold not in self._waiting:
                new = [one for one in self._waiting if one not in self._begun]
                longest = max(self._waiting, key=lambda one: len(self._waiting[one]))
                fold = new[0] if new else longest
            self._begun.add(fold)
            jobs = self._waiting[fold]
            job = jobs.popleft()
            if not jobs:
                del self._waiting[fold]
            return job

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            process = subprocess.Popen(
                [sys.executable, "-m", "mlfs.compare.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(sys.path)},
                bufsize=-1,
            )
            self._processes.add(process)
        return process

    def _hand_over(self, process: subprocess.Popen[bytes], job: Job) -> bool:
        """Let a worker run a job; False if the worker ended before it was done."""
        left = {cell.key: cell for cell in job.cells}
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if not getattr(process, "ready", False):
                send(process.stdin, self._settings)
                receive(process.stdout)
                process.ready = True  # type: ignore[attr-defined]
            send(process.stdin, job)
            while True:
                kind, record = receive(process.stdout)
                if kind == "done":
                    return True
                left.pop(record["key"], None)
                self._records.put(record)
        except (EOFError, OSError):
            self._end(process)
            if not self._closed:
                for cell in left.values():
                    self._records.put(failure(cell, _died(process.returncode)))
            return False

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        with self._lock:
            self._processes.discard(process)


def _died(code: int | None) -> str:
    if code is not None and code < 0:
        why = ", perhaps for want of memory" if code == -9 else ""
        return f"the process that worked on it was ended by signal {-code}{why}"
    return f"the process that worked on it ended with code {code}"
