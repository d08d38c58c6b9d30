"""Exact information, from the counts of coded columns: the implementation of `Info`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from mlfs.counting.anchor import PairStatistics
from mlfs.counting.codes import Codes
from mlfs.counting.counts import Counts
from mlfs.counting.label_columns import with_masks
from mlfs.counting.xlogx import entropies, per_row, wrap_int64
from mlfs.errors import CriterionError, DataError
from mlfs.information.imbalance import imbalance
from mlfs.information.info import Info, answer, read_only
from mlfs.information.label_block import LabelBlock, Subset, sum_over_labels
from mlfs.information.table import PairInfo, Table, sums_of_set

MANY, SHARE = 1024, 4  # of at least so many columns, a quarter or less is counted alone


def exact_info(
    features: Any,
    labels: Any,
    *,
    weights: Any,
    parents: Sequence[tuple[int, ...]] | None,
    n_jobs: int,
) -> ExactInfo:
    """Make an Info of two matrices of small integers; see `Info.from_codes`."""
    x = features if isinstance(features, Codes) else Codes.from_dense(features)
    y = labels if isinstance(labels, Codes) else Codes.from_dense(labels)
    if x.n_rows != y.n_rows:
        msg = f"there are {x.n_rows} rows of features and {y.n_rows} rows of labels"
        raise DataError(msg)
    if weights is not None and np.shape(weights) != (x.n_rows,):
        msg = f"there are weights of shape {np.shape(weights)} for {x.n_rows} rows"
        raise DataError(msg)
    q = len(y)
    y, mask_of = with_masks(y)
    grid = None if weights is None else np.asarray(weights, np.int64)
    counts, positions = Counts.of(x, y, grid, n_jobs)
    network = None if parents is None else tuple(tuple(pa) for pa in parents)
    table = Table(counts, q, mask_of, positions=positions)
    return ExactInfo(table, parents=network)


def views_by_rows(info: Info, table: Table) -> tuple[Info, ...]:
    """Views on the labels that are known in the same rows; the whole where there is one."""
    masks = table.mask_of[info.labels]
    if (masks == masks[:1]).all():
        return (info,)
    return tuple(info.for_labels(info.labels[masks == mask]) for mask in np.unique(masks))


class ExactInfo(Info):
    """Entropies and mutual information from the counts of a table.

    Parameters
    ----------
    table : Table
        The counts and the cache, shared by all views.
    labels : ndarray of int, optional
        The labels in play; all by default.
    features : ndarray of int, optional
        The candidates; all by default.
    parents : tuple of tuple of int, optional
        The parents of every label of the data set.
    """

    _counts_alone: bool | None = None

    def __init__(
        self,
        table: Table,
        *,
        labels: np.ndarray | None = None,
        features: np.ndarray | None = None,
        parents: tuple[tuple[int, ...], ...] | None = None,
    ) -> None:
        super().__init__(np.arange(table.q) if labels is None else labels, features, parents)
        self._table = table
        self.d = table.d if features is None else features.size
        if features is None or table.positions is None:
            self._positions = table.positions if features is None else features
        else:
            self._positions = table.positions[features]

    # ---- axes -------------------------------------------------------------------------------

    @answer
    def features(self) -> np.ndarray:
        """The column numbers of the candidates."""
        return np.arange(self._table.d) if self._features is None else self._features

    def only(self, features: Any) -> ExactInfo:
        """A view on some candidates, named by their column numbers."""
        return self._only(np.array(features, np.int64))

    def _only(self, features: np.ndarray, *, alone: bool | None = None) -> ExactInfo:
        """A view on some candidates.

        `alone` says whether their terms are counted without those of the other columns. By default
        they are, where the candidates are few of many columns.
        """
        view = ExactInfo(self._table, labels=self._labels, features=features, parents=self._parents)
        view._counts_alone = alone
        view._full_view = self._all_candidates
        return view

    def for_labels(self, labels: Any) -> ExactInfo:
        """A view on some labels."""
        view = ExactInfo(
            self._table,
            labels=np.array(labels, np.int64),
            features=self._features,
            parents=self._parents,
        )
        view._counts_alone = self._counts_alone
        return view

    @property
    def by_rows(self) -> tuple[Info, ...]:
        """Views on the labels that are known in the same rows."""
        return views_by_rows(self, self._table)

    @cached_property
    def _subset(self) -> Subset | None:
        """Counts terms of the candidates alone; None where all columns are counted."""
        if self._features is None or self._positions is None or not self._table.counts_subsets:
            return None
        alone = self._counts_alone
        if alone is None:
            alone = self._table.d >= MANY and SHARE * self.d <= self._table.d
        return Subset(self._table, self._labels, self._positions) if alone else None

    @property
    def _all_candidates(self) -> ExactInfo:
        """The view on all candidates and the same labels."""
        return self if self._features is None else self._full_view

    @cached_property
    def _full_view(self) -> ExactInfo:
        return ExactInfo(self._table, labels=self._labels)

    def _cut(self, values: np.ndarray) -> np.ndarray:
        return read_only(values if self._positions is None else values[self._positions])

    @cached_property
    def _key(self) -> bytes:
        return self._labels.tobytes()

    # ---- entropies and mutual information -------------------------------------------------------

    @answer
    def h_f(self) -> np.ndarray:
        """H(f)."""
        if self._features is not None:
            cut: np.ndarray = self._all_candidates.h_f[self._features]
            return cut
        return self._cut(self._table.entropy_in_context(self._labels))

    @property
    def h_l(self) -> np.ndarray:
        """H(l)."""
        return self._table.h_l[self._labels]

    @answer
    def mi_fl(self) -> np.ndarray:
        """I(f;l), (d, q)."""
        out = np.empty((self.d, self.q))
        for i, label in enumerate(self._labels.tolist()):
            out[:, i] = self._cut(self._table.pair_with_label(label).mi)
        return out

    @answer
    def mi_fL(self) -> np.ndarray:
        """sum_l I(f;l)."""
        if self._features is not None:
            cut: np.ndarray = self._all_candidates.mi_fL[self._features]
            return cut
        table, labels = self._table, self._labels
        if table.all_valid(labels):
            constant = self.q * int(table.t_n) - int(table.t_l[labels].sum())
            total = table.label_pairs.added_sums(labels) - self.q * table.t_f + wrap_int64(constant)
            return self._cut(per_row(total, table.rows, table.counts.xlogx))
        added = np.zeros(table.d)
        for label in labels.tolist():
            added += table.pair_with_label(label).mi
        return self._cut(added)

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s)."""
        position = self._table.position(s)
        if self._subset is not None:
            return self._subset.mi_fs(position)
        return self._cut(self._table.mi_with_feature(position, self._labels))

    def h_f_where_s(self, s: int) -> np.ndarray:
        """H(f) on the rows of I(f;s)."""
        return self.h_f if self._table.f_all_valid else self._pair_with(s).h_f

    def h_s_where_f(self, s: int) -> np.ndarray:
        """H(s) on the rows of I(f;s)."""
        return super().h_s_where_f(s) if self._table.f_all_valid else self._pair_with(s).h_g

    def _pair_with(self, s: int) -> PairInfo:
        position = self._table.position(s)
        if self._subset is not None:
            return self._subset.pair_with(position)
        return PairInfo(*map(self._cut, self._table.pair_with_feature(position, self._labels)))

    def cmi_sL_given_f(self, s: int) -> np.ndarray:
        """sum_l I(s;l|f)."""
        return self._cmi(self._table.position(s), 0)

    def cmi_fL_given_s(self, s: int) -> np.ndarray:
        """sum_l I(f;l|s)."""
        return self._cmi(self._table.position(s), 1)

    def interaction_fsL(self, s: int) -> np.ndarray:
        """sum_l I(f;s;l), on the rows in which all three are known."""
        if self._table.f_all_valid:
            return super().interaction_fsL(s)
        return self.sum_over_labels(lambda block: block.interaction_fsl(s))

    def joint_fsL(self, s: int) -> np.ndarray:
        """sum_l I(f,s;l), on the rows in which all three are known."""
        if self._table.f_all_valid:
            return super().joint_fsL(s)
        return self.sum_over_labels(lambda block: block.joint_fsl(s))

    def _cmi(self, s: int, which: int) -> np.ndarray:
        if self._subset is not None:
            return self._subset.cmi(s)[which]
        triples, labels = self._table.triples, self._labels
        pairs = self._table.feature(s)
        recent, key = self._table.recent, ("triples", s, self._key)
        if not self._table.all_valid(labels, pairs.anchor):
            cmi_sums = recent.find(key)
            if cmi_sums is None:
                cmi_sums = recent.keep(key, triples.cmi_sums(pairs, labels))
            return self._cut(cmi_sums[which])
        joint_sums: np.ndarray | None = recent.find(key)
        if joint_sums is None:
            joint_sums = recent.keep(key, triples.joint_sums(pairs, labels))
        finish = triples.fl_given_s if which else triples.sl_given_f
        return self._cut(finish(pairs, labels, joint_sums))

    # ---- the label network ------------------------------------------------------------------

    def label_term(self, beta: Any = None) -> np.ndarray:
        """sum_l beta_l sum_{p in pa(l)} I(l;p|f).

        Parameters
        ----------
        beta : float or array of shape (q,), optional
            The weight of each label; 1/\\|pa(l)\\| by default.
        """
        weights = None if beta is None else np.asarray(beta, np.float64).tobytes()
        key = ("label_term", self._labels.tobytes(), weights, self._parents)
        term: np.ndarray | None = self._table.cache.find(key)
        if term is None:
            term = self._table.cache.keep(key, self._label_term(beta))
        return self._cut(term)

    def _label_term(self, beta: Any) -> np.ndarray:
        total = np.zeros(self._table.d)
        for label, pa, weight in self._weighted_parents(beta):
            pairs = self._table.label(label)
            total += weight * self._table.triples.cmi_sums(pairs, np.array(pa))[0]
        return total

    @answer
    def interaction_fLL(self) -> np.ndarray:
        """Sum over the pairs l < l' of I(f;l;l') = I(l;l') - I(l;l'|f)."""
        table, total = self._table, np.zeros(self._table.d)
        all_valid = self.q > 1 and table.all_valid(self._labels)
        t_fL = table.label_pairs.added_sums(self._labels).copy() if all_valid else total
        for i, label in enumerate(self._labels.tolist()[:-1]):
            later, pairs = self._labels[i + 1 :], table.label(label)
            if all_valid:
                t_fL -= pairs.t_fs  # now of the later labels alone
                total += self._interactions(pairs, later, t_fL)
                continue
            # I(l;l') on the rows in which f is known too, so that I(f;l;l') is symmetric
            sums = table.triples.sums(pairs, later)
            plain = entropies(sums.rows, sums.s + sums.l - sums.sl, table.counts.xlogx)
            for interaction in plain - sums.sl_given_f(table.counts.xlogx):
                total += interaction
        return self._cut(total)

    def _interactions(
        self, pairs: PairStatistics, labels: np.ndarray, t_fL: np.ndarray
    ) -> np.ndarray:
        """sum_l I(f;p;l) with a label p, where nothing is left out."""
        table, n = self._table, labels.size
        constant = n * (int(table.t_n) - int(pairs.t_s))
        t_sl = int(pairs.label_sums[labels].sum())
        constant += t_sl - int(table.t_l[labels].sum())
        joint = table.triples.joint_sums(pairs, labels)
        total = wrap_int64(constant) - joint - n * (table.t_f - pairs.t_fs) + t_fL
        return total / max(1.0, table.rows * table.counts.xlogx.unit)

    # ---- symmetrical uncertainties, for the merit -------------------------------------------

    @answer
    def su_fl(self) -> np.ndarray:
        """SU(f,l), (d, q)."""
        out = np.empty((self.d, self.q))
        for i, label in enumerate(self._labels.tolist()):
            out[:, i] = self._cut(self._table.pair_with_label(label).su)
        return out

    def su_fs(self, s: int) -> np.ndarray:
        """SU(f,s)."""
        return self._cut(self._table.su_with_feature(self._table.position(s), self._labels))

    @answer
    def su_fp(self) -> np.ndarray:
        """SU(f,p) for the parents p of the one label in play, (d, parents)."""
        pa, cache = self.parents(self._one_label()), self._table.cache
        key = "su_fp", tuple(pa), tuple(self._table.masks_of(self._labels))
        su: np.ndarray | None = cache.find(key)
        if su is None:
            columns = [self._table.pair_with_parent(p, self._labels).su for p in pa]
            su = np.stack(columns, axis=1) if columns else np.zeros((self._table.d, 0))
            cache.keep(key, su)
        return self._cut(su)

    @answer
    def su_pl(self) -> np.ndarray:
        """SU(p,l) for the parents p of the one label in play."""
        label = self._one_label()
        return self._table.among_labels.pair_with_label(label).su[list(self.parents(label))]

    @answer
    def su_pp(self) -> np.ndarray:
        """SU(p,p') among the parents of the one label in play."""
        label = self._one_label()
        pa = list(self.parents(label))
        among = self._table.among_labels
        rows = [among.pair_with_parent(p, self._labels).su[pa] for p in pa]
        return np.stack(rows) if rows else np.zeros((0, 0))

    def _one_label(self) -> int:
        if self.q != 1:
            msg = 'su_fp, su_pl and su_pp belong to one label: set scope = "each label"'
            raise CriterionError(msg)
        return int(self._labels[0])

    # ---- several picks ------------------------------------------------------------------------

    def cmi_fL_given_S(self, picked: Sequence[int]) -> np.ndarray:
        """sum_l I(f;l|S), all picks of S jointly."""
        if not len(picked):
            return self.mi_fL
        picks = [self._table.position(s) for s in picked]
        return self._cut(self._table.joint_picks.cmi_given_all(picks, self._labels))

    def joint_fssL(self, s: int, t: int) -> np.ndarray:
        """sum_l I(f,s,t;l)."""
        table = self._table
        s, t = table.position(s), table.position(t)
        return self._cut(table.joint_picks.joint_information(s, t, self._labels))

    def cmi_fs_given_s(self, s: int, t: int) -> np.ndarray:
        """I(f;s|t)."""
        table = self._table
        s, t = table.position(s), table.position(t)
        return self._cut(table.joint_picks.information_given(s, t, self._labels))

    def su_fS(self, picked: Sequence[int]) -> np.ndarray:
        """sum_{s in S} SU(f,s), in the order of the picks."""
        return self._cut(self._su_of_set(picked)[0])

    def su_SS(self, picked: Sequence[int]) -> float:
        """The sum of SU over the pairs of picked features."""
        return float(self._su_of_set(picked)[1])

    def _su_of_set(self, picked: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """`su_fS` and `su_SS`, continued from the set that was asked for last, or recently."""
        table, masks = self._table, tuple(self._table.masks_of(self._labels))
        return sums_of_set(
            picked, masks, table.recent, table.d,
            lambda s: table.su_with_feature(table.position(s), self._labels), table.position,
        )  # fmt: skip

    # ---- Gini impurity ------------------------------------------------------------------------

    @answer
    def gini_fL(self) -> np.ndarray:
        """sum_l G(f;l), the gain in Gini impurity."""
        table, labels = self._table, self._labels
        key = "gini_fL", labels.tobytes()
        gini = table.cache.find(key)
        if gini is None:
            gini = table.cache.keep(key, table.gini(table.joint_picks.constant_column, labels))
        return self._cut(gini)

    def gini_fsL(self, s: int) -> np.ndarray:
        """sum_l G(f,s;l)."""
        pairs = self._table.feature(self._table.position(s))
        return self._cut(self._table.gini(pairs, self._labels))

    # ---- several labels -----------------------------------------------------------------------

    @answer
    def cmi_fL_given_L(self) -> np.ndarray:
        """Sum over the ordered pairs of different labels of I(f;l|l')."""
        table, labels = self._table, self._labels
        if self.q < 2:
            return np.zeros(self.d)
        if table.all_valid(labels):
            plain = (self.q - 1) * self.mi_fL - 2 * self.interaction_fLL
            return np.maximum(plain, self._floor)
        key = "cmi_fL_given_L", labels.tobytes()
        total = table.cache.find(key)
        if total is None:
            total = np.zeros(table.d)
            for i, label in enumerate(labels.tolist()):
                others = np.delete(labels, i)
                total += table.triples.cmi_sums(table.label(label), others)[1]
            table.cache.keep(key, total)
        return self._cut(total)

    # ---- the rest ---------------------------------------------------------------------------

    @cached_property
    def imbalance(self) -> tuple[np.ndarray, float, float]:
        """IR(l) of the labels in play, and IR and CVIR of all labels of the data set."""
        table, y = self._table, self._table.counts.labels
        ends = y.offsets[:-1] + table.l_valid
        spans = zip(y.offsets[: table.q].tolist(), ends[: table.q].tolist(), strict=True)
        positives = np.array([y.n[start + 1 : stop].sum() for start, stop in spans])
        of_labels, ir, cvir = imbalance(positives)
        return read_only(of_labels[self._labels]), ir, cvir

    def sum_over_labels(self, g: Callable[[LabelBlock], np.ndarray]) -> np.ndarray:
        """Sum g(block) over the labels, for what does not commute with that sum.

        Parameters
        ----------
        g : callable
            Takes a `LabelBlock`, gives an array (d, labels of the block).
        """
        return sum_over_labels(self.d, self._labels, self._table.budget, self._block, g)

    def _block(self, labels: np.ndarray) -> LabelBlock:
        if self._subset is not None:
            return self._subset.block(labels)
        return LabelBlock(self._table, labels, self._positions)
