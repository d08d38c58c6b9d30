"""ARFF's dates: Java's date patterns, as seconds since 1970 in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["DEFAULT", "python_pattern", "seconds"]

DEFAULT = "yyyy-MM-dd'T'HH:mm:ss"
LETTERS = {
    "%Y": "y yyy yyyy",
    "%y": "yy",
    "%m": "M MM",
    "%b": "MMM",
    "%B": "MMMM",
    "%d": "d dd",
    "%H": "H HH",
    "%I": "h hh",
    "%M": "m mm",
    "%S": "s ss",
    "%f": "S SS SSS",
    "%p": "a",
    "%a": "E EE EEE",
    "%A": "EEEE",
    "%z": "Z X XX XXX",
    "%j": "D DDD",
}
PYTHON = {java: python for python, forms in LETTERS.items() for java in forms.split()}


def python_pattern(java: str) -> str | None:
    """Translate a pattern of Java's SimpleDateFormat; None if it holds what is not known here.

    Examples
    --------
    >>> python_pattern("yyyy-MM-dd'T'HH:mm:ss")
    '%Y-%m-%dT%H:%M:%S'
    """
    out: list[str] = []
    at = 0
    while at < len(java):
        char = java[at]
        end = at + 1
        if char == "'":
            end = java.find("'", at + 1)
            if end < 0:
                return None
            out.append((java[at + 1 : end] or "'").replace("%", "%%"))
            end += 1
        elif char.isascii() and char.isalpha():
            while end < len(java) and java[end] == char:
                end += 1
            letters = PYTHON.get(java[at:end])
            if letters is None or letters in out:
                return None
            out.append(letters)
        else:
            out.append(char.replace("%", "%%"))
        at = end
    return "".join(out)


def seconds(text: str, pattern: str) -> float | None:
    """Read a date by a Python pattern; None if it does not fit. Without a zone it is UTC.

    Examples
    --------
    >>> seconds("1970-01-02", "%Y-%m-%d")
    86400.0
    """
    try:
        moment = datetime.strptime(text, pattern)  # noqa: DTZ007 - UTC follows
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()
