"""Intervals of information: less the share of chance, and how often they hold the truth."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlfs
from mlfs import cli
from mlfs.information import mutual_information
from mlfs.information.credible import interval_of, moments

RNG = np.random.default_rng(0)


def naive_chance(x: Any, y: Any, rng: Any, shuffles: int = 4000) -> float:
    """The information that shuffled labels share, on average."""
    return float(np.mean([naive_information(x, rng.permutation(y)) for _ in range(shuffles)]))


def naive_information(x: Any, y: Any) -> float:
    n, total = len(x), 0.0
    for i in set(x):
        for j in set(y):
            c = sum(1 for pair in zip(x, y, strict=True) if pair == (i, j))
            if c:
                total += c / n * log(c * n / (list(x).count(i) * list(y).count(j)))
    return total


def prepared(X: Any, Y: Any, **options: Any) -> mlfs.Prepared:
    return mlfs.prepare(mlfs.data.from_arrays(X, Y, classes=True), nominal_limit=20, **options)


def test_the_mean_is_the_counted_information_less_the_share_of_chance() -> None:
    X = RNG.integers(0, [2, 3, 8], (40, 3))
    Y = np.column_stack([X[:, 0] ^ (RNG.random(40) < 0.1), RNG.random(40) < 0.15]).astype(int)
    sure = mutual_information(prepared(X.astype(float), Y), interval=0.9)
    for f in range(3):
        for l in range(2):
            x, y = X[:, f].tolist(), Y[:, l].tolist()
            left = naive_information(x, y) - naive_chance(x, y, RNG, 400)
            assert sure.mean[f, l] == pytest.approx(max(0.0, left), abs=0.006)
    assert (sure.low <= sure.mean + 1e-12).all()
    assert (sure.mean <= sure.high + 1e-12).all()


@pytest.mark.parametrize("levels", [(2, 2), (3, 3), (10, 2), (40, 2)])
@pytest.mark.parametrize("rows", [100, 500, 5000])
@pytest.mark.parametrize("slope", [0.0, 0.1, 0.5, 1.0])
def test_the_interval_holds_the_truth_in_its_share_of_tables(
    levels: tuple[int, int], rows: int, slope: float
) -> None:
    generator = np.random.default_rng(rows)
    steps = [np.linspace(-1, 1, k) for k in levels]
    p = np.exp(slope * np.outer(*steps))
    p /= p.sum(axis=1, keepdims=True) * levels[0]
    true = float((p * np.log(p / (p.sum(0) * p.sum(1, keepdims=True)))).sum())
    tables = generator.multinomial(rows, p.ravel(), 600).reshape(600 * levels[0], levels[1])
    low, high = interval_of(moments(tables, np.arange(600) * levels[0]), 0.95)
    assert 0.905 <= ((low <= true + 1e-12) & (true <= high + 1e-12)).mean() <= 0.99


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
