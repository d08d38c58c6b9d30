"""Methods of `Info` about several labels or several picks at once, from counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlfs.counting.memory import Cache
from mlfs.information.info import Info, UnansweredError, answer

if TYPE_CHECKING:
    from mlfs.information.table import Table


class ExactSets(Info):
    """The part of `ExactInfo` that looks at sets of labels and of picks."""

    _table: Table

    @property
    def _floor(self) -> float:  # type: ignore[override]
        return self._table.floor

    def _cut(self, values: np.ndarray) -> np.ndarray:
        """Take the values of the candidates from those of all counted columns."""
        raise NotImplementedError

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
        if table.corrected:
            raise UnansweredError("the correction 'miller-madow'", "gini_fL")
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


def sums_of_set(
    picked: Sequence[int],
    context: Hashable,
    cache: Cache,
    d: int,
    su_with: Callable[[int], np.ndarray],
    position: Callable[[int], int],
) -> tuple[np.ndarray, np.ndarray]:
    """`su_fS` and `su_SS`, continued from the longest beginning of the set that is kept.

    Parameters
    ----------
    picked : sequence of int
        The set.
    context : hashable
        What the labels change of it.
    cache : Cache
        Keeps the sums.
    d : int
        The number of columns.
    su_with : callable
        Gives SU of all columns with one.
    position : callable
        Gives the place of a column among all.
    """
    order, total, pairs = tuple(map(int, picked)), np.zeros(d), np.zeros(())
    for n in range(len(order), 0, -1):
        kept = cache.find(("su_fS", order[:n], context))
        if kept is not None:
            total, pairs = kept
            break
    else:
        n = 0
    for s, end in zip(order[n:], range(n + 1, len(order) + 1), strict=True):
        pairs, total = pairs + total[position(s)], total + su_with(s)
        cache.keep(("su_fS", order[:end], context), (total, pairs))
    return total, pairs
