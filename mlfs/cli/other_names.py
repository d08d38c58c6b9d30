"""What a command says instead of an option that other commands have: one table."""

from __future__ import annotations

from collections.abc import Mapping

import click

__all__ = ["ELSEWHERE", "flags_of", "refusal"]

IN_MODEL = "mlfs train takes it, and the model file has it"
NO_FEATURES = "mlfs select chooses features, and mlfs info does not"
TO_STDOUT = "the output is stdout, which > FILE behind the command writes to a file"
MODEL_OPTIONS = (
    "-m --model -l --learner -P --learner-parameter --inference --threshold -k --parents -p "
    "--parameter --features -c --criterion -n --number --missing --exclude"
)
ELSEWHERE: tuple[tuple[str, str, str], ...] = (  # options, the commands without them, advice
    ("-c --criterion", "train", "name the criterion with --features, as in --features scls -n 80"),
    ("--per-label", "train", "with --features each label has features of its own already"),
    ("--metric", "train", "mlfs evaluate and mlfs compare measure; mlfs train only trains"),
    ("--cluster", "train predict evaluate", "only mlfs select, explain and compare use a cluster"),
    (MODEL_OPTIONS, "predict evaluate structure", IN_MODEL),
    ("--labels", "structure", IN_MODEL),
    ("--metric", "evaluate", "mlfs evaluate shows all metrics"),
    ("--classes", "train predict evaluate", "mlfs models learn labels of two values only"),
    ("--features", "select explain compare", "name the criterion with -c"),
    ("-c --criterion --features -n --number", "info", NO_FEATURES),
    ("-m --model -l --learner -P --learner-parameter --inference --threshold", "select explain",
     "mlfs train fits models; --cv-model is the one of -n cv"),
    ("--metric", "select explain", "--cv-metric is the one of -n cv"),
    ("--folds", "select explain", "--cv-folds are those of -n cv"),
    ("--folds --holdout --repeat", "train evaluate", "mlfs compare cross-validates models"),
    ("-p --parameter", "compare", "write it behind the name, as in -c mlfs_local:beta=0.5"),
    ("-k --parents --inference --threshold -l --learner -P --learner-parameter", "compare",
     "write it behind the model's name, as in -m occ:k=3"),
    ("--delimiter --decimal --encoding --separator --limit --from --classes", "compare",
     "write the data as another file with mlfs convert, which has it, and compare on that"),
    ("--group", "compare", "--groups COLUMN keeps rows of one value in one fold"),
    ("--groups", "select explain", "--group NAME=GLOB makes a group of features"),
    ("-o --output", "info explain evaluate criteria", TO_STDOUT),
    ("-o --output", "convert", "name the new file behind the old one, as in mlfs convert IN OUT"),
    ("--format", "convert", "--from is the format of IN, --to that of OUT"),
    ("--format", "predict train generate", "the suffix of -o FILE says what is written"),
)  # fmt: skip


def _advice(option: str, command: click.Command, others: Mapping[str, click.Command]) -> str:
    """Say what to do instead of an option that a command lacks; empty if nothing is known.

    Parameters
    ----------
    option : str
        As it was written, such as ``-c``.
    command : click.Command
        The one that lacks it.
    others : mapping
        All commands by their names.
    """
    for options, commands, words in ELSEWHERE:
        if option in options.split() and command.name in commands.split():
            return words
    having = [f"mlfs {name}" for name, other in others.items() if option in flags_of(other)]
    if not having or option in flags_of(command):
        return ""
    if command.name not in others:  # the program itself
        return f"write it behind the name of the command, as in {having[0]} {option}"
    *most, last = having
    return f"it is an option of {', '.join(most)}{' and ' if most else ''}{last}"


def flags_of(command: click.Command) -> set[str]:
    """All flags of a command."""
    options = (option for option in command.params if isinstance(option, click.Option))
    return {flag for option in options for flag in (*option.opts, *option.secondary_opts)}


def refusal(
    error: click.NoSuchOption, command: click.Command, context: click.Context
) -> click.UsageError:
    """The error about an unknown option, in one sentence with what to do instead."""
    root = context.find_root().command
    others = root.commands if isinstance(root, click.Group) else {}
    option = error.option_name
    words = _advice(option, command, others)
    if not words and error.possibilities:
        *most, last = error.possibilities
        words = f"did you mean {', '.join(most)} or {last}?" if most else f"did you mean {last}?"
    return click.UsageError(f"no such option {option!r}" + (f": {words}" if words else ""), context)
