"""PACC and PACC-LDF: skeleton, tests, further parents, inference, features, learner."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from benchmarks.papers.data import Part
from benchmarks.papers.learners import ScaledLogistic
from benchmarks.papers.pacc import LARGE, PAPER
from benchmarks.papers.run import Recipe, metrics_of
from benchmarks.papers.trials.polytrees import (
    Backward,
    Doubled,
    EarlierLabels,
    FirstStage,
    InFileOrder,
    NotEmpty,
    OneAtLeast,
    OtherTests,
    WholeData,
)
from benchmarks.papers.trials.study import Study, readings
from mlfs.models import LDF, StructuredClassifier, make
from mlfs.models.inference import BestFirst, Greedy, MaxSum
from mlfs.models.structures import Chain, OneParent, Polytree

__all__ = ["STUDIES"]

ONE_FOLD = ("bibtex", "corel5k")  # of which one fold is run
FOLDS = dict.fromkeys(("emotions", "image", "yeast", "medical", "enron"), 5)
FOLDS |= dict.fromkeys(("rcv1subset1", *ONE_FOLD), 3)
CONDITIONAL = ("emotions", "image", "yeast", "medical")  # (13); (25) on the others


def _weights(data: str) -> str:
    return "conditional" if data in CONDITIONAL else "information"


def _model(structure: Any, inference: Any, features: Any = None, C: float = 5.0) -> Any:
    return StructuredClassifier(
        structure, base_estimator=ScaledLogistic(C=C), inference=inference, features=features
    )


def _polytree(data: str, **more: Any) -> Polytree:
    return Polytree(**{"weights": _weights(data), "folds": 0.3} | more)


def _program(data: str, weights: str = "information") -> EarlierLabels:
    """The polytree of the authors' program."""
    del data
    return EarlierLabels(OtherTests("share", weights, max_parents=6, folds=1 / 3))


def _r(data: str) -> float:
    return 0.05 if data in LARGE else 0.15


def _recipes(made: dict[str, Any]) -> dict[str, Recipe]:
    def one(make: Any) -> Any:
        def make_one(data: str, train: Part) -> Any:
            del train
            return make(data)

        return make_one

    return readings({name: one(make) for name, make in made.items()})


READINGS = {
    "CC": lambda _: _model(Chain("random"), Greedy()),
    "BCC": lambda _: _model(OneParent("random"), Greedy()),
    "as the paper": lambda data: _model(_polytree(data), MaxSum()),
    "greedy": lambda data: _model(_polytree(data), Greedy()),
    "parents that come later count as 0": lambda data: _model(_polytree(data), InFileOrder()),
    "level 0.001": lambda data: _model(_polytree(data, alpha=0.001), MaxSum()),
    "chi-squared": lambda data: _model(OtherTests("pearson", _weights(data), folds=0.3), MaxSum()),
    "a fifth of the weakest edge": lambda data: _model(
        OtherTests("share", _weights(data), folds=0.3), MaxSum()
    ),
    "(25)": lambda data: _model(_polytree(data, weights="information"), MaxSum()),
    "(13), three folds": lambda data: _model(_polytree(data, folds=3), MaxSum()),
    "(13), whole data": lambda _: _model(WholeData(), MaxSum()),
    "C = 0.5": lambda data: _model(_polytree(data), MaxSum(), C=0.5),
    "C = 5e7": lambda data: _model(_polytree(data), MaxSum(), C=5e7),
    "earlier labels": lambda data: _model(EarlierLabels(_polytree(data)), Greedy()),
    "earlier labels, exact": lambda data: _model(EarlierLabels(_polytree(data)), BestFirst()),
    "program": lambda data: _model(_program(data), Greedy()),
    "program, (13)": lambda data: _model(_program(data, "conditional"), Greedy()),
}
LDF_READINGS = {
    "as the paper": lambda data: _model(_polytree(data), MaxSum(), LDF(_r(data))),
    "greedy": lambda data: _model(_polytree(data), Greedy(), LDF(_r(data))),
    "r = 0.05": lambda data: _model(_polytree(data), MaxSum(), LDF(0.05)),
    "r = 0.15": lambda data: _model(_polytree(data), MaxSum(), LDF(0.15)),
    "r = 0.3": lambda data: _model(_polytree(data), MaxSum(), LDF(0.3)),
    "first stage alone": lambda data: _model(_polytree(data), MaxSum(), FirstStage(_r(data))),
    "(21) as printed": lambda data: _model(_polytree(data), MaxSum(), Doubled(_r(data))),
    "backward": lambda data: _model(_polytree(data), MaxSum(), Backward(_r(data))),
    "all where none is left": lambda data: _model(_polytree(data), MaxSum(), NotEmpty(_r(data))),
    "at least one": lambda data: _model(_polytree(data), MaxSum(), OneAtLeast(_r(data))),
    "(20) without parents": lambda data: _model(
        _polytree(data), MaxSum(), LDF(_r(data), parents=False)
    ),
    "earlier, (20) without parents": lambda data: _model(
        _program(data), Greedy(), LDF(_r(data), parents=False)
    ),
    "earlier labels": lambda data: _model(EarlierLabels(_polytree(data)), Greedy(), LDF(_r(data))),
    "earlier, backward": lambda data: _model(_program(data), Greedy(), Backward(_r(data))),
    "earlier, backward, r = 0.15": lambda data: _model(_program(data), Greedy(), Backward(0.15)),
    "earlier, first stage": lambda data: _model(_program(data), Greedy(), FirstStage(_r(data))),
    "earlier, first stage, r = 0.15": lambda data: _model(
        _program(data), Greedy(), FirstStage(0.15)
    ),
}


def _study(name: str, method: str, made: dict[str, Any]) -> Study:
    return Study(
        name=name,
        number="004",
        title=method,
        folds=FOLDS,
        recipes=_recipes(made),
        measure=metrics_of,
        most=dict.fromkeys(FOLDS, 3) | dict.fromkeys(ONE_FOLD, 1),
        method=method,
        metrics=("exact_match", "accuracy", "macro_f1", "micro_f1"),
    )


class LongLogistic(ScaledLogistic):
    """The same with ten times the steps, so that it comes nearer to the optimum."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit, in at most 2,000 steps."""
        self.max_iter, self.tol = 2000, 1e-4
        return super().fit(X, y, sample_weight)


class EndlessLogistic(ScaledLogistic):
    """The same, until its gradient is nearly 0."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit, in at most 20,000 steps."""
        self.max_iter, self.tol = 20_000, 1e-8
        return super().fit(X, y, sample_weight)


def _br(learner: Any) -> Any:
    def made(_: str, train: Part) -> Any:
        model = make("br", base_estimator=learner).fit(train.X, train.Y)
        model.cardinality_ = train.Y.sum() / len(train.Y)
        return _Fitted(model)

    return made


class _Fitted:
    """A model that is fitted already."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, Y: Any) -> Any:
        del X, Y
        return self.model


def _bcc(seed: int) -> Any:
    return lambda *_: make("bcc", base_estimator=ScaledLogistic(), random_state=seed)


def _homer(learner: Any) -> Any:
    return lambda *_: make("homer", k=4, base_estimator=learner)


class _Together:
    """RAkEL whose members take the label sets as classes of one regression, as Weka's do."""

    def __init__(self, learner: Any, *, soft: bool = False) -> None:
        self.learner, self.soft = learner, soft

    def fit(self, X: Any, Y: np.ndarray) -> Self:
        q, draw = Y.shape[1], np.random.default_rng(0)
        self.cardinality_, self.q_, self._members = Y.sum() / len(Y), q, []
        sets = {tuple(sorted(draw.choice(q, 3, replace=False).tolist())) for _ in range(4 * q)}
        for labels in sorted(sets, key=lambda _: draw.random())[: 2 * q]:
            known, classes = np.unique(Y[:, labels], axis=0, return_inverse=True)
            learner = clone(self.learner).fit(X, classes) if len(known) > 1 else None
            self._members.append((labels, known, learner))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The shares of votes, or mean probabilities."""
        votes, asked = np.zeros((X.shape[0], self.q_)), np.zeros(self.q_)
        for labels, known, learner in self._members:
            if learner is None:
                votes[:, labels] += known[0]
            elif self.soft:
                votes[:, labels] += learner.predict_proba(X) @ known
            else:
                votes[:, labels] += known[learner.predict(X)]
            asked[list(labels)] += 1
        return votes / np.maximum(asked, 1)


def _cc(*_: Any, seed: int = 0) -> Any:
    return make("cc", base_estimator=ScaledLogistic(), random_state=seed)


def _of_rule(model: Any, method: str, test: Part) -> dict[str, float]:
    """The metrics, a label without positives among truth and predictions taken in another way."""
    found = metrics_of(model, method, test)
    predicted = np.asarray(model.predict(test.X))
    both, either = 2 * (predicted * test.Y).sum(axis=0), (predicted + test.Y).sum(axis=0)
    share = both / np.maximum(either, 1)
    if method == "0 / 0 is 1":
        found["macro_f1"] = float(np.where(either, share, 1.0).mean())
    elif method == "0 / 0 is left out":
        found["macro_f1"] = float(share[either > 0].mean())
    return found


def _small(
    name: str, method: str, made: dict[str, Any], most: dict[str, int], measure: Any, times: int = 1
) -> Study:
    return Study(
        name=f"trials-{name}",
        number="004",
        title=method,
        folds={data: 3 if data in LARGE else 5 for data in most},
        repeats=dict.fromkeys(most, times),
        recipes=readings(made),
        measure=measure,
        most=most,
        method=method,
        metrics=("exact_match", "accuracy", "macro_f1", "micro_f1"),
    )


STUDIES = [
    _study("trials-pacc", "PACC", READINGS),
    _study("trials-pacc-ldf", "PACC-LDF", LDF_READINGS),
    _small(
        "br",
        "BR",
        {
            "as the paper": _br(ScaledLogistic()),
            "2,000 steps": _br(LongLogistic()),
            "C = 500": _br(ScaledLogistic(500.0)),
            "C = 5e7": _br(ScaledLogistic(5e7)),
            "C = 5e7, 2,000 steps": _br(LongLogistic(5e7)),
            "C = 5e7, to the end": _br(EndlessLogistic(5e7)),
        },
        {"enron": 2, "rcv1subset1": 1, "bibtex": 1, "corel5k": 2},
        lambda model, _, test: PAPER.measure(model, "BR", test),
    ),
    _small(
        "homer",
        "HOMER",
        {
            "as the paper": _homer(ScaledLogistic()),
            "C = 5e7": _homer(ScaledLogistic(5e7)),
            "C = 5e7, 2,000 steps": _homer(LongLogistic(5e7)),
        },
        {"enron": 2, "medical": 2, "genbase": 5},
        metrics_of,
    ),
    _small(
        "rakel",
        "RAkEL",
        {
            "one against all others": PAPER.recipes["rakel"].make,
            "together": lambda *_: _Together(ScaledLogistic()),
            "together, C = 5e7": lambda *_: _Together(ScaledLogistic(5e7)),
            "together, probabilities": lambda *_: _Together(ScaledLogistic(), soft=True),
        },
        {"enron": 2, "languagelog": 2},
        lambda model, _, test: PAPER.measure(model, "RAkEL", test),
    ),
    _small(
        "bcc",
        "BCC",
        {f"root {seed + 1} at random": _bcc(seed) for seed in range(6)},
        {"yeast": 5},
        metrics_of,
    ),
    _small(
        "cc",
        "CC",
        {f"order {seed + 1} at random": partial(_cc, seed=seed) for seed in range(2)},
        {"birds": 40},
        metrics_of,
        times=8,
    ),
    _small(
        "macro",
        "CC",
        dict.fromkeys(("0 / 0 is 0", "0 / 0 is 1", "0 / 0 is left out"), _cc),
        {"birds": 5, "genbase": 5},
        _of_rule,
    ),
]
