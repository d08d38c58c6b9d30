"""A cluster of dask.distributed: connected to or started, checked before any work, and ended."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import platform
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from importlib import metadata
from typing import Any
from urllib.parse import urlsplit

from mlfs.errors import ClusterError, MissingExtra, UsageError, printable

MAX_LOCAL_WORKERS = 256
CONNECTING = 10.0  # seconds
ENDING = 30.0  # seconds
LOOK = 2.0  # seconds after which to look whether there are still workers
WAIT = 30.0  # seconds for a worker to come back, where none is left
# what distributed.utils.sync raises where the call that it waits for is cancelled
CUT_OFF = UnboundLocalError
LOST = (CancelledError, asyncio.CancelledError, CUT_OFF)
UNREACHED = (OSError, TimeoutError, RuntimeError, ValueError, CUT_OFF, CancelledError)


class Lost(Exception):
    """Something that only a lost worker had, and that dask cannot make again."""


class WorkersKilled(ClusterError):
    """Several workers were lost while they did the same thing."""


class Connection:
    """The workers of a scheduler.

    Parameters
    ----------
    value : str, distributed.Client or Cluster
        The address of a scheduler, such as ``tcp://host:8786``; ``local`` or ``local:4`` for one
        on this machine, which ends with the connection; a client, or a cluster of dask.
    same : sequence of str
        Distributions of which the workers must have the same version, beside numpy.
    """

    def __init__(self, value: Any, same: Sequence[str] = ()) -> None:
        try:
            import distributed
        except ImportError:
            raise MissingExtra("a cluster", "distributed", "cluster") from None
        self._own: list[Any] = []  # what is closed at the end, in this order
        if isinstance(value, distributed.Client) and not value.asynchronous and value.scheduler:
            self.client: Any = value
        elif isinstance(value, str):
            n_workers = local_workers(value)
            if n_workers is None:
                _greet(value)
                self._connect(value)
            else:
                self._start(n_workers)
        elif hasattr(value, "scheduler_address"):
            self._connect(value.scheduler_address, security=getattr(value, "security", None))
        else:
            msg = (
                "is the address of a scheduler such as 'tcp://host:8786', 'local:2', or a client "
                f"of dask.distributed that is connected, not {printable(repr(value))}"
            )
            raise UsageError(msg, option="cluster")
        try:
            self.address = str(self.client.scheduler.address)
            self._check(same)
        except BaseException:
            self.close()
            raise

    def _start(self, n_workers: int) -> None:
        import distributed

        start: Any = distributed.LocalCluster  # it has no types
        cluster = start(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
            preload=["mlfs.api.cluster.connection"],
        )
        self._own = [cluster]
        try:
            self._connect(cluster.scheduler_address, security=cluster.security)
        except BaseException:
            self.close()
            raise

    def _connect(self, address: str, **settings: Any) -> None:
        import distributed

        connect: Any = distributed.Client
        settings = {key: value for key, value in settings.items() if value is not None}
        try:
            self.client = connect(
                address,
                set_as_default=False,
                direct_to_workers=True,
                timeout=CONNECTING,
                name="mlfs",
                **settings,
            )
        except (ImportError, TypeError, *UNREACHED) as error:
            why = "it took too long" if isinstance(error, CUT_OFF) else printable(error, 200)
            raise _no_scheduler(address, why) from None
        self._own.insert(0, self.client)

    # ---- checks -------------------------------------------------------------------------------

    def _check(self, same: Sequence[str]) -> None:
        """Refuse a cluster without workers, or with other versions."""
        try:
            self.client.wait_for_workers(1, timeout=CONNECTING)
        except UNREACHED:
            msg = f"the cluster at {self.address} has no workers: start some with dask worker"
            raise ClusterError(msg) from None
        ours = versions(same)
        for worker, theirs in sorted(self.run(versions, same).items()):
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

    def run(self, function: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """The answer of a function on each worker that answers, or its error."""
        end = time.monotonic() + WAIT
        while True:
            try:
                results = self.client.run(function, *args, on_error="return")
            except ImportError as error:
                return {"of the cluster": error}
            except UNREACHED:
                results = {}
            answers = {
                worker: answer
                for worker, answer in results.items()
                if not isinstance(answer, OSError)  # it was lost meanwhile
            }
            if answers:
                return answers
            if time.monotonic() > end:
                raise ClusterError(f"no worker of the cluster at {self.address} answers")
            time.sleep(LOOK / 10)

    # ---- workers ------------------------------------------------------------------------------

    def threads(self) -> dict[str, int]:
        """The threads of each worker by its address; waits a while until there is one."""
        end = time.monotonic() + WAIT
        while True:
            try:
                threads = dict(self.client.nthreads())
            except UNREACHED:
                threads = {}
                if self.client.status != "running":
                    msg = f"the scheduler at {self.address} is gone, and no worker answers without"
                    raise ClusterError(f"{msg} it") from None
            if threads:
                return threads
            if time.monotonic() > end:
                msg = f"all workers of the cluster at {self.address} are gone: start some again"
                raise ClusterError(f"{msg}, with more memory if they ran out of it")
            time.sleep(0.05)

    def share(self) -> int:
        """The greatest number of workers on one machine, which share its memory."""
        return max(Counter(urlsplit(address).hostname for address in self.threads()).values())

    def room(self) -> int | None:
        """The memory of the worker that has least; None if there is no limit."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return min((int(w["memory_limit"]) for w in workers if w["memory_limit"]), default=None)

    # ---- work -----------------------------------------------------------------------------------

    def send(self, value: Any) -> Any:
        """Send something to a worker: its future. If that worker is lost, so is what it had."""
        end = time.monotonic() + WAIT
        while True:
            try:
                return self.client.scatter(value, hash=False)
            except (*LOST, *UNREACHED):
                self.threads()  # or there is no worker, or no scheduler
                if time.monotonic() > end:
                    msg = f"no worker of the cluster at {self.address} takes data"
                    raise ClusterError(msg) from None
                time.sleep(LOOK / 10)

    def submit(self, function: Callable[..., Any], *args: Any, on: str = "", **named: Any) -> Any:
        """Let a worker call a function: its future. If the one of an address is lost, another."""
        place = {"workers": [on], "allow_other_workers": True} if on else {}
        return self.client.submit(function, *args, pure=False, **place, **named)

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """The computed value; waits as long as there are workers."""
        import distributed

        try:
            self._wait(futures)
            results: list[Any] = self.client.gather(futures)
        except distributed.KilledWorker as error:
            msg = _too_little(f"the last of them was {error.last_worker}")
            raise WorkersKilled(msg) from None
        except MemoryError:
            raise ClusterError(_too_little()) from None
        except (OSError, *LOST):
            for future in futures:  # the error that dask keeps refers to them
                future.release()
            self.threads()
            raise Lost from None
        return results

    def first_done(self, futures: Sequence[Any]) -> list[Any]:
        """Futures that are done, as soon as there are any; waits as long as there are workers."""
        with contextlib.suppress(*LOST):
            self._wait(futures, return_when="FIRST_COMPLETED")
        return [future for future in futures if future.status != "pending"]

    def _wait(self, futures: Sequence[Any], **how: Any) -> None:
        import distributed

        wait: Any = distributed.wait
        while True:
            try:
                with self.client.as_current():
                    wait(futures, timeout=LOOK, **how)
            except TimeoutError:
                self.threads()
            else:
                return

    def close(self) -> None:
        """Disconnect, and end what was started for this, quietly: first the client."""
        own, self._own = self._own, []
        if not own:
            return
        logger = logging.getLogger("distributed.client")
        level = logger.level
        logger.setLevel(logging.CRITICAL)  # of what is ended here, nobody needs to know
        try:
            for part in own:
                with contextlib.suppress(Exception):
                    part.close(timeout=ENDING)
        finally:
            logger.setLevel(level)


def _too_little(more: str = "") -> str:
    again = f"workers were lost again and again ({more}): " if more else ""
    return f"{again}a worker has too little memory for its columns: more workers would hold fewer"


def _no_scheduler(address: str, why: str) -> ClusterError:
    return ClusterError(f"no scheduler answers at {printable(address, 200)}: {why}")


def _greet(address: str) -> None:
    """Refuse an address where no scheduler greets; a client would wait for it without an end."""
    import distributed
    import distributed.comm.core

    connect: Any = distributed.comm.core.connect  # it has no types
    named: Any = distributed.Security

    async def greet() -> None:
        settings = named().get_connection_args("client")
        connection = connect(address, timeout=CONNECTING, **settings)
        (await asyncio.wait_for(connection, CONNECTING + 1)).abort()

    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook runs a loop in this one
            thread.submit(asyncio.run, greet()).result()
    except Exception as error:  # noqa: BLE001 -- whatever another program sends
        why = "another program may be there"
        if str(error) and not isinstance(error, MemoryError):
            why = printable(error, 200)
        raise _no_scheduler(address, why) from None


def local_workers(address: str) -> int | None:
    """How many workers an address wants on this machine; None for the address of a scheduler.

    Examples
    --------
    >>> local_workers("local:3"), local_workers("tcp://host:8786")
    (3, None)
    """
    name, _, number = address.partition(":")
    if name != "local":
        return None
    if not number:
        return 2
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= MAX_LOCAL_WORKERS:
        return int(number)
    msg = f"is {printable(address)!r}, but local takes a number of workers, 1 to "
    raise UsageError(f"{msg}{MAX_LOCAL_WORKERS}, as in local:2", option="cluster")


def versions(same: Sequence[str] = ()) -> dict[str, str]:
    """The versions that must be the same everywhere, those of some distributions too."""
    import mlfs

    python = ".".join(platform.python_version_tuple()[:2])
    others = {name: metadata.version(name) for name in ("numpy", *same)}
    return {"mlfs": mlfs.__version__, "Python": python, **others}


def dask_setup(worker: Any) -> None:
    """Let a worker that is started here ignore Ctrl-C, which a terminal sends to all processes."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
