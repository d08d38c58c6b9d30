"""Label structures as text for people and as DOT for Graphviz."""

from __future__ import annotations

from mlfs.errors import printable
from mlfs.models.structure import Structure

__all__ = ["as_dot", "as_text", "headline"]

NAME = 200


def headline(structure: Structure) -> str:
    """One line: kind, size, and how it was made."""
    q, n = structure.q, sum(map(len, structure.parents))
    counted = f"{q} label{'s' * (q != 1)}, {n} edge{'s' * (n != 1)}"
    note = f" ({printable(structure.note, NAME)})" if structure.note else ""
    return f"{printable(structure.kind)}: {counted}{note}"


def as_text(structure: Structure) -> str:
    """The labels in order, each with its parents; in brackets what the learner measured."""
    names = [printable(name, NAME) for name in structure.names]

    def told(parent: int, child: int) -> str:
        weight = structure.weights.get((parent, child))
        name = "alone" if parent == child else names[parent]
        return name if weight is None else f"{name} ({weight:.4g})"

    width = max(len("label"), *(len(name) for name in names), 0)
    lines = [headline(structure), f"place  {'label':<{width}}  parents"]
    for place, label in enumerate(structure.order, start=1):
        parents = [told(p, label) for p in structure.parents[label]]
        if (label, label) in structure.weights:
            parents = [told(label, label)]
        lines.append(f"{place:>5}  {names[label]:<{width}}  {', '.join(parents) or '-'}")
    return "\n".join(lines)


def as_dot(structure: Structure) -> str:
    """A directed graph; nodes are numbered, and names stand in their labels."""
    lines = ["digraph labels {", f"  label={_quoted(headline(structure))};"]
    lines += [f"  n{label} [label={_quoted(structure.names[label])}];" for label in structure.order]
    for parent, child in structure.edges:
        weight = structure.weights.get((parent, child))
        shown = "" if weight is None else f' [label="{weight:.3g}"]'
        lines.append(f"  n{parent} -> n{child}{shown};")
    return "\n".join([*lines, "}", ""])


def _quoted(name: str) -> str:
    r"""A name as a DOT text: no control characters, no escapes or entities of DOT's own.

    Examples
    --------
    >>> _quoted('a "b" \\n &lt;')
    '"a \\"b\\" \\\\n &amp;lt;"'
    """
    text = printable(name, NAME).replace("&", "&amp;")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
