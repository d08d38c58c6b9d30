"""Refuse option values that make no sense, in a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.errors import UsageError, printable

__all__ = ["checked_count", "checked_seed", "checked_share", "n_of"]


def n_of(n: Any, candidates: int, features: int) -> int | None:
    """The number of features that is asked for; None where it is not a number.

    Examples
    --------
    >>> n_of(0.1, 1836, 1836)
    184
    """
    if n is None or (isinstance(n, str) and n == "auto"):
        return None
    if isinstance(n, (bool, np.bool_, str)) or not isinstance(
        n, (int, float, np.integer, np.floating)
    ):
        msg = (
            "n is a number of features, a share of them in (0, 1], or 'auto', "
            f"not {printable(repr(n))}"
        )
        raise UsageError(msg)
    if isinstance(n, (float, np.floating)):
        if not 0 < n <= 1:
            msg = f"n = {n} is no share: a share of the features lies in (0, 1]"
            raise UsageError(msg)
        return min(candidates, max(1, int(np.floor(float(n) * features + 0.5))))
    if n < 1:
        msg = f"n = {n}: select at least one feature"
        raise UsageError(msg)
    if n > candidates:
        msg = f"n = {n} features are asked for, but there are {candidates} to choose from: "
        msg += f"ask for at most {candidates}" if candidates else "exclude fewer"
        raise UsageError(msg)
    return int(n)


def checked_count(count: Any, what: str) -> int | None:
    """Refuse what is no whole number from 1 on; None stays None."""
    if count is None:
        return None
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        msg = f"{what} is a whole number from 1 on, not {printable(repr(count))}"
        raise UsageError(msg)
    return int(count)


def checked_seed(seed: Any) -> int:
    """Refuse what is no whole number from 0 on."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        msg = f"seed is a whole number from 0 on, not {printable(repr(seed))}"
        raise UsageError(msg)
    return int(seed)


def checked_share(value: Any, what: str) -> float:
    """Refuse what does not lie between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        msg = f"{what} lies between 0 and 1, not {printable(repr(value))}"
        raise UsageError(msg)
    return float(value)
