"""Plugins: a distribution with a criterion, and a broken one, installed by pip and used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

import mlfs
from mlfs import Criterion, CriterionError, cli, criteria
from mlfs.criteria import check_criterion
from tests.documents import ROOT

PLUGINS = ROOT / "tests" / "plugin"
SONGS = str(ROOT / "docs" / "examples" / "songs.arff")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed both distributions."""
    target = tmp_path_factory.mktemp("site")
    for name in ("good", "broken"):
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"),
                *("--no-build-isolation", "--disable-pip-version-check"),
                *("--target", str(target), str(PLUGINS / name)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def run(site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the command where both are installed: exit code, stdout, stderr."""
    monkeypatch.syspath_prepend(site)

    def go(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(arguments)
        return code, *capsys.readouterr()

    return go


def test_the_listing_has_the_plugin_and_names_the_broken_one(site: Path) -> None:
    """In a process of its own, as a user has it."""
    done = subprocess.run(
        [sys.executable, "-m", "mlfs", "criteria"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "discounted" in done.stdout
    assert "mlfs-plugin-example" in done.stdout
    everything = done.stdout + done.stderr
    assert "shattered" in everything
    assert "mlfs-plugin-broken" in everything
    assert "Traceback" not in everything


def test_command_function_and_transformer_take_the_plugin_by_name(run) -> None:
    chosen = ("-c", "discounted", "-p", "beta=0.3")
    code, out, _ = run("select", *chosen, "-n", "6", "--format", "json", SONGS)
    assert code == 0
    songs = mlfs.read(SONGS)
    picks = mlfs.select(songs, "discounted", 6, parameters={"beta": 0.3}).indices
    assert [pick["index"] for pick in json.loads(out)["selected"]] == list(picks)
    assert len(set(picks)) == 6
    selector = mlfs.FeatureSelector("discounted", 6).fit(songs.X, songs.Y)
    assert selector.indices_.tolist() == list(mlfs.select(songs, "discounted", 6).indices)


@pytest.mark.usefixtures("run")
def test_without_redundancy_the_plugin_is_mim() -> None:
    songs = mlfs.read(SONGS)
    without = mlfs.select(songs, "discounted", 6, parameters={"beta": 0})
    assert without.indices == mlfs.select(songs, "mim", 6).indices


@pytest.mark.usefixtures("run")
def test_the_plugin_passes_the_checks() -> None:
    check_criterion(type(criteria.get("discounted")[1]))


def test_the_broken_plugin_is_refused_by_its_distribution(run) -> None:
    code, _, err = run("select", "-c", "shattered", "-n", "2", SONGS)
    assert code in {1, 2}
    assert "mlfs-plugin-broken" in err
    assert "broken on purpose" in err
    assert "Traceback" not in err


def test_the_broken_plugin_spoils_nothing_else(run) -> None:
    code, out, _ = run("select", "-c", "scls", "-n", "2", "--format", "json", SONGS)
    assert code == 0
    assert len(json.loads(out)["selected"]) == 2


def test_a_slip_in_the_plugins_name_is_helped(run) -> None:
    code, _, err = run("select", "-c", "discouted", "-n", "2", SONGS)
    assert code == 2
    assert "did you mean 'discounted'?" in err


class _Point:
    """The parts of an entry point that the registry uses."""

    def __init__(self, name: str, load: Callable[[], object], distribution: str) -> None:
        self.name, self.value, self.load = name, f"{distribution}:{name}", load
        self.dist = SimpleNamespace(name=distribution)


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> list[_Point]:
    points: list[_Point] = []
    monkeypatch.setattr(metadata, "entry_points", lambda group: points)
    return points


class Mine(Criterion):
    """Mine (nobody).   J(f) = sum_l I(f;l)"""

    def relevance(self, info):  # type: ignore[no-untyped-def]
        return info.mi_fL


def test_a_plugin_that_ends_the_program_when_imported_does_not(
    offered: list[_Point], capsys: pytest.CaptureFixture[str]
) -> None:
    def leaves() -> None:
        print("hello")
        sys.exit(3)

    offered.append(_Point("leaves", leaves, "rude"))
    [reported] = [one for one in criteria.origins() if one.name == "leaves"]
    assert "rude" in reported.broken
    assert capsys.readouterr().out == ""


def test_two_plugins_of_one_name_are_both_named(offered: list[_Point]) -> None:
    offered += [_Point("mine", lambda: Mine, "first"), _Point("mine", lambda: Mine, "second")]
    with pytest.raises(CriterionError, match=r"first .* and second"):
        criteria.get("mine")
    assert criteria.available().count("mine") == 1
    offered[1:] = [offered[0]]  # found twice, as an editable one is
    assert criteria.get("mine")[0] == "mine"


def test_the_case_of_a_plugin_s_name_does_not_matter(offered: list[_Point]) -> None:
    offered.append(_Point("MinE", lambda: Mine, "first"))
    assert "mine" in criteria.available()
    assert isinstance(criteria.get("MinE")[1], Mine)
