"""An unknown option is refused in one line, which names the nearest one."""

from __future__ import annotations

import pytest

from mlfs import cli


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("compare --n-jobs 3 x", "'--n-jobs': did you mean --jobs?\n"),
        ("select --exlude a x", "'--exlude': did you mean --exclude?\n"),
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
