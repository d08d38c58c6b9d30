"""MEKA's way to mark labels: ``-C n`` in the relation name of an ARFF file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlfs.errors import DataError, printable, setting

FILTER = "-weka.filters."
MOVING = ("Reorder", "Remove", "Add", "Swap", "Partitioned", "Copy")


@dataclass(frozen=True)
class Count:
    """The options in a relation name.

    Parameters
    ----------
    number : int
        n > 0: the first n columns are labels; n < 0: the last -n.
    option : str
        The option as written, for messages.
    stale : str
        The Weka filter that came after the option and moves columns, if there is one: then the
        number may not hold any more.
    """

    number: int
    option: str
    stale: str = ""


def label_count(relation: str, path: str) -> Count | None:
    """Read ``-C n`` or ``-c n`` among the options after the first colon.

    Examples
    --------
    >>> label_count("Music: -C 6", "m.arff").number
    6
    >>> label_count("Music: -C 6-weka.filters.unsupervised.attribute.Reorder-R7-last", "m").stale
    'weka.filters.unsupervised.attribute.Reorder'
    >>> label_count("plain", "m.arff") is None
    True
    """
    _, colon, options = relation.partition(":")
    words = options.split()
    options_by_number: dict[int, str] = {}
    for k, word in enumerate(words if colon else ()):
        if word not in ("-C", "-c"):
            continue
        text = words[k + 1] if k + 1 < len(words) else ""
        number = text.split(FILTER)[0]
        digits = number.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and int(digits)):
            raise DataError(
                f"{printable(path, 400)}: after {word} in the relation name there must be the "
                f"number of labels, not {printable(text)!r}"
            )
        options_by_number.setdefault(int(number), f"{word} {number}")
    if not options_by_number:
        return None
    if len(options_by_number) > 1:
        shown = " and ".join(options_by_number.values())
        raise DataError(
            f"{printable(path, 400)}: the relation name says both {shown}; "
            f"say which columns are labels with {setting('labels')}"
        )
    count, option = next(iter(options_by_number.items()))
    return Count(count, option, _moving_filter(options))


def _moving_filter(options: str) -> str:
    for part in options.split(FILTER)[1:]:
        name = part.split("-")[0].split()[0] if part.split("-")[0].split() else ""
        if ".attribute." in name and name.rpartition(".")[2].startswith(MOVING):
            return FILTER[1:] + name
    return ""


def columns(count: Count, names: Sequence[str], path: str) -> list[int]:
    """Turn the count into positions."""
    if abs(count.number) > len(names):
        raise DataError(
            f"{printable(path, 400)}: the relation name says {count.option}, "
            f"but there are only {len(names)} columns: correct the number, or say which columns "
            f"are labels with {setting('labels')}"
        )
    positions = range(len(names))
    return list(positions[: count.number] if count.number > 0 else positions[count.number :])


def plain_relation(relation: str) -> str:
    """Take MEKA's options off a relation name.

    Examples
    --------
    >>> plain_relation("Music: -C 6")
    'Music'
    >>> plain_relation("a:b")
    'a:b'
    """
    name, colon, options = relation.partition(":")
    marked = any(word in ("-C", "-c") for word in options.split())
    return name if colon and marked else relation
