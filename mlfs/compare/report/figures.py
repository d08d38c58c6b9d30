"""The figures of a report: as SVG without external resources, and by matplotlib (PDF, axes)."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.data_sources import unique_names
from mlfs.compare.report.axes import Range, spread
from mlfs.compare.report.charts import (
    FLAT,
    Chart,
    Series,
    colour,
    cost_chart,
    dashes,
    quality_charts,
    rank_chart,
)
from mlfs.compare.results import Results
from mlfs.data.drawing import (
    INCHES,
    INK,
    MARKS,
    POINTS,
    TEXT,
    Diagram,
    Picture,
    draw_diagram,
    svg_of,
)


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

    dashes = tuple(length / series.width for length in series.dashes)
    style: Any = (0, dashes) if dashes else "-"
    line = {"color": series.colour, "lw": series.width * POINTS, "ls": style}
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


def _mark(shape: int) -> dict[str, Any]:
    """The form and the size of a mark, for scatter."""
    from matplotlib.path import Path

    corners = MARKS[shape % len(MARKS)]
    if not corners:
        return {"marker": "o", "s": (8 * POINTS) ** 2}
    flipped = [(x, -y) for x, y in (*corners, corners[0])]
    widest = max(abs(part) for corner in corners for part in corner)
    return {"marker": Path(flipped, closed=True), "s": (2 * widest * POINTS) ** 2}


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
    """The name and the content of each file, an SVG or also a PDF."""
    charts = [(parts, chart) for parts, chart in _charts(results, compared) if chart]
    names = file_names(parts for parts, _ in charts)
    for name, (_, chart) in zip(names, charts, strict=True):
        svg = picture(chart, legend=True) if isinstance(chart, Chart) else svg_of(chart)
        yield f"{name}.svg", f"{svg}\n".encode()
        if pdf:
            stream = io.BytesIO()
            write_pdf(chart, stream)
            yield f"{name}.pdf", stream.getvalue()


def file_names(texts: Iterable[Sequence[str]]) -> Iterator[str]:
    """Names of files made of some parts, on every system.

    Examples
    --------
    >>> list(file_names([("a", "b"), ("A", "b/c")]))
    ['a-b', 'A-b_c']
    """
    return unique_names("-".join(map(_plain, parts)) for parts in texts)


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


LEGEND = 18
COLUMNS = 3
LETTER, LONGEST_NAME, NAME_ROW = 6.4, 26, 16.0  # of names beside a chart: pixels and characters


@dataclass(frozen=True)
class Axis:
    """The numbers of a range along a length of pixels.

    Parameters
    ----------
    span : Range
        The numbers.
    start, end : float
        Where the least and the greatest stand.
    """

    span: Range
    start: float
    end: float

    def position(self, value: float) -> float:
        """Where a number stands."""
        low, high = self.span.low, self.span.high
        if self.span.logarithmic:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Where marks stand and what they say."""
        return [(self.position(value), words) for value, words in self.span.ticks()]


def cut(words: str, longest: int) -> str:
    """A text that is not longer than so many characters."""
    return words if len(words) <= longest else words[: longest - 1] + "…"


def picture(chart: Chart, *, legend: bool = False) -> str:
    """A chart as SVG.

    Parameters
    ----------
    chart : Chart
        What is drawn; one of marks only is wide.
    legend : bool
        Whether the names of its series are in the picture.
    """
    wide = bool(chart.shapes or chart.names)
    rows = max(len(chart.names), len(chart.y.marks))
    bottom = max(280.0 if wide else 0 if chart.y.marks else 250.0, 14.0 + NAME_ROW * rows)
    longest = max((len(words) for _, words in chart.y.marks), default=0)
    left = 62.0 if wide else 58.0 if not longest else 16 + LETTER * min(longest, LONGEST_NAME)
    right = 530.0 if chart.names else 690.0 if wide else 388.0
    image = Picture(720 if wide else 400, bottom + 50, chart.title)
    x, y = Axis(chart.x, left, right), Axis(chart.y, bottom, 12)
    draw_axes(image, x, y)
    _names(image, x, y, chart)
    for series in chart.series:
        with image.series(series.method, series.ends):
            _svg_series(image, x, y, series)
    if legend and (len(chart.series) > 1 or chart.shapes or not (chart.names or chart.y.marks)):
        _legend(image, chart.series, chart.shapes)
    return image.markup()


def draw_axes(image: Picture, x: Axis, y: Axis) -> None:
    """Two axes with marks and names; one of numbers upwards may be stretched by the page."""
    if not y.span.marks:
        numbers = (y.span.low, y.span.high, y.start, y.end)
        image.data["y"] = " ".join(f"{number!r}" for number in numbers)
    image.data["x"] = f"{x.start!r} {x.end!r}"
    image.parts.append('<g class="ticks">')
    for position, words in y.ticks():
        image.line([(x.start, position), (x.end, position)], TEXT, stroke_opacity=0.15)
        image.text(x.start - 6, position + 4, cut(words, LONGEST_NAME), "end")
    image.parts.append("</g>")
    for position, words in x.ticks():
        image.line([(position, y.start), (position, y.start + 4)], TEXT, stroke_opacity=0.6)
        image.text(position, y.start + 17, words, "middle")
    frame = [(x.start, y.end), (x.start, y.start), (x.end, y.start)]
    image.line(frame, TEXT, stroke_opacity=0.6)
    image.text((x.start + x.end) / 2, y.start + 34, x.span.name, "middle")
    middle = (y.start + y.end) / 2
    image.text(14, middle, y.span.name, "middle", transform=f"rotate(-90 14 {middle:.1f})")


def _names(image: Picture, x: Axis, y: Axis, chart: Chart) -> None:
    """The names of marks, at the right edge with a fine line to each."""
    places = [(x.position(at), y.position(height)) for _, at, height in chart.names]
    heights = spread([-height for _, height in places], NAME_ROW, -y.start, -y.end)
    for (name, *_), place, height in zip(chart.names, places, heights, strict=True):
        edge = [place, (x.end + 4, -height), (x.end + 10, -height)]
        image.line(edge, TEXT, stroke_opacity=0.25, stroke_width=0.8)
        image.text(x.end + 13, 4 - height, cut(name, LONGEST_NAME))


def _svg_series(image: Picture, x: Axis, y: Axis, series: Series) -> None:
    style = {"stroke_width": f"{series.width:g}", "stroke_dasharray": _dashes(series.dashes)}
    if series.kind == "level":
        height = y.position(series.points[0].y)
        image.line([(x.start, height), (x.end, height)], series.colour, **style)
        positions = [x.end - 3]
    else:
        positions = [x.position(point.x) + series.shift for point in series.points]
    if series.kind == "curve":
        heights = [y.position(point.y) for point in series.points]
        image.line(zip(positions, heights, strict=True), series.colour, **style)
    for position, point in zip(positions, series.points, strict=True):
        height = y.position(point.y)
        if math.isfinite(point.sd):
            sides = (-point.sd, point.sd)
            ends = [(position, y.position(point.y + side)) for side in sides]
            if series.kind == "dots":
                ends = [(x.position(point.x + side), height) for side in sides]
            bar = {"stroke_width": 1.2, "stroke_opacity": 0.7, "class": "sd"}
            image.line(ends, series.colour, **bar)
        image.mark(position, height, series.colour, point.tip, point.shape, point.rows)


def _legend(image: Picture, series: Sequence[Series], shapes: Sequence[str]) -> None:
    """Names below a picture, in columns: the lines of criteria, then the marks of models."""
    wide = (image.width - 58) / COLUMNS
    top = image.height + 8
    longest = int((wide - 34) / 6.5)
    names = [*(line.name for line in series), *shapes]
    for i, name in enumerate(names):
        x, y = 58 + wide * (i % COLUMNS), top + LEGEND * (i // COLUMNS)
        if i < len(series):
            line = series[i]
            ends = [(x, y), (x + 24, y)]
            image.line(ends, line.colour, stroke_width=2, stroke_dasharray=_dashes(line.dashes))
        else:
            image.mark(x + 12, y, INK, shape=i - len(series))
        image.text(x + 29, y + 4, cut(name, longest))
    image.height = top + LEGEND * math.ceil(len(names) / COLUMNS)


def sample(criterion: int, name: str, *, flat: bool) -> str:
    """A short line as the criterion has it in every chart, for a legend."""
    image = Picture(28, 12, name)
    style = {
        "stroke_width": 2.4 if flat else 2,
        "stroke_dasharray": _dashes(FLAT if flat else dashes(criterion)),
    }
    image.line([(1, 6), (27, 6)], colour(criterion), **style)
    return image.markup()


def sample_mark(model: int, name: str) -> str:
    """The mark of a model, for a legend."""
    image = Picture(14, 12, name)
    image.mark(7, 6, INK, shape=model)
    return image.markup()


def _dashes(lengths: Sequence[float]) -> str:
    return " ".join(f"{length:g}" for length in lengths)
