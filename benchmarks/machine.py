"""On what it ran: the line that stands above every table."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["describe", "line"]

PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")


def describe() -> dict[str, Any]:
    """Processor, cores, memory, system, versions; no names of hosts or folders."""
    import mlfs

    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "memory_gb": _memory(),
        "system": platform.system(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "mlfs": mlfs.__version__,
        **{name: version(name) for name in PACKAGES},
    }


def line(machine: dict[str, Any]) -> str:
    """One line of it."""
    versions = ", ".join(f"{name} {machine[name]}" for name in ("python", "mlfs", *PACKAGES))
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, "
        f"{machine['system']}; {versions}; load at the start {machine['load']}"
    )


def version(distribution: str) -> str | None:
    """The version that is installed, if any."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    report = Path("/proc/cpuinfo")
    if report.exists():
        fields = dict(_fields(report.read_text(encoding="utf-8")))
        name = fields.get("model name", platform.processor())
        wide = "AVX-512" if "avx512f" in fields.get("flags", "") else "no AVX-512"
        return f"{name} ({wide})"
    return platform.processor() or platform.machine()


def _fields(text: str) -> list[tuple[str, str]]:
    pairs = (line.partition(":") for line in text.splitlines())
    return [(key.strip(), value.strip()) for key, _, value in pairs]


def _memory() -> int:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (AttributeError, ValueError, OSError):
        return 0
