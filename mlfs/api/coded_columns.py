"""Coded columns with their names: what the functions of `mlfs.information` compute with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlfs.api.candidates import columns_named
from mlfs.information.pair_matrix import Side


@dataclass(frozen=True)
class CodedColumns:
    """Columns that are coded and counted, such as `Prepared.features` and `Prepared.labels`.

    Some of them are chosen by name, glob or number: ``ready.features["tempo"]`` is one column, and
    ``ready.features[["tempo", 3]]`` a table of two.

    Parameters
    ----------
    side : Side
        The counted columns.
    names : sequence of str
        Their names.
    single : bool
        Whether this is one column, for which a function returns no axis.
    correction : str
        How information is corrected for bias.
    n_jobs : int, optional
        Threads.
    owner : object
        The data that they are columns of.

    Examples
    --------
    >>> import mlfs
    >>> ready = mlfs.prepare(([[0, 5], [0, 5], [1, 5], [1, 6]], [[0], [0], [1], [1]]))
    >>> ready.features, ready.features["x1"], ready.labels
    (<2 coded columns>, <coded column 'x1'>, <1 coded column>)
    """

    side: Side
    names: Sequence[str]
    single: bool = False
    correction: str = "none"
    n_jobs: int | None = None
    owner: Any = None

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        if self.single:
            return f"<coded column {self.names[0]!r}>"
        return f"<{len(self)} coded column{'' if len(self) == 1 else 's'}>"

    def __getitem__(self, columns: Any) -> CodedColumns:
        if isinstance(columns, slice):
            columns = list(range(*columns.indices(len(self))))
        numbers = columns_named(columns, self.names, "the choice of columns")
        single = isinstance(columns, (str, int, np.integer)) and len(numbers) == 1
        side = Side(self.side.table, self.side.positions[numbers])
        return replace(self, side=side, names=[self.names[j] for j in numbers], single=single)
