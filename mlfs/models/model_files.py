"""Store a fitted model in one file, and load it again; nothing that a file says is executed.

A file holds a list of classes that mlfs knows, their parameters, and arrays. There is no pickle
in it. Its digest covers every byte, so a damaged file is refused; it does not say who made it.
"""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlfs import __version__
from mlfs.data.files import strip_compression
from mlfs.data.whole_files import replacing
from mlfs.errors import DataError, UsageError, printable
from mlfs.models.label_model import names_known
from mlfs.models.storage.archive import read_archive, write_archive
from mlfs.models.storage.reader import Reader
from mlfs.models.storage.storable import DamagedError, is_model
from mlfs.models.storage.writer import Writer
from mlfs.models.training_table import Field, TrainingTable

PLAIN = (str, int, float, bool, type(None))
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
    settings: dict[str, Any] = field(default_factory=dict)
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
    if not all(map(_is_plain, settings.items())):
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
    if not isinstance(stored.table, TrainingTable):
        raise DamagedError("the columns of the training data are not there")
    settings: Any = stored.settings
    if not isinstance(settings, dict) or not all(map(_is_plain, settings.items())):
        raise DamagedError("its settings are not texts and numbers")
    width = getattr(stored.model, "n_features_in_", None)
    if type(width) is not int or width != len(stored.table.feature_names):
        raise DamagedError("the model has other columns than its training data")
    feature_names = getattr(stored.model, "feature_names_in_", None)
    if feature_names is not None and (
        not isinstance(feature_names, np.ndarray)
        or feature_names.shape != (width,)
        or not all(isinstance(name, str) for name in feature_names)
    ):
        raise DamagedError("the names of the columns that the model knows are none")
    names = getattr(stored.model, "label_names_", None)
    if not isinstance(names, (tuple, list)) or len(names) != len(stored.table.labels):
        raise DamagedError("the model has other labels than its training data")


def _is_plain(item: tuple[Any, Any]) -> bool:
    key, value = item
    values = value if isinstance(value, list) else [value]
    return isinstance(key, str) and all(isinstance(part, PLAIN) for part in values)


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
