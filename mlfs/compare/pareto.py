"""Quality against the number of features: the front of curves, and its knee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlfs.api.text import align
from mlfs.compare.cross_validated import CrossValidation
from mlfs.compare.results import Results
from mlfs.data.frames import pandas
from mlfs.errors import DataError, UsageError, check_name, printable
from mlfs.metrics import METRICS

WIDEST = 60
TIE = 1e-12


@dataclass(frozen=True)
class Point:
    """A method with a number of features.

    Parameters
    ----------
    method : str
        The criterion; empty for the selection of one.
    features : float
        How many features, in the mean.
    value : float
        The mean of the metric.
    """

    method: str
    features: float
    value: float


@dataclass(frozen=True)
class Front:
    """The points of some curves that no other point of them beats.

    Parameters
    ----------
    metric : str
        What is measured.
    points : tuple of Point
        The front, by rising number of features.
    knee : Point
        Its knee.
    tried : int
        How many points the curves have.
    """

    metric: str
    points: tuple[Point, ...]
    knee: Point
    tried: int

    def to_dict(self) -> dict[str, Any]:
        """Give the record for JSON."""
        return {
            "metric": self.metric,
            "front": [vars(point) for point in self.points],
            "knee": vars(self.knee),
            "tried": self.tried,
        }

    def to_frame(self) -> Any:
        """Give a frame of pandas with a row for each point of the front."""
        return pandas().DataFrame(
            [{**vars(point), "knee": point == self.knee} for point in self.points]
        )

    def __str__(self) -> str:
        rows = [
            [
                f"{point.features:g}",
                f"{point.value:.4f}",
                printable(point.method, WIDEST),
                "knee" if point == self.knee else "",
            ]
            for point in self.points
        ]
        return "\n".join(align(["features", self.metric, "method", ""], rows, left={2, 3}))


def pareto(
    curves: Any, metric: str | None = None, *, data: str | None = None, model: str | None = None
) -> Front:
    """Find the front of quality against the number of features, and its knee.

    A point is on the front if no other one has at most as many features and at least the quality,
    and is better in one of the two; of equal points the first. The knee is the point farthest
    above the line between the ends of the front, both axes scaled to these ends; of equally far
    ones that with fewer features.

    Parameters
    ----------
    curves : CrossValidation or Results
        What `mlfs.compare.number_of_features` or `mlfs.compare.run` returned.
    metric : str, optional
        Of a comparison: one of its metrics, by default the first.
    data, model : str, optional
        Of a comparison: which data set and which model, where there are several.

    Returns
    -------
    Front

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[0.5, 0.8, 0.75, 0.9]])
    >>> print(pareto(CrossValidation(np.array([1, 3, 5, 9]), scores, 9, 9, "br", "micro_f1")))
    features  micro_f1  method
           1    0.5000
           3    0.8000          knee
           9    0.9000
    """
    if isinstance(curves, CrossValidation):
        if (metric, data, model) != (None, None, None):
            msg = "metric, data and model are for comparisons: leave them out"
            raise UsageError(msg)
        pairs = zip(curves.sizes.tolist(), curves.means.tolist(), strict=True)
        return front_of(curves.metric, [Point("", n, value) for n, value in pairs])
    if not isinstance(curves, Results):
        msg = "the curves are what number_of_features or run of mlfs.compare returned, not "
        raise UsageError(f"{msg}{printable(repr(curves))}")
    metric = curves.metrics[0] if metric is None else metric
    check_name(metric, "metric", curves.metrics)
    data = _one(data, [source.name for source in curves.settings.sources], "data")
    model = _one(model, list(map(str, curves.settings.models)), "model")
    lines = curves.curves(metric, data, model)
    return front_of(
        metric,
        [Point(name, entry.features, entry.mean) for name, line in lines.items() for entry in line],
    )


def _one(name: str | None, known: Sequence[str], option: str) -> str:
    """The name that was given, or the only one."""
    if name is None and len(known) == 1:
        return known[0]
    if name is None:
        raise UsageError(f"is needed: it is one of {', '.join(known)}", option=option)
    check_name(name, option, known)
    return name


def front_of(metric: str, points: Sequence[Point]) -> Front:
    """The front of some points, and its knee."""
    sign = 1 if METRICS[metric].higher_is_better else -1
    points = [point for point in points if point.value == point.value]
    if not points:
        raise DataError(f"no number of features has a {metric}: every cell failed")
    front: list[Point] = []
    for point in sorted(points, key=lambda point: (point.features, -sign * point.value)):
        if not front or sign * point.value > sign * front[-1].value + TIE:
            front.append(point)
    first, last = front[0], front[-1]
    width, height = last.features - first.features, sign * (last.value - first.value)

    def above(point: Point) -> float:
        if not width:
            return 0.0
        share = (point.features - first.features) / width
        return round(sign * (point.value - first.value) / height - share, 12)

    return Front(metric, tuple(front), max(front, key=above), len(points))
