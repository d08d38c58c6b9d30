"""What a criterion does in place with an answer changes no later answer."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import mlfs
from mlfs.errors import CriterionError
from mlfs.information.for_search import with_parents
from mlfs.information.info import VOCABULARY, Info

RNG = np.random.default_rng(8)
X = RNG.integers(0, 3, (60, 5)).astype(float)
Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 1, RNG.integers(0, 2, 60)]).astype(int)
PARENTS = ((1,), (2,), (0, 1))
ONE = ("mi_fs", "cmi_sL_given_f", "cmi_fL_given_s", "interaction_fsL", "joint_fsL")
ONE += ("h_f_where_s", "h_s_where_f", "cmi_fs_given_L", "gini_fsL", "su_fs", "mi_sL", "h_s")
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(ONE, (1,)),
    **dict.fromkeys(("joint_fssL", "cmi_fs_given_s"), (1, 2)),
    **dict.fromkeys(("cmi_fL_given_S", "su_fS", "su_SS"), ([1, 2],)),
    "label_term": (),
    "sum_over_labels": (lambda block: block.mi_fl,),
}
WORDS = sorted({*VOCABULARY} - {"only", "for_label", "for_labels", "parents", "by_rows"})


def asked(info: Info, word: str) -> list[np.ndarray]:
    found = getattr(info, word)
    found = found(*ARGUMENTS[word]) if word in ARGUMENTS else found
    return [*found] if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    "settings",
    [{}, {"missing": "level"}, {"estimator": "gaussian"}, {"correction": "expected"}],
    ids=lambda settings: next(iter(settings.values()), "plain"),
)
def test_an_answer_that_is_changed_in_place_is_no_other_next_time(
    settings: dict[str, Any], word: str
) -> None:
    x = X.copy()
    x[3, 2] = np.nan if "missing" in settings else 1
    info = with_parents(mlfs.prepare((x, Y), **settings).info, PARENTS)
    views = [info, info.only([0, 2, 3]), info.for_label(1), info.for_label(1).only([3, 1])]
    for view in views:
        with suppress(CriterionError):  # a word that this estimator lacks, or that needs one label
            before = [np.array(part) for part in asked(view, word)]
            for part in asked(view, word):
                if isinstance(part, np.ndarray):
                    with suppress(ValueError):  # it is read-only
                        part[...] = 7
            for one, other in zip(before, asked(view, word), strict=True):
                np.testing.assert_array_equal(one, other)


class Divides(mlfs.Criterion):
    """Divides (test).   J(f) = sum_l I(f;l) / H(f)"""

    def relevance(self, info: Info) -> np.ndarray:
        """Divide in place."""
        relevance = info.mi_fL
        relevance /= info.h_f
        return relevance


class Averages(mlfs.Criterion):
    """Averages (test).   J(f) = sum_l I(f;l) - 1/|S| sum_s I(f;s)"""

    def relevance(self, info: Info) -> np.ndarray:
        """The information."""
        return info.mi_fL

    def term(self, info: Info, s: int) -> np.ndarray:
        """The redundancy."""
        return info.mi_fs(s)

    def score(self, relevance: np.ndarray, total: np.ndarray, picked: list[int]) -> np.ndarray:
        """Divide in place."""
        total /= len(picked)
        return relevance - total


class Renames(mlfs.Criterion):
    """Renames (test).   J(f) = sum_l I(f;l)"""

    def relevance(self, info: Info) -> np.ndarray:
        """Overwrite the numbers of the columns."""
        info.features[:] = 0
        return info.mi_fL


@pytest.mark.parametrize("kind", [Divides, Averages, Renames])
def test_a_criterion_that_works_in_place_is_refused_and_spoils_no_other(kind: Any) -> None:
    prepared = mlfs.prepare((X, Y))
    with pytest.raises(CriterionError, match=r"fails in \w+: .*read-only.*make a new array"):
        mlfs.select(prepared, kind(), 3)
    for name in ("mim", "jmi", "mrmr"):
        found, alone = mlfs.select(prepared, name, 4), mlfs.select((X, Y), name, 4)
        assert found.names == alone.names
        assert found.scores.tolist() == alone.scores.tolist()
