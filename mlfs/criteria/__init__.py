"""The contract of a criterion, and the place where criteria are found by name.

Every criterion of the field is a fold: ``J(f) = score(relevance(f), fold over s in S of
term(f, s), S)``, for all candidates f at once, S the features picked so far in order.
A criterion is plain numpy: it asks `Info` for arrays and never sees rows.

A new built-in is one file in the top-level folder ``criteria/``; its name is the file's name,
and it binds the class to ``criterion``. A third party declares an entry point in the group
``mlfs.criteria``. `mlfs.checks.check_criterion` is what both must pass.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from mlfs.errors import CriterionError, UnknownName, UsageError, printable

if TYPE_CHECKING:
    from mlfs.information.info import Info

__all__ = ["Criterion", "Origin", "available", "documentation", "get", "number", "origins"]

GROUP = "mlfs.criteria"
ALIASES = {"cife": "d2f"}
SCOPES = ("all labels", "each label")
SEARCHES = ("greedy", "best first")
NETWORKS = (False, True, "chain", "tree")
UNITS = ("information", "ratio")
_checkout = Path(__file__).resolve().parents[2] / "criteria"
if (_checkout.parent / "pyproject.toml").is_file() and _checkout.is_dir():
    __path__.append(str(_checkout))


class Criterion:
    """What a criterion says of itself; a plugin sets only what it changes.

    Examples
    --------
    >>> class Plain(Criterion):
    ...     def relevance(self, info):
    ...         return info.mi_fL
    >>> Plain().search
    'greedy'
    """

    scope: ClassVar[Literal["all labels", "each label"]] = "all labels"
    search: ClassVar[Literal["greedy", "best first"]] = "greedy"
    network: ClassVar[bool | str] = False
    fold: ClassVar[np.ufunc] = np.add
    falls: ClassVar[bool] = False
    unit: ClassVar[Literal["information", "ratio"]] = "information"

    def relevance(self, info: Info) -> Any:
        """What each candidate is worth on its own: decides the first pick; -inf means never."""
        raise NotImplementedError

    def label_correlation(self, info: Info) -> Any:  # noqa: ARG002  # for overriding
        """The part of `relevance` that comes from correlations between labels, for the report."""
        return 0.0

    def start(self, info: Info) -> Any:  # noqa: ARG002  # for overriding
        """What the fold starts from: by default its identity."""
        return np.inf if self.fold is np.minimum else 0.0

    def term(self, info: Info, s: int) -> Any:  # noqa: ARG002  # for overriding
        """What the picking of s brings to each candidate; asked once for each s."""
        return 0.0

    def score(self, relevance: Any, total: Any, picked: list[int]) -> Any:  # noqa: ARG002
        """The worth of each candidate once something is picked."""
        return relevance

    def merit(self, info: Info, picked: list[int]) -> Any:
        """The worth of the set ``picked + [f]`` for each candidate: for best-first search."""
        raise NotImplementedError

    def merit_of_nothing(self, info: Info) -> float:  # noqa: ARG002  # for overriding
        """The worth of the set with which best-first search starts."""
        return 0.0

    def size(self, info: Info) -> int | None:  # noqa: ARG002  # for overriding
        """How many features a label gets, if the criterion has an opinion."""
        return None


def number(name: str, value: Any, low: float = 0.0, high: float = np.inf) -> float:
    """Check a parameter of a criterion: a finite number from low to high.

    Examples
    --------
    >>> number("beta", 0.5)
    0.5
    """
    good = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not (good and low <= value <= high and np.isfinite(value)):
        until = "" if high == np.inf else f" to {high:g}"
        msg = f"{name} is a number from {low:g}{until}, not {printable(repr(value))}"
        raise ValueError(msg)
    return float(value)


@dataclass(frozen=True)
class Origin:
    """Where a criterion of a certain name comes from.

    Parameters
    ----------
    name : str
        Its name.
    distribution : str
        ``mlfs`` or the distribution that brings it.
    summary : str
        The first line of its documentation.
    broken : str
        Why it cannot be used, or empty.
    """

    name: str
    distribution: str
    summary: str = ""
    broken: str = ""


def _built_in() -> tuple[str, ...]:
    return _named_in(*((folder, _changed(folder)) for folder in __path__))


def _changed(folder: str) -> int:
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:  # what is no folder, a zip archive's inside, does not change
        return -1


@functools.lru_cache(maxsize=1)
def _named_in(*folders: tuple[str, int]) -> tuple[str, ...]:
    """The modules in some folders, looked up anew once one of them has changed."""
    names = (module.name for module in pkgutil.iter_modules([folder for folder, _ in folders]))
    return tuple(sorted(names))


def _plugins() -> dict[str, metadata.EntryPoint]:
    """The entry points of third parties by name in lower case; of several, the first."""
    return {name: points[0] for name, points in _offers().items()}


def _offers() -> dict[str, list[metadata.EntryPoint]]:
    found: dict[str, list[metadata.EntryPoint]] = {}
    ours = {*_built_in(), *ALIASES}
    for point in sorted(metadata.entry_points(group=GROUP), key=lambda p: (p.name, p.value)):
        name = point.name.lower()  # as it is asked for
        if name in ours:  # our own names win
            continue
        same = found.setdefault(name, [])
        if all(point.value != other.value for other in same):  # an editable one is found twice
            same.append(point)
    return found


def _distribution(point: metadata.EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unknown distribution"


def available() -> list[str]:
    """Name all criteria: built-in ones and installed ones, without importing any.

    Examples
    --------
    >>> "scls" in available()
    True
    """
    return sorted({*_built_in(), *_plugins()})


def _import_built_in(name: str) -> Any:
    return importlib.import_module(f"{__name__}.{name}")


def _load_plugin(name: str, point: metadata.EntryPoint) -> type[Criterion]:
    who = f"the criterion {printable(name)!r} of the distribution {printable(_distribution(point))}"
    rivals = _offers()[name]
    if len(rivals) > 1:
        both = " and ".join(printable(f"{_distribution(p)} ({p.value})") for p in rivals)
        msg = f"the criterion {printable(name)!r} is offered by {both}: uninstall one of them"
        raise CriterionError(msg)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # stdout is for data
            loaded = point.load()
    except (Exception, SystemExit) as error:  # whatever a third party's module does must not end us
        msg = f"{who} cannot be imported: {type(error).__name__}: {printable(error, 300)}"
        raise CriterionError(msg) from error
    loaded = getattr(loaded, "criterion", loaded)
    return _checked(loaded, who)


def _checked(loaded: Any, who: str) -> type[Criterion]:
    if not (inspect.isclass(loaded) and issubclass(loaded, Criterion)):
        msg = f"{who} is {printable(loaded)}, but must be a subclass of mlfs.Criterion"
        raise CriterionError(msg)
    limits = (("scope", SCOPES), ("search", SEARCHES), ("network", NETWORKS), ("unit", UNITS))
    for name, allowed in limits:
        if getattr(loaded, name) not in allowed:
            msg = f"{who} has {name} = {getattr(loaded, name)!r}, but must have one of {allowed}"
            raise CriterionError(msg)
    return loaded


def get(criterion: Any, parameters: Mapping[str, Any] | None = None) -> tuple[str, Criterion]:
    """Find a criterion by name and give it its parameters.

    Parameters
    ----------
    criterion : str, type or Criterion
        A name, a subclass of `Criterion`, or an instance (which takes no more parameters).
    parameters : mapping, optional
        Keyword arguments of the class.

    Returns
    -------
    tuple of str and Criterion
        The name under which to report it, and an instance.

    Examples
    --------
    >>> get("jmi")[0]
    'jmi'
    """
    if not isinstance(parameters, (Mapping, NoneType)):
        msg = f"parameters is a mapping from names to values, not {printable(repr(parameters))}"
        raise UsageError(msg)
    parameters = dict(parameters or {})
    if isinstance(criterion, Criterion):
        if parameters:
            msg = f"parameters {sorted(parameters)} were given beside a criterion that has its own"
            raise UsageError(msg)
        return type(criterion).__name__.lower(), criterion
    if isinstance(criterion, str):
        name = ALIASES.get(criterion.lower(), criterion.lower())
        kind = _by_name(name)
    else:
        kind = _checked(criterion, "the criterion")
        name = kind.__name__.lower()
    known = [p for p in inspect.signature(kind).parameters if p != "self"]
    for given in parameters:
        if given not in known:
            takes = ", ".join(known) or "none"
            msg = f"the criterion {name} has no parameter {printable(given)!r}; it takes: {takes}"
            raise UsageError(msg)
    try:
        return name, kind(**parameters)
    except (TypeError, ValueError) as error:
        msg = f"the criterion {name} refuses its parameters: {printable(error, 300)}"
        raise UsageError(msg) from error


def _by_name(name: str) -> type[Criterion]:
    if name in _built_in():
        kind: type[Criterion] = _import_built_in(name).criterion
        return kind
    plugins = _plugins()
    if name in plugins:
        return _load_plugin(name, plugins[name])
    raise UnknownName("criterion", name, sorted({*available(), *ALIASES}))


def origins() -> list[Origin]:
    """Tell of every criterion where it comes from and what it says; broken ones too."""
    told = [Origin(name, "mlfs", _summary(_import_built_in(name).__doc__)) for name in _built_in()]
    for name, point in _plugins().items():
        who = _distribution(point)
        try:
            kind = _load_plugin(name, point)
        except CriterionError as error:
            told.append(Origin(name, who, broken=str(error)))
        else:
            told.append(Origin(name, who, _summary(documentation(kind))))
    return told


def documentation(kind: type[Criterion]) -> str:
    """What a criterion says of itself: in its own docstring, or else in that of its file."""
    module = sys.modules.get(kind.__module__)  # None has a docstring of its own
    own = vars(kind).get("__doc__") or (module.__doc__ if module is not None else "")
    return inspect.cleandoc(own or "")


def _summary(doc: str | None) -> str:
    """The formula: a criterion's documentation opens with reference and formula."""
    return re.sub(r"\s*\n\s*", " ", (doc or "").strip().split("\n\n")[0]).strip()
