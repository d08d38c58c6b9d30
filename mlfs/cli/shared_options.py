"""The options that commands share, and the values that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mlfs.api.options import NAMED, OPTIONS, READING, Option
from mlfs.api.value_kinds import FeatureNumber, Number, Switch, ThreadCount, Whole, literal
from mlfs.binnings import BINNINGS
from mlfs.cli.console import Console
from mlfs.cli.panel_options import pair, read_panel
from mlfs.errors import DataError, UsageError, printable, setting

if TYPE_CHECKING:
    from mlfs.criteria import Criterion


WORDS = ("all", "auto", "cv", "fdr")  # numbers of features
READ = {option.name for option in READING}
F = TypeVar("F", bound=Callable[..., Any])


def stacked(*decorators: Callable[[Any], Any]) -> Callable[[F], F]:
    """Make one decorator of several."""

    def decorate(command: F) -> F:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def _recorded(attribute: str) -> Callable[..., None]:
    """Make a callback that keeps a value in the console, before or after the command's name."""

    def keep(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            setattr(context.ensure_object(Console), attribute, value)

    return keep


def _talk(attribute: str, *names: str, **settings: Any) -> Callable[[Any], Any]:
    settings.update(expose_value=False, callback=_recorded(attribute))
    return click.option(*names, **settings)


talking = stacked(
    _talk("quiet", "-q", "--quiet", is_flag=True, help="No notes, no progress."),
    _talk(
        "verbose", "-v", "--verbose", count=True,
        help="Also say how labels were found, columns binned and time spent; -vv each column.",
    ),
)  # fmt: skip
of_program = stacked(
    talking,
    _talk(
        "color", "--color", type=click.Choice(["auto", "always", "never"]),
        help="Use colours; auto respects NO_COLOR and TERM.",
    ),
    _talk("debug", "--debug", is_flag=True, help="Show the traceback of an error."),
)  # fmt: skip


forced = click.option("--force", is_flag=True, help="Overwrite existing files.")


def written(about: str, **settings: Any) -> Callable[[F], F]:
    """Make a decorator for the options that say where to write, and whether to overwrite."""
    output = click.option("-o", "--output", metavar="FILE", help=about, **settings)
    return stacked(output, forced)


def form_of(what: str, *forms: str) -> Callable[[F], F]:
    """Make a decorator for the option that says the form of what is printed."""
    return click.option("--format", "form", type=click.Choice(forms or ("table", "json")),
        default="table", show_default=True, help=f"The form of the {what}.",
    )  # fmt: skip


def count(_: click.Context, __: click.Parameter, value: str | None) -> int | float | str | None:
    """80 is a number, 0.1 a share, auto and cv leave it to the data."""
    if value is None or value.strip().lower() in WORDS:
        return None if value is None else value.strip().lower()
    if value.strip().lower().startswith("cv:"):
        most = value.strip()[3:]
        if not (most.isascii() and most.isdigit() and int(most[:9]) >= 1):
            msg = f"{printable(value)!r}: at most how many features are tried is a number, as in "
            raise click.BadParameter(f"{msg}cv:80")
        return f"cv:{int(most[:9])}"
    number = literal(value.strip())
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise click.BadParameter(
            f"{printable(value)!r} is no number, no share such as 0.1, and not all, auto, fdr or cv"
        )
    if isinstance(number, int) and number < 1:
        raise click.BadParameter(f"{printable(value)}: select at least one feature")
    if isinstance(number, float) and not 0 < number <= 1:
        raise click.BadParameter(f"{printable(value)}: a share of the features lies in (0, 1]")
    return number


def _bins(context: click.Context, _: click.Parameter, value: str) -> str:
    """The binning; the number of bins after a colon is the value of `n_bins`."""
    name, colon, number = value.partition(":")
    bins = literal(number) if colon else None
    if colon and (not isinstance(bins, int) or bins < 2):
        msg = f"{printable(value)!r}: bins are a number of at least 2, as in frequency:5"
        raise click.BadParameter(msg)
    context.params["n_bins"] = bins
    return name


def _flag(option: Option) -> Callable[[F], F]:
    """The flag of a declared option."""
    kind = option.kind
    settings: dict[str, Any] = {"metavar": option.metavar, "help": option.help}
    if option.repeated:
        settings |= {"multiple": True, "help": f"{option.help} Repeatable."}
    elif isinstance(kind, Switch):
        settings["is_flag"] = True
    elif option.name == "bins":
        about = f"{option.help[:-1]}: {', '.join(BINNINGS)}; with their number as in frequency:5."
        settings |= {"metavar": "NAME", "help": about, "callback": _bins}
    elif kind.choices:
        settings["type"] = click.Choice(kind.choices)
    elif isinstance(kind, Whole):
        settings["type"] = click.IntRange(min=kind.least)
    elif isinstance(kind, Number):
        most = None if kind.most > 1 else kind.most
        settings["type"] = click.FloatRange(kind.least, most, min_open=kind.is_open)
    elif isinstance(kind, ThreadCount):
        settings["type"] = int
    elif isinstance(kind, FeatureNumber):
        settings["callback"] = count
    if not (option.default is None or option.default is False or option.default in ((), "")):
        settings |= {"default": option.default, "show_default": True}
    return click.option(*option.flags, option.name, **settings)


def flags_of(options: Iterable[Option]) -> Callable[[Any], Any]:
    """Make a decorator for the flags of declared options."""
    return stacked(*map(_flag, options))


def declared(*names: str) -> Callable[[Any], Any]:
    """Make a decorator for the flags of some declared options; of all that have one by default."""
    return flags_of(
        option for option in OPTIONS if option.flags and option.name in (names or NAMED)
    )


def _reading(labels: str = "", *, classes: bool = False) -> Callable[[F], F]:
    """Make a decorator for the options of reading; which columns are labels by default is said."""
    flagged = [option for option in READING if option.flags]
    spec, *others = (option for option in flagged if classes or option.name != "classes")
    spec = replace(spec, help=f"{spec.help} By default {labels}.")
    return flags_of([spec, *others])


BESIDE = "the Mulan .xml beside the file, or MEKA's -C"
reading = _reading(BESIDE, classes=True)
reading_labels = _reading(BESIDE)
reading_known = _reading("the columns that have the names of the model's labels")
selecting = declared()


def input_data(
    path: str,
    options: dict[str, Any],
    known: Sequence[str] | None = None,
    needed: Sequence[str] | None = None,
    dates: str = "skip",
    numbers: str = "read",
) -> Any:
    """Read the data as the options say, which are taken out of `options`.

    Where they do not say which columns are labels, those of the `known` names are, if given. Other
    columns than the `needed` ones need not be read. Dates become `dates`, and numbers in words
    `numbers`, where they say nothing.
    """
    from mlfs.counting.memory import bytes_of
    from mlfs.data import Limits

    most = options.get("max_memory")
    reading = {o.argument or o.name: options.pop(o.name, None) or o.default for o in READING}
    reading["limits"] = Limits().raised(reading["limits"] or ())
    reading["dates"] = reading["dates"] or dates
    reading["numbers"] = reading["numbers"] or numbers
    words = reading["missing_values"] or ""
    reading["missing_values"] = [word.strip() for word in words.split(",") if word.strip()]
    from mlfs.datasets.fetching import place_of

    place, numeric = place_of(path), options.get("target_bins") is not None
    if options.get("cluster") is not None:
        from mlfs.api.cluster.elsewhere import elsewhere, is_elsewhere

        if is_elsewhere(place):
            return elsewhere(place, options["cluster"], numeric_targets=numeric, **reading)
    dataset = _read_as_told(
        "target_bins" in options,
        place,
        **reading,
        known=known,
        numeric_targets=numeric or options.get("estimator") == "gaussian",
        max_memory=None if most is None else bytes_of(most),
        needed=needed,
    )
    if place != path:  # it is shown by the name that was given
        dataset = dataset.with_changes(source=replace(dataset.source, path=path))
    return dataset


def with_classes(dataset: Any, options: Mapping[str, Any]) -> Any:
    """The data with numeric targets binned, where that is wanted."""
    from mlfs.data import bin_targets

    if options.get("target_bins") is not None:
        limit = options["nominal_limit"]
        dataset = bin_targets(dataset, options["target_bins"], nominal_limit=limit)
    return dataset


def _read_as_told(bins: bool, place: str, **reading: Any) -> Any:
    """Read the data; a command without `bins` for numeric targets does not advise them."""
    from mlfs.data import read
    from mlfs.data.labels.label_values import ASK_BINS, BIN_OF_ARRAYS, ONLY_CLASSES

    try:
        return read(place, **reading)
    except DataError as error:
        if not bins and error.remedy in ONLY_CLASSES:
            error.advising(ONLY_CLASSES[error.remedy])
        if not bins and error.remedy in (ASK_BINS, BIN_OF_ARRAYS):
            error.advising(f"choose other columns with {setting('labels')}")
        raise


def selection_options(options: Mapping[str, Any]) -> tuple[Criterion, dict[str, Any]]:
    """The criterion, and the values of all options; checked before the data are read."""
    from mlfs.criteria import get, typed

    settings = {name: value for name, value in options.items() if name not in READ}
    settings["dates"] = options.get("dates") or "skip"  # as the settings of the answer say
    settings["numbers"] = options.get("numbers") or "read"
    settings["parameters"] = parameters_of(settings["parameters"])
    read_panel(settings)
    settings["criterion"] = typed(settings["criterion"])
    _, criterion = get(settings["criterion"], settings["parameters"])
    if settings["start"] is not None:
        from mlfs.api.selection_json import read_document

        settings["start"] = read_document(settings["start"])
    return criterion, settings


def arguments_by_call(settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The arguments of each function that the command calls, by its name."""
    out: dict[str, dict[str, Any]] = {option.call: {} for option in OPTIONS}
    for option in OPTIONS:
        if option.name in settings:
            out[option.call][option.argument or option.name] = settings[option.name]
    return out


def is_cv(n: Any) -> bool:
    """Whether the number of features is found by cross-validation: ``cv``, or ``cv:80``."""
    return isinstance(n, str) and n.startswith("cv")


def given() -> list[str]:
    """The options that stand on the command line, also those with their default values."""
    context = click.get_current_context()
    source = click.core.ParameterSource.COMMANDLINE
    return [name for name in context.params if context.get_parameter_source(name) is source]


def parameters_of(texts: tuple[str, ...], option: str = "-p") -> dict[str, Any]:
    """The parameters that an option gives as ``key=value``, each once."""
    parameters: dict[str, Any] = {}
    for text in texts:
        key, value = pair(text, option, "key=value")
        if key in parameters:
            raise UsageError(f"the parameter {printable(key)!r} is given twice")
        parameters[key] = literal(value)
    return parameters
