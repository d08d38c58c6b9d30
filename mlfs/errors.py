"""The exceptions that mlfs raises for a user's mistake.

MlfsError
├── UsageError      an option or argument that makes no sense       (exit code 2)
├── DataError       data that cannot be used as they are            (exit code 1)
│   └── ParseError      ... and the place in the file where it shows
├── CriterionError  a criterion that breaks its contract            (exit code 1)
├── ClusterError    a cluster that cannot be used, or is lost       (exit code 1)
└── MissingExtra    an optional package that is not installed       (exit code 1)

A name that is looked up and not found is a LookupError: `UnknownName`.
Every message is one sentence that names the thing, the place, the value and the remedy.
"""

from __future__ import annotations

import ast
import difflib
import logging
import re
import shlex
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

__all__ = [
    "Caution",
    "ClusterError",
    "CriterionError",
    "DataError",
    "MissingExtra",
    "MlfsError",
    "MlfsWarning",
    "ParseError",
    "UnknownName",
    "UsageError",
    "check_name",
    "listed",
    "plural",
    "printable",
    "setting",
]

LOGGER = logging.getLogger("mlfs")
LOGGER.addHandler(logging.NullHandler())
SNIPPET = 80
LISTED = 20
DECLARED = 6  # values of a column
COMPARED = 100  # characters: to compare longer names takes long
MOST_COMPARED = 2_000  # names


def printable(text: object, limit: int = SNIPPET) -> str:
    """Show a text from a file on a terminal: control characters escaped, long ones cut.

    Examples
    --------
    >>> printable("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in str(text)[: limit + 1]
    )
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


_FOLDERS = re.compile(  # in quotes, where they may have spaces, or bare
    r"""(?<=["'])(?:[A-Za-z]:)?[/\\][^"'\n]*[/\\](?=[^"'\n/\\]+["'])"""
    r"""|(?<![\w./:"'\\])(?:[A-Za-z]:)?[/\\]+(?:[^\s/\\"':,]+[/\\]+)+(?=[\w.])"""
)


def without_folders(text: object) -> str:
    """A text that others will read, with the names of files but not the folders of this machine.

    Examples
    --------
    >>> without_folders("cannot read /home/me/songs.arff: no 'C:\\\\my data\\\\a.csv', 1/2")
    "cannot read songs.arff: no 'a.csv', 1/2"
    """
    return _FOLDERS.sub("", str(text))


def plural(n: int, noun: str) -> str:
    """Say how many.

    Examples
    --------
    >>> plural(1, "row"), plural(2, "row")
    ('1 row', '2 rows')
    """
    return f"{n} {noun}" if n == 1 else f"{n:,} {noun}s"


def listed(names: Sequence[str], most: int) -> str:
    """The first of some names in quotes, and how many there are beside them.

    Examples
    --------
    >>> listed(["a", "b", "c"], 2)
    "'a', 'b' and 1 more"
    """
    return first_of((repr(printable(name)) for name in names[:most]), len(names))


def first_of(shown: Iterable[str], total: int) -> str:
    """The first of so many texts, and how many there are beside them.

    Examples
    --------
    >>> first_of(["a", "b"], 2), first_of(["a", "b"], 3)
    ('a, b', 'a, b and 1 more')
    """
    texts = list(shown)
    more = total - len(texts)
    return ", ".join(texts) + (f" and {more:,} more" if more else "")


def in_braces(values: Sequence[str]) -> str:
    """The values of a column as ARFF declares them, the first of many.

    Examples
    --------
    >>> in_braces("abcdefgh")
    '{a, b, c, d, e, f, … (8 in all)}'
    """
    shown = ", ".join(printable(value, 20) for value in values[:DECLARED])
    more = f", … ({len(values)} in all)" if len(values) > DECLARED else ""
    return f"{{{shown}{more}}}"


_SETTING = re.compile("\x1f([a-z_]+)=([^\x1f]*)\x1f")  # `printable` leaves no such character


def setting(name: str, value: str | float | None = None) -> str:
    """Write an argument into the message of an error, which shows it as its reader writes it.

    Parameters
    ----------
    name : str
        The name of the argument in Python.
    value : str or number, optional
        Its value; True is a flag. Without it, only the option is named.

    Examples
    --------
    >>> error = DataError(f"a value is missing: use {setting('missing', 'level')}")
    >>> str(error), str(error.naming({"missing": "--missing"}))
    ("a value is missing: use missing='level'", 'a value is missing: use --missing level')
    """
    return f"\x1f{name}={'' if value is None else repr(value)}\x1f"


def _spelled(text: str, names: Mapping[str, str]) -> str:
    """Show the settings in a text: as arguments, or as the flags that `names` has for them."""

    def show_one(match: re.Match[str]) -> str:
        name, value = names.get(match[1], match[1]), match[2]
        if not name.startswith("-"):
            return f"{name}={value}" if value else name
        setting_value = ast.literal_eval(value or "True")
        return name if setting_value is True else f"{name} {shlex.quote(str(setting_value))}"

    return _SETTING.sub(show_one, text) if "\x1f" in text else text


class MlfsWarning(UserWarning):
    """A thing about the data that a user should act on: a leak, a column that is left out, ..."""


class Caution(str):
    """A note that is also given as a warning, because a user may not read notes.

    Examples
    --------
    >>> Caution("1 label is constant") == "1 label is constant"
    True
    """

    __slots__ = ()


class MlfsError(Exception):
    """Anything that mlfs refuses with a sentence instead of a traceback.

    Parameters
    ----------
    message : str
        The sentence; with `option`, the rest of it after the option's name.
    option : str or tuple of str
        The name of the argument that it is about, if it is about one or some.
    remedy : str
        What to do about it, if the caller may know better: then `advising` replaces it.

    Examples
    --------
    >>> error = UsageError("is a whole number, not 'x'", option="n_bins")
    >>> str(error), str(error.naming({"n_bins": "--n-bins"}))
    ("n_bins is a whole number, not 'x'", "--n-bins is a whole number, not 'x'")
    """

    option: tuple[str, ...] = ()
    place = ""

    def __init__(
        self, message: str = "", *, option: str | tuple[str, ...] = (), remedy: str = ""
    ) -> None:
        super().__init__(message)
        self.message, self.remedy = message, remedy
        self.option = (option,) if isinstance(option, str) and option else tuple(option)
        self.naming({})

    def __reduce__(self) -> Any:
        return _unpickled, (type(self), self.args, vars(self))

    def naming(self, names: Mapping[str, str]) -> Self:
        """Call the options by other names, as a command line does; return the error."""
        subject = " and ".join(names.get(name, name) for name in self.option)
        text = self.place + (f"{subject} {self.message}" if subject else self.message)
        self.args = (_spelled(f"{text}; {self.remedy}" if self.remedy else text, names),)
        return self

    def in_file(self, path: object) -> Self:
        """Name the file that it is about, before the sentence; return the error."""
        self.place = f"{printable(path, 400)}: "
        return self.naming({})

    def advising(self, remedy: str) -> Self:
        """Give another remedy, where the caller knows a better one; return the error."""
        self.remedy = remedy
        return self.naming({})


def _unpickled(kind: type[MlfsError], args: tuple[Any, ...], state: dict[str, Any]) -> MlfsError:
    """An error of another process; not all take their message alone."""
    error = kind.__new__(kind)
    error.args = args
    vars(error).update(state)
    return error


class Interrupted(KeyboardInterrupt):  # no error: whoever pressed Ctrl-C meant it
    """Ctrl-C ended a selection.

    Parameters
    ----------
    selection : Selection
        The picks so far.
    """

    def __init__(self, selection: Any) -> None:
        super().__init__("a selection was interrupted; `selection` has the picks so far")
        self.selection = selection


class UsageError(MlfsError, ValueError):
    """An option or argument that makes no sense."""


class DataError(MlfsError, ValueError):
    """Data that cannot be used as they are."""


class ParseError(DataError):
    """A file that breaks its format, with the place where it does.

    Parameters
    ----------
    message : str
        What was there, what was expected, and the remedy.
    path : str
        The file as the user named it.
    line, column : int, optional
        The place, counted from one.
    """

    def __init__(
        self, message: str, path: str, line: int | None = None, column: int | None = None
    ) -> None:
        self.path, self.line, self.column = path, line, column
        place = ":".join([printable(path, 400), *(str(n) for n in (line, column) if n is not None)])
        super().__init__(f"{place}: {message}")


class CriterionError(MlfsError):
    """A criterion that breaks its contract."""


class ClusterError(MlfsError):
    """A cluster that cannot be reached or used, or that is lost."""


class MissingExtra(MlfsError, ImportError):
    """An optional package that is not installed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}, which is not installed: "
            f"pip install 'mlfs-toolkit[{extra}]'"
        )


class UnknownName(MlfsError, LookupError):
    """A name that is looked up and not found.

    Parameters
    ----------
    kind : str
        What the name is of; with `option`, braces stand for the option's name.
    name : str
        The name.
    known : iterable of str
        The names that there are.
    option : str, optional
        The name of the argument in which it was given.
    path : str, optional
        The file in which it was looked up.

    Examples
    --------
    >>> error = UnknownName("feature in {}", "aeg", ["age", "size"], option="exclude")
    >>> print(error.naming({"exclude": "--exclude"}))
    unknown feature in --exclude 'aeg': did you mean 'age'?
    """

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, option: str = "", path: str = ""
    ) -> None:
        known = list(known)
        alike = [other for other in known[:MOST_COMPARED] if len(other) <= COMPARED]
        close = difflib.get_close_matches(name[:COMPARED], alike, n=1, cutoff=0.5)
        more = f" and {len(known) - LISTED} more" if len(known) > LISTED else ""
        hint = (
            f"did you mean {printable(close[0])!r}?"
            if close
            else "known are: " + ", ".join(map(printable, known[:LISTED])) + more
        )
        self.kind, self.rest = kind, f"{printable(name)!r}: {hint}"
        place = f"{printable(path, 400)}: " if path else ""
        super().__init__(f"{place}unknown {kind} {self.rest}", option=option)

    def naming(self, names: Mapping[str, str]) -> Self:
        """Call the option by another name, as a command line does; return the error."""
        if not self.option:
            return super().naming(names)
        where = names.get(self.option[0], self.option[0])
        self.args = (f"unknown {self.kind.format(where)} {self.rest}",)
        return self


def check_name(value: Any, kind: str, known: Collection[str], *, option: str = "") -> None:
    """Refuse a value that is none of some names.

    Parameters
    ----------
    value : object
        What was given.
    kind, known, option
        As for `UnknownName`.

    Examples
    --------
    >>> check_name("b", "vote", ["a", "b"])
    """
    if not isinstance(value, str) or value not in known:
        raise UnknownName(kind, str(value), known, option=option)


def tell(notes: Iterable[str], stacklevel: int) -> None:
    """Log notes, and give those that a user should act on as warnings."""
    for note in notes:
        is_caution = isinstance(note, Caution)
        LOGGER.log(logging.WARNING if is_caution else logging.INFO, "%s", note)
        if is_caution and not _was_shown(str(note), sys._getframe(stacklevel)):  # noqa: SLF001
            warnings.warn(str(note), MlfsWarning, stacklevel=stacklevel + 1)


_shown: tuple[list[Any], set[tuple[str, str, int]]] = ([], set())


def _was_shown(text: str, caller: FrameType) -> bool:
    """Whether a place has had this warning, and the filters of the program want it only once.

    Python keeps a register for this, too, but clears it whenever filters change for a while, as
    pandas and scikit-learn let them change in each call.
    """
    global _shown  # noqa: PLW0603  # as Python's own register is
    if _shown[0] != [*warnings.filters]:
        _shown = [*warnings.filters], set()
    file, line = caller.f_code.co_filename, caller.f_lineno
    module = str(caller.f_globals.get("__name__", ""))
    action = next(
        (
            action
            for action, message, category, of_module, of_line in warnings.filters
            if (message is None or message.match(text))
            and issubclass(MlfsWarning, category)
            and (of_module is None or of_module.match(module))
            and of_line in {0, line}
        ),
        "default",
    )
    if action not in {"default", "module", "once"}:
        return False
    place = {"once": ("", 0), "module": (file, 0)}.get(action, (file, line))
    known = (text, *place) in _shown[1]
    _shown[1].add((text, *place))
    return known


@contextmanager
def told() -> Iterator[None]:
    """Show what the logger hears on stderr, for a while."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("[mlfs] %(message)s"))
    level, passes_on = LOGGER.level, LOGGER.propagate
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.DEBUG)
    LOGGER.propagate = False  # or a program with handlers of its own would show it twice
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)
        LOGGER.propagate = passes_on
