"""BR and PCC on medical and tmc2007: the penalty, the scale of the columns, the test rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from benchmarks.papers import data
from benchmarks.papers.data import Part
from benchmarks.papers.learners import ScaledLogistic, TunedLogistic
from benchmarks.papers.pcc import GRID, PAPER
from benchmarks.papers.trials.study import Study, readings
from mlfs.models import make

__all__ = ["STUDIES", "TunedScaled", "rows_of_both"]

DRAWN = "tested on rows of both parts"


class TunedScaled(ScaledLogistic):
    """A logistic regression on scaled columns of the C that has the least loss in three folds."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose C, then fit on all rows."""
        folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(y[:, None], y))
        losses = []
        for C in GRID:
            total = 0.0
            for train, test in folds:
                if np.unique(y[train]).size > 1:
                    one = ScaledLogistic(C).fit(X[train], y[train])
                    share = one.predict_proba(X[test])[np.arange(test.size), y[test]]
                    total -= float(np.log(np.maximum(share, 1e-15)).sum())
            losses.append(total)
        self.C = GRID[int(np.argmin(losses))]
        return super().fit(X, y, sample_weight)


def rows_of_both(name: str) -> Part:
    """As many rows as the test part has, drawn from both parts together."""
    train, test = data.load_split(name)
    X = (sp.vstack if sp.issparse(train.X) else np.vstack)([train.X, test.X])
    both = Part(sp.csr_array(X) if sp.issparse(X) else X, np.vstack([train.Y, test.Y]))
    return both.at(np.random.default_rng(0).permutation(len(both.Y))[: len(test.Y)])


class _Drawn:
    """A model that is tested on rows of both parts."""

    def __init__(self, model: Any, name: str) -> None:
        self.model, self.name = model, name

    def fit(self, X: Any, Y: np.ndarray) -> _Drawn:
        self.model.fit(X, Y)
        return self


def _measured(model: Any, method: str, test: Part) -> dict[str, float]:
    if isinstance(model, _Drawn):
        model, test = model.model, rows_of_both(model.name)
    return PAPER.measure(model, method, test)


def _made(kind: str, learner: Any, *, drawn: bool = False) -> Any:
    def make_one(name: str, _: Part) -> Any:
        model = make(kind, base_estimator=learner())
        return _Drawn(model, name) if drawn else model

    return make_one


def _fixed(C: float) -> Any:
    return lambda: LogisticRegression(C=C, solver="liblinear", tol=0.01)


def _tuned() -> Any:
    return TunedLogistic(GRID, tol=0.01)


def _study(kind: str, method: str) -> Study:
    made = {
        "as the paper": _made(kind, _tuned),
        **{f"C = {C:g} for all labels": _made(kind, _fixed(C)) for C in (0.01, 0.1, 0.3, 1, 100)},
        "scaled columns": _made(kind, TunedScaled),
        **{
            f"scaled columns, C = {C:g}": _made(kind, lambda C=C: ScaledLogistic(C))
            for C in (0.1, 1, 10)
        },
        DRAWN: _made(kind, _fixed(1), drawn=True),
    }
    return Study(
        name=f"trials-pcc-{kind}",
        number="003",
        title=method,
        folds=dict.fromkeys(("emotions", "medical", "tmc2007-500"), 0),
        recipes=readings(made),
        measure=_measured,
        method=method,
        metrics=("subset_loss", "hamming_loss"),
    )


STUDIES = [_study("br", "BR"), _study("pcc", "PCC eps=0.0")]
