"""Checks of labels and of rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from mlfs.api.prepared import Prepared
from mlfs.auditing.findings import Finding, listed
from mlfs.auditing.leaks import dense_label
from mlfs.discretize.column_blocks import blocks
from mlfs.errors import first_of, plural, printable

RARE = 10  # rows
MOST_LABELS = 2_000  # of which pairs are looked at
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
SHOWN = 20  # pairs of labels, a finding each


def labels(prepared: Prepared, rare: int = RARE) -> Iterator[Finding]:
    """M301: labels that are constant, rare, or follow from another label."""
    dataset = prepared.dataset
    names, rows = dataset.label_names, dataset.shape[0]
    Y = sp.csc_array(dataset.Y) if sp.issparse(dataset.Y) else dataset.Y
    binary = [k for k, label in enumerate(dataset.labels) if len(label.values) == 2]
    positive = sp.csc_array(Y[:, binary] > 0).astype(np.int64)
    totals = np.asarray(positive.sum(axis=0)).ravel()
    n_missing = np.asarray((Y[:, binary] < 0).sum(axis=0)).ravel()
    known = rows - n_missing
    rarer = np.minimum(totals, known - totals)
    constant = [names[binary[k]] for k in np.flatnonzero(rarer == 0).tolist()]
    if constant:
        text = f"{plural(len(constant), 'label')} constant, telling nothing: {listed(constant)}"
        yield Finding("M301", "warning", text, (), tuple(constant))
    few: list[int] = np.flatnonzero((rarer > 0) & (rarer < rare)).tolist()
    if few:
        shown = listed(f"{names[binary[k]]} ({rarer[k]})" for k in few)
        text = f"{plural(len(few), 'label')} with one value in fewer than {rare} rows: {shown}"
        yield Finding("M301", "note", text, (), tuple(names[binary[k]] for k in few))
    used = [k for k in range(len(binary)) if rarer[k] >= rare and not n_missing[k]]
    if len(used) > MOST_LABELS:
        return
    both = np.asarray((positive[:, used].T @ positive[:, used]).todense())
    n = totals[used]
    implied = [(a, b) for a, b in np.argwhere(both == n[:, None]).tolist() if a != b]
    apart = np.argwhere((both == 0) & (n[:, None] + n == rows)).tolist()
    opposite = [(a, b) for a, b in apart if a < b]
    pairs = [(a, b) for a, b in implied if n[a] == n[b] and a < b]
    for what, found in (("are the same", pairs), ("are opposites", opposite)):
        for a, b in found[:SHOWN]:
            two = names[binary[used[a]]], names[binary[used[b]]]
            text = f"the labels {printable(two[0])!r} and {printable(two[1])!r} {what}"
            yield Finding("M301", "warning", text, (), two)
    strict = [(a, b) for a, b in implied if n[a] < n[b]]
    if strict:
        implications = [
            f"{printable(names[binary[used[a]]], 40)!r} implies "
            f"{printable(names[binary[used[b]]], 40)!r}"
            for a, b in strict[:5]
        ]
        text = f"labels imply others: {first_of(implications, len(strict))}"
        involved = tuple(dict.fromkeys(names[binary[used[a]]] for a, _ in strict))
        yield Finding("M301", "note", text, (), involved)


def repeated_rows(prepared: Prepared) -> Iterator[Finding]:
    """M302: rows that are there twice, and rows that are equal in X and different in Y."""
    dataset = prepared.dataset
    of_x = fingerprints(dataset.table)
    of_y = _fingerprints_of_labels(dataset.Y)
    order = np.lexsort((of_y, of_x))
    same_x = of_x[order][1:] == of_x[order][:-1]
    same_y = of_y[order][1:] == of_y[order][:-1]
    n_twice = int((same_x & same_y).sum())
    if n_twice:
        i = int(np.flatnonzero(same_x & same_y)[0])
        first, second = sorted(order[i : i + 2].tolist())
        text = f"{plural(n_twice, 'row')} repeated in X and Y, first found: rows {first + 1} and "
        text += f"{second + 1}; a copy in the training and the test rows flatters a model"
        yield Finding("M302", "note", text, (), (), {"repeated": n_twice})
    differing = same_x & ~same_y
    if differing.any():
        i = int(np.flatnonzero(differing)[0])
        first, second = sorted(order[i : i + 2].tolist())
        group = np.cumsum(np.append(False, ~same_x))  # of rows that are equal in X
        n = int(np.isin(group, group[:-1][differing]).sum())
        text = f"{plural(n, 'row')} equal to another in X and different in Y, such as rows "
        text += f"{first + 1} and {second + 1}: no model tells them apart"
        yield Finding("M302", "note", text, (), (), {"differing": n})


def fingerprints(table: object) -> np.ndarray:
    """A number for each row of X, the same for the same values."""
    rows = int(table.shape[0])  # type: ignore[attr-defined]
    out = np.zeros(rows, np.uint64)
    for block in blocks(table):
        for j in range(block.width):
            part = slice(block.bounds[j], block.bounds[j + 1])
            values = np.asarray(block.values[part], np.float64) + 0.0  # one zero
            values[np.isnan(values)] = np.nan
            mixed = _mixed(values.view(np.uint64), block.start + j)
            mixed[values == 0] = 0
            if block.is_dense and not block.rows.size:
                out += mixed
            else:
                np.add.at(out, block.rows[part], mixed)
    return out


def _fingerprints_of_labels(Y: object) -> np.ndarray:
    out = np.zeros(int(Y.shape[0]), np.uint64)  # type: ignore[attr-defined]
    for label in range(int(Y.shape[1])):  # type: ignore[attr-defined]
        y = dense_label(Y, label)
        mixed = _mixed(y.view(np.uint64), label)
        mixed[y == 0] = 0
        out += mixed
    return out


def _mixed(bits: np.ndarray, column: int) -> np.ndarray:
    """Random-looking numbers of some bits in a column."""
    with np.errstate(over="ignore"):
        x = bits + np.uint64(column + 1) * MULTIPLIER
        x ^= x >> np.uint64(30)
        x *= np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(27)
        x *= np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))
