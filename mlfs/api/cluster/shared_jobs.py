"""Jobs that actors share: each is done by one that is free, and again where its worker is lost."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Self

from mlfs.api.cluster.block_actor import unpack_answer
from mlfs.counting.remote.wire import bytes_in

__all__ = ["SharedJobs"]

LOOK = 0.002  # seconds after which to look who has finished
LOSSES = 0.5  # seconds after which to look whose worker is gone


class SharedJobs(Iterator[tuple[int, Any]]):
    """The answers to numbered jobs as they arrive, each with its number.

    Parameters
    ----------
    session : Session
        The actors.
    setup : tuple
        What `BlockActor.prepare` is given before the first job.
    job : callable
        Gives what `BlockActor.search` is given for a number; None ends the jobs.
    n : int
        How many jobs there are.
    """

    def __init__(
        self, session: Any, setup: tuple[Any, ...], job: Callable[[int], Any], n: int
    ) -> None:
        self._session, self._setup, self._job, self._n = session, setup, job, n
        self._waiting = deque(range(n))
        self._running: dict[int, tuple[int | None, Any]] = {}
        self._ready: set[int] = set()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[int, Any]:
        checked = time.monotonic()
        while True:
            self._hand_out()
            if not self._running:
                raise StopIteration
            done = [i for i, (_, call) in self._running.items() if call.done()]
            if not done:
                time.sleep(LOOK)
            if not done and time.monotonic() - checked > LOSSES:
                checked = time.monotonic()
                for i in [i for i in self._running if self._session.is_lost(i)]:
                    number, _ = self._running.pop(i)
                    self._lose(i, number)
            for i in done:
                number, call = self._running.pop(i)
                answer = self._answer(i, number, call)
                if number is not None and answer is not None:
                    self._session.labels += 1
                    self._session.bytes_received += bytes_in(answer)
                    return number, answer

    def stop(self) -> None:
        """Begin no more jobs, and let those that run end with what they have."""
        self._waiting.clear()
        for i in self._running:
            self._session.begin(i, "stop", ())

    def _hand_out(self) -> None:
        """Give every free actor something to do."""
        for i in range(self._session.n_blocks):
            if i in self._running or not self._waiting:
                continue
            if i not in self._ready:
                starting = {actor for actor, (number, _) in self._running.items() if number is None}
                if len(starting | self._ready) >= self._n:
                    continue
                self._running[i] = None, self._session.begin(i, "prepare", self._setup)
                self._session.bytes_sent += bytes_in(self._setup)
                continue
            arguments = self._job(self._waiting[0])
            if arguments is None:
                self._waiting.clear()
            else:
                call = self._session.begin(i, "search", arguments)
                self._running[i] = self._waiting.popleft(), call

    def _answer(self, i: int, number: int | None, call: Any) -> Any:
        """What an actor answered; None if it only got ready, or was lost."""
        try:
            answer = unpack_answer(call.result())
        except self._session.errors:
            self._lose(i, number)
            return None
        if number is None:
            self._ready.add(i)
        return answer

    def _lose(self, i: int, number: int | None) -> None:
        """Make an actor again that was lost; its job waits for the next one that is free."""
        self._ready.discard(i)
        if number is not None:
            self._waiting.appendleft(number)
        self._session.make_again([i])
