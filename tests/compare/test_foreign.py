"""Selectors of scikit-learn in a comparison, and baselines that look at values or label sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, chi2, f_classif
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from mlfs.compare import run
from mlfs.compare.naive_bayes import MLNB
from mlfs.compare.named import make_estimator, named
from mlfs.compare.rankers import ranker
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.arrays import from_arrays
from mlfs.errors import CriterionError, UsageError
from tests.compare import in_process

RNG = np.random.default_rng(4)
X = RNG.integers(0, 4, (120, 7)).astype(float)
Y = np.column_stack([X[:, 2] > 1, X[:, 5] == 0]) ^ (RNG.random((120, 2)) < 0.1)
ROWS = TrainingRows(from_arrays(X, Y))
F = "sklearn.feature_selection.SelectKBest:score_func=sklearn.feature_selection.f_classif"
BEST = "sklearn.feature_selection.SelectKBest:score_func=sklearn.feature_selection.chi2"


def ranked(text: Any, n: int) -> list[int]:
    return list(ranker(named(text)).rank(ROWS, n, 0).union)


@pytest.mark.parametrize(("over", "together"), [("mean", np.mean), ("max", np.max)])
def test_a_selector_of_one_label_is_fitted_for_each(over: str, together: Any) -> None:
    each = np.array([chi2(X, y)[0] for y in Y.T])
    expected = np.lexsort((np.arange(7), -together(each, axis=0))).tolist()
    assert ranked(f"{BEST},over={over}", 7) == expected
    assert ranked(f"{BEST},over={over}", 3) == expected[:3]


def test_selectors_with_rankings_importances_and_support() -> None:
    for selector in (
        RFE(DecisionTreeClassifier(max_depth=4)),
        SelectFromModel(DecisionTreeClassifier(max_depth=4)),
        ExtraTreesClassifier(n_estimators=20),
        "sklearn.feature_selection.RFE:estimator=sklearn.tree.DecisionTreeClassifier",
        "sklearn.ensemble.ExtraTreesClassifier:n_estimators=20",
        "sklearn.feature_selection.SelectPercentile:percentile=30",
    ):
        assert set(ranked(selector, 2)) == {2, 5}, selector


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("os.getcwd", "os.getcwd is .* must be a subclass"),
        ("sklearn.feature_selection.SelectKBest(k=3)", "give the estimator itself in Python, or"),
        ("sklearn.feature_selection.SelectKBest:j=3", "refuses its parameters: .*unexpected"),
        ("sklearn.feature_selection.SelectKBest:score_func=sklearn.x", "cannot be imported"),
        ("sklearn.nothing.X:k=3", "the criterion 'sklearn.nothing.X' cannot be imported"),
        (f"{BEST},over=min", "takes over=mean or over=max"),
    ],
)
def test_what_is_no_selector_is_refused(text: str, message: str) -> None:
    with pytest.raises((UsageError, CriterionError), match=message):
        ranker(named(text))


def test_other_estimators_have_other_names_and_equal_ones_the_same() -> None:
    grids = [{"max_depth": list(range(1, n))} for n in (60, 61)]
    one, other = (GridSearchCV(DecisionTreeClassifier(), grid) for grid in grids)
    assert str(named(one)) == str(named(clone(one))) != str(named(other))
    assert str(named(SelectKBest(chi2))) == str(named(SelectKBest(chi2)))
    assert str(named(SelectKBest(chi2))) != str(named(SelectKBest(f_classif)))
    assert make_estimator(named(one)) is not one


def test_a_file_of_the_folder_has_a_tuned_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_process.use(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("tuned_here.py").write_text(
        "from sklearn.model_selection import GridSearchCV\n"
        "from mlfs.compare.naive_bayes import MLNB\n"
        "search = GridSearchCV(MLNB(), {'smoothing': [1, 50]}, cv=3, scoring='f1_micro')\n"
    )
    data = from_arrays(X, Y)
    by_path = run({"a": data}, "mim", "tuned_here.search", [2], folds=2)
    search = GridSearchCV(MLNB(), {"smoothing": [1, 50]}, cv=3, scoring="f1_micro")
    itself = run({"a": data}, ["mim"], search, [2], folds=2)
    assert not by_path.failed()
    for one, two in zip(by_path.records, itself.records, strict=True):
        assert one["metrics"] == two["metrics"]


def test_a_comparison_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    in_process.use(monkeypatch)
    data = from_arrays(X, Y)
    found = run({"a": data}, [BEST, F], "mlnb", [2], folds=2)
    assert not found.failed()
    assert {record["cell"]["criterion"] for record in found.records} == {BEST, F}
