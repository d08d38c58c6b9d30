"""What criteria see of an Info, and a search on an Info that has no counts."""

from __future__ import annotations

import numpy as np
import pytest

from mlfs import CriterionError, Info, prepare
from mlfs.criteria import get
from mlfs.information.for_search import table_of
from mlfs.information.info import VOCABULARY
from mlfs.search.greedy import greedy


class Correlations(Info):
    """Information of normal variables, from their correlations: an estimator without counts."""

    def __init__(self, X, Y, features=None):
        super().__init__(np.arange(Y.shape[1]), features)
        self._X, self._Y = X, Y

    @property
    def features(self):
        return np.arange(self._X.shape[1]) if self._features is None else self._features

    def only(self, features):
        return Correlations(self._X, self._Y, np.asarray(features))

    def _with(self, column):
        both = np.corrcoef(self._X[:, self.features].T, column)[-1, :-1]
        return -0.5 * np.log1p(-np.minimum(both**2, 1 - 1e-12))

    @property
    def mi_fL(self):
        return sum(self._with(column) for column in self._Y.T)

    def mi_fs(self, s):
        return self._with(self._X[:, s])


def problem():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 12))
    X[:, 5] = X[:, 3] + 0.1 * generator.normal(size=300)
    Y = X[:, [3, 7]] + 0.5 * generator.normal(size=(300, 2))
    return X, Y


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize("name", ["mim", "mrmr", "ami"])
def test_a_search_does_not_know_the_estimator(name, lazy):
    X, Y = problem()
    info = Correlations(X, Y)
    found = greedy(get(name)[1], info, 4, lazy=lazy)
    picked = [pick.index for pick in found.picks]
    relevance = info.mi_fL
    for at, pick in enumerate(picked):
        shared = sum((info.mi_fs(s) for s in picked[:at]), np.zeros(12))
        weight = {"mim": 0, "mrmr": info.q / max(1, at), "ami": 1}[name]
        scores = relevance - weight * shared
        scores[picked[:at]] = -np.inf
        assert scores.argmax() == pick


def test_what_an_estimator_cannot_answer_is_refused_in_one_sentence():
    info = Correlations(*problem())
    with pytest.raises(CriterionError, match=r"Correlations gives no conditional information"):
        greedy(get("jmi")[1], info, 3)
    with pytest.raises(CriterionError, match=r"Correlations has no counts"):
        table_of(info)


def test_a_criterion_sees_the_vocabulary_and_nothing_else():
    data = ([[0, 1], [1, 1], [1, 0]], [[0], [1], [1]])
    infos = [Info.from_codes(*data)]
    infos += [prepare(data, estimator="gaussian").info, prepare(data, correction="expected").info]
    for info in infos:
        for view in (info, info.only([1]), info.for_label(0)):
            public = {name for name in dir(view) if not name.startswith("_")}
            assert public == {*VOCABULARY, "from_codes"}


def test_weights_of_labels_that_differ_little_are_distinguished():
    generator = np.random.default_rng(0)
    X, Y = generator.integers(0, 2, (50, 4)), generator.integers(0, 2, (50, 2))
    info = Info.from_codes(X, Y, parents=[(1,), (0,)])
    one, two = info.label_term([1.0, 0.1]), info.label_term([1.0 + 4e-9, 0.1])
    assert (one != two).any()


def test_no_rows_give_no_information():
    info = Info.from_codes(np.zeros((0, 3), int), np.zeros((0, 2), int))
    assert info.interaction_fLL.tolist() == [0, 0, 0]
