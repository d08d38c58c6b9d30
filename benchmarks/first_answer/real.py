"""The first answer on real data: ``python -m benchmarks.first_answer.real`` (MLFS_SHARED_DATA).

Columns are selected inside each training fold; two models are trained on them, and on all columns.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import mlfs

SETS = {
    "emotions": "emotions/emotions.arff", "chd_49": "chd_49/CHD_49.arff",
    "water-quality": "water-quality/Water-quality.arff", "flags": "flags/flags.arff",
    "yeast": "yeast/yeast.arff", "birds": "birds/birds-train.arff",
    "image": "image/Image-train.arff", "medical": "medical/medical.arff",
    "enron": "enron/enron.arff", "genbase": "genbase/genbase.arff",
    "languagelog": "languagelog/langlog.arff", "corel5k": "corel5k/Corel5k-sparse.arff",
}  # fmt: skip
FOLDS, MOST_LABELS, FEWEST_ROWS = 3, 25, 6


def load(path: Path) -> tuple[Any, np.ndarray]:
    """Read a set: at most so many labels, drawn by a seed, each in enough rows."""
    data = mlfs.read(path)
    X = data.X if sp.issparse(data.X) else np.nan_to_num(np.asarray(data.X, float))
    Y = np.asarray(data.Y.todense() if sp.issparse(data.Y) else data.Y).astype(int)
    enough = np.flatnonzero(
        (Y.sum(axis=0) >= FEWEST_ROWS) & (Y.sum(axis=0) <= len(Y) - FEWEST_ROWS)
    )
    drawn = np.random.default_rng(0).permutation(enough)[:MOST_LABELS]
    return X, Y[:, np.sort(drawn)]


def quality(X: Any, Y: np.ndarray, columns: Any, train: Any, test: Any) -> list[float]:
    """Mean AUC and F1 over labels, of logistic regression and of a forest."""
    models = (
        make_pipeline(MaxAbsScaler(), LogisticRegression(solver="liblinear")),
        RandomForestClassifier(100, random_state=0),
    )
    out = []
    for model in models:
        auc, f1 = [], []
        for y in Y.T:
            if min(y[train].sum(), y[test].sum()) and max(y[train].mean(), y[test].mean()) < 1:
                model.fit(X[train][:, columns], y[train])
                chance = model.predict_proba(X[test][:, columns])[:, 1]
                auc.append(roc_auc_score(y[test], chance))
                f1.append(f1_score(y[test], chance > 0.5))
        out += [float(np.mean(auc)), float(np.mean(f1))]
    return out


def main() -> int:
    """Print a row for each set."""
    folder = Path(os.environ.get("MLFS_SHARED_DATA", ""))
    print("| set | columns | picks | AUC | F1 | AUC, forest | F1, forest | all columns: the same |")
    print("|---|---:|---:|---:|---:|---:|---:|---|")
    for name, file in SETS.items():
        if not (folder / file).exists():
            print(f"{name} is skipped: no {file} in MLFS_SHARED_DATA", file=sys.stderr)
            continue
        X, Y = load(folder / file)
        fold = np.random.default_rng(1).permutation(len(Y)) % FOLDS
        rows, sizes = [], []
        for k in range(FOLDS):
            train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                picks = list(mlfs.select((X[train], Y[train])).indices)
            sizes.append(len(picks))
            every = np.arange(X.shape[1])
            rows.append([quality(X, Y, columns, train, test) for columns in (picks, every)])
        ours, all_of_them = (" | ".join(f"{v:.3f}" for v in r) for r in np.mean(rows, axis=0))
        whole = all_of_them.replace(" | ", ", ")
        print(f"| {name} | {X.shape[1]} | {np.mean(sizes):.0f} | {ours} | {whole} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
