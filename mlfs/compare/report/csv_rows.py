"""Where the numbers of a report stand in results.csv."""

from __future__ import annotations

from collections.abc import Iterable

from mlfs.compare.results import Results

__all__ = ["CsvRows"]

Key = tuple[str, str, str, str, str]
MOST = 60  # rows that are listed for one number


class CsvRows:
    """The rows of results.csv by what they are about; its heading is row 1.

    Parameters
    ----------
    results : Results
        A comparison.
    """

    def __init__(self, results: Results) -> None:
        self._rows: dict[Key, list[int]] = {}
        for number, row in enumerate(results.rows(), 2):
            key = (row["metric"], row["data"], row["criterion"], row["model"], row["n"])
            self._rows.setdefault(key, []).append(number)

    def numbers(self, keys: Iterable[Key]) -> str:
        """The numbers of the rows that a mean is made of, as text.

        Parameters
        ----------
        keys : iterable of (metric, data, criterion, model, n)
            What the rows are about.
        """
        rows = sorted(row for key in keys for row in self._rows.get(key, []))
        more = f" and {len(rows) - MOST} more" if len(rows) > MOST else ""
        return ", ".join(map(str, rows[:MOST])) + more
