"""Checks of columns: identifiers, constants, twins, dates, values that mean something else."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from mlfs.api.describe import twins_and_constants
from mlfs.api.prepared import Prepared
from mlfs.auditing.findings import Finding, listed
from mlfs.auditing.leaks import by_columns, column_values, entropy
from mlfs.counting.codes import Codes
from mlfs.data.columns import number_text
from mlfs.data.dataset import Dataset
from mlfs.data.written_numbers import note_on_numbers
from mlfs.errors import plural, printable
from mlfs.information.for_search import table_of
from mlfs.information.table import Table

MOST_WORDS = 0.5  # of the known values are different
NEARLY_CONSTANT = 0.999
BANDS, HASHES = 12, 6  # of a fingerprint by which twins are found
EMPTY = 1 << 62  # the fingerprint of a column that is constant
SALT = 0x2545F4914F6CDD1D
ALIKE = 0.7  # of the numbers of two fingerprints
COLUMNS_AT_ONCE = 256
TWIN_ROWS = 20_000
GROUPS = 10  # of twins, a finding each
TWINS = 0.95  # symmetrical uncertainty
IN_ORDER = 0.995  # the correlation of the ranks of two columns
MOST_RANKED, RANKED_ROWS = 4_000, 4_000  # columns and rows of which ranks are compared
FEW_VALUES = 10  # of a number; one of no more is no measure
LEAST_KEYS = 50  # rows of different whole numbers, below which they may be no keys
KEY_DIGITS = 5
UNIFORM = 1.6  # the greatest distance of keys from a uniform distribution, times sqrt(rows)
REPEATS = 5  # of an extreme value that may stand for a missing one


def names_of_rows(prepared: Prepared) -> Iterator[Finding]:
    """M201 and M202: columns that name rows, and words that are different in most of them."""
    dataset = prepared.dataset
    identifiers = {*prepared.identifiers}
    for j in sorted(identifiers):
        name = dataset.names[j]
        text = f"{printable(name)!r} has another value in every row, or nearly, like a key"
        yield Finding("M201", "warning", f"{text}: a selection leaves it out", (name,))
    for j in _numbered_keys(dataset):
        if j not in identifiers:
            text = f"{printable(dataset.names[j])!r} has another whole number in every row, "
            text += "drawn at random or rising, like a key: exclude it"
            yield Finding("M201", "warning", text, (dataset.names[j],))
    sizes = dataset.sizes
    table = table_of(prepared.info)
    for j in np.flatnonzero(sizes > 10).tolist():
        position = table.position(j)
        features = table.counts.features
        n = features.counts[features.offsets[position] : features.offsets[position + 1]]
        known = np.delete(n, features.missing[position]) if features.missing[position] >= 0 else n
        used = int((known > 0).sum())
        if j in identifiers or known.sum() <= 10 or used < MOST_WORDS * known.sum():
            continue
        name = dataset.names[j]
        text = f"{printable(name)!r} has {used:,} different words in "
        text += f"{plural(int(known.sum()), 'row')}: make features of them, as a vectorizer "
        text += "does, or leave it out"
        yield Finding("M202", "warning", text, (name,), (), {"values": used})


def _numbered_keys(dataset: Dataset) -> Iterator[int]:
    """Columns of different long whole numbers that rise with the rows, or are drawn evenly."""
    table = dataset.table
    if sp.issparse(table) or dataset.shape[0] < LEAST_KEYS:
        return
    first = np.asarray(table[:LEAST_KEYS], np.float64)
    is_long = (np.abs(first) >= 10 ** (KEY_DIGITS - 1)).all(axis=0) & (first % 1 == 0).all(axis=0)
    for j in np.flatnonzero(is_long & (dataset.sizes < 0)).tolist():
        x = column_values(table, j)
        rising = np.sort(x)
        if not (x % 1 == 0).all() or (rising[1:] == rising[:-1]).any():
            continue
        low, high = (len(str(int(abs(rising[end])))) for end in (0, -1))
        steps = np.diff(x)
        even = (rising - rising[0]) / (rising[-1] - rising[0])
        distance = np.abs(even - np.linspace(0, 1, x.size)).max()
        is_even = low == high and distance * np.sqrt(x.size) <= UNIFORM
        if is_even or (steps > 0).all() or (steps < 0).all():
            yield j


def constants_and_twins(prepared: Prepared) -> Iterator[Finding]:
    """M203 and M204: columns that say nothing, and those that say the same."""
    dataset = prepared.dataset
    names = dataset.names
    constant, groups = twins_and_constants(dataset)
    if constant:
        text = f"{plural(len(constant), 'column')} constant: {listed(names[j] for j in constant)}"
        yield Finding("M203", "note", text, tuple(names[j] for j in constant))
    table = table_of(prepared.info)
    features = table.counts.features
    most = np.maximum.reduceat(features.counts, features.offsets[:-1])
    place = np.array([table.position(j) for j in range(prepared.info.d)])
    rare = most[place] >= NEARLY_CONSTANT * dataset.shape[0]
    nearly = np.setdiff1d(np.flatnonzero(rare), constant).tolist()
    if nearly:
        text = f"{plural(len(nearly), 'column')} nearly constant (one value in 99.9 % of the "
        text += f"rows): {listed(names[j] for j in nearly)}"
        yield Finding("M203", "note", text, tuple(names[j] for j in nearly))
    relevance = prepared.info.mi_fL
    said: list[set[int]] = []
    for how, twins in (
        ("the same in every row", groups),
        ("the same by other names or on another scale", _renamed_twins(dataset, {*constant})),
        ("nearly the same", near_twins(prepared, {*constant, *nearly})),
    ):
        found = [group for group in twins if not any({*group} <= same for same in said)]
        said += [{*group} for group in found]
        by_size = sorted(map(sorted, found), key=lambda group: (-len(group), group))
        for group in by_size[:GROUPS]:
            yield _twins(prepared, group, relevance, how)
        if rest := by_size[GROUPS:]:
            columns = tuple(names[j] for group in rest for j in group)
            text = f"{plural(len(rest), 'further group')} of columns {how}, the smallest of all"
            yield Finding("M204", "note", text, columns)


def _twins(prepared: Prepared, group: list[int], relevance: np.ndarray, how: str) -> Finding:
    names = [prepared.dataset.names[j] for j in group]
    best = names[int(np.argmax(relevance[group]))]
    text = f"{plural(len(group), 'column')} {how}: {listed(names)}; "
    text += f"{printable(best)!r} stands for them"
    return Finding("M204", "note", text, tuple(names), (), {"representative": best})


def _renamed_twins(dataset: Dataset, without: set[int]) -> list[list[int]]:
    """Groups of columns that are the same if values are renamed or, of measures, put in order.

    Values count by the order of their first rows; those of a measure, which hardly repeat, by
    their ranks or the reverse of these.
    """
    table, rows = by_columns(dataset.table), dataset.shape[0]
    groups: dict[bytes, list[int]] = {}
    for j in range(table.shape[1]):
        if j in without:
            continue
        places = np.arange(rows)
        if sp.issparse(table):
            stored = slice(*table.indptr[j : j + 2])
            places, x = table.indices[stored], table.data[stored].astype(np.float64)
            places, x = places[x != 0], x[x != 0]
            if (places == 0).any():
                places, x = np.arange(rows), column_values(table, j)
            else:  # the first row has a 0
                places, x = np.append(0, places), np.append(0.0, x)
        else:
            x = column_values(table, j)
        values, first, code = np.unique(x, return_index=True, return_inverse=True)
        if values.size <= places.size / 2 or dataset.sizes[j] >= 0 or places.size < rows:
            code = np.argsort(np.argsort(places[first]))[code]
        elif code[0] > values.size - 1 - code[0]:
            code = values.size - 1 - code
        others = code != code[0]
        digest = blake2b(places[others].astype(np.int64).tobytes(), digest_size=16)
        digest.update(code[others].astype(np.int64).tobytes())
        groups.setdefault(digest.digest(), []).append(j)
    return [group for group in groups.values() if len(group) > 1]


def _in_the_same_order(dataset: Dataset, columns: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs of places among some columns: measures whose ranks are nearly the same or reversed."""
    if sp.issparse(dataset.table):
        return
    measures: list[int] = []
    ranks: list[np.ndarray] = []
    rows = dataset.shape[0]
    sample = np.linspace(0, rows - 1, min(rows, RANKED_ROWS)).astype(np.int64)
    table = np.asarray(dataset.table[sample])
    for i, j in enumerate(columns.tolist()):
        x = table[:, j].astype(np.float64)
        if dataset.sizes[j] < 0 and not np.isnan(x).any() and len(measures) < MOST_RANKED:
            rank = rankdata(x) - (x.size + 1) / 2
            if np.unique(rank).size > FEW_VALUES:
                measures.append(i)
                ranks.append(rank / np.sqrt(rank @ rank))
    if measures:
        table = np.array(ranks)
        for start in range(0, len(measures), COLUMNS_AT_ONCE):
            part = table[start : start + COLUMNS_AT_ONCE]
            for a, b in np.argwhere(np.abs(part @ table.T) >= IN_ORDER).tolist():
                if start + a < b:
                    yield measures[start + a], measures[b]


def near_twins(prepared: Prepared, without: set[int]) -> list[list[int]]:
    """Groups of columns whose codes or ranks are nearly the same.

    The share of equal numbers in two fingerprints is about that of the cells that two columns
    share, of those that either has beside its mode (Broder, 1997); only columns with a band of
    equal numbers are compared.
    """
    info, table = prepared.info, table_of(prepared.info)
    columns = np.array([j for j in range(info.d) if j not in without], np.int64)
    prints = _fingerprints(table, columns)
    buckets: dict[tuple[int, bytes], list[int]] = {}
    for i, own in enumerate(prints.reshape(-1, BANDS, HASHES)):
        if own[0, 0] < EMPTY:
            for band in range(BANDS):
                buckets.setdefault((band, own[band].tobytes()), []).append(i)
    entropies = info.h_f[columns]
    leader = list(range(columns.size))

    def find(i: int) -> int:
        while leader[i] != i:
            i = leader[i]
        return i

    def join(i: int, k: int) -> None:
        one, two = sorted((find(i), find(k)))
        leader[two] = one

    for i, k in _in_the_same_order(prepared.dataset, columns):
        join(i, k)
    for found in buckets.values():
        first = found[0]
        for other in found[1:]:
            low, high = sorted((entropies[first], entropies[other]))
            if find(first) == find(other) or 2 * low < TWINS * (low + high):
                continue
            if (prints[first] == prints[other]).mean() < ALIKE:
                continue
            if _uncertainty(table, int(columns[first]), int(columns[other])) >= TWINS:
                join(first, other)
    groups: dict[int, list[int]] = {}
    for i, j in enumerate(columns.tolist()):
        groups.setdefault(find(i), []).append(j)
    return [group for group in groups.values() if len(group) > 1]


def _fingerprints(table: Table, columns: np.ndarray) -> np.ndarray:
    """The least of some random numbers of the cells that are not at the mode, for each column."""
    features = table.counts.features
    rng = np.random.default_rng(0)
    sample = np.ones(features.n_rows, bool)
    if features.n_rows > TWIN_ROWS:
        sample = rng.random(features.n_rows) < TWIN_ROWS / features.n_rows
    place = np.cumsum(sample) - 1  # of a row in the sample
    values = rng.integers(0, EMPTY, (BANDS * HASHES, int(sample.sum())), dtype=np.int64)
    prints = np.full((columns.size, BANDS * HASHES), EMPTY, np.int64)
    for start in range(0, columns.size, COLUMNS_AT_ONCE):
        part = columns[start : start + COLUMNS_AT_ONCE]
        cells = [_sampled(features, table.position(j), sample) for j in part.tolist()]
        sizes = np.array([rows.size for rows, _ in cells])
        used = np.flatnonzero(sizes)
        if not used.size:
            continue
        rows = place[np.concatenate([cells[i][0] for i in used.tolist()])]
        salt = np.concatenate([cells[i][1] for i in used.tolist()]).astype(np.int64) * SALT
        ends = np.cumsum(sizes[used])
        for k, own in enumerate(values):
            mixed = (own[rows] ^ salt) & (EMPTY - 1)
            prints[start + used, k] = np.minimum.reduceat(mixed, np.append(0, ends[:-1]))
    return prints


def _sampled(features: Codes, position: int, sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, codes = features.entries(position)
    kept = sample[rows]
    return rows[kept], codes[kept]


def _uncertainty(table: Table, j: int, k: int) -> float:
    x, z = (table.column(table.position(i)).astype(np.int64) for i in (j, k))
    joint = np.bincount(x * (int(z.max()) + 1) + z)
    h_x, h_z, h_xz = (entropy(n) for n in (np.bincount(x), np.bincount(z), joint))
    return 2 * (h_x + h_z - h_xz) / (h_x + h_z) if h_x + h_z > 0 else 0.0


def dates_and_mixtures(prepared: Prepared) -> Iterator[Finding]:
    """M205: columns of dates, and of numbers with a few words."""
    dataset = prepared.dataset
    for name, why in dataset.left_out:
        text = f"{printable(name)!r} is left out: {why}"
        yield Finding("M205", "note", text, (name,))
    for j in np.flatnonzero(dataset.sizes > 0).tolist():
        note = note_on_numbers(dataset.columns[j], dataset.table, j)
        if note:
            yield Finding("M205", "warning", str(note), (dataset.names[j],))


def unplain_values(prepared: Prepared) -> Iterator[Finding]:
    """M206: numbers that stand for what is missing, and words that are written in several ways."""
    dataset = prepared.dataset
    table = by_columns(dataset.table)
    for j in np.flatnonzero(dataset.sizes < 0).tolist():
        if sp.issparse(table):
            x = np.append(table.data[slice(*table.indptr[j : j + 2])], 0.0)
        else:
            x = column_values(table, j)
        values, counts = np.unique(x[~np.isnan(x)], return_counts=True)
        name = dataset.names[j]
        for end, next_one in ((0, 1), (-1, -2)):
            if values.size <= FEW_VALUES + 2 or counts[end] < REPEATS:
                continue
            if abs(values[end] - values[next_one]) > values[-2] - values[1]:
                text = f"{printable(name)!r} is {number_text(values[end])} in "
                text += f"{plural(int(counts[end]), 'row')}, far from all other values: if that "
                text += f"means missing, name it (--missing-values={number_text(values[end])})"
                numbers = {"value": float(values[end]), "rows": int(counts[end])}
                yield Finding("M206", "warning", text, (name,), (), numbers)
    for j in np.flatnonzero(dataset.sizes > 1).tolist():
        ways: dict[str, list[str]] = {}
        if j not in prepared.identifiers:
            for value in dataset.columns[j].values:
                ways.setdefault(" ".join(value.split()).casefold(), []).append(value)
        several = [value for values in ways.values() if len(values) > 1 for value in values]
        if several:
            name = dataset.names[j]
            text = f"{printable(name)!r} writes values in several ways, which count as different: "
            yield Finding("M206", "warning", f"{text}{listed(several)}", (name,))
