"""`check_criterion` passes what keeps the contract and refuses the rest in a sentence."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import mlfs
from mlfs import Criterion, CriterionError, Info, SetCriterion, UnknownName, UsageError
from mlfs.criteria import available, check_criterion, get, origins, yield_checks
from mlfs.search.greedy import greedy


def made(name="Bad", **parts):
    """A criterion that differs from MIM in the given parts."""
    parts.setdefault("__doc__", "Doc.   J(f) = sum_l I(f;l)")
    parts.setdefault("relevance", lambda self, info: info.mi_fL)
    return type(name, (Criterion,), parts)


def redundancy(self, info, s):
    return info.mi_fs(s)


def forgets(self, beta=0.5):
    self.weight = beta


def counts_its_calls(self, info):
    self.calls = getattr(self, "calls", 0) + 1
    return info.mi_fL * self.calls


@pytest.mark.parametrize("name", available())
def test_what_is_built_in_passes(name):
    check_criterion(name)


def test_the_checks_have_names():
    names = [check.__name__ for check in yield_checks("mim")]
    assert len(set(names)) == len(names) >= 9
    assert all(name.isidentifier() and not name.startswith("_") for name in names)


@pytest.mark.parametrize(
    "good",
    [
        made(),
        made(term=redundancy, score=lambda self, r, t, p: r - t / len(p), falls=True),
        made(fold=np.minimum, term=lambda self, i, s: i.cmi_fL_given_s(s)),
        made(relevance=lambda self, i: np.where(i.h_f > 0, i.mi_fL, -np.inf)),
        made(scope="each label", network=True, relevance=lambda self, i: i.mi_fL + i.label_term()),
        made(search="best first", merit=lambda self, i, p: i.mi_fL / (len(p) + 1)),
        made(size=lambda self, i: 2),
        # the relevance of all candidates is 0, and the lowest column is picked
        made(
            scope="each label",
            relevance=lambda self, i: i.interaction_fLL,
            term=redundancy,
            score=lambda self, r, t, p: r - t,
        ),
    ],
)
def test_what_keeps_the_contract_passes(good):
    check_criterion(good)


@pytest.mark.parametrize(
    "score",
    [
        lambda self, r, t, picked: r - t / picked,
        lambda self, r, t, picked: r - t / picked.size,
        lambda self, r, t, picked: r - picked[9],
        lambda self, r, t: r - t,
    ],
)
def test_an_error_in_a_score_says_what_picked_is(score):
    bad = made(term=redundancy, score=score)()
    with pytest.raises(CriterionError, match=r"fails in score: .*picked is the list of columns"):
        mlfs.select(mlfs.datasets.load_songs(), bad, 3)


def test_an_error_in_a_term_says_what_s_is():
    bad = made(term=lambda self, info, s: info.mi_fs(s[0]), score=lambda self, r, t, p: r - t)()
    with pytest.raises(CriterionError, match=r"fails in term: .*; s is the number of a column$"):
        mlfs.select(mlfs.datasets.load_songs(), bad, 3)


BAD = {
    "no docstring": (made(__doc__=None, __module__="nowhere"), "has no docstring"),
    "scope": (made(scope="some labels"), "has scope = 'some labels'"),
    "search": (made(search="random"), "has search = 'random'"),
    "fold": (made(fold=max), "has fold = <built-in function max>: it must be a ufunc of numpy"),
    "fold of one number": (made(fold=np.log), "has fold = <ufunc 'log'>: it must be a ufunc of"),
    "network": (made(network=1), "has network = 1: it must be False, True, 'chain' or 'tree'"),
    "falls": (made(falls=None), "has falls = None: it must be False or True"),
    "least_labels": (made(least_labels="2"), "least_labels = '2': it must be a whole number from"),
    "an attribute that raises": (
        made(least_labels=property(lambda self: {}["q"])),
        "^the criterion bad fails in least_labels: KeyError: 'q'$",
    ),
    "a method that cannot be read": (
        made(score=property(lambda self: {}["q"])),
        "^the criterion bad fails in score: KeyError: 'q'$",
    ),
    "__init__ raises": (
        made(__init__=lambda self: {}["q"]),
        "^the criterion bad fails in __init__: KeyError: 'q'$",
    ),
    "__init__ without parameters refuses": (
        made(__init__=lambda self: int("x")),
        "^the criterion bad fails in __init__: ValueError: invalid literal",
    ),
    "__init__ exits": (made(__init__=lambda self: sys.exit(0)), "fails in __init__: SystemExit: 0"),
    "__new__": (made(__new__=lambda cls: 3), "the criterion bad makes int in place of itself"),
    "forgets a parameter": (made(__init__=forgets), "does not keep its parameter beta"),
    "shape (d-1,)": (made(relevance=lambda self, i: i.mi_fL[1:]), "shape"),
    "shape (d, q)": (made(relevance=lambda self, i: i.mi_fl), "shape"),
    "term of one shape": (made(term=lambda self, i, s: i.mi_fL[:2]), "shape"),
    "score of one shape": (made(score=lambda self, r, t, p: r[:2]), "shape"),
    "None": (made(relevance=lambda self, i: None), "relevance"),
    "text": (made(relevance=lambda self, i: ["a"] * i.d), "relevance"),
    "nan": (made(relevance=lambda self, i: np.where(i.h_f > 0, i.mi_fL, np.nan)), "NaN"),
    "raises": (made(relevance=lambda self, i: 1 / 0), "ZeroDivisionError"),
    "term raises": (made(term=lambda self, i, s: {}[s]), "KeyError"),
    "no relevance": (type("Bad", (Criterion,), {"__doc__": "J"}), "relevance"),
    "no merit": (made(search="best first"), "merit"),
    "merit is nan": (made(search="best first", merit=lambda *_: np.nan), "NaN"),
    "looks at picked": (
        made(term=redundancy, score=lambda self, r, t, p: r - r[p[0]] * t),
        "other numbers on info.only",
    ),
    "looks at positions": (made(relevance=lambda self, i: i.mi_fL + np.arange(i.d)), "only"),
    "looks at columns": (made(relevance=lambda self, i: i.mi_fL + i.features), "another order"),
    "is random": (made(relevance=lambda self, i: i.mi_fL + np.random.random(i.d)), "numbers"),
    "has a memory": (made(relevance=counts_its_calls), "numbers"),
    "says falls": (made(falls=True, term=redundancy, score=lambda s, r, t, p: r + t), "falls"),
    "says falls of d2f": (
        made(
            falls=True,
            term=lambda self, i, s: i.mi_fL - i.cmi_fL_given_s(s),
            score=lambda self, r, t, p: r - t,
        ),
        "falls",
    ),
    "strange word": (made(relevance=lambda self, i: i.mi_fx), "mi_fx"),
    "table in relevance": (made(relevance=lambda self, i: i.mi_fL + 0 * i.table.d), "table"),
    "table in start": (made(start=lambda self, i: 0.0 * i.table.d), "table"),
    "table in size": (made(size=lambda self, i: i.table.d), "table"),
    "network unasked": (made(relevance=lambda self, i: i.mi_fL + i.label_term()), "network"),
    "parents of all labels": (
        made(network=True, relevance=lambda self, i: i.su_fp.sum(axis=1)),
        "belong to one label",
    ),
    "size is no number": (made(size=lambda self, i: "2"), "size"),
    "size is a fraction": (made(size=lambda self, i: 2.5), "size"),
    "size is negative": (made(size=lambda self, i: -2), "size"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_breaks_the_contract_is_refused_in_a_sentence(case):
    bad, word = BAD[case]
    with pytest.raises(CriterionError, match=word) as error:
        check_criterion(bad)
    assert "\n" not in str(error.value)


def test_what_is_no_criterion_is_refused():
    with pytest.raises(CriterionError, match="must be a subclass of"):
        check_criterion(int)
    with pytest.raises(CriterionError, match="must be a subclass of"):
        check_criterion(5)
    with pytest.raises(CriterionError, match=r"^the criterion bad has unit = 'cm': it must be 'in"):
        mlfs.select(([[0], [1]], [[0], [1]]), made(unit="cm")(), n=1)
    with pytest.raises(UnknownName, match="did you mean 'mim'"):
        check_criterion("mimm")


def test_the_registry_tells_of_every_criterion():
    reported = {origin.name: origin for origin in origins()}
    assert set(available()) == set(reported)
    for name in available():
        assert get(name)[0] == name
        assert reported[name].summary
        assert not reported[name].broken
    assert get("cife")[0] == "d2f"
    name, mifs = get("mifs", {"beta": 0.5})
    assert (name, vars(mifs)) == ("betagamma", {"beta": 0.5, "gamma": 0.0})
    with pytest.raises(UsageError, match="mifs is betagamma with gamma = 0: leave gamma out"):
        get("mifs", {"gamma": 1.0})
    assert get("MIM")[0] == "mim"


def test_a_criterion_that_looks_at_one_label_only_is_found_out() -> None:
    class First(Criterion):
        """One label (nobody).   J(f) = I(f;l_0)"""

        def relevance(self, info):
            return info.mi_fl[:, 0]

    with pytest.raises(CriterionError, match="labels stand in another order"):
        check_criterion(First)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda info: info.mi_fL + np.inf, r"\+inf as relevance"),
        (lambda info: info.mi_fL * 1j, "complex numbers as relevance"),
    ],
)
def test_answers_that_are_no_judgement_are_refused(answer, words) -> None:
    class Odd(Criterion):
        """Odd (nobody).   J(f) = ?"""

        def relevance(self, info):
            return answer(info)

    with pytest.raises(CriterionError, match=words):
        check_criterion(Odd)


class Plain(Criterion):
    """A set criterion without `SetCriterion`.   Merit(S) = mean of sum_l I(f;l)"""

    search = "best first"

    def relevance(self, info):
        return info.mi_fL

    def merit(self, info, picked):
        return (info.only(picked).mi_fL.sum() + info.mi_fL) / (len(picked) + 1)


class OfSets(SetCriterion):
    """The same with `SetCriterion`."""

    relevance, merit = Plain.relevance, Plain.merit


def test_a_set_criterion_needs_a_merit_and_no_certain_base_class():
    X, Y = np.random.default_rng(0).integers(0, 2, (2, 40, 6))
    for n in (None, 3):
        one, other = (mlfs.select((X, Y), kind(), n).chosen for kind in (Plain, OfSets))
        assert list(map(repr, one)) == list(map(repr, other))
    for kind in (Plain, OfSets):
        check_criterion(kind)
    bare = type("Bare", (Criterion,), {"search": "best first", "relevance": Plain.relevance})
    with pytest.raises(CriterionError, match="does not say its merit: define that method"):
        mlfs.select((X, Y), bare())


def test_a_criterion_may_end_the_process():
    with pytest.raises(SystemExit):
        mlfs.select(
            (np.eye(3, dtype=int), [[0], [1], [1]]), made(relevance=lambda self, i: sys.exit(3)), 1
        )


@pytest.mark.parametrize(
    ("fold", "folded"),
    [
        (np.multiply, lambda terms: np.prod(terms, axis=0)),
        (np.add, lambda terms: np.sum(terms, axis=0)),
        (np.minimum, lambda terms: np.min(terms, axis=0)),
        (np.maximum, lambda terms: np.max(terms, axis=0)),
    ],
)
def test_a_fold_starts_from_its_identity(fold, folded):
    class Folds(Criterion):
        """A fold.   J(f) = I(f;l) + fold of 1 - 2 I(f;s)"""

        def relevance(self, info):
            return info.mi_fL

        def term(self, info, s):
            return 1 - 2 * info.mi_fs(s)

        def score(self, relevance, total, picked):
            return relevance + total

    Folds.fold = fold
    check_criterion(Folds)
    rng = np.random.default_rng(0)
    info = Info.from_codes(rng.integers(0, 3, (60, 6)), rng.integers(0, 2, (60, 2)))
    picks = greedy(Folds(), info, 4).picks
    for k, column in enumerate(picks.columns.tolist()[1:], 1):
        terms = [1 - 2 * info.mi_fs(s)[column] for s in picks.columns[:k].tolist()]
        assert picks.scores[k] == pytest.approx(info.mi_fL[column] + folded(terms))
