"""The statistics of comparisons: against scipy, other packages, and the papers' own figures."""

from __future__ import annotations

import csv
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mlfs.compare import overlap, pairs, ranks
from mlfs.errors import DataError
from tests.shared import shared_data

N_SETS = st.integers(2, 9)
N_METHODS = st.integers(3, 6)


def some_table(seed: int, n: int, k: int, *, levels: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.integers(levels, size=(n, k)) * 1.0 if levels else generator.random((n, k))


def published(name: str, metric: str, methods: list[str]) -> np.ndarray:
    """The means of a published table, a row for each data set, a column for each method."""
    path = shared_data("../papers/tables/" + name)
    with path.open(encoding="utf-8", newline="") as lines:
        cells = {
            (row["dataset"], row["method"]): float(row["mean"])
            for row in csv.DictReader(lines, delimiter="\t")
            if row["metric"] == metric and row["method"] in methods and row["mean"]
        }
    sets = sorted({data for data, _ in cells} - {"average-rank"})
    return np.array([[cells[data, method] for method in methods] for data in sets])


@given(seed=st.integers(0, 10_000), n=N_SETS, k=N_METHODS, levels=st.sampled_from([0, 3]))
def test_friedman_is_scipys(seed: int, n: int, k: int, levels: int) -> None:
    table = some_table(seed, n, k, levels=levels)
    ours = ranks.friedman(table, higher_is_better=True)
    if (ranks.ranks(table, higher_is_better=True) == (k + 1) / 2).all():
        assert ours.chi2 == 0.0
        return
    theirs = stats.friedmanchisquare(*table.T)
    assert ours.chi2 == pytest.approx(theirs.statistic, abs=1e-9)
    assert ours.chi2_p == pytest.approx(theirs.pvalue, abs=1e-9)


@given(seed=st.integers(0, 10_000), n=N_SETS, k=N_METHODS)
def test_direction_turns_the_ranks(seed: int, n: int, k: int) -> None:
    table = some_table(seed, n, k, levels=4)
    up = ranks.ranks(table, higher_is_better=True).mean(axis=0)
    down = ranks.ranks(table, higher_is_better=False).mean(axis=0)
    np.testing.assert_allclose(up + down, k + 1)
    assert ranks.friedman(table, higher_is_better=True).f == pytest.approx(
        ranks.friedman(table, higher_is_better=False).f
    )


@pytest.mark.parametrize(
    ("metric", "printed"), [("accuracy", 3.2960), ("micro-f1", 8.5074), ("exact-match", 8.6283)]
)
def test_published_friedman_of_the_polytree_paper(metric: str, printed: float) -> None:
    """Exact match is printed 8.8995, with one tie broken; the figure here is with shared ranks."""
    path = shared_data("../papers/tables/004_table5.tsv")
    with path.open(encoding="utf-8", newline="") as lines:
        methods = sorted(
            {r["method"] for r in csv.DictReader(lines, delimiter="\t") if r["metric"] == metric}
        )
    found = ranks.friedman(published("004_table5.tsv", metric, methods), higher_is_better=True)
    assert found.f == pytest.approx(printed, abs=5e-4)
    assert found.degrees == (3, 33)


def test_published_critical_values() -> None:
    assert stats.f.isf(0.05, 4, 96) == pytest.approx(2.466, abs=5e-4)
    assert ranks.bonferroni_dunn(5, 25) == pytest.approx(1.117, abs=5e-4)
    # Demsar (2006), table 5: q at 0.05 for two to ten methods
    q = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for k, value in enumerate(q, start=2):
        assert ranks.nemenyi(k, 1) / math.sqrt(k * (k + 1) / 6) == pytest.approx(value, abs=1.1e-3)


@pytest.mark.parametrize(("table", "printed"), [(2, 62.406), (3, 63.719), (4, 54.370)])
def test_published_friedman_of_scls(table: int, printed: float) -> None:
    path = shared_data(f"../papers/tables/001_table{table}.tsv")
    with path.open(encoding="utf-8", newline="") as lines:
        rows = [r for r in csv.DictReader(lines, delimiter="\t") if r["dataset"] == "average-rank"]
    average = [float(row["mean"]) for row in rows]
    assert ranks.f_of_ranks(average, 25) == pytest.approx(printed, abs=1e-3)


@given(seed=st.integers(0, 10_000), k=st.integers(2, 6), difference=st.floats(0.01, 3))
def test_cliques_are_maximal(seed: int, k: int, difference: float) -> None:
    means = np.random.default_rng(seed).random(k) * 4
    together = {
        frozenset(group)
        for size in range(2, k + 1)
        for group in itertools.combinations(range(k), size)
        if np.ptp(means[list(group)]) <= difference
    }
    largest = {one for one in together if not any(one < other for other in together)}
    assert {frozenset(one) for one in ranks.cliques(means, difference)} == largest


@given(seed=st.integers(0, 10_000), n=st.integers(6, 30))
def test_wilcoxon_is_scipys(seed: int, n: int) -> None:
    table = some_table(seed, n, 2)
    statistic, p = pairs.wilcoxon(table[:, 0], table[:, 1])
    theirs = stats.wilcoxon(table[:, 0], table[:, 1])
    assert (statistic, p) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue))


@given(st.lists(st.integers(-4, 4).filter(bool), min_size=1, max_size=9))
def test_wilcoxon_counts_all_signs_where_ranks_are_shared(differences: list[int]) -> None:
    sizes = stats.rankdata(np.abs(differences))
    statistic, p = pairs.wilcoxon(differences, [0] * len(differences))
    lesser = [
        min(sizes @ np.array(signs), sizes.sum() - sizes @ np.array(signs)) <= statistic
        for signs in itertools.product([0, 1], repeat=len(differences))
    ]
    assert p == pytest.approx(np.mean(lesser), abs=1e-12)


def test_wilcoxon_of_equals_tells_nothing() -> None:
    assert pairs.wilcoxon([1, 2, 3], [1, 2, 3]) == (0.0, 1.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_monotone_and_bounded(p_values: list[float]) -> None:
    corrected = pairs.holm(p_values)
    order = np.argsort(p_values, kind="stable")
    assert all(raised >= p for raised, p in zip(corrected, p_values, strict=True))
    assert (np.diff(np.array(corrected)[order]) >= 0).all()
    assert max(corrected) <= 1


def test_pairs_agree_with_scikit_posthocs() -> None:
    posthocs = pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")
    table = some_table(3, 12, 4)
    theirs = posthocs.posthoc_wilcoxon(table.T, p_adjust="holm").to_numpy()
    for pair in pairs.wilcoxon_all(table, higher_is_better=True):
        assert pair.p_holm == pytest.approx(theirs[pair.first, pair.second])
        assert pair.wins + pair.ties + pair.losses == 12
    nemenyi = posthocs.posthoc_nemenyi_friedman(table).to_numpy()
    means = ranks.ranks(table, higher_is_better=True).mean(axis=0)
    apart = np.abs(means[:, None] - means[None, :]) > ranks.nemenyi(4, 12)
    assert (apart == (nemenyi < 0.05)).all()


def naive_nogueira(selections: list[set[int]], d: int) -> float:
    m = len(selections)
    mean_size = sum(map(len, selections)) / m
    spread = 0.0
    for f in range(d):
        p = sum(f in one for one in selections) / m
        spread += m / (m - 1) * p * (1 - p)
    return 1 - (spread / d) / (mean_size / d * (1 - mean_size / d))


SETS = st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=6), min_size=2, max_size=5)


@given(SETS)
def test_nogueira_is_its_formula(selections: list[set[int]]) -> None:
    assert overlap.nogueira(selections, 8) == pytest.approx(naive_nogueira(selections, 8))


@given(seed=st.integers(0, 10_000), m=st.integers(2, 5), k=st.integers(1, 7))
def test_nogueira_and_kuncheva_agree_on_equal_sizes(seed: int, m: int, k: int) -> None:
    """Nogueira et al. (2018), section 5: for equal sizes theirs is Kuncheva's."""
    generator = np.random.default_rng(seed)
    selections = [set(generator.choice(8, k, replace=False).tolist()) for _ in range(m)]
    assert overlap.nogueira(selections, 8) == pytest.approx(overlap.kuncheva(selections, 8))


@given(SETS)
def test_agreement_is_symmetric_with_ones(selections: list[set[int]]) -> None:
    table = overlap.agreement(selections)
    assert (table == table.T).all()
    assert (np.diag(table) == 1).all()
    off = table[~np.eye(len(selections), dtype=bool)]
    assert overlap.jaccard(selections) == pytest.approx(off.mean())


def test_what_cannot_be_tested_is_refused() -> None:
    with pytest.raises(DataError, match="row 1, column 2"):
        ranks.ranks([[1.0, float("nan")]], higher_is_better=True)
    with pytest.raises(DataError, match="two data sets"):
        ranks.friedman([[1.0, 2.0]], higher_is_better=True)
    with pytest.raises(DataError, match="equally long"):
        pairs.wilcoxon([1.0], [1.0, 2.0])
    with pytest.raises(DataError, match="two selections"):
        overlap.jaccard([{1}])
    assert math.isnan(overlap.kuncheva([{1}, {1, 2}], 5))
    assert math.isnan(overlap.nogueira([set(), set()], 5))
    assert ranks.underpowered(1).startswith("underpowered: 1 data set,")


def test_what_differs_by_the_order_of_sums_only_is_equal() -> None:
    folds = [0.1, 0.7, 0.3, 0.2, 0.6, 0.9]
    forth, back = (sum(one) / 6 for one in (folds, folds[::-1]))
    assert forth != back
    better = np.array([0.1, 0.21, 0.33, 0.46, 0.55, 0.61])
    table = np.stack([better + 0.1, better], axis=1)
    table[0] = forth, back
    assert ranks.ranks(table, higher_is_better=True)[0].tolist() == [1.5, 1.5]
    # one of six is level: five differences, all of one size, and none of them beyond 0.05
    assert pairs.wilcoxon(*table.T) == (0.0, 2 / 2**5)
    (pair,) = pairs.wilcoxon_all(table, higher_is_better=True)
    assert (pair.wins, pair.ties, pair.losses) == (5, 1, 0)
    huge = ranks.ranks(table * 1e200, higher_is_better=False)
    assert huge.tolist() == ranks.ranks(table * 1e-200, higher_is_better=False).tolist()
