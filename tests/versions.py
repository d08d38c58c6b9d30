"""Runs the quick tests of the public functions with other versions of what mlfs stands on.

``oldest`` takes the lowest version of every dependency that pyproject.toml promises, ``newest`` the
newest other Python on this machine. Both install into a virtual environment of their own, and both
run the tests of what a user calls: a version that lacks something fails there, and the answers
themselves do not depend on it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["lowest", "newest", "oldest"]

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("hypothesis", "pytest", "pytest-timeout")
EXTRAS = ("parquet", "plot", "compare")
FRAMES = ("pandas", "polars")  # what users hand over, in the lowest versions that the tests know
# The public functions, frames, files and plots: where other versions of other packages can show.
PUBLIC_TESTS = [
    *("tests/api/test_selector.py", "tests/data/test_arrays.py", "tests/data/test_parquet.py"),
    "tests/data/test_h5ad.py",
    "tests/datasets/test_downloads.py",
    *("tests/plots", "-k", "not answers_as"),  # real files: their answers are held elsewhere
]
SAY_VERSION = "import sys; print(*sys.version_info[:2])"


def requirements() -> list[str]:
    """Return what mlfs, its extras and its tests require, as pyproject.toml has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    frames = [one for one in extras["dev"] if one.startswith(FRAMES)]
    return [*project["dependencies"], *(one for name in EXTRAS for one in extras[name]), *frames]


def lowest(requirement: str) -> str:
    """Return the requirement of the lowest version.

    >>> lowest("numpy>=1.26,<3")
    'numpy==1.26'
    """
    found = re.fullmatch(r"([\w.-]+)>=([\w.]+)(,.*)?", requirement.replace(" ", ""))
    if found is None:
        raise ValueError(f"pyproject.toml gives no lowest version in {requirement!r}")
    return f"{found[1]}=={found[2]}"


def oldest(scratch: str) -> bool:
    """Test with the lowest version of every dependency; True when the tests pass."""
    python = _installed(Path(sys.executable), scratch, [lowest(one) for one in requirements()])
    return python is not None and _passes(python, scratch)


def newest(scratch: str) -> bool:
    """Test with the newest Python beside this one that the dependencies can be installed for."""
    for python, version in _newer_pythons():
        folder = str(Path(scratch) / version)
        ready = _installed(python, folder, requirements())
        if ready is not None:
            return _passes(ready, folder)
        _say(f"the dependencies cannot be installed for Python {version}: trying an older one")
    _say("no newer Python was found on this machine (PATH, ~/.pyenv): nothing is tested")
    return True


STEPS: dict[str, Callable[[str], bool]] = {"oldest": oldest, "newest": newest}


def _newer_pythons() -> Iterator[tuple[Path, str]]:
    """Yield each newer Python and its version, the newest first."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(40, sys.version_info.minor, -1):
        name = f"python3.{minor}"
        found = [*sorted(pyenv.glob(f"3.{minor}.*/bin/{name}")), shutil.which(name)]
        for one in filter(None, found):
            said = subprocess.run([one, "-c", SAY_VERSION], capture_output=True, check=False)
            if said.stdout.split() == [b"3", str(minor).encode()]:  # a shim may lead nowhere
                yield Path(one), f"3.{minor}"
                break


def _installed(python: Path, folder: str, wanted: list[str]) -> Path | None:
    """Make a virtual environment; return its Python, or None when a package has no wheel."""
    home = Path(folder) / "venv"
    _say(f"{python} with {' '.join(wanted)}")
    subprocess.run([python, "-m", "venv", home], check=True)
    inside = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [inside, "-m", "pip", "install", "-q", "--no-compile", "--prefer-binary"]
    done = subprocess.run([*pip, *wanted, *TOOLS], cwd=ROOT, check=False)
    return inside if done.returncode == 0 else None


def _passes(python: Path, folder: str) -> bool:
    env = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder) / "cache"), "PYTHONPATH": str(ROOT)}
    # An old package may use what its own dependencies have deprecated since.
    quiet = ["-p", "no:cacheprovider", "-W", "ignore::DeprecationWarning"]
    command = [python, "-m", "pytest", "-q", *quiet]  # in one process each kernel is compiled once
    done = subprocess.run([*command, *PUBLIC_TESTS], cwd=ROOT, env=env, check=False)
    return done.returncode == 0


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
