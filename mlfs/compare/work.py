"""Do one job of a comparison: choose features on the rows that train, then fit and judge."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.compare.classifiers import classifier
from mlfs.compare.data_sources import DataSource, excluded, rows_of, without
from mlfs.compare.measure import Cost, measured
from mlfs.compare.metrics import evaluate
from mlfs.compare.rankers import Ranked, ranker
from mlfs.compare.resampling import Given, Split
from mlfs.compare.settings import Cell, Job, Settings, seed_for
from mlfs.data.dataset import Dataset, identifier_columns
from mlfs.errors import MlfsError, printable
from mlfs.models.table import TrainingTable

__all__ = ["JobRunner", "failure"]

NAMED = 200  # features whose names are kept, for the report


class JobRunner:
    """Where jobs are done; it keeps the data set that it read last.

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
        self._identifiers: list[str] = []
        self._excluded: list[str] = []

    def do(self, job: Job, finished: set[str]) -> Iterator[dict[str, Any]]:
        """Do the cells of a job that are not finished; what fails is told in its record."""
        cells = [cell for cell in job.cells if cell.key not in finished]
        try:
            train, test = self._parts(job)
            chosen = _Choices(self.settings, job, train, train.shape[0] + test.shape[0])
        except Exception as error:  # noqa: BLE001 -- told in the record
            yield from (failure(cell, error) for cell in cells)
            return
        for cell in cells:
            try:
                found = _judged(cell, train, test, chosen)
                yield {**found, "identifiers": self._identifiers, "excluded": self._excluded}
            except Exception as error:  # noqa: BLE001 -- told in the record
                yield failure(cell, error)

    def _parts(self, job: Job) -> tuple[Dataset, Dataset]:
        if self._source != job.source or self._data is None:
            self._data = None  # let go of the last one first
            self._data, n_train = job.source.read()
            self._excluded = excluded(self._data, job.source.exclude, job.source.name)
            self._data = without(self._data, self._excluded)
            protocol = self.settings.protocol
            if isinstance(protocol, Given):
                protocol = Given(n_train)
            seed = seed_for(self.settings.seed, "splits", job.source.digest)
            self._splits = list(protocol.splits(self._data, seed))
            named = identifier_columns(self._data)
            self._identifiers = [self._data.columns[j].name for j in named]
            self._source = job.source
        split = self._splits[job.split]
        return rows_of(self._data, split.train), rows_of(self._data, split.test)


class _Choices:
    """The features that one ranker chooses on the training rows; smaller n are prefixes."""

    def __init__(self, settings: Settings, job: Job, train: Dataset, n_rows: int) -> None:
        self._ranker = ranker(job.ranker, settings.options)
        self._seed = seed_for(settings.seed, "ranker", job.source.digest, job.split)
        self._train = train
        self._ranked: dict[int, tuple[Ranked, Cost]] = {}
        self._sizes = {cell.size: cell.size.of(n_rows, train.shape[1]) for cell in job.cells}

    def of(self, cell: Cell) -> tuple[Ranked, Cost]:
        """What was chosen for a cell, and what that cost."""
        n = self._sizes[cell.size]
        most = max(self._sizes.values()) if self._ranker.nested else n
        if most not in self._ranked:
            with measured() as cost:
                found = self._ranker.rank(self._train, most, self._seed)
            self._ranked[most] = found, cost
        found, cost = self._ranked[most]
        return found.first(n), cost


def _judged(cell: Cell, train: Dataset, test: Dataset, choices: _Choices) -> dict[str, Any]:
    heard: dict[str, int] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        chosen, selecting = choices.of(cell)
        seed = seed_for(cell.settings.seed, "model", cell.source.digest, cell.split)
        table = TrainingTable.learn(chosen.cut(train))
        model = classifier(cell.model, seed, chosen.for_model(table))
        X, _ = table.matrix(chosen.cut(train))
        with measured() as fitting:
            model.fit(X, _dense(train.Y), train.weights)
        truth = _dense(test.Y)
        X, _ = table.matrix(chosen.cut(test), unseen="missing")
        with measured() as predicting:
            answers = model.answers(X, truth)
    for one in caught:
        told = f"{one.category.__name__}: {printable(one.message, 160)}"
        heard[told] = heard.get(told, 0) + 1
    values = evaluate(truth, *answers)
    return {
        "key": cell.key,
        "cell": cell.to_dict(),
        "status": "ok",
        "note": chosen.note,
        "warnings": heard,
        "metrics": {name: _finite(value) for name, value in values.items()},
        "features": chosen.mean_size,
        "selected": list(chosen.union),
        "names": [train.columns[j].name for j in chosen.union[:NAMED]],
        "columns": train.shape[1],
        "select_seconds": selecting.seconds,
        "fit_seconds": fitting.seconds,
        "predict_seconds": predicting.seconds,
        "peak_mb": max(selecting.peak_mb, fitting.peak_mb, predicting.peak_mb),
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


def _dense(labels: Any) -> np.ndarray:
    return np.asarray(labels.toarray() if sp.issparse(labels) else labels)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
