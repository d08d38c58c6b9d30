"""What is kept of a cell beside its record: the predictions and the quality of each label.

They are one compressed file of arrays (the format of numpy), so that a new metric needs no new
training. ``truth``, ``predicted`` and ``scores`` have a row for each test row and a column for each
label; ``probabilities`` is there where the scores are something else, ``joint`` where the model
gives a probability of whole label sets; ``propensities`` has a number for each label.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlfs.compare.areas import label_auc, label_pr_auc
from mlfs.compare.label_metrics import label_f1

__all__ = ["label_results", "pack", "unpack"]

LEVEL = 1  # of compression: scores hardly shrink, whatever it is


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
    kept["label_names"] = np.array(list(labels), dtype=np.str_)
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for name, values in kept.items():
            member = zipfile.ZipInfo(f"{name}.npy")  # without the time, so that files are equal
            member.compress_type = zipfile.ZIP_DEFLATED
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asarray(values), allow_pickle=False)
            archive.writestr(member, content.getvalue())
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
