"""A column group whose rows are elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.row_walks import Lists
from mlfs.counting.added import stack_lists
from mlfs.counting.column_groups import ColumnGroup, Kind
from mlfs.counting.remote.holder import GroupName
from mlfs.counting.remote.remote_columns import RemoteAnchor, RemoteLabels, ViewState

__all__ = ["RemoteGroup"]


class RemoteGroup(ColumnGroup):
    """Neighbouring columns of a view.

    A question that several groups would ask one after the other is asked for all of them at once.
    The questions about labels with the last anchor are asked with the pairs of the next one, as
    far as the answers take little room.

    Parameters
    ----------
    state : ViewState
        The view.
    name : GroupName
        What it is called in questions.
    levels, modes, n, total
        As for `ColumnGroup`.
    """

    def __init__(
        self,
        state: ViewState,
        name: GroupName,
        levels: np.ndarray,
        modes: np.ndarray,
        n: np.ndarray,
        total: int,
    ) -> None:
        super().__init__(levels, modes, n, total)
        self._state, self.name, self._place = state, name, len(state.groups)
        state.groups.append((name, self.cells, self.small))

    # ---- pairs --------------------------------------------------------------------------------

    def pairs(self, anchor: RemoteAnchor, out: np.ndarray) -> None:
        """Add those of all blocks, asked for all groups of the view together."""
        if self.name not in anchor.pairs:
            self._fetch(anchor)
        keeps = self.name.kind == Kind.LISTS  # `PairStatistics` asks for these again
        out += anchor.pairs[self.name] if keeps else anchor.pairs.pop(self.name)

    def _fetch(self, anchor: RemoteAnchor) -> None:
        state, last = self._state, self._state.last
        lacking = [i for i, (name, *_) in enumerate(state.groups) if name not in anchor.pairs]
        if self._bytes(lacking, anchor, 1) > state.ahead:
            lacking = [self._place]
        if last is not None and (len(lacking) < len(state.groups) or not anchor.cells):
            last = None
        labels_view = state.view if last is None else last.labels.state.view
        questions = [] if last is None else last.questions
        triples = [(group, indices) for group, indices, _ in questions]
        names = [state.groups[group][0] for group in lacking]
        needs = (*anchor.needs, *state.needs, *(() if last is None else last.labels.state.needs))
        with_labels = last is not None
        answers = state.session.ask(
            "pairs", names, anchor.name, labels_view, triples, with_labels, needs=needs
        )
        state.last = None
        for i, group in enumerate(lacking):
            name, cells, small = state.groups[group]
            shape = anchor.cells, cells
            anchor.pairs[name] = _added(shape, small, [pairs[i] for pairs, _, _ in answers])
        if last is None:
            return
        shape = anchor.cells, len(last.labels)
        anchor.labels[labels_view] = _added(shape, np.int64, [n_sl for _, n_sl, _ in answers])
        for i, (group, indices, key) in enumerate(questions):
            name, cells, small = state.groups[group]
            shape3 = indices.size, anchor.cells, cells
            co = _added(shape3, small, [triples[i] for _, _, triples in answers])
            anchor.triples[name, labels_view, key] = co

    def _bytes(self, places: list[int], anchor: RemoteAnchor, labels: int) -> int:
        cells = sum(self._state.groups[place][1] for place in places)
        return self.small().itemsize * labels * anchor.cells * cells

    # ---- with labels ----------------------------------------------------------------------------

    def label_pairs(self, labels: RemoteLabels, indices: np.ndarray, out: np.ndarray) -> None:
        """Add those of all blocks."""
        needs = (*self._state.needs, *labels.state.needs)
        view, ask = labels.state.view, self._state.session.ask
        for part in ask("label_pairs", self.name, view, indices, needs=needs):
            part.add_to(out)

    def triples(
        self, anchor: RemoteAnchor, labels: RemoteLabels, indices: np.ndarray, out: np.ndarray
    ) -> None:
        """Add those of all blocks, asked for all groups of the view together."""
        state, index_bytes = self._state, indices.tobytes()
        state.remember(anchor, labels, self._place, indices, index_bytes)
        key = self.name, labels.state.view, index_bytes
        if key not in anchor.triples:
            places = list(range(len(state.groups)))
            if self._bytes(places, anchor, indices.size) > state.ahead:
                places = [self._place]
            self._fetch_triples(places, anchor, labels, indices)
        out += anchor.triples.pop(key)

    def _fetch_triples(
        self, places: list[int], anchor: RemoteAnchor, labels: RemoteLabels, indices: np.ndarray
    ) -> None:
        state, view, key = self._state, labels.state.view, indices.tobytes()
        needs = (*anchor.needs, *state.needs, *labels.state.needs)
        named = [state.groups[group][0] for group in places]
        answers = state.session.ask("triples", named, anchor.name, view, indices, needs=needs)
        for i, group in enumerate(places):
            name, cells, small = state.groups[group]
            shape = indices.size, anchor.cells, cells
            co = _added(shape, small, [triples[i] for triples in answers])
            anchor.triples[name, view, key] = co

    def triples_of(
        self, anchor: RemoteAnchor, labels: RemoteLabels, label: int, out: np.ndarray
    ) -> None:
        """Add those of all blocks."""
        needs = (*anchor.needs, *self._state.needs, *labels.state.needs)
        view, ask = labels.state.view, self._state.session.ask
        for part in ask("triples_of", self.name, anchor.name, view, label, needs=needs):
            part.add_to(out)

    # ---- by row ---------------------------------------------------------------------------------

    def columns_at_once(self, entries: int) -> int:
        """As many as have so many entries on average."""
        n_entries = int(self.n_cells.sum())
        return max(1, min(self.size, entries * self.size // max(1, n_entries)))

    def lists(self, first: int, last: int) -> Lists:
        """The cells by row of all blocks, one below the other."""
        ask, needs = self._state.session.ask, self._state.needs
        return stack_lists(ask("lists", self.name, first, last, needs=needs))


def _added(shape: tuple[int, ...], dtype: Any, parts: list[Any]) -> np.ndarray:
    out = np.zeros(shape, dtype)
    for part in parts:
        part.add_to(out)
    return out
