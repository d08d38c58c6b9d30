"""The wheel has all that it needs, and criteria/ in its place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import mlfs
from tests.documents import ROOT
from tests.release import addressed, first_command

CRITERIA = {path.stem for path in (ROOT / "criteria").glob("*.py")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"),
            *("--no-build-isolation", "--disable-pip-version-check", "-w", str(folder), str(ROOT)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return next(folder.glob("mlfs_toolkit-*.whl"))


def test_the_wheel_is_named_after_distribution_and_version(wheel: Path) -> None:
    assert wheel.name == f"mlfs_toolkit-{mlfs.__version__}-py3-none-any.whl"


def test_criteria_are_a_part_of_the_package(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"mlfs/criteria/{name}.py" for name in CRITERIA} <= names
    assert not [name for name in names if name.startswith(("criteria/", "tests/", "docs/"))]
    assert "mlfs/py.typed" in names


def test_every_module_and_data_file_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    here = [path for path in (ROOT / "mlfs").rglob("*.*") if "__pycache__" not in path.parts]
    assert {path.relative_to(ROOT).as_posix() for path in here if path.is_file()} <= names
    assert "mlfs/datasets/songs.arff" in names


def test_the_licence_and_the_command_come_along(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        info = f"mlfs_toolkit-{mlfs.__version__}.dist-info"
        assert "BSD 3-Clause" in archive.read(f"{info}/licenses/LICENSE").decode()
        assert "mlfs = mlfs.cli:main" in archive.read(f"{info}/entry_points.txt").decode()


@pytest.mark.parametrize("place", ["elsewhere", "beside a folder called mlfs"])
def test_the_wheel_works_unpacked(wheel: Path, tmp_path: Path, place: str) -> None:
    site, here = tmp_path / "site", tmp_path / "here"
    zipfile.ZipFile(wheel).extractall(site)
    here.mkdir()
    if place.startswith("beside"):
        (here / "mlfs").mkdir()
    program = (
        "import mlfs, mlfs.criteria as c; from mlfs.criteria import mrmr;"
        "print(mlfs.__file__); print(mrmr.__file__); print(*c.available())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    )
    *files, names = done.stdout.splitlines()
    assert all(file.startswith(str(site)) for file in files)
    assert set(names.split()) >= CRITERIA


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_recipe_requires_what_the_package_does() -> None:
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    run = {one.replace(" ", "") for one in recipe["requirements"]["run"] if "python_min" not in one}
    assert run == set(PROJECT["dependencies"])
    assert recipe["context"]["version"] == mlfs.__version__
    assert f"mlfs {' '.join(first_command())}" in recipe["tests"][1]["script"]


def test_the_pages_say_what_the_package_requires() -> None:
    support = (ROOT / "docs" / "support.md").read_text(encoding="utf-8")
    for one in PROJECT["dependencies"]:
        name, lowest = one.split(">=")
        assert f"| {name} | >={lowest} |" in support
    versions = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if "Python :: 3." in one]
    assert f"| Python | {', '.join(versions)} |" in support
    install = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", install, re.MULTILINE))
    assert listed == set(PROJECT["optional-dependencies"])


def test_citation_names_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == mlfs.__version__
    assert cited["license"] == PROJECT["license"]


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.name
)
def test_templates_are_forms(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert path.name == "config.yml" or {"name", "description", "body"} <= set(form)


def test_the_address_is_written_where_it_belongs_once() -> None:
    url, site = "https://example.org/someone/mlfs", "https://example.org/docs"
    for name in ("pyproject.toml", "mkdocs.yml", "CITATION.cff", "recipe/recipe.yaml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        once = addressed(name, text, url, site)
        assert url in once
        assert addressed(name, once, url + "/", site + "/") == once
        if name == "pyproject.toml":
            urls = tomllib.loads(once)["project"].pop("urls")
            assert {"Source", "Issues", "Changelog", "Documentation"} <= set(urls)
        elif name != "mkdocs.yml":
            yaml.safe_load(once)


def test_the_forge_runs_what_ci_runs() -> None:
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    matrix = yaml.safe_load(workflow)["jobs"]["tests"]["strategy"]["matrix"]
    assert len(matrix["system"]) == 3
    assert len(matrix["python"]) == 2
    assert "run: bash .ci/run" in workflow
