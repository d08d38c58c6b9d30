"""Prepare data: read, bin, code and count them once, for any number of selections."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

import numpy as np
import scipy.sparse as sp

from mlfs.api.as_dataset import (
    AsGiven,
    arrays_of,
    as_dataset,
    bytes_made,
    notes_of_reading,
)
from mlfs.api.candidates import Grouping, groups_of_features
from mlfs.api.coded_columns import CodedColumns
from mlfs.api.counted import count_columns, threads_of
from mlfs.api.estimators import info_of
from mlfs.api.gaussian_prepared import (
    gaussian_among_rows,
    gaussian_info,
    refuse_options_of_counts,
)
from mlfs.api.given import AN_ARRAY, codes_of_rows, columns_of_rows, is_set, within_strata
from mlfs.api.missing_values import refuse_missing, refuse_missing_labels
from mlfs.api.moved import naming_moved, refuse_preparing
from mlfs.api.options import PREPARING, check_options
from mlfs.api.prepared_notes import correction_notes, notes_of
from mlfs.api.value_kinds import Bins, Correction, Dates, Estimator, Missing, Numbers, Order
from mlfs.counting.memory import bytes_of
from mlfs.data.columns import check_weights
from mlfs.data.dataset import Dataset
from mlfs.data.frames import as_frame, family
from mlfs.data.identifiers import identifier_columns
from mlfs.discretize import Binning
from mlfs.errors import DataError, UsageError, plural, printable
from mlfs.information.adjusted import AdjustedInfo
from mlfs.information.columns_info import ColumnsInfo
from mlfs.information.for_search import (
    is_adjusted,
    plain_of,
    release,
    report_of_holders,
    table_of,
)
from mlfs.information.info import Info
from mlfs.information.pair_matrix import Side
from mlfs.information.stratified import StratifiedInfo
from mlfs.search.label_parents import Structure
from mlfs.search.networks import check_most_parents, learned_network

NAMES = ("feature_names", "label_names")
NO_MATTER = {"labels", "n_jobs", "max_memory"}  # options that change no answer
COUNTED = (
    *("bins", "n_bins", "nominal_limit", "missing", "dates", "numbers", "estimator", "correction"),
    "keep_identifiers",
)


@dataclass(frozen=True, repr=False)
class Prepared:
    """A data set that was read, binned and counted, and can be used for many selections.

    `prepare` makes it. Whatever takes data also takes it in their place: `mlfs.select`,
    `mlfs.explain`, `mlfs.FeatureSelector.fit`, models and comparisons. Pair statistics that one
    criterion needed are kept for the next one, as far as `max_memory` allows.

    Parameters
    ----------
    dataset : Dataset
        The data; rows of weight 0 are left out.
    binnings : sequence of Binning
        How each column of X was binned.
    grouping : Grouping
        The candidates: single columns, or groups of columns.
    info : Info
        Entropies and mutual information of all candidates and all labels.
    weights : ndarray of float64 or None
        The weights of the rows.
    notes : tuple of str
        What a user should know about the data.
    options : mapping
        The arguments of `prepare`.
    columns : tuple of str or None
        The names of the columns of the frame X that was given; None if X was no frame.
    identifiers : sequence of int
        The columns that name a row.
    held : tuple of int
        The columns that are held fixed, and are no candidates.
    rows : ndarray of bool, optional
        The rows that are counted, where these are not all (see `among_rows`).
    """

    dataset: Dataset
    binnings: Sequence[Binning]
    grouping: Grouping
    info: Info
    weights: np.ndarray | None
    notes: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    columns: tuple[str, ...] | None = field(default=None, repr=False)
    identifiers: Sequence[int] = ()
    held: tuple[int, ...] = ()
    rows: np.ndarray | None = None
    _networks: dict[Any, Structure] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Prepared of {self.dataset!r}>"

    def __reduce__(self) -> Any:
        raise TypeError("prepared data cannot be pickled or copied: pickle the data themselves")

    @property
    def settings(self) -> dict[str, Any]:
        """How the data were prepared, as plain values that JSON can hold."""
        names, options = self.dataset.names, self.options
        return {
            **{name: options[name] for name in COUNTED},
            "correction": self.correction,
            "groups": None if self.grouping.trivial else self.grouping.named(names),
            "weighted": self.weights is not None,
            "given": self.given,
            "labels_by": self.dataset.source.labels_by,
        }

    @property
    def correction(self) -> str:
        """How information is corrected; never "auto"."""
        if self.options["correction"] != "auto":
            return str(self.options["correction"])
        return "expected" if is_adjusted(self.info) else "none"

    @property
    def given(self) -> list[str] | str:
        """The names of the columns that are held fixed, or "an array"."""
        if is_set(self.options["given"]) and not self.held:
            return columns_of_rows(self.options["given"], self.dataset) or AN_ARRAY
        return [self.dataset.names[j] for j in self.held]

    @property
    def features(self) -> CodedColumns:
        """The candidates, for the functions of `mlfs.information`."""
        self._refuse_options()
        table, names = table_of(self.info), self.dataset.names
        if not self.grouping.trivial:
            groups = zip(self.grouping.names, self.grouping.members, strict=True)
            names = [group or names[members[0]] for group, members in groups]
        positions = np.arange(table.d) if table.positions is None else table.positions
        return self._coded(Side(table, positions), names)

    @property
    def labels(self) -> CodedColumns:
        """The labels, for the functions of `mlfs.information`."""
        self._refuse_options()
        among = table_of(self.info).among_labels
        side = Side(among, np.arange(self.dataset.shape[2]))
        return self._coded(side, self.dataset.label_names)

    def _coded(self, side: Side, names: Sequence[str]) -> CodedColumns:
        """Columns for the functions of `mlfs.information`, which know no correction "auto"."""
        correction = str(self.options["correction"]).replace("auto", "none")
        n_jobs, owner = self.options["n_jobs"], self.info
        return CodedColumns(side, names, correction=correction, n_jobs=n_jobs, owner=owner)

    def _refuse_options(self) -> None:
        if self.options["cluster"] is not None:
            msg = "the functions of mlfs.information take no columns that are counted on a cluster"
            raise UsageError(f"{msg}: prepare the data without it")
        if self.given:
            msg = "the functions of mlfs.information know no strata: prepare the data without given"
            raise UsageError(msg)

    def network(self, kind: str, order: str = "cheap", k: int | None = None) -> Structure:
        """The label network of a kind; one that was learned is kept."""
        check_most_parents(k)
        key = (kind, order, k)
        if key not in self._networks:
            self._networks[key] = learned_network(
                kind, self.dataset, self.info, self.weights, order, k
            )
        return self._networks[key]

    def among_rows(self, kept: np.ndarray) -> Prepared:
        """Count only the rows of a mask; nothing is binned or packed again.

        Levels, bins and label networks stay those of all rows, and rows keep their weights; only
        the estimator ``gaussian`` ranks the rows anew.

        Examples
        --------
        >>> ready = prepare(([[0, 1], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]))
        >>> some = ready.among_rows(np.array([True, False, True, True]))
        >>> some.info.h_l.round(6).tolist()
        [0.636514]
        """
        if isinstance(self.info, ColumnsInfo):
            msg = "some of the rows cannot be counted on a cluster: prepare the data without it"
            raise UsageError(msg)
        if self.options["estimator"] == "gaussian":
            weights = None if self.weights is None else self.weights[kept]
            some = gaussian_among_rows(self.dataset, weights, kept, self.options)
            return replace(self, info=some, rows=kept)
        table = table_of(self.info).among_rows(kept)
        if isinstance(self.info, StratifiedInfo):
            strata = StratifiedInfo.of(table, self.info.codes[kept])
            strata = strata.made_of(AdjustedInfo) if is_adjusted(self.info) else strata
            return replace(self, info=strata, rows=kept)
        return replace(self, info=info_of(table, self.correction), rows=kept)

    def here(self) -> Prepared:
        """Count in this process, where workers of a cluster hold the columns."""
        if not isinstance(self.info, ColumnsInfo):
            return self
        return replace(self, info=info_of(self.info.holders.here(), self.correction))

    @property
    def cluster_report(self) -> str:
        """How much the workers of a cluster were asked so far; empty if there is none."""
        return "" if self.options["cluster"] is None else report_of_holders(self.info)

    def release(self) -> None:
        """Release the workers of a cluster; nothing can be counted afterwards."""
        if self.options["estimator"] != "gaussian":
            release(self.info)

    def made_with(self, **options: Any) -> bool:
        """Whether the data were prepared with exactly these options.

        Examples
        --------
        >>> ready = prepare(([[0], [1]], [[0], [1]]), bins="width", n_bins=4)
        >>> ready.made_with(n_bins=4), ready.made_with(n_bins=None)
        (True, False)
        """
        return all(_equal(self.options[name], value) for name, value in options.items())


class Preparing(TypedDict, total=False):
    """The options of `prepare`, which `mlfs.select` and others take too."""

    labels: Any
    feature_names: Iterable[str] | None
    label_names: Iterable[str] | None
    sample_weight: Any
    bins: Bins
    n_bins: int | None
    nominal_limit: int
    missing: Missing
    dates: Dates
    numbers: Numbers
    estimator: Estimator
    correction: Correction
    groups: Any
    given: Any
    keep_identifiers: bool
    n_jobs: int | None
    max_memory: int | str | None
    cluster: Any


@naming_moved
def prepare(
    data: Any,
    *,
    labels: Any = None,
    feature_names: Iterable[str] | None = None,
    label_names: Iterable[str] | None = None,
    sample_weight: Any = None,
    bins: Bins = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: Missing = "level",
    dates: Dates = "skip",
    numbers: Numbers = "read",
    estimator: Estimator = "counts",
    correction: Correction = "auto",
    groups: Any = None,
    given: Any = (),
    keep_identifiers: bool = False,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
    cluster: Any = None,
) -> Prepared:
    """Read, bin and count data once, for any number of selections.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        What `mlfs.read` gives, a file that it reads, arrays or frames. What is prepared already is
        returned as it is.
    labels : str or sequence, optional
        Which columns of a file or frame are labels.
    feature_names, label_names : sequence of str, optional
        The names of the columns of X and Y, where these are arrays or sparse matrices: what
        ``get_feature_names_out()`` of a vectorizer gives, say.
    sample_weight : array, optional
        How much each row counts; the file's own weights by default.
    bins, n_bins, nominal_limit
        How numeric columns are binned, see `mlfs.discretize.learn`.
    missing : {"level", "error"}
        A missing value in X is a level of its own. "error" refuses missing values in X and in Y.
    dates : {"skip", "parts", "keep"}
        Columns of dates are left out, or counted by their parts (year, month, weekday and, where
        times are written, hour), or kept as they are.
    numbers : {"read", "plain"}
        Columns of words that are numbers written for people, such as ``€ 1,234.50`` or ``5 %``, are
        numbers, or words. A `Dataset` is taken as it was read.
    estimator : {"counts", "gaussian"}
        How information is estimated: from counts of levels, or as that of a Gaussian copula,
        from the correlations of normal scores, for which nothing is binned.
    correction : {"auto", "none", "expected"}
        How information is corrected for the bias of counts: not at all, or by its expectation for
        independent columns of the same counts.
        "auto" is "expected" where a column of more than 16 levels shares by chance more than a
        hundredth of the entropy of the labels, and the criterion can be corrected, else "none".
    groups : mapping or sequence, optional
        Columns that belong together, which count as one feature, whose joint value is scored:
        group names to columns, or one group name (or None) for each column.
    given : str, int, sequence of them, array or frame
        Columns that are held fixed, such as a site, a batch or sex: all information is that within
        the strata of rows that share their values. An array or a frame has a value, or several, for
        each row instead; a list names columns.
    keep_identifiers : bool
        Let columns that name a row be picked: keys, counters, texts that differ in nearly every
        row. By default they are left out, with a note, unless they are included.
    n_jobs : int, optional
        Threads, -1 for all processors; the answer does not depend on it.
    max_memory : int or str, optional
        What counting may take, and a file that is read for it, but not data given in memory: bytes,
        or text such as "2GB"; by default half of what is available. The answer is the same.
    cluster : str or distributed.Client, optional
        Count on a cluster of dask.distributed: the address of its scheduler, a client of it, or
        "local:2" for two workers on this machine. The answer is the same. A cluster is kept until
        `Prepared.release` or the end of the data.

    Returns
    -------
    Prepared

    Examples
    --------
    >>> import mlfs
    >>> ready = mlfs.prepare(([[0, 5], [0, 5], [1, 5], [1, 6]], [[0], [0], [1], [1]]))
    >>> [mlfs.select(ready, name, n=1).indices for name in ("mim", "jmi")]
    [(0,), (0,)]
    """
    return prepared_of(data, {name: value for name, value in locals().items() if name != "data"})


def prepared_plainly(data: Any, options: Mapping[str, Any]) -> Prepared:
    """Prepare data as `prepared_of` does, or take data that are prepared, without correction."""
    if not isinstance(data, Prepared):
        return prepared_of(data, {**options, "correction": "none"})
    prepared = prepared_of(data, options)
    if not is_adjusted(prepared.info):
        return prepared
    plain = {**prepared.options, "correction": "none"}
    return replace(prepared, info=plain_of(prepared.info), options=plain)


def label_network(
    data: Any, kind: str = "chain", *, order: Order = "cheap", k: int | None = None
) -> Structure:
    """Learn a label network, for criteria that use one: ``mlfs.select(..., network=)`` takes it.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        The data.
    kind : {"chain", "tree"}
        What is learned.
    order : {"cheap", "full", "given"}
        How the labels of a chain are ordered: Algorithm 2 on the first principal component, in
        full, or as the columns stand.
    k : int, optional
        At most so many parents of a label in a chain; ceil(0.8 q) by default.

    Returns
    -------
    Structure

    Examples
    --------
    >>> import mlfs
    >>> songs = mlfs.datasets.load_songs()
    >>> network = mlfs.label_network(songs, order="given", k=1)
    >>> network.parents[:3]
    ((), (0,), (0,))
    >>> mlfs.select(songs, "mlfs_global", 2, network=network).network.note
    'labels in the order of their columns; at most 1 parent by eq. (33)'
    """
    if kind == "tree" and (order, k) != ("cheap", None):
        msg = "is for a chain, and the kind of the network is 'tree': leave it out"
        raise UsageError(msg, option="order" if order != "cheap" else "k")
    return prepared_of(data, {}).network(kind, order, k)


def prepared_of(
    data: Any, options: Mapping[str, Any], binnings: Sequence[Binning] | None = None
) -> Prepared:
    """Prepare data with some of the options of `prepare`, or with the binnings of other data."""
    if isinstance(data, Prepared):
        others = [name for name, value in options.items() if not _equal(value, PREPARING[name])]
        if others:
            refuse_preparing(others)
        return data
    options = {**PREPARING, **check_options(options), "binnings": binnings}
    options["given"] = () if options["given"] is None else options["given"]
    given, groups, sample_weight, cluster, estimator, missing = (
        options[name]
        for name in ("given", "groups", "sample_weight", "cluster", "estimator", "missing")
    )
    if estimator == "gaussian":
        refuse_options_of_counts(options)
    data, most = as_frame(data), bytes_of(options["max_memory"])
    dataset = _read_with_labels(data, options, most)
    options["groups"] = groups_of_features(groups, dataset)
    data = data.dataset if isinstance(data, AsGiven) else data
    given_arrays = arrays_of(data, dataset)
    notes: list[str] = []
    codes = codes_of_rows(given, dataset, sample_weight)
    dataset, weights = apply_weights(dataset, sample_weight, notes)
    if missing == "error":
        refuse_missing_labels(dataset)
        if cluster is None:  # workers look at what they have
            refuse_missing(dataset)
    if options["correction"] == "expected":
        dataset, weights = _with_label(dataset, weights, notes)
    taken = bytes_made(given_arrays, dataset)
    info: Info
    held: tuple[int, ...] = ()
    identifiers = [] if cluster is not None else identifier_columns(dataset)
    if estimator == "gaussian":
        dataset, weights, candidates, learned, info, gaussian_notes = gaussian_info(
            dataset, weights, options, most, threads_of(options["n_jobs"])
        )
        notes += gaussian_notes
    elif cluster is not None:
        from mlfs.api.cluster.held import count_on_cluster

        dataset, candidates, learned, info, identifiers = count_on_cluster(
            dataset, weights, options
        )
        notes += notes_of(dataset, info, candidates, learned)
        if is_set(given):
            workers, skipped = info.holders, candidates.candidates(identifiers)
            info, held = within_strata(
                workers.here(), codes, dataset, candidates, options, skipped, notes
            )
            workers.release()
    else:
        candidates, learned, table = count_columns(dataset, weights, options, most, taken)
        skipped = candidates.candidates(identifiers)
        info, held = within_strata(table, codes, dataset, candidates, options, skipped, notes)
        notes += notes_of(dataset, info, candidates, learned)
    notes = [*notes_of_reading(dataset), *notes]
    if options["correction"] == "auto" and estimator != "gaussian":
        skipped = candidates.candidates([*identifiers, *held])
        notes += correction_notes(dataset, candidates, info, skipped)
    columns = _frame_columns(data)
    prepared = Prepared(
        dataset,
        learned,
        candidates,
        info,
        weights,
        tuple(notes),
        options,
        columns,
        identifiers,
        held,
    )
    if estimator != "gaussian":
        weakref.finalize(prepared, release, info)
    return prepared


def _read_with_labels(data: Any, options: Mapping[str, Any], most: int) -> Dataset:
    """Make a data set of what a user gives, and refuse one without labels."""
    dataset = as_dataset(
        data,
        options["labels"],
        numeric_targets=options["estimator"] == "gaussian",
        cluster=options["cluster"],
        max_memory=None if options["max_memory"] is None else most,
        dates=options["dates"],
        numbers=options["numbers"],
        names={name: options[name] for name in NAMES if options[name] is not None},
    )
    if dataset.shape[2] == 0:
        where = printable(dataset.source.path, 400)
        msg = f"{where} has no label columns, and there is nothing to select for"
        raise DataError(msg)
    return dataset


def apply_weights(
    dataset: Dataset, sample_weight: Any, notes: list[str]
) -> tuple[Dataset, np.ndarray | None]:
    """The rows that count, and how much each does."""
    values = dataset.weights if sample_weight is None else sample_weight
    if values is None:
        return dataset, None
    weights = check_weights(values, dataset.shape[0])
    if sample_weight is None:
        notes.append("rows are weighted as the file says")
    if not weights.all():
        kept = np.flatnonzero(weights)
        notes.append(f"{plural(weights.size - kept.size, 'row')} of weight 0 left out")
        weights = weights[kept]
        dataset = replace(dataset, X=dataset.table[kept], Y=dataset.Y[kept])
    return dataset, weights


def _with_label(
    dataset: Dataset, weights: np.ndarray | None, notes: list[str]
) -> tuple[Dataset, np.ndarray | None]:
    """The rows that have the only label: a correction takes the same rows in all terms."""
    if dataset.shape[2] != 1:
        return dataset, weights
    Y = dataset.Y.toarray() if sp.issparse(dataset.Y) else dataset.Y
    kept = np.flatnonzero(Y[:, 0] >= 0)
    n_left_out = len(Y) - kept.size
    if not n_left_out:
        return dataset, weights
    rows = f"{plural(n_left_out, 'row')} without a label {'is' if n_left_out == 1 else 'are'}"
    notes.append(f"{rows} left out of everything, because the correction is 'expected'")
    dataset = replace(dataset, X=dataset.table[kept], Y=dataset.Y[kept])
    return dataset, None if weights is None else weights[kept]


def _frame_columns(data: Any) -> tuple[str, ...] | None:
    if isinstance(data, tuple) and family(data[0]):
        return tuple(str(name) for name in data[0].columns)
    return None


def _equal(value: Any, reference: Any) -> bool:
    """Whether two values of an option are the same; arrays and frames by their values."""
    if value is reference:
        return True
    try:
        return bool(value == reference)
    except (TypeError, ValueError):
        return bool(np.array_equal(value, reference))
