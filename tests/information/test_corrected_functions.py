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


def test_less_the_mean_over_all_permutations():
    X, Y = problem()
    options = {"correction": "expected", **OF_ALL}
    for x, y in ((X, Y), (Y, X), (X, X)):
        found = information.mutual_information(x, y, **options)
        close(found, every_pair(naive_bias.adjusted, x, y))
    own = information.mutual_information(X, **options)
    np.testing.assert_array_equal(own, own.T)
    found = information.mutual_information(X, Y, n_jobs=2, **options)
    close(found, every_pair(naive_bias.adjusted, X, Y))
    ready = mlfs.prepare((X, Y[:, [0, 2]]), **options)
    np.testing.assert_array_equal(information.mutual_information(ready), ready.info.mi_fl)


def test_closed_forms():
    """Two halves: I is log 2, and the mean over permutations of two rows of each is known."""
    x = [0, 0, 1, 1]
    # 2 of the 6 permutations determine x, the other 4 are independent of it
    found = information.mutual_information(x, x, correction="expected")
    assert found == pytest.approx(log(2) - log(2) / 3)
    key = list(range(50))  # an identifier has all there is, and nothing beyond chance
    assert information.mutual_information(key, [0, 1] * 25, **OF_ALL) == pytest.approx(log(2))
    found = information.mutual_information(key, [0, 1] * 25, correction="expected", **OF_ALL)
    assert found == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda x, r: information.entropy(x, correction="expected"), "corrects mutual information"),
        (
            lambda x, r: information.symmetrical_uncertainty(r.features, r.labels),
            "correction is 'expected', which corrects mutual information of two columns",
        ),
        (
            lambda x, r: information.interaction(x, x, x, correction="expected"),
            "use 'none'",
        ),
        (
            lambda x, r: information.mutual_information(r.features, x),
            "X is prepared with the correction 'expected', and that of Y with 'none': give",
        ),
    ],
)
def test_what_a_correction_does_not_serve_is_refused(compute, message):
    X, Y = problem()
    with pytest.raises(UsageError, match=message):
        compute(X, mlfs.prepare((X, Y[:, [0, 2]]), correction="expected"))


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
    close(information.mutual_information(ready.features, Y[:, :5]), expected)
    close(information.mutual_information(X, ready.labels[:5]), expected)
