"""Cells of a comparison on a cluster: those that share a selection are a task of dask.

A worker runs one cell at a time. dask runs the tasks of a lost worker again, on another one.
"""

from __future__ import annotations

import threading
import uuid
import warnings
from collections.abc import Generator, Iterable, Sequence
from typing import Any

from mlfs.api.cluster.connection import Connection, WorkersKilled
from mlfs.compare.data_sources import DataSource, digest_of_files
from mlfs.compare.processes import ENDED, Job, Processes, Records, jobs_of
from mlfs.compare.settings import Settings
from mlfs.compare.work import CellRunner, failure
from mlfs.errors import ClusterError, DataError, UsageError, plural

SAME = ("scikit-learn", "scipy")  # beside what every worker of a cluster must have alike

_lock = threading.Lock()  # a worker runs one cell at a time
_runners: dict[str, CellRunner] = {}  # on a worker: that of the last run, with what it has read


def _run(run: str, settings: Settings, job: Job) -> Records:
    """On a worker: the records of some cells."""
    from joblib import parallel_config
    from threadpoolctl import threadpool_limits

    with _lock, threadpool_limits(1), parallel_config("sequential"):
        if run not in _runners:
            _runners.clear()
            _runners[run] = CellRunner(settings)
        cells = settings.cells()
        return [_runners[run].run(cells[number]) for number in job]


def _as_it_is(settings: Settings) -> Settings:
    """On a worker: the settings, which dask computes again if the worker that has them is lost."""
    return settings


class ClusterProcesses(Processes):
    """The workers of a cluster.

    Parameters
    ----------
    settings : Settings
        The comparison.
    cluster : str, distributed.Client or Cluster
        The cluster, see `mlfs.api.cluster.connection.Connection`.
    """

    def __init__(self, settings: Settings, cluster: Any) -> None:
        super().__init__(settings, 1)
        self._cluster = cluster

    def run(self, numbers: Iterable[int]) -> Generator[dict[str, Any], None, None]:
        """The records of cells, in the order in which they get finished."""
        waiting = jobs_of(self._settings, numbers)
        if not waiting:
            return
        cells = self._settings.cells()
        connection, run = Connection(self._cluster, SAME), uuid.uuid4().hex
        try:
            sources = dict.fromkeys(cells[job[0]].source for job in waiting)
            _check(connection, [source for source in sources if source.files])
            workers = plural(len(connection.threads()), "worker")
            self.note = f"run on {workers} of a cluster, without a time limit"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # data in memory are large, once
                settings = connection.submit(_as_it_is, self._settings)
            jobs = {connection.submit(_run, run, settings, job): job for job in waiting}
            suspects: list[int] = []  # cells of jobs whose workers ended again and again
            alone = False
            while jobs:
                for task in connection.first_done([*jobs]):
                    job = jobs.pop(task)
                    try:
                        yield from connection.results([task])[0]
                    except WorkersKilled:
                        if alone:
                            yield failure(cells[job[0]], ENDED)
                        else:
                            suspects += job
                if suspects and not jobs:  # one at a time, to know which cell it is
                    alone, number = True, suspects.pop()
                    jobs = {connection.submit(_run, run, settings, (number,)): (number,)}
        finally:
            jobs, settings = {}, None
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
