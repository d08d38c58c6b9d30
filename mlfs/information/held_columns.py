"""The side of remote counting that has all rows of some columns: it answers with finished sums."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mlfs.counting.anchor import PairStatistics
from mlfs.counting.blocks import Block
from mlfs.counting.column_groups import Kind
from mlfs.counting.counts import Counts
from mlfs.counting.memory import Budget
from mlfs.counting.remote.columns_block import ColumnRef, sent_anchor
from mlfs.counting.remote.holder import Answering
from mlfs.counting.remote.slim_columns import SlimColumn
from mlfs.counting.remote.wire import PackedCounts, pack_counts
from mlfs.information.adjusted import Expected
from mlfs.information.joint_picks import JointPicks
from mlfs.information.table import Table

__all__ = ["ColumnsSetup", "HeldColumns"]

KEPT = 6  # anchors with their statistics
TWO = (Kind.BINARY_LISTS, Kind.BINARY_PLANES)


class ColumnsSetup(NamedTuple):
    """What a holder needs to know beside its columns.

    Parameters
    ----------
    first : int
        Its first column.
    kind : ndarray
        The kind of each of its columns.
    per_cell : float
        What each count is corrected by.
    q, mask_of, ignore_missing
        As for `Table`.
    f_all_valid : bool
        Whether nothing is left out of any column, also of those of other holders.
    """

    first: int
    kind: np.ndarray
    per_cell: float
    q: int
    mask_of: np.ndarray
    ignore_missing: bool
    f_all_valid: bool


class HeldColumns(Answering):
    """Answers questions about some columns, of which it has all rows.

    Parameters
    ----------
    block : Block
        The columns.
    setup : ColumnsSetup
        What is known of them.
    budget : Budget
        The memory that it may take.
    """

    def __init__(self, block: Block, setup: ColumnsSetup, budget: Budget) -> None:
        super().__init__()
        counts = Counts([block], setup.kind, per_cell=setup.per_cell)
        self._block, self._first = block, setup.first
        self._table = Table(
            counts, setup.q, setup.mask_of, ignore_missing=setup.ignore_missing, budget=budget
        )
        self._table.f_all_valid = setup.f_all_valid
        self._table.joint_picks = _HeldPicks(self, self._table)
        self._relabelled: tuple[str, Table] | None = None
        self._pairs: OrderedDict[Any, PairStatistics] = OrderedDict()
        self._expected: Expected | None = None
        self.valid: dict[int, int] = {}

    def keep(self, token: str, value: Any) -> None:
        """Keep a column, or labels, that questions will name by its token."""
        super().keep(token, value.codes() if isinstance(value, SlimColumn) else value)

    # ---- what questions name --------------------------------------------------------------------

    def _view(self, view: str) -> Table:
        if not view:
            return self._table
        if self._relabelled is None or self._relabelled[0] != view:
            full = self._table
            table = Table(
                full.counts.with_labels(self._sent_value(view)),
                full.q,
                full.mask_of,
                ignore_missing=full.ignore_missing,
                budget=replace(full.budget, cache=0),
            )
            table.f_all_valid, table.joint_picks = full.f_all_valid, _HeldPicks(self, table)
            self._relabelled = view, table
        return self._relabelled[1]

    def _position(self, j: int) -> int | None:
        """The position of a column here by its number; None for one of another holder."""
        position = j - self._first
        return position if 0 <= position < self._table.d else None

    def _anchor(self, ref: ColumnRef, table: Table) -> Any:
        if ref.what == "label":
            return table.counts.labels.anchor(ref.j, ref.valid)
        position = self._position(ref.j) if ref.what == "feature" else None
        if position is not None:
            return table.counts.feature(position, ref.valid)
        weights = None if self._block.counts_rows else self._block.weights
        return sent_anchor(self._sent_value(ref.token), ref.valid, weights)

    def codes_of(self, j: int) -> np.ndarray:
        """A column in full, by its number."""
        position = self._position(j)
        return (
            self._sent_value(f"column-{j}").column(0)
            if position is None
            else self._table.counts.column(position)
        )

    # ---- questions ------------------------------------------------------------------------------

    def answer_n(self) -> np.ndarray:
        """How often each code of each column occurs."""
        return self._block.n

    def answer_slim_column(self, j: int) -> SlimColumn:
        """A column, in few bytes."""
        position = self._position(j)
        assert position is not None
        return SlimColumn.of(self._block.features, position)

    def answer_label_sums(self, view: str, labels: np.ndarray, per_label: bool) -> np.ndarray:
        """The sums of c log c over n(f,l) of every column, of each label or added over them."""
        pairs = self._view(view).label_pairs
        if per_label:
            return np.stack([pairs.sums(label) for label in labels.tolist()])
        return pairs.added_sums(labels)[None]

    def answer_given_all(
        self,
        view: str,
        column: SlimColumn | None,
        picks: Sequence[int],
        valid: Sequence[int],
        labels: np.ndarray,
    ) -> np.ndarray:
        """sum_l I(f;l|S) for all picks of S jointly, with the number of codes that count of each.

        The column of the last pick may have been sent along.
        """
        if column is not None:
            self.keep(f"column-{picks[-1]}", column)
        self.valid |= dict(zip(picks, valid, strict=True))
        return self._view(view).joint_picks.cmi_given_all(picks, labels)

    def answer_about(
        self, view: str, ref: ColumnRef, column: SlimColumn | None, questions: Sequence[Any]
    ) -> list[Any]:
        """The answers to some questions about an anchor, whose column may have been sent along."""
        if column is not None:
            self.keep(ref.token, column)
        table, key = self._view(view), (view, ref)
        pairs = self._pairs.get(key)
        if pairs is None:
            pairs = self._pairs[key] = table.statistics(self._anchor(ref, table))
            while len(self._pairs) > KEPT:
                self._pairs.popitem(last=False)
        return [getattr(self, "_" + name)(table, pairs, *args) for name, args in questions]

    def _pairs_of(self, table: Table, pairs: PairStatistics) -> Any:
        anchor, counts = pairs.anchor, table.counts
        if not (table.f_all_valid and anchor.valid == anchor.levels):
            return np.stack([pairs.rows, pairs.t_fs, pairs.t_f, pairs.t_s])
        if anchor.levels != 2:
            return None, pairs.t_fs
        groups = list(enumerate(zip(counts.edges, counts.kinds, strict=True)))
        co = [pairs.co(i)[0] for i, (_, kind) in groups if kind in TWO]
        sums = [pairs.t_fs[a:b] for _, ((a, b), kind) in groups if kind not in TWO]
        empty = np.zeros(0, np.int64)
        packed: PackedCounts = pack_counts(np.concatenate([empty, *co]))
        return packed, np.concatenate([empty, *sums])

    def _joint(self, table: Table, pairs: Any, labels: np.ndarray, per_label: bool) -> np.ndarray:
        if per_label:
            return table.triples.sums_of_each(pairs, labels)
        return table.triples.joint_sums(pairs, labels)[None]

    def _conditional(self, table: Table, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
        return np.stack(table.triples.cmi_sums(pairs, labels))

    def _sums(self, table: Table, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
        return np.stack(table.triples.sums(pairs, labels))

    def _gini(self, table: Table, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
        return table.gini(pairs, labels)

    def _expected_sums(self, table: Table, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
        if self._expected is None:
            self._expected = Expected(table)
        expected = self._expected
        sums: np.ndarray = table.sums_with(pairs.anchor, lambda: expected.function(labels), labels)
        return sums


class _HeldPicks(JointPicks):
    """Picks that any holder may have."""

    def __init__(self, held: HeldColumns, table: Table) -> None:
        super().__init__(table)
        self._held = held

    def _codes(self, position: int) -> np.ndarray:
        return self._held.codes_of(position)

    def _valid(self, position: int) -> int:
        return self._held.valid[position]
