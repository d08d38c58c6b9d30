"""`Info` of a table whose columns others hold, some each: what they answer to a word is joined.

A holder has all rows of its columns and all labels, so what it says of a column is what one table
of all columns says, to the last bit. Only a pick goes to the holders that lack it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, partialmethod
from typing import Any, Protocol

import numpy as np

from mlfs.counting.memory import Budget, Cache
from mlfs.information.exact import ExactInfo, views_by_rows
from mlfs.information.info import Info, read_only
from mlfs.information.label_block import sum_over_labels
from mlfs.information.table import Table, sums_of_set

SENT = 2  # columns that go with a question about more


@dataclass(frozen=True)
class Question:
    """A word of the vocabulary, and what it is asked of.

    Parameters
    ----------
    word : str
        The word; ``block.`` stands before one of a `LabelBlock`.
    picks : tuple of int and list of int
        Its arguments that are columns, by their numbers in the whole table.
    more : tuple
        Its other arguments.
    labels : ndarray of int
        The labels in play.
    parents : tuple of tuple of int, optional
        The parents of every label.
    adjusted : bool
        Whether the expectation under independence is subtracted.
    """

    word: str
    picks: tuple[Any, ...]
    more: tuple[Any, ...]
    labels: np.ndarray
    parents: Any
    adjusted: bool


class MissingColumns(LookupError):
    """A question is about columns of others that did not come along."""


class Holders(Protocol):
    """The processes that hold columns, and what is known of them here.

    Parameters
    ----------
    of_labels : Table
        The labels alone: a table without features.
    levels : ndarray of int
        How many levels each column has.
    size : int
        How many they are.
    """

    of_labels: Table
    levels: np.ndarray
    size: int

    def ask(
        self, question: Question, columns: Sequence[int], asked: Sequence[int] | None = None
    ) -> list[Any]:
        """The answers of all or some, in the order of their columns; `columns` are sent along."""

    def here(self) -> Table:
        """All columns in this process."""

    def report(self) -> str:
        """How much was asked, in words."""

    def release(self) -> None:
        """Let the columns go."""


def _asked(word: str) -> Any:
    """A method that every holder answers for its columns."""

    def ask(self: ColumnsInfo, *picks: int) -> np.ndarray:
        return self._cut(self._ask(word, *picks))

    ask.__name__, ask.__doc__ = word, getattr(Info, word).__doc__
    return ask


def _known(word: str) -> Any:
    """A property that every holder answers for its columns."""
    return property(lambda self: self._cut(self._ask(word)), doc=getattr(Info, word).__doc__)


def _of_labels(word: str) -> Any:
    """A property that is about labels alone."""
    return property(lambda self: getattr(self._labels_alone, word), doc=getattr(Info, word).__doc__)


class ColumnsInfo(Info):
    """Entropies and mutual information of columns that others hold.

    Parameters
    ----------
    holders : Holders
        The others, shared by all views.
    labels, features, parents
        As for `Info`.
    cache : Cache, optional
        What was answered before, shared by all views.
    """

    _adjusted = False

    def __init__(
        self,
        holders: Holders,
        labels: np.ndarray,
        features: np.ndarray | None = None,
        parents: Any = None,
        cache: Cache | None = None,
    ) -> None:
        super().__init__(labels, features, parents)
        self.holders = holders
        self._floor = -np.inf if self._adjusted else 0.0
        budget = holders.of_labels.budget
        self._cache = Cache(budget.cache) if cache is None else cache
        self._budget: Budget = budget

    # ---- asking -------------------------------------------------------------------------------

    def _ask(self, word: str, *picks: Any, more: tuple[Any, ...] = ()) -> np.ndarray:
        """The answers of the holders for all columns: kept for the next question of the kind."""
        key = word, repr((picks, more)), self._labels.tobytes(), self._parents
        answer: np.ndarray | None = self._cache.find(key)
        if answer is None:
            question = self._question(word, *picks, more=more)
            columns = [s for pick in picks for s in (pick if isinstance(pick, list) else [pick])]
            try:  # what was sent for earlier questions is mostly there
                parts = self.holders.ask(question, columns[-SENT:])
            except MissingColumns:
                parts = self.holders.ask(question, columns)
            answer = self._cache.keep(key, np.concatenate(parts))
        return answer

    def _question(self, word: str, *picks: Any, more: tuple[Any, ...] = ()) -> Question:
        return Question(word, picks, more, self._labels, self._parents, self._adjusted)

    def _cut(self, values: np.ndarray) -> np.ndarray:
        return read_only(values if self._features is None else values[self._features])

    @property
    def _labels_alone(self) -> ExactInfo:
        return ExactInfo(self.holders.of_labels, labels=self._labels, parents=self._parents)

    # ---- axes and views -----------------------------------------------------------------------

    @property
    def features(self) -> np.ndarray:
        """The column numbers of the candidates."""
        everything = np.arange(self.holders.levels.size)
        return read_only(everything if self._features is None else self._features)

    def only(self, features: Any) -> ColumnsInfo:
        """A view on some candidates, named by their column numbers."""
        return self._view(self._labels, np.array(features, np.int64))

    def for_labels(self, labels: Any) -> ColumnsInfo:
        """A view on some labels."""
        return self._view(np.array(labels, np.int64), self._features)

    def _view(self, labels: np.ndarray, features: np.ndarray | None) -> ColumnsInfo:
        return type(self)(self.holders, labels, features, self._parents, self._cache)

    @property
    def by_rows(self) -> tuple[Info, ...]:
        """Views on the labels that are known in the same rows."""
        return views_by_rows(self, self.holders.of_labels)

    # ---- the vocabulary -----------------------------------------------------------------------

    h_f, mi_fl, mi_fL = _known("h_f"), _known("mi_fl"), _known("mi_fL")
    cmi_fL_given_L, interaction_fLL = _known("cmi_fL_given_L"), _known("interaction_fLL")
    gini_fL, su_fl, su_fp = _known("gini_fL"), _known("su_fl"), _known("su_fp")
    h_l, su_pl, su_pp = _of_labels("h_l"), _of_labels("su_pl"), _of_labels("su_pp")
    imbalance = _of_labels("imbalance")

    mi_fs, su_fs = _asked("mi_fs"), _asked("su_fs")
    cmi_sL_given_f, cmi_fL_given_s = _asked("cmi_sL_given_f"), _asked("cmi_fL_given_s")
    interaction_fsL, joint_fsL = _asked("interaction_fsL"), _asked("joint_fsL")
    cmi_fs_given_L, gini_fsL = _asked("cmi_fs_given_L"), _asked("gini_fsL")
    joint_fssL, cmi_fs_given_s = _asked("joint_fssL"), _asked("cmi_fs_given_s")

    def cmi_fL_given_S(self, picked: Sequence[int]) -> np.ndarray:
        """sum_l I(f;l|S), all picks of S jointly."""
        return self._cut(self._ask("cmi_fL_given_S", list(map(int, picked))))

    def label_term(self, beta: Any = None) -> np.ndarray:
        """sum_l beta_l sum_{p in pa(l)} I(l;p|f)."""
        weights = None if beta is None else tuple(np.broadcast_to(beta, self.q).astype(float))
        return self._cut(self._ask("label_term", more=(weights,)))

    def h_s(self, s: int) -> float:
        """H(s), a number."""
        return float(self._ask("h_f")[s])

    def mi_sL(self, s: int) -> float:
        """sum_l I(s;l), a number."""
        return float(self._ask("mi_fL")[s])

    def su_fS(self, picked: Sequence[int]) -> np.ndarray:
        """sum_{s in S} SU(f,s), in the order of the picks."""
        return self._cut(self._sums_of_set(picked)[0])

    def su_SS(self, picked: Sequence[int]) -> float:
        """The sum of SU over the pairs of picked features."""
        return float(self._sums_of_set(picked)[1])

    def _sums_of_set(self, picked: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        return sums_of_set(
            picked, self._labels.tobytes(), self._cache, self.holders.levels.size,
            lambda s: self._ask("su_fs", s), int,
        )  # fmt: skip

    def sum_over_labels(self, g: Callable[[Any], np.ndarray]) -> np.ndarray:
        """Sum g(block) over the labels, for what does not commute with that sum."""
        return sum_over_labels(self.d, self._labels, self._budget, partial(_Block, self), g)

    # ---- what a search asks beside it -----------------------------------------------------------

    def relevance_moments(self, columns: np.ndarray) -> np.ndarray:
        """Moments that give an interval of the relevance; see `credible.relevance_moments`."""
        question = self._question("relevance_moments", more=(columns,))
        return np.concatenate(self.holders.ask(question, ()), axis=1)

    def add_cmi_given_features(
        self, sums: np.ndarray, total: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Add I(a;b|f) of all columns; see `for_search.add_cmi_given_features`."""
        for i in range(self.holders.size):
            question = self._question("add_cmi_given_features", more=(sums, total))
            sums, total = self.holders.ask(question, (), [i])[0]
        return sums, total


class AdjustedColumnsInfo(ColumnsInfo):
    """Information corrected by its expectation: the chain rule takes I(s;L) of another's column."""

    _adjusted = True
    interaction_fsL, cmi_fs_given_L = Info.interaction_fsL, Info.cmi_fs_given_L

    @property
    def plain(self) -> ColumnsInfo:
        """Give the information that is not corrected."""
        return ColumnsInfo(self.holders, self._labels, self._features, self._parents)

    def sum_over_labels(self, g: Callable[[Any], np.ndarray]) -> np.ndarray:
        """Sum g(block) over the labels, for what does not commute with that sum."""
        block_of = partial(_AdjustedBlock, self)
        return sum_over_labels(self.d, self._labels, self._budget, block_of, g)

    def cmi_fL_given_s(self, s: int) -> np.ndarray:
        """sum_l I(f;l|s) = sum_l I(f,s;l) - I(s;l)."""
        difference: np.ndarray = self.joint_fsL(s) - self.mi_sL(s)
        return difference


class _Block:
    """The arrays of some labels that `Info.sum_over_labels` hands to its function."""

    def __init__(self, info: ColumnsInfo, labels: np.ndarray) -> None:
        self._info = info.for_labels(labels)
        self.q = int(labels.size)

    def _ask(self, word: str, *picks: int) -> np.ndarray:
        return self._info._cut(self._info._ask(f"block.{word}", *picks))  # noqa: SLF001

    @property
    def mi_fl(self) -> np.ndarray:
        """I(f;l)."""
        return self._ask("mi_fl")

    cmi_sl_given_f: Any = partialmethod(_ask, "cmi_sl_given_f")
    cmi_fl_given_s: Any = partialmethod(_ask, "cmi_fl_given_s")
    interaction_fsl: Any = partialmethod(_ask, "interaction_fsl")
    joint_fsl, mi_fs = partialmethod(_ask, "joint_fsl"), partialmethod(_ask, "mi_fs")
    h_fsl = partialmethod(_ask, "h_fsl")


class _AdjustedBlock(_Block):
    """Sums over labels of corrected information: I(s;l) may be of another's column."""

    def cmi_sl_given_f(self, s: int) -> np.ndarray:
        """I(s;l|f) = I(f,s;l) - I(f;l)."""
        difference: np.ndarray = self.joint_fsl(s) - self.mi_fl
        return difference

    def cmi_fl_given_s(self, s: int) -> np.ndarray:
        """I(f;l|s) = I(f,s;l) - I(s;l)."""
        difference: np.ndarray = self.joint_fsl(s) - self._info._ask("block.mi_fl")[s]  # noqa: SLF001
        return difference

    def interaction_fsl(self, s: int) -> np.ndarray:
        """I(f;s;l) = I(f;l) - I(f;l|s)."""
        return self.mi_fl - self.cmi_fl_given_s(s)
