"""An unknown option is refused in one line, which names the nearest one."""

from __future__ import annotations

import pytest

from mlfs import cli


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("compare --n-jobs 3 x", ("--n-jobs", "--jobs", "try: mlfs compare -h\n")),
        ("select --exlude a x", ("--exlude", "--exclude", "try: mlfs select -h\n")),
        ("train --zzzz x", ("--zzzz", "try: mlfs train -h\n")),
        (f"info --{'z' * 400} x", (f"--{'z' * 78}", "…", "try: mlfs info -h\n")),
    ],
)
def test_the_sentences(
    capsys: pytest.CaptureFixture[str], arguments: str, words: tuple[str, ...]
) -> None:
    assert cli.main(arguments.split()) == 2
    said = capsys.readouterr().err
    assert "error: no such option" in said
    assert all(word in said for word in words)


@pytest.mark.parametrize(
    "given", ["--bins width:", "-n -", "-n x", "--bins ", "--limit max_cells=x"]
)
def test_a_long_value_does_not_hide_the_rest(
    capsys: pytest.CaptureFixture[str], given: str
) -> None:
    assert cli.main(["select", *f"{given}{'1' * 400}".split(), "songs"]) == 2
    said = capsys.readouterr().err.splitlines()[0]
    assert "1…" in said
    assert len(said) < 250
