"""Every word of Info's vocabulary against the oracle, on data with every kind of column."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core import config

from mlfs import CriterionError, Info
from mlfs.information.for_search import table_of, with_parents
from mlfs.information.info import VOCABULARY
from tests import naive
from tests.left_out import info_of_codes
from tests.naive_more import gini_gain

# Without the compiler a few problems suffice: coverage is seen, and the compiled run has them all.
FEW = bool(config.DISABLE_JIT)
SEEDS = range(1 if FEW else 4)
CHAIN = [(), (0,), (0, 1)]
NEAR = {"rtol": 0, "atol": 1e-9}
AXES = {
    "d",
    "q",
    "features",
    "labels",
    "parents",
    "only",
    "for_label",
    "for_labels",
    "by_rows",
}  # views and shapes: tests of their own


def codes(seed, *, x=0.0, y=0.0, n=30):
    """Two and many values, a constant, an identifier and a copy; a label of three classes."""
    rng = np.random.default_rng(seed)
    Y = np.stack([rng.integers(0, 2, n), rng.integers(0, 3, n), np.zeros(n, int)], axis=1)
    Y[:, 2] = Y[:, 0] ^ (rng.random(n) < 0.3)
    X = np.stack(
        [
            Y[:, 0] ^ (rng.random(n) < 0.2),
            rng.integers(0, 3, n),
            np.ones(n, int),
            rng.permutation(n),
            (rng.random(n) < 0.1).astype(int),
            rng.integers(0, 2, n),
        ],
        axis=1,
    )
    X = np.hstack([X, X[:, [1]]])
    X[rng.random(X.shape) < x] = -1
    Y[rng.random(Y.shape) < y] = -1
    return X, Y


def plain(table, gone=None):
    return [tuple(gone if v < 0 else v for v in column) for column in table.T.tolist()]


def words(info, s):
    """What Info says, word by word."""
    said = {
        word: getattr(info, word)
        for word in (
            *("h_f", "h_l", "mi_fl", "mi_fL", "interaction_fLL", "su_fl"),
            *("cmi_fL_given_L", "gini_fL"),
        )
    }
    words_of_s = "mi_fs cmi_sL_given_f cmi_fL_given_s su_fs joint_fsL interaction_fsL"
    words_of_s += " cmi_fs_given_L gini_fsL h_s mi_sL h_f_where_s h_s_where_f"
    for word in words_of_s.split():
        said[word] = getattr(info, word)(s)
    said["cmi_fL_given_S"] = info.cmi_fL_given_S([s, 0])
    said["joint_fssL"] = info.joint_fssL(s, 0)
    said["cmi_fs_given_s"] = info.cmi_fs_given_s(s, 0)
    said["su_fS"] = info.su_fS([s, 0])
    said["su_SS"] = info.su_SS([s, 0])
    said["label_term"] = info.label_term()
    said["label_term of one beta"] = info.label_term(0.3)
    said["label_term of betas"] = info.label_term(np.arange(info.q) + 0.5)
    said["imbalance"] = np.concatenate([info.imbalance[0], info.imbalance[1:]])
    words_of_block = "cmi_sl_given_f cmi_fl_given_s mi_fs h_fsl joint_fsl interaction_fsl"
    for word in words_of_block.split():
        said[f"block {word}"] = info.sum_over_labels(lambda b, word=word: getattr(b, word)(s))
    said["block mi_fl"] = info.sum_over_labels(lambda b: b.mi_fl)
    if info.q == 1:
        said |= {word: getattr(info, word) for word in ("su_fp", "su_pl", "su_pp")}
    return said


def oracle(X, Y, all_Y, parents, s, features):
    """What the definitions say, for the labels Y out of all_Y."""
    F = [X[f] for f in features]
    S, I, H = X[s], naive.I, naive.h
    P = [[all_Y[p] for p in pa] for pa in parents]
    sums = {
        "mi_fL": lambda f: naive.R(0, [f], Y),
        "cmi_sL_given_f": lambda f: sum(I(S, l, f) for l in Y),
        "cmi_fL_given_s": lambda f: sum(I(f, l, S) for l in Y),
        "h_f": lambda f: naive.mean(H(f, (l,)) for l in Y),
        "h_f_where_s": lambda f: naive.mean(H(f, (S, l)) for l in Y),
        "h_s_where_f": lambda f: naive.mean(H(S, (f, l)) for l in Y),
        "mi_fs": lambda f: naive.mean(I(f, S, about=(l,)) for l in Y),
        "su_fs": lambda f: naive.SU(f, S, Y),
        "su_fS": lambda f: naive.SU(f, S, Y) + naive.SU(f, X[0], Y),
        "block mi_fs": lambda f: sum(I(f, S, about=(l,)) for l in Y),
        "block h_fsl": lambda f: sum(H(naive.joint(naive.joint(f, S), l)) for l in Y),
        "joint_fsL": lambda f: sum(I(naive.joint(f, S), l) for l in Y),
        "interaction_fsL": lambda f: sum(naive.interaction(f, S, l) for l in Y),
        "cmi_fL_given_L": lambda f: sum(I(f, a, b) for a in Y for b in Y if a is not b),
        "cmi_fs_given_L": lambda f: sum(I(f, S, l) for l in Y),
        "cmi_fL_given_S": lambda f: sum(I(f, l, S, X[0]) for l in Y),
        "joint_fssL": lambda f: sum(I(naive.joint(naive.joint(f, S), X[0]), l) for l in Y),
        "cmi_fs_given_s": lambda f: naive.mean(I(f, S, X[0], about=(l,)) for l in Y),
        "gini_fL": lambda f: sum(gini_gain(f, l) for l in Y),
        "gini_fsL": lambda f: sum(gini_gain(naive.joint(f, S), l) for l in Y),
        "interaction_fLL": lambda f: sum(
            naive.interaction(a, b, f) for i, a in enumerate(Y) for b in Y[i + 1 :]
        ),
    }

    def beta_sum(f, betas):
        return sum(
            beta * sum(I(l, p, f) for p in pa) for beta, l, pa in zip(betas, Y, P, strict=True)
        )

    sums["label_term"] = lambda f: beta_sum(f, [1 / len(pa) if pa else 0 for pa in P])
    sums["label_term of one beta"] = lambda f: beta_sum(f, [0.3] * len(Y))
    sums["label_term of betas"] = lambda f: beta_sum(f, [i + 0.5 for i in range(len(Y))])
    told = {word: [g(f) for f in F] for word, g in sums.items()}
    told["block joint_fsl"] = told["joint_fsL"]
    told["block interaction_fsl"] = told["interaction_fsL"]
    told["block mi_fl"] = told["mi_fL"]
    told["block cmi_sl_given_f"] = told["cmi_sL_given_f"]
    told["block cmi_fl_given_s"] = told["cmi_fL_given_s"]
    told["h_s"] = naive.mean(H(S, (l,)) for l in Y)
    told["mi_sL"] = naive.R(0, [S], Y)
    told["su_SS"] = naive.SU(X[0], S, Y)
    told["h_l"] = [H(l) for l in Y]
    told["mi_fl"] = [[I(f, l) for l in Y] for f in F]
    told["su_fl"] = [[naive.SU(f, l) for l in Y] for f in F]
    flat = [[v if v is None else int(v > 0) for v in l] for l in all_Y]
    each, ir, cvir = naive.imbalance(flat)
    mine = [each[i] for i, l in enumerate(all_Y) if any(l is own for own in Y)]
    told["imbalance"] = [np.nan if v is None else v for v in mine] + [ir, cvir]
    if len(Y) == 1:
        (l,), (pa,) = Y, P
        told["su_fp"] = np.reshape([[naive.SU(f, p, Y) for p in pa] for f in F], (len(F), -1))
        told["su_pl"] = [naive.SU(p, l) for p in pa]
        told["su_pp"] = np.reshape([[naive.SU(a, b, Y) for b in pa] for a in pa], (len(pa),) * 2)
    return told


def compare(said, told):
    assert said.keys() == told.keys()
    for word, values in said.items():
        expected = np.asarray(told[word], dtype=float)
        assert np.shape(values) == expected.shape, word
        np.testing.assert_allclose(values, expected, err_msg=word, **NEAR)


def same_bits(said, other):
    assert said.keys() == other.keys()
    for word, values in said.items():
        np.testing.assert_array_equal(values, other[word], err_msg=word)


def test_the_words_are_all_here():
    X, Y = codes(0)
    info = Info.from_codes(X, Y, parents=CHAIN)
    tested = {word.split()[0] for word in words(info.for_label(0), 1)} - {"block"}
    assert set(VOCABULARY) == tested | AXES | {"sum_over_labels"}
    public = {name for name in dir(Info) if not name.startswith("_")}
    assert set(VOCABULARY) <= public


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("x", "y", "ignore"),
    [(0, 0, False), (0.2, 0, False), (0.2, 0, True), (0, 0.2, False), (0.2, 0.2, True)],
)
@pytest.mark.parametrize("label", [None, 0, 2])
def test_every_word_is_what_the_oracle_says(seed, x, y, ignore, label):
    X, Y = codes(seed, x=x, y=y)
    info = info_of_codes(X, Y, parents=CHAIN, ignore_missing=ignore)
    columns, labels = plain(X, None if ignore else "missing"), plain(Y)
    view = info if label is None else info.for_label(label)
    own, parents = (labels, CHAIN) if label is None else ([labels[label]], [CHAIN[label]])
    for s in (1, 3):
        told = oracle(columns, own, labels, parents, s, range(len(columns)))
        compare(words(view, s), told)


@pytest.mark.parametrize("y", [0, 0.2])
def test_only_shrinks_the_features_and_changes_no_bit(y):
    X, Y = codes(5, y=y)
    info, some = Info.from_codes(X, Y, parents=CHAIN), [4, 1, 3]
    shared = {"h_l", "imbalance", "su_SS", "su_pl", "su_pp", "h_s", "mi_sL"}
    for whole in (info, info.for_label(2)):
        part = whole.only(some)
        assert (part.d, part.features.tolist(), part.q) == (3, some, whole.q)
        said, of_all = words(part, 0), words(whole, 0)
        same_bits(said, {w: v if w in shared else v[some] for w, v in of_all.items()})
        same_bits(words(part.only([3]), 0), words(whole.only([3]), 0))
    same_bits(words(info.only(some).for_label(1), 2), words(info.for_label(1).only(some), 2))


def test_a_view_on_nothing_is_empty():
    X, Y = codes(1)
    said = words(Info.from_codes(X, Y, parents=CHAIN).only([]), 0)
    shared = {"h_l", "imbalance", "su_SS", "h_s", "mi_sL"}
    assert all(said[word].shape[0] == 0 for word in said.keys() - shared)


def test_axes():
    X, Y = codes(1)
    info = Info.from_codes(X, Y)
    assert (info.d, info.q) == (7, 3)
    assert info.features.tolist() == list(range(7))
    assert info.for_label(1).labels.tolist() == [1]
    assert info.for_label(1).q == 1


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ignore", [False, True])
def test_integer_weights_are_repetition(seed, ignore):
    X, Y = codes(seed, x=0.1, y=0.1)
    times = np.random.default_rng(seed).integers(0, 4, len(X))
    weighed = info_of_codes(X, Y, parents=CHAIN, weights=times, ignore_missing=ignore)
    repeated = info_of_codes(
        np.repeat(X, times, axis=0),
        np.repeat(Y, times, axis=0),
        parents=CHAIN,
        ignore_missing=ignore,
    )
    same_bits(words(weighed, 3), words(repeated, 3))


@pytest.mark.compiled
@pytest.mark.timeout(60)  # a pool that waits for itself waits for ever
@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("y", [0, 0.2])
def test_threads_change_no_bit(monkeypatch, forced, y):
    if forced:
        monkeypatch.setattr("mlfs.counting.parallel.THREADED_FROM", 0)
    X, Y = codes(7, x=0.1, y=y)
    one = words(Info.from_codes(X, Y, parents=CHAIN), 1)
    for n_jobs in (2, 3, 64):
        for _ in range(2):
            same_bits(one, words(Info.from_codes(X, Y, parents=CHAIN, n_jobs=n_jobs), 1))


@pytest.mark.compiled
def test_what_was_asked_first_changes_no_bit():
    X, Y = codes(8, y=0.2)
    forwards, backwards = (Info.from_codes(X, Y, parents=CHAIN) for _ in range(2))
    one = [words(view, s) for view in (forwards, forwards.for_label(1)) for s in (0, 3)]
    views = (backwards.for_label(1), backwards)
    other = [words(view, s) for view in views for s in (3, 0)][::-1]
    for a, b in zip(one, other, strict=True):
        same_bits(a, b)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_answer_does_not_depend_on_what_fits_into_the_cache(seed):
    X, Y = codes(seed, y=0.1)
    roomy, tight = (Info.from_codes(X, Y, parents=CHAIN) for _ in range(2))
    table_of(tight).cache.limit = 0
    same_bits(words(roomy, 1), words(tight, 1))


def test_rows_and_names_of_values_change_no_bit():
    X, Y = codes(9, y=0.1)
    order = np.random.default_rng(9).permutation(len(X))
    one = words(Info.from_codes(X, Y, parents=CHAIN), 1)
    same_bits(one, words(Info.from_codes(X[order], Y[order], parents=CHAIN), 1))
    renamed = X.copy()
    for j in range(X.shape[1]):
        renamed[:, j] = np.random.default_rng(j).permutation(40)[X[:, j]]
    compare(words(Info.from_codes(renamed, Y, parents=CHAIN), 1), one)


def test_no_information_is_zero_and_never_below():
    """A column of its own independent of the other: rounding must leave no trace below 0."""
    grid = np.array([[a, b, c] for a in range(3) for b in range(5) for c in range(7)])
    said = words(Info.from_codes(grid[:, :2], grid[:, [2]] > 3, parents=[()]), 0)
    for word in ("mi_fL", "cmi_sL_given_f", "cmi_fL_given_s"):
        assert (said[word] >= 0).all()
        np.testing.assert_allclose(said[word], 0, **NEAR)
    constant = Info.from_codes(np.ones((5, 2), int), np.ones((5, 2), int), parents=[(), (0,)])
    for word, values in words(constant, 0).items():
        if word != "imbalance":
            np.testing.assert_array_equal(values, 0, err_msg=word)


@pytest.mark.parametrize("rows", [1, 2])
def test_hardly_any_rows(rows):
    said = words(
        Info.from_codes(np.zeros((rows, 3), int), np.ones((rows, 2), int), parents=[(), ()]), 2
    )
    assert all(np.isfinite(said[word]).all() for word in said.keys() - {"imbalance"})


@pytest.mark.parametrize("ignore", [False, True])
def test_columns_in_which_all_is_missing(ignore):
    X, Y = codes(3)
    X[:, 1], Y[:, 1] = -1, -1
    info = info_of_codes(X, Y, parents=CHAIN, ignore_missing=ignore)
    columns, labels = plain(X, None if ignore else "missing"), plain(Y)
    for s in (0, 1):
        said, told = words(info, s), oracle(columns, labels, labels, CHAIN, s, range(7))
        compare(said, told)
    np.testing.assert_allclose(info.mi_fL[1], 0, **NEAR)
    np.testing.assert_allclose(info.for_label(1).mi_fL, 0, **NEAR)


def test_more_labels_than_are_held_at_once():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 3, (40, 4)), rng.integers(0, 2, (40, 70))
    info = Info.from_codes(X, Y)
    np.testing.assert_allclose(info.sum_over_labels(lambda block: block.mi_fl), info.mi_fL, **NEAR)
    by_blocks = info.sum_over_labels(lambda block: block.cmi_fl_given_s(1))
    np.testing.assert_allclose(by_blocks, info.cmi_fL_given_s(1), **NEAR)


def test_words_about_parents_need_a_network_and_one_label():
    X, Y = codes(0)
    with pytest.raises(CriterionError, match="network = False"):
        Info.from_codes(X, Y).label_term()
    with pytest.raises(CriterionError, match="belong to one label"):
        _ = Info.from_codes(X, Y, parents=CHAIN).su_fp


def test_a_criterion_cannot_spoil_what_others_read():
    """The cache is shared: writing into an answer must fail, or must not be seen by others."""
    X, Y = codes(0)
    info = Info.from_codes(X, Y, parents=CHAIN)
    before = {word: np.array(values) for word, values in words(info, 1).items()}
    for values in words(info, 1).values():
        try:
            values *= 3
        except ValueError:
            continue
    same_bits(words(with_parents(info, CHAIN), 1), before)


def test_rows_of_features_and_labels_must_match():
    with pytest.raises(ValueError, match="rows"):
        Info.from_codes(np.zeros((10, 2), int), np.ones((12, 1), int))
    with pytest.raises(ValueError, match="weights"):
        Info.from_codes(np.zeros((10, 2), int), np.ones((10, 1), int), weights=[1, 2])


def long_codes(seed, n=150):
    """More rows than a word has bits, columns of every kind in any order, and some copies."""
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (n, 4))
    Y[:, 3] = rng.integers(0, 4, n)
    Y[rng.random(n) < 0.9, 2] = 0
    X = np.column_stack(
        [
            rng.permutation(n) // 2,
            rng.random(n) < 0.03,
            rng.integers(0, 40, n),
            Y[:, 0] ^ (rng.random(n) < 0.1),
            rng.random(n) < 0.97,
            rng.integers(0, 3, n),
            np.zeros(n, int),
            Y[:, 3],
            rng.integers(0, 2, n),
        ]
    ).astype(int)
    X[rng.random(n) < 0.1, 3] = -1
    X[rng.random(n) < 0.1, 5] = -1
    Y[rng.random(n) < 0.1, 1] = -1
    return X[:, rng.permutation(9)], Y


LONG_CHAIN = [(), (0,), (0, 1), (0, 2)]


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(1 if FEW else 2))
@pytest.mark.parametrize("ignore", [False, True])
def test_more_rows_than_bits_in_a_word(seed, ignore):
    X, Y = long_codes(seed)
    info = info_of_codes(X, Y, parents=LONG_CHAIN, ignore_missing=ignore)
    columns, labels = plain(X, None if ignore else "missing"), plain(Y)
    for s in [4] if FEW else range(0, 9, 2):
        compare(words(info, s), oracle(columns, labels, labels, LONG_CHAIN, s, range(9)))
    view = info.for_label(1).only([7, 2, 5])
    compare(words(view, 2), oracle(columns, labels[1:2], labels, LONG_CHAIN[1:2], 2, [7, 2, 5]))


@pytest.mark.parametrize("edge", [65] if FEW else [63, 64, 65, 127, 128, 129])
def test_rows_around_the_end_of_a_word(edge):
    X, Y = long_codes(3)
    X, Y = X[:edge], Y[:edge]
    info = Info.from_codes(X, Y, parents=LONG_CHAIN)
    columns, labels = plain(X, "missing"), plain(Y)
    compare(words(info, 4), oracle(columns, labels, labels, LONG_CHAIN, 4, range(9)))


@pytest.mark.parametrize("factor", [2**40] if FEW else [3, 2**40])
def test_great_weights(factor):
    X, Y = (table[: 70 if FEW else None] for table in long_codes(4))
    times = np.random.default_rng(4).integers(1, 9, len(X))
    one = words(Info.from_codes(X, Y, parents=LONG_CHAIN, weights=times), 2)
    compare(words(Info.from_codes(X, Y, parents=LONG_CHAIN, weights=times * factor), 2), one)


@pytest.mark.compiled
def test_columns_in_another_order_change_no_bit():
    X, Y = long_codes(5)
    order = np.random.default_rng(5).permutation(9)
    one = words(Info.from_codes(X, Y, parents=LONG_CHAIN), int(order[4]))
    other = words(Info.from_codes(X[:, order], Y, parents=LONG_CHAIN), 4)
    for said in (one, other):  # these are about column 0 too, which is another one there
        for word in ("su_fS", "su_SS", "cmi_fL_given_S", "joint_fssL", "cmi_fs_given_s"):
            del said[word]
    shared = {"h_l", "imbalance", "h_s", "mi_sL"}
    same_bits({w: v if w in shared else v[order] for w, v in one.items()}, other)
