"""How label structures are learned: one small class each, with `learn(problem)`.

====================  ========================================================================
Independent           no parents
Chain                 an order with all predecessors; given, random, or by Algorithm 2
KParents              an order with the k best predecessors by eq. (33)
OneParent             a maximum spanning tree on normalised information (BCC)
Polytree              the same on conditional information, edges directed by tests (PACC)
Arborescence          the tree of greatest held-out conditional log-likelihood (CTBN)
SwappedOrder          an order with all predecessors, found by random swaps (MCC)
Given                 what the user says
====================  ========================================================================

`chains` (with their base), `polytree` (trees too) and `arborescence` have the classes.
`held_out` estimates likelihoods by logistic regressions, which `mlfs.models.logistic` solves.

Each is a parameter object as scikit-learn knows them: it can be cloned, printed and searched over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlfs.errors import UsageError, check_name, printable
from mlfs.models.structures.arborescence import Arborescence
from mlfs.models.structures.chains import (
    Chain,
    Given,
    Independent,
    KParents,
    StructureLearner,
    SwappedOrder,
)
from mlfs.models.structures.polytree import OneParent, Polytree
from mlfs.search.label_parents import Structure

__all__ = [
    "Arborescence",
    "Chain",
    "Given",
    "Independent",
    "KParents",
    "OneParent",
    "Polytree",
    "StructureLearner",
    "SwappedOrder",
    "learner_for",
]

OURS: dict[str, Callable[[], StructureLearner]] = {
    "independent": Independent,
    "chain": Chain,
    "k_parents": KParents,
    "one_parent": OneParent,
    "polytree": Polytree,
    "arborescence": Arborescence,
}


def learner_for(structure: Any) -> StructureLearner:
    """The learner that a user means: a learner, a structure, parents by label, or a name.

    Examples
    --------
    >>> learner_for("polytree")
    Polytree()
    >>> learner_for({"sad": ["calm"]})
    Given(structure={'sad': ['calm']})
    """
    if structure is None:
        return Independent()
    if isinstance(structure, StructureLearner):
        return structure
    if isinstance(structure, (Structure, Mapping)):
        return Given(structure)
    if isinstance(structure, str):
        check_name(structure, "label structure", OURS)
        return OURS[structure]()
    if callable(getattr(structure, "learn", None)) and not isinstance(structure, type):
        return structure
    msg = (
        "structure is a learner such as Polytree(), a Structure, a mapping from labels to their "
        f"parents, or a name, not {printable(repr(structure))}"
    )
    raise UsageError(msg)
