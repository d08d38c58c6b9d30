"""Similarity of the selections of a comparison: over its splits, and between its criteria."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.compare.results import Results, finite
from mlfs.compare.stability import agreement, jaccard, kuncheva, nogueira

__all__ = ["Overlap", "overlaps"]


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
        """The same as plain data."""
        return {
            "n": self.n,
            "criteria": list(self.criteria),
            "shared": [[finite(value) for value in row] for row in self.shared],
            "stability": [
                {
                    "data": data, "criterion": criterion,
                    "nogueira": finite(a), "kuncheva": finite(b), "jaccard": finite(c),
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
        }  # fmt: skip


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
    """By data and criterion the selection on each split; models do not change it."""
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
