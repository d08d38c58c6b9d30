"""The side of remote counting that has the rows: it answers questions about one block of them."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from mlfs.counting.anchor import BlockAnchor
from mlfs.counting.blocks import Block
from mlfs.counting.column_groups import list_cells
from mlfs.counting.remote.subset_sweeps import SubsetSweeps
from mlfs.counting.remote.wire import PackedCounts, pack_counts

__all__ = ["AnchorName", "Answering", "GroupName", "Holder", "UnknownToken", "View"]

KEPT = 6  # values that were sent, and views, beside the block itself
View = tuple[Any, ...]  # how a view is made from the block: steps, each a tuple


class UnknownToken(LookupError):
    """The token of what a question needs: it was never sent here, or is no longer kept."""


class GroupName(NamedTuple):
    """Neighbouring columns of a view."""

    view: View
    first: int
    last: int
    kind: int


class AnchorName(NamedTuple):
    """A column of a view: "feature", "label", or "sent" with the token of its codes."""

    view: View
    what: str
    j: Any
    valid: int
    mode: int = 0
    levels: int = 0


class Answering:
    """Answers questions by its methods ``answer_*``; keeps a few values that questions name."""

    def __init__(self) -> None:
        self._sent: OrderedDict[str, Any] = OrderedDict()

    def answer(self, question: str, args: tuple[Any, ...]) -> Any:
        """The answer to a question."""
        return getattr(self, "answer_" + question)(*args)

    def keep(self, token: str, value: Any) -> None:
        """Keep something that questions will name by its token."""
        self._sent[token] = value
        self._sent.move_to_end(token)
        while len(self._sent) > KEPT:
            self._sent.popitem(last=False)

    def _sent_value(self, token: str) -> Any:
        if token not in self._sent:
            raise UnknownToken(token)
        return self._sent[token]


class Holder(Answering):
    """Answers questions about a block of rows.

    Parameters
    ----------
    block : Block
        The block.
    """

    def __init__(self, block: Block) -> None:
        super().__init__()
        self._block = block
        self._views: OrderedDict[View, Block] = OrderedDict()
        self._groups: dict[GroupName, Any] = {}
        self._anchor: tuple[AnchorName, BlockAnchor] | None = None
        self._sweeps: SubsetSweeps | None = None

    # ---- what questions name ------------------------------------------------------------------

    def _view(self, view: View) -> Block:
        if not view:
            return self._block
        if view not in self._views:
            self._views[view] = self._apply_step(self._view(view[:-1]), *view[-1])
            while len(self._views) > KEPT:
                dropped, _ = self._views.popitem(last=False)
                self._groups = {
                    name: group for name, group in self._groups.items() if name.view != dropped
                }
        return self._views[view]

    def _apply_step(self, block: Block, step: str, argument: Any = None) -> Block:
        if step == "take":
            return block.take(np.frombuffer(argument, np.int64))
        if step == "labels":
            return block.among_labels()
        return block.with_labels(self._sent_value(argument))

    def _group(self, name: GroupName) -> Any:
        if name not in self._groups:
            self._groups[name] = self._view(name.view).group(name.first, name.last, name.kind)
        return self._groups[name]

    def _anchor_of(self, name: AnchorName) -> BlockAnchor:
        if self._anchor is None or self._anchor[0] != name:
            block = self._view(name.view)
            anchor: Any
            if name.what == "feature":
                anchor = block.anchor(name.j, name.valid)
            elif name.what == "label":
                anchor = block.labels.anchor(name.j, name.valid)
            else:
                codes = self._sent_value(name.j).astype(np.int64)
                anchor = block.other_anchor(codes, name.mode, name.levels, name.valid)
            self._anchor = name, anchor
        return self._anchor[1]

    # ---- questions ------------------------------------------------------------------------------

    def answer_pairs(
        self,
        groups: list[GroupName],
        anchor: AnchorName,
        view: View,
        triples: list[tuple[int, np.ndarray]],
        with_labels: bool,  # a message has no keywords
    ) -> tuple[list[PackedCounts], PackedCounts | None, list[PackedCounts]]:
        """The co-occurrences of an anchor with some groups.

        Beside them those with the labels of a view, if wanted, and with groups (by their place)
        and labels together.
        """
        s = self._anchor_of(anchor)
        labels, column_groups = self._view(view).labels, [self._group(name) for name in groups]
        pairs = [np.zeros((s.cells, group.cells), group.small) for group in column_groups]
        n_sl = pack_counts(labels.co_occurrences(s)) if with_labels else None
        joint, not_swept = [], {*range(len(groups))}
        for i, indices in triples:
            co = np.zeros((indices.size, s.cells, column_groups[i].cells), column_groups[i].small)
            if i in not_swept:
                column_groups[i].pairs_and_triples(s, labels, indices, pairs[i], co)
                not_swept.remove(i)
            else:
                column_groups[i].triples(s, labels, indices, co)
            joint.append(pack_counts(co))
        for i in not_swept:
            column_groups[i].pairs(s, pairs[i])
        return [pack_counts(co) for co in pairs], n_sl, joint

    def answer_triples(
        self, groups: list[GroupName], anchor: AnchorName, view: View, indices: np.ndarray
    ) -> list[PackedCounts]:
        """The co-occurrences of an anchor, some labels of two levels and some groups."""
        s, labels, answers = self._anchor_of(anchor), self._view(view).labels, []
        for group in map(self._group, groups):
            co = np.zeros((indices.size, s.cells, group.cells), group.small)
            group.triples(s, labels, indices, co)
            answers.append(pack_counts(co))
        return answers

    def answer_triples_of(
        self, name: GroupName, anchor: AnchorName, view: View, label: int
    ) -> PackedCounts:
        """The co-occurrences of an anchor, a group and one label of any levels."""
        s, group, labels = self._anchor_of(anchor), self._group(name), self._view(view).labels
        co = np.zeros((int(labels.levels[label]) - 1, s.cells, group.cells), group.small)
        group.triples_of(s, labels, label, co)
        return pack_counts(co)

    def answer_label_pairs(self, name: GroupName, view: View, indices: np.ndarray) -> PackedCounts:
        """The co-occurrences of a group and some labels of two levels."""
        group = self._group(name)
        co = np.zeros((indices.size, group.cells), group.small)
        group.label_pairs(self._view(view).labels, indices, co)
        return pack_counts(co)

    def answer_labels_with(self, anchor: AnchorName, view: View) -> PackedCounts:
        """The co-occurrences of an anchor and all labels of two levels: (cells, labels)."""
        labels = self._view(view).labels
        return pack_counts(labels.co_occurrences(self._anchor_of(anchor)))

    def answer_label_tables(self, anchor: AnchorName, view: View) -> PackedCounts:
        """n(s, l) for every label, not yet complete."""
        return pack_counts(self._view(view).labels.tables(self._anchor_of(anchor)))

    def answer_n(self) -> np.ndarray:
        """How often each code of each feature occurs."""
        return self._block.n

    def answer_column(self, view: View, j: int) -> np.ndarray:
        """The codes of a feature, in few bytes."""
        codes = self._view(view).features.column(j)
        return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))

    def answer_lists(self, name: GroupName, first: int, last: int) -> Any:
        """Some columns of a group as lists by row."""
        block, a = self._view(name.view), name.first
        return list_cells(block.features, a + first, a + last, block.weights)

    def answer_subset(
        self,
        candidates: np.ndarray,
        anchors: np.ndarray,
        start: np.ndarray,
        labels: np.ndarray | None,
    ) -> Any:
        """The co-occurrences of a few candidates with some anchors, and with labels."""
        if self._sweeps is None:
            self._sweeps = SubsetSweeps(self._block)
        return self._sweeps.counts(candidates, anchors, start, labels)
