"""A cluster without one: its blocks are held in this process, and every message is pickled."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import numpy as np

from mlfs.api.cluster.block_actor import BlockActor, unpack_answer
from mlfs.api.cluster.clusters import Cluster
from mlfs.counting.remote.session import Sent, Session
from mlfs.counting.remote.wire import bytes_in


class InProcess(Cluster):
    """So many blocks; some answers may be lost, with the block that should have given them."""

    def __init__(self, n_blocks: int, lost: tuple[int, ...] = ()) -> None:
        self.blocks, self.lost, self.sessions = n_blocks, lost, list[InProcessSession]()

    @property
    def n_blocks(self) -> int:
        return self.blocks

    def session(self, n_blocks: int, chunks: list[Any] | None = None) -> InProcessSession:
        self.sessions.append(InProcessSession(n_blocks, chunks, self.lost))
        return self.sessions[-1]

    def compute(self, collection: Any) -> Any:
        return collection.compute(scheduler="synchronous")

    def rows_of(self, chunks: list[Any]) -> list[int]:
        return [one.shape[0] for one in chunks]

    def chunks(self, table: Any) -> list[Any]:
        delayed = np.ravel(np.array(table.to_delayed(), dtype=object)).tolist()
        return [one.compute(scheduler="synchronous") for one in delayed]


class InProcessSession(Session):
    def __init__(self, n_blocks: int, chunks: list[Any] | None, lost: tuple[int, ...]) -> None:
        super().__init__(n_blocks)
        self.chunks, self.to_lose, self.is_closed = chunks, lost, False
        self.calls, self.pieces = 0, None
        self.begun = list[tuple[int, str]]()
        self.actors = [self.made(i) for i in range(n_blocks)]

    def made(self, i: int) -> BlockActor:
        actor = BlockActor(*(self.chunks[i] if self.chunks else ()))
        if self.pieces is not None:
            unpack_answer(actor.fill(self.piece(i)))
        return actor

    def piece(self, i: int) -> Any:
        return moved(self.pieces.piece(i, int(self.edges[i]), int(self.edges[i + 1])))

    def hold(self, edges: list[int], pieces: Any) -> None:
        self.edges, self.pieces, self.layout = np.array(edges), pieces, pieces.layout
        self.call("fill", [(self.piece(i),) for i in range(self.n_blocks)])

    def call(self, method: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        return self.call_some(method, dict(enumerate(arguments)))

    def call_some(self, method: str, arguments: dict[int, tuple[Any, ...]]) -> list[Any]:
        self.calls += 1
        if -self.calls in self.to_lose:  # negative numbers: calls before any question
            self.lost += 1
            self.actors[-1] = self.made(self.n_blocks - 1)
        found = [
            moved(unpack_answer(getattr(self.actors[i], method)(*args)))
            for i, args in moved(arguments).items()
        ]
        self.bytes_received += bytes_in(found)
        return found

    def _answers(
        self, question: str, each: Mapping[int, tuple[Any, ...]], needs: Mapping[str, Sent]
    ) -> list[Any]:
        if self.rounds in self.to_lose:
            self.lost += 1
            self.actors[-1] = self.made(self.n_blocks - 1)
        found = []
        for i, args in each.items():
            actor = self.actors[i]
            status, answer = actor.answer(*moved((question, args)))
            while status == "unknown":
                actor.keep(answer, moved(self._part(needs[answer], i)))
                status, answer = actor.answer(*moved((question, args)))
            found.append(moved(unpack_answer((status, answer))))
        return found

    def close(self) -> None:
        self.is_closed = True

    # ---- jobs of single actors ------------------------------------------------------------------

    errors = (OSError,)

    def room(self) -> None:
        return None

    def all_rows(self) -> Any:
        return moved(self.pieces.all_rows())

    def begin(self, i: int, method: str, arguments: tuple[Any, ...]) -> Any:
        self.calls += 1
        done: Future[Any] = Future()
        if method == "stop":  # runs while others wait, and here none does
            return done
        if -self.calls in self.to_lose:
            done.set_exception(OSError())
        else:
            done.set_result(moved(getattr(self.actors[i], method)(*moved(arguments))))
            self.begun.append((i, method))
        return done

    def make_again(self, blocks: list[int]) -> None:
        self.lost += len(blocks)
        for i in blocks:
            self.actors[i] = self.made(i)


def moved(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing, 5))
