"""A cluster of dask.distributed: connected to or started, and checked before any work."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from mlfs.api.cluster.block_actor import versions
from mlfs.api.cluster.clusters import Cluster, local_workers
from mlfs.api.cluster.dask_session import DaskSession
from mlfs.api.cluster.dask_workers import CUT_OFF, DaskWorkers
from mlfs.errors import ClusterError, UsageError, printable

__all__ = ["DaskCluster", "open_cluster"]

CONNECTING = 10.0  # seconds


class DaskCluster(Cluster):
    """The workers of a scheduler, asked through a client of our own.

    What it holds on the cluster goes with that client, whatever happens here.

    Parameters
    ----------
    address : str
        The address of the scheduler.
    security : Any
        What a client needs to connect to it.
    started : Any
        The cluster that was started for this, if one was.
    user_client : distributed.Client, optional
        The client that a user gave; what is persisted belongs to it.
    """

    def __init__(
        self, address: str, security: Any = None, started: Any = None, user_client: Any = None
    ) -> None:
        import distributed

        if started is None and user_client is None:
            _greet(address, security)
        connect: Any = distributed.Client  # it has no types
        self.address, self._started = address, started
        settings = {} if security is None else {"security": security}
        try:
            self.client: Any = connect(
                address,
                set_as_default=False,
                direct_to_workers=True,
                timeout=CONNECTING,
                name="mlfs",
                **settings,
            )
        except (OSError, TypeError, ValueError, ImportError, RuntimeError, CUT_OFF) as error:
            why = "it took too long" if isinstance(error, CUT_OFF) else printable(error, 200)
            msg = f"no scheduler answers at {printable(address, 200)}: {why}"
            raise ClusterError(msg) from None
        self.user_client = self.client if user_client is None else user_client
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        """Refuse a cluster without workers, or with other versions."""
        try:
            self.client.wait_for_workers(1, timeout=CONNECTING)
        except (TimeoutError, CUT_OFF):
            msg = f"the cluster at {self.address} has no workers: start some with dask worker"
            raise ClusterError(msg) from None
        ours = versions()
        for worker, theirs in sorted(self._versions().items()):
            if not isinstance(theirs, dict):
                why = printable(theirs, 200)
                msg = f"the worker {worker} cannot run mlfs {ours['mlfs']}: {why}; install it there"
                raise ClusterError(msg)
            for name, version in ours.items():
                if theirs[name] != version:
                    msg = (
                        f"the worker {worker} has {name} {theirs[name]}, and this process has "
                        f"{version}: install the same version on both"
                    )
                    raise ClusterError(msg)

    def _versions(self) -> dict[str, Any]:
        """What each worker has, or the error that it gave; workers may be lost meanwhile."""
        end = time.monotonic() + CONNECTING
        while True:
            try:
                results = self.client.run(versions, on_error="return")
            except ImportError as error:
                return {"of the cluster": error}
            except (OSError, CUT_OFF):
                results = {}
            answered = {
                worker: version
                for worker, version in results.items()
                if not isinstance(version, OSError)
            }
            if answered:
                return answered
            if time.monotonic() > end:
                raise ClusterError(f"no worker of the cluster at {self.address} answers")

    @property
    def n_blocks(self) -> int:
        """One block for each worker."""
        return len(self.client.nthreads())

    def session(self, n_blocks: int, chunks: list[Any] | None = None) -> DaskSession:
        """Start an actor for each block of rows."""
        session = DaskSession(n_blocks, chunks, self)
        weakref.finalize(session, self.close)  # where an error leaves it behind
        return session

    def workers(self) -> DaskWorkers:
        """The workers."""
        return DaskWorkers(self.client, self.address)

    def compute(self, collection: Any) -> Any:
        """What a collection of dask is, here."""
        return self.user_client.compute(collection).result()

    def chunks(self, table: Any) -> list[Any]:
        """The rows of a collection of dask in chunks, as futures."""
        if hasattr(table, "rechunk"):
            table = table.rechunk({1: -1})
        delayed = np.ravel(np.array(table.to_delayed(), dtype=object)).tolist()
        futures: list[Any] = self.user_client.compute(delayed)
        return futures

    def rows_of(self, chunks: list[Any]) -> list[int]:
        """How many rows each chunk has."""
        sizes: list[int] = self.user_client.gather(
            self.user_client.map(_n_rows, chunks, pure=False)
        )
        return sizes

    def close(self) -> None:
        """Disconnect, and end what was started for this."""
        with contextlib.suppress(Exception):
            self.client.close(timeout=2)
        if self._started is not None:
            with contextlib.suppress(Exception):
                self._started.close(timeout=5)
            self._started = None


def _greet(address: str, security: Any) -> None:
    """Refuse an address where no scheduler greets; a client would wait for it without an end."""
    import distributed
    import distributed.comm.core

    connect: Any = distributed.comm.core.connect  # it has no types
    named: Any = distributed.Security

    async def greet() -> None:
        credentials = named() if security is None else security
        connection = connect(
            address, timeout=CONNECTING, **credentials.get_connection_args("client")
        )
        (await asyncio.wait_for(connection, CONNECTING + 1)).abort()

    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook runs a loop in this one
            thread.submit(asyncio.run, greet()).result()
    except Exception as error:  # noqa: BLE001 -- whatever another program sends
        why = "another program may be there"
        if str(error) and not isinstance(error, MemoryError):
            why = printable(error, 200)
        msg = f"no scheduler answers at {printable(address, 200)}: {why}"
        raise ClusterError(msg) from None


def _n_rows(chunk: Any) -> int:
    return int(chunk.shape[0])


def open_cluster(value: Any) -> DaskCluster:
    """The cluster of a client, of an address, or one that is started here."""
    import distributed

    start: Any = distributed.LocalCluster  # it has no types
    if isinstance(value, str):
        n_workers = local_workers(value)
        if n_workers is None:
            return DaskCluster(value)
        started = start(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
            preload=["mlfs.api.cluster.local_worker"],
        )
        return DaskCluster(started.scheduler_address, started.security, started)
    if isinstance(value, distributed.Client) and not value.asynchronous and value.scheduler:
        return DaskCluster(str(value.scheduler.address), value.security, user_client=value)
    if hasattr(value, "scheduler_address"):
        return DaskCluster(value.scheduler_address, getattr(value, "security", None))
    msg = (
        "is the address of a scheduler such as 'tcp://host:8786', 'local:2', or a client of "
        f"dask.distributed that is connected, not {printable(repr(value))}"
    )
    raise UsageError(msg, option="cluster")
