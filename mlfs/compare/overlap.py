"""Similarity of the selections of a comparison: over its splits, and between its criteria."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.compare.results import Results, finite
from mlfs.errors import DataError


@dataclass(frozen=True)
class Overlap:
    """Which features the criteria chose at one number of features.

    Parameters
    ----------
    n : str
        The number as asked for.
    criteria : tuple of str
        Those that choose; baselines that take everything are left out.
    shared : ndarray, shape (criteria, criteria)
        |A and B| / |A or B|, the mean over data sets and splits.
    stability : dict
        By (data, criterion): Nogueira, Kuncheva and Jaccard over the splits; NaN of one split.
    often : dict
        By (data, criterion): the features chosen in most splits, with the share of the splits.
    """

    n: str
    criteria: tuple[str, ...]
    shared: np.ndarray
    stability: dict[tuple[str, str], tuple[float, float, float]]
    often: dict[tuple[str, str], list[tuple[str, float]]]

    def to_dict(self) -> dict[str, Any]:
        """Give the overlaps as plain data."""
        return {
            "n": self.n,
            "criteria": list(self.criteria),
            "shared": [[finite(value) for value in row] for row in self.shared],
            "stability": [
                {
                    "data": data,
                    "criterion": criterion,
                    "nogueira": finite(a),
                    "kuncheva": finite(b),
                    "jaccard": finite(c),
                }
                for (data, criterion), (a, b, c) in self.stability.items()
            ],
            "often": [
                {
                    "data": data,
                    "criterion": criterion,
                    "features": [j for j, _ in features],
                    "shares": [share for _, share in features],
                }
                for (data, criterion), features in self.often.items()
            ],
        }


def overlaps(results: Results, top: int = 20) -> list[Overlap]:
    """The agreement of selections at each number of features.

    Parameters
    ----------
    results : Results
        A comparison.
    top : int
        How many of the most frequent features are listed.
    """
    names = [str(c) for c in results.settings.rankers if c.name not in {"all", "own"}]
    result = []
    for n in dict.fromkeys(str(size) for size in results.settings.sizes):
        table = _selections(results, n)
        criteria = [name for name in names if any(key[1] == name for key in table)]
        if criteria:
            result.append(_overlap(n, criteria, table, top))
    return result


SelectionTable = dict[tuple[str, str], dict[int, dict[str, Any]]]


def _selections(results: Results, n: str) -> SelectionTable:
    """By data and criterion, a record of each split; all models have the same selection."""
    table: SelectionTable = {}
    for record in results.records:
        cell = record["cell"]
        if "selected" in record and cell["n"] == n:
            splits = table.setdefault((cell["data"], cell["criterion"]), {})
            splits[cell["split"]] = record
    return table


def _overlap(n: str, criteria: list[str], table: SelectionTable, top: int) -> Overlap:
    agreements = []
    for data in dict.fromkeys(data for data, _ in table):
        by_criterion = [table.get((data, criterion), {}) for criterion in criteria]
        common = set.intersection(*(set(splits) for splits in by_criterion))
        agreements += [
            agreement([splits[split]["selected"] for splits in by_criterion])
            for split in sorted(common)
        ]
    shared = np.mean(agreements, axis=0) if agreements else np.full((len(criteria),) * 2, np.nan)
    stability, often = {}, {}
    for key, by_split in table.items():
        if key[1] in criteria:
            records = list(by_split.values())
            selections = [record["selected"] for record in records]
            stability[key] = _stability(selections, records[0]["columns"])
            often[key] = _often(records, top)
    return Overlap(n, tuple(criteria), shared, stability, often)


def _stability(selections: list[list[int]], d: int) -> tuple[float, float, float]:
    if len(selections) < 2:
        return math.nan, math.nan, math.nan
    return nogueira(selections, d), kuncheva(selections, d), jaccard(selections)


def _often(records: list[dict[str, Any]], top: int) -> list[tuple[str, float]]:
    times: dict[int, int] = {}
    names: dict[int, str] = {}
    for record in records:
        for feature in record["selected"]:
            times[feature] = times.get(feature, 0) + 1
        names.update(zip(record["selected"], record["names"], strict=False))
    best = sorted(times, key=lambda j: (-times[j], j))[:top]
    return [(names.get(j, f"column {j}"), times[j] / len(records)) for j in best]


def jaccard(selections: Sequence[Collection[int]]) -> float:
    """The mean over all pairs of selections of |A and B| / |A or B|.

    It grows with the share of features that is selected; `nogueira` corrects for chance.

    Examples
    --------
    >>> round(jaccard([{0, 1}, {1, 2}]), 3)
    0.333
    """
    _at_least_two(selections)
    shares = agreement(selections)[np.triu_indices(len(selections), 1)].tolist()
    return math.fsum(shares) / len(shares)


def kuncheva(selections: Sequence[Collection[int]], d: int) -> float:
    """Kuncheva's consistency (2007): the mean over pairs of (r d - k^2) / (k (d - k)).

    r features are common to two selections of k out of d. NaN where it is not defined: for
    selections of unequal sizes, of none or of all.

    Examples
    --------
    >>> kuncheva([{0, 1}, {0, 1}], 10), round(kuncheva([{0, 1}, {2, 3}], 10), 3)
    (1.0, -0.25)
    """
    _at_least_two(selections)
    sets = [set(selection) for selection in selections]
    k = len(sets[0])
    if any(len(selection) != k for selection in sets) or k in {0, d}:
        return math.nan
    pairs = list(itertools.combinations(sets, 2))
    return math.fsum((len(a & b) * d - k * k) / (k * (d - k)) for a, b in pairs) / len(pairs)


def nogueira(selections: Sequence[Collection[int]], d: int) -> float:
    """The stability of Nogueira, Sechidis and Brown (2018), for selections of any sizes.

    1 - mean_f s_f^2 / ((k/d)(1 - k/d)), s_f^2 the unbiased variance of whether f is selected,
    k the mean size: 1 when all agree, 0 in the mean by chance. NaN when none or all features
    are always selected.

    Examples
    --------
    >>> nogueira([{0, 1}, {0, 1}], 10), round(nogueira([{0, 1}, {2, 3}], 10), 3)
    (1.0, -0.25)
    """
    _at_least_two(selections)
    m = len(selections)
    table = np.zeros((m, d))
    for row, selection in enumerate(selections):
        table[row, list(selection)] = 1
    share = table.sum() / (m * d)
    if share in {0.0, 1.0}:
        return math.nan
    p = table.mean(axis=0)
    variance = m / (m - 1) * p * (1 - p)
    return float(1 - variance.mean() / (share * (1 - share)))


def agreement(selections: Sequence[Collection[int]]) -> np.ndarray:
    """|A and B| / |A or B| for each two of some selections, one of each criterion.

    Examples
    --------
    >>> agreement([{0, 1}, {1, 2}, {0, 1}]).round(2).tolist()
    [[1.0, 0.33, 1.0], [0.33, 1.0, 0.33], [1.0, 0.33, 1.0]]
    """
    sets = [set(selection) for selection in selections]
    return np.array([[len(a & b) / len(a | b) if a | b else 1.0 for b in sets] for a in sets])


def _at_least_two(selections: Sequence[Collection[int]]) -> None:
    if len(selections) < 2:
        msg = f"stability is about two selections or more, not {len(selections)}"
        raise DataError(msg)
