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

__all__ = ["Explanation", "Explanations", "document", "explanation_text"]

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
            "shares": [{**_record(entry[:2]), "information": entry[2]} for entry in self.shared],
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
        rows.append(("behind" if reason.margin < 0 else "ahead of", _gap(reason, unit)))
    if reason.ties:
        others = ", ".join(_name(tied) for tied in reason.ties[:SHOWN])
        rest = f" and {len(reason.ties) - SHOWN} more" if len(reason.ties) > SHOWN else ""
        rows.append(("ties with", f"{others}{rest}; the lowest column wins"))
    if reason.forced:
        rows.append(("asked for", "by --include or --start, not chosen"))
    if reason.place is not None:
        rows.append(("by relevance alone", f"place {reason.place}"))
    if reason.shared:
        most = ", ".join(
            f"{value:.6f} with {_name((j, n))}" for j, n, value in reason.shared[:SHOWN]
        )
        rows.append(("information shared", most))
    return lines + [f"  {topic:<18}  {words}" for topic, words in rows]


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


def _gap(reason: Explanation, unit: str) -> str:
    assert reason.rival is not None
    return f"{_name(reason.rival)} by {abs(reason.margin):.6f}{unit}"


def _name(named: Named) -> str:
    return f"{printable(named[1])} (index {named[0]})"
