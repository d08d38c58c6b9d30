"""Which criteria an estimator serves, and which quantities it lacks."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mlfs.api.options import is_auto
from mlfs.criteria import Criterion
from mlfs.discretize.normal_scores import Scores
from mlfs.errors import MlfsError, UsageError, printable
from mlfs.information.adjusted import MISSING_LEFT_OUT, AdjustedInfo, no_expectation
from mlfs.information.columns_info import ColumnsInfo
from mlfs.information.exact import ExactInfo
from mlfs.information.for_search import (
    independence,
    number_of_levels,
    number_of_strata,
    table_of,
    with_parents,
)
from mlfs.information.gaussian import GaussianInfo
from mlfs.information.gaussian_columns import GaussianColumns
from mlfs.information.info import Info, UnansweredError, spoken
from mlfs.information.table import Table
from mlfs.search.greedy import best_first, greedy

MANY_LEVELS = 16  # more than bins by default make, and than most categories have
BY_CHANCE = 0.01  # of the entropy of the labels: from there on a correction matters
TRIED = np.array(
    [[0, 0, 1, 2], [0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 2], [0, 0, 1, 1], [1, 0, 1, 0]]
)
TRIED_LABELS = np.array([[0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0]])
AROUND = ((1, 2), (0, 2), (0, 1))  # the parents of each of them


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
    if isinstance(info, ColumnsInfo) and not info.holders.f_all_valid:
        return MISSING_LEFT_OUT
    return no_expectation(table_of(info))


def refuse_unanswered(name: str, criterion: Criterion, options: Mapping[str, Any]) -> None:
    """Raise `UsageError` if a criterion asks for what the estimator does not give.

    Examples
    --------
    >>> from mlfs import criteria
    >>> options = {"correction": "expected", "estimator": "counts", "n": 2}
    >>> refuse_unanswered("mlcfs", criteria.get("mlcfs")[1], options)
    Traceback (most recent call last):
    mlfs.errors.UsageError: correction is 'expected', which gives no symmetrical uncertainty, \
and the criterion mlcfs asks for it: use another correction, \
or a criterion that it serves, such as mim or mrmr
    """
    for option, value, plain in (
        ("correction", options["correction"], "none"),
        ("estimator", options["estimator"], "counts"),
    ):
        if value in {plain, "auto"}:
            continue
        if is_auto(options["n"]) and value != "expected":
            msg = (
                f"is {value!r}, but an automatic number of features compares plain counts with "
                "chance: leave it out, or give a number"
            )
            raise UsageError(msg, option=option)
        if options.get("at_least") and value != "expected":
            msg = f"is {value!r}, but at_least compares plain counts with chance: leave one out"
            raise UsageError(msg, option=option)
        word = missing_word(criterion, MAKERS[value]) if value in MAKERS else ""
        if word:
            msg = (
                f"is {value!r}, which gives no {spoken(word)}, and the criterion "
                f"{printable(name)} asks for it: use another {option}, or "
                "a criterion that it serves, such as mim or mrmr"
            )
            raise UsageError(msg, option=option)


def _gaussian() -> Info:
    """Six rows as indicators of their codes."""
    x, y = (
        Scores(np.ascontiguousarray(codes.T != 0, np.float32), np.arange(codes.shape[1] + 1))
        for codes in (TRIED, TRIED_LABELS)
    )
    return GaussianInfo(GaussianColumns(x, y, TRIED_LABELS.sum(axis=0)))


def _adjusted_info() -> Info:
    exact = Info.from_codes(TRIED, TRIED_LABELS)
    assert isinstance(exact, ExactInfo)
    return AdjustedInfo(exact)


MAKERS: dict[str, Callable[[], Info]] = {
    "expected": _adjusted_info,
    "gaussian": _gaussian,
}


def missing_word(criterion: Criterion, make: Callable[[], Info]) -> str:
    """The first word of the vocabulary that an estimator does not give a criterion, or nothing.

    The criterion is tried on six rows.

    Parameters
    ----------
    criterion : Criterion
        The criterion; a copy of it is tried.
    make : callable
        Returns an Info of the estimator.
    """
    tried = copy.deepcopy(criterion)
    try:
        info = with_parents(make(), AROUND)
        if tried.scope == "each label":
            info = info.for_label(0)
        if tried.search == "blanket":
            independence(info)
        if tried.search == "best first":
            best_first(tried, info)
        else:
            greedy(tried, info, info.d)
    except UnansweredError as error:
        return error.word
    except MlfsError:
        pass  # the selection itself will say so
    return ""
