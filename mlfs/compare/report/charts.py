"""The figures of a report: curves, critical differences, time against quality."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.metrics import METRICS
from mlfs.compare.report.svg import INK, Axis, Picture, colour, dash
from mlfs.compare.results import Results, Summary, seconds_of

__all__ = ["cost_chart", "curve_chart", "rank_chart", "sample", "sample_mark"]

MANY = 9  # lines whose bars would be a thicket

FLAT = "7 4"  # the dashes of a method with a fixed number of features
APART = 3.0  # pixels between the bars of two methods
LEGEND = 18
MANY_RANKS = 20  # of more, every fifth has a number
COLUMNS = 3


def curve_chart(
    results: Results, metric: str, data: str, model: str, *, legend: bool = False
) -> str:
    """The metric against the number of features, a line for each criterion; empty if nothing.

    Parameters
    ----------
    results : Results
        A comparison.
    metric, data, model : str
        Of which the curves are.
    legend : bool
        Whether the names of the criteria are in the picture.
    """
    lines = results.curves(metric, data, model)
    if not lines:
        return ""
    at = {str(one): i for i, one in enumerate(results.settings.rankers)}
    flat = {name for name, line in lines.items() if line[0].n == "all"}
    picture = Picture(400, 300, f"{metric} of {model} on {data} by number of features")
    y = Axis(*_range([end for line in lines.values() for end in _ends(line)]), 250, 12)
    numbers = [one.features for name in lines if name not in flat for one in lines[name]]
    x = Axis(min(numbers, default=0), max(numbers, default=1), 58, 388)
    room = (x.high - x.low) * 0.04 or 1
    x = Axis(x.low - room, x.high + room, 58, 388)
    picture.axes(x, y, "number of features", metric)
    for place, (name, line) in enumerate(lines.items()):
        shift = APART * (place - (len(lines) - 1) / 2) if len(lines) < MANY else 0.0
        with picture.series(at[name], _ends(line)):
            if name in flat:
                _flat(picture, x, y, line[0], at[name], name)
            else:
                _curve(picture, x, y, line, at[name], name, shift)
    if legend:
        _legend(picture, [(at[name], name, name in flat) for name in lines])
    return picture.markup()


def _flat(picture: Picture, x: Axis, y: Axis, one: Summary, at: int, name: str) -> None:
    height = y.at(one.mean)
    style = {"stroke_width": 2.4, "stroke_dasharray": FLAT}
    picture.line([(x.start, height), (x.end, height)], colour(at), **style)
    _bar(picture, y, x.end - 3, one, at)
    picture.mark(x.end - 3, height, colour(at), _tip(name, one))


def _curve(
    picture: Picture,
    x: Axis,
    y: Axis,
    line: Sequence[Summary],
    at: int,
    name: str,
    shift: float,
) -> None:
    points = [(x.at(one.features) + shift, y.at(one.mean)) for one in line]
    picture.line(points, colour(at), stroke_width=2, stroke_dasharray=dash(at))
    for (left, top), one in zip(points, line, strict=True):
        _bar(picture, y, left, one, at)
        picture.mark(left, top, colour(at), _tip(name, one))


def _bar(picture: Picture, y: Axis, left: float, one: Summary, at: int) -> None:
    """One standard deviation to both sides."""
    if math.isfinite(one.sd):
        ends = [(left, y.at(one.mean - one.sd)), (left, y.at(one.mean + one.sd))]
        picture.line(ends, colour(at), stroke_width=1.2, stroke_opacity=0.7, **{"class": "sd"})


def _tip(name: str, one: Summary) -> str:
    spread = f" ± {one.sd:.4f}" if math.isfinite(one.sd) else ""
    return f"{name}, {one.features:g} features: {one.mean:.4f}{spread}"


def _ends(line: Sequence[Summary]) -> list[float]:
    """The ends of the bars of a line."""
    spread = [one.sd if math.isfinite(one.sd) else 0.0 for one in line]
    return [one.mean + way * sd for one, sd in zip(line, spread, strict=True) for way in (-1, 1)]


def _legend(
    picture: Picture, entries: Sequence[tuple[int, str, bool]], models: Sequence[str] = ()
) -> None:
    """Names below a picture, in columns: the lines of criteria, then the marks of models."""
    wide = (picture.width - 58) / COLUMNS
    top = picture.height + 8
    longest = int((wide - 34) / 6.5)
    for place, name in enumerate([*(one[1] for one in entries), *models]):
        left, height = 58 + wide * (place % COLUMNS), top + LEGEND * (place // COLUMNS)
        if place < len(entries):
            at, _, flat = entries[place]
            style = FLAT if flat else dash(at)
            ends = [(left, height), (left + 24, height)]
            picture.line(ends, colour(at), stroke_width=2, stroke_dasharray=style)
        else:
            picture.mark(left + 12, height, INK, shape=place - len(entries))
        shown = name if len(name) <= longest else name[: longest - 1] + "…"
        picture.text(left + 29, height + 4, shown)
    picture.height = top + LEGEND * math.ceil((len(entries) + len(models)) / COLUMNS)


def sample(results: Results, at: int) -> str:
    """A short line as the criterion has it in every chart, for a legend."""
    ranker = results.settings.rankers[at]
    flat = str(results.settings.sizes_of(ranker)[0]) == "all"
    picture = Picture(28, 12, str(ranker))
    style = {"stroke_width": 2.4 if flat else 2, "stroke_dasharray": FLAT if flat else dash(at)}
    picture.line([(1, 6), (27, 6)], colour(at), **style)
    return picture.markup()


def sample_mark(at: int, name: str) -> str:
    """The mark of a model, for a legend."""
    picture = Picture(14, 12, name)
    picture.mark(7, 6, INK, shape=at)
    return picture.markup()


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
    picture.line([(x.start, 58), (x.end, 58)], INK, stroke_width=1.5)
    for rank in range(1, k + 1):
        picture.line([(x.at(rank), 52), (x.at(rank), 58)], INK)
        if k <= MANY_RANKS or rank % 5 == 0:
            picture.text(x.at(rank), 47, str(rank), "middle")
    length = min(contest.nemenyi, k - 1) / max(k - 1, 1) * (x.end - x.start)
    picture.line([(x.start, 20), (x.start + length, 20)], INK, stroke_width=3)
    picture.text(x.start + length + 8, 24, f"critical difference (Nemenyi, 0.05) "
                                           f"{contest.nemenyi:.3f}")  # fmt: skip
    for at, group in enumerate(bars):
        low, high = average[group[0]], average[group[-1]]
        height = 66 + 9 * at
        picture.line([(x.at(low) - 4, height), (x.at(high) + 4, height)], INK, stroke_width=4)
    base = 82 + 9 * len(bars)
    for place, j in enumerate(order.tolist()):
        left = place < half
        height = base + row * (place if left else k - 1 - place)
        end = x.start - 14 if left else x.end + 14
        picture.line([(x.at(average[j]), 58), (x.at(average[j]), height), (end, height)], INK)
        words = f"{contest.methods[j]} {average[j]:.2f}"
        picture.text(end + (-4 if left else 4), height + 4, words, "end" if left else "start")
    return picture.markup()


def cost_chart(results: Results, metric: str, model: str = "", *, legend: bool = False) -> str:
    """Time against quality, a mark for each method at each number of features; empty if nothing.

    The colour is the criterion's, the shape is the model's.

    Parameters
    ----------
    results : Results
        A comparison.
    metric : str
        Its name.
    model : str
        Only this one; by default all.
    legend : bool
        Whether the names of criteria and models are in the picture.
    """
    kept: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
    for record in results.records:
        value, cell = record.get("metrics", {}).get(metric), record["cell"]
        if value is not None and model in {"", cell["model"]}:
            key = (cell["criterion"], cell["model"], cell["n"])
            kept.setdefault(key, []).append((seconds_of(record), value, record["peak_mb"]))
    if not kept:
        return ""
    means = {key: np.mean(found, axis=0) for key, found in kept.items()}
    picture = Picture(720, 330, f"time against {metric}")
    seconds = [max(float(one[0]), 1e-4) for one in means.values()]
    x = Axis(min(seconds) / 1.3, max(seconds) * 1.3, 62, 690, logarithmic=True)
    y = Axis(*_range([float(one[1]) for one in means.values()]), 280, 12)
    better = "higher" if METRICS[metric].higher_is_better else "lower"
    picture.axes(x, y, "seconds to prepare, select, train and predict, mean over all cells",
                 f"{metric} ({better} is better)")  # fmt: skip
    shapes = {str(one): at for at, one in enumerate(results.settings.models)}
    for at, name in enumerate(map(str, results.settings.rankers)):
        mine = {key: found for key, found in means.items() if key[0] == name}
        if not mine:
            continue
        with picture.series(at, [float(found[1]) for found in mine.values()]):
            for (_, of, n), (spent, value, peak) in mine.items():
                tip = f"{name} + {of}, n = {n}: {value:.4f} in {spent:.3g} s, {peak:.0f} MB"
                picture.mark(x.at(max(spent, 1e-4)), y.at(value), colour(at), tip, shapes[of])
    if legend:
        names = [str(one) for one in results.settings.rankers]
        _legend(picture, [(at, name, False) for at, name in enumerate(names)], tuple(shapes))
    return picture.markup()


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or max(abs(high) * 0.05, 0.01)
    return low - room, high + room
