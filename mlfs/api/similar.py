"""Clusters of columns that say the same: complete linkage on symmetrical uncertainty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.counted import threads_of
from mlfs.api.options import check_options
from mlfs.api.prepared import prepared_plainly
from mlfs.api.text import CONTROL_IN_CELLS, align, csv_of, escape
from mlfs.api.value_kinds import SHARE, Bins, Missing
from mlfs.counting.memory import bytes_of
from mlfs.data.frames import naming_half_pairs, pandas
from mlfs.errors import DataError, UsageError, first_of, plural, printable
from mlfs.information import pair_matrix
from mlfs.information.for_search import plain_of
from mlfs.information.pair_matrix import Side

ANCHORS = 512  # columns that are compared with all others at a time
ROUNDING = 1e-12
BYTES_OF_PAIR = 16
WIDEST = 60
SHOWN = 6


@dataclass(frozen=True, eq=False)
class Similar(Mapping[str, "list[int]"]):
    """Clusters of columns, any two of which share at least so much information.

    It maps the representative of each cluster, by name, to the columns of the cluster, so it can
    be given as ``groups=``. Columns that are in no cluster are left out.

    Parameters
    ----------
    names : sequence of str
        The names of all columns that were compared.
    threshold : float
        The least symmetrical uncertainty of two columns of a cluster.
    members : tuple of tuple of int
        The columns of each cluster, ascending; large clusters first, then by the lowest column.
    representatives : tuple of int
        The column of each cluster with most information about the labels, sum_l I(f;l).
    relevance : ndarray of float
        This information, of all columns.
    pairs : scipy.sparse.csr_array
        The symmetrical uncertainty of all pairs of columns that reach the threshold.
    numbers : ndarray of int
        The number of each column in the table that was given.
    """

    names: tuple[str, ...]
    threshold: float
    members: tuple[tuple[int, ...], ...]
    representatives: tuple[int, ...]
    relevance: np.ndarray
    pairs: Any
    numbers: np.ndarray

    def __getitem__(self, name: str) -> list[int]:
        for representative, columns in zip(self.representatives, self.members, strict=True):
            if self.names[representative] == name:
                return self.numbers[list(columns)].tolist()
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (self.names[j] for j in self.representatives)

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        n = sum(map(len, self.members))
        share = f"with SU >= {self.threshold:g}"
        return f"<Similar: {plural(len(self), 'cluster')} of {n} columns {share}>"

    def least(self, cluster: int) -> float:
        """The least symmetrical uncertainty of two columns of a cluster."""
        columns = list(self.members[cluster])
        within = self.pairs[columns][:, columns].toarray()
        return float(within[np.triu_indices(len(columns), 1)].min())

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON document of ``mlfs similar --format json``."""
        clusters = [
            {
                "representative": self.names[representative],
                "columns": [self.names[j] for j in columns],
                "index": self.numbers[list(columns)].tolist(),
                "relevance": self.relevance[list(columns)].tolist(),
                "least": self.least(i),
            }
            for i, (representative, columns) in enumerate(
                zip(self.representatives, self.members, strict=True)
            )
        ]
        return {
            "schema": 1,
            "threshold": self.threshold,
            "features": len(self.names),
            "clusters": clusters,
        }

    def to_frame(self) -> Any:
        """Give a frame of pandas with a row for each column of a cluster."""
        rows = list(self._rows())
        with naming_half_pairs(value for row in rows for value in row.values()):
            return pandas().DataFrame(rows)

    def to_csv(self) -> str:
        """Give a table of columns and their groups, as ``--group`` reads it."""
        lines = [["column", "group", "relevance"]]
        for row in self._rows():
            texts = [escape(row[key], CONTROL_IN_CELLS) for key in ("column", "group")]
            lines.append([*texts, repr(row["relevance"])])
        return csv_of(lines)

    def table(self) -> str:
        """Show the clusters as text."""
        kept = len(self.names) - sum(map(len, self.members)) + len(self)
        of = plural(len(self.names), "feature")
        head = (
            f"{plural(len(self), 'cluster')} with SU >= {self.threshold:g}: {kept} of {of} differ"
        )
        rows = []
        for i, (representative, columns) in enumerate(
            zip(self.representatives, self.members, strict=True)
        ):
            others = [printable(self.names[j], WIDEST) for j in columns if j != representative]
            name = printable(self.names[representative], WIDEST)
            numbers = f"{self.least(i):.6f}", f"{self.relevance[representative]:.6f}"
            texts = [str(len(columns)), *numbers, name, first_of(others[:SHOWN], len(others))]
            rows.append(texts)
        header = ["size", "least SU", "relevance", "representative", "others"]
        lines = align(header, rows, left={3, 4}) if rows else []
        return "\n".join([head, *lines]) + "\n"

    def plot(self, ax: Any = None) -> Any:
        """Draw a map of the clusters; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; the current axes of pyplot by default.

        Returns
        -------
        matplotlib Axes
            Of `mlfs.plots.similarity_map`.
        """
        from mlfs.plots import similarity_map  # above this package

        return similarity_map(self, ax)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for representative, columns in zip(self.representatives, self.members, strict=True):
            for j in columns:
                yield {
                    "column": self.names[j],
                    "group": self.names[representative],
                    "relevance": float(self.relevance[j]),
                }


def similar(
    data: Any,
    threshold: float = 0.8,
    *,
    labels: Any = None,
    feature_names: Iterable[str] | None = None,
    label_names: Iterable[str] | None = None,
    bins: Bins = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: Missing = "level",
    sample_weight: Any = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
) -> Similar:
    """Find clusters of columns of which any two share most of their information.

    The clusters are those of complete linkage on the symmetrical uncertainty
    SU(f,s) = 2 I(f;s) / (H(f) + H(s)): in each, all pairs reach the threshold. Constant columns
    are in no cluster.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        As for `mlfs.select`.
    threshold : float
        The least symmetrical uncertainty of two columns of a cluster, above 0.
    labels, feature_names, label_names, bins, n_bins, nominal_limit, missing, sample_weight
        As for `mlfs.select`.
    n_jobs, max_memory
        As for `mlfs.select`.

    Returns
    -------
    Similar
        A mapping from representatives to columns.

    Examples
    --------
    >>> import mlfs
    >>> X = [[0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1]]
    >>> Y = [[0], [0], [1], [1]]
    >>> clusters = mlfs.similar((X, Y))
    >>> dict(clusters)
    {'x0': [0, 1]}
    >>> mlfs.select((X, Y), "mim", 2, panel=mlfs.Panel(groups=clusters, at_most=1)).names
    ('x0', 'x2')
    """
    options = check_options(locals())
    threshold = SHARE.read("threshold", threshold)
    if threshold == 0:
        raise UsageError("is above 0: every two columns share as much", option="threshold")
    prepared = prepared_plainly(data, options)
    if not prepared.grouping.trivial:
        raise UsageError("compares columns, but the data were prepared with groups: leave them out")
    most = bytes_of(options["max_memory"])
    side = prepared.features.side
    threads = threads_of(options["n_jobs"])
    pairs = _similar_pairs(side, threshold, threads, most)
    names_no_row = np.ones(side.positions.size)
    names_no_row[list(prepared.identifiers)] = 0.0
    of_others = sp.diags_array(names_no_row)
    pairs = sp.csr_array(of_others @ pairs @ of_others)
    pairs.eliminate_zeros()
    relevance = np.array(plain_of(prepared.info).mi_fL)
    members = _clusters(pairs, threshold, most)
    # of columns whose relevance differs by rounding only, the lowest
    rounded = np.round(relevance / ROUNDING)
    representatives = tuple(max(columns, key=lambda j: (rounded[j], -j)) for columns in members)
    return Similar(
        tuple(prepared.dataset.names),
        threshold,
        members,
        representatives,
        relevance,
        pairs,
        prepared.dataset.given,
    )


def _similar_pairs(side: Side, threshold: float, threads: int, most: int) -> sp.csr_array:
    """The symmetrical uncertainty of all pairs of columns that reach a threshold."""
    d = side.positions.size
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    size = 0
    out = np.empty((min(ANCHORS, d), d))
    for start in range(0, d, ANCHORS):
        anchors = Side(side.table, side.positions[start : start + ANCHORS])
        others = Side(side.table, side.positions[start:])
        block = out[: anchors.positions.size, : d - start]
        quantity = pair_matrix.symmetrical_uncertainty
        pair_matrix.fill_pairs(block, anchors, others, quantity, threads)
        rows, columns = np.nonzero(block >= threshold - ROUNDING)
        later = columns > rows
        rows, columns = rows[later], columns[later]
        parts.append((rows + start, columns + start, block[rows, columns]))
        size += rows.size
        _refuse_many(size, most)
    rows, columns, values = (np.concatenate(same) for same in zip(*parts, strict=True))
    upper = sp.coo_array((values, (rows, columns)), shape=(d, d))
    return sp.csr_array(upper + upper.T)


def _refuse_many(n_pairs: int, most: int) -> None:
    if 4 * BYTES_OF_PAIR * n_pairs > most:
        msg = f"more than {n_pairs:,} pairs of columns reach the threshold, too many for "
        raise DataError(f"{msg}max_memory: raise the threshold, or max_memory")


def _clusters(pairs: sp.csr_array, threshold: float, most: int) -> tuple[tuple[int, ...], ...]:
    """Complete linkage of similar columns; clusters lie inside the components of their graph."""
    from scipy.cluster.hierarchy import fcluster, linkage

    n_components, component = sp.csgraph.connected_components(pairs, directed=False)
    sizes = np.bincount(component, minlength=n_components)
    order = np.argsort(component, kind="stable")
    edges = np.cumsum([0, *sizes])
    clusters: list[tuple[int, ...]] = []
    for i in np.flatnonzero(sizes > 1).tolist():
        columns = order[edges[i] : edges[i + 1]]
        m = columns.size
        _refuse_many(m * (m - 1) // 2, 4 * most)
        within = sp.triu(pairs[columns][:, columns], 1).tocoo()
        distances = np.full(m * (m - 1) // 2, 2.0)  # what does not reach the threshold is far
        rows = within.row.astype(np.int64)
        distances[rows * (2 * m - rows - 1) // 2 + within.col - rows - 1] = 1 - within.data
        tree = linkage(distances, "complete")
        cluster_of = fcluster(tree, 1 - threshold + ROUNDING, "distance")
        together = np.argsort(cluster_of, kind="stable")
        ends = np.cumsum(np.bincount(cluster_of)[1:])
        parts = np.split(columns[together], ends[:-1])
        clusters += [tuple(part.tolist()) for part in parts if part.size > 1]
    return tuple(sorted(clusters, key=lambda cluster: (-len(cluster), cluster[0])))
