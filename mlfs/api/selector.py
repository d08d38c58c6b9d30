"""The scikit-learn interface: `FeatureSelector`, a transformer on `mlfs.select`."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from mlfs.api.as_dataset import AsGiven
from mlfs.api.column_selector import (
    ColumnSelector,
    PickReport,
    categorical_names,
    refuse_no_columns,
    refuse_reading,
)
from mlfs.api.moved import refuse_unknown
from mlfs.api.options import (
    FITTING,
    OPTIONS,
    PREPARING,
    SELECTING,
    check_options,
    seed_of,
    threads,
)
from mlfs.api.panels import Panel
from mlfs.api.prepared import Prepared, prepared_of
from mlfs.api.selecting import select_silently
from mlfs.api.selection import Selection
from mlfs.api.value_kinds import Bins, Correction, Dates, Estimator, Missing, Numbers
from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Dataset
from mlfs.data.frames import as_frame
from mlfs.discretize.targets import bin_targets
from mlfs.errors import DataError, Interrupted, MlfsError, UsageError, printable, tell

PARAMETERS = {
    option.name: option.parameter
    for option in OPTIONS
    if option.parameter and option.name in {**SELECTING, **PREPARING}
}


def _knowing_n(kind: type[Any]) -> type[Any]:
    """Refuse what `mlfs.select` calls the number of features, and earlier parameters."""
    init = kind.__init__
    signature = inspect.signature(init).parameters

    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **named: Any) -> None:  # noqa: N807
        refuse_unknown("FeatureSelector", named.keys() - {"n"}, signature)
        if "n" in named:
            value = printable(repr(named["n"]))
            msg = f"FeatureSelector takes n_features_to_select={value}, as scikit-learn has it"
            raise TypeError(f"{msg}, and not n={value}")
        init(self, *args, **named)

    kind.__init__ = __init__
    return kind


@_knowing_n
@dataclass(eq=False, repr=False)
class FeatureSelector(ColumnSelector):
    """Select the features that matter for all labels together, or for each label.

    The answer is that of `mlfs.select` and of the command ``mlfs select``, bit for bit.

    Parameters
    ----------
    criterion : str, type or Criterion, default="scls"
        The name of a criterion (``mlfs criteria`` lists them), or one's own.
    n_features_to_select : int, float, "all", "auto" or "fdr", optional
        How many (``n`` of `mlfs.select`): a number, a share of the features in (0, 1], ``"all"``,
        ``"auto"`` (see `mlfs.search.stopping`), or ``"fdr"`` (see `mlfs.search.path_tests`). By
        default the criterion's own opinion if it has one, else as with ``"auto"``, but at least
        one. Per label,
        the number is for each label.
    per_label : bool, default=False
        Give every label its own subset; what is kept then is their union.
    parameters : dict, optional
        The parameters of the criterion, such as ``{"beta": 0.5}``.
    include, exclude : sequence of str or int, default=()
        Columns that are picked first, in this order, and count towards the number; columns that
        never are. By name, glob or position in X.
    given : str, int, sequence of them, or array, default=()
        Columns that are held fixed: all information is that within the rows that share their
        values. An array has a value for each row instead; a list names columns.
    keep_identifiers : bool, default=False
        Let columns that name a row be picked, such as keys.
    groups : mapping or sequence, optional
        Columns that count as one feature, such as a one-hot block: group name to columns, or one
        group name (or None) for each column.
    panel : Panel, optional
        What the picks have to tell, and what they may cost.
    prefilter : int, optional
        Only so many features with most information about the labels, sum_l I(f;l), are
        candidates, whatever the criterion.
    bins : str, default="mean-sd"
        How numeric columns are binned, see `mlfs.discretize.learn`.
    n_bins : int, optional
        How many bins, for "width" and "frequency".
    nominal_limit : int, default=10
        A numeric column of at most so many distinct values, all integers, is not binned.
    target_bins : str, optional
        How a numeric y is binned, for regression: a binning that does not look at the labels, such
        as "frequency", or "frequency:5" with a number of bins. Without it y holds classes.
    missing : {"level", "error"}, default="level"
        A missing value in X is a level of its own, or is refused.
    estimator : {"counts", "gaussian"}, default="counts"
        How information is estimated: from counts of levels, or as that of a Gaussian copula,
        from the correlations of normal scores, for which nothing is binned.
    correction : {"auto", "none", "expected"}, default="auto"
        How information is corrected for the bias of counts: not at all, or by its expectation for
        independent columns of the same counts.
    categorical_features : "from_dtype" or sequence of str, int or bool, default="from_dtype"
        Columns of numbers that are categories, by name, position or mask, besides those that
        their dtype says to be (booleans, strings, categories).
    classes : bool, default=False
        Take the columns of a 2-D y with more than two values as classes instead of refusing
        them. A 1-D y may always hold classes.
    network : {"chain", "tree"}, Structure or mapping, optional
        The parents of the labels, for criteria that want them.
    alpha : float, default=0.05
        For "auto", "fdr" and what a panel has at least: false discoveries that are accepted.
    n_jobs : int, optional
        Threads, -1 for all processors; None is 1 unless in a `joblib.parallel_config`. The
        answer does not depend on it.
    max_memory : int or str, optional
        What counting may take beside the data, such as "2GB"; by default half of what is there.
    max_seconds : float, optional
        The search ends after so many seconds with the picks made so far, and a warning.
    random_state : int or RandomState, default=0
        Seeds (as ``seed`` of `mlfs.select` does) the shuffles of "auto" and the permutations of
        "fdr", the only chance there is; None is another seed each time.
    verbose : bool or int, default=False
        Tell of each pick and of all notes on stderr.

    Attributes
    ----------
    indices_ : ndarray of int
        The selected columns of X, in the order of picking.
    scores_ : ndarray of float
        The score of each pick when it was made, in the same order.
    score_terms_ : dict of str to ndarray
        Its parts, in the same order: score = relevance + label_correlation - redundancy.
    margins_ : ndarray of float
        What each pick was ahead of its runner-up by; NaN without one.
    ties_ : tuple of tuple of int
        For each pick, the columns that were as good: the lowest column wins.
    ranking_ : ndarray of int, shape (n_features_in_,)
        For each column of X its place in the order of picking, from 1; columns that were not
        selected share the place after the last. (RFE has 1 for all that is selected.)
    support_ : ndarray of bool, shape (n_features_in_,)
        Which columns of X are selected.
    label_indices_ : dict of str to ndarray
        For each label its columns in the order of picking. Without subsets per label, each
        label has all of `indices_`.
    n_features_ : int
        How many features are selected.
    n_features_in_ : int
        How many columns X had.
    feature_names_in_ : ndarray of str
        Their names, where X is a frame with names.
    binnings_ : tuple of Binning
        What was decided for each column of X (dates, which cannot be features, left out).
    network_ : Structure or None
        The parents of labels that the criterion used.
    notes_ : tuple of str
        What a user should know: constant features, missing values, ... Columns that are left
        out, constant labels, and rows whose names differ in X and y are warned about too.
    selection_ : Selection
        The whole answer of `mlfs.select`; ``selection_.to_dict()`` is the command's JSON.

    Notes
    -----
    `transform`, `get_support` and `get_feature_names_out` keep the columns in the order of X.
    Ctrl-C keeps the picks so far and then ends the program as usual.

    Examples
    --------
    >>> from mlfs import FeatureSelector
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> selector = FeatureSelector("scls", n_features_to_select=2).fit(X, Y)
    >>> selector.indices_.tolist(), selector.scores_.round(6).tolist()
    ([0, 1], [0.693147, 0.693147])
    >>> selector.transform(X).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """

    criterion: Any = "scls"
    n_features_to_select: float | str | None = None
    _: KW_ONLY
    per_label: bool = False
    parameters: Mapping[str, Any] | None = None
    include: Any = ()
    exclude: Any = ()
    given: Any = ()
    keep_identifiers: bool = False
    groups: Any = None
    panel: Panel | None = None
    prefilter: int | None = None
    bins: Bins = "mean-sd"
    n_bins: int | None = None
    nominal_limit: int = 10
    target_bins: str | None = None
    missing: Missing = "level"
    dates: Dates = "skip"
    numbers: Numbers = "read"
    estimator: Estimator = "counts"
    correction: Correction = "auto"
    categorical_features: Any = "from_dtype"
    classes: bool = False
    network: Any = None
    alpha: float = 0.05
    n_jobs: int | None = None
    max_memory: int | str | None = None
    max_seconds: float | None = None
    random_state: Any = 0
    verbose: bool | int = False

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn which features to keep.

        Parameters
        ----------
        X : array, sparse matrix, frame, or Prepared, shape (N, d)
            Dense, CSR or CSC, or a pandas or polars frame or a pyarrow table with numbers,
            booleans, categories, strings and missing values. What `mlfs.prepare` returned is used
            as it is; the options of counting are then those it was made with.
        y : array, sparse matrix, frame, or list of label sets
            One column (binary or classes), or one column of 0 and 1 for each label; left out
            with a Prepared.
        sample_weight : array of shape (N,), optional
            How much each row counts: an integer weight equals repetition.

        Returns
        -------
        FeatureSelector
            Itself.
        """
        try:
            return self._fit(X, y, sample_weight)
        except MlfsError as error:
            error.naming(PARAMETERS)
            raise

    def _arguments(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[AsGiven | Prepared, dict[str, Any]]:
        """The data, and the arguments of `mlfs.select`."""
        options = {name: getattr(self, parameter) for name, parameter in PARAMETERS.items()}
        options["seed"] = seed_of(self.random_state)
        check_options(options)
        for option in FITTING:
            option.read(getattr(self, option.name))
        data = self._read(X, y, sample_weight)
        options["include"] = () if self.include is None else self.include
        options["exclude"] = () if self.exclude is None else self.exclude
        if isinstance(data, Prepared):
            options["sample_weight"] = sample_weight
            own = {name: options.pop(name) for name in PREPARING if name in options}
            data = prepared_of(data, own)
        else:
            options |= {"sample_weight": sample_weight, "n_jobs": threads(self.n_jobs)}
        options["on_pick"] = PickReport(self.groups, data.dataset) if self.verbose else None
        return data, options

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        data, options = self._arguments(X, y, sample_weight)
        try:
            selection = select_silently(data, **options)
        except Interrupted as stop:
            if len(stop.selection):
                self._keep(stop.selection, data.dataset)
            raise
        self._keep(selection, data.dataset)
        return self

    @property
    def ties_(self) -> tuple[tuple[int, ...], ...]:
        """The columns that tie with each pick."""
        check_is_fitted(self)
        return self.selection_.ties

    def _read(self, X: Any, y: Any, sample_weight: Any) -> AsGiven | Prepared:
        """The data of `fit`."""
        if isinstance(X, Prepared):
            self._take_prepared(X, y)
            return X
        if y is None:
            msg = (
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None: give the labels of each row"
            )
            raise DataError(msg)
        X, y = as_frame(X), as_frame(y)
        refuse_no_columns(X)
        data = from_arrays(
            X,
            y,
            classes=self.classes,
            categorical=categorical_names(self.categorical_features, X),
            numeric_targets=self.target_bins is not None or self.estimator == "gaussian",
            dates=self.dates,
            numbers=self.numbers,
        )
        if self.target_bins is not None:
            limit, weights = self.nominal_limit, sample_weight
            data = bin_targets(data, self.target_bins, nominal_limit=limit, weights=weights)
        validate_data(self, X, skip_check_array=True)
        return AsGiven(data)

    def _take_prepared(self, prepared: Prepared, y: Any) -> None:
        if y is not None:
            msg = "y is given beside a Prepared, which knows its labels: leave y out"
            raise UsageError(msg)
        refuse_reading(self.classes, self.categorical_features)
        self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = prepared.dataset.n_given
        if prepared.columns is not None:
            self.feature_names_in_ = np.array(prepared.columns, dtype=object)

    def _keep(self, selection: Selection, data: Dataset) -> None:
        """Store the answer under the names that scikit-learn's users know."""
        self.selection_ = selection
        self.indices_ = np.array(selection.indices, dtype=np.intp)
        self.scores_ = selection.scores
        self.score_terms_ = selection.terms
        self.margins_ = selection.margins
        ranks, d = selection.ranks, self.n_features_in_
        self.ranking_ = np.full(d, ranks.max(initial=0) + 1, dtype=np.intp)
        np.minimum.at(self.ranking_, self.indices_, ranks)
        self.support_ = np.zeros(d, dtype=bool)
        self.support_[self.indices_] = True
        self.n_features_ = int(self.support_.sum())
        if selection.labels:
            self.label_indices_ = {
                name: np.array(ranking.indices, dtype=np.intp)
                for name, ranking in selection.labels.items()
            }
        else:
            self.label_indices_ = {name: self.indices_.copy() for name in data.label_names}
        self.binnings_ = selection.binnings
        self.network_ = selection.network
        self.notes_ = selection.notes
        tell(selection.notes, stacklevel=4)
        if self.verbose:
            for note in selection.notes:
                sys.stderr.write(f"[FeatureSelector] {note}\n")
