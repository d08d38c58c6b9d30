"""Which criteria an estimator serves, and which quantities it lacks."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlfs.criteria import Criterion
from mlfs.errors import MlfsError
from mlfs.information.adjusted import AdjustedInfo, no_expectation
from mlfs.information.exact import ExactInfo
from mlfs.information.for_search import (
    independence,
    number_of_levels,
    number_of_strata,
    table_of,
    with_parents,
)
from mlfs.information.info import Info, UnansweredError
from mlfs.information.table import Table
from mlfs.search.greedy import best_first, greedy

MANY_LEVELS = 16  # more than bins by default make, and than most categories have
BY_CHANCE = 0.01  # of the entropy of the labels: from there on a correction matters
TRIED = 4  # candidates on which a criterion is tried


def info_of(table: Table, correction: str, skipped: Sequence[int] = ()) -> Info:
    """The information of counted columns, corrected as an option says."""
    exact = ExactInfo(table)
    chosen = chosen_correction(correction, exact, skipped)
    return AdjustedInfo(exact) if chosen == "expected" else exact


class ByChance(NamedTuple):
    """The candidate that shares most with the labels by chance.

    Parameters
    ----------
    candidate : int
        Its number; -1 if none has many levels.
    levels : int
        How many it has.
    share : float
        About how much of the entropy of the labels it shares with them by chance.
    """

    candidate: int
    levels: int
    share: float


def most_by_chance(info: Info, skipped: Sequence[int]) -> ByChance:
    """Find the candidate of many levels that shares most with the labels by chance.

    By chance r levels share about (r - 1) sum_l (c_l - 1) / 2N nats with labels of c_l classes,
    and as much within each of several strata. Candidates that name a row are skipped: they are
    left out of searches.
    """
    of_labels, strata = table_of(info), number_of_strata(info)
    levels = np.array(number_of_levels(info))
    levels[np.array(skipped, np.int64)] = 0
    candidate = int(levels.argmax()) if levels.size else -1
    most, entropy = int(levels.max(initial=0)), float(of_labels.h_l.sum())
    if strata * (most - 1) < MANY_LEVELS or entropy <= 0:
        return ByChance(-1, most, 0.0)
    classes = int((of_labels.l_valid[: of_labels.q] - 1).sum())
    share = strata * (most - 1) * classes / (2 * of_labels.counts.n_rows * entropy)
    return ByChance(candidate, most, min(1.0, share))


def chosen_correction(correction: str, info: Info, skipped: Sequence[int]) -> str:
    """The correction that "auto" stands for; others stand for themselves.

    It is "expected" if a candidate of more than 16 levels shares by chance more than a hundredth
    of the entropy of the labels, and what is counted has an expectation; otherwise "none".
    """
    if correction != "auto":
        return correction
    matters = most_by_chance(info, skipped).share > BY_CHANCE
    return "expected" if matters and not why_not_expected(info) else "none"


def why_not_expected(info: Info) -> str:
    """Why the correction "expected" cannot be made, or nothing."""
    return no_expectation(table_of(info))


def unsupported_quantity(criterion: Criterion, info: Info) -> str:
    """The first quantity that a criterion asks for and an estimator does not give, or nothing.

    A copy of the criterion is tried on the first few candidates.
    """
    tried, few = copy.deepcopy(criterion), info.only(info.features[:TRIED].tolist())
    try:
        if tried.network is not False:
            few = with_parents(few, [() if label == 0 else (0,) for label in range(info.q)])
        if tried.scope == "each label":
            few = few.for_label(0)
        if tried.search == "blanket":
            independence(few)
        if tried.search == "best first":
            best_first(tried, few)
        else:
            greedy(tried, few, few.d)
    except UnansweredError as error:
        return error.word
    except MlfsError:
        pass  # the selection itself will say so
    return ""
