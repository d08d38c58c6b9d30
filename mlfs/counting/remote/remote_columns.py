"""What is known here of columns that are elsewhere: their levels and counts, and how to ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from mlfs.counting.anchor import Anchor
from mlfs.counting.entries import edges_of, take_ragged
from mlfs.counting.label_columns import Labels
from mlfs.counting.remote.holder import AnchorName, GroupName, View
from mlfs.counting.remote.session import Sent, Session

__all__ = ["LastQuestions", "RemoteAnchor", "RemoteCodes", "RemoteLabels", "ViewState"]

AHEAD = 32 << 20  # bytes of counts that may be asked for before they are needed


@dataclass
class LastQuestions:
    """The questions about labels with the last anchor, which the next one is asked at once.

    Parameters
    ----------
    anchor : RemoteAnchor
        The anchor.
    labels : RemoteLabels
        The labels.
    questions : list of (int, ndarray, bytes)
        The groups, by place, each with some labels, and these as bytes.
    """

    anchor: RemoteAnchor
    labels: RemoteLabels
    questions: list[tuple[int, np.ndarray, bytes]] = field(default_factory=list)


@dataclass
class ViewState:
    """A view on the blocks: what its block, groups and labels share.

    Parameters
    ----------
    session : Session
        The holders.
    view : tuple
        The steps by which the view is made.
    needs : tuple of Sent
        What these steps name.
    groups : list of (GroupName, int, type)
        The groups of columns that were made of it, with their cells and the type of their counts.
    last : LastQuestions, optional
        The questions about labels with the last anchor.
    ahead : int
        The bytes of counts that may be asked for before they are needed.
    """

    session: Session
    view: View = ()
    needs: tuple[Sent, ...] = ()
    groups: list[tuple[GroupName, int, Any]] = field(default_factory=list)
    last: LastQuestions | None = None
    ahead: int = AHEAD

    def with_step(self, *step: Any, needs: tuple[Sent, ...] = ()) -> ViewState:
        """A view made from this one by another step."""
        view = (*self.view, step)
        return ViewState(self.session, view, (*self.needs, *needs), ahead=self.ahead)

    def remember(
        self,
        anchor: RemoteAnchor,
        labels: RemoteLabels,
        place: int,
        indices: np.ndarray,
        key: bytes,
    ) -> None:
        """Note what was asked about labels, while all of it takes little room."""
        if self.last is None or self.last.anchor is not anchor:
            self.last = LastQuestions(anchor, labels)
        questions = [*self.last.questions, (place, indices, key)]
        room = sum(
            4 * indices.size * anchor.cells * self.groups[group][1]
            for group, indices, _ in questions
        )
        if labels is self.last.labels and room <= self.ahead:
            self.last.questions = questions


class RemoteCodes:
    """Coded columns that are elsewhere.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    mode, levels, missing : ndarray
        As for `Codes`.
    counts : ndarray
        How often each code of each column occurs, ragged; rows count once.
    column : callable
        Gives the codes of a column by its number.
    """

    packed = None

    def __init__(
        self,
        n_rows: int,
        mode: np.ndarray,
        levels: np.ndarray,
        missing: np.ndarray,
        counts: np.ndarray,
        column: Callable[[int], np.ndarray],
    ) -> None:
        self.n_rows, self.mode, self.levels, self.missing = n_rows, mode, levels, missing
        self.counts, self.column = counts, column

    def __len__(self) -> int:
        return int(self.mode.size)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where the codes of each column begin in ragged arrays."""
        return edges_of(self.levels)

    @cached_property
    def non_mode(self) -> np.ndarray:
        """The number of rows in which each column is not at its mode."""
        return np.asarray(self.n_rows - self.counts[self.offsets[:-1] + self.mode])

    @property
    def n_entries(self) -> int:
        """The number of cells that are not at the mode of their column."""
        return int(self.non_mode.sum())

    def take(self, columns: np.ndarray) -> RemoteCodes:
        """Some columns, in the order given."""
        return RemoteCodes(
            self.n_rows,
            self.mode[columns],
            self.levels[columns],
            self.missing[columns],
            take_ragged(self.counts, self.offsets, self.levels, columns),
            lambda j: self.column(int(columns[j])),
        )


class RemoteAnchor(Anchor):
    """An anchor that the holders have.

    Parameters
    ----------
    name : AnchorName
        What it is called in questions.
    mode, levels, valid, n
        As for `Anchor`.
    needs : tuple of Sent
        What its name names.
    """

    def __init__(
        self,
        name: AnchorName,
        mode: int,
        levels: int,
        valid: int,
        n: np.ndarray,
        needs: tuple[Sent, ...] = (),
    ) -> None:
        super().__init__(mode, levels, valid, n)
        self.name, self.needs = name, needs
        self.pairs: dict[GroupName, np.ndarray] = {}
        self.triples: dict[tuple[GroupName, View, bytes], np.ndarray] = {}
        self.labels: dict[View, np.ndarray] = {}  # the co-occurrences with the labels of a view

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return sum(part.nbytes for part in self.pairs.values())


class RemoteLabels(Labels):
    """The labels of a view.

    Parameters
    ----------
    state : ViewState
        The view.
    levels, modes, n
        As for `Labels`.
    """

    def __init__(
        self, state: ViewState, levels: np.ndarray, modes: np.ndarray, n: np.ndarray
    ) -> None:
        super().__init__(levels, modes, n)
        self.state = state

    def limit_masks(self, most: int) -> None:
        """Ask for fewer counts before they are needed."""
        self.state.ahead = min(self.state.ahead, most // 2)

    def anchor(self, j: int, valid: int) -> RemoteAnchor:
        """One label, to be counted with all features."""
        state, n = self.state, self.n[self.offsets[j] : self.offsets[j + 1]]
        name = AnchorName(state.view, "label", j, valid)
        return RemoteAnchor(name, int(self.modes[j]), int(self.levels[j]), valid, n, state.needs)

    def co_occurrences(self, anchor: RemoteAnchor) -> np.ndarray:
        """The rows of each cell of an anchor with each label."""
        co = anchor.labels.pop(self.state.view, None)
        if co is None:
            co = np.zeros((anchor.cells, len(self)), np.int64)
            self._ask("labels_with", anchor, co)
        return co

    def tables(self, anchor: RemoteAnchor) -> np.ndarray:
        """n(s, l) for every label, not yet complete: 0 where the label is at its mode."""
        out = np.zeros((len(self), anchor.levels, int(self.levels.max(initial=1))), np.int64)
        self._ask("label_tables", anchor, out)
        return out

    def _ask(self, question: str, anchor: RemoteAnchor, out: np.ndarray) -> None:
        needs = (*anchor.needs, *self.state.needs)
        for part in self.state.session.ask(question, anchor.name, self.state.view, needs=needs):
            part.add_to(out)
