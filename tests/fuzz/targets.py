"""The targets by name; the module of one is imported when it is first used."""

from __future__ import annotations

import importlib

from tests.fuzz.cases import Target

# name: (module, class)
TARGETS: dict[str, tuple[str, str]] = {
    "arff": ("tests.fuzz.readers.arff", "Arff"),
    "csv": ("tests.fuzz.readers.csv_files", "Csv"),
    "tsv": ("tests.fuzz.readers.csv_files", "Tsv"),
    "svmlight": ("tests.fuzz.readers.sparse_text", "Svmlight"),
    "xmc": ("tests.fuzz.readers.sparse_text", "Xmc"),
    "npz": ("tests.fuzz.readers.npz_files", "Npz"),
    "parquet": ("tests.fuzz.readers.parquet_files", "Parquet"),
    "labels": ("tests.fuzz.readers.label_files", "LabelFile"),
    "use": ("tests.fuzz.uses.read_data", "ReadData"),
    "model": ("tests.fuzz.models.stored", "StoredModels"),
}
_made: dict[str, Target] = {}


def target(name: str) -> Target:
    """The target of a name (or of module:class), prepared once in each process."""
    if name not in _made:
        module, kind = TARGETS[name] if name in TARGETS else name.split(":")
        _made[name] = getattr(importlib.import_module(module), kind)()
        _made[name].prepare()
    return _made[name]
