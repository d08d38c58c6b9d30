"""What must not matter to a model: the form of the data, the names of values, the other rows."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlfs.models import available, make

PLAIN = [
    pytest.param(name, marks=pytest.mark.slow) if name == "mc" else name
    for name in available()
    if not name.endswith("-ldf") and name != "br-forest"  # br of another learner, and slow
]
QUICK = {"mc": {"n_trees": 2, "max_iter": 3, "n_steps": 30}}


def table():
    draw = np.random.default_rng(0)
    X = draw.integers(0, 5, (70, 4)).astype(float)
    Y = (X[:, :3] + draw.normal(0, 1.5, (70, 3)) > 2).astype(int)
    Y[:, 1] = np.where(draw.random(70) < 0.6, Y[:, 0], Y[:, 1])
    return X, Y


def predicted(name, X, Y, new=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of long searches and of labels without both values
        known = make(name).get_params()
        parameters = {**QUICK.get(name, {}), **parameters}
        parameters = {key: value for key, value in parameters.items() if key in known}
        model = make(name, **parameters).fit(X, Y)
        labels = model.predict(X if new is None else new)
        return labels, model.predict_proba(X) if hasattr(model, "predict_proba") else labels


@pytest.mark.parametrize("name", PLAIN)
def test_the_form_of_the_data_does_not_matter(name):
    X, Y = table()
    labels, chances = predicted(name, X, Y)
    wide = np.zeros((140, 8))
    wide[::2, ::2] = X
    forms = [
        (X.astype(np.int8), Y.astype(bool)),
        (X.astype(np.float32), Y.astype(float)),
        (np.asfortranarray(X), np.asfortranarray(Y)),
        (wide[::2, ::2], Y.tolist()),
        (pd.DataFrame(X).add_prefix("f"), pd.DataFrame(Y).add_prefix("l")),
        (X.astype(X.dtype.newbyteorder()), sp.csr_array(Y)),
    ]
    at = available().index(name) % 3
    for x, y in forms[at::3]:  # every model: one place checks the data of all
        again, own = predicted(name, x, y)
        assert np.array_equal(np.asarray(again), labels)
        np.testing.assert_allclose(own, chances, rtol=0, atol=1e-5)
    sparse, own = predicted(name, sp.csr_array(X), Y)
    np.testing.assert_allclose(own, chances, rtol=0, atol=1e-3)  # another order of sums
    assert np.mean(np.asarray(sparse) == labels) > 0.99


@pytest.mark.parametrize("name", PLAIN)
def test_other_rows_and_the_number_of_threads_do_not_matter(name):
    X, Y = table()
    labels, _ = predicted(name, X, Y)
    rows = np.random.default_rng(1).permutation(len(X))[:40]
    shuffled, _ = predicted(name, X, Y, X[rows])
    assert np.array_equal(shuffled, labels[rows])
    alone, _ = predicted(name, X, Y, X[rows[:1]])
    assert np.array_equal(alone, labels[rows[:1]])
    if name != "lift":  # processes: as every learner that has no threads
        parallel, _ = predicted(name, X, Y, n_jobs=2)
        assert np.array_equal(parallel, labels)
