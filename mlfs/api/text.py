"""Selections as text: table, names, indices, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlfs.api.selection import Chosen, ColumnNames, Ranking, Selection
from mlfs.criteria import TIERS
from mlfs.errors import first_of, plural, printable
from mlfs.search.certainty import Certainty

if TYPE_CHECKING:
    from mlfs.discretize.binning import Binning
    from mlfs.search.panel import Terms


COLUMNS = (
    "rank", "index", "name", "score", "relevance", "redundancy", "label_correlation", "margin",
    "runner_up", "ties",
)  # fmt: skip
PANEL = ("cost", "tells", "bound", "instead_of", "price")
WIDEST = 60
SHOWN = 20
SUBSTITUTES = 3  # that are named in a line
# Characters that move the cursor, hide or reorder text, including line ends and tabs.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
CONTROL_IN_CELLS = re.compile(CONTROL.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))


def render(selection: Selection, form: str) -> str:
    """Render a selection in one of the forms of ``--format``, with a line end.

    Examples
    --------
    >>> import mlfs
    >>> picks = mlfs.select(([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]), n=1)
    >>> render(picks, "indices")
    '0\\n'
    """
    if form == "names":
        return "".join(f"{escape(name)}\n" for name in selection.names)
    if form == "indices":
        return "".join(f"{index}\n" for index in selection.indices)
    if form == "csv":
        return csv_text(selection)
    if form == "json":
        return json_text(selection.to_dict())
    return table(selection)


def escape(text: str, pattern: re.Pattern[str] = CONTROL) -> str:
    """Show control characters as escapes; other text is not changed or cut.

    Examples
    --------
    >>> escape("naïve\\x1b[2J")
    'naïve\\\\x1b[2J'
    """
    return pattern.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def csv_text(selection: Selection) -> str:
    """Render one line for each pick in full precision; per label, the label comes first."""
    per_label = selection.scope == "each label"
    rankings: Sequence[Ranking] = list(selection.labels.values()) if per_label else [selection]
    panel = PANEL if any(ranking.terms_of_panel for ranking in rankings) else ()
    rows = (entry.to_row() for ranking in rankings for entry in ranking.certainty if entry)
    certain = [*next(rows, {})]
    lines = [[*(["label"] if per_label else []), *COLUMNS, *panel, *certain]]
    for ranking in rankings:
        for pick in ranking.chosen:
            label = [escape(ranking.label, CONTROL_IN_CELLS)] if per_label else []
            terms = {} if pick.panel is None else pick.panel.to_dict()
            sure = {} if pick.certainty is None else pick.certainty.to_row()
            if "substitutes" in sure:
                indices = (str(entry["index"]) for entry in sure["substitutes"])
                sure["substitutes"] = " ".join(indices)
            more = [_constraint(terms.get(name)) for name in panel]
            lines.append([*label, *_cells(pick), *more, *(sure.get(name) for name in certain)])
    return csv_of(lines)


def csv_of(rows: Iterable[Iterable[Any]]) -> str:
    """Rows of cells as CSV.

    Examples
    --------
    >>> csv_of([["a", 1], ["b, c", None]])
    'a,1\\n"b, c",\\n'
    """
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def _cells(pick: Chosen) -> list[Any]:
    numbers = (pick.score, pick.relevance, pick.redundancy, pick.label_correlation, pick.margin)
    return [
        pick.rank,
        pick.index,
        escape(pick.name, CONTROL_IN_CELLS),
        *(repr(float(x)) if math.isfinite(x) else "" for x in numbers),
        "" if pick.runner_up is None else pick.runner_up,
        " ".join(map(str, pick.ties)),
    ]


def _constraint(value: Any) -> Any:
    """A term of a panel as a cell; names are separated by semicolons."""
    if isinstance(value, list):
        return escape("; ".join(value), CONTROL_IN_CELLS)
    return "" if value is None else repr(value)


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
        body = _json_line(value)
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            records = ",\n".join(f"    {_json_line(record)}" for record in value)
            body = f"[\n{records}\n  ]"
        members.append(f"  {_json_line(key)}: {body}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def _json_line(value: Any) -> str:
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)
    return CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _plain(value: Any) -> Any:
    """Convert a value to what JSON can hold; a parameter of a plugin may be anything."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        if {*map(type, value)} == {int}:  # such as ties, of which there may be millions
            return list(value)
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def heading(selection: Selection) -> str:
    """Name the criterion, its parameters and the data in one line."""
    parameters = {key: value for key, value in selection.parameters.items() if value is not None}
    texts = ", ".join(f"{key}={value}" for key, value in parameters.items())
    data = selection.data
    stopped = " when the time was up" if selection.timed_out else ""
    scope = " picked by the labels together" if selection.scope == "each label" else ""
    unit = "" if selection.units == "ratio" else f"; scores in {selection.units}"
    return (
        f"{selection.criterion}{f' ({texts})' if texts else ''}: {len(selection)} of "
        f"{plural(data['features'], 'feature')}{scope}{stopped} "
        f"({plural(data['rows'], 'row')}, {plural(data['labels'], 'label')}){unit}"
    )


def table(selection: Selection) -> str:
    """Render a table to read: picks in order, with terms, margin and runner-up."""
    columns = selection.column_names
    lines = [heading(selection)]
    if selection.scope != "each label":
        lines += _picks(selection.chosen, columns)
        lines += told_by_lines(selection)
        return "\n".join(lines) + "\n"
    for ranking in selection.labels.values():
        lines += ["", f"label {printable(ranking.label, WIDEST)}"]
        lines += _picks(ranking.chosen, columns) if len(ranking) else ["(no feature)"]
    lines += ["", "all labels together: by best rank, then by how many labels picked it"]
    rows = [
        [str(pick.rank), str(pick.index), printable(pick.name, WIDEST), str(pick.labels)]
        for pick in selection.chosen
    ]
    lines += align(["rank", "index", "name", "labels"], rows, left={2})
    return "\n".join(lines) + "\n"


def told_by_lines(selection: Selection) -> list[str]:
    """For each label the pick that tells most about it, in a line; the first labels only."""
    if len(selection.told_by) < 2:
        return []
    rows = []
    for told in selection.told_by[:SHOWN]:
        if told.name is None:
            by = "no column, more than chance"
        else:
            by = printable(told.name, WIDEST) + ("" if told.picked else " (not picked)")
            by += f" with {printable(told.partner, WIDEST)}" if told.partner else ""
        rows.append([printable(told.label, WIDEST), by, f"{told.p_value:.3g}"])
    n_hidden = len(selection.told_by) - len(rows)
    lines = ["", *align(["label", "told by", "p"], rows, left={0, 1})]
    return [*lines, f"and {plural(n_hidden, 'label')} more"] if n_hidden else lines


def _picks(picks: Sequence[Chosen], names: ColumnNames) -> list[str]:
    correlated = any(pick.label_correlation for pick in picks)
    header = ["rank", "index", "name", "score", "relevance", "redundancy"]
    header += [*(["label corr."] if correlated else []), "margin", "runner-up", ""]
    rows = []
    for pick in picks:
        terms = [pick.score, pick.relevance, pick.redundancy]
        terms += [pick.label_correlation] if correlated else []
        rows.append(
            [
                str(pick.rank),
                str(pick.index),
                printable(pick.name, WIDEST),
                *(_number(term) for term in terms),
                _number(pick.margin),
                "-" if pick.runner_up is None else printable(names[pick.runner_up], WIDEST),
                _remarks(pick, names),
            ]
        )
    last = len(header) - 1
    return align(header, rows, left={2, last - 1, last})


def _remarks(pick: Chosen, names: ColumnNames) -> str:
    remarks = ["asked for"] if pick.forced else []
    if pick.group:
        remarks.append(f"group {printable(pick.group, WIDEST)}")
    if pick.tied.size:
        others = f" and {pick.tied.size - 1} more" if pick.tied.size > 1 else ""
        remarks.append(f"ties with {printable(names[int(pick.tied[0])], WIDEST)}{others}")
    if pick.panel is not None and pick.panel.bound:
        remarks.append(_bound(pick.panel, names))
    if pick.certainty is not None:
        remarks.append(certainty_text(pick.certainty))
    return "; ".join(remarks)


def certainty_text(certainty: Certainty, most: int = SUBSTITUTES) -> str:
    """Say the p-value of a pick, how often it is kept, and what comes instead.

    Examples
    --------
    >>> from mlfs.search.certainty import Substitute
    >>> others = (Substitute(3, "tempo", 0.2, 0.4), Substitute(5, "attack", 0.15, 0.3))
    >>> certainty_text(Certainty(0.65, others, (0.1, 0.3), (1, 4)))
    'kept 65 %; or: tempo 20 %, attack 15 %'
    """
    tested = "" if certainty.p is None else f"p {certainty.p:.2g}"
    if certainty.p is None and certainty.rows_left is not None:
        tested = f"no p: {plural(certainty.rows_left, 'row')} left"
    if certainty.reason:
        tested = f"{printable(certainty.reason, 2 * WIDEST)}; {tested}"
    if certainty.kept is None:
        return tested
    shown = [
        f"{printable(entry.name, WIDEST)} {100 * entry.share:.0f} %"
        for entry in certainty.substitutes[:most]
    ]
    others = f"; or: {first_of(shown, len(certainty.substitutes))}" if shown else ""
    return f"{f'{tested}; ' if tested else ''}kept {100 * certainty.kept:.0f} %{others}"


def _bound(terms: Terms, names: ColumnNames) -> str:
    why = printable(", ".join(terms.bound), WIDEST)
    if terms.instead_of is None or terms.price is None:
        return why
    return f"{why}: without, {printable(names[terms.instead_of], WIDEST)} +{terms.price:.6f}"


def _number(value: float) -> str:
    return f"{value:.6f}" if math.isfinite(value) else "-"


def align(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, left: set[int] | None = None
) -> list[str]:
    """Align columns to the right, and those in `left` to the left.

    Examples
    --------
    >>> align(["n", "name"], [["10", "a"]], left={1})
    [' n  name', '10  a']
    """
    table_rows = [header, *rows]
    left = left or set()
    widths = [max(len(row[j]) for row in table_rows) for j in range(len(header))]
    return [
        "  ".join(
            f"{cell:<{widths[j]}}" if j in left else f"{cell:>{widths[j]}}"
            for j, cell in enumerate(row)
        ).rstrip()
        for row in table_rows
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
    """Render the list of ``mlfs criteria`` as a table, by tiers; why one cannot be used."""
    rows: list[list[str]] = []
    tiers = dict.fromkeys([*TIERS, *(entry["tier"] for entry in listing)])
    places = {name: place for names in TIERS.values() for place, name in enumerate(names)}
    ordered = sorted(listing, key=lambda entry: places.get(entry["name"], 0))
    for tier, entry in ((tier, e) for tier in tiers for e in ordered if e["tier"] == tier):
        aliases = f" ({', '.join(entry['aliases'])})" if entry["aliases"] else ""
        text = f"cannot be used: {entry['broken']}" if entry["broken"] else entry["formula"]
        text = text or entry["reference"]
        rows.append(
            [
                printable(entry["name"]) + aliases,
                tier,
                entry["scope"] or "-",
                printable(entry["origin"]),
                printable(text, 400),
            ]
        )
    lines = align(["name", "take it", "scope", "origin", "formula"], rows, left={0, 1, 2, 3, 4})
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
    described = [binning for binning in selection.binnings if every or binning.method != "nominal"]
    shown = described if every else described[:SHOWN]
    lines += [f"  {printable(binning.name, WIDEST)}: {_first_levels(binning)}" for binning in shown]
    if len(described) > len(shown):
        lines.append(f"  and {len(described) - len(shown):,} more columns: -vv shows all")
    return lines


def _first_levels(binning: Binning) -> str:
    levels = binning.levels()
    return first_of(levels[:SHOWN], len(levels))
