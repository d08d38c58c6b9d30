"""Questions to all holders of a table: asked at once, answered in the order of the blocks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from mlfs.counting.remote.wire import bytes_in
from mlfs.errors import plural

__all__ = ["Sent", "Session"]

NUMBERS = itertools.count()


class Sent:
    """Something that has a part for each block of rows, and is sent when it is first needed.

    Parameters
    ----------
    part : callable
        Gives the part of a block by the number of its first row and of the row after its last.
    """

    def __init__(self, part: Callable[[int, int], Any]) -> None:
        self.part, self.token = part, f"sent-{next(NUMBERS)}"


class Session:
    """The holders of the blocks of a table.

    Parameters
    ----------
    n_blocks : int
        Into how many blocks the rows, or the columns, are divided.
    """

    edges: np.ndarray  # where each block begins, and the end of the last
    layout = "rows"  # what is divided: rows or columns

    def __init__(self, n_blocks: int) -> None:
        self.n_blocks = n_blocks
        self.rounds = self.bytes_sent = self.bytes_received = self.lost = self.labels = 0

    def ask(self, question: str, *args: Any, needs: Iterable[Sent] = ()) -> list[Any]:
        """The answers of all holders, in the order of the blocks.

        Parameters
        ----------
        question : str
            A question of `Holder`.
        *args
            What is asked, the same for all.
        needs : iterable of Sent
            What `args` names by its token.
        """
        arguments = dict.fromkeys(range(self.n_blocks), args)
        return self.ask_each(question, arguments, {sent.token: sent for sent in needs})

    def ask_each(
        self, question: str, arguments: Mapping[int, tuple[Any, ...]], needs: Mapping[str, Sent]
    ) -> list[Any]:
        """The answers of some holders, in their order.

        Parameters
        ----------
        question : str
            A question of the holders.
        arguments : mapping
            What each of them is asked, by its number.
        needs : mapping of str to Sent
            What these name, by its token.
        """
        self.rounds += 1
        sizes = {id(args): bytes_in(args) for args in arguments.values()}
        self.bytes_sent += sum(sizes[id(args)] for args in arguments.values())
        answers = self._answers(question, arguments, needs)
        self.bytes_received += bytes_in(answers)
        return answers

    def _answers(
        self, question: str, arguments: Mapping[int, tuple[Any, ...]], needs: Mapping[str, Sent]
    ) -> list[Any]:
        raise NotImplementedError

    def _part(self, sent: Sent, i: int) -> Any:
        part = sent.part(int(self.edges[i]), int(self.edges[i + 1]))
        self.bytes_sent += bytes_in(part)
        return part

    @property
    def progress(self) -> str:
        """How much was asked so far, in a few words."""
        lost = f", {self.lost} lost" if self.lost else ""
        moved = (self.bytes_sent + self.bytes_received) / 1e6
        rounds = plural(self.rounds, "round")
        return f"{plural(self.n_blocks, 'block')}, {rounds}, {moved:,.1f} MB{lost}"

    def report(self) -> str:
        """What went to the holders and came back, in one line."""
        sent, received = self.bytes_sent / 1e6, self.bytes_received / 1e6
        labels = f"{plural(self.labels, 'label')} searched there, " if self.labels else ""
        blocks = f"{plural(self.n_blocks, 'block')} of {self.layout}"
        return (
            f"{blocks} on {plural(self.n_workers, 'worker')}: "
            f"{plural(self.rounds, 'round')} of questions, {labels}"
            f"{sent:,.1f} MB sent, {received:,.1f} MB received, "
            f"{plural(self.lost, 'block')} lost with a worker and made again"
        )

    @property
    def n_workers(self) -> int:
        """On how many workers the blocks are."""
        return self.n_blocks

    def close(self) -> None:
        """Let the holders go."""
