"""Which methods are ranked, on which data sets, and what is tested about them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mlfs.compare.contest import MEAN, contests
from mlfs.compare.pairs import corrected_t
from mlfs.compare.ranks import underpowered
from mlfs.compare.report.charts import rank_chart
from mlfs.compare.report.tables import summary
from mlfs.compare.report.wording import conclusions, findings
from mlfs.compare.results import Results
from mlfs.compare.running import run
from mlfs.data.arrays import from_arrays
from mlfs.errors import DataError, UsageError
from mlfs.plots import critical_differences
from tests.compare import in_process
from tests.compare.test_report import made_up


def failing(results: Results, **where: str) -> Results:
    """The same results, but some cells failed."""
    records = tuple(
        {**record, "status": "failed", "note": "no memory", "metrics": {}}
        if all(record["cell"][key] == value for key, value in where.items())
        else record
        for record in results.records
    )
    return replace(results, records=records)


def test_a_method_that_fails_on_one_split_is_not_ranked_by_the_others():
    whole = made_up(models=("br",), sizes=(5,))
    hurt = failing(whole, data="set1", criterion="mim", split=1)
    (before,), (after,) = contests(whole, ["macro_f1"]), contests(hurt, ["macro_f1"])
    assert before.incomplete == {}
    assert after.incomplete == {"set1": ["mim"]}
    assert after.complete.size == before.complete.size - 1
    assert math.isnan(after.mean[1, 1])
    assert findings(after)[0] == "set1 is ranked for no method: mim failed there (no memory)."


@pytest.mark.parametrize("n_data", [1, 7])
def test_a_method_that_fails_everywhere_costs_the_others_nothing(n_data: int):
    """The others have the means, ranks and tests of a comparison without it."""
    made: dict[str, Any] = {"n_data": n_data, "models": ("br",), "sizes": (5,), "noise": 0.02}
    hurt = failing(made_up(**made), criterion="mim")
    (after,) = contests(hurt, ["exact_match"])
    without = made_up(**made)
    records = tuple(one for one in without.records if one["cell"]["criterion"] != "mim")
    kept = replace(without.settings, rankers=tuple(
        one for one in without.settings.rankers if str(one) != "mim"
    ))  # fmt: skip
    (wanted,) = contests(replace(without, settings=kept, records=records), ["exact_match"])
    others = [at for at, name in enumerate(after.methods) if name != "mim"]
    np.testing.assert_array_equal(after.means[others], wanted.means)
    np.testing.assert_array_equal(after.average_ranks[others], wanted.average_ranks)
    assert math.isnan(after.average_ranks[1])
    assert (after.friedman, after.doubt) == (wanted.friedman, wanted.doubt)
    for name in ("wilcoxon", "corrected_resampled_t", "not_apart"):
        assert after.to_dict().get(name) == wanted.to_dict().get(name)
    assert "mim is not ranked: it failed on " in summary(hurt, [after])
    assert findings(after)[1:][-1] == findings(wanted)[-1]
    assert "mim" not in conclusions(hurt, [after])[0]
    missing = tuple(one for one in hurt.records if one["cell"]["criterion"] != "mim")
    (unfinished,) = contests(replace(hurt, records=missing), ["exact_match"])
    assert "mim is not ranked: it is not finished on " in findings(unfinished)[0]


def test_a_method_without_scores_is_not_called_unfinished():
    whole = made_up(models=("br",), sizes=(5,))
    silent = [
        {**one, "metrics": {"macro_f1": 0.5}} if one["cell"]["criterion"] == "mim" else one
        for one in whole.records
    ]
    (after,) = contests(replace(whole, records=tuple(silent)), ["ranking_loss"])
    assert findings(after)[0].startswith("mim is not ranked: it gives no scores on set0")


def test_a_p_is_at_most_one():
    assert underpowered(6, 45).endswith("the least p that Holm allows is 1")


def test_ranks_below_six_data_sets_say_that_nothing_can_be_tested():
    (few,) = contests(made_up(3, models=("br",), sizes=(5,)), ["macro_f1"])
    drawn = rank_chart(few)
    assert "underpowered: 3 data sets" in drawn
    assert "Nemenyi" not in drawn
    (alone,) = contests(made_up(1, models=("br",), sizes=(5,)), ["macro_f1"])
    assert rank_chart(alone) == ""


def test_no_critical_difference_is_drawn_where_friedman_does_not_reject():
    def results(noise: float) -> Results:
        return made_up(7, models=("br",), sizes=(5,), noise=noise)

    (apart,) = contests(results(0.02), ["macro_f1"])
    assert "<title>average ranks with critical difference</title>" in rank_chart(apart)
    (level,) = contests(results(80.0), ["macro_f1"])
    assert level.friedman is not None
    assert level.friedman.f_p > 0.05
    drawn = rank_chart(level)
    assert "<title>average ranks</title>" in drawn
    assert "does not tell the methods apart" in drawn
    with pytest.raises(DataError, match="does not tell the methods apart"):
        critical_differences(results(80.0), "macro_f1")


def test_what_lacks_most_is_left_out_first():
    hurt = failing(failing(made_up(9, models=("br",), sizes=(5,)), criterion="mim", data="set3"),
                   criterion="scls", split=1)  # fmt: skip
    (after,) = contests(hurt, ["macro_f1"])
    assert [after.methods[j] for j in after.ranked] == ["mim", "random", "all"]
    assert after.complete.tolist() == [0, 1, 2, 4, 5, 6, 7, 8]
    assert np.isnan(after.means).tolist() == [True, False, False, False]


def test_a_method_that_fails_at_one_number_of_features_has_no_mean_over_all():
    hurt = failing(made_up(models=("br",)), data="set2", criterion="scls", n="5")
    (mean,) = [one for one in contests(hurt, ["macro_f1"]) if one.n == MEAN]
    assert mean.incomplete == {"set2": ["scls"]}


def test_the_spread_of_a_mean_is_that_of_the_means_of_splits():
    results = made_up(n_data=2, models=("br",), criteria=("scls", "mim"))
    (mean,) = [one for one in contests(results, ["macro_f1"]) if one.n == MEAN]
    values = np.array(
        [
            record["metrics"]["macro_f1"]
            for record in results.records
            if (record["cell"]["data"], record["cell"]["criterion"]) == ("set0", "scls")
        ]
    ).reshape(3, 2)  # splits, then sizes
    assert mean.sd[0, 0] == pytest.approx(values.mean(axis=1).std(ddof=1))
    assert mean.mean[0, 0] == pytest.approx(values.mean())


def test_pairs_are_underpowered_where_holm_allows_no_p_below_the_level():
    assert underpowered(8, 1) == ""
    assert "0.078" in underpowered(8, 10)
    (contest,) = contests(made_up(n_data=7, models=("br",), sizes=(5,)), ["macro_f1"])
    assert not contest.doubt
    assert min(pair.p_holm for pair in contest.pairs) > 0.05
    assert any("Pairs are underpowered" in line for line in findings(contest))


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=12), st.floats(0.05, 2))
@settings(max_examples=50, deadline=None)
def test_the_corrected_t_is_its_formula(differences, ratio):
    found = np.round(differences, 6)
    t, p = corrected_t(found, np.zeros(found.size), ratio)
    n, variance = found.size, found.var(ddof=1)
    if variance > 1e-12 and abs(found.mean()) > 1e-9:
        wanted = found.mean() / math.sqrt((1 / n + ratio) * variance)
        assert t == pytest.approx(wanted)
        assert p == pytest.approx(2 * stats.t.sf(abs(wanted), n - 1))
        assert p >= stats.ttest_1samp(found, 0).pvalue - 1e-12  # it corrects


def test_a_single_data_set_is_tested_over_its_splits():
    results = made_up(n_data=1, models=("br",), sizes=(5,), noise=0.01)
    (contest,) = contests(results, ["macro_f1"])
    assert contest.pairs == []
    assert len(contest.pairs_of_splits) == 6
    document = contest.to_dict()["corrected_resampled_t"]
    assert document[0]["first"] == "scls"
    assert document[0]["wins"] == 3


# ---- what takes part -------------------------------------------------------------------------


def table(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 3, (n, 5)).astype(float)
    return X, (X[:, :3] + generator.random((n, 3)) > 1.5).astype(int)


def compared(data: Any, criteria: Any = "mim", models: Any = "br", **options: Any) -> Results:
    return run({"one": data}, criteria, models, [2], **{"folds": 3, **options})


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    in_process.use(monkeypatch)


def test_identifiers_are_left_out_and_named_unless_they_are_kept():
    X, Y = table()
    names = np.array([f"song {i}" for i in range(len(X))], dtype=object)
    data = from_arrays(np.column_stack([names, X.astype(object)]), Y)
    left_out = compared(data)
    assert {record["columns"] for record in left_out.records} == {5}
    assert "is left out (--keep-identifiers keeps it)" in " ".join(left_out.notes)
    kept = compared(data, keep_identifiers=True)
    assert all(record["selected"][0] == 0 for record in kept.records)
    assert "exclude it (--exclude)" in " ".join(kept.notes)


def test_own_takes_part_with_models_that_select_for_themselves():
    results = compared(from_arrays(*table()), ["mim", "own"], ["br", "br-ldf"])
    assert ("own", "br-ldf") in results.methods()
    assert ("own", "br") not in results.methods()
    assert "own is compared only with models that select" in " ".join(results.notes)
    with pytest.raises(UsageError, match="own leaves the selection to the model"):
        compared(from_arrays(*table()), "own", "br")


def test_rows_of_a_group_are_in_one_fold_and_the_column_is_no_feature():
    X, Y = table()
    X[:, 4] = np.arange(60) // 6
    results = compared(from_arrays(X, Y), groups="x4")
    assert {record["columns"] for record in results.records} == {4}
    with pytest.raises(DataError, match="10 groups of 'x4', too few for 11 folds"):
        compared(from_arrays(X, Y), groups="x4", folds=11)
    with pytest.raises(UsageError, match="folds of a cross-validation"):
        compared(from_arrays(X, Y), groups="x4", folds=None, holdout=0.5)


def test_cross_validation_is_repeated():
    results = compared(from_arrays(*table()), repeat=2)
    assert [record["cell"]["split"] for record in results.records] == list(range(6))
    with pytest.raises(UsageError, match="nothing is repeated"):
        compared(from_arrays(*table()), folds=None, split="given", repeat=2)


def test_more_folds_than_rows_are_refused_before_anything_runs():
    with pytest.raises(DataError, match="60 rows, too few for 61 folds"):
        compared(from_arrays(*table()), folds=61)
