"""What a label structure must be: the checks of its parts and of its stored form."""

from __future__ import annotations

import math
from typing import Any

from mlfs.errors import DataError, UsageError, printable

__all__ = ["check_texts", "checked_dict", "is_number", "label_number", "shown"]

FORMAT, VERSION = "mlfs structure", 1
FIELDS = ("format", "version", "kind", "names", "order", "parents", "weights", "note")


def shown(value: object) -> str:
    """A foreign value in a sentence."""
    return repr(printable(value)) if isinstance(value, str) else printable(repr(value))


def label_number(value: Any, q: int, where: str) -> int:
    """The number of a label, checked."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= value < q:
        msg = f"a label in {where} is a number from 0 to {q - 1}, not {shown(value)}"
        raise UsageError(msg)
    return int(value)


def is_number(value: Any) -> bool:
    """Whether a weight is a finite number."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return False
    try:
        return math.isfinite(value)
    except (OverflowError, TypeError, ValueError):
        return False


def check_texts(kind: Any, names: Any, note: Any) -> None:
    """Refuse what is no text, and two labels of one name."""
    for what, text in (("kind", kind), ("note", note)):
        if not isinstance(text, str):
            msg = f"the {what} of a structure is a text, not {shown(text)}"
            raise UsageError(msg)
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            msg = f"the name of a label is a text, not {shown(name)}"
            raise UsageError(msg)
        if name in seen:
            msg = f"two labels are called {shown(name)}"
            raise UsageError(msg)
        seen.add(name)


def checked_dict(given: Any) -> dict[str, Any]:
    """Refuse a stored structure whose fields are not what they should be."""
    if not isinstance(given, dict):
        msg = f"not a label structure: a JSON object is wanted, not {shown(given)}"
        raise DataError(msg)
    for name in (*FIELDS, *given):
        if name not in given or name not in FIELDS:
            fault = "is missing" if name in FIELDS else "is unknown"
            msg = f"not a label structure: the field {shown(name)} {fault}"
            raise DataError(msg)
    if given["format"] != FORMAT or type(given["version"]) is not int:
        msg = f"not a label structure: the format is {shown(given['format'])}, not {FORMAT!r}"
        raise DataError(msg)
    if given["version"] != VERSION:
        msg = (
            f"the label structure has version {shown(given['version'])}, and this mlfs reads "
            f"version {VERSION}: write it again, or update mlfs"
        )
        raise DataError(msg)
    for name in ("names", "order", "parents", "weights"):
        if not isinstance(given[name], list):
            msg = f"not a label structure: {name} is a list, not {shown(given[name])}"
            raise DataError(msg)
    for entry in given["parents"]:
        if not isinstance(entry, list):
            msg = f"not a label structure: the parents of a label are a list, not {shown(entry)}"
            raise DataError(msg)
    return given
