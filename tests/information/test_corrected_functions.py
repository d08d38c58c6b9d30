"""Corrections of the functions of `mlfs.information`, against formulas from scratch."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from click.testing import CliRunner

import mlfs
from mlfs import UsageError, cli
from tests import naive, naive_bias

information = mlfs.information
OF_ALL = {"nominal_limit": 100}


def columns(table):
    return [tuple(column) for column in np.asarray(table).T.tolist()]


def every_pair(formula, X, Y):
    return np.array([[formula(a, b) for b in columns(Y)] for a in columns(X)])


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def problem():
    generator = np.random.default_rng(1)
    X = generator.integers(0, [2, 2, 3, 9, 2, 1, 30], (120, 7))
    X[:, 4] = generator.random(120) < 0.03
    return X, generator.integers(0, [2, 3, 2], (120, 3))


def prepared(X, Y, **options):
    return mlfs.prepare(mlfs.data.from_arrays(X, Y, classes=True), **OF_ALL, **options)


def test_less_the_mean_over_all_permutations():
    X, Y = problem()
    for n_jobs in (1, 2):
        ready = prepared(X, Y, correction="expected", n_jobs=n_jobs)
        x, y = ready.features, ready.labels
        for a, b, one, other in ((x, y, X, Y), (y, x, Y, X), (x, x, X, X)):
            found = information.mutual_information(a, b)
            close(found, every_pair(naive_bias.adjusted, one, other))
        own = information.mutual_information(x)
        np.testing.assert_array_equal(own, own.T)
    np.testing.assert_array_equal(information.mutual_information(ready), ready.info.mi_fl)


def test_closed_forms():
    """Two halves: I is log 2, and the mean over permutations of two rows of each is known."""
    x = [[0], [0], [1], [1]]
    # 2 of the 6 permutations determine x, the other 4 are independent of it
    found = information.mutual_information((x, x), correction="expected")
    assert found == pytest.approx(log(2) - log(2) / 3)
    # an identifier has all there is, and nothing beyond chance
    key = [[k] for k in range(50)], [0, 1] * 25
    assert information.mutual_information(key, **OF_ALL) == pytest.approx(log(2))
    found = information.mutual_information(key, correction="expected", **OF_ALL)
    assert found == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "compute",
    [
        information.entropy,
        lambda r: information.symmetrical_uncertainty(r.features, r.labels),
        lambda r: information.interaction(r.features, r.labels, r.labels),
    ],
)
def test_what_a_correction_does_not_serve_is_refused(compute):
    X, Y = problem()
    message = "correction is 'expected', which corrects mutual information of two columns"
    with pytest.raises(UsageError, match=message):
        compute(prepared(X, Y[:, [0, 2]], correction="expected"))


def test_the_matrix_of_the_command_is_corrected(tmp_path):
    X, Y = problem()
    data = tmp_path / "data.csv"
    rows = np.column_stack([X, Y[:, 0]]).tolist()
    names = ",".join(f"c{j}" for j in range(8))
    data.write_text("\n".join([names, *(",".join(map(str, row)) for row in rows)]) + "\n")
    common = ["info", "--labels", "c7", "--nominal-limit", "100", "--matrix", "-", str(data)]
    run = CliRunner().invoke(cli.cli, [*common, "--correction", "expected"])
    values = [float(line.split(",")[1]) for line in run.stdout.splitlines()[1:]]
    close(values, every_pair(naive_bias.adjusted, X, Y[:, :1])[:, 0])
    run = CliRunner().invoke(cli.cli, [*common, "--correction", "expected", "--measure", "su"])
    assert run.exit_code == 2
    assert "--correction is 'expected', which corrects mutual information" in run.output


def test_sums_of_tables_of_other_units_are_not_mixed():
    """With thousands of labels the sums of c log c are kept coarser."""
    generator = np.random.default_rng(0)
    X, Y = generator.integers(0, 2, (60, 3)), generator.integers(0, 2, (60, 3000))
    ready = mlfs.prepare((X, Y))
    expected = every_pair(naive.I, X, Y[:, :5])
    close(information.mutual_information(ready.features, ready.labels[:5]), expected)
