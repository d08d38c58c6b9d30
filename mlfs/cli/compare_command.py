"""`mlfs compare`: which criterion, how many features, which model; and is the difference real."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlfs.cli.console import INTERRUPTED, Console, pass_console
from mlfs.cli.help import Command, topical
from mlfs.cli.progress import Cells
from mlfs.cli.shared_options import declared, given, talking
from mlfs.errors import UsageError, printable
from mlfs.models.names import STRUCTURED, WHOLE

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
@topical(
    "What to compare",
    "-c",
    "--criterion",
    "criteria",
    metavar="NAME",
    multiple=True,
    help="A criterion, as name or name:key=value,...; or a baseline: all, random, own (the "
    "model's own way), chi2-max, f-mean, information-gain-max, gain-ratio-max, ppt-relieff, "
    "relieff-ml, rf-br, ig-lp, ksg-mean, cov, forest, l21, llsf, qpfs, grro, mfs-mcdm, "
    "mifs-jian, mdfs, mssl; or a selector of scikit-learn as "
    "'sklearn.feature_selection.SelectKBest(score_func=sklearn.feature_selection.chi2)'. "
    "Repeatable; by default scls and all.",
)
@topical(
    "What to compare",
    "-m",
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help=f"A model, as name or name:key=value,...: {' '.join(STRUCTURED)}, each also with -ldf; "
    f"mlnb {' '.join(WHOLE)}; or a classifier of scikit-learn by its import path. Repeatable; by "
    "default br.",
)
@topical(
    "What to compare",
    "-n",
    "--number",
    "n",
    metavar="N,...",
    help="How many features: 10,20,40; shares such as 0.1; sqrt, the default, is the root of the "
    "number of rows.",
)
@topical(
    "What to compare",
    "--metric",
    "metrics",
    metavar="NAME",
    multiple=True,
    help="The metrics in the report; all are computed. Repeatable; by default exact_match "
    "hamming_loss macro_f1 micro_f1 ranking_loss.",
)
@topical(
    "Protocol",
    "--folds",
    metavar="K",
    type=click.IntRange(min=2),
    help="Cross-validation, stratified by each label; 5 by default.",
)
@topical(
    "Protocol",
    "--holdout",
    metavar="SHARE",
    type=float,
    help="The share of the rows for training; the others are for testing.",
)
@topical(
    "Protocol",
    "--repeat",
    metavar="TIMES",
    type=click.IntRange(min=1),
    help="How often to hold out, by default 10, or to cross-validate, by default once.",
)
@topical(
    "Protocol",
    "--split",
    type=click.Choice(["given"]),
    help="The authors' split: x-train.arff with x-test.arff beside it.",
)
@topical(
    "Protocol",
    "--groups",
    metavar="COLUMN",
    help="Rows with the same value of this column, such as the patient, are in the same fold. "
    "It is no feature.",
)
@topical(
    "Protocol",
    "--seed",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The seed of folds, models and random baselines.",
)
@topical(
    "Data",
    "--labels",
    metavar="SPEC",
    help="Which columns are labels, in all files: a,b,c; 'lab_*'; first:6; last:6; ...",
)
@topical(
    "Data",
    "--exclude",
    metavar="NAME",
    multiple=True,
    help="A column, or a glob, that is left out of the data sets that have it. Repeatable.",
)
@topical(
    "Data",
    "--keep-identifiers",
    is_flag=True,
    help="Let columns with another value in every row take part; by default they are left out.",
)
@declared("bins", "missing", "correction")
@topical(
    "Output",
    "-o",
    "--output",
    "folder",
    metavar="FOLDER",
    required=True,
    help="The report. Finished cells are kept in it, so the same command continues.",
)
@topical(
    "Output",
    "--force",
    is_flag=True,
    help="Replace a report of other settings; finished cells are kept.",
)
@topical(
    "Output",
    "--pdf",
    is_flag=True,
    help="Write the figures as PDF, too; a finished comparison is not run again for it.",
)
@topical(
    "Output",
    "--tables",
    metavar="PARTS",
    default="mean,sd,rank",
    show_default=True,
    help="What a cell of tables.md and tables.tex shows.",
)
@topical(
    "Output",
    "--predictions/--no-predictions",
    default=True,
    help="Keep the predictions of every cell, so that a new metric needs no new run.",
)
@topical(
    "Protocol",
    "--tune-by",
    metavar="METRIC",
    help="A parameter with several values, as in br:C=0.1|1|10, is tuned on three inner folds of "
    "the training rows, by this metric; by default macro_f1.",
)
@topical(
    "Protocol",
    "--budget",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    help="Processor time that a selection may take, and again the rest of a cell; what takes more "
    "counts as failed, and so do the later cells of the method on this data set.",
)
@topical(
    "Protocol",
    "--against",
    metavar="PATH",
    help="A reference: results.csv.xz with reference.json and folds/ beside it. Its folds, models "
    "and numbers of features are used, only your criteria are run, and all are ranked together.",
)
@topical(
    "Output",
    "-j",
    "--jobs",
    metavar="N",
    type=int,
    default=1,
    show_default=True,
    help="Processes, -1 for one on each processor; the results are the same.",
)
@topical(
    "Output",
    "--cluster",
    metavar="ADDRESS",
    help="Run the cells on the workers of a cluster of dask.distributed, named by the address of "
    "its scheduler, such as tcp://host:8786; local:2 starts two workers on this machine. The "
    "results are the same.",
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
    pdf: bool,
    tables: str,
    **options: Any,
) -> int:
    """Compare criteria and models, and write a report.

    Features are selected and binned inside each fold, on the training rows. Ctrl-C keeps the
    finished part; the same command continues.
    """
    from mlfs.compare.report import check_parts, write_report
    from mlfs.data.drawing import refuse_without_matplotlib

    if pdf:
        refuse_without_matplotlib("--pdf")
    parts = [part.strip() for part in tables.split(",") if part.strip()]
    check_parts(parts)
    if any(path == "-" for path in data):
        raise UsageError("a comparison reads its data again and again: give files, not a pipe")
    with Cells(console, len(data)) as cells:
        results = _run(
            list(data), criteria, models, n, metrics=list(metrics) or None,
            folder=folder, on_cell=cells.tell, **options,
        )  # fmt: skip
    console.note(*results.notes)
    for line in _failures(results.failed()):
        console.error(line)
    summary = write_report(results, Path(folder), pdf=pdf, tables=parts)
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
    if against is None:
        from mlfs.compare.running import run

        sizes = [part for part in (n or "sqrt").split(",") if part.strip()]
        criteria_or_default = list(criteria) or ["scls", "all"]
        options["tune_by"] = options["tune_by"] or "macro_f1"
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
