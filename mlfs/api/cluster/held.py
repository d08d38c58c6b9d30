"""Columns that workers read, bin and count: what a worker runs, and what is asked of it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
import scipy.sparse as sp

from mlfs.api.as_dataset import bytes_made
from mlfs.api.candidates import Grouping, grouping
from mlfs.api.cluster.connection import Connection, Lost
from mlfs.api.cluster.elsewhere import Elsewhere, as_dataset, part_of
from mlfs.api.counted import amount, count_columns, threads_of
from mlfs.api.estimators import chosen_correction
from mlfs.api.missing_values import first_missing, missing_error
from mlfs.counting.codes import Codes
from mlfs.counting.column_groups import kinds
from mlfs.counting.counts import Counts
from mlfs.counting.label_columns import code_labels, with_masks
from mlfs.counting.memory import Budget, bytes_of
from mlfs.counting.weights import on_grid
from mlfs.data.dataset import Dataset
from mlfs.data.identifiers import identifier_columns
from mlfs.discretize import Binnings
from mlfs.discretize.binning import join
from mlfs.errors import ClusterError, DataError, UsageError, plural
from mlfs.information.columns_info import AdjustedColumnsInfo, ColumnsInfo, Question
from mlfs.information.held_columns import HeldColumns, LentColumn
from mlfs.information.table import Table

P = ParamSpec("P")
R = TypeVar("R")

MOST_LOSSES = 3
ALIVE = ("finished", "pending")  # the status of a future
ROOM = 4  # a worker takes all columns if they need at most this part of its memory
LENT_BYTES = 256 << 20  # of columns that are kept on the workers for later questions
OPTIONS = ("bins", "n_bins", "nominal_limit", "missing", "correction", "n_jobs", "max_memory")


@dataclass(frozen=True)
class _Shared:
    """The data that every worker needs beside its columns.

    Parameters
    ----------
    Y, labels, weights
        As for `Dataset`, of the rows that count.
    kept : ndarray of int or None
        The rows that count, of those that a worker reads; None for all.
    n_rows : int
        How many rows a worker reads.
    options : dict
        Those of `mlfs.prepare` that are about counting.
    share : int
        How many workers share the memory of a machine.
    """

    Y: Any
    labels: Any
    weights: np.ndarray | None
    kept: np.ndarray | None
    n_rows: int
    options: dict[str, Any]
    share: int


class _Setting(NamedTuple):
    """The data that one worker needs: its columns, its first candidate, groups and binnings."""

    columns: list[int]
    names: list[str]
    first: int
    groups: Any
    binnings: Any


class _Facts(NamedTuple):
    """The answer of a worker about its columns."""

    columns: Any
    notes: tuple[str, ...]
    binnings: Binnings
    levels: np.ndarray
    identifiers: list[int]
    missing: tuple[int, int, int]
    n_bytes: int


# ---- on a worker ------------------------------------------------------------------------------

_alone = threading.RLock()


def alone(function: Callable[P, R]) -> Callable[P, R]:
    """Run as the only task of ours in a process, also where a worker has several threads.

    Until Python 3.12 a `cached_property` locks all objects of its class, and two threads that ask
    for two of them in another order wait for each other without end.
    """

    @wraps(function)
    def run(*args: P.args, **named: P.kwargs) -> R:
        with _alone:
            return function(*args, **named)

    return run


@alone
def _hold(part: Any, shared: _Shared, setting: _Setting) -> HeldColumns:
    """Read, bin and count some columns."""
    data = as_dataset(part, setting.names)
    if data.shape[0] != shared.n_rows:
        found, wanted = plural(data.shape[0], "row"), plural(shared.n_rows, "row")
        raise DataError(f"X has {found} and Y has {wanted}")
    if shared.kept is not None:
        data = data.with_changes(X=data.table[shared.kept])
    options = {**shared.options, "cluster": None, "groups": setting.groups}
    options["binnings"] = setting.binnings
    most = bytes_of(options["max_memory"])
    most = most if options["max_memory"] is not None else most // shared.share
    data = data.with_changes(Y=shared.Y, labels=shared.labels)
    missing = first_missing(data.table) if options["missing"] == "error" else (0, 0, 0)
    missing = *missing[:2], setting.columns[missing[2]]
    identifiers = [setting.columns[j] for j in identifier_columns(data)]
    _, learned, table = count_columns(data, shared.weights, options, most, bytes_made([], data))
    held = HeldColumns(table, setting.first)
    levels = table.counts.levels
    levels = levels if table.positions is None else levels[table.positions]
    held.facts = _Facts(
        data.columns,
        data.notes,
        learned,
        levels,
        identifiers,
        missing,
        held.__sizeof__(),
    )
    return held


def _facts(held: HeldColumns) -> _Facts:
    facts: _Facts = held.facts
    return facts


@alone
def _lend(held: HeldColumns, s: int) -> LentColumn:
    return held.lent(s)


@alone
def _answer(held: HeldColumns, question: Question, columns: Mapping[int, LentColumn]) -> Any:
    return held.answer(question, columns)


@alone
def join_held(parts: Sequence[HeldColumns]) -> HeldColumns:
    """All columns of several."""
    return HeldColumns(_joined(parts), 0)


def _joined(parts: Sequence[HeldColumns], n_jobs: int = 1) -> Table:
    table = parts[0].table
    codes = parts[0].codes
    for part in parts[1:]:
        codes = codes.beside(part.codes)
    y, weights = table.counts.label_codes, table.counts.given_weights
    kind = kinds(codes, y, weighted=weights is not None)
    codes, positions = codes.sorted_by(kind)
    kind.sort()
    counts = Counts(codes, y, weights, kind, n_jobs)
    return Table(
        counts,
        table.q,
        table.mask_of,
        positions=positions,
        budget=table.budget,
    )


# ---- here -------------------------------------------------------------------------------------


class Workers:
    """The workers that hold the columns of a table, see `mlfs.information.columns_info.Holders`.

    Parameters
    ----------
    connection : Connection
        The cluster.
    parts : sequence of Part
        Some columns for each.
    shared : _Shared
        What all of them need.
    settings : sequence of _Setting
        What each needs.
    of_labels : Table
        The labels alone.
    """

    def __init__(
        self,
        connection: Connection,
        parts: Sequence[Any],
        shared: _Shared,
        settings: Sequence[_Setting],
        of_labels: Table,
    ) -> None:
        self.connection, self.size, self.of_labels = connection, len(parts), of_labels
        self._parts, self._shared, self._settings = parts, shared, settings
        self._first = np.array([setting.first for setting in settings])
        self._held: list[Any] = [None] * self.size
        self._places = [""] * self.size
        self._lent: OrderedDict[int, Any] = OrderedDict()
        self.rounds = self.losses = 0
        self.facts: list[_Facts] = self._try(
            lambda: [connection.submit(_facts, h) for h in self._held]
        )
        self.levels = np.concatenate([facts.levels for facts in self.facts])

    def _make(self) -> None:
        """Let workers hold what none holds: at first everything, later what was lost."""
        lost = [i for i, held in enumerate(self._held) if held is None or held.status not in ALIVE]
        if not lost:
            return
        self._lent.clear()
        shared = self.connection.send(self._shared)
        workers = list(self.connection.threads())
        for i in lost:
            self._places[i] = workers[i % len(workers)]
            part = self._parts[i].sent(self.connection)
            self._held[i] = self.connection.submit(
                _hold, part, shared, self._settings[i], on=self._places[i]
            )

    def _try(self, submit: Any) -> list[Any]:
        """The results of tasks: again, if what they need was lost and had to be made again."""
        losses = self.losses
        while True:
            try:
                self._make()
                return self.connection.results(submit())
            except Lost:
                self.note_loss(losses)

    def note_loss(self, before: int) -> None:
        """Note that columns were lost; too often since there were so many losses is an error."""
        self.losses += 1
        if self.losses - before > MOST_LOSSES:
            msg = f"columns that workers of the cluster at {self.connection.address} held were lost"
            msg += f" {self.losses - before} times: they may have too little memory, and more "
            raise ClusterError(f"{msg}workers would hold fewer columns each")

    def ask(
        self, question: Question, columns: Sequence[int], asked: Sequence[int] | None = None
    ) -> list[Any]:
        """The answers of all or some, in the order of their columns; `columns` are sent along."""
        self.rounds += 1

        owners = np.searchsorted(self._first, columns, side="right") - 1
        owner_of = dict(zip(columns, owners.tolist(), strict=True))

        def submit_to(i: int) -> Any:
            lent = {s: self._lend(s, owner) for s, owner in owner_of.items() if owner != i}
            return self.connection.submit(
                _answer, self._held[i], question, lent, on=self._places[i]
            )

        return self._try(
            lambda: [submit_to(i) for i in (range(self.size) if asked is None else asked)]
        )

    def _lend(self, s: int, owner: int) -> Any:
        """A column on its way from the worker that holds it: its future."""
        if s not in self._lent:
            on = self._places[owner]
            self._lent[s] = self.connection.submit(_lend, self._held[owner], s, on=on)
        self._lent.move_to_end(s)
        counts = self.of_labels.counts
        size = max(1, counts.n_rows // 8 * int(self.levels[s]))
        while len(self._lent) > max(2, LENT_BYTES // size):
            self._lent.popitem(last=False)
        return self._lent[s]

    def whole(self) -> list[Any] | None:
        """All columns on each worker: futures; None if they have too little room for that."""
        room, n_bytes = self.connection.room(), sum(facts.n_bytes for facts in self.facts)
        if room is not None and ROOM * n_bytes > room:
            return None
        self._make()
        return [
            self.connection.submit(join_held, self._held, on=worker)
            for worker in self.connection.threads()
        ]

    def here(self) -> Table:
        """All columns in this process, packed, for what needs all of them at once."""
        options, n_bytes = self._shared.options, sum(facts.n_bytes for facts in self.facts)
        most = bytes_of(options["max_memory"])
        if n_bytes > most:
            msg = f"is {amount(most)} here, and the columns that come from the workers need "
            msg += f"{amount(n_bytes)}: allow more, or leave the cluster out"
            raise UsageError(msg, option="max_memory")
        return _joined(self._try(lambda: list(self._held)), threads_of(options["n_jobs"]))

    def report(self) -> str:
        """How much was asked."""
        workers = plural(self.size, "worker")
        lost = (
            f"; {plural(self.losses, 'time')} lost columns were made again" if self.losses else ""
        )
        return f"columns divided among {workers}: {plural(self.rounds, 'round')} of questions{lost}"

    def release(self) -> None:
        """Let the columns go, and end the connection."""
        self._held, self._places = [], []
        self._lent.clear()
        self.connection.close()


def count_on_cluster(
    dataset: Dataset, weights: np.ndarray | None, options: Mapping[str, Any]
) -> tuple[Dataset, Grouping, Binnings, ColumnsInfo, list[int]]:
    """Let workers bin, code and count the columns, as `count_columns` does here."""
    table = dataset.table
    groups = grouping(options["groups"], dataset.names)
    connection = getattr(table, "connection", None) or Connection(options["cluster"])
    try:
        size = max(1, min(len(connection.threads()), len(groups.members)))
        edges = _edges(table, groups, size)
        shared = _Shared(
            dataset.Y,
            dataset.labels,
            weights,
            getattr(table, "kept", None),
            getattr(table, "n_rows", dataset.shape[0]),
            {name: options[name] for name in OPTIONS},
            connection.share(),
        )
        given = None if options["binnings"] is None else Binnings.of(options["binnings"])
        if sp.issparse(table):
            table = sp.csc_array(table)
        parts, settings, order = [], [], []
        for a, b in pairwise(edges):
            columns = sorted(groups.columns(range(a, b)))
            order += columns
            parts.append(part_of(dataset, table, columns))
            binnings = None if given is None else given.take(np.array(columns))
            names = [dataset.names[j] for j in columns]
            named = _named_groups(groups, a, b, columns)
            settings.append(_Setting(columns, names, a, named, binnings))
        workers = Workers(
            connection, parts, shared, settings, _labels_alone(dataset, weights, options)
        )
    except BaseException:
        connection.close()
        raise
    if options["missing"] == "error":
        _refuse_missing(dataset, workers)
    place = np.argsort(order)
    learned = join([facts.binnings for facts in workers.facts]).take(place).named(dataset.names)
    if isinstance(table, Elsewhere):
        columns = [column for facts in workers.facts for column in facts.columns]
        notes = [note for facts in workers.facts for note in facts.notes]
        dataset = dataset.with_changes(
            columns=tuple(columns[j] for j in place.tolist()),
            notes=table.notes(dataset.notes, notes),
        )
    labels = np.arange(dataset.shape[2])
    info = ColumnsInfo(workers, labels)
    identifiers = sorted(j for facts in workers.facts for j in facts.identifiers)
    chosen = chosen_correction(options["correction"], info, groups.candidates(identifiers))
    if chosen == "expected":
        info = AdjustedColumnsInfo(workers, labels)
    return dataset, groups, learned, info, identifiers


def _edges(table: Any, groups: Grouping, size: int) -> list[int]:
    """Where the candidates of each worker begin: as much for each, counted by what is stored."""
    weight = np.array([len(columns) for columns in groups.members])
    if sp.issparse(table) and groups.trivial:
        weight = weight + np.diff(sp.csc_array(table).indptr)
    ends, d = np.cumsum(weight), weight.size
    edges = [0]
    for k in range(1, size):
        cut = int(np.searchsorted(ends, ends[-1] * k / size)) + 1
        edges.append(max(edges[-1] + 1, min(cut, d - (size - k))))
    return [*edges, d]


def _named_groups(groups: Grouping, a: int, b: int, columns: Sequence[int]) -> Any:
    """The name of the group of each of a worker's columns."""
    if groups.trivial:
        return None
    name = {j: groups.names[c] for c in range(a, b) for j in groups.members[c]}
    return [name[j] for j in columns]


def _labels_alone(
    dataset: Dataset, weights: np.ndarray | None, options: Mapping[str, Any]
) -> Table:
    """The table of the labels, without features."""
    y, mask_of = with_masks(code_labels(dataset.Y, [len(label.values) for label in dataset.labels]))
    grid = None if weights is None else on_grid(weights)
    none = Codes.from_dense(np.zeros((dataset.shape[0], 0)))
    counts = Counts(none, y, grid, np.zeros(0, np.int64))
    budget = Budget.of(bytes_of(options["max_memory"]))
    return Table(counts, dataset.shape[2], mask_of, budget=budget)


def _refuse_missing(dataset: Dataset, workers: Workers) -> None:
    """Refuse missing values, and name the first."""
    seen = [facts.missing for facts in workers.facts if facts.missing[0]]
    if seen:
        workers.release()
        n = sum(n for n, _, _ in seen)
        row, j = min((row, j) for _, row, j in seen)
        raise missing_error(dataset, n, row, j)
