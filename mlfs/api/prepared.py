"""Prepare data: read, bin, code and count them once, for any number of selections."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mlfs.api.as_dataset import (
    AsGiven,
    arrays_of,
    as_dataset,
    bytes_made,
    keeps_numbers,
    notes_of_reading,
)
from mlfs.api.candidates import Grouping, grouping, groups_of_features
from mlfs.api.coded_columns import CodedColumns
from mlfs.api.counted import count_columns, of_table, threads_of
from mlfs.api.estimators import MAKERS, info_of, missing_word
from mlfs.api.gaussian_prepared import (
    gaussian_among_rows,
    gaussian_info,
    refuse_options_of_counts,
)
from mlfs.api.given import (
    AN_ARRAY,
    codes_of_rows,
    columns_of_rows,
    is_set,
    refuse_given,
    within_strata,
)
from mlfs.api.labels_as import bin_targets, keep_known_sets, label_sets
from mlfs.api.missing_values import refuse_missing, refuse_missing_labels
from mlfs.api.options import check_options
from mlfs.api.prepared_notes import CORRECTED, correction_notes, notes_of
from mlfs.api.unused_options import refuse_on_cluster
from mlfs.api.value_kinds import Bins, Correction, Dates, Estimator, Missing
from mlfs.counting.memory import bytes_of
from mlfs.criteria import Criterion
from mlfs.data.columns import check_weights
from mlfs.data.dataset import Dataset
from mlfs.data.frames import as_frame, family
from mlfs.data.identifiers import identifier_columns
from mlfs.discretize import Binning
from mlfs.errors import Caution, DataError, UsageError, plural, printable
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
from mlfs.search.networks import network_for

NAMES = ("feature_names", "label_names")
NO_MATTER = {"labels", "n_jobs", "max_memory"}  # options that change no answer
COUNTED = (
    *("bins", "n_bins", "nominal_limit", "target_bins", "labels_as", "missing", "dates"),
    *("estimator", "correction"),
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
    target_binnings : tuple of Binning
        How each numeric target was binned.
    identifiers : sequence of int
        The columns that name a row.
    held : tuple of int
        The columns that are held fixed, and are no candidates.
    """

    dataset: Dataset
    binnings: Sequence[Binning]
    grouping: Grouping
    info: Info
    weights: np.ndarray | None
    notes: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    columns: tuple[str, ...] | None = field(default=None, repr=False)
    target_binnings: tuple[Binning, ...] = ()
    identifiers: Sequence[int] = ()
    held: tuple[int, ...] = ()
    _networks: dict[Any, Structure | None] = field(default_factory=dict, repr=False, compare=False)

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
        return CodedColumns(Side(table, positions), names, correction=self._of_functions)

    @property
    def labels(self) -> CodedColumns:
        """The labels, for the functions of `mlfs.information`."""
        self._refuse_options()
        among = table_of(self.info).among_labels
        side = Side(among, np.arange(self.dataset.shape[2]))
        return CodedColumns(side, self.dataset.label_names, correction=self._of_functions)

    @property
    def _of_functions(self) -> str:
        """The correction of the functions of `mlfs.information`, which know no "auto"."""
        return str(self.options["correction"]).replace("auto", "none")

    def _refuse_options(self) -> None:
        if self.options["cluster"] is not None:
            msg = "the functions of mlfs.information take no columns that are counted on a cluster"
            raise UsageError(f"{msg}: prepare the data without it")
        if self.given:
            msg = "the functions of mlfs.information know no strata: prepare the data without given"
            raise UsageError(msg)

    def network(self, criterion: Criterion, wanted: Any, order: str, k: int | None) -> Any:
        """The label network for a criterion, or None; one that was learned is kept."""
        if criterion.network is False and wanted is None:
            return None
        key = (criterion.network, wanted, order, k)
        if not (wanted is None or isinstance(wanted, str)) or isinstance(k, bool):
            return network_for(criterion, wanted, self.dataset, self.info, self.weights, order, k)
        if key not in self._networks:
            self._networks[key] = network_for(
                criterion, wanted, self.dataset, self.info, self.weights, order, k
            )
        return self._networks[key]

    def among_rows(self, kept: np.ndarray) -> Prepared:
        """The same data with only the rows of a mask counted; nothing is binned or packed again.

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
            return replace(self, info=some)
        table = table_of(self.info).among_rows(kept)
        if isinstance(self.info, StratifiedInfo):
            strata = StratifiedInfo.of(table, self.info.codes[kept])
            strata = strata.made_of(AdjustedInfo) if is_adjusted(self.info) else strata
            return replace(self, info=strata)
        return replace(self, info=info_of(table, self.correction))

    def here(self) -> Prepared:
        """The same data counted in this process, where workers of a cluster hold the columns."""
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

    def refuse_other(self, **options: Any) -> None:
        """Raise `UsageError` if an option is neither its default nor what was prepared with."""
        for name, value in options.items():
            default = DEFAULTS.get(name)
            current = self.options.get(name, default)
            if name == "correction" and current == "auto" and value == self.correction:
                continue
            if name == "groups" and value is not None:
                names = self.dataset.names
                given = grouping(groups_of_features(value, self.dataset), names)
                same = given.named(names) == self.grouping.named(names)
            else:
                same = _equal(value, default) or _equal(value, current)
            if not same:
                msg = (
                    f"is {printable(repr(value))}, but the data were prepared with "
                    f"{printable(repr(current))}: leave it out, or prepare the data with it"
                )
                raise UsageError(msg, option=name)


def prepare(
    data: Any,
    *,
    labels: Any = None,
    feature_names: Iterable[str] | None = None,
    label_names: Iterable[str] | None = None,
    groups: Any = None,
    bins: Bins = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    target_bins: str | None = None,
    labels_as: str = "each",
    missing: Missing = "level",
    dates: Dates = "skip",
    estimator: Estimator = "counts",
    correction: Correction = "auto",
    given: Any = (),
    sample_weight: Any = None,
    n_jobs: int | None = None,
    cluster: Any = None,
    max_memory: int | str | None = None,
    binnings: Sequence[Binning] | None = None,
) -> Prepared:
    """Read, bin and count data once, for any number of selections.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        The data, as for `mlfs.select`. What is prepared already is returned as it is, after a
        check that no option differs from what it was prepared with; defaults never differ.
    labels, feature_names, label_names, groups, bins, n_bins, nominal_limit, target_bins
        See `mlfs.select`.
    labels_as, missing, dates, estimator
        See `mlfs.select`.
    correction, given, sample_weight, n_jobs, cluster, max_memory
        See `mlfs.select`. A cluster is kept until `Prepared.release` or the end of the data.
    binnings : sequence of Binning, optional
        The binnings of other data, which are applied unchanged; `bins`, `n_bins` and
        `nominal_limit` are not used then.

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
    given = () if given is None else given
    options = {**check_options(locals()), "binnings": binnings}
    if isinstance(data, Prepared):
        data.refuse_other(**options)
        return data
    if estimator == "gaussian":
        refuse_options_of_counts(options)
    refuse_on_cluster(options)
    refuse_given(options)
    data, most = as_frame(data), bytes_of(max_memory)
    of_table(data, most).free(most)
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
    dataset, weights, target_binnings = _classify_labels(dataset, weights, options, notes)
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
        notes += notes_of(dataset, info, candidates, learned, missing)
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
        notes += notes_of(dataset, info, candidates, learned, missing)
    notes = [*notes_of_reading(dataset), *notes]
    if correction == "auto" and estimator != "gaussian":
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
        target_binnings,
        identifiers,
        held,
    )
    if estimator != "gaussian":
        weakref.finalize(prepared, release, info)
    return prepared


def corrected_for(prepared: Prepared, name: str, criterion: Criterion) -> Prepared:
    """The data for a criterion: not corrected where "auto" is, and the criterion cannot be."""
    if prepared.options["correction"] != "auto" or not is_adjusted(prepared.info):
        return prepared
    word = missing_word(criterion, MAKERS["expected"])
    if not word:
        return prepared
    notes = [note for note in prepared.notes if not note.startswith(CORRECTED)]
    notes.append(
        Caution(f"information is not corrected: the criterion {printable(name)} asks for {word}")
    )
    return replace(prepared, info=plain_of(prepared.info), notes=tuple(notes))


DEFAULTS: dict[str, Any] = prepare.__kwdefaults__ or {}


def _read_with_labels(data: Any, options: Mapping[str, Any], most: int) -> Dataset:
    """Make a data set of what a user gives, and refuse one without labels."""
    dataset = as_dataset(
        data,
        options["labels"],
        numbers=keeps_numbers(options),
        cluster=options["cluster"],
        max_memory=None if options["max_memory"] is None else most,
        dates=options["dates"],
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


def _classify_labels(
    dataset: Dataset, weights: np.ndarray | None, options: Mapping[str, Any], notes: list[str]
) -> tuple[Dataset, np.ndarray | None, tuple[Binning, ...]]:
    """Bin numeric targets, and make label sets the classes of one label, where that is wanted."""
    binnings: tuple[Binning, ...] = ()
    if options["target_bins"] is not None:
        dataset, binnings = bin_targets(
            dataset, options["target_bins"], options["nominal_limit"], weights
        )
        if not binnings:
            notes.append("no label is a numeric target: target_bins changes nothing")
    if options["labels_as"] != "each":
        dataset, pruned = label_sets(dataset, options["labels_as"], weights)
        notes += pruned
        if options["correction"] == "expected":
            dataset, weights = keep_known_sets(dataset, weights, notes)
    return dataset, weights, binnings


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
