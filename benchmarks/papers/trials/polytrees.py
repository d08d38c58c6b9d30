"""Other readings of how a polytree of labels is learned, and of its features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import chi2

import mlfs
from mlfs import Info
from mlfs.criteria.mlcfs import MLCFS
from mlfs.information.for_search import with_parents
from mlfs.models import LDF
from mlfs.models.features import Features
from mlfs.models.inference import Inference
from mlfs.models.structures import Polytree, StructureLearner
from mlfs.models.structures.chains import LabelInformation
from mlfs.models.structures.held_out import HeldOut, held_out
from mlfs.models.structures.polytree import (
    DECIMALS,
    conditional_information,
    directed_by_tests,
    neighbours_of,
    spanning_forest,
    with_earlier,
)
from mlfs.search.greedy import best_first
from mlfs.search.label_parents import Structure, parents_first

__all__ = [
    "Backward",
    "Doubled",
    "EarlierLabels",
    "FirstStage",
    "InFileOrder",
    "NotEmpty",
    "OneAtLeast",
    "OtherTests",
    "WholeData",
]


class OtherTests(Polytree):
    """The polytree whose edges are directed by another test of independence.

    Parameters
    ----------
    test : {"pearson", "share"}
        Pearson's chi-squared in place of the G-test, or that of the authors' program: the pair
        shares less than a fifth of what the label shares with the weakest of its neighbours.
    """

    def __init__(
        self,
        test: str = "share",
        weights: str = "conditional",
        alpha: float = 0.05,
        max_parents: int | None = 4,
        folds: float = 3,
    ) -> None:
        super().__init__(weights, alpha, max_parents, folds)
        self.test = test

    def learn(self, problem: Any) -> Structure:
        """The polytree on the labels of a problem."""
        pairs = LabelInformation.of(problem)
        shared = pairs.normalised
        if self.weights == "conditional":
            shared = np.round(conditional_information(problem, self.folds), DECIMALS)
        edges = spanning_forest(shared)
        if self.test == "share":
            statistic, independent = shared, _weak(edges, shared)
        else:
            statistic = _pearson(problem.Y)
            independent = chi2.sf(statistic, 1) >= self.alpha
        directed = directed_by_tests(edges, shared, independent, statistic, self.max_parents)
        return _structure(problem, directed, shared)


class WholeData(Polytree):
    """The polytree whose skeleton is learned on the rows that its classifiers have seen."""

    def learn(self, problem: Any) -> Structure:
        """The polytree on the labels of a problem."""
        pairs = LabelInformation.of(problem)
        held = held_out(problem, 0.5)
        every = np.arange(problem.n_rows)
        held = HeldOut(held.problem, [(every, every)])
        shared = np.zeros((problem.q, problem.q))
        alone = held.over_labels(HeldOut.alone)
        for label in range(problem.q):
            others = [other for other in range(problem.q) if other != label]
            for other, given in held.given_each(label, others):
                gain = given * np.log(given / alone[label])
                gain += (1 - given) * np.log((1 - given) / (1 - alone[label]))
                expected = (1 - alone[other]) * gain[0] + alone[other] * gain[1]
                shared[label, other] = expected.mean()
        shared = np.round((shared + shared.T) / 2, DECIMALS)
        edges = spanning_forest(shared)
        independent = chi2.sf(pairs.g, 1) >= self.alpha
        return _structure(
            problem, directed_by_tests(edges, shared, independent, pairs.g, 4), shared
        )


class EarlierLabels(StructureLearner):
    """`Polytree(earlier=...)` for the other polytrees here.

    Parameters
    ----------
    polytree : StructureLearner
        Gives the order and the first parents.
    least : float
        The normalised information from which on an earlier label is a parent.
    """

    def __init__(self, polytree: StructureLearner, least: float = 0.0005) -> None:
        self.polytree, self.least = polytree, least

    def learn(self, problem: Any) -> Structure:
        """The chain on the labels of a problem."""
        return with_earlier(self.polytree.learn(problem), LabelInformation.of(problem), self.least)


class InFileOrder(Inference):
    """Greedy decisions in the order of the file; a parent that comes later counts as 0.

    So does the authors' program with a label that its order puts before one of its parents.
    """

    needs_probabilities = False

    def predict(self, conditionals: Any) -> np.ndarray:
        """The label vector of each row."""
        found = np.zeros((conditionals.n_rows, conditionals.q), dtype=np.int8)
        for label, parents in enumerate(conditionals.structure.parents):
            found[:, label] = conditionals.decide(label, slice(None), found[:, list(parents)])
        return found


class Backward(LDF):
    """LDF whose second stage drops features one by one and knows no parents.

    So does the authors' program (Weka's CFS with a backward search).
    """

    def after(self, problem: Any, structure: Structure, before: Features) -> Features:
        """What is left of the first stage."""
        del structure
        ready = problem.prepared()
        with_label = mlfs.information.symmetrical_uncertainty(ready.features, ready.labels)
        among = mlfs.information.symmetrical_uncertainty(ready.features, ready.features)
        return tuple(
            _left(np.sort(columns), among, with_label[:, label])
            for label, columns in enumerate(before)
            if columns is not None
        )


class FirstStage(LDF):
    """LDF without its second stage."""

    def after(self, problem: Any, structure: Structure, before: Features) -> Features:
        """What the first stage kept."""
        del problem, structure
        return before


class Doubled(LDF):
    """LDF with eq. (21) as printed, whose second mean is twice that of the pairs."""

    def after(self, problem: Any, structure: Structure, before: Features) -> Features:
        """What the second stage keeps."""
        info = with_parents(problem.prepared().info, structure.parents)
        chosen = []
        for label, columns in enumerate(before):
            assert columns is not None
            found = best_first(
                _Doubled(), info.for_label(label).only(np.sort(columns)), name="doubled"
            )
            chosen.append(found.picks.columns.astype(np.intp))
        return tuple(chosen)


class NotEmpty(LDF):
    """LDF whose labels keep all of the first stage where the second leaves nothing."""

    def after(self, problem: Any, structure: Structure, before: Features) -> Features:
        """What the second stage keeps, if anything."""
        found = super().after(problem, structure, before)
        both = zip(found, before, strict=True)
        return tuple(own if own is not None and own.size else first for own, first in both)


class OneAtLeast(LDF):
    """LDF whose second stage does not compare with the parents alone."""

    def after(self, problem: Any, structure: Structure, before: Features) -> Features:
        """What the second stage keeps: at least one feature."""
        info = with_parents(problem.prepared().info, structure.parents)
        chosen = []
        for label, columns in enumerate(before):
            assert columns is not None
            own = info.for_label(label).only(np.sort(columns))
            chosen.append(best_first(_OneAtLeast(), own, name="one").picks.columns.astype(np.intp))
        return tuple(chosen)


class _OneAtLeast(MLCFS):
    def merit_of_nothing(self, info: Info) -> float:
        del info
        return -1.0


class _Doubled(MLCFS):
    def merit(self, info: Info, picked: list[int]) -> Any:
        single = super().merit(info, picked)
        n = len(info.su_pl) + len(picked) + 1
        inside = info.only(picked)
        top = info.su_pl.sum() + inside.su_fl.sum() + info.su_fl[:, 0]
        under = np.divide(top**2, single**2, out=np.full_like(top, n), where=single > 0)
        return top / np.sqrt(n + 2 * (under - n))


def _left(columns: np.ndarray, among: np.ndarray, with_label: np.ndarray) -> np.ndarray:
    """The columns that are left when each step that does not lower the merit is taken."""
    relevance, alive = with_label[columns], np.ones(columns.size, dtype=bool)
    among = among[np.ix_(columns, columns)]
    np.fill_diagonal(among, 0.0)
    inside, total = among.sum(axis=1), relevance.sum()
    best = -1.0
    while alive.sum() > 1:
        k = alive.sum() - 1
        pairs = inside[alive].sum() / 2 - inside
        merit = np.where(alive, (total - relevance) / np.sqrt(k + 2 * np.maximum(pairs, 0)), -1)
        worst = int(merit.argmax())
        if merit[worst] < best:
            break
        best = merit[worst]
        alive[worst] = False
        inside -= among[worst]
        total -= relevance[worst]
    return columns[alive].astype(np.intp)


def _weak(edges: list[tuple[int, int]], shared: np.ndarray) -> np.ndarray:
    """Which pairs with a common neighbour share less than a fifth of its weakest edge."""
    weak = np.zeros(shared.shape, dtype=bool)
    for label, beside in enumerate(neighbours_of(edges, len(shared))):
        if len(beside) > 1:
            least = 0.2 * shared[label, beside].min()
            weak[np.ix_(beside, beside)] = shared[np.ix_(beside, beside)] < least
    return weak


def _pearson(Y: np.ndarray) -> np.ndarray:
    """Pearson's statistic of all pairs of labels."""
    y = Y.astype(float)
    varies = y.std(axis=0) > 0
    out = np.zeros((y.shape[1],) * 2)
    out[np.ix_(varies, varies)] = len(y) * np.corrcoef(y[:, varies].T) ** 2
    return out


def _structure(problem: Any, directed: Any, shared: np.ndarray) -> Structure:
    parents: list[list[int]] = [[] for _ in range(problem.q)]
    for parent, child in directed:
        parents[child].append(parent)
    every = tuple(tuple(sorted(given)) for given in parents)
    weights = {edge: float(shared[edge]) for edge in directed}
    return Structure("polytree", problem.names, parents_first(parents), every, weights)
