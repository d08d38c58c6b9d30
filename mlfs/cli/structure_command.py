"""`mlfs structure`: what a model learned about its labels, as text, DOT, JSON or a picture."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from mlfs.cli.console import Console, check_place, deliver, pass_console
from mlfs.cli.help import Command
from mlfs.cli.predict_command import answer, opened
from mlfs.cli.shared_options import talking, written
from mlfs.errors import DataError, UsageError, printable

REPORTS = {".txt": "text", ".dot": "dot", ".gv": "dot", ".json": "json"}
PICTURES = (".png", ".svg", ".pdf")


@click.command(
    cls=Command,
    short_help="show the label structure of a model",
    examples=[
        ("mlfs structure model.mlfs", "the labels in order, with parents and weights"),
        ("mlfs structure --format dot model.mlfs | dot -Tsvg > s.svg", "for Graphviz"),
        ("mlfs structure -o structure.png model.mlfs", "a picture (needs the extra plot)"),
        ("mlfs structure --format json model.mlfs", "with the features of each label"),
    ],
)
@click.argument("model", metavar="MODEL")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "dot", "json"]),
    help="The form; by default that of the suffix of -o, else text.",
)
@written(
    "The output file: .txt .dot .gv .json, or a picture .png .svg .pdf. By default stdout.",
    default="-",
)
@click.option(
    "--member",
    metavar="N",
    type=click.IntRange(min=1),
    help="Of an ensemble or a mixture, only the Nth member.",
)
@talking
@pass_console
def structure(
    console: Console,
    /,
    model: str,
    form: str | None,
    output: str,
    member: int | None,
    force: bool,
) -> None:
    """Show the parents and the number of features of each label.

    An ensemble or a mixture has a structure for each member.
    """
    from mlfs.api.text import json_text

    check_place(output, model, force=force)
    suffix = "" if output == "-" else Path(output).suffix.lower()
    picture = form is None and suffix in PICTURES
    if form is None and output != "-" and suffix not in (*REPORTS, *PICTURES):
        suffixes = " ".join((*REPORTS, *PICTURES))
        raise UsageError(
            f"what to write to {printable(output, 400)!r} does not follow from its suffix: use "
            f"one of {suffixes}, or say --format"
        )
    stored = opened(model)
    members = answer(console, model, lambda: _members(stored))
    if member is not None:
        if member > len(members):
            raise UsageError(f"--member {member}: the model has {len(members)}")
        members = members[member - 1 : member]
    if picture:
        _draw(members, output, suffix, force=force)
        return
    form = form or REPORTS.get(suffix, "text")
    if form == "json":
        text = json_text(_document(stored, members))
    elif form == "dot":
        text = "".join(member_structure.to_dot() for member_structure, _, _ in members)
    else:
        text = _text(stored, members)
    deliver(console, text, output, force=force)


def _members(stored: Any) -> list[tuple[Any, Any, float | None]]:
    """For each member its structure, the columns of each label, and what it counts."""
    model, names = stored.model, stored.table.labels
    model = getattr(model, "model_", model)  # of one with thresholds
    if hasattr(model, "structure_"):
        parts = [(model.structure_, list(model.features_.values()), None)]
    elif hasattr(model, "structures_"):
        features = [list(columns_of_label.values()) for columns_of_label in model.features_]
        parts = list(zip(model.structures_, features, model.weights_.tolist(), strict=True))
    elif not hasattr(model, "estimators_features_"):
        raise DataError("this model has no label structure: no label is an input of another")
    else:
        parts = []
        for part, columns in zip(model.estimators_, model.estimators_features_, strict=True):
            inner = getattr(part, "structure_", None)
            if inner is None:
                raise DataError("the members of this ensemble have no structure")
            parts.append(
                (
                    inner,
                    [columns[columns_of_label] for columns_of_label in part.features_.values()],
                    None,
                )
            )
    return [
        (dataclasses.replace(part, names=tuple(names)), columns, weight)
        for part, columns, weight in parts
    ]


def _features(stored: Any, columns: Any) -> list[str] | None:
    """The names of the features of a label; None for all of them."""
    names = stored.table.feature_names
    if columns is None or list(columns) == list(range(len(names))):
        return None
    return [names[j] for j in columns]


def _document(stored: Any, members: Any) -> dict[str, Any]:
    records = []
    for structure, columns, weight in members:
        features = [_features(stored, columns_of_label) for columns_of_label in columns]
        member: dict[str, Any] = {"structure": structure.to_dict()}
        if weight is not None:
            member["weight"] = weight
        member["features"] = dict(zip(structure.names, features, strict=True))
        records.append(member)
    return {"schema": 1, "model": stored.settings, "members": records}


def _text(stored: Any, members: Any) -> str:
    d = len(stored.table.feature_names)
    parts = []
    for number, (structure, columns, weight) in enumerate(members, start=1):
        lines = []
        if len(members) > 1:
            share = "" if weight is None else f", weight {weight:.4g}"
            lines.append(f"member {number} of {len(members)}{share}")
        lines.append(structure.to_text())
        sizes = [
            d if columns_of_label is None else len(columns_of_label) for columns_of_label in columns
        ]
        many = f"{min(sizes)} to {max(sizes)}" if min(sizes) < max(sizes) else f"{max(sizes)}"
        lines.append(f"features of a label: {many} of {d}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _draw(members: Any, output: str, suffix: str, *, force: bool) -> None:
    from mlfs.data.whole_files import replacing

    if len(members) > 1:
        raise UsageError(
            f"the model has {len(members)} structures: say which one to draw with --member 1"
        )
    from mlfs.plots.axes import refuse_without_matplotlib
    from mlfs.plots.structures import inches_of_structure, label_structure

    refuse_without_matplotlib("a picture of a structure")
    from matplotlib.figure import Figure

    structure = members[0][0]
    figure = Figure(figsize=inches_of_structure(structure), layout="constrained")
    label_structure(structure, ax=figure.add_subplot())
    with replacing(output, force) as stream:
        figure.savefig(stream, format=suffix[1:])
