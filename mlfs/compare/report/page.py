"""The page of a report: one file, no network, readable without scripts."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from importlib.resources import files

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.overlap import Overlap
from mlfs.compare.report.charts import agreement_chart, cost_chart, curve_chart, rank_chart
from mlfs.compare.report.wording import caption, cell, described, findings, pair_line, short
from mlfs.compare.results import Results

__all__ = ["page"]


def page(results: Results, fought: Sequence[Contest], shared: Sequence[Overlap]) -> str:
    """The whole page."""
    body = "".join(
        [
            "<h1>Comparison of criteria and models</h1>",
            _settings(results),
            _curves(results),
            _contests(fought),
            _costs(results),
            _overlaps(shared),
            _failures(results),
            _how_to_read(),
        ]
    )
    own = files("mlfs.compare.report")
    style = own.joinpath("page.css").read_text(encoding="utf-8")
    script = own.joinpath("page.js").read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>mlfs comparison</title><style>{style}</style></head>"
        f"<body><main>{body}</main><script>{script}</script></body></html>\n"
    )


def _settings(results: Results) -> str:
    rows = [[f"<b>{_safe(name)}</b>", _safe(value)] for name, value in described(results)]
    rows += [["<b>note</b>", _safe(note)] for note in results.notes]
    state = (
        '<p class="warn">Interrupted: not all cells are done.</p>' if results.interrupted else ""
    )
    return f'<section id="settings"><h2>What was compared</h2>{state}{_table([], rows)}</section>'


def _curves(results: Results) -> str:
    settings = results.settings
    shown = []
    for metric in results.metrics:
        for model in map(str, settings.models):
            for source in settings.sources:
                chart = curve_chart(results, metric, source.name, model)
                if chart:
                    title = f"<figcaption>{_safe(source.name)}</figcaption>"
                    shown.append(_view(f"<figure>{title}{chart}</figure>", metric, model=model))
    if not shown:
        return ""
    return (
        '<section id="curves"><h2>Quality by number of features</h2>'
        "<p>Mean over the splits, the shade is one standard deviation; a dotted line is a method "
        "whose number of features is not set.</p>"
        f'<div class="views flow">{"".join(shown)}</div></section>'
    )


def _contests(fought: Sequence[Contest]) -> str:
    shown = []
    for contest in fought:
        chart = rank_chart(contest)
        told = "".join(f"<li>{_safe(one)}</li>" for one in findings(contest))
        pairs = ""
        if contest.pairs:
            head = ["", "against", "wins-ties-losses", "min(R+, R-)", "p", "p (Holm)"]
            lines = [
                [_safe(text) for text in pair_line(contest, at)] for at in range(len(contest.pairs))
            ]
            pairs = (
                "<details><summary>Wilcoxon signed-rank tests of all pairs</summary>"
                f"{_table(head, lines)}</details>"
            )
        figure = (
            f"<figure><figcaption>Average ranks (Friedman, Nemenyi)</figcaption>{chart}</figure>"
            if chart
            else ""
        )
        content = (
            f"<h3>{_safe(caption(contest))}</h3>{_ranked(contest)}<ul>{told}</ul>{figure}{pairs}"
        )
        shown.append(_view(content, contest.metric, model=contest.model or "all", n=contest.n))
    return (
        '<section id="ranks"><h2>Ranks and tests</h2>'
        f'<div class="views">{"".join(shown)}</div></section>'
    )


def _ranked(contest: Contest) -> str:
    place = {int(row): at for at, row in enumerate(contest.complete)}
    rows = []
    for row, name in enumerate(contest.data):
        known = contest.mean[row][np.isfinite(contest.mean[row])]
        top = (known.max() if contest.higher_is_better else known.min()) if known.size else np.nan
        cells = [_safe(name)]
        for column in range(len(contest.methods)):
            text = _safe(cell(contest, row, column))
            if row in place:
                text += f" <small>({contest.ranks[place[row], column]:g})</small>"
            best = contest.mean[row, column] == top
            cells.append(f"<b>{text}</b>" if best else text)
        rows.append(cells)
    average = [short(value, 2) for value in contest.average_ranks]
    return _table(["data", *contest.methods], [*rows, ["<b>average rank</b>", *average]])


def _costs(results: Results) -> str:
    shown = [
        _view(f"<figure>{chart}</figure>", metric)
        for metric in results.metrics
        if (chart := cost_chart(results, metric))
    ]
    if not shown:
        return ""
    return (
        '<section id="costs"><h2>Time against quality</h2><p>Point at a dot to see what it is, '
        f'and its peak of memory.</p><div class="views">{"".join(shown)}</div></section>'
    )


def _overlaps(shared: Sequence[Overlap]) -> str:
    shown = []
    for overlap in shared:
        rows = [
            [_safe(data), _safe(criterion), *(short(value) for value in values)]
            for (data, criterion), values in overlap.stability.items()
        ]
        stable = _table(["data", "criterion", "Nogueira", "Kuncheva", "Jaccard"], rows)
        often = [
            [_safe(data), _safe(criterion), _safe(_listed(found))]
            for (data, criterion), found in overlap.often.items()
        ]
        listed = _table(["data", "criterion", "chosen most often, with the share of splits"], often)
        chart = agreement_chart(overlap) if len(overlap.criteria) > 1 else ""
        figure = (
            "<figure><figcaption>Shared features, |A and B| / |A or B|</figcaption>"
            f"{chart}</figure>"
            if chart
            else ""
        )
        content = (
            f"<h3>n = {_safe(overlap.n)}</h3>{figure}<details><summary>Stability over the splits"
            f"</summary>{stable}</details><details><summary>Features</summary>{listed}</details>"
        )
        shown.append(_view(content, n=overlap.n))
    if not shown:
        return ""
    return (
        '<section id="overlaps"><h2>Which features are chosen</h2>'
        f'<div class="views">{"".join(shown)}</div></section>'
    )


def _listed(found: Iterable[tuple[str, float]]) -> str:
    return ", ".join(f"{name} ({share:.0%})" for name, share in found)


def _failures(results: Results) -> str:
    failed = results.failed()
    if not failed:
        return ""
    rows = [
        [*(_safe(str(value)) for value in record["cell"].values()), _safe(record["note"])]
        for record in failed
    ]
    head = [*failed[0]["cell"], "why"]
    return f'<section id="failed"><h2>Failed cells</h2>{_table(head, rows)}</section>'


def _how_to_read() -> str:
    return (
        '<section id="reading"><h2>How to read this</h2><p>Features are selected and binned, and '
        "models trained, on the rows that train; every number is about rows that none of them has "
        "seen. Ranks are of the means over the splits, 1 for the best, equal means share a rank. "
        "Tests are over data sets, each of which counts once: with fewer than six nothing is "
        "tested. Splits of one data set share rows and are no independent trials; their standard "
        "deviation tells how much the result moves, not whether a difference is real.</p></section>"
    )


def _view(content: str, metric: str = "", *, model: str = "", n: str = "") -> str:
    """A part of the page that is there for one metric, model or number of features."""
    marks = {"metric": metric, "model": model, "n": n}
    given = "".join(f' data-{key}="{_safe(value)}"' for key, value in marks.items() if value)
    return f'<div class="view"{given}>{content}</div>'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{_safe(text)}</th>" for text in head)
    lines = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    first = f"<thead><tr>{top}</tr></thead>" if head else ""
    return f'<div class="wide"><table>{first}<tbody>{lines}</tbody></table></div>'


def _safe(text: str) -> str:
    return html.escape(text)
