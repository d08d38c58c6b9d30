"""The charts of a comparison as SVG: curves or dots, time against quality, average ranks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mlfs.compare.contest import Contest, method_names
from mlfs.compare.data_sources import unique_names
from mlfs.compare.report import svg
from mlfs.compare.report.svg import MAX_NAME, Axis, Picture, colour, dashes
from mlfs.compare.results import NO_ROWS, CsvRows, Results, Summary
from mlfs.metrics import METRICS

FLAT = "7 4"  # dashes of a method with a fixed number of features
MAX_NAMED = 60  # marks of a chart that get their names
MANY = 9  # lines whose bars would be a thicket
MANY_RANKS = 20  # of more, every fifth has a number
PIXELS_APART = 3.0  # between the bars of two methods
NAME_ROW, LETTER = 16.0, 6.4  # pixels of names beside a chart
LEFT, RIGHT, TOP, ROW = 190.0, 530.0, 58.0, 20.0  # of a diagram of ranks
MAX_FILE_NAME = 40  # characters of a part of the name of a file


class Mark(NamedTuple):
    """A mark, with a bar of one standard deviation to both sides if it is finite."""

    x: float
    y: float
    sd: float
    tip: str
    rows: str
    shape: int = 0


class Series(NamedTuple):
    """The marks of one method: a "curve", a "level" line, "marks", or "dots" with level bars."""

    method: int
    name: str
    points: Sequence[Mark]
    kind: str = "curve"
    shift: float = 0.0  # pixels to the right, so that bars stand side by side

    @property
    def dashes(self) -> str:
        """The dashes of its line."""
        return FLAT if self.kind == "level" else dashes(self.method)

    @property
    def ends(self) -> list[float]:
        """Ends of the bars, which must be seen on the axis along them, mostly the vertical one."""
        return [
            (point.x if self.kind == "dots" else point.y)
            + side * (point.sd if math.isfinite(point.sd) else 0.0)
            for point in self.points
            for side in (-1.0, 1.0)
        ]


def has_dots(results: Results) -> bool:
    """Whether every method has one number of features, so that there are no curves."""
    settings = results.settings
    return all(len(settings.sizes_of(ranker)) == 1 for ranker in settings.rankers)


def quality_charts(
    results: Results, rows: CsvRows = NO_ROWS, *, legend: bool = False
) -> Iterator[tuple[str, str, str, str]]:
    """Metric, model, data set and a chart of the quality, for all of them.

    Curves for each model; where no criterion has several numbers of features, dots of all methods.
    """
    settings = results.settings
    for metric in results.metrics:
        for model in [""] if has_dots(results) else map(str, settings.models):
            for source in settings.sources:
                chart = (
                    curve_chart(results, metric, source.name, model, rows, legend=legend)
                    if model
                    else dot_chart(results, metric, source.name, rows, legend=legend)
                )
                if chart:
                    yield metric, model, source.name, chart


def dot_chart(
    results: Results, metric: str, data: str, rows: CsvRows = NO_ROWS, *, legend: bool = False
) -> str:
    """The metric of each method, a row each and the best on top; empty if nothing is done."""
    methods, rankers = results.methods(), list(map(str, results.settings.rankers))
    names = dict(zip(methods, method_names(methods), strict=True))
    found = [
        (summary, names[key[1], key[2]], *key[1:])
        for key, summary in results.by_size(metric).items()
        if key[0] == data
    ]
    found.sort(key=lambda one: one[0].mean, reverse=not METRICS[metric].higher_is_better)
    points: dict[str, list[Mark]] = {ranker: [] for ranker in rankers}
    for height, (summary, name, ranker, model, n) in enumerate(found):
        numbers = rows.numbers([(metric, data, ranker, model, n)])
        points[ranker].append(Mark(summary.mean, height, summary.sd, _tip(name, summary), numbers))
    series = [
        Series(method, ranker, points[ranker], "dots")
        for method, ranker in enumerate(rankers)
        if points[ranker]
    ]
    if not series:
        return ""
    y = Axis(-0.7, len(found) - 0.3, marks=tuple((i, one[1]) for i, one in enumerate(found)))
    return _chart(f"{metric} on {data}", _with_room(series, metric), y, series, legend=legend)


def curve_chart(
    results: Results,
    metric: str,
    data: str,
    model: str,
    rows: CsvRows = NO_ROWS,
    *,
    legend: bool = False,
) -> str:
    """The metric against the number of features, a line for each criterion; empty if nothing."""
    lines = results.curves(metric, data, model)
    methods = {str(ranker): i for i, ranker in enumerate(results.settings.rankers)}
    series = []
    for i, (name, line) in enumerate(lines.items()):
        points = [
            Mark(
                summary.features,
                summary.mean,
                summary.sd,
                _tip(name, summary),
                rows.numbers([(metric, data, name, model, summary.n)]),
            )
            for summary in line
        ]
        if len(line) == 1 and line[0].n == "all":
            series.append(Series(methods[name], name, points, "level"))
        else:
            shift = PIXELS_APART * (i - (len(lines) - 1) / 2) if len(lines) < MANY else 0.0
            series.append(Series(methods[name], name, points, "curve", shift))
    if not series:
        return ""
    numbers = [point.x for one in series if one.kind == "curve" for point in one.points]
    low, high = min(numbers, default=0), max(numbers, default=1)
    room = (high - low) * 0.04 or 1
    low, high = low - room, high + room
    x = Axis(low, high, "number of features", svg.marks_at(numbers, low, high))
    title = f"{metric} of {model} on {data} by number of features"
    return _chart(title, x, _with_room(series, metric), series, legend=legend)


def cost_chart(
    results: Results, metric: str, model: str = "", rows: CsvRows = NO_ROWS, *, legend: bool = False
) -> str:
    """Time against quality, a mark for each method at each number of features; empty if nothing.

    The colour is the criterion's, the shape is the model's. Methods that have one mark each are
    named where they are. By default, the marks are of all models.
    """
    costs = results.costs(metric, model)
    if not costs:
        return ""
    settings = results.settings
    models = list(map(str, settings.models))
    shapes = models if len(settings.rankers) > 1 else []
    points: dict[str, list[Mark]] = {str(ranker): [] for ranker in settings.rankers}
    for (criterion, name, n), (spent, value, peak) in costs.items():
        tip = f"{criterion} + {name}, n = {n}: {value:.4f} in {spent:.3g} s, {peak:.0f} MB"
        keys = [(metric, source.name, criterion, name, n) for source in settings.sources]
        shape = models.index(name) if shapes else 0
        points[criterion].append(Mark(spent, value, math.nan, tip, rows.numbers(keys), shape))
    series = [
        Series(method, name, marks, "marks")
        for method, (name, marks) in enumerate(points.items())
        if marks
    ]
    names: list[tuple[str, float, float]] = []
    if has_dots(results) and len(costs) <= MAX_NAMED:
        methods = method_names([key[:2] for key in costs])
        names = [(name, *cost[:2]) for name, cost in zip(methods, costs.values(), strict=True)]
    seconds = [spent for spent, _, _ in costs.values()]
    about = "seconds to prepare, select, train and predict, mean over all cells"
    x = Axis(min(seconds) / 1.3, max(seconds) * 1.3, about, logarithmic=True)
    better = "higher" if METRICS[metric].higher_is_better else "lower"
    y = _with_room(series, f"{metric} ({better} is better)")
    return _chart(f"time against {metric}", x, y, series, shapes, names, legend=legend)


def _tip(name: str, summary: Summary) -> str:
    deviation = f" ± {summary.sd:.4f}" if math.isfinite(summary.sd) else ""
    return f"{name}, {summary.features:g} features: {summary.mean:.4f}{deviation}"


def _with_room(series: Sequence[Series], name: str) -> Axis:
    """The axis of what series show, with room at both ends."""
    ends = [end for one in series for end in one.ends]
    low, high = min(ends), max(ends)
    room = (high - low) * 0.08 or max(abs(high) * 0.05, 0.01)
    return Axis(low - room, high + room, name)


def _chart(
    title: str,
    x: Axis,
    y: Axis,
    series: Sequence[Series],
    shapes: Sequence[str] = (),
    names: Sequence[tuple[str, float, float]] = (),
    *,
    legend: bool = False,
) -> str:
    """Series in axes; `shapes` are named in the legend, `names` of marks at the right edge."""
    wide = bool(shapes or names)
    bottom = max(
        280.0 if wide else 0 if y.marks else 250.0, 14.0 + NAME_ROW * max(len(names), len(y.marks))
    )
    longest = max((len(words) for _, words in y.marks), default=0)
    left = 62.0 if wide else 58.0 if not longest else 16 + LETTER * min(longest, MAX_NAME)
    right = 530.0 if names else 690.0 if wide else 388.0
    image = Picture(720 if wide else 400, bottom + 50, title)
    x, y = replace(x, start=left, end=right), replace(y, start=bottom, end=12.0)
    image.axes(x, y)
    _names(image, x, y, sorted(names, key=lambda one: one[2]))
    for one in series:
        ends = f'data-low="{min(one.ends)!r}" data-high="{max(one.ends)!r}"'
        with image.group(f'class="series" data-series="{one.method}" {ends}'):
            _series(image, x, y, one)
    if legend and (len(series) > 1 or shapes or not (names or y.marks)):
        image.legend([(one.name, colour(one.method), one.dashes) for one in series], shapes)
    return image.markup()


def _names(image: Picture, x: Axis, y: Axis, names: Sequence[tuple[str, float, float]]) -> None:
    """The names of marks, the lowest first, at the right edge with a fine line to each."""
    places = [(x.position(at), y.position(height)) for _, at, height in names]
    heights = svg.spread([-height for _, height in places], NAME_ROW, -y.start, -y.end)
    for (name, *_), place, height in zip(names, places, heights, strict=True):
        edge = [place, (x.end + 4, -height), (x.end + 10, -height)]
        image.line(edge, stroke_opacity=0.25, stroke_width=0.8)
        image.text(x.end + 13, 4 - height, svg.cut(name))


def _series(image: Picture, x: Axis, y: Axis, series: Series) -> None:
    hue, heights = colour(series.method), [y.position(point.y) for point in series.points]
    positions = [x.position(point.x) + series.shift for point in series.points]
    if series.kind == "level":
        positions = [x.end - 3]
        ends = [(x.start, heights[0]), (x.end, heights[0])]
        image.line(ends, hue, stroke_width=2.4, stroke_dasharray=series.dashes)
    if series.kind == "curve":
        path = zip(positions, heights, strict=True)
        image.line(path, hue, stroke_width=2, stroke_dasharray=series.dashes)
    for position, height, point in zip(positions, heights, series.points, strict=True):
        if math.isfinite(point.sd):
            sides = (-point.sd, point.sd)
            ends = [(position, y.position(point.y + side)) for side in sides]
            if series.kind == "dots":
                ends = [(x.position(point.x + side), height) for side in sides]
            bar = {"stroke_width": 1.2, "stroke_opacity": 0.7, "class": "sd"}
            image.line(ends, hue, **bar)
        image.mark(position, height, hue, point.tip, point.shape, point.rows)


def rank_chart(contest: Contest) -> str:
    """Average ranks, with the critical difference after Demsar or why there is none.

    Empty for less than two methods, or less than two data sets on which all of them have a value.
    """
    average, k = contest.average_ranks, contest.ranked.size
    if min(k, contest.complete.size) < 2:
        return ""
    doubt = contest.doubt_of_differences
    half, groups = (k + 1) // 2, [] if doubt else contest.groups
    title = "average ranks" if doubt else "average ranks with critical difference"
    image = Picture(720, 104 + ROW * half + 9 * len(groups), title)
    x = Axis(1, k, start=LEFT, end=RIGHT)
    image.line([(LEFT, TOP), (RIGHT, TOP)], stroke_width=1.5)
    for rank in range(1, k + 1):
        image.line([(x.position(rank), TOP - 6), (x.position(rank), TOP)], stroke_width=1)
        if k <= MANY_RANKS or rank % 5 == 0:
            image.text(x.position(rank), TOP - 11, str(rank), "middle")
    if doubt:
        image.text((LEFT + RIGHT) / 2, 24, doubt, "middle")
    else:
        end = x.position(1 + min(contest.nemenyi, k - 1))
        image.line([(LEFT, 20), (end, 20)], stroke_width=3)
        image.text(end + 8, 24, f"critical difference (Nemenyi, 0.05) {contest.nemenyi:.3f}")
    for i, group in enumerate(groups):
        low, high = x.position(average[group[0]]) - 4, x.position(average[group[-1]]) + 4
        image.line([(low, TOP + 8 + 9 * i), (high, TOP + 8 + 9 * i)], stroke_width=4)
    base = TOP + 24 + 9 * len(groups)
    for i, j in enumerate(np.argsort(average, kind="stable").tolist()[:k]):
        side = -1 if i < half else 1
        height = base + ROW * (i if i < half else k - 1 - i)
        end, at = (LEFT - 14 if i < half else RIGHT + 14), x.position(average[j])
        image.line([(at, TOP), (at, height), (end, height)], stroke_width=1)
        name = f"{contest.methods[j]} {average[j]:.2f}"
        image.text(end + 4 * side, height + 4, name, "end" if i < half else "start")
    return image.markup()


def figures(results: Results, compared: Sequence[Contest]) -> Iterator[tuple[str, str]]:
    """The name and the content of each file of a chart, with its legend."""
    charts: dict[tuple[str, ...], str] = {
        ("curve", metric, model, data) if model else ("dots", metric, data): chart
        for metric, model, data, chart in quality_charts(results, legend=True)
    }
    charts |= {("time", name): cost_chart(results, name, legend=True) for name in results.metrics}
    charts |= {("ranks", c.metric, c.n, c.model or "all"): rank_chart(c) for c in compared}
    drawn = {parts: chart for parts, chart in charts.items() if chart}
    for name, chart in zip(file_names(drawn), drawn.values(), strict=True):
        yield f"{name}.svg", f"{chart}\n"


def file_names(texts: Iterable[Sequence[str]]) -> Iterator[str]:
    """Names of files made of some parts, on every system.

    Examples
    --------
    >>> list(file_names([("a", "b"), ("A", "b/c")]))
    ['a-b', 'A-b_c']
    """
    return unique_names("-".join(map(_plain, parts)) for parts in texts)


def _plain(text: str) -> str:
    """A text as part of the name of a file on every system."""
    return re.sub(r"[^A-Za-z0-9_.]+", "_", text)[:MAX_FILE_NAME].strip("._") or "x"
