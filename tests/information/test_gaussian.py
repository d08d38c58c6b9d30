"""The Gaussian estimator: closed forms, determinants, and what must not matter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numba.core import config

import mlfs
from mlfs import DataError
from tests import naive_gaussian as naive

ABLE = ["ami", "cfr", "cmim", "d2f", "icap", "jmi", "jmim", "mdmr", "mim", "mrmr", "pmu"]


def correlated(rows, seed=0, d=6):
    """Normal columns, and labels that are thresholds and classes of them."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, 3)) @ generator.normal(size=(3, d))
    X += generator.normal(size=(rows, d))
    Y = np.stack([X[:, 0] + X[:, 1] > 0, X[:, 2] > 1], axis=1).astype(int)
    return X, Y


def info_of(X, Y, **options):
    return mlfs.prepare((X, Y), estimator="gaussian", **options).info


def close(found, expected, atol=1e-6):
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


@pytest.mark.compiled
@pytest.mark.parametrize("rho", [0.0, 0.3, -0.8, 0.99])
def test_two_normal_variables_meet_the_closed_form(rho):
    generator = np.random.default_rng(1)
    x, noise = generator.normal(size=(2, 40_000))
    y = rho * x + np.sqrt(1 - rho**2) * noise
    found = info_of(np.stack([x, y], axis=1), x > 0).mi_fs(0)[1]
    close(found, -0.5 * np.log(1 - rho**2), atol=0.015)


@pytest.mark.compiled
def test_three_normal_variables_meet_the_closed_form_of_partial_correlation():
    """The label enters as a normal variable here, cut into so many classes that little is lost."""
    generator = np.random.default_rng(2)
    f, s, noise = generator.normal(size=(3, 40_000))
    f = f + s
    y = f + s + noise
    R = np.corrcoef([f, s, y])
    partial = (R[0, 2] - R[0, 1] * R[1, 2]) / np.sqrt((1 - R[0, 1] ** 2) * (1 - R[1, 2] ** 2))
    data = mlfs.data.from_arrays(np.stack([f, s], axis=1), y, numeric_targets=True)
    data = mlfs.data.bin_targets(data, "frequency:30")
    found = mlfs.prepare(data, estimator="gaussian").info.cmi_fL_given_s(1)
    close(found, [-0.5 * np.log(1 - partial**2), 0.0], atol=0.02)


def test_every_word_agrees_with_determinants():
    X, Y = correlated(300)
    generator = np.random.default_rng(3)
    word = generator.choice(["a", "b", "c", "d"], 300)
    holes = X[:, 1].copy()
    holes[::11] = np.nan
    classes = np.digitize(X[:, 3], [-1, 1])
    frame = pd.DataFrame({"u": X[:, 0], "w": word, "h": holes, "r": np.round(X[:, 2]), "k": 1.0})
    labels = pd.DataFrame({"p": Y[:, 0], "q": Y[:, 1], "c": classes})
    data = mlfs.data.from_arrays(frame, labels, classes=True)
    info = mlfs.prepare(data, estimator="gaussian").info
    x = [
        naive.scores(X[:, 0]),
        naive.indicators(word),
        naive.scores(holes),
        naive.scores(np.round(X[:, 2])),
    ]
    y = [naive.indicators(column) for column in (Y[:, 0], Y[:, 1], classes)]
    four = info.only(range(4))
    close(info.mi_fl[4], 0)
    close(four.mi_fl, [[naive.I(f, l) for l in y] for f in x])
    close(four.mi_fL, four.mi_fl.sum(axis=1))
    for s in range(4):
        other = [f for f in range(4) if f != s]
        some = info.only(other)
        close(some.mi_fs(s), [naive.I(x[f], x[s]) for f in other])
        given = [sum(naive.I(x[f], l, x[s]) for l in y) for f in other]
        close(some.cmi_fL_given_s(s), given)
        close(some.cmi_sL_given_f(s), [sum(naive.I(x[s], l, x[f]) for l in y) for f in other])
        close(some.joint_fsL(s), [sum(naive.I(x[f] + x[s], l) for l in y) for f in other])
        close(info.cmi_fL_given_s(s)[s], 0)
        for t in other:
            f = next(one for one in other if one != t)
            own = info.only([f])
            close(own.cmi_fL_given_S([s, t]), sum(naive.I(x[f], l, x[s], x[t]) for l in y))
            close(own.joint_fssL(s, t), sum(naive.I(x[f] + x[s] + x[t], l) for l in y))
            close(own.cmi_fs_given_s(s, t), naive.I(x[f], x[s], x[t]))
        blocks = some.sum_over_labels(lambda block, s=s: block.cmi_fl_given_s(s))
        close(blocks, given)
    pairs = [(a, b) for i, a in enumerate(y) for b in y[:i]]
    close(
        four.interaction_fLL, [sum(naive.I(f, a) - naive.I(f, a, b) for a, b in pairs) for f in x]
    )


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_missing_values_lean_to_no_side(share):
    X, Y = correlated(300, seed=8)
    X[np.random.default_rng(9).random(300) < share, 0] = np.nan
    found, turned = info_of(X, Y), info_of(-X, Y)
    close(found.mi_fl, turned.mi_fl, 1e-12)
    close(found.mi_fs(1), turned.mi_fs(1), 1e-12)
    close(found.mi_fl[0], [naive.I(naive.scores(X[:, 0]), naive.indicators(y)) for y in Y.T])
    weights = np.random.default_rng(10).integers(0, 4, 300)
    weighed = info_of(X, Y, sample_weight=weights)
    close(weighed.mi_fl, info_of(X.repeat(weights, 0), Y.repeat(weights, 0)).mi_fl, 1e-9)


def test_only_the_order_of_values_matters():
    X, Y = correlated(200)
    plain, bent = info_of(X, Y), info_of(np.exp(3 * X), Y)
    np.testing.assert_array_equal(plain.mi_fl, bent.mi_fl)
    np.testing.assert_array_equal(plain.mi_fs(2), bent.mi_fs(2))


@pytest.mark.parametrize("name", ABLE[:1] if config.DISABLE_JIT else ABLE)
def test_layouts_and_threads_change_no_bit(name):
    generator = np.random.default_rng(4)
    X = np.round(generator.normal(size=(150, 90)), 1) * (generator.random((150, 90)) < 0.4)
    X[:, 7] = X[:, 3]
    Y = (X[:, :2] + 0.3 * generator.normal(size=(150, 2)) > 0).astype(int)
    order = generator.permutation(150)
    options = {"estimator": "gaussian", "criterion": name, "n": 6}
    plain = mlfs.select((X, Y), **options)
    for other in (
        mlfs.select((sp.csr_array(X), Y), **options),
        mlfs.select((X, sp.csr_array(Y)), **options),
        mlfs.select((X[order], Y[order]), **options),
        mlfs.select((X, Y), n_jobs=2, **options),
        mlfs.select(mlfs.prepare((X, Y), estimator="gaussian"), name, 6),
    ):
        assert other.indices == plain.indices
        np.testing.assert_array_equal(other.scores, plain.scores)


def test_weights_are_repetitions_and_groups_are_blocks():
    X, Y = correlated(120)
    weights = np.random.default_rng(5).integers(0, 4, 120)
    found = info_of(X, Y, sample_weight=weights)
    again = info_of(X.repeat(weights, 0), Y.repeat(weights, 0))
    close(found.mi_fl, again.mi_fl, 1e-9)
    close(found.cmi_fL_given_s(1), again.cmi_fL_given_s(1), 1e-9)
    grouped = info_of(X, Y, groups={"pair": ["x1", "x4"]})
    both = naive.scores(X[:, 1]) + naive.scores(X[:, 4])
    close(grouped.mi_fl[1], [naive.I(both, naive.indicators(column)) for column in Y.T])


def test_it_finds_what_bins_lose_and_misses_an_exclusive_or():
    generator = np.random.default_rng(6)
    x = generator.normal(size=(2000, 10))
    y = (x[:, 3] + x[:, 8] > 0).astype(int)
    assert set(mlfs.select((x, y), "mrmr", 2, estimator="gaussian").indices) == {3, 8}
    bits = generator.integers(0, 2, (2000, 6))
    either = bits[:, 1] ^ bits[:, 4]
    data = np.column_stack([bits, bits[:, 0]]), either
    assert info_of(*data).cmi_fL_given_s(1)[4] < 0.01
    assert mlfs.prepare(data).info.cmi_fL_given_s(1)[4] > 0.6


def test_a_copy_is_redundant_beyond_all_others():
    X, Y = correlated(200)
    X[:, 5] = X[:, 0]
    found = mlfs.select((X, Y), "mrmr", 6, estimator="gaussian")
    assert {found.indices[0], found.indices[-1]} == {0, 5} or found.indices[-1] == 5
    close(info_of(X, Y).mi_fs(0)[[0, 5]], -0.5 * np.log(1e-12))


def test_criteria_that_divide_by_an_entropy_have_that_of_a_normal_variable() -> None:
    X, Y = correlated(300)
    info, standard = info_of(X, Y), 0.5 * np.log(2 * np.pi * np.e)
    close(info.h_f, np.full(X.shape[1], standard))
    (first, second) = mlfs.select((X, Y), "scls", 2, estimator="gaussian").indices
    scores = info.mi_fL * (1 - info.mi_fs(first) / standard)
    scores[first] = -np.inf
    assert (first, second) == (int(info.mi_fL.argmax()), int(scores.argmax()))
    for name in ("nmifs", "mifs_u"):
        assert len(mlfs.select((X, Y), name, 3, estimator="gaussian")) == 3


def test_a_nominal_column_has_the_entropy_of_its_block() -> None:
    X, Y = correlated(300)
    codes = np.random.default_rng(3).integers(0, 3, len(X))
    frame = pd.DataFrame({"a": X[:, 0], "b": np.array(["x", "y", "z"])[codes], "c": 1.0})
    R = np.corrcoef([codes == level for level in np.delete(range(3), np.bincount(codes).argmax())])
    block = np.log(2 * np.pi * np.e) + 0.5 * np.log(np.linalg.det(R))
    close(info_of(frame, Y).h_f, [0.5 * np.log(2 * np.pi * np.e), block, 0.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "mlcfs"}, "estimator is 'gaussian', which gives no symmetrical uncertainty"),
        ({"criterion": "disr"}, "estimator is 'gaussian', which gives no entropy"),
        ({"bins": "width"}, "bins is only used for the estimator 'counts', and it is 'gaussian'"),
        ({"correction": "expected"}, "correction is only used for the estimator 'counts'"),
        ({"sample_weight": np.linspace(0.5, 1, 60)}, "sample_weight has fractions, but the"),
        ({"max_memory": "1kB"}, "max_memory is 1 kB, but"),
        ({"estimator": "kernel"}, "estimator is 'counts' or 'gaussian', not 'kernel'"),
    ],
)
def test_what_it_cannot_do_is_refused_in_one_sentence(options, message):
    X, Y = correlated(60)
    with pytest.raises(mlfs.MlfsError) as caught:
        mlfs.select((X, Y), **{"criterion": "mim", "n": 2, "estimator": "gaussian", **options})
    assert str(caught.value).startswith(message)


def test_numeric_targets_are_scored_and_cmi_is_forward_selection():
    generator = np.random.default_rng(7)
    X = generator.normal(size=(400, 12)) @ generator.normal(size=(12, 12))
    y = X[:, [2, 5, 9]] @ [1.0, -0.7, 0.4] + generator.normal(size=400)
    found = mlfs.select((X, y), "cmi", 5, estimator="gaussian")
    Z = np.array([naive.scores(column)[0] for column in X.T])
    target, picked = naive.scores(y)[0], []
    for _ in range(5):
        left = {}
        for f in sorted({*range(12)} - {*picked}):
            some = Z[[*picked, f]].T
            left[f] = np.linalg.lstsq(some, target, rcond=None)[1][0]
        picked.append(min(left, key=left.get))
    assert list(found.indices) == picked
    R = np.corrcoef([*Z, target])
    close(info_of(X, y).mi_fl[:, 0], -0.5 * np.log(1 - R[-1, :-1] ** 2))
    assert "1 label with the normal scores of their numbers: 'y0'" in found.notes
    selector = mlfs.FeatureSelector("cmi", n_features_to_select=5, estimator="gaussian")
    assert selector.fit(X, y).indices_.tolist() == picked
    few = info_of(X, np.digitize(y, [-1, 1]))  # three whole numbers are classes
    classes = naive.indicators(np.digitize(y, [-1, 1]))
    close(few.mi_fl[:, 0], [naive.I([z], classes) for z in Z])


def canonical(X, Y, n):
    """The order of fastcan: greedy by the sum of squared canonical correlations with Y."""
    basis = np.linalg.qr(Y - Y.mean(axis=0))[0]
    picked = []
    for _ in range(n):
        found = {}
        for f in sorted({*range(X.shape[1])} - {*picked}):
            some = X[:, [*picked, f]]
            own = np.linalg.qr(some - some.mean(axis=0))[0]
            found[f] = (np.linalg.svd(own.T @ basis, compute_uv=False) ** 2).sum()
        picked.append(max(found, key=found.get))
    return picked


@pytest.mark.parametrize("seed", range(3))
def test_cmi_has_the_order_of_canonical_correlations_on_linear_data(seed):
    """With one label the whole order; with three the same informative columns, in another order."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(300, 10))
    X[:, 6:9] = X[:, :3] + 0.5 * generator.normal(size=(300, 3))
    effects = np.zeros((10, 3))
    effects[[0, 1, 3, 4]] = generator.normal(size=(4, 3)) * [[2], [1.5], [1], [0.7]]
    Y = X @ effects + 0.5 * generator.normal(size=(300, 3))
    x, y = (np.array([naive.scores(column)[0] for column in table.T]).T for table in (X, Y))
    one = mlfs.select((X, Y[:, 0]), "cmi", 6, estimator="gaussian")
    assert list(one.indices) == canonical(x, y[:, :1], 6)
    three = mlfs.select((X, Y), "cmi", 4, estimator="gaussian")
    assert {*three.indices} == {*canonical(x, y, 4)} == {0, 1, 3, 4}


@pytest.mark.parametrize("options", [{"estimator": "gaussian"}, {"correction": "expected"}])
def test_an_explanation_uses_the_estimator_of_the_selection(options):
    X, Y = correlated(100)
    selection = mlfs.select((X, Y), "mrmr", 2, **options)
    (why,) = mlfs.explain((X, Y), selection, [selection.indices[1]])
    assert why.rank == 2
    assert why.relevance == selection.terms["relevance"][1]


def test_subsamples_are_ranked_among_themselves():
    X, Y = correlated(120)
    ready = mlfs.prepare((X, Y), estimator="gaussian")
    kept = np.arange(120) % 3 > 0
    some, alone = ready.among_rows(kept).info, info_of(X[kept], Y[kept])
    np.testing.assert_array_equal(some.mi_fl, alone.mi_fl)
    selector = mlfs.FeatureSelector("mrmr", 2, estimator="gaussian")
    found = mlfs.StabilitySelector(selector, n_subsamples=5).fit(X, Y)
    assert found.frequencies_.sum() == 2
    with pytest.raises(mlfs.CriterionError, match="has no counts, and this needs them"):
        mlfs.information.mutual_information(ready)


def test_rows_without_any_label_are_left_out():
    X, Y = correlated(100)
    sets = Y[:, 0] * 2 + Y[:, 1]
    rare = np.bincount(sets)[sets] < 20
    assert rare.any()
    data = mlfs.data.label_sets(mlfs.data.from_arrays(X, Y), 20)
    found = mlfs.select(data, "mim", 3, estimator="gaussian")
    again = mlfs.select((X[~rare], sets[~rare].astype(str)), "mim", 3, estimator="gaussian")
    assert found.indices == again.indices
    np.testing.assert_array_equal(found.scores, again.scores)
    assert f"{rare.sum()} rows without any label left out" in found.notes


def test_labels_must_be_complete():
    X, Y = correlated(60)
    Y = Y.astype(float)
    Y[7, 1] = np.nan
    with pytest.raises(DataError, match="the label 'y1' misses a value in row 8"):
        mlfs.select((X, Y), "mim", n=1, estimator="gaussian")


def test_nominal_columns_of_many_values_and_keys_are_reported():
    X, Y = correlated(80)
    frame = pd.DataFrame(X).add_prefix("x")
    frame["town"] = [f"town {i % 50}" for i in range(80)]
    frame["id"] = [f"row {i}" for i in range(80)]
    frame["flat"] = 1.0
    found = mlfs.select((frame, Y), "mim", 2, estimator="gaussian")
    notes = " / ".join(found.notes)
    assert "2 nominal features of more than 33 values: the rarest count as one: 'town'" in notes
    assert "like a key" in notes
    assert "'id'" in notes
    assert found.settings["estimator"] == "gaussian"
    assert found.to_dict()["binning"][0]["method"] == "normal-scores"


def test_the_transformer_and_the_command_have_it(capsys, tmp_path):
    X, Y = correlated(100)
    selector = mlfs.FeatureSelector("mrmr", n_features_to_select=2, estimator="gaussian").fit(X, Y)
    assert selector.indices_.tolist() == list(
        mlfs.select((X, Y), "mrmr", 2, estimator="gaussian").indices
    )
    from mlfs import cli

    songs = "docs/examples/songs.arff"
    assert (
        cli.main(["select", "-v", "-c", "mrmr", "-n", "2", "--estimator", "gaussian", songs]) == 0
    )
    assert "normal-scores" in capsys.readouterr().err
    assert cli.main(["select", "-c", "mlcfs", "-n", "2", "--estimator", "gaussian", songs]) == 2
    assert "--estimator is 'gaussian', which gives no symmetrical" in capsys.readouterr().err
