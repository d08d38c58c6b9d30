"""The figures of a report as files, each with its legend.

Figures on the axes of matplotlib, and as PDF files; they need the extra [plot].
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.report.axes import spread
from mlfs.compare.report.charts import (
    INCHES,
    INK,
    MARKS,
    Chart,
    Diagram,
    Series,
    cost_chart,
    quality_charts,
    rank_chart,
)
from mlfs.compare.report.svg import diagram, picture
from mlfs.compare.results import Results
from mlfs.errors import MissingExtra

POINTS = 0.75  # of a pixel
ALIGN = {"start": "left", "middle": "center", "end": "right"}


def refuse_without_matplotlib(purpose: str) -> None:
    """Raise `MissingExtra` if matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtra(purpose, "matplotlib", "plot") from None


def draw_chart(ax: Any, chart: Chart) -> None:
    """Draw a chart on axes, with its legend."""
    from matplotlib.ticker import NullFormatter

    if chart.x.logarithmic:
        ax.set_xscale("log")
    handles = [_draw_series(ax, series) for series in chart.series]
    for axis, span in (("x", chart.x), ("y", chart.y)):
        getattr(ax, f"set_{axis}lim")(span.low, span.high)
        places, words = zip(*span.ticks(), strict=True)
        getattr(ax, f"set_{axis}ticks")(places, words, parse_math=False)
        getattr(ax, f"set_{axis}label")(span.name)
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.minorticks_off()
    ax.grid(axis="y", color=INK, alpha=0.15, lw=POINTS)
    ax.spines[["top", "right"]].set_visible(False)
    handles += [
        ax.scatter([], [], color=INK, label=name, **_mark(shape))
        for shape, name in enumerate(chart.shapes)
    ]
    _draw_names(ax, chart)
    if len(handles) > 1 or not (chart.names or chart.y.marks):
        ax.legend(handles=handles, fontsize=8)


def _draw_names(ax: Any, chart: Chart) -> None:
    """Write the names of marks at the right edge, with a fine line to each."""
    low, high = chart.y.low, chart.y.high
    places = [(y - low) / (high - low) for *_, y in chart.names]
    heights = spread(places, min(0.05, 1 / max(len(places), 1)), 0, 1)
    line = {"arrowstyle": "-", "alpha": 0.25, "lw": POINTS, "relpos": (0, 0.5)}
    style = {"fontsize": 7, "va": "center", "parse_math": False, "arrowprops": line}
    for (name, *place), height in zip(chart.names, heights, strict=True):
        ax.annotate(name, place, (1.02, height), textcoords="axes fraction", **style)


def _draw_series(ax: Any, series: Series) -> Any:
    """Draw a method; return what stands for it in a legend."""
    from matplotlib.transforms import ScaledTranslation

    line = {"color": series.colour, "lw": series.width * POINTS, "ls": _style(series)}
    x, y, sd = np.array([(point.x, point.y, point.sd) for point in series.points]).T
    if series.kind == "level":
        level = ax.axhline(y[0], label=f"{series.name} ({x[0]:g} features)", **line)
        edge = {"transform": ax.get_yaxis_transform(), "elinewidth": 1.2 * POINTS}
        bar = np.nan_to_num(sd[:1])
        ax.errorbar([0.99], y[:1], bar, color=series.colour, marker="o", ms=8 * POINTS, **edge)
        return level
    if series.kind == "marks":
        marks = []
        for shape in sorted({point.shape for point in series.points}):
            rows = [row for row, point in enumerate(series.points) if point.shape == shape]
            style = {"color": series.colour, "label": series.name, **_mark(shape)}
            marks.append(ax.scatter(x[rows], y[rows], **style))
        return marks[0]
    if series.kind == "dots":
        style = {"color": series.colour, "fmt": "o", "ms": 8 * POINTS, "elinewidth": 1.2 * POINTS}
        return ax.errorbar(x, y, xerr=np.nan_to_num(sd), label=series.name, **style)
    offset = ScaledTranslation(series.shift / INCHES, 0, ax.figure.dpi_scale_trans)
    return ax.errorbar(
        x,
        y,
        np.nan_to_num(sd),
        label=series.name,
        marker="o",
        ms=8 * POINTS,
        elinewidth=1.2 * POINTS,
        transform=ax.transData + offset,
        **line,
    )


def _style(series: Series) -> Any:
    """Dashes as matplotlib has them: in widths of the line."""
    return (0, tuple(length / series.width for length in series.dashes)) if series.dashes else "-"


def _mark(shape: int) -> dict[str, Any]:
    """The form and the size of a mark, for scatter."""
    from matplotlib.path import Path

    corners = MARKS[shape % len(MARKS)]
    if not corners:
        return {"marker": "o", "s": (8 * POINTS) ** 2}
    flipped = [(x, -y) for x, y in (*corners, corners[0])]
    widest = max(abs(part) for corner in corners for part in corner)
    return {"marker": Path(flipped, closed=True), "s": (2 * widest * POINTS) ** 2}


def draw_diagram(ax: Any, diagram: Diagram) -> None:
    """Draw a diagram on axes."""
    ax.set_xlim(0, diagram.width)
    ax.set_ylim(diagram.height, 0)
    ax.set_axis_off()
    for stroke in diagram.strokes:
        x, y = zip(*stroke.points, strict=True)
        ax.plot(x, y, color=INK, lw=stroke.width * POINTS, solid_capstyle="butt", clip_on=False)
    for word in diagram.words:
        ax.text(
            word.x,
            word.y,
            word.text,
            ha=ALIGN[word.anchor],
            va="baseline",
            fontsize=9,
            parse_math=False,
        )


def write_pdf(drawing: Chart | Diagram, stream: BinaryIO) -> None:
    """Write a figure as PDF, without the time of writing."""
    from matplotlib.figure import Figure

    if isinstance(drawing, Diagram):
        figure = Figure(figsize=(drawing.width / INCHES, drawing.height / INCHES))
        draw_diagram(figure.add_axes((0, 0, 1, 1)), drawing)
    else:
        figure = Figure(figsize=drawing.inches, layout="constrained")
        draw_chart(figure.add_subplot(), drawing)
    figure.savefig(stream, format="pdf", metadata={"CreationDate": None})


LONGEST = 40  # characters of a name in a name of a file


def figures(
    results: Results, compared: Sequence[Contest], *, pdf: bool = False
) -> Iterator[tuple[str, bytes]]:
    """The name and the content of each file, an SVG or also a PDF.

    Names that differ in upper and lower case alone get a number.
    """
    used_names: set[str] = set()
    for parts, chart in _charts(results, compared):
        if chart:
            name = "-".join(map(_plain, parts))
            count = 1
            while (unique := name if count == 1 else f"{name}-{count}").lower() in used_names:
                count += 1
            used_names.add(unique.lower())
            svg = picture(chart, legend=True) if isinstance(chart, Chart) else diagram(chart)
            yield f"{unique}.svg", f"{svg}\n".encode()
            if pdf:
                stream = io.BytesIO()
                write_pdf(chart, stream)
                yield f"{unique}.pdf", stream.getvalue()


def _charts(
    results: Results, compared: Sequence[Contest]
) -> Iterator[tuple[tuple[str, ...], Chart | Diagram | None]]:
    for metric, model, data, curve in quality_charts(results):
        kind = ("curve", metric, model, data) if model else ("dots", metric, data)
        yield kind, curve
    for metric in results.metrics:
        yield ("time", metric), cost_chart(results, metric)
    for contest in compared:
        yield ("ranks", contest.metric, contest.n, contest.model or "all"), rank_chart(contest)


def _plain(text: str) -> str:
    """A text as part of the name of a file on every system."""
    return re.sub(r"[^A-Za-z0-9_.]+", "_", text)[:LONGEST].strip("._") or "x"
