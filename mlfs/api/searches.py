"""The searches of a selection, one for all labels or for each, and the rankings they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mlfs.api.candidates import Grouping
from mlfs.api.options import is_auto, is_fdr
from mlfs.api.plan import Plan, fixed_candidates, search
from mlfs.api.prepared import Prepared
from mlfs.api.selection import Ranking, ToldBy
from mlfs.data.dataset import Dataset
from mlfs.errors import Caution, UsageError, plural, printable, tell
from mlfs.information.columns_info import ColumnsInfo
from mlfs.information.for_search import MOST_TIMES, with_parents_of
from mlfs.information.info import Info
from mlfs.search.blankets import SPOUSE, THROUGH
from mlfs.search.certainty import Certainty
from mlfs.search.label_parents import Structure
from mlfs.search.picks import Picks, SearchResult


@dataclass
class Searches:
    """The results of the searches for each label or for all."""

    by_label: dict[str, Ranking] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    timed_out: bool = False
    told_by: tuple[ToldBy, ...] = ()
    pair_terms: dict[str, int] = field(default_factory=lambda: {"counted": 0, "eager": 0})
    results: dict[int, SearchResult] = field(default_factory=dict)


@dataclass(frozen=True)
class Searched:
    """Keeps how a selection was made, so that `mlfs.certainty` can make its picks again.

    Parameters
    ----------
    plan : Plan
        The options.
    results : mapping from int to SearchResult
        The search of each label, or that of all under 0.
    network : Structure or None
        The parents of the labels that the criterion used.
    per_label : bool
        Whether each label has a search.
    """

    plan: Plan
    results: Mapping[int, SearchResult]
    network: Structure | None
    per_label: bool


def search_all(plan: Plan, prepared: Prepared, info: Info, per_label: bool) -> Searches:
    """Search for each label or for all; what is finished survives an interrupt."""
    out = Searches()
    labels = prepared.dataset.label_names if per_label else [""]
    if is_fdr(plan.options.n):
        check_permutations(prepared, "n", "is 'fdr'")
    if isinstance(info, ColumnsInfo) and is_fdr(plan.options.n):
        prepared = prepared.here()
        info = with_parents_of(prepared.info, info)
    shared = per_label and plan.demands is None and not is_auto(plan.options.n)
    results = _search_on_cluster(plan, prepared, info, labels, out) if shared else None
    if results is None:
        results = _search_here(plan, prepared, info, labels, out, per_label)
    out.results = results
    shortfalls: dict[str, str] = {}
    for label in sorted(results):
        result, label_name = results[label], labels[label]
        out.by_label[label_name] = _ranking_from(
            result, prepared.grouping, prepared.dataset, label_name
        )
        out.told_by = _told_by(result, prepared)
        out.pair_terms["counted"] += result.counted
        out.pair_terms["eager"] += result.eager
        if result.note and not (per_label and result.timed_out):
            shortfalls[label_name] = result.note
        out.interrupted |= result.interrupted
        out.timed_out |= result.timed_out
    out.notes = [*shortfalls.values(), *_untold(out.told_by)]
    if per_label and shortfalls:
        (name, why), n_others = next(iter(shortfalls.items())), len(shortfalls) - 1
        others = f" (and {plural(n_others, 'other label')})" if n_others else ""
        out.notes = [printable(f"{name}: {why}{others}", 300)]
    if per_label and out.timed_out:
        searched = f"{len(out.by_label)} of {plural(len(labels), 'label')} were searched"
        out.notes.append(Caution(f"{searched}: the time of {plan.options.max_seconds:g} s was up"))
    return out


def _told_by(result: SearchResult, prepared: Prepared) -> tuple[ToldBy, ...]:
    """The columns that tell most about each label, by name."""
    data, members = prepared.dataset, prepared.grouping.members
    out = []
    for label, told in sorted(result.told_by.items()):
        column = None if told.column < 0 else members[told.column][0]
        name = None if column is None else data.names[column]
        index = None if column is None else int(data.given[column])
        partner = None if told.partner < 0 else data.names[members[told.partner][0]]
        label_name = data.label_names[label]
        out.append(ToldBy(label_name, name, index, told.p_value, told.is_pick, partner))
    return tuple(out)


def _untold(told_by: Sequence[ToldBy]) -> list[str]:
    """A warning where no pick tells a label that some column tells."""
    untold = [told for told in told_by if told.name is not None and not told.picked]
    if not untold:
        return []
    first = untold[0]
    others = f" (and {plural(len(untold) - 1, 'other label')})" if len(untold) > 1 else ""
    return [
        Caution(
            f"no pick tells the label {printable(first.label)!r}{others}, but the column "
            f"{printable(first.name)!r} does: include it, or select for each label (per_label)"
        )
    ]


def check_permutations(prepared: Prepared, option: str, what: str) -> None:
    """Refuse data whose labels cannot be permuted within strata, and say what weights mean."""
    why = ""
    weights = prepared.weights
    if weights is not None and ((weights % 1).any() or weights.max() > MOST_TIMES):
        why = "rows of labels are permuted, and weights must say how often each was seen: "
        why += f"give whole numbers up to {MOST_TIMES:,}, or data without weights"
    elif prepared.options["estimator"] == "gaussian":
        why = "strata need levels, which the estimator gaussian has not: take counts"
    elif not prepared.info.h_l.any():
        why = "no label is in play: all are constant, and no permutation changes them"
    if why:
        raise UsageError(f"{what}, but {why}", option=option)
    if weights is not None:
        text = "weights repeat their rows: p-values hold only where each was seen so often"
        tell([Caution(text)], 4)


def _search_here(
    plan: Plan, prepared: Prepared, info: Info, labels: list[str], out: Searches, per_label: bool
) -> dict[int, SearchResult]:
    """Search for one label after the other, or for all together."""
    results: dict[int, SearchResult] = {}
    for label, name in enumerate(labels):
        if label and plan.time_is_up():
            out.timed_out = True
            break
        try:
            view = info.for_label(label) if per_label else info
            results[label] = search(plan, fixed_candidates(plan, prepared, name), view, name)
        except KeyboardInterrupt:
            out.interrupted = True
            break
        if results[label].interrupted or results[label].timed_out:
            break
    return results


def _search_on_cluster(
    plan: Plan, prepared: Prepared, info: Info, labels: list[str], out: Searches
) -> dict[int, SearchResult] | None:
    """Let the workers of a cluster share the labels out; None if there are none that can."""
    if prepared.options["cluster"] is None or len(labels) < 2:
        return None
    from mlfs.api.cluster.label_searches import search_on_workers

    fixed = [fixed_candidates(plan, prepared, name) for name in labels]
    searches = search_on_workers(replace(plan, tests=None), info, fixed, labels)
    if searches is None:
        return None
    results, out.interrupted = searches
    out.timed_out = len(results) < len(labels) and not out.interrupted
    return results


def _ranking_from(
    result: SearchResult, grouping: Grouping, data: Dataset, label: str = ""
) -> Ranking:
    """Name the columns of each pick; the columns of a group share its rank and its score."""
    picks, terms = result.picks, result.terms_of_panel
    ranks = np.arange(1, len(picks) + 1)
    groups: tuple[str, ...] = ()
    if not grouping.trivial:
        members, candidates = grouping.members, picks.columns.tolist()
        rows = np.repeat(np.arange(len(picks)), [len(members[c]) for c in candidates])
        first_columns = np.array([columns[0] for columns in members])
        columns = np.array(grouping.columns(candidates), np.int64)
        groups = tuple(grouping.names[candidates[row]] for row in rows.tolist())
        runners_up = np.where(picks.runners_up < 0, -1, first_columns[picks.runners_up])
        picks = replace(picks, runners_up=runners_up, tied=first_columns[picks.tied])
        terms = tuple(term.renumbered(first_columns) for term in terms)
        terms = tuple(terms[row] for row in rows.tolist()) if terms else ()
        picks, ranks = replace(picks.take(rows), columns=columns), ranks[rows]
    names = data.feature_names if label else data.names
    column_names = tuple(map(names.__getitem__, picks.columns.tolist()))
    certainty = certainty_of(result, grouping, data, label)
    significance = result.significance
    if significance is not None and not grouping.trivial:
        first = np.array([columns[0] for columns in grouping.members])
        instead = np.where(significance.instead >= 0, first[significance.instead], -1)
        significance = replace(significance, columns=first, instead=instead)
    if data.places is not None:
        picks = picks.renumbered(data.given)
        terms = tuple(term.renumbered(data.given) for term in terms)
        if significance is not None:
            instead = significance.instead
            significance = replace(
                significance,
                columns=data.given[significance.columns],
                instead=np.where(instead >= 0, data.given[instead], -1),
            )
    return Ranking(
        picks,
        ranks,
        column_names,
        groups,
        label=label,
        interrupted=result.interrupted,
        timed_out=result.timed_out,
        significance=significance,
        terms_of_panel=terms,
        certainty=certainty,
    )


def certainty_of(
    result: SearchResult, grouping: Grouping, data: Dataset, label: str
) -> tuple[Certainty | None, ...]:
    """How sure each column of a ranking is, with the names of what could come instead."""
    names = data.feature_names if label else data.names
    named = _named(_with_reasons(result, grouping, data, label), grouping, data, names)
    if not named or grouping.trivial:
        return named
    sizes = [len(grouping.members[c]) for c in result.picks.columns.tolist()]
    return tuple(entry for entry, n in zip(named, sizes, strict=True) for _ in range(n))


def _with_reasons(
    result: SearchResult, grouping: Grouping, data: Dataset, label: str
) -> tuple[Certainty | None, ...]:
    """Why each pick is in a Markov blanket, and its p-value if there is no other."""
    if not result.members:
        return result.certainty
    candidates = [group or data.names[m[0]] for group, m in zip(
        grouping.names, grouping.members, strict=True
    )]  # fmt: skip
    variables = [*candidates, *data.label_names]
    known = result.certainty or (None,) * len(result.picks)
    out: list[Certainty | None] = []
    for column, certainty in zip(result.picks.columns.tolist(), known, strict=True):
        member = result.members.get(column)
        if member is not None:
            via = "" if member.via < 0 else variables[member.via]
            by = {SPOUSE: f" of {label}, by {via}", THROUGH: f" {via}"}.get(member.kind, "")
            known_so_far = certainty or Certainty()
            p = member.p if known_so_far.p is None else known_so_far.p
            certainty = replace(known_so_far, p=p, reason=member.kind + by)
        out.append(certainty)
    return tuple(out)


def _named(
    certainty: tuple[Certainty | None, ...], grouping: Grouping, data: Dataset, names: Sequence[str]
) -> tuple[Certainty | None, ...]:
    """Name the substitutes by columns of the table that was given, or by their groups."""
    if not certainty:
        return ()
    first = [columns[0] for columns in grouping.members]
    shown = [group or names[column] for group, column in zip(grouping.names, first, strict=True)]
    numbers = data.given[first]
    return tuple(entry and entry.renumbered(numbers, shown) for entry in certainty)


def unite_rankings(by_label: Mapping[str, Ranking]) -> Ranking:
    """Unite the picks of all labels: by best rank, then by how many picked it, then by column.

    Score and terms are those of the label that ranked a column best; of several such labels, of
    the one with the highest score, so that the order of the labels does not matter.
    """
    rankings = list(by_label.values())
    if not rankings:
        return Ranking(Picks.empty(), np.zeros(0, np.int64), ())
    picks = Picks.concatenate([ranking.picks for ranking in rankings])
    rank = np.concatenate([ranking.ranks for ranking in rankings])
    worth = (-picks.margins, picks.redundancy, -picks.relevance, -picks.scores)
    order = np.lexsort((*worth, rank, picks.columns))
    _, first, times = np.unique(picks.columns[order], return_index=True, return_counts=True)
    best = order[first]
    order = np.lexsort((picks.columns[best], -times, rank[best]))
    best, times = best[order], times[order]
    names = [name for ranking in rankings for name in ranking.names]
    groups = [group for ranking in rankings for group in ranking.groups]
    return Ranking(
        picks.take(best),
        np.arange(1, best.size + 1),
        tuple(names[i] for i in best),
        tuple(groups[i] for i in best) if groups else (),
        times,
    )
