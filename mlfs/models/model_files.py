"""Store a fitted model in one file, and load it again; nothing that a file says is executed.

A file holds a list of classes that mlfs knows, their parameters, and arrays. There is no pickle
in it. Its digest covers every byte, so a damaged file is refused; it does not say who made it. A
`Writer` converts objects to JSON and arrays, as `storable` says.
"""

from __future__ import annotations

import math
import os
import platform
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs import __version__
from mlfs.data.files import strip_compression
from mlfs.data.whole_files import replacing
from mlfs.errors import DataError, UsageError, printable
from mlfs.models.label_model import names_known
from mlfs.models.storage.archive import TYPES, read_archive, write_archive
from mlfs.models.storage.reader import TREE, Reader, check_fields, matches, take_apart
from mlfs.models.storage.storable import (
    DEEPEST,
    MOST_NESTED,
    SKLEARN,
    SPARSE,
    DamagedError,
    check_learner,
    is_key,
    is_model,
    is_record,
    kept_attributes,
    listed_learners,
    name_of,
)
from mlfs.models.training_table import Field, TrainingTable

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
        if type(value) in (dict, MappingProxyType):
            pairs = [
                [self.node(_key(k, place), place, depth + 1), self.node(v, place, depth + 1)]
                for k, v in value.items()
            ]
            return {"dict": pairs}
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
        kind: Any = type(value)
        name = TREE if kind.__name__ == "Tree" else name_of(kind)
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
        return {field.name: getattr(value, field.name) for field in fields(value) if field.init}
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


Plain = str | int | float | bool | None
Settings = dict[str, Plain | list[Plain]]
COMPARED = ("scikit-learn", "mlfs")


@dataclass(frozen=True)
class Stored:
    """The contents of a model file.

    Parameters
    ----------
    model : classifier
        The fitted model.
    table : TrainingTable
        The columns and labels of its training data.
    settings : dict
        How it was trained, for people.
    versions : dict
        The versions of mlfs, scikit-learn, numpy and Python with which it was stored.
    """

    model: Any
    table: TrainingTable
    settings: Settings = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)


def save(
    model: Any,
    path: str,
    *,
    table: TrainingTable | None = None,
    settings: Mapping[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Store a fitted model, whole or not at all.

    Parameters
    ----------
    model : classifier
        A fitted model of `mlfs.models`.
    path : str
        The file, which is not compressed.
    table : TrainingTable, optional
        The columns of the training data, for ``mlfs predict``; by default those that the model
        knows, as numbers.
    settings : mapping, optional
        How it was trained: texts, numbers and lists of them, for people.
    force : bool
        Whether a file that is there may be replaced.
    """
    check_storable(model)
    check_place_of_model(path)
    settings = dict(settings or {})
    if not matches(settings, Settings):
        raise UsageError("the settings are texts, numbers, and lists of them")
    writer = Writer()
    header = {
        "versions": _versions(),
        "settings": writer.node(settings, "the settings"),
        "table": writer.node(table or _own_table(model), "the columns"),
        "model": writer.node(model),
        "objects": writer.objects,
    }
    with replacing(path, force) as stream:
        write_archive(stream, header, writer.arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """The model of a file that `save` wrote; any other file is refused in one sentence."""
    return load_stored(path).model


def load_stored(path: str | os.PathLike[str]) -> Stored:
    """All that a model file holds.

    Parameters
    ----------
    path : str
        A file that `save` or ``mlfs train`` wrote.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"a model is loaded from a path, not from {printable(repr(path))}")
    header, arrays = read_archive(os.fspath(path))
    shown = repr(printable(path, 400))
    others = ""
    try:
        versions = _checked_versions(header.get("versions"))
        others = _other_versions(versions)
        reader = Reader(header.get("objects"), arrays, other_version=bool(others))
        stored = Stored(
            reader.value(header.get("model")),
            reader.value(header.get("table")),
            reader.value(header.get("settings")),
            versions,
        )
        _check_whole(stored)
    except DataError as error:
        if others:
            msg = f"the model file {shown} was stored with {others} and cannot be used: {error}"
            raise DataError(msg) from None
        state = "is damaged" if isinstance(error, DamagedError) else "cannot be used"
        raise DataError(f"the model file {shown} {state}: {error}") from None
    except RecursionError:
        raise DataError(f"the model file {shown} is damaged: it is nested too deeply") from None
    if others:
        msg = f"{shown} was stored with {others}: predictions may differ"
        warnings.warn(msg, stacklevel=2)
    return stored


def check_storable(model: Any) -> None:
    """Refuse, before anything is computed, a model that no file can hold.

    Parameters
    ----------
    model : classifier
        Fitted or not: its class and its parameters are looked at.
    """
    if not is_model(type(model)):
        kind = printable(f"{type(model).__module__}.{type(model).__qualname__}")
        raise UsageError(f"a model file holds a model of mlfs.models, not {kind}")
    Writer().node(model.get_params(deep=False), "its parameters")


def check_place_of_model(path: str) -> None:
    """Refuse a name that says that its file is compressed, which no digest would cover."""
    if strip_compression(path)[1]:
        shown = printable(path, 400)
        raise UsageError(f"a model file is not compressed: {shown!r} needs another suffix")


def _versions() -> dict[str, str]:
    import sklearn

    return {
        "mlfs": __version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _own_table(model: Any) -> TrainingTable:
    width = getattr(model, "n_features_in_", None)
    if width is None:
        raise UsageError(f"this {type(model).__name__} is not fitted yet: fit it, then store it")
    names = names_known(model) or tuple(f"x{j}" for j in range(width))
    return TrainingTable(
        tuple(Field(str(name)) for name in names), tuple(map(str, model.label_names_)), "keep"
    )


def _check_whole(stored: Stored) -> None:
    if not is_model(type(stored.model)):
        raise DamagedError("it holds no model")
    check_fields(Stored, vars(stored))
    width = getattr(stored.model, "n_features_in_", None)
    if type(width) is not int or width != len(stored.table.feature_names):
        raise DamagedError("the model has other columns than its training data")
    names = getattr(stored.model, "label_names_", None)
    if not isinstance(names, (tuple, list)) or len(names) != len(stored.table.labels):
        raise DamagedError("the model has other labels than its training data")


def _checked_versions(versions: Any) -> dict[str, str]:
    if not isinstance(versions, dict) or not all(
        isinstance(versions.get(name), str) for name in COMPARED
    ):
        raise DamagedError("it does not say with which versions it was stored")
    return versions


def _other_versions(versions: dict[str, str]) -> str:
    """The packages that had another version when a file was stored, in words; empty if none."""
    current = _versions()
    return " and ".join(
        f"{name} {printable(versions[name], 40)} (this is {current[name]})"
        for name in COMPARED
        if versions[name].split(".")[:2] != current[name].split(".")[:2]
    )
