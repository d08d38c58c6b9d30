"""What was decided for one column: a binning that can be kept, shown and applied again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from mlfs.errors import DataError, printable

__all__ = ["Binning"]


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
        ``"nominal"``, ``"mean-sd"``, ``"width"``, ``"frequency"``, ``"mdlp"`` or ``"laim"``.
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
        seen = len(self.values) if self.method == "nominal" else len(self.edges) + 1
        return max(1, seen + self.missing)

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
        raw = np.asarray(x, dtype=np.float64)
        if self.method == "nominal":
            known = np.asarray(self.values)
            codes = np.searchsorted(known, raw).astype(np.int32)
            found = codes < known.size
            found[found] = known[codes[found]] == raw[found]
            codes[~found] = self.unknown
        else:
            codes = np.searchsorted(np.asarray(self.edges), raw, side="left").astype(np.int32)
            codes[np.isnan(raw)] = self.unknown
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
