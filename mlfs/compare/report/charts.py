"""The figures of a comparison: curves, critical differences, time against quality."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.metrics import METRICS
from mlfs.compare.report.csv_rows import CsvRows
from mlfs.compare.report.drawing import (
    Chart,
    Diagram,
    Point,
    Range,
    Series,
    Stroke,
    Word,
    with_room,
)
from mlfs.compare.results import Results, Summary, seconds_of

__all__ = ["MANY", "cost_chart", "curve_chart", "curves_of", "rank_chart"]

MANY = 9  # lines whose bars would be a thicket
MANY_RANKS = 20  # of more, every fifth has a number
APART = 3.0  # pixels between the bars of two methods
LEFT, RIGHT, TOP, ROW = 190.0, 530.0, 58.0, 20.0  # of a diagram of ranks


def curve_chart(
    results: Results, metric: str, data: str, model: str, rows: CsvRows | None = None
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

    def rows_of(name: str, n: str) -> str:
        return "" if rows is None else rows.numbers([(metric, data, name, model, n)])

    title = f"{metric} of {model} on {data} by number of features"
    return curves_of(lines, metric, title, positions, rows_of) if lines else None


def curves_of(
    lines: Mapping[str, Sequence[Summary]],
    metric: str,
    title: str,
    positions: Mapping[str, int],
    rows_of: Callable[[str, str], str] | None = None,
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
    rows_of : callable, optional
        The rows of results.csv of a criterion at a number of features.
    """
    series = []
    for i, (name, line) in enumerate(lines.items()):
        flat = len(line) == 1 and line[0].n == "all"
        points = tuple(
            Point(
                summary.features,
                summary.mean,
                summary.sd,
                _tip(name, summary),
                "" if rows_of is None else rows_of(name, summary.n),
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
    return Chart(
        title,
        Range(low - room, high + room, "number of features"),
        with_room([end for line in series for end in line.ends], metric),
        tuple(series),
    )


def _tip(name: str, summary: Summary) -> str:
    spread = f" ± {summary.sd:.4f}" if math.isfinite(summary.sd) else ""
    return f"{name}, {summary.features:g} features: {summary.mean:.4f}{spread}"


def rank_chart(contest: Contest) -> Diagram | None:
    """A critical-difference diagram after Demsar; None if there are too few data sets."""
    if contest.doubt:
        return None
    average, k = contest.average_ranks, contest.ranked.size
    half, bars = (k + 1) // 2, contest.groups

    def x_of(rank: float) -> float:
        return LEFT + (rank - 1) / (k - 1) * (RIGHT - LEFT)

    strokes = [Stroke(((LEFT, TOP), (RIGHT, TOP)), 1.5)]
    words = []
    for rank in range(1, k + 1):
        strokes.append(Stroke(((x_of(rank), TOP - 6), (x_of(rank), TOP))))
        if k <= MANY_RANKS or rank % 5 == 0:
            words.append(Word(x_of(rank), TOP - 11, str(rank), "middle"))
    length = min(contest.nemenyi, k - 1) / (k - 1) * (RIGHT - LEFT)
    strokes.append(Stroke(((LEFT, 20), (LEFT + length, 20)), 3))
    legend = f"critical difference (Nemenyi, 0.05) {contest.nemenyi:.3f}"
    words.append(Word(LEFT + length + 8, 24, legend))
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
            Word(end + (-4 if on_left else 4), height + 4, name, "end" if on_left else "start")
        )
    height = 104 + ROW * half + 9 * len(bars)
    title = "average ranks with critical difference"
    return Diagram(title, 720, height, tuple(strokes), tuple(words))


def cost_chart(
    results: Results, metric: str, model: str = "", rows: CsvRows | None = None
) -> Chart | None:
    """Time against quality, a mark for each method at each number of features; None if nothing.

    The colour is the criterion's, the shape is the model's.

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
    names = [source.name for source in results.settings.sources]
    series = []
    for method, name in enumerate(map(str, results.settings.rankers)):
        points = []
        for (criterion, model_name, n), (spent, value, peak) in means.items():
            if criterion != name:
                continue
            tip = f"{name} + {model_name}, n = {n}: {value:.4f} in {spent:.3g} s, {peak:.0f} MB"
            keys = [(metric, data, name, model_name, n) for data in names]
            row_numbers = "" if rows is None else rows.numbers(keys)
            points.append(
                Point(max(spent, 1e-4), value, math.nan, tip, row_numbers, models.index(model_name))
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
        tuple(models),
    )
