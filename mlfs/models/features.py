"""Which columns of X each label's classifier looks at; selected inside `fit`.

A plan has two moments: `before` the structure is learned, and `after`. Label-dependent features
use both (the structure is learned on the features of the first stage, the second knows the
parents); all others use the second, where criteria that want the parents find them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from mlfs import criteria
from mlfs.api.candidates import columns_named
from mlfs.api.column_selector import categorical_names
from mlfs.api.options import PREPARING, Options, seed_of
from mlfs.api.plan import Plan, search
from mlfs.api.selecting import select_silently
from mlfs.api.selection import Selection
from mlfs.api.selector import FeatureSelector
from mlfs.criteria import Criterion
from mlfs.errors import UnknownName, UsageError, printable
from mlfs.information.for_search import with_parents
from mlfs.models.parameters import parameters
from mlfs.models.problem import Problem
from mlfs.models.progress_reports import is_heard, report, report_each
from mlfs.search.greedy import best_first
from mlfs.search.label_parents import Structure

Features = tuple[np.ndarray | None, ...]
NAMED = ("all", "ldf", "llsf")  # names of plans; other names are criteria


class FeaturePlan(BaseEstimator):  # type: ignore[misc]  # sklearn has no types
    """How the columns of each label are found; this one takes all of them."""

    def before(self, problem: Problem) -> Features:
        """The columns of each label on which the structure is learned; None is all of them."""
        return (None,) * problem.q

    def after(self, problem: Problem, structure: Structure, before: Features) -> Features:
        """The columns of each label on which its classifier is trained, in order of picking."""
        del problem, structure
        return before


class AllFeatures(FeaturePlan):
    """Every label looks at all columns."""


@parameters
class Columns(FeaturePlan):
    """The columns that the user names for each label; a label without a list looks at all.

    Parameters
    ----------
    of : mapping from label to columns
        Names or positions of labels to names, globs or positions of columns.

    Examples
    --------
    >>> problem = Problem(np.eye(3), np.eye(3, dtype=np.int8), ("a", "b", "c"))
    >>> plan = Columns({"b": ["x2", 0]})
    >>> plan.after(problem, None, plan.before(problem))
    (None, array([2, 0]), None)
    """

    of: Mapping[Any, Any]

    def after(self, problem: Problem, structure: Any, before: Features) -> Features:
        """The columns that were named."""
        del structure
        result = list(before)
        for label, columns in self.of.items():
            name = printable(label)
            indices = columns_named(columns, problem.feature_names, f"the features of {name!r}")
            result[_label_number(label, problem.names)] = np.array(indices, dtype=np.intp)
        return tuple(result)


@parameters
class Selected(FeaturePlan):
    """The features that a `FeatureSelector` selects, for all labels together or for each.

    Parameters
    ----------
    selector : FeatureSelector
        A criterion that wants the parents of the labels gets those of the structure, unless the
        selector has a network of its own.
    """

    selector: FeatureSelector

    def after(self, problem: Problem, structure: Structure, before: Features) -> Features:
        """The columns that were selected."""
        del before
        options = self.selector.get_params(deep=False)
        n = options.pop("n_features_to_select")
        options.pop("classes")
        options.pop("target_bins")
        options.pop("verbose")
        seed = seed_of(options.pop("random_state"))
        counting = {name: options.pop(name) for name in PREPARING if name in options}
        categorical = options.pop("categorical_features")
        nominal = categorical_names(categorical, problem.X, problem.feature_names)
        prepared = problem.prepared(nominal or (), **counting)
        _, criterion = criteria.get(options["criterion"], options["parameters"])
        if criterion.network is not False and options["network"] is None:
            options["network"] = structure
        options["seed"] = seed
        options["on_pick"] = _Picks(problem.q) if is_heard() else None
        selection = select_silently(prepared, options.pop("criterion"), n, **options)
        return _columns_of(selection, problem)


class _Picks:
    """Reports the labels whose features are selected; of a selection for all labels, the picks."""

    def __init__(self, q: int) -> None:
        self.q, self.begun, self.label = q, 0, ""

    def __call__(self, label: str, pick: Any) -> None:
        del pick
        if not label:
            self.begun += 1
            report(f"features: pick {self.begun}")
        elif label != self.label:
            self.label = label
            report("features of label", self.begun, self.q)
            self.begun += 1


@parameters
class LDF(FeaturePlan):
    """Label-dependent features in two stages (Sun, Kudo & Kimura).

    MLIG keeps the share alpha in [r, 3r] of the columns that share most information with
    each label; the structure is learned on these; MLCFS then picks among them, seeded with the
    parents.

    Parameters
    ----------
    r : float, default=0.15
        The least share that MLIG keeps; the paper takes 0.15, and 0.05 for large data sets.
    parents : bool, default=True
        Whether MLCFS counts the parents of a label among the members of its set, as in the paper.
        A strong parent may then leave a label without a feature. The authors' program does not
        count them, and its labels keep more features.
    """

    r: float = 0.15
    parents: bool = True

    def before(self, problem: Problem) -> Features:
        """The columns that MLIG selects for each label."""
        _, mlig = criteria.get("mlig", {"r": self.r})
        plan = Plan("mlig", mlig, Options.with_defaults())
        prepared = problem.prepared()
        paths = [
            search(plan, ([], []), prepared.info.for_label(label), name)
            for label, name in report_each("features", list(enumerate(problem.names)))
        ]
        return tuple(_picks_of(path) for path in paths)

    def after(self, problem: Problem, structure: Structure, before: Features) -> Features:
        """The columns that MLCFS selects of those."""
        _, mlcfs = criteria.get("mlcfs")
        members = structure.parents if self.parents else ((),) * problem.q
        info = with_parents(problem.prepared().info, members)
        paths = [
            best_first(mlcfs, info.for_label(label).only(np.sort(columns)), name="mlcfs")
            for label, columns in report_each(
                "features beside the parents", list(enumerate(before))
            )
            if columns is not None
        ]
        return tuple(_picks_of(path) for path in paths)


def feature_plan(features: Any, n: Any = None) -> FeaturePlan:
    """The plan for the value of ``features=``.

    Parameters
    ----------
    features : None, str, Criterion, FeatureSelector, Selection, mapping or FeaturePlan
        ``None`` or ``"all"``; the name of a criterion, or one's own; ``"ldf"``; ``"llsf"``; a
        selector; a selection made before; columns for each label.
    n : int, float or "auto", optional
        How many features the criterion is to select, as in `mlfs.select`.

    Examples
    --------
    >>> feature_plan("mlfs_local", 0.3).selector
    FeatureSelector(criterion='mlfs_local', n_features_to_select=0.3)
    >>> feature_plan("ldf")
    LDF()
    """
    if isinstance(n, (list, tuple)):
        msg = f"n is one number of features here, not the {len(n)} of {printable(repr(n))}"
        raise UsageError(msg)
    by_name = isinstance(features, str) and features not in NAMED
    if by_name:
        check_criterion(features)
    is_class = isinstance(features, type) and issubclass(features, Criterion)
    if by_name or is_class or isinstance(features, Criterion):
        return Selected(FeatureSelector(features, n))
    if n is not None:
        msg = (
            f"n = {printable(n)} says how many features a criterion selects, but features is "
            f"{printable(repr(features))}: name a criterion, or leave n out"
        )
        raise UsageError(msg)
    if features in (None, "all"):
        return AllFeatures()
    if features == "ldf":
        return LDF()
    if features == "llsf":
        from mlfs.models.baselines.llsf import LLSFFeatures

        return LLSFFeatures()
    if isinstance(features, FeaturePlan):
        return clone(features)
    if isinstance(features, FeatureSelector):
        return Selected(clone(features))
    if isinstance(features, Selection):
        return _Made(features)
    if isinstance(features, Mapping):
        return Columns(features)
    msg = (
        "features is 'all', 'ldf', 'llsf', the name of a criterion, a FeatureSelector, LDF(...), "
        f"or a mapping from labels to columns, not {printable(repr(features))}"
    )
    raise UsageError(msg)


@parameters
class _Made(FeaturePlan):
    """A selection that was made before."""

    selection: Selection

    def after(self, problem: Problem, structure: Structure, before: Features) -> Features:
        del structure, before
        return _columns_of(self.selection, problem)


def check_criterion(name: str) -> None:
    """Refuse the name of what is no criterion."""
    try:
        criteria.get(name)
    except UnknownName:
        known = [*NAMED, *criteria.available()]
        raise UnknownName("criterion in {}", name, known, option="features") from None


def _columns_of(selection: Selection, problem: Problem) -> Features:
    """The columns of each label in a selection."""
    names = problem.feature_names
    if not selection.labels:
        indices = columns_named(selection.names, names, "features")
        return (np.array(indices, dtype=np.intp),) * problem.q
    columns = Columns({label: ranking.names for label, ranking in selection.labels.items()})
    return columns.after(problem, None, columns.before(problem))


def narrowed_features(
    features: Mapping[str, np.ndarray], columns: np.ndarray
) -> dict[str, np.ndarray]:
    """The columns of each label by their positions among some columns of X, in the same order.

    Examples
    --------
    >>> narrowed_features({"a": np.array([7, 2])}, np.array([2, 5, 7]))
    {'a': array([2, 0])}
    """
    return {
        label: np.searchsorted(columns, picked[np.isin(picked, columns)])
        for label, picked in features.items()
    }


def _label_number(label: Any, names: tuple[str, ...]) -> int:
    if label in names:
        return names.index(label)
    integer = isinstance(label, (int, np.integer)) and not isinstance(label, bool)
    if integer and 0 <= label < len(names):
        return int(label)
    raise UnknownName("label in features", str(label), names)


def _picks_of(path: Any) -> np.ndarray:
    if path.interrupted:
        raise KeyboardInterrupt
    return path.picks.columns.astype(np.intp)
