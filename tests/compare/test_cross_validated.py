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
from mlfs.compare import cross_validated, number_of_features
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
    found = number_of_features((X, Y), "jmi", folds=3, metric=metric, seed=4)
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


@pytest.mark.parametrize("form", [np.array, sp.csr_array])
@pytest.mark.filterwarnings("ignore")
def test_folds_in_which_nothing_is_selected_are_refused(form: Any) -> None:
    X, Y = form(np.zeros((8, 2))), np.arange(8) % 2
    with pytest.raises(DataError, match="no feature is selected on the training rows"):
        number_of_features((X, Y), "scls", folds=2)
    found = mlfs.compare.run(mlfs.data.from_arrays(X, Y), "scls", "mlnb", 1, folds=2)
    assert all("no feature is selected" in record["note"] for record in found.records)


def test_classes_and_any_classifier_are_taken() -> None:
    X, Y = problem()
    y = np.array(["a", "b", "c"])[Y.argmax(axis=1)]
    found = number_of_features((X, y), "jmi", model=GaussianNB(), most=4)
    assert 2 <= found.number <= 4
    assert found.sizes.max() == 4
    assert found.model == "GaussianNB"


def test_groups_and_included_columns_count_as_in_a_selection() -> None:
    X, Y = problem()
    options: dict[str, Any] = {"groups": {"both": [2, 4]}, "include": [0], "exclude": [6]}
    found = number_of_features((X, Y), "mrmr", folds=2, **options)
    assert found.sizes.tolist() == [1, 2, 3, 4, 5]  # 0 and four others
    groups = options.pop("groups")
    ready = mlfs.prepare((X, Y), groups=groups)
    again = number_of_features(ready, "mrmr", folds=2, **options)
    np.testing.assert_array_equal(again.scores, found.scores)


def test_columns_are_binned_and_selected_without_the_test_rows() -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 2, (60, 300)), rng.integers(0, 2, (60, 2))
    found = number_of_features((X, Y), "mim", most=20, metric="hamming_score")
    assert found.means.max() < 0.65  # of all rows, the best of 300 noise columns would look good


def test_a_key_takes_no_part_unless_it_is_included() -> None:
    X, Y = problem()
    frame = pd.DataFrame(X).add_prefix("x").assign(key=[f"row {i}" for i in range(len(X))])
    found = number_of_features((frame, Y), "mim", most=3)
    np.testing.assert_array_equal(found.scores, number_of_features((X, Y), "mim", most=3).scores)
    assert number_of_features((frame, Y), "mim").sizes[-1] == 7
    assert number_of_features((frame, Y), "mim", include="key").sizes[-1] == 8


def test_the_command_reports_the_curve(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["-n", "cv:6", "--format", "json"]
    assert cli.main(["select", "-c", "mrmr", *arguments, str(SONGS)]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    found = number_of_features(SONGS, "mrmr", most=6)
    assert found.sizes.tolist() == [1, 2, 3, 4, 5, 6]
    assert document["settings"]["n"] == len(document["selected"]) == found.number
    assert found.note in printed.err
    assert "within one standard error" in found.note


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-n", "cv:none"], "as in cv:80"),
    ],
)
def test_the_command_refuses_what_it_would_not_use(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["select", *arguments, str(SONGS)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"most": 0}, "most is a whole number of at least 1"),
        ({"folds": 1}, "folds is a whole number of at least 2"),
        ({"model": GaussianNB}, "model is the name of a model, or a classifier, not"),
        ({"model": np.eye(2)}, "model is the name of a model, or a classifier, not"),
        ({"model": "nothing"}, "unknown model 'nothing'"),
        ({"metric": "nothing"}, "unknown metric in metric 'nothing'"),
        ({"metric": "cll_loss", "model": "mlknn"}, "mlknn gives no joint"),
        ({"given": np.arange(120) % 2}, "given is an array, and cross-validation selects on some"),
    ],
)
def test_what_cannot_be_done_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MlfsError, match=message):
        number_of_features(problem(), "mim", **options)


@pytest.mark.parametrize("n", ["cv", "cv:80"])
def test_select_says_where_it_is(n: str) -> None:
    with pytest.raises(UsageError, match="number_of_features finds the number"):
        mlfs.select(problem(), "mim", n)
    with pytest.raises(UsageError, match=r"^n_features_to_select is 'cv"):
        FeatureSelector("mim", n).fit(*problem())


def test_a_model_that_fails_is_named() -> None:
    class Broken(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise ZeroDivisionError("no luck")

    with pytest.raises(UsageError, match=r"model is Broken, which fails .* no luck"):
        number_of_features(problem(), "mim", most=2, model=Broken())


def test_a_single_label_is_cross_validated_with_both_of_its_values_in_every_fold() -> None:
    X, Y = problem()
    found = number_of_features((X, Y[:, :1]), "jmi", folds=4)
    assert found.scores.shape[0] == 4
    data = mlfs.data.from_arrays(X, Y[:, :1])
    shares = [Y[split.test, 0].sum() for split in Folds(4).splits(data, 0)]
    assert max(shares) - min(shares) <= 1


def test_a_missing_label_is_no_value_where_no_label_is_0() -> None:
    """Alone beside 1, what is missing (-1) would be taken as no."""
    X, Y = problem()
    y = np.where(Y[:, :1] == 1, 1.0, np.nan)
    Y = np.hstack([y, y])
    found = number_of_features((X, Y), "mim", folds=3)
    assert found.scores.min() == 1.0  # each known label is 1
    with pytest.raises(MlfsError, match="every label is missing in every row"):
        number_of_features((X, np.full((120, 2), np.nan)), "mim", folds=3)


def test_the_time_is_said_before_it_is_spent_and_large_data_have_fewer_numbers(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    data = X, (X[:, :2] + rng.normal(size=(60, 2)) > 0).astype(int)
    fine = number_of_features(data, "mim", model="mlnb", folds=2)
    assert fine.sizes.tolist() == [1, 2, 3, 4, 5, 7, 9, 12]
    monkeypatch.setattr(cross_validated, "LONG", 0.0)
    with pytest.warns(mlfs.MlfsWarning, match=r"takes about \d+ s: 2 folds of 8 numbers .* to 12"):
        again = number_of_features(data, "mim", model="mlnb", folds=2)
    assert again.scores.tolist() == fine.scores.tolist()
    monkeypatch.setattr(cross_validated, "MANY", 1000)
    with pytest.warns(mlfs.MlfsWarning, match="2 folds of 5 numbers"):
        coarse = number_of_features(data, "mim", model="mlnb", folds=2)
    assert coarse.sizes.tolist() == [1, 2, 4, 8, 12]
