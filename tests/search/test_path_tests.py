"""P-values along the path: by a twin from the definition, uniform where nothing is left to find."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import fsum, log
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mlfs
from benchmarks.path_p_values import distance, null_p_values, shares
from mlfs.information.for_search import Path
from mlfs.search.path_tests import can_pass, forward_stop, path_p_values

RNG = np.random.default_rng(5)


def naive_information(x: list[Any], labels: list[list[Any]], strata: list[Any]) -> float:
    """The sum over labels of N I(x;l|z), from the counts of each stratum."""
    total = []
    rows = defaultdict(list)
    for i, z in enumerate(strata):
        rows[z].append(i)
    for label in labels:
        for some in rows.values():
            n = len(some)
            joint = Counter((x[i], label[i]) for i in some)
            n_x, n_l = Counter(x[i] for i in some), Counter(label[i] for i in some)
            total += [c * log(c * n / (n_x[a] * n_l[b])) for (a, b), c in joint.items()]
    return fsum(total)


class Shuffle:
    """Gives the random numbers that were drawn once more."""

    def __init__(self, drawn: np.ndarray) -> None:
        self.drawn = drawn

    def random(self, n: int) -> np.ndarray:
        return self.drawn[:n]


@pytest.mark.parametrize("kind", ["two levels", "many levels", "classes"])
@pytest.mark.parametrize("n_picks", [0, 1, 2])
def test_the_statistic_is_the_greatest_information_given_the_strata(
    kind: str, n_picks: int
) -> None:
    n = 70
    X = RNG.integers(0, 3 if kind == "two levels" else 25, (n, 5))
    X[:, :2] = RNG.integers(0, 2, (n, 2))
    Y = RNG.integers(0, 4 if kind == "classes" else 2, (n, 1 if kind == "classes" else 3))
    info = mlfs.prepare((X, Y[:, 0] if kind == "classes" else Y), nominal_limit=30).info
    path = Path(info)
    for s in range(n_picks):
        path.take(s)
    strata = [tuple(row[:n_picks]) for row in X.tolist()]
    sizes = Counter(strata)
    labels = Y.T.tolist()
    varied = {z for z in strata if len({tuple(Y[i]) for i in range(n) if strata[i] == z}) > 1}
    assert path.rows_left == sum(sizes[z] for z in varied)
    columns = np.arange(n_picks, 5)
    counted = path.strata(columns)
    best = max(naive_information(X[:, f].tolist(), labels, strata) for f in columns)
    each = [path.strata(columns[[i]]).told().max() for i in range(columns.size)]
    assert counted.told().max() == max(each)
    alone = [naive_information(X[:, f].tolist(), labels, strata) for f in columns]
    unit = counted._xlogx.unit
    assert (max(each) - min(each)) / unit == pytest.approx(max(alone) - min(alone), abs=1e-6)
    # permuted rows of labels, by the same random numbers
    order = sorted(range(n), key=lambda i: (strata[i], i))
    order = [i for i in order if strata[i] in varied]
    drawn = RNG.random(len(order))
    place = {z: k for k, z in enumerate(sorted(varied))}
    taken = sorted(range(len(order)), key=lambda k: place[strata[order[k]]] + drawn[k])
    moved = Y.copy()
    for k, i in enumerate(order):
        moved[i] = Y[order[taken[k]]]
    there = max(naive_information(X[:, f].tolist(), moved.T.tolist(), strata) for f in columns)
    change = (counted.told(Shuffle(drawn)).max() - counted.told().max()) / unit
    assert change == pytest.approx(there - best, abs=1e-6)


def test_p_is_the_share_of_permutations_that_reach_it_and_large_ones_end_early() -> None:
    X, Y = RNG.integers(0, 2, (100, 6)), RNG.integers(0, 2, (100, 2))
    Y[:, 0] = X[:, 3]
    info = mlfs.prepare((X, Y)).info
    (first, rows), (second, left) = path_p_values(info, np.arange(6), [3, 0], 99, 1)
    assert (first, rows, left) == (0.01, 100, 100)
    assert second is not None
    assert second > 0.05
    again = [*path_p_values(info, np.arange(6), [3], 99, 1)]
    assert again == [(0.01, 100)]


@pytest.mark.parametrize("n_picks", [0, 1, 2, 3])
def test_p_is_uniform_where_nothing_is_left_to_find(n_picks: int) -> None:
    assert distance(null_p_values(n_picks, 250, 100)) < 1.63 / np.sqrt(250)  # the 1 % level


def test_forward_stop_is_the_rule_of_the_paper() -> None:
    for seed in range(50):
        p_values = np.random.default_rng(seed).random(12) ** 2
        naive = 0
        for k in range(1, 13):
            if -sum(log(1 - p) for p in p_values[:k]) / k <= 0.2:
                naive = k
        assert forward_stop(p_values.tolist(), 0.2) == naive
    assert forward_stop([], 0.1) == 0
    assert forward_stop([1.0, 0.0], 0.1) == 0
    assert can_pass([0.01, None], 0.1, 5)
    assert not can_pass([0.5], 0.1, 5)


def test_the_false_share_of_fdr_is_at_most_alpha() -> None:
    false, found = shares("scls", "fdr", 40).T
    assert false.mean() <= 0.05 + 2 * false.std(ddof=1) / np.sqrt(40)
    assert found.mean() > 0.7


def sure(data: Any, *arguments: Any, permutations: int, **options: Any) -> mlfs.Selection:
    picked = mlfs.select(data, *arguments, **options)
    return mlfs.certainty(picked, data, resamples=None, permutations=permutations)


X = RNG.integers(0, 2, (200, 8))
Y = np.column_stack([X[:, 2], X[:, 5] & X[:, 6], X[:, 2]]) ^ (RNG.random((200, 3)) < 0.1)


@pytest.mark.parametrize("criterion", ["mim", "jmi", "mlcfs", "cmi"])
def test_fdr_is_the_beginning_of_the_path(criterion: str) -> None:
    whole = sure((X, Y), criterion, 8, permutations=200)
    heard: list[int] = []
    picked = mlfs.select((X, Y), criterion, "fdr", on_pick=lambda _, pick: heard.append(pick.index))
    if not picked.labels:
        assert picked.indices == whole.indices[: len(picked)]
        assert picked.certainty == whole.certainty[: len(picked)]
        assert heard == list(picked.indices)
    tight = mlfs.select((X, Y), criterion, "fdr", alpha=0.0001)
    assert len(tight) <= len(picked)


def test_no_rows_no_p() -> None:
    Z = np.column_stack([np.arange(60) % 30, *RNG.integers(0, 2, (3, 60))])
    ready = mlfs.prepare((Z, Z[:, 1:3]), nominal_limit=40)
    picked = sure(ready, "mim", 2, include=[0], permutations=50)
    assert picked.certainty[0] is None
    assert picked.certainty[1].p is not None or picked.certainty[1].rows_left < 20
    path = sure((X, Y), "mim", 8, permutations=20)
    left = [entry.rows_left for entry in path.certainty]
    assert left == sorted(left, reverse=True)
    noise = mlfs.select((X, RNG.integers(0, 2, (200, 1))), "mim", "fdr", alpha=0.001)
    assert len(noise) == 0
    assert "no feature tells more of the labels than chance would" in noise.notes


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"n": "fdr", "sample_weight": np.arange(200) + 0.5},
            "n is 'fdr', but rows of labels are permuted, and weights must say how often each was",
        ),
        (
            {"n": "fdr", "sample_weight": np.arange(200) * 1000},
            "n is 'fdr', but .*: give whole numbers up to 1,000, or data without weights",
        ),
        (
            {"estimator": "gaussian", "n": "fdr"},
            "n is 'fdr', but strata need levels, which the estimator gaussian has not",
        ),
    ],
)
def test_what_cannot_be_tested_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(mlfs.UsageError, match=f"^{sentence}"):
        mlfs.select((X, Y), "mim", **options)


def test_whole_weights_repeat_their_rows() -> None:
    times = np.random.default_rng(0).integers(0, 4, 200)
    again = np.repeat(np.arange(200), times)
    with pytest.warns(mlfs.MlfsWarning, match="^weights repeat their rows: p-values hold only"):
        weighted = sure(mlfs.prepare((X, Y), sample_weight=times), "mim", 3, permutations=50)
    repeated = sure((X[again], Y[again]), "mim", 3, permutations=50)
    assert weighted.certainty == repeated.certainty
    assert weighted.certainty != sure((X, Y), "mim", 3, permutations=50).certainty
    with pytest.warns(mlfs.MlfsWarning, match="^weights repeat their rows"):
        by_weight = mlfs.select((X, Y), "mim", "fdr", sample_weight=times)
    assert by_weight.names == mlfs.select((X[again], Y[again]), "mim", "fdr").names


def test_labels_that_are_all_constant_are_refused() -> None:
    with pytest.raises(mlfs.UsageError, match="but no label is in play: all are constant"):
        sure((X, np.zeros((200, 2))), "mim", 2, permutations=20)


def test_a_column_of_many_levels_does_not_hide_what_others_tell() -> None:
    """Its information by chance is the greatest in every permutation, unless it is corrected."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.integers(0, 3, (3000, 4)), columns=list("abcd"))
    X["postcode"] = [f"p{i}" for i in rng.integers(0, 600, 3000)]
    Y = np.c_[X["a"] > 1, X["b"] > 1, X["c"] > 1] ^ (rng.random((3000, 3)) < 0.2)
    picked = sure((X, Y.astype(int)), "mrmr", 5, permutations=99)
    assert picked.settings["correction"] == "expected"
    records = {pick["name"]: pick["p"] for pick in picked.to_dict()["selected"]}
    assert [records[name] for name in "abc"] == [0.01] * 3
    assert all(p > 0.05 for name, p in records.items() if name not in "abc")


@pytest.mark.parametrize("sizes", [(2, 3, 5), (1, 63, 40), (64, 2, 90, 7)])
def test_strata_of_few_rows_are_counted_together_with_the_same_answer(
    monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...]
) -> None:
    generator = np.random.default_rng(sizes)
    z = np.repeat(np.arange(70 * len(sizes)), np.tile(sizes, 70))[:900]
    X = np.column_stack([z, generator.integers(0, [2, 3, 5], (z.size, 3))])
    Y = (generator.random((z.size, 3)) < [0.5, 0.1, 0.9]).astype(int)
    info = mlfs.prepare((X, Y), nominal_limit=1000, correction="none").info
    told = []
    for least in (1, 10_000):
        monkeypatch.setattr("mlfs.counting.strata.LEAST_STRATA", least)
        monkeypatch.setattr("mlfs.counting.strata.MEAN_ROWS", 1000)
        path = Path(info)
        path.take(0)
        strata = path.strata(np.arange(1, 4))
        told += [strata.told().tolist(), strata.told(np.random.default_rng(1)).tolist()]
    assert told[:2] == told[2:]


def test_threads_give_the_same_p_values(monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = RNG.integers(0, 2, (200, 150)), RNG.integers(0, 2, (200, 3))
    alone = sure((X, Y), "mim", 3, permutations=40)
    monkeypatch.setattr("mlfs.counting.parallel.THREADED_FROM", 0)
    shared = sure(mlfs.prepare((X, Y), n_jobs=2), "mim", 3, permutations=40)
    assert [one.p for one in shared.certainty] == [one.p for one in alone.certainty]
