"""Where the numbers of a report stand in results.csv."""

from __future__ import annotations

from collections.abc import Iterable

from mlfs.compare.results import Results

__all__ = ["CsvRows"]

MOST = 60  # rows that are listed for one number


class CsvRows:
    """The rows of results.csv by what they are about; its heading is row 1.

    Parameters
    ----------
    results : Results
        A comparison.
    """

    def __init__(self, results: Results) -> None:
        self._rows: dict[tuple[str, str, str, str, str], list[int]] = {}
        for number, row in enumerate(results.rows(), 2):
            key = (row["metric"], row["data"], row["criterion"], row["model"], row["n"])
            self._rows.setdefault(key, []).append(number)

    def numbers(
        self, metric: str, data: str, criterion: str, model: str, sizes: Iterable[str]
    ) -> str:
        """The numbers of the rows that a mean is made of, as text."""
        groups = [self._rows.get((metric, data, criterion, model, n), []) for n in sizes]
        return _shorten(sorted(row for group in groups for row in group))

    def numbers_over_data(
        self, metric: str, data: Iterable[str], criterion: str, model: str, n: str
    ) -> str:
        """The numbers of the rows that a mean over data sets is made of, as text."""
        groups = [self._rows.get((metric, name, criterion, model, n), []) for name in data]
        return _shorten(sorted(row for group in groups for row in group))


def _shorten(rows: list[int]) -> str:
    ending = f" and {len(rows) - MOST} more" if len(rows) > MOST else ""
    return ", ".join(map(str, rows[:MOST])) + ending
