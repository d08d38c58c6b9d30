"""MC on emotions: the trees, the steps of EM and of the annealing, the rows kept aside."""

from __future__ import annotations

from typing import Any

from sklearn.linear_model import LogisticRegression

from benchmarks.papers.data import Part
from benchmarks.papers.mixture import PAPER
from benchmarks.papers.trials.study import Study, readings
from mlfs.models import make
from mlfs.models.switching import Switching

__all__ = ["STUDIES"]


def _made(**more: Any) -> Any:
    def make_one(name: str, train: Part) -> Any:
        del name, train
        return make("mc", **more)

    return make_one


READINGS = {
    "as the paper": _made(),
    "2 trees": _made(n_trees=2),
    "5 trees": _made(n_trees=5),
    "5 trees, 1 step of EM": _made(n_trees=5, max_iter=1),
    "5 trees, 100 steps of EM": _made(n_trees=5, max_iter=100, tol=1e-6),
    "5 trees, best of their modes": _made(n_trees=5, n_steps=0),
    "5 trees, C = 1": _made(n_trees=5, base_estimator=Switching(LogisticRegression(max_iter=500))),
    "5 trees, C = 0.1": _made(
        n_trees=5, base_estimator=Switching(LogisticRegression(C=0.1, max_iter=500))
    ),
    "5 trees, one regression": _made(n_trees=5, base_estimator=LogisticRegression(max_iter=500)),
}

STUDIES = [
    Study(
        name="trials-mc",
        number="002",
        title="MC",
        folds={"emotions": 10},
        recipes=readings(READINGS),
        measure=lambda model, _, test: PAPER.measure(model, "MC", test),
        most={"emotions": 5},
        method="MC",
        metrics=("exact_match", "cll_loss", "micro_f1", "macro_f1"),
    )
]
