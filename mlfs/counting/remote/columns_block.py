"""All rows of the columns, of which each holder has some: columns go round, finished sums return.

A question about an anchor goes to all holders, with the anchor's column for those that lack it, and
each answers for its own columns. The labels are here and with every holder.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mlfs.counting.anchor import Anchor, BlockAnchor, ColumnAnchor
from mlfs.counting.blocks import Block
from mlfs.counting.codes import Codes
from mlfs.counting.label_columns import LabelColumns
from mlfs.counting.remote.session import Sent, Session
from mlfs.counting.remote.slim_columns import SlimColumn
from mlfs.counting.remote.wire import bytes_in
from mlfs.counting.row_subsets import RowSubset
from mlfs.errors import UsageError

__all__ = ["ColumnRef", "ColumnsBlock", "RemoteColumn", "sent_anchor"]

AHEAD = 32 << 20  # bytes of answers that may be asked for before they are needed
KEPT = 8  # columns that were asked for
SENT = 3  # columns that holders are known to have


class ColumnRef(NamedTuple):
    """An anchor in a question: "feature", "label", or "sent" with the token of its column."""

    what: str
    j: int
    token: str
    valid: int


def sent_anchor(codes: Codes, valid: int, weights: np.ndarray | None) -> BlockAnchor:
    """A table of one column as an anchor."""
    n = codes.counts if weights is None else codes.weighted_counts(weights)
    return BlockAnchor(codes, 0, valid, n)


class RemoteColumn(BlockAnchor):
    """A feature or a label as an anchor; its codes are looked for when they are needed.

    Parameters
    ----------
    ref : ColumnRef
        What it is called in questions.
    mode, levels, n
        As for `Anchor`.
    where : callable
        Gives a table and the place of the column in it.
    n_rows : int
        The number of rows.
    slim : callable
        Gives the column as it is sent.
    """

    def __init__(
        self,
        ref: ColumnRef,
        mode: int,
        levels: int,
        n: np.ndarray,
        where: Callable[[], tuple[Codes, int]],
        n_rows: int,
        slim: Callable[[], SlimColumn],
    ) -> None:
        Anchor.__init__(self, mode, levels, ref.valid, n)
        self.ref, self.slim, self._where = ref, slim, where
        self._n_rows, self._kept = n_rows, None

    def __getattr__(self, name: str) -> Any:
        if name not in {"_table", "_j", "_packed"}:
            raise AttributeError(name)
        self._table, self._j = self._where()
        self._packed = self._table.is_packed(self._j)
        return vars(self)[name]

    @property
    def nbytes(self) -> int:
        """The memory that it takes; the column is kept elsewhere."""
        return super().nbytes if "_table" in vars(self) else 0


class _SentColumn(ColumnAnchor):
    """An anchor that is given in full, and sent."""

    ref: ColumnRef

    def slim(self) -> SlimColumn:
        """The column as it is sent."""
        return SlimColumn.of_anchor(self, self._n_rows)


class _Labels(LabelColumns):
    """The labels, which are here and with every holder."""

    def anchor(self, j: int, valid: int) -> RemoteColumn:
        """One label, to be counted with all features."""
        y, n = self.codes, self.n[self.offsets[j] : self.offsets[j + 1]]
        mode, levels = int(y.mode[j]), int(y.levels[j])
        ref = ColumnRef("label", int(j), "", int(valid))
        return RemoteColumn(
            ref, mode, levels, n, lambda: (y, j), y.n_rows, lambda: SlimColumn.of(y, j)
        )

    def co_occurrences(self, anchor: BlockAnchor) -> np.ndarray:
        """The rows of each cell of an anchor with each label; swept, if the anchor has planes."""
        if anchor._packed:  # noqa: SLF001  # of this package
            _ = self._all_planes  # made, so that they are swept
        return super().co_occurrences(anchor)


@dataclass
class _LastQuestions:
    """The questions about the last anchor of a kind, which the next one is asked at once."""

    ref: ColumnRef | None = None
    questions: dict[Any, tuple[str, tuple[Any, ...]]] = field(default_factory=dict)
    answers: dict[Any, list[Any]] = field(default_factory=dict)  # those nobody asked for yet
    size: int = 0  # bytes of all answers


class ColumnsBlock:
    """What `Counts` needs of the rows, where holders have all rows of some columns each.

    Parameters
    ----------
    session : Session
        The holders; its edges are the first column of each.
    features : Codes or RemoteCodes
        The columns that are counted, or what is known of them here.
    n : ndarray
        How often each of their codes occurs, with the weights of the rows.
    label_codes : Codes
        The labels.
    weights : ndarray of int, or None
        The weights of all rows; None where each counts once.
    """

    kept: np.ndarray | None = None

    def __init__(
        self,
        session: Session,
        features: Any,
        n: np.ndarray,
        label_codes: Codes,
        weights: np.ndarray | None,
    ) -> None:
        if not isinstance(features, Codes):
            features = copy.copy(features)
            features.column = lambda j: self.column(j).codes().column(0)
        self.session, self.features, self.n, self.label_codes = session, features, n, label_codes
        self.n_rows, self.non_mode = features.n_rows, features.non_mode
        self.counts_rows = weights is None or bool((weights == 1).all())
        self.weights = np.ones(self.n_rows, np.int64) if weights is None else weights
        self.total = self.n_rows if self.counts_rows else int(self.weights.sum())
        self.labels = self._labels_of(label_codes)
        self.view, self._needs = "", dict[str, Sent]()
        self._columns: OrderedDict[int, SlimColumn] = OrderedDict()
        self._last: dict[str, _LastQuestions] = {}
        self._sent: list[str] = []

    def _labels_of(self, codes: Codes) -> _Labels:
        return _Labels(codes, self.weights, codes.weighted_counts(self.weights))

    # ---- what `Block` offers ------------------------------------------------------------------

    def group(self, first: int, last: int, kind: int) -> None:
        """Give no group: the holders have the columns, and are asked for sums."""

    def anchor(self, j: int, valid: int) -> RemoteColumn:
        """A feature, to be counted with all features."""
        codes, offsets, j = self.features, self.features.offsets, int(j)
        mode, levels = int(codes.mode[j]), int(codes.levels[j])
        n = self.n[offsets[j] : offsets[j + 1]]
        ref = ColumnRef("feature", j, f"column-{j}", int(valid))

        def where() -> tuple[Codes, int]:
            return (codes, j) if isinstance(codes, Codes) else (self.column(j).codes(), 0)

        return RemoteColumn(ref, mode, levels, n, where, self.n_rows, lambda: self.column(j))

    def other_anchor(self, codes: np.ndarray, mode: int, levels: int, valid: int) -> _SentColumn:
        """Any coded column, whose codes are sent."""
        n = np.zeros(levels, np.int64)
        np.add.at(n, codes, self.weights)  # np.bincount would round above 2**53
        anchor = _SentColumn(codes, mode, levels, valid, n)
        anchor.ref = ColumnRef("sent", -1, Sent(lambda *_: None).token, int(valid))
        return anchor

    def with_labels(self, codes: Codes) -> ColumnsBlock:
        """The same features with other labels, which are sent."""
        sent, other = Sent(lambda *_: codes), copy.copy(self)
        other.label_codes, other.labels = codes, self._labels_of(codes)
        other.view, other._needs, other._last = sent.token, {sent.token: sent}, {}  # noqa: SLF001
        return other

    def among_labels(self) -> Block:
        """The labels in the place of the features, counted here."""
        weights = None if self.counts_rows else self.weights
        return Block(self.label_codes, self.label_codes, weights)

    def among_rows(self, subset: RowSubset) -> Any:
        """Refuse, with what to do."""
        del subset
        msg = "some of the rows cannot be counted on a cluster: leave cluster out"
        raise UsageError(msg)

    def release(self) -> None:
        """Let the holders go."""
        self.session.close()

    # ---- asking -------------------------------------------------------------------------------

    def column(self, j: int) -> SlimColumn:
        """A feature as it is sent: of the columns here, or asked of its holder."""
        if j in self._columns:
            self._columns.move_to_end(j)
            return self._columns[j]
        if isinstance(self.features, Codes):
            column = SlimColumn.of(self.features, j)
        else:
            (column,) = self.session.ask_each("slim_column", {self._owner(j): (j,)}, {})
        self._columns[j] = column
        while len(self._columns) > KEPT:
            self._columns.popitem(last=False)
        return column

    def _owner(self, j: int) -> int:
        return int(np.searchsorted(self.session.edges, j, side="right")) - 1

    def ask(self, question: str, *args: Any) -> np.ndarray:
        """What all holders answer to a question about their columns, side by side."""
        arguments = dict.fromkeys(range(self.session.n_blocks), (self.view, *args))
        return np.concatenate(self.session.ask_each(question, arguments, self._needs), axis=-1)

    def ask_given(self, picks: Sequence[int], *args: Any) -> np.ndarray:
        """What all holders answer about their columns where some features are given jointly."""
        needs = {f"column-{j}": Sent(lambda *_, j=j: self.column(j)) for j in picks}
        last = picks[-1]
        columns = self._with_column(f"column-{last}", self._owner(last), lambda: self.column(last))
        arguments = {i: (self.view, column, picks, *args) for i, column in columns.items()}
        answers = self.session.ask_each("given_all", arguments, {**self._needs, **needs})
        return np.concatenate(answers, axis=-1)

    def _with_column(
        self, token: str, owner: int, slim: Callable[[], SlimColumn]
    ) -> dict[int, SlimColumn | None]:
        """The column to send to each holder; None to its owner, and where it was sent before."""
        is_there = token in self._sent
        column = None if is_there else slim()
        if not is_there:
            self._sent = [*self._sent, token][-SENT:]
        return {i: None if i == owner else column for i in range(self.session.n_blocks)}

    def about(self, anchor: Any, question: str, *args: Any) -> list[Any]:
        """What all holders answer about an anchor and their columns.

        What was asked about the last anchor is asked about this one at once, as far as the answers
        take little room.
        """
        key = question, *(arg.tobytes() if isinstance(arg, np.ndarray) else arg for arg in args)
        last = self._last.setdefault(anchor.ref.what, _LastQuestions())
        questions = {key: (question, args)}
        if last.ref != anchor.ref:
            if last.size <= AHEAD:
                questions = {**last.questions, **questions}
            self._last[anchor.ref.what] = last = _LastQuestions(anchor.ref)
        if key not in last.answers:
            new_answers = self._ask_about(anchor, list(questions.values()))
            last.answers |= dict(zip(questions, new_answers, strict=True))
        last.questions[key] = question, args
        answers = last.answers.pop(key)
        last.size += bytes_in(answers)
        return answers

    def _ask_about(self, anchor: Any, questions: list[Any]) -> list[list[Any]]:
        """The answers of all holders to each question."""
        ref, needs = anchor.ref, dict(self._needs)
        columns: dict[int, Any] = dict.fromkeys(range(self.session.n_blocks))
        if ref.what != "label":
            needs[ref.token] = Sent(lambda *_: anchor.slim())
            owner = self._owner(ref.j) if ref.what == "feature" else -1
            columns = self._with_column(ref.token, owner, anchor.slim)
        plain = self.view, ref, None, questions
        arguments = {
            i: plain if column is None else (self.view, ref, column, questions)
            for i, column in columns.items()
        }
        answers = self.session.ask_each("about", arguments, needs)
        return [list(parts) for parts in zip(*answers, strict=True)]
