"""From P(label | x, parents) to label vectors: inference on any structure, for many rows at once.

Each inference is a parameter object with ``predict(conditionals)``; what it is given is anything
that has the members of `contract.Conditionals`, such as a fitted model applied to rows.

Along the order: `contract` (greedy, beams), `mode_search` (best-first). On trees and
polytrees: `max_sum`, which also gives P(label | x). Any structure: `monte_carlo` (samples,
annealing), and `decisions`, which look at all label vectors and decide for a loss.
"""

from __future__ import annotations

from typing import Any

from mlfs.errors import UsageError, check_name, printable
from mlfs.models.inference.contract import Beam, Conditionals, Greedy, Inference, joint_log_proba
from mlfs.models.inference.decisions import Exhaustive
from mlfs.models.inference.max_sum import MaxSum, has_exact_marginals, marginals
from mlfs.models.inference.mode_search import BestFirst, mode
from mlfs.models.inference.monte_carlo import (
    BestSample,
    MonteCarlo,
    anneal,
    sample,
)

__all__ = [
    "INFERENCES",
    "Beam",
    "BestFirst",
    "BestSample",
    "Conditionals",
    "Exhaustive",
    "Greedy",
    "Inference",
    "MaxSum",
    "MonteCarlo",
    "anneal",
    "has_exact_marginals",
    "joint_log_proba",
    "make",
    "marginals",
    "mode",
    "sample",
]

INFERENCES: dict[str, type[Inference]] = {
    "beam": Beam,
    "best-first": BestFirst,
    "exhaustive": Exhaustive,
    "greedy": Greedy,
    "max-sum": MaxSum,
    "monte-carlo": MonteCarlo,
}


def make(name: str, **parameters: Any) -> Inference:
    """An inference by its name.

    Parameters
    ----------
    name : str
        beam, best-first, exhaustive, greedy, max-sum or monte-carlo.
    **parameters
        Those of its class.

    Examples
    --------
    >>> make("beam", width=5)
    Beam(width=5)
    """
    check_name(name, "inference", INFERENCES)
    parameter_names = INFERENCES[name]._get_param_names()  # noqa: SLF001
    for parameter in parameters:
        if parameter not in parameter_names:
            has = ", ".join(parameter_names) or "none"
            msg = f"{name} inference has no parameter {printable(parameter)!r}: it has {has}"
            raise UsageError(msg)
    return INFERENCES[name](**parameters)
