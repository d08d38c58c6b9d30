"""`mlfs info`: what a data set is made of; `mlfs criteria`: what there is to choose from."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from mlfs.cli.console import Console, check_place, pass_console
from mlfs.cli.help import Command
from mlfs.cli.shared_options import declared, form_of, given, input_data, reading, stacked, talking
from mlfs.errors import UsageError, printable

if TYPE_CHECKING:
    import numpy as np


COUNTING = (*("bins", "n_bins", "nominal_limit", "correction", "n_jobs", "max_memory"),)
OPTIONS = ("between", "measure", "interval", "force", *COUNTING)
BETWEEN = {
    "features-labels": ("features", "labels"),
    "features": ("features", "features"),
    "labels": ("labels", "labels"),
}
MEASURES = {
    "mi": "mutual_information",
    "su": "symmetrical_uncertainty",
    "joint-entropy": "entropy",
}

matrix_options: Callable[[Any], Any] = stacked(
    click.option("--matrix", metavar="FILE",
        help="Write the mutual information of each feature and each label to a file: .csv, or "
        ".npz with the arrays values, rows and columns. With -, write CSV to stdout in place of "
        "the description. All options below are for this matrix.",
    ),
    click.option("--between", type=click.Choice(tuple(BETWEEN)), default="features-labels",
        show_default=True, help="Which columns are compared.",
    ),
    click.option("--measure", type=click.Choice(tuple(MEASURES)), default="mi", show_default=True,
        help="Mutual information, symmetrical uncertainty, or joint entropy.",
    ),
    click.option("--interval", type=float, metavar="SHARE",
        help="Also write how sure the mutual information is: its mean, and the ends of an interval "
        "of this probability, such as 0.95.",
    ),
    click.option("--force", is_flag=True, help="Overwrite an existing file."),
    declared(*COUNTING),
)  # fmt: skip


def check_matrix(path: str | None, data: str, options: Mapping[str, Any]) -> None:
    """Refuse what makes no sense before the data are read."""
    on_commandline = given()
    if path == "-" and "form" in on_commandline:
        msg = "is for the description, in whose place --matrix - writes CSV: leave one of them out"
        raise UsageError(msg, option="form")
    if path is None:
        for name in on_commandline:
            if name in OPTIONS:
                msg = "is an option of the matrix, and there is none: give --matrix FILE"
                raise UsageError(msg, option=name)
        return
    check_place(path, data, force=options["force"])
    if path != "-" and _form(path) not in {".csv", ".npz"}:
        msg = f"is a file that ends in .csv or .npz, not {printable(path, 400)!r}"
        raise UsageError(msg, option="matrix")
    if options["correction"] == "expected" and options["measure"] != "mi":
        from mlfs.api.pairwise import refuse_expected

        refuse_expected()
    if options["interval"] is not None and options["measure"] != "mi":
        msg = "is that of mutual information: leave it out, or --measure"
        raise UsageError(msg, option="interval")


def write_matrix(dataset: Any, path: str, options: Mapping[str, Any]) -> None:
    """Compute the matrix that the options ask for, and write it."""
    import numpy as np

    from mlfs import information
    from mlfs.api.prepared import prepare
    from mlfs.data.whole_files import replacing

    counting = {name: options[name] for name in COUNTING}
    prepared = prepare(dataset, **counting)
    rows_side, columns_side = (getattr(prepared, side) for side in BETWEEN[options["between"]])
    function = getattr(information, MEASURES[options["measure"]])
    values = {"values": function(rows_side, columns_side)}
    if options["interval"] is not None:
        sure = function(rows_side, columns_side, interval=options["interval"])
        values |= {name: getattr(sure, name) for name in ("mean", "low", "high")}
    with replacing(path, options["force"]) as stream:
        if _form(path) == ".npz":
            rows, columns = np.array(list(rows_side.names)), np.array(list(columns_side.names))
            np.savez(stream, **values, rows=rows, columns=columns)
        else:
            names = [
                name if kind == "values" else f"{name} {kind}"
                for name in columns_side.names
                for kind in values
            ]
            table = np.stack([*values.values()], axis=2).reshape(len(rows_side.names), -1)
            for text in _lines(table, list(rows_side.names), names):
                stream.write(text.encode("utf-8", "backslashreplace"))


def _form(path: str) -> str:
    return os.path.splitext(path)[1].lower()  # noqa: PTH122  # `-` is no path


def _lines(values: np.ndarray, rows: list[str], columns: list[str]) -> Iterator[str]:
    """The lines of a CSV file, with the names of the columns first and those of rows before."""
    from mlfs.api.text import csv_of

    yield csv_of([["", *columns]])
    for name, row in zip(rows, values, strict=True):
        yield csv_of([[name, *map(repr, row.tolist())]])


@click.command(
    cls=Command,
    short_help="describe a data set",
    examples=[
        ("mlfs info data.arff", "rows, features, labels, imbalance, kinds, what is missing"),
        ("mlfs info --labels last:6 --format json x.csv", "the same for a script"),
        ("mlfs info --matrix mi.csv data.arff", "also I(f;l) of each feature and label"),
        ("mlfs info --matrix ff.npz --between features -j -1 data.arff", "and of all features"),
    ],
)
@click.argument("data", metavar="DATA")
@reading
@form_of("figures")
@matrix_options
@talking
@pass_console
def info(console: Console, /, data: str, form: str, matrix: str | None, **options: Any) -> None:
    """Describe a data set: size, labels and their imbalance, columns, missing values."""
    from mlfs.api.describe import describe
    from mlfs.api.text import json_text

    of_matrix = {name: options.pop(name) for name in OPTIONS}
    check_matrix(matrix, data, of_matrix)
    dataset = input_data(data, options)
    if matrix is not None:
        write_matrix(dataset, matrix, of_matrix)
        if matrix == "-":
            return
    description = describe(dataset)
    if form == "json":
        console.data(json_text({"schema": 1, **description.to_dict()}))
    else:
        console.data(description.table() + "\n")


@click.command(
    cls=Command,
    short_help="list the criteria",
    examples=[
        ("mlfs criteria", "all criteria with their formulas"),
        ("mlfs criteria --format names", "the names alone"),
        ("mlfs criteria scls ./mine.py", "some, and one of your own"),
    ],
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@form_of("list", "table", "names", "json")
@talking
@pass_console
def criteria(console: Console, /, names: tuple[str, ...], form: str) -> None:
    """List the criteria: name, scope, origin, formula; installed ones too.

    NAME is the name of a criterion, or a file or class of your own; without any, all are listed.
    """
    from mlfs.api.text import criteria_text, json_text

    listed = _listing(names)
    records = [record for record, _ in listed]
    if form == "json":
        for record, criterion in listed:
            record["estimators"], record["corrections"] = _served_by(criterion)
        console.data(json_text({"schema": 1, "criteria": records}))
    elif form == "names":
        console.data("".join(f"{record['name']}\n" for record in records if not record["broken"]))
    else:
        console.table(criteria_text(records))


def _listing(names: tuple[str, ...]) -> list[tuple[dict[str, Any], Any]]:
    """The records of criteria, each with the criterion if it is not broken."""
    from mlfs.criteria import ALIASES, get, origin_of, origins, tier_of
    from mlfs.errors import MlfsError

    records, asked = [], [origin_of(name) for name in names]
    for origin, kind in asked or [(origin, origin.name) for origin in origins()]:
        criterion = None
        reference, formula = _halves(origin.summary)
        record: dict[str, Any] = {
            "name": origin.name,
            "aliases": [alias for alias, (name, _) in ALIASES.items() if name == origin.name],
            "tier": tier_of(origin.name),
            "scope": "",
            "search": "",
            "network": False,
            "parameters": {},
            "formula": formula,
            "reference": reference,
            "origin": origin.distribution,
            "broken": origin.broken,
        }
        if not origin.broken:
            try:
                criterion = get(kind)[1]
            except MlfsError as error:
                record["broken"] = str(error)
            else:
                record["scope"], record["search"] = criterion.scope, criterion.search
                record["network"] = criterion.network
                record["parameters"] = {
                    key: value for key, value in vars(criterion).items() if key[0] != "_"
                }
        records.append((record, criterion))
    return records


def _served_by(criterion: Any) -> tuple[list[str], list[str]]:
    """The estimators and the corrections that answer a criterion, found by trying it."""
    from mlfs.api.options import NAMED
    from mlfs.api.selecting import unsupported_by

    if criterion is None:
        return [], []
    estimators, corrections = (
        [value for value in kind if not unsupported_by(criterion, **{option: value})]
        for option, kind in (
            (option, NAMED[option].kind.choices) for option in ("estimator", "correction")
        )
    )
    return estimators, corrections


def _halves(summary: str) -> tuple[str, str]:
    """Split the first line of a criterion's documentation into reference and formula.

    Examples
    --------
    >>> _halves("MIM (Lewis, 1992).   J(f) = sum_l I(f;l)")
    ('MIM (Lewis, 1992)', 'J(f) = sum_l I(f;l)')
    """
    match = re.search(r"\b(?:J\w*|Merit)\(", summary)
    if match is None:
        return summary, ""
    return summary[: match.start()].strip().removesuffix("."), summary[match.start() :].strip()
