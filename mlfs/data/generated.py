"""Data sets whose answer is known: hypercubes, with relevant, irrelevant and copied features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.errors import UsageError, check_name, printable

__all__ = ["PRESETS", "Preset", "hypercubes", "preset"]

LARGEST = 0.8


@dataclass(frozen=True)
class Preset:
    """The size of one of the data sets of the PACC-LDF paper's table 3."""

    rows: int
    features: int
    labels: int


PRESETS = {
    "data40-10": Preset(500, 40, 10),
    "data80-10": Preset(500, 80, 10),
    "data120-20": Preset(1000, 120, 20),
    "data160-20": Preset(1000, 160, 20),
    "data400-60": Preset(2000, 400, 60),
    "data800-60": Preset(2000, 800, 60),
}


def preset(name: str, *, seed: int = 0) -> Dataset:
    """A data set of the sizes of the paper's table 3, with its noise.

    Examples
    --------
    >>> preset("data40-10").shape
    (500, 40, 10)
    """
    check_name(name, "data set to generate", PRESETS)
    size = PRESETS[name]
    return hypercubes(size.rows, size.features, size.labels, seed=seed, relation=name)


def hypercubes(
    n_rows: int,
    n_features: int,
    n_labels: int,
    *,
    noise: float = 0.02,
    redundant: int | None = None,
    irrelevant: int | None = None,
    relevant_per_label: int | None = None,
    radius: tuple[float, float] | None = None,
    seed: int = 0,
    relation: str = "hypercubes",
) -> Dataset:
    """Generate multi-label data by the hypercube strategy of Mldatagen.

    Each label is a cube inside the cube [-1, 1]^m of the m relevant features; half its edge is
    drawn from `radius`, its centre so that it stays inside. Every row is drawn in one of the
    cubes, larger cubes getting more rows in proportion to half the edge, and has the labels of
    all cubes that it lies in. Then every label of every row is flipped with probability `noise`.
    Irrelevant features are uniform on [-1, 1]; redundant ones are copies of relevant ones. The
    columns are called ``rel_1``, ``irr_1``, ``red_1_of_rel_7``.

    Parameters
    ----------
    n_rows, n_features, n_labels : int
        The size; exactly that many rows come.
    noise : float
        The probability that a label is flipped.
    redundant, irrelevant : int, optional
        How many features are copies, and how many mean nothing; a quarter each by default.
    relevant_per_label : int, optional
        Let each cube bound only so many of the relevant features, drawn for each label; by
        default all, as in the papers. Fewer make cubes that overlap more.
    radius : (float, float), optional
        Least and greatest half edge; by default Mldatagen's (floor(q/10) + 1)/q and 0.8.
    seed : int
        The same seed gives the same bits.
    relation : str
        The name of the data set.

    References
    ----------
    J. T. Tomas, N. Spolaor, E. A. Cherman and M. C. Monard, "A framework to generate synthetic
    multi-label datasets", ENTCS 302 (2014) 155-176.
    L. Sun, M. Kudo and K. Kimura, "Multi-label classification with polytree-augmented classifier
    chains and label-dependent features", section 7.3 and table 3.

    Examples
    --------
    >>> data = hypercubes(100, 8, 3, seed=1)
    >>> data.feature_names[-2:]
    ['red_1_of_rel_2', 'red_2_of_rel_4']
    >>> data.shape
    (100, 8, 3)
    """
    copies = n_features // 4 if redundant is None else redundant
    useless = n_features // 4 if irrelevant is None else irrelevant
    relevant = n_features - copies - useless
    bounded = relevant if relevant_per_label is None else relevant_per_label
    _check_size(n_rows, n_features, n_labels, relevant, copies, useless)
    edges = _radius(radius, n_labels)
    if not 0 <= noise <= 1:
        raise UsageError(f"is {noise:g}: it is a probability, from 0 to 1", option="noise")
    if not 1 <= bounded <= relevant:
        raise UsageError(
            f"{bounded} relevant features for each label: there are {relevant}, so ask for 1 to "
            f"{relevant}"
        )

    rng = np.random.default_rng(seed)
    points, members = _cubes(rng, n_rows, n_labels, relevant, bounded, edges)
    flipped = rng.random((n_rows, n_labels)) < noise
    noisy = members ^ flipped
    noise_columns = rng.uniform(-1, 1, (n_rows, useless))
    originals = _originals(rng, relevant, copies)
    names = [
        *(f"rel_{j + 1}" for j in range(relevant)),
        *(f"irr_{j + 1}" for j in range(useless)),
        *(f"red_{j + 1}_of_rel_{k + 1}" for j, k in enumerate(originals.tolist())),
    ]
    return Dataset(
        np.concatenate([points, noise_columns, points[:, originals]], axis=1),
        noisy.astype(np.int8),
        tuple(Column(name) for name in names),
        tuple(Label(f"label_{j + 1}") for j in range(n_labels)),
        source=Source("<generated>", "hypercubes", relation, "generated"),
        notes=(f"generated by the hypercube strategy, seed {seed}, label noise {noise:g}",),
    )


def _cubes(
    rng: Any,
    n_rows: int,
    n_labels: int,
    relevant: int,
    bounded: int,
    radius: tuple[float, float],
) -> tuple[np.ndarray, np.ndarray]:
    """Draw cubes and rows in them: the relevant features, and in which cubes each row lies."""
    halves = rng.uniform(*radius, n_labels)
    centres = rng.uniform(-1, 1, (n_labels, relevant)) * (1 - halves)[:, None]
    reach = np.broadcast_to(halves[:, None], centres.shape).copy()
    if bounded < relevant:
        free = rng.permuted(np.tile(np.arange(relevant), (n_labels, 1)), axis=1)[:, bounded:]
        np.put_along_axis(centres, free, 0.0, axis=1)
        np.put_along_axis(reach, free, 1.0, axis=1)
    home = rng.permutation(np.repeat(np.arange(n_labels), _shares(halves, n_rows)))
    points = centres[home] + reach[home] * rng.uniform(-1, 1, (n_rows, relevant))
    members = np.stack(
        [
            (np.abs(points - centre) <= far).all(axis=1)
            for centre, far in zip(centres, reach, strict=True)
        ],
        axis=1,
    )
    # Rounding may put a row on the far side of its own cube's face.
    members[np.arange(n_rows), home] = True
    return points, members


def _shares(halves: np.ndarray, n_rows: int) -> np.ndarray:
    """Rows for each cube in proportion to its half edge; largest remainders get the odd ones."""
    exact = n_rows * halves / halves.sum()
    shares = np.floor(exact).astype(np.int64)
    odd = n_rows - int(shares.sum())
    shares[np.argsort(shares - exact, kind="stable")[:odd]] += 1
    return np.asarray(shares)


def _originals(rng: Any, relevant: int, copies: int) -> np.ndarray:
    """Which relevant features are copied: none twice before all are copied once."""
    rounds = math.ceil(copies / relevant)
    order = [rng.permutation(relevant) for _ in range(rounds)]
    return np.concatenate([np.zeros(0, dtype=np.int64), *order])[:copies]


def _radius(radius: tuple[float, float] | None, n_labels: int) -> tuple[float, float]:
    if radius is None:
        return min((n_labels // 10 + 1) / n_labels, LARGEST), LARGEST
    low, high = radius
    if not 0 < low <= high <= 1:
        raise UsageError(f"radius is {low:g} to {high:g}: it must rise, above 0 and up to 1")
    return low, high


def _check_size(
    n_rows: int, n_features: int, n_labels: int, relevant: int, copies: int, useless: int
) -> None:
    for noun, value in (("rows", n_rows), ("features", n_features), ("labels", n_labels)):
        if value < 1:
            raise UsageError(f"{printable(value)} {noun}: there must be 1 or more")
    if copies < 0 or useless < 0:
        raise UsageError("the number of redundant or irrelevant features is below 0")
    if relevant < 1:
        raise UsageError(
            f"{copies} redundant and {useless} irrelevant of {n_features} features leave no "
            "relevant one: ask for more features"
        )
