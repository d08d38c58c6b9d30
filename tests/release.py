"""Builds what is released and tries it as a user would: ``python -m tests release``.

The wheel and the source distribution are each installed into an empty environment. There the first
command of the README runs in an empty folder, and then, with the extras and the packages of frames
that the examples show, the doctests of all modules. It downloads
the dependencies and compiles the kernels anew, so it takes minutes and is no part of
``python -m tests``.

``python -m tests release --address URL`` writes the address of the repository where it belongs:
into pyproject.toml, CITATION.cff, mkdocs.yml and the recipe for conda-forge. With ``--site URL``
it also writes that of the documentation, to which estimators link in a notebook.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

__all__ = ["addressed", "first_command", "main", "to_do"]

ROOT = Path(__file__).resolve().parents[1]
FRAMES = ("pandas", "polars")
PAGES = {"Changelog": "CHANGELOG.md", "Issues": "issues", "Security": "SECURITY.md"}
DOCTESTS = """
import doctest, importlib, pkgutil, sys, warnings
import mlfs
from mlfs.errors import MissingExtra
flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
tried = failed = 0
absent = []
for found in pkgutil.walk_packages(mlfs.__path__, "mlfs."):
    if found.name.endswith("__main__"):
        continue
    try:
        module = importlib.import_module(found.name)
    except ImportError as error:
        absent.append(f"{found.name} ({error.name})")
        continue
    result = doctest.testmod(module, optionflags=flags)
    tried, failed = tried + result.attempted, failed + result.failed
print(f"{tried} examples, {failed} failed; not imported: {', '.join(absent) or 'none'}")
sys.exit(failed > 0 or tried < 100)
"""


def first_command() -> list[str]:
    """The arguments of the first command of the README, which follows its installation."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"pip install \. && \.venv/bin/mlfs ([^\n]+)\n", text)
    if found is None:
        raise ValueError("README.md has no command behind 'pip install .'")
    return found[1].split()


def to_do() -> list[str]:
    """What is still to be done before an upload, in sentences."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = _version()
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    lacking = []
    if "urls" not in project:
        lacking.append(
            "no address of the repository is known: python -m tests release --address URL"
        )
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changes, re.MULTILINE):
        lacking.append(f"CHANGELOG.md has no section '## [{version}] - DATE'")
    below = changes.partition("## [Unreleased]")[2].partition("\n## [")[0]
    if below.strip():
        lacking.append("CHANGELOG.md has changes under [Unreleased]")
    if f"version: {version}\n" not in cited or "date-released:" not in cited:
        lacking.append(f"CITATION.cff lacks version {version} or date-released")
    return lacking


def addressed(name: str, text: str, url: str, site: str = "") -> str:
    """The text of a file with the addresses of the repository and of the site in it."""
    url, site = url.rstrip("/"), site.rstrip("/")
    if name == "pyproject.toml":
        lines = [f'Homepage = "{url}"', f'Source = "{url}"']
        lines += [f'Documentation = "{site}"'] if site else []
        lines += [f'{title} = "{_page(url, page)}"' for title, page in PAGES.items()]
        table = "[project.urls]\n" + "\n".join(lines) + "\n\n"
        without = re.sub(r"\[project\.urls\]\n(?:.+\n)*\n", "", text)
        return without.replace("[project.scripts]\n", f"{table}[project.scripts]\n", 1)
    if name == "mkdocs.yml":
        without = re.sub(r"^(?:repo|site)_url: .*\n", "", text, flags=re.MULTILINE)
        lines = f"repo_url: {url}\n" + (f"site_url: {site}/\n" if site else "")
        return without.replace("docs_dir: docs\n", f"{lines}docs_dir: docs\n", 1)
    if name == "CITATION.cff":
        without = re.sub(r"^repository-code: .*\n", "", text, flags=re.MULTILINE)
        return without.rstrip("\n") + f'\nrepository-code: "{url}"\n'
    without = re.sub(r"^  (?:homepage|repository): .*\n", "", text, flags=re.MULTILINE)
    lines = f"about:\n  homepage: {url}\n  repository: {url}\n"
    return without.replace("about:\n", lines, 1)


def _page(url: str, page: str) -> str:
    return f"{url}/{page}" if page == "issues" else f"{url}/blob/main/{page}"


def _version() -> str:
    text = (ROOT / "mlfs" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    assert found is not None
    return found[1]


def main(arguments: list[str]) -> int:
    """Build and try what is released, or write the address; 0 when all is well."""
    parser = argparse.ArgumentParser(prog="python -m tests release", description=__doc__)
    parser.add_argument("--address", metavar="URL", help="where the repository is; writes it")
    parser.add_argument("--site", metavar="URL", default="", help="where the documentation is")
    given = parser.parse_args(arguments)
    if given.address:
        for name in ("pyproject.toml", "mkdocs.yml", "CITATION.cff", "recipe/recipe.yaml"):
            path = ROOT / name
            text = addressed(name, path.read_text(encoding="utf-8"), given.address, given.site)
            path.write_text(text, encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        built = _built(folder / "dist")
        passed = [_works(one, folder / f"with-{one.suffix[1:]}") for one in built]
        for one in built:
            _say(f"{one.name}: SHA-256 {hashlib.sha256(one.read_bytes()).hexdigest()}")
    for sentence in to_do():
        _say(f"to do before the upload: {sentence}")
    return 0 if len(passed) == 2 and all(passed) else 1


def _built(folder: Path) -> list[Path]:
    """The wheel and the source distribution, built from the checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True)
    return sorted(folder.iterdir())


def _works(distribution: Path, folder: Path) -> bool:
    """Install into an empty environment, and try it in an empty folder."""
    _say(f"== {distribution.name}")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    here = folder / "here"
    here.mkdir()
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env["NUMBA_CACHE_DIR"] = str(folder / "cache")
    install = [scripts / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    commands = [
        [*install, distribution],
        [scripts / "mlfs", *first_command()],
        [*install, f"{distribution}[all]", *FRAMES],
        [scripts / "python", "-c", DOCTESTS],
    ]
    for command in commands:
        if command[-1] == DOCTESTS:
            shutil.copytree(ROOT / "docs" / "examples", here / "docs" / "examples")
        done = subprocess.run(command, cwd=here, env=env, check=False)
        if done.returncode != 0:
            _say(f"failed: {' '.join(map(str, command))[:200]}")
            return False
    return True


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
