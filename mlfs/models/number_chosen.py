"""How many features a model's labels look at, by its exact match on training rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlfs.errors import UsageError
from mlfs.models.conditionals import FittedConditionals
from mlfs.models.features import feature_plan
from mlfs.models.inference import Inference
from mlfs.models.problem import MISSING, Problem
from mlfs.models.progress_reports import stage
from mlfs.models.splits import split_aside
from mlfs.models.structures import StructureLearner

__all__ = ["choose_number"]

SHARE = 0.3
STREAM = 34  # of the random numbers of a problem


def choose_number(
    problem: Problem,
    features: Any,
    numbers: Sequence[Any],
    learner: StructureLearner,
    inference: Inference,
) -> tuple[Any, list[float]]:
    """Choose one of some numbers of features; and the exact match of each.

    The model is trained with each of them on 70 % of the rows, and the one that predicts most of
    the other rows without a mistake is taken; of equals the one that predicts most labels, and of
    these the first.

    Parameters
    ----------
    problem : Problem
        The training rows.
    features : str, Criterion or class
        The criterion that selects.
    numbers : sequence of int, float or "auto"
        What to choose from.
    learner, inference
        The other parts of the model.
    """
    if not numbers:
        raise UsageError("n is empty: give one number of features, or several to choose from")
    train, aside = split_aside(problem, SHARE, STREAM)
    before = feature_plan(features, numbers[0]).before(train)
    structure = learner.learn(train.on(before))
    scores = []
    for i, n in enumerate(numbers):
        with stage(f"number of features {i + 1} of {len(numbers)}"):
            columns = feature_plan(features, n).after(train, structure, before)
            sorted_columns = tuple(
                None if label_columns is None else np.sort(label_columns)
                for label_columns in columns
            )
            fitted = FittedConditionals.fit(train.on(sorted_columns), structure)
        right = (inference.predict(fitted.on(aside.X)) == aside.Y) | (aside.Y == MISSING)
        exact, per_label = right.all(axis=1), right.mean(axis=1)
        scores.append(
            tuple(float(np.average(share, weights=aside.weights)) for share in (exact, per_label))
        )
    return numbers[scores.index(max(scores))], [exact for exact, _ in scores]
