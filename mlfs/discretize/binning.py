"""Binnings: what was decided for one column, to be kept, shown and applied again, and for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np

from mlfs._kernels import column_values
from mlfs.counting.entries import edges_of
from mlfs.data.dataset import LazySequence
from mlfs.discretize.column_blocks import Block
from mlfs.errors import DataError, UsageError, printable


@dataclass(frozen=True)
class Binning:
    """How the values of one column become codes 0, 1, ..., `n_levels` - 1.

    A binning has either `edges` or `values`:

    - with edges the code of x is the number of edges below it, so the levels are the
      intervals (-inf, e1], (e1, e2], ..., (ek, inf);
    - with values (method ``"nominal"``) the code of x is its position among them.

    A missing value (NaN) has a level of its own, the last code, if the column had missing
    values when the binning was learned. A value that was never seen then goes to that level;
    without such a level, it and NaN go to `fallback`, the most frequent code.

    Parameters
    ----------
    name : str
        The column.
    method : str
        ``"nominal"``, or the name of the binning that cut it.
    edges : tuple of float
        Cut points, rising.
    values : tuple of float
        The values of a nominal column, rising.
    missing : bool
        Whether the last code stands for a missing value.
    fallback : int
        The most frequent code when the binning was learned; of several, the lowest.

    Examples
    --------
    >>> binning = Binning("age", "width", edges=(20.0, 40.0))
    >>> binning.n_levels
    3
    >>> binning.apply([20.0, 20.5, 99.0]).tolist()
    [0, 1, 2]
    >>> Binning.from_dict(binning.describe()) == binning
    True
    """

    name: str
    method: str
    edges: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    missing: bool = False
    fallback: int = 0

    @property
    def n_levels(self) -> int:
        """The number of codes, the one for missing values included; at least 1."""
        n_known = len(self.values) if self.method == "nominal" else len(self.edges) + 1
        return max(1, n_known + self.missing)

    @property
    def missing_code(self) -> int:
        """The code of a missing value, -1 if there is none."""
        return self.n_levels - 1 if self.missing else -1

    @property
    def unknown(self) -> int:
        """The code of a value that was not seen when the binning was learned."""
        return self.n_levels - 1 if self.missing else self.fallback

    def apply(self, x: Any) -> np.ndarray:
        """The codes of some values of the column."""
        x_values = np.asarray(x, dtype=np.float64)
        if self.method == "nominal":
            values = np.asarray(self.values)
            codes = np.searchsorted(values, x_values).astype(np.int32)
            is_known = codes < values.size
            is_known[is_known] = values[codes[is_known]] == x_values[is_known]
            codes[~is_known] = self.unknown
        else:
            codes = np.searchsorted(np.asarray(self.edges), x_values, side="left").astype(np.int32)
            codes[np.isnan(x_values)] = self.unknown
        return codes

    def levels(self, names: Sequence[str] = ()) -> list[str]:
        """Describe the values of every code in words.

        Parameters
        ----------
        names : sequence of str, optional
            The declared values of a nominal column, whose positions the column holds.

        Examples
        --------
        >>> Binning("age", "width", edges=(20.0, 40.0), missing=True).levels()
        ['x <= 20', '20 < x <= 40', '40 < x', 'missing']
        """
        if self.method == "nominal":
            words = list(names) or [f"{value:.15g}" for value in self.values]
        elif not self.edges:
            words = ["any"]
        else:
            cuts = [f"{edge:.6g}" for edge in self.edges]
            inner = [f"{low} < x <= {high}" for low, high in pairwise(cuts)]
            words = [f"x <= {cuts[0]}", *inner, f"{cuts[-1]} < x"]
        return [*words, "missing"] if self.missing else words or ["any"]

    def describe(self) -> dict[str, Any]:
        """The binning as plain JSON-able data; `from_dict` reads it back."""
        return {
            "name": self.name,
            "method": self.method,
            "edges": list(self.edges),
            "values": list(self.values),
            "levels": self.n_levels,
            "missing": self.missing,
            "fallback": self.fallback,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Binning:
        """Read a binning from what `describe` returned."""
        try:
            return cls(
                name=str(record["name"]),
                method=str(record["method"]),
                edges=tuple(float(edge) for edge in record["edges"]),
                values=tuple(float(value) for value in record["values"]),
                missing=bool(record["missing"]),
                fallback=int(record["fallback"]),
            )
        except (KeyError, TypeError, ValueError) as problem:
            raise DataError(
                f"not a binning: {printable(problem)} is missing or malformed; "
                "a binning is what Binning.describe() gives"
            ) from None


BYTES = 256


class Binnings(LazySequence):
    """A sequence of binnings, one for each column.

    Parameters
    ----------
    names : sequence of str
        The columns.
    methods : ndarray of str
        The method of each.
    knots : ndarray of float64
        The values of a nominal column or the edges of another, rising, column by column.
    starts : ndarray of int64, shape (d + 1,)
        Column j has the knots starts[j] to starts[j + 1].
    has_missing : ndarray of bool
        Whether the last code stands for a missing value.
    fallback : ndarray of int
        The most frequent code.

    Examples
    --------
    >>> two = Binnings.of([Binning("a", "nominal", values=(0.0, 1.0)), Binning("b", "width")])
    >>> two[1].name, two.levels.tolist()
    ('b', [2, 1])
    """

    def __init__(
        self,
        names: Sequence[str],
        methods: np.ndarray,
        knots: np.ndarray,
        starts: np.ndarray,
        has_missing: np.ndarray,
        fallback: np.ndarray,
    ) -> None:
        self.names, self.methods, self.knots, self.starts = names, methods, knots, starts
        self.has_missing, self.fallback = has_missing, fallback
        self.is_nominal = methods == "nominal"
        sizes = np.diff(starts) + ~self.is_nominal + has_missing
        #: the number of codes of each column
        self.levels = np.maximum(1, sizes).astype(np.int32)

    @classmethod
    def of(cls, binnings: Sequence[Binning]) -> Binnings:
        """Take binnings in any sequence."""
        if isinstance(binnings, cls):
            return binnings
        are_all = isinstance(binnings, Sequence) and all(isinstance(b, Binning) for b in binnings)
        if not are_all:
            msg = "is a sequence of Binning, such as the binnings of other prepared data, not "
            raise UsageError(f"{msg}{printable(repr(binnings))}", option="binnings")
        knots = [
            binning.values if binning.method == "nominal" else binning.edges for binning in binnings
        ]
        return cls(
            [binning.name for binning in binnings],
            np.array([binning.method for binning in binnings], str),
            np.fromiter(chain.from_iterable(knots), np.float64),
            edges_of([len(column_knots) for column_knots in knots]),
            np.array([binning.missing for binning in binnings], bool),
            np.array([binning.fallback for binning in binnings], np.int64),
        )

    def __len__(self) -> int:
        return int(self.methods.size)

    def _item(self, j: int) -> Binning:
        knots = tuple(self.knots[self.starts[j] : self.starts[j + 1]].tolist())
        edges, values = ((), knots) if self.is_nominal[j] else (knots, ())
        missing, fallback = bool(self.has_missing[j]), int(self.fallback[j])
        return Binning(self.names[j], str(self.methods[j]), edges, values, missing, fallback)

    @property
    def missing_codes(self) -> np.ndarray:
        """The code of a missing value of each column, -1 if there is none."""
        return np.where(self.has_missing, self.levels - 1, -1).astype(np.int32)

    @property
    def unknown(self) -> np.ndarray:
        """The code of a value that was not seen when the binning was learned."""
        return np.where(self.has_missing, self.levels - 1, self.fallback)

    def take(self, columns: np.ndarray) -> Binnings:
        """The binnings of some columns, in the order given; without names."""
        sizes = np.diff(self.starts)[columns]
        knots = self.knots[ranges(self.starts[columns], sizes)]
        return Binnings(
            (),
            self.methods[columns],
            knots,
            edges_of(sizes),
            self.has_missing[columns],
            self.fallback[columns],
        )

    def named(self, names: Sequence[str]) -> Binnings:
        """Give the binnings the names of their columns."""
        self.names = names
        return self

    def codes_of(self, block: Block) -> np.ndarray:
        """The code of every stored value of a block, whose columns these are."""
        dtype = np.uint8 if int(self.levels.max(initial=1)) <= BYTES else np.int32
        codes = np.empty(block.values.size, dtype)
        column_values.find_codes(
            block.values,
            block.bounds,
            self.knots,
            self.starts,
            self.is_nominal,
            self.unknown.astype(dtype),
            codes,
        )
        return codes

    def codes_of_zero(self) -> np.ndarray:
        """The code of 0 in each column."""
        d = len(self)
        return self.codes_of(Block(0, 1, np.zeros(d), np.arange(d + 1), np.zeros(0, np.int32)))


def ranges(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The integers from each start, as many as its size, one range after the other.

    Examples
    --------
    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = edges_of(sizes)
    return np.repeat(starts - ends[:-1], sizes) + np.arange(ends[-1])


def join(parts: Sequence[Binnings]) -> Binnings:
    """The binnings of all parts, one after the other; without names."""
    return Binnings(
        (),
        np.concatenate([part.methods for part in parts]),
        np.concatenate([part.knots for part in parts]),
        edges_of(np.concatenate([np.diff(part.starts) for part in parts])),
        np.concatenate([part.has_missing for part in parts]),
        np.concatenate([part.fallback for part in parts]),
    )
