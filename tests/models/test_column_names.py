"""Models compare the names of the columns of data sets and frames with those of training."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.svm import LinearSVC

import mlfs
from mlfs.errors import DataError
from mlfs.models import load, make, save


def songs() -> tuple[np.ndarray, np.ndarray]:
    """Eight features and four labels."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(120, 8)).round(3)
    return X, (X[:, :4] + 0.7 * draw.normal(size=(120, 4)) > 0).astype(int)


def named_songs(names: str) -> tuple[mlfs.Dataset, pd.DataFrame]:
    """The songs with one letter as the name of each feature, as a data set and a frame."""
    X, Y = songs()
    frame = pd.DataFrame(X[:, ["abcdefgh".index(name) for name in names]], columns=list(names))
    return mlfs.data.from_arrays(frame, Y), frame


@pytest.mark.parametrize("name", ["a", 1])
def test_two_columns_of_one_name_are_refused(name: Any) -> None:
    X, Y = songs()
    frame = pd.DataFrame(X[:, :2], columns=[name, name])
    with pytest.raises(DataError, match=f"^X has two columns named '{name}': rename one$"):
        make("br").fit(frame, Y)
    with pytest.raises(DataError, match="two columns named"):
        make("br").fit(X[:, :2], Y).predict(frame)


ANSWERS = ["predict", "predict_proba", "joint_log_proba"]


@pytest.mark.parametrize("method", ANSWERS)
@pytest.mark.parametrize("prepared", [False, True])
def test_a_data_set_has_the_columns_of_training(method: str, prepared: bool) -> None:
    def of(names: str) -> Any:
        return mlfs.prepare(named_songs(names)[0]) if prepared else named_songs(names)[0]

    model = make("pcc").fit(of("abcd"))
    answer = getattr(pickle.loads(pickle.dumps(model)), method)
    ask = answer if method != "joint_log_proba" else lambda rows: answer(rows, songs()[1])
    ask(of("abcd"))
    with pytest.raises(DataError, match="the column 'c' where training had 'b': put the columns"):
        ask(of("acbd"))
    with pytest.raises(DataError, match="the column 'e' where training had 'd': give the columns"):
        ask(of("abce"))
    with pytest.raises(DataError, match="X lacks the column 'd', which training had"):
        ask(of("abc"))
    with pytest.raises(DataError, match="the column 'e', which training did not have"):
        ask(of("abcde"))


def test_a_data_set_and_a_frame_are_compared_by_name() -> None:
    pa = pytest.importorskip("pyarrow")
    (data, frame), (other, other_frame) = named_songs("abcd"), named_songs("bacd")
    Y = songs()[1]
    of_data, of_frame = make("br").fit(data), make("br").fit(frame, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for one in (data, frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
            assert (of_data.predict(one) == of_frame.predict(frame)).all()
        assert (of_frame.predict(data) == of_frame.predict(frame)).all()
        assert (of_data.predict(frame.to_numpy()) == of_data.predict(frame)).all()
    for model, one in ((of_data, other_frame), (of_frame, other), (of_data, other)):
        with pytest.raises(DataError, match="the column 'b' where training had 'a': put the col"):
            model.predict(one)
    assert not hasattr(of_data, "feature_names_in_")
    assert (of_data.fit(other_frame, Y).predict(other) == of_data.predict(other_frame)).all()
    of_frame.fit(frame.to_numpy(), Y).predict(other)  # as arrays, which have no names


def test_columns_that_are_only_numbered_have_no_names() -> None:
    X, Y = songs()
    data, frame = named_songs("abcd")
    numbered = mlfs.data.from_arrays(X[:, :4], Y)
    expected = make("br").fit(data).predict(data)
    assert (make("br").fit(numbered).predict(data) == expected).all()
    assert (make("br").fit(data).predict(numbered) == expected).all()
    with pytest.warns(UserWarning, match="fitted without feature names"):
        make("br").fit(numbered).predict(frame)


def test_decisions_have_the_columns_of_training() -> None:
    data, other = named_songs("abcd")[0], named_songs("acbd")[0]
    machine = make("br", base_estimator=LinearSVC()).fit(data)
    with pytest.raises(DataError, match="the column 'c' where training had 'b'"):
        machine.decision_function(other)


def test_a_stored_model_knows_the_columns_of_its_data_set(tmp_path: Any) -> None:
    data, other = named_songs("abcd")[0], named_songs("acbd")[0]
    path = tmp_path / "model.mlfs"
    save(make("br").fit(data), path)
    model = load(path)
    assert (model.predict(data) == make("br").fit(data).predict(data)).all()
    with pytest.raises(DataError, match="the column 'c' where training had 'b'"):
        model.predict(other)


def test_a_frame_without_values_is_refused() -> None:
    data, frame = named_songs("abcd")
    with pytest.raises(DataError, match="X is a LazyFrame"):
        make("br").fit(data).predict(pl.from_pandas(frame).lazy())
