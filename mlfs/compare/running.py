"""Compare: the one function behind the command; resumable, parallel, the same for a seed."""

from __future__ import annotations

import contextlib
import fnmatch
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

from mlfs.api.validate import checked_count, checked_seed
from mlfs.compare.cell_folder import CellFolder
from mlfs.compare.classifiers import check_classifier
from mlfs.compare.data_sources import sources
from mlfs.compare.metrics import METRICS
from mlfs.compare.named import named
from mlfs.compare.pool import WorkerPool
from mlfs.compare.rankers import ranker
from mlfs.compare.resampling import Folds, Given, Holdout, Protocol
from mlfs.compare.results import Results
from mlfs.compare.settings import Settings
from mlfs.compare.sizes import size
from mlfs.errors import UnknownName, UsageError, plural, printable

__all__ = ["DEFAULT_METRICS", "run", "settings_of"]

DEFAULT_METRICS = ("exact_match", "hamming_loss", "macro_f1", "micro_f1", "ranking_loss")
SHOWN = 5  # names in a note
Progress = Callable[[int, int, Mapping[str, Any] | None], object]


def run(
    data: Any,
    criteria: Any,
    models: Any = "br",
    n: Any = "sqrt",
    *,
    labels: str | None = None,
    exclude: str | Sequence[str] = (),
    folds: int | None = None,
    holdout: float | None = None,
    repeat: int = 10,
    split: str | None = None,
    metrics: Sequence[str] | None = None,
    seed: int = 0,
    jobs: int = 1,
    folder: str | os.PathLike[str] | None = None,
    on_cell: Progress | None = None,
    **options: Any,
) -> Results:
    """Compare criteria and models on data sets: selection and binning inside every fold.

    Parameters
    ----------
    data : path, Dataset, sequence of them, or mapping from names to them
        The data sets.
    criteria, models : str or sequence
        Names, with parameters as in ``"mlfs_local:beta=0.5"`` or as a pair of name and mapping.
        Models also by import path, such as ``"sklearn.tree.DecisionTreeClassifier"``.
    n : int, float, "sqrt", or a sequence of them
        How many features are kept (for each label, where the criterion chooses per label).
    labels : str, optional
        Which columns of the files are labels.
    exclude : str or sequence of str
        Columns that are left out, by name or glob, of the data sets that have them: identifiers.
    folds : int, optional
        So many folds of cross-validation, stratified by labels; 5 by default.
    holdout : float, optional
        Instead, this share of the rows trains and the rest tests, `repeat` times.
    repeat : int
        How often to hold out.
    split : "given", optional
        Instead, the authors' split: ``x-train.arff`` with ``x-test.arff`` beside it.
    metrics : sequence of str, optional
        What reports show; all metrics are kept.
    seed : int
        Seeds folds, models and random baselines; the same seed gives the same table.
    jobs : int
        Processes at a time, -1 for one on each processor; the table does not depend on it.
    folder : path, optional
        Keep finished cells here, and use those that are there.
    on_cell : callable, optional
        Called with the number of cells done, of all, and the record of the last one.
    **options
        How selections are made: ``bins``, ``n_bins``, ``missing`` and other options of
        `mlfs.select`.

    Returns
    -------
    Results
        A tidy table and what is made of it; marked when Ctrl-C cut it short.
    """
    settings = settings_of(
        data,
        criteria,
        models,
        n,
        labels=labels,
        exclude=_names(exclude),
        protocol=_protocol(folds, holdout, repeat, split),
        seed=seed,
        options=options,
    )
    shown = _metrics(metrics)
    crew_size = _processes(jobs)
    if folder is None:
        return _run(settings, shown, crew_size, None, on_cell)
    with CellFolder(folder) as store:
        return _run(settings, shown, crew_size, store, on_cell)


def settings_of(
    data: Any,
    criteria: Any,
    models: Any,
    n: Any,
    *,
    labels: str | None,
    protocol: Protocol,
    seed: int,
    options: Mapping[str, Any],
    exclude: Sequence[str] = (),
) -> Settings:
    """Check everything that can be checked before anything is computed."""
    for option in options:
        if option not in OPTIONS:
            raise UnknownName("option of a comparison", option, OPTIONS)
    rankers = tuple(named(one) for one in _several(criteria, "criteria"))
    learners = tuple(named(one) for one in _several(models, "models"))
    for one in rankers:
        ranker(one, options)
    for one in learners:
        check_classifier(one)
    for what, chosen in (("criterion", rankers), ("model", learners)):
        names = [str(one) for one in chosen]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise UsageError(f"the {what} {printable(min(twice))!r} is given twice")
    sizes = tuple(dict.fromkeys(size(one) for one in _several(n, "n")))
    found = sources(
        data, labels=labels, exclude=tuple(map(str, exclude)), given=isinstance(protocol, Given)
    )
    return Settings(
        tuple(found), rankers, learners, sizes, protocol, checked_seed(seed), dict(options)
    )


OPTIONS = ("bins", "n_bins", "nominal_limit", "missing", "network", "order", "k", "prefilter")


def _run(
    settings: Settings,
    metrics: tuple[str, ...],
    crew_size: int,
    store: CellFolder | None,
    on_cell: Progress | None,
) -> Results:
    notes = [note for note in [settings.protocol.note] if note]
    cells = settings.cells()
    done: dict[str, dict[str, Any]] = {}
    if store is not None:
        done = {cell.key: store.get(cell.key) or {} for cell in cells if store.has(cell.key)}
    jobs = [job for job in settings.jobs() if any(cell.key not in done for cell in job.cells)]
    for source in dict.fromkeys(job.source for job in jobs):
        source.check()
    if store is not None:
        notes += _resumed(settings, store)
    tell = on_cell or (lambda *_: None)
    tell(len(done), len(cells), None)
    interrupted = False
    with contextlib.ExitStack() as stack:
        crew = stack.enter_context(WorkerPool(settings, crew_size))
        try:
            for record in crew.do(jobs, set(done)):
                if store is not None:
                    store.keep(record)
                done[record["key"]] = record
                tell(len(done), len(cells), record)
        except KeyboardInterrupt:
            interrupted = True
    # a cell that is there from another name of the same data goes by the name it has now
    records = tuple(
        {**done[cell.key], "cell": cell.to_dict()} for cell in cells if cell.key in done
    )
    notes += _identifiers(records) + _not_excluded(settings, records)
    return Results(settings, records, metrics, interrupted, tuple(notes))


def _identifiers(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Which columns tell each row from all others, a note for each data set."""
    found = {record["cell"]["data"]: record.get("identifiers", ()) for record in records}
    told = []
    for data, names in found.items():
        if names:
            shown = ", ".join(repr(printable(name)) for name in names[:SHOWN])
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            told.append(
                f"{printable(data)} has another value in every row of {shown}{more}: most criteria "
                "pick such a column first, and it predicts nothing; "
                "exclude it (--exclude)"
            )
    return told


def _not_excluded(settings: Settings, records: Sequence[Mapping[str, Any]]) -> list[str]:
    """What was to be left out, and is in no data set; only known when all were read."""
    known = {record["cell"]["data"]: record for record in records if "excluded" in record}
    if len(known) < len(settings.sources):
        return []
    gone = {name for record in known.values() for name in record["excluded"]}
    return [
        f"no data set has a column {printable(one)!r} to exclude"
        for one in dict.fromkeys(settings.sources[0].exclude)
        if one not in gone and not fnmatch.filter(gone, one)
    ]


def _resumed(settings: Settings, store: CellFolder) -> list[str]:
    earlier = store.earlier_settings()
    notes = []
    if earlier is not None:
        notes = [f"settings changed since the last run: {one}" for one in settings.changed(earlier)]
    keys = {cell.key for cell in settings.cells()}
    there = sum(store.has(key) for key in keys)
    if earlier is not None and there:
        notes.append(f"{there} of {len(keys)} cells are there already")
    others = store.count() - sum(store.get(key) is not None for key in keys)
    if others:
        notes.append(
            f"{plural(others, 'cell')} of other settings: in the folder, not in this report"
        )
    store.keep_settings(settings.to_dict())
    return notes


def _protocol(folds: int | None, holdout: float | None, repeat: int, split: str | None) -> Protocol:
    given = [
        name for name, one in (("folds", folds), ("holdout", holdout), ("split", split)) if one
    ]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} exclude each other: give one")
    if split is not None:
        if split != "given":
            raise UsageError(f"split is 'given', not {printable(split)!r}")
        return Given(0)
    if holdout is not None:
        if isinstance(holdout, bool) or not isinstance(holdout, Real):
            msg = f"holdout is the share of the rows that trains, not {printable(repr(holdout))}"
            raise UsageError(msg)
        return Holdout(float(holdout), checked_count(repeat, "repeat") or 1)
    return Folds(5 if folds is None else checked_count(folds, "folds") or 0)


def _metrics(metrics: Sequence[str] | None) -> tuple[str, ...]:
    if metrics is None:
        return DEFAULT_METRICS
    chosen = [metrics] if isinstance(metrics, str) else list(metrics)
    names = [str(one).replace("-", "_") for one in chosen]
    for name in names:
        if name not in METRICS:
            raise UnknownName("metric", name, METRICS)
    return tuple(dict.fromkeys(names)) or DEFAULT_METRICS


def _processes(jobs: Any) -> int:
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs == 0:
        given = printable(repr(jobs))
        raise UsageError(f"jobs is a number of processes, or -1 for all, not {given}")
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)


def _several(given: Any, what: str) -> list[Any]:
    if isinstance(given, (str, int, float, Mapping)) or _is_pair(given):
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, (bytes, Path)):
        raise UsageError(f"{what} is a name or a sequence of names, not {printable(repr(given))}")
    found = list(given)
    if not found:
        raise UsageError(f"a comparison needs {what}")
    return found


def _names(exclude: Any) -> list[str]:
    found = [exclude] if isinstance(exclude, str) else exclude
    if not isinstance(found, Iterable) or not all(isinstance(one, str) for one in (*found,)):
        raise UsageError(f"exclude takes names or globs of columns, not {printable(repr(exclude))}")
    return list(found)


def _is_pair(given: Any) -> bool:
    return (
        isinstance(given, tuple)
        and len(given) == 2
        and isinstance(given[0], str)
        and isinstance(given[1], Mapping)
    )
