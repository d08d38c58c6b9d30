"""Information of a Gaussian copula: from correlations of normal scores, without bins.

Numeric columns are normal scores, nominal ones and labels blocks of indicators. All variables are
taken to be jointly normal, so that I(x;y) = -1/2 log(det R_xy / (det R_x det R_y)), which is
-1/2 log(1 - rho^2) for two columns, and conditional information comes from partial correlations.

Sums of products are whole numbers and exact (see `mlfs.discretize.normal_scores`), so threads,
blocks and laziness change no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from mlfs._kernels import gaussian
from mlfs._kernels.gaussian import Candidates, Condition, Scratch, Targets
from mlfs.counting.entries import edges_of
from mlfs.information.gaussian_columns import PIECE, ROWS_A_NANOSECOND, GaussianColumns, Variables
from mlfs.information.imbalance import imbalance
from mlfs.information.info import Info, UnansweredError, answer, read_only

NAME = "the estimator 'gaussian'"


class GaussianInfo(Info):
    """Information of jointly normal variables.

    Parameters
    ----------
    columns : GaussianColumns
        The variables.
    labels : ndarray of int, optional
        The labels in play; all by default.
    features : ndarray of int, optional
        The candidates; all by default.
    parents : tuple of tuple of int, optional
        The parents of every label.
    """

    def __init__(
        self,
        columns: GaussianColumns,
        labels: np.ndarray | None = None,
        features: np.ndarray | None = None,
        parents: tuple[tuple[int, ...], ...] | None = None,
    ) -> None:
        super().__init__(np.arange(columns.q) if labels is None else labels, features, parents)
        self._columns = columns

    @property
    def _name(self) -> str:
        return NAME

    @property
    def _sweep_cost(self) -> float:
        """About how many nanoseconds the products of a pick with all columns take."""
        return self._columns.x.values.size / ROWS_A_NANOSECOND

    @answer
    def features(self) -> np.ndarray:
        """The column numbers of the candidates."""
        return np.arange(self._columns.d) if self._features is None else self._features

    def only(self, features: Any) -> GaussianInfo:
        """A view on some candidates, named by their column numbers."""
        candidates = np.array(features, np.int64)
        return GaussianInfo(self._columns, self._labels, candidates, self._parents)

    def for_labels(self, labels: Any) -> GaussianInfo:
        """A view on some labels."""
        return GaussianInfo(
            self._columns, np.array(labels, np.int64), self._features, self._parents
        )

    @property
    def _is_constant(self) -> np.ndarray:
        """Which candidates have the same value in every row."""
        x = self._columns.x
        varying = edges_of(x.scale > 0)[x.first]
        return (np.diff(varying) == 0)[self.features]

    # ---- information --------------------------------------------------------------------------

    @answer
    def h_f(self) -> np.ndarray:
        """H(f): that of a standard normal variable for a numeric column that varies."""
        return self._columns.x.entropies[self.features]

    @property
    def h_l(self) -> np.ndarray:
        """H(l)."""
        return self._columns.y.entropies[self._labels]

    @property
    def mi_fl(self) -> np.ndarray:
        """I(f;l), (d, q)."""
        return self._make_once("fl", lambda full: full._about_labels(self._labels, per_label=True))  # noqa: SLF001

    @property
    def mi_fL(self) -> np.ndarray:
        """sum_l I(f;l)."""
        return self._make_once("fL", lambda full: full._about_labels(self._labels)[:, 0])  # noqa: SLF001

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s)."""
        if s in self._expected:
            return self._with_expected[:, self._expected.index(s)]
        return self._with_features([s])[:, 0]

    def _expect(self, anchors: Sequence[int]) -> GaussianInfo:
        """Give a view that computes I(f;s) of all these features when one is asked for."""
        view = GaussianInfo(self._columns, self._labels, self._features, self._parents)
        view._expected = list(anchors)
        return view

    _expected: Sequence[int] = ()

    @answer
    def _with_expected(self) -> np.ndarray:
        return self._with_features(self._expected)

    def _with_features(self, features: Sequence[int]) -> np.ndarray:
        """I(f;s) of some features s: (d, features)."""
        x = self._columns.x
        f = self._columns.with_features(features, self._columns_in_play)
        sizes = [len(x.block(s)) for s in features]
        first = edges_of(sizes)
        targets = _targets(first, f, np.zeros((f.shape[1], 0)), [x.block(s) for s in features])
        return self._information(_no_condition(len(f)), targets, per_target=True)

    def mi_sL(self, s: int) -> float:
        """sum_l I(s;l)."""
        return float(self._full_view.mi_fL[s])

    def cmi_fL_given_s(self, s: int) -> np.ndarray:
        """sum_l I(f;l|s)."""
        return self._about_labels(self._labels, [s])[:, 0]

    def cmi_fL_given_S(self, picked: Sequence[int]) -> np.ndarray:
        """sum_l I(f;l|S), all picks of S jointly."""
        return self._about_labels(self._labels, list(picked))[:, 0] if len(picked) else self.mi_fL

    def joint_fssL(self, s: int, t: int) -> np.ndarray:
        """sum_l I(f,s,t;l) = sum_l I(s;l) + I(t;l|s) + I(f;l|s,t)."""
        of_picks = self.mi_sL(s) + float(self._full_view.only([t]).cmi_fL_given_s(s)[0])
        return of_picks + self._about_labels(self._labels, [s, t])[:, 0]

    def cmi_fs_given_s(self, s: int, t: int) -> np.ndarray:
        """I(f;s|t)."""
        x = self._columns.x
        f, given = self._columns.with_features([s], self._columns_in_play), self._condition_on([t])
        z = x.correlations(_span(x, s), x, _span(x, t))
        gaussian.solve(given.lower, z)
        targets = _targets(np.array([0, f.shape[1]]), f, z, [x.block(s)])
        return self._information(given, targets)[:, 0]

    def cmi_sL_given_f(self, s: int) -> np.ndarray:
        """sum_l I(s;l|f) = sum_l I(s;l) + I(f;l|s) - I(f;l)."""
        return np.maximum(self.mi_sL(s) + self.cmi_fL_given_s(s) - self.mi_fL, 0.0)

    @property
    def cmi_fL_given_L(self) -> np.ndarray:
        """Sum over the ordered pairs of different labels of I(f;l|l')."""

        def conditional(full: GaussianInfo) -> np.ndarray:
            total = np.zeros(full.d)
            for i, label in enumerate(self._labels.tolist()):
                others = np.delete(self._labels, i)
                if others.size:
                    total += full._about_labels(others, label=label)[:, 0]
            return total

        return self._make_once("fL|L", conditional)

    @property
    def interaction_fLL(self) -> np.ndarray:
        """Sum over the pairs l < l' of I(f;l;l') = I(f;l) - I(f;l|l')."""
        return ((self.q - 1) * self.mi_fL - self.cmi_fL_given_L) / 2

    @property
    def imbalance(self) -> tuple[np.ndarray, float, float]:
        """IR(l) of the labels in play, and IR and CVIR of all labels of the data set."""
        of_labels, ir, cvir = imbalance(self._columns.positives)
        return of_labels[self._labels], ir, cvir

    def sum_over_labels(self, g: Callable[[Any], np.ndarray]) -> np.ndarray:
        """Sum g(block) over the labels, for what does not commute with that sum.

        Parameters
        ----------
        g : callable
            Takes a block of labels, gives an array (d, labels of the block).
        """
        total = np.zeros(self.d)
        for label in self._labels.tolist():
            total += g(GaussianBlock(self.for_labels([label])))[:, 0]
        return total

    # ---- from correlations --------------------------------------------------------------------

    @cached_property
    def _full_view(self) -> GaussianInfo:
        return GaussianInfo(self._columns, self._labels)

    def _make_once(self, word: str, make: Callable[[GaussianInfo], np.ndarray]) -> np.ndarray:
        """Make an array for all candidates once, and return the part of those of this view."""
        kept, key = self._columns.kept, (word, self._labels.tobytes())
        if key not in kept:
            kept[key] = make(self._full_view)
        return read_only(kept[key] if self._features is None else kept[key][self._features])

    @cached_property
    def _columns_in_play(self) -> np.ndarray:
        """The columns of the candidates."""
        first = self._columns.x.first
        if self._features is None:
            return np.arange(int(first[-1]))
        sizes = first[self._features + 1] - first[self._features]
        ends = np.cumsum(sizes)
        return np.repeat(first[self._features] - ends + sizes, sizes) + np.arange(sizes.sum())

    @cached_property
    def _candidates(self) -> Candidates:
        x = self._columns.x
        flat, starts = x.inner_correlations
        if self._features is None:
            return Candidates(x.first, flat, starts[:-1])
        sizes = x.first[self._features + 1] - x.first[self._features]
        first = edges_of(sizes)
        return Candidates(first, flat, starts[:-1][self._features])

    def _about_labels(
        self,
        labels: np.ndarray,
        picked: Sequence[int] = (),
        *,
        label: int | None = None,
        per_label: bool = False,
    ) -> np.ndarray:
        """I(f;l|z) of some labels, where z is nothing, some features or a label."""
        x, y, fl = self._columns.x, self._columns.y, self._columns.fl
        spans = [np.arange(y.first[l], y.first[l + 1]) for l in labels.tolist()]
        columns = np.concatenate([np.zeros(0, np.int64), *spans])
        first = edges_of([span.size for span in spans])
        f = np.ascontiguousarray(fl[self._columns_in_play][:, columns])
        if len(picked):
            given = self._condition_on(picked)
            z = fl[np.concatenate([_span(x, s) for s in picked])][:, columns].T.copy()
        elif label is not None:
            given = _condition_from(y.block(label), fl[self._columns_in_play][:, y.columns(label)])
            z = self._columns.ll[columns][:, y.columns(label)].copy()
        else:
            given, z = _no_condition(len(f)), np.zeros((columns.size, 0))
        gaussian.solve(given.lower, z)
        targets = _targets(first, f, z, [y.block(l) for l in labels.tolist()])
        return self._information(given, targets, per_target=per_label)

    def _condition_on(self, picked: Sequence[int]) -> Condition:
        """Some features, given jointly."""
        x = self._columns.x
        columns = np.concatenate([_span(x, s) for s in picked])
        if len(picked) == 1:
            correlations = x.block(picked[0])
        else:
            correlations = x.correlations(columns, x, columns)
            np.fill_diagonal(correlations, x.scale[columns] > 0)
        f = [self._columns.with_features([s], self._columns_in_play) for s in picked]
        return _condition_from(correlations, np.concatenate(f, axis=1))

    def _information(
        self, given: Condition, targets: Targets, *, per_target: bool = False
    ) -> np.ndarray:
        n = targets.first.size - 1
        out = np.zeros((self.d, n if per_target else 1))
        candidates = self._candidates
        size = int(np.diff(candidates.first).max(initial=1))
        width = targets.lower.shape[1]
        edges = [*range(0, self.d, PIECE), self.d]

        def work(a: int, b: int) -> None:
            shapes = (size, given.lower.shape[0]), (size, size), (size, width), (width, width)
            scratch = Scratch(*(np.zeros(shape) for shape in shapes))
            gaussian.add_information(candidates, given, targets, scratch, a, b, out)

        jobs = list(pairwise(edges)) if self.d else []
        self._columns.threads.map(work, jobs, min(30 * self.d * n, 1 << 40) if n else 0)
        return out


class GaussianBlock:
    """One label for `Info.sum_over_labels`.

    Parameters
    ----------
    info : GaussianInfo
        The view on this label.
    """

    q = 1

    def __init__(self, info: GaussianInfo) -> None:
        self._info = info

    @property
    def mi_fl(self) -> np.ndarray:
        """I(f;l)."""
        return self._info.mi_fl

    def cmi_sl_given_f(self, s: int) -> np.ndarray:
        """I(s;l|f)."""
        return self._info.cmi_sL_given_f(s)[:, None]

    def cmi_fl_given_s(self, s: int) -> np.ndarray:
        """I(f;l|s)."""
        return self._info.cmi_fL_given_s(s)[:, None]

    def interaction_fsl(self, s: int) -> np.ndarray:
        """I(f;s;l) = I(f;l) - I(f;l|s)."""
        return self._info.interaction_fsL(s)[:, None]

    def joint_fsl(self, s: int) -> np.ndarray:
        """I(f,s;l) = I(f;l) + I(s;l|f)."""
        return self._info.joint_fsL(s)[:, None]

    def mi_fs(self, s: int) -> np.ndarray:
        """I(f;s)."""
        return self._info.mi_fs(s)[:, None]

    def h_fsl(self, s: int) -> np.ndarray:  # noqa: ARG002
        """H(f,s,l), which normal variables do not have."""
        raise UnansweredError(NAME, "h_fsl")


def _span(variables: Variables, j: int) -> np.ndarray:
    """The columns of a variable, as numbers."""
    return np.arange(variables.first[j], variables.first[j + 1])


def _no_condition(rows: int) -> Condition:
    return Condition(np.zeros((0, 0)), np.zeros((rows, 0)))


def _condition_from(correlations: np.ndarray, f: np.ndarray) -> Condition:
    lower = correlations.copy()
    gaussian.factor(lower)
    return Condition(lower, np.ascontiguousarray(f))


def _targets(
    first: np.ndarray, f: np.ndarray, z: np.ndarray, blocks: Sequence[np.ndarray]
) -> Targets:
    """The targets, each with the Cholesky factor of its correlations given z."""
    width = max((len(block) for block in blocks), default=1)
    lower = np.zeros((len(blocks), width, width))
    for t, block in enumerate(blocks):
        part = z[first[t] : first[t + 1]]
        remaining = block - part @ part.T
        gaussian.factor(remaining)
        lower[t, : len(block), : len(block)] = remaining
    return Targets(np.asarray(first, np.int64), np.ascontiguousarray(f), z, lower)
