"""The kernels by themselves: the same answers compiled and not, and the same as plain Python."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlfs._kernels import jit, products, tokens
from mlfs.data.arff import read
from mlfs.data.request import Request
from mlfs.errors import DataError

HEADER = "@relation t\n@attribute n real\n@attribute v {x,y,'a b',é}\n@attribute l {0,1}\n@data\n"
PIECES = st.sampled_from(
    ["0", "1", "-1.5", "1e3", "9007199254740993", "1e999", "?", "x", "'x'", '"y"', "'a b'", "a b"]
    + [",", ",", " ", "\t", "\n", "{", "}", "{0 ", ",1 ", ",2 1}", "%", "'", "\\", "{2}", "+", "."]
    + ["1,x,0\n", "2.5,y,1\n", "{0 1,2 1}\n", "{}\n", "é", "1 y 0\n", "\x00", "e5", "-", ".5e-3"]
)
ROWS = [
    "1,x,0\n2.5,y,1\n-.5e-3,'a b',1\n?,é,0\n",
    "{0 1,2 1}\n{}\n{1 y, 2 1}\n{0 12345678901234567890}\n",
    "1\tx\t0 % a comment\n\n  2 , y , 1 ,\n",
    '"1",\'x\',"0"\n+7.25E+2,"y",1,{2}\n',
    "1,x,0\n1,x\n",
    "1,z,0\n",
    "1,'x,0\n",
    "{0 1,0 2}\n",
    "{2 1,0 2}\n",
    "{7 1}\n",
    "1e999,x,0\n",
    "nan,x,0\n",
]


def outcome(text: str, *, kernel: bool, monkeypatch: pytest.MonkeyPatch) -> object:
    """What reading the rows gives, with the kernel or without: the arrays, or the refusal."""
    with monkeypatch.context() as patch:
        patch.setattr(tokens, "is_compiled", lambda: kernel)
        try:
            dataset = read((HEADER + text).encode(), "t.arff", Request(labels="l"))
        except DataError as error:
            return str(error)
    X = dataset.X.toarray() if sp.issparse(dataset.X) else dataset.X
    Y = dataset.Y.toarray() if sp.issparse(dataset.Y) else dataset.Y
    weights = None if dataset.weights is None else list(dataset.weights)
    return sp.issparse(dataset.X), X.tobytes(), Y.tolist(), weights


@pytest.mark.parametrize("text", ROWS)
def test_the_kernel_reads_rows_as_plain_python_does(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = outcome(text, kernel=True, monkeypatch=monkeypatch)
    assert fast == outcome(text, kernel=False, monkeypatch=monkeypatch)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(["1,x,0\n", "{}\n", ""]), st.lists(PIECES, max_size=12))
def test_the_kernel_reads_anything_as_plain_python_does(
    monkeypatch: pytest.MonkeyPatch, start: str, pieces: list[str]
) -> None:
    text = start + "".join(pieces)
    fast = outcome(text, kernel=True, monkeypatch=monkeypatch)
    assert fast == outcome(text, kernel=False, monkeypatch=monkeypatch)


def test_products_are_those_of_the_matrix() -> None:
    generator = np.random.default_rng(0)
    matrix = sp.random_array((7, 5), density=0.4, format="csr", rng=generator)
    right, left = generator.random(5), generator.random(7)
    out = np.empty(7)
    products.from_columns(matrix.indptr, matrix.indices, matrix.data, right, 0.25, out)
    assert np.allclose(out, matrix @ right - 0.25)
    onto = np.ones(5)
    products.onto_columns(matrix.indptr, matrix.indices, matrix.data, left, onto)
    assert np.allclose(onto, 1 + matrix.T @ left)
    assert products.dot(left, left) == pytest.approx(left @ left)


def test_a_kernel_works_where_no_cache_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def njit(*, cache: bool = False, nogil: bool) -> object:
        asked.append((cache, nogil))
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(jit.numba, "njit", njit)
    assert jit.compiled(abs)(-3) == 3
    assert asked == [(True, True), (False, True)]
