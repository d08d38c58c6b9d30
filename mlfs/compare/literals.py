"""What a value that is written as text means."""

from __future__ import annotations

__all__ = ["literal"]

WORDS = {"true": True, "false": False, "none": None}


def literal(text: str) -> bool | float | str | None:
    """Read true, none, 3 and 0.5 as what they are, and all else as text.

    Examples
    --------
    >>> literal("0.5"), literal("3"), literal("True"), literal("none"), literal("mean")
    (0.5, 3, True, None, 'mean')
    """
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
