"""Store a fitted model in one file, and load it again, by skops: ``mlfs-toolkit[models]``.

A file is a zip archive that skops writes (JSON and arrays, no pickle), beside a member with the
versions of the packages that wrote it. Only the classes of `mlfs.models`, those of `TRUSTED`, and
what skops trusts by itself are made again; any other type is refused by its name. The attributes of
these objects are not checked: a model that somebody else wrote can predict anything.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import platform
import stat
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mlfs import __version__
from mlfs.api.selection import IN_MODEL_FILE
from mlfs.data.files import strip_compression, telling
from mlfs.data.whole_files import replacing
from mlfs.errors import DataError, MissingExtra, MlfsError, UsageError, printable
from mlfs.models.label_model import LabelModel, names_known
from mlfs.models.training_table import Field, TrainingTable

KINDS = ("array", "matrix")
TRUSTED = frozenset(
    {
        "mlfs.api.selection.Ranking",
        "mlfs.api.selection.Selection",
        "mlfs.api.selection.ToldBy",
        "mlfs.api.selector.FeatureSelector",
        "mlfs.data.dataset.NumberedNames",
        "mlfs.discretize.binning.Binning",
        "mlfs.discretize.binning.Binnings",
        "mlfs.search.certainty.Certainty",
        "mlfs.search.certainty.Substitute",
        "mlfs.search.label_parents.Structure",
        "mlfs.search.panel.Terms",
        "mlfs.search.picks.Picks",
        "mlfs.search.picks.Significance",
        "numpy.dtype",
        *(f"scipy.sparse._{form}.{form}_{kind}" for form in ("csc", "csr") for kind in KINDS),
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.metrics._dist_metrics.ManhattanDistance64",
        "sklearn.metrics._dist_metrics.MinkowskiDistance64",
        "sklearn.neighbors._ball_tree.BallTree",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.tree._tree.Tree",
    }
)
OWN_MEMBER = "mlfs.json"
OLD_MAGIC = b"\x93MLFS"  # of the format of mlfs 0.2
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
    _check_model(model)
    check_place_of_model(path)
    contents = {
        "model": model,
        "table": table or _own_table(model),
        "settings": dict(settings or {}),
    }
    content = io.BytesIO(_skops_bytes(contents))
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(OWN_MEMBER, json.dumps({"versions": _versions()}))
    with replacing(path, force) as stream:
        stream.write(content.getbuffer())


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
    path = os.fspath(path)
    shown = repr(printable(path, 400))
    _check_start(path)
    skops = _skops()
    others = ""
    try:
        versions = _checked_versions(path)
        others = _other_versions(versions)
        types = skops.get_untrusted_types(file=path)
        place = f"the model file {shown} holds"
        _refuse_untrusted(types, DataError, place, "mlfs does not write such a file")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn warns of its version, as we do below
            contents = skops.load(path, trusted=types)
        stored = Stored(contents["model"], contents["table"], contents["settings"], versions)
        _check_whole(stored)
    except (MlfsError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  # whatever zipfile, skops and other versions raise
        reason = printable(" ".join(f"{type(error).__name__}: {error}".split()), 200)
        state = f"was stored with {others} and cannot be used" if others else "is damaged"
        raise DataError(f"the model file {shown} {state}: {reason}") from None
    if others:
        msg = f"{shown} was stored with {others}: predictions may differ"
        warnings.warn(msg, stacklevel=2)
    return stored


def check_storable(model: Any) -> None:
    """Refuse, before anything is learned, a model that no file can hold.

    Parameters
    ----------
    model : classifier
        Fitted or not. Its base learner is tried on a few rows, since what it learns counts, too.
    """
    _check_model(model)
    learners = [
        value
        for name, value in model.get_params(deep=True).items()
        if name.split("__")[-1] == "base_estimator" and hasattr(value, "fit")
    ]
    _skops_bytes([model, *map(_tried, learners)])


def check_place_of_model(path: str) -> None:
    """Refuse a name that says that its file is compressed."""
    if strip_compression(path)[1]:
        shown = printable(path, 400)
        raise UsageError(f"a model file is not compressed: {shown!r} needs another suffix")


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise MissingExtra("a model file", "skops", "models") from None
    return skops.io


def _tried(learner: Any) -> Any:
    """A copy of a learner that has learned from a few rows, or None where it could not."""
    from sklearn.base import clone

    y = np.arange(20) % 2
    X = np.column_stack([y, np.arange(20) // 2 % 2]).astype(np.float64)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return clone(learner).fit(X, y)
    except Exception:  # noqa: BLE001  # the data of the user are refused in the learner's words
        return None


def _skops_bytes(contents: Any) -> bytes:
    """The bytes of some objects, by skops; refused if they could not be loaded again."""
    skops, storing = _skops(), IN_MODEL_FILE.set(True)
    try:
        content: bytes = skops.dumps(contents)
    except RecursionError:
        raise UsageError("a model file cannot hold a model that is nested so deeply") from None
    except Exception as error:  # noqa: BLE001
        reason = printable(" ".join(str(error).split()), 200)
        raise UsageError(f"skops cannot store this model: {reason}") from None
    finally:
        IN_MODEL_FILE.reset(storing)
    types = skops.get_untrusted_types(data=content)
    remedy = "take another base learner, such as LogisticRegression()"
    _refuse_untrusted(types, UsageError, "a model file cannot hold", remedy)
    return content


def _refuse_untrusted(types: Iterable[str], kind: type[MlfsError], place: str, rest: str) -> None:
    for name in types:
        if name not in TRUSTED and not _is_own_class(name):
            msg = f"{place} the type {printable(name)}, which neither mlfs nor skops trusts"
            raise kind(f"{msg}: {rest}")


def _is_own_class(name: str) -> bool:
    """Whether a name is that of a class of `mlfs.models`; nothing else is imported.

    Examples
    --------
    >>> _is_own_class("mlfs.models.features.LDF"), _is_own_class("mlfs.models.model_files.save")
    (True, False)
    """
    module, _, class_name = name.rpartition(".")
    if not module.startswith("mlfs.models."):
        return False
    try:
        found = getattr(importlib.import_module(module), class_name, None)
    except (ImportError, ValueError):
        return False
    return isinstance(found, type) and found.__module__ == module


def _check_model(model: Any) -> None:
    if not isinstance(model, LabelModel):
        kind = printable(f"{type(model).__module__}.{type(model).__qualname__}")
        raise UsageError(f"a model file holds a model of mlfs.models, not {kind}")


def _check_start(path: str) -> None:
    """Refuse what is no file, and a file that no `save` of this version wrote."""
    shown = repr(printable(path, 400))
    with telling(path):
        mode = Path(path).stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # to open a pipe waits for its writer
        raise UsageError(f"{shown} is no ordinary file: a model is read from one")
    with telling(path), Path(path).open("rb") as stream:
        start = stream.read(8)
    if start.startswith(OLD_MAGIC):
        raise DataError(
            f"{shown} is a model file of mlfs 0.2 or earlier, which this version does not read: "
            "train the model again"
        )
    if not start.startswith(b"PK"):
        state = "does not start as a model file does" if start else "is empty"
        raise DataError(f"{shown} {state}: a model file is what mlfs train writes")


def _checked_versions(path: str) -> dict[str, str]:
    """The versions that a file names, if it is an archive that we could have written."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        size = Path(path).stat().st_size
        if sum(one.file_size for one in members) > size or any(
            one.compress_type for one in members
        ):
            raise ValueError("its parts are compressed, which mlfs does not do")
        if OWN_MEMBER not in archive.namelist():
            raise ValueError("it was not written by mlfs")
        versions = json.loads(archive.read(OWN_MEMBER))["versions"]
        if not all(isinstance(versions[name], str) for name in COMPARED):
            raise ValueError("it does not say with which versions it was stored")
    return dict(versions)


def _check_whole(stored: Stored) -> None:
    """Refuse a file of other objects than a model and the columns that it was trained on."""
    if not isinstance(stored.model, LabelModel) or not isinstance(stored.table, TrainingTable):
        raise TypeError("it holds no model")
    if stored.model.n_features_in_ != len(stored.table.feature_names):
        raise ValueError("the model has other columns than its training data")
    if len(stored.model.label_names_) != len(stored.table.labels):
        raise ValueError("the model has other labels than its training data")


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


def _other_versions(versions: dict[str, str]) -> str:
    """The packages that had another version when a file was stored, in words; empty if none."""
    current = _versions()
    return " and ".join(
        f"{name} {printable(versions[name], 40)} (this is {current[name]})"
        for name in COMPARED
        if versions[name].split(".")[:2] != current[name].split(".")[:2]
    )
