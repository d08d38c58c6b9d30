"""Run a comparison: resumable, parallel, and reproducible for a seed."""

from __future__ import annotations

import contextlib
import fnmatch
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mlfs.api.counted import threads_of
from mlfs.api.options import check_options
from mlfs.api.value_kinds import POSITIVE, ClusterAddress, Number, ThreadCount, checked_count
from mlfs.compare.cell_folder import CellFolder, refuse_loss
from mlfs.compare.classifiers import check_classifier, selects
from mlfs.compare.data_sources import sources
from mlfs.compare.named import Named, named
from mlfs.compare.processes import Processes
from mlfs.compare.rankers import ranker
from mlfs.compare.resampling import Folds, GivenSplit, Holdout, Splitting, StoredFolds
from mlfs.compare.results import Results
from mlfs.compare.settings import Settings, size
from mlfs.compare.training_rows import unprepared
from mlfs.errors import UsageError, check_name, listed, plural, printable
from mlfs.metrics import METRICS

DEFAULT_METRICS = ("exact_match", "hamming_loss", "macro_f1", "micro_f1", "ranking_loss")
OPTIONS = (
    *("bins", "n_bins", "nominal_limit", "missing", "correction", "given"),
    *("network", "order", "k", "prefilter"),
)
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
    repeat: int | None = None,
    split: Any = None,
    groups: str | None = None,
    keep_identifiers: bool = False,
    metrics: Sequence[str] | None = None,
    seed: int = 0,
    jobs: int = 1,
    cluster: Any = None,
    folder: str | os.PathLike[str] | None = None,
    force: bool = False,
    predictions: bool = True,
    budget: float | None = None,
    on_cell: Progress | None = None,
    **options: Any,
) -> Results:
    """Compare criteria and models on data sets: selection and binning inside every fold.

    Parameters
    ----------
    data : path, Dataset or Prepared, sequence of them, or mapping from names to them
        The data sets. Every fold is prepared with the options with which a Prepared was.
    criteria, models : str or sequence
        Names, with parameters as in ``"mlfs_local:beta=0.5"`` or as a pair of name and mapping.
        Models and selectors of others also by import path, such as
        ``"sklearn.tree.DecisionTreeClassifier"``, or as estimators, such as a `GridSearchCV`.
    n : int, float, "sqrt", or a sequence of them
        How many features are kept (for each label, where the criterion chooses per label).
    labels : str, optional
        Which columns of the files are labels.
    exclude : str or sequence of str
        Columns that are left out, by name or glob, of the data sets that have them: identifiers.
    folds : int, optional
        The number of folds of a cross-validation, stratified by labels; 5 by default.
    holdout : float, optional
        Instead, train on this share of the rows and test on the rest, `repeat` times.
    repeat : int, optional
        How often to hold out, 10 by default, or to cross-validate, 1 by default.
    split : "given" or StoredFolds, optional
        Instead, the authors' split: ``x-train.arff`` with ``x-test.arff`` beside it; or folds
        that are stored in files (`mlfs.compare.resampling.stored_folds`).
    groups : str, optional
        A column, such as the patient: rows with the same value are in the same fold. It is no
        feature.
    keep_identifiers : bool
        Let columns with another value in every row take part; they are left out by default.
    metrics : sequence of str, optional
        The metrics that reports show; all metrics are kept.
    seed : int
        Seeds folds, models and random baselines; the same seed gives the same table.
    jobs : int
        Processes at a time, -1 for one on each processor; the table does not depend on it.
    cluster : str or distributed.Client, optional
        Let the workers of a cluster of dask.distributed run the cells, each one at a time: the
        address of its scheduler, a client of it, or "local:2" for two workers on this machine. The
        table is the same.
    folder : path, optional
        The folder of finished cells, which are used again (``-o`` of the command).
    force : bool
        Whether a report in the folder that is about other settings may be replaced. Finished cells
        are kept, and data sets, criteria, models and numbers of features may always be added.
    predictions : bool
        Keep the predictions of every cell in the folder, so that a new metric needs no new run.
    budget : float, optional
        Seconds that a selection may take, and again the training, predicting and measuring of a
        cell. A cell that takes more counts as failed, and so do the later ones of the same method
        on the same data set in the same process, which are not begun. On a cluster there is no
        limit.
    on_cell : callable, optional
        Called with the number of cells done, of all, and the record of the last one.
    **options
        How selections are made: ``bins``, ``n_bins``, ``missing``, ``correction``, ``given`` and
        other options of `mlfs.select`.

    Returns
    -------
    Results
        A tidy table; `interrupted` says whether Ctrl-C ended the run early.
    """
    for option in options:
        check_name(option, "option of a comparison", OPTIONS)
    options |= check_options(options)
    budget = None if budget is None else POSITIVE.read("budget", budget)
    data, options = unprepared(data, options, OPTIONS)
    if not isinstance(options.get("given", ()), (str, int, list, tuple)):
        msg = "names columns in a comparison, because a fold has some of the rows: make the array"
        raise UsageError(f"{msg} a column", option="given")
    rankers = _methods("criterion", _as_list(criteria, "criteria"))
    learners = _methods("model", _as_list(models, "models"))
    _refuse_unusable(rankers, learners)
    sizes = tuple(dict.fromkeys(size(number) for number in _as_list(n, "n")))
    protocol = _protocol(folds, holdout, repeat, split, groups)
    patterns = _exclude_patterns(exclude) + (() if groups is None else (groups,))
    inputs = sources(
        data, labels=labels, exclude=patterns, given_split=isinstance(protocol, GivenSplit)
    )
    settings = Settings(
        tuple(inputs if cluster is None else (source.absolute() for source in inputs)),
        rankers,
        learners,
        sizes,
        protocol,
        check_options({"seed": seed})["seed"],
        options,
        tuple(learner for learner in learners if selects(learner)),
        bool(keep_identifiers),
        budget,
        folder is not None,
        bool(predictions),
    )
    if not settings.methods:
        msg = "own leaves the selection to the model, and no model here selects features"
        raise UsageError(f"{msg}: name one that does, such as br-ldf or occ")
    report_metrics, processes = _metrics(metrics), _processes(settings, jobs, cluster)
    with contextlib.nullcontext() if folder is None else CellFolder(folder) as cell_folder:
        if cell_folder is not None and not force:
            refuse_loss(cell_folder.folder, settings)
        return _run(settings, report_metrics, processes, cell_folder, on_cell or (lambda *_: None))


def _refuse_unusable(rankers: tuple[Named, ...], learners: tuple[Named, ...]) -> None:
    """Refuse criteria and models that cannot be used, before anything is read."""
    for criterion in rankers:
        ranker(criterion)
    for model in learners:
        check_classifier(model)


def _methods(kind: str, values: list[Any]) -> tuple[Named, ...]:
    methods = tuple(named(value) for value in values)
    names = [str(method) for method in methods]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise UsageError(f"the {kind} {printable(min(twice))!r} is given twice")
    return methods


def _run(
    settings: Settings,
    metrics: tuple[str, ...],
    processes: Processes,
    cell_folder: CellFolder | None,
    on_cell: Progress,
) -> Results:
    notes = [settings.protocol.note] if settings.protocol.note else []
    cells = settings.cells()
    keys = [cell.key for cell in cells]
    done = {} if cell_folder is None else cell_folder.finished(keys, settings.budget)
    remaining = [number for number, key in enumerate(keys) if key not in done]
    for source in dict.fromkeys(cells[number].source for number in remaining):
        source.check(settings.protocol.for_data(source.name))
    if cell_folder is not None:
        notes += _resume_notes(settings, cell_folder, len(done))
    on_cell(len(done), len(cells), None)
    interrupted = False
    with contextlib.closing(processes.run(remaining)) as finished:
        try:
            for record in finished:
                if cell_folder is not None:
                    cell_folder.keep(record)
                record.pop("details", None)
                done[record["key"]] = record
                on_cell(len(done), len(cells), record)
        except KeyboardInterrupt:
            interrupted = True
    notes += [processes.note] if processes.note else []
    # a cell that was kept under another name of the same data gets the name it has now
    records = tuple(
        {**done[cell.key], "cell": cell.to_dict()} for cell in cells if cell.key in done
    )
    notes += _identifier_notes(settings, records) + _exclude_notes(settings, records)
    notes += _size_notes(records)
    if len(settings.methods) < len(settings.rankers) * len(settings.models):
        notes.append("own is compared only with models that select features for themselves")
    folder = None if cell_folder is None else cell_folder.folder
    return Results(settings, records, metrics, interrupted, tuple(notes), folder)


def _identifier_notes(settings: Settings, records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Notes on columns with another value in every row, one for each data set."""
    remedy = (
        "most criteria pick such a column first, and it predicts nothing; exclude it (--exclude)"
        if settings.keep_identifiers
        else "such a column predicts nothing and is left out (--keep-identifiers keeps it)"
    )
    identifiers = {record["cell"]["data"]: record.get("identifiers", ()) for record in records}
    notes = []
    for data, names in identifiers.items():
        if names:
            shown = listed(names, SHOWN)
            notes.append(f"{printable(data)} has another value in every row of {shown}: {remedy}")
    return notes


def _size_notes(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Notes on numbers of features above those of a data set, one for each data set."""
    exceeded: dict[str, tuple[int, str]] = {}
    for record in records:
        n, columns = record["cell"]["n"], record.get("columns")
        if n.isdigit() and columns and int(n) > columns:
            exceeded[record["cell"]["data"]] = columns, n
    return [
        f"{printable(data)} has {plural(columns, 'feature')}: n = {n} selects all of them"
        for data, (columns, n) in exceeded.items()
    ]


def _exclude_notes(settings: Settings, records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Notes on columns to exclude that no data set has; known when all data sets were read."""
    by_data = {record["cell"]["data"]: record for record in records if "excluded" in record}
    if len(by_data) < len(settings.sources):
        return []
    excluded = {name for record in by_data.values() for name in record["excluded"]}
    return [
        f"no data set has a column {printable(pattern)!r} to exclude"
        for pattern in dict.fromkeys(settings.sources[0].exclude)
        if pattern not in excluded and not fnmatch.filter(excluded, pattern)
    ]


def _resume_notes(settings: Settings, cell_folder: CellFolder, n_done: int) -> list[str]:
    """Notes on the earlier runs in the same folder."""
    earlier = cell_folder.earlier_settings()
    notes = []
    keys = {cell.key for cell in settings.cells()}
    if earlier is not None:
        notes = [
            f"settings changed since the last run: {change}" for change in settings.changed(earlier)
        ]
        if n_done:
            notes.append(f"{n_done} of {len(keys)} cells are there already")
    others = cell_folder.count() - sum(cell_folder.get(key) is not None for key in keys)
    if others:
        notes.append(
            f"{plural(others, 'cell')} of other settings: in the folder, not in this report"
        )
    cell_folder.keep_settings(settings.to_dict())
    return notes


def _protocol(
    folds: int | None,
    holdout: float | None,
    repeat: int | None,
    split: Any,
    groups: str | None,
) -> Splitting:
    ways = [
        name
        for name, value in (("folds", folds), ("holdout", holdout), ("split", split))
        if value is not None
    ]
    if len(ways) > 1:
        raise UsageError("exclude each other: give one", option=tuple(ways))
    if groups is not None and ways not in ([], ["folds"]):
        raise UsageError("is about the folds of a cross-validation", option="groups")
    times = None if repeat is None else checked_count(repeat, "repeat")
    if isinstance(split, StoredFolds):
        if times is not None:
            raise UsageError("stored folds are as they are: nothing is repeated", option="repeat")
        return split
    if split is not None:
        if split != "given":
            raise UsageError(f"is 'given', not {printable(split)!r}", option="split")
        if times is not None:
            raise UsageError("the authors' split is one: nothing is repeated", option="repeat")
        return GivenSplit(0)
    if holdout is not None:
        share = Number("is the share of the rows that trains").read("holdout", holdout)
        return Holdout(share, times or 10)
    k = 5 if folds is None else checked_count(folds, "folds") or 0
    return Folds(k, times or 1, groups=groups or "")


def _metrics(metrics: Sequence[str] | None) -> tuple[str, ...]:
    if metrics is None:
        return DEFAULT_METRICS
    requested = [metrics] if isinstance(metrics, str) else list(metrics)
    names = [str(metric).replace("-", "_") for metric in requested]
    for name in names:
        check_name(name, "metric", METRICS)
    return tuple(dict.fromkeys(names)) or DEFAULT_METRICS


def _processes(settings: Settings, jobs: Any, cluster: Any) -> Processes:
    """The processes that run the cells."""
    size = threads_of(ThreadCount("is a number of processes, or -1 for all").read("jobs", jobs))
    if cluster is None:
        return Processes(settings, size)
    ClusterAddress().read("cluster", cluster)
    if size != 1:
        msg = "exclude each other: a cluster runs one process for each thread of its workers"
        raise UsageError(msg, option=("jobs", "cluster"))
    from mlfs.compare.cluster_cells import ClusterProcesses

    return ClusterProcesses(settings, cluster)


def _as_list(value: Any, kind: str) -> list[Any]:
    if isinstance(value, (str, int, float, Mapping)) or _is_pair(value) or hasattr(value, "fit"):
        return [value]
    if not isinstance(value, Iterable) or isinstance(value, (bytes, Path)):
        raise UsageError(f"{kind} is a name or a sequence of names, not {printable(repr(value))}")
    items = list(value)
    if not items:
        raise UsageError(f"a comparison needs {kind}")
    return items


def _exclude_patterns(exclude: Any) -> tuple[str, ...]:
    patterns = [exclude] if isinstance(exclude, str) else exclude
    if not isinstance(patterns, Iterable) or not all(
        isinstance(pattern, str) for pattern in (*patterns,)
    ):
        raise UsageError(f"exclude takes names or globs of columns, not {printable(repr(exclude))}")
    return tuple(patterns)


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], Mapping)
    )
