"""A criterion or a model of a comparison: its name with its parameters.

Choose among values of parameters inside the training rows, by an inner cross-validation.

A parameter with several values, as in ``br:C=0.1|1|10`` or ``mlfs_local:beta=0|0.5|1``, is tuned:
for each split, number of features and model, every combination of the criterion's and the model's
values is tried on inner folds of the training rows, and the best in the mean is used on all of
them. The test rows take no part.
"""

from __future__ import annotations

import importlib
import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlfs.api.value_kinds import literal
from mlfs.errors import DataError, UsageError, printable
from mlfs.metrics import METRICS


@dataclass(frozen=True)
class Named:
    """A criterion or model, as it is written: ``jmi``, or ``mlfs_local:beta=0.5,gamma=0``.

    Parameters
    ----------
    name : str
        A name that is known, or the import path of a classifier, or of a selector with its
        parameters in brackets.
    parameters : mapping
        Keyword arguments, plain values.

    Examples
    --------
    >>> str(named("occ:k=5,features=mlfs_local"))
    'occ:features=mlfs_local,k=5'
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        parameters = ",".join(
            f"{key}={_as_text(self.parameters[key])}" for key in sorted(self.parameters)
        )
        return f"{self.name}:{parameters}" if parameters else self.name

    def alternatives(self) -> list[Named]:
        """The same with each of the values that are separated by ``|``, in all combinations.

        Examples
        --------
        >>> [str(one) for one in named("br:C=0.1|1").alternatives()]
        ['br:C=0.1', 'br:C=1']
        """
        names = list(self.parameters)
        choices = [_values(self.parameters[name]) for name in names]
        return [
            Named(self.name, dict(zip(names, values, strict=True)))
            for values in itertools.product(*choices)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"name": self.name, "parameters": dict(self.parameters)}


def named(value: Any) -> Named:
    """Read a name with parameters: from text, a pair, or plain data.

    Examples
    --------
    >>> named(("jmi", {})), named("sgd:alpha=0.1").parameters
    (Named(name='jmi', parameters={}), {'alpha': 0.1})
    """
    if isinstance(value, Named):
        return value
    if isinstance(value, type):
        return Named(_path_of(value))
    if isinstance(value, Mapping):
        value = (value.get("name"), value.get("parameters", {}))
    if isinstance(value, str):
        split = max(value.rfind(")"), 0)  # what stands in brackets belongs to the name
        name, _, rest = value[split:].partition(":")
        name = value[:split] + name
        value = (name.strip(), dict(_pair(text, value) for text in rest.split(",") if rest))
    if isinstance(value, (tuple, list)) and len(value) == 2:
        name, parameters = value
        if isinstance(name, str) and name and isinstance(parameters, Mapping):
            return Named(name, dict(parameters))
    msg = f"{printable(repr(value))} is no name, and no name with a mapping of parameters"
    raise UsageError(msg)


def _path_of(cls: type) -> str:
    """The import path of a class, by which other processes find it too."""
    path = f"{cls.__module__}.{cls.__qualname__}"
    if cls.__module__ == "__main__" or "<locals>" in path:
        msg = f"a comparison runs in processes of its own, which cannot import {printable(path)}: "
        raise UsageError(
            f"{msg}write the class into a file, and give its name, ./{cls.__name__}.py"
        )
    return path


def _values(value: Any) -> list[Any]:
    """The values that a parameter may have: a text with ``|`` has several values."""
    if isinstance(value, str) and "|" in value:
        return [literal(text.strip()) for text in value.split("|")]
    return [value]


def _pair(text: str, full_text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        msg = (
            f"{printable(text)!r} in {printable(full_text)!r} is no parameter: write name:key=value"
        )
        raise UsageError(msg)
    return key.strip(), literal(value.strip())


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=repr)


def import_path(path: str, kind: str) -> Any:
    """Import a criterion or a model that is known by its import path only."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        msg = f"the {kind} {printable(path)!r} cannot be imported: {printable(error, 200)}"
        raise UsageError(msg) from error


INNER = 3  # folds


def is_tuned(*methods: Named) -> bool:
    """Whether one of them has a parameter with several values.

    Examples
    --------
    >>> is_tuned(Named("br", {"C": "0.1|1"})), is_tuned(Named("br", {"C": 1}))
    (True, False)
    """
    return any(len(method.alternatives()) > 1 for method in methods)


def best_of(
    criterion: Named,
    model: Named,
    metric: str,
    score_of: Callable[[Named, Named, int], float | None],
) -> tuple[Named, Named]:
    """The combination that is best in the mean over the inner folds; the first one in a tie.

    Parameters
    ----------
    criterion, model : Named
        With the values that are tried.
    metric : str
        What is compared.
    score_of : callable
        The metric of a criterion and a model on an inner fold, None where it has no value.
    """
    sign = 1 if METRICS[metric].higher_is_better else -1
    best: tuple[float, tuple[Named, Named]] | None = None
    for pair in itertools.product(criterion.alternatives(), model.alternatives()):
        values = np.array([score_of(*pair, fold) for fold in range(INNER)], float)  # None is NaN
        worth = sign * float(values.mean())
        if not np.isnan(worth) and (best is None or worth > best[0] + 1e-12):
            best = worth, pair
    if best is None:
        msg = f"no combination of the parameters of {criterion} and {model} has a {metric} on the "
        raise DataError(f"{msg}inner folds: tune by another metric")
    return best[1]
