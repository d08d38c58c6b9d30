"""oCC and EoCC: the share of the features, how they are chosen, the order of the labels."""

from __future__ import annotations

from typing import Any

import numpy as np

import mlfs
from benchmarks.papers.data import Part
from benchmarks.papers.learners import liblinear_svm
from benchmarks.papers.occ import SHARE_OF_MEMBERS, ensemble
from benchmarks.papers.run import metrics_of
from benchmarks.papers.trials.study import Study, readings
from mlfs.models import make
from mlfs.models.features import FeaturePlan, Features, Selected
from mlfs.search.label_parents import Structure

__all__ = ["STUDIES", "ProgramFeatures"]

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
CANDIDATES = 100
MAJORITY = "more than half of the votes"


class ProgramFeatures(FeaturePlan):
    """The features of each label as the authors' program selects them.

    From 100 features on they are those of greatest information with the label; fewer are selected
    by the criterion of the paper, among the 100 of greatest information.

    Parameters
    ----------
    n : float
        The share of the features.
    """

    def __init__(self, n: float) -> None:
        self.n = n

    def after(self, problem: Any, structure: Structure, before: Features) -> Features:
        """The columns of each label."""
        d = problem.X.shape[1]
        wanted = round(self.n * d)
        if wanted < CANDIDATES:
            chosen = mlfs.FeatureSelector("mlfs_local", wanted, prefilter=min(CANDIDATES, d))
            return Selected(chosen).after(problem, structure, before)
        ready = problem.prepared()
        shared = mlfs.information.mutual_information(ready.features, ready.labels)
        ranked = np.argsort(-shared, axis=0, kind="stable")[:wanted]
        return tuple(column.astype(np.intp) for column in ranked.T)


def _occ(n: float, *, program: bool, order: str = "cheap") -> Any:
    def made(_: str, train: Part) -> Any:
        model = make("occ", n=n, order=order, base_estimator=liblinear_svm(*train.X.shape))
        if program:
            model.set_params(features=ProgramFeatures(n), n=None)
        return model

    return made


def _eocc(*, program: bool) -> Any:
    def made(data: str, train: Part) -> Any:
        model = ensemble("eocc", "program", model__n=SHARE_OF_MEMBERS)(data, train)
        if program:
            model.set_params(model__features=ProgramFeatures(SHARE_OF_MEMBERS), model__n=None)
        return model

    return made


def _ecc(rows: float, columns: float, vote: str = "half") -> Any:
    return ensemble("ecc", "paper", rows=rows, features=columns, vote=vote)


def _study(name: str, method: str, made: dict[str, Any], most: dict[str, int]) -> Study:
    return Study(
        name=f"trials-{name}",
        number="000",
        title=method,
        folds=dict.fromkeys(most, 5),
        recipes=readings(made),
        measure=metrics_of,
        most=most,
        method=method,
        metrics=("exact_match", "hamming_score", "macro_f1", "micro_f1"),
    )


BY_PAPER = {f"n = {n}": _occ(n, program=False) for n in SHARES}
BY_PROGRAM = {f"n = {n}, program": _occ(n, program=True, order="random") for n in SHARES}
ORDER = {"n = 0.1, order of the program": _occ(0.1, program=False, order="random")}

STUDIES = [
    _study(
        "occ",
        "oCC",
        BY_PAPER | ORDER | BY_PROGRAM,
        {"emotions": 5, "enron": 2, "rcv1subset1": 2, "bibtex": 2, "corel5k": 2},
    ),
    _study(
        "eocc",
        "EoCC",
        {"as the paper": _eocc(program=False), "program": _eocc(program=True)},
        {"emotions": 5, "genbase": 5, "medical": 5, "enron": 2, "rcv1subset1": 1},
    ),
    _study(
        "ecc",
        "ECC",
        {
            "rows 0.5, columns 0.75": _ecc(0.5, 0.75),
            f"rows 0.5, columns 0.75, {MAJORITY}": _ecc(0.5, 0.75, "majority"),
            "rows 0.75, columns 0.5": _ecc(0.75, 0.5),
            "rows 0.75, columns 0.75": _ecc(0.75, 0.75),
            "rows 1, columns 1": _ecc(1.0, 1.0),
        },
        {"emotions": 5, "yeast": 5, "genbase": 5, "medical": 5, "bibtex": 1},
    ),
]
