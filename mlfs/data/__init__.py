"""Readers and writers: any multi-label table in, one `Dataset` out."""

from __future__ import annotations

from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.formats import FORMATS, Format, read, write
from mlfs.data.limits import Limits

__all__ = [
    "FORMATS",
    "Column",
    "Dataset",
    "Format",
    "Label",
    "Limits",
    "Source",
    "from_arrays",
    "read",
    "write",
]


def __getattr__(name: str) -> object:
    if name == "from_arrays":
        from mlfs.data.arrays import from_arrays

        return from_arrays
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
