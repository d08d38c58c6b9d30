"""Which columns of a table are its labels, and what their values mean.

A reader of named columns calls `resolve` once with the names of all its columns, takes the
columns in `Chosen.columns` out of the features, and maps each one:

- `map_label`   the column is coded already: positions in a list of values (nominal)
- `map_numbers` the column is a float64 array, NaN where missing
- `map_texts`   the column is a list of texts, None where missing
- `split_lists` the column holds lists of labels (``u|v``): only if `Chosen.lists` is true and
  `is_binary` is false for its values

The order of the labels is the order of the columns in the file, whatever names them.

What ``--labels SPEC`` may say (a column of exactly that name always comes first):

- ``a,b,c``       names; quote one that holds a comma: ``"a,b",c``
- ``'lab_*'``     every name that fits the pattern (``*``, ``?``, ``[...]``)
- ``first:6``, ``last:6``
- ``@names.txt``  a file with one name a line, or ``@labels.xml``, a Mulan label file
- ``tags``        one name alone: a column of lists, unless all its values are binary
"""

from __future__ import annotations

import csv
import fnmatch
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlfs.data.files import decoded, read_small, split_suffix
from mlfs.data.labels import meka, mulan
from mlfs.data.request import Request
from mlfs.errors import DataError, ParseError, UnknownName, UsageError, printable, setting

__all__ = [
    "Chosen",
    "resolve",
    "twice",
]

PARTS = ("-train", "-test", "-sparse", "_train", "_test", "_sparse")


@dataclass(frozen=True)
class Chosen:
    """The label columns of a table.

    Parameters
    ----------
    columns : tuple of int
        Their positions in the file, rising.
    by : str
        What named them, for `Source.labels_by`.
    lists : bool
        One column was named alone: it holds lists of labels unless all its values are binary.
    notes : tuple of str
        For `Dataset.notes`.
    """

    columns: tuple[int, ...]
    by: str
    lists: bool = False
    notes: tuple[str, ...] = ()


def twice(names: Iterable[str]) -> str | None:
    """Find the first name that is there twice.

    Examples
    --------
    >>> twice(["a", "b", "a"])
    'a'
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def resolve(names: Sequence[str], request: Request, path: str, *, relation: str = "") -> Chosen:
    """Find the label columns: ``--labels``, else Mulan XML, else MEKA's ``-C n``, else an error.

    Parameters
    ----------
    names : sequence of str
        The names of all columns of the file, in order, all different.
    request : Request
        `labels` is what the user said; `binary_path` tells where an XML may lie.
    path : str
        The file as the user named it, for messages.
    relation : str
        The relation name of an ARFF file, which may hold MEKA's options.

    Examples
    --------
    >>> resolve(["a", "b", "c"], Request(labels="last:2"), "t.csv").columns
    (1, 2)
    >>> resolve(["a", "b", "c"], Request(), "t.arff", relation="t: -C 1").columns
    (0,)
    """
    if request.labels is not None:
        chosen = _given(names, request, path)
    elif request.known is not None:
        known = set(request.known)
        columns = tuple(j for j, name in enumerate(names) if name in known)
        chosen = Chosen(columns, "the model's labels")
    else:
        chosen = _found(names, request, path, relation)
    if len(chosen.columns) == len(names) and not chosen.lists:
        raise DataError(
            f"{printable(path, 400)}: all {len(names)} columns are labels by {chosen.by}, "
            "so there is no feature left"
        )
    return chosen


def _given(names: Sequence[str], request: Request, path: str) -> Chosen:
    where = {name: j for j, name in enumerate(names)}
    spec = request.labels
    items = [spec] if isinstance(spec, str) else list(spec or ())
    if isinstance(spec, str) and spec not in where:
        items = _split(spec, where)
    if not items:
        msg = "names no column: say names, a pattern, first:N, last:N or @file"
        raise UsageError(msg, option="labels")
    taken: dict[int, str] = {}
    for item in items:
        exact = item in where or not isinstance(spec, str)
        for j in (
            [_position(item, where, path)] if exact else _columns(item, names, where, request, path)
        ):
            if j in taken:
                by = {f"{printable(name)!r}" for name in (taken[j], item)}
                raise UsageError(
                    f"names the column {printable(names[j])!r} twice, by "
                    f"{' and '.join(sorted(by))}",
                    option="labels",
                )
            taken[j] = item
    alone = len(items) == 1 and items[0] in where
    shown = spec if isinstance(spec, str) else ",".join(items)
    lists = alone and not (request.classes or request.numbers)
    return Chosen(tuple(sorted(taken)), f"--labels {printable(shown)}", lists)


def _split(spec: str, where: dict[str, int]) -> list[str]:
    try:
        items = next(csv.reader([spec], skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise UsageError(
            f"has a quote that is not closed, or something between a closing quote and the comma, "
            f'in {printable(spec)}: quote names as in "a,b",c',
            option="labels",
        ) from None
    return [item if item in where else item.strip() for item in items if item.strip()]


def _position(name: str, where: dict[str, int], path: str) -> int:
    if name not in where:
        raise _unknown(name, where, path)
    return where[name]


def _unknown(name: str, where: dict[str, int], path: str = "") -> UnknownName:
    return UnknownName("label column", name, where, path=path)


def _columns(
    item: str, names: Sequence[str], where: dict[str, int], request: Request, path: str
) -> list[int]:
    end, colon, count = item.partition(":")
    if colon and end in ("first", "last"):
        if not (count.isascii() and count.isdigit() and 0 < int(count[:12]) <= len(names)):
            raise UsageError(
                f"is {printable(item)}, and {end}:N wants a number from 1 to {len(names)}, "
                f"the number of columns of {printable(path, 400)}",
                option="labels",
            )
        n = int(count)
        return list(range(n)) if end == "first" else list(range(len(names) - n, len(names)))
    if item.startswith("@"):
        return _listed(item[1:], names, where, request)
    if any(char in item for char in "*?["):
        found = [j for j, name in enumerate(names) if fnmatch.fnmatchcase(name, item)]
        if not found:
            raise UsageError(
                f"has the pattern {printable(item)!r}, which no column of "
                f"{printable(path, 400)} fits",
                option="labels",
            )
        return found
    return [_position(item, where, path)]


def _listed(file: str, names: Sequence[str], where: dict[str, int], request: Request) -> list[int]:
    if file.lower().endswith(".xml"):
        return mulan.columns(mulan.read(file, request.limits), names, file)
    lines = decoded(read_small(file, request.limits), file).splitlines()
    found: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        name = line if line in where else line.strip()
        if not name:
            continue
        if name not in where:
            raise ParseError(str(_unknown(name, where)), file, number, 1)
        if where[name] in found:
            raise ParseError(f"the label {printable(name)!r} is named twice", file, number, 1)
        found[where[name]] = number
    if not found:
        raise DataError(f"{printable(file, 400)}: names no label; write one name a line")
    return list(found)


def _found(names: Sequence[str], request: Request, path: str, relation: str) -> Chosen:
    candidates = _beside(request)
    xml = next((file for file in candidates if Path(file).is_file()), None)
    count = meka.label_count(relation, path)
    if xml is not None:
        columns = sorted(mulan.columns(mulan.read(xml, request.limits), names, xml))
        chosen = Chosen(tuple(columns), Path(xml).name)
        if count is not None:
            return _agreeing(chosen, count, names, path, xml)
        return chosen
    if count is not None:
        if count.stale:
            raise DataError(
                f"{printable(path, 400)}: the relation name says {count.option}, but a Weka filter "
                f"({printable(count.stale)}) may have moved the columns since; say "
                f"{setting('labels', f'first:{abs(count.number)}')} or "
                f"{setting('labels', f'last:{abs(count.number)}')}"
            )
        return Chosen(tuple(meka.columns(count, names, path)), f"MEKA {count.option}")
    looked = [f"the file {printable(file, 400)} (not there)" for file in candidates]
    if relation or not candidates:
        looked.append("-C in the relation name (not there)")
    raise UsageError(
        f"{printable(path, 400)}: no label columns are known; looked for {setting('labels')} "
        f"(not given), {', '.join(looked)}; say for example "
        f"{setting('labels', 'last:6')} or {setting('labels', 'lab_*')}"
    )


def _agreeing(
    chosen: Chosen, count: meka.Count, names: Sequence[str], path: str, xml: str
) -> Chosen:
    if abs(count.number) <= len(names):
        if tuple(meka.columns(count, names, path)) == chosen.columns:
            return chosen
    elif not count.stale:
        meka.columns(count, names, path)
    if not count.stale:
        raise DataError(
            f"{printable(path, 400)}: the relation name says {count.option}, but "
            f"{printable(xml, 400)} names other label columns; say which with {setting('labels')}"
        )
    note = (
        f"the relation name says {count.option}, but a Weka filter came after it: "
        f"the labels are those of {printable(Path(xml).name)}"
    )
    return Chosen(chosen.columns, chosen.by, notes=(note,))


def _beside(request: Request) -> list[str]:
    """Where a Mulan label file may lie: the same stem, then without -train, -test, -sparse."""
    if request.binary_path is None:
        return []
    stem = split_suffix(os.fspath(request.binary_path))[0]
    found = [f"{stem}.xml"]
    found += [f"{stem[: -len(part)]}.xml" for part in PARTS if stem.lower().endswith(part)]
    return found
