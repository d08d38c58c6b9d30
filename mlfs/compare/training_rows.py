"""The rows that train in one split, prepared once for all criteria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mlfs.api.prepared import Prepared, prepare
from mlfs.compare.measure import Cost, measured
from mlfs.data.dataset import Dataset

__all__ = ["TrainingRows"]

PREPARATION = ("bins", "n_bins", "nominal_limit", "missing")


@dataclass
class TrainingRows:
    """The rows that train.

    Parameters
    ----------
    data : Dataset
        The rows, with their labels.
    options : mapping
        How selections are made; those of `mlfs.prepare` are used here.
    preparing : Cost
        What binning and counting cost; nothing until `prepared` is used.
    """

    data: Dataset
    options: Mapping[str, Any] = field(default_factory=dict)
    preparing: Cost = field(default_factory=Cost)

    @cached_property
    def prepared(self) -> Prepared:
        """The same rows binned and counted, for every criterion and filter that counts."""
        options = {key: value for key, value in self.options.items() if key in PREPARATION}
        with measured() as self.preparing:
            return prepare(self.data, **options)
