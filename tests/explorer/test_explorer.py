"""The page of an explorer selects as `mlfs.select` does, in a real browser, and sends nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mlfs
from mlfs import criteria
from mlfs.cli import main
from mlfs.explorer.folds import FOLDS, Arrays, is_faithful, terms_of
from tests.documents import ROOT
from tests.explorer.browser import chromium
from tests.problems import problem

CRITERIA = ("mim", "mrmr", "jmi", "cmim", "jmim", "scls", "mdmr", "d2f", "mri", "ami")
HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "\u202eabc",
    "x" * 10_000,
)


@pytest.fixture(scope="module")
def browser():
    with chromium() as tab:
        yield tab


def data_sets():
    """Four data sets; in one, columns tie, and in one, names are hostile."""
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (80, 14))
    twice = np.hstack([X[:, :6], X[:, :6], np.zeros((80, 1), int)])
    Y = np.stack([X[:, 0] > 1, (X[:, 1] + X[:, 2]) > 2, X[:, 3] == 1], axis=1).astype(int)
    names = [*HOSTILE, *(f"column {j}" for j in range(10))]
    labels = ("</script><b>", "b", "&amp;")
    given = problem(3)
    return {
        "songs": "songs",
        "ties": (twice, Y),
        "hostile": mlfs.data.from_arrays(X, Y, feature_names=names, label_names=labels),
        "small": (np.asarray(given.X), np.asarray(given.Y)),
    }


DATA = data_sets()


@pytest.mark.parametrize("name", DATA)
def test_the_page_picks_what_select_picks(name, browser, tmp_path):
    ready = mlfs.prepare(DATA[name], correction="none")
    page = mlfs.explore(ready, "jmi", 5)
    page.save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    assert {*CRITERIA} <= {*page.document["folds"]}
    columns, random = page.document["index"], np.random.default_rng(1)
    for criterion in CRITERIA:
        for _ in range(20):
            marked = random.permutation(len(columns))[: random.integers(6)].tolist()[
                : len(columns) // 2
            ]
            cut = int(random.integers(0, len(marked) + 1))
            force, forbid = marked[:cut], marked[cut:]
            n = int(random.integers(max(1, cut), len(columns) - len(forbid) + 1))
            changes = {"criterion": criterion, "n": n, "force": force, "forbid": forbid}
            picks = browser.run(f"explorer.select({json.dumps(changes)})")
            expected = mlfs.select(
                ready, criterion, n, include=[columns[j] for j in force],
                exclude=[columns[j] for j in forbid], correction="none",
            )  # fmt: skip
            assert [columns[pick["f"]] for pick in picks] == list(expected.indices)
            scores = [-np.inf if p["score"] is None else p["score"] for p in picks]
            assert scores == pytest.approx(expected.scores.tolist(), rel=1e-12, abs=1e-12)
            ties = [tuple(columns[j] for j in pick["ties"]) for pick in picks]
            assert ties == list(expected.ties)
            second = [columns[p["second"]] if p["second"] >= 0 else None for p in picks]
            assert second == list(expected.runners_up)


@pytest.mark.parametrize("name", DATA)
def test_nothing_leaves_the_page_and_names_do_nothing(name, browser, tmp_path):
    mlfs.explore(DATA[name], "scls", 5).save(tmp_path / "page.html")
    url = (tmp_path / "page.html").as_uri()
    browser.open(url)
    assert browser.requested() == [url]
    assert browser.run("document.querySelectorAll('img, main script, b').length") == 0
    width = "document.documentElement.scrollWidth"
    for size in (400, 1600):
        metrics = {"width": size, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.call("Emulation.setDeviceMetricsOverride", **metrics)
        assert browser.run(width) <= size


def test_keys_force_and_forbid_and_the_address_keeps_it(browser, tmp_path):
    mlfs.explore("songs", "jmi", 5).save(tmp_path / "page.html")
    url = (tmp_path / "page.html").as_uri()
    browser.open(url)
    press = """(key) => {
        const row = document.querySelector('#picks tbody tr');
        row.focus();
        row.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
        return [...document.querySelectorAll('#picks tbody tr')].map(r => Number(r.dataset.f));
    }"""
    first = mlfs.select("songs", "jmi", 5).indices
    after = browser.run(f"({press})('f')")
    assert tuple(after) == mlfs.select("songs", "jmi", 5, exclude=[first[0]]).indices
    address = browser.run("location.hash")
    assert f"forbid={first[0]}" in address
    browser.run(f"location.hash = '#c=mrmr&n=4&force={first[2]}&forbid={first[0]}'")
    picks = browser.run(
        "new Promise(done => setTimeout(() => done([...document.querySelectorAll("
        "'#picks tbody tr')].map(r => Number(r.dataset.f))), 100))"
    )
    expected = mlfs.select("songs", "mrmr", 4, include=[first[2]], exclude=[first[0]])
    assert tuple(picks) == expected.indices
    assert browser.run("document.querySelectorAll('button:not([aria-label])').length") == 0


def test_200_candidates_change_within_20_milliseconds_to_select(browser, tmp_path):
    random = np.random.default_rng(2)
    X, Y = random.integers(0, 2, (150, 260)), random.integers(0, 2, (150, 100))
    page = mlfs.explore((X, Y), "jmi", 20)
    assert len(page.document["names"]) >= 200
    html = page.to_html()
    assert len(html) < 1_000_000
    page.save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    script = """(() => {
        let least = Infinity;
        for (let i = 0; i < 30; i++) {
            const start = performance.now();
            explorer.select({ forbid: [i] });
            least = Math.min(least, performance.now() - start);
        }
        return least;
    })()"""
    assert browser.run(script) < 20


CONTRAST = """(() => {
    const light = (text) => {
        const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((x) => x / 255)
            .map((x) => (x > 0.03928 ? ((x + 0.055) / 1.055) ** 2.4 : x / 12.92));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (node) => {
        const colour = getComputedStyle(node).backgroundColor;
        return /, 0\\)$/.test(colour) && node.parentElement ? behind(node.parentElement) : colour;
    };
    const ratios = [...document.querySelectorAll("h1, h2, th, td, p, button, label, input, select")]
        .filter((node) => node.textContent.trim() && node.offsetParent)
        .map((node) => [light(getComputedStyle(node).color), light(behind(node))])
        .map(([a, b]) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
    return [light(behind(document.body)), Math.min(...ratios)];
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_in_both_schemes(scheme, browser, tmp_path):
    mlfs.explore("songs", "jmi", 5).save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.call("Emulation.setEmulatedMedia", features=features)
    browser.run("document.querySelector('#picks tbody tr').click()")
    paper, contrast = browser.run(CONTRAST)
    assert (paper < 0.05) == (scheme == "dark")
    assert contrast > 4.5
    browser.call("Emulation.setEmulatedMedia", features=[])


def test_on_paper_there_are_the_picks_and_no_buttons(browser, tmp_path):
    mlfs.explore("songs", "jmi", 5).save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.call("Emulation.setEmulatedMedia", media="print", features=dark)
    shown = "[...document.querySelectorAll('{}')].filter((n) => n.offsetParent).length"
    assert browser.run(shown.format("button, input, select")) == 0
    assert browser.run(shown.format("#picks tbody tr")) == 5
    assert browser.run(CONTRAST)[0] == 1
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
    assert len(browser.call("Page.printToPDF")["data"]) > 10_000


def test_what_can_be_reached_has_a_name(browser, tmp_path):
    mlfs.explore("songs", "jmi", 5, resamples=20).save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    browser.run("document.querySelector('#picks tbody tr').click()")
    browser.run("document.querySelector('details').open = true")
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    names = {}
    for node in nodes:
        focusable = any(p["name"] == "focusable" for p in node.get("properties", ()))
        role = node["role"]["value"]
        if role in {"image", "img", "table"} or (focusable and role != "RootWebArea"):
            names.setdefault(role, []).append(node.get("name", {}).get("value", ""))
    assert {role for role, each in names.items() if not all(each)} == set()
    assert {"button", "combobox", "searchbox", "spinbutton", "row", "table"} <= {*names}
    images = {"map of candidates", "symmetrical uncertainty of the picks, in their order"}
    assert images <= {*names.get("image", ()), *names.get("img", ())}
    assert "criterion" in {name.strip() for name in names["combobox"]}
    assert "forbid drums" in names["button"]


def test_substitutes_are_shown_until_the_picks_are_others(browser, tmp_path):
    page = mlfs.explore("songs", "jmi", 5, resamples=40)
    page.save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    expected = mlfs.certainty(mlfs.select("songs", "jmi", 5), "songs", resamples=40)
    assert [each["index"] for each in page.document["sure"]] == list(expected.indices)
    first = expected.certainty[0]
    browser.run("document.querySelector('#picks tbody tr').click()")
    cells = "[...document.querySelectorAll('[aria-label=substitutes] tbody tr')]"
    shown = browser.run(f"{cells}.map((r) => Number(r.dataset.f))")
    assert shown == [entry.index for entry in first.substitutes]
    kept = browser.run("document.querySelector('#picks tbody tr').cells[9].textContent")
    assert kept == f"{100 * first.kept:.0f} %"
    browser.run("document.querySelector('[aria-label^=forbid]').click()")
    assert browser.run(f"{cells}.length") == 0


def test_the_report_of_a_comparison_opens_explorers(browser, tmp_path):
    report = tmp_path / "report"
    results = mlfs.compare.run(
        {"a <b>": mlfs.datasets.load_songs()}, ["mlcfs", "jmi"], "br", 4, folds=2
    )
    mlfs.compare.write_report(results, report)
    index = (report / "index.html").as_uri()
    browser.call("Page.navigate", url=index)
    browser.open(index.replace("index.html", "explorer-a_b.html"))
    assert (report / "explorer-a_b.html").read_text(encoding="utf-8").count("<b>") == 0
    assert 'href="explorer-a_b.html">explore a &lt;b&gt;</a>' in (report / "index.html").read_text(
        encoding="utf-8"
    )
    assert browser.run("explorer.state.criterion") == "jmi"


@pytest.mark.parametrize("name", FOLDS)
def test_a_declared_fold_is_its_criterion(name):
    given = problem(5)
    view = mlfs.Info.from_codes(given.X, given.Y)
    arrays, criterion = Arrays.of(view), criteria.get(name)[1]
    assert is_faithful(FOLDS[name], arrays, criterion, view)
    for s in range(view.d):
        ours = terms_of(FOLDS[name], arrays, s)
        if FOLDS[name].parts:
            assert ours == pytest.approx(
                np.broadcast_to(criterion.term(view, s), view.d), abs=1e-12
            )


def test_a_criterion_whose_terms_are_others_is_not_offered():
    view = mlfs.prepare("songs", correction="none").info
    assert not is_faithful(FOLDS["ami"], Arrays.of(view), criteria.get("mrmr")[1], view)


def test_the_command_writes_the_page(tmp_path, capsys):
    target = tmp_path / "page.html"
    assert main(["explore", "-c", "jmi", "-n", "5", "-o", str(target), "songs"]) == 0
    assert target.read_text(encoding="utf-8") == mlfs.explore("songs", "jmi", 5).to_html()
    assert main(["explore", "-c", "mlcfs", "-o", str(tmp_path / "x.html"), "songs"]) == 2
    assert "--criterion is 'mlcfs', which a page cannot compute" in capsys.readouterr().err


def test_the_page_is_small():
    assert len(mlfs.explore("songs").to_html()) < 60_000


def test_the_page_of_the_site_is_current():
    page = (ROOT / "docs" / "assets" / "explorer.html").read_text(encoding="utf-8")
    again = 'mlfs.explore("songs", "jmi", 8).save("docs/assets/explorer.html")'
    assert page == mlfs.explore("songs", "jmi", 8).to_html(), f"run {again}"
