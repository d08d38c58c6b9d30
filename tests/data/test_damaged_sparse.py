"""Sparse tables whose arrays lie about their places: they are refused before compiled code runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.models import StructuredClassifier

RNG = np.random.default_rng(3)
X = RNG.integers(0, 3, (40, 6)).astype(float)
Y = (X[:, :2] > 0).astype(int)
FAR = (-3, 10**6)


def coo(axis: int, place: int) -> Callable[[Any], Any]:
    def make(dense: Any) -> Any:
        made = sp.coo_array(dense)
        (made.row, made.col)[axis][0] = place
        return made

    return make


def listed(place: int) -> Callable[[Any], Any]:
    def make(dense: Any) -> Any:
        made = sp.lil_array(dense)
        made.rows[0], made.data[0] = [1, place], [1, 1]
        return made

    return make


def by_key(place: int) -> Callable[[Any], Any]:
    def make(dense: Any) -> Any:
        made = sp.dok_array(dense)
        dict.__setitem__(getattr(made, "_dict", made), (0, place), 1)
        return made

    return make


def compressed(form: str, part: str, at: int, value: int) -> Callable[[Any], Any]:
    def make(dense: Any) -> Any:
        made = sp.coo_array(dense).asformat(form)
        getattr(made, part)[at] = value
        return made

    return make


def other(change: Callable[[Any], None], form: str) -> Callable[[Any], Any]:
    def make(dense: Any) -> Any:
        made = sp.coo_array(dense).asformat(form)
        change(made)
        return made

    return make


DAMAGED = {
    **{f"coo {axis} {place}": coo(axis, place) for axis in (0, 1) for place in FAR},
    **{f"lil {place}": listed(place) for place in FAR},
    **{f"dok {place}": by_key(place) for place in FAR},
    **{
        f"{form} {p}": compressed(form, "indices", 0, p)
        for form in ("csr", "csc", "bsr")
        for p in FAR
    },
    **{f"{form} ends": compressed(form, "indptr", 1, 9999) for form in ("csr", "csc", "bsr")},
    "dia": other(lambda made: setattr(made, "offsets", made.offsets[:-1]), "dia"),
    "float": other(lambda made: setattr(made, "indices", made.indices.astype(float)), "csr"),
    "endian": other(lambda made: setattr(made, "indices", made.indices.astype(">i4")), "csr"),
    "values": other(lambda made: setattr(made, "data", made.data.reshape(1, -1)), "csr"),
    "few values": other(lambda made: setattr(made, "data", made.data[:3]), "coo"),
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_sparse_table_is_refused_everywhere(damage: Callable[[Any], Any]) -> None:
    with pytest.raises(mlfs.MlfsError, match="X is a damaged sparse table"):
        mlfs.select((damage(X), Y), "mim", 2)
    with pytest.raises(mlfs.MlfsError, match="Y is a damaged sparse table"):
        mlfs.select((X, damage(Y)), "mim", 2)
    selector = mlfs.FeatureSelector("mim", n_features_to_select=2)
    with pytest.raises(mlfs.MlfsError, match="X is a damaged sparse table"):
        selector.fit(damage(X), Y)
    with pytest.raises(mlfs.MlfsError, match="X is a damaged sparse table"):
        selector.fit(X, Y).transform(damage(X))
    with pytest.raises(mlfs.MlfsError, match="X is a damaged sparse table"):
        StructuredClassifier().fit(damage(X), Y)
    with pytest.raises(mlfs.MlfsError, match="Y is a damaged sparse table"):
        StructuredClassifier().fit(X, damage(Y))


@pytest.mark.parametrize("form", ["coo", "csr", "csc", "bsr", "dia", "dok", "lil"])
def test_a_sound_one_of_any_form_gives_the_answer_of_its_cells(form: str) -> None:
    expected = mlfs.select((X, Y), "jmi", 3)
    for table in (sp.coo_array(X), sp.coo_matrix(X)):
        found = mlfs.select((table.asformat(form), sp.coo_array(Y).asformat(form)), "jmi", 3)
        assert found.scores.tolist() == expected.scores.tolist()


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
def test_labels_of_every_sparse_form_are_those_of_the_dense_table(form: str) -> None:
    labels = sp.coo_array(Y).asformat(form)
    assert mlfs.select((X, labels), "mim", 2).indices == mlfs.select((X, Y), "mim", 2).indices
    answers = [StructuredClassifier().fit(X, y).predict(X).tolist() for y in (Y, labels)]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("kind", [np.uint32, np.uint64, np.int64])
def test_ends_of_rows_that_fall_are_refused_whatever_their_type(kind):
    table = sp.csr_array(np.eye(3))
    table.indptr = np.array([0, 2, 1, 3], kind)  # a difference of unsigned numbers never falls
    with pytest.raises(mlfs.DataError, match="the ends of its rows do not rise"):
        mlfs.data.from_arrays(table, [[0], [1], [1]])
