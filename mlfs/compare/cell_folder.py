"""The folder in which finished cells are kept, so that nothing is computed twice.

Each cell is a small JSON file, written whole or not at all, under a name that is made of all that
decides its numbers. One run at a time has the folder; a run that died leaves no lock behind.

What is kept of a cell beside its record: the predictions and the quality of each label.

They are one compressed file of arrays (the format of numpy), so that a new metric needs no new
training. ``truth``, ``predicted`` and ``scores`` have a row for each test row and a column for each
label; ``probabilities`` is there where the scores are something else, ``joint`` where the model
gives a probability of whole label sets; ``propensities`` has a number for each label.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mlfs.data.whole_files import replacing
from mlfs.errors import Caution, DataError, UsageError, printable, setting, tell
from mlfs.metrics import METRICS
from mlfs.metrics.labels import label_f1
from mlfs.metrics.ranking import label_auc, label_pr_auc

if TYPE_CHECKING:
    from mlfs.compare.settings import Settings


CELL_TEXTS = ("data", "criterion", "model", "n")
SECONDS = ("prepare_seconds", "select_seconds", "fit_seconds", "predict_seconds")
DIGITS = 1e-6  # to which a score in a table may be rounded
SETTINGS, REPORT, LOCK, CELLS = "settings.json", "results.json", ".lock", "cells"
FIGURES = "figures"


class CellFolder:
    """The folder of one comparison; use it in a ``with`` block.

    Parameters
    ----------
    folder : path
        Made if it is not there. A folder with other things in it is refused.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._lock: Any = None

    def __enter__(self) -> Self:
        shown = repr(printable(self.folder, 400))
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"cannot write {shown}: it is a file, and a report is a folder")
        if (
            self.folder.is_dir()
            and not (self.folder / CELLS).is_dir()
            and any(path.name != LOCK for path in self.folder.iterdir())
        ):
            raise UsageError(f"{shown} has other things in it: name a new folder for the report")
        self._refuse_links()
        try:
            (self.folder / CELLS).mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / LOCK).open("a+b")
        except OSError as error:
            raise UsageError(f"cannot write {shown}: {error.strerror}") from None
        try:
            _lock(self._lock)
        except OSError:
            self._lock.close()
            msg = f"{shown} is in use by another run: wait for it, or name another folder"
            raise UsageError(msg) from None
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def _refuse_links(self) -> None:
        """Refuse links, pipes and the like, through which files elsewhere would be written."""
        for folder in (self.folder, self.folder / CELLS, self.folder / FIGURES):
            for entry in [*os.scandir(folder)] if folder.is_dir() else ():
                is_folder = entry.is_dir(follow_symlinks=False)
                is_plain = is_folder or entry.is_file(follow_symlinks=False)
                if not is_plain or (is_folder and entry.name in (SETTINGS, REPORT, LOCK)):
                    shown = repr(printable(entry.path, 400))
                    raise UsageError(f"{shown} is no file of a report: remove it, and run again")

    def earlier_settings(self) -> dict[str, Any] | None:
        """The settings of the last run here, if there was one."""
        settings = _read(self.folder / SETTINGS)
        return settings if isinstance(settings, dict) else None

    def keep_settings(self, settings: dict[str, Any]) -> None:
        """Remember the settings of this run."""
        text = json.dumps(settings, indent=1, default=repr) + "\n"
        self._put(SETTINGS, text.encode())

    def finished(
        self, keys: Iterable[str], budget: float | None = None
    ) -> dict[str, dict[str, Any]]:
        """The cells that are not run again: those done, and those over a budget as it is."""
        records = {key: self.get(key) for key in keys}
        return {
            key: record
            for key, record in records.items()
            if record
            and (
                record.get("status") == "ok"
                or (budget is not None and record.get("budget", 0) >= budget)
            )
        }

    def get(self, key: str) -> dict[str, Any] | None:
        """The record of a cell."""
        path = self.folder / CELLS / f"{key}.json"
        if not path.exists():
            return None
        with contextlib.suppress(TypeError, KeyError, AttributeError):
            record = checked_record(_read(path))
            if record["key"] == key:
                return record
        tell([Caution(f"{printable(path, 400)} is damaged: its cell is computed again")], 2)
        return None

    def keep(self, record: dict[str, Any]) -> None:
        """Keep the results of a cell; its details are a file of their own, written first."""
        document = {name: value for name, value in record.items() if name != "details"}
        if "details" in record:
            self._put(f"{CELLS}/{record['key']}.npz", record["details"])
        text = json.dumps(document, allow_nan=False)
        self._put(f"{CELLS}/{record['key']}.json", text.encode())

    def count(self) -> int:
        """How many cells are kept, of whatever settings."""
        return sum(path.suffix == ".json" for path in (self.folder / CELLS).iterdir())

    def _put(self, name: str, content: bytes) -> None:
        with replacing(str(self.folder / name), force=True) as stream:
            stream.write(content)


def checked_record(record: Any) -> dict[str, Any]:
    """A record of a cell; TypeError, AttributeError or KeyError if it is none."""
    cell, metrics = record["cell"], record.get("metrics", {})
    texts = [record["key"], record["status"], *(cell[name] for name in CELL_TEXTS)]
    numbers = [*metrics.values(), record.get("budget")]
    if record["status"] == "ok":
        numbers += [record["features"], record["peak_mb"], *map(record.get, SECONDS)]
    scores = [
        value or 0
        for name, value in metrics.items()
        if name in METRICS
        and METRICS[name].higher_is_better
        and METRICS[name].needs != "propensities"
    ]
    if (
        not all(isinstance(text, str) for text in texts)
        or not all(value is None or _is_amount(value) for value in numbers)
        or max(scores, default=0) > 1 + DIGITS
    ):
        raise TypeError
    checked: dict[str, Any] = record
    return checked


def _is_amount(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and 0 <= value < math.inf


def refuse_loss(folder: str | os.PathLike[str], settings: Settings) -> None:
    """Refuse settings that lack some of what the report in a folder is about."""
    report = _read(Path(folder) / REPORT)
    earlier = report.get("settings") if isinstance(report, dict) else None
    lost = settings.lacking(earlier) if isinstance(earlier, dict) else []
    if lost:
        raise UsageError(
            f"{printable(folder, 400)!r} holds a report of other settings ({'; '.join(lost)}): "
            f"name another folder, or replace the report with {setting('force', True)}, which "
            "keeps all finished cells"
        )


def content_of(path: Path, remedy: str = "") -> bytes:
    """The bytes of a file; an error says what to do."""
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"cannot read {printable(path, 400)}: {error.strerror}{remedy}"
        raise DataError(msg) from None


def _read(path: Path) -> Any:
    """The content of a JSON file; None for one that is not there or is damaged."""
    with contextlib.suppress(ValueError):
        return json.loads(content_of(path)) if path.exists() else None
    return None


def _lock(stream: Any) -> None:
    """Take a lock that ends with the process, whatever ends it."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        import msvcrt

        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        return
    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


def label_results(
    truth: np.ndarray, predicted: np.ndarray, scores: np.ndarray | None
) -> dict[str, np.ndarray]:
    """The quality of each label, by name; NaN where one is not defined.

    Examples
    --------
    >>> quality = label_results(np.array([[1, 0], [0, 1]]), np.array([[1, 0], [1, 1]]), None)
    >>> quality["f1"].round(2).tolist(), quality["positives"].tolist()
    ([0.67, 1.0], [1, 1])
    """
    nothing = np.full(truth.shape[1], np.nan)
    return {
        "positives": (truth == 1).sum(axis=0),
        "predicted_positives": ((predicted == 1) & (truth >= 0)).sum(axis=0),
        "f1": label_f1(truth, predicted),
        "auc": nothing if scores is None else label_auc(truth, scores),
        "pr_auc": nothing if scores is None else label_pr_auc(truth, scores),
    }


def pack(arrays: Mapping[str, Any], labels: Sequence[str]) -> bytes:
    """Arrays by name as one compressed file; those that are None are left out."""
    stream = io.BytesIO()
    kept = {name: values for name, values in arrays.items() if values is not None}
    np.savez_compressed(stream, **kept, label_names=np.array(list(labels), dtype=np.str_))
    return stream.getvalue()


def unpack(content: bytes, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """The arrays of a file, all or those that are named.

    Examples
    --------
    >>> unpack(pack({"joint": np.zeros(2), "scores": None}, ["a"]))["joint"].tolist()
    [0.0, 0.0]
    """
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in names or arrays.files if name in arrays.files}
