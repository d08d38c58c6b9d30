"""Cells of a comparison on a cluster: a job is a task, and runs in a process beside the worker."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from mlfs.api.cluster.connection import Connection, Lost, WorkersKilled
from mlfs.compare.data_sources import DataSource, digest_of_files
from mlfs.compare.pool import LocalProcess, ThisMachine, WorkerLost
from mlfs.compare.settings import Job, Settings
from mlfs.errors import ClusterError, DataError, UsageError, plural

SAME = ("scikit-learn", "scipy")  # beside what every worker of a cluster must have alike

_idle: dict[str, list[LocalProcess]] = {}  # on a worker: processes by the run that they are for
_lock = threading.Lock()


def _run_job(run: str, settings: Settings, job: Job) -> tuple[list[dict[str, Any]], int | None]:
    """On a worker: the records of a process that does a job, and its code if it ended.

    The process has no other threads and is one that may fail, as on a single machine.
    """
    records: list[dict[str, Any]] = []
    with _lock:
        waiting = _idle.setdefault(run, [])
        process = waiting.pop() if waiting else None
    try:
        if process is None:
            process = LocalProcess()
            process.begin(settings)
        for record in process.do(job):
            records.append(record)  # noqa: PERF402 -- those before an error are kept
    except (EOFError, OSError):
        return records, -9 if process is None else process.end() or 0
    with _lock:
        if run in _idle:
            _idle[run].append(process)
            return records, None
    process.end()
    return records, None


def _end_run(run: str) -> None:
    """On a worker: end the processes of a run."""
    with _lock:
        processes = _idle.pop(run, [])
    for process in processes:
        process.kill()
        process.end()


class _RemoteProcess(LocalProcess):
    """A process on whichever worker takes the next job."""

    def __init__(self, place: OnCluster) -> None:
        self._place = place
        self._code: int | None = None

    def begin(self, settings: Settings) -> None:
        """Take the settings of the run."""
        self._settings = settings

    def do(self, job: Job) -> Iterator[dict[str, Any]]:
        """The records of a job; EOFError behind the last where the process has ended."""
        records, self._code = self._place.run(self._settings, job)
        yield from records
        if self._code is not None:
            raise EOFError

    def end(self) -> int | None:
        """Its code, if it ended."""
        return self._code

    def kill(self) -> None:
        """Do nothing: processes end with the run."""


class OnCluster(ThisMachine):
    """Processes on the workers of a cluster, one for each of their threads.

    Parameters
    ----------
    cluster : str, distributed.Client or Cluster
        The cluster, see `mlfs.api.cluster.connection.Connection`.
    sources : sequence of DataSource
        The data sets, whose files the workers must have.
    """

    def __init__(self, cluster: Any, sources: Sequence[DataSource]) -> None:
        self._connection = Connection(cluster, SAME)
        try:
            self._check(sources)
            threads = self._connection.threads()
        except BaseException:
            self._connection.close()
            raise
        self.size, self._n_workers = sum(threads.values()), len(threads)
        self._run = uuid.uuid4().hex
        self._lock = threading.Lock()
        self._sent: Any = None

    def _check(self, sources: Sequence[DataSource]) -> None:
        """Refuse workers that have other files, before any work."""
        files = {source.name: source.files for source in sources if source.files}
        expected = {source.name: source.digest for source in sources if source.files}
        for worker, digests in sorted(self._connection.run(_report_digests, files).items()):
            if isinstance(digests, BaseException):
                raise ClusterError(f"the worker {worker} cannot compare: {digests}")
            for name, (digest, why) in digests.items():
                if digest != expected[name]:
                    why = why or f"its file of {name} is not the one that is here"
                    msg = f"the worker {worker} has other data: {why}"
                    raise DataError(f"{msg}; workers see files under the same names as you do")

    def start(self) -> LocalProcess:
        """A process, which starts with its first job."""
        return _RemoteProcess(self)

    def run(self, settings: Settings, job: Job) -> tuple[list[dict[str, Any]], int | None]:
        """The records of a process that does a job, and its code if it ended."""
        while True:
            with self._lock:
                if self._sent is None or self._sent.status != "finished":
                    self._sent = self._connection.send(settings)
                sent = self._sent
            try:
                task = self._connection.submit(_run_job, self._run, sent, job)
                records, code = self._connection.results([task])[0]
            except WorkersKilled as error:
                raise WorkerLost(str(error)) from None
            except Lost:
                continue  # the settings were on a worker that is lost
            return records, code

    def report(self) -> str:
        """Where the cells were made."""
        workers = plural(self._n_workers, "worker")
        return f"run on {workers} of a cluster with {plural(self.size, 'thread')}"

    def close(self) -> None:
        """End the processes, and disconnect."""
        with contextlib.suppress(ClusterError):
            self._connection.run(_end_run, self._run)
        self._sent = None
        self._connection.close()


def _report_digests(files: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, str]]:
    """On a worker: the digest of each data set, or why there is none."""
    digests: dict[str, tuple[str, str]] = {}
    for name, paths in files.items():
        try:
            digests[name] = digest_of_files(paths), ""
        except (DataError, UsageError) as error:
            digests[name] = "", str(error)
    return digests
