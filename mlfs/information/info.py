"""Info: entropies and mutual information, asked for by name; what criteria see of the data.

The suffix of a name says which axes the array has:

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

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs.errors import CriterionError

if TYPE_CHECKING:
    from mlfs.information.label_block import LabelBlock


VOCABULARY = (
    *("d", "q", "features", "labels", "parents"),
    *("h_f", "h_l", "mi_fl", "mi_fL", "mi_fs"),
    *("h_f_where_s", "h_s_where_f", "by_rows"),
    *("cmi_sL_given_f", "cmi_fL_given_s", "interaction_fsL", "joint_fsL"),
    *("h_s", "mi_sL", "cmi_fs_given_L", "cmi_fL_given_L"),
    *("cmi_fL_given_S", "joint_fssL", "cmi_fs_given_s"),
    *("gini_fL", "gini_fsL"),
    *("label_term", "interaction_fLL"),
    *("su_fl", "su_fs", "su_fS", "su_SS", "su_fp", "su_pl", "su_pp"),
    *("imbalance", "sum_over_labels", "only", "for_label", "for_labels"),
)


def read_only(values: np.ndarray) -> np.ndarray:
    """Give numbers that cannot be changed in place: all criteria ask for the same arrays."""
    view = values.view()
    view.setflags(write=False)
    return view


KINDS = {
    "h_": "entropy",
    "su_": "symmetrical uncertainty",
    "gini_": "Gini index",
    "imbalance": "imbalance of labels",
    "label_term": "correlation of labels",
    "interaction_fLL": "interaction of pairs of labels",
    "sum_over_labels": "sums over labels of a function of one label's information",
    "mi_": "mutual information",
    "cmi_": "conditional information",
    "joint_": "information of several columns together",
    "interaction_": "interaction information",
    "independence": "test of independence",
    "by_rows": "information on the rows that a label knows",
}


class answer(cached_property[np.ndarray]):  # noqa: N801  # a decorator, like cached_property
    """An array that is computed when it is first asked for, and is read-only."""

    def __init__(self, compute: Callable[[Any], np.ndarray]) -> None:
        super().__init__(lambda info: read_only(compute(info)))
        self.__doc__ = compute.__doc__


class UnansweredError(CriterionError):
    """A criterion asks for a word that an estimator does not give."""

    def __init__(self, estimator: str, word: str) -> None:
        super().__init__(f"{estimator} gives no {spoken(word)}: use another estimator or criterion")
        self.word = word


def spoken(word: str) -> str:
    """The kind of quantity that a word of the vocabulary stands for.

    Examples
    --------
    >>> spoken("h_f"), spoken("su_fl")
    ('entropy', 'symmetrical uncertainty')
    """
    return next((kind for start, kind in KINDS.items() if word.startswith(start)), word)


class Info:
    """Entropies and mutual information of some candidates and some labels.

    This is the interface that criteria know. `Info.from_codes` gives the exact one, made of
    counts; another estimator is another subclass, which overrides what it can answer.

    Parameters
    ----------
    labels : ndarray of int
        The labels in play.
    features : ndarray of int
        The candidates.
    parents : tuple of tuple of int, optional
        The parents of every label of the data set, for criteria that want a network.

    Examples
    --------
    >>> import numpy as np
    >>> info = Info.from_codes([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]])
    >>> np.round(info.mi_fL / np.log(2), 9).tolist()
    [1.0, 0.0]
    """

    _floor: float = 0.0  # the least information there can be; -inf where it is corrected for bias

    def __init__(
        self,
        labels: np.ndarray,
        features: np.ndarray | None,
        parents: tuple[tuple[int, ...], ...] | None = None,
    ) -> None:
        self._labels, self._features = labels, features
        self._parents = parents if parents is None else tuple(parents)

    @staticmethod
    def from_codes(
        features: Any,
        labels: Any,
        *,
        weights: Any = None,
        parents: Sequence[tuple[int, ...]] | None = None,
        n_jobs: int = 1,
    ) -> Info:
        """Make an exact Info of two matrices of small integers; -1 is missing.

        Parameters
        ----------
        features, labels : array-like of int, shapes (N, d) and (N, q), or Codes
            The coded data.
        weights : array-like of int, optional
            How often each row counts.
        parents : sequence of tuple of int, optional
            The parents of each label.
        n_jobs : int
            Threads.
        """
        from mlfs.information.exact import exact_info

        return exact_info(
            features,
            labels,
            weights=weights,
            parents=parents,
            n_jobs=n_jobs,
        )

    @property
    def _name(self) -> str:
        return type(self).__name__

    def _unanswered(self, word: str) -> CriterionError:
        return UnansweredError(self._name, word)

    # ---- axes and views -----------------------------------------------------------------------

    @property
    def features(self) -> np.ndarray:
        """The column numbers of the candidates."""
        raise self._unanswered("features")

    @property
    def labels(self) -> np.ndarray:
        """The column numbers of the labels in play."""
        return read_only(self._labels)

    @cached_property
    def d(self) -> int:
        """The number of candidates."""
        return int(self.features.size)

    @cached_property
    def q(self) -> int:
        """The number of labels in play."""
        return int(self._labels.size)

    def only(self, features: Any) -> Info:  # noqa: ARG002  # for overriding, as below
        """A view on some candidates, named by their column numbers."""
        raise self._unanswered("only")

    def for_label(self, label: int) -> Info:
        """A view on one label."""
        return self.for_labels([label])

    def for_labels(self, labels: Any) -> Info:  # noqa: ARG002
        """A view on some labels."""
        raise self._unanswered("for_labels")

    @property
    def by_rows(self) -> tuple[Info, ...]:
        """Views on the labels that are known in the same rows; one, where all labels are known."""
        return (self,)

    def parents(self, label: int) -> tuple[int, ...]:
        """The parents of a label in the label network."""
        if self._parents is None:
            msg = "this criterion asks for the parents of labels, but says network = False"
            raise CriterionError(msg)
        return self._parents[label]

    # ---- entropies and mutual information -----------------------------------------------------

    @property
    def h_f(self) -> np.ndarray:
        """H(f)."""
        raise self._unanswered("h_f")

    @property
    def h_l(self) -> np.ndarray:
        """H(l)."""
        raise self._unanswered("h_l")

    @property
    def mi_fl(self) -> np.ndarray:
        """I(f;l), (d, q)."""
        raise self._unanswered("mi_fl")

    @property
    def mi_fL(self) -> np.ndarray:  # the suffix L is the notation of the field
        """sum_l I(f;l)."""
        raise self._unanswered("mi_fL")

    def mi_fs(self, s: int) -> np.ndarray:  # noqa: ARG002
        """I(f;s)."""
        raise self._unanswered("mi_fs")

    def cmi_sL_given_f(self, s: int) -> np.ndarray:  # noqa: ARG002
        """sum_l I(s;l|f)."""
        raise self._unanswered("cmi_sL_given_f")

    def cmi_fL_given_s(self, s: int) -> np.ndarray:  # noqa: ARG002
        """sum_l I(f;l|s)."""
        raise self._unanswered("cmi_fL_given_s")

    def interaction_fsL(self, s: int) -> np.ndarray:
        """sum_l I(f;s;l), I(f;s;l) = I(f;s) - I(f;s|l) = I(f;l) - I(f;l|s)."""
        return self.mi_fL - self.cmi_fL_given_s(s)

    def joint_fsL(self, s: int) -> np.ndarray:
        """sum_l I(f,s;l), I(f,s;l) = I(f;l) + I(s;l|f)."""
        return self.mi_fL + self.cmi_sL_given_f(s)

    def cmi_fs_given_L(self, s: int) -> np.ndarray:
        """sum_l I(f;s|l), I(f;s|l) = I(f;s) - I(f;s;l)."""
        return np.maximum(self.q * self.mi_fs(s) - self.interaction_fsL(s), self._floor)

    def h_s(self, s: int) -> float:
        """H(s), a number."""
        return float(self.only([s]).h_f[0])

    def mi_sL(self, s: int) -> float:
        """sum_l I(s;l), a number."""
        return float(self.only([s]).mi_fL[0])

    def h_f_where_s(self, s: int) -> np.ndarray:  # noqa: ARG002
        """H(f) on the rows of I(f;s): those in which s is known too."""
        return self.h_f

    def h_s_where_f(self, s: int) -> np.ndarray:
        """H(s) on the rows of I(f;s): those in which f is known too, (d,)."""
        return np.full(self.d, self.h_s(s))

    @property
    def cmi_fL_given_L(self) -> np.ndarray:
        """Sum over the ordered pairs of different labels of I(f;l|l')."""
        raise self._unanswered("cmi_fL_given_L")

    def _weighted_parents(self, beta: Any) -> Iterator[tuple[int, tuple[int, ...], float]]:
        """The labels with parents that have a weight, the parents, and the weight."""
        parents = [self.parents(label) for label in self._labels.tolist()]
        weights = [1.0 / max(1, len(pa)) for pa in parents]
        if beta is not None:
            weights = np.broadcast_to(np.asarray(beta, float), (self.q,)).tolist()
        for label, pa, weight in zip(self._labels.tolist(), parents, weights, strict=True):
            if pa and weight != 0:
                yield label, pa, weight

    def label_term(self, beta: Any = None) -> np.ndarray:  # noqa: ARG002
        """sum_l beta_l sum_{p in pa(l)} I(l;p|f).

        Parameters
        ----------
        beta : float or array of shape (q,), optional
            The weight of each label; 1/\\|pa(l)\\| by default.
        """
        raise self._unanswered("label_term")

    @property
    def interaction_fLL(self) -> np.ndarray:
        """Sum over the pairs l < l' of I(f;l;l') = I(l;l') - I(l;l'|f)."""
        raise self._unanswered("interaction_fLL")

    # ---- several picks ------------------------------------------------------------------------

    def cmi_fL_given_S(self, picked: Sequence[int]) -> np.ndarray:  # noqa: ARG002
        """sum_l I(f;l|S), all picks of S jointly."""
        raise self._unanswered("cmi_fL_given_S")

    def joint_fssL(self, s: int, t: int) -> np.ndarray:  # noqa: ARG002
        """sum_l I(f,s,t;l) for two picks."""
        raise self._unanswered("joint_fssL")

    def cmi_fs_given_s(self, s: int, t: int) -> np.ndarray:  # noqa: ARG002
        """I(f;s|t) for two picks."""
        raise self._unanswered("cmi_fs_given_s")

    # ---- Gini impurity ------------------------------------------------------------------------

    @property
    def gini_fL(self) -> np.ndarray:
        """sum_l G(f;l), the gain in impurity G(x;l) = sum_xl p(x,l)^2 / p(x) - sum_l p(l)^2."""
        raise self._unanswered("gini_fL")

    def gini_fsL(self, s: int) -> np.ndarray:  # noqa: ARG002
        """sum_l G(f,s;l)."""
        raise self._unanswered("gini_fsL")

    # ---- symmetrical uncertainties, for the merit ---------------------------------------------

    @property
    def su_fl(self) -> np.ndarray:
        """SU(f,l), (d, q)."""
        raise self._unanswered("su_fl")

    def su_fs(self, s: int) -> np.ndarray:  # noqa: ARG002
        """SU(f,s)."""
        raise self._unanswered("su_fs")

    def su_fS(self, picked: Sequence[int]) -> np.ndarray:  # noqa: ARG002
        """sum_{s in S} SU(f,s), in the order of the picks; the sums of shorter S are kept."""
        raise self._unanswered("su_fS")

    def su_SS(self, picked: Sequence[int]) -> float:  # noqa: ARG002
        """The sum of SU over the pairs of picked features."""
        raise self._unanswered("su_SS")

    @property
    def su_fp(self) -> np.ndarray:
        """SU(f,p) for the parents p of the one label in play, (d, parents)."""
        raise self._unanswered("su_fp")

    @property
    def su_pl(self) -> np.ndarray:
        """SU(p,l) for the parents p of the one label in play."""
        raise self._unanswered("su_pl")

    @property
    def su_pp(self) -> np.ndarray:
        """SU(p,p') among the parents of the one label in play."""
        raise self._unanswered("su_pp")

    # ---- the rest -----------------------------------------------------------------------------

    @property
    def imbalance(self) -> tuple[np.ndarray, float, float]:
        """IR(l) of the labels in play, and IR and CVIR of all labels of the data set."""
        raise self._unanswered("imbalance")

    def sum_over_labels(self, g: Callable[[LabelBlock], np.ndarray]) -> np.ndarray:  # noqa: ARG002
        """Sum g(block) over the labels, for what does not commute with that sum.

        Parameters
        ----------
        g : callable
            Takes a `LabelBlock`, gives an array (d, labels of the block).
        """
        raise self._unanswered("sum_over_labels")
