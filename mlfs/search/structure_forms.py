"""A label structure as text, DOT and JSON; `mlfs.plots` draws it."""

from __future__ import annotations

from typing import Any

from mlfs.data.html import details, text
from mlfs.errors import DataError, UsageError, printable
from mlfs.search.label_parents import Edge, Structure, shown

NAME = 200
FORMAT, VERSION = "mlfs structure", 1
FIELDS = ("format", "version", "kind", "names", "order", "parents", "weights", "note")


def headline(structure: Structure) -> str:
    """One line: kind, size, and how it was made."""
    q, n = structure.q, sum(map(len, structure.parents))
    counted = f"{q} label{'s' * (q != 1)}, {n} edge{'s' * (n != 1)}"
    note = f" ({printable(structure.note, NAME)})" if structure.note else ""
    return f"{printable(structure.kind)}: {counted}{note}"


def as_text(structure: Structure) -> str:
    """The labels in order, each with its parents; in parentheses what the learner measured."""
    names = [printable(name, NAME) for name in structure.names]

    def written(parent: int, child: int) -> str:
        weight = structure.weights.get((parent, child))
        name = "alone" if parent == child else names[parent]
        return name if weight is None else f"{name} ({weight:.4g})"

    width = max(len("label"), *(len(name) for name in names), 0)
    lines = [headline(structure), f"place  {'label':<{width}}  parents"]
    for place, label in enumerate(structure.order, start=1):
        parents = [written(p, label) for p in structure.parents[label]]
        if (label, label) in structure.weights:
            parents = [written(label, label)]
        lines.append(f"{place:>5}  {names[label]:<{width}}  {', '.join(parents) or '-'}")
    return "\n".join(lines)


def as_dot(structure: Structure) -> str:
    """A directed graph; nodes are numbered and carry the names of the labels as text."""
    lines = ["digraph labels {", f"  label={_quote(headline(structure))};"]
    lines += [f"  n{label} [label={_quote(structure.names[label])}];" for label in structure.order]
    for parent, child in structure.edges:
        weight = structure.weights.get((parent, child))
        text = "" if weight is None else f' [label="{weight:.3g}"]'
        lines.append(f"  n{parent} -> n{child}{text};")
    return "\n".join([*lines, "}", ""])


def _quote(name: str) -> str:
    r"""A name as a DOT text: no control characters, no escapes or entities of DOT's own.

    Examples
    --------
    >>> _quote('a "b" \\n &lt;')
    '"a \\"b\\" \\\\n &amp;lt;"'
    """
    text = printable(name, NAME).replace("&", "&amp;")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_dict(structure: Structure) -> dict[str, Any]:
    """The parts of a structure as JSON takes them."""
    weights = [[a, b, weight] for (a, b), weight in sorted(structure.weights.items())]
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": structure.kind,
        "names": list(structure.names),
        "order": list(structure.order),
        "parents": [list(label_parents) for label_parents in structure.parents],
        "weights": weights,
        "note": structure.note,
    }


def from_dict(stored: Any) -> Structure:
    """The structure that `as_dict` wrote; anything else is refused with one sentence."""
    _check_fields(stored)
    pairs: dict[Edge, float] = {}
    for entry in stored["weights"]:
        if not isinstance(entry, list) or len(entry) != 3:
            msg = f"not a label structure: a weight is [parent, child, w], not {shown(entry)}"
            raise DataError(msg)
        if not all(isinstance(i, int) for i in entry[:2]) or tuple(entry[:2]) in pairs:
            msg = f"not a label structure: the weight {shown(entry)} is of no edge, or twice"
            raise DataError(msg)
        pairs[entry[0], entry[1]] = entry[2]
    names, order = tuple(stored["names"]), tuple(stored["order"])
    parents = tuple(map(tuple, stored["parents"]))
    try:
        return Structure(stored["kind"], names, order, parents, pairs, stored["note"])
    except UsageError as error:
        msg = f"not a label structure: {error}"
        raise DataError(msg) from error


def _check_fields(stored: Any) -> None:
    """Refuse a stored structure whose fields are not what they should be."""
    if not isinstance(stored, dict):
        msg = f"not a label structure: a JSON object is wanted, not {shown(stored)}"
        raise DataError(msg)
    for name in (*FIELDS, *stored):
        if name not in stored or name not in FIELDS:
            fault = "is missing" if name in FIELDS else "is unknown"
            msg = f"not a label structure: the field {shown(name)} {fault}"
            raise DataError(msg)
    if stored["format"] != FORMAT or type(stored["version"]) is not int:
        msg = f"not a label structure: the format is {shown(stored['format'])}, not {FORMAT!r}"
        raise DataError(msg)
    if stored["version"] != VERSION:
        msg = (
            f"the label structure has version {shown(stored['version'])}, and this mlfs reads "
            f"version {VERSION}: write it again, or update mlfs"
        )
        raise DataError(msg)
    for name in ("names", "order", "parents", "weights"):
        if not isinstance(stored[name], list):
            msg = f"not a label structure: {name} is a list, not {shown(stored[name])}"
            raise DataError(msg)
    for entry in stored["parents"]:
        if not isinstance(entry, list):
            msg = f"not a label structure: the parents of a label are a list, not {shown(entry)}"
            raise DataError(msg)


def as_html(structure: Structure) -> str:
    """The table of parents, for a notebook; a click opens it.

    Examples
    --------
    >>> as_html(Structure("tree", ("a", "b"), (0, 1), ((), (0,)))).partition("</p>")[0]
    '<div><p>tree: 2 labels, 1 edge'
    """
    lines = "\n".join(text(line, 1000) for line in as_text(structure).splitlines())
    listing = details("labels and parents", f"<pre>{lines}</pre>")
    return f"<div><p>{text(headline(structure), 300)}</p>{listing}</div>"
