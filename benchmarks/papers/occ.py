"""Tables 3 to 6 of the paper on optimised classifier chains (Sun & Kudo)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.papers.data import Part
from benchmarks.papers.learners import liblinear_svm
from benchmarks.papers.run import Paper, Recipe, metrics_of
from mlfs.models import make

__all__ = ["PAPER", "SHARE_OF_MEMBERS", "ensemble"]

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
TUNED = ("emotions", "yeast", "birds", "enron")
LARGE = ("rcv1subset1", "bibtex", "corel5k", "delicious")
SHARE, SHARE_OF_LARGE = 0.5, 0.1
SHARE_OF_MEMBERS = 0.8  # as in the authors' program


def _single(name: str, **more: Any) -> Callable[[str, Part], Any]:
    def made(_: str, train: Part) -> Any:
        return make(name, **more).set_params(base_estimator=liblinear_svm(*train.X.shape))

    return made


def ensemble(name: str, reading: str, **more: Any) -> Callable[[str, Part], Any]:
    """An ensemble by the words of the paper, or as the authors' program has it."""

    def made(_: str, train: Part) -> Any:
        model = make(name, reading=reading, **more)
        rows, columns = train.X.shape
        learner = liblinear_svm(round(model.rows * rows), round(model.features * columns))
        return model.set_params(model__base_estimator=learner)

    return made


def _occ(data: str, train: Part) -> Any:
    if data in TUNED:
        return _Tuned(lambda part, n: _single("occ", n=n)(data, part), SHARES)
    return _single("occ", n=SHARE_OF_LARGE if data in LARGE else SHARE)(data, train)


class _Tuned:
    """oCC with the share of the features that has the best exact match on rows held out."""

    def __init__(self, made: Callable[[Part, float], Any], grid: tuple[float, ...]) -> None:
        self.made, self.grid = made, grid

    def fit(self, X: Any, Y: np.ndarray) -> _Tuned:
        order = np.random.default_rng(0).permutation(len(Y))
        cut = round(0.7 * order.size)
        train, test = Part(X, Y).at(order[:cut]), Part(X, Y).at(order[cut:])
        right = [self.made(train, n).fit(train.X, train.Y).score(test.X, test.Y) for n in self.grid]
        self.n_ = self.grid[int(np.argmax(right))]
        self.model = self.made(Part(X, Y), self.n_).fit(X, Y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.asarray(self.model.predict(X))


PROTOCOL = """
Five folds; the metrics are means over the folds. On emotions and genbase, where a single
partition says little, five partitions. Details that the paper leaves out, from the authors'
program:

- The SVM is Liblinear's L2-loss SVM, C = 1, on the features as they are, stopped by Liblinear's
  own tolerance (0.01 in the primal, 0.1 in the dual, which is taken where columns outnumber
  rows). On unscaled features that is far from the optimum: run to the end, BR on emotions has an
  exact match of 0.287 instead of 0.214 (published 0.233).
- In an ensemble a label with half of the votes is predicted, and a member sees 50 % of the rows
  and 75 % of the features (`make("ecc", reading="program")`); the paper says 75 % and 50 %. *ECC,
  text* and the like are by the paper's words, with more than half of the votes; they were run on
  the smaller sets. The published values are the same, once beside each.
- n of oCC was chosen of 0.1 to 0.9; by what, neither says. Here it is the best exact match on 30
  % of the training rows for emotions, yeast, birds and enron, 0.5 for medical and genbase, and
  0.1 for the large sets. EoCC takes 0.8, as in the program.
- The program divides its standard deviation by the root of the number of folds, so that the
  published +- may be standard errors, and two of them a narrow bound. The +- of EBCC is .001
  nearly everywhere and is not used; our own folds' is.
- kCC has no published table. Language Log is left out: the authors' copy is cut at the wrong
  column.
"""

PAPER = Paper(
    name="occ",
    number="000",
    title="Sun & Kudo, Optimization of classifier chains via conditional likelihood maximization",
    folds=dict.fromkeys(
        (
            "emotions",
            "yeast",
            "birds",
            "genbase",
            "medical",
            "enron",
            "rcv1subset1",
            "bibtex",
            "corel5k",
            "delicious",
        ),
        5,
    ),
    repeats={"emotions": 5, "genbase": 5},
    recipes={
        "br": Recipe(_single("br"), {"BR": {}}, "linear SVM"),
        "occ": Recipe(
            _occ,
            {"oCC": {}},
            f"n of {SHARES} by exact match on 30 % of the training rows where that takes minutes "
            f"({', '.join(TUNED)}), else {SHARE}, on large data {SHARE_OF_LARGE}",
        ),
        "kcc": Recipe(_single("kcc"), {"kCC": {}}, "linear SVM"),
        "cc": Recipe(_single("cc"), {"CC": {}}, "linear SVM"),
        **{
            f"{name}{'-text' * (reading == 'paper')}": Recipe(
                ensemble(name, reading, **more),
                {f"{method}{', text' * (reading == 'paper')}": {}},
                f"linear SVM{note}",
            )
            for name, method, note, more in (
                ("ecc", "ECC", "", {}),
                ("ebcc", "EBCC", "", {}),
                ("eocc", "EoCC", f", n = {SHARE_OF_MEMBERS}", {"model__n": SHARE_OF_MEMBERS}),
            )
            for reading in ("program", "paper")
        },
    },
    measure=metrics_of,
    spread="the paper's standard deviation over 5 folds",
    protocol=PROTOCOL,
)
