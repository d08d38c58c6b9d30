"""Why a feature was picked, or why not: its terms, who was ahead, what it shares with the picks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.api.candidates import Grouping, columns_named
from mlfs.api.plan import NOTHING_MORE
from mlfs.api.prepared import prepare
from mlfs.api.selecting import UNITS, select
from mlfs.api.selection import Chosen, Ranking, Selection
from mlfs.data.dataset import Dataset
from mlfs.errors import printable
from mlfs.information.info import Info

__all__ = ["Explanation", "document", "explained", "of_features", "of_picks"]

COUNTING = ("groups", "bins", "n_bins", "nominal_limit", "missing", "n_jobs", "max_memory")
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
        Its place by relevance alone, for features that were asked about.
    shared : tuple of (int, str, float)
        The picks before it with which it shares information, most first.
    excluded : str
        Why it was no candidate, or empty.
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
            "shares": [{**_record(one[:2]), "information": one[2]} for one in self.shared],
            "excluded": self.excluded or None,
        }


def _record(named: Named) -> dict[str, Any]:
    return {"index": named[0], "name": named[1]}


def of_picks(selection: Selection, names: Sequence[str]) -> list[Explanation]:
    """Explain every pick; `names` are those of all features.

    Examples
    --------
    >>> picks = select(([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]), "mim", 1)
    >>> of_picks(picks, ["left", "right"])[0].rival
    (1, 'right')
    """
    return [
        _explanation(one, ranking.label, one.rank, names)
        for ranking in _rankings(selection)
        for one in ranking.chosen
    ]


def _rankings(selection: Selection) -> list[Ranking]:
    return list(selection.labels.values()) or [selection]


def _explanation(
    one: Chosen, label: str, rank: int | None, names: Sequence[str], **more: Any
) -> Explanation:
    return Explanation(
        index=one.index,
        name=one.name,
        label=label,
        rank=rank,
        score=one.score,
        relevance=one.relevance,
        redundancy=one.redundancy,
        label_correlation=one.label_correlation,
        margin=one.margin,
        rival=None if one.runner_up is None else (one.runner_up, names[one.runner_up]),
        ties=tuple((j, names[j]) for j in one.ties),
        forced=rank is not None and one.forced,
        **more,
    )


def of_features(
    dataset: Dataset, selection: Selection, features: Any, options: Mapping[str, Any]
) -> list[Explanation]:
    """Explain why some features were picked or not.

    What was not picked is scored as if it came next, by the criterion itself.

    Parameters
    ----------
    dataset : Dataset
        The data.
    selection : Selection
        What was selected from them.
    features : sequence of str or int
        Names, globs or columns.
    options : mapping
        The other arguments that `mlfs.select` got.
    """
    names = dataset.feature_names
    ready = prepare(dataset, **{name: options[name] for name in COUNTING if name in options})
    factor = UNITS[options.get("units", "nats")]
    told = []
    for column in columns_named(features, names, "the features to explain"):
        candidate = ready.grouping.candidates([column])[0]
        block = ready.grouping.members[candidate]
        probe, excluded = _probe(dataset, selection, column, block, options)
        for ranking in _rankings(selection):
            info = ready.info
            if ranking.label:
                info = info.for_label(dataset.label_names.index(ranking.label))
            view = info.only([candidate])
            place = 1 + int((info.mi_fL > view.mi_fL[0]).sum())
            mine = next((one for one in ranking.chosen if one.index == column), None)
            after = probe.labels[ranking.label] if ranking.label else probe
            found = mine or next(one for one in after.chosen if one.index == column)
            why = excluded or _filtered(options.get("prefilter"), place)
            told.append(
                _explanation(
                    found,
                    ranking.label,
                    None if mine is None else mine.rank,
                    names,
                    place=place,
                    shared=_shared(view, ready.grouping, ranking, mine, names, factor),
                    excluded="" if mine else why,
                )
            )
    return told


def _shared(
    view: Info,
    grouping: Grouping,
    ranking: Ranking,
    mine: Chosen | None,
    names: Sequence[str],
    factor: float,
) -> tuple[tuple[int, str, float], ...]:
    """What the one candidate of a view shares with the picks before it, most first."""
    earlier = [one.index for one in ranking.chosen if mine is None or one.rank < mine.rank]
    shared = []
    for s in grouping.candidates(earlier):
        first = grouping.members[s][0]
        shared.append((first, names[first], float(view.mi_fs(s)[0]) * factor))
    return tuple(sorted(shared, key=lambda one: (-one[2], one[0])))


def _filtered(prefilter: int | None, place: int) -> str:
    if prefilter is None or place <= prefilter:
        return ""
    return f"it is not among the {prefilter} features of greatest relevance"


def _probe(
    dataset: Dataset,
    selection: Selection,
    column: int,
    block: Sequence[int],
    options: Mapping[str, Any],
) -> tuple[Selection, str]:
    """Select once more, the feature coming next after the picks; also say if it was excluded."""
    given = dict(options)
    banned = columns_named(given.get("exclude", ()), dataset.feature_names, "exclude")
    given["exclude"] = [j for j in banned if j not in block]
    given["include"] = [column]
    given["start"] = selection
    given["n"] = NOTHING_MORE  # the picks and this one
    given["network"] = selection.network
    given.pop("on_pick", None)
    excluded = "it was excluded" if set(banned) & set(block) else ""
    return select(dataset, given.pop("criterion"), given.pop("n"), **given), excluded


def document(selection: Selection, reasons: Sequence[Explanation]) -> dict[str, Any]:
    """The JSON document of ``mlfs explain --format json``."""
    whole = selection.to_dict()
    kept = ("schema", "criterion", "parameters", "scope", "units", "data", "settings")
    found = {key: whole[key] for key in kept}
    found["explained"] = [reason.to_dict() for reason in reasons]
    found["notes"] = whole["notes"]
    return found


def explained(selection: Selection, reasons: Sequence[Explanation]) -> str:
    """The reasons in words."""
    unit = "" if selection.units == "ratio" else f" {selection.units}"
    data = selection.data
    picked = f"{len(selection)} of {data['features']:,} features picked"
    lines = [f"{selection.criterion}: {picked}; score = relevance + label correlation - redundancy"]
    label = ""
    for one in reasons:
        if one.label != label:
            label = one.label
            lines += ["", f"label {printable(label)}"]
        lines += ["", *_paragraph(one, unit)]
    return "\n".join(lines) + "\n"


def _paragraph(one: Explanation, unit: str) -> list[str]:
    place = "not picked" if one.rank is None else f"pick {one.rank}"
    lines = [f"{printable(one.name)} (index {one.index}): {place}"]
    rows = [("score", _sum(one, unit))]
    if one.excluded:
        rows.append(("why", one.excluded))
    if one.score == -math.inf:
        rows.append(("why", "the criterion never picks it"))
    elif one.rival is not None:
        rows.append(("behind" if one.margin < 0 else "ahead of", _gap(one, unit)))
    if one.ties:
        others = ", ".join(_name(tied) for tied in one.ties[:SHOWN])
        more = f" and {len(one.ties) - SHOWN} more" if len(one.ties) > SHOWN else ""
        rows.append(("ties with", f"{others}{more}; the lowest column wins"))
    if one.forced:
        rows.append(("asked for", "by --include or --start, not chosen"))
    if one.place is not None:
        rows.append(("by relevance alone", f"place {one.place}"))
    if one.shared:
        most = ", ".join(f"{value:.6f} with {_name((j, n))}" for j, n, value in one.shared[:SHOWN])
        rows.append(("information shared", most))
    return lines + [f"  {what:<18}  {said}" for what, said in rows]


def _sum(one: Explanation, unit: str) -> str:
    when = " if it came next" if one.rank is None else ""
    if not np.isfinite(one.score):
        return f"{one.score}{when}"
    text = f"{one.score:.6f}{unit}{when} = {one.relevance:.6f}"
    if one.label_correlation:
        text += f" + {one.label_correlation:.6f}"
    if one.redundancy < 0:
        return f"{text} + {-one.redundancy:.6f} that the picks add"
    return f"{text} - {one.redundancy:.6f}"


def _gap(one: Explanation, unit: str) -> str:
    assert one.rival is not None
    return f"{_name(one.rival)} by {abs(one.margin):.6f}{unit}"


def _name(named: Named) -> str:
    return f"{printable(named[1])} (index {named[0]})"
