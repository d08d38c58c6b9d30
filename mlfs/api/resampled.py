"""Resample a selection: every search is replayed on halves of the rows, on the data packed once."""

from __future__ import annotations

from collections.abc import Mapping

from mlfs.api.options import is_fdr
from mlfs.api.plan import Plan
from mlfs.api.prepared import Prepared
from mlfs.errors import LOGGER, Caution, UsageError, plural
from mlfs.information.for_search import with_parents_of
from mlfs.information.info import Info
from mlfs.search.picks import SearchResult
from mlfs.search.resampling import Replay, certainties, halves, replay

REPORTED = 20  # resamples between two lines of the log
FEWEST = 20  # resamples that say anything
FEWEST_ROWS = 4


def refuse_draws(plan: Plan, prepared: Prepared) -> None:
    """Refuse data of which no half can be counted, or whose labels cannot be permuted."""
    options = plan.options
    weighted, by_fdr = prepared.weights is not None, is_fdr(options.n)
    rows = prepared.dataset.shape[0]
    if options.resamples is not None and rows < FEWEST_ROWS:
        msg = f"is given, but half of {plural(rows, 'row')} says nothing: leave it out"
        raise UsageError(msg, option="resamples")
    if options.permutations is not None or by_fdr:
        why = ""
        if weighted:
            why = "rows of labels are permuted that count once: give data without weights"
        elif prepared.options["estimator"] == "gaussian":
            why = "strata need levels, which the estimator gaussian has not: take counts"
        elif not prepared.info.h_l.any():
            why = "no label is in play: all are constant, and no permutation changes them"
        if why and by_fdr:
            raise UsageError(f"is 'fdr', but {why}", option="n")
        if why:
            raise UsageError(f"is given, but {why}", option="permutations")


def resample(
    plan: Plan,
    prepared: Prepared,
    info: Info,
    results: Mapping[int, SearchResult],
    *,
    per_label: bool,
) -> str:
    """Say of each search how sure its picks are; of none that was stopped.

    Parameters
    ----------
    plan : Plan
        The options.
    prepared : Prepared
        The data.
    info : Info
        All rows, with the parents of the labels.
    results : mapping
        The search of each label, or that of all under 0.
    per_label : bool
        Whether each label has a search.

    Returns
    -------
    str
        Why there are fewer resamples than were asked for; empty if there are not.
    """
    if any(result.interrupted or result.timed_out for result in results.values()):
        return ""
    total = plan.options.resamples

    done: list[list[Replay]] = []
    try:
        for mask in halves(prepared.dataset.shape[0], total, plan.options.seed):
            if plan.time_is_up():
                break
            if len(done) % REPORTED == 0:
                LOGGER.info("resamples: %s of %s halves of the rows", len(done), total)
            some = with_parents_of(prepared.among_rows(mask).info, info)
            views = [some.for_label(label) if per_label else some for label in results]
            runs = zip(views, results.values(), strict=True)
            done.append([replay(plan.criterion, view, run, plan.name) for view, run in runs])
    except KeyboardInterrupt:
        for result in results.values():
            result.interrupted = True
        return ""
    note = ""
    if len(done) < total:
        note = Caution(f"{len(done)} of {total} resamples: the time was up")
    if len(done) < FEWEST:
        return note
    for i, (label, result) in enumerate(results.items()):
        view = info.for_label(label) if per_label else info
        result.certainty = certainties(result, [runs[i] for runs in done], view)
    return note
