"""The options of a panel: what they mean for columns, labels and groups, and what is refused."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import mlfs
from mlfs import FeatureSelector, UnknownName, UsageError
from mlfs.api.text import render
from mlfs.cli import main

SONGS = mlfs.datasets.load_songs()
NAMES = list(SONGS.names)
READY = mlfs.prepare(SONGS)


def test_at_least_counts_what_the_test_of_auto_finds():
    panel = mlfs.select(READY, "jmi", 6, panel=mlfs.Panel(at_least={"calm": 4}))
    alone = mlfs.select(READY, "jmi", "auto", per_label=True)
    test = alone.labels["calm"].significance
    telling = {*test.columns[test.informative].tolist()}
    assert {*panel.indices[:4]} <= telling
    for column, terms in zip(panel.indices, panel.terms_of_panel, strict=True):
        assert terms.tells == (("calm",) if column in telling else ())


def test_at_least_holds_per_label_for_the_label_itself():
    panel = mlfs.select(READY, "jmi", 5, panel=mlfs.Panel(at_least={"*": 5}), per_label=True)
    for label, ranking in panel.labels.items():
        assert all(terms.tells in ((label,), ()) for terms in ranking.terms_of_panel)
    assert panel.terms_of_panel == ()


def test_at_least_goes_on_where_auto_would_stop():
    plain = mlfs.select(READY, "scls", "auto")
    more = mlfs.select(READY, "scls", "auto", panel=mlfs.Panel(at_least={"happy": len(plain) + 2}))
    told = sum("happy" in terms.tells for terms in more.terms_of_panel)
    assert told >= len(plain) + 2 or any("happy" in note for note in more.notes)


def test_groups_stay_columns_with_at_most():
    groups = {"first": NAMES[:6], "second": NAMES[6:18]}
    merged = mlfs.select(SONGS, "jmi", 4, groups=groups)
    panel = mlfs.select(SONGS, "jmi", 6, panel=mlfs.Panel(groups=groups, at_most=2))
    assert merged.groups
    assert not panel.groups
    for columns in groups.values():
        assert sum(name in columns for name in panel.names) == 2
    named = mlfs.select(SONGS, "jmi", 6, panel=mlfs.Panel(groups=groups, at_most={"first": 1}))
    assert sum(name in groups["first"] for name in named.names) == 1
    assert sum(name in groups["second"] for name in named.names) > 2


def test_a_panel_without_effect_is_the_selection():
    everything = {"groups": {"all": NAMES}, "at_most": len(NAMES)}
    loose = mlfs.Panel(**everything, cost=[1] * len(NAMES), budget=len(NAMES))
    for criterion in ("jmi", "mrmr", "cmim", "mim", "jmi3", "mlcfs"):
        panel = mlfs.select(READY, criterion, 6, panel=loose)
        assert panel.picks == mlfs.select(READY, criterion, 6).picks
        assert not any(terms.bound for terms in panel.terms_of_panel)


def test_costs_of_merged_columns_add_up():
    groups = {"both": NAMES[2:4]}
    panel = mlfs.select(
        SONGS, "mim", 24 - 1, groups=groups, panel=mlfs.Panel(cost={"*": 2}, rule="score")
    )
    costs = dict(zip(panel.names, panel.terms_of_panel, strict=True))
    assert costs[NAMES[2]].cost == costs[NAMES[3]].cost == 4.0
    assert costs[NAMES[0]].cost == 2.0


def test_costs_by_name_glob_number_and_place_agree():
    values = np.arange(1.0, len(NAMES) + 1)
    by_name = dict(zip(NAMES, values, strict=True))
    expected = mlfs.select(READY, "jmi", "all", panel=mlfs.Panel(cost=values, budget=60))
    assert (
        mlfs.select(READY, "jmi", "all", panel=mlfs.Panel(cost=by_name, budget=60)).picks
        == expected.picks
    )
    numbered = {"*": 1, **dict(enumerate(values))}
    assert (
        mlfs.select(READY, "jmi", "all", panel=mlfs.Panel(cost=numbered, budget=60)).picks
        == expected.picks
    )
    spent = sum(terms.cost for terms in expected.terms_of_panel)
    assert spent <= 60


def test_the_json_has_the_terms_and_reads_back():
    cost = {"*": 1, "drums": 30}
    panel = mlfs.select(
        READY, "jmi", 5, panel=mlfs.Panel(at_least={"sad": 2}, cost=cost, budget=20)
    )
    document = json.loads(json.dumps(panel.to_dict()))
    assert document["settings"]["panel"]["at_least"] == {"sad": 2}
    assert document["selected"][0]["panel"]["bound"]
    assert mlfs.Selection.from_json(document).terms_of_panel == panel.terms_of_panel
    assert "price" in panel.to_frame()


def test_the_transformer_makes_panels():
    X, Y = np.random.default_rng(0).integers(0, 3, (60, 6)), np.eye(3, dtype=int)[[0, 1, 2] * 20]
    selector = FeatureSelector("jmi", 3, panel=mlfs.Panel(cost=[1, 2, 3, 4, 5, 6], budget=6)).fit(
        X, Y
    )
    expected = mlfs.select((X, Y), "jmi", 3, panel=mlfs.Panel(cost=[1, 2, 3, 4, 5, 6], budget=6))
    assert tuple(selector.indices_) == expected.indices


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at_least": {"calmly": 1}}, "unknown label in at_least 'calmly': did you mean 'calm'?"),
        ({"at_least": {"calm": 0}}, "at_least of 'calm' is a whole number of at least 1, not 0"),
        ({"at_least": 3}, "at_least is a mapping from labels to numbers of picks, not 3"),
        ({"at_most": 1}, "at_most is given, and no groups are"),
        ({"at_most": {"x": 1}, "groups": {"g": [0]}}, "unknown group in at_most 'x'"),
        ({"groups": {"g": [0]}}, "groups is given, and no number of picks"),
        ({"rule": "cheap"}, "rule is 'ratio' or 'score', not 'cheap'"),
        ({"budget": 3}, "budget is given, and no column costs anything"),
        ({"rule": "score"}, "rule is given, and no costs are"),
        ({"cost": {"tempo": 1}}, "cost names none for 'loudness' and 22 other columns"),
        ({"cost": {"*": 0}}, "cost of '*' is a number above 0, not 0"),
        ({"cost": [1, 2]}, "cost maps columns to costs, or has one for each of 24 columns"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises((UsageError, UnknownName)) as caught:
        mlfs.select(SONGS, "jmi", 3, panel=mlfs.Panel(**options))
    assert str(caught.value).startswith(message)


def test_data_prepared_with_groups_are_refused_with_at_most():
    ready = mlfs.prepare(SONGS, groups={"g": NAMES[:2]})
    with pytest.raises(UsageError, match="prepare the data without groups"):
        mlfs.select(ready, "jmi", 3, panel=mlfs.Panel(groups={"g": NAMES[:2]}, at_most=1))


def test_the_command_makes_the_same_panel(tmp_path, capsys):
    groups, costs = tmp_path / "groups.csv", tmp_path / "costs.csv"
    rows = "".join(f"{name},g{j // 6}\n" for j, name in enumerate(NAMES))
    groups.write_text("column,group\n" + rows)
    rows = "".join(f"{name},{j + 1}\n" for j, name in enumerate(NAMES))
    costs.write_text("feature,cost\n" + rows)
    code = main([
        "select", "-c", "jmi", "-n", "5", "--at-least", "calm=2", "--at-most", "1",
        "--group", str(groups), "--cost", str(costs), "--budget", "40", "--format", "json",
        "songs",
    ])  # fmt: skip
    assert code == 0
    out = capsys.readouterr().out
    panel = mlfs.Panel(
        at_least={"calm": 2},
        at_most=1,
        groups=[f"g{j // 6}" for j in range(24)],
        cost=range(1, 25),
        budget=40,
    )
    expected = mlfs.select(SONGS, "jmi", 5, panel=panel)
    assert [pick["name"] for pick in json.loads(out)["selected"]] == list(expected.names)


def test_csv_has_what_constraints_did():
    groups = {"rhythm": ["drums", "*tempo", "beat_strength"]}
    panel = mlfs.select(
        "songs", "jmi", 4, panel=mlfs.Panel(groups=groups, at_most=1, at_least={"calm": 1})
    )
    rows = list(csv.DictReader(io.StringIO(render(panel, "csv"))))
    bound, price = rows[3]["bound"], float(rows[3]["price"])
    assert (bound, rows[3]["instead_of"], rows[3]["cost"]) == ("at_most rhythm", "0", "")
    assert price == panel.terms_of_panel[3].price
    assert rows[0]["tells"] == "calm"
    assert "bound" not in render(mlfs.select("songs", "jmi", 4), "csv")


def test_the_command_refuses_a_damaged_table(tmp_path, capsys):
    costs = tmp_path / "costs.csv"
    costs.write_text("tempo\n")
    assert main(["select", "--cost", str(costs), "songs"]) == 1
    assert "has one cell: --cost takes a table of columns and cost" in capsys.readouterr().err
    assert main(["select", "--at-least", "calm", "songs"]) == 2
    assert "--at-least is given as LABEL=N, not 'calm'" in capsys.readouterr().err


def test_an_explanation_says_what_a_constraint_cost():
    groups = {"rhythm": ["drums", "*tempo", "beat_strength"]}
    panel = mlfs.select("songs", "jmi", 4, panel=mlfs.Panel(groups=groups, at_most=1))
    words = (
        "  bound by            at_most rhythm; without, tempo (index 0), better by 0.067399 nats"
    )
    for shown in (panel.explain(), mlfs.explain("songs", panel)):
        assert words in str(shown)
        assert shown[3].to_dict()["panel"]["price"] == pytest.approx(0.067399, abs=1e-6)
    assert "bound by" not in str(mlfs.explain("songs", panel, ["tempo"]))


@pytest.mark.parametrize("budget", [None, 30])
def test_how_sure_a_panel_is(budget):
    costs = dict(zip(NAMES, np.arange(1.0, len(NAMES) + 1), strict=True))
    loose = mlfs.Panel(cost={"*": 1}, budget=len(NAMES))
    plain = mlfs.certainty(mlfs.select(READY, "jmi", 4), READY, resamples=20)
    panel = mlfs.certainty(mlfs.select(READY, "jmi", 4, panel=loose), READY, resamples=20)
    assert panel.certainty == plain.certainty
    tight = mlfs.Panel(at_least={"calm": 2}, cost=costs, budget=budget)
    picked = mlfs.select(READY, "jmi", 4, panel=tight)
    sure = mlfs.certainty(picked, READY, resamples=20, permutations=20)
    spent = 0.0
    for pick, terms in zip(sure.chosen, sure.terms_of_panel, strict=True):
        for other in pick.certainty.substitutes:
            assert budget is None or spent + costs[other.name] <= budget
        assert pick.certainty.p is not None
        spent += terms.cost
    assert sum(pick.certainty.kept for pick in sure.chosen) > 1


def test_of_whom_a_constraint_allows_the_best_is_kept():
    """The picks of a panel whose constraint leaves one candidate are kept in every half."""
    alone = mlfs.Panel(groups={"g": NAMES[1:]}, at_most=1)
    picked = mlfs.select(READY, "mim", 2, panel=alone, include=NAMES[5])
    sure = mlfs.certainty(picked, READY, resamples=20)
    assert (sure.indices, sure.certainty[0]) == ((5, 0), None)
    assert (sure.certainty[1].kept, sure.certainty[1].substitutes) == (1.0, ())


def cells(exclusive: bool = True):
    """Genes that mark a type of cells each, of which one is rare."""
    rng = np.random.default_rng(1)
    kinds = np.array(["B", "NK", "T", "DC"])
    types = rng.choice(kinds, 1200, p=[0.3, 0.3, 0.37, 0.03])
    marked = np.repeat(kinds, 6)
    genes = rng.poisson(np.where(types[:, None] == marked, 2.5, 0.6))
    Y = (types[:, None] == kinds).astype(int)
    if not exclusive:
        Y[0, :2] = 1
    names = {"feature_names": [f"{kind} {j}" for j, kind in enumerate(marked)]}
    return (genes, Y), {**names, "label_names": list(kinds)}


@pytest.mark.parametrize("criterion", ["scls", "mrmr", "jmi"])
def test_a_rare_class_has_markers_of_its_own(criterion):
    data, names = cells()
    panel = mlfs.select(data, criterion, 8, panel=mlfs.Panel(at_least={"*": 2}), **names)
    own = [name.split()[0] for name in panel.names]
    assert {kind: own.count(kind) for kind in {*own}} == dict.fromkeys(("B", "NK", "T", "DC"), 2)
    for kind, terms in zip(own, panel.terms_of_panel, strict=True):
        assert terms.tells == (kind,)


def test_labels_that_share_rows_may_share_picks():
    data, names = cells(exclusive=False)
    panel = mlfs.select(data, "jmi", 4, panel=mlfs.Panel(at_least={"*": 2}), **names)
    assert any(len(terms.tells) > 1 for terms in panel.terms_of_panel)
