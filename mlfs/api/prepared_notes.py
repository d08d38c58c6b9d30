"""Notes on the columns and labels of prepared data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlfs.api.candidates import Grouping
from mlfs.api.estimators import BY_CHANCE, most_by_chance, why_not_expected
from mlfs.data.dataset import Dataset, Label, identifier_columns
from mlfs.discretize import Binnings
from mlfs.errors import Caution, plural, printable
from mlfs.information.for_search import (
    constant_features,
    is_adjusted,
    table_of,
    tells_rows_apart,
)
from mlfs.information.gaussian import GaussianInfo
from mlfs.information.info import Info

if TYPE_CHECKING:
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


def correction_notes(dataset: Dataset, groups: Grouping, info: Info) -> list[str]:
    """Say that and why information is corrected, or why it is not although that would matter."""
    candidate, levels, share = most_by_chance(info)
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


def identifiers(prepared: Prepared, excluded: Iterable[int]) -> list[int]:
    """The candidates that have another value in every row, as a key has, and may be picked."""
    excluded_candidates = {*prepared.grouping.candidates(excluded)}
    return [j for j in _all_identifiers(prepared) if j not in excluded_candidates]


def identifier_notes(prepared: Prepared, plan: Plan) -> list[str]:
    """Say which identifiers are left out of a search, and warn of those that may be picked.

    Such a feature has all the information there can be about anything, and predicts nothing.
    """
    picked = identifiers(prepared, plan.excluded)
    notes = _identifier_notes(prepared, plan.left_out, left_out=True)
    return [*notes, *_identifier_notes(prepared, picked, left_out=False)]


def _identifier_notes(
    prepared: Prepared, candidates: Sequence[int], *, left_out: bool
) -> list[str]:
    if not candidates:
        return []
    members, names = prepared.grouping.members, prepared.dataset.names
    listed = [
        prepared.grouping.names[j] if len(members[j]) > 1 else names[members[j][0]]
        for j in candidates[:SHOWN]
    ]
    shown = ", ".join(repr(printable(name)) for name in listed)
    rest = f" and {len(candidates) - SHOWN:,} more" if len(candidates) > SHOWN else ""
    looks, predicts, pronoun = (
        ("looks", "predicts", "it") if len(candidates) == 1 else ("look", "predict", "them")
    )
    text = (
        f"{plural(len(candidates), 'feature')} with another value in every row, like a key, which "
        f"{looks} informative and {predicts} nothing: {shown}{rest}; "
    )
    if left_out:
        return [f"{text}n=cv leaves {pronoun} out, include (--include) keeps {pronoun}"]
    return [Caution(f"{text}exclude {pronoun}")]


def _all_identifiers(prepared: Prepared) -> list[int]:
    """The candidates that have another value in every row."""
    if isinstance(prepared.info, GaussianInfo):
        return prepared.grouping.candidates(identifier_columns(prepared.dataset))
    limit, n_rows, candidates = prepared.options["nominal_limit"], prepared.dataset.shape[0], []
    for j in np.flatnonzero(tells_rows_apart(prepared.info)).tolist():
        columns = [prepared.dataset.columns[c] for c in prepared.grouping.members[j]]
        nominal = any(column.kind == "nominal" for column in columns)
        if n_rows > (2 if nominal else limit):
            candidates.append(j)
    return candidates
