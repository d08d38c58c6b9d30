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

    def of(self, metric: str, data: str, criterion: str, model: str, sizes: Iterable[str]) -> str:
        """The numbers of the rows that a mean is made of, as text."""
        found = [self._rows.get((metric, data, criterion, model, n), []) for n in sizes]
        return _listed(sorted(row for one in found for row in one))

    def of_all(self, metric: str, data: Iterable[str], criterion: str, model: str, n: str) -> str:
        """The numbers of the rows that a mean over data sets is made of, as text."""
        found = [self._rows.get((metric, one, criterion, model, n), []) for one in data]
        return _listed(sorted(row for one in found for row in one))


def _listed(rows: list[int]) -> str:
    more = f" and {len(rows) - MOST} more" if len(rows) > MOST else ""
    return ", ".join(map(str, rows[:MOST])) + more
