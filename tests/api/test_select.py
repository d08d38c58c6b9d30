"""`mlfs.select`: the meaning of each option, the refusals, and the contents of the answer."""

from __future__ import annotations

import inspect
import json
import re

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
import mlfs.criteria
from mlfs import Criterion, MlfsError, UnknownName, UsageError
from mlfs.api.prepared import prepare, prepared_of
from mlfs.criteria import available, get
from mlfs.data import from_arrays
from mlfs.search.greedy import greedy
from tests.walk import same

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, (40, 6)).astype(float)
Y = RNG.integers(0, 2, (40, 3))
X[:, 2] = Y[:, 0] + Y[:, 1]
X[:, 4] = Y[:, 2] * (RNG.random(40) < 0.8)


def select(criterion="mim", n=None, **options):
    return mlfs.select((X, Y), criterion, n, **options)


def kept(*arguments, **options):
    """The picks that an interrupted call has on its exception, which is a KeyboardInterrupt."""
    with pytest.raises(KeyboardInterrupt) as stopped:
        select(*arguments, **options)
    return stopped.value.selection


# How many -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "picked"),
    [(1, 1), (6, 6), (np.int64(2), 2), (1.0, 6), (0.5, 3), (0.25, 2), (0.01, 1), (None, 2)],
)
def test_how_many(n, picked):
    assert len(select(n=n)) == picked


NO_NUMBER = "n is a number of features, a share of them in (0, 1], 'all', 'auto' or 'fdr',"


@pytest.mark.parametrize(
    ("n", "sentence"),
    [
        (0, "n is 0: select at least one feature"),
        (-1, "n is -1: select at least one feature"),
        (7, "n is 7, but there are 6 features to choose from: select at most 6"),
        (1.5, "n is 1.5, but a share of the features lies in (0, 1]"),
        (0.0, "n is 0.0, but a share of the features lies in (0, 1]"),
        (float("nan"), "n is nan, but a share of the features lies in (0, 1]"),
        (
            "3",
            f"{NO_NUMBER} not '3'",
        ),
        (
            True,
            f"{NO_NUMBER} not True",
        ),
    ],
)
def test_an_n_that_makes_no_sense_is_refused(n, sentence):
    with pytest.raises(UsageError) as error:
        select(n=n)
    assert str(error.value) == sentence


def test_one_feature_is_half_of_one():
    assert mlfs.select((X[:, :1], Y)).indices == (0,)


def test_a_criterion_s_own_number_is_a_share_of_all_features():
    sizes = [len(one) for one in select("mlig").labels.values()]
    assert sizes == [len(one) for one in select("mlig", prefilter=6).labels.values()]
    wide = np.hstack([X] * 8)
    plain, filtered = (mlfs.select((wide, Y), "mlig", prefilter=p).labels for p in (None, 24))
    assert [len(one) for one in plain.values()] == [len(one) for one in filtered.values()]


# Wrong arguments --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"criterion": "jmii"}, "unknown criterion 'jmii': did you mean 'jmi'?"),
        ({"criterion": None}, "the criterion is None, but must be a subclass of mlfs.Criterion"),
        ({"parameters": {"beta": 1}}, "the criterion mim has no parameter 'beta'; it takes: none"),
        ({"missing": "drop"}, "missing is 'level' or 'error', not 'drop'"),
        ({"prefilter": 0}, "prefilter is a whole number of at least 1, not 0"),
        ({"prefilter": 2.5}, "prefilter is a whole number of at least 1, not 2.5"),
        ({"alpha": 2}, "alpha lies between 0 and 1, not 2"),
        ({"n_jobs": 0}, "n_jobs is a number of threads, or -1 for all, not 0"),
        ({"n_jobs": 1.5}, "n_jobs is a number of threads, or -1 for all, not 1.5"),
        ({"include": 9}, "include names column 9, but the columns are 0 to 5"),
        ({"exclude": "x7"}, "unknown feature in exclude 'x7': did you mean 'x5'?"),
        ({"groups": ["a"]}, "groups has 1 entries for 6 columns: give one each"),
        (
            {"network": "tree"},
            "network is given, and the criterion mim uses no label network: leave it out",
        ),
        ({"panel": {"budget": 3}}, "panel is an mlfs.Panel, not {'budget': 3}"),
        ({"bins": "widht"}, "unknown binning 'widht': did you mean 'width'?"),
        (
            {"sample_weight": [1]},
            "the weights have shape (1,), but there are 40 rows: give one each",
        ),
        (
            {"include": [1], "given": [1]},
            "the column 'x1' is both included and given: leave it out of one of the two",
        ),
        (
            {"include": [1], "exclude": [1]},
            "the column 'x1' is both included and excluded: leave it out of one of the two",
        ),
        (
            {"start": {"schema": 2}},
            "start is no selection of schema 1: give what mlfs select --format json wrote",
        ),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(options, sentence):
    with pytest.raises((MlfsError, UnknownName)) as error:
        select(**{"n": 2, **options})
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    "options",
    [
        {"include": 1.5},
        {"exclude": len},
        {"groups": 5},
        {"groups": {"g": None}},
        {"start": 5.5},
        {"start": {"schema": 1, "selected": 5}},
        {"start": {"schema": 1, "selected": [{"index": 1}]}},
        {"bins": 3},
        {"bins": ["width"]},
        {"nominal_limit": None},
        {"parameters": 5},
        {"n": "auto", "seed": -1},
        {"n": "auto", "seed": "a"},
        {"on_pick": 5},
        {"criterion": Criterion},
        {"criterion": "mlig", "parameters": {"r": "a"}},
        {"criterion": "mlfs_global", "parameters": {"beta": "a"}},
        {"criterion": "mlfs_global", "parameters": {"beta": [0.1, 0.2]}},
        {"criterion": "mlfs_global", "network": {"y0": 1.5}},
        {"labels": "y0"},
        {"include": np.array(1)},
        {"exclude": np.array(1)},
        {"groups": np.array(1)},
        {"start": np.array(1)},
        {"criterion": "mlfs_global", "network": np.eye(2)},
        {"on_pick": lambda pick: None},
        {"on_pick": lambda a, b, c: None},
    ],
    ids=lambda options: re.sub(" at 0x[0-9a-f]+", "", str(options)),
)
def test_no_traceback_for_what_makes_no_sense(options):
    with pytest.raises((MlfsError, UnknownName)) as error:
        select(**{"n": 2, **options})
    assert str(error.value)


@pytest.mark.parametrize("data", [None, 5, (X,), (X, Y, Y), [X, Y], X, b"x"])
def test_what_is_no_data_is_refused(data):
    with pytest.raises(UsageError, match=r"data is a Dataset, a path or \(X, Y\), not"):
        mlfs.select(data)


def test_labels_beside_a_data_set_are_refused():
    with pytest.raises(UsageError, match="labels is given beside a Dataset"):
        mlfs.select(from_arrays(X, Y), labels="y0")


def test_nothing_to_choose_from():
    with pytest.raises(UsageError, match="every feature is excluded"):
        select(n=1, exclude="*")


# Include, exclude, groups, start, prefilter -------------------------------------------------------


@pytest.mark.parametrize("each", [False, True])
def test_what_is_included_comes_first_and_counts(each):
    selection = select("jmi", 3, include=["x5", 1], per_label=each)
    for one in selection.labels.values() if each else [selection]:
        assert one.indices[:2] == (5, 1)
        assert len(one) == 3
        assert [chosen.forced for chosen in one.chosen] == [True, True, False]


@pytest.mark.parametrize("each", [False, True])
def test_what_is_excluded_never_comes(each):
    selection = select("jmi", 4, exclude=["x2", 4], per_label=each)
    for one in selection.labels.values() if each else [selection]:
        assert not {2, 4} & set(one.indices)
        assert not {2, 4} & {j for ties in one.ties for j in ties}
        assert not {2, 4} & set(one.runners_up)
        assert len(one) == 4
    assert len(select("jmi", 1.0, exclude=[0])) == 5


def test_excluding_is_as_if_the_column_were_not_there():
    kept = [0, 1, 3, 5]
    there = mlfs.select((X[:, kept], Y), "mrmr", 4)
    here = select("mrmr", 4, exclude=[2, 4])
    assert here.indices == tuple(kept[j] for j in there.indices)
    np.testing.assert_array_equal(here.scores, there.scores)


@pytest.mark.parametrize("name", available())
@pytest.mark.parametrize(
    "options", [{"include": "*"}, {"groups": {"all": "*"}, "n": 1}, {"n": 6}], ids=str
)
def test_everything(name, options):
    selection = select(name, **options)
    assert set(selection.indices) == set(range(6)) or options == {"n": 6} or name == "blanket"


def test_a_group_is_one_feature():
    groups = {"g": [5, 0], "h": ["x3", "x1"]}
    selection = select("jmi", 2, groups=groups)
    ranks = {}
    for one in selection.chosen:
        ranks.setdefault(one.rank, []).append(one)
    assert sorted(ranks) == [1, 2]
    for members in ranks.values():
        assert len({(one.score, one.group) for one in members}) == 1
        if members[0].group:
            assert {one.index for one in members} == {"g": {0, 5}, "h": {1, 3}}[members[0].group]
    joint = np.column_stack([X[:, 0] * 3 + X[:, 5], X[:, 1] * 3 + X[:, 3], X[:, 2], X[:, 4]])
    alone = mlfs.select((joint, Y), "jmi", 2)
    np.testing.assert_allclose(
        [members[0].score for members in ranks.values()], alone.scores, rtol=0, atol=1e-12
    )


def test_a_group_is_included_and_excluded_as_a_whole():
    groups = {"g": [5, 0]}
    assert select(n=2, groups=groups, include=[5]).indices[:2] == (0, 5)
    assert not {0, 5} & set(select(n=4, groups=groups, exclude=[0]).indices)
    with pytest.raises(UsageError, match="both included and excluded"):
        select(n=2, groups=groups, include=[0], exclude=[5])


def test_a_group_stays_together_in_the_union():
    groups = {"a": [0, 5], "b": [1, 4], "c": [2, 3]}
    selection = select(n=1, per_label=True, groups=groups)
    order = [one.group for one in selection.chosen]
    assert order == [g for g in dict.fromkeys(order) for _ in range(2)]


@pytest.mark.parametrize("name", ["jmi", "scls", "mlfs_local"])
def test_an_earlier_selection_is_continued(name):
    whole, begun = select(name, 5), select(name, 2)
    for start in (begun, json.loads(json.dumps(begun.to_dict()))):
        same(select(name, 5, start=start), whole, bitwise=True)
    if not begun.labels:
        same(select(name, 5, start=begun.names), whole, bitwise=True)


def test_a_start_for_all_labels_begins_each_label():
    begun = select("jmi", 2)
    selection = select("jmi", 3, per_label=True, start=begun)
    assert all(one.indices[:2] == begun.indices for one in selection.labels.values())


def test_a_label_that_an_interrupted_selection_did_not_reach_starts_with_nothing():
    begun = select("jmi", 2, per_label=True).to_dict()
    del begun["labels"][1:]
    selection = select("jmi", 3, per_label=True, start=json.loads(json.dumps(begun)))
    fresh = select("jmi", 3, per_label=True)
    assert selection.labels["y1"].indices == fresh.labels["y1"].indices
    assert not any(one.forced for one in selection.labels["y1"].chosen)


def test_a_prefilter_keeps_the_most_relevant():
    best = select("mim", 3).indices
    assert set(select("mrmr", 3, prefilter=3).indices) == set(best)
    same(select("mrmr", 4, prefilter=100), select("mrmr", 4), bitwise=True)


def test_a_prefilter_looks_at_what_may_be_picked():
    best = select("mim", 2).indices
    assert select("mim", 1, prefilter=1, exclude=[best[0]]).indices == best[1:]


def test_a_prefilter_never_takes_what_is_included():
    assert select("mim", 2, prefilter=1, include=[0]).indices[0] == 0


def test_too_few_are_reported_with_the_right_reason():
    filtered = select("mim", 3, prefilter=1)
    assert not any("would never pick" in note for note in filtered.notes)
    assert any("prefilter" in note for note in filtered.notes)


@pytest.mark.parametrize("options", [{"n": 5}, {"n": 5, "per_label": True}])
def test_fewer_than_n_are_reported(options):
    few = np.column_stack([X[:, 2], np.ones((40, 5))])
    notes = mlfs.select((few, Y), "scls", **options).notes
    assert any("never pick the others" in note for note in notes)


# The answer -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", available())
def test_the_same_from_dense_and_sparse_and_numeric_columns(name):
    rng = np.random.default_rng(1)
    wide = np.round(rng.normal(size=(40, 6)), 2) * (rng.random((40, 6)) < 0.5)
    wide[rng.random(wide.shape) < 0.05] = np.nan
    one = mlfs.select((wide, Y), name, 4)
    for form in (sp.csr_array, sp.csc_array, sp.csr_matrix, sp.coo_array):
        other = mlfs.select((form(wide), sp.csr_array(Y)), name, 4)
        same(one, other, bitwise=True)
        assert other.to_dict() == one.to_dict()


@pytest.mark.parametrize("name", ["mrmr", "jmi", "scls", "mlcfs"])
def test_rows_in_another_order_change_no_bit(name):
    rows = np.random.default_rng(2).permutation(40)
    wide = np.random.default_rng(3).normal(size=(40, 6))
    one, other = mlfs.select((wide, Y), name, 4), mlfs.select((wide[rows], Y[rows]), name, 4)
    same(one, other, bitwise=True)
    assert one.to_dict() == other.to_dict()


@pytest.mark.timeout(60)  # a pool that waits for itself waits for ever
@pytest.mark.parametrize("name", ["jmi", "disr", "mlfs_local", "pmu", "mlcfs"])
def test_threads_change_no_bit(name, monkeypatch):
    monkeypatch.setattr("mlfs.counting.parallel.THREADED_FROM", 0)
    one = select(name, 4)
    for n_jobs in (2, -1, 16):
        same(one, select(name, 4, n_jobs=n_jobs), bitwise=True)


def test_what_is_a_ratio_has_no_unit():
    assert (select("mlcfs_global", 3).units, select("jmi", 3).units) == ("ratio", "nats")


@pytest.mark.parametrize("name", available())
def test_the_document(name):
    selection = select(name, 3)
    document = selection.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == json.loads(json.dumps(document))
    assert document["schema"] == 1
    assert document["criterion"] == name
    assert document["data"] == {"rows": 40, "features": 6, "labels": 3}
    lists = [document["selected"]]
    if selection.labels:
        assert [one["name"] for one in document["labels"]] == ["y0", "y1", "y2"]
        lists += [one["selected"] for one in document["labels"]]
    else:
        assert "labels" not in document
    for selected in lists:
        assert [one["rank"] for one in selected] == list(range(1, len(selected) + 1))
        for one in selected:
            assert {"rank", "index", "name", "score", "terms"} <= one.keys()
            assert one["name"] == f"x{one['index']}"
            terms = one["terms"]
            total = terms["relevance"] + terms["label_correlation"] - terms["redundancy"]
            assert one["score"] == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"n": np.int64(2)},
        {"n": np.float32(0.5)},
        {"prefilter": np.int64(3)},
        {"n": "auto", "seed": np.int64(3)},
        {"nominal_limit": np.int64(3)},
        {"criterion": "mlfs_global", "parameters": {"beta": np.float32(0.5)}},
        {"criterion": "scls", "n": 1, "include": [0]},
    ],
    ids=str,
)
def test_the_document_is_json_whatever_the_numbers_are(options):
    constant = np.column_stack([np.ones(40), X])
    document = mlfs.select((constant, Y), **{"n": 2, **options}).to_dict()
    assert json.loads(json.dumps(document, allow_nan=False))


def test_the_union_is_ordered_by_rank_then_labels_then_column():
    selection = select("jmi", 3, per_label=True)
    ranks, times = {}, {}
    for one in selection.labels.values():
        for chosen in one.chosen:
            ranks[chosen.index] = min(ranks.get(chosen.index, 99), chosen.rank)
            times[chosen.index] = times.get(chosen.index, 0) + 1
    assert selection.indices == tuple(sorted(ranks, key=lambda j: (ranks[j], -times[j], j)))
    assert [one.labels for one in selection.chosen] == [times[j] for j in selection.indices]
    assert [one.rank for one in selection.chosen] == list(range(1, len(ranks) + 1))


def test_what_was_decided_is_reported():
    odd = np.column_stack([X, np.ones(40)])
    odd[0, 0] = np.nan
    labels = np.column_stack([Y.astype(float), np.zeros(40)])
    labels[3, 1] = np.nan
    notes = " ".join(mlfs.select((odd, labels), "mim", 2).notes)
    for reported in ("missing values in 1 column", "'x6'", "'y3'"):
        assert reported in notes
    assert select("mim", 2).notes == ()


def test_a_missing_value_is_refused_on_request():
    odd = X.copy()
    odd[7, 3] = odd[9, 1] = np.nan
    for table in (odd, sp.csr_array(odd)):
        with pytest.raises(mlfs.DataError) as error:
            mlfs.select((table, Y), "mim", 2, missing="error")
        assert str(error.value) == (
            "2 values of X are missing, the first in row 8 of the column 'x3': use missing='level'"
        )


def test_picks_are_reported_with_their_label():
    reported = []
    selection = select(
        "jmi", 2, per_label=True, on_pick=lambda label, pick: reported.append((label, pick.index))
    )
    assert reported == [(name, j) for name, one in selection.labels.items() for j in one.indices]
    reported.clear()
    select("jmi", 2, on_pick=lambda label, pick: reported.append(label))
    assert reported == ["", ""]


def test_a_report_of_picks_takes_a_label_and_a_pick():
    with pytest.raises(UsageError, match=r"label's name and the pick, not one that takes \(pick\)"):
        select("jmi", 2, on_pick=lambda pick: None)
    selection = select("jmi", 2)
    assert select("jmi", 2, on_pick=lambda *given: None).indices == selection.indices
    with pytest.raises(ValueError, match="no signature"):
        inspect.signature(slice)
    assert select("jmi", 2, on_pick=slice).indices == selection.indices


class Stops(Criterion):
    """Interrupted when asked for relevances, or for terms, for the k-th time."""

    def __init__(self, where="term", k=1):
        self.where, self.k, self._asked = where, k, 0

    def _count(self, where):
        self._asked += where == self.where
        if self._asked == self.k:
            raise KeyboardInterrupt

    def relevance(self, info):
        self._count("relevance")
        return info.mi_fL

    def term(self, info, s):
        self._count("term")
        return 0.0


def test_an_interrupt_keeps_the_picks_so_far():
    selection = kept(Stops("term", 2), 5)
    assert selection.interrupted
    assert selection.indices == select("mim", 2).indices
    assert selection.to_dict()["interrupted"] is True


@pytest.mark.parametrize(("where", "k"), [("relevance", 2), ("term", 4)])
def test_an_interrupt_keeps_the_labels_so_far(where, k):
    selection = kept(Stops(where, k), 3, per_label=True)
    whole = select("mim", 3, per_label=True)
    assert selection.interrupted
    assert selection.labels["y0"].indices == whole.labels["y0"].indices
    assert "y2" not in selection.labels


@pytest.mark.parametrize("name", available())
@pytest.mark.parametrize(
    ("rows", "d", "q"), [(1, 1, 1), (1, 6, 3), (2, 1, 3), (40, 1, 1), (40, 6, 1), (3, 6, 3)]
)
def test_odd_shapes(name, rows, d, q):
    if get(name)[1].least_labels > 1:
        with pytest.raises(UsageError, match="at least 2 labels together, and here is 1"):
            mlfs.select((X[:rows, :d], Y[:rows, :q]), name, per_label=True)
        return
    selection = mlfs.select((X[:rows, :d], Y[:rows, :q]), name, per_label=True)
    assert len(selection.labels) == q
    assert all(len(one) <= d for one in selection.labels.values())
    assert not np.isnan(selection.scores).any()


@pytest.mark.parametrize("name", available())
@pytest.mark.parametrize("case", ["constant labels", "no label known", "empty column"])
def test_odd_contents(name, case):
    table, labels = X.copy(), Y.astype(float)
    if case == "constant labels":
        labels[:] = 0
    elif case == "no label known":
        labels[:] = np.nan
    else:
        table[:, 1] = np.nan
    selection = mlfs.select((table, labels), name, 6)
    assert not np.isnan(selection.scores).any()
    assert len(selection.indices) == 6 or name in {"scls", "fcbf", "cmi", "blanket"}


def test_classes_are_labels_of_more_than_two_values():
    classes = Y[:, 0] + 2 * Y[:, 1]
    selection = mlfs.select((X, classes), "jmi", 2)
    assert selection.data["labels"] == 1
    text = mlfs.select((X, np.array(list("abcd"))[classes]), "jmi", 2)
    same(selection, text, bitwise=True)


def test_what_is_prepared_once_serves_many():
    ready = prepare((X, Y))
    for name in ("jmi", "mrmr"):
        path = greedy(mlfs.criteria.get(name)[1], ready.info, 4)
        assert tuple(pick.index for pick in path.picks) == select(name, 4).indices


def test_a_binning_that_was_learned_is_applied_unchanged():
    ready = prepare((X * 1.5, Y))
    again = prepared_of((X[:20] * 1.5, Y[:20]), {}, ready.binnings)
    assert again.binnings == ready.binnings


def test_the_scores_of_a_union_do_not_depend_on_the_order_of_labels():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (80, 6))
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] > 1, (X[:, 0] > 0) ^ (rng.random(80) < 0.2)])
    here = mlfs.select((X, Y), "mim", 2, per_label=True)
    there = mlfs.select((X, Y[:, ::-1]), "mim", 2, per_label=True)
    assert list(here.indices) == list(there.indices)
    assert np.allclose(here.scores, there.scores, rtol=0, atol=1e-12)


def test_x_and_y_given_apart_are_told_how_they_go_together():
    for labels in (Y, np.asarray(Y), [[0], [1]]):
        with pytest.raises(UsageError, match=r"mlfs\.select\(\(X, Y\), 'mrmr'\)"):
            mlfs.select(X, labels)
