"""The wheel has all that it needs, and criteria/ in its place."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import mlfs
from tests.documents import ROOT

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


def test_every_module_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "mlfs").rglob("*.py")}
    assert modules <= names


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
