"""The page of a report: one file, no network, readable without scripts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType

from mlfs.compare.contest import Contest
from mlfs.compare.overlap import Overlap
from mlfs.compare.report.charts import (
    FLAT,
    MANY,
    cost_chart,
    has_dots,
    quality_charts,
    rank_chart,
)
from mlfs.compare.report.svg import INK, Picture, colour, dashes, escaped
from mlfs.compare.report.tables import (
    TableCell,
    TextTable,
    agreement_table,
    pair_table,
    rank_table,
    stability_table,
    table_of,
)
from mlfs.compare.report.wording import (
    caption,
    conclusions,
    findings,
    provenance,
    setting_rows,
    shapes,
)
from mlfs.compare.results import CsvRows, LabelRow, Results, widest
from mlfs.data.html import page as html_page

FOLDED = 12  # data sets that are listed in sight
LABELS = 12  # of a data set on the page


def page(
    results: Results,
    compared: Sequence[Contest],
    shared: Sequence[Overlap],
    labels: Sequence[LabelRow] = (),
    explorers: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The whole page; `explorers` are the files of data sets that have a page of their own."""
    rows = CsvRows(results.rows())
    body = "".join(
        [
            "<h1>Comparison of criteria and models</h1>",
            _conclusions(results, compared),
            _settings(results, explorers),
            _panel(results),
            _curves(results, rows),
            _contests(compared, rows),
            _costs(results, rows),
            _labels(labels),
            _overlaps(shared),
            _failures(results),
            _how_to_read(),
        ]
    )
    package = files("mlfs.compare.report")
    style = package.joinpath("page.css").read_text(encoding="utf-8")
    script = package.joinpath("page.js").read_text(encoding="utf-8")
    return html_page("mlfs comparison", style, script, f"<main>{body}</main>")


def _conclusions(results: Results, compared: Sequence[Contest]) -> str:
    lines = "".join(f"<li>{escaped(sentence)}</li>" for sentence in conclusions(results, compared))
    return _section("says", "What this says", f"<ul>{lines}</ul>") if lines else ""


def _settings(results: Results, explorers: Mapping[str, str]) -> str:
    facts = [*setting_rows(results)[1:], *(("note", note) for note in results.notes)]
    facts += provenance(results)
    rows = [[TableCell(name, is_bold=True), TableCell(value)] for name, value in facts]
    state = (
        '<p class="warn">Interrupted: not all cells are done.</p>' if results.interrupted else ""
    )
    about = f'<div class="facts">{_table(TextTable((), rows))}</div>'
    return _section(
        "settings", "What was compared", state + _data(results) + _links(explorers) + about
    )


def _links(explorers: Mapping[str, str]) -> str:
    """The buttons that open the explorers."""
    buttons = "".join(
        f'<a class="open" href="{name}">explore {escaped(data)}</a>'
        for data, name in explorers.items()
    )
    about = "forbid and force columns, and see what is picked instead, on all rows"
    return f"<p>{buttons} <small>{about}</small></p>" if buttons else ""


def _data(results: Results) -> str:
    """The data sets with their sizes; many are folded away."""
    sizes = shapes(results)
    rows = [
        [
            source.name,
            *(f"{size:,}" for size in sizes.get(source.name, ())),
            *([""] * (0 if source.name in sizes else 3)),
            source.digest[:12],
        ]
        for source in results.settings.sources
    ]
    table = _table(table_of(("data", "rows", "features", "labels", "digest"), rows))
    return table if len(rows) <= FOLDED else _details(f"{len(rows)} data sets", table)


def _panel(results: Results) -> str:
    """The legend of all charts, which stays in sight; the script adds what can be chosen."""
    settings, keys = results.settings, []
    several = settings.rankers if len(settings.rankers) > 1 else ()  # one is not worth a legend
    for method, ranker in enumerate(several):
        image, name = Picture(28, 12, str(ranker)), escaped(str(ranker))
        dashed = FLAT if str(settings.sizes_of(ranker)[0]) == "all" else dashes(method)
        image.line([(1, 6), (27, 6)], colour(method), stroke_width=2, stroke_dasharray=dashed)
        keys.append(
            f'<button type="button" class="key" data-series="{method}" aria-pressed="true" '
            f'title="hide or show">{image.markup()} {name}</button>'
        )
    kind = "panel many" if len(keys) >= MANY else "panel"
    return f'<div class="{kind}"><div class="legend">{"".join(keys)}</div></div>'


def _curves(results: Results, rows: CsvRows) -> str:
    views = [
        _view(_figure(data, chart), metric, model=model)
        for metric, model, data, chart in quality_charts(results, rows)
    ]
    dots = has_dots(results)
    shown = (
        "The mean of each method over the splits, the best on top; the bars are one standard "
        "deviation to both sides."
        if dots
        else "Mean over the splits; the bars are one standard deviation to both sides, and bars of "
        "one number of features stand side by side. A level broken line is a method with a fixed "
        "number of features. Click on a name above to hide its line in all charts: the others "
        "get its room."
    )
    about = (
        f"<p>{shown} Point at a mark, touch it, or go to a chart with the Tab key and through "
        "its marks with the arrow keys, to read its numbers and their rows in results.csv.</p>"
    )
    many = " many" if len(results.settings.rankers) >= MANY and not dots else ""
    title = "Quality" if dots else "Quality by number of features"
    return _section("curves", title, about, views, f"views flow{many}")


def _contests(compared: Sequence[Contest], rows: CsvRows) -> str:
    views = []
    for contest in compared:
        content = f"<h3>{escaped(caption(contest))}</h3>{_table(rank_table(contest, rows))}"
        sentences = "".join(f"<li>{escaped(finding)}</li>" for finding in findings(contest))
        content += f"<ul>{sentences}</ul>"
        title = "" if contest.doubt_of_differences else " (Friedman, Nemenyi)"
        content += _figure(f"Average ranks{title}", rank_chart(contest))
        if pairs := pair_table(contest):
            content += _details(pairs.title, _table(pairs))
        views.append(_view(content, contest.metric, model=contest.model or "all", n=contest.n))
    about = (
        "<p>A cell is the mean over the splits ± one standard deviation, with the rank in "
        "brackets; the best of each data set is bold. Click on a mean, or go to a table with the "
        "Tab key and through it with the arrow keys, to see its rows in results.csv.</p>"
    )
    return _section("ranks", "Ranks and tests", about, views)


def _costs(results: Results, rows: CsvRows) -> str:
    models = list(map(str, results.settings.models))
    several = len(results.settings.rankers) > 1
    choices = [*models, ""] if len(models) > 1 and several else [""]
    views = [
        _view(_figure("", chart), metric, model=model or ("all" if len(models) > 1 else ""))
        for metric in results.metrics
        for model in choices
        if (chart := cost_chart(results, metric, model, rows))
    ]
    shapes = "".join(
        f'<span class="shapes">{_sample_of(i, name)} {escaped(name)}</span>'
        for i, name in enumerate(models)
    )
    legend = "The colour is the criterion's, the shape is the model's. " if several else ""
    about = f"<p>{legend}Point at a mark to see what it is, and its peak of memory.</p>" + (
        f"<p>{shapes}</p>" if several else ""
    )
    return _section("costs", "Time against quality", about, views)


def _sample_of(model: int, name: str) -> str:
    """The mark of a model, for the legend."""
    image = Picture(14, 12, name)
    image.mark(7, 6, INK, shape=model)
    return image.markup()


def _labels(labels: Sequence[LabelRow]) -> str:
    """F1 of single labels by criterion: those of which the criteria differ most."""
    csv_rows = {row: str(number) for number, row in enumerate(labels, 2)}  # the heading is row 1
    groups: dict[tuple[str, str, str], list[LabelRow]] = {}
    for row in labels:
        groups.setdefault((row.data, row.model, row.n), []).append(row)
    views = []
    for (data, model, n), rows in groups.items():
        differing = widest(rows, LABELS)
        if not differing or len(differing[0][1]) < 2:
            continue
        lines = []
        for label, methods in differing:
            best = max(row.f1 for row in methods)
            line = [TableCell(label), TableCell(f"{methods[0].positives:.1f}")]
            line += [
                TableCell(f"{row.f1:.3f}", is_bold=row.f1 == best, rows=csv_rows[row])
                for row in methods
            ]
            lines.append(line)
        head = ("label", "positives", *(row.criterion for row in differing[0][1]))
        title = f"<h3>{escaped(data)}, {escaped(model)}, n = {escaped(n)}</h3>"
        table = _table(TextTable(head, lines, file="labels.csv"))
        views.append(_view(title + table, model=model, n=n))
    about = (
        f"<p>F1 of up to {LABELS} labels of each data set, those of which the criteria differ "
        "most, with the number of their test rows; means over the splits. All labels are in "
        "labels.csv.</p>"
    )
    return _section("labels", "Labels", about, views)


def _overlaps(shared: Sequence[Overlap]) -> str:
    views = []
    for overlap in shared:
        feature_rows = [
            [data, criterion, ", ".join(f"{name} ({share:.0%})" for name, share in features)]
            for (data, criterion), features in overlap.often.items()
        ]
        head = ("data", "criterion", "chosen most often, with the share of splits")
        agreement, stability = agreement_table(overlap), stability_table(overlap)
        content = f"<h3>n = {escaped(overlap.n)}</h3>"
        content += _figure(agreement.title, _table(agreement)) if agreement else ""
        content += _details(stability.title, _table(stability))
        content += _details("Features", _table(table_of(head, feature_rows)))
        views.append(_view(content, n=overlap.n))
    return _section("overlaps", "Which features are chosen", "", views)


def _failures(results: Results) -> str:
    failed = results.failed()
    if not failed:
        return ""
    rows = [[str(value) for value in (*r["cell"].values(), r["note"])] for r in failed]
    table = table_of((*failed[0]["cell"], "why"), rows)
    return _section("failed", "Failed cells", _table(table))


def _how_to_read() -> str:
    return _section(
        "reading",
        "How to read this",
        "<p>Bins, selections and models are learned from the training rows of each split; every "
        "number is about the other rows. Ranks are those of the means over the splits, 1 for the "
        "best; equal means share a rank. Tests are over data sets, each of which counts once: "
        "with fewer than six nothing is tested. Splits of one data set share rows and are not "
        "independent; their standard deviation shows how much a result varies, not whether a "
        "difference is significant.</p><p>The folder of this page has its figures as files "
        "(figures/), its tables for a paper (tables.tex) and every single number "
        "(results.csv).</p>",
    )


def _section(
    name: str, title: str, about: str, views: Sequence[str] | None = None, kind: str = "views"
) -> str:
    """A section of the page; empty if there should be views and there are none."""
    if views is not None and not views:
        return ""
    content = about if views is None else f'{about}<div class="{kind}">{"".join(views)}</div>'
    return f'<section id="{name}"><h2>{title}</h2>{content}</section>'


def _figure(title: str, content: str) -> str:
    caption = f"<figcaption>{escaped(title)}</figcaption>" if title else ""
    return f"<figure>{caption}{content}</figure>" if content else ""


def _details(title: str, content: str) -> str:
    return f"<details><summary>{title}</summary>{content}</details>"


def _view(content: str, metric: str = "", *, model: str = "", n: str = "") -> str:
    """A part of the page that is there for one metric, model or number of features."""
    marks = {"metric": metric, "model": model, "n": n}
    attributes = "".join(f' data-{key}="{escaped(value)}"' for key, value in marks.items() if value)
    return f'<div class="view"{attributes}>{content}</div>'


def _table(table: TextTable) -> str:
    top = "".join(f"<th>{escaped(text)}</th>" for text in table.head)
    head = f"<thead><tr>{top}</tr></thead>" if top else ""
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    told = any(cell.rows for row in table.rows for cell in row)
    source = f' data-file="{table.file}"' if told else ""
    return f'<div class="wide"><table{source}>{head}<tbody>{body}</tbody></table></div>'


def _cell(cell: TableCell) -> str:
    text = escaped(cell.text) + (f" <small>({cell.rank})</small>" if cell.rank else "")
    text = f"<b>{text}</b>" if cell.is_bold else text
    if not math.isnan(cell.shade):
        shade = f"rgba(var(--shade),{0.75 * max(cell.shade, 0):.2f})"
        text = f'<span class="shade" style="background:{shade}">{text}</span>'
    rows = f' data-rows="{escaped(cell.rows)}"' if cell.rows else ""
    return f"<td{rows}>{text}</td>"
