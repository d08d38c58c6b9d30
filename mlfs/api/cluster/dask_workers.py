"""The workers of a cluster of dask.distributed: which are alive, and actors on them."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any

from mlfs.errors import ClusterError

__all__ = ["CUT_OFF", "DaskWorkers", "deadline"]

WAIT = 30.0  # seconds for a worker to come back, where none is left
STARTING = 600.0  # seconds for an actor to start on a worker that is there
LOOK = 0.5  # seconds after which to look whether the worker is still there
SHUNNED = 5.0  # seconds in which the scheduler may not have noticed that a worker is lost
# what distributed.utils.sync raises where the call that it waits for is cancelled
CUT_OFF = UnboundLocalError
NO_SCHEDULER = (OSError, TimeoutError, RuntimeError, ValueError, CUT_OFF)


def deadline() -> float:
    """Until when to wait for a worker."""
    return time.monotonic() + WAIT


class DaskWorkers:
    """Starts actors on workers, and knows which workers are lost.

    Parameters
    ----------
    client : distributed.Client
        A client of the cluster, which asks workers directly.
    address : str
        The address of the scheduler, for messages.
    """

    # what a call of an actor returns, and what it raises, where its worker is lost
    lost = (OSError, CancelledError, TimeoutError, asyncio.CancelledError, CUT_OFF)
    errors = (*lost, RuntimeError, ValueError)

    def __init__(self, client: Any, address: str) -> None:
        self.client, self.address = client, address
        self._shunned: dict[str, float] = {}

    def shun(self, worker: str) -> None:
        """Start nothing on a worker that was lost a moment ago."""
        self._shunned[worker] = time.monotonic() + SHUNNED

    def threads(self) -> dict[str, int]:
        """The threads of each worker by its address; waits until there is one."""
        end = deadline()
        while True:
            try:
                all_threads = dict(self.client.nthreads())
            except NO_SCHEDULER:
                msg = f"the scheduler at {self.address} is gone, and no worker answers without it"
                raise ClusterError(msg) from None
            now = time.monotonic()
            threads = {
                worker: n
                for worker, n in all_threads.items()
                if self._shunned.get(worker, 0.0) < now
            }
            if threads:
                return threads
            if now > end:
                msg = f"all workers of the cluster at {self.address} are gone: start some again"
                raise ClusterError(f"{msg}, with more memory if they ran out of it")
            time.sleep(0.05)

    def run(self, function: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """What a function returns on each worker, or its error; tried again where it is cut off."""
        end = deadline()
        while True:
            try:
                results: dict[str, Any] = self.client.run(function, *args, on_error="return")
            except (OSError, CUT_OFF):
                if time.monotonic() > end:
                    msg = f"no worker of the cluster at {self.address} answers"
                    raise ClusterError(msg) from None
                time.sleep(LOOK)
            else:
                return results

    def memory(self) -> list[int]:
        """The memory that each worker may take, 0 for no limit."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        return [int(worker["memory_limit"] or 0) for worker in workers.values()]

    def start(
        self, kind: type, worker: str, arguments: Sequence[Any] = (), submits: Any = None
    ) -> Any:
        """Let a worker make an actor, whose future is returned; `submits` is the client to use."""
        return (submits or self.client).submit(
            kind,
            *arguments,
            key=f"mlfs-{kind.__name__}-{uuid.uuid4().hex}",
            actor=True,
            workers=[worker],
            allow_other_workers=False,
        )

    def started(self, future: Any, worker: str, method: str) -> Any:
        """Wait for an actor, which has a method of this name.

        None once its worker is gone, or takes too long.
        """
        end = time.monotonic() + STARTING
        while True:
            try:
                with self.client.as_current():
                    actor = future.result(timeout=LOOK)
                    getattr(actor, method)  # a proxy takes the client that is current now
            except (TimeoutError, CUT_OFF):
                if time.monotonic() > end or not self.is_known(worker):
                    return None
            except (OSError, CancelledError, RuntimeError):
                return None
            else:
                return actor

    def answer(self, call: Any, worker: str) -> Any:
        """What a call of an actor returns; OSError once its worker is gone.

        The client itself waits without end where a worker is lost at the wrong moment: until the
        scheduler starts the actor again, which is to be on that worker alone.
        """
        while True:
            try:
                return call.result(timeout=LOOK)
            except (TimeoutError, CUT_OFF):
                if call.done():
                    return call.result()
                if not self.is_known(worker):
                    raise OSError(f"the worker {worker} is gone") from None

    def ask(self, actors: Sequence[tuple[str, str, bytes]], method: str) -> list[Any]:
        """What a method of some actors returns, or the exception that it raised.

        Parameters
        ----------
        actors : sequence of (str, str, bytes)
            The worker of each actor, its key, and the argument of the method.
        method : str
            The method, which runs in the thread of the worker that receives messages.
        """

        async def ask_one(worker: str, key: str, argument: bytes) -> Any:
            answer = await self.client.rpc(worker).actor_execute(
                function=method, actor=key, args=[argument], kwargs={"separate_thread": False}
            )
            if answer["status"] != "OK":
                raise answer["exception"]
            return answer["result"]

        async def ask_all() -> list[Any]:
            calls = (ask_one(*actor) for actor in actors)
            return list(await asyncio.gather(*calls, return_exceptions=True))

        results: list[Any] = self.client.sync(ask_all)
        return results

    def is_known(self, worker: str) -> bool:
        """Whether the scheduler has a worker of this address."""
        try:
            return worker in self.client.nthreads()
        except NO_SCHEDULER:
            return False
