"""The settings of a comparison: everything that determines its numbers.

How many features are kept: numbers, shares, or the square root of the number of rows.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import mlfs
from mlfs.compare.data_sources import DataSource
from mlfs.compare.named import Named
from mlfs.compare.resampling import Splitting
from mlfs.errors import UsageError, printable


@dataclass(frozen=True)
class Size:
    """A number of features as it was asked for.

    Parameters
    ----------
    text : str
        ``80``, ``0.1``, ``sqrt`` or ``all``.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def is_share(self) -> bool:
        """Whether it is a share of the columns.

        Examples
        --------
        >>> size(0.1).is_share, size(10).is_share, size("sqrt").is_share
        (True, False, False)
        """
        return self.text not in {"all", "sqrt"} and not self.text.isdigit()

    def count(self, n_rows: int, d: int) -> int:
        """How many columns that is for a data set; never more than it has.

        ``sqrt`` is ceil(sqrt(N)) with N the rows of the whole data set, the SCLS paper's choice.

        Examples
        --------
        >>> size("sqrt").count(7395, 1836), size(0.1).count(7395, 1836), size(50).count(7395, 20)
        (86, 184, 20)
        """
        if self.text == "all":
            return d
        if self.text == "sqrt":
            return min(d, math.ceil(math.sqrt(n_rows)))
        if self.text.isdigit():
            return min(d, int(self.text))
        return min(d, max(1, math.floor(float(self.text) * d + 0.5)))


ALL = Size("all")


def size(value: Any) -> Size:
    """Read a number of features, a share in (0, 1], or ``sqrt``.

    Examples
    --------
    >>> size("0.10"), size(10)
    (Size(text='0.1'), Size(text='10'))
    """
    if isinstance(value, Size):
        return value
    number = value.item() if isinstance(value, np.generic) else value
    text = "a truth value" if isinstance(number, bool) else str(number).strip().lower()
    if text in {"sqrt", "all"}:
        return Size(text)
    try:
        if text.isdigit() and 1 <= int(text) <= sys.maxsize:
            return Size(str(int(text)))
        if 0 < float(text) <= 1 and not text.isdigit():
            return Size(repr(float(text)))
    except ValueError:
        pass
    msg = f"is {printable(value)!r}: no number of features, no share in (0, 1], and not 'sqrt'"
    raise UsageError(msg, option="n")


SCHEMA = 1
LISTS = ("data", "criteria", "models", "n")
DECISIVE = ("splits", "seed", "keep_identifiers", "options")
UNSIZED = ("all", "own")  # ways of selecting features that have no number of features


@dataclass(frozen=True)
class Settings:
    """A comparison.

    Parameters
    ----------
    sources : tuple of DataSource
        The data sets.
    rankers : tuple of Named
        What selects features: criteria and baselines.
    models : tuple of Named
        What is trained on them.
    sizes : tuple of Size
        How many features are kept.
    protocol : Splitting
        How rows are split into training and test rows.
    seed : int
        Seeds everything random.
    options : mapping
        How selections are made: options of `mlfs.select`, such as ``bins``.
    selecting_models : tuple of Named
        The models that select features for themselves.
    keep_identifiers : bool
        Whether columns with another value in every row take part.
    budget : float, optional
        The time of a selection, and of the rest of a cell, in seconds.
    details : bool
        Whether the quality of each label is kept beside the record of a cell.
    predictions : bool
        Whether its predictions are kept there, too.
    """

    sources: tuple[DataSource, ...]
    rankers: tuple[Named, ...]
    models: tuple[Named, ...]
    sizes: tuple[Size, ...]
    protocol: Splitting
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    selecting_models: tuple[Named, ...] = ()
    keep_identifiers: bool = False
    budget: float | None = None
    details: bool = False
    predictions: bool = True

    @property
    def methods(self) -> list[tuple[Named, Named]]:
        """A ranker and a model each; ``own`` only with models that select for themselves."""
        return [
            (ranker, model)
            for ranker in self.rankers
            for model in self.models
            if ranker.name != "own" or model in self.selecting_models
        ]

    def sizes_of(self, ranker: Named) -> tuple[Size, ...]:
        """The numbers of features of a ranker."""
        return (ALL,) if ranker.name in UNSIZED else self.sizes

    def cells(self) -> list[Cell]:
        """All cells, in the order of the table; those that share a selection follow each other."""
        return [
            Cell(source, ranker, model, size, split, self)
            for source in self.sources
            for split in range(self.protocol.count(source.name))
            for ranker in self.rankers
            for size in self.sizes_of(ranker)
            for method_ranker, model in self.methods
            if method_ranker == ranker
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for the report and to notice changes."""
        return {
            "schema": SCHEMA,
            "mlfs": mlfs.__version__,
            "data": [source.to_dict() for source in self.sources],
            "criteria": [str(ranker) for ranker in self.rankers],
            "models": [str(model) for model in self.models],
            "n": [str(size) for size in self.sizes],
            "protocol": str(self.protocol),
            "splits": self.protocol.to_dict(),
            "selecting_models": [str(model) for model in self.selecting_models],
            "budget": self.budget,
            "seed": self.seed,
            "keep_identifiers": self.keep_identifiers,
            "options": dict(self.options),
        }

    def changed(self, earlier: Mapping[str, Any]) -> list[str]:
        """The differences from the settings of an earlier run, as text."""
        current = self.to_dict()
        changes = []
        for key in sorted({*current, *earlier}):
            before, after = earlier.get(key), current.get(key)
            if before == after:
                continue
            if key == "data":
                before, after = (_source_names(before or []), _source_names(after or []))
            changes.append(f"{key}: {_short(before)} -> {_short(after)}")
        return changes

    def lacking(self, earlier: Mapping[str, Any]) -> list[str]:
        """Parts of an earlier report that this one would lack, as text.

        More data sets, criteria, models or numbers of features take nothing away.
        """
        current = json.loads(json.dumps(self.to_dict(), default=repr))
        lost = []
        for key in LISTS:
            missing = [item for item in earlier.get(key, []) if item not in current[key]]
            if missing:
                shown = _source_names(missing) if key == "data" else missing
                lost.append(f"{key} {_short(', '.join(map(str, shown)))}")
        for key in DECISIVE:
            if key in earlier and earlier[key] != current[key]:
                name = "protocol" if key == "splits" else key
                lost.append(f"{name.replace('_', ' ')} {_short(earlier.get(name))}")
        return lost


@dataclass(frozen=True)
class Cell:
    """One number of features of one ranker, for one model, on one split of one data set."""

    source: DataSource
    ranker: Named
    model: Named
    size: Size
    split: int
    settings: Settings = field(repr=False)

    @property
    def fold(self) -> tuple[DataSource, int]:
        """The data set and the split: cells of one fold share the prepared training rows."""
        return self.source, self.split

    @property
    def key(self) -> str:
        """The name of its results: a digest of everything that determines them."""
        parts = {
            "schema": SCHEMA,
            "mlfs": mlfs.__version__,
            "data": [self.source.digest, self.source.labels],
            "criterion": self.ranker.to_dict(),
            "model": self.model.to_dict(),
            "n": str(self.size),
            "protocol": self.settings.protocol.identity(self.source.name),
            "split": self.split,
            "seed": self.settings.seed,
            "options": dict(self.settings.options),
        }
        if self.settings.keep_identifiers:
            parts["keep_identifiers"] = True
        if self.ranker.name.endswith(".py"):  # its code may be another one next time
            parts["code"] = hashlib.sha256(Path(self.ranker.name).read_bytes()).hexdigest()
        if self.source.exclude:
            parts["exclude"] = self.source.exclude
        text = json.dumps(parts, sort_keys=True, default=repr)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def to_dict(self) -> dict[str, Any]:
        """The columns of the table that identify the cell."""
        return {
            "data": self.source.name,
            "criterion": str(self.ranker),
            "model": str(self.model),
            "n": str(self.size),
            "split": self.split,
        }


def seed_for(seed: int, *parts: object) -> int:
    """A seed for one piece of work, independent of what else is done.

    Examples
    --------
    >>> seed_for(0, "emotions", 3) == seed_for(0, "emotions", 3) != seed_for(1, "emotions", 3)
    True
    """
    text = json.dumps([seed, *map(str, parts)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def _source_names(data: Any) -> list[str]:
    return [
        f"{source['name']} ({source['digest'][:8]})"
        + (f" without {', '.join(source['exclude'])}" if source.get("exclude") else "")
        for source in data
    ]


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=repr)
    return text if len(text) <= 120 else text[:119] + "…"
