"""Read and write a file, whose format is found by its suffix, its name or its start; its losses.

The formats are in `mlfs.formats`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from mlfs.data.dataset import Column, Dataset, Uniform
from mlfs.data.dates import check_dates, with_dates
from mlfs.data.delimited.records import is_number
from mlfs.data.files import InputFile, files_of, split_suffix
from mlfs.data.labels import mulan
from mlfs.data.request import Limits, Request
from mlfs.data.whole_files import replacing_together
from mlfs.data.written_numbers import check_numbers, with_written_numbers
from mlfs.errors import DataError, ParseError, UnknownName, UsageError, printable, setting
from mlfs.formats import FORMATS

HALF = "holds half a surrogate pair, which is no character and cannot be written"


def losses(dataset: Dataset, kind: str) -> list[str]:
    """Say what will not read back as it was written.

    Parameters
    ----------
    dataset : Dataset
        What is written.
    kind : str
        The name of the format.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.data.dataset import Label
    >>> data = Dataset(np.zeros((1, 1)), np.zeros((1, 1)), (Column("a", "nominal", ("1", "2")),),
    ...                (Label("y"),))
    >>> losses(data, "csv")
    ['csv has no kinds of columns: 1 nominal column of number-like values reads back as numbers']
    """
    messages = []
    if kind in {"csv", "tsv"}:
        count = sum(_looks_numeric(column) for column in dataset.columns)
        if count:
            noun = "column" if count == 1 else "columns"
            verb = "reads" if count == 1 else "read"
            messages.append(
                f"{kind} has no kinds of columns: {count} nominal {noun} of number-like values "
                f"{verb} back as numbers"
            )
    if kind == "xmc":
        messages.append(
            "xmc has no names and no kinds: columns read back as numbered ones of numbers"
        )
    return messages


def _looks_numeric(column: Column) -> bool:
    if column.kind != "nominal" or not column.values:
        return False
    return all(map(is_number, column.values))


def refuse_half_pairs(dataset: Dataset, kind: str) -> None:
    r"""Refuse names and values with a character that no file can hold, before one is made.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.data.dataset import Label
    >>> data = Dataset(np.zeros((1, 1)), np.zeros((1, 1)), (Column("a\ud800"),), (Label("y"),))
    >>> refuse_half_pairs(data, "csv")
    Traceback (most recent call last):
        ...
    mlfs.errors.DataError: the name of column 'a\\ud800' holds half a surrogate pair, ...
    """
    if kind == "xmc":  # which has no names
        return
    names = {
        "column": dataset.feature_names,
        "label": dataset.label_names,
        "relation": [dataset.source.relation],
    }
    for noun, texts in names.items():
        refuse_half_pair(texts, f"the name of {noun}", "rename it")
    for noun, columns in (("column", dataset.columns), ("label", dataset.labels)):
        is_uniform = isinstance(columns, (Uniform))
        for column in columns[:1] if is_uniform else columns:
            refuse_half_pair(
                column.values, f"{noun} {printable(column.name)!r}: the value", "replace it"
            )


def refuse_half_pair(texts: Iterable[str], subject: str, remedy: str) -> None:
    """Raise if one of some texts holds half a surrogate pair."""
    texts = list(texts)
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        text = next(filter(_has_half_pair, texts))
        raise DataError(f"{subject} {printable(text)!r} {HALF}: {remedy}") from None


def _has_half_pair(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


OF_R = (".rda", ".rdata", ".rds")
PICKLES = (".pkl", ".pickle", ".joblib", ".dump", ".p")


def _list_formats() -> str:
    return ", ".join(f"{name} ({' '.join(form.suffixes)})" for name, form in FORMATS.items())


def _find_kind(name: str) -> str:
    plain = name.lower().lstrip(".")
    if plain in FORMATS:
        return plain
    for kind, form in FORMATS.items():
        if f".{plain}" in form.suffixes:
            return kind
    raise UnknownName("format", name, FORMATS)


def format_of(path: str, name: str | None = None, content: bytes | None = None) -> str:
    """Find the format by its name, the suffix, or the first bytes of the content.

    Examples
    --------
    >>> format_of("bibtex.arff.gz")
    'arff'
    >>> format_of("-", content=b"% a comment\\n@relation x")
    'arff'
    """
    if name is not None:
        return _find_kind(name)
    shown = repr(printable(path, 400))
    suffix = split_suffix(path)[1]
    if suffix in PICKLES and content is None:
        raise UsageError(f"{shown} is a pickle by its name, which is not written; write .npz")
    if suffix in PICKLES:
        raise UsageError(
            f"{shown} is a pickle by its name, which is never opened, for it can run any code; "
            "save the arrays with numpy.savez(path, X=X, Y=Y) where it comes from, and give that"
        )
    if suffix in OF_R:
        load = f"x <- readRDS({path!r})" if suffix == ".rds" else f"x <- get(load({path!r}))"
        raise UsageError(
            f"{shown} is a file of R, which is not read: write its table as CSV there, with "
            f"{printable(load, 400)}; write.csv(x, 'x.csv', row.names = FALSE)"
        )
    for kind, form in FORMATS.items():
        if suffix in form.suffixes:
            return kind
    guess = sniff_format(content) if content is not None else None
    if guess and (path == "-" or suffix in (".txt", "", ".dat", ".data")):
        return guess
    if path == "-" and content == b"":
        raise UsageError("standard input is empty: pipe a data set into it, or name a file")
    if path == "-":
        raise UsageError(
            "the format of standard input is not plain from its start; say it with "
            f"{setting('format')}: {', '.join(FORMATS)}"
        )
    raise UsageError(
        f"the format of {shown} does not follow from its suffix; say it with "
        f"{setting('format')}, or use one of {_list_formats()}"
    )


def read(
    path: str | os.PathLike[str],
    *,
    labels: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002 - the word that users expect
    limits: Limits | None = None,
    classes: bool = False,
    separator: str = "|",
    encoding: str = "utf-8",
    known: Sequence[str] | None = None,
    numeric_targets: bool = False,
    delimiter: str = "",
    decimal: str = ".",
    max_memory: int | None = None,
    needed: Sequence[str] | None = None,
    missing_values: str | Sequence[str] = (),
    dates: str = "skip",
    numbers: str = "read",
    layer: str = "",
) -> Dataset:
    """Read a multi-label table, whatever its format.

    Parameters
    ----------
    path : str or path
        The file; ``-`` is standard input, and a pattern such as ``part-*.parquet`` several Parquet
        files, which are one table in the order of their names. The suffix determines the format,
        and .gz, .bz2 or .xz after it a compression; for .txt and standard input the first line
        does.
    labels : str or sequence of str, optional
        Which columns are labels: ``a,b,c``, ``'lab_*'``, ``first:6``, ``last:6``,
        ``@names.txt``, or one column of lists. Without it a Mulan XML of the same stem, then
        MEKA's ``-C n`` in the relation name.
    format : str, optional
        One of `FORMATS`, where the suffix does not tell.
    limits : Limits, optional
        How large the file may be.
    classes : bool
        Take labels with more than two values as classes.
    separator : str
        The separator of the labels in a column of lists.
    encoding : str
        The encoding of a text file.
    known : sequence of str, optional
        The labels of a model, instead of `labels`: columns of these names are labels, and none
        needs to be there.
    numeric_targets : bool
        Keep label columns of numbers as numbers; `mlfs.data.bin_targets` bins them.
    delimiter : str
        What is between the cells of a CSV file, such as ``;``, or its name: tab, space, ...
    decimal : {".", ","}
        The decimal sign of a CSV or TSV file.
    max_memory : int, optional
        The most bytes that the rows may take in memory; a larger file is refused while it is read.
    needed : sequence of str, optional
        The columns that are needed beside the labels: a Parquet file's others are not read.
    missing_values : str or sequence of str
        Further words, or numbers, that stand for a missing value in a CSV or TSV file, such as
        ``unknown``. Those that pandas takes (NA, NULL, None, an empty cell, ...) always do.
    dates : {"skip", "parts", "keep"}
        What becomes of columns of dates: left out, counted by year, month, weekday and hour, or
        kept as they are.
    numbers : {"read", "plain"}
        Columns whose words are numbers written for people, such as ``€ 1,234.50``, ``5 %`` or
        ``93.8 GB``, are numbers; plain takes them as words.
    layer : str
        The layer of an h5ad file that is read instead of its X.
    """
    name = os.fspath(path)
    if not separator:
        raise UsageError("the separator of a column of lists is empty")
    if split_suffix(name)[1] in (*PICKLES, *OF_R):
        format_of(name, content=b"")
    check_dates(dates)
    check_numbers(numbers)
    if decimal not in {".", ","}:
        raise UsageError(f"is . or , and not {printable(decimal)!r}", option="decimal")
    request = Request(
        labels=labels,
        limits=limits or Limits(),
        binary_path=None if name == "-" else Path(name),
        classes=classes,
        separator=separator,
        encoding=encoding,
        known=None if known is None else tuple(known),
        numeric_targets=numeric_targets,
        numbers=numbers,
        delimiter=delimiter,
        decimal=decimal,
        max_memory=max_memory,
        needed=None if needed is None else frozenset(needed),
        missing_values=frozenset(
            [missing_values] if isinstance(missing_values, str) else missing_values
        ),
        dates=dates,
        layer=layer,
    )
    kind = _kind_by_name(name, format, request)
    files = files_of(name)
    if files != [name] and kind != "parquet":
        raise UsageError(
            f"{printable(name, 400)!r} stands for several files, which are read as one table only "
            "if they are Parquet files (.parquet): name one file"
        )
    if files != [name]:
        from mlfs.data.parquet import read_files

        inputs = [InputFile(file, request.limits) for file in files]
        data = read_files(inputs, name, request)
        return with_dates(with_written_numbers(data, numbers), dates)
    file = InputFile(name, request.limits, max_memory)
    if name != "-" and (not file.size or (file.compression and not file.head())):
        raise ParseError("the file is empty; a data set has one row at least", name)
    if kind is None:
        kind = format_of(name, None, file.head())
        request.check_format(kind)
    dataset: Dataset = FORMATS[kind].function("read")(file, name, request)
    return with_dates(with_written_numbers(dataset, numbers), dates)


def _kind_by_name(path: str, format: str | None, request: Request) -> str | None:  # noqa: A002
    """The name of the format that the user or the suffix says, None if neither does."""
    if format is not None:
        kind: str | None = _find_kind(format)
    else:
        suffix = split_suffix(path)[1]
        by_suffix = (kind for kind, form in FORMATS.items() if suffix in form.suffixes)
        kind = next(by_suffix, "csv" if request.delimiter else None)
    if kind is not None:
        request.check_format(kind)
    return kind


def sniff_format(content: bytes) -> str | None:
    """The format by the first line that is not blank or a comment of ARFF."""
    if content.startswith(b"PK\x03\x04"):
        return "npz"
    if content.startswith(b"PAR1"):
        return "parquet"
    if content.startswith(b"MATLAB"):
        return "mat"
    if content.startswith(b"\x89HDF"):
        return "h5ad"
    start = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    while start < min(len(content), 1 << 16):
        stop = content.find(b"\n", start)
        line = content[start : len(content) if stop < 0 else stop].strip()
        start = len(content) if stop < 0 else stop + 1
        if not line or line.startswith(b"%"):
            continue
        words = line[:1000].split()
        if words[0].lower() in (b"@relation", b"@attribute"):
            return "arff"
        if len(words) == 3 and all(word.isdigit() for word in words):
            return "xmc"
        if any(_is_pair(word) for word in words[:3]) and b"," not in words[-1]:
            return "svmlight"
        return "tsv" if b"\t" in line else "csv" if b"," in line else None
    return None


def _is_pair(word: bytes) -> bool:
    index, colon, value = word.partition(b":")
    return bool(colon) and index.isdigit() and value[:1] in b"+-.0123456789"


def write(
    dataset: Dataset,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word that users expect
    force: bool = False,
) -> list[str]:
    """Write a data set so that it reads back equal; each file appears whole or not at all.

    The suffix determines the format and the compression. Beside an ARFF, CSV or TSV file a Mulan
    XML of the same stem is written, which names the labels. ARFF to standard output (``-``) is
    written as MEKA does: labels first, and their number in the relation name.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : str or path
        Where; ``-`` is standard output.
    format : str, optional
        One of `FORMATS`, where the suffix does not tell.
    force : bool
        Whether files that are there may be replaced.

    Returns
    -------
    list of str
        What the format cannot carry, in words; mostly nothing.
    """
    name = os.fspath(path)
    implied = "arff" if name == "-" else "xmc" if split_suffix(name)[1] == ".txt" else None
    kind = format_of(name, format or implied)
    form = FORMATS[kind]
    if not form.is_written:
        raise UsageError(f"{kind} files are read and not written: write .npz instead")
    writer = form.function("write")
    files = [name]
    if name != "-" and form.sidecar and (Path(name).is_file() or not Path(name).exists()):
        files = [*_sidecar(dataset, name), name]
        if kind == "arff":
            from mlfs.data.arff.arff_writer import write_labels_last as writer
    refuse_half_pairs(dataset, kind)
    with replacing_together(files, force) as streams:
        if len(streams) > 1:
            streams[0].write(mulan.document(dataset.label_names))
        writer(dataset, streams[-1])
    return losses(dataset, kind)


def _sidecar(dataset: Dataset, name: str) -> list[str]:
    """The label file that is to be written: none without labels, or if one with them is there."""
    if not dataset.labels:
        return []
    file = split_suffix(name)[0] + ".xml"
    if Path(file).is_file():
        with contextlib.suppress(DataError, UsageError):
            if set(mulan.read(file)) == set(dataset.label_names):
                return []
    return [file]
