"""The report of a comparison: the same numbers in every file, safe names, no network."""

from __future__ import annotations

import base64
import csv
import dataclasses
import hashlib
import io
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from mlfs.compare.contest import Contest, contests, sizes_of
from mlfs.compare.data_sources import DataSource
from mlfs.compare.named import named
from mlfs.compare.overlap import overlaps
from mlfs.compare.report import write_report
from mlfs.compare.resampling import Folds
from mlfs.compare.results import SELDOM, Results, plain_cell, text_of_cell
from mlfs.compare.settings import Settings, size
from mlfs.errors import UsageError
from mlfs.metrics import METRICS

NASTY = "x<script>alert(1)</script>|&%_$"


def made_up(
    n_data: int = 7,
    criteria: tuple[str, ...] = ("scls", "mim", "random", "all"),
    models: tuple[str, ...] = ("br", "mlnb"),
    sizes: tuple[int, ...] = (5, 10),
    seed: int = 0,
    noise: float = 0.02,
    **more: Any,
) -> Results:
    """Results that were never computed: each criterion is a little worse than the one before."""
    generator = np.random.default_rng(seed)
    names = [f"set{i}" for i in range(n_data - 1)] + [NASTY]
    settings = Settings(
        tuple(DataSource(name, digest=f"{i:064d}") for i, name in enumerate(names)),
        tuple(map(named, criteria)),
        tuple(map(named, models)),
        tuple(map(size, sizes)),
        Folds(3),
    )
    records = []
    for cell in settings.cells():
        at = [str(one) for one in settings.rankers].index(str(cell.ranker))
        good = 0.8 - 0.1 * at + noise * generator.random()
        count = 40 if str(cell.size) == "all" else int(cell.size.text)
        chosen = generator.permutation(40)[:count].tolist()
        records.append(
            {
                "key": cell.key, "cell": cell.to_dict(), "status": "ok", "note": "",
                "metrics": {
                    name: good if metric.higher_is_better else 1 - good
                    for name, metric in METRICS.items()
                },
                "features": float(count), "selected": chosen,
                "names": [f"f{j}{NASTY}" for j in chosen], "columns": 40,
                "select_seconds": 0.01 * (at + 1), "fit_seconds": 0.1, "predict_seconds": 0.01,
                "peak_mb": 12.5,
            }
        )  # fmt: skip
    return Results(settings, tuple(records), ("exact_match", "hamming_loss"), **more)


def by_hand(results: Results, metric: str, criterion: str, model: str, n: str) -> list[float]:
    """The mean over the splits on each data set."""
    means = []
    for source in results.settings.sources:
        values = [
            record["metrics"][metric]
            for record in results.records
            if record["status"] == "ok"
            and (record["cell"]["data"], record["cell"]["criterion"], record["cell"]["model"])
            == (source.name, criterion, model)
            and record["cell"]["n"] in {n, "all"}
        ]
        means.append(float(np.mean(values)))
    return means


def test_contests_are_about_the_means() -> None:
    results = made_up()
    assert sizes_of(results) == ["5", "10", "mean"]
    found = {(one.metric, one.n, one.model): one for one in contests(results)}
    assert len(found) == 2 * 3 * 3
    one = found["hamming_loss", "10", "br"]
    assert one.methods == ("scls", "mim", "random", "all")
    columns = [by_hand(results, "hamming_loss", c, "br", "10") for c in one.methods]
    np.testing.assert_allclose(one.mean, np.array(columns).T)
    assert one.average_ranks.tolist() == [1, 2, 3, 4]
    assert one.friedman is not None
    assert one.friedman.chi2 == pytest.approx(stats.friedmanchisquare(*columns).statistic)
    assert one.pairs[0].wins == 7
    both = found["exact_match", "mean", ""]
    assert len(both.methods) == 8
    five, ten = (by_hand(results, "exact_match", "scls", "br", n) for n in ("5", "10"))
    np.testing.assert_allclose(both.mean[:, 0], (np.array(five) + np.array(ten)) / 2)


def test_few_data_sets_are_underpowered_and_nothing_is_drawn(tmp_path: Path) -> None:
    results = made_up(5)
    assert all(one.friedman is None and not one.pairs for one in contests(results))
    write_report(results, tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "underpowered: 5 data sets" in page
    assert "critical difference (Nemenyi" not in page
    assert "Friedman test over" not in page


def test_the_paper_has_ranks_and_tests_of_pairs(tmp_path: Path) -> None:
    write_report(made_up(n_data=8), tmp_path)
    tex = (tmp_path / "tables.tex").read_text(encoding="utf-8")
    assert re.search(r"set0 & \$\\mathbf\{0\.\d+\}\\pm [\d.]+\$ \(1\) &", tex)
    assert "Wilcoxon and Bayesian signed-rank tests of all pairs" in tex
    assert re.search(r"^scls & mim & 8-0-0 & 0 & 0\.0078\d* & ", tex, re.MULTILINE)


def test_a_data_set_that_lacks_a_method_is_not_ranked() -> None:
    results = made_up(8)
    victim = results.settings.sources[2].name
    left = tuple(
        {**record, "status": "failed", "metrics": {}, "note": "no"}
        if (record["cell"]["data"], record["cell"]["criterion"]) == (victim, "mim")
        else record
        for record in results.records
    )
    found = contests(Results(results.settings, left, ("exact_match",)))
    assert all(one.complete.tolist() == [0, 1, 3, 4, 5, 6, 7] for one in found)


def test_all_files_say_the_same(tmp_path: Path) -> None:
    results = made_up(notes=("a note",), noise=0.8)
    told = write_report(results, tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    files = {"results.csv", "results.json", "tables.md", "tables.tex", "index.html"}
    assert names == files | {"figures"}
    document = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert document["schema"] == 1
    assert document["notes"] == ["a note"]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "results.csv").read_text("utf-8"))))
    assert len(rows) == len(results.records) * len(METRICS.keys() - SELDOM)
    text = {name: (tmp_path / name).read_text(encoding="utf-8") for name in files}
    for contest in document["contests"]:
        for j, method in enumerate(contest["methods"]):
            rank = f"{contest['average_ranks'][j]:.2f}"
            for name in ("tables.md", "index.html", "tables.tex"):
                assert rank in text[name], method
        f = f"{contest['friedman']['f']:.3f}"
        assert f"F_F = {f}" in text["tables.md"]
        assert f"F_F = {f}" in text["index.html"]
    assert "Nemenyi" in text["index.html"]
    assert "Friedman" in text["index.html"]
    assert "rank 1" in told or "rank 2" in told


def test_overlaps() -> None:
    results = made_up()
    one = overlaps(results)[0]
    assert one.criteria == ("scls", "mim", "random")
    assert np.diag(one.shared).tolist() == [1.0, 1.0, 1.0]
    assert (one.shared == one.shared.T).all()
    assert one.often["set0", "scls"][0][1] >= one.often["set0", "scls"][-1][1]
    assert -1 <= one.stability["set0", "mim"][0] <= 1


class _Page(HTMLParser):
    """What a page would fetch, and what its elements are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [value or "" for key, value in attrs if key in {"src", "href", "data"}]


def test_the_page_is_one_file_and_names_are_only_text(tmp_path: Path) -> None:
    write_report(made_up(), tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    page = _Page(text)
    assert page.fetched == []
    assert page.tags.count("script") == 1
    assert "url(" not in text
    assert "alert(1)</script>" not in text
    assert page.tags.count("svg") > 10


def test_a_formula_is_plain_text_in_latex(tmp_path: Path) -> None:
    write_report(made_up(), tmp_path)
    text = (tmp_path / "tables.tex").read_text("utf-8")
    assert r"\textless{}" in text
    assert "<" not in text


def test_the_page_says_what_stands_behind_a_mean(tmp_path: Path) -> None:
    write_report(made_up(), tmp_path)
    assert "± one standard deviation" in (tmp_path / "index.html").read_text("utf-8")


def test_names_cannot_break_the_tables(tmp_path: Path) -> None:
    write_report(made_up(), tmp_path)
    for line in (tmp_path / "tables.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and "average rank" in line:
            width = len(re.findall(r"(?<!\\)\|", line))
            assert width in {6, 10}
        if "alert" in line and line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in {6, 7, 10}
    tex = (tmp_path / "tables.tex").read_text(encoding="utf-8")
    rows = [line for line in tex.splitlines() if "alert" in line]
    assert rows
    for row in rows:
        assert r"\$" in row
        assert r"\_" in row
        assert r"\%" in row
        assert 1 <= len(re.findall(r"(?<!\\)&", row)) <= 8


ODD = "=1+1\n\x1b[31m<img src=x>![a](http://b)\u202e|`c`"


def odd_results() -> Results:
    """A comparison of a data set whose name is an attack, with a note that is one too."""
    results = made_up()
    source = dataclasses.replace(results.settings.sources[0], name=ODD)
    settings = dataclasses.replace(results.settings, sources=(source,))
    own = results.settings.sources[0].name
    records = tuple(
        {**one, "cell": {**one["cell"], "data": ODD}}
        for one in results.records
        if one["cell"]["data"] == own
    )
    return dataclasses.replace(results, settings=settings, records=records, notes=(ODD,))


def test_control_characters_and_markup_of_names_do_nothing(tmp_path: Path) -> None:
    write_report(odd_results(), tmp_path)
    for name in ("index.html", "tables.md", "tables.tex"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "1+1" in text
        assert "<img" not in text or name == "tables.tex"
        assert not {char for char in text if not char.isprintable()} - {"\n"}
    assert not re.search(r"(?<!\\)\]\(", (tmp_path / "tables.md").read_text(encoding="utf-8"))
    for line in (tmp_path / "tables.md").read_text(encoding="utf-8").splitlines():
        assert not line.startswith("\x1b")
        assert line.count("1+1") <= 1 or line.startswith(("- ", "|"))
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ET.fromstring(svg)


def test_the_page_may_run_its_own_script_and_fetch_nothing(tmp_path: Path) -> None:
    write_report(made_up(), tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}'; ")


def test_no_cell_is_a_formula_and_every_text_reads_back() -> None:
    rows = list(csv.DictReader(io.StringIO(odd_results().to_csv())))
    assert {row["data"] for row in rows} == {"'" + ODD}
    for text in ("=1", "'=1", "''", "'a", "a", "", "-1", "+1", "@x", "\tx", "－1"):
        assert text_of_cell(plain_cell(text)) == text
        assert not plain_cell(text).startswith(("=", "+", "-", "@", "\t", "－"))
    assert all(float(row["value"]) <= 1 for row in rows)


def test_failed_and_interrupted_are_shown(tmp_path: Path) -> None:
    results = made_up()
    broken = {
        **{key: results.records[0][key] for key in ("key", "cell")},
        "status": "failed", "note": "it <b>broke</b>",
    }  # fmt: skip
    part = Results(results.settings, (broken, *results.records[1:9]), ("exact_match",), True)
    write_report(part, tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Interrupted: not all cells are done" in page
    assert "it &lt;b&gt;broke&lt;/b&gt;" in page
    assert "it &lt;b&gt;broke" in (tmp_path / "tables.md").read_text(encoding="utf-8")
    assert "interrupted" in (tmp_path / "tables.md").read_text(encoding="utf-8")


def test_nothing_done_yet_is_a_report_too(tmp_path: Path) -> None:
    results = made_up()
    assert write_report(Results(results.settings, (), ("exact_match",)), tmp_path) == (
        "nothing is done yet\n"
    )


def test_one_method_is_nothing_to_compare() -> None:
    found = contests(made_up(criteria=("scls",), models=("br",)))
    assert {one.doubt for one in found} == {"one method: nothing to compare"}
    assert all(isinstance(one, Contest) for one in found)


def test_tables_of_a_paper_have_labels_and_fit_a_page(tmp_path):
    results = made_up(3, criteria=("scls", "mim", "jmi", "mrmr", "ami", "cmim", "d2f"))
    write_report(results, tmp_path / "all")
    text = (tmp_path / "all" / "tables.tex").read_text(encoding="utf-8")
    labels = re.findall(r"\\label\{tab:(.*?)\}", text)
    assert len(labels) == len(set(labels)) == text.count(r"\begin{table}")
    assert any(label.endswith("-2") for label in labels)
    for columns, body in re.findall(r"\\begin\{tabular\}\{(lr*)\}(.*?)\\end", text, re.DOTALL):
        rows = [row for row in body.splitlines() if row.endswith(r"\\")]
        assert {row.count(" & ") for row in rows} == {len(columns) - 1}
    write_report(results, tmp_path / "some", tables=("mean", "rank"))
    some = (tmp_path / "some" / "tables.md").read_text(encoding="utf-8")
    assert "±" not in some
    assert "** (1)" in some
    write_report(results, tmp_path / "ranks", tables=("rank",))
    assert "** (1)" not in (tmp_path / "ranks" / "tables.md").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match=r"tables is some of mean, sd and rank, .* not 'sd'"):
        write_report(results, tmp_path / "none", tables=("sd",))
