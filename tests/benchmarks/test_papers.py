"""The published tables: the stored results are well-formed, the page is theirs, cells come back."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.files import SkipCase
from benchmarks.papers import page
from benchmarks.papers.command import PAPERS as NAMES
from benchmarks.papers.command import paper_of
from benchmarks.papers.data import Part
from benchmarks.papers.published import METRICS, printed
from benchmarks.papers.run import run, stored
from benchmarks.papers.trials import appendix
from benchmarks.papers.trials.studies import STUDIES
from benchmarks.papers.verdict import verdicts
from tests.shared import SHARED, shared_data

PAPERS = {name: paper_of(name) for name in NAMES}


@pytest.mark.parametrize("name", PAPERS)
def test_results_are_well_formed(name):
    paper, document = PAPERS[name], stored(name)
    methods = {method for recipe in paper.recipes.values() for method in recipe.variants}
    assert document["command"] == f"python -m benchmarks.papers {name}"
    assert "numpy" in document["machine"]
    assert document["cells"]
    for key, cell in document["cells"].items():
        data, _, method = key.partition("/")
        assert data in paper.folds
        assert method in methods
        assert len(cell["folds"]) <= cell["of"]
        for fold in cell["folds"]:
            assert 0 <= fold["exact_match"] <= fold["hamming_score"] <= 1
            assert np.isclose(fold["hamming_loss"], 1 - fold["hamming_score"], atol=2e-6)


def test_the_page_is_what_the_results_say():
    assert page.PAGE.read_text(encoding="utf-8") == page.page()
    text = appendix.PAGE.read_text(encoding="utf-8")
    assert text == appendix.appendix()
    assert "<!-- table" not in text


def test_each_cell_is_within_or_has_its_reason():
    assert not page.unexplained()


def test_trials_know_their_readings():
    for study in STUDIES.values():
        for key, cell in stored(study.name)["cells"].items():
            data, _, reading = key.partition("/")
            assert data in study.folds
            assert reading in study.recipes
            assert len(cell["folds"]) <= study.runs(data)


@pytest.mark.parametrize(("off", "within"), [(1.9, True), (2.1, False)])
def test_a_cell_within_is_distinguished_from_one_that_is_not(off, within):
    cell = printed("000")[0]
    assert (cell.data, cell.method, cell.metric) == ("emotions", "BR", "exact_match")
    values = dict.fromkeys(METRICS.values(), 0.0)
    fold = {**values, cell.metric: cell.mean + off * cell.spread}
    found = next(verdicts("000", {"emotions/BR": {"of": 1, "folds": [fold]}}))
    assert found.within is within


@pytest.mark.parametrize("number", ["000", "002", "003", "004"])
def test_the_copied_numbers_are_those_of_the_tables(number):
    tables = {cell.table for cell in printed(number)}
    rows = {}
    for table in tables:
        text = shared_data(f"../papers/tables/{number}_table{table}.tsv").read_text("utf-8")
        for line in text.splitlines()[1:]:
            _, _, metric, data, method, mean, spread, *_ = line.split("\t")
            rows[table, METRICS.get(metric), data, method] = (mean, spread)
    for cell in printed(number):
        mean, spread = rows[cell.table, cell.metric, cell.data, cell.method]
        assert float(mean) == cell.mean
        assert (float(spread) if spread else None) == cell.spread


@pytest.mark.parametrize("model", ["br", "mlknn", "rakel"])
def test_models_of_pacc_count_their_labels(model):
    draw = np.random.default_rng(0)
    X, Y = draw.normal(size=(60, 5)), draw.integers(2, size=(60, 4))
    paper, recipe = PAPERS["pacc"], PAPERS["pacc"].recipes[model]
    part = Part(X, Y)
    fitted = recipe.make("emotions", part).fit(X, Y)
    for method in recipe.variants:
        assert 0 <= paper.measure(fitted, method, part)["hamming_loss"] < 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "data", "model"),
    [("pcc", "emotions", "pcc"), ("pacc", "emotions", "cc"), ("occ", "yeast", "br")],
)
def test_cells_come_back(name, data, model, tmp_path):
    if not (SHARED / data).exists():
        pytest.skip(f"needs the data set {data}")
    try:
        run(PAPERS[name], only_data=[data], only=[model], limit=300, folder=tmp_path, say=id)
    except SkipCase as why:
        pytest.skip(str(why))
    cells = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))["cells"]
    found = [
        one
        for one in verdicts(PAPERS[name].number, cells)
        if one.cell.metric in {"exact_match", "subset_loss"}
    ]
    assert found
    assert all(one.within for one in found)
