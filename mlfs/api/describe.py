"""The contents of a data set: the figures behind `mlfs info`."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.counting.entries import edges_of
from mlfs.data.dataset import Dataset
from mlfs.data.html import NOTE
from mlfs.data.identifiers import identifier_columns
from mlfs.discretize.column_blocks import Block, blocks
from mlfs.errors import printable
from mlfs.information.imbalance import imbalance

SHOWN = 5
NAME = 40  # characters of a name


@dataclass(frozen=True)
class Description:
    """The figures of a data set.

    A row *has* a label if its value is not the first one of the label; a missing label counts
    as not had. Columns are counted from 0.

    Parameters
    ----------
    rows, features, labels : int
        The size.
    cardinality : float
        Labels that a row has, on average.
    density : float
        Cardinality by the number of labels.
    labelsets : int
        Distinct label sets.
    ir, cvir : float or None
        Imbalance as `mlfs.information.imbalance` defines it; None if no row has any label.
    label_frequency : dict
        ``max`` and ``min``: in how many rows the commonest and the rarest label stand.
    labels_without_positives : list of str
        Labels that no row has.
    rows_without_labels : int
        Rows that have no label.
    column_kinds : dict
        How many columns are ``numeric`` and ``nominal``.
    constant_columns : list of int
        Columns of one value only (missing counts as a value).
    duplicate_columns : list of list of int
        Groups of equal columns, constant ones aside.
    identifier_columns : list of int
        Nominal columns that have another value in every row: they tell all and predict nothing.
    missing_features, missing_labels : int
        Missing values in X and Y.
    missing_columns : int
        Columns of X that have any.
    sparse : bool
        Whether X is sparse.
    filled : float
        The share of X that is not 0.
    weighted : bool
        Whether the rows have weights.
    left_out : list of list of str
        Columns of the file that are not in X, each with the reason.
    source : dict
        The path, the format, the relation, and how the labels were found.
    notes : list of str
        What the reader had to say.
    shown_names : dict of int to str
        The names of the columns that the table names; not in the JSON, which has all numbers.
    """

    rows: int
    features: int
    labels: int
    cardinality: float
    density: float
    labelsets: int
    ir: float | None
    cvir: float | None
    label_frequency: dict[str, int]
    labels_without_positives: list[str]
    rows_without_labels: int
    column_kinds: dict[str, int]
    constant_columns: list[int]
    duplicate_columns: list[list[int]]
    identifier_columns: list[int]
    missing_features: int
    missing_columns: int
    missing_labels: int
    sparse: bool
    filled: float
    weighted: bool
    left_out: list[list[str]]
    source: dict[str, str]
    notes: list[str]
    shown_names: dict[int, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The description as plain JSON-able data."""
        return {name: value for name, value in vars(self).items() if name != "shown_names"}

    def table(self) -> str:
        """The description as a table for a terminal; columns are named."""
        lines = [(name, value) for name, value in self._lines() if value]
        width = max(len(name) for name, _ in lines)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in lines)

    def _lines(self) -> list[tuple[str, str]]:
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in self.column_kinds.items() if n)
        frequency = self.label_frequency
        constant = f"{len(self.constant_columns):,}{self._shorten(self.constant_columns)}"
        groups = ", ".join(map(self._equal, self.duplicate_columns[:SHOWN]))
        dots = ", ..." if len(self.duplicate_columns) > SHOWN else ""
        copies = sum(len(group) - 1 for group in self.duplicate_columns)
        names = ", ".join(printable(name) for name in self.labels_without_positives[:SHOWN])
        empty = len(self.labels_without_positives)
        holes = f" (columns: {self.missing_columns:,})" if self.missing_columns else ""
        lines = [
            ("data", printable(self.source["path"], 400)),
            ("format", self.source["format"]),
            ("relation", printable(self.source["relation"])),
            ("labels found by", printable(self.source["labels_by"], 200)),
            ("rows", f"{self.rows:,}"),
            ("features", f"{self.features:,}" + (f" ({kinds})" if kinds else "")),
            ("labels", f"{self.labels:,}"),
            ("cardinality", f"{self.cardinality:.4f}"),
            ("density", f"{self.density:.4f}"),
            ("distinct label sets", f"{self.labelsets:,}"),
            ("imbalance IR", "-" if self.ir is None else f"{self.ir:.3f}"),
            ("imbalance CVIR", "-" if self.cvir is None else f"{self.cvir:.3f}"),
            ("label frequency", f"{frequency['min']:,} to {frequency['max']:,} rows"),
            (
                "labels on no row",
                f"{empty:,} ({names}{', ...' if empty > SHOWN else ''})" if empty else "0",
            ),
            ("rows without labels", f"{self.rows_without_labels:,}"),
            ("constant columns", constant),
            (
                "duplicate columns",
                f"{copies:,}" + (f" ({groups}{dots})" if groups else ""),
            ),
            ("identifiers", self._shorten(self.identifier_columns).strip(" ()")),
            (
                "missing values",
                f"{self.missing_features:,} in features{holes}, {self.missing_labels:,} in labels",
            ),
            ("storage", f"{'sparse' if self.sparse else 'dense'}, {self.filled:.2%} not zero"),
            ("row weights", "yes" if self.weighted else "no"),
        ]
        lines += [
            ("left out", f"{printable(name)}: {printable(why, 200)}") for name, why in self.left_out
        ]
        return lines + [("note", printable(note, NOTE)) for note in self.notes]

    def _shorten(self, columns: list[int]) -> str:
        """The first of some columns by their names, in brackets."""
        if not columns:
            return ""
        shown = ", ".join(printable(self.shown_names[j], NAME) for j in columns[:SHOWN])
        return f" ({shown}{', ...' if len(columns) > SHOWN else ''})"

    def _equal(self, columns: list[int]) -> str:
        """The first of some equal columns by their names."""
        names = [printable(self.shown_names[j], NAME) for j in columns[:SHOWN]]
        return " = ".join([*names, "..."] if len(columns) > SHOWN else names)


def describe(dataset: Dataset) -> Description:
    """Describe a data set, in one pass over each column; a sparse one stays sparse.

    Examples
    --------
    >>> from mlfs.data.dataset import Column, Label
    >>> data = Dataset(np.eye(3), np.array([[1, 0], [1, 1], [0, 0]]),
    ...                (Column("a"), Column("b"), Column("c")), (Label("x"), Label("y")))
    >>> seen = describe(data)
    >>> seen.cardinality, seen.labelsets, seen.rows_without_labels, seen.ir
    (1.0, 3, 1, 1.5)
    """
    rows, features, labels = dataset.shape
    counts, missing_labels = _label_counts(dataset.Y)
    had = int(counts.sum())
    _, ir, cvir = imbalance(counts)
    sets, bare = _label_sets(dataset.Y)
    columns, identifiers = _columns(dataset), identifier_columns(dataset)
    groups = [group for group in columns.groups.values() if len(group) > 1]
    nominal = int(np.count_nonzero(dataset.sizes >= 0))
    cardinality = had / rows if rows else 0.0
    names, shown = dataset.label_names, [columns.constant, identifiers, *groups[:SHOWN]]
    return Description(
        rows=rows,
        features=features,
        labels=labels,
        cardinality=cardinality,
        density=cardinality / labels if labels else 0.0,
        labelsets=sets,
        ir=None if math.isnan(ir) else ir,
        cvir=None if math.isnan(ir) else cvir,
        label_frequency={
            "max": int(counts.max(initial=0)),
            "min": int(counts.min()) if labels else 0,
        },
        labels_without_positives=[names[j] for j in np.flatnonzero(counts == 0).tolist()],
        rows_without_labels=bare,
        column_kinds={"numeric": features - nominal, "nominal": nominal},
        constant_columns=columns.constant,
        duplicate_columns=groups,
        identifier_columns=identifiers,
        missing_features=columns.missing,
        missing_columns=columns.missing_columns,
        missing_labels=missing_labels,
        sparse=dataset.is_sparse,
        filled=columns.filled / (rows * features) if rows and features else 0.0,
        weighted=dataset.weights is not None,
        left_out=[list(pair) for pair in dataset.left_out],
        source=asdict(dataset.source),
        notes=list(dataset.notes),
        shown_names={j: dataset.names[j] for numbers in shown for j in numbers[:SHOWN]},
    )


def _label_counts(labels: Any) -> tuple[np.ndarray, int]:
    """How many rows have each label, and the number of missing labels."""
    if sp.issparse(labels):
        table = sp.csc_array(labels)
        owner = np.repeat(np.arange(table.shape[1]), np.diff(table.indptr))
        counts = np.bincount(owner[table.data > 0], minlength=table.shape[1])
        return counts, int((table.data < 0).sum())
    return (labels > 0).sum(axis=0), int((labels < 0).sum())


def _label_sets(labels: Any) -> tuple[int, int]:
    """How many different label sets there are, and how many rows without a label."""
    table = sp.csr_array(labels)
    table.sort_indices()
    is_stored = table.data != 0
    ends = edges_of(is_stored)[table.indptr].tolist()
    columns, values = table.indices[is_stored], table.data[is_stored]
    sets = {
        (columns[start:end].tobytes(), values[start:end].tobytes()) for start, end in pairwise(ends)
    }
    owner = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    return len(sets), table.shape[0] - np.unique(owner[table.data > 0]).size


@dataclass
class _Columns:
    """The findings of one pass over the columns of X."""

    constant: list[int] = field(default_factory=list)
    groups: dict[bytes, list[int]] = field(default_factory=dict)
    missing: int = 0
    missing_columns: int = 0
    filled: int = 0


def twins_and_constants(dataset: Dataset) -> tuple[list[int], list[list[int]]]:
    """The columns that are constant, and the groups of those that are equal in every row."""
    found = _columns(dataset)
    return found.constant, [group for group in found.groups.values() if len(group) > 1]


def _columns(dataset: Dataset) -> _Columns:
    result = _Columns()
    for block in blocks(dataset.table):
        low, high, n_missing = block.extremes()
        is_constant = np.where(n_missing > 0, n_missing == block.n_rows, low >= high)
        result.missing += int(n_missing.sum())
        result.missing_columns += int((n_missing > 0).sum())
        result.filled += int(np.count_nonzero(block.values))
        result.constant += (block.start + np.flatnonzero(is_constant)).tolist()
        for j in np.flatnonzero(~is_constant).tolist():
            column = dataset.columns[block.start + j]
            key = _digest(block, j, repr((column.kind, column.values)))
            result.groups.setdefault(key, []).append(block.start + j)
    return result


def _digest(block: Block, j: int, kind: str) -> bytes:
    """A fingerprint (128 bits) of what a column holds, the same for the same values."""
    part = slice(block.bounds[j], block.bounds[j + 1])
    values, rows = block.values[part], None
    if block.rows.size:
        values, rows = values[values != 0], block.rows[part][values != 0]
    # Adding 0 makes -0.0 and 0.0 one.
    plain = np.asarray(values) + 0.0
    plain[np.isnan(plain)] = np.nan
    digest = blake2b(kind.encode(), digest_size=16)
    digest.update(plain.tobytes())
    if rows is not None:
        digest.update(rows.astype(np.int64).tobytes())
    return digest.digest()
