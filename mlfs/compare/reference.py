"""A finished report, or the published results of a benchmark: read and checked.

A report is the folder that `mlfs compare` wrote. A reference is a folder with ``results.csv.xz`` (a
row for each cell, a column for each metric), ``reference.json`` (settings, versions, and what
identifies the data) and ``folds/``; criteria of one's own are run on its data and folds, and ranked
among all.
"""

from __future__ import annotations

import csv
import hashlib
import importlib.metadata
import io
import json
import lzma
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mlfs
from mlfs.compare.cell_folder import SECONDS, checked_record, content_of, refuse_loss
from mlfs.compare.classifiers import known_models, selects
from mlfs.compare.data_sources import DataSource, content_digest, drop_columns, read_file, sources
from mlfs.compare.named import Named, named
from mlfs.compare.resampling import Folds, GivenSplit, Holdout, Splitting, StoredFolds, stored_folds
from mlfs.compare.results import Results, finite, plain_cell, text_of_cell
from mlfs.compare.running import OPTIONS, Progress, run
from mlfs.compare.settings import Settings, size
from mlfs.data.dataset import Dataset, join_datasets
from mlfs.errors import DataError, MlfsError, UsageError, printable, setting
from mlfs.metrics import METRICS, evaluate

KINDS = {"Folds": Folds, "Holdout": Holdout, "Given": GivenSplit}


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
            tuple(map(checked_record, document["records"])),
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
        else tuple(model for model in models if selects(model)),
        bool(plain.get("keep_identifiers")),
        plain.get("budget"),
    )


def _protocol(plain: Mapping[str, Any]) -> Splitting:
    parameters = {name: value for name, value in plain.items() if name != "kind"}
    if plain["kind"] == "StoredFolds":
        return StoredFolds({}, parameters["digests"], parameters["used"], k=parameters["k"])
    protocol: Splitting = KINDS[plain["kind"]](**parameters)
    return protocol


TABLE, ABOUT, FOLDS, LOCK = "results.csv.xz", "reference.json", "folds", "requirements.lock"
REMEDY = f"; a reference is a folder with {TABLE}, {ABOUT} and {FOLDS}/"
SCHEMA = 1
COUNTED = ("numpy", "scipy", "scikit-learn", "numba")  # their versions may change numbers
CELL = ("data", "criterion", "model", "n", "split")
OTHER = ("features", "status", "note", *SECONDS, "peak_mb")
DIGITS = 7
MOST_BYTES = 1 << 28  # of the table
WRONG = (TypeError, AttributeError, ValueError, KeyError, IndexError)


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


def field_text(value: Any) -> str:
    """A field of the table."""
    if value is None:
        return ""
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else plain_cell(str(value))


def round_metrics(record: Mapping[str, Any]) -> dict[str, Any]:
    """A cell with its metrics to the digits of the table, so that equal results are equal."""
    metrics = {
        name: float(field_text(float(value))) for name, value in record.get("metrics", {}).items()
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
    try:
        return _reference(document, content, folder)
    except MlfsError:
        raise
    except (*WRONG, csv.Error, lzma.LZMAError) as error:
        msg = f"{printable(folder, 400)} is a damaged reference ({printable(repr(error), 100)})"
        raise DataError(f"{msg}: take it again from where it came from") from None


def _reference(document: Mapping[str, Any], content: bytes, folder: Path) -> Reference:
    settings = settings_of(document["settings"])
    counts = document["settings"]["splits"]["used"]
    folds = stored_folds(folder / FOLDS, counts)
    for name, digest in document["settings"]["splits"]["digests"].items():
        if folds.digests.get(name) != digest:
            shown = printable(folder / FOLDS, 400)
            raise DataError(f"{shown}: the folds of {printable(name)!r} are not the reference's")
    recipes = tuple(
        Recipe(
            _texts([recipe["name"]])[0],
            _texts(recipe["parts"]),
            _texts(recipe["exclude"]),
            _texts([recipe["digest"]])[0],
            _texts(recipe["models"]),
        )
        for recipe in document["data"]
    )
    with lzma.open(io.BytesIO(content)) as stream:
        table = stream.read(MOST_BYTES + 1)
    if len(table) > MOST_BYTES:
        shown = printable(folder / TABLE, 400)
        raise DataError(f"{shown} unpacks to more than {MOST_BYTES:,} bytes: it is no reference")
    rows = csv.DictReader(io.StringIO(table.decode()))
    records = tuple(checked_record(_record(row)) for row in rows)
    metrics = _texts(document["metrics"])
    return Reference(settings, recipes, records, folds, metrics, dict(document["versions"]))


def _texts(values: Any) -> tuple[str, ...]:
    """Texts in a list; TypeError if they are something else."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError("texts are wanted")
    return tuple(values)


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


def run_against(
    reference: str | os.PathLike[str],
    data: Sequence[Any],
    criteria: Sequence[Any],
    models: Sequence[str] = (),
    *,
    metrics: Sequence[str] | None = None,
    jobs: int = 1,
    cluster: Any = None,
    folder: str | os.PathLike[str] | None = None,
    force: bool = False,
    predictions: bool = True,
    on_cell: Progress | None = None,
) -> Results:
    """The results of a reference together with those of one's own criteria.

    Numbers of features, folds, seed and budget are those of the reference; other data, folds or
    versions of packages are refused.

    Parameters
    ----------
    reference : path
        Its folder, or the file of results in it.
    data : sequence of paths or Dataset
        Files of the data sets of the reference, or some of them; only these are ranked.
    criteria : sequence
        One's own, as `mlfs.compare.run` takes them.
    models : sequence of str
        Some of the models of the reference; by default all of them, which must then be models
        that mlfs knows. One by import path is run only when it is named here.
    metrics : sequence of str, optional
        The metrics of the report; by default the primary ones of the reference.
    jobs, cluster, folder, force, predictions, on_cell
        As in `mlfs.compare.run`.
    """
    published = read_reference(Path(reference))
    published.refuse_other_versions()
    rankers = tuple(named(criterion) for criterion in criteria)
    reference_names = {str(ranker) for ranker in published.settings.rankers}
    for ranker in rankers:
        if str(ranker) in reference_names:
            msg = (
                f"the criterion {printable(str(ranker))!r} is in the reference already: name yours"
            )
            raise UsageError(msg)
    learners = _reference_models(published.settings.models, models)
    foreign = published.settings.options.keys() - set(OPTIONS)
    if foreign:
        msg = f"the reference has an option {printable(min(foreign))!r}, which no comparison takes"
        raise DataError(msg)
    parts, matched = [], _match_files(data, published.recipes)
    if folder is not None and not force:
        datasets = {recipe.name: dataset for recipe, dataset in matched}
        refuse_loss(folder, _settings(published, sources(datasets), learners, rankers))
    for recipe, dataset in matched:
        chosen = [learner for learner in learners if str(learner) in recipe.models]
        if chosen:
            parts.append(
                run(
                    {recipe.name: dataset},
                    rankers,
                    chosen,
                    published.settings.sizes,
                    split=published.folds,
                    metrics=metrics or published.metrics,
                    seed=published.settings.seed,
                    jobs=jobs,
                    cluster=cluster,
                    folder=folder,
                    force=True,
                    predictions=predictions,
                    on_cell=on_cell,
                    budget=published.settings.budget,
                    **published.settings.options,
                )
            )
            if parts[-1].interrupted:
                break
    if not parts:
        raise UsageError("none of these models was run on these data sets in the reference")
    return _merge_results(published, parts, learners, rankers)


def _reference_models(models: Sequence[Named], names: Sequence[str]) -> tuple[Named, ...]:
    """The models to run: names from the file are those of mlfs, or the user wrote them, too.

    What is imported is the text of the user, never that of the file.
    """
    requested = {str(spec): spec for spec in map(named, names)}
    lacking = requested.keys() - {str(model) for model in models}
    if lacking:
        shown = printable(", ".join(map(str, models)), 400)
        msg = f"the reference has no model {printable(min(lacking))!r}; it has {shown}"
        raise UsageError(msg)
    if requested:
        return tuple(requested[str(model)] for model in models if str(model) in requested)
    known = known_models()
    for model in models:
        if model.name not in known:
            shown = printable(str(model), 200)
            msg = f"the reference names the model {shown!r}, which is none of mlfs: "
            raise DataError(
                f"{msg}it is imported only when {setting('models', str(model))} says so"
            )
    return tuple(models)


def _settings(
    reference: Reference,
    data: Iterable[DataSource],
    models: tuple[Named, ...],
    rankers: tuple[Named, ...],
) -> Settings:
    """The settings of the reference on some of its data, with one's own criteria."""
    return replace(
        reference.settings,
        sources=tuple(data),
        rankers=(*reference.settings.rankers, *rankers),
        models=models,
        protocol=reference.folds,
    )


def _merge_results(
    reference: Reference,
    parts: Sequence[Results],
    models: tuple[Named, ...],
    rankers: tuple[Named, ...],
) -> Results:
    """The results of the reference on these data sets, and one's own."""
    names = {part.settings.sources[0].name for part in parts}
    data_sources = [source for part in parts for source in part.settings.sources]
    settings = _settings(reference, data_sources, models, rankers)
    model_names = {str(model) for model in models}
    others = [
        record
        for record in reference.records
        if record["cell"]["data"] in names and record["cell"]["model"] in model_names
    ]
    records = (*others, *(round_metrics(record) for part in parts for record in part.records))
    about = f"{', '.join(map(str, rankers))}: run here, on {len(names)} of the "
    about += f"{len(reference.recipes)} data sets of the reference; "
    about += "all other numbers are those of the reference"
    return Results(
        settings,
        records,
        parts[0].metrics,
        any(part.interrupted for part in parts),
        (about,),
        parts[0].folder,
        tuple(map(str, rankers)),
    )


def _match_files(data: Sequence[Any], recipes: Sequence[Recipe]) -> list[tuple[Recipe, Dataset]]:
    """The data sets of the reference that are made of these files."""
    by_digest = {}
    for item in data:
        dataset = item if isinstance(item, Dataset) else read_file(str(item), None)
        by_digest[content_digest(dataset)] = dataset, str(dataset.source.path)
    matches, used_digests = [], set()
    for recipe in recipes:
        present = [digest for digest in recipe.parts if digest in by_digest]
        used_digests |= set(present)
        if present and len(present) < len(recipe.parts):
            shown = printable(by_digest[present[0]][1], 400)
            msg = f"{shown} is one of the {len(recipe.parts)} files of {printable(recipe.name)!r}: "
            raise DataError(f"{msg}name the others, too")
        if present:
            matches.append(
                (recipe, recipe.assemble([by_digest[digest][0] for digest in recipe.parts]))
            )
    for digest, (_, path) in by_digest.items():
        if digest not in used_digests:
            msg = f"{printable(path, 400)} is no data set of the reference: its content differs"
            raise DataError(f"{msg} from all of {', '.join(recipe.name for recipe in recipes)}")
    return matches
