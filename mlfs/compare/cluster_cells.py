"""Cells of a comparison on a cluster: a worker process for each thread of its workers."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from mlfs.api.cluster.clusters import cluster_of
from mlfs.compare.data_sources import DataSource, digest_of_files
from mlfs.compare.pool import LocalProcess, WorkerLost, WorkerProcess
from mlfs.errors import ClusterError, DataError, UsageError, plural

SAME = ("scikit-learn", "scipy")  # beside what every worker of a cluster must have alike
ENDING = 2.0  # seconds


class CellRelay:
    """An actor that starts a worker process beside it, and passes its messages on.

    The process has no other threads and is one that may fail, as on a single machine.
    """

    def __init__(self) -> None:
        self._process = LocalProcess()

    async def exchange(self, content: bytes | None) -> bytes | int | None:
        """Send a message if there is one, and return the next one; the code if it ended."""
        return await asyncio.to_thread(self._exchange, content)

    def _exchange(self, content: bytes | None) -> bytes | int | None:
        try:
            if content is not None:
                self._process.send(content)
            return self._process.receive()
        except (EOFError, OSError):
            return self._process.end()

    async def end(self) -> int | None:
        """End the process."""
        self._process.kill()
        return await asyncio.to_thread(self._process.end)

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError, OSError):
            self._process.kill()


class _RemoteProcess:
    """The worker process behind a relay."""

    def __init__(self, place: OnCluster, worker: str, future: Any, actor: Any) -> None:
        self._place, self._worker = place, worker
        self._future, self._actor = future, actor
        self._pending: bytes | None = None
        self._code: int | None = None

    def send(self, content: bytes) -> None:
        """Send a message, together with the question for the next one."""
        self._pending = content

    def receive(self) -> bytes:
        """The next message; EOFError where the process has ended."""
        pending, self._pending = self._pending, None
        try:
            answer = self._place.answer(self._actor.exchange(pending), self._worker)
        except self._place.errors:
            self._place.note_loss(self._worker)
            raise WorkerLost(self._worker) from None
        if isinstance(answer, bytes):
            return answer
        self._code = answer
        raise EOFError

    def end(self) -> int | None:
        """Let it end; its code."""
        actor, self._actor = self._actor, None
        if actor is not None:
            with contextlib.suppress(Exception):
                actor.end().result(timeout=ENDING)
            with contextlib.suppress(Exception):
                self._future.release()
            self._place.note_end(self._worker)
        return self._code

    def kill(self) -> None:
        """End it by force."""
        self.end()


class OnCluster:
    """Processes on the workers of a cluster, one for each of their threads.

    Parameters
    ----------
    cluster : str, distributed.Client or Cluster
        The cluster, see `mlfs.api.cluster.clusters.cluster_of`.
    sources : sequence of DataSource
        The data sets, whose files the workers must have.
    """

    def __init__(self, cluster: Any, sources: Sequence[DataSource]) -> None:
        self._cluster: Any = cluster_of(cluster)
        try:
            self._workers = self._cluster.workers()
            self._check(sources)
            threads = self._workers.threads()
        except BaseException:
            self.close()
            raise
        self.size, self._n_workers = sum(threads.values()), len(threads)
        self._busy: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.n_lost = 0

    def _check(self, sources: Sequence[DataSource]) -> None:
        """Refuse workers that have other files or versions, before any work."""
        files = {source.name: source.files for source in sources if source.files}
        expected = {source.name: source.digest for source in sources if source.files}
        versions_here = _versions()
        answers = self._workers.run(_report_versions, files)
        for worker, answer in sorted(answers.items()):
            if isinstance(answer, OSError):
                continue  # lost meanwhile
            if isinstance(answer, BaseException):
                raise ClusterError(f"the worker {worker} cannot compare: {answer}")
            versions, digests = answer
            for name, has in versions.items():
                if has != versions_here[name]:
                    msg = f"the worker {worker} has {name} {has}, and this process has "
                    msg += versions_here[name]
                    raise ClusterError(f"{msg}: install the same version on both")
            for name, (digest, why) in digests.items():
                if digest != expected[name]:
                    why = why or f"its file of {name} is not the one that is here"
                    msg = f"the worker {worker} has other data: {why}"
                    raise DataError(f"{msg}; workers see files under the same names as you do")

    @property
    def errors(self) -> tuple[type[BaseException], ...]:
        """What a message raises where the worker is lost."""
        errors: tuple[type[BaseException], ...] = self._workers.errors
        return errors

    def answer(self, call: Any, worker: str) -> Any:
        """What a call of a relay returns; an error of `errors` once its worker is gone."""
        return self._workers.answer(call, worker)

    def start(self) -> WorkerProcess:
        """Start a process where most threads are free."""
        while True:
            with self._lock:
                threads = self._workers.threads()
                worker = max(threads, key=lambda name: threads[name] - self._busy[name])
                self._busy[worker] += 1
            future = self._workers.start(CellRelay, worker)
            actor = self._workers.started(future, worker, "exchange")
            if actor is not None:
                return _RemoteProcess(self, worker, future, actor)
            self.note_loss(worker)

    def note_loss(self, worker: str) -> None:
        """Note that a worker is lost."""
        self._workers.shun(worker)
        with self._lock:
            self.n_lost += 1

    def note_end(self, worker: str) -> None:
        """Note that a process of a worker is gone."""
        with self._lock:
            self._busy[worker] -= 1

    def report(self) -> str:
        """Where the cells were made."""
        lost = f"; {plural(self.n_lost, 'time')} a worker was lost" if self.n_lost else ""
        text = f"run on {plural(self._n_workers, 'worker')} of a cluster"
        return f"{text} with {plural(self.size, 'thread')}{lost}"

    def close(self) -> None:
        """Disconnect, and end what was started for this."""
        self._cluster.close()


def _versions() -> dict[str, str]:
    return {name: version(name) for name in SAME}


def _report_versions(files: dict[str, tuple[str, ...]]) -> Any:
    """On a worker: its versions, and the digest of each data set or why there is none."""
    digests: dict[str, tuple[str, str]] = {}
    for name, paths in files.items():
        try:
            digests[name] = digest_of_files(paths), ""
        except (DataError, UsageError) as error:
            digests[name] = "", str(error)
    return _versions(), digests
