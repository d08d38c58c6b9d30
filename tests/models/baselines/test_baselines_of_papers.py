"""What papers compare with: each model is its naive twin, and odd data are answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlfs.errors import DataError, UnknownName, UsageError
from mlfs.models import StructuredClassifier, load, make, save
from mlfs.models.baselines.homer import HOMER, CalibratedLabelRanking, balanced_clusters
from mlfs.models.baselines.llsf import LLSF, Lift, LLSFFeatures
from mlfs.models.baselines.nearest import CHF, IBLR, BRkNN, MLkNN
from mlfs.models.baselines.powerset import LabelPowerset, RAkEL, drawn_labelsets
from tests import naive_models as naive

SEEDS = range(3)
WEIGHTED = ["lp", "ps", "rakel", "chf", "homer", "llsf", "clr"]


def table(seed: int, n: int = 60, d: int = 4, q: int = 4) -> tuple[Any, Any, Any]:
    draw = np.random.default_rng(seed)
    X, new = draw.normal(size=(n, d)), draw.normal(size=(15, d))
    Y = (X[:, draw.integers(0, d, q)] + draw.normal(size=(n, q)) > 0.3).astype(int)
    Y[:, 1] = np.where(draw.random(n) < 0.7, Y[:, 0], Y[:, 1])
    return X, Y, new


def near(ours: Any, theirs: Any, atol: float = 1e-6) -> None:
    np.testing.assert_allclose(ours, theirs, atol=atol)


@pytest.mark.parametrize("seed", SEEDS)
def test_powersets_and_pruned_sets_are_their_twins(seed: int) -> None:
    X, Y, new = table(seed)
    for p, b in ((0, 0), (3, 2), (4, 0)):
        model = LabelPowerset(p, b).fit(X, Y)
        rows, sets = naive.pruned(X, Y, p, b)
        best, marginals = naive.powerset_answers(naive.powerset(rows, sets, new))
        assert model.sets_.tolist() == [list(one) for one in sorted(set(sets))]
        assert (model.predict(new) == best).all()
        near(model.predict_proba(new), marginals)


@pytest.mark.parametrize("disjoint", [False, True])
def test_rakel_is_its_twin(disjoint: bool) -> None:
    X, Y, new = table(5, q=5)
    model = RAkEL(disjoint=disjoint).fit(X, Y)
    sets = [one.tolist() for one in model.labelsets_]
    votes, chances = naive.rakel(X, Y, new, sets)
    assert (model.predict(new) == (votes > 0.5)).all()
    near(model.predict_proba(new), chances)
    assert (model.set_params(vote="mean").predict(new) == (chances > 0.5)).all()


@pytest.mark.parametrize(("q", "k"), [(7, 3), (6, 3), (2, 3), (1, 1)])
def test_drawn_labelsets_contain_every_label(q: int, k: int) -> None:
    for seed in range(20):
        parts = drawn_labelsets(np.random.default_rng(seed), q, k, None, disjoint=True)
        assert sorted(np.concatenate(parts).tolist()) == list(range(q))
        assert len(parts) == -(-q // k)
        sets = drawn_labelsets(np.random.default_rng(seed), q, k, None, disjoint=False)
        assert {len(one) for one in sets} == {min(k, q)}
        assert len({tuple(one) for one in sets}) == len(sets)
        assert set(np.concatenate(sets).tolist()) == set(range(q))


@pytest.mark.parametrize("seed", SEEDS)
def test_neighbours_are_their_twins(seed: int) -> None:
    X, Y, new = table(seed, n=30)
    X, new = X.round(1 - seed % 2), new.round(1 - seed % 2)  # whole numbers tie often
    k = seed + 2
    near(MLkNN(k=k).fit(X, Y).predict_proba(new), naive.mlknn(X, Y, new, k, 1.0))
    for extension in ("none", "a", "b"):
        found = BRkNN(k=k, extension=extension).fit(X, Y).predict(new)
        wanted = naive.brknn(X, Y, new, k, extension)
        assert [np.flatnonzero(row).tolist() for row in found] == wanted
    for original in (True, False):
        ours = IBLR(k=k, original=original).fit(X, Y).predict_proba(new)
        near(ours, naive.iblr(X, Y, new, k, original))
    ranges = X.max(axis=0) - X.min(axis=0)
    scaled = MLkNN(k=k, scale=True).fit(X, Y).predict_proba(new)
    near(scaled, naive.mlknn(X / ranges, Y, new / ranges, k, 1.0))
    sparse = MLkNN(k=k, scale=True).fit(sp.csr_array(X), Y).predict_proba(sp.csr_array(new))
    near(sparse, scaled)


def test_neighbours_survive_a_large_offset() -> None:
    X, Y, new = table(7)
    plain = BRkNN(k=3).fit(X, Y).predict_proba(new)
    assert (BRkNN(k=3).fit(X + 1e7, Y).predict_proba(new + 1e7) == plain).mean() > 0.95


def test_chf_is_its_twin_and_has_rows_held_out() -> None:
    X, Y, new = table(8)
    near(CHF().fit(X, Y).predict_proba(new), naive.chf(X, Y, new))
    held = CHF(folds=3).fit(X, Y)
    assert held.predict_proba(new).shape == (15, 4)
    assert not np.allclose(held.predict_proba(new), naive.chf(X, Y, new))
    by_margin = CHF(base_estimator=LinearSVC(dual=False)).fit(X, Y)
    assert ((by_margin.decision_function(new) > 0) == by_margin.predict(new)).all()


def tree_of(model: HOMER, number: int = 0) -> list[Any]:
    node = model._nodes[number]
    return [
        child[0] if below < 0 else tree_of(model, below)
        for child, below in zip(node.children, node.below, strict=True)
    ]


@pytest.mark.parametrize(("q", "k"), [(9, 2), (7, 3), (2, 3)])
def test_homer_is_its_twin(q: int, k: int) -> None:
    X, Y, new = table(9, n=80, q=q)
    model = HOMER(k=k).fit(X, Y)
    near(model.predict_proba(new), naive.homer(X, Y, new, tree_of(model)))
    assert sorted(np.unique(model.predict(new))) in ([0], [0, 1])
    if q <= k:
        assert (model.predict(new) == make("br").fit(X, Y).predict(new)).all()


def test_clusters_are_balanced_and_near() -> None:
    draw = np.random.default_rng(0)
    for n, k in ((10, 3), (12, 4), (5, 4)):
        points = draw.normal(size=(n, 3))
        of = balanced_clusters(points, k, np.random.default_rng(1))
        assert np.bincount(of, minlength=k).max() <= -(-n // k)
    far = np.repeat([[0.0, 0], [9, 0], [0, 9]], 4, axis=0) + draw.normal(size=(12, 2)) / 9
    groups = [balanced_clusters(far, 3, np.random.default_rng(s)).reshape(3, 4) for s in range(9)]
    whole = [all(len(set(one)) == 1 for one in of.tolist()) for of in groups]
    assert sum(whole) >= 5  # where the first centres are not all in one group


def test_lift_is_its_twin() -> None:
    X, Y, new = table(10, n=80)
    model = make("lift", ratio=0.3, scale=False).fit(X, Y)
    wanted = np.column_stack([naive.lift(X, Y[:, l], new, 0.3, 0) for l in range(4)])
    near(model.predict_proba(new), wanted, 1e-3)  # Liblinear stops near the best coefficients
    assert isinstance(make("lift", base_estimator=LinearSVC()).base_estimator, Lift)


@pytest.mark.parametrize("sparse", [False, True])
def test_llsf_is_its_twin(sparse: bool) -> None:
    X, Y, new = table(11)
    given = sp.csr_array(X) if sparse else X
    model = LLSF(0.02, 0.03, standardise=False, max_iter=2000).fit(given, Y)
    wanted = naive.llsf(X, Y, 0.02, 0.03)
    near(model.coef_.T, wanted, 1e-4)
    assert ((np.abs(wanted) > 1e-4) == (model.coef_.T != 0)).all()
    assert (model.predict(new) == (new @ model.coef_.T > 0.5)).all()
    Z, T = (X - X.mean(0)) / X.std(0), Y - Y.mean(0)
    scaled = LLSF(0, 0.03, max_iter=2000).fit(given, Y)
    near(scaled.coef_.T * X.std(0)[:, None], naive.llsf(Z, T, 0.0, 0.03), 1e-4)
    near(scaled.intercept_ + X.mean(0) @ scaled.coef_.T, Y.mean(0))


def test_llsf_chooses_the_columns_of_each_label() -> None:
    X, Y, _ = table(12, d=8)
    wide = np.abs(LLSF(beta=0.05).fit(X, Y).coef_ * X.std(0))
    model = StructuredClassifier(features=LLSFFeatures(beta=0.05, most=3)).fit(X, Y)
    for row, columns in zip(wide, model.features_.values(), strict=True):
        assert columns.tolist() == np.argsort(-row)[: min(3, (row > 0).sum())].tolist()
    assert make("cc", features="llsf").fit(X, Y).predict(X).shape == Y.shape


@pytest.mark.parametrize("seed", SEEDS)
def test_calibrated_ranking_is_its_twin(seed: int) -> None:
    X, Y, new = table(seed)
    Y[:, 3] = Y[:, 2]  # no row tells them apart
    model = CalibratedLabelRanking().fit(X, Y)
    wanted = naive.ranking_votes(X, Y, new)
    near(model.decision_function(new), wanted)
    assert (model.predict(new) == (wanted > 0)).all()


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_weight_is_a_repetition(name: str) -> None:
    X, Y, new = table(13, n=40)
    times = np.random.default_rng(0).integers(0, 4, 40)
    one = make(name).fit(X, Y, sample_weight=times)
    two = make(name).fit(np.repeat(X, times, 0), np.repeat(Y, times, 0))
    assert (one.predict(new) == two.predict(new)).all()
    way = "predict_proba" if hasattr(one, "predict_proba") else "decision_function"
    near(getattr(one, way)(new), getattr(two, way)(new), 1e-3)


@pytest.mark.parametrize("name", ["lp", "mlknn", "iblr", "homer", "llsf", "clr"])
def test_features_are_selected_and_stored(name: str, tmp_path: Any) -> None:
    X, Y, new = table(14, d=7)
    model = make(name, features="mim", n=3).fit(X, Y)
    assert model.columns_.size == 3
    alone = make(name).fit(X[:, model.columns_], Y)
    assert (model.predict(new) == alone.predict(new[:, model.columns_])).all()
    save(model, str(tmp_path / "m.mlfs"))
    assert (load(str(tmp_path / "m.mlfs")).predict(new) == model.predict(new)).all()


def test_labels_that_are_all_incomplete_are_refused() -> None:
    X, Y, _ = table(15, n=10)
    Y = Y.astype(float)
    Y[np.arange(10), np.arange(10) % 4] = np.nan
    with pytest.raises(DataError, match="every row misses one of the labels"):
        LabelPowerset().fit(X, Y)
    assert make("br").fit(X, Y).predict(X).shape == (10, 4)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (BRkNN(extension="c"), "unknown extension of BRkNN 'c'"),
        (MLkNN(k=0), "k is a whole number from 1 on, not 0"),
        (MLkNN(k=True), "k is a whole number from 1 on, not True"),
        (MLkNN(smoothing="a"), "smoothing is a number greater than 0, not 'a'"),
        (HOMER(k=1), "k is a whole number from 2 on, not 1"),
        (RAkEL(vote="most"), "unknown vote 'most'"),
        (RAkEL(vote="mean", base_estimator=LinearSVC()), "gives no probabilities"),
        (CalibratedLabelRanking(vote="mean"), "unknown vote 'mean'"),
        (LabelPowerset(p=-1), "p is a whole number from 0 on, not -1"),
        (LLSF(beta=-1), "beta is a number from 0 on, not -1"),
        (Lift(ratio=2), "ratio is a share of rows, in .0, 1., not 2"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(model: Any, said: str) -> None:
    X, Y, _ = table(0, n=20)
    with pytest.raises((UsageError, UnknownName), match=said):
        model.fit(X, Y[:, 0] if isinstance(model, Lift) else Y)


CHECKED = [
    LabelPowerset(p=1, b=1), RAkEL(k=2, n_estimators=2), MLkNN(k=3), BRkNN(k=3), IBLR(k=3), CHF(),
    HOMER(), LLSF(), CalibratedLabelRanking(), Lift(),
]  # fmt: skip


@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)
