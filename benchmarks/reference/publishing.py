"""Write the published files: results, what they are about, the lock file and the page."""

from __future__ import annotations

import csv
import hashlib
import importlib.metadata
import io
import json
import lzma
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.reference.config import FOLDS, HERE, Entry, entries, protocol
from benchmarks.reference.page import choosing, diagrams, page
from benchmarks.selectors import name_of, path_of
from mlfs.compare.cell_folder import CellFolder
from mlfs.compare.data_sources import content_digest, sources
from mlfs.compare.named import named
from mlfs.compare.reference import (
    ABOUT,
    CELL,
    OTHER,
    SCHEMA,
    TABLE,
    Recipe,
    field_text,
    versions_now,
)
from mlfs.compare.resampling import stored_folds
from mlfs.compare.results import Results
from mlfs.compare.settings import Settings, size
from mlfs.metrics import METRICS

__all__ = ["gathered", "publish"]

LOCKED = (
    *("numpy", "scipy", "scikit-learn", "numba", "llvmlite", "joblib", "threadpoolctl"),
    *("click", "iterative-stratification"),
)
PICTURES = HERE.parents[1] / "docs" / "assets" / "reference"


def publish(cells: Path) -> None:
    """Publish the data sets and models of which every cell is there."""
    results, recipes, lacking = gathered(cells)
    write_reference(HERE, results.settings, recipes, results.records, protocol()["metrics"])
    lock = [f"{name}=={importlib.metadata.version(name)}" for name in LOCKED]
    head = f"# Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    (HERE / "requirements.lock").write_text("\n".join([head, *lock]) + "\n", encoding="utf-8")
    (HERE / "results.md").write_text(page(results, lacking), encoding="utf-8")
    (HERE / "choosing.md").write_text(choosing(results), encoding="utf-8")
    for old in PICTURES.glob("*.svg"):
        old.unlink()
    PICTURES.mkdir(exist_ok=True)
    for name, picture in diagrams(results):
        (PICTURES / name).write_text(picture, encoding="utf-8")
    print(f"{len(results.records)} cells; not there: {', '.join(lacking) or 'nothing'}")


def gathered(cells: Path) -> tuple[Results, list[Recipe], list[str]]:
    """The results that are complete, their data sets, and what is not complete."""
    whole = _settings(entries())
    recipes, records, lacking, taken = [], [], [], []
    with CellFolder(cells) as kept:
        for entry in entries():
            (source,) = [one for one in whole.sources if one.name == entry.name]
            settings = _of_entry(whole, entry, source)
            found: dict[str, list[dict[str, Any]]] = {}
            for cell in settings.cells():
                record = kept.get(cell.key)
                done = record and (record["status"] == "ok" or "budget" in record)
                if record is not None and done:
                    criterion = name_of(str(cell.ranker))
                    record = {**record, "cell": {**cell.to_dict(), "criterion": criterion}}
                    found.setdefault(str(cell.model), []).append(record)
            share = len(settings.cells()) // len(entry.models)
            models = [model for model in entry.models if len(found.get(model, ())) == share]
            lacking += [f"{entry.name} with {one}" for one in entry.models if one not in models]
            records += [record for model in models for record in found[model]]
            if models:
                taken.append(source)
                recipes.append(_recipe(entry, source.digest, tuple(models)))
    used = dict.fromkeys(record["cell"]["criterion"] for record in records)
    settings = replace(
        whole,
        sources=tuple(taken),
        rankers=tuple(
            named(name_of(str(one))) for one in whole.rankers if name_of(str(one)) in used
        ),
    )
    metrics = tuple(protocol()["metrics"])
    return Results(settings, tuple(records), metrics), recipes, lacking


def _settings(chosen: Iterable[Entry]) -> Settings:
    data = {entry.name: entry.load()[0] for entry in chosen}
    rankers = [*protocol()["criteria"], *map(path_of, protocol()["baselines"])]
    models = list(dict.fromkeys(model for entry in entries() for model in entry.models))
    return Settings(
        tuple(sources(data)),
        tuple(map(named, rankers)),
        tuple(map(named, models)),
        tuple(map(size, protocol()["n"])),
        stored_folds(FOLDS, {one.name: one.used for one in entries()}),
        protocol()["seed"],
        budget=protocol()["budget"],
    )


def _of_entry(whole: Settings, entry: Entry, source: Any) -> Settings:
    return replace(
        whole,
        sources=(source,),
        rankers=tuple(map(named, entry.criteria)),
        models=tuple(map(named, entry.models)),
    )


def _recipe(entry: Entry, digest: str, models: tuple[str, ...]) -> Recipe:
    parts = tuple(content_digest(one) for one in entry.raw())
    return Recipe(entry.name, parts, entry.load()[1], digest, models)


def write_reference(
    folder: Path,
    settings: Settings,
    recipes: Iterable[Recipe],
    records: Iterable[Mapping[str, Any]],
    metrics: Sequence[str],
) -> None:
    """Write the table and what it is about; the folds are there already.

    Parameters
    ----------
    folder : path
        The folder of the reference.
    settings : Settings
        Of all data sets together, with stored folds.
    recipes : iterable of Recipe
        The data sets.
    records : iterable of mapping
        The cells.
    metrics : sequence of str
        The primary metrics.
    """
    text = io.StringIO()
    columns = [*CELL, *METRICS, *OTHER]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for record in records:
        row = {**record["cell"], **record, **record.get("metrics", {})}
        writer.writerow([field_text(row.get(column)) for column in columns])
    content = lzma.compress(text.getvalue().encode(), preset=9)
    (folder / TABLE).write_bytes(content)
    document = {
        "schema": SCHEMA,
        "versions": versions_now(),
        "settings": settings.to_dict(),
        "metrics": list(metrics),
        "data": [vars(recipe) for recipe in recipes],
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    (folder / ABOUT).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
