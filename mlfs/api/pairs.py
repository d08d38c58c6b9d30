"""`mlfs.pairs`: two columns that tell the labels more together than apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Unpack, overload

import numpy as np

from mlfs.api.column_tests import pair_tests
from mlfs.api.prepared import Prepared, Preparing, prepared_of
from mlfs.api.text import CONTROL_IN_CELLS, align, csv_of, escape
from mlfs.api.value_kinds import SHARE, Whole
from mlfs.data.dataset import Dataset
from mlfs.data.frames import pandas
from mlfs.data.html import details, table, text
from mlfs.errors import UsageError, first_of, plural, printable, tell
from mlfs.search.pair_tests import FoundPair, PairTests

MAX_VALUES_SHOWN = 3  # of those that count as one level
NAME_LENGTH = 40
HEAD = ("first", "second", "label", "together", "alone", "synergy", "p", "most where")


@dataclass(frozen=True)
class ColumnPair:
    """Two columns that tell a label more together than apart.

    Parameters
    ----------
    first, second : str
        The columns.
    index : tuple of int
        Their numbers in the table that was given.
    label : str
        The label about which their interaction is surest.
    together : float
        I(f,s;l) of this label, in nats, at the levels of `cells`.
    alone : tuple of float
        I(f;l) and I(s;l).
    synergy : float
        I(f,s;l) - I(f;l) - I(s;l).
    synergy_of_labels : float
        The sum of synergies over all labels.
    statistic : float
        The likelihood ratio of the log-linear model with the interaction to the one without.
    degrees : int
        Its degrees of freedom.
    p_value : float
        The p-value, corrected for the number of labels.
    p_adjusted : float
        The share of false discoveries at which the pair is found among all pairs.
    cells : tuple of dict
        For each two levels of the columns: their values, the rows, and the share with the label.
    """

    first: str
    second: str
    index: tuple[int, int]
    label: str
    together: float
    alone: tuple[float, float]
    synergy: float
    synergy_of_labels: float
    statistic: float
    degrees: int
    p_value: float
    p_adjusted: float
    cells: tuple[dict[str, Any], ...]

    def __str__(self) -> str:
        """Say where the label is most frequent."""
        best = max(self.cells, key=lambda cell: (cell["share"], cell["rows"]))
        rows = sum(cell["rows"] for cell in self.cells)
        mean = sum(cell["rows"] * cell["share"] for cell in self.cells) / max(rows, 1e-300)
        where = f"{printable(self.first, NAME_LENGTH)} {best['first']} and "
        where += f"{printable(self.second, NAME_LENGTH)} {best['second']}"
        return f"{where}: {best['share']:.0%} of {best['rows']:,.0f} rows, {mean:.0%} of all"


@dataclass(frozen=True, repr=False)
class Pairs(Sequence[ColumnPair]):
    """The pairs of columns that tell more together than apart, the surest first.

    Parameters
    ----------
    found : tuple of ColumnPair
        The pairs.
    n_pairs : int
        How many pairs were looked at.
    n_columns : int
        How many columns they are of.
    alpha : float
        The accepted share of false discoveries among `found`.
    """

    found: tuple[ColumnPair, ...]
    n_pairs: int
    n_columns: int
    alpha: float

    @overload
    def __getitem__(self, place: int) -> ColumnPair: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ColumnPair, ...]: ...
    def __getitem__(self, place: int | slice) -> ColumnPair | tuple[ColumnPair, ...]:
        return self.found[place]

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        names = [f"{printable(p.first)} x {printable(p.second)}" for p in self.found[:3]]
        shown = f": {first_of(names, len(self))}" if names else ""
        return f"<Pairs: {len(self)} of {self.n_pairs:,}{shown}>"

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON document of ``mlfs pairs --format json``."""
        head = {"schema": 1, "columns": self.n_columns, "pairs": self.n_pairs, "alpha": self.alpha}
        return {**head, "found": [asdict(pair) for pair in self.found]}

    def to_frame(self) -> Any:
        """Give a frame of pandas with a row for each pair."""
        return pandas().DataFrame([self._row(pair) for pair in self.found])

    def to_csv(self) -> str:
        """Give a table with a row for each pair."""
        rows = [self._row(pair) for pair in self.found]
        lines = [[*ColumnPair.__dataclass_fields__][:-1]]
        for row in rows:
            cells = (escape(str(value), CONTROL_IN_CELLS) for value in row.values())
            lines.append([*cells])
        return csv_of([[*rows[0]], *lines[1:]] if rows else lines)

    def table(self) -> str:
        """Show the pairs as text."""
        lines = align(HEAD, [self._cells(pair) for pair in self.found], left={0, 1, 2, 7})
        return "\n".join([self._summary(), *(lines if self.found else [])]) + "\n"

    def _repr_html_(self) -> str:
        rows = [[text(cell, 200) for cell in self._cells(pair)] for pair in self.found]
        folded = [
            details(
                f"{pair.first} x {pair.second}",
                table(
                    (text(pair.first), text(pair.second), "rows", f"share with {text(pair.label)}"),
                    [
                        [
                            text(c["first"]),
                            text(c["second"]),
                            f"{c['rows']:,.0f}",
                            f"{c['share']:.1%}",
                        ]
                        for c in pair.cells
                    ],
                ),
            )
            for pair in self.found
        ]
        body = table(HEAD, rows) + "".join(folded) if rows else ""
        return f"<div><p>{text(self._summary(), 400)}</p>{body}</div>"

    def to_html(self) -> str:
        """Give a page that stands alone."""
        style = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem;color-scheme:light dark}"
        head = f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{style}</style>'
        return f"{head}<title>pairs of columns</title>{self._repr_html_()}</html>\n"

    def plot(self, ax: Any = None) -> Any:
        """Draw the pairs as `mlfs.plots.pair_map` does; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; the current axes of pyplot by default.
        """
        from mlfs.plots import pair_map  # above this package

        return pair_map(self, ax=ax)

    def _summary(self) -> str:
        of = f"{self.n_pairs:,} pairs of {plural(self.n_columns, 'column')}"
        if not self.found:
            return f"none of {of} tells more together than apart (alpha {self.alpha:g})"
        return f"{len(self)} of {of} tell more together than apart (alpha {self.alpha:g})"

    def _cells(self, pair: ColumnPair) -> list[str]:
        names = (printable(x, NAME_LENGTH) for x in (pair.first, pair.second, pair.label))
        alone = f"{pair.alone[0]:.4f} + {pair.alone[1]:.4f}"
        numbers = f"{pair.together:.4f}", alone, f"{pair.synergy:.4f}", f"{pair.p_adjusted:.2g}"
        return [*names, *numbers, str(pair)]

    def _row(self, pair: ColumnPair) -> dict[str, Any]:
        row = {name: getattr(pair, name) for name in ColumnPair.__dataclass_fields__}
        row["alone_first"], row["alone_second"] = row.pop("alone")
        row["index_first"], row["index_second"] = row.pop("index")
        del row["cells"]
        return {**row, "most_where": str(pair)}


def pairs(
    data: Any, most: int = 20, *, alpha: float = 0.05, **preparing: Unpack[Preparing]
) -> Pairs:
    """Look at all pairs of columns, and find those that tell the labels more together than apart.

    A numeric column of many values counts by its quarters, another one by its seven most frequent
    values. The test is the likelihood ratio of the interaction in a log-linear model, beside the
    effects of both columns at all their levels; where counts are small, exact tests of two by two
    levels. An interaction has to exceed a fiftieth of what the two columns tell each. The p-value
    of a pair is that of its best label, corrected for the number of labels; of all pairs the share
    of false discoveries is controlled (Benjamini & Hochberg).

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        As for `mlfs.select`.
    most : int
        The greatest number of pairs.
    alpha : float
        The accepted share of false discoveries.
    **preparing
        As for `mlfs.prepare`: names, labels, `given` (pairs within strata), `sample_weight`,
        `n_jobs` and so on.

    Returns
    -------
    Pairs
        A sequence of `ColumnPair`, with `table`, `to_frame`, `to_dict`, `to_html` and `plot`.

    Examples
    --------
    >>> import mlfs
    >>> import numpy as np
    >>> X = np.random.default_rng(0).integers(0, 2, (500, 10))
    >>> y = X[:, 2] ^ X[:, 7]
    >>> found = mlfs.pairs((X, y[:, None]))
    >>> found
    <Pairs: 1 of 45: x2 x x7>
    >>> print(found[0])
    x2 1 and x7 0: 100% of 137 rows, 51% of all
    """
    most = Whole(least=1).read("most", most)
    alpha = SHARE.read("alpha", alpha)
    prepared = prepared_of(data, preparing)
    if not prepared.grouping.trivial:
        raise UsageError("looks at columns, but the data were prepared with groups: leave them out")
    tell(prepared.notes, stacklevel=2)
    tests = pair_tests(prepared)
    found = tests.find(alpha, most)
    described = tuple(_described(prepared, tests, pair) for pair in found)
    return Pairs(described, tests.n_pairs, tests.candidates.size, alpha)


def _described(prepared: Prepared, tests: PairTests, pair: FoundPair) -> ColumnPair:
    dataset, labels = prepared.dataset, tests.labels
    f, s = np.searchsorted(tests.candidates, pair[:2]).tolist()
    coarse, merged = tests.coarse_table(f, s, pair.column)
    rows, having = coarse.sum(axis=2), coarse[..., 1]
    together, *alone = _informations(coarse)
    synergies = 0.0
    for column in range(labels.q):
        both, one, other = _informations(tests.coarse_table(f, s, column)[0])
        synergies += both - one - other
    texts = [
        _level_texts(dataset, j, levels, prepared.rows)
        for j, levels in zip(pair[:2], merged, strict=True)
    ]
    cells = tuple(
        {"first": first, "second": second, "rows": n, "share": k / n}
        for first, row, labelled in zip(texts[0], rows.tolist(), having.tolist(), strict=True)
        for second, n, k in zip(texts[1], row, labelled, strict=True)
        if n
    )
    return ColumnPair(
        dataset.names[pair.first],
        dataset.names[pair.second],
        (int(dataset.given[pair.first]), int(dataset.given[pair.second])),
        dataset.label_names[pair.label],
        together,
        (alone[0], alone[1]),
        together - sum(alone),
        synergies,
        pair.statistic,
        pair.degrees,
        pair.p_value,
        pair.p_adjusted,
        cells,
    )


def _informations(cells: np.ndarray) -> tuple[float, float, float]:
    """I(f,s;l), I(f;l) and I(s;l) of a table of rows."""
    from scipy.special import xlogy

    n = max(1.0, cells.sum())

    def information(joint: np.ndarray) -> float:
        chance = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0) / n
        return float(xlogy(joint, joint / np.maximum(chance, 1e-300)).sum() / n)

    both = cells.reshape(-1, cells.shape[-1])
    return information(both), information(cells.sum(axis=1)), information(cells.sum(axis=0))


def _level_texts(dataset: Dataset, j: int, levels: np.ndarray, rows: Any) -> list[str]:
    """The values of each level of a column, in words."""
    column, table = dataset.columns[j], dataset.table
    values = np.asarray(table[:, [j]].todense() if hasattr(table, "todense") else table[:, j])
    values = values.ravel().astype(np.float64)
    values, out = values if rows is None else values[rows], list[str]()
    for level in range(int(levels.max()) + 1):
        some = np.unique(values[levels == level])
        known = some[~np.isnan(some)]
        if not known.size:
            out.append("missing")
        elif column.kind == "nominal":
            names = [printable(column.values[int(x)], NAME_LENGTH) for x in known]
            out.append(first_of(names[:MAX_VALUES_SHOWN], len(names)))
        else:
            ends = f"{known[0]:.4g}", f"{known[-1]:.4g}"
            out.append(ends[0] if known.size == 1 else f"{ends[0]} to {ends[1]}")
    return out
