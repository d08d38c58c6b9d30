"""Values of Python's own and of other libraries that are no numbers, or too large: one sentence."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import mlfs

RNG = np.random.default_rng(2)
X = RNG.integers(0, 4, (50, 3)).astype(float)
Y = (X[:, :2] > 1).astype(int)
N = len(X)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"nominal_limit": 10**30}, "nominal_limit is a whole number of at most"),
        ({"max_memory": "9" * 400 + "GB"}, "max_memory is a number of bytes"),
        ({"max_seconds": 10**400}, "max_seconds is a number above 0"),
        ({"sample_weight": [10**400] * N}, "the weights of rows must be numbers"),
        ({"sample_weight": ["1"] * N}, "the weights of rows must be numbers"),
        ({"sample_weight": np.zeros(N, "M8[D]")}, "the weights of rows must be numbers"),
        ({"sample_weight": np.ma.masked_less(X[:, 0], 2)}, "sample_weight is a masked array"),
        ({"sample_weight": np.full(N, np.longdouble("1e4000"))}, "row 1 has the weight inf"),
    ],
)
def test_an_odd_option_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(mlfs.MlfsError, match=said):
        mlfs.select((X, Y), "mim", 2, **options)


@pytest.mark.parametrize("made", [bool, np.bool_])
def test_label_sets_of_booleans_are_refused(made: Any) -> None:
    with pytest.raises(mlfs.MlfsError, match=r"a label set in Y holds '(True|False)'"):
        mlfs.select((X, [{made(row[0])} for row in Y]), "mim", 2)


def test_odd_numbers_of_frames() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    with pytest.raises(mlfs.MlfsError, match="n is a number of features"):
        mlfs.select((X, Y), "mim", pandas.NA)
    cells = [Decimal("sNaN"), *map(Decimal, X[1:, 0].astype(int).tolist())]
    expected = mlfs.select((np.vstack([[np.nan, *X[0, 1:]], X[1:]]), Y), "mim", 3)
    found = mlfs.select((pandas.DataFrame({"a": cells, "b": X[:, 1], "c": X[:, 2]}), Y), "mim", 3)
    assert found.scores.tolist() == expected.scores.tolist()
    if hasattr(polars, "Int128"):
        wide = polars.Series(X[:, 0].astype(int).tolist(), dtype=polars.Int128)
        frame = polars.DataFrame({"a": wide, "b": X[:, 1], "c": X[:, 2]})
        expected, found = mlfs.select((X, Y), "mim", 3), mlfs.select((frame, Y), "mim", 3)
        assert found.scores.tolist() == expected.scores.tolist()


@pytest.mark.parametrize("kind", [Decimal, Fraction])
def test_labels_that_are_exact_numbers_are_read_like_floats(kind: Any) -> None:
    pandas = pytest.importorskip("pandas")
    exact = np.array([[kind(value) for value in row] for row in Y.tolist()], dtype=object)
    expected = mlfs.select((X, Y), "mim", 3)
    for labels in (exact, exact.tolist(), pandas.DataFrame(exact)):
        found = mlfs.select((X, labels), "mim", 3)
        assert (found.indices, found.scores.tolist()) == (
            expected.indices,
            expected.scores.tolist(),
        )
    with pytest.raises(mlfs.DataError, match=r"'y0' holds 0\.5.*bin it"):
        mlfs.select((X, exact[:, 0] / 2), "mim", 3)
    one, other = (
        mlfs.data.bin_targets(mlfs.data.from_arrays(X, labels / 2, numeric_targets=True), "width:2")
        for labels in (exact, Y)
    )
    assert mlfs.select(one, "mim", 3).indices == mlfs.select(other, "mim", 3).indices


HUGE = 10**400


@pytest.mark.parametrize(
    "options",
    [{"n": HUGE}, {"n": -HUGE}, {"include": HUGE}, {"exclude": [HUGE]}, {"n_bins": HUGE},
     {"seed": HUGE, "n": "auto"}],
    ids=lambda options: next(iter(options)),
)  # fmt: skip
def test_a_huge_number_is_cut_in_the_message(options: dict[str, Any]) -> None:
    with pytest.raises(mlfs.MlfsError, match=r"1(0{9,}…|e\+)") as error:
        mlfs.select((X, Y), "mim", **({"n": 2} | options))
    assert len(str(error.value)) < 250


@pytest.mark.parametrize("labels", [[[HUGE, 1]], [[2**53 + 1, HUGE // 10**380]]])
def test_a_label_too_large_for_a_float_is_refused(labels: list[list[int]]) -> None:
    with pytest.raises(mlfs.DataError, match=r"^label 'y0' holds (an int|9007199254740993 in row)"):
        mlfs.select((X[:6], np.array(labels * 6, dtype=object)), "mim", 2)


@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy, copy.copy])
def test_prepared_data_say_that_they_cannot_be_pickled(copied: Any) -> None:
    with pytest.raises(TypeError, match="prepared data cannot be pickled or copied"):
        copied(mlfs.prepare((X, Y)))
