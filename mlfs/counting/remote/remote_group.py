"""A column group whose rows are elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs._kernels.row_walks import Lists
from mlfs.counting.column_groups import ColumnGroup, Kind
from mlfs.counting.entries import edges_of
from mlfs.counting.remote.holder import GroupName
from mlfs.counting.remote.remote_columns import RemoteAnchor, RemoteLabels, ViewState

__all__ = ["RemoteGroup", "stacked"]


class RemoteGroup(ColumnGroup):
    """Neighbouring columns of a view.

    What several groups will be asked one after the other is asked for all of them at once, and
    with an anchor what was asked about labels with the last one, as far as this takes little room.

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
        state, usual = self._state, self._state.usual
        lacking = [at for at, one in enumerate(state.groups) if one[0] not in anchor.pairs]
        if self._bytes(lacking, anchor, 1) > state.ahead:
            lacking = [self._place]
        if usual is not None and (len(lacking) < len(state.groups) or not anchor.cells):
            usual = None
        labels_view = state.view if usual is None else usual.labels.state.view
        asked = [] if usual is None else usual.asked
        own = [(at, some) for at, some, _ in asked]
        named = [state.groups[at][0] for at in lacking]
        needs = (*anchor.needs, *state.needs, *(() if usual is None else usual.labels.state.needs))
        wanted = (named, anchor.name, labels_view, own, usual is not None)
        answers = state.session.ask("pairs", *wanted, needs=needs)
        state.usual = None
        for place, at in enumerate(lacking):
            name, cells, small = state.groups[at]
            shape = anchor.cells, cells
            anchor.pairs[name] = _added(shape, small, [pairs[place] for pairs, _, _ in answers])
        if usual is None:
            return
        shape = anchor.cells, len(usual.labels)
        anchor.labels[labels_view] = _added(shape, np.int64, [n_sl for _, n_sl, _ in answers])
        for place, (at, some, key) in enumerate(asked):
            name, cells, small = state.groups[at]
            shape3 = some.size, anchor.cells, cells
            found = _added(shape3, small, [triples[place] for _, _, triples in answers])
            anchor.triples[name, labels_view, key] = found

    def _bytes(self, places: list[int], anchor: RemoteAnchor, labels: int) -> int:
        cells = sum(self._state.groups[at][1] for at in places)
        return self.small().itemsize * labels * anchor.cells * cells

    # ---- with labels ----------------------------------------------------------------------------

    def label_pairs(self, labels: RemoteLabels, some: np.ndarray, out: np.ndarray) -> None:
        """Add those of all blocks."""
        needs = (*self._state.needs, *labels.state.needs)
        asked = "label_pairs", self.name, labels.state.view, some
        for part in self._state.session.ask(*asked, needs=needs):
            part.add_to(out)

    def triples(
        self, anchor: RemoteAnchor, labels: RemoteLabels, some: np.ndarray, out: np.ndarray
    ) -> None:
        """Add those of all blocks, asked for all groups of the view together."""
        state, key = self._state, some.tobytes()
        state.remember(anchor, labels, self._place, some, key)
        wanted = self.name, labels.state.view, key
        if wanted not in anchor.triples:
            groups = list(range(len(state.groups)))
            if self._bytes(groups, anchor, some.size) > state.ahead:
                groups = [self._place]
            self._fetch_triples(groups, anchor, labels, some)
        out += anchor.triples.pop(wanted)

    def _fetch_triples(
        self, places: list[int], anchor: RemoteAnchor, labels: RemoteLabels, some: np.ndarray
    ) -> None:
        state, view, key = self._state, labels.state.view, some.tobytes()
        needs = (*anchor.needs, *state.needs, *labels.state.needs)
        named = [state.groups[at][0] for at in places]
        answers = state.session.ask("triples", named, anchor.name, view, some, needs=needs)
        for place, at in enumerate(places):
            name, cells, small = state.groups[at]
            shape = some.size, anchor.cells, cells
            found = _added(shape, small, [triples[place] for triples in answers])
            anchor.triples[name, view, key] = found

    def triples_of(
        self, anchor: RemoteAnchor, labels: RemoteLabels, label: int, out: np.ndarray
    ) -> None:
        """Add those of all blocks."""
        needs = (*anchor.needs, *self._state.needs, *labels.state.needs)
        asked = "triples_of", self.name, anchor.name, labels.state.view, label
        for part in self._state.session.ask(*asked, needs=needs):
            part.add_to(out)

    # ---- by row ---------------------------------------------------------------------------------

    def columns_at_once(self, entries: int) -> int:
        """As many as have so many entries on average."""
        own = int(self.n_cells.sum())
        return max(1, min(self.size, entries * self.size // max(1, own)))

    def lists(self, first: int, last: int) -> Lists:
        """The cells by row of all blocks, one below the other."""
        asked = "lists", self.name, first, last
        return stacked(self._state.session.ask(*asked, needs=self._state.needs))


def _added(shape: tuple[int, ...], kind: Any, parts: list[Any]) -> np.ndarray:
    out = np.zeros(shape, kind)
    for part in parts:
        part.add_to(out)
    return out


def stacked(parts: list[Lists]) -> Lists:
    """Lists of blocks of rows, one below the other."""
    begins = edges_of([part.indptr[-1] for part in parts]).tolist()
    ends = [part.indptr[1:] + begin for part, begin in zip(parts, begins, strict=False)]
    return parts[0]._replace(
        indptr=np.concatenate([parts[0].indptr[:1], *ends]),
        cells=np.concatenate([part.cells for part in parts]),
        weights=np.concatenate([part.weights for part in parts]),
    )
