"""Options that a selection would not use are refused, wherever they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlfs
from mlfs import cli
from tests.documents import ROOT

X = np.random.default_rng(3).integers(0, 2, (40, 4))
Y = X[:, [2, 0]] ^ (np.arange(40) % 9 == 0)[:, None]
SONGS = str(ROOT / "docs" / "examples" / "songs.arff")
CHAIN = "only used for a label network that is learned as a chain, and the"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, f"k is {CHAIN} criterion scls uses none: leave it out"),
        ({"k": 1, "order": "full"}, f"order and k are {CHAIN} criterion scls uses none"),
        (
            {"criterion": "mlfs_global", "network": "tree", "k": 1},
            f"k is {CHAIN} network is a tree",
        ),
        ({"criterion": "mlfs_global", "network": {1: [0]}, "order": "given"}, "network is given"),
        (
            {"n": 2, "alpha": 0.1, "min_gain": 0.0},
            "min_gain is only used for an automatic number of features, and n is 2",
        ),
        (
            {"n": 2, "seed": 1},
            "seed is only used for an automatic number of features, and n is 2",
        ),
    ],
)
def test_an_option_without_a_use_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(mlfs.UsageError) as caught:
        mlfs.select((X, Y), **options)
    assert message in str(caught.value)
    own = {"n": "n_features_to_select", "seed": "random_state"}
    settings = {own.get(key, key): value for key, value in options.items()}
    if "seed" in options:  # scikit-learn gives every estimator a random_state
        mlfs.FeatureSelector(**settings).fit(X, Y)
        return
    with pytest.raises(mlfs.UsageError) as again:
        mlfs.FeatureSelector(**settings).fit(X, Y)
    assert str(again.value) == str(caught.value).replace(" n is ", " n_features_to_select is ")


def test_an_option_with_a_use_is_taken() -> None:
    mlfs.select((X, Y), "mlfs_global", 2, k=1, order="given")
    mlfs.select((X, Y), "mlfs_global", 2, network="chain", k=1)
    assert mlfs.select((X, Y), "mim", "auto", alpha=0.1, min_gain=0.0, seed=4).settings["seed"] == 4
    mlfs.select((X, Y), "mim", 2, alpha=0.05, order="cheap")  # the defaults change nothing
    assert (
        mlfs.FeatureSelector("mim", "auto", random_state=4).fit(X, Y).selection_.settings["seed"]
        == 4
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-c", "mim", "-k", "2"], f"--parents is {CHAIN} criterion mim uses none"),
        (["-c", "mim", "--order", "cheap"], f"--order is {CHAIN}"),  # the default, but asked for
        (["-n", "3", "--alpha", "0.05"], "--alpha is only used for an automatic number"),
    ],
)
def test_the_command_refuses_what_is_written(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["select", *arguments, SONGS]) == 2
    assert message in capsys.readouterr().err
