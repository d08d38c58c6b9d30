"""The published results of a benchmark: written, read and checked.

A reference is a folder with ``results.csv.xz`` (a row for each cell, a column for each metric),
``reference.json`` (settings, versions, and what identifies the data) and ``folds/``.
"""

from __future__ import annotations

import csv
import hashlib
import importlib.metadata
import io
import json
import lzma
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlfs
from mlfs.compare.cell_folder import content_of
from mlfs.compare.data_sources import content_digest, drop_columns
from mlfs.compare.loading import settings_of
from mlfs.compare.metrics import METRICS
from mlfs.compare.results import SECONDS, plain_cell, text_of_cell
from mlfs.compare.settings import Settings
from mlfs.compare.stored_folds import StoredFolds, stored_folds
from mlfs.data.dataset import Dataset, join_datasets
from mlfs.errors import DataError, printable

__all__ = [
    "Recipe",
    "Reference",
    "read_reference",
    "round_metrics",
    "versions_now",
    "write_reference",
]

TABLE, ABOUT, FOLDS, LOCK = "results.csv.xz", "reference.json", "folds", "requirements.lock"
REMEDY = f"; a reference is a folder with {TABLE}, {ABOUT} and {FOLDS}/"
SCHEMA = 1
COUNTED = ("numpy", "scipy", "scikit-learn", "numba")  # their versions may change numbers
CELL = ("data", "criterion", "model", "n", "split")
OTHER = ("features", "status", "note", *SECONDS, "peak_mb")
DIGITS = 7


@dataclass(frozen=True)
class Recipe:
    """A data set of a reference.

    Parameters
    ----------
    name : str
        Its name.
    parts : tuple of str
        The digest of the content of each of its files; the rows follow each other.
    exclude : tuple of str
        The columns that are left out.
    digest : str
        The digest of what takes part.
    models : tuple of str
        The models that were run on it.
    """

    name: str
    parts: tuple[str, ...]
    exclude: tuple[str, ...]
    digest: str
    models: tuple[str, ...]

    def assemble(self, parts: Sequence[Dataset]) -> Dataset:
        """Join the files, drop the excluded columns, and check the digest."""
        data = parts[0]
        for part in parts[1:]:
            data = join_datasets(data, part)
        data = drop_columns(data, self.exclude)
        if content_digest(data) != self.digest:
            msg = f"the data set {printable(self.name)!r} is not the one of the reference"
            raise DataError(msg)
        return data


@dataclass(frozen=True)
class Reference:
    """Published results, with what is needed to add to them.

    Parameters
    ----------
    settings : Settings
        What was compared.
    recipes : tuple of Recipe
        The data sets.
    records : tuple of dict
        The cells, without selections.
    folds : StoredFolds
        The splits.
    metrics : tuple of str
        The primary metrics.
    versions : mapping
        The versions of the packages.
    """

    settings: Settings
    recipes: tuple[Recipe, ...]
    records: tuple[dict[str, Any], ...]
    folds: StoredFolds
    metrics: tuple[str, ...]
    versions: Mapping[str, str]

    def refuse_other_versions(self) -> None:
        """Refuse to compare numbers of other versions with these."""
        now = versions_now()
        for name, version in self.versions.items():
            if now.get(name) != version:
                installed = now.get(name, "not installed")
                msg = f"the reference was made with {name} {version}, and here it is {installed}: "
                raise DataError(f"{msg}install the versions of {LOCK}, which lies beside it")


def versions_now() -> dict[str, str]:
    """The versions of the packages whose numbers enter the results."""
    versions = {name: importlib.metadata.version(name) for name in COUNTED}
    return {"mlfs": mlfs.__version__, **versions}


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
        writer.writerow([_field(row.get(column)) for column in columns])
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


def _field(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else plain_cell(str(value))


def round_metrics(record: Mapping[str, Any]) -> dict[str, Any]:
    """A cell with its metrics to the digits of the table, so that equal results are equal."""
    metrics = {
        name: float(_field(float(value))) for name, value in record.get("metrics", {}).items()
    }
    return {**record, "metrics": metrics}


def read_reference(path: str | Path) -> Reference:
    """Read a reference, and check that its files belong together.

    Parameters
    ----------
    path : path
        The folder, or the file ``results.csv.xz`` in it.
    """
    folder = Path(path) if Path(path).is_dir() else Path(path).parent
    document = _document(folder / ABOUT)
    content = content_of(folder / TABLE, REMEDY)
    if hashlib.sha256(content).hexdigest() != document["sha256"]:
        shown = printable(folder / TABLE, 400)
        raise DataError(f"{shown} differs from the digest in {ABOUT}: take the one it belongs to")
    settings = settings_of(document["settings"])
    counts = document["settings"]["splits"]["used"]
    folds = stored_folds(folder / FOLDS, counts)
    for name, digest in document["settings"]["splits"]["digests"].items():
        if folds.digests.get(name) != digest:
            shown = printable(folder / FOLDS, 400)
            raise DataError(f"{shown}: the folds of {printable(name)!r} are not the reference's")
    recipes = tuple(
        Recipe(
            recipe["name"],
            tuple(recipe["parts"]),
            tuple(recipe["exclude"]),
            recipe["digest"],
            tuple(recipe["models"]),
        )
        for recipe in document["data"]
    )
    rows = csv.DictReader(io.StringIO(lzma.decompress(content).decode()))
    records = tuple(_record(row) for row in rows)
    metrics = tuple(document["metrics"])
    return Reference(settings, recipes, records, folds, metrics, document["versions"])


def _document(path: Path) -> dict[str, Any]:
    content = content_of(path, REMEDY)
    try:
        document: dict[str, Any] = json.loads(content)
        if document["schema"] == SCHEMA:
            return document
    except (ValueError, KeyError, TypeError):
        pass
    raise DataError(f"{printable(path, 400)} is no reference of this version of mlfs")


def _record(row: Mapping[str, str]) -> dict[str, Any]:
    """The record of a cell from a row of the table; it has no selection."""
    numbers = {name: float(row[name]) for name in ("features", *SECONDS, "peak_mb") if row[name]}
    cell: dict[str, Any] = {name: text_of_cell(row[name]) for name in CELL}
    return {
        "key": "",
        "cell": {**cell, "split": int(cell["split"])},
        "status": row["status"],
        "note": text_of_cell(row["note"]),
        "metrics": {name: float(row[name]) for name in METRICS if row.get(name)},
        **numbers,
    }
