"""The options of preparing, searching and fitting, each declared once.

The command makes its flags from these declarations, the tables in the documentation are made from
them, and `check_options` reads values with them. Signatures are written out where users look for
them; a test holds that their names and defaults are those declared here. It is long because it
is a table: one entry for each option, in the order of the help.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from types import NoneType
from typing import TYPE_CHECKING, Any

from mlfs.api.value_kinds import (
    POSITIVE,
    SHARE,
    Choice,
    ClusterAddress,
    Counts,
    FeatureNumber,
    Kind,
    Name,
    Switch,
    ThreadCount,
    Whole,
)
from mlfs.binnings import BINNINGS, COUNTED, WITHOUT_LABELS
from mlfs.errors import UsageError, printable
from mlfs.formats import FORMATS

if TYPE_CHECKING:
    from mlfs.criteria import Criterion

DEFAULT_CRITERION = "scls"
SEEDS = 2**31 - 1  # below which seeds are drawn


@dataclass(frozen=True)
class Option:
    """The declaration of one option.

    Parameters
    ----------
    name : str
        The name of the argument, and of the flag's value on the command line.
    kind : Kind
        What values it takes.
    default : Any
        Its value if it is not given. None is taken wherever it is the default.
    help : str
        What it means, in a line or two.
    flags : tuple of str
        Its flags on the command line; empty for none.
    metavar : str
        What stands for the value in the help of the command.
    repeated : bool
        Whether the flag may be given several times.
    reported : bool
        Whether the value is among the settings of a `Selection`.
    fitted : str
        The name of the parameter of `FeatureSelector`; empty if it has none.
    page : str
        The page of the documentation that says more.
    call : str
        The function that takes it: ``select``, ``prepare``, or one that the command calls besides.
    argument : str
        The name of the argument of that function, where it is another one.
    narrows : bool
        Whether it keeps columns out of a search, so that whatever counts candidates has to know it.
    """

    name: str
    kind: Kind
    default: Any
    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    repeated: bool = False
    reported: bool = False
    fitted: str | None = None
    page: str = ""
    call: str = "select"
    argument: str = ""
    narrows: bool = False

    @property
    def parameter(self) -> str:
        """The name of the parameter of `FeatureSelector`; empty if it has none."""
        return self.name if self.fitted is None else self.fitted

    def read(self, value: Any, name: str = "") -> Any:
        """The checked value, or `UsageError`."""
        if value is self.default:
            return value
        return self.kind.read(name or self.name, value)


TEXT = Kind("is a text", (str,))
COLUMNS = Kind("is names, globs or numbers of columns", (str, Integral, Iterable, NoneType))
OPTIONS: tuple[Option, ...] = (
    Option(
        "criterion", Kind(), DEFAULT_CRITERION,
        "The criterion; `mlfs criteria` lists them. Or a file of your own, ./mine.py.",
        ("-c", "--criterion"), "NAME", page="criteria.md",
    ),
    Option(
        "n", FeatureNumber(), None,
        "How many features: a number, a share such as 0.1, all, auto or fdr; on the command line "
        "also cv for cross-validation (cv:80 tries 80 at most). Per label, for each label. By "
        "default what the criterion recommends, else auto, but at least one.",
        ("-n", "--number"), "N", reported=True, fitted="n_features_to_select",
        page="how-many.md",
    ),
    Option(
        "labels", Kind(), None, "Which columns of a file or frame are labels.",
        fitted="", call="prepare",
    ),
    Option(
        "feature_names", Kind("is a sequence of names", (Iterable, NoneType)), None,
        "The names of the columns of an array or a sparse matrix.", fitted="", call="prepare",
    ),
    Option(
        "label_names", Kind("is a sequence of names", (Iterable, NoneType)), None,
        "The names of the labels of an array or a sparse matrix.", fitted="", call="prepare",
    ),
    Option(
        "parameters", Kind("is a mapping from the criterion's parameters to values", (Mapping,)),
        None, "The criterion's own parameters.", ("-p", "--parameter"), "KEY=VALUE",
        repeated=True,
    ),
    Option(
        "per_label", Switch(), False, "A ranking for each label.", ("--per-label",),
        page="per-label.md",
    ),
    Option(
        "include", COLUMNS, (), "A feature, or a glob, that is picked first.", ("--include",),
        "NAME", repeated=True,
    ),
    Option(
        "exclude", COLUMNS, (), "A feature, or a glob, that is never picked.", ("--exclude",),
        "NAME", repeated=True, narrows=True,
    ),
    Option(
        "given", COLUMNS, (),
        "A column, or a glob, that is held fixed: features matter within the rows that share its "
        "value, such as a site or a batch.", ("--given",), "NAME", repeated=True,
        reported=True, page="given.md", call="prepare", narrows=True,
    ),
    Option(
        "keep_identifiers", Switch(), False,
        "Columns that name a row, such as keys and counters, may be picked.",
        ("--keep-identifiers",), reported=True, page="which-columns.md#identifiers",
        call="prepare", narrows=True,
    ),
    Option(
        "groups",
        Kind("is group names to columns, or one group name for each column", (Iterable,)),
        None, "Features that count as one, such as a one-hot encoding; on the command line also a "
        "table of columns and groups, groups.csv.", ("--group",),
        "NAME=GLOB", repeated=True, call="prepare",
    ),
    Option(
        "start", Kind("is an earlier selection, or names, globs or numbers of columns"), None,
        "An earlier selection to continue; on the command line, a file written by --format json.",
        ("--start",), "FILE", fitted="",
    ),
    Option(
        "panel", Kind(), None, "The constraints of a panel, an mlfs.Panel.", page="panels.md",
    ),
    Option(
        "at_least", Counts("is a mapping from labels to numbers of picks"), None,
        "So many picks are to tell something about a label, beyond chance.", ("--at-least",),
        "LABEL=N", repeated=True, page="panels.md", call="Panel",
    ),
    Option(
        "at_most",
        Counts("is a number, or a mapping from groups to numbers of picks", one_for_all=True),
        None, "Pick at most so many columns of each group, or of one; the columns of groups are "
        "features of their own then.", ("--at-most",), "N, GROUP=N", repeated=True,
        page="panels.md", call="Panel",
    ),
    Option(
        "cost",
        Kind("is a mapping from columns to costs, or a cost for each column", (Iterable, NoneType)),
        None, "What each column costs; on the command line, a table of columns and costs.",
        ("--cost",), "FILE", page="panels.md", call="Panel",
    ),
    Option(
        "budget", POSITIVE, None, "What all picks may cost.", ("--budget",), "COST",
        page="panels.md", call="Panel",
    ),
    Option(
        "rule", Choice(choices=("ratio", "score")), "ratio",
        "Pick by the score for each unit of cost (ratio), or by the score while the budget lasts.",
        page="panels.md", call="Panel",
    ),
    Option(
        "prefilter", Whole(), None,
        "Only the N features with most information about the labels are candidates, whatever "
        "the criterion.",
        ("--prefilter",), "N", reported=True, narrows=True,
    ),
    Option(
        "alpha", SHARE, 0.05,
        "For a number by auto or fdr, and at_least: the share of false discoveries accepted.",
        ("--alpha",), reported=True, page="how-many.md",
    ),
    Option(
        "resamples", Whole(least=20), None,
        "Say how sure each pick is: make it again on so many halves of the rows, such as 200.",
        ("--resamples",), "N", page="how-sure.md", call="certainty",
    ),
    Option(
        "permutations", Whole(least=20), None,
        "Give each pick a p-value, given the earlier picks, by at most so many permutations of the "
        "labels; for n = fdr 200.",
        ("--permutations",), "N", page="how-sure.md#p-values", call="certainty",
    ),
    Option(
        "bins", Name("binning", choices=BINNINGS),
        "mean-sd", "How numeric columns are binned.", ("--bins",), reported=True,
        page="discretisation.md", call="prepare",
    ),
    Option(
        "n_bins", Whole(least=2), None, f"How many bins, for {' and '.join(COUNTED)}.",
        reported=True, page="discretisation.md", call="prepare",
    ),
    Option(
        "nominal_limit", Whole(least=0), 10,
        "Integer columns with at most N distinct values are not binned.", ("--nominal-limit",),
        metavar="N", reported=True, page="discretisation.md", call="prepare",
    ),
    Option(
        "target_bins", TEXT, None,
        f"How numeric targets are binned: {', '.join(WITHOUT_LABELS)}, or with a number of bins as "
        "in frequency:5. Without it labels are classes.", ("--target-bins",), metavar="BINS",
        page="discretisation.md#numeric-targets", call="bin_targets", argument="how",
    ),
    Option(
        "missing", Choice(choices=("level", "error")), "level",
        "Missing values of features are a level of their own; error refuses missing values of "
        "features and labels.",
        reported=True, page="missing-and-weights.md", call="prepare",
    ),
    Option(
        "dates", Choice(choices=("skip", "parts", "keep")), "skip",
        "Dates are left out, or counted as year, month, weekday and hour (parts), or kept.",
        reported=True, page="which-columns.md#dates", call="prepare",
    ),
    Option(
        "numbers", Choice(choices=("read", "plain")), "read",
        "Columns of words that are numbers written for people (5 %, 1,234.50) are numbers, or "
        "words (plain).",
        reported=True, page="which-columns.md#numbers-written-for-people", call="prepare",
    ),
    Option(
        "estimator", Choice(choices=("counts", "gaussian")), "counts",
        "How information is estimated: from counts of levels, or from the correlations of normal "
        "scores, without binning.",
        ("--estimator",), reported=True, page="gaussian.md", call="prepare",
    ),
    Option(
        "correction", Choice(choices=("auto", "none", "expected")), "auto",
        "How information is corrected for the bias of counts: not at all, by what independent "
        "columns with the same counts give, or so only where a column of many levels makes it "
        "matter (auto).",
        ("--correction",), reported=True, page="bias.md", call="prepare",
    ),
    Option(
        "sample_weight", Kind(), None, "The weight of each row; by default those of the file.",
        fitted="", page="missing-and-weights.md", call="prepare",
    ),
    Option(
        "network", Kind(choices=("chain", "tree")), None,
        "The label network, for criteria that use one.",
        page="criteria.md#the-label-network",
    ),
    Option(
        "order", Name("order of labels", choices=("cheap", "full", "given")), "cheap",
        "How the labels of a chain are ordered.",
        page="criteria.md#the-label-network", call="label_network",
    ),
    Option(
        "k", Whole(least=0), None,
        "At most K parents of a label in a chain; by default 0.8 of the labels.",
        page="criteria.md#the-label-network",
        call="label_network",
    ),
    Option(
        "seed", Whole(least=0), 0,
        "For a number by fdr or cv, resamples and permutations: seeds the shuffles, or the folds "
        "and the model, or the halves of the rows.", ("--seed",),
        metavar="N", reported=True, fitted="random_state",
    ),
    Option(
        "n_jobs", ThreadCount(), None,
        "Threads, -1 for all processors; the result is the same. By default one.",
        ("-j", "--jobs"), metavar="N", call="prepare",
    ),
    Option(
        "cluster", ClusterAddress(), None,
        "Count on a cluster of dask.distributed, named by the address of its scheduler, such as "
        "tcp://host:8786; local:2 starts two workers on this machine. The result is the same.",
        ("--cluster",), metavar="ADDRESS", page="cluster.md", call="prepare", fitted="",
    ),
    Option(
        "max_memory", Kind(), None,
        "Limit for the memory of counting, and of a file that is read for it, such as 2GB; by "
        "default half of the available memory.", ("--max-memory",), metavar="SIZE",
        page="speed.md#memory", call="prepare",
    ),
    Option(
        "max_seconds", POSITIVE, None,
        "Stop the search after so many seconds and keep the picks so far.",
        reported=True, page="how-many.md#a-time-limit",
    ),
    Option("verbose", Kind(), False, "Report each pick, long work and all notes on stderr."),
)  # fmt: skip
READING: tuple[Option, ...] = (  # of `mlfs.read`, and of every command that reads data
    Option(
        "labels", Kind(), None,
        "Which columns are labels: a,b,c; 'lab_*'; first:6; last:6; @names.txt; or one column of "
        "lists.", ("--labels",), "SPEC", call="read",
    ),
    Option(
        "source_format", Kind(), None,
        f"The format of the data: {' '.join(FORMATS.ours)}. By default the suffix tells.",
        ("--from",), "FORMAT", call="read", argument="format",
    ),
    Option(
        "separator", Kind(), "|", "The separator between the labels in a column of lists.",
        ("--separator",), "TEXT", call="read",
    ),
    Option(
        "delimiter", Kind(), "",
        "What is between the cells of a CSV file: ';', or comma, semicolon, tab, bar, space.",
        ("--delimiter",), "CHAR", call="read",
    ),
    Option(
        "decimal", Choice(choices=(".", ",")), ".", "The decimal sign of a CSV or TSV file.",
        ("--decimal",), call="read",
    ),
    Option(
        "missing_values", Kind(), (),
        "Further words, or numbers, that stand for a missing value in a CSV or TSV file, such as "
        "unknown,-999. NA, NULL, None and those that pandas takes always do.",
        ("--missing-values",), "WORDS", call="read",
    ),
    Option(
        "dates", Choice(choices=("skip", "parts", "keep")), None,  # what the command does by itself
        "Dates are left out (skip), counted as year, month, weekday and hour (parts), or kept as "
        "they are (keep). By default left out, and kept by mlfs convert.",
        ("--dates",), call="read",
    ),
    Option(
        "numbers", Choice(choices=("read", "plain")), None,  # what the command does by itself
        "Columns of words that are numbers written for people, such as 5 % or 1,234.50, are read "
        "as numbers, or taken as words (plain), which mlfs convert does by default.",
        ("--numbers",), call="read",
    ),
    Option(
        "layer", Kind(), "", "The layer of an h5ad file that is read instead of its X.",
        call="read",
    ),
    Option(
        "encoding", Kind(), "utf-8", "The encoding of a text file.", ("--encoding",), "NAME",
        call="read",
    ),
    Option(
        "limit", Kind(), None, "Raise a limit of the readers, such as max_cells=2G.", ("--limit",),
        "NAME=NUMBER", repeated=True, call="read", argument="limits",
    ),
    Option(
        "classes", Switch(), False, "Take labels with more than two values.", ("--classes",),
        call="read",
    ),
)  # fmt: skip
FITTING = (
    Option(
        "categorical_features",
        Kind("is 'from_dtype', or names, positions or a mask of columns", COLUMNS.types),
        "from_dtype", "Columns whose numbers are categories.",
    ),
    Option("classes", Switch(), False, "Take columns of a 2-D y with more than two values."),
    Option(
        "target_bins", TEXT, None,
        "How a numeric y is binned, for regression: a binning such as frequency, or frequency:5.",
        page="discretisation.md#numeric-targets",
    ),
)  # fmt: skip
NAMED = {option.name: option for option in OPTIONS}
SELECTING, PREPARING = (
    {option.name: option.default for option in OPTIONS if option.call == call}
    for call in ("select", "prepare")
)


class Options(dict[str, Any]):
    """The values of options, checked once; a dict, with the values as attributes too.

    Parameters
    ----------
    values : mapping
        The values, which `check_options` has read.

    Examples
    --------
    >>> options = Options.with_defaults(alpha=0.1)
    >>> options.alpha, options["n"], options.but(n=3).n
    (0.1, None, 3)
    """

    @classmethod
    def with_defaults(cls, **values: Any) -> Options:
        """All options of `mlfs.select`: these, and the others as they are by default."""
        return cls({**SELECTING, **values})

    def but(self, **values: Any) -> Options:
        """Give the options with other values of some."""
        return Options({**self, **values})

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"there is no option {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"options do not change: make others by but({name}=...)")

    def __setitem__(self, name: str, value: Any) -> None:
        raise TypeError(f"options do not change: make others by but({name}=...)")

    def __reduce__(self) -> Any:
        return Options, (dict(self),)


def check_options(values: Mapping[str, Any]) -> Options:
    """Read the values of declared options; other values are left out.

    Examples
    --------
    >>> dict(check_options({"alpha": 0, "data": "x.arff"}))
    {'alpha': 0.0}
    >>> check_options({"n_bins": 1})
    Traceback (most recent call last):
    mlfs.errors.UsageError: n_bins is a whole number of at least 2, not 1
    """
    known = {name: value for name, value in values.items() if name in NAMED}
    return Options({name: NAMED[name].read(value) for name, value in known.items()})


def is_fdr(n: Any) -> bool:
    """Whether the path of picks ends where a share of false discoveries is reached."""
    return isinstance(n, str) and n == "fdr"


def is_auto(n: Any) -> bool:
    """Whether the number of features is left to the data."""
    return isinstance(n, str) and n == "auto"


def number_asked(n: Any, criterion: Criterion) -> Any:
    """The number of features to search for: "auto" where none is given.

    A criterion that recommends a number keeps it.

    Examples
    --------
    >>> from mlfs import criteria
    >>> [number_asked(None, criteria.get(name)[1]) for name in ("scls", "mlig")]
    ['auto', None]
    """
    from mlfs.criteria import Criterion  # the help of the command does without numpy

    recommends = criterion.search != "greedy" or type(criterion).size is not Criterion.size
    return "auto" if n is None and not recommends else n


def n_of(n: Any, candidates: int, features: int) -> int | None:
    """The number of features to select; None where it is not given as a number.

    Examples
    --------
    >>> n_of(0.1, 1836, 1836)
    184
    """
    if n is None or is_auto(n):
        return None
    if isinstance(n, str) and n in {"all", "fdr"}:
        return candidates
    if isinstance(n, bool) or not isinstance(n, Real):
        msg = (
            "is a number of features, a share of them in (0, 1], 'all', 'auto' or 'fdr', "
            f"not {printable(repr(n))}"
        )
        raise UsageError(msg, option="n")
    if not isinstance(n, Integral):
        if not 0 < float(n) <= 1:
            msg = f"is {printable(n)}, but a share of the features lies in (0, 1]"
            raise UsageError(msg, option="n")
        return min(candidates, max(1, math.floor(float(n) * features + 0.5)))
    if int(n) < 1:
        msg = f"is {printable(n)}: select at least one feature"
        raise UsageError(msg, option="n")
    if int(n) > candidates:
        msg = f"is {printable(n)}, but there are {candidates} features to choose from: "
        msg += f"select at most {candidates}" if candidates else "exclude fewer"
        raise UsageError(msg, option="n")
    return int(n)


def threads(n_jobs: Any) -> Any:
    """How many threads: None and negative numbers as the active joblib backend has it.

    But never more than this machine has, since a backend may stand for a whole cluster.

    Examples
    --------
    >>> import joblib
    >>> threads(3)
    3
    >>> with joblib.parallel_config("threading", n_jobs=1):
    ...     threads(None)
    1
    """
    if n_jobs is None or (isinstance(n_jobs, Integral) and n_jobs < 0):
        import joblib

        return max(1, min(joblib.effective_n_jobs(n_jobs), joblib.cpu_count()))
    return n_jobs


def seed_of(random_state: Any) -> int:
    """A seed from what scikit-learn's users call ``random_state``.

    None draws one from the state of ``numpy.random``, as in scikit-learn: another one each time.

    Examples
    --------
    >>> seed_of(7)
    7
    """
    if random_state is None:
        import numpy as np

        return int(np.random.randint(SEEDS))  # noqa: NPY002  # what numpy.random.seed seeds
    if hasattr(random_state, "randint"):
        return int(random_state.randint(SEEDS))
    if not isinstance(random_state, Integral) or int(random_state) < 0:
        shown = printable(repr(random_state))
        msg = f"is a whole number of at least 0 or a RandomState, not {shown}"
        raise UsageError(msg, option="random_state")
    return int(random_state)
