"""Corrections for the bias of counts, and columns that tell every row apart."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlfs
from mlfs import DataError, UsageError
from mlfs.api.estimators import unsupported_quantity
from mlfs.information.for_search import with_parents
from mlfs.information.info import Info
from mlfs.search.checked import CheckedCriterion
from tests import naive, naive_bias
from tests.shared import shared_data

KEY = "with another value in every row, like a key"


def columns(table):
    return [tuple(column) for column in np.asarray(table).T.tolist()]


def problem(rows=60):
    generator = np.random.default_rng(1)
    X = generator.integers(0, [2, 3, 8, 30, 2, 1], (rows, 6))
    X[:, 4] = np.arange(rows) < 3
    Y = np.stack([X[:, 0] ^ (generator.random(rows) < 0.2), generator.integers(0, 2, rows)], axis=1)
    return X, Y


def info_of(correction, X, Y, **options):
    return mlfs.prepare((X, Y), correction=correction, nominal_limit=1000, **options).info


def test_adjusted_information_is_less_the_mean_over_all_permutations():
    X, Y = problem()
    x, y = columns(X), columns(Y)
    info = info_of("expected", X, Y)
    close = np.testing.assert_allclose
    close(info.mi_fl, [[naive_bias.adjusted(a, b) for b in y] for a in x], atol=1e-12)
    for s in (1, 3):
        close(info.mi_fs(s), [naive_bias.adjusted(a, x[s]) for a in x], atol=1e-12)
        both = [[naive_bias.adjusted(naive.joint(a, x[s]), b) for b in y] for a in x]
        alone = [naive_bias.adjusted(x[s], b) for b in y]
        close(info.joint_fsL(s), np.sum(both, axis=1), atol=1e-12)
        close(info.cmi_fL_given_s(s), np.sum(np.subtract(both, alone), axis=1), atol=1e-12)
        close(info.cmi_sL_given_f(s), np.sum(both - info.mi_fl, axis=1), atol=1e-12)
    some = info.only([2, 0])
    np.testing.assert_array_equal(some.cmi_fL_given_s(3), info.cmi_fL_given_s(3)[[2, 0]])


def test_pairs_of_picks_and_of_labels_are_less_their_means_too():
    X, Y = problem()
    x, y = columns(X), columns(Y)
    info, close = info_of("expected", X, Y), np.testing.assert_allclose

    def both(a, b):
        return tuple(zip(a, b, strict=True))

    def adjusted(a, b):
        return naive_bias.adjusted(both(*a) if isinstance(a, list) else a, b)

    three = [[naive_bias.adjusted(both(both(a, x[1]), x[3]), b) for b in y] for a in x]
    close(info.joint_fssL(1, 3), np.sum(three, axis=1), atol=1e-12)
    given = [adjusted([a, x[3]], x[1]) - adjusted(x[3], x[1]) for a in x]
    close(info.cmi_fs_given_s(1, 3), given, atol=1e-12)
    pairs = [2 * adjusted(both(*y), a) - adjusted(a, y[0]) - adjusted(a, y[1]) for a in x]
    close(info.cmi_fL_given_L, pairs, atol=1e-12)
    meeting = [adjusted(a, y[0]) + adjusted(a, y[1]) - adjusted(both(*y), a) for a in x]
    close(info.interaction_fLL, meeting, atol=1e-12)
    chain = with_parents(info, [(), (0,)])
    given = [adjusted([a, y[1]], y[0]) - adjusted(a, y[0]) for a in x]
    close(chain.label_term(), given, atol=1e-12)
    close(chain.only([2, 0]).label_term(0.5), np.array(given)[[2, 0]] / 2, atol=1e-12)
    su = [[2 * adjusted(a, b) / (naive.H(a) + naive.H(b) or 1) for b in y] for a in x]
    close(info.su_fl, su, atol=1e-12)
    joint = [[adjusted([a, x[3]], b) for b in y] for a in x]
    for word, expected in (
        ("joint_fsl", joint),
        ("cmi_sl_given_f", np.subtract(joint, info.mi_fl)),
        ("interaction_fsl", info.mi_fl - joint + info.mi_fl[3]),
        ("h_fsl", [[naive.H(a, x[3], b) for b in y] for a in x]),
    ):
        blocks = []
        info.sum_over_labels(lambda b, w=word, to=blocks: to.append(getattr(b, w)(3)) or b.mi_fl)
        close(blocks[0], expected, atol=1e-12)


def test_unequal_weights_leave_a_power_of_what_equal_rows_leave():
    X, Y = problem()
    X[:, 2] = np.arange(len(X))  # a key has no information about anything
    weights = np.random.default_rng(4).uniform(0.5, 2, len(X))
    x, y = columns(X), columns(Y)
    info = info_of("expected", X, Y, sample_weight=weights)
    plain = info_of("none", X, Y, sample_weight=weights)
    spread = len(weights) * (weights**2).sum() / weights.sum() ** 2
    chance = np.array([[naive_bias.expected(a, b) / naive.H(b) for b in y] for a in x])
    chance = chance.clip(0, 1)  # 1 but for rounding
    np.testing.assert_allclose(
        info.mi_fl, plain.mi_fl - plain.h_l * (1 - (1 - chance) ** spread), atol=1e-9
    )
    np.testing.assert_allclose(info.mi_fl[2], 0, atol=1e-9)
    picked = mlfs.select((X, Y), "jmi", 3, nominal_limit=1000, sample_weight=weights)
    assert 2 not in picked.indices


def wide_and_weak(rows=2_000, levels=200):
    generator = np.random.default_rng(6)
    y = generator.integers(0, 2, (rows, 2))
    weak = np.where(generator.random((rows, 2)) < 0.6, y, 1 - y)
    return np.column_stack([generator.integers(0, levels, rows), weak]), y


@pytest.mark.parametrize("levels", [16, 17, 200])
def test_auto_corrects_where_chance_shares_more_than_a_hundredth_of_the_entropy(levels):
    X, Y = wide_and_weak(rows=400 if levels < 100 else 2_000, levels=levels)
    picked = mlfs.select((X, Y), "mim", 2, nominal_limit=300)
    corrected = levels > 16
    assert picked.settings["correction"] == ("expected" if corrected else "none")
    assert any("the correction is 'expected', because 'x0' of" in n for n in picked.notes) is (
        corrected
    )
    plain = mlfs.select(
        (X, Y), "mim", 2, nominal_limit=300, correction=picked.settings["correction"]
    )
    np.testing.assert_array_equal(picked.scores, plain.scores)


def test_auto_leaves_alone_what_cannot_be_corrected_and_says_so():
    X, Y = wide_and_weak()
    options = {"nominal_limit": 300, "n": 2}
    ready = mlfs.prepare((X, Y), nominal_limit=300)
    picked = mlfs.select(ready, "jim", 2)
    assert picked.settings["correction"] == "none"
    assert picked.notes[-1] == "information is not corrected: the criterion jim asks for gini_fL"
    assert mlfs.select(ready, "mim", 2).settings["correction"] == "expected"
    with pytest.raises(UsageError, match="correction is for mlfs"):
        mlfs.select(ready, "mim", 2, correction="none")
    gaps = Y.astype(float)
    gaps[3, 0] = np.nan
    picked = mlfs.select((X, gaps), "mim", **options)
    assert picked.settings["correction"] == "none"
    assert "which is not corrected: the correction 'expected' cannot leave rows" in picked.notes[-1]


@pytest.mark.parametrize(
    "name",
    ["disr", "icap", "njmim", "igmf", "jmi3", "lrfs", "mlfs_global", "pmu", "relaxmrmr", "tcrfs"],
)
def test_expected_serves(name):
    X, Y = wide_and_weak(600)
    assert 0 not in mlfs.select((X, Y), name, 2, nominal_limit=300, correction="expected").indices


def test_an_automatic_number_is_found_with_the_correction():
    X, Y = wide_and_weak()
    picked = mlfs.select((X, Y), "jmi", "auto", nominal_limit=300)
    assert {1, 2} == {*picked.indices[:2]}
    assert picked.settings["correction"] == "expected"


def test_the_series_for_many_rows_meets_the_sum():
    generator = np.random.default_rng(2)
    x, y = generator.integers(0, 2, 9_000), generator.integers(0, 2, 9_000)
    for size in (8_000, 9_000):  # the variance of a count is n / 16
        a, b = columns(x[:size, None])[0], columns(y[:size, None])[0]
        found = info_of("expected", x[:size, None], y[:size, None]).mi_fL[0]
        np.testing.assert_allclose(found, naive.I(a, b) - 1 / (2 * size), atol=3e-8)


@pytest.mark.compiled
def test_noise_of_any_number_of_levels_has_no_relevance():
    generator = np.random.default_rng(0)
    levels = [2, 3, 5, 10, 50, 200]
    X = generator.integers(0, np.repeat(levels, 60), (400, 60 * len(levels)))
    y = generator.integers(0, 2, (400, 1))
    found = info_of("expected", X, y).mi_fL.reshape(len(levels), 60)
    errors = found.std(axis=1, ddof=1) / np.sqrt(60)
    assert (np.abs(found.mean(axis=1)) < 2 * errors).all()
    plain = info_of("none", X, y).mi_fL.reshape(len(levels), 60)
    assert (plain.mean(axis=1) > 5 * errors).all()


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["mim", "mrmr", "jmi", "cmim"])
def test_layouts_and_threads_do_not_change_a_corrected_selection(name):
    generator = np.random.default_rng(5)
    X = (generator.random((400, 60)) < 0.3).astype(int)
    X[:, ::9] = generator.integers(0, 40, (400, 7))
    Y = np.stack([X[:, 1] | X[:, 2], X[:, 5]], axis=1)
    options = {"criterion": name, "n": 8, "correction": "expected", "nominal_limit": 100}
    plain = mlfs.select((X, Y), **options)
    others = [
        mlfs.select((sp.csr_array(X.astype(float)), Y), **options),
        mlfs.select((X, Y), n_jobs=2, **options),
    ]
    for other in others:
        assert other.indices == plain.indices
        np.testing.assert_array_equal(other.scores, plain.scores)


def test_subsamples_are_corrected_by_their_own_counts():
    X, Y = problem()
    ready = mlfs.prepare((X, Y), correction="expected", nominal_limit=1000)
    kept = np.arange(len(X)) % 3 > 0
    some, alone = ready.among_rows(kept).info, info_of("expected", X[kept], Y[kept])
    np.testing.assert_allclose(some.mi_fL, alone.mi_fL, atol=1e-12)
    np.testing.assert_allclose(some.cmi_fL_given_s(3), alone.cmi_fL_given_s(3), atol=1e-12)


def test_weights_are_repetitions():
    X, Y = problem()
    weights = np.random.default_rng(3).integers(1, 4, len(X))
    found = info_of("expected", X, Y, sample_weight=weights).mi_fL
    again = info_of("expected", X.repeat(weights, 0), Y.repeat(weights, 0)).mi_fL
    np.testing.assert_allclose(found, again, atol=1e-12)


@pytest.mark.parametrize("correction", ["auto", "expected"])
def test_a_key_wins_no_longer(correction):
    X, Y = problem()
    key = np.arange(len(X))[:, None]
    data = np.hstack([key, X]), Y
    options = {"criterion": "mim", "n": 1, "nominal_limit": 1000, "keep_identifiers": True}
    assert mlfs.select(data, correction="none", **options).indices == (0,)
    picked = mlfs.select(data, correction=correction, **options)
    assert picked.indices == (1,)
    assert picked.settings["correction"] == "expected"


@pytest.mark.compiled
def test_what_a_correction_cannot_do_is_refused():
    X, Y = problem()
    with pytest.raises(
        UsageError, match=r"gives no symmetrical uncertainty, and the criterion mlcfs_global asks"
    ):
        mlfs.select((X, Y), "mlcfs_global", n=2, correction="expected")
    with pytest.raises(DataError, match="cannot leave rows with missing values out"):
        mlfs.select(
            (X, np.where(np.arange(len(X))[:, None] == 7, np.nan, Y)), correction="expected"
        )
    ready = mlfs.prepare((X, Y))
    with pytest.raises(UsageError, match="correction is for mlfs"):
        mlfs.select(ready, correction="expected")


def test_a_plugin_is_tried_and_left_as_it_was():
    class Learns(mlfs.Criterion):
        asked = 0

        def relevance(self, info):
            self.asked += 1
            return info.su_fl.sum(axis=1)

    mine = Learns()
    info = Info.from_codes([[0], [1]], [[0, 1, 0], [1, 1, 0]])
    assert unsupported_quantity(mine, info) == ""
    assert mine.asked == 0
    assert CheckedCriterion(mine, Info.from_codes([[0], [1]], [[0], [1]]), "x").relevance() == 1


DATA = ["songs", "emotions", "genbase", "medical", "yeast", "flags"]


@pytest.mark.compiled
@pytest.mark.parametrize("name", DATA)
def test_planted_unique_strings_are_named_and_warned_about(name):
    path = "docs/examples/songs.arff" if name == "songs" else shared_data(f"{name}/{name}.arff")
    data = mlfs.read(path)
    rows = np.arange(0, data.shape[0], max(1, data.shape[0] // 150))
    X = pd.DataFrame(np.asarray(data.X[rows].todense() if data.is_sparse else data.X[rows]))
    X.columns = [f"c{j}" for j in range(X.shape[1])]
    X.insert(1, "planted", [f"row {i}" for i in range(len(rows))])
    Y = data.Y[rows].toarray() if sp.issparse(data.Y) else data.Y[rows]
    Y = (Y > 0).astype(int)
    Y = Y[:, Y.any(axis=0) & ~Y.all(axis=0)]
    notes = mlfs.select((X, Y), "mim", 1).notes
    assert [note for note in notes if KEY in note and "'planted'" in note]
    notes = mlfs.select((X, Y), "mim", 1, exclude=["planted"]).notes
    assert not [note for note in notes if "'planted'" in note]
    with pytest.warns(UserWarning, match="another value in every row.*'planted'"):
        mlfs.FeatureSelector(n_features_to_select=1).fit(X, Y)


def test_few_distinct_rows_and_numbers_are_no_keys():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mlfs.FeatureSelector().fit([[0, 2], [1, 1], [2, 0], [3, 3]], [0, 1, 0, 1])
    numbers = np.random.default_rng(0).random((50, 3))
    assert not [n for n in mlfs.select((numbers, numbers[:, :1] > 0.5)).notes if KEY in n]
