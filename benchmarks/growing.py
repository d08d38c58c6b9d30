"""Growth: time against one size at a time, and the exponent that fits it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import clock
from benchmarks.cases import Case
from benchmarks.inputs import Shape, load
from benchmarks.selecting import answer, warm

__all__ = ["CRITERION", "exponent", "growth_case", "sizes"]

CRITERION = "jmi"  # every pair and every triple is counted: nothing is skipped
STEPS = 5
DENSITIES = (0.005, 0.01, 0.02, 0.04, 0.08)
FIELDS = {"rows", "columns", "labels"}


def sizes(shape: Shape, axis: str) -> list[tuple[float, Shape, int | None]]:
    """The sizes along an axis, the input of each, and how many features to pick."""
    if axis == "n":
        return [(n, shape, n) for n in (5, 10, 20, 40, 80) if n <= shape.columns]
    if axis == "density":
        return [(value, replace(shape, density=value), None) for value in DENSITIES]
    full = getattr(shape, axis)
    steps = sorted({max(2, full >> k) for k in range(STEPS)})
    return [(size, _sized(shape, axis, size), None) for size in steps]


def _sized(shape: Shape, axis: str, size: int) -> Shape:
    made = replace(shape, **{axis: size})
    if axis == "columns":
        return replace(made, informative=size // 20, copies=size // 10)
    return made


def growth_case(case: Case, folder: Path | None, budget: float) -> dict[str, Any]:
    """Measure each size and fit the exponent."""
    assert case.shape is not None
    if case.what not in {*FIELDS, "n", "density"}:
        raise ValueError(case.what)
    points = []
    for size, shape, n in sizes(case.shape, case.what):
        data = load(shape, folder)
        one = Case("select", case.source, CRITERION, n or case.n, shape=shape)
        warm(data, one)
        run = clock.best_of(lambda _, d=data, c=one: answer((d.X, d.Y), c), budget=budget / 2)
        points.append((float(size), run["seconds"]))
    return {"points": points, **exponent(points)}


def exponent(points: list[tuple[float, float]]) -> dict[str, float]:
    """The slope of log time over log size, of all points and of the last two.

    >>> exponent([(1, 2.0), (2, 4.0), (4, 8.0)])
    {'exponent': 1.0, 'last': 1.0}
    """
    x = np.log([size for size, _ in points])
    y = np.log([seconds for _, seconds in points])
    slope = float(np.polyfit(x, y, 1)[0])
    last = math.log(points[-1][1] / points[-2][1]) / math.log(points[-1][0] / points[-2][0])
    return {"exponent": round(slope, 2), "last": round(last, 2)}
