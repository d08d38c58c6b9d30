"""A selection on a cluster has the answer of one process, bit for bit."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import mlfs
import mlfs.compare
from mlfs import criteria
from mlfs.api.cluster import clusters
from mlfs.data.file_pieces import open_pieces
from tests.documents import ROOT
from tests.remote_blocks import InProcess

distributed = pytest.importorskip("distributed")
TIMES = {"times", "seconds", "pair_terms", "cluster", "layout"}


def told(selection: Any) -> Any:
    """Everything that a selection reports, but for times and how it was counted."""
    return _plain(selection.to_dict()), selection.scores.tobytes(), selection.margins.tobytes()


def _plain(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _plain(value) for key, value in part.items() if key not in TIMES}
    return [_plain(one) for one in part] if isinstance(part, (list, tuple)) else part


def table(seed: int = 0, rows: int = 330) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, 20)) < rng.random(20) * 0.6).astype(float)
    Y = (X[:, 14:17] != (rng.random((rows, 3)) < 0.2)).astype(float)
    mixed = X.copy()
    mixed[:, :4] = rng.integers(0, 6, (rows, 4))
    mixed[:, 4:6] = rng.integers(0, 30, (rows, 2))
    mixed[:, 6:8] = rng.normal(size=(rows, 2))
    holes, labels = mixed.copy(), Y.copy()
    holes[rng.random(X.shape) < 0.1] = np.nan
    labels[rng.random(Y.shape) < 0.05] = np.nan
    stored = sp.random(rows, 20, 0.06, random_state=1, data_rvs=np.ones)
    classes = mlfs.data.from_arrays(mixed, rng.integers(0, 4, (rows, 3)), classes=True)
    return {
        "binary": (X, Y),
        "mixed": (mixed, Y),
        "holes": (holes, labels),
        "sparse": (sp.csr_array(stored), Y),
        "classes": classes,
    }


DATA = table()
WEIGHTS = np.random.default_rng(3).random(330) * (np.arange(330) > 4)


FALLING = [name for name in criteria.available() if criteria.get(name)[1].falls]


@pytest.mark.parametrize(
    ("name", "kind"),
    [*((name, "mixed") for name in criteria.available()), *((name, "binary") for name in FALLING)],
)
def test_every_criterion_has_the_same_answer(name: str, kind: str) -> None:
    options: Any = {"n": 6, "lazy": True if kind == "binary" else "auto"}
    blocks = 2 if kind == "binary" else 7
    one = mlfs.select(DATA[kind], name, **options)
    for layout in ("rows", "columns")[: 1 + (kind == "mixed")]:
        cluster = InProcess(blocks, lost=(2, 5))
        many = mlfs.select(DATA[kind], name, cluster=cluster, layout=layout, **options)
        assert told(many) == told(one)
        (session,) = cluster.sessions
        assert session.is_closed
        assert session.layout == many.settings["layout"] == layout
        assert session.lost == sum(at <= session.rounds for at in (2, 5))


@pytest.mark.parametrize(("layout", "blocks"), [("rows", 3), ("columns", 2)])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("holes", {"missing": "level"}),
        ("holes", {"missing": "ignore"}),
        ("holes", {"missing": "ignore", "sample_weight": WEIGHTS}),
        ("sparse", {}),
        ("sparse", {"sample_weight": WEIGHTS}),
        ("classes", {}),
        ("mixed", {"bins": "width"}),
        ("mixed", {"bins": "frequency"}),
        ("mixed", {"bins": "mdlp"}),
        ("mixed", {"bins": "laim"}),
        ("mixed", {"per_label": True}),
        ("mixed", {"groups": {"a": [0, 3], "b": [1, 14, 15]}}),
        ("mixed", {"include": [5, 2], "exclude": [14], "prefilter": 9}),
        ("mixed", {"labels_as": "sets:2", "drop_constant": True}),
        ("mixed", {"correction": "miller-madow"}),
        ("mixed", {"correction": "expected"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value) or "plain",
)
def test_every_option_has_the_same_answer(
    kind: str, options: dict[str, Any], layout: str, blocks: int
) -> None:
    for name in ("jmi", "mrmr"):
        chosen = {"n": 5, **options}
        one = mlfs.select(DATA[kind], name, **chosen)
        many = mlfs.select(DATA[kind], name, cluster=InProcess(blocks), layout=layout, **chosen)
        assert told(many) == told(one)


@pytest.mark.parametrize("name", ["cmi", "disr", "jim", "mlfs_local"])
def test_missing_values_and_weights_by_columns(name: str) -> None:
    options: Any = {"n": 5, "sample_weight": WEIGHTS, "missing": "ignore"}
    one = mlfs.select(DATA["holes"], name, **options)
    cluster = InProcess(3, lost=(3, 6))
    many = mlfs.select(DATA["holes"], name, cluster=cluster, layout="columns", **options)
    assert told(many) == told(one)


@pytest.mark.parametrize("options", [{}, {"missing": "ignore", "n": "auto"}, {"prefilter": 9}])
def test_workers_share_the_labels_of_searches_label_by_label(options: dict[str, Any]) -> None:
    chosen: Any = {"n": 5, "per_label": True, **options}
    one, shown = mlfs.select(DATA["holes"], "jmi", **chosen), list[Any]()
    cluster = InProcess(2, lost=(-3, -5))
    many = mlfs.select(
        DATA["holes"], "jmi", cluster=cluster, on_pick=lambda *pick: shown.append(pick), **chosen
    )
    assert told(many) == told(one)
    (session,) = cluster.sessions
    assert session.lost == 2
    assert sum(method == "search" for _, method in session.begun) == 3
    assert len(shown) == sum(len(ranking.picks) for ranking in one.labels.values())


def test_labels_are_not_shared_out_where_a_worker_has_no_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.remote_blocks.InProcessSession.room", lambda self: 100)
    cluster = InProcess(2)
    many = mlfs.select(DATA["mixed"], "jmi", 5, per_label=True, cluster=cluster)
    assert told(many) == told(mlfs.select(DATA["mixed"], "jmi", 5, per_label=True))
    assert not cluster.sessions[0].begun


def test_an_interrupt_keeps_the_labels_that_are_searched() -> None:
    def interrupt(label: str, pick: Any) -> None:
        raise KeyboardInterrupt

    chosen: Any = {"n": 5, "per_label": True}
    found = mlfs.select(DATA["mixed"], "jmi", cluster=InProcess(2), on_pick=interrupt, **chosen)
    whole = mlfs.select(DATA["mixed"], "jmi", **chosen)
    assert found.interrupted
    assert found.labels
    for label, ranking in found.labels.items():
        assert ranking.indices == whole.labels[label].indices


def test_an_automatic_number_has_the_same_answer() -> None:
    options: Any = {"sample_weight": WEIGHTS}
    one = mlfs.select(DATA["holes"], "mim", "auto", **options)
    for layout in ("rows", "columns"):
        own: Any = {**options, "cluster": InProcess(3, (9,)), "layout": layout}
        many = mlfs.select(DATA["holes"], "mim", "auto", **own)
        assert told(many) == told(one)
        assert (many.significance.p_values == one.significance.p_values).all()


def test_a_lazy_search_asks_little() -> None:
    rng = np.random.default_rng(0)
    Y = (rng.random((2000, 2)) < 0.4).astype(int)
    X = np.where(rng.random((2000, 400)) < rng.random(400), Y[:, rng.integers(0, 2, 400)], 0)
    X ^= rng.random(X.shape) < 0.1
    cluster = InProcess(2)
    found = mlfs.select((X, Y), "mrmr", 30, lazy=True, cluster=cluster, layout="rows")
    assert told(found) == told(mlfs.select((X, Y), "mrmr", 30))
    (session,) = cluster.sessions
    assert session.rounds <= 1.6 * 30
    assert session.bytes_received < 2 * 4 * 400 * 30  # of two blocks, each with all counts


def test_an_eager_search_asks_once_a_pick_and_no_more_than_the_counts() -> None:
    cluster = InProcess(3)
    mlfs.select(DATA["binary"], "jmi", 12, lazy=False, cluster=cluster, layout="rows")
    (session,) = cluster.sessions
    assert session.rounds <= 12 + 3
    each = 20 * (1 + 3) + 3  # with the anchor, with it and each label, and labels with it
    assert session.bytes_received <= 1.1 * 3 * (12 * 4 * each + 4 * 20 * 3)


def test_by_columns_a_pick_goes_round_once_and_sums_return() -> None:
    X = (np.random.default_rng(1).random((6400, 20)) < 0.4).astype(np.uint8)
    cluster = InProcess(3)
    mlfs.select((X, X[:, :4]), "jmi", 12, lazy=False, cluster=cluster, layout="columns")
    (session,) = cluster.sessions
    assert session.rounds <= 12 + 3
    pieces = 3 * (20 + 4) * 6400 // 8
    assert session.bytes_sent - pieces <= 1.1 * 12 * 3 * 6400 // 8
    assert session.bytes_received <= 1.1 * 12 * (8 + 4) * 20 + 8 * 20 + 1000


def test_what_cannot_be_counted_on_a_cluster_is_refused_by_name() -> None:
    with pytest.raises(mlfs.UsageError, match=r"^cluster is given, but the estimator gaussian"):
        mlfs.select(DATA["mixed"], "mrmr", 2, estimator="gaussian", cluster=InProcess(2))
    with pytest.raises(mlfs.UsageError, match=r"^layout is only used on a cluster: leave it out"):
        mlfs.select(DATA["mixed"], "mrmr", 2, layout="rows")
    for layout in ("rows", "columns"):
        ready = mlfs.prepare(DATA["binary"], cluster=InProcess(2), layout=layout)
        with pytest.raises(mlfs.UsageError, match="cluster"):
            ready.among_rows(np.arange(330) < 100)
    with pytest.raises(mlfs.UsageError, match="cluster"):
        mlfs.information.mutual_information(ready.features, ready.labels)


def test_what_is_no_cluster_is_refused() -> None:
    with pytest.raises(mlfs.UsageError, match=r"^cluster is .* connected, not 3$"):
        mlfs.select(DATA["binary"], "mim", 2, cluster=3)


@pytest.mark.parametrize("number", ["none", "0", "-1", "1e3", "²", "99999", "9" * 5000])
def test_a_number_of_workers_that_makes_no_sense_is_refused_before_any_work(number: str) -> None:
    words = (
        r"^cluster is 'local:.{1,80}', but local takes a number of workers from 1 to \d+ on this"
    )
    for call in (
        lambda: mlfs.select("nowhere.csv", "mim", 2, cluster=f"local:{number}"),
        lambda: mlfs.prepare(DATA["binary"], cluster=f"local:{number}"),
        lambda: mlfs.compare.run("docs/examples/songs.arff", "mim", cluster=f"local:{number}"),
    ):
        with pytest.raises(mlfs.UsageError, match=words):
            call()


def test_there_are_at_most_four_workers_for_each_processor(monkeypatch: Any) -> None:
    monkeypatch.setattr(clusters, "threads_of", lambda _: 3)
    monkeypatch.setattr(clusters, "bytes_of", lambda _: 1 << 40)
    assert clusters.local_workers("local:12") == 12
    with pytest.raises(mlfs.UsageError, match="from 1 to 12 on"):
        clusters.local_workers("local:13")
    monkeypatch.setattr(clusters, "bytes_of", lambda _: 1)
    assert clusters.local_workers("local") == clusters.local_workers("local:2") == 2


def test_without_the_extra_the_install_line_is_named() -> None:
    program = (
        "import sys; sys.modules['distributed'] = None\n"
        "import mlfs\n"
        "try:\n    mlfs.select(([[0], [1]], [[0], [1]]), n=1, cluster='local:2')\n"
        "except mlfs.MissingExtra as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().endswith("pip install 'mlfs-toolkit[cluster]'")


# ---- workers that read ------------------------------------------------------------------------


def files(folder: Any) -> dict[str, str]:
    """The same rows in a CSV file, and others in several files of Parquet and a sparse one."""
    holes, stored = (mlfs.data.from_arrays(*DATA[kind]) for kind in ("holes", "sparse"))
    found = {
        "csv": folder / "a.csv",
        "arff": folder / "a.arff",
        "parquet": folder / "p-*.parquet",
    }
    mlfs.write(holes, found["csv"])
    mlfs.write(stored, found["arff"])
    for i in range(3):
        rows = slice(110 * i, 110 * (i + 1))
        mlfs.write(holes.with_changes(X=holes.X[rows], Y=holes.Y[rows]), folder / f"p-{i}.parquet")
    return {kind: str(path) for kind, path in found.items()}


@pytest.mark.parametrize("kind", ["csv", "arff", "parquet"])
def test_workers_read_their_parts_of_files(kind: str, tmp_path: Any) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    path = files(tmp_path)[kind]
    for options in (
        {"sample_weight": WEIGHTS, "bins": "frequency"},
        {"missing": "ignore", "labels": "last:3"},
        {"bins": "mdlp"},
    ):
        own = {"labels": "last:3", "n": 5, **options}
        one = mlfs.select(path, "jmi", **own)
        for layout in ("rows", "columns"):
            cluster = InProcess(3, lost=(-1, -2, -3, -4, -5, 2))
            many = mlfs.select(path, "jmi", cluster=cluster, layout=layout, **own)
            assert told(many) == told(one)
            assert cluster.sessions[0].layout == layout


@pytest.mark.parametrize("criterion", ["cmim", "pmu", "jmi", "mdmr"])
def test_weights_count_where_columns_go_round(criterion: str, tmp_path: Any) -> None:
    """A column that goes round may be sent as bits, which cannot be weighted."""
    own: Any = {"labels": "last:3", "n": 5, "sample_weight": WEIGHTS}
    path = files(tmp_path)["arff"]
    many = mlfs.select(path, criterion, cluster=InProcess(2), layout="columns", **own)
    assert told(many) == told(mlfs.select(path, criterion, **own))


@pytest.mark.parametrize("bins", ["mean-sd", "width"])
def test_decimals_are_binned_where_they_are(bins: str, tmp_path: Any) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3000, 12))
    data = mlfs.data.from_arrays(X, (X[:, :1] > rng.random((3000, 1))).astype(int))
    mlfs.write(data, tmp_path / "a.csv")
    cluster = InProcess(2)
    options: Any = {"labels": "last:1", "n": 3, "bins": bins}
    many = mlfs.select(tmp_path / "a.csv", "jmi", cluster=cluster, **options)
    assert told(many) == told(mlfs.select(tmp_path / "a.csv", "jmi", **options))
    assert cluster.sessions[0].bytes_received < X.nbytes // 3


def test_collections_of_dask_stay_where_they_are() -> None:
    array = pytest.importorskip("dask.array")
    frame = pytest.importorskip("dask.dataframe")
    import pandas as pd

    X, Y = DATA["mixed"]
    one = mlfs.select((X, Y), "mrmr", 5)
    chunks = array.from_array(X, chunks=(100, 7)).rechunk({1: -1})
    many = mlfs.select((chunks, array.from_array(Y, chunks=100)), "mrmr", 5, cluster=InProcess(3))
    assert told(many) == told(one)
    selector = mlfs.FeatureSelector("mrmr", 5, cluster=InProcess(3)).fit(chunks, Y)
    assert selector.indices_.tolist() == list(one.indices)
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(20)])
    table["c3"] = pd.Categorical(table["c3"].astype(int).astype(str))
    one = mlfs.select((table, Y), "jmi", 5)
    many = mlfs.select((frame.from_pandas(table, npartitions=4), Y), "jmi", 5, cluster=InProcess(2))
    assert told(many) == told(one)
    with pytest.raises(mlfs.UsageError, match=r"^groups join columns"):
        mlfs.select((chunks, Y), "jmi", 5, groups={"a": [0, 1]}, cluster=InProcess(2))
    own: Any = {"cluster": InProcess(2), "layout": "columns"}
    with pytest.raises(mlfs.UsageError, match=r"^layout is 'columns', but chunks of dask"):
        mlfs.select((chunks, Y), "jmi", 5, **own)
    with pytest.raises(mlfs.DataError, match="X has 330 rows and Y has 329 rows"):
        mlfs.select((chunks, Y[1:]), "jmi", 5, cluster=InProcess(2))


def test_a_file_that_changes_or_is_missing_is_named(tmp_path: Any) -> None:
    path = tmp_path / "a.csv"
    mlfs.write(mlfs.data.from_arrays(*DATA["binary"]), path)
    pieces = open_pieces(path, labels="last:3")
    path.write_text(path.read_text() + "\n")
    with pytest.raises(mlfs.DataError, match="the file changed while it was read"):
        mlfs.select(pieces, "mim", 2, cluster=InProcess(2))
    path.unlink()
    with pytest.raises(mlfs.DataError, match="there is no file"):
        mlfs.select(pieces, "mim", 2, cluster=InProcess(2))


# ---- a real cluster ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        )
        with cluster, distributed.Client(cluster) as client:
            yield client


def test_a_client_of_dask_has_the_same_answer_and_keeps_nothing(client: Any) -> None:
    one = mlfs.select(DATA["mixed"], "jmi", 5)
    assert told(mlfs.select(DATA["mixed"], "jmi", 5, cluster=client)) == told(one)
    assert told(mlfs.select(DATA["mixed"], "jmi", 5, cluster=client.cluster)) == told(one)
    selector = mlfs.FeatureSelector("jmi", 5, cluster=client)
    assert selector.get_params()["cluster"] is clone(selector).cluster is client
    assert selector.fit(*DATA["mixed"]).indices_.tolist() == list(one.indices)
    assert not any(client.run(lambda dask_worker: len(dask_worker.state.actors)).values())
    assert client.status == "running"


def test_an_error_leaves_nothing_on_the_cluster(client: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,y\n" + "1,0,1\n0,1,0\n" * 9)
    with pytest.raises(mlfs.UsageError, match="n is 9, but there are 2 features"):
        mlfs.select(path, "mim", 9, labels="y", cluster=client)
    with pytest.raises(mlfs.MlfsError, match="exclude"):
        mlfs.select(path, "mim", 1, labels="y", exclude="zzz", cluster=client)
    gc.collect()
    assert not any(client.run(lambda dask_worker: len(dask_worker.state.actors)).values())


def test_chunks_that_are_persisted_are_not_computed_again(client: Any) -> None:
    array = pytest.importorskip("dask.array")
    X, Y = DATA["mixed"]
    chunks, labels = client.persist([array.from_array(part, chunks=(50, -1)) for part in (X, Y)])
    many = mlfs.select((chunks, labels), "jmi", 5, cluster=client)
    assert told(many) == told(mlfs.select((X, Y), "jmi", 5))


@pytest.mark.slow
def test_the_command_counts_on_a_cluster_of_its_own(tmp_path: Any) -> None:
    data = str(ROOT / "docs" / "examples" / "songs.arff")
    command = [sys.executable, "-m", "mlfs", "select", "-c", "jmi", "-n", "3", data]
    one, many = (
        subprocess.run([*command, *more], capture_output=True, text=True, check=True)
        for more in (["-q"], ["--cluster", "local:2", "-v"])
    )
    assert many.stdout == one.stdout
    assert re.search(r"2 blocks of columns on 2 workers: \d+ rounds of questions", many.stderr)
    assert "0 blocks lost with a worker and made again" in many.stderr
    done = subprocess.run(
        [*command, "--cluster", "local", "-o", str(tmp_path / "a.arff")], check=False
    )
    assert done.returncode == 2
