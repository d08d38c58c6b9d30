"""Load a finished report: its folder as `Results`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlfs.compare.cell_folder import content_of
from mlfs.compare.classifiers import selects
from mlfs.compare.data_sources import DataSource
from mlfs.compare.named import named
from mlfs.compare.resampling import Folds, Given, Holdout, Splitting, StoredFolds
from mlfs.compare.results import SECONDS, Results, finite
from mlfs.compare.settings import Settings, size
from mlfs.errors import DataError, MlfsError, printable
from mlfs.metrics import METRICS, evaluate

CELL = ("data", "criterion", "model", "n")
KINDS = {"Folds": Folds, "Holdout": Holdout, "Given": Given}


def load(folder: str | os.PathLike[str]) -> Results:
    """The results of a report that `mlfs compare` wrote.

    Metrics that a newer version of mlfs has are computed from the predictions that were kept.

    Parameters
    ----------
    folder : path
        The folder of the report.

    Returns
    -------
    Results
        With the same table, statistics and predictions as those of the run.
    """
    path = Path(folder) / "results.json"
    shown = printable(path, 400)
    content = content_of(path, "; name the folder of a finished report")
    try:
        document = json.loads(content)
    except ValueError:
        raise DataError(f"{shown} is damaged: write the report again") from None
    try:
        results = Results(
            settings_of(document["settings"]),
            tuple(map(_checked_record, document["records"])),
            tuple(document["metrics"]),
            bool(document.get("interrupted")),
            tuple(document.get("notes", ())),
            Path(folder),
            tuple(document.get("own", ())),
        )
        _ = results.settings.cells()  # a damaged protocol has none
        return replace(results, records=tuple(_with_new_metrics(results)))
    except MlfsError:
        raise
    except (TypeError, AttributeError, ValueError):
        raise DataError(f"{shown} is damaged: run the comparison again") from None
    except KeyError as error:
        msg = f"{shown} is no report of this version of mlfs ({printable(error, 80)} is not there)"
        raise DataError(f"{msg}: run the comparison again") from None


def _checked_record(record: Any) -> dict[str, Any]:
    """A record of a cell; TypeError or KeyError if it is none."""
    cell, numbers = record["cell"], list(record.get("metrics", {}).values())
    texts = [record["key"], record["status"], *(cell[name] for name in CELL)]
    if record["status"] == "ok":
        numbers += [record["features"], record["peak_mb"], *map(record.get, SECONDS)]
    if not all(isinstance(text, str) for text in texts) or not all(
        number is None or isinstance(number, (int, float)) for number in numbers
    ):
        raise TypeError
    checked: dict[str, Any] = record
    return checked


def _with_new_metrics(results: Results) -> list[dict[str, Any]]:
    """The records, with metrics that they have not and that their predictions allow."""
    records = []
    for record in results.records:
        lacking = record["status"] == "ok" and METRICS.keys() - record["metrics"].keys()
        arrays = results.details(record) if lacking else {}
        if "truth" in arrays:
            predictions = {name: arrays.get(name) for name in ("predicted", "scores", "joint")}
            predictions |= {name: arrays.get(name) for name in ("probabilities", "propensities")}
            values = evaluate(arrays["truth"], **predictions)
            new_metrics = {name: finite(value) for name, value in values.items() if name in lacking}
            record = {**record, "metrics": {**record["metrics"], **new_metrics}}
        records.append(record)
    return records


def settings_of(plain: Mapping[str, Any]) -> Settings:
    """The settings that were written as plain data; what an older version lacks is a default."""
    models = tuple(named(model) for model in plain["models"])
    return Settings(
        tuple(
            DataSource(
                source["name"],
                labels=source["labels"],
                digest=source["digest"],
                exclude=tuple(source.get("exclude", ())),
            )
            for source in plain["data"]
        ),
        tuple(named(criterion) for criterion in plain["criteria"]),
        models,
        tuple(size(number) for number in plain["n"]),
        _protocol(plain["splits"]),
        plain["seed"],
        dict(plain["options"]),
        tuple(named(model) for model in plain["selecting_models"])
        if "selecting_models" in plain
        else tuple(model for model in models if selects(model.alternatives()[0])),
        bool(plain.get("keep_identifiers")),
        plain.get("budget"),
        tune_by=plain.get("tune_by", "macro_f1"),
    )


def _protocol(plain: Mapping[str, Any]) -> Splitting:
    parameters = {name: value for name, value in plain.items() if name != "kind"}
    if plain["kind"] == "StoredFolds":
        return StoredFolds({}, parameters["digests"], parameters["used"], k=parameters["k"])
    protocol: Splitting = KINDS[plain["kind"]](**parameters)
    return protocol
