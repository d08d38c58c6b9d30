"""Why a feature was picked, or why not: its terms, its rivals, what it shares with the picks.

What an explanation says: a record for each feature, as text, as HTML and for JSON.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from mlfs import criteria
from mlfs.api.candidates import features_named
from mlfs.api.plan import NOTHING_MORE
from mlfs.api.prepared import Prepared
from mlfs.api.same_data import prepared_again
from mlfs.api.selecting import select_silently
from mlfs.api.selection import Chosen, ColumnNames, Ranking, Selection
from mlfs.api.text import certainty_text
from mlfs.criteria import Criterion
from mlfs.data.html import text
from mlfs.errors import UsageError, first_of, plural, printable
from mlfs.information.info import Info
from mlfs.search.certainty import Certainty
from mlfs.search.panel import Terms

SHOWN = 5
Named = tuple[int, str]


@dataclass(frozen=True)
class Explanation:
    """The place of one feature in a selection, and the reasons.

    Parameters
    ----------
    index, name : int, str
        The feature.
    label : str
        The label, empty for all labels together.
    rank : int or None
        Its place among the picks; None if it was not picked.
    score, relevance, redundancy, label_correlation : float
        When it was picked; else what they would be if it came next.
    margin : float
        What it was ahead of `rival` by (negative: behind); NaN without one.
    rival : (int, str) or None
        The best other feature at that moment.
    ties : tuple of (int, str)
        Features that were as good.
    forced : bool
        It was asked for, not chosen.
    place : int or None
        Its place by sum_l I(f;l) alone, for features that were asked about.
    shared : tuple of (int, str, float)
        The picks before it with which it shares information, most first.
    excluded : str
        Why it was no candidate, or empty.
    certainty : Certainty or None
        How sure the pick is, where the selection was resampled.
    panel : Terms or None
        What the constraints of a panel did, where there were any.
    instead_of : (int, str) or None
        The feature that would have been picked without them.
    """

    index: int
    name: str
    label: str
    rank: int | None
    score: float
    relevance: float
    redundancy: float
    label_correlation: float
    margin: float
    rival: Named | None
    ties: tuple[Named, ...] = ()
    forced: bool = False
    place: int | None = None
    shared: tuple[tuple[int, str, float], ...] = ()
    excluded: str = ""
    certainty: Certainty | None = None
    panel: Terms | None = None
    instead_of: Named | None = None

    def to_dict(self) -> dict[str, Any]:
        """The record for JSON."""
        return {
            "index": self.index,
            "name": self.name,
            **({"label": self.label} if self.label else {}),
            "rank": self.rank,
            "score": self.score,
            "terms": {
                "relevance": self.relevance,
                "redundancy": self.redundancy,
                "label_correlation": self.label_correlation,
            },
            "margin": self.margin,
            "runner_up": None if self.rival is None else _record(self.rival),
            "ties": [_record(tied) for tied in self.ties],
            "forced": self.forced,
            "place_by_relevance": self.place,
            "shares": [{**_record(entry[:2]), "information": entry[2]} for entry in self.shared],
            "excluded": self.excluded or None,
            **({} if self.certainty is None else self.certainty.to_dict()),
            **({} if self.panel is None else {"panel": self.panel.to_dict()}),
        }


def _record(named: Named) -> dict[str, Any]:
    return {"index": named[0], "name": named[1]}


class Explanations(list[Explanation]):
    """A list of explanations that shows itself in words.

    Parameters
    ----------
    selection : Selection
        What is explained.
    reasons : iterable of Explanation
        One for each feature, or one for each feature and label.
    """

    def __init__(self, selection: Selection, reasons: Iterable[Explanation]) -> None:
        super().__init__(reasons)
        self.selection = selection

    def __repr__(self) -> str:
        return explanation_text(self.selection, self).rstrip("\n")

    def _repr_html_(self) -> str:
        lines = repr(self).splitlines()
        return "<pre>" + "\n".join(text(line, 1000) for line in lines) + "</pre>"


def document(selection: Selection, reasons: Sequence[Explanation]) -> dict[str, Any]:
    """The JSON document of ``mlfs explain --format json``."""
    everything = selection.to_dict()
    keys = ("schema", "criterion", "parameters", "scope", "units", "data", "settings")
    record = {key: everything[key] for key in keys}
    record["explained"] = [reason.to_dict() for reason in reasons]
    record["notes"] = everything["notes"]
    return record


def explanation_text(selection: Selection, reasons: Sequence[Explanation]) -> str:
    """The reasons in words."""
    unit = "" if selection.units == "ratio" else f" {selection.units}"
    data = selection.data
    picked = f"{len(selection)} of {data['features']:,} features picked"
    lines = [f"{selection.criterion}: {picked}; score = relevance + label correlation - redundancy"]
    label = ""
    for reason in reasons:
        if reason.label != label:
            label = reason.label
            lines += ["", f"label {printable(label)}"]
        lines += ["", *_paragraph(reason, unit)]
    return "\n".join(lines) + "\n"


def _paragraph(reason: Explanation, unit: str) -> list[str]:
    place = "not picked" if reason.rank is None else f"pick {reason.rank}"
    lines = [f"{printable(reason.name)} (index {reason.index}): {place}"]
    rows = [("score", _sum(reason, unit))]
    if reason.excluded:
        rows.append(("why", reason.excluded))
    if reason.score == -math.inf:
        rows.append(("why", "the criterion never picks it"))
    elif reason.rival is not None:
        gap = f"{_name(reason.rival)} by {abs(reason.margin):.6f}{unit}"
        rows.append(("behind" if reason.margin < 0 else "ahead of", gap))
    if reason.ties:
        others = first_of(map(_name, reason.ties[:SHOWN]), len(reason.ties))
        rows.append(("ties with", f"{others}; the lowest column wins"))
    if reason.forced:
        rows.append(("asked for", "by --include or --start, not chosen"))
    if reason.place is not None:
        rows.append(("by relevance alone", f"place {reason.place}"))
    if reason.shared:
        most = ", ".join(
            f"{value:.6f} with {_name((j, n))}" for j, n, value in reason.shared[:SHOWN]
        )
        rows.append(("information shared", most))
    if reason.panel is not None and reason.panel.bound:
        rows.append(("bound by", _bound(reason.panel, reason.instead_of, unit)))
    if reason.certainty is not None:
        rows += _certainty(reason.certainty, unit)
    return lines + [f"  {topic:<18}  {words}" for topic, words in rows]


def _bound(terms: Terms, instead_of: Named | None, unit: str) -> str:
    """The constraints of a panel, and what they cost."""
    why = printable(", ".join(terms.bound))
    if instead_of is None or terms.price is None:
        return why
    return f"{why}; without, {_name(instead_of)}, better by {terms.price:.6f}{unit}"


def _certainty(certainty: Certainty, unit: str) -> list[tuple[str, str]]:
    rows = []
    if certainty.reason:
        shown = "" if certainty.p is None else f", p {certainty.p:.4g}"
        rows.append(("in the blanket", f"{printable(certainty.reason)}{shown}"))
    if certainty.rows_left is not None:
        left = f"{plural(certainty.rows_left, 'row')} left to tell"
        shown = "none" if certainty.p is None else f"{certainty.p:.4g}"
        rows.append(("p given the picks", f"{shown}, with {left}"))
    if certainty.score_interval is None or certainty.rank_interval is None:
        return rows
    low, high = certainty.score_interval
    first, last = ("beyond" if rank is None else str(rank) for rank in certainty.rank_interval)
    return [
        *rows,
        ("on half the rows", certainty_text(replace(certainty, rows_left=None, p=None), SHOWN)),
        ("score, 95 %", f"{low:.6f} to {high:.6f}{unit}"),
        ("rank, 95 %", first if first == last else f"{first} to {last}"),
    ]


def _sum(reason: Explanation, unit: str) -> str:
    when = " if it came next" if reason.rank is None else ""
    if not np.isfinite(reason.score):
        return f"{reason.score}{when}"
    text = f"{reason.score:.6f}{unit}{when} = {reason.relevance:.6f}"
    if reason.label_correlation:
        text += f" + {reason.label_correlation:.6f}"
    if reason.redundancy < 0:
        return f"{text} + {-reason.redundancy:.6f} that the picks add"
    return f"{text} - {reason.redundancy:.6f}"


def _name(named: Named) -> str:
    return f"{printable(named[1])} (index {named[0]})"


def explain_picks(selection: Selection) -> list[Explanation]:
    """Explain every pick.

    Examples
    --------
    >>> picks = select_silently(([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]), "mim", 1)
    >>> explain_picks(picks)[0].rival
    (1, 'x1')
    """
    return [
        _explanation(pick, ranking.label, pick.rank, selection.column_names)
        for ranking in _rankings(selection)
        for pick in ranking.chosen
    ]


def explain_from_selection(selection: Selection, features: Any = None) -> Explanations:
    """Explain some picks, or all, from what the selection holds; no data are needed."""
    reasons = explain_picks(selection)
    if features is None:
        return Explanations(selection, reasons)
    features = [features] if isinstance(features, (str, int)) else list(features)
    for feature in features:
        if not any(feature in (reason.index, reason.name) for reason in reasons):
            shown = printable(repr(feature))
            raise UsageError(f"{shown} was not picked: to explain why, give data=, the data")
    return Explanations(
        selection,
        [reason for reason in reasons if reason.index in features or reason.name in features],
    )


def _rankings(selection: Selection) -> list[Ranking]:
    return list(selection.labels.values()) or [selection]


def _instead_of(pick: Chosen, names: ColumnNames) -> Named | None:
    if pick.panel is None or pick.panel.instead_of is None:
        return None
    return pick.panel.instead_of, names[pick.panel.instead_of]


def _explanation(
    pick: Chosen, label: str, rank: int | None, names: ColumnNames, **fields: Any
) -> Explanation:
    return Explanation(
        index=pick.index,
        name=pick.name,
        label=label,
        rank=rank,
        score=pick.score,
        relevance=pick.relevance,
        redundancy=pick.redundancy,
        label_correlation=pick.label_correlation,
        margin=pick.margin,
        rival=None if pick.runner_up is None else (pick.runner_up, names[pick.runner_up]),
        ties=tuple((j, names[j]) for j in pick.ties),
        forced=rank is not None and pick.forced,
        panel=pick.panel if rank is not None else None,
        instead_of=_instead_of(pick, names),
        certainty=None if rank is None else pick.certainty,
        **fields,
    )


def explain(
    data: Any,
    selection: Selection,
    features: Any = None,
    *,
    criterion: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
) -> Explanations:
    """Explain why features were picked or not.

    A feature that was not picked is scored by the criterion as if it came next.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        The data from which the features were selected. They are prepared as they were for the
        selection; a `Prepared` is used as it is.
    selection : Selection
        What `mlfs.select` returned.
    features : str, int or sequence of them, optional
        Names, globs or columns; by default the picks. Explanations of picks that were not named
        come without `place` and `shared`, and nothing is counted for them.
    criterion : str, type or Criterion, optional
        The criterion of the selection; needed only if it is not known by its name.
    labels, sample_weight, n_jobs, max_memory
        As for `mlfs.select`.

    Returns
    -------
    list of Explanation
        For each feature one, or one for each label if the selection is for each label. Printed,
        it is the text of ``mlfs explain``.

    Examples
    --------
    >>> import mlfs
    >>> data = ([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]])
    >>> (why,) = explain(data, mlfs.select(data, "mim", 1), [1])
    >>> why.rank, why.place, why.rival
    (None, 2, None)
    """
    if not isinstance(selection, Selection):
        msg = f"is what mlfs.select returned, not {printable(repr(selection))}"
        raise UsageError(msg, option="selection")
    if features is None:
        return Explanations(selection, explain_picks(selection))
    options = {
        "labels": labels,
        "sample_weight": sample_weight,
        "n_jobs": n_jobs,
        "max_memory": max_memory,
    }
    prepared = prepared_again(data, selection, **options)
    source = selection.criterion if criterion is None else criterion
    parameters = None if isinstance(source, Criterion) else selection.parameters
    instance = criteria.get(source, parameters)[1]
    columns = features_named(features, prepared.dataset, "the features to explain")
    explanations = (_explain_feature(prepared, selection, instance, column) for column in columns)
    return Explanations(selection, chain.from_iterable(explanations))


def _explain_feature(
    prepared: Prepared, selection: Selection, criterion: Criterion, column: int
) -> Iterator[Explanation]:
    """Explain one column, for all labels or for each."""
    name = prepared.dataset.names[column]
    candidate = prepared.grouping.candidates([column])[0]
    probe, excluded = _probe(prepared, selection, criterion, column)
    names = probe.column_names
    for ranking in _rankings(selection):
        info = prepared.info
        if ranking.label:
            info = info.for_label(prepared.dataset.label_names.index(ranking.label))
        view = info.only([candidate])
        place = 1 + int((info.mi_fL > view.mi_fL[0]).sum())
        own_pick = next((p for p in ranking.chosen if p.name == name), None)
        after = probe.labels[ranking.label] if ranking.label else probe
        pick = own_pick or next(p for p in after.chosen if p.name == name)
        why = excluded or _why_filtered(selection.settings["prefilter"], place)
        why = why or _why_not(ranking, candidate, names)
        yield _explanation(
            pick,
            ranking.label,
            None if own_pick is None else own_pick.rank,
            names,
            place=place,
            shared=_shared_information(view, prepared, ranking, own_pick),
            excluded="" if own_pick else why,
        )


def _shared_information(
    view: Info,
    prepared: Prepared,
    ranking: Ranking,
    own_pick: Chosen | None,
) -> tuple[tuple[int, str, float], ...]:
    """Information that the one candidate of a view shares with the picks before it, most first."""
    earlier = [
        pick.name for pick in ranking.chosen if own_pick is None or pick.rank < own_pick.rank
    ]
    grouping, dataset, shared = prepared.grouping, prepared.dataset, []
    for s in grouping.candidates(features_named(earlier, dataset, "the picks")):
        column = grouping.members[s][0]
        information = float(view.mi_fs(s)[0])
        shared.append((int(dataset.given[column]), dataset.names[column], information))
    return tuple(sorted(shared, key=lambda pick: (-pick[2], pick[0])))


def _why_not(ranking: Ranking, candidate: int, names: ColumnNames) -> str:
    """Why a candidate is not picked, as the tests of an automatic number have it."""
    found = ranking.significance
    if found is None:
        return f"it comes after the {plural(len(ranking), 'pick')}"
    if not found.informative[candidate]:
        return f"alone it tells no more than chance (p {found.p_values[candidate]:.3g})"
    beside = found.p_beside[candidate]
    if found.instead[candidate] < 0 or np.isnan(beside):
        return "a constraint kept it out"
    most_like = printable(names[int(found.instead[candidate])])
    return f"it adds nothing to the picks (p {beside:.3g}); {most_like} is most like it"


def _why_filtered(prefilter: int | None, place: int) -> str:
    if prefilter is None or place <= prefilter:
        return ""
    return f"it is not among the {prefilter} features with most information about the labels"


def _probe(
    prepared: Prepared, selection: Selection, criterion: Criterion, column: int
) -> tuple[Selection, str]:
    """Select once more, the feature coming next after the picks; also say if it was excluded."""
    settings = selection.settings
    block = set(prepared.grouping.members[prepared.grouping.candidates([column])[0]])
    dataset = prepared.dataset
    excluded, identifiers = (
        features_named(settings[key], dataset, "exclude") for key in ("exclude", "identifiers")
    )
    probe = select_silently(
        prepared,
        criterion,
        NOTHING_MORE,  # the picks and this one
        per_label=selection.scope == "each label",
        include=[dataset.names[column]],
        exclude=[dataset.names[j] for j in excluded if j not in block],
        start=selection,
        prefilter=settings["prefilter"],
        network=selection.network,
    )
    why = "it was excluded" if block & {*excluded} else ""
    why = "it is held fixed" if block & {*prepared.held} else why
    return probe, "it names a row, and was left out" if block & {*identifiers} else why
