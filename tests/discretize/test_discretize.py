"""Binning: each method against a twin written from its paper; dense = sparse; the records."""

from __future__ import annotations

import bisect
import itertools
import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlfs.data.dataset import Column, Dataset, Label
from mlfs.discretize import METHODS, Binning, encode, learn
from mlfs.discretize.column_blocks import round_weights
from mlfs.discretize.supervised import classes_of, laim, mdlp
from mlfs.discretize.unsupervised import equal_width
from mlfs.errors import DataError, UnknownName, UsageError

SEEDS = st.integers(0, 2**32 - 1)


def make(X, Y=None, kinds=None, weights=None):
    d = X.shape[1]
    Y = np.zeros((X.shape[0], 1), dtype=np.int8) if Y is None else Y
    kinds = kinds or [Column(f"c{j}") for j in range(d)]
    labels = tuple(Label(f"l{j}") for j in range(Y.shape[1]))
    return Dataset(X, Y, tuple(kinds), labels, weights)


def random_table(rng, n=None):
    """Columns of every kind: normal, sparse, counts, constant, huge, tiny, with holes."""
    n = n or int(rng.integers(2, 60))
    zeros = rng.random((n, 4)) < 0.7
    X = np.column_stack(
        [
            rng.normal(size=n),
            np.where(zeros[:, 0], 0.0, rng.normal(5, 1, n)),
            np.where(zeros[:, 1], 0.0, rng.integers(-3, 4, n)),
            np.where(zeros[:, 2], 0.0, rng.integers(0, 10**6, n)),
            np.full(n, 2.5),
            np.zeros(n),
            rng.normal(size=n) * 1e200,
            rng.normal(size=n) * 1e-200,
            np.where(zeros[:, 3], np.nan, rng.normal(size=n)),
            np.where(rng.random(n) < 0.3, np.nan, np.where(zeros[:, 0], 0.0, 1.5)),
            np.round(rng.exponential(size=n), 1),
            np.full(n, np.nan),
        ]
    )
    Y = (rng.random((n, 3)) < [0.5, 0.2, 0.0]).astype(np.int8)
    Y[:, 1] |= (X[:, 0] > 0.5).astype(np.int8)
    return X, Y


def naive_moments(values, weights):
    """Mean and population sd with exact sums."""
    total = sum(map(Fraction, weights))
    mean = float(sum(Fraction(v) * Fraction(w) for v, w in zip(values, weights, strict=True)))
    mean /= float(total)
    squares = [(v - mean) * (v - mean) for v in values]
    exact = sum(Fraction(s) * Fraction(w) for s, w in zip(squares, weights, strict=True))
    return mean, math.sqrt(float(exact) / float(total))


# --- mean and standard deviation --------------------------------------------------------------


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_mean_sd_is_the_paper_s(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(int(rng.integers(3, 50)), 1)) * 10.0 ** rng.integers(-8, 9)
    [binning] = learn(make(x), nominal_limit=0)
    mean, sd = naive_moments(x[:, 0].tolist(), [1.0] * len(x))
    expected = [0 if v < mean - sd else 2 if v > mean + sd else 1 for v in x[:, 0].tolist()]
    assert binning.apply(x[:, 0]).tolist() == expected
    assert (binning.method, binning.n_levels) == ("mean-sd", 3)


def test_the_margin_itself_belongs_to_the_middle():
    x = np.array([[-0.5], [0.5]] * 4)
    [binning] = learn(make(x), nominal_limit=0)
    assert binning.apply(x[:, 0]).tolist() == [1] * 8


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_rounding_does_not_part_two_values_that_are_equally_frequent(seed):
    rng = np.random.default_rng(seed)
    pair = rng.normal(size=2) * 10.0 ** rng.integers(-8, 9)
    x = np.tile(pair, int(rng.integers(1, 30)))[:, None]
    [binning] = learn(make(x), nominal_limit=0)
    assert binning.apply(x[:, 0]).tolist() == [1] * len(x)


def test_sums_are_rounded_once():
    x = np.array([1e16, 1.0, -1e16, 0.5] * 25)
    [binning] = learn(make(x[:, None]))
    mean, sd = naive_moments(x.tolist(), [1.0] * 100)
    assert mean == 0.375
    assert binning.edges == (np.nextafter(mean - sd, -np.inf), mean + sd)


@given(seed=SEEDS)
@settings(max_examples=12, deadline=None)
def test_many_rows_in_chunks_have_the_exact_mean(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=300_000) * np.exp(rng.normal(size=300_000) * 20)
    [binning] = learn(make(x[:, None]))
    mean = math.fsum(x.tolist()) / x.size
    sd = math.sqrt(math.fsum(((x - mean) * (x - mean)).tolist()) / x.size)
    assert binning.edges == (np.nextafter(mean - sd, -np.inf), mean + sd)


# --- what holds for every method --------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_dense_and_sparse_agree_bit_for_bit(method, seed):
    X, Y = random_table(np.random.default_rng(seed))
    dense, sparse = make(X, Y), make(sp.csr_array(X), sp.csr_array(Y))
    learned = learn(dense, method)
    assert learn(sparse, method) == learned
    codes = encode(dense, learned), encode(sparse, learned)
    for part in ("indptr", "rows", "codes", "mode", "levels", "missing", "counts"):
        ours, theirs = (getattr(each, part) for each in codes)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("method", METHODS)
@given(seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_integer_weights_are_repetition_and_order_is_nothing(method, seed):
    rng = np.random.default_rng(seed)
    X, Y = random_table(rng)
    weights = rng.integers(0, 4, X.shape[0])
    weights[0] = 1
    weighted = learn(make(X, Y), method, weights=weights)
    again = rng.permutation(np.repeat(np.arange(X.shape[0]), weights))
    assert learn(make(X[again], Y[again]), method) == weighted
    assert learn(make(sp.csr_array(X), sp.csr_array(Y)), method, weights=weights) == weighted


@pytest.mark.parametrize("method", METHODS)
@given(seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_the_code_is_what_apply_says(method, seed):
    rng = np.random.default_rng(seed)
    X, Y = random_table(rng)
    binnings = learn(make(X, Y), method)
    other, _ = random_table(rng)
    for table in (X, other, sp.csr_array(other)):
        coded = encode(make(table), binnings)
        plain = table.toarray() if sp.issparse(table) else table
        for j, binning in enumerate(binnings):
            codes = binning.apply(plain[:, j])
            counts = Counter(codes.tolist())
            base = min(counts, key=lambda c: (-counts[c], c))
            part = slice(coded.indptr[j], coded.indptr[j + 1])
            assert coded.mode[j] == base
            np.testing.assert_array_equal(coded.rows[part], np.flatnonzero(codes != base))
            np.testing.assert_array_equal(coded.codes[part], codes[codes != base])
            assert coded.levels[j] == binning.n_levels > codes.max()
            assert coded.missing[j] == binning.missing_code
        assert [coded.rows.dtype, coded.indptr.dtype] == [np.int32, np.int64]


@pytest.mark.parametrize("method", METHODS)
def test_a_record_survives_json(method):
    X, Y = random_table(np.random.default_rng(1), 50)
    for binning in learn(make(X, Y), method):
        assert Binning.from_dict(json.loads(json.dumps(binning.describe()))) == binning
        assert len(binning.levels()) == binning.n_levels


def test_fractional_weights_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(3)
    X, Y = random_table(rng, 40)
    weights, order = rng.random(40), rng.permutation(40)
    for method in METHODS:
        learned = learn(make(X, Y), method, weights=weights)
        assert learn(make(X[order], Y[order]), method, weights=weights[order]) == learned


# --- which columns are taken as they are ------------------------------------------------------


def test_low_count_integers_are_nominal():
    X = np.array([[0, 0.5, 0, 1e9], [3, 1.5, 1, -4], [3, 2.5, 2, 7], [-1, 9.5, 3, 7]])
    low, half, four, wide = learn(make(X), nominal_limit=3)
    assert (low.method, low.values, low.n_levels) == ("nominal", (-1.0, 0.0, 3.0), 3)
    assert half.method == four.method == "mean-sd"
    assert (wide.method, wide.values) == ("nominal", (-4.0, 7.0, 1e9))
    assert {b.method for b in learn(make(X), nominal_limit=0)} == {"mean-sd"}


def test_a_nominal_column_keeps_all_its_declared_values():
    X = np.array([[2.0], [2.0], [0.0]])
    [binning] = learn(make(X, kinds=[Column("colour", "nominal", ("r", "g", "b"))]))
    assert binning.values == (0.0, 1.0, 2.0)
    assert binning.fallback == 2
    assert encode(make(X), [binning]).mode.tolist() == [2]


def test_constant_columns_have_one_level():
    X = np.column_stack([np.full(30, 0.1), np.full(30, 7.0), np.arange(30.0)])
    for method in METHODS:
        tenth, seven, _ = learn(make(X), method)
        assert tenth.n_levels == seven.n_levels == 1
        assert tenth.apply([0.1, 5.0]).tolist() == [0, 0]


def test_missing_values_have_the_last_code_and_unseen_ones_go_there():
    X = np.array([[0.0], [0.0], [1.0], [np.nan]])
    [binning] = learn(make(X))
    assert (binning.missing_code, binning.n_levels) == (2, 3)
    assert binning.apply([0, 1, np.nan, 5, 0.5]).tolist() == [0, 1, 2, 2, 2]
    [whole] = learn(make(np.array([[0.0], [1.0], [1.0]])))
    assert whole.missing_code == -1
    assert whole.apply([0, 1, np.nan, 5]).tolist() == [0, 1, 1, 1]
    [nothing] = learn(make(np.array([[np.nan], [np.nan]])))
    assert (nothing.n_levels, nothing.missing_code) == (1, 0)
    assert nothing.apply([1.0, np.nan]).tolist() == [0, 0]


def test_a_numeric_column_with_holes_is_cut_as_without():
    x = np.array([0.5, np.nan, 1.5, 2.5, np.nan, 9.5])
    [holes] = learn(make(x[:, None]))
    [plain] = learn(make(x[~np.isnan(x)][:, None]))
    assert holes.edges == plain.edges
    assert holes.apply(x).tolist() == [1, 3, 1, 1, 3, 2]


# --- equal width and equal frequency ----------------------------------------------------------


def test_width_cuts_the_range_evenly():
    [binning] = learn(make(np.array([[0.0], [10.0], [2.5], [1.0]])), "width", 4, 0)
    assert binning.edges == (2.5, 5.0, 7.5)
    assert binning.apply([0, 2.5, 2.6, 10]).tolist() == [0, 0, 1, 3]


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_frequency_cuts_nearest_to_the_quantiles(seed):
    rng = np.random.default_rng(seed)
    x = np.round(rng.exponential(2, int(rng.integers(1, 40))), int(rng.integers(0, 3)))
    bins = int(rng.integers(2, 6))
    [binning] = learn(make(x[:, None]), "frequency", bins, 0)
    ordered = sorted(x.tolist())
    places = [i for i in range(1, len(ordered)) if ordered[i - 1] < ordered[i]]
    cuts = set()
    for k in range(1, bins):
        if places:
            cuts.add(min(places, key=lambda i: (abs(Fraction(i) - Fraction(k * len(x), bins)), i)))
    assert binning.edges == tuple((ordered[i - 1] + ordered[i]) / 2 for i in sorted(cuts))


# --- MDLP -------------------------------------------------------------------------------------


def entropy(classes):
    n = len(classes)
    return -sum(c / n * math.log2(c / n) for c in Counter(classes).values()) if n else 0.0


def naive_mdlp(x, labels):
    """Fayyad and Irani by brute force; `labels` is a list of label columns, None is missing."""
    rows = [row for row in zip(x, *labels, strict=True) if set(row[1:]) != {None}]
    return naive_split(sorted(rows, key=lambda row: row[0]), len(labels))


def naive_split(rows, q):
    def known(part, l):
        return [row[l + 1] for row in part if row[l + 1] is not None]

    def cost(i):
        return sum(
            len(known(part, l)) * entropy(known(part, l))
            for l in range(q)
            for part in (rows[:i], rows[i:])
        )

    places = [i for i in range(1, len(rows)) if rows[i - 1][0] < rows[i][0]]
    if not places or len(rows) < 2:
        return []
    best = min(map(cost, places))
    cut = next(i for i in places if cost(i) <= best + 1e-9 * max(1, best))
    saved, delta = -cost(cut), 0.0
    for l in range(q):
        whole, left, right = (known(part, l) for part in (rows, rows[:cut], rows[cut:]))
        saved += len(whole) * entropy(whole)
        k, k1, k2 = (len(set(part)) for part in (whole, left, right))
        if k:
            delta += math.log2(3**k - 2) - (
                k * entropy(whole) - k1 * entropy(left) - k2 * entropy(right)
            )
    if saved <= math.log2(len(rows) - 1) + delta:
        return []
    middle = (rows[cut - 1][0] + rows[cut][0]) / 2
    return [*naive_split(rows[:cut], q), middle, *naive_split(rows[cut:], q)]


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_mdlp_is_the_brute_force_recursion(seed):
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(2, 60)), int(rng.integers(1, 4))
    x = np.round(rng.normal(size=n), int(rng.integers(0, 3)))
    noise = rng.normal(size=(n, q)) * rng.choice([0.1, 0.5])
    Y = np.digitize(x[:, None] + noise, np.sort(rng.normal(size=int(rng.integers(1, 4)))))
    Y = np.where(rng.random((n, q)) < rng.choice([0, 0.3]), -1, Y).astype(np.int8)
    columns = [[None if v < 0 else v for v in Y[:, l].tolist()] for l in range(q)]
    expected = naive_mdlp(x.tolist(), columns)
    assert mdlp(x, list(classes_of(Y, at_once=2))) == pytest.approx(tuple(expected), abs=1e-12)


def test_mdlp_finds_the_published_cuts_of_iris():
    """Petal length 2.45 and 4.75, petal width 0.8 and 1.75: what every implementation finds."""
    from sklearn.datasets import load_iris

    iris = load_iris()
    data = make(iris.data, iris.target[:, None].astype(np.int8))
    cuts = [binning.edges for binning in learn(data, "mdlp")]
    assert cuts[0] == pytest.approx((5.55, 6.15))
    assert cuts[1] == pytest.approx((2.95, 3.35))
    assert cuts[2] == pytest.approx((2.45, 4.75))
    assert cuts[3] == pytest.approx((0.8, 1.75))


def test_mdlp_leaves_noise_alone_and_pure_labels_do_not_matter():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=200), (rng.random((200, 1)) < 0.5).astype(np.int8)
    assert mdlp(x, list(classes_of(noise))) == ()
    step = (x > 0.3).astype(np.int8)[:, None]
    padded = np.hstack([step, np.zeros((200, 100), np.int8)])
    assert mdlp(x, list(classes_of(step))) == mdlp(x, list(classes_of(padded))) != ()


# --- LAIM -------------------------------------------------------------------------------------


def naive_laim(x, Y):
    """The greedy search by the formula, counting afresh each time."""
    distinct = sorted(set(x))
    middles = [(a + b) / 2 for a, b in itertools.pairwise(distinct)]

    def value(cuts):
        quanta = [[0] * Y.shape[1] for _ in range(len(cuts) + 1)]
        for v, row in zip(x, Y.tolist(), strict=True):
            for i, y in enumerate(row):
                quanta[bisect.bisect_left(cuts, v)][i] += y == 1
        everything = sum(map(sum, quanta))
        parts = (Fraction(max(q) ** 2, sum(q)) for q in quanta if sum(q))
        return sum(parts) / (len(quanta) * everything) if everything else Fraction(0)

    cuts, best = [], Fraction(0)
    while set(middles) - set(cuts):
        offers = [(value(sorted([*cuts, m])), m) for m in middles if m not in cuts]
        top = max(offer for offer, _ in offers)
        if top <= best:
            break
        best = top
        cuts = sorted([*cuts, next(m for offer, m in offers if offer == top)])
    return cuts


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_laim_is_the_greedy_search_of_the_paper(seed):
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(2, 30)), int(rng.integers(1, 5))
    x = np.round(rng.normal(size=n), 1)
    Y = (x[:, None] + rng.normal(size=(n, q)) * 0.5 > rng.normal(size=q)).astype(np.int8)
    Y = np.where(rng.random((n, q)) < rng.choice([0, 0.3]), -1, Y).astype(np.int8)
    assert laim(x, list(classes_of(Y, at_once=2))) == pytest.approx(
        tuple(naive_laim(x.tolist(), Y)), abs=1e-12
    )


def test_laim_separates_two_labels():
    x = np.arange(20.0)
    Y = np.column_stack([x < 7, x >= 7]).astype(np.int8)
    assert laim(x, list(classes_of(Y))) == (6.5,)


def test_the_classes_of_a_label_count_for_laim_as_labels():
    x = np.arange(12.0)
    one = (np.arange(12) // 4)[:, None].astype(np.int8)
    each = (one == np.arange(3)).astype(np.int8)
    assert laim(x, list(classes_of(one))) == laim(x, list(classes_of(each)))


# --- what is refused --------------------------------------------------------------------------


def test_bad_wishes_are_refused_in_a_sentence():
    data = make(np.arange(12.0)[:, None])
    with pytest.raises(UnknownName, match="did you mean 'width'"):
        learn(data, "widht")
    with pytest.raises(UsageError, match="finds the number of levels itself"):
        learn(data, "mdlp", 4)
    with pytest.raises(UsageError, match="n_bins is 1"):
        learn(data, "width", 1)
    with pytest.raises(UsageError, match="n_bins is 99999999: there may be"):
        learn(data, "frequency", 99_999_999)
    with pytest.raises(UsageError, match="nominal_limit is -1"):
        learn(data, nominal_limit=-1)
    with pytest.raises(DataError, match="but there are 12 rows"):
        learn(data, weights=[1.0])
    with pytest.raises(DataError, match="finite and not negative"):
        learn(data, weights=[-1.0] * 12)
    with pytest.raises(DataError, match="all weights are zero"):
        learn(data, weights=[0.0] * 12)
    with pytest.raises(DataError, match="'c0' holds an infinite value"):
        learn(make(np.array([[1.0], [np.inf]])))
    with pytest.raises(DataError, match="2 binnings for 1 columns"):
        encode(data, [*learn(data), *learn(data)])
    with pytest.raises(DataError, match="not a binning"):
        Binning.from_dict({"name": "x"})


def test_a_table_without_columns_or_rows_is_no_problem():
    assert learn(make(np.zeros((3, 0)))) == []
    assert encode(make(np.zeros((3, 0))), []).indptr.tolist() == [0]
    [binning] = learn(make(np.zeros((0, 1))))
    assert binning.n_levels == 1


def test_the_user_s_table_is_not_changed():
    table = sp.csc_array(([1.0, 2.0], [1, 0], [0, 2]), shape=(3, 1))
    learn(make(table))
    assert table.indices.tolist() == [1, 0]


def test_weights_on_the_grid_keep_integers_and_sum_exactly():
    weights = np.random.default_rng(0).random(1000)
    grid = round_weights(weights)
    assert np.abs(grid - weights).max() < 1e-12
    assert grid.sum() == grid[::-1].cumsum()[-1] == math.fsum(grid.tolist())
    assert round_weights(np.array([3.0, 1e9])).tolist() == [3.0, 1e9]


@pytest.mark.parametrize("scale", [5e-324, 2.0**-1040, 2.0**1015])
def test_equal_widths_do_not_depend_on_a_scale_at_the_ends_of_the_floats(scale):
    X = np.array([[-3.0, 0.1], [0.0, 0.2], [1.0, 0.7], [4.0, 0.9], [9.0, 0.4], [2.0, 0.5]])
    X = np.round(X * 10) / (1 if scale < 1 else 16)
    low, high = X.min(axis=0), X.max(axis=0)
    expected = X[:, None, :] <= equal_width(low, high, 5).T[None]
    found = X[:, None, :] * scale <= equal_width(low * scale, high * scale, 5).T[None]
    assert (found == expected).all()


def test_equal_widths_of_the_widest_range_are_finite():
    edges = equal_width(np.array([-1.7e308]), np.array([1.7e308]), 4)
    np.testing.assert_allclose(edges[0], [-8.5e307, 0, 8.5e307], atol=1e293)


@pytest.mark.filterwarnings("error")
def test_mean_and_deviation_beyond_the_floats_cut_off_nothing():
    x = np.array([-1.7e308, -1.7e308, 1.7e308, -1.7e308, 0.5, -1.7e308])
    [binning] = learn(make(x[:, None]))
    [scaled] = learn(make(x[:, None] / 2.0**900))
    assert binning.edges == (scaled.edges[1] * 2.0**900,)
    assert (x / 2.0**900 > scaled.edges[0]).all()
    assert math.isfinite(binning.edges[0])
