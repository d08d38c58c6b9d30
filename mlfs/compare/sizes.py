"""How many features are kept: numbers, shares, or the square root of the number of rows."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlfs.errors import UsageError, printable

__all__ = ["ALL", "Size", "size"]


@dataclass(frozen=True)
class Size:
    """A number of features as it was asked for.

    Parameters
    ----------
    text : str
        ``80``, ``0.1``, ``sqrt`` or ``all``.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def is_share(self) -> bool:
        """Whether it is a share of the columns.

        Examples
        --------
        >>> size(0.1).is_share, size(10).is_share, size("sqrt").is_share
        (True, False, False)
        """
        return self.text not in {"all", "sqrt"} and not self.text.isdigit()

    def count(self, n_rows: int, d: int) -> int:
        """How many columns that is for a data set; never more than it has.

        ``sqrt`` is ceil(sqrt(N)) with N the rows of the whole data set, the SCLS paper's choice.

        Examples
        --------
        >>> size("sqrt").count(7395, 1836), size(0.1).count(7395, 1836), size(50).count(7395, 20)
        (86, 184, 20)
        """
        if self.text == "all":
            return d
        if self.text == "sqrt":
            return min(d, math.ceil(math.sqrt(n_rows)))
        if self.text.isdigit():
            return min(d, int(self.text))
        return min(d, max(1, math.floor(float(self.text) * d + 0.5)))


ALL = Size("all")


def size(value: Any) -> Size:
    """Read a number of features, a share in (0, 1], or ``sqrt``.

    Examples
    --------
    >>> size("0.10"), size(10)
    (Size(text='0.1'), Size(text='10'))
    """
    if isinstance(value, Size):
        return value
    number = value.item() if isinstance(value, np.generic) else value
    text = "a truth value" if isinstance(number, bool) else str(number).strip().lower()
    if text in {"sqrt", "all"}:
        return Size(text)
    try:
        if text.isdigit() and 1 <= int(text) <= sys.maxsize:
            return Size(str(int(text)))
        if 0 < float(text) <= 1 and not text.isdigit():
            return Size(repr(float(text)))
    except ValueError:
        pass
    msg = f"is {printable(value)!r}: no number of features, no share in (0, 1], and not 'sqrt'"
    raise UsageError(msg, option="n")
