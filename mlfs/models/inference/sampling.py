"""Draw label vectors from a model: ancestral sampling, the same prefix evaluated once."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.api.options import seed_of
from mlfs.models.inference.contract import (
    Conditionals,
    Floats,
    Ints,
    Labels,
    refuse_without_probabilities,
    whole,
)
from mlfs.models.inference.decisions import Support
from mlfs.models.inference.nodes import Nodes
from mlfs.models.inference.vectors import blocks, configurations, numbered, parents_in

__all__ = ["draw_samples", "row_blocks", "sample"]

PAIRS = 1 << 17  # at once, so that they fit in the caches
CELLS = 1 << 26
MOMENTS = 1 << 24


def sample(conditionals: Conditionals, seed: Any = 0, n: int = 1) -> Labels:
    """Draw label vectors of each row from P(Y | x), independently.

    Parameters
    ----------
    conditionals : Conditionals
        A model applied to rows.
    seed : int or RandomState, default=0
        The same seed and the same rows give the same vectors.
    n : int, default=1
        How many for each row.

    Returns
    -------
    ndarray of int8, shape (n, n_rows, q)
    """
    refuse_without_probabilities(conditionals, "sampling")
    generator = np.random.default_rng(seed_of(seed))
    n = whole(n, "the number of samples")
    q = conditionals.q
    out = np.zeros((n, conditionals.n_rows, q), dtype=np.int8)
    for rows in row_blocks(conditionals, n):
        uniforms = generator.random((len(rows), n, q))
        support, leaf, _ = draw_samples(conditionals, rows, uniforms)
        out[:, rows] = support.labels[leaf].transpose(1, 0, 2)
    return out


def row_blocks(conditionals: Conditionals, n_samples: int, moments: int = 0) -> list[Ints]:
    """The rows in blocks that can be sampled at once, `moments` numbers being kept for each."""
    step = min(PAIRS, CELLS // conditionals.q) // n_samples
    if moments:
        step = min(step, MOMENTS // moments)
    return blocks(conditionals.n_rows, 1, step)


def draw_samples(
    conditionals: Conditionals, rows: Ints, uniforms: Floats
) -> tuple[Support, Ints, Floats]:
    """Sample by given numbers from [0, 1): label l of a sample is 1 if u < P(l = 1 | parents).

    Parameters
    ----------
    conditionals : Conditionals
        A model applied to rows.
    rows : ndarray of int
        Which rows.
    uniforms : ndarray, shape (1 or len(rows), n_samples, q)
        With one set of numbers for all rows, what is drawn for a row does not depend on the
        other rows.

    Returns
    -------
    Support
        The distinct vectors of each row and how often each came.
    ndarray of int, shape (len(rows), n_samples)
        The vector of each sample.
    ndarray, shape (len(rows), q)
        The mean of P(l = 1 | the sampled parents): a marginal with less noise than the share.
    """
    n, n_samples = len(rows), uniforms.shape[1]
    nodes = Nodes.roots(np.arange(n), conditionals.q)
    node_of_sample = np.repeat(np.arange(n), n_samples).reshape(n, n_samples)
    marginals = np.empty((n, conditionals.q))
    for label in conditionals.structure.order:
        ones = _ones(conditionals, label, rows, nodes)
        chances = ones[node_of_sample]
        marginals[:, label] = chances.mean(axis=1)
        node_of_sample = 2 * node_of_sample + (uniforms[:, :, label] < chances)
        seen = np.zeros(2 * len(nodes), dtype=bool)
        seen[node_of_sample.ravel()] = True
        node_of_sample = (np.cumsum(seen) - 1)[node_of_sample]
        scores = np.zeros((len(nodes), 2))
        nodes = nodes.children(conditionals, scores, seen.reshape(-1, 2))
    counts = np.bincount(node_of_sample.ravel(), minlength=len(nodes)).astype(np.float64)
    return Support(n, nodes.rows, nodes.labels, counts), node_of_sample, marginals


def _ones(conditionals: Conditionals, label: int, rows: Ints, nodes: Nodes) -> Floats:
    """P(label = 1 | x, parents) of each node; for few parents, once for each of their values."""
    parents = parents_in(conditionals, label, nodes.labels)
    k = parents.shape[1]
    if len(rows) << min(k, 40) >= len(nodes):
        return np.exp(conditionals.log_proba(label, rows[nodes.rows], parents)[:, 1])
    values = configurations(k)
    repeated = np.tile(values, (len(rows), 1))
    flat = conditionals.log_proba(label, np.repeat(rows, len(values)), repeated)[:, 1]
    table = np.exp(flat).reshape(len(rows), len(values))
    return np.asarray(table[nodes.rows, numbered(parents)])
