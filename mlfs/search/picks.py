"""Picks as arrays: what a search returns, and the single pick that is made on demand."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mlfs.data.frames import pandas
from mlfs.search.certainty import Certainty

NO_COLUMNS = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Pick:
    """One picked feature and why it was picked.

    Parameters
    ----------
    index : int
        The column.
    score : float
        J of the pick when it was picked; ``relevance + label_correlation - redundancy``.
    relevance, redundancy, label_correlation : float
        The parts of the score; a negative redundancy is what the earlier picks add.
    runner_up : int or None
        The best column that was not as good, or the next tied one.
    margin : float
        The score of the pick minus that of the runner-up; NaN without one.
    forced : bool
        Whether the column was asked for instead of chosen.
    tied : ndarray of int
        The columns of `ties` as a view on an array that picks share.
    """

    index: int
    score: float
    relevance: float
    redundancy: float
    label_correlation: float
    runner_up: int | None = None
    margin: float = math.nan
    forced: bool = False
    tied: np.ndarray = field(default_factory=lambda: NO_COLUMNS)

    @property
    def ties(self) -> tuple[int, ...]:
        """The columns whose scores tie with it; of tied columns the lowest is picked."""
        return tuple(self.tied.tolist())

    def renumbered(self, numbers: np.ndarray) -> Pick:
        """Give the pick with other numbers for the columns."""
        second = None if self.runner_up is None else int(numbers[self.runner_up])
        index, tied = int(numbers[self.index]), numbers[self.tied]
        return dataclasses.replace(self, index=index, runner_up=second, tied=tied)

    def _values(self) -> dict[str, Any]:
        values = {
            attribute.name: getattr(self, attribute.name) for attribute in dataclasses.fields(self)
        }
        del values["tied"]
        return {**values, "ties": self.ties}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pick) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(tuple(self._values().items()))

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={value!r}" for key, value in self._values().items())
        return f"{type(self).__name__}({values})"


class Ties:
    """Collects the columns that tie with each pick; picks of one group share its columns.

    The lowest column of a tied group is picked, so the group of the next pick is often the rest
    of the same group, and is stored as a part of it.

    Parameters
    ----------
    stored : ndarray of int
        Columns to store before all groups.
    """

    def __init__(self, stored: np.ndarray = NO_COLUMNS) -> None:
        self._stored, self._size = stored, stored.size  # there may be room behind the size
        self._rest: dict[int, tuple[int, int]] = {}  # where each group goes on, by its next pick

    def add(self, group: np.ndarray) -> tuple[int, int]:
        """Store a tied group, in ascending order; give the place of all but its first column."""
        start, end = self._rest.pop(int(group[0]), (0, 0))
        if not np.array_equal(self._stored[start:end], group):
            start, end = self._size, self._size + group.size
            if end > self._stored.size:
                self._stored = np.resize(self._stored, 2 * end)
            self._stored[start:end] = group
            self._size = end
        if start + 1 < end:
            self._rest[int(group[1])] = start + 1, end
        return start + 1, end

    @property
    def columns(self) -> np.ndarray:
        """All stored columns."""
        return self._stored[: self._size]


@dataclass(frozen=True, eq=False)
class Picks(Sequence[Pick]):
    """Picks in order, as arrays with one value for each pick.

    Parameters
    ----------
    columns : ndarray of int
        The picked columns.
    scores, relevance, redundancy, label_correlation, margins : ndarray of float
        As in `Pick`.
    runners_up : ndarray of int
        As in `Pick`; -1 without one.
    forced : ndarray of bool
        As in `Pick`.
    ties_from, ties_to : ndarray of int
        Where the ties of each pick are in `tied`.
    tied : ndarray of int
        Groups of equal candidates, shared by the picks.
    """

    columns: np.ndarray
    scores: np.ndarray
    relevance: np.ndarray
    redundancy: np.ndarray
    label_correlation: np.ndarray
    margins: np.ndarray
    runners_up: np.ndarray
    forced: np.ndarray
    ties_from: np.ndarray
    ties_to: np.ndarray
    tied: np.ndarray

    def __post_init__(self) -> None:
        if {array.shape for array in self.arrays} != {(self.columns.size,)}:
            msg = "the arrays of picks differ in length"
            raise ValueError(msg)

    @classmethod
    def empty(cls) -> Picks:
        """No picks."""
        floats = np.zeros(0)
        return cls(
            columns=NO_COLUMNS,
            scores=floats,
            relevance=floats,
            redundancy=floats,
            label_correlation=floats,
            margins=floats,
            runners_up=NO_COLUMNS,
            forced=np.zeros(0, bool),
            ties_from=NO_COLUMNS,
            ties_to=NO_COLUMNS,
            tied=NO_COLUMNS,
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Picks]) -> Picks:
        """Picks one after the other."""
        arrays = [np.concatenate(same) for same in zip(*(p.arrays for p in parts), strict=True)]
        starts = np.cumsum([0, *(part.tied.size for part in parts)])[:-1]
        shift = np.repeat(starts, [len(part) for part in parts])
        tied = np.concatenate([part.tied for part in parts])
        return cls(*[*arrays[:-2], arrays[-2] + shift, arrays[-1] + shift, tied])

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """The arrays with one value for each pick."""
        return tuple(getattr(self, attribute.name) for attribute in dataclasses.fields(self)[:-1])

    def take(self, indices: np.ndarray | slice) -> Picks:
        """Some of the picks, by their indices."""
        return Picks(*[*(array[indices] for array in self.arrays), self.tied])

    def renumbered(self, numbers: np.ndarray) -> Picks:
        """Give the picks in their order, with other numbers for the columns."""
        return dataclasses.replace(
            self,
            columns=numbers[self.columns],
            runners_up=np.where(self.runners_up < 0, -1, numbers[self.runners_up]),
            tied=numbers[self.tied],
        )

    def report(self, on_pick: Callable[[Pick], object] | None) -> tuple[Picks, bool]:
        """Call `on_pick` with each pick; if it is interrupted, give the picks so far and True."""
        if on_pick is None:
            return self, False
        n = 0
        try:
            for pick in self:
                n += 1
                on_pick(pick)
        except KeyboardInterrupt:
            return self.take(slice(n)), True
        return self, False

    def __len__(self) -> int:
        return int(self.columns.size)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return list(self.take(index))
        return next(iter(self.take(np.array([range(len(self))[index]]))))

    def __iter__(self) -> Iterator[Pick]:
        picks = []
        for *terms, margin, second, forced, start, end in zip(
            *(array.tolist() for array in self.arrays), strict=True
        ):
            margin = math.nan if math.isnan(margin) else margin  # the same NaN, so picks compare
            runner_up = None if second < 0 else second
            picks.append(Pick(*[*terms, runner_up, margin, forced, self.tied[start:end]]))
        return iter(picks)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # arrays can change


def _known(values: np.ndarray) -> list[float | None]:
    """Numbers for JSON, which has no NaN."""
    return [None if np.isnan(value) else value for value in values.tolist()]


@dataclass(frozen=True, eq=False)
class Significance:
    """The tests of candidates that ``n="auto"`` makes, a value for each candidate.

    Parameters
    ----------
    columns : ndarray of int
        The candidates.
    relevance : ndarray of float
        sum_l I(f;l), corrected as in the selection.
    p_values : ndarray of float
        Of each candidate alone: of its best label, or of all together.
    adjusted : ndarray of float
        The least share of false discoveries at which the candidate passes (Benjamini & Hochberg).
    informative : ndarray of bool
        Whether it passes at the share that was asked for.
    p_beside : ndarray of float
        Of each informative candidate beside all picks (of a pick: beside all others); NaN for the
        others.
    instead : ndarray of int
        For each informative candidate that is no pick, the pick that is most like it; else -1.
    low, high : ndarray of float
        An interval of 95 % of the relevance of the informative ones, see
        `mlfs.information.mutual_information`; NaN for the others, for rows with weights and on a
        cluster. The labels may depend on one another in any way, so that of several labels it is
        rather too wide.
    """

    columns: np.ndarray
    relevance: np.ndarray
    p_values: np.ndarray
    adjusted: np.ndarray
    informative: np.ndarray
    p_beside: np.ndarray
    instead: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def to_frame(self, names: Sequence[str] | Mapping[int, str] | None = None) -> Any:
        """Give a frame of pandas with a row for each candidate, the least p-value first.

        Parameters
        ----------
        names : sequence or mapping, optional
            The names of the columns by their numbers, such as ``selection.column_names``.
        """
        record = self.to_dict()
        record |= {"p_beside": self.p_beside, "low": self.low, "high": self.high}
        if names is not None:
            record = {"name": [names[j] for j in record["index"]], **record}
        return pandas().DataFrame(record).sort_values("p_value", kind="stable", ignore_index=True)

    def to_dict(self) -> dict[str, Any]:
        """Give the record for JSON: lists with a value for each candidate."""
        return {
            "index": self.columns.tolist(),
            "relevance": self.relevance.tolist(),
            "p_value": self.p_values.tolist(),
            "adjusted": self.adjusted.tolist(),
            "informative": self.informative.tolist(),
            "p_beside": _known(self.p_beside),
            "instead": self.instead.tolist(),
            "low": _known(self.low),
            "high": _known(self.high),
        }


class Told(NamedTuple):
    """Which column tells most about a label.

    Parameters
    ----------
    column : int
        A candidate; -1 where none tells more than chance.
    p_value : float
        Of this column, or of the best one.
    is_pick : bool
        Whether it is picked.
    partner : int
        The candidate with which it tells the label more than apart; -1 if it does so alone.
    """

    column: int
    p_value: float
    is_pick: bool
    partner: int = -1


@dataclass
class SearchResult:
    """The result of a search, complete or interrupted.

    Parameters
    ----------
    picks : Picks
        The picks in order.
    interrupted, exhausted, timed_out : bool
        Whether Ctrl-C ended the search; whether no candidate was left; whether the time was up.
    counted, eager : int
        How many terms of one pick and one candidate were computed; how many an eager search
        computes.
    significance : Significance or None
        The test of all candidates against chance, if the number of picks was automatic.
    told_by : dict of int to Told
        For each label, what tells most about it, if the number of picks was automatic.
    note : str
        Why there are fewer picks than were asked for; empty if there are not.
    terms_of_panel : tuple of mlfs.search.panel.Terms
        For each pick of a panel, what the constraints did.
    open_until : ndarray of int
        For how many picks each candidate could be chosen: 0 if it never could.
    certainty : tuple of (Certainty or None)
        How sure each pick is, if that was asked for.
    members : mapping from int to mlfs.search.blankets.Member
        Why each column is in the Markov blanket, if that was searched.
    panel : mlfs.search.panel.PanelRun, optional
        The constraints that the picks obey.
    """

    picks: Picks = field(default_factory=Picks.empty)
    interrupted: bool = False
    exhausted: bool = False
    counted: int = 0
    eager: int = 0
    timed_out: bool = False
    significance: Significance | None = None
    told_by: dict[int, Told] = field(default_factory=dict)
    note: str = ""
    terms_of_panel: tuple[Any, ...] = ()
    open_until: np.ndarray = field(default_factory=lambda: NO_COLUMNS)
    certainty: tuple[Certainty | None, ...] = ()
    members: Mapping[int, Any] = field(default_factory=dict)
    panel: Any = None
