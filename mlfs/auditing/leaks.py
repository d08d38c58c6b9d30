"""Checks for leaks: columns that tell a label, are made of labels, or stand in its order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import gammainc

from mlfs.api.prepared import Prepared
from mlfs.auditing.findings import Finding, listed
from mlfs.errors import plural, printable
from mlfs.information.for_search import table_of

LEAST = 5  # rows of the rarer class of a label, below which a copy may be chance
LEVELS = {"error": (0.995, 0.98), "warning": (0.98, 0.8)}  # least agreement and gain
MAY_TELL = 0.4  # of the entropy of a label, or of the gain in a sample: worth an exact look
CELLS_AT_ONCE = 1 << 22
SAMPLED_ROWS = 4_000  # in which thresholds are looked for
CHANCE = -25.0  # the logarithm of a probability that is none, for each pair that is looked at
SIDE = 20  # rows with and without a value
BLOCKS, FEWEST_BLOCKS = 20, 5  # of neighbouring rows
ORDER = 0.1  # the symmetrical uncertainty of a label and these blocks
FEW_LEVELS = 16
SHARED = "rows with the same value of {name!r} have or lack {label!r} together,"
FEWEST_VALUES = 6  # of a column that may hold shares of a label
EXPLAINED = 0.8  # of the variance of a column, by labels: worth an exact look
LINEAR = 0.95  # of the variance of a column, by a weighted sum of labels


class Told(NamedTuple):
    """How well something tells a column.

    Parameters
    ----------
    agreement : float
        The share of the rows in which it is told.
    gain : float
        The share of the rows without the most frequent value that are told, less those that are
        told wrongly (lambda of Goodman and Kruskal).
    rarer : int
        The rows without the most frequent value.
    """

    agreement: float
    gain: float
    rarer: int

    @classmethod
    def of(cls, right: float, n: int, usual: int) -> Told:
        """So many rows of `n` are told, of which so many have the most frequent value."""
        rarer = n - usual
        return cls(right / max(1, n), 1 - (n - right) / max(1, rarer), rarer)

    @property
    def level(self) -> str:
        """How much it matters, by the one rule for all kinds of columns; empty if it does not."""
        for level, (agreement, gain) in LEVELS.items():
            if self.rarer >= LEAST and self.agreement >= agreement and self.gain >= gain:
                return level
        return ""


def copies_of_labels(prepared: Prepared) -> Iterator[Finding]:
    """M101: columns that tell a label, by their values or by one or two thresholds."""
    dataset = prepared.dataset
    best: dict[tuple[int, int], tuple[Told, str]] = {}
    for tells in (_by_levels, _by_thresholds, _by_repeated_values):
        for j, label, told, text in tells(prepared):
            if told.level and told > best.get((j, label), (Told(0.0, 0.0, 0), ""))[0]:
                best[j, label] = told, text
    for (j, label), (told, text) in sorted(best.items()):
        name, label_name = dataset.names[j], dataset.label_names[label]
        nearly = "nearly " if told.agreement < 1 else ""
        level = "warning" if text is SHARED else told.level  # as of a town, which has its label
        text = text.format(nearly=nearly, name=printable(name), label=printable(label_name))
        text += f" in {_percent(told.agreement)} of the rows"
        numbers = {"agreement": told.agreement, "gain": told.gain}
        yield Finding("M101", level, text, (name,), (label_name,), numbers)


def _by_levels(prepared: Prepared) -> Iterator[tuple[int, int, Told, str]]:
    """Columns of few levels or of words: each row is told by the others of the same level."""
    info, dataset = prepared.info, prepared.dataset
    table, labels = table_of(info), np.arange(dataset.shape[2])
    step = max(1, CELLS_AT_ONCE // max(1, info.d))
    for start in range(0, labels.size, step):
        part = labels[start : start + step]
        some = info.for_labels(part)
        for j, k in np.argwhere((some.mi_fl >= MAY_TELL * some.h_l) & (some.h_l > 0)).tolist():
            position, label = table.position(j), int(part[k])
            x = table.column(position).astype(np.int64)
            y = dense_label(dataset.Y, label)
            known = (y >= 0) & (x != table.counts.missing[position])
            joint = np.zeros((int(x.max()) + 1, int(y.max()) + 1), np.int64)
            np.add.at(joint, (x[known], y[known]), 1)
            usual = joint.sum(axis=0)
            right = 0
            for c in range(joint.shape[1]):
                others = joint.astype(np.float64) + usual / (2 * max(1, usual.sum()))
                others[:, c] -= 1
                right += int(joint[others.argmax(axis=1) == c, c].sum())
            told = Told.of(right, int(usual.sum()), int(usual.max()))
            text, n_levels = "the values of {name!r} tell {label!r}", (joint.sum(axis=1) > 0).sum()
            if n_levels > FEW_LEVELS:
                text = SHARED
            elif n_levels == 2:
                shares = joint[:, 1:].sum(axis=1) / np.maximum(1, joint.sum(axis=1))
                is_opposite = dataset.columns[j].kind == "numeric" and shares[0] > shares[-1]
                what = "the opposite" if is_opposite else "a copy"
                text = f"{{name!r}} is {{nearly}}{what} of the label {{label!r}}: it tells it"
            yield j, label, told, text


def _by_thresholds(prepared: Prepared) -> Iterator[tuple[int, int, Told, str]]:
    """Numeric columns of which one threshold, or two, tell a label of two values."""
    dataset = prepared.dataset
    numeric = np.flatnonzero(dataset.sizes < 0)
    positive, known = indicators(dataset.Y)
    binary = [k for k, label in enumerate(dataset.labels) if len(label.values) == 2]
    least = -CHANCE / 2 + math.log(max(1, numeric.size * len(binary)))
    by_column = by_columns(dataset.table)
    for j, k in _may_be_told(dataset.table, numeric, positive[:, binary], known[:, binary]):
        x, y = column_values(by_column, j), dense_label(dataset.Y, binary[k])
        told, evidence, thresholds = _best_interval(x, y)
        if told.level and evidence >= least:
            which = "one threshold of {name!r} tells"
            which = which if thresholds == 1 else "two thresholds of {name!r} tell"
            yield j, binary[k], told, f"{which} {{label!r}}"


def _may_be_told(
    table: Any, numeric: np.ndarray, positive: np.ndarray, known: np.ndarray
) -> Iterator[tuple[int, int]]:
    """Pairs of a numeric column and a label of which a sample of the rows allows an interval."""
    rows = table.shape[0]
    sample = np.linspace(0, rows - 1, min(rows, SAMPLED_ROWS)).astype(np.int64)
    signs = (np.where(positive[sample], 1, -1) * known[sample]).astype(np.int32)
    n_positive, n = (signs > 0).sum(axis=0), (signs != 0).sum(axis=0)
    rarer = np.minimum(n_positive, n - n_positive)
    used = np.flatnonzero(rarer > 0)
    width = max(1, CELLS_AT_ONCE // max(1, sample.size))
    sampled: Any = sp.csc_array(table[sample]) if sp.issparse(table) else table[sample]
    for start in range(0, numeric.size, width):
        columns = numeric[start : start + width]
        x = sampled[:, columns]
        likely = np.ones((columns.size, signs.shape[1]), bool)
        if sp.issparse(x):  # the rows without an entry are all on one side
            stored = (x != 0).T.astype(np.float64)
            sums, sizes = signs.sum(axis=0) - stored @ signs, n - stored @ np.abs(signs)
            likely = 1 - (sizes - np.abs(sums)) / 2 / np.maximum(1, rarer) >= MAY_TELL
            x = x.toarray()
        order = np.argsort(x.astype(np.float64), axis=0, kind="stable")
        for k in used.tolist():
            some = np.flatnonzero(likely[:, k])
            walk = np.zeros((sample.size + 1, some.size), np.int32)
            np.cumsum(signs[order[:, some], k], axis=0, out=walk[1:])
            rise = (walk - np.minimum.accumulate(walk)).max(axis=0, initial=0)
            fall = (np.maximum.accumulate(walk) - walk).max(axis=0, initial=0)
            right = np.maximum(n[k] - n_positive[k] + rise, n_positive[k] + fall)
            is_told = 1 - (n[k] - right) / rarer[k] >= MAY_TELL
            yield from ((j, k) for j in columns[some[is_told]].tolist())


def _best_interval(x: np.ndarray, y: np.ndarray) -> tuple[Told, float, int]:
    """How well the best interval tells a label, the evidence in nats, and its thresholds."""
    known = (y >= 0) & ~np.isnan(x)
    x, y = x[known], y[known]
    order = np.argsort(x, kind="stable")
    values = x[order]
    ends = np.append(0, np.flatnonzero(np.append(values[1:] != values[:-1], True)) + 1)
    walk = np.append(0, np.cumsum(2 * y[order] - 1))[ends]
    n, positive = y.size, int(y.sum())
    best, bounds = -1, (0, 0)
    for sign, outside in ((1, n - positive), (-1, positive)):
        lowest = np.minimum.accumulate(sign * walk)
        stop = int((sign * walk - lowest).argmax())
        start = int((sign * walk[: stop + 1]).argmin())
        right = outside + int(sign * (walk[stop] - walk[start]))
        if right > best:
            best, bounds = right, (start, stop)
    told = Told.of(best, n, max(positive, n - positive))
    n_ends = (bounds[0] > 0) + (bounds[1] < ends.size - 1)
    size = int(ends[bounds[1]] - ends[bounds[0]])
    hits = (int(walk[bounds[1]] - walk[bounds[0]]) + size) // 2
    cells = np.array([hits, size - hits, positive - hits, n - positive - (size - hits)])
    shares = entropy(cells[:2] + cells[2:]) + entropy(cells.reshape(2, 2).sum(axis=1))
    evidence = n * (shares - entropy(cells)) - n_ends * math.log(max(1, ends.size))
    return told, evidence, n_ends


class _Repeated(NamedTuple):
    """A numeric column whose values repeat: they, their rows, and those with each label."""

    column: int
    values: np.ndarray
    rows: np.ndarray
    positive: np.ndarray


def _repeated_values(prepared: Prepared) -> Iterator[_Repeated]:
    """Numeric columns of several values that repeat, none of which half of the rows have.

    The rows of values count where all labels are known.
    """
    dataset = prepared.dataset
    positive, known = indicators(dataset.Y)
    all_known = known.all(axis=1)
    targets = positive.astype(np.float64)
    table, rows = by_columns(dataset.table), dataset.shape[0]
    numeric = dataset.sizes < 0
    if sp.issparse(table):
        numeric &= np.diff(table.indptr) >= rows / 2
    for j in np.flatnonzero(numeric).tolist():
        x = column_values(table, j)
        used = all_known & ~np.isnan(x)
        values, level = np.unique(x[used], return_inverse=True)
        n = np.bincount(level)
        if not FEWEST_VALUES <= values.size <= level.size / 2 or n.max() > level.size / 2:
            continue
        each = sp.csr_array(
            (np.ones(level.size), level, np.arange(level.size + 1)), (level.size, values.size)
        )
        yield _Repeated(j, values, n, np.asarray(each.T @ targets[used]))


def _by_repeated_values(prepared: Prepared) -> Iterator[tuple[int, int, Told, str]]:
    """Columns of numbers that are names: each row is told by the others of the same number."""
    labels = prepared.dataset.labels
    for column in _repeated_values(prepared):
        with_label, rows = column.positive, column.rows[:, None]
        without = rows - with_label
        right = np.where(with_label - 1 > without, with_label, 0)
        right = right + np.where(without - 1 >= with_label, without, 0)
        n, totals = int(rows.sum()), with_label.sum(axis=0)
        for label in np.flatnonzero(right.sum(axis=0) >= LEVELS["warning"][0] * n).tolist():
            if len(labels[label].values) == 2:
                usual = int(max(totals[label], n - totals[label]))
                told = Told.of(float(right[:, label].sum()), n, usual)
                yield column.column, label, told, SHARED


def made_of_labels(prepared: Prepared) -> Iterator[Finding]:
    """M104: columns that are counted, summed or joined from labels, or hold shares of one."""
    yield from _functions_of_labels(prepared)
    yield from _shares_of_labels(prepared)


def _shares_of_labels(prepared: Prepared) -> Iterator[Finding]:
    """Columns whose values follow the shares of a label closer than chance lets shares vary.

    Such are the means of a label in the groups of another column, taken in the same rows.
    """
    dataset = prepared.dataset
    least = CHANCE - math.log(max(1, dataset.shape[1] * dataset.shape[2]))
    for column in _repeated_values(prepared):
        rows, n = column.rows[:, None].astype(np.float64), float(column.rows.sum())
        shares, totals = column.positive / rows, column.positive.sum(axis=0) / n
        x = (column.values - float(column.rows @ column.values) / n)[:, None]
        slope = (x * column.positive).sum(axis=0) / (rows * x * x).sum()
        line = totals + slope * x
        spread = (rows * (shares - totals) ** 2).sum(axis=0)
        along = slope * (x * column.positive).sum(axis=0)
        chances = np.clip(line, 0.5 / n, 1 - 0.5 / n)
        scatter = (rows * (shares - line) ** 2 / (chances * (1 - chances))).sum(axis=0)
        with np.errstate(divide="ignore"):
            log_p = np.log(gammainc((column.values.size - 2) / 2, scatter / 2))
        rarer = np.minimum(totals, 1 - totals) * n
        varies = spread >= column.values.size * totals * (1 - totals) / 2  # not balanced by design
        is_share = varies & (along >= EXPLAINED * spread) & (log_p < least) & (rarer >= SIDE)
        for label in np.flatnonzero(is_share).tolist():
            if len(dataset.labels[label].values) > 2:
                continue
            name, label_name = dataset.names[column.column], dataset.label_names[label]
            text = f"{printable(name)!r} follows the share of {printable(label_name)!r} among the "
            text += "rows with the same value closer than chance allows: it was encoded by this "
            text += "label in these rows"
            numbers = {"explained": float(along[label] / spread[label])}
            yield Finding("M104", "warning", text, (name,), (label_name,), numbers)


def _functions_of_labels(prepared: Prepared) -> Iterator[Finding]:
    """Columns that the labels of a row determine, two of them at least."""
    dataset = prepared.dataset
    table, rows, q = dataset.table, dataset.shape[0], dataset.shape[2]
    if q < 2:
        return
    by_column = by_columns(table)
    positive, known = indicators(dataset.Y)
    used = np.flatnonzero(known.all(axis=1))
    Y = np.column_stack([dense_label(dataset.Y, k) for k in range(q)])[used]
    codes = Y * np.random.default_rng(0).integers(1, 1 << 60, q)  # whose sum names a label set
    group = np.unique(codes.sum(axis=1), return_inverse=True)[1]
    repeats = np.bincount(group)[group] > 1
    likely: set[int] = set()
    design = np.column_stack([np.ones(used.size), positive[used]])
    linear: Any = None
    if 3 * q < used.size:
        inverse = np.linalg.inv(design.T @ design + 1e-9 * np.eye(q + 1))
        linear = inverse @ design.T
        likely |= {*_explained(table, used, design, inverse)}
    if repeats.sum() >= used.size / 2:
        few = group[repeats]
        each = sp.csr_array((np.ones(few.size), few, np.arange(few.size + 1)))
        sizes = np.maximum(1.0, np.bincount(few, minlength=each.shape[1]))
        likely |= {*_explained(table, used[repeats], each, sp.diags_array(1 / sizes))}
    any_label: list[str] = []
    for j in sorted(likely):
        x = column_values(by_column, j)[used]
        seen = ~np.isnan(x)
        if seen.sum() - _usual(x[seen]) < SIDE:
            continue
        told, made_of = _within(x[seen], (Y[seen] > 0).any(axis=1)), [*range(q)]
        if told.level:
            any_label.append(dataset.names[j])
            continue
        told = Told(0.0, 0.0, 0)
        both = seen & repeats
        if both.sum() >= used.size / 2:
            told = _within(x[both], group[both])
            for k in range(q) if told.level else ():
                fewer = [m for m in made_of if m != k]
                if _within(x[both], codes[both][:, fewer].sum(axis=1)) >= told:
                    made_of = fewer
        if not told.level and linear is not None and dataset.columns[j].kind == "numeric":
            filled = np.where(seen, x, np.nanmean(x))
            weights = linear @ filled
            fitted, varied = design @ weights, filled - filled.mean()
            explained = 1 - float(((filled - fitted) ** 2).sum() / (varied @ varied))
            values = np.unique(x[seen])
            nearest = values[np.abs(fitted[:, None] - values[:50]).argmin(axis=1)]
            if values.size <= 50:
                told = Told.of(float((nearest == x)[seen].sum()), int(seen.sum()), _usual(x[seen]))
            if not told.level and explained >= LINEAR:
                told = Told(explained, explained, rows)
            made_of = np.flatnonzero(np.abs(weights[1:]) > np.abs(weights[1:]).max() / 10).tolist()
        one_tells = told.level and any(
            _within(x[seen], Y[seen, k]).gain >= LEVELS["warning"][1] for k in range(q)
        )
        if told.level and not one_tells and len(made_of) > 1:
            name, names = dataset.names[j], [dataset.label_names[k] for k in made_of]
            text = f"{printable(name)!r} is made of {plural(len(names), 'label')}: "
            text += f"{listed(names)} tell {_percent(told.agreement)} of it"
            numbers = {"agreement": told.agreement, "gain": told.gain}
            yield Finding("M104", told.level, text, (name,), tuple(names), numbers)
    if any_label:
        text = f"{listed(any_label)} can be told by whether a row has a label at all"
        yield Finding("M104", "warning", text, tuple(any_label))


def _explained(table: Any, rows: np.ndarray, design: Any, inverse: Any) -> Iterator[int]:
    """Columns of whose variance in some rows a regression on a design explains much."""
    width = table.shape[1] if sp.issparse(table) else max(1, CELLS_AT_ONCE // max(1, rows.size))
    chosen = sp.csc_array(table[rows]) if sp.issparse(table) else table
    for start in range(0, table.shape[1], width):
        if sp.issparse(table):
            X = chosen
            squares = np.asarray(X.multiply(X).sum(axis=0)).ravel()
            means = np.asarray(X.sum(axis=0)).ravel() / rows.size
        else:
            X = np.asarray(table[:, start : start + width], np.float64)[rows]
            gaps = np.isnan(X)
            X = np.where(gaps, 0, X - np.nansum(X, axis=0) / np.maximum(1, (~gaps).sum(axis=0)))
            squares, means = (X * X).sum(axis=0), X.mean(axis=0)
        sums = X.T @ design
        sums = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
        fitted = (sums * (inverse @ sums.T).T).sum(axis=1) - rows.size * means**2
        varied = squares - rows.size * means**2
        yield from (start + np.flatnonzero((fitted >= EXPLAINED * varied) & (varied > 0))).tolist()


def _within(x: np.ndarray, group: np.ndarray) -> Told:
    """How well groups of rows tell a column, by its most frequent value in each."""
    code = np.unique(x, return_inverse=True)[1]
    owner = np.unique(group, return_inverse=True)[1]
    cells, n = np.unique(owner * x.size + code, return_counts=True)
    owner = cells // x.size
    first = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    return Told.of(int(np.maximum.reduceat(n, first).sum()), x.size, _usual(x))


def _usual(x: np.ndarray) -> int:
    return int(np.unique(x, return_counts=True)[1].max(initial=0))


def indicators(Y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Whether each row has each label, and whether that is known."""
    dense = np.asarray(Y.toarray() if sp.issparse(Y) else Y)
    return dense > 0, dense >= 0


def by_columns(table: Any) -> Any:
    """A table whose columns are quickly taken out."""
    return sp.csc_array(table) if sp.issparse(table) else table


def column_values(table: Any, j: int) -> np.ndarray:
    """The numbers of a column."""
    part = table[:, [j]]
    return np.asarray(part.toarray() if sp.issparse(part) else part, np.float64).ravel()


def _percent(share: float) -> str:
    return "100 %" if share == 1 else f"{math.floor(share * 1000) / 10:g} %"


def dense_label(Y: Any, label: int) -> np.ndarray:
    """The codes of a label in all rows."""
    column = Y[:, [label]]
    return np.asarray(column.toarray() if sp.issparse(column) else column).ravel().astype(np.int64)


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
    rows = np.arange(prepared.dataset.shape[0])
    told = _told_by_order(prepared, rows)
    if told:
        text = f"the order of the rows tells {_most_told(told)}, as if they were sorted: shuffle "
        yield Finding(
            "M103", "warning", f"{text}the rows before they are split", (), (*told,),
            {"shares": told},
        )  # fmt: skip


def order_of_dates(prepared: Prepared) -> Iterator[Finding]:
    """M103: labels that rows of neighbouring dates share."""
    dataset = prepared.dataset
    for j, name in enumerate(dataset.names):
        x = column_values(dataset.table, j)
        place = np.where(np.isnan(x), -1, np.searchsorted(np.sort(x[~np.isnan(x)]), x))
        told = _told_by_order(prepared, place)
        if told:
            text = f"the dates of {printable(name)!r} tell {_most_told(told)}: they may be "
            text += "written with the label; where they are not, split by time"
            yield Finding("M103", "warning", text, (name,), (*told,), {"shares": told})


def _most_told(told: dict[str, float]) -> str:
    first, *others = told
    text = f"{_percent(told[first])} of the label {printable(first)!r}"
    return f"{text}, and much of {listed(others)}" if others else text


def _told_by_order(prepared: Prepared, place: np.ndarray) -> dict[str, float]:
    """The share of each label that blocks of rows tell, by the place of a row (-1 is unknown)."""
    dataset, placed = prepared.dataset, place >= 0
    rows = int(placed.sum())
    blocks = min(BLOCKS, rows * 2 // SIDE)
    if blocks < FEWEST_BLOCKS:
        return {}
    block = place * blocks // rows
    told: dict[str, float] = {}
    for label, name in enumerate(dataset.label_names):
        y = dense_label(dataset.Y, label)
        known = (y >= 0) & placed
        joint = np.zeros((blocks, int(y.max(initial=0)) + 1), np.int64)
        np.add.at(joint, (block[known], y[known]), 1)
        h_b, h_l, h_bl = (entropy(n) for n in (joint.sum(axis=1), joint.sum(axis=0), joint.ravel()))
        shared = max(0.0, h_b + h_l - h_bl)
        by_chance = (blocks - 1) * (joint.shape[1] - 1) / (2 * rows)
        if h_l > 0 and shared > 4 * by_chance and shared / h_l >= ORDER and shared * rows > -CHANCE:
            told[name] = shared / h_l
    return dict(sorted(told.items(), key=lambda item: -item[1]))


def entropy(counts: np.ndarray) -> float:
    """The entropy of some counts, in nats."""
    n = counts[counts > 0].astype(np.float64)
    return float(math.log(n.sum()) - (n * np.log(n)).sum() / n.sum()) if n.size else 0.0
