"""P(label | x): exact where it can be had, else by Monte Carlo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlfs.api.options import seed_of
from mlfs.errors import UsageError, check_name
from mlfs.models.inference.contract import (
    MOST_PARENTS,
    Conditionals,
    Floats,
    Ints,
    Shape,
    blocks,
    configurations,
    every_vector,
    numbered,
    refuse_without_probabilities,
    table_of,
    whole,
)
from mlfs.models.inference.max_sum import is_small_polytree, most_parents
from mlfs.models.inference.monte_carlo import draw_samples, row_blocks

MOST_OPEN = 12
CELLS = 1 << 17
METHODS = ("auto", "exact", "sample")


def marginals(
    conditionals: Conditionals, method: str = "auto", n_samples: int = 1000, seed: Any = 0
) -> Floats:
    """P(label = 1 | x) of each row and label.

    Exact on trees and polytrees in which no label has more than 12 parents (sum-product), and
    wherever no more than 12 labels are open at a time (any structure of up to 12 labels, and
    longer chains of which each label is needed for a short while only). Elsewhere estimated: the
    mean of P(label = 1 | parents) over sampled parents, with a standard error of at most
    ``0.5 / sqrt(n_samples)`` (0.016 for 1000). All rows are sampled by the same random numbers,
    so that the estimate of a row does not depend on the other rows.

    Parameters
    ----------
    conditionals : Conditionals
        A model applied to rows.
    method : {"auto", "exact", "sample"}, default="auto"
        "exact" refuses where exact probabilities cannot be had, "sample" always samples.
    n_samples : int, default=1000
        How many label vectors are drawn for each row, if any.
    seed : int or RandomState, default=0
        The seed of the sampling.

    Returns
    -------
    ndarray of float64, shape (n_rows, q)
    """
    refuse_without_probabilities(conditionals, "a marginal probability")
    check_name(method, "method", METHODS)
    n_samples, seed = whole(n_samples, "n_samples"), seed_of(seed)
    structure = conditionals.structure
    exact = has_exact_marginals(structure)
    if method == "exact" and not exact:
        msg = (
            f"exact marginals of {conditionals.q} labels need a tree or polytree of at most "
            f"{MOST_PARENTS} parents per label, or at most {MOST_OPEN} labels that are open at a "
            f"time: use method='sample'"
        )
        raise UsageError(msg)
    if method == "sample" or not exact:
        probabilities = _sample_marginals(conditionals, n_samples, seed)
    elif is_small_polytree(structure.parents):
        probabilities = _along_polytree(conditionals)
    else:
        probabilities = _along_chain(conditionals)
    return np.clip(probabilities, 0.0, 1.0)


def has_exact_marginals(structure: Shape) -> bool:
    """Whether `marginals` is exact for a structure."""
    return is_small_polytree(structure.parents) or max(_open_labels(structure)) <= MOST_OPEN


def _along_polytree(conditionals: Conditionals) -> Floats:
    """Forward sum-product: without evidence below, the parents of a label are independent."""
    structure = conditionals.structure
    out = np.zeros((conditionals.n_rows, conditionals.q))
    for rows in blocks(conditionals.n_rows, 1 << most_parents(structure.parents), CELLS):
        for label in structure.order:
            ones = np.exp(table_of(conditionals, label, rows)[:, :, 1])
            parents = structure.parents[label]
            values = configurations(len(parents))
            for bit, parent in enumerate(parents):
                chance = out[rows, parent][:, None]
                ones *= np.where(values[:, bit] == 1, chance, 1 - chance)
            out[rows, label] = ones.sum(axis=1)
    return out


def _open_labels(structure: Shape) -> list[int]:
    """How many labels are in play at each place: decided, and parents of a label to come."""
    return [len(before) + 1 for before, _ in _windows(structure)]


def _windows(structure: Shape) -> list[tuple[list[int], list[int]]]:
    """At each place of the order: the labels in play before it, and those in play after it."""
    last_place: dict[int, int] = {}
    for place, label in enumerate(structure.order):
        last_place.update(dict.fromkeys(structure.parents[label], place))
    windows: list[tuple[list[int], list[int]]] = []
    before: list[int] = []
    for place, label in enumerate(structure.order):
        after = [earlier for earlier in (*before, label) if last_place.get(earlier, -1) > place]
        windows.append((before, after))
        before = after
    return windows


def _along_chain(conditionals: Conditionals) -> Floats:
    """The joint probability of the labels in play, carried along the order."""
    structure = conditionals.structure
    out = np.zeros((conditionals.n_rows, conditionals.q))
    for rows in blocks(conditionals.n_rows, 1 << max(_open_labels(structure)), CELLS):
        joint = np.ones((len(rows), 1))
        for label, (before, after) in zip(structure.order, _windows(structure), strict=True):
            joint = _extend(conditionals, label, rows, joint, before)
            out[rows, label] = joint[:, 1::2].sum(axis=1)
            members = [*before, label]
            for below, member in zip(range(len(before), -1, -1), members, strict=True):
                if member not in after:
                    joint = _sum_out(joint, below)
    return out


def _extend(
    conditionals: Conditionals, label: int, rows: Ints, joint: Floats, before: Sequence[int]
) -> Floats:
    """The joint with one label more, as its last and lowest digit."""
    vectors = every_vector(len(before))
    positions = [before.index(parent) for parent in conditionals.structure.parents[label]]
    table = np.exp(table_of(conditionals, label, rows))[:, numbered(vectors[:, positions])]
    return (joint[:, :, None] * table).reshape(len(rows), -1)


def _sum_out(joint: Floats, below: int) -> Floats:
    """The joint with one label summed out, which has some number of digits below it."""
    n = len(joint)
    return joint.reshape(n, -1, 2, 1 << below).sum(axis=2).reshape(n, -1)


def _sample_marginals(conditionals: Conditionals, n_samples: int, seed: int) -> Floats:
    uniforms = np.random.default_rng(seed).random((1, n_samples, conditionals.q))
    out = np.zeros((conditionals.n_rows, conditionals.q))
    for rows in row_blocks(conditionals, n_samples):
        _, _, out[rows] = draw_samples(conditionals, rows, uniforms)
    return out
