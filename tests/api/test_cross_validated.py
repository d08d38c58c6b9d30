"""The number of features by cross-validation, against folds that are written out here."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import GaussianNB

import mlfs
import mlfs.compare
from mlfs import FeatureSelector, MlfsError, UsageError, cli
from mlfs.compare.resampling import Folds
from mlfs.errors import DataError
from mlfs.metrics import evaluate
from tests.documents import ROOT

SONGS = ROOT / "docs" / "examples" / "songs.arff"


def problem(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 120)
    X = rng.normal(size=(120, 7))
    X[:, 4] += y
    X[:, 2] -= y
    return X, np.eye(3, dtype=int)[y]


@pytest.mark.parametrize("metric", ["micro_f1", "ranking_loss"])
def test_scores_and_number_are_those_of_folds_one_by_one(metric: str) -> None:
    X, Y = problem()
    chosen = mlfs.select((X, Y), "jmi", "cv", cv_folds=3, cv_metric=metric, seed=4)
    found = chosen.cross_validation
    assert found is not None
    wanted = np.empty((3, 7))
    splits = Folds(3).splits(mlfs.data.from_arrays(X, Y), 4)
    for row, split in zip(wanted, splits, strict=True):
        for n in range(1, 8):
            kept = FeatureSelector("jmi", n).fit(X[split.train], Y[split.train]).get_support(True)
            model = mlfs.models.make("br").fit(X[split.train][:, kept], Y[split.train])
            tested = X[split.test][:, kept]
            answers = model.predict(tested), model.predict_proba(tested)
            row[n - 1] = evaluate(Y[split.test], *answers, metrics=[metric])[metric]
    assert found.sizes.tolist() == [1, 2, 3, 4, 5, 7]
    np.testing.assert_allclose(found.scores, wanted[:, found.sizes - 1], atol=1e-12)
    means, sign = wanted.mean(axis=0), -1 if metric == "ranking_loss" else 1
    best = max(found.sizes, key=lambda n: sign * means[n - 1])
    error = wanted[:, best - 1].std(ddof=1) / np.sqrt(3)
    near = [n for n in found.sizes if sign * (means[n - 1] - means[best - 1]) >= -error]
    assert (found.best, found.number) == (best, min(near))
    assert chosen.indices == mlfs.select((X, Y), "jmi", found.number).indices


@pytest.mark.parametrize("form", [np.array, sp.csr_array])
@pytest.mark.filterwarnings("ignore")
def test_folds_in_which_nothing_is_selected_are_refused(form: Any) -> None:
    X, Y = form(np.zeros((8, 2))), np.arange(8) % 2
    with pytest.raises(DataError, match="no feature is selected on the training rows"):
        mlfs.select((X, Y), "scls", "cv", cv_folds=2)
    found = mlfs.compare.run(mlfs.data.from_arrays(X, Y), "scls", "mlnb", 1, folds=2)
    assert all("no feature is selected" in record["note"] for record in found.records)


def test_the_transformer_takes_classes_and_any_classifier() -> None:
    X, Y = problem()
    y = np.array(["a", "b", "c"])[Y.argmax(axis=1)]
    selector = FeatureSelector("jmi", "cv:4", cv_model=GaussianNB()).fit(X, y)
    found = selector.selection_.cross_validation
    assert {2, 4} <= {*selector.indices_}
    assert selector.n_features_ == found.number <= 4
    assert found.sizes.max() == 4
    assert found.model == "GaussianNB"


def test_groups_and_included_columns_count_as_in_a_selection() -> None:
    X, Y = problem()
    options: dict[str, Any] = {"groups": {"both": [2, 4]}, "include": [0], "exclude": [6]}
    found = mlfs.select((X, Y), "mrmr", "cv", cv_folds=2, **options)
    assert found.cross_validation is not None
    assert found.cross_validation.sizes.tolist() == [1, 2, 3, 4, 5]  # 0 and four others
    assert found.indices[:3] == (0, 2, 4)


def test_columns_are_binned_and_selected_without_the_test_rows() -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 2, (60, 300)), rng.integers(0, 2, (60, 2))
    found = mlfs.select((X, Y), "mim", "cv:20", cv_metric="hamming_score").cross_validation
    assert found is not None
    assert found.means.max() < 0.65  # of all rows, the best of 300 noise columns would look good


def test_a_key_takes_no_part_unless_it_is_included() -> None:
    X, Y = problem()
    frame = pd.DataFrame(X).add_prefix("x").assign(key=[f"row {i}" for i in range(len(X))])
    found = mlfs.select((frame, Y), "mim", "cv:3")
    assert "key" not in found.names
    assert found.indices == mlfs.select((X, Y), "mim", "cv:3").indices
    assert any("left out column with another value in every row" in note for note in found.notes)
    assert "key" in mlfs.select((frame, Y), "mim", "cv:3", include="key").names


def test_the_command_reports_the_curve(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["-n", "cv:6", "--cv-folds", "2", "--cv-metric", "macro-f1", "--format", "json"]
    assert cli.main(["select", "-c", "mrmr", *arguments, str(SONGS)]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    curve = document["cross_validation"]
    assert [one["n"] for one in curve["sizes"]] == [1, 2, 3, 4, 5, 6]
    assert len(document["selected"]) == curve["number"]
    assert document["settings"]["n"] == "cv:6"
    assert "within one standard error" in printed.err


@pytest.mark.parametrize(
    ("n", "options", "message"),
    [
        ("cv:none", {}, "as in cv:80"),
        (3, {"cv_folds": 3}, "cv_folds is only used for a number of features by cross-validation"),
        ("cv", {"max_seconds": 1}, "max_seconds limits one search"),
        ("cv", {"cv_model": GaussianNB}, "cv_model is the name of a model, or a classifier, not"),
        ("cv", {"cv_model": "nothing"}, "unknown model 'nothing'"),
        ("cv", {"cv_metric": "nothing"}, "unknown metric in cv_metric 'nothing'"),
        ("cv", {"cv_metric": "cll_loss", "cv_model": "mlknn"}, "mlknn gives no joint"),
    ],
)
def test_what_cannot_be_done_is_refused(n: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(MlfsError, match=message):
        mlfs.select(problem(), "mim", n, **options)


def test_a_model_that_fails_is_named() -> None:
    class Broken(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise ZeroDivisionError("no luck")

    with pytest.raises(UsageError, match=r"cv_model is Broken, which fails .* no luck"):
        mlfs.select(problem(), "mim", "cv:2", cv_model=Broken())


def test_a_single_label_is_cross_validated_with_both_of_its_values_in_every_fold() -> None:
    X, Y = problem()
    found = mlfs.select((X, Y[:, :1]), "jmi", "cv", cv_folds=4).cross_validation
    assert found is not None
    assert found.scores.shape[0] == 4
    data = mlfs.data.from_arrays(X, Y[:, :1])
    shares = [Y[split.test, 0].sum() for split in Folds(4).splits(data, 0)]
    assert max(shares) - min(shares) <= 1


def test_a_missing_label_is_no_value_where_no_label_is_0() -> None:
    """Alone beside 1, what is missing (-1) would be taken as no."""
    X, Y = problem()
    y = np.where(Y[:, :1] == 1, 1.0, np.nan)
    Y = np.hstack([y, y])
    found = mlfs.select((X, Y), "mim", "cv", cv_folds=3, cv_metric="micro_f1").cross_validation
    assert found is not None
    assert found.scores.min() == 1.0  # each known label is 1
    with pytest.raises(MlfsError, match="every label is missing in every row"):
        mlfs.select((X, np.full((120, 2), np.nan)), "mim", "cv", cv_folds=3)
