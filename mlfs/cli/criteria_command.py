"""`mlfs criteria`: what there is to choose from, and where it comes from."""

from __future__ import annotations

import re
from typing import Any

import click

from mlfs.cli.console import console_of
from mlfs.cli.help import Command
from mlfs.cli.shared_options import form_of, talking


@click.command(
    cls=Command,
    short_help="list the criteria",
    examples=[
        ("mlfs criteria", "all criteria with their formulas"),
        ("mlfs criteria --format names", "the names alone"),
    ],
)
@form_of("list", "table", "names", "json")
@talking
@click.pass_context
def criteria(context: click.Context, /, form: str) -> None:
    """List the criteria: name, scope, origin, formula; installed ones too."""
    from mlfs.api.text import criteria_text, json_text

    console = console_of(context)
    records = _listing()
    if form == "json":
        for record in records:
            served = _served_by(record["name"], record["broken"])
            record["estimators"], record["corrections"] = served
        console.data(json_text({"schema": 1, "criteria": records}))
    elif form == "names":
        console.data("".join(f"{record['name']}\n" for record in records if not record["broken"]))
    else:
        console.table(criteria_text(records))


def _listing() -> list[dict[str, Any]]:
    from mlfs.criteria import ALIASES, get, origins
    from mlfs.errors import MlfsError

    records = []
    for origin in origins():
        reference, formula = _halves(origin.summary)
        record: dict[str, Any] = {
            "name": origin.name,
            "aliases": [alias for alias, (name, _) in ALIASES.items() if name == origin.name],
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
                criterion = get(origin.name)[1]
            except MlfsError as error:
                record["broken"] = str(error)
            else:
                record["scope"], record["search"] = criterion.scope, criterion.search
                record["network"] = criterion.network
                record["parameters"] = {
                    key: value for key, value in vars(criterion).items() if key[0] != "_"
                }
        records.append(record)
    return records


def _served_by(name: str, broken: str) -> tuple[list[str], list[str]]:
    """The estimators and the corrections that answer a criterion, found by trying it."""
    from mlfs.api.estimators import MAKERS, missing_word
    from mlfs.api.options import NAMED
    from mlfs.criteria import get

    if broken:
        return [], []
    criterion = get(name)[1]
    served = [value for value, make in MAKERS.items() if not missing_word(criterion, make)]
    estimators, corrections = (NAMED[option].kind.choices for option in ("estimator", "correction"))
    return (
        [value for value in estimators if value in {"counts", *served}],
        [value for value in corrections if value in {"auto", "none", *served}],
    )


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
