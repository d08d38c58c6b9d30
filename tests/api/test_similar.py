"""Clusters of similar columns, held against a naive complete linkage."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest

import mlfs
from mlfs.cli import main
from tests import naive


def problem(seed, d=24, rows=120):
    """Columns in families of noisy copies, and a label that one family tells."""
    random = np.random.default_rng(seed)
    parents = random.integers(0, 2 + seed % 3, (rows, 5))
    X = parents[:, random.integers(0, 5, d)]
    noise = random.random((rows, d)) < random.uniform(0, 0.15, d)
    X = np.where(noise, random.integers(0, 2, (rows, d)), X)
    return X, np.stack([X[:, 0] > 0, X[:, 1] > 0], axis=1).astype(int)


def naive_clusters(X, threshold):
    """Merge the two clusters whose least similar pair is most similar, while it can be."""
    columns = [tuple(column) for column in X.T.tolist()]
    su = {
        (a, b): naive.SU(columns[a], columns[b]) if naive.H(columns[a], columns[b]) else 0
        for a, b in itertools.combinations(range(len(columns)), 2)
    }
    clusters = [{j} for j in range(len(columns))]

    def least(one, other):
        return min(su[min(a, b), max(a, b)] for a in one for b in other)

    while len(clusters) > 1:
        one, other = max(itertools.combinations(clusters, 2), key=lambda pair: least(*pair))
        if least(one, other) < threshold:
            break
        clusters = [c for c in clusters if c not in (one, other)] + [one | other]
    return {frozenset(cluster) for cluster in clusters if len(cluster) > 1}


@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("seed", range(6))
def test_clusters_are_those_of_naive_complete_linkage(seed, threshold):
    X, Y = problem(seed)
    clusters = mlfs.similar((X, Y), threshold)
    assert {frozenset(members) for members in clusters.members} == naive_clusters(X, threshold)


def test_the_representative_tells_most_about_the_labels():
    X, Y = problem(1)
    clusters = mlfs.similar((X, Y), 0.3)
    relevance = mlfs.information.mutual_information((X, Y)).sum(axis=1)
    for representative, members in zip(clusters.representatives, clusters.members, strict=True):
        assert relevance[representative] == pytest.approx(max(relevance[j] for j in members))


def test_many_columns_are_compared_in_parts(monkeypatch):
    X, Y = problem(2, d=60)
    whole = mlfs.similar((X, Y), 0.4)
    monkeypatch.setattr("mlfs.api.similar.ANCHORS", 7)
    parts = mlfs.similar((X, Y), 0.4)
    assert parts.members == whole.members
    assert (parts.pairs != whole.pairs).nnz == 0


def test_the_answer_does_not_depend_on_rows_threads_or_storage():
    import scipy.sparse as sp

    X, Y = problem(3)
    order = np.random.default_rng(0).permutation(len(X))
    first = mlfs.similar((X, Y), 0.5)
    for other in (
        mlfs.similar((X[order], Y[order]), 0.5),
        mlfs.similar((X, Y), 0.5, n_jobs=2),
        mlfs.similar((sp.csc_array(X), Y), 0.5),
        mlfs.similar(mlfs.prepare((X, Y)), 0.5),
    ):
        assert other.to_dict() == first.to_dict()


def test_copies_are_found_with_a_threshold_of_one_and_constants_are_not():
    X = [[0, 1, 7, 5, 5], [0, 1, 7, 5, 5], [1, 0, 8, 5, 5], [1, 0, 9, 5, 5]]
    clusters = mlfs.similar((X, [[0], [0], [1], [1]]), 1.0)
    assert clusters.members == ((0, 1),)
    assert clusters.least(0) == 1.0


def test_clusters_are_groups_of_a_panel():
    songs = mlfs.datasets.load_songs()
    clusters = mlfs.similar(songs, 0.3)
    panel = mlfs.select(songs, "jmi", 12, panel=mlfs.Panel(groups=clusters, at_most=1))
    for columns in clusters.values():
        assert len({*columns} & {*panel.indices}) <= 1
    merged = mlfs.select(songs, "jmi", 4, groups=clusters)
    assert {*merged.groups} - {""} <= {*clusters}


def test_where_a_date_is_left_out_columns_have_the_numbers_that_were_given(tmp_path):
    path = tmp_path / "x.csv"
    rows = [f"2026-01-{1 + j % 20:02},{j % 2},{j % 2},{j % 3 // 2},{j % 2}" for j in range(60)]
    path.write_text("day,a,b,c,y\n" + "\n".join(rows) + "\n")
    clusters = mlfs.similar(str(path), labels="y")
    assert dict(clusters) == {"a": [1, 2]}
    panel = mlfs.select(
        str(path), "mim", 2, labels="y", panel=mlfs.Panel(groups=clusters, at_most=1)
    )
    assert panel.names == ("a", "c")


def test_the_command_writes_groups_that_select_reads(tmp_path, capsys):
    target = tmp_path / "clusters.csv"
    options = ["--threshold", "0.3", "--format", "csv", "-o", str(target)]
    assert main(["similar", *options, "songs"]) == 0
    code = main(
        ["select", "-n", "12", "--group", str(target), "--at-most", "1", "--format", "json",
         "songs"]
    )  # fmt: skip
    assert code == 0
    songs = mlfs.datasets.load_songs()
    expected = mlfs.select(
        songs, n=12, panel=mlfs.Panel(groups=mlfs.similar(songs, 0.3), at_most=1)
    )
    picks = json.loads(capsys.readouterr().out)["selected"]
    assert [pick["name"] for pick in picks] == list(expected.names)


def test_the_forms_agree():
    clusters = mlfs.similar("songs", 0.3)
    document = json.loads(json.dumps(clusters.to_dict()))
    assert [entry["representative"] for entry in document["clusters"]] == list(clusters)
    assert clusters.to_csv().count("\n") == 1 + sum(map(len, clusters.members))
    assert len(clusters.to_frame()) == sum(map(len, clusters.members))
    assert clusters.table().startswith("3 clusters with SU >= 0.3: 20 of 24 features differ\n")
    with pytest.raises(KeyError):
        clusters["absent"]


def test_the_map_shows_cluster_beside_cluster():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    ax = mlfs.similar("songs", 0.3).plot(ax=figure.add_subplot())
    assert len(ax.get_yticks()) == 7
    assert ax.images[0].get_array().shape == (7, 7)
    assert ax.get_title() == "columns with SU >= 0.3"
    with pytest.raises(mlfs.UsageError, match="no two columns have SU >= 1: lower the threshold"):
        mlfs.similar(([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]), 1.0).plot()


@pytest.mark.parametrize("threshold", [0, 1.5, "much"])
def test_a_threshold_is_a_share(threshold):
    with pytest.raises(mlfs.UsageError, match="threshold"):
        mlfs.similar("songs", threshold)


def test_too_many_pairs_for_the_memory_are_refused():
    X = np.repeat(np.arange(60)[:, None] % 2, 400, axis=1)
    with pytest.raises(mlfs.DataError, match="raise the threshold, or max_memory"):
        mlfs.similar((X, X[:, :1]), 0.5, max_memory="2MB")


def test_columns_that_name_a_row_are_in_no_cluster() -> None:
    rows = np.arange(60)
    frame = pd.DataFrame({"id": rows, "key": [f"k{i:03}" for i in rows], "x": rows % 3})
    frame["copy"] = frame["x"]
    clusters = mlfs.similar((frame, (rows % 2)[:, None]))
    assert dict(clusters) == {"x": [2, 3]}
