"""Which columns may be picked, must be picked, or are picked together."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.counting.codes import Codes
from mlfs.counting.entries import edges_of
from mlfs.data.dataset import Dataset, LazySequence
from mlfs.errors import UnknownName, UsageError, printable


def columns_named(
    columns: Any, names: Sequence[str], option: str, kind: str = "feature"
) -> list[int]:
    """Find columns by name, glob or number, in the order in which they are named.

    Parameters
    ----------
    columns : str, int or sequence of them
        Names (a name with ``*``, ``?`` or ``[`` that no column has is a glob), or numbers of
        columns from 0.
    names : sequence of str
        The names of all columns.
    option : str
        The option in which they are wanted, for the error.
    kind : str
        What the columns are, for the error.

    Examples
    --------
    >>> columns_named(["b", 0], ["a", "b"], "include")
    [1, 0]
    """
    if isinstance(columns, (str, int, np.integer)):
        columns = [columns]
    if not isinstance(columns, Iterable) or getattr(columns, "ndim", 1) == 0:
        msg = f"takes names, globs or numbers of columns, not {printable(repr(columns))}"
        raise UsageError(msg, option=option)
    columns = list(columns)
    numbers = {name: j for j, name in enumerate(names)} if columns else {}
    positions: list[int] = []
    for column in columns:
        if isinstance(column, (int, np.integer)) and not isinstance(column, (bool, np.bool_)):
            if not 0 <= column < len(names):
                msg = f"names column {printable(column)}, but the columns are 0 to {len(names) - 1}"
                raise UsageError(msg, option=option)
            positions.append(int(column))
        elif str(column) in numbers:
            positions.append(numbers[str(column)])
        else:
            hits = [j for j, name in enumerate(names) if fnmatch.fnmatchcase(name, str(column))]
            if not hits:
                raise UnknownName(kind + " in {}", str(column), names, option=option)
            positions += hits
    return list(dict.fromkeys(positions))


def features_named(columns: Any, data: Dataset, option: str, *, strict: bool = True) -> list[int]:
    """Find columns of X by name, by glob, or by their number in the table that was given.

    A column that was left out of X is refused, or passed over where `strict` is not set.

    Examples
    --------
    >>> from mlfs.data import from_arrays
    >>> import datetime, pandas
    >>> table = pandas.DataFrame({"day": [datetime.date(2026, 1, 1)], "a": [1], "b": [2]})
    >>> features_named([2, "a"], from_arrays(table, [[1]]), "include")
    [1, 0]
    """
    if data.places is None:
        return columns_named(columns, data.names, option)
    if isinstance(columns, (str, int, np.integer)) or not isinstance(columns, Iterable):
        columns = [columns]
    left_out = [name for name, _ in data.left_out]
    gone = [j for j in range(data.n_given) if j not in {*data.places}]
    features: list[int] = []
    for column in columns:
        if isinstance(column, (int, np.integer)) and not isinstance(column, (bool, np.bool_)):
            (place,) = columns_named(column, range(data.n_given), option)  # type: ignore[arg-type]
            found = np.flatnonzero(data.given == place).tolist()
            found = found or [len(data.names) + gone.index(place)]
        else:
            found = columns_named([column], [*data.names, *left_out], option)
        for j in found:
            if j < len(data.names):
                features.append(j)
            elif strict:
                name, why = data.left_out[j - len(data.names)]
                msg = f"names the column {printable(name)!r}, which cannot be a feature: {why}"
                raise UsageError(f"{msg}; leave it out of the list too", option=option)
    return list(dict.fromkeys(features))


class Singles(LazySequence):
    """Every column on its own: (0,), (1,), ..."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def _item(self, j: int) -> tuple[int]:
        return (j,)


@dataclass(frozen=True)
class Grouping:
    """Candidates: single columns, or groups of columns that count as one.

    Parameters
    ----------
    members : sequence of tuple of int
        The columns of each candidate; candidates are ordered by their lowest column.
    names : sequence of str
        The name of each candidate's group, empty for a single column.
    """

    members: Sequence[tuple[int, ...]]
    names: Sequence[str]

    def named(self, names: Sequence[str]) -> dict[str, list[str]]:
        """The groups and the names of their columns."""
        return {
            group: [names[j] for j in columns]
            for group, columns in zip(self.names, self.members, strict=True)
            if group
        }

    @property
    def trivial(self) -> bool:
        """Whether every candidate is one column."""
        return isinstance(self.members, Singles) or all(not name for name in self.names)

    def candidates(self, columns: Iterable[int]) -> list[int]:
        """The candidates that hold some columns, in the order of the columns."""
        if isinstance(self.members, Singles):
            return list(dict.fromkeys(columns))
        holder = {j: i for i, columns in enumerate(self.members) for j in columns}
        return list(dict.fromkeys(holder[j] for j in columns))

    def columns(self, candidates: Iterable[int]) -> list[int]:
        """The columns of some candidates, in the order of the candidates."""
        return [j for candidate in candidates for j in self.members[candidate]]

    def merged(self, codes: Codes) -> Codes:
        """Code each group as one variable: the joint value of its columns."""
        if self.trivial:
            return codes
        entries: list[tuple[np.ndarray, np.ndarray]] = []
        modes, levels, missing = [], [], []
        for columns in self.members:
            if len(columns) == 1:
                j = columns[0]
                entries.append(codes.entries(j))
                modes.append(int(codes.mode[j]))
                levels.append(int(codes.levels[j]))
                missing.append(int(codes.missing[j]))
                continue
            joint = np.stack([codes.column(j) for j in columns], axis=1)
            _, code = np.unique(joint, axis=0, return_inverse=True)
            code = code.ravel().astype(np.int32)
            missing.append(-1)
            levels.append(int(code.max(initial=0)) + 1)
            modes.append(int(np.bincount(code).argmax()))
            rows = np.flatnonzero(code != modes[-1]).astype(np.int32)
            entries.append((rows, code[rows]))
        sizes = [rows.size for rows, _ in entries]
        return Codes(
            codes.n_rows,
            edges_of(sizes),
            np.concatenate([rows for rows, _ in entries]).astype(np.int32),
            np.concatenate([code for _, code in entries]).astype(np.int32),
            np.array(modes, np.int32),
            np.array(levels, np.int32),
            np.array(missing, np.int32),
        )


def groups_of_features(groups: Any, data: Dataset) -> Any:
    """Groups of columns of the table that was given, as groups of columns of X."""
    if groups is None or data.places is None or isinstance(groups, str):
        return groups
    if isinstance(groups, Mapping):
        return {
            name: features_named(columns, data, f"the group {printable(name)!r}")
            for name, columns in groups.items()
        }
    group_of = list(groups)
    if len(group_of) != data.n_given:
        msg = f"groups has {len(group_of)} entries for {data.n_given} columns: give one each"
        raise UsageError(msg)
    return [group_of[j] for j in data.places]


def grouping(groups: Any, names: Sequence[str]) -> Grouping:
    """Read the groups of columns that count as one feature.

    Parameters
    ----------
    groups : mapping, sequence or None
        Group name to columns (names, globs or numbers), or one group name for each column
        (None or empty for a column on its own).
    names : sequence of str
        The names of all columns.

    Examples
    --------
    >>> grouping({"colour": ["red", "blue"]}, ["red", "size", "blue"]).members
    ((0, 2), (1,))
    """
    if groups is None:
        return Grouping(Singles(len(names)), ("",) * len(names))
    if isinstance(groups, str) or not isinstance(groups, (Mapping, Iterable)):
        msg = (
            "groups maps group names to columns, or names the group of each column: "
            f"{printable(repr(groups))} does neither"
        )
        raise UsageError(msg)
    if isinstance(groups, Mapping):
        group_of: list[str] = [""] * len(names)
        for name, group_columns in groups.items():
            for j in columns_named(group_columns, names, f"the group {printable(name)!r}"):
                if group_of[j]:
                    both = f"{printable(group_of[j])!r} and {printable(name)!r}"
                    msg = f"the column {printable(names[j])!r} is in the groups {both}"
                    raise UsageError(f"{msg}: a column has one group")
                group_of[j] = str(name)
    else:
        group_of = ["" if name is None else str(name) for name in groups]
        if len(group_of) != len(names):
            msg = f"groups has {len(group_of)} entries for {len(names)} columns: give one each"
            raise UsageError(msg)
    together: dict[str, list[int]] = {}
    for j, name in enumerate(group_of):
        together.setdefault(f"g{name}" if name else f"c{j}", []).append(j)
    return Grouping(
        tuple(tuple(columns) for columns in together.values()),
        tuple(key[1:] if key[0] == "g" else "" for key in together),
    )
