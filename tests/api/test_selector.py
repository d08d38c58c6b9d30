"""The scikit-learn door: the same answer as `mlfs.select` and the command, on any input."""

from __future__ import annotations

import json
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

import mlfs
from mlfs import DataError, FeatureSelector, UnknownName, UsageError, cli
from tests.shared import shared_data

CRITERIA = ["mim", "jmi", "scls", "mrmr", "mlfs_global", "mlfs_local", "mlig", "icap"]
SKLEARN = tuple(map(int, sklearn.__version__.split(".")[:2]))
FILES = ["emotions/emotions.arff", "yeast/yeast.arff"]


@pytest.fixture
def table():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, (90, 7)).astype(float)
    X[:, 1] = rng.normal(size=90)
    Y = np.column_stack([X[:, 2] > 0, X[:, 5] == 1, X[:, 2] + X[:, 5] > 2]).astype(int)
    return X, Y


@pytest.fixture
def mixed():
    """A pandas and a polars frame of the same columns of every kind, one of them dates."""
    rng = np.random.default_rng(6)
    n = 80
    columns = {
        "size": rng.normal(size=n).tolist(),
        "when": pd.date_range("2020-01-01", periods=n).to_pydatetime().tolist(),
        "colour": rng.choice(["red", "green", "blue"], n).tolist(),
        "name": rng.choice(np.array(["a", "b", None], dtype=object), n).tolist(),
        "count": [None if one == 4 else int(one) for one in rng.integers(0, 5, n)],
        "flag": rng.choice([True, False], n).tolist(),
    }
    frame = pd.DataFrame(columns).astype({"colour": "category", "count": "Int64"})
    Y = rng.integers(0, 2, (n, 3))
    return frame, pl.DataFrame(columns).cast({"colour": pl.Categorical}), Y


def same(selector, answer):
    assert selector.indices_.tolist() == list(answer.indices)
    assert selector.scores_.tobytes() == answer.scores.tobytes()
    assert selector.margins_.tobytes() == answer.margins.tobytes()
    for term, values in answer.terms.items():
        assert selector.score_terms_[term].tobytes() == values.tobytes()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_it_answers_as_select_does(name, criterion):
    data = mlfs.read(shared_data(name))
    selector = FeatureSelector(criterion, 6).fit(data.X, data.Y)
    answer = mlfs.select(data, criterion, 6)
    same(selector, answer)
    assert selector.selection_.to_dict()["data"] == answer.to_dict()["data"]
    own = list(answer.labels.values()) or [answer] * data.shape[2]
    for columns, ranking in zip(selector.label_indices_.values(), own, strict=True):
        assert columns.tolist() == list(ranking.indices)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("criterion", ["mim", "scls", "mlfs_global", "mlfs_local"])
def test_it_answers_as_the_command_does(name, criterion, capsys):
    path = shared_data(name)
    data = mlfs.read(path)
    assert cli.main(["select", "-c", criterion, "-n", "5", "--format", "json", str(path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    frame = pd.DataFrame(data.X, columns=data.feature_names)
    labels = pd.DataFrame(data.Y, columns=data.label_names)
    selector = FeatureSelector(criterion, 5).fit(frame, labels)
    assert selector.indices_.tolist() == [one["index"] for one in printed["selected"]]
    assert selector.scores_.tolist() == [one["score"] for one in printed["selected"]]
    assert frame.columns[selector.indices_].tolist() == [one["name"] for one in printed["selected"]]
    for term, values in selector.score_terms_.items():
        assert values.tolist() == [one["terms"][term] for one in printed["selected"]]
    for subset in printed.get("labels", ()):
        columns = selector.label_indices_[subset["name"]]
        assert columns.tolist() == [one["index"] for one in subset["selected"]]


def test_nominal_columns_of_a_file_are_reported():
    data = mlfs.read(shared_data("genbase/genbase.arff"))
    nominal = [column.kind == "nominal" for column in data.columns]
    selector = FeatureSelector("jmi", 5, categorical_features=nominal)
    with pytest.warns(UserWarning, match="another value in every row"):  # the names of proteins
        selector.fit(data.X, data.Y)
    same(selector, mlfs.select(data, "jmi", 5))


@pytest.mark.parametrize(
    "make",
    [
        lambda X: X,
        lambda X: X.astype(np.float32).astype(np.float64),
        np.asfortranarray,
        lambda X: X.tolist(),
        lambda X: X.astype(object),
        sp.csr_array,
        sp.csc_array,
        sp.csr_matrix,
        sp.csc_matrix,
        sp.coo_array,
        pd.DataFrame,
        lambda X: pd.DataFrame(X).convert_dtypes(),
        lambda X: pl.DataFrame(X, schema=[f"f{j}" for j in range(X.shape[1])]),
    ],
)
@pytest.mark.parametrize("criterion", ["jmi", "mlfs_local"])
def test_every_kind_of_x_gives_the_same_answer(table, make, criterion):
    X, Y = table
    X[:, 1] = np.round(X[:, 1])
    X = X.astype(np.float32).astype(np.float64)
    selector = FeatureSelector(criterion, 3).fit(make(X), Y)
    same(selector, mlfs.select((X, Y), criterion, 3))
    kept = selector.transform(make(X))
    assert sp.issparse(kept) == sp.issparse(make(X))
    dense = kept.toarray() if sp.issparse(kept) else kept
    assert np.array_equal(dense.astype(float), X[:, selector.support_])


@pytest.mark.parametrize(
    "make",
    [
        lambda Y: Y.astype(bool),
        lambda Y: Y.astype(float),
        lambda Y: 2 * Y - 1,
        lambda Y: Y.tolist(),
        lambda Y: pd.DataFrame(Y, columns=list("abc")),
        lambda Y: pl.DataFrame(Y, schema=list("abc")),
        sp.csr_array,
        sp.csc_matrix,
        lambda Y: [{j for j, held in enumerate(row) if held} for row in Y],
        lambda Y: [["abc"[j] for j, held in enumerate(row) if held] for row in Y],
    ],
)
def test_every_kind_of_y_gives_the_same_answer(table, make):
    X, Y = table
    same(FeatureSelector("mdmr", 4).fit(X, make(Y)), mlfs.select((X, Y), "mdmr", 4))


@pytest.mark.parametrize(
    "make",
    [
        lambda y: y.reshape(-1, 1),
        lambda y: np.where(y == 1, "yes", "no"),
        lambda y: pd.Series(y, name="sad"),
        lambda y: pd.Series(y).astype("category"),
        lambda y: y.tolist(),
        lambda y: np.where(y == 1, 7, 3),
    ],
)
def test_one_label(table, make):
    X, Y = table
    same(FeatureSelector("cmim", 3).fit(X, make(Y[:, 0])), mlfs.select((X, Y[:, :1]), "cmim", 3))


def test_classes(table):
    X, Y = table
    y = Y.sum(axis=1)
    one = FeatureSelector("jmi", 3).fit(X, y)
    assert (
        one.scores_.tobytes() == FeatureSelector("jmi", 3).fit(X, y.astype(str)).scores_.tobytes()
    )
    with pytest.raises(DataError, match="classes=True"):
        FeatureSelector("jmi", 3).fit(X, np.column_stack([y, Y]))
    many = FeatureSelector("jmi", 3, classes=True).fit(X, np.column_stack([y, Y]))
    assert len(many.label_indices_) == 4
    with pytest.raises(DataError, match="Unknown label type"):
        FeatureSelector().fit(X, X[:, 1])


def test_what_is_fitted(table):
    X, Y = table
    selector = FeatureSelector("jmi", 3).fit(pd.DataFrame(X).add_prefix("f"), Y)
    assert selector.n_features_ == 3
    assert selector.n_features_in_ == 7
    assert selector.support_.sum() == 3
    assert selector.ranking_[selector.indices_].tolist() == [1, 2, 3]
    assert (selector.ranking_[~selector.support_] == 4).all()
    assert selector.get_support(indices=True).tolist() == sorted(selector.indices_.tolist())
    names = [f"f{j}" for j in sorted(selector.indices_.tolist())]
    assert selector.get_feature_names_out().tolist() == names
    terms = selector.score_terms_
    parts = terms["relevance"] + terms["label_correlation"] - terms["redundancy"]
    assert np.allclose(parts, selector.scores_)
    assert len(selector.binnings_) == 7
    assert selector.ties_ == ((), (), ())
    assert list(selector.label_indices_) == ["y0", "y1", "y2"]
    assert selector.label_indices_["y1"].tolist() == selector.indices_.tolist()


def test_the_number_is_automatic_by_default(table):
    X, Y = table
    assert FeatureSelector().fit(X, Y).n_features_ == 2
    assert FeatureSelector(n_features_to_select=0.3).fit(X, Y).n_features_ == 2


def test_subsets_for_each_label(table):
    X, Y = table
    selector = FeatureSelector("jmi", 1, per_label=True).fit(X, Y)
    assert selector.label_indices_["y0"].tolist() == [2]
    assert selector.label_indices_["y1"].tolist() == [5]
    union = {j for columns in selector.label_indices_.values() for j in columns.tolist()}
    assert set(selector.indices_.tolist()) == union == set(np.flatnonzero(selector.support_))
    assert FeatureSelector("mlfs_local", 2).fit(X, Y).network_ is not None


def test_ties_and_groups(table):
    X, Y = table
    twin = FeatureSelector("mim", 1).fit(np.column_stack([X[:, 2], X[:, 2]]), Y)
    assert twin.indices_.tolist() == [0]
    assert twin.ties_ == ((1,),)
    block = FeatureSelector("mim", 1, groups={"block": ["x2", 5]}).fit(X, Y)
    assert block.indices_.tolist() == [2, 5]
    assert block.ranking_[[2, 5]].tolist() == [1, 1]
    assert block.ranking_[0] == 2


def test_include_exclude_start(table):
    X, Y = table
    full = FeatureSelector("jmi", 4).fit(X, Y)
    start = FeatureSelector("jmi", 2).fit(X, Y)
    for begun in (start.selection_, start.indices_, start.selection_.to_dict()):
        assert mlfs.select((X, Y), "jmi", 4, start=begun).indices == tuple(full.indices_)
    forced = FeatureSelector("jmi", 3, include=["x6"], exclude=[2]).fit(X, Y)
    assert forced.indices_[0] == 6
    assert 2 not in forced.indices_


@pytest.mark.filterwarnings("ignore:column .* is left out of X")
def test_frames_of_every_kind_of_column(mixed):
    pandas, polars, Y = mixed
    one = FeatureSelector("jmi", 5, categorical_features=["count"]).fit(pandas, Y)
    two = FeatureSelector("jmi", 5, categorical_features=[4]).fit(polars, Y)
    assert one.indices_.tolist() == two.indices_.tolist()
    assert one.scores_.tobytes() == two.scores_.tobytes()
    assert sorted(one.indices_.tolist()) == [0, 2, 3, 4, 5]
    assert any("'when'" in note for note in one.notes_)
    assert one.transform(pandas).shape == two.transform(polars).shape == (80, 5)
    assert one.get_feature_names_out().tolist() == ["size", "colour", "name", "count", "flag"]
    mask = [name == "count" for name in pandas]
    masked = FeatureSelector("jmi", 5, categorical_features=mask).fit(pandas, Y)
    assert masked.scores_.tobytes() == one.scores_.tobytes()


@pytest.mark.filterwarnings("ignore:column .* is left out of X")
def test_frames_become_arrays_of_what_they_hold(mixed):
    pandas, polars, Y = mixed
    for frame in (pandas, polars):
        numbers = FeatureSelector("mim", 3, include=["size", "count", "flag"]).fit(frame, Y)
        kept = numbers.transform(frame)
        assert kept.dtype == np.float64
        assert np.isnan(kept[:, 1]).sum() == pandas["count"].isna().sum()
        texts = FeatureSelector("mim", 2, include=["name", "count"]).fit(frame, Y).transform(frame)
        assert texts.dtype == object
        assert {str(cell) for cell in texts[:, 0]} <= {"a", "b", "nan", "None"}
    sparse = pd.DataFrame.sparse.from_spmatrix(sp.csr_array(np.eye(6))).add_prefix("f")
    kept = FeatureSelector("mim", 2).fit(sparse, [0, 1, 0, 1, 0, 1]).transform(sparse)
    assert sp.issparse(kept)
    assert kept.shape == (6, 2)


def test_columns_keep_their_types_in_frames_of_the_other_library():
    pandas = pd.DataFrame(
        {
            "count": pd.array([1, None, 2, 1], dtype="Int64"),
            "colour": pd.Categorical(["red", None, "blue", "red"]),
            "flag": pd.array([True, None, False, True], dtype="boolean"),
        }
    )
    selector = FeatureSelector("mim", 3).fit(pandas, [0, 1, 0, 1])
    polars = selector.set_output(transform="polars").transform(pandas)
    kinds = [str(dtype).partition("(")[0] for dtype in polars.dtypes]
    assert kinds == ["Int64", "Categorical", "Boolean"]
    assert polars.null_count().row(0) == (1, 1, 1)
    back = selector.set_output(transform="pandas").transform(polars)
    assert [str(dtype) for dtype in back.dtypes] == ["Int64", "category", "boolean"]
    assert back.isna().sum().tolist() == [1, 1, 1]


def test_a_lazy_frame_is_refused_in_a_sentence():
    lazy = pl.LazyFrame({"a": [0, 1, 0, 1]})
    with pytest.raises(DataError, match="LazyFrame"):
        FeatureSelector("mim", 1).fit(lazy, [0, 1, 0, 1])
    with pytest.raises(DataError, match="LazyFrame"):
        FeatureSelector("mim", 1).fit(lazy.collect(), lazy)
    with pytest.raises(DataError, match="LazyFrame"):
        FeatureSelector("mim", 1).fit(lazy.collect(), [0, 1, 0, 1]).transform(lazy)


@pytest.mark.filterwarnings("ignore:column .* is left out of X")
def test_columns_that_are_no_features_shift_no_position(mixed):
    pandas, _, Y = mixed
    selector = FeatureSelector("mim", 3, include=[5, 2], exclude=["when", 0]).fit(pandas, Y)
    assert selector.indices_[:2].tolist() == [5, 2]
    assert 0 not in selector.indices_
    grouped = FeatureSelector("mim", 1, groups=[None, None, "g", None, "g", None]).fit(pandas, Y)
    assert grouped.indices_.tolist() == [2, 4]
    named = FeatureSelector("mim", 1, groups={"g": ["colour", 4]}).fit(pandas, Y)
    assert named.indices_.tolist() == [2, 4]
    for option in ({"include": ["when"]}, {"groups": {"g": ["when", "size"]}}):
        with pytest.raises(UsageError, match="'when', which cannot be a feature"):
            FeatureSelector("mim", 2, **option).fit(pandas, Y)
    with pytest.raises(UsageError, match="2 entries for 6 columns"):
        FeatureSelector("mim", 2, groups=["a", "b"]).fit(pandas, Y)


@pytest.mark.filterwarnings("ignore:column .* is left out of X")
@pytest.mark.parametrize("wanted", ["pandas", "polars"])
def test_set_output(mixed, wanted):
    pandas, polars, Y = mixed
    library = {"pandas": pd, "polars": pl}[wanted]
    for frame in (pandas, polars, pandas.to_numpy()):
        selector = FeatureSelector("jmi", 5).set_output(transform=wanted)
        kept = selector.fit_transform(frame, Y)
        assert isinstance(kept, library.DataFrame)
        assert list(kept.columns) == selector.get_feature_names_out().tolist()
        assert kept.shape == (80, 5)
    own = {"pandas": pandas, "polars": polars}[wanted]
    kept = FeatureSelector("jmi", 5).set_output(transform=wanted).fit(own, Y).transform(own)
    assert all(kept[name].dtype == own[name].dtype for name in kept.columns)
    X = sp.csr_array(np.eye(4))
    selector = FeatureSelector().set_output(transform=wanted).fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="sparse"):
        selector.transform(X)


def test_the_index_of_a_frame_is_kept(table):
    X, Y = table
    frame = pd.DataFrame(X, index=np.arange(90) + 1000).add_prefix("f")
    kept = FeatureSelector().set_output(transform="pandas").fit(frame, Y).transform(frame)
    assert kept.index.equals(frame.index)


def test_transform_refuses_other_columns(table):
    X, Y = table
    frame = pd.DataFrame(X).add_prefix("f")
    selector = FeatureSelector().fit(frame, Y)
    with pytest.raises(ValueError, match="same order"):
        selector.transform(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="6 features"):
        FeatureSelector().fit(X, Y).transform(X[:, 1:])


def test_missing_values(table):
    X, Y = table
    X[::7, 2] = np.nan
    one = FeatureSelector("jmi", 3).fit(X, Y)
    same(one, mlfs.select((X, Y), "jmi", 3))
    kept = one.transform(X)
    assert np.isnan(kept).sum() == np.isnan(X[:, one.support_]).sum()
    back = one.inverse_transform(kept)
    assert np.array_equal(back[:, one.support_], kept, equal_nan=True)
    assert not back[:, ~one.support_].any()
    with pytest.raises(DataError, match="missing='level'"):
        FeatureSelector(missing="error").fit(X, Y)


@pytest.mark.filterwarnings("ignore:column .* is left out of X")
def test_inverse_transform(table, mixed):
    X, Y = table
    selector = FeatureSelector(n_features_to_select=3).fit(sp.csr_array(X), Y)
    back = selector.inverse_transform(selector.transform(sp.csr_array(X)))
    assert sp.issparse(back)
    assert np.array_equal(back.toarray(), np.where(selector.support_, X, 0))
    with pytest.raises(DataError, match="3 features are selected"):
        selector.inverse_transform(X)
    frame, _, labels = mixed
    texts = FeatureSelector(n_features_to_select=5).fit(frame, labels)
    assert texts.inverse_transform(texts.transform(frame)).shape == (80, 6)


def test_nothing_selected():
    X, y = np.ones((8, 3)), np.arange(8) % 2
    selector = FeatureSelector("scls", 2).fit(X, y)
    assert selector.n_features_ == 0
    assert selector.ranking_.tolist() == [1, 1, 1]
    for given in (X, pd.DataFrame(X).add_prefix("f"), pl.DataFrame(X)):
        fitted = FeatureSelector("scls", 2).fit(given, y)
        with pytest.warns(UserWarning, match="no feature is selected"):
            assert fitted.transform(given).shape[1] == 0


def test_weights_equal_repetition(table):
    X, Y = table
    weights = np.random.default_rng(0).integers(0, 4, 90)
    one = FeatureSelector("jmi", 4).fit(X, Y, sample_weight=weights)
    two = FeatureSelector("jmi", 4).fit(np.repeat(X, weights, 0), np.repeat(Y, weights, 0))
    assert one.scores_.tobytes() == two.scores_.tobytes()
    assert one.scores_.tobytes() != FeatureSelector("jmi", 4).fit(X, Y).scores_.tobytes()


def test_routing_of_weights(table):
    X, Y = table
    weights = np.random.default_rng(0).integers(1, 4, 90)
    expected = FeatureSelector("jmi", 3).fit(X, Y, sample_weight=weights).scores_
    tree = DecisionTreeClassifier(random_state=0)
    steps = [("select", FeatureSelector("jmi", 3)), ("model", tree)]
    plain = Pipeline(steps).fit(X, Y, select__sample_weight=weights)
    assert plain[0].scores_.tobytes() == expected.tobytes()
    with sklearn.config_context(enable_metadata_routing=True):
        tree.set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
        steps[0][1].set_fit_request(sample_weight=True)
        routed = Pipeline(steps).fit(X, Y, sample_weight=weights)
        assert routed[0].scores_.tobytes() == expected.tobytes()
        if SKLEARN < (1, 9):  # it asks Pipeline.score for a request that a user cannot make
            return
        grid = GridSearchCV(Pipeline(steps), {"select__criterion": ["mim", "jmi"]}, cv=2)
        searched = grid.fit(X, Y, sample_weight=weights)
        refitted = FeatureSelector(searched.best_params_["select__criterion"], 3)
        refitted.fit(X, Y, sample_weight=weights)
        best = searched.best_estimator_[0]
        assert best.scores_.tobytes() == refitted.scores_.tobytes()
        done = cross_validate(Pipeline(steps), X, Y, params={"sample_weight": weights})
        assert np.isfinite(done["test_score"]).all()
        steps[0][1].set_fit_request(sample_weight=False)
        unweighted = Pipeline(steps)
        tree.set_fit_request(sample_weight=True)
        unweighted.fit(X, Y, sample_weight=weights)
        same(unweighted[0], mlfs.select((X, Y), "jmi", 3))


def test_grid_search_and_cross_validation(table):
    X, Y = table
    model = MultiOutputClassifier(GaussianNB())
    steps = Pipeline([("select", FeatureSelector()), ("model", model)])
    grid = {
        "select__criterion": ["mim", "scls", "mlfs_local"],
        "select__n_features_to_select": [1, 2, 0.5],
    }
    one = GridSearchCV(steps, grid, cv=3, error_score="raise").fit(X, Y)
    two = GridSearchCV(steps, grid, cv=3, error_score="raise", n_jobs=2).fit(X, Y)
    assert (
        one.cv_results_["mean_test_score"].tobytes() == two.cv_results_["mean_test_score"].tobytes()
    )
    assert one.best_params_["select__n_features_to_select"] in (2, 0.5)
    betas = [{"select__criterion": ["mlfs_global"], "select__parameters": [{"beta": 0.5}, None]}]
    GridSearchCV(steps, betas, cv=2, error_score="raise").fit(X, Y)
    assert cross_validate(steps, X, sp.csr_array(Y).toarray(), cv=3)["test_score"].shape == (3,)


def test_own_criterion(table):
    X, Y = table

    class Twice(mlfs.Criterion):
        def __init__(self, factor=2.0):
            self.factor = factor

        def relevance(self, info):
            return self.factor * info.mi_fL

    plain = FeatureSelector("mim", 2).fit(X, Y)
    for given, factor in ((Twice, 2), (Twice(3.0), 3)):
        own = clone(FeatureSelector(given, 2)).fit(X, Y)
        assert own.indices_.tolist() == plain.indices_.tolist()
        assert np.allclose(own.scores_, factor * plain.scores_)


@pytest.mark.parametrize("criterion", ["jmi", "mlfs_local"])
def test_clone_and_pickle(table, criterion, tmp_path):
    X, Y = table
    selector = FeatureSelector(criterion, 3, include=["x1"], random_state=3).fit(X, Y)
    again = pickle.loads(pickle.dumps(selector))
    assert np.array_equal(again.transform(X), selector.transform(X))
    assert again.selection_.to_dict() == selector.selection_.to_dict()
    joblib.dump(selector, tmp_path / "selector")
    assert joblib.load(tmp_path / "selector").indices_.tolist() == selector.indices_.tolist()
    assert clone(selector).get_params() == selector.get_params()
    assert "support_" not in vars(clone(selector))


def test_threads_do_not_matter(table):
    X, Y = table
    expected = FeatureSelector("jmi", 4).fit(X, Y).scores_.tobytes()
    for n_jobs in (1, 2, -1):
        assert FeatureSelector("jmi", 4, n_jobs=n_jobs).fit(X, Y).scores_.tobytes() == expected
    for backend in ("threading", "loky", "multiprocessing"):
        with joblib.parallel_config(backend, n_jobs=2):
            assert FeatureSelector("jmi", 4).fit(X, Y).scores_.tobytes() == expected
    fits = joblib.Parallel(n_jobs=2, backend="threading")(
        joblib.delayed(FeatureSelector("jmi", 4, n_jobs=2).fit)(X, Y) for _ in range(4)
    )
    assert {fit.scores_.tobytes() for fit in fits} == {expected}


def test_the_number_of_features_may_be_found(table):
    X, Y = table
    one = FeatureSelector("jmi", "auto", random_state=np.random.RandomState(0)).fit(X, Y)
    two = FeatureSelector("jmi", "auto", random_state=None).fit(X, Y)
    assert set(one.indices_.tolist()) == set(two.indices_.tolist()) == {2, 5}


def test_verbose_tells_on_stderr(table, capsys):
    X, Y = table
    FeatureSelector("jmi", 2, verbose=True, groups={"g": [2, 5]}).fit(X, Y)
    FeatureSelector("jmi", 1, verbose=1, per_label=True).fit(X * [1, 1, 1, 0, 1, 1, 1], Y)
    printed = capsys.readouterr()
    assert not printed.out
    assert "pick 1: x2, x5\n" in printed.err
    assert "pick 2 for y1: x5\n" in printed.err
    assert "constant" in printed.err
    FeatureSelector("jmi", 2).fit(X, Y)
    assert not capsys.readouterr().err


def test_interrupted(table, monkeypatch):
    """Ctrl-C ends the program, a grid search too, and leaves the picks so far."""
    X, Y = table

    def stop(self, label, pick):
        self.n_picks += 1
        if self.n_picks == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("mlfs.api.selector.PickReport.__call__", stop)
    selector = FeatureSelector("jmi", 4, verbose=True)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, Y)
    full = FeatureSelector("jmi", 4).fit(X, Y)
    assert 1 <= selector.n_features_ <= 2
    assert selector.indices_.tolist() == full.indices_[: selector.n_features_].tolist()


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"criterion": "sclz"}, UnknownName, "did you mean 'scls'"),
        ({"n_features_to_select": 0}, UsageError, "at least one"),
        ({"n_features_to_select": 8}, UsageError, "n_features_to_select is 8, but there are 7"),
        ({"n_features_to_select": 1.5}, UsageError, "a share of the features lies in"),
        ({"n_features_to_select": "most"}, UsageError, "'most'"),
        ({"per_label": "yes"}, UsageError, "per_label is True or False, not 'yes'"),
        ({"parameters": [1]}, UsageError, "parameters is a mapping"),
        ({"parameters": {"beta": 1}}, UsageError, "no parameter 'beta'"),
        ({"include": 3.5}, UsageError, "include is names, globs or numbers"),
        ({"include": ["zz"]}, UnknownName, "'zz'"),
        ({"include": [9]}, UsageError, "column 9"),
        ({"groups": 3}, UsageError, "groups is"),
        ({"bins": 3}, UsageError, "bins is the name"),
        ({"nominal_limit": "a"}, UsageError, "nominal_limit is a whole number"),
        ({"n_jobs": 0}, UsageError, "n_jobs"),
        ({"random_state": "a"}, UsageError, "random_state"),
        ({"random_state": -1}, UsageError, "random_state"),
        ({"categorical_features": [True]}, UsageError, "mask of shape"),
        ({"categorical_features": ["q"]}, UnknownName, "categorical_features 'q'"),
    ],
)
def test_wrong_options(table, options, kind, said):
    X, Y = table
    with pytest.raises(kind, match=said):
        FeatureSelector(**options).fit(X, Y)


def test_wrong_data(table):
    X, Y = table
    for x, y, said in (
        (X, None, "requires y"),
        (X[:, :0], Y, "0 feature"),
        (X[:, 0], Y, "Reshape your data"),
        (X, Y[:5], "90 rows and Y has 5"),
        ([[1, 2], [3]], [0, 1], "differ in length"),
        (np.where(X == 2, np.inf, X), Y, "inf"),
    ):
        selector = FeatureSelector()
        with pytest.raises(DataError, match=said):
            selector.fit(x, y)
        assert not vars(selector).keys() - selector.get_params().keys()
    with pytest.raises(DataError, match="weight"):
        FeatureSelector().fit(X, Y, sample_weight=[1, 2])
