"""The page of a report: colours, verdict, provenance, figures, and its script in a browser."""

from __future__ import annotations

import dataclasses
import html
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from mlfs import datasets
from mlfs.compare.contest import contests
from mlfs.compare.data_sources import DataSource
from mlfs.compare.named import named
from mlfs.compare.report import write_report
from mlfs.compare.report.charts import cost_chart, curve_chart, quality_charts
from mlfs.compare.report.svg import colour
from mlfs.compare.report.tables import rank_table
from mlfs.compare.report.wording import command, conclusions, findings
from mlfs.compare.results import Results
from mlfs.metrics import METRICS
from tests.compare.test_report import made_up

SVG = "{http://www.w3.org/2000/svg}"


def words_of(chart: str) -> list[str]:
    """The texts of a chart, in the order in which they are drawn."""
    return [one.text or "" for one in ET.fromstring(chart).iter(f"{SVG}text")]


def test_beyond_eight_methods_the_dots_differ_by_their_marks() -> None:
    criteria = ("scls", "mim", "jmi", "mrmr", "ami", "mdmr", "cmim", "d2f", "random")
    made = cost_chart(made_up(n_data=2, criteria=criteria, sizes=(5,)), "exact_match")
    looks = re.findall(r'<path class="mark" [^>]*( fill="[^"]*") (d="[^"]*")', made)
    assert len(looks) == 18
    assert len(set(looks)) == 18
    assert len({fill for fill, _ in looks}) == 9  # of criteria
    assert len({shape for _, shape in looks}) == 2  # of models


def test_a_criterion_has_one_colour_in_every_chart() -> None:
    results = made_up(n_data=2)
    pictures = [
        curve_chart(results, "exact_match", "set0", "mlnb"),
        curve_chart(results, "hamming_loss", "set0", "br", legend=True),
        cost_chart(results, "exact_match"),
        cost_chart(results, "exact_match", "br"),
    ]
    for at in range(4):
        groups = [re.findall(rf'data-series="{at}".*?</g>', one) for one in pictures]
        assert all(len(one) == 1 for one in groups)
        hues = {hue for (one,) in groups for hue in re.findall('fill="(#[^"]*)"', one)}
        assert hues == {colour(at)}


def test_error_bars_are_inside_the_axis() -> None:
    chart = curve_chart(made_up(n_data=2, noise=0.5), "exact_match", "set0", "br")
    made = ET.fromstring(chart)
    *_, start, end = map(float, made.attrib["data-y"].split())
    lines = made.iter(f"{SVG}polyline")
    bars = [one for one in lines if one.get("class") == "sd"]
    assert len(bars) == 7
    heights = [float(pair.split(",")[1]) for one in bars for pair in one.attrib["points"].split()]
    assert end < min(heights) < max(heights) < start
    lefts = [one.attrib["points"].split(",")[0] for one in bars]
    assert len(set(lefts)) == 7  # none behind another


def test_figures_are_files_with_legends_and_plain_names(tmp_path: Path) -> None:
    results = made_up(criteria=("scls", "random", "all"))
    write_report(results, tmp_path)
    found = {path.name: path for path in (tmp_path / "figures").iterdir()}
    assert len(found) == 2 * (7 * 2 + 1) + 2 * 3 * 3  # curves and times; ranks
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+\.svg", name) for name in found)
    for name, path in found.items():
        words = {*words_of(path.read_text(encoding="utf-8"))}
        assert name.startswith("ranks") or {"scls", "random", "all"} <= words
    assert "time-exact_match.svg" in found


def test_each_mean_leads_to_its_rows(tmp_path: Path) -> None:
    write_report(made_up(n_data=2, noise=0.1), tmp_path)
    lines = (tmp_path / "results.csv").read_text(encoding="utf-8").splitlines()
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    marked = re.findall(r'data-rows="([^"]*)"[^>]*><title>(\w+), (\d+) features: ([\d.]+)', page)
    assert len(marked) == 2 * 2 * 2 * 7  # metrics, models, data sets; points
    for rows, criterion, n, mean in marked:
        found = [lines[int(row) - 1].split(",") for row in rows.split(", ")]
        assert {one[1] for one in found} == {criterion}
        assert {one[4] for one in found} == {f"{n}.0"}
        assert np.mean([float(one[7]) for one in found]) == pytest.approx(float(mean), abs=1e-4)
    entries = re.findall(r'<td data-rows="([^"]*)">(?:<b>)?([\d.]+) ± ', page)
    for rows, mean in entries:
        found = [lines[int(row) - 1].split(",") for row in rows.split(", ")]
        assert np.mean([float(one[7]) for one in found]) == pytest.approx(float(mean), abs=1e-3)
    assert len(entries) > 50


MODELS = ("br", "cc", "bcc", "pcc", "lp", "rakel", "mlknn", "homer", "clr", "mlnb")


def many_models() -> Results:
    """Ten models on all features, the first the best."""
    results = made_up(8, criteria=("all",), models=MODELS, noise=0.0)
    for record in results.records:
        place = MODELS.index(record["cell"]["model"]) + 1
        for name, metric in METRICS.items():
            record["metrics"][name] = 1 / place if metric.higher_is_better else 1 - 1 / place
    return results


def test_models_are_rows_and_dots_without_what_they_share(tmp_path: Path) -> None:
    results = many_models()
    (contest,) = contests(results, ["exact_match"])
    assert contest.methods == MODELS
    table = rank_table(contest)
    assert table.head == ("method", "average rank", *contest.data)
    assert [row[0].text for row in table.rows] == list(MODELS)
    charts = list(quality_charts(results))
    assert len(charts) == 2 * 8  # metrics, data sets
    *_, chart = charts[0]
    # from the lowest up, the best on top
    assert [words for words in words_of(chart) if words in MODELS] == list(MODELS[::-1])
    assert {*words_of(cost_chart(results, "exact_match"))} >= set(MODELS)
    write_report(results, tmp_path)
    assert "all + " not in (tmp_path / "tables.md").read_text("utf-8")
    page = (tmp_path / "index.html").read_text("utf-8")
    assert set(re.findall('data-model="([^"]*)"', page)) == {"all"}


def test_it_is_said_whom_the_best_one_beats() -> None:
    text = said(many_models())
    assert "br differs significantly from homer and clr and mlnb" not in text
    assert re.search(
        r"br differs significantly from [a-z, ]+ and mlnb by Nemenyi's test, and", text
    )
    (contest,) = contests(many_models(), ["exact_match"])
    f_test = contest.friedman
    assert f_test is not None
    assert f"degrees of freedom (p = {f_test.f_p:.2g})" in " ".join(findings(contest))


def test_what_was_tried_is_marked() -> None:
    words = words_of(curve_chart(made_up(sizes=(5, 6, 25, 40)), "exact_match", "set0", "br"))
    assert words[-5:-2] == ["5", "25", "40"]  # there is no room for 6
    assert words[-2:] == ["number of features", "exact_match"]


def said(results: Results) -> str:
    return " ".join(conclusions(results, contests(results)))


def test_the_first_words_are_the_verdict() -> None:
    many = said(made_up(n_data=8, models=("br",), criteria=("scls", "mim", "random")))
    assert "best is scls (0.8" in many
    assert "last is random" in many
    assert "scls differs significantly from random by Nemenyi's test, and from no other." in many
    few = said(made_up(n_data=3, models=("br",)))
    assert "These are 3 data sets, too few for a test" in few
    assert "significant" not in few
    assert "no criterion reaches" not in few  # all features are the worst here
    one = said(made_up(n_data=1, models=("br",), noise=0.0))
    assert "This is one data set" in one
    assert "corrected resampled t-test" in one
    assert said(Results(made_up().settings, (), ("exact_match",))) == ""


def test_the_page_says_how_it_was_made(tmp_path: Path) -> None:
    results = made_up(n_data=2)
    records = tuple({**one, "shape": [1234, 40, 6]} for one in results.records)
    results = dataclasses.replace(results, records=records)
    write_report(results, tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<td>1,234</td><td>40</td><td>6</td>" in text
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", text)
    assert f"numpy {np.__version__}" in text
    bundled = DataSource("songs", str(datasets.path("songs")))
    alone = dataclasses.replace(results.settings, sources=(bundled,))
    assert command(dataclasses.replace(results, settings=alone)).endswith(" -o report songs")
    line = command(results)
    assert line.startswith(
        "mlfs compare -c scls -c mim -c random -c all -m br -m mlnb -n 5,10 --folds 3"
        " --metric exact_match --metric hamming_loss -o report set0 '"
    )
    assert html.escape(line) in text
    settings = dataclasses.replace(results.settings, options={"bins": "width", "n_bins": 4})
    line = command(dataclasses.replace(results, settings=settings))
    assert " --bins width:4 " in line
    tuned = (*results.settings.models, named(DecisionTreeClassifier()))
    settings = dataclasses.replace(results.settings, models=tuned)
    assert command(dataclasses.replace(results, settings=settings)) == ""


@pytest.mark.slow
def test_in_a_browser(tmp_path: Path) -> None:
    """The script of the page shows one view of each kind, and nothing goes wrong in it."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no chromium to open the page with")
    write_report(made_up(), tmp_path)
    page = tmp_path / "index.html"

    def opened() -> str:
        shown = subprocess.run(
            [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                f"--user-data-dir={tmp_path / 'profile'}", "--enable-logging=stderr", "--v=0",
                page.as_uri(),
            ],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        assert "Uncaught" not in shown.stderr
        assert "Content Security Policy" not in shown.stderr
        return shown.stdout

    dom = opened()
    assert dom.count("<select") == 3  # metric, model, number of features
    views = re.findall(r'<div class="view([^"]*)" data-metric="([^"]*)"', dom)
    visible = {metric for hidden, metric in views if "hidden" not in hidden}
    assert visible == {"exact_match"}
    assert {metric for _, metric in views} == {"exact_match", "hamming_loss"}

    # "all", the worst, is switched off, a mark is touched, and a table is sorted twice
    clicks = (
        "document.querySelectorAll('.key')[3].click();"
        "for (const mark of document.querySelectorAll('.mark'))"
        "  mark.dispatchEvent(new Event('click', {bubbles: true}));"
        "document.querySelector('.copy').click();"
        "for (const _ of '12') document.querySelector('#ranks th .sort').click();"
        "const chart = document.querySelector('svg[data-y]');"
        "for (const key of ['ArrowRight', 'ArrowRight']) "
        "chart.dispatchEvent(new KeyboardEvent('keydown', {key}));"
    )
    text = re.sub("<meta http-equiv[^>]*>", "", page.read_text(encoding="utf-8"))
    page.write_text(text.replace("</body>", f"<script>{clicks}</script></body>"), encoding="utf-8")
    after = opened()
    assert 'class="series off"' not in dom
    assert set(re.findall(r'class="series off" data-series="(.)"', after)) == {"3"}
    marks = [re.search(r'data-rows="[^"]*" transform="([^"]*)"', one) for one in (dom, after)]
    assert marks[0] is not None
    assert marks[1] is not None
    assert marks[0][1] != marks[1][1]  # the others have more room
    assert 'aria-sort="descending"' in after
    assert re.search(r'role="status">scls, 10 features: [^<]*; <a href="results.csv">', after)
    assert after.count('class="copy"') == after.count("<thead>")
    (table,) = re.findall(r'<section id="ranks">.*?</table>', after, re.DOTALL)
    names = re.findall(r"<tr><td>(.*?)</td>", table)
    assert names[1:-1] == [f"set{i}" for i in range(5, -1, -1)]
    assert names[-1] == "<b>average rank</b>"
