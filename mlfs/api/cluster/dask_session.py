"""Actors of dask.distributed that hold blocks of rows; lost ones are made again."""

from __future__ import annotations

import contextlib
import pickle
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from mlfs.api.cluster.block_actor import BlockActor, unpack_answer
from mlfs.api.cluster.dask_workers import deadline
from mlfs.counting.remote.session import Sent, Session
from mlfs.counting.remote.wire import bytes_in
from mlfs.errors import ClusterError

__all__ = ["DaskSession"]

MOST_LOSSES = 3  # of one block
ENDING = 2.0  # seconds


class DaskSession(Session):
    """Blocks of rows on the workers of a cluster.

    Parameters
    ----------
    n_blocks : int
        How many blocks there are.
    chunks : list of list, or None
        For each block the futures of what it is made of.
    cluster : DaskCluster
        The cluster, which is closed with the session.
    """

    def __init__(self, n_blocks: int, chunks: list[Any] | None, cluster: Any) -> None:
        super().__init__(n_blocks)
        self._chunks, self._cluster = chunks, cluster
        self._address = cluster.address
        self._actors: list[Any] = [None] * n_blocks
        self._futures: list[Any] = [None] * n_blocks
        self._addresses = [""] * n_blocks
        self._losses = [0] * n_blocks
        self._workers = cluster.workers()
        try:
            self._make(list(range(n_blocks)))
        except BaseException:
            self.close()
            raise

    # ---- asking ---------------------------------------------------------------------------------

    def _answers(
        self, question: str, arguments: Mapping[int, tuple[Any, ...]], needs: Mapping[str, Sent]
    ) -> list[Any]:
        results: dict[int, Any] = {}
        distinct = {id(args): args for args in arguments.values()}
        packed = {key: pickle.dumps((question, args), 5) for key, args in distinct.items()}
        remaining = list(arguments)
        while remaining:
            answers, lost = self._ask({i: packed[id(arguments[i])] for i in remaining})
            again = list(lost)
            unknown: dict[int, tuple[Any, ...]] = {}
            for i, (status, answer) in answers.items():
                if status == "unknown":
                    unknown[i] = answer, self._part(needs[answer], i)
                    again.append(i)
                else:
                    results[i] = unpack_answer((status, answer))
            _, lost_meanwhile = self._call("keep", unknown)
            self.make_again([*lost, *lost_meanwhile])
            remaining = sorted(again)
        return [results[i] for i in arguments]

    def _ask(self, packed: dict[int, bytes]) -> tuple[dict[int, Any], list[int]]:
        """Send questions to actors at once: their answers, and which are lost.

        An actor answers in the thread that receives the question. This takes half the processor
        time of the methods of its proxy, which matters where a pick takes a millisecond.
        """
        alive = [i for i in packed if self._futures[i].status in {"finished", "pending"}]
        messages = [(self._addresses[i], self._futures[i].key, packed[i]) for i in alive]
        answers = self._workers.ask(messages, "answer_packed")
        results, lost = {}, [i for i in packed if i not in set(alive)]
        for i, answer in zip(alive, answers, strict=True):
            if isinstance(answer, self._workers.lost):
                lost.append(i)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                results[i] = pickle.loads(answer)  # noqa: S301 -- from a worker of the cluster
        return results, lost

    def call(self, method: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        """What a method of all actors returns; what it needs is in its arguments."""
        return self.call_some(method, dict(enumerate(arguments)))

    def call_some(self, method: str, arguments: dict[int, tuple[Any, ...]]) -> list[Any]:
        """What a method of some actors returns, in their order."""
        self.bytes_sent += bytes_in(list(arguments.values()))
        results: dict[int, Any] = {}
        remaining = list(arguments)
        while remaining:
            answers, lost = self._call(method, {i: arguments[i] for i in remaining})
            results |= {i: unpack_answer(answer) for i, answer in answers.items()}
            self.make_again(lost)
            remaining = lost
        self.bytes_received += bytes_in(list(results.values()))
        return [results[i] for i in arguments]

    def _call(
        self, method: str, arguments: dict[int, tuple[Any, ...]]
    ) -> tuple[dict[int, Any], list[int]]:
        """Call actors at once: what they return, and which are lost."""
        results, lost, waiting = {}, [], {}
        for i, args in arguments.items():
            try:
                waiting[i] = getattr(self._actors[i], method)(*args)
            except self._workers.errors:
                lost.append(i)
        for i, future in waiting.items():
            try:
                results[i] = self._workers.answer(future, self._addresses[i])
            except self._workers.lost:
                lost.append(i)
        return results, lost

    # ---- jobs of single actors ------------------------------------------------------------------

    @property
    def n_workers(self) -> int:
        """On how many workers the blocks are."""
        return len(set(self._addresses))

    def room(self) -> int | None:
        """The memory of the worker that has least; None if there is no limit."""
        limits = self._workers.memory()
        return min((limit for limit in limits if limit), default=None)

    def all_rows(self) -> Any:
        """What a block of all rows is made of; None if workers cannot make it."""
        return None if self._pieces is None else self._pieces.all_rows()

    @property
    def errors(self) -> tuple[type[BaseException], ...]:
        """What a call raises where the actor is lost."""
        return self._workers.errors

    def is_lost(self, i: int) -> bool:
        """Whether the worker of an actor is gone."""
        return not self._workers.is_known(self._addresses[i])

    def begin(self, i: int, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method of an actor, and wait for nothing."""
        try:
            return getattr(self._actors[i], method)(*arguments)
        except self.errors as error:
            return _LostCall(error)

    # ---- making blocks, and making them again -------------------------------------------------

    def make_again(self, blocks: list[int]) -> None:
        """Make lost blocks on other workers."""
        if not blocks:
            return
        for i in blocks:
            self.lost += 1
            self._losses[i] += 1
            self._workers.shun(self._addresses[i])
            if self._losses[i] > MOST_LOSSES:
                msg = (
                    f"the worker that held block {i + 1} of {self.n_blocks} of the {self.layout} "
                    f"was lost {self._losses[i]} times "
                    f"(the last was {self._addresses[i]}): it may have too little memory, and more "
                    f"workers would hold fewer {self.layout} each"
                )
                raise ClusterError(msg)
        self._make(blocks)

    def _make(self, blocks: list[int]) -> None:
        """Let workers make blocks, those that hold the fewest first."""
        end, tries = deadline(), 0
        remaining = blocks
        client = None if self._chunks is None else self._cluster.user_client
        while remaining:
            n_blocks = dict.fromkeys(self._workers.threads(), 0)
            for i, address in enumerate(self._addresses):
                if i not in remaining and address in n_blocks:
                    n_blocks[address] += 1
            for i in remaining:
                address = min(n_blocks, key=lambda worker: n_blocks[worker])
                n_blocks[address] += 1
                self._addresses[i] = address
                chunks = self._chunks[i] if self._chunks else ()
                self._futures[i] = self._workers.start(BlockActor, address, chunks, client)
            started = [i for i in remaining if self._has_started(i)]
            pieces = {i: (self._piece(i),) for i in started}
            answers, lost = self._call("fill", pieces)
            for answer in answers.values():
                unpack_answer(answer)
            for i in (set(remaining) - set(started)) | set(lost):
                self._workers.shun(self._addresses[i])
            remaining = [i for i in remaining if i not in answers]
            tries += 1
            if remaining and tries > MOST_LOSSES and time.monotonic() > end:
                msg = f"no worker of the cluster at {self._address}"
                raise ClusterError(f"{msg} could take a block of {self.layout}")

    def _has_started(self, i: int) -> bool:
        """Wait for the actor of block i; False once its worker is gone, or takes too long."""
        self._actors[i] = self._workers.started(self._futures[i], self._addresses[i], "answer")
        return self._actors[i] is not None

    def hold(self, edges: list[int], pieces: Any) -> None:
        """Let the actors make their blocks and hold them.

        Parameters
        ----------
        edges : list of int
            Where each block begins, and the end of the last.
        pieces : CodedPieces, CodedColumnPieces, PartColumnPieces or _PartPieces
            Gives what a block is made of.
        """
        self.layout = pieces.layout
        self.edges, self._pieces = np.array(edges, np.int64), pieces
        self.call("fill", [(self._piece(i),) for i in range(self.n_blocks)])

    _pieces: Any = None

    def _piece(self, i: int) -> Any:
        """What block i is made of, as far as it is known."""
        if self._pieces is None:
            return None
        return self._pieces.piece(i, int(self.edges[i]), int(self.edges[i + 1]))

    def close(self) -> None:
        """Let the blocks go at once, and the actors with them."""
        endings = []
        for actor in self._actors:
            with contextlib.suppress(Exception):
                endings.append(actor.end())
        for future in endings:
            with contextlib.suppress(Exception):
                future.result(timeout=ENDING)
        self._actors, self._pieces = [], None
        for future in self._futures:
            with contextlib.suppress(Exception):
                future.release()
        self._futures = []
        self._cluster.close()


class _LostCall:
    """A call of an actor that is lost already."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def done(self) -> bool:
        return True

    def result(self) -> Any:
        raise self._error
