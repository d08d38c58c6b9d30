"""How a report was made: when, by which command, with which versions."""

from __future__ import annotations

import platform
import shlex
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import mlfs
from mlfs.compare.data_sources import DataSource
from mlfs.compare.resampling import Folds, Given, Holdout
from mlfs.compare.results import Results
from mlfs.compare.running import DEFAULT_METRICS
from mlfs.compare.settings import Settings

__all__ = ["command", "provenance", "shapes"]

PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")
OPTIONS = {"bins": "mean-sd", "missing": "level"}  # those that the command has, with defaults


def provenance(results: Results) -> list[tuple[str, str]]:
    """Date, command and versions, a name and a value each."""
    versions = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    rows = [("report written", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"))]
    command_line = command(results)
    rows += [("command", command_line)] if command_line else []
    return [*rows, ("with", ", ".join(versions))]


def shapes(results: Results) -> dict[str, tuple[int, int, int]]:
    """Rows, features and labels of the data sets of which they were recorded."""
    by_data = {
        record["cell"]["data"]: record["shape"] for record in results.records if record.get("shape")
    }
    return {name: (n, d, q) for name, (n, d, q) in by_data.items()}


def command(results: Results) -> str:
    """The command line that makes the same comparison; empty if no command does.

    Files are named without their folders.
    """
    settings = results.settings
    split = _split(settings)
    if results.own or split is None or set(settings.options) - set(OPTIONS):
        return ""
    words = ["mlfs", "compare"]
    for flag, values in (("-c", settings.rankers), ("-m", settings.models)):
        words += [word for method in values for word in (flag, str(method))]
    words += ["-n", ",".join(map(str, settings.sizes)), *split]
    if results.metrics != DEFAULT_METRICS:
        words += [word for metric in results.metrics for word in ("--metric", metric)]
    words += ["--seed", str(settings.seed)] if settings.seed else []
    for key, value in settings.options.items():
        words += [f"--{key}", str(value)] if value != OPTIONS[key] else []
    first = settings.sources[0]
    words += ["--labels", first.labels] if first.labels else []
    groups = getattr(settings.protocol, "groups", "")
    words += [
        word for column in first.exclude if column != groups for word in ("--exclude", column)
    ]
    words += ["--keep-identifiers"] if settings.keep_identifiers else []
    words += ["--tune-by", settings.tune_by] if settings.tune_by != "macro_f1" else []
    words += ["--budget", f"{settings.budget:g}"] if settings.budget else []
    return shlex.join([*words, "-o", "report", *map(_file, settings.sources)])


def _split(settings: Settings) -> list[str] | None:
    """The options of the protocol; None if no option says it."""
    protocol = settings.protocol
    if isinstance(protocol, Given):
        return ["--split", "given"]
    if isinstance(protocol, Holdout):
        return ["--holdout", f"{protocol.share:g}", "--repeat", str(protocol.repeat)]
    if not isinstance(protocol, Folds):
        return None
    words = ["--folds", str(protocol.k)]
    words += ["--repeat", str(protocol.repeat)] if protocol.repeat > 1 else []
    return [*words, "--groups", protocol.groups] if protocol.groups else words


def _file(source: DataSource) -> str:
    path = Path(source.path)
    ours = Path(mlfs.__file__).parent in path.parents  # which has a name in every command
    return source.name if ours or not path.name else path.name
