"""`mlfs.pairs` and `mlfs pairs`: what is found, shown and written, and `n="auto"` with pairs."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mutual_info_score

import mlfs
from mlfs.api.text import table
from mlfs.cli import main
from mlfs.errors import UsageError


def fraud(seed=0, n=800):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 10)).round(2), columns=[f"x{j}" for j in range(10)])
    frame["colour"] = rng.choice(["red", "green", "blue"], n)
    frame["key"] = [f"k{i}" for i in range(n)]
    differ = (frame["x3"] > 0) ^ (frame["colour"] == "red")
    label = np.where(rng.random(n) < 0.7, differ, rng.random(n) < 0.5)
    return frame, pd.DataFrame({"fraud": label.astype(int), "other": frame["x5"].gt(0).astype(int)})


def test_a_pair_is_described_by_its_levels():
    X, Y = fraud()
    (pair,) = found = mlfs.pairs((X, Y))
    assert (pair.first, pair.second, pair.label) == ("x3", "colour", "fraud")
    assert pair.index == (3, 10)
    assert found.n_columns == 11  # the key names a row
    assert found.n_pairs == 55
    assert {cell["second"] for cell in pair.cells} == {"red", "green", "blue"}
    assert sum(cell["rows"] for cell in pair.cells) == 800
    cell = pair.cells[0]
    low, high = map(float, cell["first"].split(" to "))
    rows = X["x3"].between(low - 1e-9, high + 1e-9) & (X["colour"] == cell["second"])
    assert cell["rows"] == rows.sum()
    assert cell["share"] == pytest.approx(Y["fraud"][rows].mean())
    assert pair.synergy == pytest.approx(pair.together - sum(pair.alone))
    assert pair.synergy > 0.05


def test_synergy_is_that_of_the_information_functions():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (400, 4))
    Y = np.stack([(X[:, 0] > 0) ^ (X[:, 1] > 0), X[:, 2] > 0], axis=1).astype(int)
    (pair,) = mlfs.pairs((X, Y))
    columns = np.column_stack([X[:, :2], 3 * X[:, 0] + X[:, 1]])
    told = mutual_info_score
    assert pair.together == pytest.approx(told(columns[:, 2], Y[:, 0]))
    assert pair.alone == pytest.approx([told(columns[:, j], Y[:, 0]) for j in (0, 1)])
    other = told(columns[:, 2], Y[:, 1]) - sum(told(columns[:, j], Y[:, 1]) for j in (0, 1))
    assert pair.synergy_of_labels == pytest.approx(pair.synergy + other)


def test_every_form_has_every_pair():
    found = mlfs.pairs(fraud())
    assert json.loads(json.dumps(found.to_dict()))["found"][0]["second"] == "colour"
    assert found.to_frame()["first"].tolist() == ["x3"]
    assert "x3,colour,fraud" in found.to_csv()
    assert "x3" in found.table()
    assert "<td" in found.to_html()
    assert repr(found) == "<Pairs: 1 of 55: x3 x colour>"
    none = mlfs.pairs("songs")
    assert len(none) == 0
    assert "none of 276 pairs" in none.table()
    assert none.to_csv().startswith("first,second")
    assert none.to_frame().empty


def test_a_map_has_a_cell_for_each_pair():
    pytest.importorskip("matplotlib")
    ax = mlfs.pairs(fraud()).plot()
    assert np.isfinite(np.ma.filled(ax.images[0].get_array(), np.nan)).sum() == 1
    with pytest.raises(UsageError, match="no pair of columns"):
        mlfs.pairs("songs").plot()


def test_a_selection_without_options_picks_both_columns():
    X, Y = fraud()
    for criterion in ("scls", "cmim", "mrmr"):
        selection = mlfs.select((X, Y), criterion)
        assert {*selection.names} == {"x3", "colour", "x5"}
    assert {told.label: told.picked for told in selection.told_by} == {"fraud": True, "other": True}
    by_label = {told.label: {told.name, told.partner} for told in selection.told_by}
    assert by_label == {"fraud": {"x3", "colour"}, "other": {"x5", None}}
    assert " with " in table(selection)
    assert "colour" not in mlfs.select((X, Y), exclude=["colour"]).names
    per_label = mlfs.select((X, Y), n="auto", per_label=True)
    assert {*per_label.labels["fraud"].names} == {"x3", "colour"}


def test_where_pairs_are_not_looked_at_and_a_label_is_not_told_a_note_says_so():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (800, 1500))
    Y = np.stack([X[:, 0] ^ X[:, 1], X[:, 2] ^ (rng.random(800) < 0.1)], axis=1)
    selection = mlfs.select((X, Y))
    assert selection.indices == (2,)
    assert any("too many pairs of columns" in note for note in selection.notes)
    few = mlfs.select((X[:, :40], Y))
    assert {*few.indices} == {0, 1, 2}
    assert not any("pairs" in note for note in few.notes)
    (pair,) = mlfs.pairs((X, Y))
    assert pair.index == (0, 1)


def test_an_interaction_within_strata_is_found():
    X, Y = fraud()
    site = np.random.default_rng(0).integers(0, 4, len(X))
    (pair,) = mlfs.pairs((X, Y), given=site)
    assert (pair.first, pair.second) == ("x3", "colour")


def test_the_command_writes_what_the_function_finds(tmp_path, capsys):
    X, Y = fraud()
    path = tmp_path / "fraud.csv"
    pd.concat([X, Y], axis=1).to_csv(path, index=False)
    arguments = ["pairs", "--labels", "fraud,other", str(path)]
    assert main([*arguments, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["found"][0]["first"] == "x3"
    assert main([*arguments, "-o", str(tmp_path / "pairs.txt")]) == 0
    assert "x3" in (tmp_path / "pairs.txt").read_text()
    assert main([*arguments, "--most", "0"]) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [({"most": 0}, "most"), ({"alpha": 2}, "alpha"), ({"groups": {"g": [0, 1]}}, "groups")],
)
def test_what_is_wrong_is_said(options, said):
    with pytest.raises(UsageError, match=said):
        mlfs.pairs(fraud(), **options)
