"""One parent for each label: a maximum spanning tree, as in Bayesian classifier chains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlfs.errors import UnknownName
from mlfs.models.structures.spanning import away_from_roots, spanning_forest, strongest_first
from mlfs.models.structures.structure_learner import LabelPairs, StructureLearner
from mlfs.search.label_parents import Structure, parents_first

if TYPE_CHECKING:
    from mlfs.models.problem import Problem

__all__ = ["OneParent"]

ROOTS = {
    "random": "the root is drawn",
    "strongest": "the root is the label that shares most with all others",
}
STREAM = 2  # of the random numbers of a problem


class OneParent(StructureLearner):
    """The maximum spanning tree on I(a;b) / min(H(a), H(b)), directed away from a root.

    Labels that share nothing with any other, constant ones among them, have no parent, so it may
    be several trees.

    Parameters
    ----------
    root : {"random", "strongest"}
        ``random``: drawn, as in the papers on BCC. ``strongest``: the label that shares most
        with all others together.

    Notes
    -----
    The weights of the structure are I(a;b) / min(H(a), H(b)).
    """

    def __init__(self, root: str = "random") -> None:
        self.root = root

    def learn(self, problem: Problem) -> Structure:
        """The tree on the labels of a problem."""
        if self.root not in ROOTS:
            raise UnknownName("root of the tree", str(self.root), ROOTS)
        shared = LabelPairs.of(problem).normalised
        if self.root == "random":
            first = problem.generator(STREAM).permutation(problem.q).tolist()
        else:
            first = strongest_first(shared)
        edges = away_from_roots(spanning_forest(shared), problem.q, first)
        parents: list[tuple[int, ...]] = [()] * problem.q
        for parent, child in edges:
            parents[child] = (parent,)
        note = f"maximum spanning tree on I(a;b) / min(H(a), H(b)); {ROOTS[self.root]}"
        weights = {edge: float(shared[edge]) for edge in edges}
        return Structure(
            "tree", problem.names, parents_first(parents), tuple(parents), weights, note
        )
