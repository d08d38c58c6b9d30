"""`mlfs select`: a ranking, its reasons, and the reduced data."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import click

from mlfs.cli.console import (
    INTERRUPTED,
    Console,
    Output,
    code_of_users,
    deliver,
    output_of,
    pass_console,
)
from mlfs.cli.help import Command
from mlfs.cli.progress import PickProgress, Waiting
from mlfs.cli.shared_options import (
    arguments_by_call,
    input_data,
    is_cv,
    reading,
    selecting,
    selection_options,
    talking,
    with_classes,
    written,
)
from mlfs.errors import Interrupted, UsageError, plural

FORMATS = ("table", "names", "indices", "csv", "json")


@click.command(
    cls=Command,
    short_help="rank the features, and write the reduced data",
    often=(
        *("--criterion", "--number", "--per-label", "--include", "--exclude", "--labels"),
        *("--missing-values", "--format", "--output", "--verbose", "--help"),
    ),
    examples=[
        ("mlfs select -c scls -n 80 bibtex.arff", "the 80 best, with scores and reasons"),
        ("mlfs select -c mrmr -n 0.1 --format names x.csv", "a tenth of them, a name a line"),
        ("mlfs select -c jmi --per-label -n 10 x.arff", "ten features for each label"),
        ("mlfs select -c scls -n 80 -o small.arff x.arff", "also write the reduced data"),
        ("mlfs select -c scls -o picks.json x.arff", "keep the ranking"),
        ("mlfs select -c scls --start picks.json x.arff", "go on from it"),
        ("zcat x.csv.gz | mlfs select --labels last:6 -", "from a pipe"),
    ],
)
@click.argument("data", metavar="DATA")
@selecting
@reading
@click.option("--format", "form", type=click.Choice(FORMATS), help="The form of the ranking.")
@written(
    "Write the reduced data set (columns in the order of the file, all labels; per label, "
    "the union of the subsets) in the format of the suffix; the ranking still goes to stdout. "
    "With .json, .txt or the suffix of the --format asked for, write the ranking.",
)
@talking
@pass_console
def select(
    console: Console,
    /,
    data: str,
    form: str | None,
    output: str | None,
    force: bool,
    **options: Any,
) -> int:
    """Select features and report the reasons.

    Picks are listed in the order of picking. Of tied features the lowest column is picked. An
    index is a column of X counted from 0, as in the JSON.
    """
    place = output_of(output, form, data, force=force)
    _, settings = selection_options(options)
    if place.kind == "data" and settings["cluster"] is not None:
        msg = "-o writes reduced data, but their rows stay with the workers of the cluster: "
        raise UsageError(f"{msg}name a .json file for the ranking, or leave --cluster out")
    began = time.perf_counter()
    if settings["cluster"] is None:
        dataset = input_data(data, options)
    else:
        with Waiting(console, "the workers read the data"):
            dataset = input_data(data, options)
    read = time.perf_counter()
    from mlfs.data.row_stack import is_in_file  # no earlier: input_data has imported it

    if is_in_file(dataset.table):
        console.detail(f"the rows are in a temporary file of {dataset.table.nbytes / 1e6:,.0f} MB")
    _, selection = run_selection(console, dataset, settings)
    _tell(console, selection, read - began, time.perf_counter() - read)
    _deliver(console, dataset, selection, place, force=force)
    if selection.interrupted:
        are = "is" if len(selection) == 1 else "are"
        console.note(f"interrupted: there {are} {plural(len(selection), 'pick')} so far")
        return INTERRUPTED
    return 0


def run_selection(console: Console, dataset: Any, settings: dict[str, Any]) -> tuple[Any, Any]:
    """Prepare and select, with progress on a terminal; pass on what the user should know."""
    from mlfs.api.as_dataset import AsGiven
    from mlfs.api.certainty import certainty
    from mlfs.api.prepared import prepare
    from mlfs.api.selecting import select_silently

    arguments = arguments_by_call(settings)
    on_cluster = settings["cluster"] is not None
    with Waiting(console, "the workers prepare the data") if on_cluster else nullcontext():
        prepared = prepare(AsGiven(with_classes(dataset, settings)), **arguments["prepare"])
    searching = arguments["select"]
    if is_cv(searching["n"]):
        with code_of_users():
            searching["n"] = _number_by_cv(console, prepared, searching)
    n = searching["n"] if isinstance(searching["n"], int) else None
    names, shown = dataset.feature_names, dataset.names_given
    if not prepared.grouping.trivial:
        shown = [names[columns[0]] for columns in prepared.grouping.members]
    beside = (lambda: prepared.cluster_report) if on_cluster else str
    with (
        PickProgress(console, shown, prepared.dataset.label_names, n, beside) as progress,
        code_of_users(),
    ):
        try:
            selection = select_silently(prepared, on_pick=progress.on_pick, **searching)
            if any(number is not None for number in arguments["certainty"].values()):
                drawn = {**arguments["certainty"], "seed": searching["seed"]}
                selection = certainty(selection, prepared, **drawn)
        except Interrupted as stop:
            selection = replace(stop.selection, interrupted=True)
    console.tell(selection.notes)
    if prepared.cluster_report:
        console.detail(prepared.cluster_report)
    return prepared, selection


def _number_by_cv(console: Console, prepared: Any, searching: dict[str, Any]) -> int:
    """The number of features that cross-validation finds."""
    from mlfs.compare.cross_validated import number_of_features

    of_one_search = {"n", "criterion", "max_seconds", "verbose"}
    options = {name: value for name, value in searching.items() if name not in of_one_search}
    most = int(searching["n"][3:]) if ":" in searching["n"] else None
    found = number_of_features(prepared, searching["criterion"], most=most, **options)
    console.note(found.note)
    return int(found.number)


def _deliver(console: Console, dataset: Any, selection: Any, place: Output, *, force: bool) -> None:
    from mlfs.api.text import render
    from mlfs.data import write

    report = render(selection, place.form)
    if place.kind == "report":
        deliver(console, report, place.path, force=force)
        return
    try:
        if place.kind == "data" and len(selection):
            kept = sorted({*map(dataset.feature_names.index, selection.names)})
            reduced = dataset.reduced(kept)
            console.note(*write(reduced, place.path, format=place.data_format, force=force))
            console.detail(f"wrote {plural(len(kept), 'feature')} to {place.path}")
    finally:  # a full disk does not cost the user the ranking
        if place.form == "table":
            console.table(report)
        else:
            console.data(report)


def _tell(console: Console, selection: Any, reading_time: float, selecting_time: float) -> None:
    from mlfs.api.text import binning_lines

    if not console.verbose:
        return
    console.detail(f"labels found by: {selection.settings['labels_by']}")
    console.detail(*binning_lines(selection, every=console.verbose > 1))
    if selection.network is not None:
        console.detail(f"label network: {selection.network.kind}; {selection.network.note}")
    console.detail(f"read in {reading_time:.2f} s, selected in {selecting_time:.2f} s")
    console.detail(
        "the selection saw every row: to evaluate it, select inside each fold of cross-validation"
    )
