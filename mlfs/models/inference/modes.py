"""The joint mode by the quickest exact inference."""

from __future__ import annotations

from mlfs.models.inference.best_first import BestFirst
from mlfs.models.inference.max_sum import MaxSum
from mlfs.models.inference.protocol import Conditionals, Labels
from mlfs.models.inference.skeleton import MOST_PARENTS, in_degree, is_polytree

__all__ = ["mode"]


def mode(conditionals: Conditionals) -> Labels:
    """The most probable label vector of each row: max-sum on polytrees, else best-first search.

    Parameters
    ----------
    conditionals : Conditionals
        A model held against rows.

    Returns
    -------
    ndarray of int8, shape (n_rows, q)
    """
    parents = conditionals.structure.parents
    quick = is_polytree(parents) and in_degree(parents) <= MOST_PARENTS
    return (MaxSum() if quick else BestFirst()).predict(conditionals)
