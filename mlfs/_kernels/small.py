"""Tables of small whole numbers: which columns are so, and their codes, row after row."""

from __future__ import annotations

from typing import Any

from mlfs._kernels.jit import compiled

__all__ = ["LIMIT", "count_codes", "count_values", "write_codes"]

LIMIT = 16  # values 0 to 15 are small


@compiled
def count_values(table: Any, counts: Any, missing: Any, is_small: Any) -> None:
    """Count the values of each column; is_small falls where one is no small whole number."""
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            value = table[row, column]
            if 0.0 <= value < LIMIT:
                whole = int(value)
                if whole == value:
                    counts[column, whole] += 1
                else:
                    is_small[column] = 0
            elif value != value:
                missing[column] += 1
            else:
                is_small[column] = 0


@compiled
def _code(value: float, codes: Any) -> int:
    if 0.0 <= value < LIMIT:
        whole = int(value)
        if whole == value:
            return codes[whole]
    return codes[LIMIT]


@compiled
def count_codes(table: Any, columns: Any, codes: Any, counts: Any) -> None:
    """Count the codes of some columns; codes[i, v] is that of value v, the last of all others."""
    for row in range(table.shape[0]):
        for i in range(columns.size):
            counts[i, _code(table[row, columns[i]], codes[i])] += 1


@compiled
def write_codes(
    table: Any, columns: Any, codes: Any, bases: Any, places: Any, rows_out: Any, codes_out: Any
) -> None:
    """Write rows and codes of the entries that are off their base, each column at its place."""
    for row in range(table.shape[0]):
        for i in range(columns.size):
            code = _code(table[row, columns[i]], codes[i])
            if code != bases[i]:
                place = places[i]
                rows_out[place] = row
                codes_out[place] = code
                places[i] = place + 1
