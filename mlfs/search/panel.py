"""Panels: a greedy search under constraints that come from the world.

Three constraints narrow the candidates of a pick. *At least*: while a label lacks picks that tell
something about it, the pick is made among candidates that do so for a label that lacks some. *At
most*: a group of columns is closed when it is full. *Budget*: columns that cost more than what is
left are closed. Costs may also weigh the scores. For each pick, the pick that would have been made
without constraints says what they cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mlfs.errors import Caution, UsageError, plural, printable
from mlfs.search.scores import CandidateScores

ROUNDING = 1e-12  # by which a sum of costs may exceed the budget, relative to it


@dataclass(frozen=True)
class Demands:
    """The constraints of a panel, by candidate.

    Parameters
    ----------
    at_least : mapping from str to int
        For labels by name, how many picks are to tell something about them.
    numbers : mapping from str to int
        The numbers of these labels.
    is_exclusive : bool
        Whether each row has exactly one label, so that a pick counts for the one it tells most.
    group_of : ndarray of int, optional
        The group of each candidate, -1 for none.
    at_most : ndarray of int, optional
        How many picks each group allows.
    groups : sequence of str
        The names of the groups.
    costs : ndarray of float, optional
        What each candidate costs.
    budget : float, optional
        What all picks may cost.
    by_cost : bool
        Whether candidates are compared by their score for each unit of cost.
    """

    at_least: Mapping[str, int] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    is_exclusive: bool = False
    group_of: np.ndarray | None = None
    at_most: np.ndarray | None = None
    groups: tuple[str, ...] = ()
    costs: np.ndarray | None = None
    budget: float | None = None
    by_cost: bool = False


@dataclass(frozen=True)
class Terms:
    """The terms on which a panel made one pick.

    Parameters
    ----------
    cost : float or None
        What the pick costs; None if nothing does.
    tells : tuple of str
        The labels of `at_least` that it tells something about.
    bound : tuple of str
        The constraints that kept the best candidate out; empty if the pick is the best.
    instead_of : int or None
        The best candidate without constraints, if another one was picked.
    price : float or None
        The score of that candidate minus the score of the pick.
    """

    cost: float | None = None
    tells: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()
    instead_of: int | None = None
    price: float | None = None

    def renumbered(self, numbers: np.ndarray) -> Terms:
        """Give the constraint with other numbers for the columns."""
        column = None if self.instead_of is None else int(numbers[self.instead_of])
        return replace(self, instead_of=column)

    def to_dict(self) -> dict[str, Any]:
        """Give the record for JSON."""
        return {**vars(self), "tells": list(self.tells), "bound": list(self.bound)}


@dataclass
class PanelRun:
    """One search under constraints: what they were, and where each pick could come from.

    Parameters
    ----------
    demands : Demands
        The constraints.
    tells : mapping from str to ndarray of bool
        For each label of `demands.at_least` the candidates that tell more than chance about it.
    worth : ndarray of bool
        The candidates that are worth picking where no label lacks picks.
    allowed : list of (ndarray of bool or None)
        The candidates that the constraints allowed for each pick; None for one that was asked for.
    """

    demands: Demands
    tells: Mapping[str, np.ndarray]
    worth: np.ndarray
    allowed: list[np.ndarray | None] = field(default_factory=list)

    def constraints(self, features: np.ndarray) -> Constraints:
        """The constraints at the start of a search of some candidates."""
        return Constraints(self.demands, self.tells, features, self.worth)

    def found(self, constraints: Constraints, features: np.ndarray) -> None:
        """Keep where the picks of a search of these candidates could come from."""
        for mask in constraints.allowed:
            if mask is None:
                self.allowed.append(None)
            else:
                everywhere = np.zeros(self.worth.size, bool)
                everywhere[features[mask]] = True
                self.allowed.append(everywhere)


class Constraints:
    """The constraints of one search, and what its picks have used up of them.

    Parameters
    ----------
    demands : Demands
        The constraints.
    tells : mapping from str to ndarray of bool
        For each label of `demands.at_least` the candidates that tell more than chance about it.
    features : ndarray of int
        The candidates of the search.
    worth : ndarray of bool
        Those that are worth picking where no label lacks picks.
    """

    def __init__(
        self,
        demands: Demands,
        tells: Mapping[str, np.ndarray],
        features: np.ndarray,
        worth: np.ndarray,
    ) -> None:
        self.demands, self.terms = demands, list[Terms]()
        self._features, self._worth = features, np.array(worth[features])
        self._tells = {label: mask[features] for label, mask in tells.items()}
        self._told = dict.fromkeys(tells, 0)
        self._lacking = tuple(tells)  # labels for which more picks are wanted and can be made
        size = features.size
        no_group = np.full(size, -1)
        self._group_of = no_group if demands.group_of is None else demands.group_of[features]
        self._room = np.zeros(0, np.int64) if demands.at_most is None else demands.at_most.copy()
        self._costs = None if demands.costs is None else demands.costs[features]
        self._ratios: np.ndarray | None = None
        if demands.by_cost and demands.costs is not None:
            assert self._costs is not None
            self._ratios = self._costs / demands.costs.min()  # another currency, the same picks
        self._spent = 0.0
        self._open = np.ones(size, bool)
        self.allowed: list[np.ndarray | None] = []  # for each pick, where another could come from

    @property
    def ratios(self) -> np.ndarray | None:
        """The costs by which scores are divided; None where picks are made by the score."""
        return self._ratios

    def close(self, mask: np.ndarray) -> None:
        """Note the candidates that are no longer worth picking."""
        self._worth &= ~mask

    def pick(self, scores: CandidateScores, is_open: np.ndarray, forced: int) -> int:
        """Pick under the constraints, or what is forced; -1 if no candidate is left."""
        self._open = is_open
        if forced >= 0:
            position = scores.pick(is_open, forced)
            self.allowed.append(None)
            self._take(position, ())
            return position
        fits, free = self._fits(), is_open & self._worth
        position, allowed, is_tried = -1, is_open, bool(self._lacking)
        if is_tried:
            allowed = is_open & fits & self._serving()
            position = scores.pick(allowed, -1, self._ratios)
            if position < 0:  # no pick will ever be open again
                self._lacking = ()
        if position < 0:
            allowed = free & fits
            position = scores.pick(allowed, -1, self._ratios, again=is_tried)
        if position >= 0:
            best, score = position, scores.last(position)
            if self._ratios is not None or (free & ~allowed).any() or not free[position]:
                best = scores.best(free)
            price = None if best < 0 else max(0.0, scores.last(best) - score)
            self.allowed.append(allowed)
            self._take(position, self._reasons(position, best, fits), best, price)
        return position

    def _fits(self) -> np.ndarray:
        """Candidates whose group has room and whose cost is left."""
        fits = np.ones(self._features.size, bool)
        if self._room.size:
            fits &= (self._group_of < 0) | (self._room[self._group_of] > 0)
        if self._costs is not None and self.demands.budget is not None:
            fits &= self._affordable()
        return fits

    def _affordable(self) -> np.ndarray:
        assert self._costs is not None
        assert self.demands.budget is not None
        affordable: np.ndarray = self._spent + self._costs <= self.demands.budget * (1 + ROUNDING)
        return affordable

    def _serving(self) -> np.ndarray:
        """Candidates that tell something about a label that lacks picks."""
        return np.logical_or.reduce([self._tells[label] for label in self._lacking])

    def _reasons(self, position: int, best: int, fits: np.ndarray) -> tuple[str, ...]:
        """The constraints that kept the best candidate out."""
        if best == position:
            return ()
        reasons = []
        if self._lacking and (best < 0 or not self._serving()[best]):
            reasons = [f"at_least {label}" for label in self._lacking]
        if best >= 0 and not fits[best]:
            group = int(self._group_of[best])
            if group >= 0 and self._room[group] <= 0:
                reasons.append(f"at_most {self.demands.groups[group]}")
            if self._costs is not None and self.demands.budget is not None:
                reasons += [] if self._affordable()[best] else ["budget"]
        return tuple(reasons) or ("cost",)

    def _take(
        self,
        position: int,
        bound: tuple[str, ...],
        best: int = -1,
        price: float | None = None,
    ) -> None:
        told = tuple(label for label, mask in self._tells.items() if mask[position])
        for label in told:
            self._told[label] += 1
        at_least = self.demands.at_least
        self._lacking = tuple(
            label for label in self._lacking if self._told[label] < at_least[label]
        )
        cost = None if self._costs is None else float(self._costs[position])
        self._spent += cost or 0.0
        group = int(self._group_of[position])
        if group >= 0:
            self._room[group] -= 1
        self._refuse_too_much(group)
        instead_of = int(self._features[best]) if bound and best >= 0 else None
        self.terms.append(Terms(cost, told, bound, instead_of, price if bound else None))

    def _refuse_too_much(self, group: int) -> None:
        """Refuse columns that are picked first and break a constraint."""
        asked, budget = "included or started from", self.demands.budget
        if group >= 0 and self._room[group] < 0:
            name = printable(repr(self.demands.groups[group]))
            msg = f"closes the group {name} before all its columns that are {asked} are picked: "
            raise UsageError(f"{msg}raise it, or name fewer", option="at_most")
        if budget is not None and self._spent > budget * (1 + ROUNDING):
            msg = f"is {budget:g}, but the columns that are {asked} cost at least {self._spent:g}: "
            raise UsageError(f"{msg}raise it, or name fewer", option="budget")

    def shortfall(self, n: int) -> str:
        """Say which constraints the picks do not meet, or why there are fewer than n of them."""
        fits, picked = self._fits(), len(self.terms)
        texts = []
        for label, told in self._told.items():
            asked = self.demands.at_least[label]
            if told >= asked:
                continue
            left = self._tells[label] & self._open
            if not left.any():
                n_tell = int(self._tells[label].sum())
                verb = "does" if n_tell == 1 else "do"
                why = f"{n_tell or 'none'} of the candidates {verb}, beyond chance"
            elif not (left & fits).any():
                why = "the others that do are in full groups, or cost more than is left"
            else:
                why = f"there are only {plural(picked, 'pick')}"
            about = printable(repr(label))
            texts.append(f"{told} of {plural(asked, 'pick')} that tell about {about}: {why}")
        if texts:
            return Caution(f"the panel cannot be made: it has {'; '.join(texts)}")
        if picked < n and (self._open & self._worth).any() and not (self._open & fits).any():
            reasons = ["are in full groups"] if self._room.size else []
            if self.demands.budget is not None:
                reasons.append(f"cost more than the {self.demands.budget - self._spent:g} left")
            return f"{picked} of {n} features: the others {' or '.join(reasons)}"
        return ""
