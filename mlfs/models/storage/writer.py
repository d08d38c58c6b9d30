"""Convert objects to JSON and arrays, as `storable` says."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.errors import DataError, UsageError, printable
from mlfs.models.storage.archive import TYPES
from mlfs.models.storage.reader import TREE, take_apart
from mlfs.models.storage.storable import (
    DEEPEST,
    MOST_NESTED,
    SKLEARN,
    SPARSE,
    check_learner,
    field_names,
    is_key,
    is_model,
    is_record,
    kept_attributes,
    listed_learners,
    name_of,
)

PARAMETERS_ONLY = "mlfs.api.selector.FeatureSelector"
REMEDY = "keep such a model with skops or joblib, for those who trust the file"


class Writer:
    """Takes values apart; `objects` and `arrays` grow with what they hold."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.arrays: list[np.ndarray] = []
        # the value is kept too, so that its id is not used again
        self._seen: dict[int, tuple[Any, int]] = {}
        self._open: dict[int, Any] = {}
        self._names: dict[type, str | None] = {}

    def node(self, value: Any, place: str = "the model", depth: int = 0) -> Any:
        """The JSON of a value.

        Examples
        --------
        >>> Writer().node((1, [0.5, float("nan")]))
        {'tuple': [1, [0.5, {'float': 'nan'}]]}
        """
        if depth > DEEPEST:
            raise UsageError(f"{place} is nested too deeply for a model file")
        if value is None or type(value) in (bool, str, int):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if type(value) is list:
            return self._nodes(value, place, depth)
        if type(value) is tuple:
            return {"tuple": self._nodes(value, place, depth)}
        if type(value) in (dict, MappingProxyType) or type(value).__name__ == "Bunch":
            pairs = [
                [self.node(_key(k, place), place, depth + 1), self.node(v, place, depth + 1)]
                for k, v in value.items()
            ]
            return {"bunch" if type(value).__name__ == "Bunch" else "dict": pairs}
        if isinstance(value, np.dtype) and value.newbyteorder("<").str in TYPES:
            return {"dtype": value.newbyteorder("<").str}
        if isinstance(value, np.str_):
            return str(value)
        if isinstance(value, (np.generic, np.ndarray)) and not isinstance(value, np.ma.MaskedArray):
            return self._array(value, place, depth)
        if sp.issparse(value) and type(value).__name__ in SPARSE:
            parts = [self.node(part, place) for part in (value.data, value.indices, value.indptr)]
            return {"sparse": [type(value).__name__, list(map(int, value.shape)), parts]}
        return {"object": self._object(value, place, depth)}

    def _nodes(self, values: Any, place: str, depth: int) -> list[Any]:
        return [self.node(value, place, depth + 1) for value in values]

    def _array(self, value: Any, place: str, depth: int) -> Any:
        array = np.asarray(value)
        if array.dtype.kind == "U":
            return {"texts": [list(array.shape), array.ravel().tolist()]}
        if array.dtype.kind == "O":
            items = self._nodes(array.ravel().tolist(), place, depth)
            return {"objects": [list(array.shape), items]}
        if array.dtype.newbyteorder("<").str not in TYPES:
            raise UsageError(f"a model file cannot hold numbers of type {array.dtype}: {place}")
        if isinstance(value, np.generic):
            self.arrays.append(array)
            return {"scalar": len(self.arrays) - 1}
        if id(value) not in self._seen:
            self.arrays.append(array)
            self._seen[id(value)] = value, len(self.arrays) - 1
        return {"array": self._seen[id(value)][1]}

    def _object(self, value: Any, place: str, depth: int) -> int:
        if id(value) in self._seen:
            return self._seen[id(value)][1]
        if id(value) in self._open:
            raise UsageError(f"{place} holds itself, which a model file cannot")
        kind = type(value)
        if kind not in self._names:
            self._names[kind] = TREE if kind.__name__ == "Tree" else name_of(kind)
        name = self._names[kind]
        if name is None:
            raise _unlisted(value, place)
        self._open[id(value)] = value
        nested = sum(not is_record(part) for part in self._open.values())
        if nested > MOST_NESTED and name != TREE:
            raise UsageError(f"{place} has too many classifiers in each other for a model file")
        state = take_apart(value) if name == TREE else _state(value, name)
        nodes = {
            key: self.node(part, f"{key} of {type(value).__name__}", depth + 1)
            for key, part in state.items()
        }
        del self._open[id(value)]
        self.objects.append([name, nodes])
        self._seen[id(value)] = value, len(self.objects) - 1
        return len(self.objects) - 1


def _key(key: Any, place: str) -> Any:
    key = int(key) if isinstance(key, np.integer) else str(key) if type(key) is np.str_ else key
    if not is_key(key):
        shown = printable(repr(key))
        msg = f"the keys of a dict in a model file are texts and small whole numbers, not {shown}"
        raise UsageError(f"{msg} ({printable(place)})")
    return key


def _unlisted(value: Any, place: str) -> UsageError:
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        remedy = "give random_state as a whole number"
    elif hasattr(value, "get_params") and hasattr(value, "predict"):
        remedy = f"learners that it can hold: {listed_learners()}; or {REMEDY}"
    else:
        remedy = REMEDY
    return UsageError(f"a model file cannot hold {printable(kind)} ({printable(place)}): {remedy}")


def _state(value: Any, name: str) -> dict[str, Any]:
    if is_record(value):
        return {key: getattr(value, key) for key in field_names(value)}
    parameters: dict[str, Any] = value.get_params(deep=False)
    if name == PARAMETERS_ONLY:
        return parameters
    if name in SKLEARN:
        try:
            check_learner(value)
        except DataError as error:
            kind = printable(type(value).__name__)
            msg = f"a model file cannot hold this {kind}: {printable(error, 200)}"
            raise UsageError(f"{msg}; {REMEDY}") from None
    if is_model(type(value)) and "n_jobs" in parameters:
        parameters["n_jobs"] = None  # a model is the same with any number of jobs, and so its file
    return {**parameters, **kept_attributes(value, name)}
