"""Run criteria of one's own on the data and folds of a reference, and rank them among all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlfs.compare.cell_folder import refuse_loss
from mlfs.compare.classifiers import known_models
from mlfs.compare.data_sources import DataSource, content_digest, read_file, sources
from mlfs.compare.named import Named, named
from mlfs.compare.reference import Recipe, Reference, read_reference, round_metrics
from mlfs.compare.results import Results
from mlfs.compare.running import OPTIONS, Progress, run
from mlfs.compare.settings import Settings
from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, UsageError, printable, setting

__all__ = ["run_against"]


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
