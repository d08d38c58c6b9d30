"""Metrics against plain loops from their definitions, against scikit-learn, and their laws."""

from __future__ import annotations

import math
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs

from mlfs.errors import DataError, MlfsWarning, UnknownName, UsageError
from mlfs.metrics import METRICS, evaluate, label_auc, label_f1, tally
from mlfs.metrics.top import propensities, propensity_ndcg_at, propensity_precision_at
from tests.documents import ROOT

ours = SimpleNamespace(**{name: metric.function for name, metric in METRICS.items()})

# ---- The definitions, with plain loops: a row is a list of (true, predicted or score), known only.


def known_rows(Y, other):
    rows = []
    for true, given_ in zip(Y, other, strict=True):
        rows.append([(int(t), g) for t, g in zip(true, given_, strict=True) if t in {0, 1}])
    return rows


def known_columns(Y, other):
    return known_rows(list(zip(*Y, strict=True)), list(zip(*other, strict=True)))


def average(values):
    return sum(values) / len(values) if values else math.nan


def naive_exact_match(Y, P):
    whole = [row for row in known_rows(Y, P) if len(row) == len(Y[0])]
    return average([float(all(t == p for t, p in row)) for row in whole])


def naive_hamming_score(Y, P):
    return average([float(t == p) for row in known_rows(Y, P) for t, p in row])


def naive_hamming_loss(Y, P):
    return average([float(t != p) for row in known_rows(Y, P) for t, p in row])


def naive_accuracy(Y, P):
    found = []
    for row in known_rows(Y, P):
        true = {l for l, (t, p) in enumerate(row) if t}
        said = {l for l, (t, p) in enumerate(row) if p}
        if row:
            found.append(len(true & said) / len(true | said) if true | said else 1.0)
    return average(found)


def f1(cells, empty):
    tp = sum(t and p for t, p in cells)
    fp = sum((not t) and p for t, p in cells)
    fn = sum(t and not p for t, p in cells)
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else empty


def naive_sample_f1(Y, P):
    return average([f1(row, 1.0) for row in known_rows(Y, P) if row])


def naive_macro_f1(Y, P):
    return average([f1(column, 0.0) for column in known_columns(Y, P)])


def naive_micro_f1(Y, P):
    return f1([cell for row in known_rows(Y, P) for cell in row], 0.0)


def area(cells):
    positive = [s for t, s in cells if t]
    negative = [s for t, s in cells if not t]
    wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a in positive for b in negative]
    return average(wins)


def naive_macro_auc(Y, S):
    areas = [area(column) for column in known_columns(Y, S)]
    return average([a for a in areas if not math.isnan(a)])


def naive_micro_auc(Y, S):
    return area([cell for row in known_rows(Y, S) for cell in row])


def by_row(Y, S, of_row, nothing_to_rank):
    found = []
    for row in known_rows(Y, S):
        if row:
            there = {t for t, s in row}
            found.append(of_row(row) if there == {0, 1} else nothing_to_rank)
    return average(found)


def rank(row, score):
    return sum(s >= score for t, s in row)


def naive_ranking_loss(Y, S):
    def of_row(row):
        pairs = [(a, b) for t, a in row if t for u, b in row if not u]
        return sum(a <= b for a, b in pairs) / len(pairs)

    return by_row(Y, S, of_row, 0.0)


def naive_coverage(Y, S):
    return by_row(Y, S, lambda row: max(rank(row, s) for t, s in row if t) - 1, 0.0)


def naive_normalised_coverage(Y, S):
    return by_row(Y, S, lambda row: (max(rank(row, s) for t, s in row if t) - 1) / len(row), 0.0)


def naive_one_error(Y, S):
    def of_row(row):
        best = max(s for t, s in row)
        return float(any(not t for t, s in row if s == best))

    return by_row(Y, S, of_row, 0.0)


def naive_average_precision(Y, S):
    def of_row(row):
        shares = []
        for t, score in row:
            if t:
                shares.append(sum(u for u, s in row if s >= score) / rank(row, score))
        return average(shares)

    return by_row(Y, S, of_row, 1.0)


def naive_cll_loss(Y, joint):
    whole = [all(t in {0, 1} for t in row) for row in Y]
    return -sum(value for value, use in zip(joint, whole, strict=True) if use)


def precision(cells, empty):
    said, true = [t for t, p in cells if p], [t for t, p in cells if t]
    return sum(said) / len(said) if said else 0.0 if true else empty


def recall(cells, empty):
    return precision([(p, t) for t, p in cells], empty)


def naive_sample_precision(Y, P):
    return average([precision(row, 1.0) for row in known_rows(Y, P) if row])


def naive_sample_recall(Y, P):
    return average([recall(row, 1.0) for row in known_rows(Y, P) if row])


def naive_macro_precision(Y, P):
    return average([precision(column, 0.0) for column in known_columns(Y, P)])


def naive_macro_recall(Y, P):
    return average([recall(column, 0.0) for column in known_columns(Y, P)])


def naive_micro_precision(Y, P):
    return precision([cell for row in known_rows(Y, P) for cell in row], 0.0)


def naive_micro_recall(Y, P):
    return recall([cell for row in known_rows(Y, P) for cell in row], 0.0)


def pr_area(cells):
    """At each positive the share of positives among all that score at least as high."""
    shares = []
    for t, score in cells:
        if t:
            above = [u for u, s in cells if s >= score]
            shares.append(sum(above) / len(above))
    return average(shares)


def naive_macro_pr_auc(Y, S):
    areas = [pr_area(column) for column in known_columns(Y, S)]
    return average([a for a in areas if not math.isnan(a)])


def naive_micro_pr_auc(Y, S):
    return pr_area([cell for row in known_rows(Y, S) for cell in row])


def worst_first(row):
    return sorted(row, key=lambda cell: (-cell[1], cell[0]))


def naive_precision_at(Y, S, k):
    found = []
    for row in known_rows(Y, S):
        if any(t for t, s in row):
            top = worst_first(row)[:k]
            found.append(sum(t for t, s in top) / len(top))
    return average(found)


def naive_ndcg_at(Y, S, k):
    def gain(values):
        return sum(t / math.log2(i + 2) for i, t in enumerate(values[:k]))

    found = []
    for row in known_rows(Y, S):
        if any(t for t, s in row):
            best = sorted((t for t, s in row), reverse=True)
            found.append(gain([t for t, s in worst_first(row)]) / gain(best))
    return average(found)


def naive_precision_at_1(Y, S):
    return naive_precision_at(Y, S, 1)


def naive_precision_at_3(Y, S):
    return naive_precision_at(Y, S, 3)


def naive_precision_at_5(Y, S):
    return naive_precision_at(Y, S, 5)


def naive_ndcg_at_3(Y, S):
    return naive_ndcg_at(Y, S, 3)


def naive_ndcg_at_5(Y, S):
    return naive_ndcg_at(Y, S, 5)


def weighed(Y, given, divided, normalised):
    """The mean of what the first labels are worth, and of what the best ones are, by row."""
    scores, shares = given
    found, best = [], []
    for truth, row in zip(Y, scores, strict=True):
        known = [(s, t / p) for t, s, p in zip(truth, row, shares, strict=True) if t in (0, 1)]
        if any(worth for _, worth in known):
            order = [worth for s, worth in sorted(known, key=lambda one: (-one[0], one[1]))]
            found.append(divided(order))
            best.append(divided(sorted(order, reverse=True)))
    if not found:
        return math.nan
    return average(found) / (average(best) if normalised else 1)


def naive_propensity_precision_at(Y, given, k, normalised=True):
    return weighed(Y, given, lambda row: sum(row[:k]) / min(k, len(row)), normalised)


def naive_propensity_ndcg_at(Y, given, k, normalised=True):
    def divided(row):
        places = [1 / math.log2(i + 2) for i in range(min(k, len(row)))]
        true = sum(worth > 0 for worth in row)
        return sum(w * d for w, d in zip(row, places, strict=False)) / sum(places[:true])

    return weighed(Y, given, divided, normalised)


def naive_propensity_precision_at_1(Y, given):
    return naive_propensity_precision_at(Y, given, 1)


def naive_propensity_precision_at_3(Y, given):
    return naive_propensity_precision_at(Y, given, 3)


def naive_propensity_precision_at_5(Y, given):
    return naive_propensity_precision_at(Y, given, 5)


def naive_propensity_ndcg_at_3(Y, given):
    return naive_propensity_ndcg_at(Y, given, 3)


def naive_propensity_ndcg_at_5(Y, given):
    return naive_propensity_ndcg_at(Y, given, 5)


def naive_log_loss(Y, S):
    cells = [cell for row in known_rows(Y, S) for cell in row]
    return average([-math.log(min(max(s if t else 1 - s, EPS), 1 - EPS)) for t, s in cells])


EPS = 2.0**-52
NAIVE = {name: globals().get(f"naive_{name}") for name in METRICS}


# ---- Problems


def problem(seed, *, missing=True, levels=4):
    """True labels, predicted ones, scores with ties, joint log-probabilities."""
    draw = np.random.default_rng(seed)
    n, q = draw.integers(1, 9), draw.integers(1, 7)
    Y = (draw.random((n, q)) < draw.random(q)).astype(float)
    Y[draw.random(n) < 0.2] = 0
    Y[draw.random(n) < 0.1] = 1
    if missing:
        Y[draw.random((n, q)) < 0.15] = draw.choice([-1, math.nan])
    P = (draw.random((n, q)) < draw.random(q)).astype(int)
    S = draw.integers(0, levels, (n, q)) / 3
    return Y, P, S, np.log(draw.random(n))


def rarity(S):
    """A propensity for each label; rather by its scores than by its place."""
    return 0.2 + 0.7 * (np.asarray(S).mean(axis=0) ** 2)


def against(name, P, S, joint):
    pair = S, rarity(S)
    return {"labels": P, "scores": S, "propensities": pair, "probabilities": S, "joint": joint}[
        METRICS[name].needs
    ]


def listed(other):
    return tuple(map(listed, other)) if isinstance(other, tuple) else other.tolist()


def permuted(other, rows, columns):
    if isinstance(other, tuple):
        return other[0][rows][:, columns], other[1][columns]
    return other[rows] if other.ndim == 1 else other[rows][:, columns]


@pytest.mark.parametrize("name", METRICS)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_metric_is_its_definition(name, seed):
    Y, *others = problem(seed)
    other = against(name, *others)
    assert NAIVE[name], f"write naive_{name} in this file, from the definition"
    expected = NAIVE[name](Y.tolist(), listed(other))
    assert METRICS[name].function(Y, other) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_order_of_rows_and_columns_changes_no_bit(name, seed):
    Y, *others = problem(seed)
    other = against(name, *others)
    draw = np.random.default_rng(seed)
    rows, columns = draw.permutation(Y.shape[0]), draw.permutation(Y.shape[1])
    turned = permuted(other, rows, columns)
    first = METRICS[name].function(Y, other)
    again = METRICS[name].function(Y[rows][:, columns], turned)
    assert again == first or (math.isnan(again) and math.isnan(first))


@given(seed=st.integers(0, 2**32 - 1))
def test_a_perfect_prediction_is_the_best_of_each_metric(seed):
    Y, *_ = problem(seed, missing=False)
    found = evaluate(Y, Y, Y, np.zeros(len(Y)))
    for name, value in found.items():
        if name.startswith("precision_at") or name == "log_loss":
            continue
        if name.split("_")[-1] in {"f1", "precision", "recall"} and not Y.any(axis=0).all():
            continue
        if name.endswith("coverage"):  # all labels of a row cannot be the first
            open_ = Y.any(axis=1) & ~Y.all(axis=1)
            assert ours.coverage(Y[open_], Y[open_]) == pytest.approx(
                average((Y[open_].sum(axis=1) - 1).tolist()), nan_ok=True
            )
        elif not math.isnan(value):
            assert value == (1.0 if METRICS[name].higher_is_better else 0.0), name


@given(seed=st.integers(0, 2**32 - 1))
def test_the_metrics_that_hang_together(seed):
    Y, P, S, joint = problem(seed)
    found = evaluate(Y, P, S, joint)
    if not math.isnan(found["hamming_loss"]):
        assert found["hamming_score"] + found["hamming_loss"] == pytest.approx(1)
    if not math.isnan(found["exact_match"]) and tally(Y)["missing"] == 0:
        assert found["exact_match"] <= found["accuracy"] <= found["sample_f1"] + 1e-12
        assert found["normalised_coverage"] == pytest.approx(found["coverage"] / Y.shape[1])


@given(seed=st.integers(0, 2**32 - 1))
def test_a_row_of_which_nothing_is_known_is_no_row(seed):
    Y, P, S, joint = problem(seed)
    more = np.vstack([Y, np.full(Y.shape[1], -1.0)])
    told = evaluate(more, np.vstack([P, P[:1]]), np.vstack([S, S[:1]]), np.append(joint, -7.0))
    assert told == pytest.approx(evaluate(Y, P, S, joint), nan_ok=True)


# ---- scikit-learn where it defines the same


def same(mine, their):
    assert mine == pytest.approx(their, abs=1e-12)


@given(seed=st.integers(0, 2**32 - 1))
def test_scikit_learn_says_the_same_of_predicted_labels(seed):
    Y, P, _, _ = problem(seed, missing=False)
    Y, P = np.column_stack([Y, Y[:, :1]]).astype(int), np.column_stack([P, P[:, :1]])
    same(ours.exact_match(Y, P), theirs.accuracy_score(Y, P))
    same(ours.hamming_loss(Y, P), theirs.hamming_loss(Y, P))
    same(ours.macro_f1(Y, P), theirs.f1_score(Y, P, average="macro", zero_division=0))
    same(ours.macro_f1(Y, P, empty=1), theirs.f1_score(Y, P, average="macro", zero_division=1))
    same(ours.micro_f1(Y, P), theirs.f1_score(Y, P, average="micro", zero_division=0))
    same(ours.sample_f1(Y, P), theirs.f1_score(Y, P, average="samples", zero_division=1))
    same(label_f1(Y, P), theirs.f1_score(Y, P, average=None, zero_division=0))
    for average in ("micro", "macro"):
        for kind in ("precision", "recall"):
            their = getattr(theirs, f"{kind}_score")(Y, P, average=average, zero_division=0)
            same(METRICS[f"{average}_{kind}"].function(Y, P), their)
    same(
        ours.accuracy(Y, P, empty=0),
        theirs.jaccard_score(Y, P, average="samples", zero_division=0),
    )


@given(seed=st.integers(0, 2**32 - 1))
def test_scikit_learn_says_the_same_of_scores(seed):
    Y, _, S, _ = problem(seed, missing=False)
    Y, S = np.column_stack([Y, Y[:, :1]]).astype(int), np.column_stack([S, S[:, :1] / 2])
    same(ours.ranking_loss(Y, S), theirs.label_ranking_loss(Y, S))
    same(ours.average_precision(Y, S), theirs.label_ranking_average_precision_score(Y, S))
    some = Y.sum(axis=0) > 0
    if some.any():
        areas = theirs.average_precision_score(Y[:, some], S[:, some], average=None)
        same(ours.macro_pr_auc(Y, S), np.mean(areas))
        same(ours.micro_pr_auc(Y, S), theirs.average_precision_score(Y.ravel(), S.ravel()))
    cells = Y.ravel(), np.clip(S.ravel(), 2**-52, 1 - 2**-52)
    same(ours.log_loss(Y, S), theirs.log_loss(*cells, labels=[0, 1]))
    rows, distinct = Y.any(axis=1), S + 1e-3 * np.arange(Y.shape[1])
    if rows.any() and Y.shape[1] > 1:
        same(ours.ndcg_at_3(Y, distinct), theirs.ndcg_score(Y[rows], distinct[rows], k=3))
    open_ = (Y.sum(axis=1) > 0) & (Y.sum(axis=1) < Y.shape[1])
    if open_.any():
        same(ours.coverage(Y[open_], S[open_]) + 1, theirs.coverage_error(Y[open_], S[open_]))
    some = (Y.sum(axis=0) > 0) & (Y.sum(axis=0) < len(Y))
    if some.any():
        same(ours.macro_auc(Y, S), theirs.roc_auc_score(Y[:, some], S[:, some], average="macro"))
        same(ours.micro_auc(Y, S), theirs.roc_auc_score(Y.ravel(), S.ravel()))


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 7), normalised=st.booleans())
def test_propensities_weigh_the_first_labels(seed, k, normalised):
    Y, _, S, _ = problem(seed)
    rare = rarity(S)
    for ours_, naive in (
        (propensity_precision_at, naive_propensity_precision_at),
        (propensity_ndcg_at, naive_propensity_ndcg_at),
    ):
        mine = ours_(Y, S, rare, k, normalised=normalised)
        wanted = naive(Y.tolist(), (S.tolist(), rare.tolist()), k, normalised=normalised)
        assert mine == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_propensity_scores_by_hand():
    Y, S, rare = [[1, 1, 0], [0, 0, 1], [0, 0, 0]], [[3, 2, 1]] * 3, [0.5, 0.25, 1.0]
    # the first label is worth 2, the second 4, the third 1; the last row has none and is left out
    assert propensity_precision_at(Y, S, rare, 1) == (2 + 0) / (4 + 1)
    assert propensity_precision_at(Y, S, rare, 2, normalised=False) == (6 / 2 + 0) / 2
    log3 = math.log2(3)
    found, best = (2 + 4 / log3) / (1 + 1 / log3), (4 + 2 / log3) / (1 + 1 / log3)
    assert propensity_ndcg_at(Y, S, rare, 2) == pytest.approx(found / (best + 1))
    assert math.isnan(propensity_ndcg_at([[0]], [[1.0]], [1.0]))


def test_propensity_scores_are_told_where_propensities_are_given():
    Y, S = [[1, 0], [0, 1], [1, 1]], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.7]]
    found = evaluate(Y, scores=S, propensities=[0.5, 0.25])
    assert found["propensity_ndcg_at_3"] == found["propensity_precision_at_1"] == 1.0
    assert not any(name.startswith("propensity") for name in evaluate(Y, scores=S))
    with pytest.raises(UsageError, match=r"propensity_ndcg_at_3 needs propensities=, which is not"):
        evaluate(Y, scores=S, metrics=["propensity_ndcg_at_3"])


def test_propensities_follow_the_paper():
    Y = np.repeat([[1, 0], [0, 0]], [30, 70], axis=0)
    c = (math.log(100) - 1) * 2.5**0.55
    expected = [1 / (1 + c * math.exp(-0.55 * math.log(n + 1.5))) for n in (30, 0)]
    assert propensities(Y).tolist() == pytest.approx(expected)
    with pytest.raises(DataError, match="three rows"):
        propensities(Y[:2])
    with pytest.raises(DataError, match=r"propensities are a number in \(0, 1\] for each of the 2"):
        propensity_precision_at(Y, Y, [0.5])
    with pytest.raises(UsageError, match="k is a number of labels"):
        propensity_precision_at(Y, Y, [0.5, 1], k=0)


def test_a_probability_is_between_nought_and_one():
    with pytest.raises(DataError, match=r"probabilities holds 1\.5 in row 1, column 2"):
        evaluate([[1, 0]], probabilities=[[0.5, 1.5]])
    assert evaluate([[1, 0]], probabilities=[[0.6, 0.5]])["macro_pr_auc"] == 1


# ---- What is stated about labels and rows without positives


def test_a_label_without_positives_is_left_out_of_macro_auc_and_counts_nought_in_macro_f1():
    Y = np.array([[1, 0], [0, 0], [1, 0]])
    S = np.array([[0.9, 0.8], [0.1, 0.1], [0.7, 0.2]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ours.macro_auc(Y, S) == 1.0
        assert np.isnan(label_auc(Y, S)[1])
        assert ours.macro_f1(Y, S > 0.5) == 0.5
        assert ours.macro_f1(Y, np.column_stack([Y[:, 0], [0, 0, 0]]), empty=math.nan) == 1.0
        assert math.isnan(ours.macro_auc(Y[:, 1:], S[:, 1:]))
        assert math.isnan(ours.micro_auc(Y[:, 1:], S[:, 1:]))


def test_a_row_without_labels_or_with_all_leaves_nothing_to_rank():
    for Y in ([[0, 0, 0]], [[1, 1, 1]]):
        S = [[0.2, 0.9, 0.1]]
        assert ours.ranking_loss(Y, S) == ours.coverage(Y, S) == ours.one_error(Y, S) == 0
        assert ours.normalised_coverage(Y, S) == 0
        assert ours.average_precision(Y, S) == 1


def test_ties_count_as_errors():
    Y, S = [[1, 0, 0]], [[0.5, 0.5, 0.5]]
    assert ours.ranking_loss(Y, S) == ours.one_error(Y, S) == 1
    assert ours.coverage(Y, S) == 2
    assert ours.average_precision(Y, S) == pytest.approx(1 / 3)


def test_metrics_of_nothing_are_nan_and_warn_of_nothing():
    empty = np.full((2, 3), -1)
    zeros = np.zeros((2, 3))
    found = evaluate(empty, zeros, zeros, np.zeros(2), probabilities=zeros, propensities=np.ones(3))
    assert {name for name, value in found.items() if math.isnan(value)} == set(METRICS) - {
        "cll_loss",
        "micro_f1",
        "macro_f1",
        "macro_precision",
        "macro_recall",
        "micro_precision",
        "micro_recall",
    }
    none = evaluate(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    assert math.isnan(none["exact_match"])


def test_many_rows_are_ranked_in_blocks(monkeypatch):
    Y, _, S, _ = problem(3)
    Y, S = np.tile(Y, (50, 1)), np.tile(S, (50, 1))
    whole = evaluate(Y, scores=S)
    monkeypatch.setattr("mlfs.metrics.ranking.CELLS", 7)
    assert evaluate(Y, scores=S) == pytest.approx(whole, nan_ok=True)


# ---- What is taken and refused


def test_frames_sparse_matrices_booleans_and_lists_are_the_same():
    Y, P = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1, 0], [1, 1], [0, 1]])
    expected = evaluate(Y, P)
    for kind in (pd.DataFrame, sp.csr_array, sp.csc_matrix, np.ndarray.tolist):
        assert evaluate(kind(Y), kind(P)) == expected
    assert evaluate(Y == 1, P == 1) == expected


@pytest.mark.parametrize(
    ("Y", "P", "sentence"),
    [
        ([[2, 0]], [[1, 0]], "Y holds 2.0 in row 1, column 1, where 0, 1, or -1 or NaN"),
        ([[1, 0]], [[1, 0.5]], "predicted holds 0.5 in row 1, column 2, where 0 or 1"),
        ([[1, 0]], [[1, 0, 1]], r"predicted has the shape \(1, 3\), but Y has \(1, 2\)"),
        ([1, 0], [1, 0], "Y has 1 dimensions"),
        ([["a", "b"]], [[1, 0]], "Y holds something other than numbers"),
    ],
)
def test_what_is_no_label_is_refused_in_a_sentence(Y, P, sentence):
    with pytest.raises(DataError, match=sentence):
        evaluate(Y, P)


def test_truth_without_0_is_told_to_be_partly_unknown():
    with pytest.warns(MlfsWarning, match="Y holds -1 and no 0.*write 0"):
        assert math.isnan(evaluate([[1, -1], [-1, 1]], scores=[[0, 1], [1, 0]])["micro_auc"])


def test_scores_and_joints_that_are_none_are_refused():
    with pytest.raises(DataError, match="scores holds nan in row 1, column 2"):
        evaluate([[1, 0]], scores=[[0.1, math.nan]])
    with pytest.raises(DataError, match=r"joint holds 0\.5 in row 2"):
        evaluate([[1, 0], [1, 0]], joint=[-1.0, 0.5])
    with pytest.raises(DataError, match="joint has the shape"):
        evaluate([[1, 0], [1, 0]], joint=[-1.0])


def test_a_row_that_is_impossible_costs_infinitely():
    assert ours.cll_loss([[1]], [-math.inf]) == math.inf
    assert math.copysign(1, ours.cll_loss([[1]], [0.0])) == 1


def test_only_what_is_asked_for():
    assert list(evaluate([[1, 0]], [[1, 0]], metrics=["micro_f1"])) == ["micro_f1"]
    assert list(evaluate([[1, 0]], [[1, 0]], metrics="micro_f1")) == ["micro_f1"]
    assert list(evaluate([[1, 0]], joint=[-1.0])) == ["cll_loss"]
    with pytest.raises(UnknownName, match="did you mean 'micro_f1'"):
        evaluate([[1, 0]], [[1, 0]], metrics=["mircof1"])
    with pytest.raises(UsageError, match="macro_auc needs scores="):
        evaluate([[1, 0]], [[1, 0]], metrics=["macro_auc"])


def test_the_registry_tells_of_each_metric_and_so_do_the_docs():
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.function.__name__ == name
        assert 10 < len(metric.summary) < 100, f"the first line of {name} says what it is"
        better = "higher" if metric.higher_is_better else "lower"
        row = f"| `{name}` | {metric.needs} | {better} |"
        assert row in page, f"docs/metrics.md lacks the row {row}"
