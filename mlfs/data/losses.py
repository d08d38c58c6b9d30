"""What a file format cannot carry, in words for the user."""

from __future__ import annotations

from mlfs.data.dataset import Column, Dataset
from mlfs.data.delimited.records import is_number

__all__ = ["losses"]


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
    lost = []
    if kind in {"csv", "tsv"}:
        many = sum(_looks_numeric(column) for column in dataset.columns)
        if many:
            what = "column" if many == 1 else "columns"
            reads = "reads" if many == 1 else "read"
            lost.append(
                f"{kind} has no kinds of columns: {many} nominal {what} of number-like values "
                f"{reads} back as numbers"
            )
    if kind == "xmc":
        lost.append("xmc has no names and no kinds: columns read back as numbered ones of numbers")
    return lost


def _looks_numeric(column: Column) -> bool:
    if column.kind != "nominal" or not column.values:
        return False
    return all(map(is_number, column.values))
