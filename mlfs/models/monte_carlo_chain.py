"""Monte Carlo classifier chains: the order found by random swaps, the answer by sampling.

Read, Martino & Luengo, Efficient Monte Carlo methods for multi-dimensional learning with
classifier chains (Pattern Recognition, 2014). Two parts, usable in any chain: `SwappedOrder`, a
structure, and `BestSample`, an inference; and `MonteCarloChain`, a chain with both.
"""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits

from mlfs.api.options import seed_of, threads
from mlfs.errors import UsageError, printable
from mlfs.models.base_learners import Learner, fit_learner
from mlfs.models.chain import StructuredClassifier
from mlfs.models.conditionals import FittedConditionals
from mlfs.models.inference import Greedy
from mlfs.models.inference.contract import (
    Conditionals,
    Inference,
    Labels,
    Nodes,
    best_leaves,
    log_proba_of,
    refuse_without_probabilities,
    whole,
)
from mlfs.models.inference.monte_carlo import draw_samples, row_blocks
from mlfs.models.problem import Problem, Stream, split_aside
from mlfs.models.progress_reports import report_each
from mlfs.models.storage.storable import parameters, storable
from mlfs.models.structures import StructureLearner
from mlfs.search.label_parents import Structure, from_order

TINY = 1e-9  # nats that an order must gain to be better than another
Fit = tuple[int, tuple[int, ...]]


@storable
@parameters
class SwappedOrder(StructureLearner):
    """The order of a chain by random swaps: two labels change places if the payoff rises.

    The payoff of an order is the log-likelihood of the labels, sum_n log P(y_n | x_n), under the
    chain that is trained in that order. It is the sum over the labels of what each says given its
    predecessors, so a swap fits anew only the labels from the first place to the second, and a
    label with the same set of predecessors is never fitted twice.

    Parameters
    ----------
    n_swaps : int, default=50
        How many swaps are tried, one after another.
    validation : float, optional
        The share of the rows that the payoff is measured on, kept aside in training; by default
        the training rows themselves, as in the paper.
    """

    n_swaps: int = 50
    validation: float | None = None

    def learn(self, problem: Problem) -> Structure:
        """The chain of the best order that was tried."""
        # one limit for all fits: setting it for each takes ten times as long as a small fit
        with threadpool_limits(limits=1, user_api="blas"):
            return self._search(problem)

    def _search(self, problem: Problem) -> Structure:
        n_swaps = whole(self.n_swaps, "n_swaps", 0)
        payoffs = _Payoffs(*self._split_rows(problem))
        order = problem.generator(Stream.FIRST_ORDER).permutation(problem.q).tolist()
        best = first = payoffs.payoff(order)
        draw = problem.generator(Stream.SWAPS)
        n_taken = 0
        for _ in report_each("order of labels: swaps", range(n_swaps if problem.q > 1 else 0)):
            a, b = draw.choice(problem.q, size=2, replace=False).tolist()
            candidate = list(order)
            candidate[a], candidate[b] = candidate[b], candidate[a]
            payoff = payoffs.payoff(candidate)
            if payoff > best + TINY:
                order, best, n_taken = candidate, payoff, n_taken + 1
        note = (
            f"a random order after {n_swaps} swaps of two labels, of which {n_taken} were taken: "
            f"mean log-likelihood {first:.4g} before and {best:.4g} after"
        )
        return from_order(order, problem.names, note)

    def _split_rows(self, problem: Problem) -> tuple[Problem, Problem]:
        share = self.validation
        if share is None:
            return problem, problem
        valid = isinstance(share, (float, np.floating)) and 0 < share < 1
        if not valid:
            msg = f"validation is a share of the rows between 0 and 1, not {printable(repr(share))}"
            raise UsageError(msg)
        return split_aside(problem, float(share), Stream.PAYOFF)


@storable
@parameters
class BestSample(Inference):
    """The most probable of the label vectors drawn from the model, and of the greedy one.

    All rows are sampled by the same random numbers, so that what is predicted for a row does not
    depend on the other rows.

    Parameters
    ----------
    n_samples : int, default=100
        How many vectors are drawn for each row.
    random_state : int or RandomState, default=0
        The seed; None is another one each time.

    Examples
    --------
    >>> from mlfs.models.monte_carlo_chain import BestSample
    >>> BestSample(n_samples=10)
    BestSample(n_samples=10)
    """

    n_samples: int = 100
    random_state: Any = 0

    def check(self) -> None:
        """Refuse parameters that cannot be, before anything is trained."""
        whole(self.n_samples, "n_samples")

    def predict(self, conditionals: Conditionals) -> Labels:
        """The label vector of each row, int8 of shape (n_rows, q)."""
        refuse_without_probabilities(conditionals, "Monte Carlo inference")
        n_samples = whole(self.n_samples, "n_samples")
        draw = np.random.default_rng(seed_of(self.random_state))
        uniforms = draw.random((1, n_samples, conditionals.q))
        greedy = Greedy().predict(conditionals)
        out = np.empty_like(greedy)
        for rows in row_blocks(conditionals, n_samples + 1):
            samples, _, _ = draw_samples(conditionals, rows, uniforms)
            positions = np.concatenate([samples.rows, np.arange(len(rows))])
            labels = np.concatenate([samples.labels, greedy[rows]])
            scores = log_proba_of(conditionals, rows[positions], labels)
            out[rows] = best_leaves(Nodes(conditionals.q, positions, labels, scores)).labels
        return out


@storable
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
    >>> from mlfs.models.monte_carlo_chain import MonteCarloChain
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


class _Payoffs:
    """The payoffs of orders: the mean log-likelihood of a row, label by label, kept for reuse."""

    def __init__(self, train: Problem, test: Problem) -> None:
        self.train, self.test = train, test
        self.payoffs: dict[Fit, float] = {}

    def payoff(self, order: list[int]) -> float:
        fits = [(label, tuple(sorted(order[:i]))) for i, label in enumerate(order)]
        new = [fit for fit in fits if fit not in self.payoffs]
        n_jobs = min(threads(self.train.n_jobs), len(new))
        if n_jobs > 1:
            run = joblib.Parallel(n_jobs)
            payoffs = run(joblib.delayed(_payoff)(self.train, self.test, *fit) for fit in new)
        else:
            payoffs = [_payoff(self.train, self.test, *fit) for fit in new]
        self.payoffs.update(zip(new, payoffs, strict=True))
        return float(sum(self.payoffs[fit] for fit in sorted(fits)))


def _payoff(train: Problem, test: Problem, label: int, parents: tuple[int, ...]) -> float:
    """The mean of log P(label | x, parents) over the rows in which all of them are known."""
    rows = test.observed(label, *parents)
    if not rows.size:
        return 0.0
    learner = fit_learner(train, label, parents, train.weights)
    constant = Learner(None, 0, None, ())
    learners = tuple(learner if node == label else constant for node in range(train.q))
    node_parents = tuple(parents if node == label else () for node in range(train.q))
    order = (*parents, *(node for node in range(train.q) if node not in parents))
    structure = Structure("given", train.names, order, node_parents)
    conditionals = FittedConditionals(structure, learners, train.X.shape[1]).on(test.X)
    log_probas = conditionals.log_proba(label, rows, test.Y[rows][:, list(parents)])
    logs = log_probas[np.arange(rows.size), test.Y[rows, label]]
    weights = None if test.weights is None else test.weights[rows]
    return float(np.average(logs, weights=weights))
