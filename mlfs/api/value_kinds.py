"""The kinds of values that options take: each reads a value, or refuses it in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from mlfs.errors import UnknownName, UsageError, printable

__all__ = ["Auto", "Choice", "Kind", "Name", "Positive", "Share", "Switch", "Threads", "Whole"]


@dataclass(frozen=True)
class Kind:
    """A kind of value; this one takes any.

    Parameters
    ----------
    wanted : str
        What a value is; an error says it after the name of the option.
    types : tuple of type
        The types that it may have; empty for any.
    choices : tuple of str
        The names that the command offers.
    """

    wanted: str = ""
    types: tuple[type, ...] = ()
    choices: tuple[str, ...] = ()

    def read(self, name: str, value: Any) -> Any:
        """The value, in Python's own type where it is a number; refused if it is of no use."""
        return self._read(name, value)

    def _read(self, name: str, value: Any) -> Any:
        if self.types and not isinstance(value, self.types):
            raise self.refusal(name, value)
        return value

    def refusal(self, name: str, value: Any) -> UsageError:
        """The error about a value of this kind."""
        return UsageError(f"{self.wanted}, not {printable(repr(value))}", option=name)


@dataclass(frozen=True)
class Switch(Kind):
    """True or False."""

    wanted: str = "is True or False"

    def _read(self, name: str, value: Any) -> bool:
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
        return int(value)


@dataclass(frozen=True)
class Share(Kind):
    """A number between 0 and 1."""

    wanted: str = "lies between 0 and 1"

    def _read(self, name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
            raise self.refusal(name, value)
        return float(value)


@dataclass(frozen=True)
class Positive(Kind):
    """A number above 0; None too, if that is the default."""

    wanted: str = "is a number above 0"

    def _read(self, name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, Real) or not float(value) > 0:
            raise self.refusal(name, value)
        return float(value)


@dataclass(frozen=True)
class Name(Kind):
    """One of some names, of a thing that an error about an unknown name calls `wanted`."""

    def _read(self, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise UsageError(
                f"is the name of a {self.wanted}, not {printable(repr(value))}", option=name
            )
        if value not in self.choices:
            raise UnknownName(self.wanted, value, self.choices)
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
class Auto(Kind):
    """True, False or "auto"."""

    wanted: str = "is True, False or 'auto'"

    def _read(self, name: str, value: Any) -> bool | str:
        if isinstance(value, str) and value == "auto":
            return value
        if not (isinstance(value, bool) or _is_numpys_bool(value)):
            raise self.refusal(name, value)
        return bool(value)


@dataclass(frozen=True)
class Threads(Kind):
    """A number of threads; negative ones count from all processors down."""

    wanted: str = "is a number of threads, or -1 for all"

    def _read(self, name: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, Integral) or value == 0:
            raise self.refusal(name, value)
        return int(value)


def _is_numpys_bool(value: Any) -> bool:
    return type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")
