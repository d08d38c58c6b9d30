"""All rows of some columns, and all labels: answers in the words of `Info` about these columns.

`ColumnsInfo` asks several of them and joins what they answer. A question may be about columns that
another one holds: these come along, and have numbers from the number of own columns on.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mlfs.counting.anchor import Anchor
from mlfs.counting.codes import Codes
from mlfs.counting.counts import Counts
from mlfs.information.adjusted import AdjustedInfo
from mlfs.information.columns_info import MissingColumns, Question
from mlfs.information.credible import relevance_moments
from mlfs.information.exact import ExactInfo
from mlfs.information.for_search import (
    add_cmi_given_features,
    block_of,
    with_parents,
)
from mlfs.information.info import Info
from mlfs.information.table import Table

VIEWS = 4  # on labels, kept with what they have answered
LENT = 8  # columns of others, kept with their lists and planes


class LentColumn(NamedTuple):
    """A column that goes to others, in the form in which it is counted.

    Parameters
    ----------
    codes : Codes
        A table of this one column.
    valid : int
        The number of its codes that are not left out.
    n : ndarray
        How often each code occurs.
    """

    codes: Codes
    valid: int
    n: np.ndarray


class PartTable(Table):
    """A table of some columns that counts columns of others too, numbered from `d` on."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.counts_subsets = False
        self._lent: OrderedDict[int, tuple[LentColumn, Anchor]] = OrderedDict()

    def lend(self, columns: Mapping[int, LentColumn]) -> None:
        """Take columns of others, by numbers from `d` on; of those before, the last ones stay."""
        for s, column in columns.items():
            if s not in self._lent:
                self._lent[s] = column, Anchor(column.codes, 0, column.valid, column.n)
            self._lent.move_to_end(s)
        while len(self._lent) > max(LENT, len(columns)):
            self._lent.popitem(last=False)

    def _others(self, s: int) -> tuple[LentColumn, Anchor]:
        try:
            return self._lent[s]
        except KeyError:
            raise MissingColumns from None

    def position(self, column: int) -> int:
        """The position of a column; that of another's is its number."""
        return super().position(column) if column < self.d else column

    def anchor(self, s: int) -> Anchor:
        """A column as an anchor."""
        if s < self.d:
            return super().anchor(s)
        column, anchor = self._others(s)
        if self.counts.counts_rows and anchor.n is not column.codes.counts:
            return Anchor(column.codes, 0, column.valid, column.codes.counts)
        return anchor

    def column(self, s: int) -> np.ndarray:
        """The codes of a column."""
        return super().column(s) if s < self.d else self._others(s)[0].codes.column(0)

    def of_equal_rows(self) -> Table:
        """Count every row of the columns, own and lent, once."""
        own = super().of_equal_rows()
        equal = PartTable(
            own.counts, self.q, self.mask_of, positions=self.positions, budget=self.budget
        )
        equal._lent = self._lent
        return equal

    def valid(self, s: int) -> int:
        """How many codes of a column are not left out."""
        return super().valid(s) if s < self.d else self._others(s)[0].valid

    def levels(self, s: int) -> int:
        """How many codes a column has."""
        return super().levels(s) if s < self.d else int(self._others(s)[0].codes.levels[0])


class HeldColumns:
    """Answers questions about some columns.

    It can be pickled: what has been counted is not, and is counted again.

    Parameters
    ----------
    table : Table
        All rows of the columns.
    first : int
        The number of its first column in the whole table.
    """

    def __init__(self, table: Table, first: int) -> None:
        self.table = PartTable(
            table.counts,
            table.q,
            table.mask_of,
            positions=table.positions,
            budget=table.budget,
        )
        self.first = first
        self.facts: Any = None  # whatever whoever made it wants to know of it
        self.info = ExactInfo(self.table)
        self._views: OrderedDict[Any, Info] = OrderedDict()

    def __reduce__(self) -> Any:
        table, counts = self.table, self.table.counts
        coded = counts.features, counts.label_codes, counts.given_weights
        settings = {
            "q": table.q,
            "mask_of": table.mask_of,
            "positions": table.positions,
            "budget": table.budget,
        }
        return _unpickled, (
            coded, counts.kind, settings, self.first, self.facts,
        )  # fmt: skip

    def __sizeof__(self) -> int:
        codes = self.table.counts.features
        planes = 0 if codes.packed is None else codes.packed.planes.nbytes
        lists = sum(0 if part is None else part.nbytes for part in codes.lists)
        return int(planes + lists)

    @property
    def codes(self) -> Codes:
        """Its columns, in the order of the whole table."""
        codes, positions = self.table.counts.features, self.table.positions
        return codes if positions is None else codes.take(positions)

    def lent(self, s: int) -> LentColumn:
        """One of its columns, by its number in the whole table, for others."""
        position = self.table.position(s - self.first)
        anchor = self.table.anchor(position)
        codes = self.table.counts.features.alone(position)
        return LentColumn(codes, anchor.valid, anchor.n)

    def answer(self, question: Question, columns: Mapping[int, LentColumn]) -> Any:
        """Its answers, in the order of its columns in the whole table."""
        numbered = {self._number(s): column for s, column in columns.items()}
        self.table.lend({s: numbered[s] for s in numbered if s >= self.table.d})
        view = self.view(question.labels, question.parents, adjusted=question.adjusted)
        args = [self._numbers(pick) for pick in question.picks] + list(question.more)
        if question.word == "relevance_moments":
            own = question.more[0] - self.first
            own = own[(own >= 0) & (own < self.table.d)]
            return np.array(relevance_moments(self.table, own, question.labels))
        if question.word == "add_cmi_given_features":
            return add_cmi_given_features(self.table, *args)
        word = question.word.removeprefix("block.")
        asked: Any = view if word == question.word else block_of(view, question.labels)
        value = getattr(asked, word)
        return np.asarray(value(*args) if callable(value) else value)

    def _number(self, s: int) -> int:
        """The number here of a column of the whole table."""
        own = s - self.first
        return own if 0 <= own < self.table.d else self.table.d + s

    def _numbers(self, pick: Any) -> Any:
        return list(map(self._number, pick)) if isinstance(pick, list) else self._number(pick)

    @cached_property
    def _adjusted(self) -> AdjustedInfo:
        return AdjustedInfo(self.info)

    def view(self, labels: np.ndarray, parents: Any, *, adjusted: bool) -> Info:
        """A view on some labels, plain or less its expectation under independence."""
        key = labels.tobytes(), parents, adjusted
        view = self._views.get(key)
        if view is None:
            info = self._adjusted if adjusted else self.info
            view = self._views[key] = with_parents(info.for_labels(labels), parents)
            while len(self._views) > VIEWS:
                self._views.popitem(last=False)
        return view


def _unpickled(
    coded: tuple[Any, Any, Any],
    kind: np.ndarray,
    settings: dict[str, Any],
    first: int,
    facts: Any,
) -> HeldColumns:
    table = Table(Counts(*coded, kind), **settings)
    held = HeldColumns(table, first)
    held.facts = facts
    return held
