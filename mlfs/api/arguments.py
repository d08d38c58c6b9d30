"""The arguments of the scikit-learn door, where they mean more or less than those of `select`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any

import joblib
import numpy as np

from mlfs.api.selection import Selection
from mlfs.errors import UsageError, printable

__all__ = ["check_kinds", "seed_of", "threads"]

SEEDS = 2**31 - 1
COLUMNS = (str, int, np.integer, Iterable, NoneType)
KINDS: dict[str, tuple[Any, str]] = {
    "per_label": ((bool, np.bool_), "True or False"),
    "classes": ((bool, np.bool_), "True or False"),
    "parameters": ((Mapping, NoneType), "a mapping from the criterion's parameters to values"),
    "include": (COLUMNS, "names or positions of columns"),
    "exclude": (COLUMNS, "names or positions of columns"),
    "start": ((*COLUMNS, Selection), "an earlier selection, or names or positions of columns"),
    "categorical_features": (COLUMNS, "'from_dtype', or names, positions or a mask of columns"),
    "groups": ((Iterable, NoneType), "group names to columns, or one group name for each column"),
    "bins": (str, "the name of a binning"),
    "nominal_limit": ((int, np.integer), "a whole number"),
    "missing": (str, "'level', 'ignore' or 'error'"),
    "units": (str, "'nats' or 'bits'"),
}


def check_kinds(options: Mapping[str, Any]) -> None:
    """Refuse options of a wrong kind; `mlfs.select` refuses wrong values.

    Examples
    --------
    >>> check_kinds({"per_label": True, "bins": 3})
    Traceback (most recent call last):
    mlfs.errors.UsageError: bins is the name of a binning, not 3
    """
    for option, (kinds, wanted) in KINDS.items():
        value = options.get(option)
        if option in options and not isinstance(value, kinds):
            msg = f"{option} is {wanted}, not {printable(repr(value))}"
            raise UsageError(msg)


def threads(n_jobs: Any) -> Any:
    """How many threads: None and negative numbers as the active joblib backend has it.

    But never more than this machine has: a backend may speak of a whole cluster.

    Examples
    --------
    >>> threads(3)
    3
    >>> with joblib.parallel_config("threading", n_jobs=1):
    ...     threads(None)
    1
    """
    if n_jobs is None or (isinstance(n_jobs, (int, np.integer)) and n_jobs < 0):
        return max(1, min(joblib.effective_n_jobs(n_jobs), joblib.cpu_count()))
    return n_jobs


def seed_of(random_state: Any) -> int:
    """A seed from what scikit-learn's users call ``random_state``; None is 0.

    Examples
    --------
    >>> seed_of(None), seed_of(7)
    (0, 7)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(SEEDS))
    if not isinstance(random_state, (int, np.integer)) or random_state < 0:
        shown = printable(repr(random_state))
        msg = f"random_state is a whole number from 0 on or a RandomState, not {shown}"
        raise UsageError(msg)
    return int(random_state)
