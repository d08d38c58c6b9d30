"""The worker processes of a comparison, from the parent's side.

Workers are processes of their own even if there is only one: a cell that is killed for want of
memory is a failed cell, not the end of the run.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Self

from mlfs.compare.settings import Job, Settings
from mlfs.compare.work import failure
from mlfs.compare.worker import receive, send

__all__ = ["WorkerPool"]

# libraries that add in another order with other numbers of threads
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
    """Some workers; use it in a ``with`` block, and none survives it.

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

    def do(self, jobs: Iterable[Job], finished: set[str]) -> Iterator[dict[str, Any]]:
        """The records of the cells as they get finished, in whatever order."""
        waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
        number = 0
        for job in jobs:
            waiting.put(job)
            number += 1
        hands = [
            threading.Thread(target=self._lead, args=(waiting, finished), daemon=True)
            for _ in range(min(self._size, number))
        ]
        for hand in hands:
            hand.start()
        busy = len(hands)
        while busy:
            with contextlib.suppress(queue.Empty):
                found = self._records.get(timeout=HEARTBEAT)  # short, so that Ctrl-C gets through
                if found is None:
                    busy -= 1
                elif isinstance(found, BaseException):
                    raise found
                else:
                    yield found

    def _lead(self, waiting: queue.SimpleQueue[Job], finished: set[str]) -> None:
        """Hand jobs to a worker, and replace it when it dies."""
        process = None
        try:
            while not self._closed:
                try:
                    job = waiting.get_nowait()
                except queue.Empty:
                    break
                process = process or self._start()
                if not self._hand_over(process, job, finished):
                    process = None
        except BaseException as error:  # noqa: BLE001 -- raised in the main thread
            if not self._closed:
                self._records.put(error)
        finally:
            if process is not None:
                self._end(process)
            self._records.put(None)

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

    def _hand_over(self, process: subprocess.Popen[bytes], job: Job, finished: set[str]) -> bool:
        """Have a job done; False if the worker died of it."""
        open_ = {cell.key: cell for cell in job.cells if cell.key not in finished}
        told = set(finished & {cell.key for cell in job.cells})
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if not getattr(process, "ready", False):
                send(process.stdin, self._settings)
                receive(process.stdout)
                process.ready = True  # type: ignore[attr-defined]
            send(process.stdin, (job, told))
            while True:
                kind, record = receive(process.stdout)
                if kind == "done":
                    return True
                open_.pop(record["key"], None)
                self._records.put(record)
        except (EOFError, OSError):
            self._end(process)
            if not self._closed:
                for cell in open_.values():
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
