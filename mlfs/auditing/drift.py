"""Check of other data of the same kind: columns that moved, new values, missing columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.auditing.findings import Finding, listed
from mlfs.data.dataset import Column, Dataset
from mlfs.errors import plural, printable

MOVED = 0.2  # the greatest difference of two distribution functions
SURE = 1e-6  # that chance moved no column so far


def drift(dataset: Dataset, other: Dataset) -> Iterator[Finding]:
    """M401: how other data differ."""
    theirs = {name: j for j, name in enumerate(other.names)}
    missing = [name for name in dataset.names if name not in theirs]
    if missing:
        text = f"{plural(len(missing), 'column')} not in the other data: {listed(missing)}"
        yield Finding("M401", "error", text, tuple(missing))
    known = {*dataset.names}
    new = [name for name in other.names if name not in known]
    if new:
        text = f"{plural(len(new), 'column')} only in the other data: {listed(new)}"
        yield Finding("M401", "note", text, tuple(new))
    mine, others = _by_column(dataset.table), _by_column(other.table)
    for j, name in enumerate(dataset.names):
        if name not in theirs:
            continue
        column, their_column = dataset.columns[j], other.columns[theirs[name]]
        x, z = (_values(table, i) for table, i in ((mine, j), (others, theirs[name])))
        if column.kind != their_column.kind:
            text = f"{printable(name)!r} is {column.kind} here and {their_column.kind} there"
            yield Finding("M401", "error", text, (name,))
            continue
        if column.kind == "nominal":
            yield from _of_words(name, column, their_column, x, z)
        else:
            yield from _of_numbers(name, x, z, len(dataset.names))


def _by_column(table: Any) -> Any:
    return sp.csc_array(table) if sp.issparse(table) else table


def _values(table: Any, j: int) -> np.ndarray:
    part = table[:, [j]]
    dense = part.toarray() if sp.issparse(part) else part
    return np.asarray(dense, dtype=np.float64).ravel()


def _threshold(n: int, m: int, columns: int) -> float:
    """The difference of two distribution functions that chance does not reach (Massey)."""
    effective = n * m / max(1, n + m)
    return max(MOVED, float(np.sqrt(-np.log(SURE / max(1, columns) / 2) / 2 / max(1, effective))))


def _of_numbers(name: str, x: np.ndarray, z: np.ndarray, columns: int) -> Iterator[Finding]:
    gaps = np.isnan(x).mean(), np.isnan(z).mean()
    x, z = np.sort(x[~np.isnan(x)]), np.sort(z[~np.isnan(z)])
    if abs(gaps[0] - gaps[1]) >= MOVED:
        text = f"{printable(name)!r} is missing in {gaps[0]:.0%} of the rows here and in "
        text += f"{gaps[1]:.0%} there"
        yield Finding("M401", "warning", text, (name,))
    if not (x.size and z.size):
        return
    values = np.union1d(x, z)
    below = np.searchsorted(x, values, side="right") / x.size
    theirs = np.searchsorted(z, values, side="right") / z.size
    moved = float(np.abs(below - theirs).max())
    if moved > _threshold(x.size, z.size, columns):
        medians = float(np.median(x)), float(np.median(z))
        text = f"{printable(name)!r} moved by {moved:.2f} (Kolmogorov and Smirnov): its median is "
        text += f"{medians[0]:g} here and {medians[1]:g} there"
        yield Finding("M401", "warning", text, (name,), (), {"moved": moved})


def _of_words(
    name: str, column: Column, their_column: Column, x: np.ndarray, z: np.ndarray
) -> Iterator[Finding]:
    here, there = (_shares(own, codes) for own, codes in ((column, x), (their_column, z)))
    new = [word for word in there if word and word not in here]
    if new:
        share = sum(there[word] for word in new)
        text = f"{printable(name)!r} has {plural(len(new), 'value')} there that are not here, in "
        text += f"{share:.1%} of the rows: {listed(new)}"
        yield Finding("M401", "warning", text, (name,), (), {"new": new[:100]})
    moved = sum(abs(here.get(w, 0.0) - there.get(w, 0.0)) for w in {*here, *there}) / 2
    if moved > _threshold(x.size, z.size, max(1, len(here))) and len(here) <= 100:
        text = f"{printable(name)!r} moved: {moved:.0%} of the rows have another value"
        yield Finding("M401", "warning", text, (name,), (), {"moved": moved})


def _shares(column: Column, codes: np.ndarray) -> dict[str, float]:
    """The share of the rows that has each value; the empty text stands for what is missing."""
    known = codes[~np.isnan(codes)].astype(np.int64)
    counts = np.bincount(known, minlength=len(column.values)) / max(1, codes.size)
    shares = {value: float(n) for value, n in zip(column.values, counts, strict=True) if n}
    return {**shares, "": 1 - float(counts.sum())}
