import datetime as dt
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import mlfs
import mlfs.models
from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Column
from mlfs.errors import DataError, UsageError
from tests.any_dataset import assert_same, dense

nan = np.nan
BOOLEAN = ("False", "True")
MATRIX = np.array([[0.0, 1, 2], [3, 0, 0], [0, 0, nan]])


def refused(*args, **options):
    with pytest.raises((DataError, UsageError)) as caught:
        from_arrays(*args, **options)
    return str(caught.value)


# X


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.float32, np.float16, np.longdouble])
def test_numbers_of_any_type_are_numeric(kind):
    data = from_arrays(np.array([[1, 2], [3, 0]], dtype=kind))
    assert data.X.dtype == np.float64
    assert data.X.tolist() == [[1, 2], [3, 0]]
    assert data.columns == (Column("x0"), Column("x1"))
    assert data.Y.shape == (2, 0)


def test_a_dense_float_matrix_is_not_copied():
    assert np.shares_memory(from_arrays(MATRIX).X, MATRIX)


@pytest.mark.parametrize(
    "make",
    [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.csc_matrix, sp.coo_matrix,
     sp.lil_array, sp.dok_array],
)  # fmt: skip
def test_sparse_stays_sparse_and_says_the_same_as_dense(make):
    data = from_arrays(make(MATRIX))
    assert isinstance(data.X, sp.csr_array)
    assert data.X.nnz == 4
    assert_same(data, from_arrays(MATRIX))


def test_sparse_input_is_left_as_it_was():
    x = sp.csr_array((np.array([0.0, 2.0, 3.0]), np.array([1, 0, 0]), np.array([0, 3])), (1, 2))
    data = from_arrays(x)
    assert data.X.toarray().tolist() == [[5, 0]]
    assert data.X.nnz == 1
    assert x.data.tolist() == [0, 2, 3]
    assert x.indices.tolist() == [1, 0, 0]


def test_booleans_are_nominal_dense_and_sparse():
    x = np.array([[True, False], [False, False]])
    dense_one, sparse_one = from_arrays(x), from_arrays(sp.csr_array(x))
    assert dense_one.columns[0] == Column("x0", "nominal", BOOLEAN)
    assert_same(dense_one, sparse_one)


@pytest.mark.parametrize(
    "x",
    [
        np.array([["b", "1"], ["a", "2"]]),
        np.array([["b", 1], ["a", 2]], dtype=object),
        [["b", 1], ["a", 2]],
        np.array([[b"b", b"1"], [b"a", b"2"]]),
    ],
)
def test_text_is_nominal_with_its_values_sorted(x):
    data = from_arrays(x)
    assert data.columns[0] == Column("x0", "nominal", ("a", "b"))
    assert data.X[:, 0].tolist() == [1, 0]


@pytest.mark.parametrize("missing", [None, nan, np.float32(nan), np.ma.masked, "NA"])
def test_missing_objects(missing):
    if missing == "NA":
        missing = pytest.importorskip("pandas").NA
    cells = np.empty((3, 2), dtype=object)
    for j, column in enumerate([["b", missing, "a"], [1, missing, 2.5]]):
        for i, cell in enumerate(column):
            cells[i, j] = cell
    np.testing.assert_array_equal(from_arrays(cells).X, [[1, 1], [nan, nan], [0, 2.5]])


def test_a_masked_array_is_refused():
    masked = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    assert "X is a masked array: give X.astype(float).filled(numpy.nan)" in refused(masked)
    assert "Y is a masked array" in refused(masked.data, masked)


def test_categorical_by_name_or_position_dense_and_sparse():
    x = np.array([[5.0, -1, 0.5], [7, 0, 0], [5, 2, nan]])
    a = from_arrays(x, categorical=["x0", 2, -2])
    assert [column.values for column in a.columns] == [("5", "7"), ("-1", "0", "2"), ("0", "0.5")]
    np.testing.assert_array_equal(a.X, [[0, 0, 1], [1, 1, 0], [0, 2, nan]])
    b = from_arrays(sp.csr_array(x), categorical=[0, 1, 2])
    assert [column.values for column in b.columns] == [
        ("0", "5", "7"), ("0", "-1", "2"), ("0", "0.5"),
    ]  # fmt: skip
    np.testing.assert_array_equal(dense(b.X), [[1, 1, 1], [2, 0, 0], [1, 2, nan]])
    assert x[0, 0] == 5


def pandas_frame():
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(
        {
            "n": [1, 2, None],
            "s": ["x", None, "b"],
            "o": pd.Series(["x", None, "b"], dtype=object),
            "S": pd.array(["a", None, "b"], dtype="string"),
            "c": pd.Categorical(["u", None, "u"], categories=["v", "u"]),
            "b": [True, False, True],
            "B": pd.array([True, None, False], dtype="boolean"),
            "I": pd.array([1, None, 2], dtype="Int64"),
            "F": pd.array([1.5, None, 2], dtype="Float64"),
            "t": pd.to_datetime(["2020-01-01"] * 3),
            "z": pd.to_datetime(["2020-01-01"] * 3, utc=True),
            "d": pd.to_timedelta([1, 2, 3]),
            "p": pd.period_range("2020", periods=3),
            7: [1, 2, 3],
        }
    )


def test_a_pandas_frame_of_everything():
    data = from_arrays(pandas_frame())
    assert data.feature_names == ["n", "s", "o", "S", "c", "b", "B", "I", "F", "7"]
    assert [name for name, _ in data.left_out] == ["t", "z", "d", "p"]
    says = "column 't' is left out of X: its values are of type datetime64["
    assert data.notes[0].startswith(says)
    assert [column.values for column in data.columns] == [
        (), ("b", "x"), ("b", "x"), ("a", "b"), ("v", "u"), BOOLEAN, BOOLEAN, (), (), (),
    ]  # fmt: skip
    np.testing.assert_array_equal(
        data.X,
        [
            [1, 1, 1, 0, 1, 1, 1, 1, 1.5, 1],
            [2, nan, nan, nan, nan, 0, nan, nan, nan, 2],
            [nan, 0, 0, 1, 1, 1, 0, 2, 2, 3],
        ],
    )


def test_a_polars_frame_of_everything():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {
            "n": [1, 2, None],
            "f": [0.5, nan, None],
            "s": ["x", None, "b"],
            "c": pl.Series(["u", "v", None], dtype=pl.Categorical),
            "e": pl.Series(["u", "v", None], dtype=pl.Enum(["w", "v", "u"])),
            "b": [True, None, False],
            "B": [True, False, True],
            "0": [None, None, None],
            "u": pl.Series([1, 2, 3], dtype=pl.UInt8),
            "D": pl.Series(["1.5", "2", "3"]).cast(pl.Decimal(10, 2)),
            "d": [dt.date(2020, 1, 1)] * 3,
            "l": [[1], [2], [3]],
        }
    )
    data = from_arrays(frame)
    assert [name for name, _ in data.left_out] == ["d", "l"]
    assert [column.values for column in data.columns] == [
        (), (), ("b", "x"), ("u", "v"), ("w", "v", "u"), BOOLEAN, BOOLEAN, (), (), (),
    ]  # fmt: skip
    np.testing.assert_array_equal(
        data.X,
        [
            [1, 0.5, 1, 0, 2, 1, 1, nan, 1, 1.5],
            [2, nan, nan, 1, 1, nan, 0, nan, 2, 2],
            [nan, nan, 0, nan, nan, 0, 1, nan, 3, 3],
        ],
    )


def test_a_sparse_pandas_frame_stays_sparse():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(np.eye(3)), columns=list("abc"))
    data = from_arrays(frame)
    assert data.is_sparse
    assert data.feature_names == ["a", "b", "c"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_labels_among_the_columns_of_a_frame(library):
    frame = pytest.importorskip(library).DataFrame(
        {"a": [1, 2], "l1": [0, 1], "l2": [1, 1], "tags": ["u|v", None]}
    )
    data = from_arrays(frame, labels=["l1", "l2"])
    assert (data.feature_names, data.label_names) == (["a", "tags"], ["l1", "l2"])
    data = from_arrays(frame, labels="tags")
    assert (data.label_names, dense(data.Y).tolist()) == (["u", "v"], [[1, 1], [-1, -1]])
    assert from_arrays(frame, labels="l1").label_names == ["l1"]
    assert from_arrays(frame, labels="l*").label_names == ["l1", "l2"]
    assert "give one of the two" in refused(frame, [0, 1], labels="l1")


def test_neither_pandas_nor_polars_nor_sklearn_is_imported():
    code = (
        "import sys; from mlfs.data.arrays import from_arrays; from_arrays([[1], [2]], [0, 1]); "
        "print({'pandas', 'polars', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


INF = np.array([[1.0, 2], [3, np.inf]])


@pytest.mark.parametrize(
    ("x", "says"),
    [
        (INF, "column 'x1' holds inf in row 2: an infinite value cannot be used"),
        (sp.csc_array(-INF), "column 'x1' holds -inf in row 2"),
        (np.array([["a", np.inf], ["b", 2]], dtype=object), "column 'x1' holds inf in row 1"),
        (MATRIX * 1j, "column 'x0' is complex. Complex data not supported"),
        (sp.csr_array(MATRIX) * 1j, "X is complex. Complex data not supported"),
        ([1, 2, 3], "Expected 2D array, got 1D array instead"),
        (np.zeros((1, 1, 1)), "Expected 2D array, got 3D array instead"),
        (5, "Expected 2D array, got 0D array instead"),
        ([[1, 2], [3]], "the rows of X differ in length: row 2 has 1 values, row 1 has 2"),
        ([], "Expected 2D array"),
        (np.zeros((0, 3)), "X has no rows: 0 sample(s)"),
        (np.zeros((3, 0)), "X has no column that can be a feature"),
        (
            np.array([["2020-01-01"]], dtype="datetime64[D]"),
            "no column that can be a feature: 'x0'",
        ),
        (np.array([[{"a": 1}], [2]], dtype=object), "argument must be a string or a number"),
        (np.array([["a"], [1]], dtype=object), "column 'x0' mixes numbers and text (int, str)"),
        (np.array([[10**400], [1]], dtype=object), "holds an integer too large for a float"),
        (np.zeros(2, dtype=[("a", float)]), "X is a structured array"),
        pytest.param(
            sp.coo_array(np.ones(3)),
            "X is sparse with 1 dimension(s); expected 2",
            marks=pytest.mark.skipif(
                sp.coo_array(np.ones(3)).ndim == 2, reason="this scipy makes it a matrix"
            ),
        ),
    ],
)
def test_x_that_cannot_be_used_is_said(x, says):
    assert says in refused(x)


def test_names_that_cannot_be_used_are_said():
    assert "1 feature names were given and X has 3 columns" in refused(MATRIX, feature_names=["a"])
    assert "X has two columns named 'a'" in refused(MATRIX, feature_names=["a", "b", "a"])
    assert "categorical= names 'q', which is not among" in refused(MATRIX, categorical=["q"])
    assert "categorical= names '3'" in refused(MATRIX, categorical=[3])
    assert "2 label names were given and Y has 1 label" in refused(
        MATRIX, [0, 1, 0], label_names=["a", "b"]
    )


def test_duplicate_columns_of_a_frame_are_refused():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    assert "X has two columns named 'a'" in refused(frame)
    frame = pd.DataFrame([[1, 2]], columns=[1, "1"])
    assert "X has two columns named '1'" in refused(frame)


@pytest.mark.parametrize(
    ("weight", "says"),
    [
        ([1, 2], "the weights have shape (2,), but there are 3 rows"),
        ([1, 2, -1], "row 3 has the weight -1.0"),
        ([1, nan, 1], "row 2 has the weight nan"),
        ([1, "a", 1], "the weights of rows must be numbers"),
        ([0, 0, 0], "all weights are zero"),
    ],
)
def test_weights_that_cannot_be_used_are_said(weight, says):
    assert says in refused(MATRIX, sample_weight=weight)


# Y

X3 = np.ones((3, 1))


@pytest.mark.parametrize(
    "y",
    [
        [1, 0, 1],
        [True, False, True],
        [1.0, -1.0, 1.0],
        ["1", "0", "1"],
        ["YES", "no", "YES"],
        ["TRUE", "FALSE", "TRUE"],
        ["1", "-1", "1"],
        np.array([1, 0, 1], dtype=np.uint8),
        np.array([True, False, True], dtype=object),
        np.array([[1], [0], [1]]),
        [[1], [0], [1]],
        sp.csr_array([[1], [0], [1]]),
        sp.coo_matrix([[True], [False], [True]]),
        np.array([["1"], ["0"], ["1"]]),
    ],
)
def test_binary_labels_in_any_shape(y):
    data = from_arrays(X3, y)
    assert data.Y.dtype == np.int8
    assert dense(data.Y).tolist() == [[1], [0], [1]]
    assert data.labels[0].values == ("0", "1")
    assert data.label_names == ["y0"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_labels_in_frames_and_series(library):
    lib = pytest.importorskip(library)
    frame = lib.DataFrame({"u": [1, 0, 1], "v": [True, False, None], "w": ["yes", "no", None]})
    data = from_arrays(X3, frame)
    assert data.label_names == ["u", "v", "w"]
    assert data.Y.tolist() == [[1, 1, 1], [0, 0, 0], [1, -1, -1]]
    series = (
        lib.Series([["b", "a"], [], None], name="tags")
        if library == "pandas"
        else lib.Series("tags", [["b", "a"], [], None])
    )
    data = from_arrays(X3, series)
    assert data.label_names == ["a", "b"]
    assert dense(data.Y).tolist() == [[1, 1], [0, 0], [-1, -1]]
    assert from_arrays(X3, frame["u"]).label_names == ["u"]
    assert from_arrays(X3, frame[["u"]]).label_names == ["u"]


def test_nullable_labels_of_pandas():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None, 0], dtype="Int64"),
            "b": pd.array([True, None, False], dtype="boolean"),
            "s": pd.array(["1", None, "0"], dtype="string"),
            "c": pd.Categorical(["1", None, "0"]),
        }
    )
    assert from_arrays(X3, frame).Y.tolist() == [[1] * 4, [-1] * 4, [0] * 4]


@pytest.mark.parametrize(
    ("y", "names", "expected"),
    [
        ([{"b"}, set(), {"a", "b"}], ["a", "b"], [[0, 1], [0, 0], [1, 1]]),
        ([("b",), (), ("a", "b")], ["a", "b"], [[0, 1], [0, 0], [1, 1]]),
        ([["b", "a"], ["a", "b"], ["b", "b"]], ["a", "b"], [[1, 1], [1, 1], [0, 1]]),
        ([{10}, {9}, {10, 9}], ["9", "10"], [[0, 1], [1, 0], [1, 1]]),
        ([["b"], None, ["a"]], ["a", "b"], [[0, 1], [-1, -1], [1, 0]]),
        ([["b"], nan, []], ["b"], [[1], [-1], [0]]),
    ],
)
def test_label_sets(y, names, expected):
    data = from_arrays(X3, y)
    assert isinstance(data.Y, sp.csr_array)
    assert (data.label_names, data.Y.toarray().tolist()) == (names, expected)


def test_label_names_fix_the_labels_of_label_sets():
    data = from_arrays(X3, [{"b"}, set(), {"a"}], label_names=["c", "b", "a"])
    assert dense(data.Y).tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert "the label 'z', which is not among" in refused(X3, [{"z"}, (), ()], label_names=["a"])


def test_what_minus_one_means():
    assert from_arrays(X3, [[-1, 1], [1, -1], [-1, -1]]).Y.tolist() == [[0, 1], [1, 0], [0, 0]]
    data = from_arrays(X3, [[-1, 1], [1, 0], [0, 0]])
    assert data.Y.tolist() == [[-1, 1], [1, 0], [0, 0]]
    assert data.notes == ("1 label is missing (NaN, None, or -1 beside 0 and 1)",)
    data = from_arrays(X3, sp.csr_array([[-1, 1], [1, 0], [0, 0]]))
    assert dense(data.Y).tolist() == [[-1, 1], [1, 0], [0, 0]]
    assert from_arrays(X3, [[nan, 1], [1, -1], [1, 1]]).Y.tolist() == [[-1, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize(
    ("y", "values", "expected"),
    [
        ([3, 1, 2], ("1", "2", "3"), [2, 0, 1]),
        ([1, 2, 1], ("1", "2"), [0, 1, 0]),
        (["b", "c", "a"], ("a", "b", "c"), [1, 2, 0]),
        (["b", None, "a"], ("a", "b"), [1, -1, 0]),
        ([2.0, nan, 5.0], ("2", "5"), [0, -1, 1]),
        (np.array([3, 1, 2], dtype=object), ("1", "2", "3"), [2, 0, 1]),
    ],
)
def test_a_single_label_may_hold_classes(y, values, expected):
    data = from_arrays(X3, y)
    assert (data.labels[0].values, data.Y[:, 0].tolist()) == (values, expected)


def test_several_labels_of_classes_if_asked_for():
    y = np.array([[0, 2], [1, 5], [0, 7]])
    data = from_arrays(X3, y, classes=True)
    assert [label.values for label in data.labels] == [("0", "1"), ("2", "5", "7")]
    assert data.Y.tolist() == [[0, 0], [1, 1], [0, 2]]
    data = from_arrays(X3, sp.csr_array([[0, 2], [1, 0], [0, 7]]), classes=True)
    assert data.labels[1].values == ("0", "2", "7")
    assert dense(data.Y).tolist() == [[0, 1], [1, 0], [0, 2]]


def test_many_classes_are_wider():
    data = from_arrays(np.ones((300, 1)), np.arange(300))
    assert data.Y.dtype == np.int32
    assert data.Y[:, 0].tolist() == list(range(300))


@pytest.mark.parametrize(
    ("y", "says"),
    [
        ([0, 1], "X has 3 rows and Y has 2: they must have the same number"),
        (sp.csr_array(np.eye(2)), "X has 3 rows and Y has 2"),
        ([{"a"}, {"b"}], "X has 3 rows and Y has 2"),
        (np.zeros((3, 1, 1)), "Y has 3 dimensions; expected 1 (one label) or 2"),
        (
            [[0, 2], [1, 1], [0, 0]],
            "label 'y1' holds 2 in row 1: a label is 0 or 1",
        ),
        ([[0, 1], [1, 0.5], [0, 0]], "label 'y1' holds 0.5 in row 2"),
        ([[0, 1], [1, np.inf], [0, 0]], "label 'y1' holds inf in row 2"),
        (sp.csr_array([[0, 3], [1, 1], [0, 0]]), "label 'y1' holds 3 in row 1"),
        ([0.5, 1.5, 2.5], "Unknown label type: label 'y0' holds 0.5, which is continuous"),
        ([["a", "b"], "c", ["d"]], "row 2 of Y is 'c', the others are sets"),
        ([{"a"}, 3, {"b"}], "row 2 of Y is '3', the others are sets"),
        ([{"a"}, {1.5}, {"b"}], "a label set in Y holds '1.5'"),
        ([{"1"}, {1}, {"b"}], "Y mixes numbers and text that read the same"),
        ([[1, 2], [3, 4], [5]], "differ in length; for label sets write each row as a set"),
        (np.array([0, 1, 1j]), "Y is complex"),
        ({"a": [0, 1, 1]}, "(a column a label), or a frame, or a list of label sets"),
        (np.array(["2020", "2021", "2022"], dtype="datetime64[Y]"), "Y is of type datetime64[Y]"),
        (
            np.array([{"a": 1}, 2, 3], dtype=object),
            "Unknown label type: label 'y0' holds values of",
        ),
        ([["a", "x"], ["b", "x"], ["a", "x"]], None),
        (np.array([["a", "x"], ["b", "x"], ["a", "x"]]), "label 'y0' holds 'a': a label is 0/1"),
    ],
)
def test_y_that_cannot_be_used_is_said(y, says):
    if says is None:
        assert from_arrays(X3, y).label_names == ["a", "b", "x"]
    else:
        assert says in refused(X3, y)


@given(
    st.lists(st.lists(st.sampled_from([0, 1]), min_size=3, max_size=3), min_size=1, max_size=6),
    st.sampled_from([np.int8, np.int64, np.uint8, float, bool, object, str]),
)
def test_an_indicator_says_the_same_in_any_type(rows, kind):
    x = np.ones((len(rows), 1))
    data = from_arrays(x, np.array(rows).astype(kind))
    assert data.Y.tolist() == rows
    assert dense(from_arrays(x, sp.csr_array(np.array(rows))).Y).tolist() == rows
    sets = [{f"y{j}" for j in range(3) if row[j]} for row in rows]
    again = from_arrays(x, sets, label_names=["y0", "y1", "y2"])
    assert_same(again, data)


@pytest.mark.parametrize("kind", [np.int8, np.int64, float, bool])
def test_a_large_indicator_is_taken_as_it_is(kind):
    y = (np.random.default_rng(0).random((16_105, 983)) < 0.02).astype(kind)
    data = from_arrays(np.ones((16_105, 1)), y)
    assert np.array_equal(data.Y, y)


@pytest.mark.parametrize(
    ("dtype", "values", "positions"),
    [
        ("Int64", [1, 0, None], [1, 0, -1]),
        ("boolean", [True, False, None], [1, 0, -1]),
        ("string", ["a", "b", "a"], [0, 1, 0]),
        ("category", ["a", "b", "a"], [0, 1, 0]),
    ],
)
def test_labels_in_an_extension_array(dtype, values, positions):
    pd = pytest.importorskip("pandas")
    data = from_arrays(np.eye(3), pd.array(values, dtype=dtype))
    assert dense(data.Y).ravel().tolist() == positions
    assert [label.name for label in data.labels] == ["y0"]


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("which", ["X", "Y"])
def test_damaged_sparse_tables_are_refused(form, which):
    def damaged(change):
        table = form(np.array([[1.0, 0, 0], [0, 1, 1], [1, 0, 1]]))
        change(table)
        good = np.eye(3)
        return (table, good) if which == "X" else (good, table)

    def beyond(table):
        table.indices[1] = 7

    def before(table):
        table.indices[0] = -2

    def falling(table):
        table.indptr[1] = 4

    for change, told in ((beyond, "7, and there are 3"), (before, "-2"), (falling, "do not rise")):
        with pytest.raises(DataError, match=f"{which} is a damaged sparse table: .*{told}"):
            from_arrays(*damaged(change))


# ---- tables of pyarrow -----------------------------------------------------------------------


@pytest.fixture
def arrow():
    pa = pytest.importorskip("pyarrow")
    days = pa.array([0, 1, 2] * 4, pa.int32()).cast(pa.date32())
    kinds = pa.array(["u", "v", None] * 4).dictionary_encode()
    X = pa.table({"size": [1, 2, None] * 4, "day": days, "kind": kinds, "flag": [True, False] * 6})
    return X, pa.table({"sad": [0, 1] * 6, "calm": [0, 0, 1] * 4})


def test_a_table_of_pyarrow_keeps_its_names_and_kinds(arrow):
    X, Y = arrow
    data = from_arrays(X, Y)
    assert (data.feature_names, data.label_names) == (["size", "kind", "flag"], ["sad", "calm"])
    assert [column.kind for column in data.columns] == ["numeric", "nominal", "nominal"]
    assert data.left_out[0][0] == "day"
    expected = mlfs.select((X.to_pandas(), Y.to_pandas()), "mim", 3)
    both = X
    for name in Y.column_names:
        both = both.append_column(name, Y[name])
    for data, labels in (((X, Y), None), (both, ["sad", "calm"]), (mlfs.prepare((X, Y)), None)):
        found = mlfs.select(data, "mim", 3, **({"labels": labels} if labels else {}))
        assert (found.names, found.scores.tolist()) == (expected.names, expected.scores.tolist())
    with pytest.warns(UserWarning, match="column 'day' is left out"):
        fitted = mlfs.FeatureSelector("mim", n_features_to_select=2).fit(X, Y)
    assert fitted.feature_names_in_.tolist() == X.column_names
    assert set(fitted.get_feature_names_out()) == set(expected.names[:2])
    np.testing.assert_array_equal(fitted.transform(X), fitted.transform(X.to_pandas()))
    assert mlfs.models.make("br").fit(X.select(["flag"]), Y).label_names_ == ("sad", "calm")


def test_a_table_of_pyarrow_needs_one_library_of_frames(arrow, monkeypatch):
    X, Y = arrow
    monkeypatch.setitem(sys.modules, "pandas", None)
    if find_spec("polars"):
        assert from_arrays(X, Y).feature_names == ["size", "kind", "flag"]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(UsageError, match="a Table of pyarrow needs the package pandas or polars"):
        from_arrays(X, Y)


KEYS = [2**60 + k for k in (1, 3, 2, 3)]  # which floats cannot tell apart


@pytest.mark.parametrize(
    "form", ["csv", "parquet", "Int64", "int64", "all int64", "polars", "table"]
)
def test_keys_beyond_floats_are_text_in_frames_and_files(form, tmp_path):
    pa, pd, pl = map(pytest.importorskip, ("pyarrow", "pandas", "polars"))
    frame = pd.DataFrame({"key": KEYS, "size": [1, 2, 3, 4], "y": [0, 1, 1, 0]})
    if form in ("csv", "parquet"):
        path = tmp_path / f"keys.{form}"
        getattr(frame, f"to_{form}")(path, index=False)
        data = mlfs.read(path, labels="y")
    else:
        frame["size"] = frame["size"].astype("int64" if form == "all int64" else "float64")
        frame["key"] = frame["key"].astype("Int64" if form == "Int64" else "int64")
        X = frame[["key", "size"]]
        X = pl.from_pandas(X) if form == "polars" else pa.table(X) if form == "table" else X
        data = from_arrays(X, frame["y"])
    values = tuple(sorted({str(key) for key in KEYS}))
    assert data.columns[0] == Column("key", "nominal", values)
    assert np.asarray(data.table)[:, 0].tolist() == [0, 2, 1, 2]
    assert any(note.startswith("column 'key' is read as text") for note in data.notes)
    assert from_arrays(pd.DataFrame({"a": [2**60, 2**61]}), [0, 1]).columns[0].kind == "numeric"


def test_labels_beyond_floats_are_refused():
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="'a' holds 9007199254740993 in row 1"):
        from_arrays([[0], [1]], pd.DataFrame({"a": [2**53 + 1, 7]}), classes=True)


def test_what_pandas_cannot_hold_of_pyarrow_is_refused():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"t": pa.array([1, 2], pa.time64("ns")), "a": [1, 2]})
    with pytest.raises(DataError, match="a Table of pyarrow cannot be made a frame of pandas: Val"):
        from_arrays(table, [0, 1])
