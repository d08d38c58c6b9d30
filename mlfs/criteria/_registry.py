"""The registry of criteria: find them by name, those of mlfs and those of plugins.

What a criterion says of itself, checked before it is asked anything.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np

from mlfs.criteria._contract import NETWORKS, SCOPES, SEARCHES, UNITS, Criterion
from mlfs.errors import CriterionError, UnknownName, UsageError, printable


def _one_of(allowed: tuple[Any, ...]) -> tuple[Callable[[Any], bool], str]:
    def is_allowed(value: Any) -> bool:
        return any(type(value) is type(choice) and value == choice for choice in allowed)

    *most, last = map(repr, allowed)
    return is_allowed, f"{', '.join(most)} or {last}"


def _is_fold(value: Any) -> bool:
    return isinstance(value, np.ufunc) and "dd->d" in value.types


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 1


RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "scope": _one_of(SCOPES),
    "search": _one_of(SEARCHES),
    "network": _one_of(NETWORKS),
    "fold": (_is_fold, "a ufunc of numpy that takes two numbers, such as np.add or np.minimum"),
    "falls": _one_of((False, True)),
    "unit": _one_of(UNITS),
    "least_labels": (_is_count, "a whole number from 1"),
}


def refuse_wrong_attributes(criterion: Criterion, who: str) -> None:
    """Raise `CriterionError` if an attribute of the contract cannot be read, or has no meaning.

    Examples
    --------
    >>> refuse_wrong_attributes(Criterion(), "the criterion x")
    """
    for name, (is_good, words) in RULES.items():
        try:
            value = getattr(criterion, name)
        except (Exception, SystemExit) as error:  # a property of a third party may do anything
            raise CriterionError(f"{who} fails in {name}: {failure(error)}") from error
        if not is_good(value):
            raise CriterionError(f"{who} has {name} = {printable(repr(value))}: it must be {words}")


def failure(error: BaseException) -> str:
    """Describe an exception of a third party."""
    return f"{type(error).__name__}: {printable(error, 300)}"


PACKAGE = __name__.rpartition(".")[0]
GROUP = "mlfs.criteria"  # of entry points
ALIASES: dict[str, tuple[str, dict[str, Any]]] = {  # names of cases of a criterion
    "cife": ("d2f", {}),
    "mid": ("mrmr", {}),
    "mifs": ("betagamma", {"gamma": 0.0}),
    "condred": ("betagamma", {"beta": 0.0}),
}
TIERS: dict[str, tuple[str, ...]] = {  # what to take when: those of ours that are not named compare
    "to begin with": ("scls", "mim", "jmi"),
    "for a reason": ("cmim", "mrmr", "mlfs_local", "blanket"),
}
COMPARED, INSTALLED = "for comparisons with papers", "installed"


def tier_of(name: str) -> str:
    """The tier of a criterion: when to take it.

    Examples
    --------
    >>> tier_of("scls"), tier_of("pmu"), tier_of("mine")
    ('to begin with', 'for comparisons with papers', 'installed')
    """
    tier = next((tier for tier, names in TIERS.items() if name in names), COMPARED)
    return tier if name in _built_in() else INSTALLED


@dataclass(frozen=True)
class Origin:
    """Where a criterion of a certain name comes from.

    Parameters
    ----------
    name : str
        Its name.
    distribution : str
        ``mlfs`` or the distribution that provides it.
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
    folders = sys.modules[PACKAGE].__path__
    return _names_in(*((folder, _time_of_change(folder)) for folder in folders))


def _time_of_change(folder: str) -> int:
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:  # a part of a zip archive, which does not change
        return -1


@functools.lru_cache(maxsize=1)
def _names_in(*folders: tuple[str, int]) -> tuple[str, ...]:
    """List the criteria in some folders again when one of them has changed.

    A module whose name begins with an underscore is not a criterion.
    """
    names = (module.name for module in pkgutil.iter_modules([folder for folder, _ in folders]))
    return tuple(sorted(name for name in names if not name.startswith("_")))


def _plugins() -> dict[str, metadata.EntryPoint]:
    """Give the entry points of third parties by name in lower case; of several, the first."""
    return {name: points[0] for name, points in _offers().items()}


def _offers() -> dict[str, list[metadata.EntryPoint]]:
    offers: dict[str, list[metadata.EntryPoint]] = {}
    ours = {*_built_in(), *ALIASES}
    for point in sorted(metadata.entry_points(group=GROUP), key=lambda p: (p.name, p.value)):
        name = point.name.lower()  # names are asked for in lower case
        if name in ours:  # our own names win
            continue
        same = offers.setdefault(name, [])
        if all(point.value != known.value for known in same):  # an editable one is found twice
            same.append(point)
    return offers


def _distribution(point: metadata.EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unknown distribution"


def available() -> list[str]:
    """Name all criteria, built-in and installed, without importing any.

    Examples
    --------
    >>> "scls" in available()
    True
    """
    return sorted({*_built_in(), *_plugins()})


def _load_plugin(name: str, point: metadata.EntryPoint) -> type[Criterion]:
    who = f"the criterion {printable(name)!r} of the distribution {printable(_distribution(point))}"
    rivals = _offers()[name]
    if len(rivals) > 1:
        sources = " and ".join(printable(f"{_distribution(p)} ({p.value})") for p in rivals)
        msg = f"the criterion {printable(name)!r} is offered by {sources}: uninstall one of them"
        raise CriterionError(msg)
    return _import_class(point.load, who)


def _import_class(load: Callable[[], Any], who: str) -> type[Criterion]:
    """The criterion that a module has, or that an entry point names itself."""
    try:
        with contextlib.redirect_stdout(sys.stderr), contextlib.chdir("."):  # stdout is for data
            loaded = load()
            loaded = getattr(loaded, "criterion", loaded)
    except UsageError as error:
        raise UsageError(f"{who}: {error}") from None
    except (Exception, SystemExit) as error:  # the module of a third party may do anything
        raise CriterionError(f"{who} cannot be imported: {failure(error)}") from error
    return _check_class(loaded, who)


def _check_class(loaded: Any, who: str) -> type[Criterion]:
    if not (inspect.isclass(loaded) and issubclass(loaded, Criterion)):
        msg = f"{who} is {printable(loaded)}, but must be a subclass of mlfs.Criterion"
        raise CriterionError(msg)
    return loaded


def _make(kind: type[Criterion], name: str, parameters: Mapping[str, Any]) -> Criterion:
    """An instance with these parameters, whose attributes keep the contract."""
    who = f"the criterion {name}"
    try:
        accepted = [p for p in inspect.signature(kind).parameters if p != "self"]
    except (TypeError, ValueError) as error:
        raise CriterionError(f"{who} has no signature: {failure(error)}") from error
    for parameter in parameters:
        if parameter not in accepted:
            takes = ", ".join(accepted) or "none"
            msg = f"{who} has no parameter {printable(parameter)!r}; it takes: {takes}"
            raise UsageError(msg)
    try:
        instance = kind(**parameters)
    except (TypeError, ValueError) as error:
        if not parameters and not _has_required_parameters(kind):
            raise CriterionError(f"{who} fails in __init__: {failure(error)}") from error
        raise UsageError(f"{who} refuses its parameters: {printable(error, 300)}") from error
    except (Exception, SystemExit) as error:
        raise CriterionError(f"{who} fails in __init__: {failure(error)}") from error
    if not isinstance(instance, Criterion):
        raise CriterionError(f"{who} makes {printable(type(instance).__name__)} in place of itself")
    refuse_wrong_attributes(instance, who)
    return instance


def _has_required_parameters(kind: type[Criterion]) -> bool:
    """Whether a criterion has parameters that must be given."""
    return any(
        parameter.default is parameter.empty
        for parameter in inspect.signature(kind).parameters.values()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    )


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
        name = type(criterion).__name__.lower()
        refuse_wrong_attributes(criterion, f"the criterion {name}")
        return name, criterion
    if isinstance(criterion, str):
        name, fixed = ALIASES.get(criterion.lower(), (criterion.lower(), {}))
        kind = _find(name)
        for key in parameters.keys() & fixed.keys():
            msg = f"{criterion.lower()} is {name} with {key} = {fixed[key]:g}: leave {key} out"
            raise UsageError(f"{msg}, or take {name}")
        parameters |= fixed
    else:
        kind = _check_class(criterion, "the criterion")
        name = kind.__name__.lower()
    return name, _make(kind, name, parameters)


def typed(text: str) -> str | type[Criterion]:
    """The criterion that a user has typed: a name, ``./mine.py``, or ``package.mine.Class``.

    The file is run, so this is for what is typed in a call, never for what stands in a file.
    """
    if text.endswith(".py"):
        return _import_class(
            functools.partial(_from_file, text), f"the criterion {printable(text)}"
        )
    module, _, name = text.rpartition(".")
    if not module:
        return text
    return _import_class(
        lambda: getattr(module_here(module), name), f"the criterion {printable(text)}"
    )


def module_here(name: str) -> Any:
    """Import a module, which may lie in the current folder."""
    here = str(Path.cwd())
    is_new = here not in sys.path
    if is_new:
        sys.path.append(here)
    try:
        return importlib.import_module(name)
    finally:
        if is_new and here in sys.path:
            sys.path.remove(here)


def _from_file(path: str) -> Any:
    """The criterion of a file: what it calls ``criterion``, or the one class that it defines."""
    if not Path(path).is_file():
        raise UsageError(f"there is no file {printable(path, 400)!r}")
    name = f"mlfs_typed_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that its classes can be pickled and documented
    spec.loader.exec_module(module)
    classes = [
        kind
        for kind in vars(module).values()
        if inspect.isclass(kind) and issubclass(kind, Criterion) and kind.__module__ == name
    ]
    if not hasattr(module, "criterion") and len(classes) != 1:
        found = f"{len(classes)} criteria" if classes else "no criterion"
        raise UsageError(f"has {found}: say which by a line criterion = NAME")
    return getattr(module, "criterion", None) or classes[0]


def _find(name: str) -> type[Criterion]:
    if name in _built_in():
        return _import_class(
            functools.partial(importlib.import_module, f"{PACKAGE}.{name}"), f"the criterion {name}"
        )
    plugins = _plugins()
    if name in plugins:
        return _load_plugin(name, plugins[name])
    raise UnknownName("criterion", name, sorted({*available(), *ALIASES}))


def origins() -> list[Origin]:
    """Give origin and summary of every criterion, including those that cannot be used."""
    owners = dict.fromkeys(_built_in(), "mlfs")
    owners |= {name: _distribution(point) for name, point in _plugins().items()}
    listed = []
    for name, who in owners.items():
        try:
            kind = _find(name)
        except CriterionError as error:
            listed.append(Origin(name, who, broken=str(error)))
        else:
            listed.append(Origin(name, who, _summary(documentation(kind))))
    return listed


def origin_of(text: str) -> tuple[Origin, str | type[Criterion]]:
    """Where a criterion that a user has typed comes from, and what `get` takes for it."""
    kind = typed(text)
    name, criterion = get(kind)
    summary = _summary(documentation(type(criterion)))
    known = next((origin for origin in origins() if origin.name == name), None)
    return known or Origin(name, text, summary), name if known else kind


def documentation(kind: type[Criterion]) -> str:
    """Give the documentation of a criterion: its own docstring, or else that of its file."""
    module = sys.modules.get(kind.__module__)  # None has a docstring too
    text = vars(kind).get("__doc__") or (module.__doc__ if module is not None else "")
    return inspect.cleandoc(text) if isinstance(text, str) else ""


def _summary(doc: str | None) -> str:
    """Give the first paragraph, which has reference and formula, as one line."""
    return re.sub(r"\s*\n\s*", " ", (doc or "").strip().split("\n\n")[0]).strip()
