"""What an explanation says: a record for each feature, as text, as HTML and for JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.api.selection import Selection
from mlfs.data.html import text
from mlfs.errors import printable

__all__ = ["Explanation", "Explanations", "document", "explained"]

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
        return explained(self.selection, self).rstrip("\n")

    def _repr_html_(self) -> str:
        lines = repr(self).splitlines()
        return "<pre>" + "\n".join(text(line, 1000) for line in lines) + "</pre>"


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
