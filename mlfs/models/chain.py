"""`StructuredClassifier`: label structure, features, base learner and inference in one.

How many features a model's labels look at, by its exact match on training rows held out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mlfs.errors import UsageError, printable
from mlfs.models.conditionals import AppliedConditionals, FittedConditionals
from mlfs.models.features import feature_plan, narrowed_features
from mlfs.models.inference import (
    BestSample,
    Greedy,
    Inference,
    joint_log_proba,
    make,
    marginals,
    sample,
)
from mlfs.models.label_model import LabelModel, probabilistic
from mlfs.models.parameters import parameters
from mlfs.models.problem import MISSING, Problem, Stream, split_aside
from mlfs.models.progress_reports import stage
from mlfs.models.structures import Independent, StructureLearner, SwappedOrder, learner_for
from mlfs.search.label_parents import Structure

SHARE = 0.3


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
    train, aside = split_aside(problem, SHARE, Stream.NUMBER)
    before = feature_plan(features, numbers[0]).before(train)
    structure = learner.learn(train.on(before))
    scores = []
    for i, n in enumerate(numbers):
        with stage(f"number of features {i + 1} of {len(numbers)}"):
            columns = feature_plan(features, n).after(train, structure, before)
            fitted = FittedConditionals.fit(train.on_sorted(columns), structure)
        right = (inference.predict(fitted.on(aside.X)) == aside.Y) | (aside.Y == MISSING)
        exact, per_label = right.all(axis=1), right.mean(axis=1)
        scores.append(
            tuple(float(np.average(share, weights=aside.weights)) for share in (exact, per_label))
        )
    return numbers[scores.index(max(scores))], [exact for exact, _ in scores]


def _decides_by_function(model: Any) -> bool:
    if not (model.inference in (None, "greedy") or isinstance(model.inference, Greedy)):
        return False
    alone = model.structure is None or isinstance(model.structure, Independent)
    return alone or not probabilistic(model)


@parameters
class StructuredClassifier(LabelModel):
    """One classifier for each label, which also takes the values of the label's parents as input.

    In training the parents' true values are known, so that all labels are fitted at the same
    time; in prediction the inference finds them.

    Parameters
    ----------
    structure : learner of structures, Structure, mapping or str, optional
        The parents of each label: a learner of `mlfs.models.structures` such as
        ``KParents(k=3)`` or its name, a `Structure`, or a mapping from labels to their parents.
        By default no label has parents.
    features : str, Criterion, FeatureSelector, LDF, Selection or mapping, optional
        The columns of X that each label's classifier looks at: ``"all"`` (the default); what a
        criterion selects, given by name, or by a `FeatureSelector` with all its options; ``LDF()``
        or ``"ldf"``; or a mapping from labels to columns. Parents are always kept. Selected in
        `fit` on the training rows alone.
    n : int, float, "auto" or sequence of these, optional
        How many features a criterion selects, as in `mlfs.select`. Of several, the one with which
        the model has the best exact match on 30 % of the training rows, trained on the others.
    base_estimator : classifier, optional
        Cloned for each label; by default logistic regression with C = 5. Without `predict_proba`
        only greedy inference is possible.
    inference : Inference or str, optional
        How the labels of a row are decided together, see `mlfs.models.inference`: one of these,
        such as ``Beam(width=5)``, or its name, such as ``"beam"``; greedy by default.
    n_jobs : int, optional
        How many labels are fitted at the same time, -1 for all processors; None is 1 unless in
        a `joblib.parallel_config`. The answer does not depend on it.
    random_state : int or RandomState, default=0
        Seeds every random choice, and base learners whose own random_state is None.

    Attributes
    ----------
    n_, n_scores_ : int, float or "auto", and list of float
        The `n` that was taken of several, and the exact match of each of these.
    structure_ : Structure
        The parents of each label, the order, and what the learner measured.
    features_ : dict of str to ndarray
        The columns of X that each label's classifier looks at, in the order of picking.
    order_ : tuple of int
        The labels, parents first.
    estimators_ : list of classifier or None
        The fitted classifier of each label, its inputs the columns of `features_` in ascending
        order and then the parents; None where the label was constant in training.
    classes_ : list of ndarray
        The values of each label.
    label_names_ : tuple of str
        The names of the labels.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Labels are columns of two values. A label may be missing (NaN, None, or -1 among 0 and 1):
    the row is left out of what is learned about that label and about its children. A label that
    is constant in training is predicted as that constant.

    Examples
    --------
    >>> from mlfs.models import StructuredClassifier
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> Y = [[0, 0], [0, 1], [1, 1], [1, 1]]
    >>> model = StructuredClassifier({1: [0]}).fit(X, Y)
    >>> model.structure_.parents, model.predict([[0.0], [3.0]]).tolist()
    (((), (0,)), [[0, 0], [1, 1]])
    """

    structure: Any = None
    features: Any = None
    n: Any = None
    base_estimator: Any = None
    inference: Any = None
    n_jobs: int | None = None
    random_state: Any = 0

    _mark = "_fitted"

    def _check(self) -> None:
        several = isinstance(self.n, (list, tuple))
        feature_plan(self.features, next(iter(self.n), None) if several else self.n)
        learner_for(self.structure)
        inference = self._inference()
        if isinstance(inference, Inference):
            inference.check()

    def _learn(self, problem: Problem) -> None:
        self._fitted = FittedConditionals.fit(*self._plan(problem))

    def _plan(self, problem: Problem) -> tuple[Problem, Structure]:
        """The rows with the columns of each label, and the structure."""
        n, inference = self.n, self._inference()
        learner = learner_for(self.structure)
        if inference.needs_probabilities and not hasattr(problem.base_estimator, "predict_proba"):
            name = type(problem.base_estimator).__name__
            msg = (
                f"{type(inference).__name__} inference needs probabilities, which the base learner "
                f"{printable(name)} does not give: use greedy inference, or LogisticRegression"
            )
            raise UsageError(msg)
        if isinstance(n, (list, tuple)):
            n, self.n_scores_ = choose_number(problem, self.features, list(n), learner, inference)
            self.n_ = n
        plan = feature_plan(self.features, n)
        before = plan.before(problem)
        structure = learner.learn(problem.on(before))
        columns = plan.after(problem, structure, before)
        self.features_ = problem.named_columns(columns)
        return problem.on_sorted(columns), structure

    def used_columns(self) -> np.ndarray | None:
        """The columns of X that some label's classifier looks at."""
        return self._fitted_learners().used_columns

    def narrow(self, columns: np.ndarray) -> None:
        """Let the classifiers take rows of some columns of X."""
        super().narrow(columns)
        self._fitted = self._fitted_learners().narrowed(columns)
        self.features_ = narrowed_features(self.features_, columns)

    @property
    def structure_(self) -> Structure:
        """The structure that was learned."""
        return self._fitted_learners().structure

    @property
    def order_(self) -> tuple[int, ...]:
        """The labels, parents first."""
        return self._fitted_learners().structure.order

    @property
    def estimators_(self) -> list[Any]:
        """The fitted classifier of each label; None where it was constant in training."""
        return [learner.estimator for learner in self._fitted_learners().learners]

    def conditionals(self, X: Any) -> AppliedConditionals:
        """The probabilities of the fitted classifiers on rows, for `mlfs.models.inference`."""
        return self._apply(X)

    def predict(self, X: Any) -> np.ndarray:
        """The label vector of each row, by the inference of the model.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n, d)
            The rows.

        Returns
        -------
        ndarray, shape (n, q)
            0 and 1 for each label; shape (n,), of the values of y, where that had one dimension.
        """
        return self._decode(self._inference().predict(self._apply(X)))

    @available_if(probabilistic)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """P(label = its second value | x) of every label, whatever the others are.

        The marginals of the joint distribution: see `mlfs.models.inference.marginals` for where
        they are exact.

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        return self._shares(np.asarray(marginals(self._apply(X))))

    @available_if(_decides_by_function)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision of each label's classifier, positive for the second value.

        There where it decides alone: with greedy inference and classifiers without probabilities,
        whose inputs include what was predicted of the parents; or where no label has parents.
        (Elsewhere the decision about a label is part of one about all: see `predict_proba`.)

        Returns
        -------
        ndarray of float64, shape (n, q)
        """
        conditionals = self._apply(X)
        predicted = Greedy().predict(conditionals)
        out = np.empty(predicted.shape)
        for label, parents in enumerate(conditionals.structure.parents):
            out[:, label] = conditionals.decision(label, slice(None), predicted[:, list(parents)])
        return self._decisions(out)

    @available_if(probabilistic)  # type: ignore[untyped-decorator]
    def joint_log_proba(self, X: Any, Y: Any) -> np.ndarray:
        """Log P(Y | x) of one label vector for each row; minus its sum is the CLL-loss.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n, d)
            The rows.
        Y : array, sparse matrix or frame, shape (n, q)
            A label vector for each.

        Returns
        -------
        ndarray of float64, shape (n,)
        """
        conditionals = self._apply(X)
        codes = self._labels.codes(Y, conditionals.n_rows)
        if (codes == MISSING).any():
            msg = "Y has missing labels: the probability of a label vector needs all of them"
            raise UsageError(msg)
        return np.asarray(joint_log_proba(conditionals, codes))

    @available_if(probabilistic)  # type: ignore[untyped-decorator]
    def sample(self, X: Any, n: int = 1, seed: int = 0) -> np.ndarray:
        """Draw label vectors from P(Y | x).

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n_rows, d)
            The rows.
        n : int
            How many vectors for each row.
        seed : int
            Seeds the draws.

        Returns
        -------
        ndarray, shape (n, n_rows, q)
        """
        drawn = np.asarray(sample(self._apply(X), seed, n))
        flat = self._decode(drawn.reshape(-1, drawn.shape[-1]))
        return flat.reshape(drawn.shape)

    def _fitted_learners(self) -> FittedConditionals:
        fitted = self.__dict__.get("_fitted")
        if fitted is None:
            msg = f"this {type(self).__name__} is not fitted: call fit(X, Y) first"
            raise AttributeError(msg)
        return fitted

    def _apply(self, X: Any) -> AppliedConditionals:
        check_is_fitted(self)
        return self._fitted_learners().on(self._rows(X))

    def _inference(self) -> Any:
        inference = Greedy() if self.inference is None else self.inference
        if isinstance(inference, str):
            return make(inference)
        usable = isinstance(inference, Inference) or callable(getattr(inference, "predict", None))
        if usable and not isinstance(inference, type):
            return inference
        msg = (
            "inference is one of mlfs.models.inference, such as BestFirst(), or its name, not "
            f"{printable(repr(inference))}"
        )
        raise UsageError(msg)

    @property
    def _poor_score(self) -> bool:
        return probabilistic(self) and not _decides_by_function(self)


class MonteCarloChain(StructuredClassifier):
    """A classifier chain with a searched order that answers with its best sample (MCC).

    Parameters
    ----------
    features, n : optional
        The columns of each label, as for `StructuredClassifier`.
    base_estimator : classifier, optional
        With ``predict_proba``; by default logistic regression with C = 5.
    n_swaps : int, default=50
        How many swaps of two labels the order is searched with; 0 keeps the random one.
    validation : float, optional
        The share of rows on which orders are compared; by default the training rows, as in the
        paper.
    n_samples : int, default=100
        How many label vectors are drawn for each row in `predict`.
    n_jobs : int, optional
        How many labels are fitted at the same time; the answer does not depend on it.
    random_state : int or RandomState, default=0
        Seeds the first order, the swaps and the samples.

    Attributes
    ----------
    structure_, order_, features_, estimators_, classes_, label_names_
        As for `StructuredClassifier`.

    Examples
    --------
    >>> from mlfs.models.chain import MonteCarloChain
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> Y = [[0, 0], [0, 1], [1, 1], [1, 1]]
    >>> model = MonteCarloChain(n_swaps=3).fit(X, Y)
    >>> sorted(model.order_), model.predict([[0.0], [3.0]]).tolist()
    ([0, 1], [[0, 0], [1, 1]])
    """

    def __init__(
        self,
        features: Any = None,
        n: Any = None,
        base_estimator: Any = None,
        n_swaps: int = 50,
        validation: float | None = None,
        n_samples: int = 100,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.features = features
        self.n = n
        self.base_estimator = base_estimator
        self.n_swaps = n_swaps
        self.validation = validation
        self.n_samples = n_samples
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def structure(self) -> SwappedOrder:
        """How the order is searched."""
        return SwappedOrder(self.n_swaps, self.validation)

    @property
    def inference(self) -> BestSample:
        """How a row is answered."""
        return BestSample(self.n_samples, self.__dict__.get("_seed", 0))

    def _begin(self, X: Any, Y: Any, sample_weight: Any = None) -> Problem:
        problem = super()._begin(X, Y, sample_weight)
        self._seed = problem.seed
        return problem
