"""What a user should know about the columns and labels of prepared data."""

from __future__ import annotations

import numpy as np

from mlfs.api.candidates import Grouping
from mlfs.data.dataset import Dataset, Label
from mlfs.discretize import Binnings
from mlfs.errors import Caution, plural, printable
from mlfs.information.exact import ExactInfo
from mlfs.information.table import Table

__all__ = ["notes_of"]

MANY = 10  # classes; more are often a quantity
SHOWN = 3  # labels


def notes_of(
    dataset: Dataset, table: Table, groups: Grouping, binnings: Binnings, missing: str
) -> list[str]:
    """What a user should know about prepared data."""
    notes = []
    n_missing = int(binnings.has_missing.sum())
    if n_missing:
        how = "are a level of their own" if missing == "level" else "are left out"
        notes.append(f"missing values in {plural(n_missing, 'column')} {how}")
    constant = np.flatnonzero(ExactInfo(table).h_f == 0)
    if constant.size:
        first = dataset.columns[groups.members[int(constant[0])][0]].name
        notes.append(
            f"{plural(constant.size, 'feature')} constant once binned, without information: "
            f"{printable(first)!r}{' and others' if constant.size > 1 else ''}"
        )
    gone = int((table.mask_of >= 0).sum())
    if gone:
        notes.append(
            f"{plural(gone, 'label')} with missing values: such rows are left out of their terms"
        )
    flat = [dataset.label_names[i] for i in np.flatnonzero(table.h_l == 0).tolist()]
    if flat:
        text = f"{plural(len(flat), 'label')} constant, telling nothing: {printable(flat[0])!r}"
        notes.append(Caution(f"{text} and others" if len(flat) > 1 else text))
    many = [label for label in dataset.labels if len(label.values) > MANY and _is_whole(label)]
    notes += [
        f"label {printable(label.name)!r} holds {len(label.values)} different whole numbers, which "
        "are taken as classes; target_bins (--target-bins) bins them instead"
        for label in many[:SHOWN]
    ]
    return notes


def _is_whole(label: Label) -> bool:
    """Whether all values of a label are whole numbers."""
    return all(value.lstrip("-").isdigit() for value in label.values)
