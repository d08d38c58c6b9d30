"""Data whose answer is known: good criteria find what matters and leave out noise and copies."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.generated import preset
from benchmarks.hypercubes import judged, picked

SEEDS = range(3)


def means(name: str, criterion: str) -> dict[str, float]:
    found = [judged(data, picked(data, criterion)) for data in _made(name)]
    return {
        what: float(np.mean([getattr(one, what) for one in found]))
        for what in ("precision", "recall", "irrelevant", "copies")
    }


def _made(name: str) -> list:
    return [preset(name, seed=seed) for seed in SEEDS]


@pytest.mark.parametrize("name", ["data40-10", "data80-10", "data120-20"])
@pytest.mark.parametrize("criterion", ["cmim", "scls", "mlcfs_global"])
def test_criteria_that_weigh_redundancy_by_entropy_find_the_relevant(
    name: str, criterion: str
) -> None:
    found = means(name, criterion)
    assert found["precision"] >= 0.95
    assert found["recall"] >= 0.95
    assert found["irrelevant"] == 0


@pytest.mark.parametrize("name", ["data40-10", "data80-10"])
def test_what_each_kind_of_criterion_gets_wrong(name: str) -> None:
    blind = means(name, "mim")  # sees no redundancy: takes the copies, but nothing irrelevant
    assert blind["copies"] > 0
    assert blind["irrelevant"] == 0
    harsh = means(name, "ami")  # its redundancy grows with S: shuns copies for noise
    assert harsh["copies"] == 0
    assert harsh["irrelevant"] > 0
    mean = means(name, "mrmr")
    assert mean["copies"] == 0
    assert mean["precision"] > max(blind["precision"], harsh["precision"])


def test_judging() -> None:
    data = preset("data40-10")
    copy = next(name for name in data.feature_names if name.startswith("red_"))
    original = copy.split("_of_")[1]
    found = judged(data, [original, copy, "irr_1", "rel_1" if original != "rel_1" else "rel_2"])
    assert (found.precision, found.recall) == (0.5, 2 / 20)
    assert (found.irrelevant, found.copies) == (1, 1)
