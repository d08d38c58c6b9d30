"""How sure a pick is: the record that resampling and permutations fill in."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Substitute:
    """A column that could stand in the place of a pick.

    Parameters
    ----------
    index : int
        The column.
    name : str
        Its name.
    share : float
        The share of the resamples in which it wins instead of the pick.
    shared : float
        Its symmetrical uncertainty with the pick: 1 for a copy, 0 where they are independent.
    """

    index: int
    name: str
    share: float
    shared: float


@dataclass(frozen=True)
class Certainty:
    """How sure one pick is, earlier picks held.

    Parameters
    ----------
    kept : float
        The share of the resamples in which it wins again; a tie of m columns is 1/m of a win.
    substitutes : tuple of Substitute
        The others of the smallest set of columns that wins in 95 % of the resamples.
    score_interval : tuple of float
        A 95 % interval of its score.
    rank_interval : tuple of (int or None)
        A 95 % interval of its rank where all picks are made anew; None is beyond the last pick.
    """

    kept: float
    substitutes: tuple[Substitute, ...]
    score_interval: tuple[float, float]
    rank_interval: tuple[int | None, int | None]

    def rescaled(self, factor: float) -> Certainty:
        """The same with scores in another unit."""
        low, high = self.score_interval
        return replace(self, score_interval=(low * factor, high * factor))

    def renumbered(self, numbers: np.ndarray, names: Any) -> Certainty:
        """The same with other numbers for the columns, and their names."""
        substitutes = tuple(
            replace(entry, index=int(numbers[entry.index]), name=names[entry.index])
            for entry in self.substitutes
        )
        return replace(self, substitutes=substitutes)

    def to_dict(self) -> dict[str, Any]:
        """Give the record for JSON; numbers that are not finite become null."""
        return {
            "kept": self.kept,
            "substitutes": [asdict(entry) for entry in self.substitutes],
            "score_interval": [x if math.isfinite(x) else None for x in self.score_interval],
            "rank_interval": list(self.rank_interval),
        }

    @classmethod
    def from_dict(cls, record: Any) -> Certainty | None:
        """Read the record of a pick; None if it has none."""
        if "kept" not in record:
            return None
        low, high = record["score_interval"]
        return cls(
            float(record["kept"]),
            tuple(
                Substitute(
                    int(entry["index"]),
                    str(entry["name"]),
                    float(entry["share"]),
                    float(entry["shared"]),
                )
                for entry in record["substitutes"]
            ),
            (-math.inf if low is None else float(low), math.inf if high is None else float(high)),
            tuple(None if rank is None else int(rank) for rank in record["rank_interval"]),  # type: ignore[arg-type]
        )
