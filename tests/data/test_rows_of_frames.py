"""Rows that may be something else than they seem: label sets of numbers, frames of other order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mlfs
from mlfs.data.arrays import from_arrays

X = np.arange(8.0).reshape(4, 2)


def test_what_may_be_a_table_stays_one() -> None:
    assert from_arrays(X, [[0, 1], [0, 1], [0, 1], [0, 1]]).label_names == ["y0", "y1"]
    classes = from_arrays(X, [[1, 2], [0, 5], [2, 5], [0, 1]], classes=True)
    assert classes.label_names == ["y0", "y1"]


@pytest.mark.parametrize("y", [[[1, 2], [0, 5], [2, 5], [0, 1]], [[3], [5], [2], [5]]])
def test_whole_numbers_in_lists_are_refused_with_both_ways_out(y: list[list[int]]) -> None:
    with pytest.raises(mlfs.DataError) as caught:
        from_arrays(X, y)
    assert "for labels of several classes ask for classes (classes=True)" in str(caught.value)
    assert "for label sets write each row as a set, such as {3, 7}" in str(caught.value)
    with pytest.raises(mlfs.DataError) as caught:
        from_arrays(X, np.array(y))
    assert "set" not in str(caught.value)


def test_rows_of_other_names_are_refused() -> None:
    frame = pd.DataFrame(X, columns=["a", "b"])
    labels = pd.DataFrame({"l": [0, 1, 0, 1]}, index=[0, 2, 1, 3])
    message = r"the index of X differs from that of Y, first in row 2 \(1 and 2\): give Y\.loc"
    for y in (labels, labels["l"]):
        with pytest.raises(mlfs.DataError, match=message):
            from_arrays(frame, y)
        with pytest.raises(mlfs.DataError, match=message):
            mlfs.FeatureSelector("mim", 1).fit(frame, y)
    assert not from_arrays(frame, labels.loc[frame.index]).notes
    assert not from_arrays(frame, labels.to_numpy()).notes


def test_the_transformer_warns_of_dates_and_constant_labels() -> None:
    frame = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=4), "a": [0, 1, 0, 1]})
    with pytest.warns(UserWarning, match="column 'day' is left out of X"):
        mlfs.FeatureSelector("mim", 1).fit(frame, [0, 1, 0, 1])
    with pytest.warns(UserWarning, match="1 label constant, telling nothing: 'y1'"):
        mlfs.FeatureSelector("mim", 1).fit(X, [[0, 1], [1, 1], [0, 1], [1, 1]])


def test_a_frame_of_one_column_may_hold_classes_as_a_series_may() -> None:
    words = pd.Series(["a", "b", "c", "a"], name="kind")
    frame = pd.DataFrame(X, columns=["a", "b"])
    one, other = from_arrays(frame, words), from_arrays(frame, words.to_frame())
    assert one.labels == other.labels
    np.testing.assert_array_equal(one.Y, other.Y)
