"""The examples in README and docs: find them, run them; as a script, write their output anew."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.shared import shared_data

__all__ = [
    "PAGES",
    "ROOT",
    "Example",
    "matches",
    "pycon",
    "shell",
    "theirs",
    "transcripts",
    "workplace",
]

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "tutorials").glob("*.md")),
]
FENCE = re.compile(r"^( *)```(\w+)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
LAUNCHER = "import sys; from mlfs.cli import main; sys.argv[0] = 'mlfs'; sys.exit(main())"


@dataclass(frozen=True)
class Example:
    """One ``$ mlfs`` command of a console block with the output that the page promises."""

    command: str
    output: str


def fenced(text: str, language: str) -> Iterator[str]:
    """The contents of the fenced blocks of one language."""
    for _, found, body in FENCE.findall(text):
        if found == language:
            yield body


def transcripts(text: str) -> list[Example]:
    """The mlfs commands in the console blocks; other commands are for the reader alone."""
    found = []
    for body in fenced(text, "console"):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = command[:-1] + more.removeprefix(">").strip()
            if command.split()[0] == "mlfs":
                found.append(Example(command, output))
    return found


def theirs(example: Example) -> bool:
    """Whether a command is about the reader's own file or plugin, so that we cannot run it."""
    return " data." in example.command or " discounted " in example.command


def pycon(text: str) -> str:
    """All interactive sessions of a page, one after the other."""
    return "\n".join(fenced(text, "pycon"))


def workplace(folder: Path, text: str = "") -> dict[str, str]:
    """Lay out the data of a page under a folder; the environment in which `mlfs` is this checkout.

    A page about emotions is skipped where the benchmark files are missing.
    """
    if "emotions.arff" in text:
        for name in ("emotions.arff", "emotions.xml"):
            shutil.copy(shared_data(f"emotions/{name}"), folder)
    examples = folder / "docs" / "examples"
    examples.mkdir(parents=True)
    for data in (ROOT / "docs" / "examples").glob("*.arff"):
        shutil.copy(data, examples)
    launcher = folder / ".bin" / "mlfs"
    launcher.parent.mkdir()
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{LAUNCHER}" "$@"\n')
    launcher.chmod(0o755)
    path = os.pathsep.join([str(launcher.parent), os.environ.get("PATH", os.defpath)])
    python_path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PATH": path, "PYTHONPATH": python_path, "COLUMNS": "100"}


def shell(command: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run one line as the reader would type it."""
    return subprocess.run(
        command, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def matches(promised: str, got: str) -> bool:
    """Whether the output is as promised; `...` stands for anything, nothing for no promise."""
    return not promised.strip() or doctest.OutputChecker().check_output(promised, got, FLAGS)


def refresh(page: Path) -> None:
    """Write the present output below each command that promises another one, or none yet."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        env = workplace(Path(folder), text)
        for example in transcripts(text):
            if theirs(example):
                continue
            done = shell(example.command, Path(folder), env)
            if done.returncode:
                sys.stderr.write(f"{page.name}: {example.command}\n{done.stderr}")
            elif not (example.output.strip() and matches(example.output, done.stdout)):
                before = f"$ {example.command}\n{example.output}"
                text = text.replace(before, f"$ {example.command}\n{done.stdout}", 1)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in PAGES:
        refresh(each)
