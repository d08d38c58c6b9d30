"""`mlfs explain`: why a feature was picked, or why not."""

from __future__ import annotations

from typing import Any

import click

from mlfs.cli.console import INTERRUPTED, Console, pass_console
from mlfs.cli.help import Command
from mlfs.cli.select_command import run_selection
from mlfs.cli.shared_options import (
    form_of,
    input_data,
    reading,
    selecting,
    selection_options,
    talking,
)


@click.command(
    cls=Command,
    short_help="explain why features were picked or not",
    often=("--criterion", "--number", "--per-label", "--labels", "--format", "--help"),
    examples=[
        ("mlfs explain -c scls -n 5 x.arff", "each pick: its terms, the runner-up, the margin"),
        ("mlfs explain -c scls -n 5 x.arff tempo", "why tempo was picked, or why not"),
        ("mlfs explain -c jmi --per-label -n 3 x.arff 'noise_*'", "for each label"),
    ],
)
@click.argument("data", metavar="DATA")
@click.argument("features", metavar="[FEATURE]...", nargs=-1)
@selecting
@reading
@form_of("reasons")
@talking
@pass_console
def explain(
    console: Console, /, data: str, features: tuple[str, ...], form: str, **options: Any
) -> int:
    """Explain why each feature was picked, or why the named features were not.

    For a feature that was not picked: its score if it came next, what is ahead of it, and what
    it shares with the picks. Names may be globs.
    """
    from mlfs.api.candidates import features_named
    from mlfs.api.explanation import document, explanation_text
    from mlfs.api.explanation import explain as explanations
    from mlfs.api.text import json_text

    _, settings = selection_options(options)
    dataset = input_data(data, options)
    features_named(features, dataset, "the features to explain")
    prepared, selection = run_selection(console, dataset, settings)
    named = features if features and not selection.interrupted else None
    reasons = explanations(prepared, selection, named)
    if form == "json":
        console.data(json_text(document(selection, reasons)))
    else:
        console.table(explanation_text(selection, reasons))
    return INTERRUPTED if selection.interrupted else 0
