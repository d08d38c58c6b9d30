"""How long our chains take beside scikit-learn's: ``python -m benchmarks.papers.speed``."""

from __future__ import annotations

import json
import sys
import time
import warnings
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.multioutput import ClassifierChain

from benchmarks import machine
from benchmarks.clock import best_of
from benchmarks.files import SkipCase
from benchmarks.papers import data
from benchmarks.papers.learners import liblinear_svm
from benchmarks.papers.run import RESULTS
from mlfs.models import make
from mlfs.models.inference import BestFirst

__all__ = ["main"]

FILE = RESULTS / "speed.json"
ROWS = 0.8  # of the rows are for training


def main() -> int:
    """Measure all of it, and store it."""
    found: dict[str, Any] = {}
    for name, work in (
        ("chains on emotions", lambda: _chains("emotions", budget=2.0)),
        ("chains on medical", lambda: _chains("medical", budget=2.0)),
        ("chains on bibtex", lambda: _chains("bibtex", budget=1.0)),
        ("pcc on yeast", _pcc),
        ("occ on bibtex", _occ),
    ):
        try:
            found[name] = work()
        except SkipCase as why:
            found[name] = {"skipped": str(why)}
        sys.stdout.write(f"{name}: {json.dumps(found[name])}\n")
        sys.stdout.flush()
        document = {
            "command": "python -m benchmarks.papers.speed",
            "date": datetime.now(UTC).date().isoformat(),
            "machine": machine.line(machine.describe()),
            "seconds": found,
        }
        RESULTS.mkdir(exist_ok=True)
        FILE.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def _chains(name: str, budget: float) -> dict[str, float]:
    """Train and predict with the same learner, columns and order."""
    train, test = _halves(name)
    learner = liblinear_svm(*train.X.shape)
    order = list(range(train.Y.shape[1]))
    models = {
        "ClassifierChain": ClassifierChain(learner, order=order),
        "cc": make("cc", base_estimator=learner, order="given"),
        "kcc": make("kcc", base_estimator=learner),
        "occ": make("occ", base_estimator=learner),
    }
    measured: dict[str, float] = {}
    for key, model in models.items():
        fit = best_of(lambda _, model=model: model.fit(train.X, train.Y), budget=budget, least=2)
        predict = best_of(lambda _, model=model: model.predict(test.X), budget=1.0)
        measured[f"{key} fit"] = round(fit["seconds"], 3)
        measured[f"{key} predict"] = round(predict["seconds"], 4)
    return measured


def _halves(name: str) -> tuple[data.Part, data.Part]:
    whole = data.load(name)
    order = np.random.default_rng(0).permutation(len(whole.Y))
    cut = round(ROWS * order.size)
    train, test = whole.at(order[:cut]), whole.at(order[cut:])
    # scikit-learn's refuses a label that is constant in training
    kept = np.ptp(train.Y, axis=0) > 0
    return data.Part(train.X, train.Y[:, kept]), data.Part(test.X, test.Y[:, kept])


def _pcc() -> dict[str, float]:
    """Predict the 917 test rows."""
    train, test = data.load_split("yeast")
    model = make("pcc").fit(train.X, train.Y)
    measured: dict[str, float] = {"rows": len(test.Y)}
    for epsilon in (0.0, 0.25, 0.5):
        model.set_params(inference=BestFirst(epsilon=epsilon))
        run = best_of(lambda _: model.predict(test.X), budget=2.0)
        measured[f"eps={epsilon}"] = round(run["seconds"], 4)
    return measured


def _occ() -> dict[str, float]:
    """Order, parents, features and classifiers on all rows, on two threads."""
    whole = data.load("bibtex")
    start = time.perf_counter()
    model = make("occ", n_jobs=2).fit(whole.X, whole.Y)
    fitted = time.perf_counter()
    model.predict(whole.X)
    return {
        "fit": round(fitted - start, 1),
        "predict": round(time.perf_counter() - fitted, 2),
        "rows": len(whole.Y),
    }


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.exit(main())
