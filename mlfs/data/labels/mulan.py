"""Mulan's way to mark labels: an XML file of names beside the ARFF file."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from mlfs.data.arff.header import escape, unescape
from mlfs.data.files import read_small
from mlfs.errors import DataError, ParseError, first_of, printable, setting

NAMESPACE = "http://mulan.sourceforge.net/labels"
COMPARED = 20_000


def read(file: str) -> list[str]:
    """Read the label names of a Mulan XML file."""
    return parse(read_small(file), file)


def parse(content: bytes, file: str) -> list[str]:
    """Read the label names; a label within a label (a hierarchy) counts as well.

    A document type or an entity is refused, so that nothing can expand or be fetched.

    Examples
    --------
    >>> parse(b"<labels><label name='a'><label name='b &amp; c'/></label></labels>", "x.xml")
    ['a', 'b & c']
    """
    parser = expat.ParserCreate()
    names: dict[str, None] = {}
    depth = 0

    def refuse(message: str) -> NoReturn:
        raise ParseError(message, file, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        kind = tag.rpartition(":")[2]
        if depth == 1 and kind != "labels":
            refuse(f"a Mulan label file starts with <labels>, not with <{printable(tag)}>")
        if kind != "label":
            return
        name = attributes.get("name")
        if name is None:
            refuse('a <label> has no name; write <label name="..."/>')
        if name in names:
            refuse(f"the label {printable(name)!r} is named twice")
        names[name] = None

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    def doctype(*_: Any) -> None:
        refuse("a document type (<!DOCTYPE ...>) or an entity is refused; take it out of the file")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = doctype
    parser.ExternalEntityRefHandler = doctype  # type: ignore[assignment]
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        message = f"this is not well-formed XML: {expat.ErrorString(error.code)}"
        raise ParseError(message, file, error.lineno, error.offset + 1) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise ParseError(f"this XML cannot be decoded: {printable(error)}", file) from None
    if not names:
        raise DataError(f'{printable(file, 400)}: names no label; write <label name="..."/>')
    return list(names)


def columns(labels: Sequence[str], names: Sequence[str], file: str) -> list[int]:
    """Find the columns of the labels, by name as written, or with ARFF's escapes undone.

    Examples
    --------
    >>> columns(["b"], ["a", "b"], "x.xml")
    [1]
    """
    positions = {name: j for j, name in enumerate(names)}
    labels_by_column: dict[int, str] = {}
    absent: list[str] = []
    for label in labels:
        j = next((positions[form] for form in _forms(label) if form in positions), None)
        if j is None:
            absent.append(label)
        elif j in labels_by_column:
            names_shown = f"{printable(labels_by_column[j])!r} and {printable(label)!r}"
            raise DataError(f"{printable(file, 400)}: {names_shown} are the same column")
        else:
            labels_by_column[j] = label
    if absent:
        raise DataError(_absent_message(absent, len(labels), names, file))
    return list(labels_by_column)


def _forms(label: str) -> list[str]:
    stripped = label.strip()
    inner = stripped[1:-1] if stripped[:1] in ("'", '"') and stripped[-1:] == stripped[:1] else ""
    return [label, unescape(label), stripped, unescape(inner)]


def _absent_message(absent: list[str], total: int, names: Sequence[str], file: str) -> str:
    shown = []
    for label in absent[:5]:
        matches = difflib.get_close_matches(label, names[:COMPARED], n=1, cutoff=0.5)
        hint = f" (closest: {printable(matches[0])!r})" if matches else ""
        shown.append(f"{printable(label)!r}{hint}")
    return (
        f"{printable(file, 400)}: {len(absent)} of its {total} labels are not columns of the data: "
        + first_of(shown, len(absent))
        + f"; mend the names, or say which columns are labels with {setting('labels')}"
    )


def document(labels: Sequence[str]) -> bytes:
    r"""Write the label names as a Mulan XML document.

    A name with a character that XML cannot hold is written with ARFF's escapes (``\u001b``).

    Examples
    --------
    >>> parse(document(["a", "b & 'c'"]), "x.xml")
    ['a', "b & 'c'"]
    """
    escapes = {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
    names = [label if _is_legal(label) else escape(label) for label in labels]
    lines = [f"<label name={quoteattr(name, escapes)}></label>" for name in names]
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{NAMESPACE}">\n'
    return (head + "\n".join(lines) + "\n</labels>\n").encode("utf-8")


def _is_legal(text: str) -> bool:
    return all(
        char in "\t\n\r"
        or ((" " <= char < "\ud800" or char > "\udfff") and char not in "\ufffe\uffff")
        for char in text
    )
