"""The figures of a comparison: curves, critical differences, time against quality.

What a figure shows, in numbers: the page draws it as SVG, `mlfs.plots` with matplotlib.

Colours, dashes, marks and the places of lines are decided here, ranges and ticks in axes.py;
figures.py and `mlfs.data.drawing` only draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mlfs.compare.contest import Contest, method_names
from mlfs.compare.report.axes import Range, marks_at, with_room
from mlfs.compare.results import NO_ROWS, CsvRows, Results, Summary, seconds_of
from mlfs.data.drawing import Diagram, Lettering, Stroke
from mlfs.metrics import METRICS

# Okabe & Ito: distinguishable for colour-blind readers; dashes and marks distinguish more methods
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8B6F00")
DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (2, 2), (8, 3, 2, 3))
FLAT = (7.0, 4.0)  # of a method with a fixed number of features


def colour(method: int) -> str:
    """The colour of a method: eight hues, then the same lighter, then darker.

    Examples
    --------
    >>> colour(0), colour(8), colour(16), colour(24)
    ('#0072B2', '#73b1d5', '#00446b', '#0072B2')
    """
    hue, turn = COLOURS[method % len(COLOURS)], method // len(COLOURS) % 3
    if not turn:
        return hue
    parts = [int(hue[i : i + 2], 16) for i in (1, 3, 5)]
    mixed = [round(0.55 * part + 0.45 * 255) if turn == 1 else round(0.6 * part) for part in parts]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def dashes(method: int) -> tuple[float, ...]:
    """The dashes of the line of a method, as lengths in pixels; none for a whole line."""
    return DASHES[method // len(COLOURS) % len(DASHES)]


@dataclass(frozen=True)
class Mark:
    """A mark, with a bar of one standard deviation to both sides if it is finite.

    Parameters
    ----------
    x, y, sd : float
        Where it stands.
    tip : str
        What is said of it.
    rows : str
        Its rows in results.csv.
    shape : int
        Which of `MARKS`.
    """

    x: float
    y: float
    sd: float = math.nan
    tip: str = ""
    rows: str = ""
    shape: int = 0


@dataclass(frozen=True)
class Series:
    """The marks of one method.

    Parameters
    ----------
    method : int
        Which method: decides colour and dashes.
    name : str
        What it is called in a legend.
    points : tuple of Mark
        From left to right.
    kind : {"curve", "level", "marks", "dots"}
        A line through the points, a level line at the first, only marks, or marks with level bars.
    shift : float
        So many pixels to the right, so that bars stand side by side.
    """

    method: int
    name: str
    points: tuple[Mark, ...]
    kind: str = "curve"
    shift: float = 0.0

    @property
    def colour(self) -> str:
        """Its colour."""
        return colour(self.method)

    @property
    def dashes(self) -> tuple[float, ...]:
        """The dashes of its line."""
        return FLAT if self.kind == "level" else dashes(self.method)

    @property
    def width(self) -> float:
        """The width of its line in pixels."""
        return 2.4 if self.kind == "level" else 2.0

    @property
    def ends(self) -> list[float]:
        """The range that must be seen on the axis of the bars, which is mostly the vertical one."""
        return [
            (point.x if self.kind == "dots" else point.y)
            + side * (point.sd if math.isfinite(point.sd) else 0.0)
            for point in self.points
            for side in (-1, 1)
        ]


@dataclass(frozen=True)
class Chart:
    """Series in axes.

    Parameters
    ----------
    title : str
        What it shows, for those who cannot see it.
    x, y : Range
        The axes.
    series : tuple of Series
        In the order of the legend.
    shapes : tuple of str
        What the marks of these shapes are called, where shapes differ.
    names : tuple of (str, float, float)
        Names of marks and where these stand, from the lowest up; written at the right edge.
    """

    title: str
    x: Range
    y: Range
    series: tuple[Series, ...]
    shapes: tuple[str, ...] = ()
    names: tuple[tuple[str, float, float], ...] = ()

    @property
    def inches(self) -> tuple[float, float]:
        """The width and the height with room for all names, on paper."""
        least = (7.5, 4.0) if self.shapes or self.names else (5.0, 3.6)
        return least[0], max(least[1], 1 + max(len(self.names) / 7, len(self.y.marks) / 5))


NAMED = 60  # marks of a chart that get their names
MANY = 9  # lines whose bars would be a thicket
MANY_RANKS = 20  # of more, every fifth has a number
APART = 3.0  # pixels between the bars of two methods
LEFT, RIGHT, TOP, ROW = 190.0, 530.0, 58.0, 20.0  # of a diagram of ranks


def quality_charts(
    results: Results, rows: CsvRows = NO_ROWS
) -> Iterator[tuple[str, str, str, Chart]]:
    """Metric, model, data set and a chart of the quality, for all of them.

    Curves for each model; where no criterion has several numbers of features, dots of all methods.
    """
    settings = results.settings
    for metric in results.metrics:
        for model in [""] if _is_single(results) else map(str, settings.models):
            for source in settings.sources:
                chart = (
                    curve_chart(results, metric, source.name, model, rows)
                    if model
                    else dot_chart(results, metric, source.name, rows)
                )
                if chart is not None:
                    yield metric, model, source.name, chart


def _is_single(results: Results) -> bool:
    """Whether every method has one number of features."""
    settings = results.settings
    return all(len(settings.sizes_of(ranker)) == 1 for ranker in settings.rankers)


def dot_chart(results: Results, metric: str, data: str, rows: CsvRows = NO_ROWS) -> Chart | None:
    """The metric of each method, a row each and the best on top; None if nothing.

    Parameters
    ----------
    results : Results
        A comparison of methods with one number of features each.
    metric, data : str
        Of which the dots are.
    rows : CsvRows, optional
        Where the numbers stand in results.csv.
    """
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
    series = tuple(
        Series(method, ranker, tuple(points[ranker]), "dots")
        for method, ranker in enumerate(rankers)
        if points[ranker]
    )
    if not series:
        return None
    return Chart(
        f"{metric} on {data}",
        with_room([end for line in series for end in line.ends], metric),
        Range(-0.7, len(found) - 0.3, marks=tuple((i, one[1]) for i, one in enumerate(found))),
        series,
    )


def curve_chart(
    results: Results, metric: str, data: str, model: str, rows: CsvRows = NO_ROWS
) -> Chart | None:
    """The metric against the number of features, a line for each criterion; None if nothing.

    Parameters
    ----------
    results : Results
        A comparison.
    metric, data, model : str
        Of which the curves are.
    rows : CsvRows, optional
        Where the numbers stand in results.csv.
    """
    lines = results.curves(metric, data, model)
    positions = {str(ranker): i for i, ranker in enumerate(results.settings.rankers)}
    title = f"{metric} of {model} on {data} by number of features"
    return curves_of(lines, metric, title, positions, rows, (data, model)) if lines else None


def curves_of(
    lines: Mapping[str, Sequence[Summary]],
    metric: str,
    title: str,
    positions: Mapping[str, int],
    rows: CsvRows = NO_ROWS,
    of: tuple[str, str] = ("", ""),
) -> Chart:
    """The chart of lines by criterion.

    Parameters
    ----------
    lines : mapping of str to sequence of Summary
        By criterion, the summary of each number of features, ascending.
    metric, title : str
        What the lines are of.
    positions : mapping of str to int
        The place of each criterion, which decides its colour.
    rows : CsvRows, optional
        Where the numbers stand in results.csv.
    of : (str, str)
        The data set and the model there.
    """
    series = []
    for i, (name, line) in enumerate(lines.items()):
        flat = len(line) == 1 and line[0].n == "all"
        points = tuple(
            Mark(
                summary.features,
                summary.mean,
                summary.sd,
                _tip(name, summary),
                rows.numbers([(metric, of[0], name, of[1], summary.n)]),
            )
            for summary in line
        )
        offset = APART * (i - (len(lines) - 1) / 2) if len(lines) < MANY else 0.0
        series.append(
            Series(
                positions[name], name, points, "level" if flat else "curve", 0.0 if flat else offset
            )
        )
    numbers = [point.x for line in series if line.kind == "curve" for point in line.points]
    low, high = min(numbers, default=0), max(numbers, default=1)
    room = (high - low) * 0.04 or 1
    low, high = low - room, high + room
    return Chart(
        title,
        Range(low, high, "number of features", marks=marks_at(numbers, low, high)),
        with_room([end for line in series for end in line.ends], metric),
        tuple(series),
    )


def _tip(name: str, summary: Summary) -> str:
    spread = f" ± {summary.sd:.4f}" if math.isfinite(summary.sd) else ""
    return f"{name}, {summary.features:g} features: {summary.mean:.4f}{spread}"


def rank_chart(contest: Contest) -> Diagram | None:
    """Average ranks, with the critical difference after Demsar or why there is none.

    None of less than two methods, or less than two data sets on which all of them have a value.
    """
    average, k = contest.average_ranks, contest.ranked.size
    if min(k, contest.complete.size) < 2:
        return None
    doubt = contest.doubt_of_differences
    half, bars = (k + 1) // 2, [] if doubt else contest.groups

    def x_of(rank: float) -> float:
        return LEFT + (rank - 1) / (k - 1) * (RIGHT - LEFT)

    strokes = [Stroke(((LEFT, TOP), (RIGHT, TOP)), 1.5)]
    words = []
    for rank in range(1, k + 1):
        strokes.append(Stroke(((x_of(rank), TOP - 6), (x_of(rank), TOP))))
        if k <= MANY_RANKS or rank % 5 == 0:
            words.append(Lettering(x_of(rank), TOP - 11, str(rank), "middle"))
    if doubt:
        words.append(Lettering((LEFT + RIGHT) / 2, 24, doubt, "middle"))
    else:
        length = min(contest.nemenyi, k - 1) / (k - 1) * (RIGHT - LEFT)
        strokes.append(Stroke(((LEFT, 20), (LEFT + length, 20)), 3))
        legend = f"critical difference (Nemenyi, 0.05) {contest.nemenyi:.3f}"
        words.append(Lettering(LEFT + length + 8, 24, legend))
    for i, group in enumerate(bars):
        low, high = x_of(average[group[0]]), x_of(average[group[-1]])
        strokes.append(Stroke(((low - 4, TOP + 8 + 9 * i), (high + 4, TOP + 8 + 9 * i)), 4))
    base = TOP + 24 + 9 * len(bars)
    for i, j in enumerate(np.argsort(average, kind="stable").tolist()[:k]):
        on_left = i < half
        height = base + ROW * (i if on_left else k - 1 - i)
        end, rank_x = LEFT - 14 if on_left else RIGHT + 14, x_of(average[j])
        strokes.append(Stroke(((rank_x, TOP), (rank_x, height), (end, height))))
        name = f"{contest.methods[j]} {average[j]:.2f}"
        words.append(
            Lettering(end + (-4 if on_left else 4), height + 4, name, "end" if on_left else "start")
        )
    height = 104 + ROW * half + 9 * len(bars)
    title = "average ranks" if doubt else "average ranks with critical difference"
    return Diagram(title, 720, height, tuple(strokes), tuple(words))


def cost_chart(
    results: Results, metric: str, model: str = "", rows: CsvRows = NO_ROWS
) -> Chart | None:
    """Time against quality, a mark for each method at each number of features; None if nothing.

    The colour is the criterion's, the shape is the model's. Methods that have one mark each are
    named where they are.

    Parameters
    ----------
    results : Results
        A comparison.
    metric : str
        Its name.
    model : str
        Only this one; by default all.
    rows : CsvRows, optional
        Where the numbers stand in results.csv.
    """
    costs: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
    for record in results.records:
        value, cell = record.get("metrics", {}).get(metric), record["cell"]
        if value is not None and model in {"", cell["model"]}:
            key = (cell["criterion"], cell["model"], cell["n"])
            costs.setdefault(key, []).append((seconds_of(record), value, record["peak_mb"]))
    if not costs:
        return None
    means = {
        key: [float(value) for value in np.mean(values, axis=0)] for key, values in costs.items()
    }
    models = [str(model) for model in results.settings.models]
    several = len(results.settings.rankers) > 1
    names = [source.name for source in results.settings.sources]
    series = []
    for method, name in enumerate(map(str, results.settings.rankers)):
        points = []
        for (criterion, model_name, n), (spent, value, peak) in means.items():
            if criterion != name:
                continue
            tip = f"{name} + {model_name}, n = {n}: {value:.4f} in {spent:.3g} s, {peak:.0f} MB"
            keys = [(metric, data, name, model_name, n) for data in names]
            row_numbers = rows.numbers(keys)
            points.append(
                Mark(
                    max(spent, 1e-4),
                    value,
                    math.nan,
                    tip,
                    row_numbers,
                    models.index(model_name) * several,
                )
            )
        series += [Series(method, name, tuple(points), "marks")] if points else []
    seconds = [point.x for line in series for point in line.points]
    better = "higher" if METRICS[metric].higher_is_better else "lower"
    spent_on = "seconds to prepare, select, train and predict, mean over all cells"
    return Chart(
        f"time against {metric}",
        Range(min(seconds) / 1.3, max(seconds) * 1.3, spent_on, logarithmic=True),
        with_room([end for line in series for end in line.ends], f"{metric} ({better} is better)"),
        tuple(series),
        tuple(models) if several else (),
        _names_of_marks(results, means),
    )


def _names_of_marks(
    results: Results, means: Mapping[tuple[str, str, str], Sequence[float]]
) -> tuple[tuple[str, float, float], ...]:
    """The names of methods at their marks, the lowest first; none of many, or of curves."""
    if not _is_single(results) or len(means) > NAMED:
        return ()
    names = method_names([key[:2] for key in means])
    marks = ((max(spent, 1e-4), value) for spent, value, _ in means.values())
    named = [(name, *mark) for name, mark in zip(names, marks, strict=True)]
    return tuple(sorted(named, key=lambda one: one[2]))
