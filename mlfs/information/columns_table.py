"""A table whose columns are elsewhere, some with each holder: it asks for finished sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlfs._kernels import co_sums
from mlfs.counting.anchor import Anchor, PairStatistics
from mlfs.counting.remote.columns_block import ColumnsBlock
from mlfs.counting.xlogx import XLogX
from mlfs.information.joint_picks import JointPicks
from mlfs.information.label_pairs import LabelPairs
from mlfs.information.table import Table
from mlfs.information.triples import Sums, TripleSums

__all__ = ["ColumnsTable"]


class ColumnsTable(Table):
    """Entropies and mutual information of features whose columns other processes hold.

    Its parameters are those of `Table`; the block of its counts is a `ColumnsBlock`. What is known
    of single columns and of labels alone is computed here.
    """

    def __init__(self, counts: Any, *args: Any, **options: Any) -> None:
        super().__init__(counts, *args, **options)
        self.block: ColumnsBlock = counts.blocks[0]
        self.counts_subsets = False
        self.label_pairs = _LabelPairs(self)
        self.triples = _Triples(self)
        self.joint_picks = _JointPicks(self)

    def about(self, pairs: PairStatistics, question: str, *args: Any) -> np.ndarray:
        """What holders answer about an anchor, for all columns."""
        return np.concatenate(self.block.about(pairs.anchor, question, *args), axis=-1)

    def statistics(self, anchor: Anchor, label: int | None = None) -> PairStatistics:
        """The pair statistics of any anchor."""
        del label
        counts, answers = self.counts, self.block.about(anchor, "pairs_of")
        if not (self.f_all_valid and anchor.valid == anchor.levels):
            return PairStatistics(counts, anchor, [], *np.concatenate(answers, axis=-1))
        edges, two_levels = self.block.session.edges.tolist(), counts.levels == 2
        t_fs, dtype = np.empty(self.d, np.int64), np.int32 if counts.total < 1 << 31 else np.int64
        for i, (packed, sums) in enumerate(answers):
            part, is_two = t_fs[edges[i] : edges[i + 1]], two_levels[edges[i] : edges[i + 1]]
            if packed is None:
                part[:] = sums
                continue
            co = np.zeros(int(is_two.sum()), dtype)
            packed.add_to(co)
            columns = np.flatnonzero(is_two) + edges[i]
            n = counts.n_f[counts.offsets[columns] + 1 - counts.modes[columns]].astype(dtype)
            sums_of_two = np.empty(co.size, np.int64)
            co_sums.pairs_of_two(n, co, anchor.non_mode, counts.total, counts.xlogx, sums_of_two)
            part[is_two], part[~is_two] = sums_of_two, sums
        t_s = np.array(counts.anchor_sum(anchor))
        return PairStatistics(counts, anchor, [], self.rows, t_fs, self.t_f, t_s)

    def gini(self, pairs: PairStatistics, labels: np.ndarray) -> np.ndarray:
        """sum_l G(f,s;l)."""
        return self.about(pairs, "gini", labels)

    def sums_with(self, anchor: Anchor, function: Callable[[], XLogX], labels: np.ndarray) -> Any:
        """The sums over n(f,s) of a function of counts; holders make it from the labels."""
        del function
        return np.concatenate(self.block.about(anchor, "expected_sums", labels), axis=-1)

    def shuffled(self, generator: np.random.Generator) -> Table:
        """The same features with the rows of labels shuffled, to be used once."""
        return ColumnsTable(
            self.counts.shuffled(generator),
            self.q,
            self.mask_of,
            ignore_missing=self.ignore_missing,
            positions=self.positions,
            budget=self.budget,
        )


class _LabelPairs(LabelPairs):
    _table: ColumnsTable
    _all_sums: np.ndarray | None = None

    def sums(self, label: int) -> np.ndarray:
        """The sums of c log c over n(f,l) of every feature; those of all labels are kept."""
        table, n = self._table, len(self._counts.labels)
        if 8 * n * table.d > table.budget.kept:
            return super().sums(label)
        if self._all_sums is None:
            self._all_sums = table.block.ask("label_sums", np.arange(n), True)
        t_fl: np.ndarray = self._all_sums[label]
        return t_fl

    def _add_up(self, labels: np.ndarray) -> np.ndarray:
        return self._table.block.ask("label_sums", labels, False)[0]


class _Triples(TripleSums):
    table: ColumnsTable

    def cmi_sums(self, pairs: PairStatistics, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """sum_l I(s;l|f) and sum_l I(f;l|s)."""
        if self.table.all_valid(labels, pairs.anchor):
            return super().cmi_sums(pairs, labels)
        self.counted += self.table.d * labels.size
        sl_given_f, fl_given_s = self.table.about(pairs, "conditional", labels)
        return sl_given_f, fl_given_s

    def sums(self, pairs: PairStatistics, labels: np.ndarray) -> Sums:
        """All sums, for all features and some labels."""
        if self.table.all_valid(labels, pairs.anchor):
            return super().sums(pairs, labels)
        self.counted += self.table.d * labels.size
        return Sums(*self.table.about(pairs, "sums", labels))

    def _joint(self, pairs: PairStatistics, labels: np.ndarray, out: np.ndarray) -> None:
        self.counted += self.table.d * labels.size
        out += self.table.about(pairs, "joint", labels, out.shape[0] > 1)


class _JointPicks(JointPicks):
    _table: ColumnsTable

    def cmi_given_all(self, picks: Sequence[int], labels: np.ndarray) -> np.ndarray:
        """sum_l I(f;l|S) for picks at counted positions, in the order of the picks."""
        positions = tuple(int(position) for position in picks)
        valid = tuple(self._table.f_valid[list(positions)].tolist())
        return self._table.block.ask_given(positions, valid, labels)
