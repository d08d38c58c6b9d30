"""Checks of columns: copies of labels, what is missing, identifiers, constants, twins, dates."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from mlfs.api.describe import twins_and_constants
from mlfs.api.prepared import Prepared
from mlfs.auditing.findings import Finding, listed
from mlfs.counting.codes import Codes
from mlfs.data.assemble import note_on_numbers
from mlfs.errors import plural, printable
from mlfs.information.for_search import table_of
from mlfs.information.table import Table

LEAST = 5  # rows of the rarer class of a label, below which a copy may be chance
COPY, NEARLY, PERHAPS = 0.99, 0.9, 0.75  # symmetrical uncertainty
AGREES, TELLS_WELL = 0.98, 0.93  # share of the rows, and F-score, of what perhaps is nearly a copy
AT_ONCE = 1 << 22  # cells
SAMPLED = 4_000  # rows in which a threshold is looked for
TELLS = 0.995  # of each class of a label are on one side of a threshold
CHANCE = -25.0  # the logarithm of a probability that is none, for each pair that is looked at
SIDE = 20  # rows with and without a value
BLOCKS, FEWEST_BLOCKS = 20, 5  # of neighbouring rows
ORDER = 0.1  # the symmetrical uncertainty of a label and these blocks
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


def copies_of_labels(prepared: Prepared) -> Iterator[Finding]:
    """M101: columns that tell a label, as they are counted or at one threshold."""
    info, dataset = prepared.info, prepared.dataset
    labels = [k for k, n in enumerate(_rarer(prepared)) if n >= LEAST]
    seen: set[tuple[int, int]] = set()
    step = max(1, AT_ONCE // max(1, info.d))
    for start in range(0, len(labels), step):
        part = labels[start : start + step]
        shared = info.for_labels(part).su_fl
        for j, k in np.argwhere(shared >= PERHAPS).tolist():
            finding = _copy(prepared, j, part[k], float(shared[j, k]))
            if finding is not None:
                seen.add((j, part[k]))
                yield finding
    for j, k, agreement in _thresholds(prepared, labels):
        if (j, k) not in seen:
            name, label = dataset.names[j], dataset.label_names[k]
            text = f"one threshold of {printable(name)!r} tells {printable(label)!r} in "
            numbers = {"agreement": agreement}
            text += f"{_percent(agreement)} of the rows"
            yield Finding("M101", "error", text, (name,), (label,), numbers)


def _copy(prepared: Prepared, j: int, label: int, su: float) -> Finding | None:
    """A column that tells a label, by its symmetrical uncertainty or where it is known."""
    dataset, table = prepared.dataset, table_of(prepared.info)
    position = table.position(j)
    x = table.column(position).astype(np.int64)
    y = dense_label(dataset.Y, label)
    known = (y >= 0) & (x != table.counts.missing[position])
    joint = np.zeros((int(x.max()) + 1, int(y.max()) + 1), np.int64)
    np.add.at(joint, (x[known], y[known]), 1)
    agreement = float(joint.max(axis=1).sum() / max(1, joint.sum()))
    name, label_name = dataset.names[j], dataset.label_names[label]
    of_positives = joint[:, 1:].sum(axis=1) / np.maximum(1, joint.sum(axis=1))
    are_positive = of_positives > 0.5
    hits = int(joint[are_positive, 1:].sum())
    tells = 2 * hits / max(1, int(joint[are_positive].sum() + joint[:, 1:].sum()))
    is_cut = dataset.columns[j].kind == "numeric" and (joint.sum(axis=1) > 0).sum() > 2
    if su < NEARLY and (
        is_cut or tells < TELLS_WELL or agreement < AGREES
    ):  # one threshold may tell more of a number
        return None
    is_number = dataset.columns[j].kind == "numeric" and joint.shape[0] == 2
    is_opposite = is_number and of_positives[0] > of_positives[1]
    what = "the opposite of" if is_opposite else "a copy of"
    nearly = "" if su >= COPY else "nearly "
    text = f"{printable(name)!r} is {nearly}{what} the label {printable(label_name)!r}: it tells "
    text += f"{_percent(agreement)} of the rows (symmetrical uncertainty {su:.3f})"
    numbers = {"su": su, "agreement": agreement}
    level = "error" if su >= COPY else "warning"
    return Finding("M101", level, text, (name,), (label_name,), numbers)


def _percent(share: float) -> str:
    return "100 %" if share == 1 else f"{math.floor(share * 1000) / 10:g} %"


def dense_label(Y: object, label: int) -> np.ndarray:
    """The codes of a label in all rows."""
    column = Y[:, [label]]  # type: ignore[index]
    return np.asarray(column.toarray() if sp.issparse(column) else column).ravel().astype(np.int64)


def _rarer(prepared: Prepared) -> list[int]:
    """The rows that have not the most frequent value of each label, of those that are known."""
    codes = table_of(prepared.info).counts.labels.codes
    rarer = []
    for label in range(prepared.dataset.shape[2]):
        values = codes.entries(label)[1]
        missing = int(codes.missing[label])
        rarer.append(int((values != missing).sum()))
    return rarer


def _thresholds(prepared: Prepared, labels: list[int]) -> Iterator[tuple[int, int, float]]:
    """Numeric columns of which one threshold tells a label of two values."""
    dataset = prepared.dataset
    numeric = np.flatnonzero(dataset.sizes < 0)
    rows = dataset.shape[0]
    if sp.issparse(dataset.table) or not numeric.size or not labels:
        return
    sample = np.linspace(0, rows - 1, min(rows, SAMPLED)).astype(np.int64)
    first = np.asarray(dataset.table[sample], dtype=np.float64)[:, numeric]
    fits = np.nanmax(first, axis=0, initial=-np.inf) > np.nanmin(first, axis=0, initial=np.inf)
    numeric, first = numeric[fits], first[:, fits]
    order = np.argsort(first, axis=0, kind="stable")
    for label in labels:
        y = dense_label(dataset.Y, label)
        if y.max() > 1:
            continue
        positives = (y[sample] == 1)[order]
        if not 0 < positives[:, :1].sum() < len(sample):
            continue
        below = np.cumsum(positives, axis=0) / positives.sum(axis=0)
        others = np.cumsum(~positives, axis=0) / (~positives).sum(axis=0)
        gap = np.abs(below - others).max(axis=0)
        for j in numeric[gap >= TELLS].tolist():
            agreement = _separation(np.asarray(dataset.table[:, [j]], np.float64).ravel(), y)
            if agreement >= TELLS:
                yield j, label, agreement


def _separation(x: np.ndarray, y: np.ndarray) -> float:
    """The share of the rows that the best threshold tells."""
    known = (y >= 0) & ~np.isnan(x)
    x, y = x[known], y[known]
    order = np.argsort(x, kind="stable")
    values, hits = x[order], y[order]
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    below = np.cumsum(hits)[ends]
    right = below + (ends + 1 - below)[-1] - (ends + 1 - below)
    best = max(int(right.max()), y.size - int(right.min()))
    return best / max(1, y.size)


def missingness(prepared: Prepared) -> Iterator[Finding]:
    """M102: columns whose label is certain where they are known, or where they are missing.

    A nominal column without gaps that mostly has one value is looked at as if that were missing.
    """
    dataset, table = prepared.dataset, table_of(prepared.info)
    features, names = table.counts.features, dataset.names
    positions = np.array([table.position(j) for j in range(prepared.info.d)], np.int64)
    no_value = features.missing[positions]
    worded = (no_value < 0) & (dataset.sizes > 2)
    no_value = np.where(worded, features.mode[positions], no_value)
    gaps = np.flatnonzero(no_value >= 0).tolist()
    Y = dataset.Y.tocsc() if sp.issparse(dataset.Y) else dataset.Y
    least = CHANCE - math.log(max(1, len(gaps) * dataset.shape[2]))
    positive = (Y > 0).astype(np.int64)
    totals = np.asarray(positive.sum(axis=0)).ravel()
    rows = dataset.shape[0]
    for j in gaps:
        position = table.position(j)
        known = table.column(position) != no_value[j]
        n_known = int(known.sum())
        if not SIDE <= n_known <= rows - SIDE:
            continue
        where_known = np.asarray(known.astype(np.int64) @ positive).ravel()
        for label in np.flatnonzero((totals > 0) & (totals < rows)).tolist():
            share = totals[label] / rows
            in_known, in_missing = int(where_known[label]), int(totals[label] - where_known[label])
            sides = [
                side
                for side, n, hits in (
                    ("known", n_known, in_known),
                    ("missing", rows - n_known, in_missing),
                )
                if (hits == n and n * math.log(share) < least)
                or (hits == 0 and n * math.log1p(-share) < least)
            ]
            if not sides:
                continue
            label_name, name = dataset.label_names[label], names[j]
            hits, n = (in_known, n_known) if "known" in sides else (in_missing, rows - n_known)
            has = "has" if hits == n else "has not"
            state = sides[0]
            if worded[j]:
                state = f"{'not ' if state == 'known' else ''}at its most frequent value"
            text = (
                f"every row in which {printable(name)!r} is {state} {has} the "
                f"label {printable(label_name)!r} ({plural(n, 'row')})"
            )
            level = "error" if len(sides) == 2 else "warning"
            yield Finding("M102", level, text, (name,), (label_name,), {"rows": n})


def order_of_rows(prepared: Prepared) -> Iterator[Finding]:
    """M103: labels that neighbouring rows share."""
    dataset = prepared.dataset
    rows = dataset.shape[0]
    blocks = min(BLOCKS, rows * 2 // SIDE)
    if blocks < FEWEST_BLOCKS:
        return
    block = np.arange(rows) * blocks // rows
    told: dict[str, float] = {}
    for label, name in enumerate(dataset.label_names):
        y = dense_label(dataset.Y, label)
        known = y >= 0
        joint = np.zeros((blocks, int(y.max(initial=0)) + 1), np.int64)
        np.add.at(joint, (block[known], y[known]), 1)
        h_b, h_l, h_bl = (entropy(n) for n in (joint.sum(axis=1), joint.sum(axis=0), joint.ravel()))
        shared = max(0.0, h_b + h_l - h_bl)
        by_chance = (blocks - 1) * (joint.shape[1] - 1) / (2 * rows)
        if h_l > 0 and shared > 4 * by_chance and shared / h_l >= ORDER and shared * rows > -CHANCE:
            told[name] = shared / h_l
    if told:
        names = sorted(told, key=lambda name: -told[name])
        text = f"the order of the rows tells {_percent(told[names[0]])} of the label "
        text += f"{printable(names[0])!r}, as if they were sorted"
        text += f", and much of {listed(names[1:])}" if names[1:] else ""
        text += ": shuffle the rows before they are split"
        yield Finding("M103", "warning", text, (), tuple(names), {"shares": told})


def entropy(counts: np.ndarray) -> float:
    """The entropy of some counts, in nats."""
    n = counts[counts > 0].astype(np.float64)
    return float(math.log(n.sum()) - (n * np.log(n)).sum() / n.sum()) if n.size else 0.0


def names_of_rows(prepared: Prepared) -> Iterator[Finding]:
    """M201 and M202: columns that name rows, and words that are different in most of them."""
    dataset = prepared.dataset
    identifiers = {*prepared.identifiers}
    for j in sorted(identifiers):
        name = dataset.names[j]
        text = f"{printable(name)!r} has another value in every row, or nearly, like a key"
        yield Finding("M201", "warning", f"{text}: a selection leaves it out", (name,))
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
    nearly = [j for j in np.flatnonzero(rare).tolist() if j not in {*constant}]
    if nearly:
        text = f"{plural(len(nearly), 'column')} nearly constant (one value in 99.9 % of the "
        text += f"rows): {listed(names[j] for j in nearly)}"
        yield Finding("M203", "note", text, tuple(names[j] for j in nearly))
    relevance = prepared.info.mi_fL
    exact = [{*group} for group in groups]
    nearly_same = [
        group
        for group in near_twins(prepared, {*constant, *nearly})
        if not any({*group} <= same for same in exact)
    ]
    for found, how in ((groups, "the same in every row"), (nearly_same, "nearly the same")):
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


def near_twins(prepared: Prepared, without: set[int]) -> list[list[int]]:
    """Groups of columns whose codes are nearly the same.

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

    for found in buckets.values():
        first = found[0]
        for other in found[1:]:
            low, high = sorted((entropies[first], entropies[other]))
            if find(first) == find(other) or 2 * low < TWINS * (low + high):
                continue
            if (prints[first] == prints[other]).mean() < ALIKE:
                continue
            if _uncertainty(table, int(columns[first]), int(columns[other])) >= TWINS:
                one, two = sorted((find(first), find(other)))
                leader[two] = one
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
