"""Columns of dates: left out of X, or counted by their parts.

A date is no category, for nearly every row may have another one, and its number only says what is
earlier. A column of words is one of dates if all its values are dates of ISO 8601, or are written
in one other way in which they can be read, such as 19.08.1981 or 19 Aug 1981. 01/02/2026 can be
read in two ways, unless another value tells them apart.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import is_missing, library_of
from mlfs.data.dataset import Column, Dataset
from mlfs.errors import UsageError, setting

HOWS = ("skip", "parts", "keep")
ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(?:Z|UTC|[+-]\d\d:?\d\d)?)?"
)
WHY = (
    "it holds dates; dates='parts' (--dates parts) counts their year, month, weekday and hour, and "
    "skrub.DatetimeEncoder encodes them"
)
MAY_BE_DATE = re.compile(r"(?=.*\d{4})[\w .,/:+-]{8,40}")
WRITTEN = tuple(
    f"{day}{time}"
    for day in (
        *("%d.%m.%Y", "%d. %B %Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%Y/%m/%d"),
        *("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    )
    for time in ("", " %H:%M", " %H:%M:%S")
)
DAY = 86_400  # seconds
VALUES = {
    "month": tuple(map(str, range(1, 13))),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "hour": tuple(map(str, range(24))),
}


def check_dates(how: Any) -> None:
    """Refuse what is not a way to take dates."""
    if not isinstance(how, str) or how not in HOWS:
        raise UsageError(f"is 'skip', 'parts' or 'keep', not {how!r}", option="dates")


def seconds_of(cells: Any) -> np.ndarray | None:
    """The seconds since 1970 of a column of dates, by the local time that is written; or None.

    Examples
    --------
    >>> seconds_of(np.array(["1970-01-02", "NaT"], "datetime64[D]")).tolist()
    [86400.0, nan]
    """
    if library_of(cells) == "pandas" and getattr(cells.dtype, "kind", "") == "M":
        naive = cells if getattr(cells.dtype, "tz", None) is None else cells.dt.tz_localize(None)
        cells = naive.to_numpy(dtype="datetime64[s]")
    elif library_of(cells) == "polars":
        cells = cells.to_numpy()
    else:
        cells = np.asarray(cells)
    if cells.dtype.kind == "O":
        present = [None if is_missing(cell) else cell for cell in cells.tolist()]
        if not all(cell is None or isinstance(cell, dt.date) for cell in present):
            return None
        texts = ["NaT" if cell is None else cell.isoformat()[:19] for cell in present]
        cells = np.array(texts, dtype="datetime64[s]")
    if cells.dtype.kind != "M":
        return None
    seconds = cells.astype("datetime64[s]")
    return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64))


def with_dates(dataset: Dataset, how: str, known: Iterable[int] = ()) -> Dataset:
    """A data set whose dates are left out (``skip``), taken apart (``parts``) or kept as they are.

    Parameters
    ----------
    dataset : Dataset
        The data.
    how : {"skip", "parts", "keep"}
        What becomes of dates.
    known : iterable of int
        Columns that are dates, as seconds since 1970. Others are found by their words.

    Examples
    --------
    >>> from mlfs.data.dataset import Label
    >>> days = Column("day", "nominal", ("2026-01-31", "2026-02-01"))
    >>> data = Dataset(np.array([[0.0], [1.0]]), np.ones((2, 1)), (days,), (Label("x"),))
    >>> taken = with_dates(data, "parts")
    >>> taken.feature_names, taken.X.tolist()
    (['day (year)', 'day (month)', 'day (weekday)'], [[2026.0, 0.0, 5.0], [2026.0, 1.0, 6.0]])
    >>> taken.columns[2].values[6]
    'Sunday'
    """
    check_dates(how)
    known = {*known}
    template = getattr(dataset.columns, "template", None)  # all columns are alike
    if how == "keep" or (template is not None and not known):
        return dataset
    dates = sorted(known.union(dataset.date_columns))
    if not dates:
        return dataset
    others = [j for j in range(dataset.shape[1]) if j not in {*dates}]
    return _skipped(dataset, dates, others) if how == "skip" else _in_parts(dataset, dates)


def date_columns(columns: Sequence[Column]) -> list[int]:
    """The nominal columns whose values are all dates."""
    return [
        j
        for j, column in enumerate(columns)
        if column.values and MAY_BE_DATE.fullmatch(column.values[0]) and _all_dates(column)
    ]


def _all_dates(column: Column) -> bool:
    try:
        _moments(column)
    except ValueError:  # such as the 30th of February
        return False
    return True


def _skipped(dataset: Dataset, dates: list[int], others: list[int]) -> Dataset:
    if not others:
        return dataset
    given, names = dataset.given.tolist(), dataset.names
    earlier = [j for j in range(dataset.n_given) if j not in {*given}]
    left_out = dict(zip(earlier, dataset.left_out, strict=True))
    left_out |= {given[j]: (names[j], WHY) for j in dates}
    return dataset.reduced(others).with_changes(
        left_out=tuple(left_out[j] for j in sorted(left_out)), places=[given[j] for j in others]
    )


def _in_parts(dataset: Dataset, dates: list[int]) -> Dataset:
    if sp.issparse(dataset.table):
        msg = f"{setting('dates', 'parts')} needs a dense table, and X is sparse"
        raise UsageError(f"{msg}: leave the dates out")
    columns: list[Column] = []
    blocks, places = [], []
    X, given = np.asarray(dataset.X), dataset.given.tolist()
    for j, column in enumerate(dataset.columns):
        parts = [(column, X[:, j])] if j not in dates else _parts(column, X[:, j])
        for part, x in parts:
            columns.append(part)
            blocks.append(x)
            places.append(given[j])
    return dataset.with_changes(X=np.column_stack(blocks), columns=tuple(columns), places=places)


def _parts(column: Column, x: np.ndarray) -> list[tuple[Column, np.ndarray]]:
    """The parts of a date in each row, with the hour where a time is written.

    All but the year are nominal: they come round again.
    """
    seconds = np.nan_to_num(_seconds(column, x)).astype(np.int64)
    moments = seconds.astype("datetime64[s]")
    months = moments.astype("datetime64[M]").astype(np.int64)
    parts = {
        "year": months // 12 + 1970,
        "month": months % 12,
        "weekday": (seconds // DAY + 3) % 7,  # 1970 began on a Thursday; Monday is 0
        "hour": seconds % DAY // 3600,
    }
    if not (seconds % DAY).any():
        del parts["hour"]
    found = []
    for name, numbers in parts.items():
        kind = "nominal" if name in VALUES else "numeric"
        part = Column(f"{column.name} ({name})", kind, VALUES.get(name, ()))  # type: ignore[arg-type]
        found.append((part, np.where(np.isnan(x), np.nan, numbers)))
    return found


def as_seconds(dataset: Dataset) -> Dataset:
    """A dense data set whose columns are dates, as numbers: the seconds since 1970."""
    X = np.array(dataset.X, np.float64)
    for j, column in enumerate(dataset.columns):
        X[:, j] = _seconds(column, X[:, j])
    return dataset.with_changes(X=X, columns=tuple(Column(c.name) for c in dataset.columns))


def _seconds(column: Column, x: np.ndarray) -> np.ndarray:
    """The seconds since 1970 of each row, NaN where they are missing."""
    if column.kind == "numeric":
        return x
    of_values = np.append(_moments(column).astype(np.int64).astype(np.float64), np.nan)
    return of_values[np.where(np.isnan(x), -1.0, x).astype(np.int64)]


def _moments(column: Column) -> np.ndarray:
    """The days and local times of the values, without their zones.

    ValueError is raised where they are not all dates.
    """
    matches = [ISO.fullmatch(text) for text in column.values]
    if all(matches):
        texts = [m[1] if m[2] is None else f"{m[1]}T{m[2]}" for m in matches if m is not None]
        return np.array(texts, dtype="datetime64[s]")
    readings = list(filter(None, (_read_dates(column.values, way) for way in WRITTEN)))
    if not readings or any(reading != readings[0] for reading in readings[1:]):
        raise ValueError("these are not dates that can be read in one way")
    return np.array(readings[0], dtype="datetime64[s]")


def _read_dates(texts: Sequence[str], way: str) -> list[dt.datetime] | None:
    try:
        return [dt.datetime.strptime(text, way) for text in texts]  # noqa: DTZ007 - local times
    except ValueError:
        return None
