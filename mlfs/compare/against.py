"""Run criteria of one's own on the data and folds of a reference, and rank them among all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlfs.compare.cell_folder import refuse_loss
from mlfs.compare.data_sources import DataSource, content_digest, read_file, sources
from mlfs.compare.named import Named, named
from mlfs.compare.reference import Recipe, Reference, read_reference, rounded
from mlfs.compare.results import Results
from mlfs.compare.running import Progress, run
from mlfs.compare.settings import Settings
from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, UsageError, printable

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
        Some of the models of the reference; all by default.
    metrics : sequence of str, optional
        The metrics of the report; by default the primary ones of the reference.
    jobs, cluster, folder, force, predictions, on_cell
        As in `mlfs.compare.run`.
    """
    known = read_reference(Path(reference))
    known.refuse_other_versions()
    own = tuple(named(one) for one in criteria)
    there = {str(one) for one in known.settings.rankers}
    for one in own:
        if str(one) in there:
            msg = f"the criterion {printable(str(one))!r} is in the reference already: name yours"
            raise UsageError(msg)
    chosen = _chosen(known.settings.models, models)
    parts, matched = [], _matched(data, known.recipes)
    if folder is not None and not force:
        found = {recipe.name: dataset for recipe, dataset in matched}
        refuse_loss(folder, _settings(known, sources(found), chosen, own))
    for recipe, dataset in matched:
        taken = [str(one) for one in chosen if str(one) in recipe.models]
        if taken:
            parts.append(
                run(
                    {recipe.name: dataset}, own, taken, known.settings.sizes,
                    split=known.folds, metrics=metrics or known.metrics, seed=known.settings.seed,
                    jobs=jobs, cluster=cluster, folder=folder, force=True, predictions=predictions,
                    on_cell=on_cell, budget=known.settings.budget, **known.settings.options,
                )
            )  # fmt: skip
            if parts[-1].interrupted:
                break
    if not parts:
        raise UsageError("none of these models was run on these data sets in the reference")
    return _together(known, parts, chosen, own)


def _chosen(known: Sequence[Named], asked: Sequence[str]) -> tuple[Named, ...]:
    lacking = set(asked) - {str(one) for one in known}
    if lacking:
        shown = ", ".join(map(str, known))
        msg = f"the reference has no model {printable(min(lacking))!r}; it has {shown}"
        raise UsageError(msg)
    return tuple(one for one in known if not asked or str(one) in asked)


def _settings(
    known: Reference, data: Iterable[DataSource], models: tuple[Named, ...], own: tuple[Named, ...]
) -> Settings:
    """The settings of the reference on some of its data, with one's own criteria."""
    return replace(
        known.settings,
        sources=tuple(data),
        rankers=(*known.settings.rankers, *own),
        models=models,
        protocol=known.folds,
    )


def _together(
    known: Reference, parts: Sequence[Results], models: tuple[Named, ...], own: tuple[Named, ...]
) -> Results:
    """The results of the reference on these data sets, and one's own."""
    names = {one.settings.sources[0].name for one in parts}
    found = [source for one in parts for source in one.settings.sources]
    settings = _settings(known, found, models, own)
    kept = {str(one) for one in models}
    others = [
        record
        for record in known.records
        if record["cell"]["data"] in names and record["cell"]["model"] in kept
    ]
    records = (*others, *(rounded(record) for one in parts for record in one.records))
    about = f"{', '.join(map(str, own))}: run here, on {len(names)} of the {len(known.recipes)} "
    about += "data sets of the reference; all other numbers are those of the reference"
    notes = (about,)
    return Results(
        settings, records, parts[0].metrics, any(one.interrupted for one in parts), notes,
        parts[0].folder, tuple(map(str, own)),
    )  # fmt: skip


def _matched(data: Sequence[Any], recipes: Sequence[Recipe]) -> list[tuple[Recipe, Dataset]]:
    """The data sets of the reference that are made of these files."""
    given = {}
    for one in data:
        part = one if isinstance(one, Dataset) else read_file(str(one), None)
        given[content_digest(part)] = part, str(part.source.path)
    found, used = [], set()
    for recipe in recipes:
        there = [digest for digest in recipe.parts if digest in given]
        used |= set(there)
        if there and len(there) < len(recipe.parts):
            shown = printable(given[there[0]][1], 400)
            msg = f"{shown} is one of the {len(recipe.parts)} files of {printable(recipe.name)!r}: "
            raise DataError(f"{msg}name the others, too")
        if there:
            found.append((recipe, recipe.made_of([given[one][0] for one in recipe.parts])))
    for digest, (_, path) in given.items():
        if digest not in used:
            msg = f"{printable(path, 400)} is no data set of the reference: its content differs"
            raise DataError(f"{msg} from all of {', '.join(one.name for one in recipes)}")
    return found
