"""Selections as text: table, names, indices, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlfs.api.selection import Chosen, Ranking, Selection
from mlfs.errors import plural, printable

if TYPE_CHECKING:
    from mlfs.discretize.binning import Binning

__all__ = [
    "aligned",
    "binning_lines",
    "criteria_text",
    "csv_text",
    "heading",
    "json_text",
    "rendered",
    "table",
]

COLUMNS = (
    "rank", "index", "name", "score", "relevance", "redundancy", "label_correlation", "margin",
    "runner_up", "ties",
)  # fmt: skip
WIDEST = 60
SHOWN = 20
# Characters that move the cursor, hide or reorder text, including line ends and tabs.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
CONTROL_IN_CELLS = re.compile(CONTROL.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))


def rendered(selection: Selection, form: str) -> str:
    """Render a selection in one of the forms of ``--format``, with a line end.

    Examples
    --------
    >>> import mlfs
    >>> picks = mlfs.select(([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]), n=1)
    >>> rendered(picks, "indices")
    '0\\n'
    """
    if form == "names":
        return "".join(f"{escaped(name)}\n" for name in selection.names)
    if form == "indices":
        return "".join(f"{index}\n" for index in selection.indices)
    if form == "csv":
        return csv_text(selection)
    if form == "json":
        return json_text(selection.to_dict())
    return table(selection)


def escaped(text: str, what: re.Pattern[str] = CONTROL) -> str:
    """Show control characters as escapes; other text is not changed or cut.

    Examples
    --------
    >>> escaped("naïve\\x1b[2J")
    'naïve\\\\x1b[2J'
    """
    return what.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def csv_text(selection: Selection) -> str:
    """Render one line for each pick in full precision; per label, the label comes first."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    each = selection.scope == "each label"
    writer.writerow((["label"] if each else []) + list(COLUMNS))
    rankings: Sequence[Ranking] = list(selection.labels.values()) if each else [selection]
    for ranking in rankings:
        for one in ranking.chosen:
            label = [escaped(ranking.label, CONTROL_IN_CELLS)] if each else []
            writer.writerow(label + _cells(one))
    return stream.getvalue()


def _cells(one: Chosen) -> list[Any]:
    numbers = (one.score, one.relevance, one.redundancy, one.label_correlation, one.margin)
    return [
        one.rank,
        one.index,
        escaped(one.name, CONTROL_IN_CELLS),
        *(repr(float(x)) if math.isfinite(x) else "" for x in numbers),
        "" if one.runner_up is None else one.runner_up,
        " ".join(map(str, one.ties)),
    ]


def json_text(document: Mapping[str, Any]) -> str:
    """Render a JSON document with one record of a list in each line; safe to show on a terminal.

    Examples
    --------
    >>> print(json_text({"schema": 1, "selected": [{"rank": 1}, {"rank": 2}]}), end="")
    {
      "schema": 1,
      "selected": [
        {"rank": 1},
        {"rank": 2}
      ]
    }
    """
    members = []
    for key, value in document.items():
        body = _dumped(value)
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            records = ",\n".join(f"    {_dumped(one)}" for one in value)
            body = f"[\n{records}\n  ]"
        members.append(f"  {_dumped(key)}: {body}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def _dumped(value: Any) -> str:
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _plain(value: Any) -> Any:
    """Convert a value to what JSON can hold; a parameter of a plugin may be anything."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        if {*map(type, value)} == {int}:  # such as ties, of which there may be millions
            return list(value)
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def heading(selection: Selection) -> str:
    """Name the criterion, its parameters and the data in one line."""
    chosen = {key: value for key, value in selection.parameters.items() if value is not None}
    given = ", ".join(f"{key}={value}" for key, value in chosen.items())
    data = selection.data
    stopped = " when the time was up" if selection.timed_out else ""
    each = " picked by the labels together" if selection.scope == "each label" else ""
    unit = "" if selection.units == "ratio" else f"; scores in {selection.units}"
    return (
        f"{selection.criterion}{f' ({given})' if given else ''}: {len(selection)} of "
        f"{plural(data['features'], 'feature')}{each}{stopped} "
        f"({plural(data['rows'], 'row')}, {plural(data['labels'], 'label')}){unit}"
    )


def table(selection: Selection) -> str:
    """Render a table to read: picks in order, with terms, margin and runner-up."""
    columns = selection.binnings
    lines = [heading(selection)]
    if selection.scope != "each label":
        lines += _picks(selection.chosen, columns)
        return "\n".join(lines) + "\n"
    for ranking in selection.labels.values():
        lines += ["", f"label {printable(ranking.label, WIDEST)}"]
        lines += _picks(ranking.chosen, columns) if len(ranking) else ["(no feature)"]
    lines += ["", "all labels together: by best rank, then by how many labels picked it"]
    rows = [
        [str(one.rank), str(one.index), printable(one.name, WIDEST), str(one.labels)]
        for one in selection.chosen
    ]
    lines += aligned(["rank", "index", "name", "labels"], rows, left={2})
    return "\n".join(lines) + "\n"


def _picks(chosen: Sequence[Chosen], columns: Sequence[Binning]) -> list[str]:
    correlated = any(one.label_correlation for one in chosen)
    header = ["rank", "index", "name", "score", "relevance", "redundancy"]
    header += [*(["label corr."] if correlated else []), "margin", "runner-up", ""]
    rows = []
    for one in chosen:
        terms = [one.score, one.relevance, one.redundancy]
        terms += [one.label_correlation] if correlated else []
        rows.append(
            [
                str(one.rank),
                str(one.index),
                printable(one.name, WIDEST),
                *(_number(term) for term in terms),
                _number(one.margin),
                "-" if one.runner_up is None else printable(columns[one.runner_up].name, WIDEST),
                _remarks(one, columns),
            ]
        )
    last = len(header) - 1
    return aligned(header, rows, left={2, last - 1, last})


def _remarks(one: Chosen, columns: Sequence[Binning]) -> str:
    remarks = ["asked for"] if one.forced else []
    if one.group:
        remarks.append(f"group {printable(one.group, WIDEST)}")
    if one.tied.size:
        more = f" and {one.tied.size - 1} more" if one.tied.size > 1 else ""
        remarks.append(f"ties with {printable(columns[one.tied[0]].name, WIDEST)}{more}")
    return "; ".join(remarks)


def _number(value: float) -> str:
    return f"{value:.6f}" if math.isfinite(value) else "-"


def aligned(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, left: set[int] | None = None
) -> list[str]:
    """Align columns to the right, and those in `left` to the left.

    Examples
    --------
    >>> aligned(["n", "name"], [["10", "a"]], left={1})
    [' n  name', '10  a']
    """
    whole = [header, *rows]
    left = left or set()
    widths = [max(len(row[j]) for row in whole) for j in range(len(header))]
    return [
        "  ".join(
            f"{cell:<{widths[j]}}" if j in left else f"{cell:>{widths[j]}}"
            for j, cell in enumerate(row)
        ).rstrip()
        for row in whole
    ]


LEGEND = (
    "f       a candidate; J(f) its score, R(f) its relevance",
    "s, t    features picked so far; S all of them",
    "l, l'   labels; q their number, L all of them, Q some of them; pa(l) the parents of l",
    "H, I    entropy; mutual information I(f;l), given s I(f;l|s), of pairs I(f,s;l)",
    "I(f;s;l) = I(f;s) - I(f;s|l)          SU(a,b) = 2 I(a;b) / (H(a) + H(b))",
    "G       as I, with Gini impurity for entropy; SU(l;Z), SU(L;S): means; Z = S and pa(l)",
    "beta, gamma, floor, ... are parameters: -p beta=0.5; IR, CVIR: imbalance, see mlfs info",
)


def criteria_text(listing: Sequence[Mapping[str, Any]]) -> str:
    """Render the list of ``mlfs criteria`` as a table, with the reason if one cannot be used."""
    rows = []
    for one in listing:
        aliases = f" ({', '.join(one['aliases'])})" if one["aliases"] else ""
        text = f"cannot be used: {one['broken']}" if one["broken"] else one["formula"]
        text = text or one["reference"]
        rows.append(
            [
                printable(one["name"]) + aliases,
                one["scope"] or "-",
                printable(one["origin"]),
                printable(text, 400),
            ]
        )
    lines = aligned(["name", "scope", "origin", "formula"], rows, left={0, 1, 2, 3})
    return "\n".join([*lines, "", *LEGEND]) + "\n"


def binning_lines(selection: Selection, *, every: bool = False) -> list[str]:
    """Describe how the columns were binned.

    Parameters
    ----------
    selection : Selection
        The selection.
    every : bool
        Describe every column instead of the first numeric ones.
    """
    counts = Counter(
        (binning.method, binning.n_levels) for binning in selection.binnings
    ).most_common()
    lines = [
        f"binning: {plural(n, 'column')} {method} in {levels} levels"
        for (method, levels), n in counts
    ]
    described = [one for one in selection.binnings if every or one.method != "nominal"]
    shown = described if every else described[:SHOWN]
    lines += [f"  {printable(one.name, WIDEST)}: {_first_levels(one)}" for one in shown]
    if len(described) > len(shown):
        lines.append(f"  and {len(described) - len(shown):,} more columns: -vv shows all")
    lines += [
        f"target {printable(one.name, WIDEST)}: {one.method}, {_first_levels(one)}"
        for one in selection.target_binnings
    ]
    return lines


def _first_levels(binning: Binning) -> str:
    levels = binning.levels()
    more = f" and {len(levels) - SHOWN} more" if len(levels) > SHOWN else ""
    return f"{', '.join(levels[:SHOWN])}{more}"
