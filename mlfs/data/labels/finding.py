"""Find the columns of a table that are its labels.

A reader of named columns calls `resolve` once with the names of all its columns, takes the
columns in `LabelPositions.columns` out of the features, and maps each one:

- `map_label`   the column is coded already: positions in a list of values (nominal)
- `map_numbers` the column is a float64 array, NaN where missing
- `map_texts`   the column is a list of texts, None where missing
- `split_lists` the column holds lists of labels (``u|v``): only if `LabelPositions.lists` is true
  and `is_binary` is false for its values

The order of the labels is the order of the columns in the file, whatever names them.

What ``--labels SPEC`` may say (a column of exactly that name always comes first):

- ``a,b,c``       names; quote one that holds a comma: ``"a,b",c``
- ``'lab_*'``     every name that fits the pattern (``*``, ``?``, ``[...]``)
- ``first:6``, ``last:6``
- ``@names.txt``  a file with one name a line, or ``@labels.xml``, a Mulan label file
- ``tags``        one name alone: a column of lists, unless all its values are binary

MEKA marks labels by ``-C n`` in the relation name of an ARFF file.
"""

from __future__ import annotations

import csv
import fnmatch
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlfs.data.files import decode, read_small, split_suffix
from mlfs.data.labels import mulan
from mlfs.data.request import Request
from mlfs.errors import DataError, ParseError, UnknownName, UsageError, printable, setting

FILTER = "-weka.filters."
MOVING = ("Reorder", "Remove", "Add", "Swap", "Partitioned", "Copy")


@dataclass(frozen=True)
class MekaCount:
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


def meka_count(relation: str, path: str) -> MekaCount | None:
    """Read ``-C n`` or ``-c n`` among the options after the first colon.

    Examples
    --------
    >>> meka_count("Music: -C 6", "m.arff").number
    6
    >>> meka_count("Music: -C 6-weka.filters.unsupervised.attribute.Reorder-R7-last", "m").stale
    'weka.filters.unsupervised.attribute.Reorder'
    >>> meka_count("plain", "m.arff") is None
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
    return MekaCount(count, option, _moving_filter(options))


def _moving_filter(options: str) -> str:
    for part in options.split(FILTER)[1:]:
        name = part.split("-")[0].split()[0] if part.split("-")[0].split() else ""
        if ".attribute." in name and name.rpartition(".")[2].startswith(MOVING):
            return FILTER[1:] + name
    return ""


def meka_columns(count: MekaCount, names: Sequence[str], path: str) -> list[int]:
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


PARTS = ("-train", "-test", "-sparse", "_train", "_test", "_sparse")


@dataclass(frozen=True)
class LabelPositions:
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


def first_duplicate(names: Iterable[str]) -> str | None:
    """Find the first name that is there twice.

    Examples
    --------
    >>> first_duplicate(["a", "b", "a"])
    'a'
    """
    names_seen: set[str] = set()
    for name in names:
        if name in names_seen:
            return name
        names_seen.add(name)
    return None


def resolve(
    names: Sequence[str],
    request: Request,
    path: str,
    *,
    relation: str = "",
    with_features: bool = True,
) -> LabelPositions:
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
    with_features : bool
        Whether the features are among the columns, so that not all can be labels.

    Examples
    --------
    >>> resolve(["a", "b", "c"], Request(labels="last:2"), "t.csv").columns
    (1, 2)
    >>> resolve(["a", "b", "c"], Request(), "t.arff", relation="t: -C 1").columns
    (0,)
    """
    if request.labels is not None:
        label_columns = _resolve_option(names, request, path)
    elif request.known:
        label_names = set(request.known)
        columns = tuple(j for j, name in enumerate(names) if name in label_names)
        label_columns = LabelPositions(columns, "the model's labels")
    else:
        label_columns = _resolve_files(names, request, path, relation)
    is_all = len(label_columns.columns) == len(names)
    if is_all and with_features and not label_columns.lists:
        raise DataError(
            f"{printable(path, 400)}: all {len(names)} columns are labels by {label_columns.by}, "
            "so there is no feature left"
        )
    return label_columns


def _resolve_option(names: Sequence[str], request: Request, path: str) -> LabelPositions:
    positions = {name: j for j, name in enumerate(names)}
    spec = request.labels
    items = [spec] if isinstance(spec, str) else list(spec or ())
    if isinstance(spec, str) and spec not in positions:
        items = _split(spec, positions)
    if not items:
        msg = "names no column: say names, a pattern, first:N, last:N or @file"
        raise UsageError(msg, option="labels")
    items_by_column: dict[int, str] = {}
    for item in items:
        exact = item in positions or not isinstance(spec, str)
        for j in (
            [_position(item, positions, path)]
            if exact
            else _match_columns(item, names, positions, path)
        ):
            if j in items_by_column:
                by = {f"{printable(name)!r}" for name in (items_by_column[j], item)}
                raise UsageError(
                    f"names the column {printable(names[j])!r} twice, by "
                    f"{' and '.join(sorted(by))}",
                    option="labels",
                )
            items_by_column[j] = item
    alone = len(items) == 1 and items[0] in positions
    shown = spec if isinstance(spec, str) else ",".join(items)
    lists = alone and not (request.classes or request.numeric_targets)
    return LabelPositions(tuple(sorted(items_by_column)), f"--labels {printable(shown)}", lists)


def _split(spec: str, positions: dict[str, int]) -> list[str]:
    try:
        items = next(csv.reader([spec], skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise UsageError(
            f"has a quote that is not closed, or something between a closing quote and the comma, "
            f'in {printable(spec)}: quote names as in "a,b",c',
            option="labels",
        ) from None
    return [item if item in positions else item.strip() for item in items if item.strip()]


def _position(name: str, positions: dict[str, int], path: str) -> int:
    if name not in positions:
        raise _unknown_label(name, positions, path)
    return positions[name]


def _unknown_label(name: str, positions: dict[str, int], path: str = "") -> UnknownName:
    return UnknownName("label column", name, positions, path=path)


def _match_columns(
    item: str, names: Sequence[str], positions: dict[str, int], path: str
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
        return _read_list(item[1:], names, positions)
    if any(char in item for char in "*?["):
        columns = [j for j, name in enumerate(names) if fnmatch.fnmatchcase(name, item)]
        if not columns:
            raise UsageError(
                f"has the pattern {printable(item)!r}, which no column of "
                f"{printable(path, 400)} fits",
                option="labels",
            )
        return columns
    return [_position(item, positions, path)]


def _read_list(file: str, names: Sequence[str], positions: dict[str, int]) -> list[int]:
    if file.lower().endswith(".xml"):
        return mulan.columns(mulan.read(file), names, file)
    lines = decode(read_small(file), file).splitlines()
    lines_by_column: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        name = line if line in positions else line.strip()
        if not name:
            continue
        if name not in positions:
            raise ParseError(str(_unknown_label(name, positions)), file, number, 1)
        if positions[name] in lines_by_column:
            raise ParseError(f"the label {printable(name)!r} is named twice", file, number, 1)
        lines_by_column[positions[name]] = number
    if not lines_by_column:
        raise DataError(f"{printable(file, 400)}: names no label; write one name a line")
    return list(lines_by_column)


def _resolve_files(
    names: Sequence[str], request: Request, path: str, relation: str
) -> LabelPositions:
    candidates = _xml_paths(request)
    xml = next((file for file in candidates if Path(file).is_file()), None)
    count = meka_count(relation, path)
    if xml is not None:
        columns = sorted(mulan.columns(mulan.read(xml), names, xml))
        label_columns = LabelPositions(tuple(columns), Path(xml).name)
        if count is not None:
            return _check_agreement(label_columns, count, names, path, xml)
        return label_columns
    if count is not None:
        if count.stale:
            raise DataError(
                f"{printable(path, 400)}: the relation name says {count.option}, but a Weka filter "
                f"({printable(count.stale)}) may have moved the columns since; say "
                f"{setting('labels', f'first:{abs(count.number)}')} or "
                f"{setting('labels', f'last:{abs(count.number)}')}"
            )
        return LabelPositions(tuple(meka_columns(count, names, path)), f"MEKA {count.option}")
    if request.known is not None:
        return LabelPositions((), "nothing")
    places = [f"the file {printable(file, 400)} (not there)" for file in candidates]
    if relation or not candidates:
        places.append("-C in the relation name (not there)")
    raise UsageError(
        f"{printable(path, 400)}: no label columns are known; looked for {setting('labels')} "
        f"(not given), {', '.join(places)}; say for example "
        f"{setting('labels', 'last:6')} or {setting('labels', 'lab_*')}"
    )


def _check_agreement(
    label_columns: LabelPositions, count: MekaCount, names: Sequence[str], path: str, xml: str
) -> LabelPositions:
    if abs(count.number) <= len(names):
        if tuple(meka_columns(count, names, path)) == label_columns.columns:
            return label_columns
    elif not count.stale:
        meka_columns(count, names, path)
    if not count.stale:
        raise DataError(
            f"{printable(path, 400)}: the relation name says {count.option}, but "
            f"{printable(xml, 400)} names other label columns; say which with {setting('labels')}"
        )
    note = (
        f"the relation name says {count.option}, but a Weka filter came after it: "
        f"the labels are those of {printable(Path(xml).name)}"
    )
    return LabelPositions(label_columns.columns, label_columns.by, notes=(note,))


def _xml_paths(request: Request) -> list[str]:
    """Where a Mulan label file may lie: the same stem, then without -train, -test, -sparse."""
    if request.binary_path is None:
        return []
    stem = split_suffix(os.fspath(request.binary_path))[0]
    paths = [f"{stem}.xml"]
    paths += [f"{stem[: -len(part)]}.xml" for part in PARTS if stem.lower().endswith(part)]
    return paths
