"""The front of quality against the number of features, held against its definition."""

from __future__ import annotations

import numpy as np
import pytest

import mlfs
from mlfs.compare.pareto import Point, front_of
from tests.compare.test_report import made_up


def naive_front(points, higher):
    """Points that no other beats: by features and quality, with one of the two better."""

    def beats(a, b):
        gain = (a.value - b.value) * (1 if higher else -1)
        return a.features <= b.features and gain >= 0 and (a.features < b.features or gain > 0)

    return {point for point in points if not any(beats(other, point) for other in points)}


@pytest.mark.parametrize("metric", ["micro_f1", "hamming_loss"])
@pytest.mark.parametrize("seed", range(10))
def test_the_front_is_what_no_point_beats(seed, metric):
    random = np.random.default_rng(seed)
    points = [Point(f"m{i % 3}", int(n), float(v)) for i, (n, v) in enumerate(
        zip(random.permutation(30)[:20], random.random(20), strict=True)
    )]  # fmt: skip
    front = front_of(metric, points)
    assert {*front.points} == naive_front(points, metric == "micro_f1")
    (x0, y0), (x1, y1) = ((p.features, p.value) for p in (front.points[0], front.points[-1]))
    if len(front.points) > 1:
        heights = [(p.value - y0) / (y1 - y0) - (p.features - x0) / (x1 - x0) for p in front.points]
        assert front.knee == front.points[int(np.argmax(np.round(heights, 9)))]


def test_of_equal_points_the_first_is_on_the_front():
    front = front_of("micro_f1", [Point("a", 2, 0.5), Point("b", 2, 0.5), Point("c", 4, 0.5)])
    assert [point.method for point in front.points] == ["a"]
    assert front.knee == front.points[0]
    assert front.tried == 3


def test_what_has_no_value_is_left_out():
    front = front_of("micro_f1", [Point("a", 1, float("nan")), Point("b", 2, 0.5)])
    assert [point.method for point in front.points] == ["b"]
    with pytest.raises(mlfs.DataError, match="no number of features has a micro_f1"):
        front_of("micro_f1", [Point("a", 1, float("nan"))])


def test_the_curve_of_a_cross_validation():
    found = mlfs.compare.number_of_features("songs", "mim", folds=3, most=6)
    front = mlfs.pareto(found)
    assert front.points[-1].features == found.best
    assert len(front.to_frame()) == len(front.points)
    with pytest.raises(mlfs.UsageError, match="leave them out"):
        mlfs.pareto(found, "micro_f1")


def test_the_curves_of_a_comparison():
    results = made_up()
    names = [source.name for source in results.settings.sources]
    models = [str(model) for model in results.settings.models]
    front = mlfs.pareto(results, "hamming_loss", data=names[0], model=models[0])
    lines = results.curves("hamming_loss", names[0], models[0])
    points = [Point(c, s.features, s.mean) for c, line in lines.items() for s in line]
    expected = {(p.features, p.value) for p in naive_front(points, higher=False)}
    assert {(p.features, p.value) for p in front.points} == expected
    with pytest.raises(mlfs.UsageError, match=r"data is needed: it is one of"):
        mlfs.pareto(results, model=models[0])


@pytest.mark.parametrize("curves", [3, "songs", None])
def test_other_things_have_no_curves(curves):
    with pytest.raises(mlfs.UsageError, match="what number_of_features or run of"):
        mlfs.pareto(curves)
