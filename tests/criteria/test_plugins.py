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

from mlfs import Criterion, CriterionError, criteria
from tests.documents import ROOT

PLUGINS = ROOT / "tests" / "plugin"
SONGS = str(ROOT / "docs" / "examples" / "songs.arff")
ARGUMENTS = ("-n", "6", "--format", "json", SONGS)


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


def python(site: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def mlfs(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python(site, "import sys; from mlfs.cli import main; sys.exit(main())", *arguments)


def selected(done: subprocess.CompletedProcess[str]) -> list[int]:
    assert done.returncode == 0, done.stderr
    return [pick["index"] for pick in json.loads(done.stdout)["selected"]]


def test_the_listing_has_the_plugin_and_names_the_broken_one(site: Path) -> None:
    done = mlfs(site, "criteria")
    assert done.returncode == 0, done.stderr
    assert "discounted" in done.stdout
    assert "mlfs-plugin-example" in done.stdout
    everything = done.stdout + done.stderr
    assert "shattered" in everything
    assert "mlfs-plugin-broken" in everything
    assert "Traceback" not in everything


def test_the_command_and_the_transformer_agree(site: Path) -> None:
    picks = selected(
        mlfs(
            site,
            "select",
            "-c",
            "discounted",
            "-p",
            "beta=0.3",
            "-n",
            "6",
            "--format",
            "json",
            SONGS,
        )
    )
    done = python(
        site,
        "import mlfs, sys\n"
        "songs = mlfs.read(sys.argv[1])\n"
        "picks = mlfs.select(songs, 'discounted', 6, parameters={'beta': 0.3})\n"
        "print([int(i) for i in picks.indices])",
        SONGS,
    )
    assert done.stdout.strip() == str(picks), done.stderr
    assert len(set(picks)) == 6


def test_the_transformer_takes_the_plugin_by_name(site: Path) -> None:
    program = (
        "import mlfs, numpy as np\n"
        "from mlfs.data import from_arrays\n"
        "rng = np.random.default_rng(0)\n"
        "X, Y = rng.integers(0, 3, (60, 8)), rng.integers(0, 2, (60, 3))\n"
        "selector = mlfs.FeatureSelector('discounted', n_features_to_select=4).fit(X, Y)\n"
        "plain = mlfs.select(from_arrays(X, Y), 'discounted', 4)\n"
        "print(selector.indices_.tolist() == list(plain.indices), len(selector.indices_))"
    )
    done = python(site, program)
    assert done.stdout.split() == ["True", "4"], done.stderr


def test_without_redundancy_the_plugin_is_mim(site: Path) -> None:
    discounted = selected(mlfs(site, "select", "-c", "discounted", "-p", "beta=0", *ARGUMENTS))
    assert discounted == selected(mlfs(site, "select", "-c", "mim", *ARGUMENTS))


def test_the_plugin_passes_the_checks(site: Path) -> None:
    program = (
        "from mlfs.checks import check_criterion\n"
        "from mlfs_plugin_example import Discounted\n"
        "check_criterion(Discounted)"
    )
    done = python(site, program)
    assert done.returncode == 0, done.stderr


def test_the_broken_plugin_is_refused_by_its_distribution(site: Path) -> None:
    done = mlfs(site, "select", "-c", "shattered", "-n", "2", SONGS)
    assert done.returncode in {1, 2}
    assert "mlfs-plugin-broken" in done.stderr
    assert "broken on purpose" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_broken_plugin_spoils_nothing_else(site: Path) -> None:
    assert (
        len(selected(mlfs(site, "select", "-c", "scls", "-n", "2", "--format", "json", SONGS))) == 2
    )


def test_a_slip_in_the_plugins_name_is_helped(site: Path) -> None:
    done = mlfs(site, "select", "-c", "discouted", "-n", "2", SONGS)
    assert done.returncode == 2
    assert "did you mean 'discounted'?" in done.stderr


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
