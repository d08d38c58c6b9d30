"""Run a cell of a comparison: select on the training rows, then train, predict and measure."""

from __future__ import annotations

import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mlfs.compare.cell_folder import label_results, pack
from mlfs.compare.classifiers import Answers, ComparedModel, classifier
from mlfs.compare.data_sources import DataSource, dense, drop_columns, excluded_columns, rows_of
from mlfs.compare.rankers import Ranked, ranker
from mlfs.compare.resampling import GivenSplit, Split
from mlfs.compare.results import finite
from mlfs.compare.settings import Cell, Settings, seed_for
from mlfs.compare.training_rows import Cost, OverBudget, TrainingRows, limited, measured
from mlfs.data.dataset import Dataset
from mlfs.data.identifiers import identifier_columns
from mlfs.errors import MlfsError, printable, without_folders
from mlfs.metrics import evaluate
from mlfs.metrics.top import FEWEST, propensities
from mlfs.metrics.truth import sharing
from mlfs.models.training_table import TrainingTable

FAILURES = (Exception, OverBudget, SystemExit)  # of a cell; the record has them
NAMED = 200  # features whose names are kept, for the report
SHARED = 100_000_000  # bytes of details of cells that later ones may be equal to


class CellRunner:
    """Runs cells one after another, and keeps what the next one may need too.

    The data set is read once, and the training rows of a split are prepared once, as long as
    cells of the same data set and the same split follow each other.

    Parameters
    ----------
    settings : Settings
        The comparison.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._source: DataSource | None = None
        self._data: Dataset | None = None
        self._splits: list[Split] = []
        self._notes: dict[str, Any] = {}
        self._fold: tuple[DataSource, int] | None = None
        self._parts: tuple[TrainingRows, Dataset] | None = None
        self._equal: dict[Any, dict[str, Any]] = {}  # cells of this fold by what decides them
        self._rankings: dict[str, _Choices] = {}
        self._slow: set[tuple[Any, ...]] = set()  # what was over the budget on a data set

    def run(self, cell: Cell) -> dict[str, Any]:
        """The record of a cell, which may have failed."""
        try:
            train, test = self._rows(cell)
            return {**self._record(cell, train, test), **self._notes}
        except FAILURES as error:
            return failure(cell, error)

    def _choices(self, cell: Cell, train: TrainingRows, test: Dataset) -> _Choices:
        """The features that a ranker chooses on the training rows."""
        key = str(cell.ranker)
        if key not in self._rankings:
            n_rows = train.data.shape[0] + test.shape[0]
            self._rankings[key] = _Choices(cell, train, n_rows)
        return self._rankings[key]

    def _record(self, cell: Cell, train: TrainingRows, test: Dataset) -> dict[str, Any]:
        """The record of a cell; a cell that is equal to an earlier one of the fold is not run."""
        budget = cell.settings.budget
        ranking_key = (cell.source, str(cell.ranker))
        method_key = (*ranking_key, str(cell.model))
        if {ranking_key, method_key} & self._slow:
            raise OverBudget(f"left out: an earlier cell took more than the budget of {budget:g} s")
        try:
            choices = self._choices(cell, train, test)
            ranked, selecting = choices.choose(cell)
        except OverBudget:
            self._slow.add(ranking_key)
            raise
        costs = {"prepare": choices.preparing, "select": selecting}
        equality_key = (str(cell.model), tuple(map(frozenset, ranked.orders)), ranked.imposed)
        outcome = self._equal.pop(equality_key, None)
        if outcome is None:
            try:
                with limited(budget):
                    outcome = _fit_and_evaluate(cell, train.data, test, ranked)
            except OverBudget:
                self._slow.add(method_key)
                raise
        self._equal[equality_key] = outcome
        while sum(len(earlier.get("details", b"")) for earlier in self._equal.values()) > SHARED:
            del self._equal[next(iter(self._equal))]  # the one that was not used for longest
        peak = max([outcome["peak_mb"], *(cost.peak_mb for cost in costs.values())])
        return {
            "key": cell.key,
            "cell": cell.to_dict(),
            "status": "ok",
            "note": ranked.note,
            "features": ranked.mean_size,
            "selected": list(ranked.union),
            "names": [train.data.columns[j].name for j in ranked.union[:NAMED]],
            "columns": train.data.shape[1],
            **outcome,
            **{f"{step}_seconds": cost.seconds for step, cost in costs.items()},
            "peak_mb": peak,
        }

    def _rows(self, cell: Cell) -> tuple[TrainingRows, Dataset]:
        """The rows that train and those that test."""
        if self._parts is None or self._fold != cell.fold:
            self._parts = None  # free the last ones first
            self._equal, self._rankings = {}, {}
            data = self._read(cell.source)
            split = self._splits[cell.split]
            train = TrainingRows(rows_of(data, split.train), self.settings.options)
            self._parts = train, rows_of(data, split.test)
            self._fold = cell.fold
        return self._parts

    def _read(self, source: DataSource) -> Dataset:
        if self._data is None or self._source != source:
            self._data = None  # free the last one first
            data, n_train = source.read()
            protocol = self.settings.protocol.for_data(source.name)
            if isinstance(protocol, GivenSplit):
                protocol = GivenSplit(n_train)
            seed = seed_for(self.settings.seed, "splits", source.digest)
            self._splits = list(protocol.splits(data, seed))
            excluded_names = excluded_columns(data, source.exclude, source.name)
            data = drop_columns(data, excluded_names)
            shape = list(data.shape)
            identifiers = [data.columns[j].name for j in identifier_columns(data)]
            if not self.settings.keep_identifiers and len(identifiers) < data.shape[1]:
                data = drop_columns(data, identifiers)
            self._notes = {"identifiers": identifiers, "excluded": excluded_names, "shape": shape}
            self._data, self._source = data, source
        return self._data


class _Choices:
    """The features that one ranker chooses on the training rows; smaller n are prefixes."""

    def __init__(self, cell: Cell, train: TrainingRows, n_rows: int) -> None:
        settings = cell.settings
        self._ranker = ranker(cell.ranker)
        self._seed = seed_for(settings.seed, "ranker", cell.source.digest, cell.split)
        self._train = train
        self._budget = settings.budget
        self._ranked: dict[int, tuple[Ranked, Cost]] = {}
        # of all cells, finished ones too, so that the selection does not depend on these
        sizes = settings.sizes_of(cell.ranker)
        self._sizes = {size: size.count(n_rows, train.data.shape[1]) for size in sizes}

    def choose(self, cell: Cell) -> tuple[Ranked, Cost]:
        """The features chosen for a cell, and their cost once the rows were prepared."""
        n = self._sizes[cell.size]
        most = max(self._sizes.values()) if self._ranker.nested else n
        if most not in self._ranked:
            if self._ranker.counts:
                _ = self._train.prepared  # outside of the clock
            with measured() as cost, limited(self._budget):
                ranked = self._ranker.rank(self._train, most, self._seed)
            self._ranked[most] = ranked, cost
        ranked, cost = self._ranked[most]
        return ranked.first(n), cost

    @property
    def preparing(self) -> Cost:
        """The cost of preparing the rows; nothing for a ranker that uses the values themselves."""
        return self._train.preparing if self._ranker.counts else Cost()


def train_and_ask(
    make: Callable[[Any], ComparedModel], ranked: Ranked, train: Dataset, test: Dataset
) -> tuple[Answers, np.ndarray, Cost, Cost]:
    """Train the model that `make` gives for these features, and ask it about the test rows.

    Returns the answers, the truth, and what training and asking cost.
    """
    table = TrainingTable.learn(ranked.cut(train))
    model = make(ranked.for_model(table))
    X, _ = table.matrix(ranked.cut(train))
    with measured() as fitting:
        model.fit(X, dense(train.Y), train.weights)
    truth = dense(test.Y)
    X, _ = table.matrix(ranked.cut(test), unseen="missing")
    with measured() as predicting:
        answers = model.answers(X, truth)
    return answers, truth, fitting, predicting


def _fit_and_evaluate(cell: Cell, train: Dataset, test: Dataset, ranked: Ranked) -> dict[str, Any]:
    """Train on these features, predict the test rows, and measure."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        seed = seed_for(cell.settings.seed, "model", cell.source.digest, cell.split)
        answers, truth, fitting, predicting = train_and_ask(
            partial(classifier, cell.model, seed), ranked, train, test
        )
    messages = [
        f"{warning.category.__name__}: {printable(without_folders(warning.message), 160)}"
        for warning in caught
    ]
    with sharing():
        shares = propensities(dense(train.Y)) if len(train.Y) > FEWEST else None
        metrics = evaluate(
            truth, *answers[:3], probabilities=answers.probabilities, propensities=shares
        )
        details = _details(cell.settings, truth, answers, shares, test.label_names)
    return {
        "warnings": dict(Counter(messages)),
        "metrics": {name: finite(v) for name, v in metrics.items()},
        "fit_seconds": fitting.seconds,
        "predict_seconds": predicting.seconds,
        "peak_mb": max(fitting.peak_mb, predicting.peak_mb),
        **details,
    }


def _details(
    settings: Settings,
    truth: np.ndarray,
    answers: Answers,
    shares: np.ndarray | None,
    labels: list[str],
) -> dict[str, bytes]:
    """The arrays that are kept beside the record; none if the settings say so."""
    if not settings.details:
        return {}
    arrays: dict[str, Any] = label_results(truth, answers.predicted, answers.scores)
    if settings.predictions:
        arrays |= {
            "truth": truth.astype(np.int8),
            "predicted": answers.predicted.astype(np.int8),
            "scores": answers.scores,
            "probabilities": answers.probabilities,
            "joint": answers.joint,
            "propensities": shares,
        }
    return {"details": pack(arrays, labels)}


def failure(cell: Cell, error: BaseException | str) -> dict[str, Any]:
    """The record of a cell that failed, with the reason."""
    if isinstance(error, str):
        note, trace = error, ""
    else:
        kind = "" if isinstance(error, (MlfsError, OverBudget)) else f"{type(error).__name__}: "
        note = kind + printable(without_folders(error) or "no reason given", 400)
        trace = without_folders("".join(traceback.format_exception(error)))
    return {
        "key": cell.key,
        "cell": cell.to_dict(),
        "status": "failed",
        "note": note,
        "traceback": trace[-4000:],
        **({"budget": cell.settings.budget} if isinstance(error, OverBudget) else {}),
    }
