"""How sure a pick is: made again on halves of the rows, and by a twin from the definition."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.api.options import PREPARING
from mlfs.search.resampling import halves
from tests import naive

RNG = np.random.default_rng(11)
X = RNG.integers(0, 3, (80, 7))
X[:, 3] = X[:, 1]  # a copy
Y = np.column_stack([X[:, 1] > 0, X[:, 4] == 1, X[:, 1] + X[:, 6] > 2]) ^ (
    RNG.random((80, 3)) < 0.2
)
R = 24


def resampled(
    data: Any, *arguments: Any, resamples: int = 20, seed: int = 0, **options: Any
) -> mlfs.Selection:
    preparing = {name: options.pop(name) for name in PREPARING if name in options}
    ready = data if isinstance(data, mlfs.Prepared) else mlfs.prepare(data, **preparing)
    picked = mlfs.select(ready, *arguments, **options)
    return mlfs.certainty(picked, ready, resamples=resamples, seed=seed)


def naive_best(J: Any, S: list[int], x: Any, y: Any) -> tuple[list[int], dict[int, float]]:
    """The columns with the best score, which may differ by rounding, and all scores."""
    scores = {f: J(f, S, x, y) for f in range(len(x)) if f not in S}
    top = max(scores.values())
    return [f for f in scores if scores[f] > top - 1e-9], scores


def naive_anew(J: Any, n: int, x: Any, y: Any) -> list[int]:
    S: list[int] = []
    while len(S) < n:
        S.append(min(naive_best(J, S, x, y)[0]))
    return S


@pytest.mark.parametrize("name", ["mim", "mrmr", "scls", "jmi"])
def test_certainty_is_that_of_the_definition(name: str) -> None:
    J, n = getattr(naive, f"J_{name}"), 3
    picked = resampled((X, Y), name, n, resamples=R, seed=4)
    votes: list[Counter[int]] = [Counter() for _ in range(n)]
    scores: list[list[float]] = [[] for _ in range(n)]
    ranks: list[list[int]] = [[] for _ in range(n)]
    for mask in halves(80, R, 4):
        x = [tuple(column) for column in X[mask].T.tolist()]
        y = [tuple(column) for column in Y[mask].T.astype(int).tolist()]
        anew = naive_anew(J, n, x, y)
        for k, column in enumerate(picked.indices):
            best, all_scores = naive_best(J, list(picked.indices[:k]), x, y)
            for f in best:
                votes[k][f] += 1 / len(best) / R
            scores[k].append(all_scores[column])
            ranks[k].append(anew.index(column) + 1 if column in anew else n + 1)
    for k, (column, pick) in enumerate(zip(picked.indices, picked.chosen, strict=True)):
        sure = pick.certainty
        assert sure is not None
        assert sure.kept == pytest.approx(votes[k][column])
        shown = {entry.index: entry for entry in sure.substitutes}
        assert all(entry.share == pytest.approx(votes[k][f]) for f, entry in shown.items())
        left_out = [f for f in votes[k] if f not in shown and f != column]
        covered = 1 - sum(votes[k][f] for f in left_out)
        assert covered > 0.95 - 1e-9
        least = min([*(votes[k][f] for f in shown), votes[k][column]])
        assert covered - sum(v for v in votes[k].values() if abs(v - least) < 1e-9) < 0.95
        for f, entry in shown.items():
            a, b = tuple(X[:, column].tolist()), tuple(X[:, f].tolist())
            assert entry.shared == pytest.approx(naive.SU(a, b), abs=1e-9)
            assert entry.name == f"x{f}"
        low, high = min(scores[k]), max(scores[k])  # of 24, the quantiles are the ends
        expected = 2 * pick.score - high, 2 * pick.score - low
        assert sure.score_interval == pytest.approx(expected, abs=1e-9)
        first, last = min(ranks[k]), max(ranks[k])
        assert sure.rank_interval == (
            None if first > n else first,
            None if last > n else last,
        )


def test_a_copy_shares_the_wins_and_a_feature_far_ahead_is_always_kept() -> None:
    Z = RNG.integers(0, 2, (200, 6))
    Z[:, 5] = Z[:, 2]
    picked = resampled((Z, Z[:, [2, 2, 0]]), "mim", 3, resamples=40)
    first = picked.chosen[0].certainty
    assert first is not None
    assert first.kept == pytest.approx(0.5)
    assert [(s.index, s.share, s.shared) for s in first.substitutes] == [(5, 0.5, 1.0)]
    assert picked.certainty[1].kept == 1.0  # its copy is picked, and it is alone
    assert picked.certainty[1].substitutes == ()
    assert picked.certainty[2].kept == 1.0
    assert picked.certainty[2].rank_interval == (3, 3)


@pytest.mark.parametrize(
    "criterion", ["mrmr", "jmi", "cmim", "mlcfs_global", "jmi3", "mlfs_global"]
)
@pytest.mark.parametrize("n", [4, "auto"])
def test_neither_threads_nor_layouts_nor_a_view_change_it(criterion: str, n: Any) -> None:
    answers = [
        resampled(data, criterion, n, **more).to_dict()["selected"]
        for data, more in (
            ((X, Y), {}),
            ((X, Y), {"n_jobs": 2}),
            ((sp.csr_array(X), Y), {}),
            (mlfs.prepare((X, Y)), {}),
        )
    ]
    assert all(answer == answers[0] for answer in answers)
    plain = mlfs.select((X, Y), criterion, n)
    assert plain.indices == resampled((X, Y), criterion, n).indices
    assert plain.chosen[0].certainty is None
    assert "kept" not in plain.to_dict()["selected"][0]


def test_only_candidates_of_the_search_are_substitutes() -> None:
    picked = resampled((X, Y), "mim", 2, exclude=[3], prefilter=4)
    for sure in picked.certainty:
        assert 3 not in {s.index for s in sure.substitutes}
    forced = resampled((X, Y), "mim", 3, include=[0])
    assert forced.certainty[0] is None
    assert all(0 not in {s.index for s in sure.substitutes} for sure in forced.certainty[1:])
    grouped = resampled((X, Y), "mim", 3, groups={"g": [1, 2], "h": [3, 4]})
    names = {s.name for sure in grouped.certainty for s in sure.substitutes}
    assert names <= {"g", "h", "x0", "x5", "x6"}


def test_each_label_has_its_own_and_the_union_none() -> None:
    picked = resampled((X, Y), "jmi", 2, per_label=True)
    assert picked.certainty == ()
    for label, ranking in picked.labels.items():
        alone = resampled((X, Y[:, [list(picked.labels).index(label)]]), "jmi", 2)
        assert [sure.kept for sure in ranking.certainty] == [s.kept for s in alone.certainty]


def test_it_is_in_the_table_the_frame_and_the_explanation() -> None:
    picked = resampled((X, Y), "scls", 2)
    sure = picked.certainty[0]
    kept = f"kept {100 * sure.kept:.0f} %; or: {sure.substitutes[0].name} "
    assert kept in picked._repr_html_()
    assert kept in repr(picked.explain())
    from mlfs.api.text import csv_text, table

    assert kept in table(picked)
    frame = picked.to_frame()
    assert frame["kept"][0] == sure.kept
    assert frame["score_low"][0] == sure.score_interval[0]
    assert frame["substitutes"][0][0] == sure.substitutes[0].name
    lines = [line.split(",") for line in csv_text(picked).splitlines()]
    cells = dict(zip(lines[0], lines[1], strict=True))
    assert float(cells["kept"]) == sure.kept
    assert float(cells["score_high"]) == sure.score_interval[1]
    assert cells["substitutes"].split()[0] == str(sure.substitutes[0].index)


def test_the_interval_covers_the_score_of_all_rows_there_are() -> None:
    generator, hits = np.random.default_rng(3), 0
    a = generator.integers(0, 2, (400_000, 1))
    b = np.column_stack(
        [a ^ (generator.random(a.shape) < 0.25), a ^ (generator.random(a.shape) < 0.3)]
    )
    truth = mlfs.select((a, b), "mim", 1).scores[0]
    for i in range(40):
        rows = slice(400 * i, 400 * (i + 1))
        sure = resampled((a[rows], b[rows]), "mim", 1, resamples=100, seed=i).certainty[0]
        low, high = sure.score_interval
        hits += low <= truth <= high
    assert hits >= 34  # of 38 expected


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"resamples": 19}, "resamples is a whole number of at least 20, not 19"),
        ({"resamples": 2.5}, "resamples is a whole number of at least 20, not 2.5"),
        ({"permutations": 3}, "permutations is a whole number of at least 20, not 3"),
        ({"seed": -1}, "seed is a whole number of at least 0, not -1"),
    ],
)
def test_what_cannot_be_resampled_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(mlfs.UsageError, match=f"^{sentence}$"):
        mlfs.certainty(mlfs.select((X, Y), "mim", 2), (X, Y), **options)


def test_it_is_of_the_selection_and_its_data() -> None:
    picked = mlfs.select((X, Y), "mim", 2, bins="width")
    by_data = mlfs.certainty(picked, (X, Y), resamples=20)
    assert by_data.certainty == resampled((X, Y), "mim", 2, bins="width").certainty
    assert by_data.settings["resamples"] == 20
    assert picked.certainty == ()
    with pytest.raises(mlfs.UsageError, match="the selection was made with 80"):
        mlfs.certainty(picked, (X[:40], Y[:40]))
    with pytest.raises(mlfs.UsageError, match="selection was read from a file"):
        mlfs.certainty(mlfs.Selection.from_json(picked.to_dict()), (X, Y))
    with pytest.raises(mlfs.UsageError, match=r"selection is what mlfs\.select returned, not 3"):
        mlfs.certainty(3, (X, Y))
    again = pickle.loads(pickle.dumps(picked))
    assert mlfs.certainty(again, (X, Y), resamples=20).certainty == by_data.certainty


def test_rows_with_weights_are_drawn_as_rows_and_keep_them() -> None:
    weights = RNG.integers(1, 4, 80)
    sure = resampled((X, Y), "mim", 1, resamples=R, sample_weight=weights).certainty[0]
    wins, column = 0.0, mlfs.select((X, Y), "mim", 1, sample_weight=weights).indices[0]
    for mask in halves(80, R, 0):
        half = mlfs.select((X[mask], Y[mask]), "mim", "all", sample_weight=weights[mask])
        first = np.array(half.indices)[half.scores > half.scores[0] - 1e-9]
        wins += (column in first) / len(first)
    assert sure.kept == pytest.approx(wins / R)


def test_few_rows_are_refused() -> None:
    with pytest.raises(mlfs.UsageError, match="half of 3 rows says nothing"):
        resampled((X[:3], Y[:3]), "mim", 2)
