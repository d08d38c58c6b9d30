"""An option that another command has, or that has another name here, is answered with advice."""

from __future__ import annotations

import re

import click
import pytest

from mlfs import cli
from mlfs.cli.app import cli as root
from mlfs.cli.help import ELSEWHERE, flags_of

COMMANDS = root.commands
EVERYWHERE = set().union(*map(flags_of, COMMANDS.values()))


@pytest.mark.parametrize(("options", "commands", "words"), ELSEWHERE, ids=lambda one: one[:20])
def test_the_table_advises_options_that_there_are(options: str, commands: str, words: str) -> None:
    assert set(options.split()) <= EVERYWHERE
    named = set(re.findall(r"mlfs (\w+)", words))
    assert named - {"models"} <= COMMANDS.keys()
    for command in commands.split():
        assert not set(options.split()) & flags_of(COMMANDS[command])
    known = [flags_of(COMMANDS[one]) for one in (*commands.split(), *sorted(named - {"models"}))]
    assert set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", words)) <= set().union(*known)


@pytest.mark.parametrize("name", ["train", "explain", "predict", "evaluate", "info", "compare"])
def test_what_other_commands_take_is_refused_with_advice(name: str) -> None:
    command = COMMANDS[name]
    for flag in sorted(EVERYWHERE - flags_of(command)):
        context = click.Context(command, parent=click.Context(root), info_name=name)
        with pytest.raises(click.UsageError, match=rf"^no such option '{flag}': \S.*\w$"):
            command.parse_args(context, [flag, "x"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("train -c mim x.arff", "'-c': name the criterion with --features, as in --features scls"),
        ("train --criterion=mim x", "'--criterion': name the criterion with --features, as in"),
        ("info --max-seconds 3 x", "'--max-seconds': it is an option of mlfs select and mlfs exp"),
        ("-n 5 select x", "'-n': write it behind the name of the command, as in mlfs select -n\n"),
        ("compare --n-jobs 3 x", "'--n-jobs': did you mean --jobs?\n"),
        ("train --zzzz x", "'--zzzz'\ntry: mlfs train -h\n"),
        (f"info --{'z' * 400} x", f"'--{'z' * 79}…'\ntry: mlfs info -h\n"),
    ],
)
def test_the_sentences(capsys: pytest.CaptureFixture[str], arguments: str, words: str) -> None:
    assert cli.main(arguments.split()) == 2
    assert f"error: no such option {words}" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["--n-bins -", "-n -", "-n x", "--bins ", "--limit max_cells=x"])
def test_a_long_value_does_not_hide_the_rest(
    capsys: pytest.CaptureFixture[str], given: str
) -> None:
    assert cli.main(["select", *f"{given}{'1' * 400}".split(), "songs"]) == 2
    said = capsys.readouterr().err.splitlines()[0]
    assert "1…" in said
    assert len(said) < 250
