"""Checks that every criterion must pass; for the authors of plugins.

>>> from mlfs.criteria import check_criterion
>>> check_criterion("mim")

`yield_checks` gives the checks one by one, for a test suite with one test for each.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mlfs import criteria
from mlfs.criteria import (
    Criterion,
    PairCriterion,
    SetCriterion,
    documentation,
)
from mlfs.errors import CriterionError
from mlfs.information.info import VOCABULARY, Info
from mlfs.search.checked import CheckedCriterion
from mlfs.search.greedy import best_first, greedy
from mlfs.search.picks import SearchResult

PICKS = 4


def check_criterion(criterion: Any, **parameters: Any) -> None:
    """Run all checks on a criterion and raise `CriterionError` at the first that fails.

    Parameters
    ----------
    criterion : str or type
        A name, or a subclass of `mlfs.Criterion`.
    **parameters
        Its parameters.
    """
    for check in yield_checks(criterion, **parameters):
        check()


def yield_checks(criterion: Any, **parameters: Any) -> Iterator[Callable[[], None]]:
    """Give the checks one by one, each a function without arguments."""
    name, instance = criteria.get(criterion, parameters)
    for check in (
        _has_a_docstring,
        _keeps_its_parameters,
        _gives_arrays,
        _survives_odd_data,
        _works_on_a_view,
        _follows_the_columns,
        _does_not_depend_on_the_rows,
        _follows_the_labels,
        _changes_nothing_in_place,
        _falls_if_it_says_so,
        _keeps_to_the_vocabulary,
    ):

        def run(check: Callable[[str, Criterion], None] = check) -> None:
            check(name, instance)

        run.__name__ = check.__name__.strip("_")
        yield run


def _fail(name: str, why: str) -> CriterionError:
    return CriterionError(f"the criterion {name} {why}")


def _problem(seed: int, odd: bool = False) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 2, (60, 3))
    features = np.stack(
        [
            labels[:, 0] ^ (generator.random(60) < 0.2),
            labels[:, 1] ^ (generator.random(60) < 0.3),
            generator.integers(0, 4, 60),
            generator.integers(0, 2, 60),
            labels.sum(axis=1),
            generator.integers(0, 9, 60),
            generator.integers(0, 2, 60),
        ],
        axis=1,
    )
    if odd:
        features[:, 3] = 0  # constant
        features[:, 6] = features[:, 0]  # a copy
        features[:, 5] = np.arange(60)  # an identifier
        labels[:, 2] = 0
    return features, labels


def _info(criterion: Criterion, features: np.ndarray, labels: np.ndarray) -> Info:
    chain = [tuple(range(i)) for i in range(labels.shape[1])]
    return Info.from_codes(features, labels, parents=chain if criterion.network else None)


def _views(criterion: Criterion, info: Info) -> list[Info]:
    if criterion.scope == "each label":
        return [info.for_label(label) for label in info.labels.tolist()]
    return [info]


def _run(name: str, criterion: Criterion, info: Info) -> list[SearchResult]:
    def search(view: Info) -> SearchResult:
        if criterion.search == "best first":
            return best_first(criterion, view, name=name)
        return greedy(criterion, view, PICKS, name=name)

    return [search(view) for view in _views(criterion, info)]


def _scores(searches: list[SearchResult]) -> list[float]:
    return [score for search in searches for score in search.picks.scores.tolist()]


def _has_a_docstring(name: str, criterion: Criterion) -> None:
    if not documentation(type(criterion)):
        raise _fail(name, "has no docstring with its formula and its reference")


def _keeps_its_parameters(name: str, criterion: Criterion) -> None:
    parameters = [p for p in inspect.signature(type(criterion)).parameters if p != "self"]
    for parameter in parameters:
        if not hasattr(criterion, parameter):
            raise _fail(name, f"does not keep its parameter {parameter} under the same name")


def _gives_arrays(name: str, criterion: Criterion) -> None:
    for view in _views(criterion, _info(criterion, *_problem(0))):
        _ask_all(CheckedCriterion(criterion, view, name))


def _ask_all(checked: CheckedCriterion) -> None:
    """Call every method once; `CheckedCriterion` refuses wrong answers."""
    checked.size()
    relevance = checked.relevance()
    checked.label_correlation()
    if _is_of_sets(checked.criterion):
        checked.merit_of_nothing()
        checked.merit([])
        checked.merit([2, 0])
        return
    _score(checked, relevance, [2, 0])


def _is_of_sets(criterion: Criterion) -> bool:
    return criterion.search == "best first" or isinstance(criterion, SetCriterion)


def _score(checked: CheckedCriterion, relevance: np.ndarray, picked: list[int]) -> np.ndarray:
    """The scores after some picks."""
    total, pairs = checked.start(), np.zeros(checked.info.d)
    for i, s in enumerate(picked):
        total = checked.fold(total, checked.term(s))
        if isinstance(checked.criterion, PairCriterion):
            for t in picked[:i]:
                pairs = pairs + checked.pair_term(s, t)
    if isinstance(checked.criterion, PairCriterion):
        return checked.pair_score(relevance, total, pairs, picked)
    return checked.score(relevance, total, picked)


def _survives_odd_data(name: str, criterion: Criterion) -> None:
    searches = _run(name, criterion, _info(criterion, *_problem(1, odd=True)))
    if np.isnan(_scores(searches)).any():
        raise _fail(name, "gives NaN on data with a constant, a copy and an identifier")


def _works_on_a_view(name: str, criterion: Criterion) -> None:
    """`score` must use only what is known of each candidate, so that the search may be lazy."""
    candidates = [1, 4, 5]
    for view in _views(criterion, _info(criterion, *_problem(2))):
        full = _answers(CheckedCriterion(criterion, view, name))
        part = _answers(CheckedCriterion(criterion, view.only(candidates), name))
        if any(not np.array_equal(a[candidates], b) for a, b in zip(full, part, strict=True)):
            raise _fail(name, "gives other numbers on info.only(features) than on the whole")


def _answers(checked: CheckedCriterion) -> list[np.ndarray]:
    relevance = checked.relevance()
    if _is_of_sets(checked.criterion):
        return [relevance, checked.merit([0, 2])]
    return [relevance, _score(checked, relevance, [0, 2])]


def _follows_the_columns(name: str, criterion: Criterion) -> None:
    features, labels = _problem(3)
    order = np.random.default_rng(3).permutation(features.shape[1])
    original = _run(name, criterion, _info(criterion, features, labels))
    permuted = _run(name, criterion, _info(criterion, features[:, order], labels))
    for expected, actual in zip(
        map(_until_tied, original), map(_until_tied, permuted), strict=True
    ):
        if not np.allclose(expected, actual, rtol=0, atol=1e-9):
            raise _fail(name, "gives other scores when the columns stand in another order")


def _until_tied(search: SearchResult) -> list[float]:
    """The scores up to the first pick that has ties, of which the lowest column is picked."""
    tied = [i for i, pick in enumerate(search.picks) if pick.ties]
    return search.picks.scores.tolist()[: tied[0] + 1 if tied else None]


def _does_not_depend_on_the_rows(name: str, criterion: Criterion) -> None:
    features, labels = _problem(4)
    order = np.random.default_rng(4).permutation(features.shape[0])
    original = _scores(_run(name, criterion, _info(criterion, features, labels)))
    permuted = _scores(_run(name, criterion, _info(criterion, features[order], labels[order])))
    if original != permuted:
        raise _fail(name, "gives other scores when the rows stand in another order")


def _follows_the_labels(name: str, criterion: Criterion) -> None:
    features, labels = _problem(6)
    order = [2, 0, 1]
    original = _run(name, criterion, _unlinked(features, labels))
    permuted = _run(name, criterion, _unlinked(features, labels[:, order]))
    if criterion.scope == "each label":
        original = [original[label] for label in order]
    if not np.allclose(_scores(original), _scores(permuted), rtol=0, atol=1e-9):
        raise _fail(name, "gives other scores when the labels stand in another order")


def _unlinked(features: np.ndarray, labels: np.ndarray) -> Info:
    """Make an Info whose network has no parents, and so does not depend on the order of labels."""
    return Info.from_codes(features, labels, parents=[()] * labels.shape[1])


def _changes_nothing_in_place(name: str, criterion: Criterion) -> None:
    for view in _views(criterion, _info(criterion, *_problem(7))):
        before = view.mi_fL.copy()
        _ask_all(CheckedCriterion(criterion, view, name))
        if not np.array_equal(before, view.mi_fL):
            raise _fail(name, "changes an array of Info in place: work on a copy")


def _falls_if_it_says_so(name: str, criterion: Criterion) -> None:
    """For the same picks, a score with fewer terms must be an upper bound of the score."""
    if not criterion.falls:
        return
    for seed in range(3):
        for view in _views(criterion, _info(criterion, *_problem(seed))):
            checked = CheckedCriterion(criterion, view, name)
            relevance, total = checked.relevance(), checked.start()
            picked, bound = [0, 2, 5], None
            for s in picked:
                total = checked.fold(total, checked.term(s))
                score = checked.score(relevance, total, picked)
                if bound is not None and (score > bound).any():
                    raise _fail(name, "says falls = True, but a further term raised a score")
                bound = score


class _Recording:
    """An Info that records which names outside of the vocabulary are used."""

    def __init__(self, info: Info) -> None:
        self._info, self.strange = info, set[str]()

    def __getattr__(self, word: str) -> Any:
        if word not in VOCABULARY:
            self.strange.add(word)
        return getattr(self._info, word)


def _keeps_to_the_vocabulary(name: str, criterion: Criterion) -> None:
    for view in _views(criterion, _info(criterion, *_problem(5))):
        recording: Any = _Recording(view)
        _ask_all(CheckedCriterion(criterion, recording, name))
        if recording.strange:
            words = ", ".join(sorted(recording.strange))
            raise _fail(name, f"asks Info for {words}, which is not in its vocabulary")
