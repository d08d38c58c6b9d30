"""Losses of a file format: refused, or said in words for the user."""

from __future__ import annotations

from collections.abc import Iterable

from mlfs.data.dataset import Column, Dataset, Uniform
from mlfs.data.delimited.records import is_number
from mlfs.errors import DataError, printable

HALF = "holds half a surrogate pair, which is no character and cannot be written"


def losses(dataset: Dataset, kind: str) -> list[str]:
    """Say what will not read back as it was written.

    Parameters
    ----------
    dataset : Dataset
        What is written.
    kind : str
        The name of the format.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.data.dataset import Label
    >>> data = Dataset(np.zeros((1, 1)), np.zeros((1, 1)), (Column("a", "nominal", ("1", "2")),),
    ...                (Label("y"),))
    >>> losses(data, "csv")
    ['csv has no kinds of columns: 1 nominal column of number-like values reads back as numbers']
    """
    messages = []
    if kind in {"csv", "tsv"}:
        count = sum(_looks_numeric(column) for column in dataset.columns)
        if count:
            noun = "column" if count == 1 else "columns"
            verb = "reads" if count == 1 else "read"
            messages.append(
                f"{kind} has no kinds of columns: {count} nominal {noun} of number-like values "
                f"{verb} back as numbers"
            )
    if kind == "xmc":
        messages.append(
            "xmc has no names and no kinds: columns read back as numbered ones of numbers"
        )
    return messages


def _looks_numeric(column: Column) -> bool:
    if column.kind != "nominal" or not column.values:
        return False
    return all(map(is_number, column.values))


def refuse_half_pairs(dataset: Dataset, kind: str) -> None:
    r"""Refuse names and values with a character that no file can hold, before one is made.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.data.dataset import Label
    >>> data = Dataset(np.zeros((1, 1)), np.zeros((1, 1)), (Column("a\ud800"),), (Label("y"),))
    >>> refuse_half_pairs(data, "csv")
    Traceback (most recent call last):
        ...
    mlfs.errors.DataError: the name of column 'a\\ud800' holds half a surrogate pair, ...
    """
    if kind == "xmc":  # which has no names
        return
    names = {
        "column": dataset.feature_names,
        "label": dataset.label_names,
        "relation": [dataset.source.relation],
    }
    for noun, texts in names.items():
        refuse_half_pair(texts, f"the name of {noun}", "rename it")
    for noun, columns in (("column", dataset.columns), ("label", dataset.labels)):
        is_uniform = isinstance(columns, (Uniform))
        for column in columns[:1] if is_uniform else columns:
            refuse_half_pair(
                column.values, f"{noun} {printable(column.name)!r}: the value", "replace it"
            )


def refuse_half_pair(texts: Iterable[str], subject: str, remedy: str) -> None:
    """Raise if one of some texts holds half a surrogate pair."""
    texts = list(texts)
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        text = next(filter(_has_half_pair, texts))
        raise DataError(f"{subject} {printable(text)!r} {HALF}: {remedy}") from None


def _has_half_pair(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)
