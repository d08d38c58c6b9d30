"""Workers that are killed, schedulers that go, clusters over TLS: on real processes."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlfs
from tests.api.test_cluster import holds_nothing, told

distributed = pytest.importorskip("distributed")
RNG = np.random.default_rng(0)
X = (RNG.random((20_000, 40)) < 0.4).astype(np.uint8)
DATA = X, (X[:, :2] ^ (RNG.random((20_000, 2)) < 0.2)).astype(int)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as started:
            yield started


@pytest.mark.slow
def test_a_killed_worker_changes_nothing_and_searches_leave_nothing(cluster: Any) -> None:
    psutil = pytest.importorskip("psutil")
    with distributed.Client(cluster, set_as_default=False) as client:
        mlfs.select(DATA, "jmi", 3, cluster=client)
        for criterion, at in (("jmi", 1), ("mrmr", 4), ("cmim", 7), ("jmi", -0.1)):
            client.wait_for_workers(2, timeout=300)
            victim, made = next(iter(client.run(os.getpid, on_error="ignore").values())), []

            def kill(_: str, pick: Any, made: Any = made, at: Any = at, pid: int = victim) -> None:
                made.append(pick)
                if len(made) == at:
                    os.kill(pid, signal.SIGKILL)

            if at < 0:
                threading.Timer(-at, os.kill, (victim, signal.SIGKILL)).start()
            one = mlfs.select(DATA, criterion, 8)
            many = mlfs.select(DATA, criterion, 8, cluster=client, on_pick=kill)
            assert told(many) == told(one)
        time.sleep(1)
        client.wait_for_workers(2, timeout=300)
        before: list[int] = []
        for _ in range(2):
            for _ in range(10):
                mlfs.select(DATA, "jmi", 3, cluster=client)
            held = [
                psutil.Process(pid).memory_info().rss
                for pid in client.run(os.getpid, on_error="ignore").values()
            ]
            assert holds_nothing(client)
            assert not before or max(held) < max(before) + (8 << 20)
            before = held


@pytest.mark.slow
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_keeps_the_picks_and_leaves_the_cluster_clean(cluster: Any) -> None:
    with distributed.Client(cluster, set_as_default=False) as client:
        made: list[Any] = []

        def interrupt(_: str, pick: Any) -> None:
            made.append(pick)
            if len(made) == 3:
                signal.raise_signal(signal.SIGINT)

        with pytest.raises(mlfs.Interrupted) as stopped:
            mlfs.select(DATA, "jmi", 8, cluster=client, on_pick=interrupt)
        found = stopped.value.selection
        assert found.interrupted
        assert found.indices == mlfs.select(DATA, "jmi", len(found)).indices
        assert holds_nothing(client)


@pytest.mark.slow
def test_a_cluster_that_goes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlfs.api.cluster.connection.WAIT", 2.0)
    monkeypatch.setattr("mlfs.api.cluster.connection.CONNECTING", 2.0)
    settings = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(n_workers=1, **settings) as started:

        def leave(_: str, pick: Any) -> None:
            started.scale(0)
            time.sleep(1)

        with pytest.raises(mlfs.errors.ClusterError, match=r"^all workers of the cluster"):
            mlfs.select(DATA, "jmi", 8, cluster=started, on_pick=leave)
        started.scale(1)
        started.wait_for_workers(1, timeout=300)

        def close(_: str, pick: Any) -> None:
            started.close()

        with pytest.raises(mlfs.errors.ClusterError, match=r"^the scheduler at .* is gone"):
            mlfs.select(DATA, "jmi", 8, cluster=started, on_pick=close)
    monkeypatch.setattr("mlfs.api.cluster.connection.CONNECTING", 1.0)
    with pytest.raises(mlfs.errors.ClusterError, match=r"^no scheduler answers at"):
        mlfs.select(DATA, "jmi", 8, cluster=started.scheduler_address)


def test_other_versions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, dashboard_address=":0", silence_logs=50
        ) as started,
    ):
        versions = {"mlfs": "0.0", "numpy": "0", "Python": "0"}
        monkeypatch.setattr("mlfs.api.cluster.connection.versions", lambda _: versions)
        own = r"^the worker inproc.* has mlfs .*, and this process has 0.0: install the same"
        answered = {"inproc://w": {**versions, "mlfs": "9"}}
        monkeypatch.setattr("mlfs.api.cluster.connection.Connection.run", lambda *_: answered)
        with pytest.raises(mlfs.errors.ClusterError, match=own):
            mlfs.select(DATA, "mim", 2, cluster=started)


@pytest.mark.slow
def test_a_cluster_over_tls_has_the_same_answer(tmp_path: Path) -> None:
    import subprocess

    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    names = ["-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command, *names], check=True, capture_output=True)
    files = {"tls_ca_file": str(certificate)}
    for role in ("client", "scheduler", "worker"):
        files |= {f"tls_{role}_key": str(key), f"tls_{role}_cert": str(certificate)}
    security = distributed.Security(**files, require_encryption=True)
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            dashboard_address=":0",
            security=security,
            protocol="tls://",
            silence_logs=50,
        ) as started,
        distributed.Client(started, security=security, set_as_default=False) as client,
    ):
        assert started.scheduler_address.startswith("tls://")
        many = mlfs.select(DATA, "jmi", 5, cluster=client)
        assert told(many) == told(mlfs.select(DATA, "jmi", 5))
        with pytest.raises(mlfs.errors.ClusterError, match=r"^no scheduler answers at tls://"):
            mlfs.select(DATA, "jmi", 5, cluster=started.scheduler_address)


@pytest.mark.parametrize("what", ["_hold", "_answer"])
def test_a_worker_that_has_too_little_memory_is_named(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with distributed.LocalCluster(
        n_workers=2, processes=False, dashboard_address=":0", silence_logs=50
    ) as started:
        monkeypatch.setattr(f"mlfs.api.cluster.held.{what}", full)
        message = r"^a worker has too little memory for its columns: more workers would hold fewer"
        with pytest.raises(mlfs.errors.ClusterError, match=message):
            mlfs.select(DATA, "jmi", 3, cluster=started)


def full(*_: Any, **__: Any) -> None:
    raise MemoryError


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 400 Bad request\r\n\r\n" * 99])
def test_another_program_at_the_address_is_no_scheduler(says: bytes, monkeypatch: Any) -> None:
    monkeypatch.setattr("mlfs.api.cluster.connection.CONNECTING", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[Any] = []

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    held.append(server.accept()[0])
                    held[-1].sendall(says)

        threading.Thread(target=accept, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(mlfs.MlfsError, match=f"no scheduler answers at {address}"):
            mlfs.select(([[0], [1]], [[0], [1]]), "mim", 1, cluster=address)
        for one in held:
            one.close()
