"""How sure the picks of a selection are: made again on halves of the rows, and by permutations."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mlfs.api.estimators import unsupported_quantity
from mlfs.api.plan import fixed_candidates, tested
from mlfs.api.prepared import Prepared
from mlfs.api.same_data import prepared_again
from mlfs.api.searches import Searched, certainty_of, check_permutations
from mlfs.api.selection import Selection
from mlfs.api.value_kinds import Whole
from mlfs.errors import LOGGER, Interrupted, UsageError, plural, printable
from mlfs.information.for_search import is_adjusted, plain_of, with_parents, with_parents_of
from mlfs.information.info import Info
from mlfs.search.path_tests import path_p_values
from mlfs.search.picks import SearchResult
from mlfs.search.resampling import Replay, certainties, halves, replay

REPORTED = 20  # resamples between two lines of the log
FEWEST = 20  # resamples, or permutations, that say anything
FEWEST_ROWS = 4


def certainty(
    selection: Selection,
    data: Any,
    *,
    resamples: int | None = 200,
    permutations: int | None = None,
    seed: int = 0,
) -> Selection:
    """Say how sure each pick of a selection is.

    Parameters
    ----------
    selection : Selection
        What `mlfs.select` returned.
    data : Dataset, path, (X, Y), or Prepared
        The data from which the features were selected. They are prepared as they were for the
        selection; a `Prepared` is used as it is.
    resamples : int, optional
        Make each pick again on so many halves of the rows, at least 20, earlier picks held, under
        the constraints of a panel if there is one: how often it is kept, what comes instead, and
        intervals of its score and rank. None makes none.
    permutations : int, optional
        Give each pick a p-value, given the earlier picks, by at most so many permutations of the
        labels, at least 20.
    seed : int
        Seeds the halves and the permutations.

    Returns
    -------
    Selection
        The same picks, with `certainty`.

    Raises
    ------
    Interrupted
        Where Ctrl-C ends it: a `KeyboardInterrupt` whose `selection` is the one that was given.

    Examples
    --------
    >>> import mlfs
    >>> X, Y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 9, [[0], [1], [1], [0]] * 9
    >>> sure = mlfs.certainty(mlfs.select((X, Y), "mrmr", 2), (X, Y), resamples=20)
    >>> [pick.kept for pick in sure.certainty]
    [1.0, 1.0]
    """
    if not isinstance(selection, Selection):
        msg = f"is what mlfs.select returned, not {printable(repr(selection))}"
        raise UsageError(msg, option="selection")
    for name, value in (("resamples", resamples), ("permutations", permutations)):
        if value is not None:
            Whole(least=FEWEST).read(name, value)
    Whole(least=0).read("seed", seed)
    searched = selection.searched
    if not isinstance(searched, Searched):
        msg = "was read from a file, which has its picks but not how they were made: select again"
        raise UsageError(msg, option="selection")
    prepared = _as_searched(prepared_again(data, selection), searched)
    rows = prepared.dataset.shape[0]
    if resamples is not None and rows < FEWEST_ROWS:
        msg = f"is given, but half of {plural(rows, 'row')} says nothing: leave it out"
        raise UsageError(msg, option="resamples")
    if permutations is not None:
        check_permutations(prepared, "permutations", "is given")
    network = searched.network
    info = with_parents(prepared.info, None if network is None else network.parents)
    results = {label: copy.copy(result) for label, result in searched.results.items()}
    try:
        if permutations is not None:
            _test_paths(searched, prepared, info, results, permutations, seed)
        if resamples is not None:
            _resample(searched, prepared, info, results, resamples, seed)
    except KeyboardInterrupt:
        raise Interrupted(selection) from None
    drawn = {"resamples": resamples, "permutations": permutations, "certainty_seed": seed}
    return _with_certainty(selection, searched, prepared, results, drawn)


def _as_searched(prepared: Prepared, searched: Searched) -> Prepared:
    """The data in this process, corrected as they were for the search."""
    prepared = prepared.here()
    if is_adjusted(prepared.info) and unsupported_quantity(searched.plan.criterion, prepared.info):
        return replace(prepared, info=plain_of(prepared.info))
    return prepared


def _test_paths(
    searched: Searched,
    prepared: Prepared,
    info: Info,
    results: Mapping[int, SearchResult],
    permutations: int,
    seed: int,
) -> None:
    """Give each pick its p-value."""
    labels = prepared.dataset.label_names
    for label, result in results.items():
        name = labels[label] if searched.per_label else ""
        view = info.for_label(label) if searched.per_label else info
        excluded = fixed_candidates(searched.plan, prepared, name)[1]
        candidates = np.setdiff1d(np.arange(info.d), excluded, assume_unique=True)
        picked = result.picks.columns.tolist()
        tests = [*path_p_values(view, candidates, picked, permutations, seed)]
        result.certainty = tested(result.picks, tests)


def _resample(
    searched: Searched,
    prepared: Prepared,
    info: Info,
    results: Mapping[int, SearchResult],
    resamples: int,
    seed: int,
) -> None:
    """Make the picks of each search again on halves of the rows, on the data packed once."""
    done: list[list[Replay]] = []
    plan = searched.plan
    for mask in halves(prepared.dataset.shape[0], resamples, seed):
        if len(done) % REPORTED == 0:
            LOGGER.info("resamples: %s of %s halves of the rows", len(done), resamples)
        some = with_parents_of(prepared.among_rows(mask).info, info)
        views = [some.for_label(label) if searched.per_label else some for label in results]
        runs = zip(views, results.values(), strict=True)
        done.append([replay(plan.criterion, view, run, plan.name) for view, run in runs])
    for i, (label, result) in enumerate(results.items()):
        view = info.for_label(label) if searched.per_label else info
        result.certainty = certainties(result, [runs[i] for runs in done], view)


def _with_certainty(
    selection: Selection,
    searched: Searched,
    prepared: Prepared,
    results: Mapping[int, SearchResult],
    drawn: Mapping[str, Any],
) -> Selection:
    """The selection with what was found about its picks."""
    names = prepared.dataset.label_names
    by_label = {}
    for label, result in results.items():
        name = names[label] if searched.per_label else ""
        by_label[name] = certainty_of(result, prepared.grouping, prepared.dataset, name)
    settings = {**selection.settings, **drawn}
    if searched.per_label:
        labels = {
            name: replace(ranking, certainty=by_label[name])
            for name, ranking in selection.labels.items()
        }
        return replace(selection, labels=labels, settings=settings)
    return replace(selection, certainty=by_label[""], settings=settings)
