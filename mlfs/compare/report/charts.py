"""The figures of a report: curves, critical differences, time against quality."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.metrics import METRICS
from mlfs.compare.report.svg import Axis, Picture, colour, dash
from mlfs.compare.results import Results, Summary, seconds_of

__all__ = ["cost_chart", "curve_chart", "rank_chart"]

LEGEND = 18


def curve_chart(results: Results, metric: str, data: str, model: str) -> str:
    """The metric against the number of features, a line for each criterion; empty if nothing."""
    lines = results.curves(metric, data, model)
    if not lines:
        return ""
    at = {str(one): i for i, one in enumerate(results.settings.rankers)}
    flat = {name for name, line in lines.items() if line[0].n == "all"}
    picture = Picture(
        460, 300 + LEGEND * len(lines), f"{metric} of {model} on {data} by number of features"
    )
    y = Axis(*_range([one.mean for line in lines.values() for one in line]), 250, 16)
    numbers = [one.features for name in lines if name not in flat for one in lines[name]]
    x = Axis(min(numbers, default=0), max(numbers, default=1), 62, 446)
    if x.low == x.high:
        x = Axis(x.low - 1, x.high + 1, 62, 446)
    picture.axes(x, y, "number of features", metric)
    for place, (name, line) in enumerate(lines.items()):
        stroke, style = colour(at[name]), dash(at[name])
        if name in flat:
            height = y.at(line[0].mean)
            picture.line([(x.start, height), (x.end, height)], stroke, stroke_dasharray="1 4",
                         stroke_width=2)  # fmt: skip
        else:
            _curve(picture, x, y, line, stroke, style, name)
        below = 306 + LEGEND * place
        picture.line([(62, below - 4), (92, below - 4)], stroke, stroke_width=2,
                     stroke_dasharray="1 4" if name in flat else style)  # fmt: skip
        of = f" ({line[0].features:g} features)" if name in flat else ""
        picture.text(98, below, name + of)
    return picture.markup()


def _curve(
    picture: Picture,
    x: Axis,
    y: Axis,
    ordered: Sequence[Summary],
    stroke: str,
    style: str,
    name: str,
) -> None:
    if all(math.isfinite(one.sd) for one in ordered):
        upper = [(x.at(one.features), _within(y, one.mean + one.sd)) for one in ordered]
        lower = [(x.at(one.features), _within(y, one.mean - one.sd)) for one in ordered]
        picture.band([*upper, *reversed(lower)], stroke)
    points = [(x.at(one.features), y.at(one.mean)) for one in ordered]
    picture.line(points, stroke, stroke_width=2, stroke_dasharray=style)
    for (left, top), one in zip(points, ordered, strict=True):
        spread = f" ± {one.sd:.4f}" if math.isfinite(one.sd) else ""
        picture.dot(left, top, stroke, f"{name}, {one.features:g}: {one.mean:.4f}{spread}")


def rank_chart(contest: Contest) -> str:
    """A critical-difference diagram after Demsar; empty if there are too few data sets."""
    if contest.doubt:
        return ""
    average = contest.average_ranks
    k = average.size
    order = np.argsort(average, kind="stable")
    half = (k + 1) // 2
    bars = contest.groups
    row = 20
    picture = Picture(
        720, 104 + row * half + 9 * len(bars), "average ranks with critical difference"
    )
    x = Axis(1, k, 190, 530)
    picture.line([(x.start, 58), (x.end, 58)], "#000", stroke_width=1.5)
    for rank in range(1, k + 1):
        picture.line([(x.at(rank), 52), (x.at(rank), 58)], "#000")
        picture.text(x.at(rank), 47, str(rank), "middle")
    length = min(contest.nemenyi, k - 1) / max(k - 1, 1) * (x.end - x.start)
    picture.line([(x.start, 20), (x.start + length, 20)], "#000", stroke_width=3)
    picture.text(x.start + length + 8, 24, f"critical difference (Nemenyi, 0.05) "
                                           f"{contest.nemenyi:.3f}")  # fmt: skip
    for at, group in enumerate(bars):
        low, high = average[group[0]], average[group[-1]]
        height = 66 + 9 * at
        picture.line([(x.at(low) - 4, height), (x.at(high) + 4, height)], "#000", stroke_width=4)
    base = 82 + 9 * len(bars)
    for place, j in enumerate(order.tolist()):
        left = place < half
        height = base + row * (place if left else k - 1 - place)
        end = x.start - 14 if left else x.end + 14
        picture.line([(x.at(average[j]), 58), (x.at(average[j]), height), (end, height)], "#555")
        words = f"{contest.methods[j]} {average[j]:.2f}"
        picture.text(end + (-4 if left else 4), height + 4, words, "end" if left else "start")
    return picture.markup()


def cost_chart(results: Results, metric: str) -> str:
    """Time against quality: a dot for each method at each number of features."""
    kept: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
    for record in results.records:
        value = record.get("metrics", {}).get(metric)
        if value is not None:
            cell = record["cell"]
            key = (cell["criterion"], cell["model"], cell["n"])
            kept.setdefault(key, []).append((seconds_of(record), value, record["peak_mb"]))
    if not kept:
        return ""
    means = {key: np.mean(found, axis=0) for key, found in kept.items()}
    names = list(dict.fromkeys((criterion, model) for criterion, model, _ in means))
    picture = Picture(620, 320 + LEGEND * len(names), f"time against {metric}")
    seconds = [max(float(one[0]), 1e-4) for one in means.values()]
    x = Axis(min(seconds) / 1.3, max(seconds) * 1.3, 62, 600, logarithmic=True)
    y = Axis(*_range([float(one[1]) for one in means.values()]), 260, 16)
    better = "higher" if METRICS[metric].higher_is_better else "lower"
    picture.axes(x, y, "seconds to prepare, select, train and predict, mean over all cells",
                 f"{metric} ({better} is better)")  # fmt: skip
    for (criterion, model, n), (spent, value, peak) in means.items():
        at = names.index((criterion, model))
        tip = f"{criterion} + {model}, n = {n}: {value:.4f} in {spent:.3g} s, {peak:.0f} MB"
        picture.mark(x.at(max(spent, 1e-4)), y.at(value), at, tip)
    for at, (criterion, model) in enumerate(names):
        picture.mark(70, 318 + LEGEND * at, at, "")
        picture.text(82, 322 + LEGEND * at, f"{criterion} + {model}")
    return picture.markup()


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or max(abs(high) * 0.05, 0.01)
    return low - room, high + room


def _within(y: Axis, value: float) -> float:
    return y.at(min(max(value, y.low), y.high))
