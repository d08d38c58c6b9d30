"""Information within strata of the rows, such as the patients of each site.

Each entropy is the mean of those of the strata by their rows, or by their weight. Everything that
is a sum of entropies is such a mean too, and ratios are made of means.
"""

# ruff: noqa: SLF001  # it is made of the `ExactInfo` of each stratum, and their tables

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partialmethod
from operator import methodcaller
from typing import Any

import numpy as np

from mlfs.counting.memory import Cache
from mlfs.information.adjusted import AdjustedInfo
from mlfs.information.exact import ExactInfo, views_by_rows
from mlfs.information.info import Info, answer
from mlfs.information.label_block import sum_over_labels
from mlfs.information.table import PairInfo, Table, sums_of_set


def _asked(word: str) -> Any:
    """A method that is the mean of what the strata answer."""

    def ask(self: StratifiedInfo, *args: Any) -> Any:
        return self.mean(getattr(stratum, word)(*args) for stratum in self.strata)

    ask.__name__, ask.__doc__ = word, getattr(Info, word).__doc__
    return ask


def _known(word: str) -> Any:
    """A property that is the mean of what the strata answer."""
    return answer(lambda self: self.mean(getattr(stratum, word) for stratum in self.strata))


class StratifiedInfo(Info):
    """Entropies and mutual information given the stratum of each row.

    Parameters
    ----------
    whole : Table
        The counts of all rows.
    codes : ndarray of int
        The stratum of each row.
    strata : sequence of ExactInfo or AdjustedInfo
        The information of each stratum, with the same candidates and labels.
    weights : sequence of float
        The share of the rows that each stratum has.
    cache : Cache, optional
        Ratios that were made before, shared by all views.
    """

    def __init__(
        self,
        whole: Table,
        codes: np.ndarray,
        strata: Sequence[ExactInfo | AdjustedInfo],
        weights: Sequence[float],
        cache: Cache | None = None,
    ) -> None:
        first = strata[0]
        super().__init__(first._labels, first._features, first._parents)
        self.whole, self.codes, self.strata, self.weights = whole, codes, strata, weights
        self._cache = Cache(whole.budget.small().cache) if cache is None else cache

    @classmethod
    def of(cls, whole: Table, codes: np.ndarray) -> StratifiedInfo:
        """The information of a table within strata; nothing is coded again."""
        masks = [codes == code for code in np.flatnonzero(np.bincount(codes))]
        tables = [whole.among_rows(mask, len(masks)) for mask in masks]
        weights = [int(table.rows) / int(whole.rows) for table in tables]
        return cls(whole, codes, [ExactInfo(table) for table in tables], weights)

    def mean(self, values: Iterable[Any]) -> Any:
        """The mean of what the strata answer, by their rows."""
        total: Any = 0.0
        for weight, value in zip(self.weights, values, strict=True):
            total = total + weight * value
        return total

    def made_of(self, make: Callable[[Any], Any]) -> StratifiedInfo:
        """Give the strata another view, or another information, of each."""
        strata = [make(stratum) for stratum in self.strata]
        cache = self._cache if type(strata[0]) is type(self.strata[0]) else None
        return StratifiedInfo(self.whole, self.codes, strata, self.weights, cache)

    @property
    def _name(self) -> str:
        return self.strata[0]._name

    @property
    def _floor(self) -> float:  # type: ignore[override]
        return self.strata[0]._floor

    # ---- axes and views -----------------------------------------------------------------------

    @property
    def features(self) -> np.ndarray:
        """The column numbers of the candidates."""
        return self.strata[0].features

    def only(self, features: Any) -> StratifiedInfo:
        """A view on some candidates, named by their column numbers."""
        return self.made_of(lambda stratum: stratum.only(features))

    def for_labels(self, labels: Any) -> StratifiedInfo:
        """A view on some labels."""
        return self.made_of(lambda stratum: stratum.for_labels(labels))

    @property
    def by_rows(self) -> tuple[Info, ...]:
        """Views on the labels that are known in the same rows."""
        return views_by_rows(self, self.whole)

    # ---- means --------------------------------------------------------------------------------

    h_f, h_l, mi_fl, mi_fL = _known("h_f"), _known("h_l"), _known("mi_fl"), _known("mi_fL")
    cmi_fL_given_L, interaction_fLL = _known("cmi_fL_given_L"), _known("interaction_fLL")
    gini_fL = _known("gini_fL")

    mi_fs, h_f_where_s, h_s_where_f = _asked("mi_fs"), _asked("h_f_where_s"), _asked("h_s_where_f")
    cmi_sL_given_f, cmi_fL_given_s = _asked("cmi_sL_given_f"), _asked("cmi_fL_given_s")
    interaction_fsL, joint_fsL = _asked("interaction_fsL"), _asked("joint_fsL")
    cmi_fs_given_L, label_term = _asked("cmi_fs_given_L"), _asked("label_term")
    cmi_fL_given_S, gini_fsL = _asked("cmi_fL_given_S"), _asked("gini_fsL")
    joint_fssL, cmi_fs_given_s = _asked("joint_fssL"), _asked("cmi_fs_given_s")

    # ---- ratios of means ----------------------------------------------------------------------

    def _su(self, key: Hashable, pair: Callable[[Table], PairInfo]) -> np.ndarray:
        """SU of one column with all, in the order of the counted ones."""
        if isinstance(self.strata[0], AdjustedInfo):
            raise self._unanswered("su_fs")
        su: np.ndarray | None = self._cache.find(key)
        if su is None:
            tables = [stratum._table for stratum in self.strata if isinstance(stratum, ExactInfo)]
            parts = zip(*map(pair, tables), strict=True)
            su = self._cache.keep(key, PairInfo(*map(self.mean, parts)).su)
        return su

    def _cut(self, values: np.ndarray) -> np.ndarray:
        return self.strata[0]._cut(values)

    @answer
    def su_fl(self) -> np.ndarray:
        """SU(f,l), (d, q)."""
        if isinstance(self.strata[0], AdjustedInfo):
            return PairInfo(self.mi_fl, self.h_f[:, None], self.h_l).su
        out = np.empty((self.d, self.q))
        for i, label in enumerate(self._labels.tolist()):
            pair = methodcaller("pair_with_label", label)
            out[:, i] = self._cut(self._su(("fl", label), pair))
        return out

    def _su_fs(self, s: int) -> np.ndarray:
        s = self.whole.position(s)
        pair = methodcaller("pair_with_feature", s, self._labels)
        return self._su(("fs", s, self._labels.tobytes()), pair)

    def su_fs(self, s: int) -> np.ndarray:
        """SU(f,s)."""
        return self._cut(self._su_fs(s))

    def su_fS(self, picked: Sequence[int]) -> np.ndarray:
        """sum_{s in S} SU(f,s), in the order of the picks."""
        return self._cut(self._su_of_set(picked)[0])

    def su_SS(self, picked: Sequence[int]) -> float:
        """The sum of SU over the pairs of picked features."""
        return float(self._su_of_set(picked)[1])

    def _su_of_set(self, picked: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        whole, key = self.whole, self._labels.tobytes()
        return sums_of_set(picked, key, self._cache, whole.d, self._su_fs, whole.position)

    def _su_with_parent(self, p: int, *, among_labels: bool = False) -> np.ndarray:
        def pair(table: Table) -> PairInfo:
            table = table.among_labels if among_labels else table
            return table.pair_with_parent(p, self._labels)

        return self._su(("fp", p, among_labels, self._labels.tobytes()), pair)

    @answer
    def su_fp(self) -> np.ndarray:
        """SU(f,p) for the parents p of the one label in play, (d, parents)."""
        columns = [self._cut(self._su_with_parent(p)) for p in self._parents_of_label()]
        return np.stack(columns, axis=1) if columns else np.zeros((self.d, 0))

    @answer
    def su_pl(self) -> np.ndarray:
        """SU(p,l) for the parents p of the one label in play."""
        label = int(self._labels[0])
        su = self._su(("pl", label), lambda table: table.among_labels.pair_with_label(label))
        return su[list(self._parents_of_label())]

    @answer
    def su_pp(self) -> np.ndarray:
        """SU(p,p') among the parents of the one label in play."""
        pa = list(self._parents_of_label())
        rows = [self._su_with_parent(p, among_labels=True)[pa] for p in pa]
        return np.stack(rows) if rows else np.zeros((0, 0))

    def _parents_of_label(self) -> tuple[int, ...]:
        return self.parents(ExactInfo(self.whole, labels=self._labels)._one_label())

    # ---- the rest -----------------------------------------------------------------------------

    @property
    def imbalance(self) -> tuple[np.ndarray, float, float]:
        """IR(l) of the labels in play, and IR and CVIR of all labels; of all rows."""
        return ExactInfo(self.whole, labels=self._labels).imbalance

    def sum_over_labels(self, g: Callable[[Any], np.ndarray]) -> np.ndarray:
        """Sum g(block) over the labels, for what does not commute with that sum."""
        return sum_over_labels(self.d, self._labels, self.whole.budget, self._block, g)

    def _block(self, labels: np.ndarray) -> StratifiedBlock:
        return StratifiedBlock([stratum._block(labels) for stratum in self.strata], self.mean)


class StratifiedBlock:
    """The arrays of some labels, see `LabelBlock`, as means of those of the strata.

    Parameters
    ----------
    blocks : sequence of LabelBlock or AdjustedBlock
        Those of the strata.
    mean : callable
        Gives the mean of what they answer.
    """

    def __init__(self, blocks: Sequence[Any], mean: Callable[[Iterable[Any]], Any]) -> None:
        self._blocks, self._mean, self.q = blocks, mean, blocks[0].q

    def _ask(self, word: str, s: int) -> Any:
        return self._mean(getattr(block, word)(s) for block in self._blocks)

    @property
    def mi_fl(self) -> Any:
        """I(f;l)."""
        return self._mean(block.mi_fl for block in self._blocks)

    cmi_sl_given_f: Any = partialmethod(_ask, "cmi_sl_given_f")
    cmi_fl_given_s: Any = partialmethod(_ask, "cmi_fl_given_s")
    interaction_fsl: Any = partialmethod(_ask, "interaction_fsl")
    joint_fsl, mi_fs = partialmethod(_ask, "joint_fsl"), partialmethod(_ask, "mi_fs")
    h_fsl = partialmethod(_ask, "h_fsl")
