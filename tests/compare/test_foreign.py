"""Selectors of scikit-learn in a comparison, and baselines that look at values or label sets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from sklearn.feature_selection import chi2, mutual_info_classif

from mlfs.compare import run
from mlfs.compare.filters import filter_scores
from mlfs.compare.named import make_from_text, named
from mlfs.compare.rankers import ranker
from mlfs.compare.training_rows import TrainingRows
from mlfs.data.arrays import from_arrays
from mlfs.errors import DataError, UsageError
from tests import naive
from tests.compare import in_process

RNG = np.random.default_rng(4)
X = RNG.integers(0, 4, (120, 7)).astype(float)
Y = np.column_stack([X[:, 2] > 1, X[:, 5] == 0]) ^ (RNG.random((120, 2)) < 0.1)
ROWS = TrainingRows(from_arrays(X, Y))
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
    found = run({"a": data}, [BEST, "cov"], "mlnb", [2], folds=2)
    assert not found.failed()
    assert {record["cell"]["criterion"] for record in found.records} == {BEST, "cov"}


# ---- baselines ---------------------------------------------------------------------------------


def test_the_covariances_are_summed() -> None:
    expected = [sum(np.cov(x, y, ddof=0)[0, 1] ** 2 for y in Y.T) for x in X.T]
    assert filter_scores("cov", ROWS, 0) == pytest.approx(expected)


def test_label_sets_are_one_class() -> None:
    sets = [tuple(row) for row in Y.tolist()]
    expected = []
    for column in X.T.tolist():
        both, f, s = Counter(zip(column, sets, strict=True)), Counter(column), Counter(sets)
        terms = (c / 120 * log(c * 120 / f[x] / s[y]) for (x, y), c in both.items())
        expected.append(sum(terms))
    assert filter_scores("ig-lp", ROWS, 0) == pytest.approx(expected)


def test_neighbours_estimate_each_label() -> None:
    values = RNG.normal(size=(80, 3))
    labels = np.column_stack([values[:, 0] > 0, values[:, 1] > 1])
    rows = TrainingRows(from_arrays(values, labels))
    expected = [mutual_info_classif(values, y, n_neighbors=4, random_state=2) for y in labels.T]
    assert filter_scores("ksg-mean", rows, 2, k=4) == pytest.approx(np.mean(expected, axis=0))


def test_the_lasso_minimises_its_objective() -> None:
    """The rows of W are those of a proximal gradient method, run for long."""
    scores = filter_scores("l21", ROWS, 0)
    assert set(np.argsort(-scores)[:2]) == {2, 5}
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    C = Y - Y.mean(axis=0)
    a = 0.05 * np.linalg.norm(Z.T @ C, axis=1).max() / 120
    W = np.zeros((7, 2))
    for _ in range(2000):  # proximal gradient, with the step of the greatest eigenvalue
        step = 120 / np.linalg.eigvalsh(Z.T @ Z)[-1]
        V = W - step * Z.T @ (Z @ W - C) / 120
        W = V * np.maximum(0, 1 - step * a / np.linalg.norm(V, axis=1))[:, None]
    assert scores == pytest.approx((W**2).sum(axis=1), abs=1e-4)


def test_llsf_ranks_by_the_weights_that_minimise_its_objective() -> None:
    """Subgradients of the objective at W are 0, and the scores are the norms of its rows."""
    from mlfs.models.baselines.llsf import LLSF

    a, b = 0.05, 0.02
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    W = LLSF(a, b, max_iter=5000).fit(Z, Y).coef_.T
    R = 1 - np.array([[(u @ v) / np.sqrt(u.sum() * v.sum()) for u in Y.T * 1.0] for v in Y.T * 1.0])
    slope = Z.T @ (Z @ W - (Y - Y.mean(axis=0))) / 120 + a * W @ R
    assert slope[W != 0] == pytest.approx(-b * np.sign(W[W != 0]), abs=1e-5)
    assert (np.abs(slope[W == 0]) <= b + 1e-5).all()
    scores = filter_scores("llsf", ROWS, 0, alpha=a, beta=b)
    assert scores == pytest.approx((W**2).sum(axis=1), abs=1e-5)
    with pytest.raises(UsageError, match="is a number from 0 on, not -1"):
        ranker(named("llsf:beta=-1"))


@pytest.mark.parametrize("seed", range(3))
def test_qpfs_solves_its_program(seed: int) -> None:
    """The best of all supports, each solved by its linear equations."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, [2, 3, 4, 2, 5, 2], (60, 6))
    x[:, 5] = x[:, 0] ^ (rng.random(60) < 0.2)
    y = np.stack([x[:, 0], x[:, 1] > 0], axis=1)
    columns = [tuple(column) for column in x.T.tolist()]
    Q = np.array([[naive.I(i, j) for j in columns] for i in columns])
    F = np.array([sum(naive.I(i, tuple(l)) for l in y.T.tolist()) for i in columns])
    a = Q.mean() / (Q.mean() + F.mean())
    found = []
    for some in (list(s) for k in range(1, 7) for s in combinations(range(6), k)):
        equations = np.ones((len(some) + 1, len(some) + 1))
        equations[:-1, :-1] = (1 - a) * Q[np.ix_(some, some)]
        equations[-1, -1] = 0
        own = np.linalg.solve(equations, np.append(a * F[some], 1))[:-1]
        if (own >= 0).all():
            w = np.zeros(6)
            w[some] = own
            found.append(((1 - a) / 2 * w @ Q @ w - a * F @ w, w.tolist()))
    scores = filter_scores("qpfs", TrainingRows(from_arrays(x, y)), 0)
    assert np.maximum(scores, 0) == pytest.approx(min(found)[1], abs=1e-7)
    assert (scores <= 0).any()
    ranked = ranker(named("qpfs")).rank(TrainingRows(from_arrays(x, y)), 6, 0).union
    assert sorted(ranked) == list(range(6))


def test_grro_solves_its_equations():
    rng = np.random.default_rng(0)
    x = rng.integers(0, [2, 3, 4, 2, 5], (60, 5))
    y = np.stack([x[:, 0], x[:, 1] > 0, rng.random(60) < 0.3], axis=1)
    columns, labels = ([tuple(column) for column in table.T.tolist()] for table in (x, y))
    bits = log(2)
    Q = np.array([[naive.I(i, j) / bits for j in columns] for i in columns])
    Q[np.diag_indices(5)] = 1
    F = np.array([[naive.I(i, l) / bits for l in labels] for i in columns])
    both = np.array([[sum(map(min, k, l)) / sqrt(sum(k) * sum(l)) for l in labels] for k in labels])
    W = scipy.linalg.solve_sylvester(np.eye(5) + 2 * Q, 0.5 * (1 - both), F)
    scores = filter_scores("grro", TrainingRows(from_arrays(x, y)), 0, alpha=2, beta=0.5)
    assert scores == pytest.approx(W.sum(axis=1), abs=1e-7)
    ranked = ranker(named("grro")).rank(TrainingRows(from_arrays(x, y)), 5, 0).union
    assert ranked[0] in {0, 1}


def test_nominal_columns_count_together_and_missing_labels_are_refused() -> None:
    mixed = np.column_stack([X[:, :1], X[:, 2]]).astype(object)
    mixed[:, 1] = [f"v{int(value)}" for value in X[:, 2]]
    rows = TrainingRows(from_arrays(mixed, Y))
    for name in ("forest", "cov", "l21", "llsf", "ksg-mean"):
        scores = filter_scores(name, rows, 0)
        assert scores.shape == (2,)
        assert scores[1] > scores[0]
    holes = Y.astype(float)
    holes[0, 0] = np.nan
    with pytest.raises(DataError, match="takes no missing labels"):
        filter_scores("cov", TrainingRows(from_arrays(X, holes)), 0)
