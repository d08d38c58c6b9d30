"""Actors of dask.distributed that hold blocks of rows; lost ones are made again."""

from __future__ import annotations

import contextlib
import time
import uuid
from concurrent.futures import CancelledError
from typing import Any

import numpy as np

from mlfs.api.cluster.block_actor import BlockActor, unrefused
from mlfs.counting.remote.session import Sent, Session
from mlfs.errors import ClusterError

__all__ = ["DaskSession"]

WAIT = 30.0  # seconds for a worker to come back, where none is left
STARTING = 60.0  # seconds for an actor to start
LOOK = 0.5  # seconds after which to look whether the worker is still there
SHUNNED = 5.0  # seconds in which the scheduler may not have noticed that a worker is lost
MOST_LOSSES = 3  # of one block
ENDING = 2.0  # seconds


class DaskSession(Session):
    """Blocks of rows on the workers of a cluster.

    Parameters
    ----------
    client : distributed.Client
        A client of the cluster, which asks workers directly.
    n_blocks : int
        How many blocks there are.
    chunks : list of list, or None
        For each block the futures of what it is made of.
    cluster : DaskCluster
        The cluster, which is closed with the session.
    """

    def __init__(self, client: Any, n_blocks: int, chunks: list[Any] | None, cluster: Any) -> None:
        super().__init__(n_blocks)
        self._client, self._chunks, self._cluster = client, chunks, cluster
        self._address = cluster.address
        self._actors: list[Any] = [None] * n_blocks
        self._futures: list[Any] = [None] * n_blocks
        self._places = [""] * n_blocks
        self._losses = [0] * n_blocks
        self._shunned: dict[str, float] = {}
        try:
            self._make(list(range(n_blocks)))
        except BaseException:
            self.close()
            raise

    # ---- asking ---------------------------------------------------------------------------------

    def _answers(self, question: str, args: tuple[Any, ...], needs: dict[str, Sent]) -> list[Any]:
        found: dict[int, Any] = {}
        left = list(range(self.n_blocks))
        while left:
            answers, lost = self._call("answer", dict.fromkeys(left, (question, args)))
            again = list(lost)
            unknown: dict[int, tuple[Any, ...]] = {}
            for i, (status, answer) in answers.items():
                if status == "unknown":
                    unknown[i] = answer, self._part(needs[answer], i)
                    again.append(i)
                else:
                    found[i] = answer
            _, more = self._call("keep", unknown)
            self._make_again([*lost, *more])
            left = sorted(again)
        return [found[i] for i in range(self.n_blocks)]

    def call(self, method: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        """What a method of all actors returns; what it needs is in its arguments."""
        found: dict[int, Any] = {}
        left = list(range(self.n_blocks))
        while left:
            answers, lost = self._call(method, {i: arguments[i] for i in left})
            found |= {i: unrefused(answer) for i, answer in answers.items()}
            self._make_again(lost)
            left = lost
        return [found[i] for i in range(self.n_blocks)]

    def _call(
        self, method: str, arguments: dict[int, tuple[Any, ...]]
    ) -> tuple[dict[int, Any], list[int]]:
        """Call actors at once: what they return, and which are lost."""
        found, lost, waiting = {}, [], {}
        for i, args in arguments.items():
            try:
                waiting[i] = getattr(self._actors[i], method)(*args)
            except (RuntimeError, ValueError, OSError):  # what a lost actor raises
                lost.append(i)
        for i, future in waiting.items():
            try:
                found[i] = future.result()
            except (OSError, CancelledError, TimeoutError):
                lost.append(i)
        return found, lost

    # ---- making blocks, and making them again -------------------------------------------------

    def _make_again(self, blocks: list[int]) -> None:
        if not blocks:
            return
        for i in blocks:
            self.lost += 1
            self._losses[i] += 1
            self._shunned[self._places[i]] = time.monotonic() + SHUNNED
            if self._losses[i] > MOST_LOSSES:
                msg = (
                    f"the worker that held block {i + 1} of {self.n_blocks} of the rows was lost "
                    f"{self._losses[i]} times "
                    f"(the last was {self._places[i]}): it may have too little memory, and more "
                    "workers would hold fewer rows each"
                )
                raise ClusterError(msg)
        self._make(blocks)

    def _make(self, blocks: list[int]) -> None:
        """Let workers make blocks, those that hold the fewest first."""
        ends = time.monotonic() + WAIT
        left = blocks
        submits = self._client if self._chunks is None else self._cluster.given
        while left:
            alive = self._alive(ends)
            held = dict.fromkeys(alive, 0)
            for i, address in enumerate(self._places):
                if i not in left and address in held:
                    held[address] += 1
            for i in left:
                address = min(alive, key=lambda one: held[one])
                held[address] += 1
                self._places[i] = address
                self._futures[i] = submits.submit(
                    BlockActor,
                    *(self._chunks[i] if self._chunks else ()),
                    key=f"mlfs-block-{uuid.uuid4().hex}",
                    actor=True,
                    workers=[address],
                    allow_other_workers=False,
                )
            started = [i for i in left if self._has_started(i)]
            pieces = {i: (self._piece(i),) for i in started}
            answers, lost = self._call("fill", pieces)
            for answer in answers.values():
                unrefused(answer)
            for i in (set(left) - set(started)) | set(lost):
                self._shunned[self._places[i]] = time.monotonic() + SHUNNED
            left = [i for i in left if i not in answers]
            if left and time.monotonic() > ends:
                msg = f"no worker of the cluster at {self._address} could take a block of rows"
                raise ClusterError(msg)

    def hold(self, edges: list[int], pieces: Any) -> None:
        """Let the actors make their blocks and hold them.

        Parameters
        ----------
        edges : list of int
            Where each block of rows begins, and the end of the last.
        pieces : CodedPieces or PartPieces
            Gives what a block is made of.
        """
        self.edges, self._pieces = np.array(edges, np.int64), pieces
        self.call("fill", [(self._piece(i),) for i in range(self.n_blocks)])

    _pieces: Any = None

    def _piece(self, i: int) -> Any:
        """What block i is made of, as far as it is known."""
        if self._pieces is None:
            return None
        return self._pieces.piece(i, int(self.edges[i]), int(self.edges[i + 1]))

    def _has_started(self, i: int) -> bool:
        """Wait for the actor of block i; False once its worker is gone, or takes too long."""
        ends = time.monotonic() + STARTING
        while True:
            try:
                with self._client.as_current():
                    self._actors[i] = self._futures[i].result(timeout=LOOK)
                    _ = self._actors[i].answer  # a proxy takes the client that is current now
            except TimeoutError:
                if time.monotonic() > ends or not self._is_known(self._places[i]):
                    return False
            except (OSError, CancelledError, RuntimeError):
                return False
            else:
                return True

    def _is_known(self, address: str) -> bool:
        """Whether the scheduler has a worker of this address."""
        try:
            return address in self._client.nthreads()
        except (OSError, TimeoutError, RuntimeError, ValueError):
            return False

    def _alive(self, ends: float) -> list[str]:
        """The addresses of the workers; some come back in a moment."""
        while True:
            try:
                known = list(self._client.nthreads())
            except (OSError, TimeoutError, RuntimeError, ValueError):
                msg = f"the scheduler at {self._address} is gone, and no worker answers without it"
                raise ClusterError(msg) from None
            now = time.monotonic()
            found = [one for one in known if self._shunned.get(one, 0.0) < now]
            if found:
                return found
            if now > ends:
                msg = f"all workers of the cluster at {self._address} are gone: start some again"
                raise ClusterError(msg)
            time.sleep(0.05)

    def close(self) -> None:
        """Let the blocks go at once, and the actors with them."""
        waiting = []
        for actor in self._actors:
            with contextlib.suppress(Exception):
                waiting.append(actor.end())
        for future in waiting:
            with contextlib.suppress(Exception):
                future.result(timeout=ENDING)
        self._actors, self._pieces = [], None
        for future in self._futures:
            with contextlib.suppress(Exception):
                future.release()
        self._futures = []
        self._cluster.close()
