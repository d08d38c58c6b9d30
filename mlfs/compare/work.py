"""Run one job of a comparison: select on the training rows, then train, predict and measure."""

from __future__ import annotations

import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

from mlfs.compare.classifiers import classifier
from mlfs.compare.data_sources import DataSource, dense, excluded, rows_of, without
from mlfs.compare.measure import Cost, measured
from mlfs.compare.metrics import evaluate
from mlfs.compare.rankers import Ranked, ranker
from mlfs.compare.resampling import Given, Split
from mlfs.compare.results import finite
from mlfs.compare.settings import Cell, Job, Settings, seed_for
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.dataset import Dataset, identifier_columns
from mlfs.errors import MlfsError, printable
from mlfs.models.training_table import TrainingTable

__all__ = ["JobRunner", "failure"]

NAMED = 200  # features whose names are kept, for the report


class JobRunner:
    """Does jobs one after another, and keeps what the next one may need too.

    The data set is read once, and the training rows of a split are prepared once, as long as
    jobs of the same data set and the same split follow each other.

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
        self._notes: dict[str, list[str]] = {}
        self._fold: tuple[DataSource, int] | None = None
        self._parts: tuple[TrainingRows, Dataset] | None = None

    def do(self, job: Job) -> Iterator[dict[str, Any]]:
        """The records of the cells of a job; some may have failed."""
        try:
            train, test = self._rows(job)
            chosen = _Choices(self.settings, job, train, train.data.shape[0] + test.shape[0])
        except Exception as error:  # noqa: BLE001 -- the record has it
            yield from (failure(cell, error) for cell in job.cells)
            return
        for cell in job.cells:
            try:
                yield {**_evaluated(cell, train.data, test, chosen), **self._notes}
            except Exception as error:  # noqa: BLE001 -- the record has it
                yield failure(cell, error)

    def _rows(self, job: Job) -> tuple[TrainingRows, Dataset]:
        """The rows that train and those that test."""
        if self._parts is None or self._fold != job.fold:
            self._parts = None  # free the last ones first
            data = self._read(job.source)
            split = self._splits[job.split]
            train = TrainingRows(rows_of(data, split.train), self.settings.options)
            self._parts = train, rows_of(data, split.test)
            self._fold = job.fold
        return self._parts

    def _read(self, source: DataSource) -> Dataset:
        if self._data is None or self._source != source:
            self._data = None  # free the last one first
            data, n_train = source.read()
            protocol = self.settings.protocol
            if isinstance(protocol, Given):
                protocol = Given(n_train)
            seed = seed_for(self.settings.seed, "splits", source.digest)
            self._splits = list(protocol.splits(data, seed))
            gone = excluded(data, source.exclude, source.name)
            data = without(data, gone)
            named = [data.columns[j].name for j in identifier_columns(data)]
            if not self.settings.keep_identifiers and len(named) < data.shape[1]:
                data = without(data, named)
            self._notes = {"identifiers": named, "excluded": gone}
            self._data, self._source = data, source
        return self._data


class _Choices:
    """The features that one ranker chooses on the training rows; smaller n are prefixes."""

    def __init__(self, settings: Settings, job: Job, train: TrainingRows, n_rows: int) -> None:
        self._ranker = ranker(job.ranker)
        self._seed = seed_for(settings.seed, "ranker", job.source.digest, job.split)
        self._train = train
        self._ranked: dict[int, tuple[Ranked, Cost]] = {}
        self._sizes = {size: size.of(n_rows, train.data.shape[1]) for size in job.sizes}

    def of(self, cell: Cell) -> tuple[Ranked, Cost]:
        """What was chosen for a cell, and what that cost once the rows were prepared."""
        n = self._sizes[cell.size]
        most = max(self._sizes.values()) if self._ranker.nested else n
        if most not in self._ranked:
            if self._ranker.counts:
                _ = self._train.prepared  # outside of the clock
            with measured() as cost:
                found = self._ranker.rank(self._train, most, self._seed)
            self._ranked[most] = found, cost
        found, cost = self._ranked[most]
        return found.first(n), cost

    @property
    def preparing(self) -> Cost:
        """What preparing the rows cost, for a ranker that uses them so."""
        return self._train.preparing if self._ranker.counts else Cost()


def _evaluated(cell: Cell, train: Dataset, test: Dataset, choices: _Choices) -> dict[str, Any]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        chosen, selecting = choices.of(cell)
        seed = seed_for(cell.settings.seed, "model", cell.source.digest, cell.split)
        table = TrainingTable.learn(chosen.cut(train))
        model = classifier(cell.model, seed, chosen.for_model(table))
        X, _ = table.matrix(chosen.cut(train))
        with measured() as fitting:
            model.fit(X, dense(train.Y), train.weights)
        truth = dense(test.Y)
        X, _ = table.matrix(chosen.cut(test), unseen="missing")
        with measured() as predicting:
            *answers, shares = model.answers(X, truth)
    shown = [f"{one.category.__name__}: {printable(one.message, 160)}" for one in caught]
    costs = {"prepare": choices.preparing, "select": selecting, "fit": fitting}
    costs["predict"] = predicting
    found = evaluate(truth, *answers, probabilities=shares)
    return {
        "key": cell.key,
        "cell": cell.to_dict(),
        "status": "ok",
        "note": chosen.note,
        "warnings": dict(Counter(shown)),
        "metrics": {name: finite(v) for name, v in found.items()},
        "features": chosen.mean_size,
        "selected": list(chosen.union),
        "names": [train.columns[j].name for j in chosen.union[:NAMED]],
        "columns": train.shape[1],
        **{f"{step}_seconds": cost.seconds for step, cost in costs.items()},
        "peak_mb": max(cost.peak_mb for cost in costs.values()),
    }


def failure(cell: Cell, error: BaseException | str) -> dict[str, Any]:
    """The record of a cell that failed, with the reason."""
    if isinstance(error, str):
        note, trace = error, ""
    else:
        kind = "" if isinstance(error, MlfsError) else f"{type(error).__name__}: "
        note = kind + printable(str(error) or "no reason given", 400)
        trace = "".join(traceback.format_exception(error))
    return {
        "key": cell.key,
        "cell": cell.to_dict(),
        "status": "failed",
        "note": note,
        "traceback": trace[-4000:],
    }
