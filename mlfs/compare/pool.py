"""The worker processes of a comparison, from the parent's side.

Even a single worker is a process of its own, so that running out of memory costs a cell and not
the whole run. Where they run (`processes`, `cluster_cells`) is not known here.

Where the worker processes of a comparison run: each is started, sent messages, and ended.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Self

from mlfs.compare.settings import Job, Settings
from mlfs.compare.training_rows import BY_THE_CLOCK
from mlfs.compare.work import failure
from mlfs.compare.worker import send

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
ENDING = 10.0  # seconds


class WorkerLost(Exception):
    """The machine on which a process ran is lost; what it did can be done elsewhere."""


class LocalProcess:
    """A worker process on this machine."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mlfs.compare.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(sys.path)},
            bufsize=-1,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    def begin(self, settings: Settings) -> None:
        """Give it the settings; EOFError or OSError where the process has ended."""
        send(self._input, settings)
        self._receive()

    def do(self, job: Job) -> Iterator[dict[str, Any]]:
        """Its records of the cells of a job; EOFError or OSError where the process has ended."""
        send(self._input, job)
        while (record := self._receive()) is not None:
            yield record

    def _receive(self) -> dict[str, Any] | None:
        try:
            record: dict[str, Any] | None = pickle.load(self._output)  # noqa: S301 -- our child
        except pickle.UnpicklingError:  # it ended in the middle of one
            raise EOFError from None
        return record

    def end(self) -> int | None:
        """Let it end, by force after a while; its code."""
        for stream in (self._input, self._output):
            with contextlib.suppress(OSError):
                stream.close()
        try:
            return self._process.wait(timeout=ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def kill(self) -> None:
        """End it by force."""
        self._process.kill()


class ThisMachine:
    """Processes on this machine.

    Parameters
    ----------
    size : int
        How many at a time.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._lock = threading.Lock()

    def start(self) -> LocalProcess:
        """Start a process."""
        with self._lock:
            return LocalProcess()

    def report(self) -> str:
        """Empty: there is nothing to say of this machine."""
        return ""

    def close(self) -> None:
        """Do nothing: nothing was taken."""


HEARTBEAT = 0.2
PREPARING = 60.0  # seconds that reading and preparing may take, where there is a budget
MOST_LOSSES = 3  # of the workers that worked on a job


class WorkerPool:
    """Some worker processes; use it in a ``with`` block, at the end of which all are gone.

    Parameters
    ----------
    settings : Settings
        The comparison.
    place : ThisMachine
        Where they run.
    """

    def __init__(self, settings: Settings, place: ThisMachine) -> None:
        self._settings = settings
        self._place = place
        self._records: queue.SimpleQueue[dict[str, Any] | BaseException | None] = (
            queue.SimpleQueue()
        )
        self._processes: set[LocalProcess] = set()
        self._ready: set[LocalProcess] = set()
        self._losses: Counter[Any] = Counter()
        self._lock = threading.Lock()
        self._stuck: set[LocalProcess] = set()
        self._closed = False
        self._waiting: dict[Any, deque[Job]] = {}
        self._begun: set[Any] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._closed = True
            processes = list(self._processes)
        for process in processes:
            process.kill()
        self._place.close()

    @property
    def report(self) -> str:
        """Where the cells were run; empty for this machine."""
        return self._place.report()

    def do(self, jobs: Iterable[Job]) -> Iterator[dict[str, Any]]:
        """The records of the cells in the order in which they get finished."""
        number = 0
        for job in jobs:
            self._waiting.setdefault(job.fold, deque()).append(job)
            number += 1
        size = min(self._place.size, number)
        threads = [threading.Thread(target=self._feed, daemon=True) for _ in range(size)]
        for thread in threads:
            thread.start()
        busy = len(threads)
        while busy:
            with contextlib.suppress(queue.Empty):
                item = self._records.get(timeout=HEARTBEAT)  # short, so that Ctrl-C gets through
                if item is None:
                    busy -= 1
                elif isinstance(item, BaseException):
                    raise item
                else:
                    yield item

    def _feed(self) -> None:
        """Give jobs to a worker process until none is left, and replace it when it dies."""
        process, fold = None, None
        try:
            while not self._closed and (job := self._next_job(fold)) is not None:
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

    def _next_job(self, fold: Any) -> Job | None:
        """The next job for a worker that has prepared a fold: of that fold if there is one.

        Else it begins a fold of its own; if others have begun all folds, it helps with the one
        that has most left.
        """
        with self._lock:
            if not self._waiting:
                return None
            if fold not in self._waiting:
                new = [key for key in self._waiting if key not in self._begun]
                longest = max(self._waiting, key=lambda key: len(self._waiting[key]))
                fold = new[0] if new else longest
            self._begun.add(fold)
            jobs = self._waiting[fold]
            job = jobs.popleft()
            if not jobs:
                del self._waiting[fold]
            return job

    def _start(self) -> LocalProcess:
        process = self._place.start()
        with self._lock:
            self._processes.add(process)
        return process

    def _hand_over(self, process: LocalProcess, job: Job) -> bool:
        """Let a worker run a job; False if the worker ended before it was done."""
        remaining = {cell.key: cell for cell in job.cells}
        try:
            if process not in self._ready:
                process.begin(self._settings)
                self._ready.add(process)
            records = process.do(job)
            while True:
                with self._killed_when_stuck(process, job):
                    record = next(records, None)
                if record is None:
                    return True
                remaining.pop(record["key"], None)
                self._records.put(record)
        except (EOFError, OSError, WorkerLost) as error:
            code = self._end(process)
            if self._closed:
                return False
            cells = tuple(remaining.values())
            if not isinstance(error, WorkerLost):
                # cells are done one after another: the first one that is left has ended it
                why = _death_reason(code)
                if process in self._stuck:
                    why = f"gave no sign of life in {self._patience(job):g} s and was ended"
                for cell in cells[:1]:
                    self._records.put(failure(cell, why))
                self._put_back(replace(job, cells=cells[1:]))
            elif not self._was_lost_too_often(job):
                self._put_back(replace(job, cells=cells))
            else:
                why = f"the workers that worked on it were lost {MOST_LOSSES + 1} times"
                for cell in cells:
                    self._records.put(failure(cell, why))
            return False

    @contextlib.contextmanager
    def _killed_when_stuck(self, process: LocalProcess, job: Job) -> Iterator[None]:
        """End a process that does not answer long after the budget of a cell is spent.

        Code that never comes back to the interpreter does not notice that its time is over.
        """
        patience = self._patience(job)
        if patience is None:
            yield
            return

        def end() -> None:
            self._stuck.add(process)
            process.kill()

        timer = threading.Timer(patience, end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @staticmethod
    def _patience(job: Job) -> float | None:
        """The seconds that a cell may take: it selects and trains, each with its budget."""
        budget = job.cells[0].settings.budget if job.cells else None
        return None if budget is None else PREPARING + 2 * BY_THE_CLOCK * budget

    def _was_lost_too_often(self, job: Job) -> bool:
        key = job.fold, str(job.ranker)
        with self._lock:
            self._losses[key] += 1
            return self._losses[key] > MOST_LOSSES

    def _put_back(self, job: Job) -> None:
        """Let what is left of a job be done by another worker."""
        with self._lock:
            if job.cells:
                self._waiting.setdefault(job.fold, deque()).appendleft(job)

    def _end(self, process: LocalProcess) -> int | None:
        code = process.end()
        with self._lock:
            self._processes.discard(process)
        return code


def _death_reason(code: int | None) -> str:
    if code is not None and code < 0:
        why = ", perhaps for want of memory" if code == -9 else ""
        return f"the process that worked on it was ended by signal {-code}{why}"
    return f"the process that worked on it ended with code {code}"
