"""What is tried: a case, and the target that makes it and judges what becomes of it."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"
OPTIONS = ".options.json"


class Finding(AssertionError):
    """Something is wrong, in words: an answer that is not right, a message that is not one."""


@dataclass(frozen=True)
class Case:
    """The bytes of a file, and the options with which it is read (anything that JSON can hold)."""

    content: bytes
    options: dict[str, Any] = field(default_factory=dict)


class Target:
    """What is fuzzed. A subclass has a name and a suffix, makes cases and runs them."""

    name = ""
    suffix = ".bin"
    grace = 1.0  # seconds of processor time that any case may take
    per_megabyte = 4.0  # and for each megabyte of it
    memory = 192 << 20  # bytes that any case may take
    per_byte = 400  # and for each byte of it

    def prepare(self) -> None:
        """Import, compile and warm up all that is used, before limits and clocks start."""

    def generate(self, rng: random.Random) -> Case:
        """Make a case; the same state of `rng` makes the same one."""
        raise NotImplementedError

    def run(self, case: Case) -> bool:
        """Try a case: True if it was accepted, False if it was refused as it should be.

        Whatever else is raised is a finding, a `Finding` in its own words.
        """
        raise NotImplementedError


def seeded(target: Target, seed: int) -> Case:
    """Make the case of a seed."""
    return target.generate(random.Random(f"{target.name}:{seed}"))


def stored(path: Path) -> Case:
    """Read a case of the corpus."""
    beside = path.with_name(path.name + OPTIONS)
    options = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else {}
    return Case(path.read_bytes(), options)


def store(case: Case, path: Path) -> None:
    """Write a case as those of the corpus are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(case.content)
    if case.options:
        path.with_name(path.name + OPTIONS).write_text(json.dumps(case.options), encoding="utf-8")


def corpus(name: str) -> list[Path]:
    """The files that once failed for a target."""
    return sorted(path for path in (CORPUS / name).glob("*") if not path.name.endswith(OPTIONS))
