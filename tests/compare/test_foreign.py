"""Selectors of scikit-learn in a comparison, and baselines that look at values or label sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_selection import chi2

from mlfs.compare import run
from mlfs.compare.named import make_from_text, named
from mlfs.compare.rankers import ranker
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.arrays import from_arrays
from mlfs.errors import UsageError
from tests.compare import in_process

RNG = np.random.default_rng(4)
X = RNG.integers(0, 4, (120, 7)).astype(float)
Y = np.column_stack([X[:, 2] > 1, X[:, 5] == 0]) ^ (RNG.random((120, 2)) < 0.1)
ROWS = TrainingRows(from_arrays(X, Y))
F = "sklearn.feature_selection.SelectKBest(score_func=sklearn.feature_selection.f_classif)"
BEST = "sklearn.feature_selection.SelectKBest(score_func=sklearn.feature_selection.chi2)"


def ranked(text: str, n: int) -> list[int]:
    return list(ranker(named(text)).rank(ROWS, n, 0).union)


@pytest.mark.parametrize(("over", "together"), [("mean", np.mean), ("max", np.max)])
def test_a_selector_of_one_label_is_fitted_for_each(over: str, together: Any) -> None:
    each = np.array([chi2(X, y)[0] for y in Y.T])
    expected = np.lexsort((np.arange(7), -together(each, axis=0))).tolist()
    assert ranked(f"{BEST}:over={over}", 7) == expected
    assert ranked(f"{BEST}:over={over}", 3) == expected[:3]


def test_selectors_with_rankings_importances_and_support() -> None:
    tree = "sklearn.tree.DecisionTreeClassifier(max_depth=4)"
    for text in (
        f"sklearn.feature_selection.RFE(estimator={tree})",
        f"sklearn.feature_selection.SelectFromModel(estimator={tree})",
        "sklearn.ensemble.ExtraTreesClassifier(n_estimators=20)",
        "sklearn.feature_selection.SelectPercentile(percentile=30)",
    ):
        assert set(ranked(text, 2)) == {2, 5}, text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("os.getcwd()", "'os.getcwd' in 'os.getcwd\\(\\)' is no estimator: only estimators"),
        ("builtins.eval(source='1')", "only estimators are made"),
        ("sklearn.feature_selection.SelectKBest(3)", "parameters are given by name"),
        ("sklearn.feature_selection.SelectKBest(j=3)", "cannot be made: .*unexpected keyword"),
        ("sklearn.feature_selection.SelectKBest(k=1+1)", "'1 \\+ 1' in .* is no value"),
        ("sklearn.feature_selection.SelectKBest(k=[i for i in 'a'])", "is no value"),
        ("sklearn.nothing.X(k=3)", "the selector 'sklearn.nothing.X' cannot be imported"),
        ("SelectKBest(", "is no selector: write package.Class\\(parameter=value\\)"),
        (f"{BEST}:over=min", "takes over=mean or over=max"),
    ],
)
def test_what_is_no_selector_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ranker(named(text))


def test_nothing_is_evaluated(tmp_path: Path) -> None:
    for text in ("__import__('os').mkdir('x')", "os.mkdir(path='x')"):
        with pytest.raises(UsageError):
            make_from_text(text.replace("'x'", repr(str(tmp_path / "x"))))
    assert not (tmp_path / "x").exists()


def test_a_comparison_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    in_process.use(monkeypatch)
    data = from_arrays(X, Y)
    found = run({"a": data}, [BEST, F], "mlnb", [2], folds=2)
    assert not found.failed()
    assert {record["cell"]["criterion"] for record in found.records} == {BEST, F}
