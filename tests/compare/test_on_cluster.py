"""A comparison on a cluster has the table of one on this machine."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from mlfs.compare import run
from mlfs.compare.results import Results
from mlfs.errors import DataError, UsageError
from tests.compare import in_process
from tests.documents import ROOT

distributed = pytest.importorskip("distributed")
SONGS = str(ROOT / "docs/examples/songs.arff")
CHOSEN: Any = ["scls"], ["mlnb", "sklearn.tree.DecisionTreeClassifier"], [4, 8]
LOCAL = {"processes": False, "dashboard_address": ":0", "silence_logs": 50}


def table(results: Results) -> list[dict[str, Any]]:
    """The records without times and memory."""
    of_run = {"prepare_seconds", "select_seconds", "fit_seconds", "predict_seconds", "peak_mb"}
    return [{k: v for k, v in one.items() if k not in of_run} for one in results.records]


def test_a_lost_worker_changes_no_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, **LOCAL) as cluster:

        def lose(done: int, total: int, last: Any) -> None:
            if done == 1 and last is not None:
                cluster.scale(0)
                cluster.sync(cluster._correct_state)
                cluster.scale(1)

        folder = tmp_path / "report"
        many = run(SONGS, *CHOSEN, folds=2, cluster=cluster, folder=folder, on_cell=lose)
        told: list[int] = []
        again = run(
            SONGS, *CHOSEN, folds=2, cluster=cluster, folder=folder,
            on_cell=lambda done, *_: told.append(done),
        )  # fmt: skip
    in_process.use(monkeypatch)
    one = run(SONGS, *CHOSEN, folds=2)
    assert table(many) == table(again) == table(one)
    assert told == [8]
    assert any("run on 1 worker of a cluster" in note for note in many.notes)
    assert not any("cluster" in note for note in again.notes)


@pytest.mark.slow
def test_of_two_workers_one_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {"models": ["br", "mlnb"], "n": [3, 6], "folds": 3}
    killed: list[int] = []
    own = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(**own) as cluster:

        def kill(done: int, total: int, last: Any) -> None:
            if done == 6 and last is not None:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        many = run(SONGS, ["scls", "mim", "jmi"], cluster=cluster, on_cell=kill, **settings)
    in_process.use(monkeypatch)
    assert killed
    assert len(many.records) == 36
    assert table(many) == table(run(SONGS, ["scls", "mim", "jmi"], **settings))


def test_workers_with_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "songs.arff"
    path.write_bytes(Path(SONGS).read_bytes())
    with distributed.LocalCluster(n_workers=1, **LOCAL) as cluster:
        client = distributed.Client(cluster, set_as_default=False)
        seen: list[Any] = []

        def change(*told: Any) -> None:
            seen.append(told)
            path.unlink()

        with pytest.raises(
            DataError, match=r"^the worker .* has other data: there is no file .*songs"
        ):
            run(path, *CHOSEN, folds=2, cluster=client, on_cell=change)
        client.close()
    assert len(seen) == 1


def test_a_cluster_has_its_own_number_of_processes() -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        run(SONGS, *CHOSEN, jobs=2, cluster="local:2")
