"""Where the features of a data set stand in the X that was given.

They stand at the same place unless X has columns that cannot be features, such as dates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.api.candidates import columns_named
from mlfs.api.prepared import Prepared
from mlfs.data.dataset import Dataset
from mlfs.errors import UsageError, printable

__all__ = ["Positions", "width"]


def width(x: Any) -> int:
    """How many columns X has; 0 for what is no table, which `from_arrays` refuses better.

    Examples
    --------
    >>> width([[1, 2, 3], [4, 5, 6]]), width([1, 2]), width([[1], [2, 3]])
    (3, 0, 0)
    """
    try:
        shape = x.shape if hasattr(x, "shape") else np.shape(x)
    except ValueError:
        return 0
    return int(shape[1]) if len(shape) == 2 else 0


@dataclass(frozen=True)
class Positions:
    """The features of a data set within the columns of X.

    Parameters
    ----------
    names : tuple of str
        The names of all columns of X.
    of : tuple of int
        The column of X that each feature is.

    Examples
    --------
    >>> places = Positions(("size", "day", "colour"), (0, 2))
    >>> places.within([2, "size"], "include"), places.outside([1])
    ([1, 0], (2,))
    """

    names: tuple[str, ...]
    of: tuple[int, ...]

    @classmethod
    def found(cls, x: Any, data: Dataset) -> Positions:
        """Find out which columns of X became features."""
        d = len(data.columns) + len(data.left_out)
        names = x.columns if hasattr(x, "columns") else (f"x{j}" for j in range(d))
        return cls._without([str(name) for name in names], data)

    @classmethod
    def of_prepared(cls, ready: Prepared) -> Positions:
        """Find out which columns of the X that was prepared became features."""
        names = ready.dataset.feature_names if ready.columns is None else ready.columns
        return cls._without(names, ready.dataset)

    @classmethod
    def _without(cls, names: Sequence[str], data: Dataset) -> Positions:
        gone = {name for name, _ in data.left_out}
        return cls(tuple(names), tuple(j for j, name in enumerate(names) if name not in gone))

    @property
    def trivial(self) -> bool:
        """Whether all columns of X are features."""
        return len(self.of) == len(self.names)

    def within(self, wanted: Any, what: str, *, strict: bool = True) -> list[int]:
        """The features that names, globs or positions in X stand for.

        A column that cannot be a feature is refused, or passed over where `strict` is not set.
        """
        place = {j: at for at, j in enumerate(self.of)}
        columns = columns_named(() if wanted is None else wanted, self.names, what)
        if strict:
            self._refuse_left_out([j for j in columns if j not in place], what)
        return [place[j] for j in columns if j in place]

    def groups(self, groups: Any) -> Any:
        """Groups of columns of X as groups of features."""
        if groups is None or self.trivial:
            return groups
        if isinstance(groups, Mapping):
            return {
                name: self.within(wanted, f"the group {printable(name)!r}")
                for name, wanted in groups.items()
            }
        one_each = list(groups)
        if len(one_each) != len(self.names):
            msg = f"groups has {len(one_each)} entries for {len(self.names)} columns: give one each"
            raise UsageError(msg)
        return [one_each[j] for j in self.of]

    def outside(self, features: Iterable[int]) -> tuple[int, ...]:
        """The columns of X that features are."""
        return tuple(self.of[feature] for feature in features)

    def _refuse_left_out(self, columns: Sequence[int], what: str) -> None:
        if columns:
            msg = (
                f"{what} names the column {printable(self.names[columns[0]])!r}, which cannot be a "
                "feature and is left out of X: leave it out of the list too"
            )
            raise UsageError(msg)
