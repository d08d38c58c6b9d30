"""Markov blankets of labels: the columns without which a label is not told as well.

HITON (Aliferis and others, 2010) finds the parents and children of a variable by tests of
conditional independence, and the spouses, that is other parents of a child. IAMB and inter-IAMB
(Tsamardinos and others, 2003) grow and shrink a whole blanket. Labels are variables like the
columns, so a column may be blocked by another label; such a column is looked at again without it
(as Wu and others, 2020, do), because labels are not known when they are predicted. Labels are then
taken out. The greatest p-value that a column had to pass is controlled over all variables by the
procedure of Benjamini & Hochberg (Tsamardinos & Brown, 2008).
"""

from __future__ import annotations

import itertools
import time
import weakref
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mlfs.counting.independence import Independence
from mlfs.criteria import Criterion
from mlfs.errors import Caution, tell
from mlfs.information.for_search import independence
from mlfs.information.info import Info

DIRECT, SPOUSE, THROUGH = "direct", "spouse", "through"
MOST_MEMBERS = 18  # of which subsets are tested
LONG = 20.0  # seconds, from which it is said how long it takes


class Member(NamedTuple):
    """Why a column is in a blanket.

    Parameters
    ----------
    kind : str
        ``direct``; ``spouse``, of the label by the child `via`; or ``through`` the label `via`.
    p : float
        The greatest p-value of the tests that it had to pass.
    via : int
        A column, or a label counted on from the last column; -1 for none.
    """

    kind: str
    p: float
    via: int = -1


@dataclass
class _Neighbours:
    """The parents and children of a variable, and what separates the others from it."""

    members: dict[int, float] = field(default_factory=dict)
    apart: dict[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass
class _Progress:
    """Says once how long all labels take, from the time of what is done."""

    done: int = 0  # labels
    start: float = 0.0
    spent: float = 0.0
    is_said: bool = False

    def say(self, part: float, labels: int, variables: float) -> None:
        """Say it where it is long, and enough is done to tell.

        `part` of a label is done, too, and this share of all variables that it may take.
        """
        so_far = time.perf_counter() - self.start
        share = max((self.done + part) / labels, variables)
        if self.is_said or so_far < LONG / 8 or so_far / share < LONG:
            return
        self.is_said = True
        text = f"the blankets take about {so_far / share:.0f} s: a smaller max_given (-p "
        text += "max_given=2) or another algorithm (-p algorithm=iamb) takes less"
        tell([Caution(text)], 3)


class Blankets:
    """Finds the Markov blankets of labels; what was tested for one serves the others.

    Parameters
    ----------
    tests : Independence
        Tests of columns 0 to d - 1 and labels from d on.
    columns : collection of int
        The candidates.
    labels : sequence of int
        The labels, counted on from the last column.
    alpha : float
        The level of tests and of false discoveries.
    max_given : int
        The most variables in a condition; IAMB has no limit.
    """

    def __init__(
        self,
        tests: Independence,
        columns: Collection[int],
        labels: Sequence[int],
        alpha: float,
        max_given: int,
    ) -> None:
        self._tests, self._alpha, self._max_given = tests, alpha, max_given
        self._columns, self._labels = sorted(columns), sorted(labels)
        self._kept: dict[int, _Neighbours] = {}
        self._progress = _Progress()

    def blanket(self, label: int, algorithm: str = "hiton") -> dict[int, Member]:
        """The blanket of a label: each column of it, and why."""
        self._progress.start = time.perf_counter() - self._progress.spent
        if algorithm == "hiton":
            members = self._hiton(label)
        else:
            members = self._iamb(label, inter=algorithm == "inter-iamb")
        self._progress.done += 1
        self._progress.spent = time.perf_counter() - self._progress.start
        return self._controlled(members, len(self._columns) + len(self._labels) - 1)

    def _controlled(self, members: dict[int, Member], tested: int) -> dict[int, Member]:
        """Places of the first so many p-values that Benjamini & Hochberg accept."""
        ordered = sorted(members, key=lambda column: (members[column].p, column))
        passing = [
            rank
            for rank, column in enumerate(ordered, 1)
            if members[column].p <= self._alpha * rank / tested
        ]
        return {column: members[column] for column in ordered[: max(passing, default=0)]}

    # ---- HITON --------------------------------------------------------------------------------

    def _hiton(self, label: int) -> dict[int, Member]:
        around = self._neighbours(label)
        columns = self._without_labels(around.members)
        members = {v: Member(DIRECT, p) for v, p in columns.items()}
        for searched, child in enumerate(columns):
            all_searched = len(self._kept) / (len(self._columns) + len(self._labels))
            self._progress.say(searched / len(columns), len(self._labels), all_searched)
            others = self._neighbours(child).members
            for spouse in self._without_labels(others):
                apart = around.apart.get(spouse)
                if spouse in members or apart is None or child in apart:
                    continue
                p, _ = self._tests.test(spouse, label, (*apart, child))
                if p <= self._alpha:
                    members[spouse] = Member(SPOUSE, max(p, columns[child]), child)
        return members | self._looked_at_again(label, columns, around, members)

    def _neighbours(self, target: int) -> _Neighbours:
        """HITON-PC, semi-interleaved: those that no subset of the others separates."""
        if target in self._kept:
            return self._kept[target]
        out = _Neighbours()
        variables = [v for v in (*self._columns, *self._labels) if v != target]
        for v in self._by_strength(target, variables, out.apart):
            self._admit(target, v, out)
        for v in reversed(list(out.members)):
            p = out.members.pop(v)
            self._admit(target, v, out, p)
        self._kept[target] = out
        return out

    def _by_strength(
        self, target: int, variables: Iterable[int], apart: dict[int, tuple[int, ...]]
    ) -> list[int]:
        """The variables that depend on the target, the surest first; others go apart."""
        tested = {v: self._tests.test(v, target) for v in variables}
        apart.update({v: () for v, (p, _) in tested.items() if p > self._alpha})
        dependent = [v for v, (p, _) in tested.items() if p <= self._alpha]
        return sorted(dependent, key=lambda v: (tested[v][0], -tested[v][1], v))

    def _admit(self, target: int, v: int, out: _Neighbours, p: float = 0.0) -> None:
        """Take a variable among the members unless a subset of them separates it."""
        worst, members = max(p, self._tests.test(v, target)[0]), list(out.members)
        if len(members) > MOST_MEMBERS:  # the likeliest to separate it
            by_strength = sorted(members, key=lambda z: -self._tests.test(z, v)[1])
            kept = {*by_strength[:MOST_MEMBERS]}
            members = [z for z in members if z in kept]
        for size in range(1, self._max_given + 1):
            for given in itertools.combinations(members, size):
                worst = self._tests.greater(worst, v, target, given)
                if worst > self._alpha:
                    out.apart[v] = given
                    return
        out.members[v] = worst

    def _looked_at_again(
        self,
        label: int,
        direct: dict[int, float],
        around: _Neighbours,
        members: Collection[int],
    ) -> dict[int, Member]:
        """The columns that another label alone separates from this one."""
        first = self._labels[0]
        blocked = {
            v: blocking
            for v, given in around.apart.items()
            if v < first and v not in members and (blocking := [z for z in given if z >= first])
        }
        out = _Neighbours(dict(direct))
        for v in self._by_strength(label, blocked, {}):
            self._admit(label, v, out)
        for v in [v for v in reversed(list(out.members)) if v not in direct]:
            p = out.members.pop(v)
            self._admit(label, v, out, p)
        return {
            v: Member(THROUGH, p, blocked[v][0]) for v, p in out.members.items() if v not in direct
        }

    def _without_labels(self, members: dict[int, float]) -> dict[int, float]:
        return {v: p for v, p in members.items() if v < self._labels[0]}

    # ---- IAMB ---------------------------------------------------------------------------------

    def _iamb(self, label: int, *, inter: bool) -> dict[int, Member]:
        others = [v for v in (*self._columns, *self._labels) if v != label]
        blanket = self._grown(label, others, [], inter=inter)
        columns = [v for v in blanket if v < self._labels[0]]
        blocking = [v for v in blanket if v >= self._labels[0]]
        again = columns
        if blocking:  # without labels, others may be needed
            again = self._grown(label, self._columns, columns, inter=inter)
        found = {}
        for v in again:
            p, _ = self._tests.test(v, label, [z for z in again if z != v])
            found[v] = Member(DIRECT, p) if v in columns else Member(THROUGH, p, blocking[0])
        return found

    def _grown(
        self, label: int, variables: Sequence[int], start: Sequence[int], *, inter: bool
    ) -> list[int]:
        """Add the variable that tells most, then drop those that tell nothing given the others."""
        blanket, seen = list(start), set[frozenset[int]]()
        while frozenset(blanket) not in seen:
            seen.add(frozenset(blanket))
            told = {v: self._tests.test(v, label, blanket) for v in variables if v not in blanket}
            passing = [v for v, (p, _) in told.items() if p <= self._alpha]
            if not passing:
                break
            blanket.append(min(passing, key=lambda v: (told[v][0], -told[v][1], v)))
            if inter:
                blanket = self._shrunk(label, blanket)
        return self._shrunk(label, blanket)

    def _shrunk(self, label: int, blanket: list[int]) -> list[int]:
        for v in list(blanket):
            others = [z for z in blanket if z != v]
            if self._tests.test(v, label, others)[0] > self._alpha:
                blanket = others
        return blanket


_KEPT: weakref.WeakKeyDictionary[object, dict[tuple[object, ...], Blankets]] = (
    weakref.WeakKeyDictionary()
)


def blanket_of(info: Info, criterion: Criterion, excluded: Collection[int]) -> dict[int, Member]:
    """The blanket of the label of a view, among the candidates that are not excluded."""
    tests, table, first = independence(info)
    alpha, most, algorithm = (
        getattr(criterion, name) for name in ("alpha", "max_given", "algorithm")
    )
    columns = sorted({*info.features.tolist()} - {*excluded})
    kept = _KEPT.setdefault(table, {})
    key = (alpha, most, tuple(columns))
    if key not in kept:
        labels = range(first, first + table.q)
        kept[key] = Blankets(tests, columns, labels, alpha, most)
    return kept[key].blanket(first + int(info.labels[0]), algorithm)
