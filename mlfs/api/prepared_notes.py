"""Notes on the columns and labels of prepared data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlfs.api.candidates import Grouping
from mlfs.api.estimators import BY_CHANCE, most_by_chance, why_not_expected
from mlfs.data.dataset import Dataset, Label
from mlfs.discretize import Binnings
from mlfs.errors import Caution, plural, printable
from mlfs.information.for_search import constant_features, is_adjusted, table_of
from mlfs.information.info import Info

if TYPE_CHECKING:
    from mlfs.api.options import Options
    from mlfs.api.plan import Plan
    from mlfs.api.prepared import Prepared


CORRECTED = "the correction is 'expected'"
MANY = 10  # classes; more are often a quantity
SHOWN = 3  # labels, or features


def notes_of(
    dataset: Dataset, info: Info, groups: Grouping, binnings: Binnings, missing: str
) -> list[str]:
    """Notes on prepared data."""
    notes, of_labels = [], table_of(info)
    n_missing = int(binnings.has_missing.sum())
    if n_missing:
        how = "are a level of their own" if missing == "level" else "are left out"
        notes.append(f"missing values in {plural(n_missing, 'column')} {how}")
    constant = np.flatnonzero(constant_features(info))
    if constant.size:
        name = dataset.columns[groups.members[int(constant[0])][0]].name
        notes.append(
            f"{plural(constant.size, 'feature')} constant once binned, without information: "
            f"{printable(name)!r}{' and others' if constant.size > 1 else ''}; "
            "drop_constant (--drop-constant) leaves them out"
        )
    n_gaps = int((of_labels.mask_of >= 0).sum())
    if n_gaps:
        notes.append(
            f"{plural(n_gaps, 'label')} with missing values: such rows are left out of their terms"
        )
    flat = np.flatnonzero(of_labels.h_l == 0)
    if flat.size:
        name = dataset.labels[int(flat[0])].name
        text = f"{plural(flat.size, 'label')} constant, telling nothing: {printable(name)!r}"
        notes.append(Caution(f"{text} and others" if flat.size > 1 else text))
    many = [label for label in dataset.labels if len(label.values) > MANY and _is_whole(label)]
    notes += [
        f"label {printable(label.name)!r} holds {len(label.values)} different whole numbers, which "
        "are taken as classes; target_bins (--target-bins) bins them instead"
        for label in many[:SHOWN]
    ]
    return notes


def correction_notes(
    dataset: Dataset, groups: Grouping, info: Info, skipped: Sequence[int]
) -> list[str]:
    """Say that and why information is corrected, or why it is not although that would matter."""
    candidate, levels, share = most_by_chance(info, skipped)
    if share <= BY_CHANCE:
        return []
    members = groups.members[candidate]
    name = groups.names[candidate] if len(members) > 1 else dataset.names[members[0]]
    why = f"{printable(name)!r} of {levels:,} levels shares by chance about {share:.0%} of the "
    why += "entropy of the labels"
    if is_adjusted(info):
        return [f"{CORRECTED}, because {why}"]
    reason = why_not_expected(info).partition(":")[0]
    return [Caution(f"{why}, which is not corrected: the correction 'expected' {reason}")]


def _is_whole(label: Label) -> bool:
    """Whether all values of a label are whole numbers."""
    return all(value.lstrip("-").isdigit() for value in label.values)


def identifiers(prepared: Prepared, options: Options, asked: Sequence[int]) -> list[int]:
    """The columns that name a row and are left out of a search; none if nothing else is there.

    A group of columns is left out if one of them names a row. Columns in `asked` stay.
    """
    if options.keep_identifiers:
        return []
    grouping = prepared.grouping
    found = grouping.candidates(prepared.identifiers)
    kept = {*grouping.candidates(asked)}
    others = len(grouping.members) - len({*found} | kept)
    return grouping.columns(j for j in found if j not in kept) if others or kept else []


def identifier_notes(prepared: Prepared, plan: Plan) -> list[str]:
    """Say which columns name a row: those that are left out, and those that may be picked."""
    names, left_out = prepared.dataset.names, plan.left_out
    if left_out:
        shown = _listed([names[j] for j in left_out])
        columns = "column" if len(left_out) == 1 else f"{len(left_out):,} columns"
        text = (
            f"left out {columns} with another value in every row, like a key, or nearly so: "
            f"{shown}; include (--include) or keep_identifiers (--keep-identifiers) takes them"
        )
        return [Caution(text)]
    picked = [j for j in prepared.identifiers if j not in {*plan.excluded, *plan.forced}]
    if not picked:
        return []
    shown = _listed([names[j] for j in picked])
    return [
        Caution(
            f"{plural(len(picked), 'column')} with another value in every row, like a key, or "
            f"nearly so, which looks informative and predicts nothing: {shown}; "
            "exclude (--exclude) leaves them out"
        )
    ]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(printable(name)) for name in names[:SHOWN])
    return f"{shown} and {len(names) - SHOWN:,} more" if len(names) > SHOWN else shown
