"""The rivals of published tables against loops, scipy and scikit-learn."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import mutual_info_classif

from benchmarks import selectors
from benchmarks.selectors import NAMES, name_of, path_of
from mlfs.compare import run
from mlfs.compare.named import named
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
SEEDS = st.integers(0, 2**31 - 1)


def filter_scores(name: str, rows: TrainingRows, seed: int, **parameters: float) -> np.ndarray:
    found = getattr(selectors, name.replace("-", "_"))
    return np.asarray(found.scores(rows, seed, **found.read(parameters)))


def scored(name: str, data: Any, **parameters: float) -> np.ndarray:
    return filter_scores(name, TrainingRows(data), 0, **parameters)


def test_a_comparison_takes_them_by_import_path(monkeypatch: pytest.MonkeyPatch) -> None:
    in_process.use(monkeypatch)
    found = run({"a": from_arrays(X, Y)}, [path_of("cov")], "mlnb", [2], folds=2)
    assert not found.failed()
    assert {name_of(record["cell"]["criterion"]) for record in found.records} == {"cov"}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_selector_finds_what_matters(name: str) -> None:
    generator = np.random.default_rng(3)
    x = generator.random((150, 6))
    x[:, 4] = (x[:, 4] > 0.5) * 1.0
    y = np.column_stack([x[:, 1] > 0.5, x[:, 4] > 0.5]).astype(int)
    chosen = ranker(named(path_of(name))).rank(TrainingRows(from_arrays(x, y)), 2, 0).union
    assert set(chosen) == {1, 4}
    rows = TrainingRows(from_arrays(sp.csr_array(x), y))
    assert ranker(named(path_of(name))).rank(rows, 2, 0).union == chosen


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
        ranker(named("benchmarks.selectors.llsf:beta=-1"))


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
    ranked = (
        ranker(named("benchmarks.selectors.qpfs")).rank(TrainingRows(from_arrays(x, y)), 6, 0).union
    )
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
    ranked = (
        ranker(named("benchmarks.selectors.grro")).rank(TrainingRows(from_arrays(x, y)), 5, 0).union
    )
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


def _apart(x: np.ndarray, spans: np.ndarray, a: int, b: int) -> list[float]:
    return [abs(x[a, f] - x[b, f]) / spans[f] if spans[f] else 0.0 for f in range(x.shape[1])]


def naive_relieff(x: np.ndarray, sets: list[tuple[int, ...]], k: int) -> list[float]:
    """Kononenko (1994) on label sets, with loops; every row is looked at."""
    n, d = x.shape
    spans = x.max(0) - x.min(0)
    share = {one: times / n for one, times in Counter(sets).items()}
    weights = [0.0] * d
    for i in range(n):
        for group, often in share.items():
            others = [j for j in range(n) if j != i and sets[j] == group]
            others.sort(key=lambda j: (round(sum(v**2 for v in _apart(x, spans, i, j)), 9), j))
            near = others[:k]
            if not near:
                continue
            worth = -1.0 if group == sets[i] else often / (1 - share[sets[i]])
            for j in near:
                for f, far in enumerate(_apart(x, spans, i, j)):
                    weights[f] += worth * far / (len(near) * n)
    return weights


def naive_relieff_ml(x: np.ndarray, y: np.ndarray, k: int) -> list[float]:
    """Spolaor et al. (2013), with loops."""
    n, d = x.shape
    spans = x.max(0) - x.min(0)
    n_l, n_f, n_lf = 0.0, [0.0] * d, [0.0] * d
    for i in range(n):
        others = sorted(
            (j for j in range(n) if j != i),
            key=lambda j: (round(sum(v**2 for v in _apart(x, spans, i, j)), 9), j),
        )
        for j in others[:k]:
            label_far = float(np.mean(y[i] != y[j]))
            n_l += label_far / k
            for f, far in enumerate(_apart(x, spans, i, j)):
                n_f[f] += far / k
                n_lf[f] += far * label_far / k
    return [n_lf[f] / n_l - (n_f[f] - n_lf[f]) / (n - n_l) for f in range(d)]


@given(seed=SEEDS, k=st.integers(1, 4))
@settings(max_examples=10, deadline=None)
def test_relieff_is_its_naive_twin(seed: int, k: int) -> None:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(24, 3)).round(3)
    Y = (generator.random((24, 2)) < 0.5).astype(int)
    data = from_arrays(X, Y)
    sets = [tuple(row) for row in Y.tolist()]
    kept = [i for i, one in enumerate(sets) if sets.count(one) >= 2]
    ours = scored("ppt-relieff", data, k=k, prune=2)
    expected = naive_relieff(X[kept], [sets[i] for i in kept], k)
    np.testing.assert_allclose(ours, expected, atol=1e-7)
    each = [naive_relieff(X, [(one,) for one in y], k) for y in Y.T.tolist() if len(set(y)) > 1]
    ours = scored("rf-br", data, k=k)
    np.testing.assert_allclose(ours, np.sum(each, axis=0) / Y.shape[1], atol=1e-7)
    ours = scored("relieff-ml", data, k=k)
    np.testing.assert_allclose(ours, naive_relieff_ml(X, Y, k), atol=1e-7)


def test_relieff_takes_gaps_and_names() -> None:
    X = [[1.0, 0.0], [math.nan, 1.0], [3.0, 0.0], [4.0, 1.0]] * 5
    Y = [[0], [1], [0], [1]] * 5
    scores = scored("relieff-ml", from_arrays(X, Y), k=2)
    assert np.isfinite(scores).all()
    assert scores[1] > scores[0]
    with pytest.raises(DataError, match="lower prune"):
        scored("ppt-relieff", from_arrays(X, Y), prune=50)
