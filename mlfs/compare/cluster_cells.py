"""Cells of a comparison on a cluster: those that share a selection are a task.

They run in a process beside the worker, which has no other threads and may fail, as on a single
machine.
"""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections import Counter, deque
from collections.abc import Generator, Iterable, Sequence
from typing import Any

from mlfs.api.cluster.connection import Connection, Lost, WorkersKilled
from mlfs.compare.data_sources import DataSource, digest_of_files
from mlfs.compare.pool import CellProcess, Processes, jobs_of
from mlfs.compare.settings import Settings
from mlfs.compare.work import failure
from mlfs.errors import ClusterError, DataError, UsageError, plural

SAME = ("scikit-learn", "scipy")  # beside what every worker of a cluster must have alike
MOST_LOSSES = 3  # of the workers that worked on a job

_processes: dict[tuple[str, int], CellProcess] = {}  # on a worker: by run and thread


def _run_job(run: str, settings: Settings, job: Sequence[int]) -> list[dict[str, Any]]:
    """On a worker: the records of some cells."""
    key = run, threading.get_ident()
    if key not in _processes:
        _processes[key] = CellProcess(settings)
    return [_processes[key].run(number) for number in job]


def _end_run(run: str) -> None:
    """On a worker: end the processes of a run."""
    for key in [key for key in list(_processes) if key[0] == run]:
        _processes.pop(key).close()


class ClusterProcesses(Processes):
    """Processes on the workers of a cluster, one for each of their threads.

    Parameters
    ----------
    settings : Settings
        The comparison.
    cluster : str, distributed.Client or Cluster
        The cluster, see `mlfs.api.cluster.connection.Connection`.
    """

    def __init__(self, settings: Settings, cluster: Any) -> None:
        self._settings = settings
        self._cluster = cluster

    def run(self, numbers: Iterable[int]) -> Generator[dict[str, Any], None, None]:
        """The records of cells, in the order in which they get finished."""
        waiting = deque(job for _, job in jobs_of(self._settings, numbers))
        if not waiting:
            return
        cells = self._settings.cells()
        connection, run = Connection(self._cluster, SAME), uuid.uuid4().hex
        try:
            sources = dict.fromkeys(cells[job[0]].source for job in waiting)
            _check(connection, [source for source in sources if source.files])
            threads = connection.threads()
            size = sum(threads.values())
            workers = plural(len(threads), "worker")
            self.note = f"run on {workers} of a cluster with {plural(size, 'thread')}"
            losses: Counter[tuple[int, ...]] = Counter()
            settings = connection.send(self._settings)
            running: dict[Any, tuple[int, ...]] = {}
            while waiting or running:
                if settings.status != "finished":  # it was on a worker that is lost
                    settings = connection.send(self._settings)
                while waiting and len(running) < 2 * size:
                    job = waiting.popleft()
                    running[connection.submit(_run_job, run, settings, job)] = job
                for task in connection.first_done(list(running)):
                    job = running.pop(task)
                    try:
                        yield from connection.results([task])[0]
                    except Lost:
                        waiting.appendleft(job)
                    except WorkersKilled:
                        losses[job] += 1
                        if losses[job] <= MOST_LOSSES:
                            waiting.append(job)
                            continue
                        why = f"the workers that worked on it were lost {MOST_LOSSES + 1} times"
                        yield from (failure(cells[number], why) for number in job)
        finally:
            running = {}
            with contextlib.suppress(ClusterError):
                connection.run(_end_run, run)
            settings = None
            connection.close()


def _check(connection: Connection, sources: Sequence[DataSource]) -> None:
    """Refuse workers that have other files, before any work."""
    files = {source.name: source.files for source in sources}
    expected = {source.name: source.digest for source in sources}
    for worker, digests in sorted(connection.run(_report_digests, files).items()):
        if isinstance(digests, BaseException):
            raise ClusterError(f"the worker {worker} cannot compare: {digests}")
        for name, (digest, why) in digests.items():
            if digest != expected[name]:
                why = why or f"its file of {name} is not the one that is here"
                msg = f"the worker {worker} has other data: {why}"
                raise DataError(f"{msg}; workers see files under the same names as you do")


def _report_digests(files: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, str]]:
    """On a worker: the digest of each data set, or why there is none."""
    digests: dict[str, tuple[str, str]] = {}
    for name, paths in files.items():
        try:
            digests[name] = digest_of_files(paths), ""
        except (DataError, UsageError) as error:
            digests[name] = "", str(error)
    return digests
