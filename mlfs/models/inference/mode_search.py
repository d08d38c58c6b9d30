"""The joint mode by best-first search in the probability tree: exact, or within epsilon."""

from __future__ import annotations

import warnings

import numpy as np

from mlfs.models.inference.contract import (
    TIE,
    Conditionals,
    Floats,
    Inference,
    Ints,
    Labels,
    Nodes,
    best_leaves,
    blocks,
    fan,
    later,
    real,
    refuse_without_probabilities,
    table_of,
    walk,
    whole,
)
from mlfs.models.inference.max_sum import MaxSum, is_small_polytree
from mlfs.models.parameters import parameters

ROWS = 4096
CELLS = 1 << 20
FEWEST = 1024
WIDE_CELLS = 1 << 24
WIDTH = 4
WIDE = 64  # of the beam for rows that are given up
SURE = float(np.log(0.5)) + TIE  # no other vector is as probable as one above a half


@parameters
class BestFirst(Inference):
    """The most probable label vector; with epsilon above 0, one that is nearly as probable.

    What Algorithm 2 of Dembczynski, Waegeman & Huellermeier (2012) returns (with epsilon set to 0
    before its second loop), found for many rows at the same time. Nodes less probable than the
    best leaf so far are cut off, and so are those less probable than epsilon, from which the
    greedy way down is taken if no leaf reaches epsilon. The prediction has a probability of at
    most ``epsilon - 2**-q`` less than the mode's, and is the mode if that has epsilon or more;
    epsilon = 0 always finds the mode, epsilon = 0.5 nearly is greedy inference.

    Parameters
    ----------
    epsilon : float, default=0.0
        From 0 to less than 1.
    max_nodes : int or None, default=100_000
        Give up on a row after this number of nodes, with a warning, and take the best vector so
        far, or that of a beam of width 64 if it is better. This happens only in long chains, whose
        modes are very improbable. None never gives up.

    Notes
    -----
    Probabilities that differ by less than a share of 1e-10 are equal. Of equally probable vectors
    the lowest is returned: the one with the 0 at the first label in which they differ. On trees
    and on polytrees of at most 12 parents, `MaxSum` finds the same mode and is used.

    Examples
    --------
    >>> from mlfs.models.inference import BestFirst
    >>> BestFirst(epsilon=0.25)
    BestFirst(epsilon=0.25)
    """

    epsilon: float = 0.0
    max_nodes: int | None = 100_000

    def check(self) -> None:
        """Refuse parameters that cannot be, before anything is trained."""
        _floor(self.epsilon)
        if self.max_nodes is not None:
            whole(self.max_nodes, "max_nodes")

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "best-first search")
        floor = _floor(self.epsilon)
        most = np.inf if self.max_nodes is None else whole(self.max_nodes, "max_nodes")
        if np.isneginf(floor) and is_small_polytree(conditionals.structure.parents):
            return MaxSum().predict(conditionals)
        out = np.zeros((conditionals.n_rows, conditionals.q), dtype=np.int8)
        given_up = 0
        for rows in blocks(conditionals.n_rows, 1, ROWS):
            greedy = Nodes.roots(np.arange(len(rows)), conditionals.q)
            walk(conditionals, rows, greedy.labels, greedy.scores)
            out[rows] = greedy.labels
            unsure = np.flatnonzero(greedy.scores <= max(SURE, floor))
            if unsure.size:
                search = _TreeSearch(conditionals, rows[unsure], greedy.some(unsure), floor)
                search.run(most)
                given_up += search.give_up(most)
                out[rows[unsure]] = search.best.labels
        if given_up:
            warnings.warn(
                f"best-first search gave up on {given_up} of {conditionals.n_rows} rows after "
                f"{self.max_nodes} nodes each: they have the best label vector found so far, "
                f"or that of a beam of width {WIDE} (raise max_nodes, or set epsilon above 0)",
                stacklevel=2,
            )
        return out


class _TreeSearch:
    """The search of one block of rows; it knows rows by their place in the block."""

    def __init__(self, conditionals: Conditionals, rows: Ints, greedy: Nodes, floor: float) -> None:
        self.conditionals, self.rows = conditionals, rows
        self.best = Nodes(greedy.depth, np.arange(len(rows)), greedy.labels, greedy.scores)
        if np.isneginf(floor):
            self.best = best_leaves(Nodes.join([self.best, fan(conditionals, rows, WIDTH)]))
        # rows without a leaf that reaches epsilon, so far
        self.below = self.best.scores < floor - TIE
        # the best score so far, which that of `best` may miss by a tie; what a leaf must reach
        self.top = np.where(self.below, floor, self.best.scores)
        self.bar = self.top - TIE
        self.suffix_bound = suffix_bounds(conditionals, rows)
        self.suffix_bound[:, self.below] = 0.0  # Algorithm 2 compares the nodes with epsilon
        self.spent: Floats = np.zeros(len(rows))
        self.cut: list[Nodes] = []

    def run(self, most: float) -> None:
        q = self.conditionals.q
        largest = max(FEWEST, CELLS // q)
        stack = [Nodes.roots(np.arange(len(self.rows)), q)]
        while stack:
            nodes = self._open(stack.pop(), most)
            if len(nodes) > largest:
                promise = self._ceiling(nodes) - self.best.scores[nodes.rows]
                order = np.argsort(-promise, kind="stable")
                stack.append(nodes.some(np.sort(order[largest:])))
                nodes = nodes.some(np.sort(order[:largest]))
            if not len(nodes):
                continue
            children = self._expand(nodes)
            if children.depth < q:
                stack.append(children)
            elif len(children):
                self._take(children)
        self._walk_from_cut()

    def give_up(self, most: float) -> int:
        """Take the leaf of a wide beam, if it is better, where too many nodes were needed."""
        unfinished = np.flatnonzero(self.spent > most)
        for part in blocks(len(unfinished), WIDE * self.conditionals.q, WIDE_CELLS):
            places = unfinished[part]
            leaves = fan(self.conditionals, self.rows[places], WIDE)
            leaves = Nodes(leaves.depth, places[leaves.rows], leaves.labels, leaves.scores)
            self._keep(best_leaves(Nodes.join([self.best.some(places), leaves])))
        return len(unfinished)

    def _ceiling(self, nodes: Nodes) -> Floats:
        return np.asarray(nodes.scores + self.suffix_bound[nodes.depth, nodes.rows])

    def _open(self, nodes: Nodes, most: float) -> Nodes:
        """The nodes that can still lead to a better vector, or to an equal one that is lower."""
        ceiling = self._ceiling(nodes)
        keep = (ceiling >= self.bar[nodes.rows]) & (self.spent[nodes.rows] <= most)
        settled = np.flatnonzero(
            keep & ~self.below[nodes.rows] & (ceiling <= self.best.scores[nodes.rows])
        )
        if settled.size:
            best = self.best.labels[nodes.rows[settled]]
            keep[settled] = later(best, nodes.labels[settled])
        return nodes if keep.all() else nodes.some(keep)

    def _expand(self, nodes: Nodes) -> Nodes:
        self.spent += np.bincount(nodes.rows, minlength=len(self.rows))
        scores = nodes.child_scores(self.conditionals, self.rows)
        needed = self.bar[nodes.rows] - self.suffix_bound[nodes.depth + 1, nodes.rows]
        keep = scores >= needed[:, None]
        dead = self.below[nodes.rows] & ~keep.any(axis=1)
        if dead.any():
            self.cut.append(nodes.some(dead))
        return nodes.children(self.conditionals, scores, keep)

    def _take(self, leaves: Nodes) -> None:
        np.maximum.at(self.top, leaves.rows, leaves.scores)
        fresh = best_leaves(leaves, self.top)
        best = self.best.some(fresh.rows[~self.below[fresh.rows]])
        fresh = best_leaves(Nodes.join([best, fresh]), self.top)
        self.below[fresh.rows] = False
        self._keep(fresh)
        self.bar[fresh.rows] = self.top[fresh.rows] - TIE

    def _keep(self, fresh: Nodes) -> None:
        self.best.labels[fresh.rows] = fresh.labels
        self.best.scores[fresh.rows] = fresh.scores

    def _walk_from_cut(self) -> None:
        """The second loop of Algorithm 2, for the rows in which no leaf reaches epsilon."""
        cut = [nodes.some(self.below[nodes.rows]) for nodes in self.cut]
        for depth in range(self.conditionals.q):
            at_depth = [nodes for nodes in cut if nodes.depth == depth and len(nodes)]
            if at_depth:
                nodes = Nodes.join(at_depth)
                walk(self.conditionals, self.rows[nodes.rows], nodes.labels, nodes.scores, depth)
                best = self.best.some(np.unique(nodes.rows))
                self._keep(best_leaves(Nodes.join([best, nodes])))


def _floor(epsilon: float) -> float:
    real(epsilon, "epsilon is a number from 0 to less than 1", lambda x: 0 <= x < 1)
    return float(np.log(epsilon)) if epsilon else -np.inf


FEW_PARENTS = 4


def suffix_bounds(conditionals: Conditionals, rows: Ints) -> Floats:
    """An upper bound of log P(labels from a depth on | x, labels before), (q + 1, len(rows)).

    For a label with few parents it is the best of its table, which makes the search as quick as
    greedy inference where labels are independent. Where a label has all its predecessors as
    parents, 0 is taken: all that is known when it matters is known exactly.
    """
    structure = conditionals.structure
    bounds = np.zeros((conditionals.q + 1, len(rows)))
    for place in range(conditionals.q - 1, -1, -1):
        label = structure.order[place]
        bounds[place] = bounds[place + 1]
        k = len(structure.parents[label])
        if k <= FEW_PARENTS and k < place:
            bounds[place] += table_of(conditionals, label, rows).max(axis=(1, 2))
    return bounds


def mode(conditionals: Conditionals) -> Labels:
    """The most probable label vector of each row: max-sum on polytrees, else best-first search.

    Parameters
    ----------
    conditionals : Conditionals
        A model applied to rows.

    Returns
    -------
    ndarray of int8, shape (n_rows, q)
    """
    return BestFirst().predict(conditionals)
