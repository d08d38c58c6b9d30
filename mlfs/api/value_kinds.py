"""The kinds of values that options take: each reads a value, or refuses it in a sentence."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

from mlfs.errors import UnknownName, UsageError, printable

# What type checkers know of the words of options; a test holds that these are the words.
Bins = Literal["mean-sd", "width", "frequency", "mdlp", "laim"]
Missing = Literal["level", "error"]
Numbers = Literal["read", "plain"]
Dates = Literal["skip", "parts", "keep"]
Estimator = Literal["counts", "gaussian"]
Correction = Literal["auto", "none", "expected"]
Order = Literal["cheap", "full", "given"]

WORDS = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Kind:
    """A kind of value; this one takes any.

    Parameters
    ----------
    description : str
        What a value is; an error says it after the name of the option.
    types : tuple of type
        The types that it may have; empty for any.
    choices : collection of str
        The names that the command offers.
    """

    description: str = ""
    types: tuple[type, ...] = ()
    choices: Collection[str] = ()

    def read(self, name: str, value: Any) -> Any:
        """The value, in Python's own type where it is a number; an unusable value is refused."""
        return self._read(name, value)

    def _read(self, name: str, value: Any) -> Any:
        if self.types and (_is_scalar_array(value) or not isinstance(value, self.types)):
            raise self.refusal(name, value)
        return value

    def refusal(self, name: str, value: Any) -> UsageError:
        """The error about a value of this kind."""
        return UsageError(f"{self.description}, not {printable(repr(value))}", option=name)


@dataclass(frozen=True)
class FeatureNumber(Kind):
    """How many features; read when it is known how many there are."""

    def _read(self, name: str, value: Any) -> Any:
        if isinstance(value, str) and value.partition(":")[0] == "cv":
            msg = f"is {printable(repr(value))}: mlfs.compare.number_of_features finds the number"
            raise UsageError(f"{msg} by cross-validation, give its .number", option=name)
        return value


def _is_scalar_array(value: Any) -> bool:
    """Whether it is an array of no dimension: iterable by its type, but not in fact."""
    iterable = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    return iterable and getattr(value, "ndim", 1) == 0


@dataclass(frozen=True)
class Switch(Kind):
    """True or False."""

    description: str = "is True or False"

    def _read(self, name: str, value: Any) -> Any:
        if not (isinstance(value, bool) or _is_numpys_bool(value)):
            raise self.refusal(name, value)
        return bool(value)


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number of at least `least`; None too, if that is the default."""

    least: int = 1

    def _read(self, name: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, Integral) or value < self.least:
            raise UsageError(
                f"is a whole number of at least {self.least}, not {printable(repr(value))}",
                option=name,
            )
        if int(value) > sys.maxsize:
            msg = f"is a whole number of at most {sys.maxsize}, not {printable(value, 40)}"
            raise UsageError(msg, option=name)
        return int(value)


@dataclass(frozen=True)
class Number(Kind):
    """A finite number from `least` to `most`; `is_open` if it has to be more than `least`."""

    description: str = "is a number from 0 on"
    least: float = 0
    most: float = sys.float_info.max
    is_open: bool = False

    def _read(self, name: str, value: Any) -> float:
        is_real = isinstance(value, Real) and not isinstance(value, bool)
        if not is_real or not self.least <= value <= self.most:
            raise self.refusal(name, value)
        if self.is_open and value == self.least:
            raise self.refusal(name, value)
        return float(value)


SHARE = Number("lies between 0 and 1", most=1)
POSITIVE = Number("is a number above 0", is_open=True)


@dataclass(frozen=True)
class Counts(Kind):
    """A mapping from names to whole numbers of at least 1, or one such number for all."""

    one_for_all: bool = False

    def _read(self, name: str, value: Any) -> Any:
        if self.one_for_all and isinstance(value, Integral):
            return Whole().read(name, value)
        if not isinstance(value, Mapping):
            raise self.refusal(name, value)
        for key, number in value.items():
            if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
                msg = f"of {printable(repr(str(key)))} is a whole number of at least 1, "
                raise UsageError(f"{msg}not {printable(repr(number))}", option=name)
        return {str(key): int(number) for key, number in value.items()}


@dataclass(frozen=True)
class Name(Kind):
    """One of some names; `description` is what they name, for the error about an unknown one."""

    def _read(self, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise UsageError(
                f"is the name of a {self.description}, not {printable(repr(value))}", option=name
            )
        if value not in self.choices:
            raise UnknownName(self.description, value, self.choices)
        return value


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words."""

    def _read(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            *words, last = map(repr, self.choices)
            text = f"is {', '.join(words)} or {last}, not {printable(repr(value))}"
            raise UsageError(text, option=name)
        return value


@dataclass(frozen=True)
class ThreadCount(Kind):
    """A number of threads; negative ones count from all processors down."""

    description: str = "is a number of threads, or -1 for all"

    def _read(self, name: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, Integral) or value == 0:
            raise self.refusal(name, value)
        return int(value)


@dataclass(frozen=True)
class ClusterAddress(Kind):
    """The address of a cluster, or a client; the number of workers to start is looked at."""

    def _read(self, name: str, value: Any) -> Any:  # noqa: ARG002  # it is about one option
        if isinstance(value, str):
            from mlfs.api.cluster.connection import local_workers

            local_workers(value)
        return value


def _is_numpys_bool(value: Any) -> bool:
    return type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")


def checked_count(count: Any, name: str) -> int | None:
    """The value of an option that is a whole number of at least 1; None stays None."""
    return None if count is None else Whole().read(name, count)


def literal(text: str) -> bool | float | str | None:
    """Read true, none, 3 and 0.5 as Python values, and everything else as text.

    Examples
    --------
    >>> literal("0.5"), literal("3"), literal("True"), literal("none"), literal("mean")
    (0.5, 3, True, None, 'mean')
    """
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
