"""Score a model on the first features of a ranking, for ``n="cv"`` of a selection.

In every fold the columns are binned and the features selected on the training rows alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mlfs.api.cross_validated import CrossValidation, one_standard_error
from mlfs.api.prepared import DEFAULTS, Prepared, prepare
from mlfs.api.selecting import select_silently
from mlfs.api.selection import Selection
from mlfs.compare.classifiers import ComparedModel, check_classifier, classifier, of_learner
from mlfs.compare.data_sources import dense, rows_of
from mlfs.compare.named import named
from mlfs.compare.rankers import Ranked
from mlfs.compare.resampling import Folds, Split
from mlfs.compare.work import train_and_ask
from mlfs.data.dataset import Dataset, Label
from mlfs.errors import DataError, MlfsError, UsageError, check_name, printable, setting
from mlfs.metrics import METRICS, evaluate
from mlfs.metrics.top import propensities

GROWTH = 1.4
NOT_OF_FOLDS = {
    *DEFAULTS,
    "criterion",
    "n",
    "seed",
    "cv_model",
    "cv_metric",
    "cv_folds",
    "resamples",
    "permutations",
}


def sizes_up_to(least: int, most: int) -> np.ndarray:
    """Numbers that grow by two fifths, from the least to the most.

    Examples
    --------
    >>> sizes_up_to(1, 30).tolist()
    [1, 2, 3, 4, 5, 7, 9, 12, 16, 22, 30]
    """
    sizes = [max(1, least)]
    while sizes[-1] < most:
        sizes.append(min(most, max(sizes[-1] + 1, int(sizes[-1] * GROWTH))))
    return np.array(sizes)


def score_sizes(
    prepared: Prepared, criterion: Any, options: Mapping[str, Any], least: int, most: int
) -> CrossValidation:
    """Select in every fold, train on the first features, and choose how many are enough.

    Parameters
    ----------
    prepared : Prepared
        The data.
    criterion : str, type or Criterion
        The criterion.
    options : mapping
        The options of the selection; `cv_model`, `cv_metric` and `cv_folds` are used here.
    least, most : int
        The smallest and the largest number of features that is tried.
    """
    if options["max_seconds"] is not None:
        msg = "limits one search, and cross-validation makes one for each fold: leave it out, or "
        raise UsageError(
            f"{msg}try fewer features, as in {setting('n', 'cv:80')}", option="max_seconds"
        )
    metric = str(options["cv_metric"]).replace("-", "_")
    check_name(metric, "metric in {}", METRICS, option="cv_metric")
    model = _model_of(options["cv_model"], options["seed"])
    data = replace(prepared.dataset, weights=prepared.weights)
    truth, times = indicators(data)
    sizes = sizes_up_to(least, most)
    splits = Folds(options["cv_folds"]).splits(truth, options["seed"])
    curves = []
    for split in splits:
        selection = _select_in_fold(
            prepared, rows_of(data, split.train), criterion, int(sizes[-1]), options
        )
        curves.append([*_fold_scores(selection, sizes, times, truth, split, model, metric)])
    scores = np.array(curves)
    if np.isnan(scores).all(axis=0).any():
        msg = f"is {metric!r}, which is undefined on these data: take another metric"
        raise UsageError(msg, option="cv_metric")
    better = METRICS[metric].higher_is_better
    number, best = one_standard_error(sizes, scores, higher_is_better=better)
    return CrossValidation(sizes, scores, number, best, model.text, metric)


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
        raise UsageError(msg, option="cv_model")
    return _Model(printable(type(model).__name__), partial(of_learner, model))


def _select_in_fold(
    prepared: Prepared, train: Dataset, criterion: Any, most: int, options: Mapping[str, Any]
) -> Selection:
    """The selection on the training rows of a fold."""
    counting = {**prepared.options, "labels": None, "sample_weight": None}
    counting |= {"target_bins": None, "labels_as": "each"}  # these made the labels of the rows
    searching = {name: value for name, value in options.items() if name not in NOT_OF_FOLDS}
    n = "all" if options["drop_constant"] else most  # more may be constant in the fold
    return select_silently(prepare(train, **counting), criterion, n, **searching)


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
        raise UsageError(msg, option="cv_model") from error
    predicted, scores, joint, probabilities = answers
    needs = METRICS[metric].needs
    label_propensities = propensities(dense(train.Y)) if needs == "propensities" else None
    extras = {"probabilities": probabilities, "propensities": label_propensities}
    if needs != "labels" and metric not in evaluate(truth, predicted, scores, joint, **extras):
        lacking = "scores" if needs == "propensities" else needs
        msg = f"is {metric!r}, and {model.text} gives no {lacking}: take another"
        raise UsageError(msg, option="cv_metric")
    return evaluate(truth, predicted, scores, joint, **extras, metrics=[metric])[metric]
