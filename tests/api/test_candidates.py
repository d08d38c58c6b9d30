"""Which columns may be picked, must be picked, or are picked together."""

from __future__ import annotations

import numpy as np
import pytest

from mlfs import UnknownName, UsageError
from mlfs.api.candidates import Grouping, columns_named, grouping
from mlfs.api.prepared import prepare
from mlfs.counting.codes import Codes
from tests import naive
from tests.problems import columns

NAMES = ["red", "green", "blue", "size", "re*", "size[cm]"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ((), []),
        ([], []),
        ("size", [3]),
        (2, [2]),
        (np.int64(2), [2]),
        (["blue", "red"], [2, 0]),
        (["blue", 0, "blue", 2], [2, 0]),
        ("*e*", [0, 1, 2, 3, 4, 5]),
        ("?e*", [0, 4]),
        ("[rg]*", [0, 1, 4]),
        ("re*", [4]),  # a name comes before a glob
        ("size[cm]", [5]),
        (["size", "*"], [3, 0, 1, 2, 4, 5]),
        (np.array([1, 0]), [1, 0]),
        (np.array(["red"]), [0]),
    ],
)
def test_columns_are_found_by_name_glob_and_number(wanted, found):
    assert columns_named(wanted, NAMES, "include") == found


def test_a_column_that_is_called_like_a_number_is_found_by_its_text():
    assert columns_named("1", ["5", "1", "0"], "include") == [1]
    assert columns_named(1, ["1", "5", "0"], "include") == [1]


@pytest.mark.parametrize("wanted", [-1, 6, [0, 99]])
def test_a_column_out_of_range_is_refused(wanted):
    with pytest.raises(UsageError, match="but the columns are 0 to 5"):
        columns_named(wanted, NAMES, "exclude")


@pytest.mark.parametrize("wanted", ["gren", ["red", "gren"]])
def test_an_unknown_column_is_refused_with_a_guess(wanted):
    with pytest.raises(UnknownName) as error:
        columns_named(wanted, NAMES, "exclude")
    assert str(error.value) == "unknown feature in exclude 'gren': did you mean 'green'?"


@pytest.mark.parametrize("wanted", ["Red", "zz*", True, [None], 1.5, object()])
def test_what_names_no_column_is_refused_in_a_sentence(wanted):
    with pytest.raises((UsageError, UnknownName), match="include"):
        columns_named(wanted, NAMES, "include")


def test_every_column_on_its_own():
    plain = grouping(None, ["a", "b"])
    assert plain == Grouping(((0,), (1,)), ("", ""))
    assert plain.trivial
    assert grouping({}, ["a", "b"]) == plain
    assert grouping({"g": []}, ["a", "b"]) == plain
    assert grouping([None, ""], ["a", "b"]) == plain


def test_groups_stand_where_their_first_column_stands():
    names = ["a", "b", "c", "d"]
    by_name = grouping({"g": ["d", "b"]}, names)
    assert by_name == Grouping(((0,), (1, 3), (2,)), ("", "g", ""))
    assert not by_name.trivial
    assert grouping([None, "g", "", "g"], names) == by_name
    assert grouping(np.array(["", "g", "", "g"]), names) == by_name
    assert by_name.candidates([3, 0, 1]) == [1, 0]


def test_a_group_may_be_called_as_a_column():
    assert grouping({"a": ["b", "c"]}, ["a", "b", "c"]).members == ((0,), (1, 2))
    assert grouping(["c1", None, "c1"], ["x", "y", "z"]).members == ((0, 2), (1,))
    assert grouping({1: ["x"], 2: ["y"]}, ["x", "y"]).names == ("1", "2")


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        (
            {"g": ["a"], "h": ["b", "a"]},
            "the column 'a' is in the groups 'g' and 'h'",
        ),
        (["g"], "groups has 1 entries for 3 columns: give one each"),
        ({"g": ["a"], "h": [7]}, "the group 'h' names column 7"),
        (5, "groups"),
        ({"g": None}, "group 'g'"),
    ],
)
def test_groups_that_make_no_sense_are_refused(groups, sentence):
    with pytest.raises(UsageError, match=sentence):
        grouping(groups, ["a", "b", "c"])


def test_a_group_of_an_unknown_column_is_refused():
    with pytest.raises(UnknownName, match="unknown feature in the group 'g' 'z'"):
        grouping({"g": ["z"]}, ["a", "b", "c"])


def joined(X, groups, missing):
    """The columns of X, those of a group as one column of pairs."""
    out = []
    for members in groups:
        values = zip(*(X[j] for j in members), strict=True)
        joint = [value if len(members) > 1 else value[0] for value in values]
        whole = [None in value if isinstance(value, tuple) else value is None for value in joint]
        out.append(
            tuple(None if w and missing is None else v for v, w in zip(joint, whole, strict=True))
        )
    return out


@pytest.mark.parametrize("seed", range(4))
def test_a_group_tells_what_its_columns_tell_together(seed):
    """A missing value is a level, which hides nothing of the others."""
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, (30, 5)).astype(float), rng.integers(0, 2, (30, 2))
    X[rng.random(X.shape) < 0.2] = np.nan
    groups = {"g": [0, 3], "h": [1, 4]}
    info = prepare((X, Y), groups=groups).info
    level = "level"
    members = grouping(groups, list("abcde")).members
    X_joint, labels = joined(columns(X, level), members, level), columns(Y, None)
    for f in range(3):
        assert info.mi_fL[f] == pytest.approx(naive.R(f, X_joint, labels), abs=1e-9)
        assert info.cmi_fL_given_s(0)[f] == pytest.approx(
            sum(naive.I(X_joint[f], l, X_joint[0]) for l in labels), abs=1e-9
        )


def test_an_empty_column_takes_nothing_from_its_group():
    X = np.array([[np.nan, 0], [np.nan, 1], [np.nan, 0], [np.nan, 1]])
    info = prepare((X, X[:, [1]]), groups={"g": [0, 1]}).info
    assert info.mi_fL[0] == pytest.approx(np.log(2))


def test_a_group_of_all_columns_tells_the_rows_apart():
    X = np.array([[a, b] for a in range(3) for b in range(4)])
    codes = grouping(["g", "g"], ["a", "b"]).merged(Codes.from_dense(X))
    assert len(codes) == 1
    assert codes.levels.tolist() == [12]
    assert sorted(codes.column(0).tolist()) == list(range(12))
