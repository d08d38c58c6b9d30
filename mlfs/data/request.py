"""The request of a user to a reader, and the limits that no file may pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from mlfs.errors import DataError, ParseError, UsageError, check_name, printable

GIB = 1 << 30
UNPACKED = 100
LINE = 256  # cells that a column or label of a sparse table counts as
UNNEEDED = "nobody looks at it"
MISSING = frozenset({  # as pandas has them, and ?
    "", "?", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "<NA>",
    "#N/A", "#N/A N/A", "#NA", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
})  # fmt: skip
UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


@dataclass(frozen=True)
class Limits:
    """How large a file may be. Each can be raised: ``--limit max_cells=2G``.

    Parameters
    ----------
    max_decompressed : int
        The most bytes that a compressed file, an archive or standard input may unpack to; as it is
        by default, `UNPACKED` times the bytes of a large file.
    max_cells : int
        The most cells of a table, that is rows times columns; in a sparse one each column and
        label counts as `LINE` cells, and its entries do not count.

    Examples
    --------
    >>> Limits().raised(["max_cells=2k"]).max_cells
    2048
    """

    max_decompressed: int = GIB
    max_cells: int = 1 << 30

    def unpacked(self, size: int) -> int:
        """The most bytes that a file of so many may unpack to: a large file is no bomb.

        Examples
        --------
        >>> Limits().unpacked(1_000), Limits().unpacked(1 << 30)
        (1073741824, 107374182400)
        >>> Limits(max_decompressed=5).unpacked(9)
        5
        """
        if self.max_decompressed != Limits.max_decompressed:
            return self.max_decompressed
        return max(self.max_decompressed, UNPACKED * size)

    def raised(self, settings: Iterable[str]) -> Limits:
        """Change some limits by ``name=number`` texts, where the number may end in k, M or G."""
        names = [field.name for field in fields(self)]
        changes: dict[str, int] = {}
        for setting in settings:
            name, equals, text = setting.partition("=")
            name = name.strip().replace("-", "_")
            check_name(name, "limit", names)
            number = text.strip().lower()
            unit = UNITS.get(number[-1:], 1)
            digits = number[:-1] if unit > 1 else number
            if not (equals and digits.isascii() and digits.isdigit() and int(digits) > 0):
                raise UsageError(
                    f"a limit is set as {name}=NUMBER (k, M and G may follow), not "
                    f"{printable(setting)!r}"
                )
            changes[name] = int(digits) * unit
        return replace(self, **changes)


@dataclass(frozen=True)
class Request:
    """The options that every reader gets: ``read(content, path, request)``.

    Parameters
    ----------
    labels : str or sequence of str, optional
        Which columns are labels. A text is what ``--labels`` takes
        (see `mlfs.data.labels.finding`); a sequence holds exact names.
    classes : bool
        Take label columns with more than two values as classes instead of refusing them.
    numeric_targets : bool
        Keep label columns of numbers as numbers, to be binned later.
    numbers : str
        What becomes of numbers written for people, see `mlfs.data.written_numbers`.
    separator : str
        The separator of the labels in a column of lists.
    limits : Limits
        How large the file may be.
    encoding : str
        The encoding of a text file.
    binary_path : Path, optional
        The file on disk, for readers that want a path and for the files beside it;
        None for standard input.
    known : tuple of str, optional
        The labels of a model, where `labels` says nothing: columns of these names are labels,
        and none of them needs to be there.
    max_memory : int, optional
        The bytes that the rows may take while they are read.
    delimiter : str
        What is between the cells of delimited text; empty for a comma in CSV and a tab in TSV.
    decimal : str
        Its decimal sign.
    needed : frozenset of str, optional
        The columns that will be looked at. A reader may leave out the others, unread, with the
        reason `UNNEEDED`.
    missing_values : frozenset of str
        The words that stand for a missing value in delimited text, beside `MISSING`.
    dates : str
        What becomes of dates, see `mlfs.data.dates`.
    layer : str
        The layer of an h5ad file that is read instead of its X.

    Examples
    --------
    >>> Request(labels="last:6").separator
    '|'
    """

    labels: str | Sequence[str] | None = None
    classes: bool = False
    numeric_targets: bool = False
    numbers: str = "read"
    separator: str = "|"
    limits: Limits = field(default_factory=Limits)
    encoding: str = "utf-8"
    binary_path: Path | None = None
    known: tuple[str, ...] | None = None
    max_memory: int | None = None
    delimiter: str = ""
    decimal: str = "."
    needed: frozenset[str] | None = None
    missing_values: frozenset[str] = frozenset()
    dates: str = "skip"
    layer: str = ""

    def check_format(self, kind: str) -> None:
        """Refuse an option of other formats."""
        if self.layer and kind != "h5ad":
            raise UsageError(f"is for h5ad files, and this is {kind}", option="layer")
        if kind in {"csv", "tsv"}:
            return
        for name, is_set in (
            ("delimiter", self.delimiter),
            ("decimal", self.decimal != "."),
            ("missing_values", self.missing_values),
        ):
            if is_set:
                raise UsageError(f"is for CSV and TSV files, and this is {kind}", option=name)


def refuse_memory(size: int, max_memory: int | None, noun: str = "rows") -> None:
    """Raise if what was read takes more memory than it may.

    Examples
    --------
    >>> refuse_memory(2_000_001, 1_000_000)
    Traceback (most recent call last):
        ...
    mlfs.errors.DataError: max_memory is 1 MB, but the rows read so far take 3 MB: ...
    """
    if max_memory is not None and size > max_memory:
        limit = f"{max_memory // 10**6:,} MB" if max_memory >= 10**6 else f"{max_memory:,} bytes"
        msg = (
            f"is {limit}, but the {noun} read so far take {-(-size // 10**6):,} MB: "
            "raise it, or give less data"
        )
        raise DataError(msg, option="max_memory")


def exceeded(
    limits: Limits,
    name: str,
    count: int,
    noun: str,
    path: str,
    line: int | None = None,
    column: int | None = None,
    *,
    enough: int | None = None,
) -> DataError:
    """Make the error for a limit that a file passes, to be raised by the reader.

    Parameters
    ----------
    limits : Limits
        The limits in force.
    name : str
        The field of `Limits` that is passed.
    count : int
        What the file has, or asks for.
    noun : str
        The thing counted, as it reads in "has 5 <what>".
    path, line, column
        The place.
    enough : int, optional
        The limit to advise, where the file was not read to its end and may have more.

    Examples
    --------
    >>> print(exceeded(Limits(max_cells=3), "max_cells", 5, "cells", "a.csv"))
    a.csv: 5 cells are more than the limit of 3; raise it with --limit max_cells=5
    """
    limit = getattr(limits, name)
    return ParseError(
        f"{count} {noun} are more than the limit of {limit}; "
        f"raise it with --limit {name}={count if enough is None else enough}",
        path,
        line,
        column,
    )


def refuse_more(
    limits: Limits,
    name: str,
    count: int,
    noun: str,
    path: str,
    line: int | None = None,
    column: int | None = None,
) -> None:
    """Refuse a file of more than a limit; the parameters are those of `exceeded`."""
    if count > getattr(limits, name):
        raise exceeded(limits, name, count, noun, path, line, column)


def refuse_unpacked(limits: Limits, unpacked: int, packed: int, path: str) -> None:
    """Refuse a file of so many packed bytes that unpacks to too much."""
    if unpacked > limits.unpacked(packed):
        noun = "unpacked bytes"
        raise exceeded(limits, "max_decompressed", unpacked, noun, path, enough=2 * unpacked)


def refuse_sparse(limits: Limits, sizes: Iterable[int], path: str) -> None:
    """Refuse a sparse table of too many features and labels, declared or present.

    Examples
    --------
    >>> refuse_sparse(Limits(), (1_000_000, 5), "a.xmc")
    """
    noun = f"cells (a feature or label of a sparse table counts as {LINE})"
    refuse_more(limits, "max_cells", LINE * sum(sizes), noun, path)
