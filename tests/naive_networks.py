"""Bayesian networks of the literature, with conditional probabilities drawn at random."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "search" / "networks"


def network(name):
    """Each variable with its number of levels and its parents, parents first."""
    net = {}
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        variable, levels, *parents = line.split()
        net[variable] = int(levels), parents
    return net


def draw(net, n, seed, concentration=0.5):
    """Draw rows of a network with tables from a Dirichlet distribution."""
    random, data = np.random.default_rng(seed), {}
    for variable, (levels, parents) in net.items():
        sizes = [net[parent][0] for parent in parents]
        table = random.dirichlet(
            np.full(levels, concentration), size=int(np.prod(sizes, initial=1))
        )
        key = np.zeros(n, int)
        for parent, size in zip(parents, sizes, strict=True):
            key = key * size + data[parent]
        data[variable] = (random.random(n)[:, None] > table[key].cumsum(axis=1)[:, :-1]).sum(axis=1)
    return data
