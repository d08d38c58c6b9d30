"""Intervals of information: the closed form written anew, and what Dirichlet draws say."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import digamma

import mlfs
from mlfs import cli
from mlfs.information import mutual_information

RNG = np.random.default_rng(0)


def naive_moments(x: Any, y: Any) -> tuple[float, float]:
    """Hutter & Zaffalon (2005), cell by cell, with half a row more in each cell."""
    a, b = sorted(set(x)), sorted(set(y))
    n = {(i, j): 0.5 for i in a for j in b}
    for pair in zip(x, y, strict=True):
        n[pair] += 1
    N = sum(n.values())
    n_i = {i: sum(n[i, j] for j in b) for i in a}
    n_j = {j: sum(n[i, j] for i in a) for j in b}
    mean = J = K = M = Q = 0.0
    for (i, j), c in n.items():
        mean += (
            c / N * (digamma(c + 1) - digamma(n_i[i] + 1) - digamma(n_j[j] + 1) + digamma(N + 1))
        )
        ratio = log(c * N / (n_i[i] * n_j[j]))
        J += c / N * ratio
        K += c / N * ratio**2
        M += (1 / c - 1 / n_i[i] - 1 / n_j[j] + 1 / N) * c * ratio
        Q += c * c / (n_i[i] * n_j[j])
    later = M + (len(a) - 1) * (len(b) - 1) * (0.5 - J) - (1 - Q)
    return mean, (K - J * J) / (N + 1) + later / ((N + 1) * (N + 2))


def prepared(X: Any, Y: Any, **options: Any) -> mlfs.Prepared:
    return mlfs.prepare(mlfs.data.from_arrays(X, Y, classes=True), nominal_limit=20, **options)


def test_mean_and_variance_are_the_closed_form() -> None:
    X = RNG.integers(0, [2, 3, 5, 1, 12], (80, 5)).astype(float)
    X[RNG.random((80, 5)) < 0.1] = np.nan
    Y = np.column_stack([X[:, 0] == 1, RNG.integers(0, 3, 80)]).astype(int)
    sure = mutual_information(prepared(X, Y), interval=0.9)
    for f in range(5):
        for l in range(2):
            x = np.nan_to_num(X[:, f], nan=-1).tolist()
            mean, variance = naive_moments(x, Y[:, l].tolist())
            assert sure.mean[f, l] == pytest.approx(mean, abs=1e-9)
            assert sure.sd[f, l] ** 2 == pytest.approx(max(0.0, variance), abs=1e-9)
    assert (sure.low <= sure.mean + 1e-12).all()
    assert (sure.mean <= sure.high + 1e-12).all()


@pytest.mark.parametrize(
    ("n", "levels", "follows"),
    [
        (50, 2, 0.3),
        (60, 2, 0.0),
        (60, 2, 0.8),
        (200, 2, 0.1),
        (200, 2, 0.3),
        (200, 10, 0.2),
        (500, 3, 0.3),
    ],
)
def test_the_interval_holds_its_share_of_dirichlet_draws(
    n: int, levels: int, follows: float
) -> None:
    generator = np.random.default_rng(n + levels)
    y = generator.integers(0, 2, n)
    x = np.where(generator.random(n) < follows, y, generator.integers(0, levels, n))
    ready = prepared(x[:, None], y)
    sure = mutual_information(ready.features[0], ready.labels[0], interval=0.95)
    counts = np.full((levels, 2), 0.5)
    np.add.at(counts, (x, y), 1)
    p = generator.dirichlet(counts.ravel(), 10_000).reshape(-1, levels, 2)
    p = np.maximum(p, 1e-300)
    drawn = (p * np.log(p / (p.sum(1, keepdims=True) * p.sum(2, keepdims=True)))).sum(axis=(1, 2))
    assert 0.936 <= ((sure.low <= drawn) & (drawn <= sure.high)).mean() <= 0.965
    assert sure.mean == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 100)
    assert sure.sd == pytest.approx(drawn.std(), rel=0.06)


def test_forms_and_shapes() -> None:
    ready = mlfs.prepare("docs/examples/songs.arff")
    sure = mutual_information(ready, interval=0.95)
    assert sure.low.shape == mutual_information(ready).shape
    same = mutual_information(ready.features, ready.labels, interval=0.95)
    assert same.high == pytest.approx(sure.high)
    frame = mutual_information(ready, interval=0.95, as_frame=True)
    assert list(frame.low.columns) == ready.dataset.label_names
    wider = mutual_information(ready, interval=0.99)
    assert (wider.low <= sure.low).all()
    assert (wider.high >= sure.high).all()
    alone = mlfs.prepare(([[1]] * 4, [0, 1, 0, 1]))
    constant = mutual_information(alone.features[0], alone.labels[0], interval=0.95)
    assert constant == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"interval": 1.5}, "interval is a probability between 0 and 1, such as 0.95, not 1.5"),
        ({"interval": True}, "interval is a probability between 0 and 1, such as 0.95, not True"),
        (
            {"interval": 0.9, "correction": "expected"},
            "interval is that of plain counts, and the correction is 'expected': take 'none'",
        ),
        (
            {"interval": 0.9, "sample_weight": [1, 2, 1, 2]},
            "interval is that of rows that count once",
        ),
    ],
)
def test_what_has_no_interval_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(mlfs.UsageError, match=f"^{sentence}"):
        mutual_information(([[1], [2], [1], [2]], [0, 1, 0, 1]), **options)


def test_the_command_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "mi.npz"
    songs = "docs/examples/songs.arff"
    assert cli.main(["info", "--matrix", str(path), "--interval", "0.95", songs]) == 0
    with np.load(path) as arrays:
        sure = mutual_information(mlfs.prepare(songs), interval=0.95)
        assert (arrays["low"] == sure.low).all()
        assert (arrays["high"] == sure.high).all()
        assert arrays["values"].shape == arrays["mean"].shape
    table = tmp_path / "mi.csv"
    assert cli.main(["info", "--matrix", str(table), "--interval", "0.95", songs]) == 0
    head = table.read_text(encoding="utf-8").splitlines()[0]
    assert head.startswith(",happy,happy mean,happy low,happy high,sad,")
