"""What a shell is offered for a word that is begun."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from mlfs import cli, models
from mlfs.cli.completion import COMPLETE, MODELS, SHELLS
from tests.documents import ROOT

SONGS = str(ROOT / "docs" / "examples" / "songs.arff")


def offered(line: str, text: str) -> list[str]:
    """What is offered for a word after a line."""
    shell = BashComplete(cli.cli, {}, "mlfs", COMPLETE)
    found = shell.get_completions(line.split(), text)
    return [one.value if one.type == "plain" else f"<{one.type}>" for one in found]


@pytest.mark.parametrize(
    ("line", "text", "values"),
    [
        ("", "sel", ["select"]),
        ("select", "--per", ["--per-label"]),
        ("select -c", "jm", ["jmi", "jmi3", "jmim"]),
        ("select --bins", "m", ["mean-sd", "mdlp"]),
        ("select", "song", ["songs"]),
        ("select", "", ["<file>"]),
        ("select -o", "x", ["<file>"]),
        ("predict", "x", ["<file>"]),
        ("compare -o", "x", ["<dir>"]),
        ("compare -m", "ec", ["ecc", "ecc-ldf"]),
        ("compare --metric", "ranking", ["ranking_loss"]),
        ("datasets fetch", "yea", ["yeast"]),
        ("datasets", "p", ["path"]),
        (f"select {SONGS} --labels", "da", ["danceable"]),
        (f"select {SONGS} --labels", "happy,sa", ["happy,sad"]),
        (f"select {SONGS} --exclude", "tra", ["track_number"]),
        ("select nowhere.arff --exclude", "tra", []),
        ("completion", "", list(SHELLS)),
    ],
)
def test_values_are_offered(
    line: str, text: str, values: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert offered(line, text) == values


def test_the_columns_of_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes('\ufefflast name,"a,b",c\'d\n1,2,3\n'.encode())
    assert offered(f"info {path} --labels", "") == ["first:", "last:", "last name", "a,b", "c'd"]


def test_all_models_are_offered() -> None:
    assert set(MODELS) == set(models.available())


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_asks_mlfs(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"{COMPLETE}={shell}_complete" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_completion_imports_nothing_heavy() -> None:
    program = (
        "import os, sys; os.environ.update(_MLFS_COMPLETE='bash_complete', COMP_CWORD='1', "
        "COMP_WORDS='mlfs se'); from mlfs.cli import main; main([]); "
        "sys.exit(str([m for m in ('numpy', 'sklearn') if m in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["plain,select"]
    assert done.stderr.strip() == "[]"
