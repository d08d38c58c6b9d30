"""The searches of a selection: one for all labels, or one for each."""

from __future__ import annotations

from dataclasses import dataclass, field

from mlfs.api.options import is_fdr
from mlfs.api.plan import Plan, fixed_candidates, ranking_from, search
from mlfs.api.prepared import Prepared
from mlfs.api.resampled import refuse_draws, resample
from mlfs.api.selection import Ranking
from mlfs.errors import Caution, plural, printable
from mlfs.information.columns_info import ColumnsInfo
from mlfs.information.for_search import with_parents_of
from mlfs.information.info import Info
from mlfs.search.picks import SearchResult


@dataclass
class Searches:
    """The results of the searches for each label or for all."""

    by_label: dict[str, Ranking] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    timed_out: bool = False
    pair_terms: dict[str, int] = field(default_factory=lambda: {"counted": 0, "eager": 0})


def search_all(plan: Plan, prepared: Prepared, info: Info, per_label: bool) -> Searches:
    """Search for each label or for all; what is finished survives an interrupt."""
    out = Searches()
    labels = prepared.dataset.label_names if per_label else [""]
    refuse_draws(plan, prepared)
    if isinstance(info, ColumnsInfo) and _divides_rows(plan):
        prepared = prepared.here()
        info = with_parents_of(prepared.info, info)
    shared = per_label and plan.demands is None
    results = _search_on_cluster(plan, prepared, info, labels, out) if shared else None
    if results is None:
        results = _search_here(plan, prepared, info, labels, out, per_label)
    resampling_note = ""
    if plan.options.resamples is not None:
        resampling_note = resample(plan, prepared, info, results, per_label=per_label)
    shortfalls: dict[str, str] = {}
    for label in sorted(results):
        result, label_name = results[label], labels[label]
        out.by_label[label_name] = ranking_from(
            result, prepared.grouping, prepared.dataset, label_name
        )
        out.pair_terms["counted"] += result.counted
        out.pair_terms["eager"] += result.eager
        if result.note and not (per_label and result.timed_out):
            shortfalls[label_name] = result.note
        out.interrupted |= result.interrupted
        out.timed_out |= result.timed_out
    out.notes = list(shortfalls.values())
    if per_label and shortfalls:
        (name, why), n_others = next(iter(shortfalls.items())), len(shortfalls) - 1
        others = f" (and {plural(n_others, 'other label')})" if n_others else ""
        out.notes = [printable(f"{name}: {why}{others}", 300)]
    if per_label and out.timed_out:
        searched = f"{len(out.by_label)} of {plural(len(labels), 'label')} were searched"
        out.notes.append(Caution(f"{searched}: the time of {plan.options.max_seconds:g} s was up"))
    if resampling_note:
        out.notes.append(resampling_note)
    return out


def _divides_rows(plan: Plan) -> bool:
    """Whether all columns have to be in one process, because rows are drawn or permuted."""
    options = plan.options
    return options.resamples is not None or options.permutations is not None or is_fdr(options.n)


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
    searches = search_on_workers(plan, info, fixed, labels)
    if searches is None:
        return None
    results, out.interrupted = searches
    out.timed_out = len(results) < len(labels) and not out.interrupted
    return results
