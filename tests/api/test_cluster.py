"""A selection on a cluster has the answer of one process, bit for bit."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import mlfs
import mlfs.compare
from mlfs import criteria
from mlfs.api.cluster import connection
from mlfs.api.cluster.elsewhere import elsewhere
from tests.documents import ROOT

distributed = pytest.importorskip("distributed")
TIMES = {"times", "seconds", "pair_terms", "cluster"}


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


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=False, dashboard_address=":0"
        )
        with cluster, distributed.Client(cluster, set_as_default=False) as client:
            yield client


@pytest.mark.parametrize("name", criteria.available())
def test_every_criterion_has_the_same_answer(name: str, client: Any) -> None:
    one = mlfs.select(DATA["mixed"], name, 6)
    assert told(mlfs.select(DATA["mixed"], name, 6, cluster=client)) == told(one)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("binary", {}),
        ("holes", {"missing": "level"}),
        ("holes", {"sample_weight": WEIGHTS}),
        ("holes", {"per_label": True}),
        ("sparse", {}),
        ("sparse", {"sample_weight": WEIGHTS}),
        ("classes", {}),
        ("mixed", {"bins": "width"}),
        ("mixed", {"bins": "frequency"}),
        ("mixed", {"bins": "mdlp"}),
        ("mixed", {"bins": "laim"}),
        ("mixed", {"groups": {"a": [0, 3], "b": [1, 14, 15]}}),
        ("mixed", {"include": [5, 2], "exclude": [14], "prefilter": 9}),
        ("mixed", {"correction": "expected"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value) or "plain",
)
def test_every_option_has_the_same_answer(kind: str, options: dict[str, Any], client: Any) -> None:
    for name in ("jmi", "mrmr"):
        chosen = {"n": 5, **options}
        one = mlfs.select(DATA[kind], name, **chosen)
        assert told(mlfs.select(DATA[kind], name, cluster=client, **chosen)) == told(one)


@pytest.mark.parametrize(
    "options",
    [
        {"given": [3]},
        {"given": np.arange(330) % 4, "n": "auto"},
        {"n": "fdr", "given": [3]},
    ],
    ids="-".join,
)
def test_what_divides_the_rows_has_the_same_answer(options: dict[str, Any], client: Any) -> None:
    for name in ("jmi", "mlfs_global"):
        chosen = {"n": 5, **options}
        one = mlfs.select(DATA["mixed"], name, **chosen)
        many = mlfs.select(DATA["mixed"], name, cluster=client, **chosen)
        assert told(many) == told(one)
        assert many.to_frame().equals(one.to_frame())
        assert holds_nothing(client)


@pytest.mark.parametrize(
    ("preparing", "options", "draws"),
    [
        ({"sample_weight": WEIGHTS}, {}, {"resamples": 20}),
        ({}, {"per_label": True}, {"resamples": 20}),
        ({"correction": "expected"}, {}, {"resamples": None, "permutations": 30}),
    ],
)
def test_how_sure_picks_are_has_the_same_answer(
    preparing: Any, options: Any, draws: Any, client: Any
) -> None:
    for name in ("jmi", "mlfs_global"):
        one, many = (
            mlfs.certainty(mlfs.select(ready, name, 5, **options), ready, **draws)
            for ready in (
                mlfs.prepare(DATA["mixed"], **preparing),
                mlfs.prepare(DATA["mixed"], cluster=client, **preparing),
            )
        )
        assert told(many) == told(one)
        assert many.to_frame().equals(one.to_frame())


@pytest.mark.parametrize("kind", ["mixed", "classes"])
def test_label_sets_have_the_same_answer(kind: str, client: Any) -> None:
    data = DATA[kind]
    if not isinstance(data, mlfs.Dataset):
        data = mlfs.data.from_arrays(*data)
    data = mlfs.data.label_sets(data, 2)
    for name in ("jmi", "mrmr"):
        one = mlfs.select(data, name, 5)
        assert told(mlfs.select(data, name, 5, cluster=client)) == told(one)


def test_columns_that_come_here_need_room(client: Any) -> None:
    ready = mlfs.prepare(DATA["binary"], cluster=client)
    workers: Any = ready.info.holders
    workers._shared.options["max_memory"] = 1
    with pytest.raises(mlfs.UsageError, match=r"max_memory is 1 kB here, and the columns .* need"):
        mlfs.certainty(mlfs.select(ready, "mim", 3), ready, resamples=20)


@pytest.mark.parametrize("name", ["cmi", "disr", "gmm", "jim", "mlfs_local", "mlcfs"])
def test_missing_values_and_weights(name: str, client: Any) -> None:
    options: Any = {"n": 5, "sample_weight": WEIGHTS}
    one = mlfs.select(DATA["holes"], name, **options)
    assert told(mlfs.select(DATA["holes"], name, cluster=client, **options)) == told(one)


@pytest.mark.parametrize("kind", ["mixed", "holes"])
@pytest.mark.parametrize("order", ["full", "given", ""])
def test_label_networks_are_the_same(kind: str, order: str, client: Any) -> None:
    one, many = (
        mlfs.select(
            ready,
            "mlfs_global",
            4,
            network=mlfs.label_network(ready, order=order) if order else "tree",
        )
        for ready in (mlfs.prepare(DATA[kind]), mlfs.prepare(DATA[kind], cluster=client))
    )
    assert told(many) == told(one)


@pytest.mark.parametrize("options", [{}, {"n": "auto"}, {"prefilter": 9}])
def test_workers_share_the_labels_of_searches_label_by_label(
    options: dict[str, Any], client: Any
) -> None:
    chosen: Any = {"n": 5, "per_label": True, **options}
    one, shown = mlfs.select(DATA["holes"], "jmi", **chosen), list[Any]()
    many = mlfs.select(
        DATA["holes"], "jmi", cluster=client, on_pick=lambda *pick: shown.append(pick), **chosen
    )
    assert told(many) == told(one)
    assert len(shown) == sum(len(ranking.picks) for ranking in one.labels.values())


def test_labels_are_not_shared_out_where_a_worker_has_no_room(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection.Connection, "room", lambda self: 100)
    many = mlfs.select(DATA["mixed"], "jmi", 5, per_label=True, cluster=client)
    assert told(many) == told(mlfs.select(DATA["mixed"], "jmi", 5, per_label=True))


def test_an_interrupt_keeps_the_labels_that_are_searched(client: Any) -> None:
    def interrupt(label: str, pick: Any) -> None:
        raise KeyboardInterrupt

    chosen: Any = {"n": 5, "per_label": True}
    with pytest.raises(mlfs.Interrupted) as stopped:
        mlfs.select(DATA["mixed"], "jmi", cluster=client, on_pick=interrupt, **chosen)
    found = stopped.value.selection
    whole = mlfs.select(DATA["mixed"], "jmi", **chosen)
    assert found.interrupted
    assert found.labels
    for label, ranking in found.labels.items():
        assert ranking.indices == whole.labels[label].indices


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_an_automatic_number_has_the_same_answer(client: Any, weights: Any) -> None:
    options: Any = {"sample_weight": weights}
    one = mlfs.select(DATA["holes"], "mim", "auto", **options)
    many = mlfs.select(DATA["holes"], "mim", "auto", cluster=client, **options)
    assert told(many) == told(one)
    assert (many.significance.p_values == one.significance.p_values).all()
    assert np.isnan(one.significance.low).all() == (weights is not None)
    np.testing.assert_array_equal(many.significance.low, one.significance.low)
    np.testing.assert_array_equal(many.significance.high, one.significance.high)


def test_a_pick_is_one_question(client: Any) -> None:
    ready = mlfs.prepare(DATA["binary"], cluster=client)
    mlfs.select(ready, "jmi", 12)
    assert ready.info.holders.rounds <= 12 + 3


def test_many_selections_of_prepared_data(client: Any) -> None:
    ready, here = (mlfs.prepare(DATA["mixed"], cluster=cluster) for cluster in (client, None))
    for name in ("mrmr", "mlfs_global", "cmi"):
        assert told(mlfs.select(ready, name, 5)) == told(mlfs.select(here, name, 5))


def test_what_cannot_be_counted_on_a_cluster_is_refused_by_name(client: Any) -> None:
    with pytest.raises(mlfs.UsageError, match=r"^cluster is only used for the estimator 'counts'"):
        mlfs.select(DATA["mixed"], "mrmr", 2, estimator="gaussian", cluster=client)
    ready = mlfs.prepare(DATA["binary"], cluster=client)
    with pytest.raises(mlfs.UsageError, match="cluster"):
        ready.among_rows(np.arange(330) < 100)
    with pytest.raises(mlfs.UsageError, match="cluster"):
        mlfs.information.mutual_information(ready.features, ready.labels)


def test_what_is_no_cluster_is_refused() -> None:
    with pytest.raises(mlfs.UsageError, match=r"^cluster is .* connected, not 3$"):
        mlfs.select(DATA["binary"], "mim", 2, cluster=3)


@pytest.mark.parametrize("number", ["none", "0", "-1", "1e3", "²", "99999", "9" * 5000])
def test_a_number_of_workers_that_makes_no_sense_is_refused_before_any_work(number: str) -> None:
    words = r"^cluster is 'local:.{1,80}', but local takes a number of workers, 1 to 256, as in"
    for call in (
        lambda: mlfs.select("nowhere.csv", "mim", 2, cluster=f"local:{number}"),
        lambda: mlfs.prepare(DATA["binary"], cluster=f"local:{number}"),
        lambda: mlfs.compare.run("docs/examples/songs.arff", "mim", cluster=f"local:{number}"),
    ):
        with pytest.raises(mlfs.UsageError, match=words):
            call()


def test_local_is_two_workers() -> None:
    assert connection.local_workers("local") == connection.local_workers("local:2") == 2
    assert connection.local_workers("local:12") == 12
    assert connection.local_workers("tcp://host:8786") is None


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
def test_workers_read_their_columns_of_files(kind: str, tmp_path: Any, client: Any) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    path = files(tmp_path)[kind]
    for options in (
        {"sample_weight": WEIGHTS, "bins": "frequency"},
        {"bins": "mdlp"},
        {"groups": {"a": [0, 9], "b": [1, 14, 15]}, "per_label": True},
    ):
        own: Any = {"labels": "last:3", "n": 5, **options}
        one = mlfs.select(path, "jmi", **own)
        assert told(mlfs.select(path, "jmi", cluster=client, **own)) == told(one)
    chain: Any = {"labels": "last:3", "n": 5, "sample_weight": WEIGHTS}
    one = mlfs.select(path, "mlfs_local", **chain)
    assert told(mlfs.select(path, "mlfs_local", cluster=client, **chain)) == told(one)


def test_workers_read_only_their_columns_of_parquet(tmp_path: Any, client: Any) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.integers(0, 3, (200, 6)), columns=list("abcdef"))
    table["text"] = rng.choice(["x", "y", "z"], 200)
    table["when"] = pd.Timestamp("2020-01-01")
    table["label"] = (table["b"] > 0).astype(int)
    path = tmp_path / "a.parquet"
    table.to_parquet(path)
    one = mlfs.select(path, "jmi", 4, labels="label")
    assert told(mlfs.select(path, "jmi", 4, labels="label", cluster=client)) == told(one)


def test_missing_values_that_are_refused_are_named(tmp_path: Any, client: Any) -> None:
    X, Y = DATA["holes"]
    X = np.where(np.arange(330)[:, None] < 9, 0, X)
    Y = np.nan_to_num(Y)
    path = tmp_path / "a.csv"
    mlfs.write(mlfs.data.from_arrays(X, Y), path)
    for data, labels in ((X, Y), None), (path, "last:3"):
        with pytest.raises(mlfs.DataError) as one:
            mlfs.select(data, "mim", 2, labels=labels, missing="error")
        with pytest.raises(mlfs.DataError) as many:
            mlfs.select(data, "mim", 2, labels=labels, missing="error", cluster=client)
        assert str(many.value) == str(one.value)


def test_collections_of_dask_are_divided_by_columns(client: Any) -> None:
    array = pytest.importorskip("dask.array")
    frame = pytest.importorskip("dask.dataframe")
    import pandas as pd

    X, Y = DATA["mixed"]
    one = mlfs.select((X, Y), "mrmr", 5)
    chunks = array.from_array(X, chunks=(100, 7))
    many = mlfs.select((chunks, array.from_array(Y, chunks=100)), "mrmr", 5, cluster=client)
    assert told(many) == told(one)
    ready = mlfs.prepare((chunks, Y), cluster=client)
    selector = mlfs.FeatureSelector("mrmr", 5).fit(ready)
    assert selector.indices_.tolist() == list(one.indices)
    ready.release()
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(20)])
    table["c3"] = pd.Categorical(table["c3"].astype(int).astype(str))
    table["c4"] = table["c4"].astype(int).astype(str)
    one = mlfs.select((table, Y), "jmi", 5)
    many = mlfs.select((frame.from_pandas(table, npartitions=4), Y), "jmi", 5, cluster=client)
    assert told(many) == told(one)
    for name in ("jmi", "mlfs_global"):
        chosen: Any = {"groups": {"a": [0, 19]}}
        one = mlfs.select((X, Y), name, 5, **chosen)
        assert told(mlfs.select((chunks, Y), name, 5, cluster=client, **chosen)) == told(one)
    with pytest.raises(mlfs.DataError, match="X has 330 rows and Y has 329 rows"):
        mlfs.select((chunks, Y[1:]), "jmi", 5, cluster=client)


def test_a_file_that_changes_or_is_missing_is_named(tmp_path: Any, client: Any) -> None:
    path = tmp_path / "a.csv"
    mlfs.write(mlfs.data.from_arrays(*DATA["binary"]), path)
    head = elsewhere(path, client, labels="last:3")
    path.write_text(path.read_text() + "\n")
    with pytest.raises(mlfs.DataError, match=r"a\.csv: the file changed while it was read"):
        mlfs.select(head, "mim", 2, cluster=client)
    path.unlink()
    with pytest.raises(mlfs.DataError, match=r"sees no file .* workers see files under the same"):
        mlfs.select(head, "mim", 2, cluster=client)


# ---- a real cluster ---------------------------------------------------------------------------


def holds_nothing(client: Any) -> bool:
    """Whether no worker keeps a result, a while later at the latest."""
    for _ in range(100):
        gc.collect()
        if not any(client.has_what().values()):
            return True
        time.sleep(0.1)
    return False


def test_a_client_of_dask_has_the_same_answer_and_keeps_nothing(client: Any) -> None:
    one = mlfs.select(DATA["mixed"], "jmi", 5)
    assert told(mlfs.select(DATA["mixed"], "jmi", 5, cluster=client)) == told(one)
    assert told(mlfs.select(DATA["mixed"], "jmi", 5, cluster=client.cluster)) == told(one)
    assert holds_nothing(client)
    assert client.status == "running"


def test_an_error_leaves_nothing_on_the_cluster(client: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,y\n" + "1,0,1\n0,1,0\n" * 9)
    with pytest.raises(mlfs.UsageError, match="n is 9, but there are 2 features"):
        mlfs.select(path, "mim", 9, labels="y", cluster=client)
    with pytest.raises(mlfs.MlfsError, match="exclude"):
        mlfs.select(path, "mim", 1, labels="y", exclude="zzz", cluster=client)
    assert holds_nothing(client)


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
    assert re.search(r"columns divided among 2 workers: \d+ rounds of questions\n", many.stderr)
    done = subprocess.run(
        [*command, "--cluster", "local", "-o", str(tmp_path / "a.arff")], check=False
    )
    assert done.returncode == 2
