"""Notes on the columns and labels of prepared data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlfs.api.candidates import Grouping
from mlfs.api.estimators import BY_CHANCE, most_by_chance, why_not_expected
from mlfs.data.dataset import Dataset, Label
from mlfs.discretize import Binnings
from mlfs.errors import Caution, first_of, listed, plural, printable
from mlfs.information.for_search import (
    constant_features,
    copies_of_labels,
    is_adjusted,
    number_of_strata,
    of_all_rows,
    table_of,
)
from mlfs.information.info import Info
from mlfs.search.picks import Picks

if TYPE_CHECKING:
    from mlfs.api.plan import Plan
    from mlfs.api.prepared import Prepared


CORRECTED = "the correction is 'expected'"
MANY = 10  # classes; more are often a quantity
SHOWN = 3  # labels, or features
NEARLY = 0.95  # the symmetrical uncertainty of a pick and a label from which it may be a copy
LOOKED_AT = 10  # picks
LEAST_ROWS, LEAST_COPIES = 50, 5  # rows, and rows of a rare label, in which a copy is no chance


def notes_of(dataset: Dataset, info: Info, groups: Grouping, binnings: Binnings) -> list[str]:
    """Notes on prepared data."""
    notes, of_labels = [], table_of(info)
    n_missing = int(binnings.has_missing.sum())
    if n_missing:
        notes.append(f"missing values in {plural(n_missing, 'column')} are a level of their own")
    constant = np.flatnonzero(constant_features(of_all_rows(info)))
    if constant.size:
        name = dataset.columns[groups.members[int(constant[0])][0]].name
        notes.append(
            f"{plural(constant.size, 'feature')} constant once binned, without information: "
            f"{printable(name)!r}{' and others' if constant.size > 1 else ''}; "
            "exclude (--exclude) leaves them out"
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
        "are taken as classes; to bin them, read them with numeric_targets=True and call "
        "mlfs.data.bin_targets (on the command --target-bins, in FeatureSelector target_bins)"
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
    strata = number_of_strata(info)
    why += f" within {strata:,} strata" if strata > 1 else ""
    if is_adjusted(info):
        return [f"{CORRECTED}, because {why}"]
    reason = why_not_expected(info).partition(":")[0]
    return [Caution(f"{why}, which is not corrected: the correction 'expected' {reason}")]


def _is_whole(label: Label) -> bool:
    """Whether all values of a label are whole numbers."""
    return all(value.lstrip("-").isdigit() for value in label.values)


def identifiers(prepared: Prepared, asked: Sequence[int]) -> list[int]:
    """The columns that name a row and are left out of a search; none if nothing else is there.

    A group of columns is left out if one of them names a row. Columns in `asked` stay.
    """
    if prepared.options["keep_identifiers"]:
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
        shown = listed([names[j] for j in left_out], SHOWN)
        columns = "column" if len(left_out) == 1 else f"{len(left_out):,} columns"
        text = (
            f"left out {columns} with another value in every row, like a key, or nearly so: "
            f"{shown}; include (--include) or keep_identifiers (--keep-identifiers) takes them"
        )
        return [Caution(text)]
    picked = [j for j in prepared.identifiers if j not in {*plan.excluded, *plan.forced}]
    if not picked:
        return []
    shown = listed([names[j] for j in picked], SHOWN)
    return [
        Caution(
            f"{plural(len(picked), 'column')} with another value in every row, like a key, or "
            f"nearly so, which looks informative and predicts nothing: {shown}; "
            "exclude (--exclude) leaves them out"
        )
    ]


def leak_notes(prepared: Prepared, picks: Picks) -> list[str]:
    """Warn of picks that are copies of a label, or nearly.

    Looked at are the picks that tell most, where a copy by chance is out of the question.
    """
    dataset = prepared.dataset
    rows = dataset.shape[0]
    if rows < LEAST_ROWS:
        return []
    most = picks.columns[np.argsort(-picks.relevance, kind="stable")[:LOOKED_AT]]
    columns = np.unique(np.searchsorted(dataset.given, most)).tolist()
    info = of_all_rows(prepared.info)
    found = copies_of_labels(info, prepared.grouping.candidates(columns), NEARLY)
    if not found:
        return []
    share, h_l = LEAST_COPIES / rows, info.h_l
    least = -share * math.log(share) - (1 - share) * math.log1p(-share)
    names = {f: dataset.names[prepared.grouping.members[f][0]] for f, _ in found}
    pairs = [
        f"{printable(names[f])!r} and {printable(dataset.label_names[label])!r}"
        for f, label in found
        if h_l[label] >= least
    ]
    if not pairs:
        return []
    shown = first_of(pairs[:SHOWN], len(pairs))
    text = "a pick and a label tell the same, or nearly, as if one were a copy of the other: "
    return [Caution(f"{text}{shown}; exclude (--exclude) a column that is known after its label")]
