"""Lines of ``labels index:value index:value ...`` become two sparse matrices.

svmlight and the XMC repository share this. A row may hold its indices in any order, each once.
Nothing is guessed: what does not read as it should is an error with line and column.

Blocks of lines are converted at once (`_pairs`); a block that does not convert is read token by
token, to say what is wrong with it. At once, 51 MB of svmlight take 2.0 s, by tokens 7.0 s.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
import scipy.sparse as sp

from mlfs.data.assemble import without_weights
from mlfs.data.columns import number_text
from mlfs.data.dataset import Dataset
from mlfs.data.request import Limits, exceeded
from mlfs.errors import DataError, ParseError, printable

__all__ = ["DIGITS", "Rows", "parse_rows", "write_table"]

BLOCK = 8192
STEP = 4096
DIGITS = 18  # of a label id or an index, which a 64-bit integer holds
TOKEN = re.compile(r"\S+")


@dataclass
class Rows:
    """What the lines hold.

    Parameters
    ----------
    X : csr_array
        The features, by the index in the file.
    labels : list of tuple of int
        The label ids of each row.
    lines : list of int
        The line of each row, counted from one.
    queries : bool
        Whether a ``qid:`` was there (and skipped).
    """

    X: sp.csr_array
    labels: list[list[int]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    queries: bool = False


def parse_rows(lines: Sequence[str], numbers: list[int], path: str, limits: Limits) -> Rows:
    """Parse lines without comments; `numbers` are their places in the file."""
    if len(lines) > limits.max_rows:
        raise exceeded(limits, "max_rows", len(lines), "rows", path)
    strange = any("_" in line or not line.isascii() for line in lines)
    rows = Rows(sp.csr_array((0, 0)), lines=numbers)
    columns: list[np.ndarray] = []
    data: list[np.ndarray] = []
    counts: list[int] = []
    for start in range(0, len(lines), BLOCK):
        tokens: list[str] = []
        block = lines[start : start + BLOCK]
        try:
            if strange:
                raise ValueError
            for line in block:
                ids, rest = _split(line)
                rows.labels.append(_plain_ids(ids) if ids else [])
                counts.append(len(rest))
                tokens.extend(rest)
            found = _pairs(tokens)
        except (ValueError, OverflowError):
            del rows.labels[start:], counts[start:]
            found = _slowly(block, numbers[start : start + BLOCK], path, rows, counts, limits)
        columns.append(found[0])
        data.append(found[1])
    index = np.concatenate(columns) if columns else np.zeros(0, np.int64)
    top = int(index.max(initial=-1))
    if top > limits.max_features:
        at = int(np.searchsorted(np.cumsum(counts), int(index.argmax()), side="right"))
        raise exceeded(
            limits, "max_features", top, "features (the largest index)", path, numbers[at]
        )
    indptr = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    values = np.concatenate(data) if data else np.zeros(0)
    rows.X = _matrix(values, index, indptr, top + 1, numbers, path)
    return rows


def _split(line: str) -> tuple[str, list[str]]:
    """The text of the labels (empty for none) and the tokens of the features."""
    if line[:1].isspace():
        return "", line.split()
    tokens = line.split()
    if tokens and ":" not in tokens[0]:
        return tokens[0], tokens[1:]
    return "", tokens


def _plain_ids(text: str) -> list[int]:
    parts = text.split(",")
    if len(text) > DIGITS and max(map(len, parts)) > DIGITS:
        raise ValueError
    return [int(part) for part in parts]


def _pairs(tokens: list[str]) -> tuple[np.ndarray, np.ndarray]:
    joined = ":".join(tokens)
    n = len(tokens)
    if not n:
        return np.zeros(0, np.int64), np.zeros(0)
    if joined.count(":") != 2 * n - 1 or not all(":" in token for token in tokens):
        raise ValueError
    flat = joined.split(":")
    if not "".join(flat[::2]).isdigit():  # int() takes signs too
        raise ValueError
    index = np.fromiter(map(int, flat[::2]), np.int64, count=n)
    values = np.fromiter(map(float, flat[1::2]), np.float64, count=n)
    if not np.isfinite(values).all():
        raise ValueError
    return index, values


def _slowly(
    block: Sequence[str],
    numbers: list[int],
    path: str,
    rows: Rows,
    counts: list[int],
    limits: Limits,
) -> tuple[np.ndarray, np.ndarray]:
    """Token by token, with the place of the first one that is wrong."""
    index: list[int] = []
    values: list[float] = []
    for line, number in zip(block, numbers, strict=True):
        before = len(index)
        ids: list[int] = []
        for k, match in enumerate(TOKEN.finditer(line)):
            token, column = match.group(), match.start() + 1
            if k == 0 and ":" not in token and column == 1:
                ids = _ids(token, path, number, column)
            elif token.startswith("qid:"):
                rows.queries = True
            else:
                j, value = _pair(token, path, number, column)
                if j > limits.max_features:
                    what = "features (the largest index)"
                    raise exceeded(limits, "max_features", j, what, path, number, column)
                index.append(j)
                values.append(value)
        rows.labels.append(ids)
        counts.append(len(index) - before)
    return np.array(index, np.int64), np.array(values)


def _ids(token: str, path: str, line: int, column: int) -> list[int]:
    ids = []
    for part in token.split(","):
        if not re.fullmatch(r"[+-]?[0-9]{1,18}(\.0*)?", part):
            raise ParseError(
                f"{printable(part)!r} is not a label id; labels are whole numbers of at most "
                f"{DIGITS} digits with commas and no blanks between them, as in 1,5,10 3:0.5",
                path, line, column,
            )  # fmt: skip
        ids.append(int(part.partition(".")[0]))
        column += len(part) + 1
    return ids


def _pair(token: str, path: str, line: int, column: int) -> tuple[int, float]:
    key, colon, text = token.partition(":")
    if not colon:
        raise ParseError(
            f"{printable(token)!r} is not index:value (a blank inside the list of labels?)",
            path, line, column,
        )  # fmt: skip
    if not (key.isascii() and key.isdigit()):
        raise ParseError(
            f"{printable(key)!r} is not the index of a feature, a whole number from 0",
            path, line, column,
        )  # fmt: skip
    at = column + len(key) + 1
    try:
        value = float(text if text.isascii() and "_" not in text else "?")
    except ValueError:
        raise ParseError(f"{printable(text)!r} is not a number", path, line, at) from None
    if not np.isfinite(value):
        raise ParseError(
            f"{printable(text)} cannot be used as a value; this format has no missing values: "
            "leave the entry out if it is 0, or use .arff or .csv",
            path, line, at,
        )  # fmt: skip
    return int(key.lstrip("0")[: DIGITS + 1] or "0"), value


def _matrix(
    values: np.ndarray,
    index: np.ndarray,
    indptr: np.ndarray,
    width: int,
    numbers: list[int],
    path: str,
) -> sp.csr_array:
    matrix = sp.csr_array((values, index, indptr), shape=(len(indptr) - 1, width))
    matrix.sort_indices()
    same = np.flatnonzero(np.diff(matrix.indices) == 0) + 1
    same = same[~np.isin(same, matrix.indptr)]
    if same.size:
        row = int(np.searchsorted(matrix.indptr, same[0], side="right")) - 1
        raise ParseError(
            f"the index {matrix.indices[same[0]]} is there twice in this row", path, numbers[row]
        )
    return matrix


def write_table(
    dataset: Dataset, stream: BinaryIO, form: str, head: str, ids: Sequence[str], first: int
) -> None:
    """Write a first line and the rows, or refuse what the format cannot hold.

    Parameters
    ----------
    form : str
        What an error calls the format.
    head : str
        The first line.
    ids : sequence of str
        What each label is called in the rows.
    first : int
        The index of the first feature.
    """
    without_weights(dataset, form)
    X, Y = sp.csr_array(dataset.X), sp.csr_array(dataset.Y)
    remedy = "write .arff or .npz instead"
    if np.isnan(X.data).any():
        raise DataError(f"X has missing values, which {form} cannot hold: {remedy}")
    if (Y.data == -1).any():
        raise DataError(f"Y has missing labels, which {form} cannot hold: {remedy}")
    if any(label.values != ("0", "1") for label in dataset.labels):
        raise DataError(f"Y has labels of several classes, which {form} cannot hold: {remedy}")
    stream.write(f"{head}\n".encode())
    stream.writelines(
        _rows_text(X[start : start + STEP], Y[start : start + STEP], ids, first)
        for start in range(0, X.shape[0], STEP)
    )


def _rows_text(X: sp.csr_array, Y: sp.csr_array, ids: Sequence[str], first: int) -> bytes:
    Y.eliminate_zeros()
    Y.sort_indices()
    labels = np.split(Y.indices, Y.indptr[1:-1])
    columns, values = np.split(X.indices, X.indptr[1:-1]), np.split(X.data, X.indptr[1:-1])
    lines = []
    for held, index, row in zip(labels, columns, values, strict=True):
        entries = zip(index.tolist(), row.tolist(), strict=True)
        pairs = " ".join(f"{j + first}:{number_text(v)}" for j, v in entries)
        lines.append(",".join(ids[j] for j in held.tolist()) + " " + pairs + "\n")
    return "".join(lines).encode()
