"""Info: entropies and informations, asked for by name; what criteria see of the data.

The suffix of a name tells the axes of the array:

====  =====================================================================
f     every candidate feature: the first axis, ``(d,)``
l     every label in play
L     summed over the labels in play
s     one picked feature, a column number of the whole data set
p     the parent labels of the label in play
====  =====================================================================

``info.only(features)`` is a view on some candidates: every ``f`` array shrinks, s stays a column
number of the whole. ``info.for_label(l)`` is a view on one label. Both share counts and cache.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import kinds
from mlfs.counting.counts import Counts
from mlfs.counting.label_codes import with_masks
from mlfs.errors import CriterionError, DataError
from mlfs.information.imbalance import imbalance
from mlfs.information.label_block import LabelBlock
from mlfs.information.pair_statistics import Held
from mlfs.information.subset import Few
from mlfs.information.table import Table
from mlfs.information.xlogx import entropies, of_rows, per_row, wrapped

__all__ = ["VOCABULARY", "Info"]

VOCABULARY = (
    *("d", "q", "features", "labels", "parents"),
    *("h_f", "h_l", "mi_fl", "mi_fL", "mi_fs"),
    *("cmi_sL_given_f", "cmi_fL_given_s", "interaction_fsL", "joint_fsL"),
    *("label_term", "interaction_fLL"),
    *("su_fl", "su_fs", "su_fS", "su_SS", "su_fp", "su_pl", "su_pp"),
    *("imbalance", "sum_over_labels", "only", "for_label"),
)
LABELS_AT_ONCE = 32
BLOCK_BYTES = 80  # of a feature and a label in a block: sums of them, and what is made of these
MANY, SHARE = 1024, 4  # a view on a quarter of so many columns is counted alone


class Info:
    """A view on the informations of some candidates about some labels.

    Parameters
    ----------
    table : Table
        The counts and the cache, shared by all views.
    labels : ndarray of int, optional
        The labels in play; all by default.
    features : ndarray of int, optional
        The candidates; all by default.
    parents : tuple of tuple of int, optional
        The parents of every label of the data set, for criteria that want a network.

    Examples
    --------
    >>> import numpy as np
    >>> info = Info.from_codes([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]])
    >>> np.round(info.mi_fL / np.log(2), 9).tolist()
    [1.0, 0.0]
    """

    _alone: bool | None = None

    def __init__(
        self,
        table: Table,
        *,
        labels: np.ndarray | None = None,
        features: np.ndarray | None = None,
        parents: tuple[tuple[int, ...], ...] | None = None,
    ) -> None:
        self.table = table
        self._labels = np.arange(table.q) if labels is None else labels
        self._features = features
        place = table.place
        self._where = place if features is None else features if place is None else place[features]
        self._parents = parents if parents is None else tuple(parents)

    @classmethod
    def from_codes(
        cls,
        features: Any,
        labels: Any,
        *,
        weights: Any = None,
        parents: Sequence[tuple[int, ...]] | None = None,
        ignore_missing: bool = False,
        n_jobs: int = 1,
        blocks: int = 1,
    ) -> Info:
        """Make an Info of two matrices of small integers; -1 is missing.

        Parameters
        ----------
        features, labels : array-like of int, shapes (N, d) and (N, q), or Codes
            The coded data.
        weights : array-like of int, optional
            How often each row counts.
        parents : sequence of tuple of int, optional
            The parents of each label.
        ignore_missing : bool
            Leave rows with a missing feature out of the terms about it.
        n_jobs : int
            Threads.
        blocks : int
            Count the rows in so many blocks; the result does not depend on it.
        """
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
        x, place = x.sorted_by(kinds([x], [y], weights is not None))
        edges = np.linspace(0, x.n_rows, blocks + 1).astype(int).tolist()
        spans = list(itertools.pairwise(edges))
        counts = Counts(
            [x.between_rows(a, b) for a, b in spans] if blocks > 1 else [x],
            [y.between_rows(a, b) for a, b in spans] if blocks > 1 else [y],
            None if weights is None else [np.asarray(weights, np.int64)[a:b] for a, b in spans],
            n_jobs,
        )
        known = None if parents is None else tuple(tuple(pa) for pa in parents)
        table = Table(counts, q, mask_of, ignore_missing=ignore_missing, place=place)
        return cls(table, parents=known)

    # ---- axes -------------------------------------------------------------------------------

    @cached_property
    def features(self) -> np.ndarray:
        """The column numbers of the candidates."""
        return np.arange(self.table.d) if self._features is None else self._features

    @property
    def labels(self) -> np.ndarray:
        """The column numbers of the labels in play."""
        return self._labels

    @property
    def d(self) -> int:
        """The number of candidates."""
        return self.table.d if self._features is None else int(self._features.size)

    @property
    def q(self) -> int:
        """The number of labels in play."""
        return int(self._labels.size)

    def only(self, features: Any, *, alone: bool | None = None) -> Info:
        """A view on some candidates, named by their column numbers.

        Parameters
        ----------
        features : sequence of int
            The candidates.
        alone : bool, optional
            Count their terms alone, and not by sweeps over all columns, which all views share; by
            default where they are few of many.
        """
        chosen = np.asarray(features, np.int64)
        view = Info(self.table, labels=self._labels, features=chosen, parents=self._parents)
        view._alone = alone
        view._whole = self._all
        return view

    def for_label(self, label: int) -> Info:
        """A view on one label."""
        chosen = np.array([label])
        view = Info(self.table, labels=chosen, features=self._features, parents=self._parents)
        view._alone = self._alone
        return view

    @cached_property
    def few(self) -> Few | None:
        """What counts terms of the candidates alone; None where it sweeps over all columns."""
        if self._features is None or self._where is None:
            return None
        alone = self._alone
        if alone is None:
            alone = self.table.d >= MANY and SHARE * self.d <= self.table.d
        return Few(self.table, self._labels, self._where) if alone else None

    @property
    def _all(self) -> Info:
        """The same labels, and all candidates."""
        return self if self._features is None else self._whole

    @cached_property
    def _whole(self) -> Info:
        return Info(self.table, labels=self._labels)

    def _cut(self, values: np.ndarray) -> np.ndarray:
        return values if self._where is None else values[self._where]

    @cached_property
    def _key(self) -> bytes:
        return self._labels.tobytes()

    # ---- entropies and informations ---------------------------------------------------------

    @cached_property
    def h_f(self) -> np.ndarray:
        """H(f)."""
        if self._features is not None:
            cut: np.ndarray = self._all.h_f[self._features]
            return cut
        return self._cut(self.table.entropy_in_context(self._labels))

    @property
    def h_l(self) -> np.ndarray:
        """H(l)."""
        return self.table.h_l[self._labels]

    @cached_property
    def mi_fl(self) -> np.ndarray:
        """I(f;l), (d, q)."""
        out = np.empty((self.d, self.q))
        for i, label in enumerate(self._labels.tolist()):
            out[:, i] = self._cut(self.table.pair_with_label(label).mi)
        return out

    @cached_property
    def mi_fL(self) -> np.ndarray:  # the suffix L is the notation of the field
        """sum_l I(f;l)."""
        if self._features is not None:
            cut: np.ndarray = self._all.mi_fL[self._features]
            return cut
        table, labels = self.table, self._labels
        if table.is_whole(labels):
            alone = self.q * int(of_rows(table.rows, table.clogc)) - int(table.t_l[labels].sum())
            total = table.with_labels.added_sums(labels) - self.q * table.t_f + wrapped(alone)
            return self._cut(per_row(total, table.rows, table.clogc))
        added = np.zeros(table.d)
        for label in labels.tolist():
            added += table.pair_with_label(label).mi
        return self._cut(added)

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s)."""
        at = self.table.position(s)
        if self.few is not None:
            return self.few.mi_fs(at)
        return self._cut(self.table.mi_with_feature(at, self._labels))

    def cmi_sL_given_f(self, s: int) -> np.ndarray:  # notation
        """sum_l I(s;l|f)."""
        return self._cmi(self.table.position(s), 0)

    def cmi_fL_given_s(self, s: int) -> np.ndarray:  # notation
        """sum_l I(f;l|s)."""
        return self._cmi(self.table.position(s), 1)

    def interaction_fsL(self, s: int) -> np.ndarray:  # notation
        """sum_l I(f;s;l), I(f;s;l) = I(f;s) - I(f;s|l) = I(f;l) - I(f;l|s)."""
        if self.table.f_whole:
            return self.mi_fL - self.cmi_fL_given_s(s)
        return self.sum_over_labels(lambda block: block.interaction_fsl(s))

    def joint_fsL(self, s: int) -> np.ndarray:  # notation
        """sum_l I(f,s;l), I(f,s;l) = I(f;l) + I(s;l|f)."""
        if self.table.f_whole:
            return self.mi_fL + self.cmi_sL_given_f(s)
        return self.sum_over_labels(lambda block: block.joint_fsl(s))

    def _cmi(self, s: int, which: int) -> np.ndarray:
        if self.few is not None:
            return self.few.cmi(s)[which]
        triples, labels = self.table.triples, self._labels
        held = self.table.feature(s)
        key = ("triples", s, self._key)
        found: tuple[np.ndarray, ...]
        if not self.table.is_whole(labels, held.given):
            found = self.table.recent.get(key, lambda: triples.cmi_sums(held, labels))
            return self._cut(found[which])
        found = self.table.recent.get(key, lambda: (triples.joint_sums(held, labels),))
        finish = triples.fl_given_s if which else triples.sl_given_f
        return self._cut(finish(held, labels, *found))

    # ---- the label network ------------------------------------------------------------------

    def parents(self, label: int) -> tuple[int, ...]:
        """The parents of a label in the network that was handed in."""
        if self._parents is None:
            msg = "this criterion asks for the parents of labels, but says network = False"
            raise CriterionError(msg)
        return self._parents[label]

    def label_term(self, beta: Any = None) -> np.ndarray:
        """sum_l beta_l sum_{p in pa(l)} I(l;p|f).

        Parameters
        ----------
        beta : float or array of shape (q,), optional
            The weight of each label; 1/\\|pa(l)\\| by default.
        """
        key = ("label_term", self._labels.tobytes(), repr(beta), self._parents)
        found: np.ndarray = self.table.cache.get(key, lambda: self._label_term(beta))
        return self._cut(found)

    def _label_term(self, beta: Any) -> np.ndarray:
        total = np.zeros(self.table.d)
        of = {label: self.parents(label) for label in self._labels.tolist()}
        if beta is None:
            shares = {label: 1.0 / len(pa) if pa else 0.0 for label, pa in of.items()}
        else:
            given = np.broadcast_to(np.asarray(beta, float), (self.q,)).tolist()
            shares = dict(zip(of, given, strict=True))
        for label, pa in of.items():
            if pa and shares[label] != 0:
                held = self.table.label(label)
                total += shares[label] * self.table.triples.cmi_sums(held, np.array(pa))[0]
        return total

    @cached_property
    def interaction_fLL(self) -> np.ndarray:  # notation
        """Sum over the pairs l < l' of I(f;l;l') = I(l;l') - I(l;l'|f)."""
        table, total = self.table, np.zeros(self.table.d)
        whole = self.q > 1 and table.is_whole(self._labels)
        left = table.with_labels.added_sums(self._labels).copy() if whole else total
        for at, label in enumerate(self._labels.tolist()[:-1]):
            later, held = self._labels[at + 1 :], table.label(label)
            if whole:
                left -= held.t_fs
                total += self._interactions(held, later, left)
                continue
            # I(l;l') on the rows in which f is known too, so that I(f;l;l') is symmetric
            sums = table.triples.sums(held, later)
            plain = entropies(sums.rows, sums.s + sums.l - sums.sl, table.clogc)
            for one in plain - sums.sl_given_f(table.clogc):
                total += one
        return self._cut(total)

    def _interactions(self, held: Held, labels: np.ndarray, label_sums: np.ndarray) -> np.ndarray:
        """sum_l I(f;p;l), where nothing is left out."""
        table, n = self.table, labels.size
        alone = n * (int(of_rows(table.rows, table.clogc)) - int(held.t_s))
        t_sl = int(held.label_sums(table.clogc)[labels].sum())
        alone += t_sl - int(table.t_l[labels].sum())
        joint = table.triples.joint_sums(held, labels)
        total = wrapped(alone) - joint - n * (table.t_f - held.t_fs) + label_sums
        return total / (table.rows * 2.0 ** int(table.clogc[-1]))

    # ---- symmetrical uncertainties, for the merit -------------------------------------------

    @cached_property
    def su_fl(self) -> np.ndarray:
        """SU(f,l), (d, q)."""
        out = np.empty((self.d, self.q))
        for i, label in enumerate(self._labels.tolist()):
            out[:, i] = self._cut(self.table.pair_with_label(label).su)
        return out

    def su_fs(self, s: int) -> np.ndarray:
        """SU(f,s)."""
        return self._cut(self.table.su_with_feature(self.table.position(s), self._labels))

    def su_fS(self, picked: Sequence[int]) -> np.ndarray:  # notation
        """sum_{s in S} SU(f,s), in the order of the picks; the sums of shorter S are kept."""
        return self._cut(self._su_sums(tuple(int(s) for s in picked)))

    def su_SS(self, picked: Sequence[int]) -> float:  # notation
        """The sum of SU over the pairs of picked features."""
        order = tuple(int(s) for s in picked)
        total = 0.0
        for i, s in enumerate(order):
            total += float(self._su_sums(order[:i])[self.table.position(s)])
        return total

    def _su_sums(self, order: tuple[int, ...]) -> np.ndarray:
        cache, masks = self.table.cache, tuple(self.table.masks_of(self._labels))
        known = len(order)
        while known and ("su_fS", order[:known], masks) not in cache:
            known -= 1
        total: np.ndarray = cache.get(
            ("su_fS", order[:known], masks), lambda: np.zeros(self.table.d)
        )
        for i in range(known, len(order)):
            at = self.table.position(order[i])
            total = total + self.table.su_with_feature(at, self._labels)
            cache.get(("su_fS", order[: i + 1], masks), functools.partial(np.asarray, total))
        return total

    @cached_property
    def su_fp(self) -> np.ndarray:
        """SU(f,p) for the parents p of the one label in play, (d, parents)."""
        pa = self.parents(self._one_label())

        def every() -> np.ndarray:
            columns = [self.table.pair_with_parent(p, self._labels).su for p in pa]
            return np.stack(columns, axis=1) if columns else np.zeros((self.table.d, 0))

        key = ("su_fp", tuple(pa), tuple(self.table.masks_of(self._labels)))
        found: np.ndarray = self.table.cache.get(key, every)
        return self._cut(found)

    @cached_property
    def su_pl(self) -> np.ndarray:
        """SU(p,l) for the parents p of the one label in play."""
        label = self._one_label()
        return self.table.among_labels.pair_with_label(label).su[list(self.parents(label))]

    @cached_property
    def su_pp(self) -> np.ndarray:
        """SU(p,p') among the parents of the one label in play."""
        label = self._one_label()
        pa = list(self.parents(label))
        among = self.table.among_labels
        rows = [among.pair_with_parent(p, self._labels).su[pa] for p in pa]
        return np.stack(rows) if rows else np.zeros((0, 0))

    def _one_label(self) -> int:
        if self.q != 1:
            msg = 'su_fp, su_pl and su_pp belong to one label: set scope = "each label"'
            raise CriterionError(msg)
        return int(self._labels[0])

    # ---- the rest ---------------------------------------------------------------------------

    @cached_property
    def imbalance(self) -> tuple[np.ndarray, float, float]:
        """IR(l) of the labels in play, and IR and CVIR of all labels of the data set."""
        counts, offsets = self.table.counts, self.table.counts.l_offsets
        positives = np.array(
            [
                counts.n_l[offsets[label] + 1 : offsets[label] + self.table.l_valid[label]].sum()
                for label in range(self.table.q)
            ]
        )
        of_labels, ir, cvir = imbalance(positives)
        return of_labels[self._labels], ir, cvir

    def sum_over_labels(self, g: Callable[[LabelBlock], np.ndarray]) -> np.ndarray:
        """Sum g(block) over the labels, for what does not commute with that sum.

        Parameters
        ----------
        g : callable
            Takes a `LabelBlock`, gives an array (d, labels of the block).
        """
        total = np.zeros(self.d)
        room = self.table.budget.block // (BLOCK_BYTES * max(1, self.d))
        step = min(LABELS_AT_ONCE, max(1, room))
        for first in range(0, self.q, step):
            labels = self._labels[first : first + step]
            block = (
                LabelBlock(self.table, labels, self._where)
                if self.few is None
                else self.few.block(labels)
            )
            values = g(block)
            for i in range(block.q):
                total += values[:, i]
        return total

    def describe(self) -> dict[str, object]:
        """In what form the columns are counted, and how much was counted."""
        table = self.table
        entries = sum(block.n_entries for block in table.counts.features)
        return {
            "forms": table.counts.forms(),
            "rows": sum(block.n_rows for block in table.counts.features),
            "columns": table.d,
            "entries": entries,
            "pairs counted": table.pairs_counted,
            "triples counted": table.triples.counted,
            "bytes cached": table.cache.bytes,
        }
