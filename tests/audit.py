"""Compares installed versions with known vulnerabilities: the step `audit` of ``python -m tests``.

The list is a folder of files in the format of https://osv.dev, one JSON for each vulnerability, as
in its download for PyPI; ``MLFS_ADVISORIES`` names the folder. Without a list nothing is checked,
and the step says so.
"""

from __future__ import annotations

import json
import os
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from tests.versions import requirements

__all__ = ["STEPS", "affects", "audit", "closure"]

LIST = "MLFS_ADVISORIES"


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(wanted: list[str]) -> dict[str, str]:
    """The installed version of each required package, and of all that these require."""
    found: dict[str, str] = {}
    while wanted:
        requirement = Requirement(wanted.pop())
        name = _plain(requirement.name)
        marker = requirement.marker
        if name in found or (marker is not None and not marker.evaluate({"extra": ""})):
            continue
        try:
            one = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        found[name] = one.version
        wanted += one.requires or []
    return found


def affects(advisory: dict[str, Any], name: str, version: str) -> bool:
    """Whether a vulnerability is in a version of a package.

    >>> fixed = {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.2"}]}
    >>> package = {"ecosystem": "PyPI", "name": "A.b"}
    >>> advisory = {"affected": [{"package": package, "ranges": [fixed]}]}
    >>> affects(advisory, "a-b", "1.1"), affects(advisory, "a-b", "1.2")
    (True, False)
    """
    for one in advisory.get("affected", []):
        package = one.get("package", {})
        if package.get("ecosystem") != "PyPI" or _plain(package.get("name", "")) != name:
            continue
        if version in one.get("versions", []):
            return True
        ranges = [r for r in one.get("ranges", []) if r.get("type") == "ECOSYSTEM"]
        if any(_within(r.get("events", []), Version(version)) for r in ranges):
            return True
    return False


def _within(events: list[dict[str, str]], version: Version) -> bool:
    inside = False
    for event in events:
        for kind, text in event.items():
            try:
                bound = Version(text)
            except InvalidVersion:
                continue
            if kind == "introduced" and version >= bound:
                inside = True
            elif (kind == "fixed" and version >= bound) or (
                kind == "last_affected" and version > bound
            ):
                inside = False
    return inside


def audit(scratch: str) -> bool:
    """Check all dependencies; False if one has a known vulnerability."""
    del scratch
    installed = closure(requirements())
    folder = os.environ.get(LIST, "")
    if not folder:
        sys.stderr.write(
            f"{len(installed)} packages were NOT checked: there is no list of known "
            f"vulnerabilities on this machine; {LIST} names a folder of OSV files\n"
        )
        return True
    files = sorted(Path(folder).rglob("*.json"))
    if not files:
        sys.stderr.write(f"{folder} has no OSV files\n")
        return False
    hits = 0
    for file in files:
        advisory = json.loads(file.read_text(encoding="utf-8"))
        if advisory.get("withdrawn"):
            continue
        for name, version in installed.items():
            if affects(advisory, name, version):
                hits += 1
                told = advisory.get("summary", "")
                sys.stderr.write(f"{name} {version}: {advisory.get('id', file.name)} {told}\n")
    sys.stderr.write(f"{len(installed)} packages, {len(files)} advisories, {hits} hits\n")
    return hits == 0


STEPS = {"audit": audit}
