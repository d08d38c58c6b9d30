"""A cluster without one: its blocks are held in this process, and every message is pickled."""

from __future__ import annotations

import pickle
from typing import Any

from mlfs.api.cluster.block_actor import BlockActor
from mlfs.api.cluster.clusters import Cluster
from mlfs.counting.remote.session import Sent, Session


class InProcess(Cluster):
    """So many blocks; some answers may be lost, with the block that should have given them."""

    def __init__(self, n_blocks: int, lost: tuple[int, ...] = ()) -> None:
        self.blocks, self.lost, self.sessions = n_blocks, lost, list[InProcessSession]()

    @property
    def n_blocks(self) -> int:
        return self.blocks

    def session(self, edges: list[int], pieces: Any) -> Session:
        self.sessions.append(InProcessSession(edges, pieces, self.lost))
        return self.sessions[-1]


class InProcessSession(Session):
    def __init__(self, edges: list[int], pieces: Any, lost: tuple[int, ...]) -> None:
        super().__init__(edges)
        self.pieces, self.to_lose, self.is_closed = pieces, lost, False
        self.actors = [self.made(i) for i in range(self.n_blocks)]

    def made(self, i: int) -> BlockActor:
        actor = BlockActor()
        piece = self.pieces.piece(int(self.edges[i]), int(self.edges[i + 1]))
        assert actor.fill(moved(piece))[0] == "done"
        return actor

    def _answers(self, question: str, args: tuple[Any, ...], needs: dict[str, Sent]) -> list[Any]:
        if self.rounds in self.to_lose:
            self.lost += 1
            self.actors[-1] = self.made(self.n_blocks - 1)
        found = []
        for i, actor in enumerate(self.actors):
            status, answer = actor.answer(*moved((question, args)))
            while status == "unknown":
                actor.keep(answer, moved(self._part(needs[answer], i)))
                status, answer = actor.answer(*moved((question, args)))
            found.append(moved(answer))
        return found

    def close(self) -> None:
        self.is_closed = True


def moved(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing, 5))
