"""Pictures of a comparison: curves, time against quality, average ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.compare.contest import Contest, contests, method_names
from mlfs.compare.report.charts import has_dots
from mlfs.compare.report.svg import colour, dashes, log_ticks, marks_at, spread
from mlfs.compare.results import Results
from mlfs.errors import DataError, UsageError, check_name
from mlfs.metrics import METRICS
from mlfs.plots.axes import axes_for

MARKERS = "os^DXPv<>"  # of models
SUBJECT = "a picture of a comparison"


def curves(
    results: Results, metric: str, data: str | None = None, model: str | None = None, ax: Any = None
) -> Any:
    """Draw a metric against the number of features, a line for each criterion.

    Parameters
    ----------
    results : Results
        A comparison.
    metric : str
        Its name.
    data, model : str, optional
        Of which data set and model; the first ones by default.
    ax : matplotlib Axes, optional
        Where to draw; the current axes of pyplot by default.

    Returns
    -------
    matplotlib Axes
    """
    names = [source.name for source in results.settings.sources]
    models = list(map(str, results.settings.models))
    data, model = data or names[0], model or models[0]
    check_name(data, "data set of the comparison", names)
    check_name(model, "model of the comparison", models)
    lines = results.curves(metric, data, model)
    if not lines:
        raise DataError(f"no cell of {data} with {model} is done yet")
    ax = axes_for(ax, SUBJECT, (7.0, 4.0))
    from matplotlib.transforms import offset_copy

    rankers = list(map(str, results.settings.rankers))
    for i, (name, line) in enumerate(lines.items()):
        method = rankers.index(name)
        style = {"color": colour(method), "linestyle": _dashes(method)}
        x, y, sd = np.array([(one.features, one.mean, one.sd) for one in line]).T
        bars = {"yerr": np.nan_to_num(sd), "marker": "o", "ms": 5, "elinewidth": 1}
        if len(line) == 1 and line[0].n == "all":
            ax.axhline(y[0], label=f"{name} ({x[0]:g} features)", **style)
            edge = ax.get_yaxis_transform()
            ax.errorbar([0.99], y, **bars, **style, transform=edge)
        else:
            drawn = ax.errorbar(x, y, **bars, **style, label=name)
            shift = 2.5 * (i - (len(lines) - 1) / 2)  # bars stand side by side
            for part in drawn.get_children():
                part.set_transform(offset_copy(ax.transData, ax.figure, shift, units="points"))
    tried = [one.features for line in lines.values() for one in line if one.n != "all"]
    marks = marks_at(tried, min(tried, default=0), max(tried, default=1))
    ax.set_xticks([number for number, _ in marks], [words for _, words in marks])
    ax.set_xlabel("number of features")
    ax.set_ylabel(metric)
    ax.set_title(f"{data}, {model}", parse_math=False)
    ax.legend(fontsize=8)
    return ax


def costs(results: Results, metric: str, model: str = "", ax: Any = None) -> Any:
    """Draw time against quality, a mark for each method at each number of features.

    The colour is the criterion's, the form is the model's.

    Parameters
    ----------
    results : Results
        A comparison.
    metric : str
        Its name.
    model : str
        Only this one; by default all.
    ax : matplotlib Axes, optional
        Where to draw; the current axes of pyplot by default.

    Returns
    -------
    matplotlib Axes
    """
    check_name(metric, "metric", METRICS)
    models, rankers = (
        list(map(str, one)) for one in (results.settings.models, results.settings.rankers)
    )
    if model:
        check_name(model, "model of the comparison", models)
    found = results.costs(metric, model)
    if not found:
        raise DataError(f"no cell with {metric} is done yet")
    ax = axes_for(ax, SUBJECT, (7.5, 4.0))
    for (criterion, name, _), (seconds, value, _) in found.items():
        hue = colour(rankers.index(criterion))
        marker = MARKERS[models.index(name) * (len(rankers) > 1) % len(MARKERS)]
        ax.scatter(seconds, value, color=hue, marker=marker, s=30)
    ax.set_xscale("log")
    marks = log_ticks(*ax.get_xlim())
    ax.set_xticks(marks, [f"{mark:.4g}" for mark in marks])
    ax.minorticks_off()
    ax.set_xlabel("seconds to prepare, select, train and predict, mean over all cells")
    better = "higher" if METRICS[metric].higher_is_better else "lower"
    ax.set_ylabel(f"{metric} ({better} is better)")
    if has_dots(results):  # one mark of each method, which has its name beside it
        names = method_names([key[:2] for key in found])
        places = sorted(zip(names, found.values(), strict=True), key=lambda one: one[1][1])
        low, high = ax.get_ylim()
        heights = [(value - low) / (high - low) for _, (_, value, _) in places]
        heights = spread(heights, min(0.05, 1 / len(heights)), 0, 1)
        line = {"arrowstyle": "-", "alpha": 0.25, "relpos": (0, 0.5)}
        style = {"fontsize": 7, "va": "center", "parse_math": False, "arrowprops": line}
        for (name, (seconds, value, _)), height in zip(places, heights, strict=True):
            place = {"xytext": (1.02, height), "textcoords": "axes fraction"}
            ax.annotate(name, (seconds, value), **place, **style)
        return ax
    for method, name in enumerate(rankers):
        ax.scatter([], [], color=colour(method), label=name)
    for i, name in enumerate(models if len(rankers) > 1 else []):
        ax.scatter([], [], color="black", marker=MARKERS[i % len(MARKERS)], label=name)
    ax.legend(fontsize=8)
    return ax


def critical_differences(
    results: Results, metric: str, n: str | None = None, model: str = "", ax: Any = None
) -> Any:
    """Draw average ranks over data sets; bars join methods that Nemenyi's test does not tell apart.

    Parameters
    ----------
    results : Results
        A comparison on six data sets or more, of which Friedman's test says that methods differ.
    metric : str
        Its name.
    n : str, optional
        The number of features as asked for, or ``"mean"``; the last one by default.
    model : str
        Compare the criteria with this model; by default all methods.
    ax : matplotlib Axes, optional
        Where to draw; the current axes of pyplot by default.

    Returns
    -------
    matplotlib Axes
    """
    contest = _contest_of(results, metric, n, model)
    if doubt := contest.doubt_of_differences:
        raise DataError(f"there is no critical difference to draw: {doubt}")
    average, k, groups = contest.average_ranks, contest.ranked.size, contest.groups
    half, base = (k + 1) // 2, 1.0 + 0.4 * len(groups)
    ax = axes_for(ax, SUBJECT, (7.5, 1.3 + 0.25 * (base + half)))
    margin = 0.56 * (k - 1)  # of the width of the axis, for names
    ax.set_xlim(1 - margin, k + margin)
    ax.set_ylim(base + half, -3)
    ax.set_axis_off()
    line = {"color": "black", "solid_capstyle": "butt"}
    ax.plot([1, k], [0, 0], lw=1.2, **line)
    for rank in range(1, k + 1):
        ax.plot([rank, rank], [-0.25, 0], lw=0.8, **line)
        ax.text(rank, -0.4, str(rank), ha="center", va="bottom", fontsize=9)
    ax.plot([1, 1 + min(contest.nemenyi, k - 1)], [-2, -2], lw=2.5, **line)
    words = f"critical difference (Nemenyi, 0.05) {contest.nemenyi:.3f}"
    ax.text(1, -2.3, words, va="bottom", fontsize=9)
    for i, group in enumerate(groups):
        ends = [average[group[0]] - 0.02 * (k - 1), average[group[-1]] + 0.02 * (k - 1)]
        ax.plot(ends, [0.5 + 0.4 * i] * 2, lw=3, **line)
    for i, j in enumerate(np.argsort(average, kind="stable").tolist()[:k]):
        on_left = i < half
        height = base + (i if on_left else k - 1 - i)
        edge = 1 - 0.04 * (k - 1) if on_left else k + 0.04 * (k - 1)
        ax.plot([average[j], average[j], edge], [0, height, height], lw=0.8, **line)
        name = f" {contest.methods[j]} {average[j]:.2f} "
        side = "right" if on_left else "left"
        ax.text(edge, height, name, ha=side, va="center", fontsize=9, parse_math=False)
    ax.set_title(f"{metric}, n = {contest.n}", fontsize=9)
    return ax


def _contest_of(results: Results, metric: str, n: str | None, model: str) -> Contest:
    """The contest that was asked for; of one model, if there is no other."""
    found = [contest for contest in contests(results, [metric]) if n in {None, contest.n}]
    models = {contest.model for contest in found}
    shown = models.pop() if len(models) == 1 and model not in models else model
    found = [contest for contest in found if contest.model == shown]
    if not found:
        msg = f"the comparison has nothing on {metric} at n = {n} with the model {model!r}"
        raise UsageError(msg)
    return found[-1]


def _dashes(method: int) -> Any:
    """The dashes of a method, as matplotlib has them."""
    lengths = tuple(float(length) / 2 for length in dashes(method).split())
    return (0, lengths) if lengths else "-"
