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
    """How sure one pick is, earlier picks held; None where it was not asked for.

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
    p : float or None
        The p-value of "no candidate informs about the labels, given the earlier picks"; None too
        where too few rows are left.
    rows_left : int or None
        The rows that can tell: they share the values of the earlier picks with rows of other
        labels.
    reason : str
        Why a column is in a Markov blanket.
    """

    kept: float | None = None
    substitutes: tuple[Substitute, ...] = ()
    score_interval: tuple[float, float] | None = None
    rank_interval: tuple[int | None, int | None] | None = None
    p: float | None = None
    rows_left: int | None = None
    reason: str = ""

    def renumbered(self, numbers: np.ndarray, names: Any) -> Certainty:
        """Give the certainty with other numbers for the columns, and their names."""
        substitutes = tuple(
            replace(entry, index=int(numbers[entry.index]), name=names[entry.index])
            for entry in self.substitutes
        )
        return replace(self, substitutes=substitutes)

    def to_dict(self) -> dict[str, Any]:
        """Give the record for JSON; numbers that are not finite become null."""
        record: dict[str, Any] = {}
        if self.score_interval is not None and self.rank_interval is not None:
            record = {
                "kept": self.kept,
                "substitutes": [asdict(entry) for entry in self.substitutes],
                "score_interval": [x if math.isfinite(x) else None for x in self.score_interval],
                "rank_interval": list(self.rank_interval),
            }
        if self.rows_left is not None:
            record |= {"p": self.p, "rows_left": self.rows_left}
        if self.reason:
            record |= {"p": self.p, "reason": self.reason}
        return record

    def to_row(self) -> dict[str, Any]:
        """Give the record for a row of a table, with intervals as two columns each."""
        record = self.to_dict()
        for name in ("score_interval", "rank_interval"):
            if name in record:
                start = name.removesuffix("interval")
                record[f"{start}low"], record[f"{start}high"] = record.pop(name)
        return record

    @classmethod
    def from_dict(cls, record: Any) -> Certainty | None:
        """Read the record of a pick; None if it has none."""
        if record.keys().isdisjoint(("kept", "rows_left", "reason")):
            return None
        p, rows = record.get("p"), record.get("rows_left")
        tested = cls(
            p=None if p is None else float(p),
            rows_left=None if rows is None else int(rows),
            reason=str(record.get("reason", "")),
        )
        if "kept" not in record:
            return tested
        low, high = record["score_interval"]
        first, last = (None if rank is None else int(rank) for rank in record["rank_interval"])
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
            (first, last),
            tested.p,
            tested.rows_left,
            tested.reason,
        )
