"""The number of features by cross-validation: the score of a model on the first features.

In every fold the columns are binned and the features selected on the training rows alone.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mlfs import criteria
from mlfs.api.given import AN_ARRAY
from mlfs.api.moved import refuse_unknown
from mlfs.api.options import PREPARING, SELECTING, Options, check_options
from mlfs.api.plan import fixed_candidates, most_picks, start_of
from mlfs.api.prepared import Prepared, prepared_of
from mlfs.api.selecting import plan_of, select_silently
from mlfs.api.selection import Selection
from mlfs.api.value_kinds import Whole
from mlfs.compare.classifiers import ComparedModel, check_classifier, classifier, of_learner
from mlfs.compare.data_sources import dense, rows_of
from mlfs.compare.named import named
from mlfs.compare.rankers import Ranked
from mlfs.compare.resampling import Folds, Split
from mlfs.compare.work import train_and_ask
from mlfs.data.dataset import Dataset, Label
from mlfs.errors import (
    Caution,
    DataError,
    MlfsError,
    UsageError,
    check_name,
    plural,
    printable,
    setting,
    tell,
)
from mlfs.metrics import METRICS, evaluate
from mlfs.metrics.top import propensities

GROWTH, COARSE = 1.4, 2.0
MANY = 2_000_000  # cells of X and labels that are trained on at once, from which fewer are tried
LONG = 20.0  # seconds, from which it is said how long it takes


@dataclass(frozen=True)
class CrossValidation:
    """The scores of a model on the first features of a ranking, and the number they chose.

    Parameters
    ----------
    sizes : ndarray of int
        The numbers of features that were tried, rising.
    scores : ndarray of float, shape (folds, sizes)
        The score of each fold on its test rows.
    number : int
        The smallest number whose mean score is within one standard error of the best mean.
    best : int
        The number with the best mean score.
    model, metric : str
        The model and the metric.
    """

    sizes: np.ndarray
    scores: np.ndarray
    number: int
    best: int
    model: str
    metric: str

    @property
    def means(self) -> np.ndarray:
        """The mean score of each size over the folds where it is defined."""
        return np.nanmean(self.scores, axis=0)

    @property
    def errors(self) -> np.ndarray:
        """The standard error of each mean."""
        return _errors(self.scores)

    @property
    def note(self) -> str:
        """The choice in a sentence."""
        mean = dict(zip(self.sizes.tolist(), self.means.tolist(), strict=True))
        error = float(self.errors[self.sizes == self.best][0])
        return (
            f"{plural(self.number, 'feature')}, the fewest with a {self.metric} of "
            f"{self.model} within one standard error of the best ({mean[self.number]:.3f}; "
            f"the best is {mean[self.best]:.3f} with {self.best}, standard error {error:.3f})"
        )


def one_standard_error(
    sizes: np.ndarray, scores: np.ndarray, *, higher_is_better: bool
) -> tuple[int, int]:
    """The smallest size within one standard error of the best mean, and the best size.

    Of equal means the smaller size is the best one.

    Examples
    --------
    >>> scores = np.array([[0.5, 0.7, 0.8], [0.5, 0.75, 0.7]])
    >>> one_standard_error(np.array([1, 2, 4]), scores, higher_is_better=True)
    (2, 4)
    """
    means = np.nanmean(scores, axis=0) * (1 if higher_is_better else -1)
    best = int(np.argmax(means))
    reached = means >= means[best] - _errors(scores)[best]
    return int(sizes[int(np.argmax(reached))]), int(sizes[best])


def _errors(scores: np.ndarray) -> np.ndarray:
    n_scores = (~np.isnan(scores)).sum(axis=0)
    spread = np.nansum((scores - np.nanmean(scores, axis=0)) ** 2, axis=0)
    return np.sqrt(spread / np.maximum(1, n_scores - 1) / np.maximum(1, n_scores))


def sizes_up_to(least: int, most: int, growth: float = GROWTH) -> np.ndarray:
    """Numbers that grow by two fifths, or by another share, from the least to the most.

    Examples
    --------
    >>> sizes_up_to(1, 30).tolist()
    [1, 2, 3, 4, 5, 7, 9, 12, 16, 22, 30]
    """
    sizes = [max(1, least)]
    while sizes[-1] < most:
        sizes.append(min(most, max(sizes[-1] + 1, int(sizes[-1] * growth))))
    return np.array(sizes)


def number_of_features(
    data: Any,
    criterion: Any = "scls",
    *,
    model: Any = "br",
    metric: str = "micro_f1",
    folds: int = 5,
    most: int | None = None,
    seed: int = 0,
    **options: Any,
) -> CrossValidation:
    """Find by cross-validation how many features a model needs.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        The data.
    criterion : str, type or Criterion
        The criterion.
    model : str or classifier
        A model by its name in `mlfs.compare.run`, or a classifier of scikit-learn's kind. It is
        trained on the first 1, 2, 3, 4, 5, 7, ... features that the training rows of a fold select.
    metric : str
        One of `mlfs.compare.METRICS`, measured on the test rows.
    folds : int
        How many folds.
    most : int, optional
        The largest number that is tried; by default all features. On large data the numbers
        between double, where they grow by two fifths otherwise.
    seed : int
        Seeds the folds and the model.
    **options
        Further options of `mlfs.select`, and those of `mlfs.prepare` where data are not prepared.

    Returns
    -------
    CrossValidation
        Its `number` is for ``mlfs.select(..., n=)``.

    Examples
    --------
    >>> import mlfs
    >>> songs = mlfs.datasets.load_songs()
    >>> found = number_of_features(songs, "jmi", model="mlnb", most=5)
    >>> found.sizes.tolist(), found.means.shape, found.errors.shape
    ([1, 2, 3, 4, 5], (5,), (5,))
    >>> len(mlfs.select(songs, "jmi", n=found.number)) == found.number
    True
    """
    Whole(least=2).read("folds", folds)
    largest = None if most is None else Whole().read("most", most)
    metric = str(metric).replace("-", "_")
    check_name(metric, "metric in {}", METRICS, option="metric")
    scored = _model_of(model, seed)
    refuse_unknown("number_of_features", options, {**SELECTING, **PREPARING})
    preparing = {name: options.pop(name) for name in PREPARING if name in options}
    prepared = prepared_of(data, preparing)
    least, largest, searching = _sizes_and_columns(prepared, criterion, options, largest)
    truth, times = indicators(replace(prepared.dataset, weights=prepared.weights))
    is_slow = truth.shape[0] * truth.shape[2] * largest > MANY
    sizes = sizes_up_to(least, largest, COARSE if is_slow else GROWTH)
    curves: list[list[float]] = []
    start = time.perf_counter()
    for split in Folds(folds).splits(truth, seed):
        train = rows_of(replace(prepared.dataset, weights=prepared.weights), split.train)
        selection = _select_in_fold(prepared, train, criterion, int(sizes[-1]), searching)
        curve = _fold_scores(selection, sizes[::-1], times, truth, split, scored, metric)
        scores_of_fold = [next(curve)]  # of all features: no other number takes longer
        if not curves:
            each = (time.perf_counter() - start) * folds
            _say_how_long(each * float(sizes.sum()) / float(sizes[-1]), folds, sizes)
        curves.append([*scores_of_fold, *curve][::-1])
    scores = np.array(curves)
    if np.isnan(scores).all(axis=0).any():
        msg = f"is {metric!r}, which is undefined on these data: take another metric"
        raise UsageError(msg, option="metric")
    better = METRICS[metric].higher_is_better
    number, best = one_standard_error(sizes, scores, higher_is_better=better)
    return CrossValidation(sizes, scores, number, best, scored.text, metric)


def _say_how_long(seconds: float, folds: int, sizes: np.ndarray) -> None:
    if seconds >= LONG:
        text = f"cross-validation takes about {seconds:.0f} s: {folds} folds of {sizes.size} "
        text += f"numbers of features up to {sizes[-1]}; most (-n cv:{sizes[-1] // 4}) tries fewer"
        tell([Caution(text)], 3)


def _sizes_and_columns(
    prepared: Prepared, criterion: Any, options: dict[str, Any], most: int | None
) -> tuple[int, int, dict[str, Any]]:
    """The least and the largest number that is tried, and the options of the search in a fold."""
    if prepared.options["cluster"] is not None:
        msg = "is given, but models are trained in this process: leave it out"
        raise UsageError(msg, option="cluster")
    if prepared.given == AN_ARRAY:
        msg = "is an array, and cross-validation selects on some of the rows: make it a column"
        raise UsageError(f"{msg} of X, and name it", option="given")
    checked = Options.with_defaults(**check_options(options))
    name, instance = criteria.get(criterion, checked.parameters)
    plan = plan_of(name, instance, prepared, checked, None)
    forced, excluded = fixed_candidates(plan, prepared, "")
    candidates = most_picks(plan, prepared.info.d, len(forced), len(excluded))
    columns = {"include": plan.forced, "exclude": [*plan.excluded, *plan.left_out]}
    if not isinstance(checked.start, (Selection, Mapping)):
        columns["start"] = start_of(plan, prepared.dataset, "")
    largest = candidates if most is None else min(most, candidates)
    return len(forced), max(len(forced), largest), {**options, **columns}


def indicators(data: Dataset) -> tuple[Dataset, list[int]]:
    """Labels that are there or not: one for each class of a label of more than two classes.

    Returns
    -------
    data : Dataset
        The data with these labels.
    times : list of int
        How many of them there are for each label.
    """
    if any(label.numbers for label in data.labels):
        name = printable(next(label.name for label in data.labels if label.numbers))
        msg = f"the target {name!r} is numeric, and models are scored on classes: give "
        raise DataError(f"{msg}{setting('target_bins', 'frequency')}, or a number of features")
    times = [1 if len(label.values) <= 2 else len(label.values) for label in data.labels]
    labels = [
        Label(label.name if n == 1 else f"{label.name}={value}")
        for label, n in zip(data.labels, times, strict=True)
        for value in (label.values if n > 1 else label.values[-1:])
    ]
    if max(times) == 1:
        return replace(data, labels=tuple(labels)), times
    codes, columns = dense(data.Y), []
    for j, n in enumerate(times):
        label_codes = codes[:, j]
        if n == 1:
            columns.append(label_codes)
            continue
        columns += [np.where(label_codes < 0, -1, label_codes == value) for value in range(n)]
    return replace(data, Y=np.stack(columns, axis=1).astype(np.int8), labels=tuple(labels)), times


class _Model(NamedTuple):
    """The model that is scored: its name, and what makes a new one on some features."""

    text: str
    make: Callable[[Any], ComparedModel]


def _model_of(model: Any, seed: int) -> _Model:
    """The model of a name, as in comparisons, or of a classifier of scikit-learn's kind."""
    if isinstance(model, str):
        name = named(model)
        check_classifier(name)
        return _Model(str(name), partial(classifier, name, seed))
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
        msg = f"is the name of a model, or a classifier, not {printable(repr(model))}"
        raise UsageError(msg, option="model")
    return _Model(printable(type(model).__name__), partial(of_learner, model))


def _select_in_fold(
    prepared: Prepared, train: Dataset, criterion: Any, most: int, options: Mapping[str, Any]
) -> Selection:
    """The selection on the training rows of a fold."""
    counting = {**prepared.options, "labels": None, "sample_weight": None}
    return select_silently(prepared_of(train, counting), criterion, most, **options)


def _fold_scores(
    selection: Selection,
    sizes: np.ndarray,
    times: list[int],
    truth: Dataset,
    split: Split,
    model: _Model,
    metric: str,
) -> Iterator[float]:
    """The score of each size in a fold; a size that adds no feature is not trained again."""
    train, test = rows_of(truth, split.train), rows_of(truth, split.test)
    selections = [selection] if selection.scope == "all labels" else [*selection.labels.values()]
    last_orders, score = None, float("nan")
    for size in sizes.tolist():
        orders = [tuple(np.array(part.indices)[part.ranks <= size].tolist()) for part in selections]
        if len(selections) > 1:
            orders = [order for order, n in zip(orders, times, strict=True) for _ in range(n)]
        if orders != last_orders:
            ranked = Ranked(tuple(orders), truth.shape[1])
            score, last_orders = _score(ranked, train, test, model, metric), orders
        yield score


def _score(ranked: Ranked, train: Dataset, test: Dataset, model: _Model, metric: str) -> float:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as that of a solver that did not converge
            answers, truth, *_ = train_and_ask(model.make, ranked, train, test)
    except MlfsError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {printable(error, 300)}"
        msg = f"is {model.text}, which fails on {len(ranked.union)} features of a fold: {why}"
        raise UsageError(msg, option="model") from error
    predicted, scores, joint, probabilities = answers
    needs = METRICS[metric].needs
    label_propensities = propensities(dense(train.Y)) if needs == "propensities" else None
    extras = {"probabilities": probabilities, "propensities": label_propensities}
    if needs != "labels" and metric not in evaluate(truth, predicted, scores, joint, **extras):
        lacking = "scores" if needs == "propensities" else needs
        msg = f"is {metric!r}, and {model.text} gives no {lacking}: take another"
        raise UsageError(msg, option="metric")
    return evaluate(truth, predicted, scores, joint, **extras, metrics=[metric])[metric]
