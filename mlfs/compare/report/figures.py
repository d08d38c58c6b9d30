"""The figures of a report as files, each with its legend."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence

from mlfs.compare.contest import Contest
from mlfs.compare.report.charts import cost_chart, curve_chart, rank_chart
from mlfs.compare.report.drawing import Chart, Diagram
from mlfs.compare.report.on_axes import write_pdf
from mlfs.compare.report.svg import diagram, picture
from mlfs.compare.results import Results

__all__ = ["figures"]

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
    settings = results.settings
    for metric in results.metrics:
        for model in map(str, settings.models):
            for source in settings.sources:
                chart = curve_chart(results, metric, source.name, model)
                yield ("curve", metric, model, source.name), chart
        yield ("time", metric), cost_chart(results, metric)
    for contest in compared:
        yield ("ranks", contest.metric, contest.n, contest.model or "all"), rank_chart(contest)


def _plain(text: str) -> str:
    """A text as part of the name of a file on every system."""
    return re.sub(r"[^A-Za-z0-9_.]+", "_", text)[:LONGEST].strip("._") or "x"
