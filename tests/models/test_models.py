"""The models: equal to scikit-learn's where it has them, safe where labels or data are odd."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import mlfs
from mlfs import FeatureSelector, UnknownName, UsageError
from mlfs.errors import DataError
from mlfs.models import LDF, StructuredClassifier, available, make
from mlfs.models.inference import BestFirst, Exhaustive, Greedy
from mlfs.models.problem import Problem, split_aside
from mlfs.models.structures import Chain, Independent, KParents
from tests.documents import ROOT
from tests.shared import shared_data

LEARNERS = [
    LogisticRegression(C=2),
    LogisticRegression(solver="liblinear"),
    LinearSVC(dual=False),
    GaussianNB(),
    DecisionTreeClassifier(max_depth=4, random_state=0),
    make_pipeline(StandardScaler(), LogisticRegression()),
]
PLAIN = [n for n in available() if not n.endswith("-ldf") and n != "br-forest"]
SETS = {"lp", "ps", "eps", "rakel", "rakeld"}  # rows that miss a label of a set are left out


def name_of(estimator) -> str:
    return type(estimator).__name__


def songs(seed: int = 0, n: int = 120, d: int = 8, q: int = 4):
    """Labels that depend on the features and on each other."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d)).round(3)
    Y = (X[:, :q] + 0.7 * draw.normal(size=(n, q)) > 0).astype(int)
    Y[:, 1] = np.where(draw.random(n) < 0.6, Y[:, 0], Y[:, 1])
    return X, Y


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("estimator", LEARNERS[:5], ids=name_of)
def test_br_is_one_classifier_for_each_label(estimator, sparse: bool) -> None:
    X, Y = songs()
    if sparse and isinstance(estimator, GaussianNB):
        pytest.skip("GaussianNB takes no sparse X")
    X = sp.csr_array(X) if sparse else X
    ours = make("br", base_estimator=estimator).fit(X[:80], Y[:80])
    theirs = MultiOutputClassifier(estimator).fit(X[:80], Y[:80])
    assert (ours.predict(X[80:]) == theirs.predict(X[80:])).all()
    if hasattr(estimator, "predict_proba"):
        wanted = np.column_stack([p[:, 1] for p in theirs.predict_proba(X[80:])])
        assert np.allclose(ours.predict_proba(X[80:]), wanted, atol=1e-9)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [2, 0, 3, 1]])
@pytest.mark.parametrize("estimator", LEARNERS, ids=name_of)
def test_cc_is_a_classifier_chain(estimator, order) -> None:
    if isinstance(estimator, DecisionTreeClassifier) and order[0]:
        pytest.skip("a tree breaks ties by the order of its columns; ours is ascending")
    X, Y = songs(1)
    ours = make("cc", order=order, base_estimator=estimator).fit(X[:80], Y[:80])
    theirs = ClassifierChain(estimator, order=order).fit(X[:80], Y[:80])
    assert (ours.predict(X[80:]) == theirs.predict(X[80:])).all()
    assert ours.order_ == tuple(order)
    assert ours.structure_.parents[order[-1]] == tuple(sorted(order[:-1]))


def test_a_sparse_chain_is_a_classifier_chain() -> None:
    X, Y = songs(2)
    X = sp.csr_array(np.where(np.abs(X) < 1, 0, X))
    for estimator in (LogisticRegression(solver="liblinear"), LinearSVC(dual=False)):
        ours = make("cc", order=[0, 1, 2, 3], base_estimator=estimator).fit(X, Y)
        theirs = ClassifierChain(estimator, order=[0, 1, 2, 3]).fit(X, Y)
        assert (ours.predict(X) == theirs.predict(X)).all()


def test_decisions_of_a_chain_without_probabilities() -> None:
    X, Y = songs(3)
    ours = make("cc", order=[0, 1, 2, 3], base_estimator=LinearSVC(dual=False)).fit(X, Y)
    theirs = ClassifierChain(LinearSVC(dual=False), order=[0, 1, 2, 3]).fit(X, Y)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X))
    assert not hasattr(ours, "predict_proba")
    assert not hasattr(make("cc"), "decision_function")


def test_pcc_finds_the_mode_and_knows_its_probability() -> None:
    X, Y = songs(4)
    model = make("pcc").fit(X, Y)
    brute = clone(model).set_params(inference=Exhaustive()).fit(X, Y)
    assert (model.predict(X) == brute.predict(X)).all()
    every = [np.array([number >> bit & 1 for bit in range(4)]) for number in range(16)]
    joint = np.array([model.joint_log_proba(X, np.tile(y, (len(X), 1))) for y in every])
    assert np.allclose(np.exp(joint).sum(axis=0), 1)
    assert (np.array(every)[joint.argmax(axis=0)] == model.predict(X)).all()
    marginal = (np.exp(joint)[:, :, None] * np.array(every)[:, None, :]).sum(axis=0)
    assert np.allclose(model.predict_proba(X), marginal)


def test_samples_follow_the_marginals() -> None:
    X, Y = songs(5)
    model = make("pcc").fit(X, Y)
    drawn = model.sample(X[:5], n=2000, seed=3)
    assert drawn.shape == (2000, 5, 4)
    assert np.allclose(drawn.mean(axis=0), model.predict_proba(X[:5]), atol=0.06)
    assert (drawn == model.sample(X[:5], n=2000, seed=3)).all()


def test_score_is_exact_match() -> None:
    X, Y = songs(6)
    model = make("br").fit(X, Y)
    right = (model.predict(X) == Y).all(axis=1)
    assert model.score(X, Y) == right.mean()
    weights = np.arange(len(X)) + 1.0
    assert np.isclose(model.score(X, Y, sample_weight=weights), np.average(right, weights=weights))
    hidden = Y.astype(float)
    hidden[:, 2] = np.nan
    assert model.score(X, hidden) == (model.predict(X) == Y)[:, [0, 1, 3]].all(axis=1).mean()


# ---- features -------------------------------------------------------------------------------


def test_features_from_the_user_are_honoured() -> None:
    X, Y = songs(7)
    columns = {"y1": ["x3", 0], 2: [5]}
    model = StructuredClassifier({1: [0], 2: [0]}, features=columns).fit(X, Y)
    assert [model.features_[f"y{l}"].tolist() for l in range(4)] == [
        list(range(8)), [3, 0], [5], list(range(8)),
    ]  # fmt: skip
    second = model.estimators_[1]
    by_hand = clone(second).fit(np.column_stack([X[:, [0, 3]], Y[:, 0]]), Y[:, 1])
    assert np.allclose(second.coef_, by_hand.coef_)
    nothing = X.copy()
    nothing[:, [1, 2, 4, 6, 7]] = 9
    assert (model.predict(nothing)[:, 2] == model.predict(X)[:, 2]).sum() >= 0
    assert model.estimators_[2].n_features_in_ == 2


@pytest.mark.parametrize("features", ["mlfs_local", "jmi", "mlfs_global"])
def test_features_by_a_criterion_are_those_of_select(features: str) -> None:
    X, Y = songs(8)
    model = StructuredClassifier(KParents(k=2), features=features, n=3).fit(X, Y)
    wants = mlfs.criteria.get(features)[1].network is not False
    network = {"network": model.structure_} if wants else {}
    wanted = mlfs.select((X, Y), features, 3, **network)
    for name, found in model.features_.items():
        ranking = wanted.labels.get(name, wanted)
        assert tuple(found.tolist()) == ranking.indices


def test_features_by_a_selector_keep_its_options() -> None:
    X, Y = songs(9)
    selector = FeatureSelector("mim", 2, per_label=True, exclude=["x0"], bins="frequency", n_bins=4)
    model = StructuredClassifier(features=selector).fit(X, Y)
    wanted = clone(selector).fit(X, Y)
    for name, found in model.features_.items():
        assert found.tolist() == wanted.label_indices_[name].tolist()
    made = StructuredClassifier(features=wanted.selection_).fit(X, Y)
    assert [f.tolist() for f in made.features_.values()] == [
        f.tolist() for f in model.features_.values()
    ]


def test_ldf_without_parents_keeps_what_cfs_keeps_of_the_features_alone() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (300, 12)).astype(float)
    parent = (X[:, 0] + X[:, 1] + rng.random(300) > 1.4).astype(int)
    flipped = rng.random(300) < 0.02
    Y = np.column_stack([parent, np.where(flipped, 1 - parent, parent)])
    chain = Chain("given")
    of_child = [
        StructuredClassifier(chain, features=LDF(0.3, parents=given)).fit(X, Y).features_["y1"]
        for given in (True, False)
    ]
    alone = StructuredClassifier(Independent(), features=LDF(0.3)).fit(X, Y).features_["y1"]
    assert of_child[0].size == 0
    assert of_child[1].tolist() == alone.tolist()
    assert alone.size > 0


def test_ldf_is_mlig_and_then_mlcfs_seeded_with_the_parents() -> None:
    X, Y = songs(10, d=30)
    model = StructuredClassifier(KParents(k=1, order="given"), features=LDF(r=0.2)).fit(X, Y)
    first = mlfs.select((X, Y), "mlig", parameters={"r": 0.2})
    for label, (name, ranking) in enumerate(first.labels.items()):
        kept = sorted(ranking.indices)
        left = [j for j in range(30) if j not in kept]
        network = {label: model.structure_.parents[label]}
        second = mlfs.select((X, Y), "mlcfs", network=network, exclude=left)
        assert tuple(model.features_[name].tolist()) == second.labels[name].indices


def test_selection_sees_the_training_rows_only() -> None:
    draw = np.random.default_rng(0)
    X, Y = draw.integers(0, 2, (60, 400)), draw.integers(0, 2, (60, 1))
    model = StructuredClassifier(features="mim", n=10)
    chance = cross_val_score(model, X, Y, cv=5).mean()
    chosen = mlfs.select((X, Y), "mim", 10).indices
    leaked = cross_val_score(StructuredClassifier(), X[:, chosen], Y, cv=5).mean()
    assert chance < 0.62
    assert leaked > chance + 0.1
    half = model.fit(X[:30], Y[:30]).features_["y0"].tolist()
    assert tuple(half) == mlfs.select((X[:30], Y[:30]), "mim", 10).indices


def test_the_number_of_features_is_that_of_the_best_exact_match_held_out() -> None:
    X, Y = songs(11)
    model = make("occ", n=[3, 0.1, 6]).fit(X, Y)
    train, aside = split_aside(
        Problem(X, Y.astype(np.int8), tuple("abcdef")[: Y.shape[1]]), 0.3, 34
    )
    scores = []
    for n in (3, 0.1, 6):
        one = make("occ", n=n).fit(train.X, train.Y)
        right = one.predict(aside.X) == aside.Y
        scores.append((right.all(axis=1).mean(), right.mean()))
    assert model.n_scores_ == pytest.approx([exact for exact, _ in scores])
    assert model.n_ == (3, 0.1, 6)[scores.index(max(scores))]
    assert model.predict(X).tolist() == make("occ", n=model.n_).fit(X, Y).predict(X).tolist()


def test_several_numbers_are_for_models_that_choose() -> None:
    X, Y = songs(11)
    with pytest.raises(UsageError, match="n is empty"):
        make("occ", n=[]).fit(X, Y)
    with pytest.raises(UsageError, match="n is one number of features here, not the 2"):
        make("mc", features="mim", n=[1, 2]).fit(X, Y)


def test_fewer_features_are_faster_to_look_at() -> None:
    X, Y = songs(11)
    model = make("occ", n=0.3).fit(X, Y)
    assert all(len(columns) == 2 for columns in model.features_.values())
    assert [e.n_features_in_ for e in model.estimators_] == [
        2 + len(p) for p in model.structure_.parents
    ]


@pytest.mark.parametrize(
    ("features", "n", "error", "said"),
    [
        ("mlfs_lokal", None, UnknownName, "did you mean 'mlfs_local'"),
        (None, 3, UsageError, "name a criterion, or leave n out"),
        ({"nobody": [0]}, None, UnknownName, "unknown label in features 'nobody'"),
        ({"y0": ["x99"]}, None, UnknownName, "unknown feature in the features of 'y0' 'x99'"),
        (3, None, UsageError, "not 3"),
        (LDF(r=0.9), None, UsageError, "r"),
        ("mim", 99, UsageError, "n is 99, but there are 8 features"),
    ],
)
def test_features_that_make_no_sense_are_refused(features, n, error, said) -> None:
    X, Y = songs()
    with pytest.raises(error, match=said):
        StructuredClassifier(features=features, n=n).fit(X, Y)


@pytest.mark.parametrize("name", ["br", "occ", "cc-ldf", "ecc", "mlknn"])
def test_a_model_takes_what_is_prepared(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = songs()
    data = mlfs.data.from_arrays(X, Y)
    expected = make(name).fit(X, Y).predict(X)
    ready = mlfs.prepare(data)
    if name == "cc-ldf":  # nothing is counted again

        def refused(*_: object, **__: object) -> None:
            raise AssertionError

        monkeypatch.setattr("mlfs.models.problem.prepare", refused)
    for one in (ready, data):
        if one is ready or name != "cc-ldf":
            model = make(name).fit(one)
            assert model.label_names_ == tuple(data.label_names)
            assert (model.predict(one) == expected).all()


def test_what_is_prepared_with_options_that_change_no_answer_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, Y = songs()
    mlfs.write(mlfs.data.from_arrays(X, Y), tmp_path / "songs.csv")
    ready = mlfs.prepare(tmp_path / "songs.csv", labels="last:4", n_jobs=2, max_memory="1GB")
    expected = make("cc-ldf").fit(X, Y).predict(X)
    monkeypatch.setattr("mlfs.models.problem.prepare", lambda *_, **__: pytest.fail("again"))
    assert (make("cc-ldf").fit(ready).predict(X) == expected).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_a_missing_label_of_a_data_set_is_missing(sparse: bool) -> None:
    X, Y = songs()
    known = np.where(Y == 0, np.nan, Y)  # no row is known to lack a label
    data = mlfs.data.from_arrays(X, known)
    if sparse:
        data = data.with_changes(Y=sp.csr_array(data.Y))
    for one in (data, mlfs.prepare(data)):
        assert (make("br").fit(one).predict(X) == make("br").fit(X, known).predict(X)).all()
    classes = np.array([[2, 0], [0, 2]])[[0, 1] * 30].astype(float)
    classes[::7, 0] = np.nan
    data = mlfs.data.from_arrays(X[:60], classes, classes=True)
    assert set(np.unique(make("br").fit(data).predict(X))) <= {0, 1, 2}


def test_the_labels_of_a_data_set_are_known_by_name() -> None:
    X, Y = songs()
    names = ["sad", "calm", "loud", "fast"]
    classes = mlfs.data.from_arrays(X, Y + np.arange(len(Y))[:, None] % 2, label_names=names,
                                    classes=True)  # fmt: skip
    with pytest.raises(DataError, match="the label 'calm' holds 2 in row 6"):
        make("br").fit(classes)


@pytest.mark.parametrize("name", ["mlknn", "brknn", "iblr"])
def test_weights_that_a_model_cannot_use_are_refused(name: str) -> None:
    X, Y = songs()
    weights = np.arange(len(X)) % 3 + 1.0
    with pytest.raises(UsageError, match="the data have weights of rows, which"):
        make(name).fit(mlfs.prepare((X, Y), sample_weight=weights))
    with pytest.raises(UsageError, match="the data have weights of rows, which"):
        make(name).fit(mlfs.data.from_arrays(X, Y).with_changes(weights=weights))


def test_what_a_data_set_knows_is_not_given_beside_it() -> None:
    X, Y = songs()
    ready = mlfs.prepare((X, Y))
    with pytest.raises(UsageError, match="y is given beside a Prepared"):
        make("br").fit(ready, Y)
    with pytest.raises(UsageError, match="sample_weight is given beside a Prepared"):
        make("br").fit(ready, sample_weight=np.ones(len(X)))
    with pytest.raises(UsageError, match="column 'mode' is nominal, and a model takes numbers"):
        make("br").fit(mlfs.read(ROOT / "docs" / "examples" / "songs.arff"))
    holes = mlfs.data.from_arrays(np.where(X < -1, np.nan, X), Y, label_names=list("abcd"))
    model = make("br")
    with pytest.raises(ValueError, match="NaN"):
        model.fit(holes)
    assert model.fit(X, Y).label_names_ == ("y0", "y1", "y2", "y3")  # not those of the refused
    weights = np.arange(len(X)) % 3 + 1.0
    weighted = make("br").fit(mlfs.prepare((X, Y), sample_weight=weights))
    assert (weighted.predict(X) == make("br").fit(X, Y, weights).predict(X)).all()


# ---- odd labels -----------------------------------------------------------------------------


def test_a_dict_of_labels_is_refused() -> None:
    X, Y = songs()
    for labels in ({"a": 0}, {"a": Y[:, 0]}):
        with pytest.raises(DataError, match="Y has 0 dimensions; expected"):
            make("br").fit(X, labels)


@pytest.mark.parametrize("name", PLAIN)
def test_constant_labels_and_rows_without_labels_are_safe(name: str) -> None:
    X, Y = songs(12)
    Y[:, 2], Y[:, 3], Y[:20] = 0, 1, 0
    Y[:, 3] = 1
    model = make(name).fit(X, Y)
    predicted = model.predict(X)
    assert (predicted[:, 2] == 0).all()
    assert (predicted[:, 3] == 1).all()
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(X)
        assert (proba[:, 2] < 0.1).all()
        assert (proba[:, 3] > 0.9).all()


@pytest.mark.parametrize("name", [name for name in PLAIN if name != "mc"])
def test_a_constant_label_is_as_sure_as_the_docs_say(name: str) -> None:
    X, Y = songs()
    Y[:, 1], Y[:, 3] = 1, 0
    model = make(name).fit(X, Y)
    assert (model.predict(X)[:, [1, 3]] == [1, 0]).all()
    if not hasattr(model, "predict_proba"):
        return
    doubt = np.abs(model.predict_proba(X)[:, [1, 3]] - [1, 0])
    if name == "mlknn":  # what its smoothed counts say
        assert (doubt > 1e-6).all()
    elif name == "homer":  # the product of those on the way
        assert (doubt < 1e-11).all()
    else:
        assert np.allclose(doubt, 1e-12, rtol=1e-3, atol=0)


@pytest.mark.parametrize("name", PLAIN)
def test_missing_labels_are_safe(name: str) -> None:
    X, Y = songs(13)
    gone = np.random.default_rng(0).random(Y.shape) < 0.2
    with_nan = np.where(gone, np.nan, Y)
    model = make(name).fit(X, with_nan)
    same = make(name).fit(X, np.where(gone, -1, Y))
    assert set(np.unique(model.predict(X))) <= {0, 1}
    assert (model.predict(X) == same.predict(X)).all()
    hidden = np.where(gone, np.nan, 1 - Y)
    assert model.score(X, Y) > model.score(X, hidden)


def test_what_is_missing_is_left_out() -> None:
    X, Y = songs(14)
    Y = Y.astype(float)
    Y[:40, 0] = np.nan
    model = make("br").fit(X, Y)
    alone = clone(model.estimators_[0]).fit(X[40:], Y[40:, 0].astype(int))
    assert np.allclose(model.estimators_[0].coef_, alone.coef_)


@pytest.mark.parametrize("name", ["br", "cc", "ctbn", "mc", "occ"])
def test_a_label_that_nobody_knows_harms_no_other(name: str) -> None:
    X, Y = songs(14)
    Y = Y.astype(float)
    Y[:, 1] = np.nan
    model = make(name).fit(X, Y)
    others = make(name).fit(X, Y[:, [0, 2, 3]])
    assert not model.predict(X)[:, 1].any()
    same = model.predict(X)[:, [0, 2, 3]] == others.predict(X)
    assert same.mean() > 0.9, "rows without that label are rows all the same"


def test_a_column_of_signs_beside_columns_of_0_and_1_is_warned_of() -> None:
    X, Y = songs(15)
    signs = Y.copy()
    signs[:, 1] = 2 * Y[:, 1] - 1
    for use in (make("br").fit, lambda X, Y: mlfs.select((X, Y), "mim", 4)):
        with pytest.warns(mlfs.MlfsWarning, match="label 'y1' holds -1 and 1 and no 0.*write 0"):
            use(X, signs)


@pytest.mark.parametrize("kind", [list, pd.Series, pl.Series])
def test_label_sets_are_refused_with_the_remedy(kind) -> None:
    X, Y = songs(16)
    sets = [[name for name, there in zip("abcd", row, strict=True) if there] for row in Y]
    with pytest.raises(DataError, match=r"make one by MultiLabelBinarizer\(\)"):
        make("br").fit(X, kind(sets))
    model = make("br").fit(X, MultiLabelBinarizer().fit_transform(sets))
    assert (model.predict(X) == make("br").fit(X, Y).predict(X)).all()


def test_rows_of_weight_0_are_left_out_to_the_bit() -> None:
    X, Y = songs(17)
    weights = np.r_[np.zeros(40), np.ones(len(X) - 40)]
    for name in ("br-forest", "cc"):
        left = make(name).fit(X, Y, sample_weight=weights).predict_proba(X)
        assert (left == make(name).fit(X[40:], Y[40:]).predict_proba(X)).all()


@pytest.mark.parametrize("name", ["br", "occ", "ecc", "eocc"])
def test_ldf_as_features_is_the_model_with_ldf_in_its_name(name: str) -> None:
    X, Y = songs(18)
    model, named = make(name, features="ldf"), make(f"{name}-ldf")
    assert (model.fit(X, Y).predict(X) == named.fit(X, Y).predict(X)).all()


def test_a_regressor_is_no_base_learner() -> None:
    with pytest.raises(UsageError, match=r"LinearRegression\(\) is a regressor"):
        make("br", base_estimator=LinearRegression()).fit(*songs())


def test_labels_are_indicators_and_one_target_has_any_two_values() -> None:
    X, Y = songs(15)
    plain = make("cc").fit(X, Y)
    for odd in (np.array(["n", "y"], object)[Y], Y + 1, np.array(["n", "y"])[Y[:, :1]]):
        with pytest.raises(DataError, match="models take indicator matrices, 0 and 1 for each"):
            make("cc").fit(X, odd)
    with pytest.raises(DataError, match="Y holds -1 and 1 and no 0"):
        make("cc").fit(X, 2 * Y - 1)
    with pytest.raises(DataError, match="the label 'y0' holds 7 in row"):
        plain.score(X, np.where(Y == 0, 7, 1))
    for truths in (Y == 1, pd.DataFrame(Y == 1), (Y == 1).astype(object)):
        by_truths = make("cc").fit(X, truths).predict(X)
        assert by_truths.dtype == np.int64
        assert (by_truths == plain.predict(X)).all()
    one = make("br").fit(X, pd.Series(Y[:, 0], name="sad"))
    assert one.label_names_ == ("sad",)
    assert one.predict(X).shape == (120,)
    assert one.predict_proba(X).shape == (120, 2)
    assert one.classes_.tolist() == [0, 1]
    for values in (("no", "yes"), (-1, 1), (3, 7)):
        target = np.array(values)[Y[:, 0]]
        other = make("br").fit(X, target)
        assert (other.predict(X) == np.array(values)[one.predict(X)]).all()
        assert other.classes_.tolist() == list(values)
        assert other.score(X, target) == one.score(X, Y[:, 0])
        with pytest.raises(DataError, match="which training did not have: its values are"):
            other.score(X, np.where(Y[:, 0] == 0, 99, 98))


def test_labels_may_be_frames_or_sparse() -> None:
    X, Y = songs(16)
    names = ["calm", "sad", "loud", "fast"]
    plain = make("kcc").fit(X, Y)
    frame = pd.DataFrame(Y, columns=names)
    model = make("kcc").fit(pd.DataFrame(X, columns=list("abcdefgh")), frame)
    assert model.label_names_ == tuple(names)
    assert model.feature_names_in_.tolist() == list("abcdefgh")
    assert list(model.features_) == names
    rows = pd.DataFrame(X, columns=list("abcdefgh"))
    assert (model.predict(rows) == plain.predict(X)).all()
    assert model.score(rows, frame[names[::-1]]) == plain.score(X, Y)
    with pytest.raises(DataError, match="'louder' is none of them"):
        model.score(rows, frame.rename(columns={"loud": "louder"}))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(rows[list("hgfedcba")])
    sparse = make("kcc").fit(sp.csr_array(X), sp.csr_array(Y))
    assert (sparse.predict(sp.csr_array(X)) == plain.predict(X)).mean() > 0.99
    polars = make("kcc").fit(pl.DataFrame(X), pl.DataFrame(Y, schema=names))
    assert polars.label_names_ == tuple(names)
    assert (polars.predict(pl.DataFrame(X)) == plain.predict(X)).all()


@pytest.mark.parametrize(
    ("Y", "said"),
    [
        (None, "requires y to be passed"),
        ([[0, 1]] * 119, "X has 120 rows and Y has 119"),
        (np.arange(120) % 3, "Only binary classification is supported"),
        (np.linspace(0, 1, 120), "continuous"),
        (np.r_[np.inf, np.ones(119)], "holds inf: an infinite value"),
        (np.full((120, 2), np.nan), "every label is missing"),
        (np.zeros((120, 0)), "no columns"),
        (np.zeros((120, 2, 2)), "3 dimensions"),
    ],
)
def test_labels_that_cannot_be_learned_are_refused(Y, said: str) -> None:
    with pytest.raises(DataError, match=said):
        make("br").fit(songs()[0], Y)


# ---- weights, jobs, seeds, scikit-learn -----------------------------------------------------


@pytest.mark.parametrize("name", ["br", "kcc", "bcc", "pacc", "occ", "cc-ldf"])
def test_integer_weights_are_repetition(name: str) -> None:
    X, Y = songs(17)
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    precise = LogisticRegression(tol=1e-10, max_iter=10_000)
    weighted = make(name, base_estimator=precise).fit(X, Y, sample_weight=weights)
    repeated = make(name, base_estimator=precise).fit(
        np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0)
    )
    if name != "pacc":  # its folds are of rows
        assert weighted.structure_.parents == repeated.structure_.parents
    for one, two in zip(weighted.features_.values(), repeated.features_.values(), strict=True):
        assert one.tolist() == two.tolist() or name == "pacc"
    if weighted.structure_.parents == repeated.structure_.parents:
        assert np.allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("name", ["kcc", "occ", "pacc-ldf"])
def test_the_number_of_jobs_changes_nothing(name: str) -> None:
    X, Y = songs(18)
    one, two = make(name, n_jobs=1).fit(X, Y), make(name, n_jobs=2).fit(X, Y)
    assert one.structure_ == two.structure_
    for a, b in zip(one.estimators_, two.estimators_, strict=True):
        assert (a.coef_ == b.coef_).all()


def test_the_seed_decides_what_is_random() -> None:
    X, Y = songs(19, q=4)
    orders = {make("cc", random_state=seed).fit(X, Y).order_ for seed in range(8)}
    assert len(orders) > 2
    assert (
        make("cc", random_state=5).fit(X, Y).order_ == make("cc", random_state=5).fit(X, Y).order_
    )
    forest = DecisionTreeClassifier(max_features=1)
    model = StructuredClassifier(base_estimator=forest, random_state=3)
    assert (model.fit(X, Y).predict(X) == clone(model).fit(X, Y).predict(X)).all()
    assert forest.random_state is None


def test_models_are_cloned_pickled_and_searched() -> None:
    X, Y = songs(20)
    model = make("occ", k=2).fit(X, Y)
    back = pickle.loads(pickle.dumps(model))
    assert (back.predict(X) == model.predict(X)).all()
    assert clone(model).get_params()["structure__k"] == 2
    search = GridSearchCV(
        make_pipeline(StandardScaler(), make("occ")),
        {"structuredclassifier__structure__k": [0, 2], "structuredclassifier__n": [2, 0.5]},
        cv=2,
    ).fit(X, Y)
    assert search.best_score_ > 0.2
    assert search.predict(X).shape == Y.shape


@pytest.mark.parametrize("name", ["br", "cc", "pcc"])
def test_the_default_base_learner_can_be_tuned(name: str) -> None:
    X, Y = songs(20)
    search = GridSearchCV(make(name), {"base_estimator__C": [0.01, 5.0]}, cv=2).fit(X, Y)
    assert search.best_estimator_.base_estimator.C in {0.01, 5.0}
    tuned = make(name).set_params(base_estimator__C=0.01)
    own = make(name, base_estimator=clone(tuned.base_estimator))
    assert (tuned.fit(X, Y).predict(X) == own.fit(X, Y).predict(X)).all()
    assert (tuned.predict_proba(X) != make(name).fit(X, Y).predict_proba(X)).any()
    with pytest.raises(ValueError, match="Invalid parameter 'D'"):
        make(name).set_params(base_estimator__D=1)


def test_what_is_no_learner_structure_or_inference_is_refused() -> None:
    X, Y = songs()
    for options, said in [
        ({"base_estimator": 3}, "base_estimator is a classifier"),
        ({"base_estimator": LogisticRegression}, "base_estimator is a classifier"),
        ({"structure": 3}, "structure is a learner"),
        ({"structure": "polytre"}, "did you mean 'polytree'"),
        ({"inference": 3}, "inference is one of"),
        ({"inference": Greedy}, "inference is one of"),
        ({"inference": BestFirst(), "base_estimator": LinearSVC()}, "needs probabilities"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"random_state": "a"}, "random_state"),
    ]:
        with pytest.raises((UsageError, UnknownName, ValueError), match=said):
            StructuredClassifier(**options).fit(X, Y)


def test_rows_with_other_columns_or_missing_values_are_refused() -> None:
    X, Y = songs()
    model = make("br").fit(X, Y)
    with pytest.raises(ValueError, match="8 features"):
        model.predict(X[:, :5])
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.predict(X)
    tree = StructuredClassifier(base_estimator=DecisionTreeClassifier()).fit(X, Y)
    assert tree.predict(X).shape == Y.shape


# ---- by name --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",  # what -ldf changes is the features of each label, alike in all
    [one for one in available() if not one.endswith("-ldf")] + ["pacc-ldf", "lift-ldf", "ecc-ldf"],
)
def test_every_name_learns_emotions(name: str) -> None:
    data = mlfs.read(shared_data("emotions/emotions.arff"))
    train, test = np.arange(0, 593, 3), np.arange(1, 593, 3)
    options = {"n_trees": 2} if name.startswith("mc-") or name == "mc" else {}
    options = {"n_estimators": 20} if name.startswith("br-forest") else options
    model = make(name, **options).fit(data.X[train], data.Y[train])
    predicted = model.predict(data.X[test])
    assert predicted.shape == (len(test), 6)
    assert 0.1 < model.score(data.X[test], data.Y[test]) < 0.6
    nothing = (data.Y[test] == 0).mean()
    assert (predicted == data.Y[test]).mean() > nothing + 0.02


def test_a_parameter_of_a_part_may_be_given_by_its_own_name() -> None:
    assert make("occ", k=3).structure.k == 3
    assert make("occ", C=0.1).base_estimator.C == 0.1
    assert make("eocc", C=0.1, n=0.2, rows=0.5).model.base_estimator.C == 0.1
    assert make("pacc-ldf", r=0.05).features.r == 0.05
    assert make("pcc", epsilon=0.25).inference.epsilon == 0.25
    swapped = make("occ", C=0.1, base_estimator=LogisticRegression())
    assert swapped.base_estimator.C == 0.1
    assert make("cc", order="given").structure.order == "given"
    assert make("OCC-LDF").n is None


def test_an_inference_may_be_given_by_its_name() -> None:
    X, Y = songs(22)
    by_name = StructuredClassifier("chain", inference="best-first").fit(X, Y)
    assert (by_name.predict(X) == make("pcc", order="random").fit(X, Y).predict(X)).all()
    assert hasattr(StructuredClassifier(inference="greedy"), "decision_function")
    model = make("pcc", inference="monte-carlo", loss="jaccard", n_samples=50)
    assert model.inference.get_params()["loss"] == "jaccard"
    assert model.fit(X, Y).predict(X).shape == Y.shape
    assert make("ecc", inference="beam", width=3).model.inference.width == 3
    assert make("ecc", structure="k_parents", k=2, C=3).model.structure.k == 2
    with pytest.raises(UnknownName, match="did you mean 'one_parent'"):
        make("cc", structure="one_paren")
    with pytest.raises(UnknownName, match="unknown inference 'bean': did you mean 'beam'"):
        make("pcc", inference="bean")
    with pytest.raises(UnknownName, match="did you mean 'beam'"):
        StructuredClassifier(inference="bean").fit(X, Y)


@pytest.mark.parametrize(
    ("name", "options", "error", "said"),
    [
        ("ooc", {}, UnknownName, "did you mean 'occ'"),
        ("occ", {"kk": 2}, UsageError, "has no parameter 'kk': did you mean 'k'"),
        ("occ", {"wings": 2}, UsageError, "has no parameter 'wings': it has C, "),
        (7, {}, UnknownName, "unknown model '7'"),
    ],
)
def test_a_name_or_parameter_that_is_unknown_is_refused(name, options, error, said) -> None:
    with pytest.raises(error, match=said):
        make(name, **options)


@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 1000), name=st.sampled_from([n for n in PLAIN if n not in {"mc", "mcc"}])
)
def test_whatever_the_data_predictions_are_labels(seed: int, name: str) -> None:
    draw = np.random.default_rng(seed)
    n, d, q = int(draw.integers(2, 25)), int(draw.integers(1, 6)), int(draw.integers(1, 5))
    X = draw.integers(0, 3, (n, d)).astype(float)
    Y = (draw.random((n, q)) < draw.random(q)).astype(float)
    if name not in SETS:
        Y[draw.random((n, q)) < 0.1] = np.nan
    if np.isnan(Y).all():
        return
    model = make(name).fit(X, Y)
    predicted = model.predict(X)
    assert predicted.shape == (n, q)
    assert set(np.unique(predicted)) <= {0, 1}
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(X)
        assert np.isfinite(proba).all()
        assert ((proba >= 0) & (proba <= 1)).all()


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000))
def test_the_order_of_the_labels_does_not_matter_without_structure(seed: int) -> None:
    X, Y = songs(seed, n=40)
    order = np.random.default_rng(seed).permutation(4)
    one = make("br").fit(X, Y).predict(X)
    two = make("br").fit(X, Y[:, order]).predict(X)
    assert (one[:, order] == two).all()


def test_chains_of_one_order_are_nested_in_each_other() -> None:
    X, Y = songs(21)
    full = StructuredClassifier(Chain("given")).fit(X, Y)
    all_parents = StructuredClassifier(KParents(k=4, order="given")).fit(X, Y)
    none = StructuredClassifier(KParents(k=0, order="given")).fit(X, Y)
    assert (full.predict(X) == all_parents.predict(X)).all()
    assert (none.predict(X) == make("br").fit(X, Y).predict(X)).all()


@pytest.mark.parametrize("name", ["br", "cc", "occ"])
def test_wide_indices_are_narrowed_for_liblinear(name: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.random((40, 6)) * (rng.random((40, 6)) < 0.5)
    Y = (X[:, :3] > 0.2).astype(int)
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    narrow = make(name).fit(sp.csr_array(X), Y)
    fitted = make(name).fit(wide, Y)
    assert wide.indices.dtype == np.int64
    assert fitted.predict(wide).tolist() == narrow.predict(X).tolist()


def test_probabilities_are_cross_validated() -> None:
    X, Y = songs()
    found = cross_val_predict(make("pcc"), X, Y, cv=2, method="predict_proba")
    halves = [slice(0, 60), slice(60, None)]
    wanted = [make("pcc").fit(X[a], Y[a]).predict_proba(X[b]) for b, a in (halves, halves[::-1])]
    assert np.allclose(found, np.vstack(wanted))


def test_no_number_of_jobs_is_refused() -> None:
    X, Y = songs(n=20)
    for n_jobs in (0, 1.5, True, "2"):
        with pytest.raises(UsageError, match="n_jobs is a number of threads"):
            make("br", n_jobs=n_jobs).fit(X, Y)


def test_the_reading_of_a_program_differs_from_the_paper() -> None:
    paper, program = make("pacc"), make("pacc", reading="program")
    assert (paper.structure.earlier, program.structure.earlier) == (None, 0.0005)
    assert program.structure.weights == "information"
    assert type(program.inference).__name__ == "Greedy"
    assert make("pacc", reading="program", earlier=0.1).structure.earlier == 0.1
    assert make("pacc", reading="program", features="ldf").features.parents is False
    assert make("pacc-ldf", reading="program").features.parents is False
    assert make("pacc-ldf", reading="paper").features.parents is True
    for name in ("ecc", "ebcc", "eocc"):
        members = make(name, reading="program")
        assert (members.rows, members.features, members.vote) == (0.5, 0.75, "half")
    with pytest.raises(UsageError, match="'cc' has one reading: two have pacc"):
        make("cc", reading="program")
    with pytest.raises(UsageError, match="reading is paper or program, not 'x'"):
        make("pacc", reading="x")
