"""`mlfs compare`: which criterion, how many features, which model; and is the difference real."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlfs.cli.compare_options import COMPARING
from mlfs.cli.console import INTERRUPTED, Console, code_of_users, pass_console
from mlfs.cli.help import Command
from mlfs.cli.progress import Cells
from mlfs.cli.shared_options import declared, flags_of, given, talking
from mlfs.errors import UsageError, printable

if TYPE_CHECKING:
    from mlfs.compare.results import Results


FAILED = 1
SHOWN = 5


@click.command(
    cls=Command,
    short_help="compare criteria and models on data sets, with statistics and a report",
    examples=[
        ("mlfs compare -c scls -c mrmr -m br -o report x.arff", "two criteria, 5 folds"),
        ("mlfs compare -c scls -c random -c all -n 10,20,40 -m occ -m br -o report *.arff",
         "against chance and all features"),
        ("mlfs compare -c scls --holdout 0.8 --repeat 10 -m mlnb -o report *.arff",
         "as the SCLS paper has it"),
        ("mlfs compare -c jmi --split given -m pcc -o report yeast-train.arff",
         "the authors' split, yeast-test.arff beside it"),
        ("mlfs compare -c jmi -m sklearn.tree.DecisionTreeClassifier:max_depth=5 -o report x.csv",
         "any classifier"),
    ],
)  # fmt: skip
@click.argument("data", metavar="DATA...", nargs=-1, required=True)
@flags_of(COMPARING)
@declared("bins", "correction")
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="FOLDER",
    required=True,
    help="The report. Finished cells are kept in it, so the same command continues.",
)
@talking
@pass_console
def compare(
    console: Console,
    /,
    data: tuple[str, ...],
    criteria: tuple[str, ...],
    models: tuple[str, ...],
    n: str | None,
    metrics: tuple[str, ...],
    folder: str,
    tables: str,
    **options: Any,
) -> int:
    """Compare criteria and models, and write a report.

    Features are selected and binned inside each fold, on the training rows; models get the values
    as they are, and the mean for a missing one. Ctrl-C keeps the finished part; the same command
    continues.
    """
    from mlfs.compare.report import check_parts, write_report

    parts = [part.strip() for part in tables.split(",") if part.strip()]
    check_parts(parts)
    if any(path == "-" for path in data):
        raise UsageError("a comparison reads its data again and again: give files, not a pipe")
    with Cells(console) as cells, code_of_users():
        results = _run(
            list(data), criteria, models, n, metrics=list(metrics) or None,
            folder=folder, on_cell=cells.tell, **options,
        )  # fmt: skip
    console.note(*results.notes)
    for line in _failures(results.failed()):
        console.error(line)
    summary = write_report(results, Path(folder), tables=parts)
    console.data(summary)
    console.note(f"the report is {printable(Path(folder) / 'index.html', 400)}")
    if results.interrupted:
        console.note("interrupted: the same command goes on where it stopped")
        return INTERRUPTED
    return FAILED if results.failed() else 0


def _run(
    data: Sequence[str],
    criteria: Sequence[str],
    models: Sequence[str],
    n: str | None,
    *,
    against: str | None,
    **options: Any,
) -> Results:
    """Run the comparison, or one's own criteria against a reference."""
    if options["n_bins"] is None:
        del options["n_bins"]
    if against is None:
        from mlfs.compare.running import run

        sizes = [part for part in (n or "sqrt").split(",") if part.strip()]
        criteria_or_default = list(criteria) or ["scls", "all"]
        return run(list(data), criteria_or_default, list(models) or ["br"], sizes, **options)
    from mlfs.compare.reference import run_against

    known = signature(run_against).parameters.keys() & options.keys()
    fixed = tuple(name for name in given() if name == "n" or name in options.keys() - known)
    if fixed:
        raise UsageError("is fixed by the reference: leave it out", option=fixed)
    if not criteria:
        raise UsageError(
            "name the criterion that you compare with the reference", option="criterion"
        )
    return run_against(against, data, criteria, models, **{name: options[name] for name in known})


def _failures(failed: list[dict[str, Any]]) -> list[str]:
    """List what failed and why; a reason that many cells of a data set share is given once."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in failed:
        groups.setdefault((record["cell"]["data"], record["note"]), []).append(record)
    lines = []
    for (data, note), records in list(groups.items())[:SHOWN]:
        cell = ", ".join(f"{key} {value}" for key, value in records[0]["cell"].items())
        many = f"{len(records)} cells of {data}, the first {cell}"
        lines.append(f"failed: {printable(cell if len(records) == 1 else many, 240)}: {note}")
    if len(groups) > SHOWN:
        listed = sum(len(records) for records in list(groups.values())[:SHOWN])
        lines.append(f"... and {len(failed) - listed} more, all in results.csv")
    return lines
