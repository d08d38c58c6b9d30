"""Columns that are held fixed: a twin that counts each stratum apart, and what follows from it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from math import fsum
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.cli import main
from mlfs.criteria import get
from mlfs.search.greedy import greedy
from tests import naive, naive_more
from tests.criteria.test_criteria import FILES
from tests.problems import problem, with_holes
from tests.walk import answers, check_best_first, check_greedy, criterion, same

RNG = np.random.default_rng(3)
pytestmark = pytest.mark.filterwarnings("ignore")


def within(monkeypatch: pytest.MonkeyPatch, strata: list[int], weights: list[int]) -> None:
    """Let every entropy of the oracle be the mean over strata, each of which is counted apart."""
    n, total = len(strata), sum(weights)
    rows = [[i for i in range(n) if strata[i] == z] for z in sorted(set(strata))]
    shares = [sum(weights[i] for i in some) / total for some in rows]

    def apart(plain: Callable[..., float]) -> Callable[..., float]:
        def mean(*columns: Any, about: Any = ()) -> float:
            takes = "about" in inspect.signature(plain).parameters
            if not columns or len(columns[0]) != n:  # within a stratum already
                return plain(*columns, about=about) if takes else plain(*columns)
            parts = []
            for share, some in zip(shares, rows, strict=True):
                again = [i for i in some for _ in range(weights[i])]
                own = [tuple(column[i] for i in again) for column in columns]
                around = tuple(tuple(column[i] for i in again) for column in about)
                parts.append(share * (plain(*own, about=around) if takes else plain(*own)))
            return fsum(parts)

        return mean

    def ratio_of_means(a: Any, b: Any, Y: Any = ((),)) -> float:
        abouts = [(label,) if label else () for label in Y]
        mi = naive.mean(naive.I(a, b, about=about) for about in abouts)
        h = naive.mean(
            naive.h(a, about=(b, *about)) + naive.h(b, about=(a, *about)) for about in abouts
        )
        return naive.ratio(2 * mi, h)

    plain_h = naive.h
    monkeypatch.setattr(naive, "H", apart(naive.H))
    monkeypatch.setattr(naive, "I", apart(inspect.unwrap(naive.I)))
    h = apart(lambda a, about=(): plain_h(a, about))
    interaction, gini = apart(naive.interaction), apart(naive_more.gini_gain)
    for module in (naive, naive_more):
        for word, value in (
            *(("I", naive.I), ("h", h), ("interaction", interaction)),
            *(("SU", ratio_of_means), ("gini_gain", gini)),
        ):
            monkeypatch.setattr(module, word, value, raising=False)


def walk(name: str, given_problem: Any, missing: str = "level", **options: Any) -> None:
    """Each pick is the best by the oracle."""
    X, Y = given_problem.naive(missing)
    best_first = criterion(name).search != "greedy"
    n = None if best_first else len(X)
    data = (given_problem.X, given_problem.Y)
    options |= {"missing": missing, "correction": "none", "nominal_limit": 1000}
    selection = mlfs.select(data, name, n, **options)
    for answer in answers(selection, Y):
        if best_first:
            check_best_first(name, answer, X)
        else:
            check_greedy(name, answer, X)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("seed", range(3))
def test_every_entropy_is_the_mean_over_strata(
    monkeypatch: pytest.MonkeyPatch, name: str, seed: int
) -> None:
    some = problem(seed, labels=3)
    strata = np.random.default_rng(seed).integers(0, 3, len(some.Y))
    within(monkeypatch, strata.tolist(), [1] * len(some.Y))
    walk(name, some, given=strata)


@pytest.mark.parametrize("name", ["mim", "jmi", "mrmr", "scls", "cmim", "mlcfs", "icap", "disr"])
def test_missing_values_are_left_out_within_each_stratum(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    some = with_holes(problem(5, labels=3), 5, x=0.15, y=0.1)
    strata = np.random.default_rng(6).integers(0, 2, len(some.Y))
    within(monkeypatch, strata.tolist(), [1] * len(some.Y))
    walk(name, some, given=strata)


@pytest.mark.parametrize("name", ["jmi", "scls", "mlcfs", "jim"])
def test_strata_count_by_their_weight(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    some, generator = problem(7, labels=2), np.random.default_rng(8)
    strata, weights = generator.integers(0, 3, len(some.Y)), generator.integers(1, 4, len(some.Y))
    within(monkeypatch, strata.tolist(), weights.tolist())
    walk(name, some, given=strata, sample_weight=weights)
    weights[::5] = 0  # such rows are no part of a stratum
    left = weights > 0
    alone = ((some.X[left], some.Y[left]), name, 3)
    one = mlfs.select(*alone, given=strata[left], sample_weight=weights[left])
    same(mlfs.select((some.X, some.Y), name, 3, given=strata, sample_weight=weights), one)


N = 300
SITE = RNG.integers(0, 4, N)
X = np.column_stack([RNG.integers(0, 3, (N, 10)), SITE])
Y = np.column_stack(
    [(X[:, 0] > 0) ^ (RNG.random(N) < 0.2), (X[:, 1] + SITE) % 2, RNG.random(N) < 0.4]
).astype(int)


def test_one_stratum_is_the_plain_answer() -> None:
    plain = mlfs.select((X, Y), "jmi", 5)
    held = mlfs.select((X, Y), "jmi", 5, given=np.zeros(N))
    same(held, plain, bitwise=True)
    assert "given has one value in all rows, and nothing is held fixed" in held.notes


def test_a_copy_of_the_strata_tells_nothing() -> None:
    copied = np.column_stack([X, SITE])
    picked = mlfs.select((copied, Y), "mim", "all", given="x10")
    assert "x10" not in picked.names
    assert picked.scores[picked.indices.index(11)] == 0.0


def test_a_paradox_is_turned_round() -> None:
    """A drug that is given to the sick seems to harm, and the severity seems to be no matter."""
    rows = 4000
    severe = RNG.random(rows) < 0.5
    drug = RNG.random(rows) < np.where(severe, 0.9, 0.1)
    dies = RNG.random(rows) < np.where(severe, 0.65, 0.25) - 0.2 * drug
    noise = dies ^ (RNG.random(rows) < 0.42)
    table = pd.DataFrame({"severe": severe, "drug": drug, "noise": noise})
    labels = pd.DataFrame({"dies": dies})
    assert mlfs.select((table[["drug", "noise"]], labels), "mim", 1).names == ("noise",)
    assert dies[drug].mean() > dies[~drug].mean()  # it seems to harm
    within_strata = mlfs.select((table, labels), "mim", 2, given="severe")
    assert within_strata.names == ("drug", "noise")


def test_the_strata_may_be_named_or_given_and_the_form_of_the_data_does_not_matter() -> None:
    named = mlfs.select((X, Y), "scls", 5, given="x10")
    assert named.settings["given"] == ["x10"]
    for data in ((sp.csr_array(X), Y), (np.asfortranarray(X), Y)):
        same(mlfs.select(data, "scls", 5, given=10), named, bitwise=True)
    without = (X[:, :10], Y)
    for strata in (SITE, SITE.astype(str).astype(object), pd.Series(SITE), SITE[:, None]):
        by_rows = mlfs.select(without, "scls", 5, given=strata)
        same(by_rows, named, bitwise=True)
    assert by_rows.settings["given"] == "an array"
    two = pd.DataFrame({"site": SITE, "half": SITE % 2})
    same(mlfs.select(without, "scls", 5, given=two), named, bitwise=True)
    both = np.column_stack([X, SITE % 2])
    same(mlfs.select((both, Y), "scls", 5, given=["x10", "x11"]), named, bitwise=True)
    for options in ({"n_jobs": 2}, {"max_memory": "50MB"}):
        same(mlfs.select((X, Y), "scls", 5, given="x10", **options), named, bitwise=True)
    ready = mlfs.prepare((X, Y), given="x10")
    same(mlfs.select(ready, "scls", 5), named, bitwise=True)
    with pytest.raises(mlfs.UsageError, match=r"given is for mlfs\.prepare, and the data are"):
        mlfs.select(ready, "scls", 5, given="x9")
    same(mlfs.select((X, Y), "scls", 5, given=None), mlfs.select((X, Y), "scls", 5))
    selector = mlfs.FeatureSelector("scls", 5, given="x10").fit(X, Y)
    assert selector.indices_.tolist() == list(named.indices)


def test_lazy_searches_count_a_few_candidates_alone_within_strata() -> None:
    wide = RNG.integers(0, 2, (N, 1500))
    labels = wide[:, :3] ^ (RNG.random((N, 3)) < 0.2)
    ready = mlfs.prepare((wide, labels), given=SITE)
    eager, lazy = (greedy(get("mrmr")[1], ready.info, 8, lazy=lazy) for lazy in (False, True))
    assert list(map(repr, lazy.picks)) == list(map(repr, eager.picks))
    assert lazy.counted < eager.counted


def test_information_is_corrected_within_each_stratum() -> None:
    tables = [(X[z == SITE, :10], Y[z == SITE]) for z in range(4)]
    parts = [mlfs.prepare(data, correction="expected").info.mi_fL for data in tables]
    mean = sum(len(data[0]) / N * part for data, part in zip(tables, parts, strict=True))
    picked = mlfs.select((X, Y), "mim", "all", given="x10", correction="expected")
    assert picked.scores == pytest.approx(mean[list(picked.indices)], abs=1e-12)
    auto = mlfs.select((X, np.repeat(Y, 2, axis=0)[:N]), "mim", 3, given=[10, 9, 8])
    assert auto.settings["correction"] == "expected"  # 36 strata of eight rows each
    assert any("within 36 strata" in note for note in auto.notes)
    assert mlfs.select((X, Y), "mlcfs", 3, given=[10, 9, 8]).settings["correction"] == "none"


def test_numbers_of_features_and_p_values_are_those_within_strata() -> None:
    assert set(mlfs.select((X[:, :10], Y), "scls", "auto").names) == {"x0"}
    for n in ("auto", "fdr"):
        found = mlfs.select((X, Y), "scls", n, given="x10")
        assert set(found.names) == {"x0", "x1"}, n
    assert found.certainty[0].p < 0.05
    ready = mlfs.prepare((X, Y), given="x10")
    picked = mlfs.select(ready, "scls", 3)
    sure = mlfs.certainty(picked, ready, resamples=20, permutations=20).certainty
    assert [round(one.kept) for one in sure[:2]] == [1, 1]
    assert sure[2].p > 0.05
    stable = mlfs.StabilitySelector(
        mlfs.FeatureSelector("mim", 2, given=SITE), n_subsamples=10, random_state=0
    ).fit(X[:, :10], Y)
    assert stable.get_support(indices=True).tolist() == [0, 1]
    each = mlfs.compare.number_of_features((X, Y), "mrmr", given="x10", folds=2)
    assert each.sizes[-1] == 10


def test_an_explanation_holds_the_same_columns(tmp_path: Any, capsys: Any) -> None:
    picked = mlfs.select((X, Y), "mrmr", 2, given="x10")
    reasons = mlfs.explain((X, Y), picked, [0, 5, 10])
    assert reasons[0].score == picked.scores[picked.indices.index(0)]
    assert reasons[2].excluded == "it is held fixed"
    by_rows = mlfs.select((X[:, :10], Y), "mrmr", 2, given=SITE)
    with pytest.raises(mlfs.UsageError, match="the selection held an array fixed: give what"):
        mlfs.explain((X[:, :10], Y), by_rows, [5])
    ready = mlfs.prepare((X[:, :10], Y), given=SITE)
    assert mlfs.explain(ready, by_rows, [5])[0].score == reasons[1].score
    frame = pd.DataFrame(np.column_stack([X, Y]), columns=[*map("x{}".format, range(11)), *"abc"])
    frame.to_csv(path := tmp_path / "data.csv", index=False)
    line = ["select", str(path), "--labels", "last:3", "-c", "mrmr", "-n", "2", "--given", "x10"]
    assert main([*line, "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["settings"]["given"] == ["x10"]
    assert [entry["name"] for entry in record["selected"]] == list(picked.names)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"given": np.arange(N)}, "given makes 300 strata of 300 rows: too few rows are in each"),
        ({"given": SITE[1:]}, r"given is an array of shape \(299,\), and there are 300 rows: give"),
        ({"given": "site"}, "unknown feature in given 'site'"),
        ({"given": 10, "estimator": "gaussian"}, "given is only used for the estimator 'counts'"),
    ],
)
def test_what_cannot_be_held_fixed_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(mlfs.MlfsError, match=f"^{sentence}"):
        mlfs.select((X, Y), "mim", **{"n": 2, **options})


def test_a_blanket_is_tested_within_strata() -> None:
    draw = np.random.default_rng(0)
    site = draw.integers(0, 2, 1000)
    follows = np.column_stack([site ^ (draw.random(1000) < 0.2), draw.integers(0, 2, (1000, 4))])
    y = ((follows[:, 1] ^ (draw.random(1000) < 0.1)) | (site & (draw.random(1000) < 0.6)))[:, None]
    for algorithm in ("hiton", "iamb"):
        blanket = mlfs.criteria.get("blanket", {"algorithm": algorithm})[1]
        assert {0, 1} <= set(mlfs.select((follows, y), blanket).indices)
        assert mlfs.select((follows, y), blanket, given=site).indices == (1,)
        with_site = np.column_stack([follows, site])
        assert mlfs.select((with_site, y), blanket, given=5).indices == (1,)


def test_a_comparison_holds_columns_fixed_in_each_fold() -> None:
    by_site = np.column_stack([SITE % 2, X[:, 0] > 0]).astype(int)
    data = {"d": (X, by_site)}
    common = {"n": [1], "folds": 2, "metrics": ["micro_f1"]}
    plain, held = (
        mlfs.compare.run(data, ["mim"], "br", **common, **options).to_frame().value.mean()
        for options in ({}, {"given": "x10"})
    )
    assert mlfs.select((X, by_site), "mim", 1).names == ("x10",)
    assert plain != held
    with pytest.raises(mlfs.UsageError, match=r"^given names columns in a comparison"):
        mlfs.compare.run(data, ["mim"], "br", **common, given=SITE)


def test_strata_of_one_row_are_named() -> None:
    strata = np.where(np.arange(N) < 2, np.arange(N), 9)
    found = mlfs.select((X, Y), "mim", 2, given=strata)
    assert "2 of 3 strata of given tell nothing: one row each" in found.notes
    ready = mlfs.prepare((X, Y), given=10)
    with pytest.raises(mlfs.UsageError, match="know no strata"):
        mlfs.information.mutual_information(ready.features, ready.labels)
